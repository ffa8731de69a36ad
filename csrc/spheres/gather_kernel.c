/* Makes rows of spheres from the caller's arrays, and checks them. */
#include <math.h>

#include "../base/lattice_kernel.h"
#include "../base/simd.h"
#include "kernels.h"

/* Loads the coordinates of LANES spheres by axis; in the plane the third one is 0. */
LANES_INLINE void load_points(const row_source *source, abut_index i, lanes columns[3])
{
    if (source->dimension == 3) {
        lanes_load_points(source->centers + 3 * i, columns);
        return;
    }
    double places[3][LANES] = {{0.0}};
    for (int k = 0; k < LANES; k++) {
        places[0][k] = source->centers[2 * (i + k)];
        places[1][k] = source->centers[2 * (i + k) + 1];
    }
    for (int axis = 0; axis < 3; axis++) {
        columns[axis] = lanes_load(places[axis]);
    }
}

LANES_INLINE void store_rows(const lanes columns[3], const double *reaches, sphere_row *rows)
{
    double places[3][LANES];
    for (int axis = 0; axis < 3; axis++) {
        lanes_store(places[axis], columns[axis]);
    }
    for (int k = 0; k < LANES; k++) {
        rows[k] = (sphere_row){{places[0][k], places[1][k], places[2][k]}, reaches[k]};
    }
}

typedef struct bound_lanes {
    lanes low[3], high[3];
    lanes_mask are_good; /* all coordinates so far are finite and not too far */
    bool are_near;       /* all so far are at most PERIOD_LIMIT periods outside of the box */
    bool is_outside;     /* a coordinate was outside of the periodic box */
} bound_lanes;

/* Whether all of LANES points are in the box. */
LANES_INLINE bool are_inside(const lattice *l, const lanes columns[3])
{
    unsigned inside = LANES_ALL;
    for (int k = 0; k < 3; k++) {
        lanes at = columns[k], low = lanes_set(0.0), high = lanes_set(l->widths[k]);
        if (!l->is_along_axes) {
            at = lattice_dot(l->inverse[k], columns);
            low = lanes_set(-WRAP_SLACK), high = lanes_set(1.0 + WRAP_SLACK);
        }
        inside &= lattice_repeats(l, k)
                      ? mask_bits(mask_and(lanes_no_more(low, at), lanes_less(at, high)))
                      : LANES_ALL;
    }
    return inside == LANES_ALL;
}

/* Moves points into the box, and notes whether any was outside. */
static void wrap(const row_source *source, lanes columns[3], bound_lanes *bounds)
{
    const lattice *l = source->lattice;
    const lanes zero = lanes_set(0.0);
    for (int axis = 0; axis < 3; axis++) {
        if (lattice_repeats(l, axis)) { /* -0 becomes 0, as it does in coordinates that are moved */
            columns[axis] = columns[axis] + zero;
        }
    }
    if (are_inside(l, columns)) {
        return;
    }
    double places[3][LANES];
    for (int axis = 0; axis < 3; axis++) {
        lanes_store(places[axis], columns[axis]);
    }
    for (int k = 0; k < LANES; k++) {
        double place[3] = {places[0][k], places[1][k], places[2][k]};
        bounds->are_near &= lattice_is_near(l, vec3_load(place));
        lattice_wrap_point(l, place);
        places[0][k] = place[0], places[1][k] = place[1], places[2][k] = place[2];
    }
    for (int axis = 0; axis < 3; axis++) {
        columns[axis] = lanes_load(places[axis]);
    }
    bounds->is_outside = true;
}

/* Makes rows of LANES spheres, and includes them in the bounds. */
LANES_INLINE void load_lanes(const row_source *source, abut_index i, sphere_row *rows,
                             bound_lanes *bounds)
{
    lanes columns[3], limit = lanes_set(ABUT_COORDINATE_LIMIT);
    load_points(source, i, columns);
    for (int axis = 0; axis < 3; axis++) {
        bounds->are_good =
            mask_and(bounds->are_good, lanes_no_more(lanes_abs(columns[axis]), limit));
    }
    if (source->lattice->is_periodic && mask_bits(bounds->are_good) == LANES_ALL) {
        wrap(source, columns, bounds);
    }
    for (int axis = 0; axis < 3; axis++) {
        bounds->low[axis] = lanes_smaller(columns[axis], bounds->low[axis]);
        bounds->high[axis] = lanes_larger(columns[axis], bounds->high[axis]);
    }
    store_rows(columns, source->reaches + i, rows);
}

/* Loads the last spheres, fewer than LANES. Copies of the last one fill the other lanes, which
 * changes no bounds. */
static void load_rest(const row_source *source, abut_index i, abut_index count, sphere_row *rows,
                      bound_lanes *bounds)
{
    double centers[3 * LANES], reaches[LANES];
    sphere_row filled[LANES];
    const int dimension = source->dimension;
    for (int k = 0; k < LANES; k++) {
        abut_index from = i + (k < count ? k : count - 1);
        memcpy(centers + dimension * k, source->centers + dimension * from,
               (size_t)dimension * sizeof *centers);
        reaches[k] = source->reaches[from];
    }
    row_source remaining = *source;
    remaining.centers = centers, remaining.reaches = reaches;
    load_lanes(&remaining, 0, filled, bounds);
    memcpy(rows, filled, (size_t)count * sizeof *rows);
}

bool KERNEL(gather_load)(const row_source *source, abut_index begin, abut_index end,
                         sphere_row *rows, row_bounds *bounds)
{
    lanes zero = lanes_set(0.0), most = lanes_set(INFINITY);
    bound_lanes found = {
        {most, most, most}, {-most, -most, -most}, lanes_equal(zero, zero), true, false};
    abut_index i = begin;
    for (; i + LANES <= end; i += LANES) {
        load_lanes(source, i, rows + i, &found);
    }
    if (i < end) {
        load_rest(source, i, end - i, rows + i, &found);
    }
    for (int axis = 0; axis < 3; axis++) {
        bounds->low[axis] = lanes_smallest(found.low[axis]);
        bounds->high[axis] = -lanes_smallest(-found.high[axis]);
    }
    bounds->is_outside = found.is_outside;
    return mask_bits(found.are_good) == LANES_ALL && found.are_near;
}
