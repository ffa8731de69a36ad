/* Converts the caller's positions and orientations to poses of bodies. */
#include "places.h"

#include "../base/series.h"
#include "../mesh/tolerance.h"
#include "convex_finder.h"

/* ---- orientations ---- */

/* If a quaternion's squared length is outside of these limits, it may have overflowed or lost
 * digits. The quaternion is then divided by its largest component first. */
#define SMALLEST_SQUARE 0x1p-900
#define LARGEST_SQUARE 0x1p900

/* A quaternion; w is its real part. */
typedef struct quaternion {
    double x, y, z, w;
} quaternion;

static double quaternion_norm_sq(quaternion q)
{
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

/* Divides a quaternion by the largest |component|. The result is NaN if the quaternion is 0. */
static quaternion divide_by_largest(quaternion q)
{
    const double xy = larger(fabs(q.x), fabs(q.y)), zw = larger(fabs(q.z), fabs(q.w));
    const double largest = larger(xy, zw);
    return (quaternion){q.x / largest, q.y / largest, q.z / largest, q.w / largest};
}

/* Sets a pose's rotation from a quaternion of any length. Returns false if the quaternion is 0 or
 * not finite. */
static bool turn_by_quaternion(const double *parts, pose *p)
{
    quaternion q = {parts[0], parts[1], parts[2], parts[3]};
    double norm_sq = quaternion_norm_sq(q);
    if (!(norm_sq >= SMALLEST_SQUARE && norm_sq <= LARGEST_SQUARE)) {
        q = divide_by_largest(q);
        norm_sq = quaternion_norm_sq(q);
    }
    const double s = 2.0 / norm_sq, x = s * q.x, y = s * q.y, z = s * q.z;
    const double xx = x * q.x, xy = x * q.y, xz = x * q.z, xw = x * q.w;
    const double yy = y * q.y, yz = y * q.z, yw = y * q.w, zz = z * q.z, zw = z * q.w;
    p->rows[0] = (vec3){1.0 - (yy + zz), xy - zw, xz + yw};
    p->rows[1] = (vec3){xy + zw, 1.0 - (xx + zz), yz - xw};
    p->rows[2] = (vec3){xz - yw, yz + xw, 1.0 - (xx + yy)};
    p->turns = true;
    return s > 0.0; /* false for NaN */
}

static bool turn_by_angle(double angle, pose *p)
{
    const series_angle turned = series_turn(angle);
    const double c = turned.cosine, s = turned.sine;
    p->rows[0] = (vec3){c, -s, 0.0};
    p->rows[1] = (vec3){s, c, 0.0};
    p->rows[2] = (vec3){0.0, 0.0, 1.0};
    p->turns = true;
    return isfinite(angle);
}

/* ---- bodies ---- */

typedef struct placing {
    const abut_convex_finder *finder;
    const double *positions, *orientations;
    placed_body *bodies;
    double *centers;
} placing;

/* Sets the position of a body. Returns false if a coordinate is not finite, or too large. */
static bool set_position(const placing *p, abut_index i, pose *at)
{
    const int dimension = p->finder->dimension;
    const double *x = p->positions + dimension * i;
    at->shift = (vec3){x[0], x[1], dimension == 3 ? x[2] : 0.0};
    /* a comparison with NaN is false */
    return fabs(at->shift.x) <= ABUT_COORDINATE_LIMIT &&
           fabs(at->shift.y) <= ABUT_COORDINATE_LIMIT && fabs(at->shift.z) <= ABUT_COORDINATE_LIMIT;
}

static bool set_orientation(const placing *p, abut_index i, pose *at)
{
    if (!p->orientations) {
        return true;
    }
    return p->finder->dimension == 3 ? turn_by_quaternion(p->orientations + 4 * i, at)
                                     : turn_by_angle(p->orientations[i], at);
}

static void set_center(const placing *p, abut_index i, const placed_body *body)
{
    const int dimension = p->finder->dimension;
    const vec3 centroid = vec3_load(body->body.shape->view.centroid);
    const vec3 center = pose_to_world(&body->at, vec3_scale(centroid, body->body.scale));
    vec3_put(p->centers + dimension * i, dimension, center);
}

static bool place_body(const placing *p, abut_index i)
{
    placed_body *body = &p->bodies[i];
    body->body = p->finder->bodies[i];
    body->at.skew = 0.0;
    if (!p->orientations) {
        body->at = pose_identity();
    }
    const bool is_near = set_position(p, i, &body->at);
    return set_orientation(p, i, &body->at) && is_near;
}

/* The number of bodies that one thread places in one go. */
enum { STRETCH = 4096 };

static abut_status place_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const placing *p = context;
    const abut_index begin = stretch * STRETCH;
    const abut_index end = parallel_chunk_end(begin, STRETCH, p->finder->body_count);
    bool is_right = true;
    for (abut_index i = begin; i < end; i++) {
        is_right &= place_body(p, i);
    }
    return is_right ? parallel_report(job, 2 * (end - begin)) : ABUT_POSITION_NOT_FINITE;
}

