/* Contact points and weights of FACET contacts on triangles, several at a time.
 *
 * The scalar code explains the steps: triangle_point in facet.c, and fill_outline in weights.c. It
 * also computes the weights of points that are not inside: those of the nearest edge. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "weights.h"

/* Offsets of a triangle's fields, in doubles. */
enum { CORNER = 0, NORMAL = 9, FACET_AND_START = 14, RECORD_DOUBLES = 16 };
_Static_assert(sizeof(triangle) == RECORD_DOUBLES * sizeof(double), "a record is 16 doubles");
_Static_assert(offsetof(triangle, normal) == NORMAL * sizeof(double), "as NORMAL says");
_Static_assert(offsetof(triangle, facet) == FACET_AND_START * sizeof(double), "as its name says");

typedef struct lanes2 {
    lanes x, y;
} lanes2;

/* Triangles side by side. */
typedef struct triangle_lanes {
    lanes3 corner[3], normal;
    lanes_mask starts_at_1, starts_at_2; /* whether corner 0 is corner 1, or 2, of the facet */
} triangle_lanes;

static lanes lanes_fma(lanes a, lanes b, lanes c)
{
#if LANES == 8
    return _mm512_fmadd_pd(a, b, c);
#elif LANES == 4
    return _mm256_fmadd_pd(a, b, c);
#else
    return fused(a, b, c);
#endif
}

/* ---- loading and storing ---- */

static lanes3 load_rows(const double *const *rows, abut_index last)
{
    const double *each[LANES];
    for (int k = 0; k < LANES; k++) {
        each[k] = rows[k < last ? k : last];
    }
    lanes columns[4];
    lanes_load_rows(each, columns);
    return (lanes3){columns[0], columns[1], columns[2]};
}

/* Writes points to the first `count` rows. */
static void store_rows(double *to, lanes3 a, abut_index count)
{
    const lanes columns[3] = {a.x, a.y, a.z};
    if (count >= LANES) {
        lanes_store_points(to, columns);
    } else {
        double rows[3 * LANES];
        lanes_store_points(rows, columns);
        memcpy(to, rows, (size_t)count * 3 * sizeof *to);
    }
}

/* The bits of FACET_AND_START with this value of `start` and 0 for the facet. */
static uint64_t start_bit(int32_t start)
{
    const int32_t pair[2] = {0, start};
    uint64_t bits;
    memcpy(&bits, pair, sizeof bits);
    return bits;
}

static triangle_lanes load_triangles(const triangle *const list[LANES])
{
    lanes record[RECORD_DOUBLES];
    const double *rows[LANES];
    for (int k = 0; k < LANES; k++) {
        rows[k] = (const double *)list[k];
    }
    lanes_transpose_all(rows, RECORD_DOUBLES, record);
    triangle_lanes t;
    for (int k = 0; k < 3; k++) {
        const lanes *at = record + CORNER + 3 * k;
        t.corner[k] = (lanes3){at[0], at[1], at[2]};
    }
    t.normal = (lanes3){record[NORMAL], record[NORMAL + 1], record[NORMAL + 2]};
    t.starts_at_1 = lanes_have_bits(record[FACET_AND_START], start_bit(1));
    t.starts_at_2 = lanes_have_bits(record[FACET_AND_START], start_bit(2));
    return t;
}

/* ---- the point ---- */

static lanes3 facet_points(const triangle_lanes *t, lanes3 center, lanes3 offset)
{
    lanes3 point = lanes3_sub(center, offset);
    lanes height = lanes3_dot(t->normal, lanes3_sub(point, t->corner[0]));
    return lanes3_one_zero(lanes3_sub(point, lanes3_scale(t->normal, height)));
}

/* ---- areas in the plane ---- */

/* Which coordinate is dropped: x, y, or z if neither bit is set. */
typedef struct view_lanes {
    lanes_mask drops_x, drops_y;
} view_lanes;

/* Drops the coordinate along which the normal is largest. The normal in a triangle's record equals
 * its facet's, since the same operations compute both. Only the sign of a zero may differ, which
 * does not matter here. */
static view_lanes view_along(lanes3 normal)
{
    lanes x = lanes_abs(normal.x), y = lanes_abs(normal.y), z = lanes_abs(normal.z);
    lanes_mask drops_x = mask_and(lanes_no_more(y, x), lanes_no_more(z, x));
    return (view_lanes){drops_x, mask_and(mask_not(drops_x), lanes_no_more(z, y))};
}

static lanes2 view_point(view_lanes v, lanes3 p)
{
    return (lanes2){lanes_select(v.drops_x, p.y, lanes_select(v.drops_y, p.z, p.x)),
                    lanes_select(v.drops_x, p.z, lanes_select(v.drops_y, p.x, p.y))};
}

static lanes view_sign(view_lanes v, lanes3 normal)
{
    lanes dropped = lanes_select(v.drops_x, normal.x, lanes_select(v.drops_y, normal.y, normal.z));
    lanes_mask is_back = lanes_less(dropped, lanes_set(0.0));
    return lanes_select(is_back, lanes_set(-1.0), lanes_set(1.0));
}

LANES_INLINE lanes difference_error(lanes a, lanes b, lanes difference)
{
    lanes b_seen = a - difference, a_seen = difference + b_seen;
    return (a - a_seen) + (b_seen - b);
}

