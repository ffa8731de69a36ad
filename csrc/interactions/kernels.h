/* The room's vector code, a table of functions for each instruction level; all levels give the same
 * bits. */
#ifndef INTERACTIONS_KERNELS_H
#define INTERACTIONS_KERNELS_H

#include "../base/simd.h"
#include "law_table.h"
#include "mover.h"

typedef struct lattice lattice;       /* base/lattice.h */
typedef struct sphere_row sphere_row; /* spheres/grid.h */

/* Contacts whose laws are computed in one go; and the most rows that a kernel reads at once: blocks
 * are a multiple of them, and behind a table's last row as many can be read. */
enum { LAW_BLOCK = 64, ROW_PADDING = HISTORY_PADDING };

static inline int32_t rows_filled_up(int32_t count)
{
    return (count + ROW_PADDING - 1) / ROW_PADDING * ROW_PADDING;
}

/* Contacts or pairs that follow one another. Arrays are filled up to a multiple of ROW_PADDING,
 * with anything of some row. */
typedef struct law_block {
    int32_t count;
    double step;          /* of time */
    const double *normal; /* count x 3, of the step */
    const double *overlap;
    const double *share; /* of contacts with walls */
    const mover *first[LAW_BLOCK], *second[LAW_BLOCK];
    const mover *wall[LAW_BLOCK]; /* of contacts with walls: as it moves now, for its power */
    const law *laws[LAW_BLOCK];

    /* what the contact had in the step before; of a new one its own normal and overlap, and
     * history_nothing */
    const double *old_normal[LAW_BLOCK], *kept[LAW_BLOCK];
    double old_overlap[LAW_BLOCK];
    double inertia[LAW_BLOCK]; /* of laws of type C: reduced, of both partners */
    double radius[LAW_BLOCK];  /* R*, of spots alone: of spheres it follows from their radii */

    bool is_wall;     /* contacts with walls */
    bool is_spot;     /* of bodies: movers tell the velocities of the point of contact, to which no
                         arms are added, and overlaps are not watched */
    bool is_cohesive; /* all laws have cohesion */
    double pull_share[LAW_BLOCK]; /* on walls: of what pulls, as `share` is of what pushes */

    effect *effects; /* what is written */
    double *moment;  /* on the sphere, or on i; NULL: no law has any */
    double *power;   /* of walls: on the wall */

    const history_layout *layout; /* of what contacts have kept, and of what they keep */
    const abut_index *rows;       /* the contacts' numbers in the table that `history` is of */
    double *history;
    double *springs; /* likewise of the first, where springs alone are kept, one after the other */

    double watch_part; /* see watch_part() */
} law_block;

/* What is to be noted of a block. LAWS_DEEP: some overlap is more than watch_part of the sphere's
 * radius, of a pair the smaller one. LAWS_TOO_SMALL: some law does not hold for its R*. */
enum { LAWS_DEEP = 1, LAWS_TOO_SMALL = 2 };

/* What contacts exert; returns what is to be noted. */
typedef unsigned laws_kernel(const law_block *block);

/* Write what the law of users that a block's contacts have is told of them, filled up to a multiple
 * of ROW_PADDING. Returns whether an overlap is to be watched. */
typedef bool user_inputs_kernel(const law_block *block, user_block *own);

/* What is to be noted of what a law of users has said. */
enum { USER_NOT_FINITE = 1, USER_HAS_MOMENTS = 2 };

/* Write what contacts do and keep. Returns what is to be noted. */
typedef unsigned user_effects_kernel(const law_block *block, user_block *own);

/* Pairs of a chunk, whose effects are added to the sums of both spheres: of the second one now, or,
 * where that is of a later chunk, in an entry of the bucket for it. */
typedef struct pair_adding {
    int32_t count;
    const abut_index *rows; /* of the table */
    const effect *effects;  /* of each pair here */
    const double *moments;  /* x 3, likewise: on i; NULL: there are none */
    const mover *movers;    /* of all spheres, as the next */
    sphere_sum *sums;
    const int32_t *candidates;       /* of the table's rows */
    const int32_t *firsts, *seconds; /* of all candidates, as the next */
    const int32_t *buckets;          /* -1: both spheres are of the chunk */
    sum_bucket *all;
    sphere_sum *entries;
    int32_t *spheres; /* of each entry */
} pair_adding;

typedef void pairs_add_kernel(const pair_adding *pairs);

/* Candidates of a neighbor list that follow one another. Behind the last one LANES more can be
 * read.
 */
typedef struct candidate_block {
    const sphere_row *places;
    const int32_t *firsts, *seconds; /* of all candidates */
    int32_t begin, end;
    const lattice *lattice;
    double reach;    /* that of no candidate is farther; 0: none has one */
    int32_t *active; /* what is written: the numbers of those that touch, and the complements of the
                        numbers of those that do not, but are within the reach */
} candidate_block;

/* List the candidates by their nearest images; returns how many. */
typedef int32_t active_list_kernel(const candidate_block *block);

#define INTERACTION_KERNELS(ENTRY)                                                                 \
    ENTRY(laws)                                                                                    \
    ENTRY(user_inputs)                                                                             \
    ENTRY(user_effects)                                                                            \
    ENTRY(pairs_add)                                                                               \
    ENTRY(active_list)

INTERACTION_KERNELS(KERNEL_FUNCTIONS)

typedef struct interaction_kernels {
    INTERACTION_KERNELS(KERNEL_POINTER)
} interaction_kernels;

/* The functions of the instruction level in use. */
const interaction_kernels *interaction_kernels_take(void);

#endif
