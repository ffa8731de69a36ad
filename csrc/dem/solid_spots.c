/* What laws ask of the spots at which bodies touch: how curved what touches is, where
 * the force acts, and how many spots share a mass. */
#include "solid_spots.h"

#include "law_of.h"

/* ---- how curved ---- */

static double radius_of_body(const abut_simulation *s, abut_index body, const law *l)
{
    return law_radius_of_body(l, s->solids.bodies[body].rounding);
}

/* R*. A wall is flat. */
static double find_radius(const abut_simulation *s, const interaction_table *t, const spot_row *r)
{
    const abut_convex_columns *c = &t->body;
    const double own = radius_of_body(s, c->i[r->row], r->law);
    double other = own;
    switch (t->kind) {
    case ABUT_BODY_WALL:
    case ABUT_SPHERE_WALL:
    case ABUT_SPHERE_SPHERE:
        return own;
    case ABUT_BODY_BODY:
        other = radius_of_body(s, c->j[r->row], r->law);
        break;
    case ABUT_BODY_SPHERE:
        other = s->store.radii[s->store.places[c->j[r->row]]];
        break;
    }
    /* without either the next step is an error; what there is of the last one has no energy then */
    return own > 0.0 && other > 0.0 ? reduced(own, other) : 0.0;
}

/* ---- a row, and where its spots are ---- */

static vec3 shift_of(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_index *image = t->body.image;
    return lattice_shift_of(&s->lattice, image ? image + 3 * row : NULL);
}

spot_row simulation_spot_row(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    spot_row r = {.row = row,
                  .begin = t->body.spot_offsets[row],
                  .end = t->body.spot_offsets[row + 1],
                  .law = simulation_spot_law(s, t, row),
                  .normal = vec3_load(t->body.normal + 3 * row),
                  .shift = shift_of(s, t, row)};
    r.is_curved = law_asks_for_radius(r.law);
    r.is_on_wall = r.is_curved && t->kind == ABUT_BODY_WALL;
    r.radius = r.is_curved ? find_radius(s, t, &r) : 1.0;
    return r;
}

vec3 simulation_spot_point(const interaction_table *t, const spot_row *r, abut_index spot)
{
    const vec3 point = vec3_load(t->body.spot + 3 * spot);
    if (!r->is_on_wall) {
        return point;
    }
    return vec3_add(point, vec3_scale(r->normal, 0.5 * t->body.spot_overlap[spot]));
}

/* ---- how many share a mass ---- */

static abut_index count_bearing(const abut_convex_columns *c, abut_index row)
{
    abut_index count = 0;
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        count += c->spot_overlap[spot] > 0.0;
    }
    return count;
}

static bool is_same_wall(const abut_convex_columns *c, abut_index a, abut_index b)
{
    return c->i[a] == c->i[b] && c->mesh[a] == c->mesh[b];
}

double simulation_bearing_spots(const interaction_table *t, abut_index row)
{
    const abut_convex_columns *c = &t->body;
    const vec3 normal = vec3_load(c->normal + 3 * row);
    abut_index first = row;
    if (t->kind != ABUT_BODY_WALL) {
        return (double)count_bearing(c, row);
    }
    while (first > 0 && is_same_wall(c, first - 1, row)) {
        first--;
    }
    double sum = 0.0;
    for (abut_index k = first; k < t->count && is_same_wall(c, k, row); k++) {
        const double along = larger(vec3_dot(normal, vec3_load(c->normal + 3 * k)), 0.0);
        sum += along * along * (double)count_bearing(c, k);
    }
    return sum;
}

/* ---- laws that spots cannot have ---- */

/* Type A looks at the spin of a sphere alone. */
static bool is_for_spots(const law *l)
{
    const bool is_brake = l->rolling_friction > 0.0 && l->rolling_damping < 0.0;
    return !l->is_missing && !is_brake;
}

/* A body, its material, and that of what it touches. */
static abut_status report(abut_error *error, abut_status status, abut_index body, int32_t material,
                          int32_t other)
{
    return error_set(error, status, body, material, (double)other);
}

static abut_status check_row(const abut_simulation *s, const interaction_table *t, abut_index row,
                             abut_error *error)
{
    const abut_index i = t->body.i[row];
    const law *l = simulation_spot_law(s, t, row);
    const int32_t own = s->solids.bodies[i].material, other = simulation_other_material(s, t, row);
    if (!is_for_spots(l)) {
        return report(error, ABUT_BODY_LAW, i, own, other);
    }
    if (!law_asks_for_radius(l)) {
        return ABUT_OK;
    }
    if (!(radius_of_body(s, i, l) > 0.0)) {
        return report(error, ABUT_BODY_CURVATURE, i, own, other);
    }
    if (t->kind == ABUT_BODY_BODY && !(radius_of_body(s, t->body.j[row], l) > 0.0)) {
        return report(error, ABUT_BODY_CURVATURE, t->body.j[row], other, own);
    }
    return ABUT_OK;
}

abut_status simulation_check_spot_laws(const abut_simulation *s, abut_error *error)
{
    abut_status status = ABUT_OK;
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        for (abut_index row = 0; !status && row < s->now->tables[k].count; row++) {
            status = check_row(s, &s->now->tables[k], row, error);
        }
    }
    return status;
}
