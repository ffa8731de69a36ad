/* The place of a mesh in the world: a rigid transform. */
#ifndef BASE_POSE_H
#define BASE_POSE_H

#include "vec3.h"

/* A point p of the mesh's frame is at rows p + shift in the world. */
typedef struct pose {
    vec3 rows[3];
    vec3 shift;
    bool turns;  /* false: rows is the identity, as for most meshes, and is not used */
    double skew; /* largest entry of |rows rows^T - 1|; 0 for an exact rotation */
} pose;

static inline pose pose_identity(void)
{
    return (pose){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {0.0, 0.0, 0.0}, false, 0.0};
}

/* Whether points have the same coordinates in the mesh's frame and in the world. */
static inline bool pose_is_identity(const pose *p)
{
    return !p->turns && vec3_max_abs(p->shift) == 0.0;
}

/* The largest entry of |rows rows^T - 1|; 0 if these are the rows of an exact rotation. */
static inline double pose_skew(const vec3 rows[3])
{
    double skew = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = i; k < 3; k++) {
            const double entry = fabs(vec3_dot(rows[i], rows[k]) - (i == k ? 1.0 : 0.0));
            skew = entry > skew ? entry : skew;
        }
    }
    return skew;
}

/* Turns a vector by the rotation matrix with these rows. */
static inline vec3 rows_turn(const vec3 rows[3], vec3 a)
{
    return (vec3){vec3_dot(rows[0], a), vec3_dot(rows[1], a), vec3_dot(rows[2], a)};
}

/* Turns a vector by the inverse of the rotation matrix with these rows. */
static inline vec3 rows_turn_back(const vec3 rows[3], vec3 a)
{
    const vec3 xy = vec3_add(vec3_scale(rows[0], a.x), vec3_scale(rows[1], a.y));
    return vec3_add(xy, vec3_scale(rows[2], a.z));
}

/* The pose of a row-major 4 x 4 matrix. */
static inline pose pose_load(const double *matrix)
{
    pose p;
    for (int row = 0; row < 3; row++) {
        p.rows[row] = vec3_load(matrix + 4 * row);
    }
    p.shift = (vec3){matrix[3], matrix[7], matrix[11]};
    const pose identity = pose_identity();
    p.turns = false;
    for (int row = 0; row < 3; row++) {
        p.turns = p.turns || vec3_compare(p.rows[row], identity.rows[row]) != 0;
    }
    p.skew = pose_skew(p.rows);
    return p;
}

/* Turns a direction of the mesh's frame into the world. */
static inline vec3 pose_turn(const pose *p, vec3 a)
{
    if (!p->turns) {
        return a;
    }
    return rows_turn(p->rows, a);
}

/* Turns a direction of the world into the mesh's frame. */
static inline vec3 pose_turn_back(const pose *p, vec3 a)
{
    if (!p->turns) {
        return a;
    }
    return rows_turn_back(p->rows, a);
}

static inline vec3 pose_to_world(const pose *p, vec3 a)
{
    return vec3_add(pose_turn(p, a), p->shift);
}

static inline vec3 pose_to_mesh(const pose *p, vec3 a)
{
    return pose_turn_back(p, vec3_sub(a, p->shift));
}

/* The pose that applies `first`, and then `second`. */
static inline pose pose_after(const pose *second, const pose *first)
{
    pose p = pose_identity();
    const vec3 columns[3] = {
        pose_turn(second, (vec3){first->rows[0].x, first->rows[1].x, first->rows[2].x}),
        pose_turn(second, (vec3){first->rows[0].y, first->rows[1].y, first->rows[2].y}),
        pose_turn(second, (vec3){first->rows[0].z, first->rows[1].z, first->rows[2].z})};
    p.rows[0] = (vec3){columns[0].x, columns[1].x, columns[2].x};
    p.rows[1] = (vec3){columns[0].y, columns[1].y, columns[2].y};
    p.rows[2] = (vec3){columns[0].z, columns[1].z, columns[2].z};
    p.shift = pose_to_world(second, first->shift);
    p.turns = first->turns || second->turns;
    return p;
}

/* The row-major 4 x 4 matrix of a pose. */
static inline void pose_store(double *matrix, const pose *p)
{
    const double shift[3] = {p->shift.x, p->shift.y, p->shift.z};
    for (int row = 0; row < 3; row++) {
        vec3_store(matrix + 4 * row, p->rows[row]);
        matrix[4 * row + 3] = shift[row];
    }
    matrix[12] = matrix[13] = matrix[14] = 0.0;
    matrix[15] = 1.0;
}

#endif
