/* Ear clipping, seen along the polygon's Newell normal (G. H. Meisters,
 * "Polygons have ears", 1975). */
#include "split.h"

#include <string.h>

/* Twice the signed area of the corner a-b-c, seen against the normal. */
static double corner_area(vec3 normal, vec3 a, vec3 b, vec3 c)
{
    return vec3_dot(normal, vec3_cross_exact(vec3_sub(b, a), vec3_sub(c, a)));
}

/* What is left of the polygon, and how it is seen. */
typedef struct outline {
    const double *vertices;
    vec3 normal;
    abut_index *ring;
    abut_index count;
} outline;

typedef bool (*corner_test)(const outline *o, abut_index i, double slack);

static abut_index outline_wrap(const outline *o, abut_index i)
{
    return i < 0 ? i + o->count : (i < o->count ? i : i - o->count);
}

static vec3 outline_corner(const outline *o, abut_index i)
{
    return vec3_load(o->vertices + 3 * o->ring[outline_wrap(o, i)]);
}

static double longest_axis(vec3 a, vec3 b)
{
    return vec3_max_abs(vec3_sub(b, a));
}

/* Whether q is on the inner side of a-b, or no more than `slack` outside. */
static bool is_inside(vec3 normal, vec3 a, vec3 b, vec3 q, double slack)
{
    return corner_area(normal, a, b, q) >= -slack * longest_axis(a, b);
}

/* Whether q is in the closed triangle a-b-c but is none of its corners. */
static bool is_in_the_way(vec3 normal, vec3 a, vec3 b, vec3 c, vec3 q, double slack)
{
    if (vec3_compare(q, a) == 0 || vec3_compare(q, b) == 0 || vec3_compare(q, c) == 0) {
        return false;
    }
    return is_inside(normal, a, b, q, slack) && is_inside(normal, b, c, q, slack) &&
           is_inside(normal, c, a, q, slack);
}

static bool is_ear(const outline *o, abut_index i, double slack)
{
    vec3 a = outline_corner(o, i - 1), b = outline_corner(o, i), c = outline_corner(o, i + 1);
    if (corner_area(o->normal, a, b, c) < 0.0) {
        return false;
    }
    for (abut_index k = 0; k < o->count; k++) {
        if (is_in_the_way(o->normal, a, b, c, outline_corner(o, k), slack)) {
            return false;
        }
    }
    return true;
}

/* Whether a corner and its neighbors are on one line to within `slack`. */
static bool is_thin(const outline *o, abut_index i, double slack)
{
    vec3 a = outline_corner(o, i - 1), b = outline_corner(o, i), c = outline_corner(o, i + 1);
    double length = fmax(longest_axis(a, b), longest_axis(b, c));
    return fabs(corner_area(o->normal, a, b, c)) <= slack * length;
}

static abut_index find_corner(const outline *o, corner_test test, double slack)
{
    for (abut_index i = 0; i < o->count; i++) {
        if (test(o, i, slack)) {
            return i;
        }
    }
    return -1;
}

/* Best is an ear whose new side keeps clear of all corners by more than rounding: one that passes
 * through a corner would leave an outline that crosses itself. Where rounding leaves no ear at all,
 * a thin corner goes: nothing is lost with it. */
static abut_index find_ear(const outline *o, double rounding)
{
    abut_index ear = find_corner(o, is_ear, rounding);
    if (ear < 0) {
        ear = find_corner(o, is_ear, 0.0);
    }
    return ear < 0 ? find_corner(o, is_thin, rounding) : ear;
}

abut_index split_polygon(const polygon *p, const facet_shape *shape, double noise, abut_index *ring,
                         abut_index *triangles)
{
    outline o = {p->vertices, shape->normal, ring, p->count};
    double rounding = facet_reflex_limit(p, noise);
    abut_index done = 0;
    memcpy(ring, p->indices, (size_t)p->count * sizeof *ring);
    for (; o.count >= 3; o.count--, done++) {
        abut_index ear = find_ear(&o, rounding);
        if (ear < 0) {
            return done;
        }
        for (abut_index i = 0; i < 3; i++) {
            triangles[3 * done + i] = ring[outline_wrap(&o, ear - 1 + i)];
        }
        memmove(ring + ear, ring + ear + 1, (size_t)(o.count - ear - 1) * sizeof *ring);
    }
    return done;
}
