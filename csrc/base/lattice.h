/* Periodic space, which repeats along up to three vectors. No other file knows how. */
#ifndef BASE_LATTICE_H
#define BASE_LATTICE_H

#include <stdint.h>

#include "../abut/base.h"
#include "vec3.h"

typedef struct lattice {
    vec3 vectors[3]; /* space repeats along these; 0: it does not */
    /* Fraction a of a point is its dot product with inverse[a]: how many vectors a lead to it. 0
     * where vector a is 0. */
    vec3 inverse[3];
    double slacks[3]; /* computed fractions of a point in a tilted box are outside of 0 to 1 by at
                         most this, and true fractions by twice as much */
    double widths[3]; /* distance of the two borders of the box that vector a joins; 0: no vector */
    double inv_widths[3]; /* 1 / widths; 0: no vector */
    bool is_periodic;     /* at least one vector is not 0 */
    bool is_along_axes;   /* vector a leads along axis a, in its positive direction, or is 0 */
} lattice;

/* Makes a lattice of a caller's vectors, `dimension` rows of `dimension` numbers, without checking
 * them. NULL: space does not repeat. */
lattice lattice_load(const double *vectors, int dimension);

/* Makes a lattice of vectors along the axes with these lengths; 0: space does not repeat there. */
lattice lattice_along_axes(const double lengths[3]);

/* Checks the vectors. Returns ABUT_OK, ABUT_BAD_PERIOD with the row and the column in the error, or
 * ABUT_FLAT_PERIOD: one of the vectors lies in the plane, or on the line, of the others. */
abut_status lattice_check(const lattice *l, abut_error *error);

/* The first vector that does not lead along its own axis, in its positive direction; -1: none. */
int lattice_tilted_vector(const lattice *l);

bool lattice_is_same(const lattice *a, const lattice *b);

/* The vectors as queries read them, 3 rows of 3 numbers; NULL if space does not repeat. */
static inline const double *lattice_vectors(const lattice *l)
{
    return l->is_periodic ? &l->vectors[0].x : NULL;
}

static inline bool lattice_repeats(const lattice *l, int vector)
{
    return l->widths[vector] > 0.0;
}

/* Whether any vector has a component along an axis of the world. */
static inline bool lattice_spans(const lattice *l, int axis)
{
    const double *v = &l->vectors[0].x;
    return v[axis] != 0.0 || v[3 + axis] != 0.0 || v[6 + axis] != 0.0;
}

/* The vector along which the box is narrowest, and the shortest vector; -1: space does not repeat.
 */
int lattice_narrowest(const lattice *l);
int lattice_shortest(const lattice *l);

/* The length of the longest vector; 0: space does not repeat. */
double lattice_longest(const lattice *l);

/* A vector's direction, of length 1; 0: space does not repeat. */
vec3 lattice_direction(const lattice *l, int vector);

/* The smallest width; INFINITY: space does not repeat. */
static inline double lattice_width(const lattice *l)
{
    double width = INFINITY;
    for (int k = 0; k < 3; k++) {
        width = lattice_repeats(l, k) ? smaller(l->widths[k], width) : width;
    }
    return width;
}

/* ---- images: copies shifted by whole vectors, which three numbers count ---- */

/* The vector from image 0 to an image. */
static inline vec3 lattice_shift(const lattice *l, vec3 image)
{
    const vec3 *v = l->vectors;
    if (l->is_along_axes) {
        return (vec3){image.x * v[0].x, image.y * v[1].y, image.z * v[2].z};
    }
    return (vec3){(image.x * v[0].x + image.y * v[1].x) + image.z * v[2].x,
                  (image.x * v[0].y + image.y * v[1].y) + image.z * v[2].y,
                  (image.x * v[0].z + image.y * v[1].z) + image.z * v[2].z};
}

/* An image that a column has as three whole numbers. */
static inline vec3 lattice_image(const abut_index numbers[3])
{
    return (vec3){(double)numbers[0], (double)numbers[1], (double)numbers[2]};
}

/* How many of each vector were subtracted from a point, as spheres and bodies count them. */
static inline vec3 lattice_counts(const int32_t images[3])
{
    return (vec3){(double)images[0], (double)images[1], (double)images[2]};
}

/* The vector to an image of a column, relative to image 0; NULL: 0. */
static inline vec3 lattice_shift_of(const lattice *l, const abut_index *image)
{
    return image && l->is_periodic ? lattice_shift(l, lattice_image(image)) : (vec3){0.0, 0.0, 0.0};
}

/* Writes an image as a column has it: two or three whole numbers. */
static inline void lattice_put_image(abut_index *to, int dimension, vec3 image)
{
    to[0] = (abut_index)image.x, to[1] = (abut_index)image.y;
    if (dimension == 3) {
        to[2] = (abut_index)image.z;
    }
}

/* The fractions of a vector: how many of each of the lattice's vectors add up to it. */
static inline vec3 lattice_fractions(const lattice *l, vec3 a)
{
    const vec3 *f = l->inverse;
    if (l->is_along_axes) {
        return (vec3){f[0].x * a.x, f[1].y * a.y, f[2].z * a.z};
    }
    return (vec3){vec3_dot(f[0], a), vec3_dot(f[1], a), vec3_dot(f[2], a)};
}

/* Rounds the fractions of a vector to whole numbers, which name an image. If the vector differs
 * from a shift by less than half of the smallest width, it is the image of this shift. */
static inline vec3 lattice_nearest_image(const lattice *l, vec3 apart)
{
    /* Adding and subtracting it rounds to a whole number, as lanes_round does, and makes 0 of -0. A
     * call of rint would take longer than all the rest. */
    const double ones = 0x1.8p52;
    const vec3 f = lattice_fractions(l, apart);
    return (vec3){(f.x + ones) - ones, (f.y + ones) - ones, (f.z + ones) - ones};
}