/* ---- errors ---- */

static abut_status check_position(const placing *p, abut_index i, abut_error *error)
{
    const int dimension = p->finder->dimension;
    for (int axis = 0; axis < dimension; axis++) {
        const double x = p->positions[dimension * i + axis];
        if (!isfinite(x)) {
            return error_set(error, ABUT_POSITION_NOT_FINITE, i, axis, x);
        }
        if (fabs(x) > ABUT_COORDINATE_LIMIT) {
            return error_set(error, ABUT_POSITION_TOO_FAR, i, axis, x);
        }
    }
    return ABUT_OK;
}

static abut_status check_orientation(const placing *p, abut_index i, abut_error *error)
{
    pose unused = pose_identity();
    if (set_orientation(p, i, &unused)) {
        return ABUT_OK;
    }
    if (p->finder->dimension == 2) {
        return error_set(error, ABUT_BAD_ANGLE, i, 0, p->orientations[i]);
    }
    const double *q = p->orientations + 4 * i;
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return error_set(error, ABUT_BAD_QUATERNION, i, 0, length);
}

/* Reports the first body with a wrong position or orientation. */
static abut_status report_wrong(const placing *p, abut_error *error)
{
    for (abut_index i = 0; i < p->finder->body_count; i++) {
        abut_status status = check_position(p, i, error);
        status = status ? status : check_orientation(p, i, error);
        if (status) {
            return status;
        }
    }
    return error_set_status(error, ABUT_INPUT_CHANGED);
}

static abut_status center_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const placing *p = context;
    const abut_index begin = stretch * STRETCH;
    const abut_index end = parallel_chunk_end(begin, STRETCH, p->finder->body_count);
    for (abut_index i = begin; i < end; i++) {
        set_center(p, i, &p->bodies[i]);
    }
    return parallel_report(job, end - begin);
}

abut_status places_read(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error)
{
    const abut_index count = finder->body_count;
    placed_body *bodies = memory_reserve(&places->body_block, count + 1, sizeof *bodies);
    if (!bodies) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    places->bodies = memory_first_line(bodies);
    placing p = {.finder = finder,
                 .positions = query->positions,
                 .orientations = query->orientations,
                 .bodies = memory_first_line(bodies)};
    const parallel_plan plan = finder_plan(query, count, STRETCH, 2);
    const abut_status status = parallel_run(&plan, place_stretch, &p);
    return status == ABUT_POSITION_NOT_FINITE ? report_wrong(&p, error)
                                              : error_set_status(error, status);
}

abut_status places_center(const abut_convex_finder *finder, const abut_convex_query *query,
                          convex_places *places, abut_error *error)
{
    const abut_index count = finder->body_count;
    double *centers =
        memory_reserve(&places->center_block, finder->dimension * count, sizeof *centers);
    if (!centers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    places->centers = centers;
    placing p = {
        .finder = finder, .bodies = memory_first_line(places->body_block.data), .centers = centers};
    const parallel_plan plan = finder_plan(query, count, STRETCH, 1);
    return error_set_status(error, parallel_run(&plan, center_stretch, &p));
}

abut_status places_make(const abut_convex_finder *finder, const abut_convex_query *query,
                        convex_places *places, abut_error *error)
{
    const abut_status status = places_read(finder, query, places, error);
    return status ? status : places_center(finder, query, places, error);
}

void places_free(convex_places *places)
{
    memory_free(places->body_block.data);
    memory_free(places->center_block.data);
    *places = (convex_places){0};
}

/* ---- two bodies ---- */

/* Computes R_A^T R_B, which turns directions of B's frame into A's, row by row. */
static void turn_into(const pose *a, const pose *b, vec3 rows[3])
{
    rows[0] = vec3_scale(b->rows[0], a->rows[0].x);
    rows[1] = vec3_scale(b->rows[0], a->rows[0].y);
    rows[2] = vec3_scale(b->rows[0], a->rows[0].z);
    for (int k = 1; k < 3; k++) {
        rows[0] = vec3_add(rows[0], vec3_scale(b->rows[k], a->rows[k].x));
        rows[1] = vec3_add(rows[1], vec3_scale(b->rows[k], a->rows[k].y));
        rows[2] = vec3_add(rows[2], vec3_scale(b->rows[k], a->rows[k].z));
    }
}

void places_pair(const placed_body *a, const placed_body *b, vec3 shift, convex_pair *pair)
{
    pair->a = a->body;
    pair->b = b->body;
    turn_into(&a->at, &b->at, pair->rows);
    const vec3 between = vec3_add(vec3_sub(b->at.shift, a->at.shift), shift);
    pair->shift = pose_turn_back(&a->at, between);
    const double reach =
        a->body.scale * a->body.shape->reach + b->body.scale * b->body.shape->reach;
    const double length = vec3_max_abs(between) + body_rounding(&a->body) + body_rounding(&b->body);
    const double size = larger(reach, ROUNDED_PART * length);
    pair->size = size;
    pair->tolerance = TOLD_APART * size;
}