/* A corner's position relative to the point, and its rounding error. */
typedef struct arm {
    lanes x, y, x_error, y_error;
} arm;

LANES_INLINE arm arm_to(lanes2 corner, lanes2 from)
{
    arm a = {.x = corner.x - from.x, .y = corner.y - from.y};
    a.x_error = difference_error(corner.x, from.x, a.x);
    a.y_error = difference_error(corner.y, from.y, a.y);
    return a;
}

LANES_INLINE lanes area(const arm *u, const arm *v)
{
    lanes first = u->x * v->y, second = u->y * v->x, plain = first - second;
    lanes_mask is_plain =
        lanes_less(lanes_abs(first) + lanes_abs(second), lanes_set(16.0) * lanes_abs(plain));
    if (LANES == 1 && mask_bits(is_plain)) {
        return plain; /* several lanes rarely all need only plain arithmetic */
    }
    lanes correction =
        (u->x_error * v->y + u->x * v->y_error) - (u->y_error * v->x + u->y * v->x_error);
    lanes error = lanes_fma(-u->y, v->x, second);
    lanes exact = lanes_fma(u->x, v->y, -second) + error + correction;
    return lanes_select(is_plain, plain, exact);
}

/* ---- the weights ---- */

/* Puts the values of a record's corners 0, 1, 2 into the facet's order. */
static lanes3 facet_order(const triangle_lanes *t, lanes3 a)
{
    lanes3 from_1 = {a.z, a.x, a.y}, from_2 = {a.y, a.z, a.x};
    return lanes3_select(t->starts_at_1, from_1, lanes3_select(t->starts_at_2, from_2, a));
}

static lanes3 normalize(lanes3 a)
{
    lanes sum = lanes_set(0.0) + a.x + a.y + a.z;
    lanes3 w = {a.x / sum, a.y / sum, a.z / sum};
    lanes left_1 = lanes_set(1.0) - w.x, left_2 = left_1 - w.y, left_3 = left_2 - w.z;
    lanes lost = lanes_set(0.0) + difference_error(lanes_set(1.0), w.x, left_1) +
                 difference_error(left_1, w.y, left_2) + difference_error(left_2, w.z, left_3);
    lanes more = left_3 + lost;
    lanes_mask y_leads = lanes_less(w.x, w.y);
    lanes_mask z_is_largest = lanes_less(lanes_select(y_leads, w.y, w.x), w.z);
    lanes_mask y_is_largest = mask_and(y_leads, mask_not(z_is_largest));
    lanes_mask x_is_not = mask_or(y_leads, z_is_largest);
    return (lanes3){lanes_select(x_is_not, w.x, w.x + more),
                    lanes_select(y_is_largest, w.y + more, w.y),
                    lanes_select(z_is_largest, w.z + more, w.z)};
}

/* Computes weights by eq. 26, in the facet's order. Sets *inside: the lanes where they are
 * valid. */
static lanes3 barycentric(const triangle_lanes *t, lanes3 point, lanes_mask *inside)
{
    view_lanes view = view_along(t->normal);
    lanes2 at = view_point(view, point), corner[3];
    for (int k = 0; k < 3; k++) {
        corner[k] = view_point(view, t->corner[k]);
    }
    lanes sign = view_sign(view, t->normal), zero = lanes_set(0.0);
    arm arms[3] = {arm_to(corner[0], at), arm_to(corner[1], at), arm_to(corner[2], at)};
    lanes3 opposite = {sign * area(&arms[1], &arms[2]), sign * area(&arms[2], &arms[0]),
                       sign * area(&arms[0], &arms[1])};
    *inside = mask_and(lanes_less(zero, opposite.x),
                       mask_and(lanes_less(zero, opposite.y), lanes_less(zero, opposite.z)));
    return normalize(facet_order(t, opposite));
}

/* ---- all contacts ---- */

/* Computes the weights of one point with the scalar code. */
static void fill_one(const triangle_points *points, abut_index i)
{
    force_point at = {.point = vec3_load(points->point + 3 * i),
                      .facet = points->triangle[i]->facet,
                      .type = ABUT_FACET};
    abut_index nodes[3];
    weights_fill(points->mesh, &at, ABUT_WACHSPRESS, nodes, points->weight + 3 * i);
}

/* Loads the first LANES triangles of a list, repeating the last one of a shorter list. */
static triangle_lanes take_triangles(const triangle *const *list, abut_index last)
{
    const triangle *several[LANES];
    for (int k = 0; k < LANES; k++) {
        several[k] = list[k < last ? k : last];
    }
    return load_triangles(several);
}

void KERNEL(weights_triangles)(abut_index count, const triangle_points *points)
{
    for (abut_index i = 0; i < count; i += LANES) {
        const abut_index last = count - 1 - i;
        triangle_lanes t = take_triangles(points->triangle + i, last);
        lanes3 point = facet_points(&t, load_rows(points->center + i, last),
                                    load_rows(points->offset + i, last));
        lanes_mask inside;
        lanes3 weight = barycentric(&t, point, &inside);
        store_rows(points->point + 3 * i, point, count - i);
        store_rows(points->weight + 3 * i, weight, count - i);
        unsigned outside = mask_bits(mask_not(inside)) & LANES_ALL;
        for (abut_index k = 0; outside >> k != 0; k++) {
            if ((outside >> k & 1) && i + k < count) {
                fill_one(points, i + k);
            }
        }
    }
}
