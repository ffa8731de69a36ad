/* How far the triangles at each edge of a mesh are off one plane. */
#include "deviations.h"

#include <string.h>

#include "../base/memory.h"
#include "tolerance.h"

static void swap_if_greater(vec3 *a, vec3 *b)
{
    if (vec3_compare(*a, *b) > 0) {
        vec3 c = *a;
        *a = *b;
        *b = c;
    }
}

static void sort_four(vec3 p[4])
{
    swap_if_greater(&p[0], &p[1]);
    swap_if_greater(&p[2], &p[3]);
    swap_if_greater(&p[0], &p[2]);
    swap_if_greater(&p[1], &p[3]);
    swap_if_greater(&p[1], &p[2]);
}

/* The deviation of four points: the smallest error that puts all of them in one plane, if all have
 * it. If one point moves by a length, six times their volume changes by that length times twice the
 * area of the other three. The volume that rounding may give points in one plane is subtracted. */
double deviations_of_four(vec3 p[4])
{
    sort_four(p);
    const vec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]), c = vec3_sub(p[3], p[0]);
    const vec3 ab = vec3_cross(a, b);
    const double areas = vec3_length(ab) + vec3_length(vec3_cross(a, c)) +
                         vec3_length(vec3_cross(b, c)) +
                         vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a)));
    const double rounding = VOLUME_ROUNDING * vec3_length(a) * vec3_length(b) * vec3_length(c);
    const double volume = fabs(vec3_dot(ab, c)) - rounding;
    return volume > 0.0 && areas > 0.0 ? volume / areas : 0.0;
}

static double longest_distance(const vec3 p[4])
{
    double longest = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            longest = larger(longest, vec3_norm_sq(vec3_sub(p[i], p[j])));
        }
    }
    return sqrt(longest);
}

/* The smaller of the heights of both triangles over the edge. */
static double least_height(const deviations *d, const neighbor_edge *edge)
{
    const vec3 start = neighbors_point(&d->near, edge->ends[0]);
    const vec3 along = vec3_sub(neighbors_point(&d->near, edge->ends[1]), start);
    double areas[2];
    for (int i = 0; i < 2; i++) {
        const vec3 to = vec3_sub(neighbors_point(&d->near, edge->across[i]), start);
        areas[i] = vec3_length(vec3_cross(along, to));
    }
    return (areas[0] < areas[1] ? areas[0] : areas[1]) / vec3_length(along);
}

/* The four corners of the triangles at an edge. */
static void load_four(const deviations *d, const neighbor_edge *edge, vec3 p[4])
{
    for (int i = 0; i < 2; i++) {
        p[i] = neighbors_point(&d->near, edge->ends[i]);
        p[i + 2] = neighbors_point(&d->near, edge->across[i]);
    }
}

/* The largest absolute coordinate of four points. */
static double largest_coordinate(const vec3 p[4])
{
    return larger(larger(vec3_max_abs(p[0]), vec3_max_abs(p[1])),
                  larger(vec3_max_abs(p[2]), vec3_max_abs(p[3])));
}

/* The steepness (deviations.h) for a deviation `part` and a longest distance `whole`. */
static uint8_t steepness_of(double part, double whole)
{
    const int power = ilogb(part / whole);
    return (uint8_t)(power > -STEEPNESS_COUNT ? power + STEEPNESS_COUNT - 1 : 0);
}

/* Measures the deviation at an edge and sets the edge's properties. If the rounding of digits
 * explains the deviation, the edge needs no other property. */
static void measure_edge(deviations *d, abut_index number)
{
    const neighbor_edge *edge = &d->near.items[number];
    edge_measure *measured = &d->edges[number];
    vec3 p[4];
    load_four(d, edge, p);
    measured->deviation = deviations_of_four(p);
    if (measured->deviation <= EXPLAINED_NOISES * measured->assumed) {
        measured->flags |= EDGE_EXPLAINED;
        return;
    }
    const double longest = longest_distance(p);
    measured->steepness = steepness_of(measured->deviation, longest);
    if (measured->deviation <= SINGLE_ROUNDING * largest_coordinate(p) &&
        measured->deviation <= ROUNDED_FLAT * longest) {
        measured->flags |= EDGE_TINY;
    }
    if (measured->deviation <= NEARLY_FLAT * longest) {
        measured->flags |= EDGE_THIN;
        measured->flags |=
            measured->deviation <= NEARLY_FLAT * least_height(d, edge) ? EDGE_FLAT : 0;
    }
}

static void measure_edges(deviations *d)
{
    for (abut_index i = 0; i < 3 * d->near.triangle_count; i++) {
        edge_measure *edge = deviations_edge(d, i);
        if (edge) {
            const triangle *t = deviations_triangle(d, i / 3);
            edge->assumed = larger(edge->assumed, t->normal_noise);
            edge->flags |= triangle_edge_number(t, (int)(i % 3)) < 0 ? EDGE_INSIDE : 0;
        }
    }
    for (abut_index e = 0; e < d->near.edge_count; e++) {
        if (d->near.items[e].across_count == 2) {
            measure_edge(d, e);
        }
    }
}

abut_status deviations_find(const abut_mesh *mesh, deviations *d)
{
    *d = (deviations){.mesh = mesh};
    if (mesh->fans[mesh->view.facet_count] > NEIGHBORS_LIMIT ||
        mesh->view.vertex_count > INT32_MAX) {
        return ABUT_TOO_MANY_FACETS;
    }
    if (neighbors_find(mesh, &d->near)) {
        return ABUT_NO_MEMORY;
    }
    d->edges = memory_alloc_zeroed(d->near.edge_count, sizeof *d->edges);
    if (!d->edges) {
        return ABUT_NO_MEMORY;
    }
    measure_edges(d);
    return ABUT_OK;
}

void deviations_free(deviations *d)
{
    neighbors_free(&d->near);
    memory_free(d->edges);
}

/* The index k in `counts` for an edge: its deviation, as a part of the largest coordinate, is
 * 10^-(k + 1) ... 10^-k. */
static int decade_of(const deviations *d, abut_index number)
{
    vec3 p[4];
    load_four(d, &d->near.items[number], p);
    const double part = d->edges[number].deviation / largest_coordinate(p);
    const double decade = part > 0.0 ? -ceil(log10(part)) : ABUT_DEVIATION_COUNT;
    return decade < ABUT_DEVIATION_COUNT - 1 ? (int)larger(decade, 0.0) : ABUT_DEVIATION_COUNT - 1;
}

abut_status abut_mesh_deviations(const abut_mesh *mesh, abut_index counts[ABUT_DEVIATION_COUNT])
{
    deviations d;
    memset(counts, 0, ABUT_DEVIATION_COUNT * sizeof *counts);
    abut_status status = deviations_find(mesh, &d);
    for (abut_index e = 0; !status && e < d.near.edge_count; e++) {
        if (deviations_joins_facets(&d, e)) {
            counts[decade_of(&d, e)]++;
        }
    }
    deviations_free(&d);
    return status;
}
