/* The steps of a periodic cell that deforms. */
#ifndef DEM_CELL_MOTION_H
#define DEM_CELL_MOTION_H

#include "state.h"

/* Computes the rates of the cell that contact laws read in this step. */
void cell_begin_step(abut_simulation *s);

/* Sets the velocity gradient from now on. In a step, call it after the forces are known and before
 * cell_move. affine: adds the change of the linear field to the velocities of grains. */
void cell_set_gradient(abut_simulation *s, const vec3 gradient[3], bool affine);

/* Moves the place of a grain that was added or placed into the cell, with the velocity of the image
 * that is there. */
void cell_place(const abut_simulation *s, double place[3], int32_t images[3], vec3 *velocity);

/* Moves the vectors of the cell by a step. If a vector has become shorter by exchanging it, it is
 * exchanged, and images get their new names. Call it before grains move. Cannot fail. */
void cell_move(abut_simulation *s);

/* Moves the center of the field by a step. Call it when grains have moved. */
void cell_move_center(abut_simulation *s);

/* Ends a step: counts what the cell has done to the gravitational energy. */
void cell_end_step(abut_simulation *s);

#endif
