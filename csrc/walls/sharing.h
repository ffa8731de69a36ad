/* Continuous resolution (docs/method.md, section 5): how the facets that a sphere touches share its
 * force. */
#ifndef WALLS_SHARING_H
#define WALLS_SHARING_H

#include "../base/parallel.h"
#include "../base/vec3.h"

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

#endif
