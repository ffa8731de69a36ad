/* Continuous resolution (docs/method.md, section 5): touching facets share a sphere's force. */
#ifndef WALLS_SHARING_H
#define WALLS_SHARING_H

#include "../base/parallel.h"
#include "../base/vec3.h"
#include "../mesh/tolerance.h"

/* A contact of the active set. */
typedef struct sharing_member {
    abut_index contact;
    vec3 normal;
    double force; /* F: the law's force for the contact alone, 1 for the largest overlap */
    double load;  /* f: the part of F that this contact has */
    double aim;   /* the load at which all members are just satisfied */
    double step;  /* aim - load; if there is no such aim, the change of this load while the entering
                     load grows by 1 */
    double known; /* the member's component of L^-1 F */
} sharing_member;

/* Scratch memory of one thread; zero-initialize, free with sharing_free. */
typedef struct sharing {
    abut_index count; /* number of contacts of the current sphere */
    const vec3 *normals;
    double *forces;          /* count: F of each contact */
    sharing_member *members; /* member_count; the last one is entering */
    double *factor;          /* Cholesky factor L of the members' G, packed rows */
    abut_index member_count;
    abut_index pivots_left;
    abut_index force_capacity, member_capacity, factor_capacity;
} sharing;

void sharing_free(sharing *s);

/* Computes the shares of `count` contacts, nearest first. Contacts with overlap <= 0 get 0 and take
 * no part. Returns ABUT_OK, ABUT_NO_MEMORY or the status that ends the job (job may be NULL). */
abut_status sharing_solve(sharing *s, abut_index count, const vec3 *normals, const double *overlaps,
                          double exponent, double *shares, parallel_job *job);

/* ---- relaxation, where pivoting does not end ---- */

/* G of two contacts (docs/method.md, section 5); 1 for a contact and itself. */
static inline double coupling(vec3 a, vec3 b)
{
    double cosine = vec3_dot(a, b);
    return cosine > PERPENDICULAR_COSINE ? cosine : 0.0;
}

/* Projected Gauss-Seidel sweeps: each load in turn is set to what the other loads leave over of its
 * contact's force F. Ends when no load changes by more than SATISFIED_WITHIN, or after
 * RELAXATION_SWEEPS sweeps, fewer for more than a thousand contacts. Returns ABUT_OK or the status
 * that ends the job (job may be NULL).
 *
 * `loads`, all >= 0, are start values and results. Each change minimizes q = f.G f / 2 - F.f over
 * one load, and q is bounded below for f >= 0, as G is strictly copositive. So the sweeps do not
 * cycle, in spite of rounding, and tend to loads that satisfy all contacts. They converge slowly
 * among nearly coplanar contacts: some may lack a little force at the end. */
abut_status relax_loads(abut_index count, const vec3 *normals, const double *forces, double *loads,
                        parallel_job *job);

enum { RELAXATION_SWEEPS = 1000 };

#endif
