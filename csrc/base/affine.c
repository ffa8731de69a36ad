#include "affine.h"

/* Terms of the series of the exponential. With a norm of at most SERIES_NORM, the next term is
 * below 1e-17 of the first one. */
enum { SERIES_TERMS = 12 };
#define SERIES_NORM 0.25

affine_map affine_none(void)
{
    return (affine_map){.rows = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

double matrix_norm(const vec3 rows[3], double less)
{
    const vec3 x = {rows[0].x - less, rows[0].y, rows[0].z};
    const vec3 y = {rows[1].x, rows[1].y - less, rows[1].z};
    const vec3 z = {rows[2].x, rows[2].y, rows[2].z - less};
    return sqrt(vec3_norm_sq(x) + vec3_norm_sq(y) + vec3_norm_sq(z));
}

void matrix_multiply(const vec3 a[3], const vec3 b[3], vec3 product[3])
{
    vec3 made[3];
    for (int k = 0; k < 3; k++) {
        made[k] = rows_turn_back(b, a[k]);
    }
    for (int k = 0; k < 3; k++) {
        product[k] = made[k];
    }
}

/* Sums up a + a^2 / 2 + a^3 / 6 + ..., from the last term on: a (1 + a / 2 (1 + a / 3 (...))). */
static void sum_series(const vec3 a[3], vec3 sum[3])
{
    for (int k = 0; k < 3; k++) {
        sum[k] = (vec3){0.0, 0.0, 0.0};
    }
    for (int term = SERIES_TERMS; term > 0; term--) {
        vec3 next[3];
        matrix_multiply(a, sum, next);
        for (int k = 0; k < 3; k++) {
            sum[k] = vec3_scale(vec3_add(a[k], next[k]), 1.0 / term);
        }
    }
}

/* The matrix is halved until its norm is small. Of E = exp(a) - 1, the double of a has
 * 2 E + E^2. */
void matrix_exponential_minus_one(const vec3 rows[3], double scale, vec3 result[3])
{
    vec3 small[3];
    int halvings = 0;
    for (double norm = fabs(scale) * matrix_norm(rows, 0.0); norm > SERIES_NORM && norm < INFINITY;
         norm *= 0.5) {
        scale *= 0.5;
        halvings++;
    }
    for (int k = 0; k < 3; k++) {
        small[k] = vec3_scale(rows[k], scale);
    }
    sum_series(small, result);
    for (; halvings > 0; halvings--) {
        vec3 square[3];
        matrix_multiply(result, result, square);
        for (int k = 0; k < 3; k++) {
            result[k] = vec3_add(vec3_add(result[k], result[k]), square[k]);
        }
    }
}
