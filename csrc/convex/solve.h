/* Solves one pair, from its bodies and its state to its link and spots: the method, the wanted
 * minimum, and the rounding. */
#ifndef CONVEX_SOLVE_H
#define CONVEX_SOLVE_H

#include "spots.h"

typedef struct solve_task {
    abut_convex_options options;
    abut_minimum minimum;
    bool wants_spots;
} solve_task;

/* The link of the bodies' cores, with which the next query begins, and what follows from it for the
 * rounded bodies. */
typedef struct solved {
    convex_link core;
    double gap, error; /* of the rounded bodies */
    int32_t status;
    vec3 p, q; /* the link's ends on the rounded bodies, both in A's frame */
    int32_t spot_count;
} solved;

/* Finds the link. The result has no spots yet. */
void solve_link(const convex_pair *pair, const convex_link *before, const solve_task *task,
                solved *result);

/* Finds the spots of a result, if they are wanted. `spots` and `room` have spots_limit entries
 * each; spots are those of the rounded bodies. */
void solve_spots(const convex_pair *pair, const solve_task *task, solved *result,
                 convex_spot *spots, convex_spot *room);

/* Finds the link and the spots. */
void solve_pair(const convex_pair *pair, const convex_link *before, const solve_task *task,
                solved *result, convex_spot *spots, convex_spot *room);

#endif
