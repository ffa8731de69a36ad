/* Ear clipping, seen along the polygon's Newell normal (G. H. Meisters,
 * "Polygons have ears", 1975). */
#include "split.h"

/* Twice the signed area of the corner a-b-c, seen against the normal. */
static double corner_area(vec3 normal, vec3 a, vec3 b, vec3 c)
{
    return vec3_dot(normal, vec3_cross_exact(vec3_sub(b, a), vec3_sub(c, a)));
}

static vec3 ring_corner(const polygon *p, const abut_index *ring, abut_index count, abut_index i)
{
    abut_index wrapped = i < 0 ? i + count : (i < count ? i : i - count);
    return vec3_load(p->vertices + 3 * ring[wrapped]);
}

/* Whether q is in the closed triangle a-b-c but is none of its corners. */
static bool is_in_the_way(vec3 normal, vec3 a, vec3 b, vec3 c, vec3 q)
{
    if (vec3_compare(q, a) == 0 || vec3_compare(q, b) == 0 || vec3_compare(q, c) == 0) {
        return false;
    }
    return corner_area(normal, a, b, q) >= 0.0 && corner_area(normal, b, c, q) >= 0.0 &&
           corner_area(normal, c, a, q) >= 0.0;
}

static bool is_ear(const polygon *p, const facet_shape *shape, const abut_index *ring,
                   abut_index count, abut_index i)
{
    vec3 a = ring_corner(p, ring, count, i - 1), b = ring_corner(p, ring, count, i);
    vec3 c = ring_corner(p, ring, count, i + 1);
    if (corner_area(shape->normal, a, b, c) < 0.0) {
        return false;
    }
    for (abut_index k = 0; k < count; k++) {
        if (is_in_the_way(shape->normal, a, b, c, ring_corner(p, ring, count, k))) {
            return false;
        }
    }
    return true;
}

static abut_index find_ear(const polygon *p, const facet_shape *shape, const abut_index *ring,
                           abut_index count)
{
    for (abut_index i = 0; i < count; i++) {
        if (is_ear(p, shape, ring, count, i)) {
            return i;
        }
    }
    return -1;
}

abut_index split_polygon(const polygon *p, const facet_shape *shape, abut_index *ring,
                         abut_index *triangles)
{
    abut_index count = p->count, done = 0;
    for (abut_index i = 0; i < count; i++) {
        ring[i] = p->indices[i];
    }
    for (; count >= 3; count--, done++) {
        abut_index ear = find_ear(p, shape, ring, count);
        if (ear < 0) {
            return done;
        }
        triangles[3 * done] = ring[ear > 0 ? ear - 1 : count - 1];
        triangles[3 * done + 1] = ring[ear];
        triangles[3 * done + 2] = ring[ear + 1 < count ? ear + 1 : 0];
        for (abut_index i = ear; i + 1 < count; i++) {
            ring[i] = ring[i + 1];
        }
    }
    return done;
}