/* The shift of lattice_nearest_image. */
static inline vec3 lattice_nearest(const lattice *l, vec3 apart)
{
    return lattice_shift(l, lattice_nearest_image(l, apart));
}

/* Images, in a range along each vector. */
typedef struct image_range {
    vec3 first, last;
} image_range;

/* The images of the origin that may be within `reach` of the end of a vector from it. */
image_range lattice_images_near(const lattice *l, vec3 end, double reach);

/* The images of a ball that may meet the box. The ball's center is in the box. */
image_range lattice_images_of_ball(const lattice *l, vec3 center, double radius);

/* The images -1, 0 and 1 along each vector, 27 in lexicographic order, as bits. The bits after
 * IMAGE_0 are positive images. */
enum { IMAGE_0 = 13 };

/* The image of a bit. */
static inline vec3 lattice_image_of_bit(int bit)
{
    return (vec3){bit / 9 - 1.0, bit / 3 % 3 - 1.0, bit % 3 - 1.0};
}

/* The images of a ball that may meet the box, as bits; 0: there may be others than these 27. The
 * ball's center is in the box and has these fractions. */
static inline uint32_t lattice_bits_of_ball(const lattice *l, vec3 fractions, double radius)
{
    /* bits with -1, 0 and 1 along each vector */
    static const uint32_t all[3][3] = {{0x00001ff, 0x003fe00, 0x7fc0000},
                                       {0x01c0e07, 0x0e07038, 0x70381c0},
                                       {0x1249249, 0x2492492, 0x4924924}};
    const double at[3] = {fractions.x, fractions.y, fractions.z};
    uint32_t bits = 0x7ffffff;
    bool is_wide = false;
    for (int k = 0; k < 3; k++) {
        const bool repeats = l->inv_widths[k] > 0.0;
        const double part = radius * l->inv_widths[k] + 3.0 * l->slacks[k];
        const uint32_t before = repeats && at[k] >= 1.0 - part ? all[k][0] : 0;
        const uint32_t after = repeats && at[k] <= part ? all[k][2] : 0;
        bits &= before | all[k][1] | after;
        is_wide |= repeats && part >= 1.0;
    }
    return is_wide ? 0 : bits;
}

/* The number of images in a range. */
double image_range_count(const image_range *range);

/* Sets *image to the next one in the range, in lexicographic order. False: it was the last one. */
static inline bool image_range_next(const image_range *range, vec3 *image)
{
    if (image->z < range->last.z) {
        image->z += 1.0;
        return true;
    }
    image->z = range->first.z;
    if (image->y < range->last.y) {
        image->y += 1.0;
        return true;
    }
    image->y = range->first.y;
    image->x += 1.0;
    return image->x <= range->last.x;
}

/* Whether an image comes after image 0 in lexicographic order. Of an image and its opposite, this
 * holds for one. */
static inline bool lattice_is_positive(vec3 image)
{
    return image.x != 0.0 ? image.x > 0.0 : image.y != 0.0 ? image.y > 0.0 : image.z > 0.0;
}

/* ---- moving points into the box: fractions from 0 to 1 ---- */

/* A point may be outside of the box by at most this many vectors. Farther out, doubles are too
 * coarse for a position within the box. */
#define PERIOD_LIMIT 0x1p31

/* The smallest of a lattice's slacks, which are more than fractions change by rounding. So a point
 * that was moved into the box stays there. In thin boxes rounding, and the slacks, are larger. */
#define WRAP_SLACK 0x1p-40

/* Whether no vector leads to the point more than PERIOD_LIMIT times. False for NaN. */
bool lattice_is_near(const lattice *l, vec3 point);

/* The first coordinate, among `dimension`, by which a point is too far away; -1: none. */
int lattice_far_axis(const lattice *l, vec3 point, int dimension);

/* Moves a coordinate into a period along its axis. Returns how many periods were subtracted. */
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

/* As lattice_wrap, of a coordinate that is mostly inside; a period of 0 does not repeat. */
static inline double lattice_wrap_axis(double *x, double period)
{
    return period > 0.0 && !(*x >= 0.0 && *x < period) ? lattice_wrap(x, period) : 0.0;
}

/* Moves a point into a box that is not along the axes. */
vec3 lattice_wrap_tilted(const lattice *l, double place[3]);

/* Moves a point into the box. Returns how many of each vector were subtracted. */
static inline vec3 lattice_wrap_point(const lattice *l, double place[3])
{
    if (!l->is_along_axes) {
        return lattice_wrap_tilted(l, place);
    }
    double counts[3];
    for (int axis = 0; axis < 3; axis++) {
        counts[axis] = lattice_wrap_axis(&place[axis], l->widths[axis]);
    }
    return vec3_load(counts);
}

/* Moves a point into the box. Adds to `images` the numbers of vectors that were subtracted. */
static inline void lattice_wrap_place(const lattice *l, double place[3], int32_t images[3])
{
    if (!l->is_along_axes) {
        const vec3 counts = lattice_wrap_tilted(l, place);
        images[0] += (int32_t)counts.x;
        images[1] += (int32_t)counts.y;
        images[2] += (int32_t)counts.z;
        return;
    }
    /* most points are inside, and their images need not be read */
    for (int axis = 0; axis < 3; axis++) {
        const double count = lattice_wrap_axis(&place[axis], l->widths[axis]);
        if (count != 0.0) {
            images[axis] += (int32_t)count;
        }
    }
}

#endif
