#include "pair.h"

#include "../abut/contacts.h"
#include "../mesh/tolerance.h"

convex_pair pair_swapped(const convex_pair *pair)
{
    convex_pair swapped = *pair;
    const vec3 origin = {0.0, 0.0, 0.0};
    swapped.a = pair->b, swapped.b = pair->a;
    swapped.shift = pair_to_b(pair, origin);
    swapped.rows[0] = (vec3){pair->rows[0].x, pair->rows[1].x, pair->rows[2].x};
    swapped.rows[1] = (vec3){pair->rows[0].y, pair->rows[1].y, pair->rows[2].y};
    swapped.rows[2] = (vec3){pair->rows[0].z, pair->rows[1].z, pair->rows[2].z};
    return swapped;
}

vec3 body_point(const convex_body *body, convex_end end)
{
    const abut_shape *s = body->shape;
    int32_t vertex = end.feature;
    if (end.type == ABUT_FACET) {
        vertex = s->corners[s->facets[end.feature].begin].vertex;
    } else if (end.type == ABUT_EDGE) {
        vertex = s->edges[end.feature].vertices[0];
    }
    return body_vertex(body, vertex);
}

/* ---- supports ---- */

/* Compares all vertices, without a branch. Up to a hundred vertices, no other variant that was
 * tried (blocks, vector lanes) is faster with the baseline instructions, which all callers use. */
support body_support(const convex_body *body, vec3 direction)
{
    const abut_shape *s = body->shape;
    support best = {-INFINITY, 0};
    for (int32_t v = 0; v < s->vertex_count; v++) {
        const double height = vec3_dot(direction, shape_point(s, v));
        best.vertex = height > best.height ? v : best.vertex;
        best.height = larger(height, best.height);
    }
    best.height *= body->scale;
    return best;
}

support_gap pair_support_gap(const convex_pair *pair, vec3 n)
{
    const vec3 back = pair_turn_back(pair, vec3_scale(n, -1.0));
    const support a = body_support(&pair->a, n), b = body_support(&pair->b, back);
    return (support_gap){vec3_dot(n, pair->shift) - b.height - a.height, a.vertex, b.vertex};
}

/* ---- from step to step ---- */

/* The types of both ends and the status are one number in base 4. Its digits, the lowest first, are
 * A's type, B's type and the status. It is stored plus 1, so that 0 means no link. */
enum { FOURS = 4, CODES = FOURS * FOURS * FOURS };

void link_pack(const convex_link *link, double state[ABUT_CONVEX_STATE])
{
    const int code = link->ends[0].type + FOURS * (link->ends[1].type + FOURS * (int)link->status);
    state[0] = 1.0 + code;
    state[1] = link->ends[0].feature;
    state[2] = link->ends[1].feature;
    vec3_store(state + 3, link->p);
    vec3_store(state + 6, link->q);
    vec3_store(state + 9, link->normal);
}

static int32_t feature_count(const abut_shape *s, int32_t type)
{
    switch ((abut_type)type) {
    case ABUT_FACET:
        return s->facet_count;
    case ABUT_EDGE:
        return s->edge_count;
    case ABUT_VERTEX:
        return s->vertex_count;
    }
    return 0;
}

/* Whether a number is whole, at least 0 and less than the limit. */
static bool is_number(double x, int32_t limit)
{
    return x >= 0.0 && x < limit && x == (double)(int32_t)x;
}

/* Whether all coordinates are finite: infinity or NaN minus itself is NaN, not 0. */
static bool are_finite(vec3 a, vec3 b)
{
    const vec3 none = vec3_sub(a, a), other = vec3_sub(b, b);
    return none.x + none.y + none.z + other.x + other.y + other.z == 0.0;
}

static bool is_unit(vec3 a)
{
    return fabs(vec3_norm_sq(a) - 1.0) <= NEARLY_UNIT;
}

static bool read_end(double feature, int32_t type, const abut_shape *s, convex_end *end)
{
    if (!is_number(feature, feature_count(s, type))) {
        return false;
    }
    end->type = type;
    end->feature = (int32_t)feature;
    return true;
}

bool link_unpack(const double state[ABUT_CONVEX_STATE], const convex_pair *pair, convex_link *link)
{
    if (!is_number(state[0] - 1.0, CODES)) {
        return false;
    }
    const uint32_t code = (uint32_t)state[0] - 1;
    link->p = vec3_load(state + 3);
    link->q = vec3_load(state + 6);
    link->normal = vec3_load(state + 9);
    link->gap = link->error = NAN;
    link->status = (int32_t)(code / (FOURS * FOURS));
    link->iterations = 0;
    return read_end(state[1], (int32_t)(code % FOURS), pair->a.shape, &link->ends[0]) &&
           read_end(state[2], (int32_t)(code / FOURS % FOURS), pair->b.shape, &link->ends[1]) &&
           are_finite(link->p, link->q) && is_unit(link->normal);
}
