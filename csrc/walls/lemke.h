/* Lemke's method for the linear complementarity problem f >= 0, G f - F >= 0, f.(G f - F) = 0. */
#ifndef WALLS_LEMKE_H
#define WALLS_LEMKE_H

#include "../base/parallel.h"

/* A problem and the scratch to solve it; zero-initialize, free with lemke_free. */
typedef struct lemke {
    abut_index count;
    double *matrix;   /* count x count: G */
    double *force;    /* count: F > 0 */
    double *solution; /* count: f */

    double *tableau; /* count x (2 count + 2): right-hand side, columns of w = G f - F, of f, of the
                        artificial variable */
    abut_index *basis; /* count: the column that belongs to each row */
    abut_index number_capacity, basis_capacity;
} lemke;

void lemke_free(lemke *l);

/* Make room for a problem of this size; the caller then fills matrix and force. */
abut_status lemke_reserve(lemke *l, abut_index count);

/* Solve. G must be strictly copositive: then there is a solution and the method reaches one.
 * ABUT_OK, or why the job is to end; job may be NULL. */
abut_status lemke_solve(lemke *l, parallel_job *job);

#endif
