/* Random cells: of any tilt, left-handed, thin, with one to three vectors, in two dimensions. */
#ifndef TESTS_RANDOM_CELLS_H
#define TESTS_RANDOM_CELLS_H

#include "base/lattice.h"
#include "random.h"

static inline vec3 draw_vector(double size)
{
    return (vec3){draw_between(-size, size), draw_between(-size, size), draw_between(-size, size)};
}

static inline double draw_length(void)
{
    return ldexp(draw_between(1.0, 2.0), draw_below(9) - 4);
}

/* A vector of any length and direction; at times 0, or with coordinates that are 0. */
static inline vec3 draw_row(bool is_flat)
{
    const vec3 row = vec3_scale(draw_vector(1.0), draw_length());
    const int zeros = draw_below(12);
    return (vec3){zeros == 0 || zeros == 3 ? 0.0 : row.x, zeros == 1 || zeros == 3 ? 0.0 : row.y,
                  is_flat || zeros == 2 || zeros == 3 ? 0.0 : row.z};
}

/* A cell that lattice_check accepts, of any scale. At times its vectors lie almost in a plane. */
static inline lattice draw_cell(void)
{
    const double scale = draw_below(4) == 0 ? ldexp(1.0, draw_below(400) - 200) : 1.0;
    for (;;) {
        const bool is_flat = draw_below(4) == 0;
        vec3 rows[3] = {draw_row(is_flat), draw_row(is_flat), draw_row(is_flat)};
        rows[2] = is_flat ? (vec3){0.0, 0.0, 0.0} : rows[2];
        if (draw_below(6) == 0) { /* thin */
            const vec3 sum = vec3_sub(vec3_scale(rows[0], draw_number()), rows[1]);
            const double part = ldexp(1.0, -draw_below(30));
            rows[2] = is_flat ? rows[2] : vec3_add(sum, vec3_scale(rows[2], part));
        }
        for (int k = 0; k < 3; k++) {
            rows[k] = vec3_scale(rows[k], scale);
        }
        const lattice l = lattice_load(&rows[0].x, 3);
        if (l.is_periodic && lattice_check(&l, NULL) == ABUT_OK) {
            return l;
        }
    }
}

/* A cell with vectors that are nearly perpendicular, and of lengths that differ at most by 2: the
 * image nearest to a vector is at most 2 from the rounded one. */
static inline lattice draw_good_cell(void)
{
    vec3 rows[3] = {{draw_between(1.0, 2.0), 0.0, 0.0},
                    {draw_between(-0.5, 0.5), draw_between(1.0, 2.0), 0.0},
                    {draw_between(-0.5, 0.5), draw_between(-0.5, 0.5), draw_between(1.0, 2.0)}};
    const int without = draw_below(6);
    if (without < 3) {
        rows[without] = (vec3){0.0, 0.0, 0.0};
    }
    return lattice_load(&rows[0].x, 3);
}

/* Another basis of the same lattice, with vectors that may be much longer. */
static inline lattice draw_skewed(const lattice *l)
{
    vec3 rows[3] = {l->vectors[0], l->vectors[1], l->vectors[2]};
    for (int k = 0; k < 6; k++) {
        const int a = draw_below(3), b = (a + 1 + draw_below(2)) % 3;
        if (lattice_repeats(l, a) && lattice_repeats(l, b)) {
            rows[a] = vec3_add(rows[a], vec3_scale(rows[b], draw_below(9) - 4.0));
        }
    }
    const int turned = draw_below(3);
    rows[turned] = draw_below(2) == 0 ? vec3_scale(rows[turned], -1.0) : rows[turned];
    return lattice_load(&rows[0].x, 3);
}

#endif
