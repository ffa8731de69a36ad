/* Affine motions of space, and the exponential of a matrix. Matrices are given by their rows. */
#ifndef BASE_AFFINE_H
#define BASE_AFFINE_H

#include "pose.h"

/* A motion of space: a point x goes to rows x + shift. Also a linear field of velocities. */
typedef struct affine_map {
    vec3 rows[3], shift;
} affine_map;

static inline vec3 affine_apply(const affine_map *map, vec3 point)
{
    return vec3_add(rows_turn(map->rows, point), map->shift);
}

/* The motion that leaves every point where it is. */
affine_map affine_none(void);

/* Frobenius' norm of a matrix; `less` is first subtracted from the entries of the diagonal. */
double matrix_norm(const vec3 rows[3], double less);

/* The matrix a b. */
void matrix_multiply(const vec3 a[3], const vec3 b[3], vec3 product[3]);

/* The exponential of `scale` times a matrix, minus 1. All digits of small matrices are kept. */
void matrix_exponential_minus_one(const vec3 rows[3], double scale, vec3 result[3]);

#endif
