/* The vector code of this folder: one table of functions per instruction level. All levels give the
 * same bits. */
#ifndef INTERACTIONS_KERNELS_H
#define INTERACTIONS_KERNELS_H

#include "../base/simd.h"
#include "law_table.h"
#include "mover.h"

typedef struct lattice lattice;       /* base/lattice.h */
typedef struct sphere_row sphere_row; /* spheres/grid.h */

/* LAW_BLOCK: contacts per block. ROW_PADDING: the most rows that a kernel reads at once. Blocks are
 * a multiple of it, and as many rows can be read behind a table's last row. */
enum { LAW_BLOCK = 64, ROW_PADDING = HISTORY_PADDING };

static inline int32_t rows_filled_up(int32_t count)
{
    return (count + ROW_PADDING - 1) / ROW_PADDING * ROW_PADDING;
}

/* A block of consecutive contacts or pairs. Arrays are filled up to a multiple of ROW_PADDING with
 * numbers of any row. */
typedef struct law_block {
    int32_t count;
    double step;          /* time step */
    const double *normal; /* count x 3, of the step */
    const double *overlap;
    const double *share; /* of contacts with walls */
    const mover *first[LAW_BLOCK], *second[LAW_BLOCK];
    const mover *wall[LAW_BLOCK]; /* of contacts with walls: present motion, for the power */
    const law *laws[LAW_BLOCK];

    /* Contact history of the step before. A new contact has its present normal and overlap, and
     * history_nothing. */
    const double *old_normal[LAW_BLOCK], *kept[LAW_BLOCK];
    double old_overlap[LAW_BLOCK];
    double inertia[LAW_BLOCK]; /* for rolling of type C: the reduced inertia of both partners */
    double radius[LAW_BLOCK];  /* R* of spots; for spheres it follows from their radii */

    bool is_wall;     /* contacts with walls */
    bool is_spot;     /* spots of bodies: movers have the velocities at the contact point; no arms
                         are added, and overlaps are not watched */
    bool is_cohesive; /* all laws have cohesion */
    double pull_share[LAW_BLOCK]; /* on walls: shares of attractive normal forces; `share` is for
                                     repulsive ones */

    effect *effects; /* output */
    double *moment;  /* on the sphere, or on i; NULL: no law has moments */
    double *power;   /* power on the wall */

    const history_layout *layout; /* of the history before and after the step */
    const abut_index *rows;       /* row of each contact in the table of `history` */
    double *history;
    double *springs; /* consecutive springs from the block's first row on, where the history has
                        springs alone */

    double watch_part; /* part of the radius from which overlaps are watched */
} law_block;

/* Results of a block. LAWS_DEEP: some overlap exceeds watch_part times the radius, for a pair the
 * smaller radius. LAWS_TOO_SMALL: some R* is too small for its law. */
enum { LAWS_DEEP = 1, LAWS_TOO_SMALL = 2 };

/* Computes the forces of contacts; returns LAWS_DEEP and LAWS_TOO_SMALL. */
typedef unsigned laws_kernel(const law_block *block);

/* Writes the inputs of a block's user law, filled up to a multiple of ROW_PADDING. Returns whether
 * some overlap is deep enough to be watched. */
typedef bool user_inputs_kernel(const law_block *block, user_block *own);

/* Results of a user law. */
enum { USER_NOT_FINITE = 1, USER_HAS_MOMENTS = 2 };

/* Writes forces and history of contacts. Returns USER_NOT_FINITE and USER_HAS_MOMENTS. */
typedef unsigned user_effects_kernel(const law_block *block, user_block *own);

/* Pairs of a chunk, with effects that are added to the sums of both spheres. Effects on a second
 * sphere of a later chunk are stored in an entry of the bucket for that chunk. */
typedef struct pair_adding {
    int32_t count;
    const abut_index *rows; /* rows of the table */
    const effect *effects;  /* of each pair of this block */
    const double *moments;  /* x 3, on i, of each pair of this block; NULL: no moments */
    const mover *movers;    /* of all spheres, as `sums` */
    sphere_sum *sums;
    const int32_t *candidates;       /* candidate of each row of the table */
    const int32_t *firsts, *seconds; /* of all candidates, as `buckets` */
    const int32_t *buckets;          /* -1: both spheres are of this chunk */
    sum_bucket *all;
    sphere_sum *entries;
    int32_t *spheres; /* the sphere of each entry */
} pair_adding;

typedef void pairs_add_kernel(const pair_adding *pairs);

/* Consecutive candidates of a neighbor list. LANES more can be read behind the last one. */
typedef struct candidate_block {
    const sphere_row *places;
    const int32_t *firsts, *seconds; /* of all candidates */
    int32_t begin, end;
    const lattice *lattice;
    double reach;    /* the largest reach of any candidate; 0: no reach */
    int32_t *active; /* output: the numbers of candidates that touch, and the complements of those
                        within the reach */
} candidate_block;

/* Lists the active candidates at their nearest images; returns their number. */
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

/* Returns the functions of the instruction level in use. */
const interaction_kernels *interaction_kernels_take(void);

#endif
