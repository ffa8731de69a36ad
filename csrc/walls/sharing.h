/* Continuous resolution (docs/method.md, section 5): how the facets that a sphere touches share its
 * force. */
#ifndef WALLS_SHARING_H
#define WALLS_SHARING_H

#include "../base/parallel.h"
#include "../base/vec3.h"
#include "../mesh/tolerance.h"

/* A contact of the active set. */
typedef struct sharing_member {
    abut_index contact;
    vec3 normal;
    double force; /* F: what the law gives for the contact alone, 1 for the largest overlap */
    double load;  /* f: what it carries */
    double aim;   /* the load at which all members carry no more than they have to */
    double step;  /* from the load to the aim, or the direction in which that lies */
    double known; /* of L^-1 F */
} sharing_member;

/* Scratch of one thread; zero-initialize, free with sharing_free. */
typedef struct sharing {
    abut_index count; /* contacts of the sphere in hand */
    const vec3 *normals;
    double *forces;          /* count */
    sharing_member *members; /* member_count, the entering one last */
    double *factor;          /* Cholesky factor L of the members' G, rows packed one by one */
    abut_index member_count;
    abut_index pivots_left;
    abut_index force_capacity, member_capacity, factor_capacity;
} sharing;

void sharing_free(sharing *s);

/* Shares of `count` contacts, nearest first; those with overlap <= 0 get 0 and take no part.
 * ABUT_OK, ABUT_NO_MEMORY, or why the job is to end (job may be NULL). */
abut_status sharing_solve(sharing *s, abut_index count, const vec3 *normals, const double *overlaps,
                          double exponent, double *shares, parallel_job *job);

/* ---- what sharing ends with where its pivots do not ---- */

/* G of two contacts (docs/method.md, section 5); 1 of a contact and itself. */
static inline double coupling(vec3 a, vec3 b)
{
    double cosine = vec3_dot(a, b);
    return cosine > PERPENDICULAR_COSINE ? cosine : 0.0;
}

/* Let each of `count` contacts in turn carry just what the others leave over of its force F, until
 * no load changes by more than counts as satisfied, or for RELAXATION_SWEEPS sweeps, fewer of more
 * than a thousand contacts, of which they take long. ABUT_OK, or why the job is to end (job may be
 * NULL).
 *
 * `loads`, all >= 0, is where it begins and ends. Each change makes q = f.G f / 2 - F.f as small as
 * this one load can, and q is bounded below for f >= 0, as G is strictly copositive: so it does not
 * cycle, whatever is rounded, and tends to loads that satisfy all contacts. Among nearly coplanar
 * contacts that is slow: there it stops where some lack a little. */
abut_status relax_loads(abut_index count, const vec3 *normals, const double *forces, double *loads,
                        parallel_job *job);

enum { RELAXATION_SWEEPS = 1000 };

#endif
