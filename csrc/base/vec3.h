/* A vector of three doubles by value. */
#ifndef BASE_VEC3_H
#define BASE_VEC3_H

#include "fused.h"

#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846

typedef struct vec3 {
    double x, y, z;
} vec3;

static inline vec3 vec3_load(const double *p)
{
    return (vec3){p[0], p[1], p[2]};
}

static inline void vec3_store(double *p, vec3 a)
{
    p[0] = a.x, p[1] = a.y, p[2] = a.z;
}

/* Writes a vector of two or three dimensions. */
static inline void vec3_put(double *p, int dimension, vec3 a)
{
    p[0] = a.x, p[1] = a.y;
    if (dimension == 3) {
        p[2] = a.z;
    }
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/* Replaces -0.0 by 0.0, so that equal vectors are equal to the bit. */
static inline vec3 vec3_one_zero(vec3 a)
{
    return vec3_add(a, (vec3){0.0, 0.0, 0.0});
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(vec3 a, double s)
{
    return (vec3){a.x * s, a.y * s, a.z * s};
}

static inline double vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double vec3_norm_sq(vec3 a)
{
    return vec3_dot(a, a);
}

static inline double vec3_length(vec3 a)
{
    return sqrt(vec3_norm_sq(a));
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* a b - c d to within 1.5 units in the last place, however much the products cancel (Kahan). */
static inline double difference_of_products(double a, double b, double c, double d)
{
    double cd = c * d;
    double error = fused(-c, d, cd);
    return fused(a, b, -cd) + error;
}

/* The cross product with every component accurate to 1.5 units in its last place. For slivers,
 * plain products would cancel. */
static inline vec3 vec3_cross_exact(vec3 a, vec3 b)
{
    return (vec3){difference_of_products(a.y, b.z, a.z, b.y),
                  difference_of_products(a.z, b.x, a.x, b.z),
                  difference_of_products(a.x, b.y, a.y, b.x)};
}

/* The dot product as if computed with twice the digits of a double, however much its terms cancel
 * (Ogita, Rump and Oishi 2005, Dot2). */
static inline double vec3_dot_exact(vec3 a, vec3 b)
{
    const double x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
    const double xy = x + y, of_y = xy - x, sum = xy + z, of_z = sum - xy;
    const double lost_of_sums =
        ((x - (xy - of_y)) + (y - of_y)) + ((xy - (sum - of_z)) + (z - of_z));
    const double lost_of_products = fused(a.x, b.x, -x) + fused(a.y, b.y, -y) + fused(a.z, b.z, -z);
    return sum + (lost_of_sums + lost_of_products);
}

/* Returns -1, 0 or 1 if a comes before b, equals b or comes after b in lexicographic order; -0.0
 * equals 0.0. */
static inline int vec3_compare(vec3 a, vec3 b)
{
    if (a.x != b.x) {
        return a.x < b.x ? -1 : 1;
    }
    if (a.y != b.y) {
        return a.y < b.y ? -1 : 1;
    }
    if (a.z != b.z) {
        return a.z < b.z ? -1 : 1;
    }
    return 0;
}

static inline double smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The reduced mass m*, radius R* or moment of inertia I* of two bodies. */
static inline double reduced(double a, double b)
{
    return a * b / (a + b);
}

static inline double vec3_max_abs(vec3 a)
{
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    double xy = x > y ? x : y;
    return xy > z ? xy : z;
}

#endif
