/* Periodic space, which repeats along some of the axes. */
#ifndef BASE_LATTICE_H
#define BASE_LATTICE_H

#include <string.h>

#include "../abut/base.h"
#include "vec3.h"

typedef struct lattice {
    double period[3];     /* 0: space does not repeat along this axis */
    double inv_period[3]; /* 1 / period; 0 if the period is 0 */
    bool is_periodic;     /* space repeats along at least one axis */
} lattice;

/* Makes a lattice of a caller's periods without checking them. NULL: space does not repeat. */
static inline lattice lattice_load(const double *period, int dimension)
{
    lattice l = {.is_periodic = false};
    for (int axis = 0; period && axis < dimension; axis++) {
        l.period[axis] = period[axis];
        l.inv_period[axis] = l.period[axis] > 0.0 ? 1.0 / l.period[axis] : 0.0;
        l.is_periodic = l.is_periodic || l.period[axis] > 0.0;
    }
    return l;
}

/* Checks the periods. Returns ABUT_OK, or ABUT_BAD_PERIOD with the axis in the error. */
abut_status lattice_check(const lattice *l, abut_error *error);

/* The three periods, as queries read them; NULL if space does not repeat. */
static inline const double *lattice_periods(const lattice *l)
{
    return l->is_periodic ? l->period : NULL;
}

static inline bool lattice_is_same(const lattice *a, const lattice *b)
{
    return memcmp(a->period, b->period, sizeof a->period) == 0;
}

/* The axis of the shortest period; -1: space does not repeat. */
static inline int lattice_shortest(const lattice *l)
{
    int shortest = -1;
    for (int axis = 0; axis < 3; axis++) {
        if (l->period[axis] > 0.0 && (shortest < 0 || l->period[axis] < l->period[shortest])) {
            shortest = axis;
        }
    }
    return shortest;
}

/* ---- images: copies shifted by whole periods, which three numbers count along the axes ---- */

/* The vector from image 0 to an image. */
static inline vec3 lattice_shift(const lattice *l, vec3 image)
{
    return (vec3){image.x * l->period[0], image.y * l->period[1], image.z * l->period[2]};
}

/* The vector from image 0 to the image that a column gives as three numbers; NULL: image 0. */
static inline vec3 lattice_shift_of(const lattice *l, const abut_index *image)
{
    const bool has_image = image && l->is_periodic;
    return has_image
               ? lattice_shift(l, (vec3){(double)image[0], (double)image[1], (double)image[2]})
               : (vec3){0.0, 0.0, 0.0};
}

/* A length along an axis in periods, rounded to a whole number; 0 without a period. */
static inline double lattice_count(const lattice *l, int axis, double length)
{
    return l->period[axis] > 0.0 ? rint(length / l->period[axis]) : 0.0;
}

/* The shift by whole periods that is nearest to a vector. */
static inline vec3 lattice_nearest(const lattice *l, vec3 apart)
{
    return lattice_shift(l, (vec3){lattice_count(l, 0, apart.x), lattice_count(l, 1, apart.y),
                                   lattice_count(l, 2, apart.z)});
}

/* ---- moving points into the box 0 <= x < period ---- */

/* A coordinate may be outside of the box by at most this many periods. Farther out, doubles are too
 * coarse for a position within a period. */
#define PERIOD_LIMIT 0x1p31

static inline bool lattice_is_near(double x, double period)
{
    return fabs(x) <= PERIOD_LIMIT * period;
}

/* Moves a coordinate into the box by whole periods. Returns how many periods were subtracted. */
static inline double lattice_wrap(double *x, double period)
{
    double count = floor(*x / period);
    double inside = *x - period * count;
    if (inside < 0.0) { /* the quotient was rounded up to a whole number */
        inside += period;
        count -= 1.0;
    }
    if (inside >= period) { /* the sum was rounded up to the period */
        inside -= period;
        count += 1.0;
    }
    *x = inside;
    return count;
}

/* Moves a point into the box. Adds to `images` the numbers of periods that were subtracted. */
static inline void lattice_wrap_place(const lattice *l, double place[3], int32_t images[3])
{
    for (int axis = 0; axis < 3; axis++) {
        const double period = l->period[axis];
        if (period > 0.0 && !(place[axis] >= 0.0 && place[axis] < period)) {
            images[axis] += (int32_t)lattice_wrap(&place[axis], period);
        }
    }
}

#endif
