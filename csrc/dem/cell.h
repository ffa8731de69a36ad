/* A periodic cell that deforms by a velocity gradient L: its vectors h move with L h (the method of
 * Lees and Edwards, 1972). Grains have their true velocities. An image of a grain moves with the
 * grain's velocity plus that of the vectors to the image. */
#ifndef DEM_CELL_H
#define DEM_CELL_H

#include "../abut/simulation.h"
#include "../base/affine.h"
#include "../base/lattice_basis.h"

/* Zero-initialize, and set `began` and `reduced`. */
typedef struct deforming_cell {
    bool deforms;         /* a velocity gradient is in force */
    bool is_held;         /* components of the stress have targets */
    bool has_moved;       /* the vectors have changed in the last step */
    vec3 gradient[3];     /* L; entry [a][b] is the change of velocity a along b */
    vec3 deformation[3];  /* the deformation gradient since the caller has begun to count */
    vec3 center;          /* from where the field L (x - center) is counted */
    vec3 center_velocity; /* of the center: the mean velocity when the cell began */

    vec3 pull[3];     /* of eq. 56: L^2, as steps see it */
    bool pulls;       /* `pull` is not 0 */
    affine_map field; /* of velocities: center_velocity + L (x - center), when a step begins */

    /* of the present vectors, half a step ago: rates, which contact laws read; and rates_of_wraps,
     * by which velocities have changed where grains were moved into the cell in the last step */
    vec3 rates[3], rates_of_wraps[3];

    /* The last step: its lattice when it began, and the bases of that lattice and of the present
     * one. If no vector was exchanged, they are the same. */
    lattice began;
    lattice_basis reduced;    /* of the present lattice, by which the nearest image is found */
    vec3 numbers[3], back[3]; /* images: then = now @ numbers, now = then @ back */
    bool is_exchanged;
    vec3 center_began, pull_began[3]; /* center and pull in that step */

    double lift;         /* what this step adds to the gravitational energy */
    double pending;      /* energy from outside since the last step, which the next one counts */
    abut_cell_hold hold; /* all 0 unless is_held */
} deforming_cell;

/* The volume of a cell with three vectors. */
static inline double cell_volume(const lattice *l)
{
    return fabs(vec3_dot(vec3_cross(l->vectors[0], l->vectors[1]), l->vectors[2]));
}

/* The velocity of an image relative to that of its grain, half a step ago. */
static inline vec3 cell_image_velocity(const deforming_cell *c, vec3 image)
{
    return rows_turn_back(c->rates, image);
}

/* The acceleration of a grain in addition to its forces: docs/dem.md eq. 56. With it, images obey
 * the same law as their grains. */
static inline vec3 cell_acceleration(const deforming_cell *c, vec3 position)
{
    return rows_turn(c->pull, vec3_sub(position, c->center));
}

/* The acceleration in the last step of a grain that was at this position when the step began. */
static inline vec3 cell_acceleration_then(const deforming_cell *c, vec3 began)
{
    return rows_turn(c->pull_began, vec3_sub(began, c->center_began));
}

/* How many of each vector were subtracted from a position at the end of the last step, which moved
 * it there from `began`. The step must have moved it by less than half of the shortest period. */
static inline vec3 cell_last_wraps(const deforming_cell *c, vec3 began, vec3 position)
{
    return lattice_closest_image(&c->reduced, vec3_sub(began, position));
}

/* Names of images in the basis of the last step's beginning, and in the present one. */
static inline vec3 cell_image_then(const deforming_cell *c, vec3 now)
{
    return c->is_exchanged ? rows_turn_back(c->numbers, now) : now;
}

static inline vec3 cell_image_now(const deforming_cell *c, vec3 then)
{
    return c->is_exchanged ? rows_turn_back(c->back, then) : then;
}

/* Moves the place of a grain into the cell, with the velocity of the image that enters. Returns the
 * energy that this adds, divided by the mass. kick: the change of velocities by gravity in a step.
 * Half of its work on the grain is that of the next step, with the image's velocity. */
static inline double cell_wrap(const deforming_cell *c, const lattice *l, double place[3],
                               int32_t images[3], vec3 *velocity, vec3 kick)
{
    const vec3 counts = lattice_wrap_point(l, place), before = *velocity;
    if (counts.x == 0.0 && counts.y == 0.0 && counts.z == 0.0) {
        return 0.0;
    }
    images[0] += (int32_t)counts.x, images[1] += (int32_t)counts.y, images[2] += (int32_t)counts.z;
    *velocity = vec3_sub(before, rows_turn_back(c->rates_of_wraps, counts));
    const vec3 change = vec3_sub(*velocity, before);
    return 0.5 * vec3_dot(change, vec3_add(vec3_add(*velocity, before), kick));
}

#endif
