/* Solves one pair of bodies: finds its link and spots (contact points), and adds the rounding. */
#ifndef CONVEX_SOLVE_H
#define CONVEX_SOLVE_H

#include "spots.h"

typedef struct solve_task {
    abut_convex_options options;
    abut_minimum minimum;
    bool wants_spots;
} solve_task;

/* The result for a pair: the link of its cores, which are the bodies without rounding, and what
 * follows from it for the rounded bodies. The next query begins with the link of the cores. */
typedef struct solved {
    convex_link core;
    double gap, error; /* gap and error of the rounded bodies */
    int32_t status;
    vec3 p, q; /* the link's ends on the rounded bodies, both in A's frame */
    int32_t spot_count;
} solved;

/* Finds the link of a pair, without spots. `before` is the link of the last step, or NULL. */
void solve_link(const convex_pair *pair, const convex_link *before, const solve_task *task,
                solved *result);

/* Finds the spots of the rounded bodies, if the task wants them. `spots` and the scratch array
 * `room` have spots_limit entries each. */
void solve_spots(const convex_pair *pair, const solve_task *task, solved *result,
                 convex_spot *spots, convex_spot *room);

/* Does solve_link and solve_spots. */
void solve_pair(const convex_pair *pair, const convex_link *before, const solve_task *task,
                solved *result, convex_spot *spots, convex_spot *room);

#endif
