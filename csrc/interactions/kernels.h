/* The vector code of this folder: one table of functions per instruction level. All levels give the
 * same bits. */
#ifndef INTERACTIONS_KERNELS_H
#define INTERACTIONS_KERNELS_H

#include "../base/simd.h"
#include "law_table.h"
#include "mover.h"

typedef struct lattice lattice;       /* base/lattice.h */
typedef struct sphere_row sphere_row; /* spheres/grid.h */

/* LAW_BLOCK: contacts per block. ROW_PADDING: the largest number of rows that a kernel reads
 * together. Blocks are multiples of it, and this many rows behind a table can be read. */
enum { LAW_BLOCK = 64, ROW_PADDING = HISTORY_PADDING };

static inline int32_t rows_filled_up(int32_t count)
{
    return (count + ROW_PADDING - 1) / ROW_PADDING * ROW_PADDING;
}

/* A block of contacts or pairs. Arrays are filled up to a multiple of ROW_PADDING with the numbers
 * of any row. */
typedef struct law_block {
    int32_t count;
    double step;          /* time step */
    const double *normal; /* count x 3: normals in this step */
    const double *overlap;
    const double *share; /* only contacts with walls: shares of the force */
    const mover *first[LAW_BLOCK], *second[LAW_BLOCK];
    const mover *wall[LAW_BLOCK]; /* walls' present motion, for the power */
    const law *laws[LAW_BLOCK];

    /* Contact history of the last step. For a new contact: its present normal and overlap, and
     * history_nothing. */
    const double *old_normal[LAW_BLOCK], *kept[LAW_BLOCK];
    double old_overlap[LAW_BLOCK];
    double inertia[LAW_BLOCK]; /* reduced inertia of both partners, for rolling of type C */
    double radius[LAW_BLOCK];  /* R* of spots; for spheres it is computed from their radii */

    bool is_wall; /* contacts with walls */
    bool is_spot; /* spots of bodies: velocities are those of the contact point, no arms are added,
                     overlaps are not watched */
    bool is_cohesive;             /* all laws have cohesion */
    double pull_share[LAW_BLOCK]; /* only contacts with walls: shares of attractive normal forces;
                                     `share` is for all other forces */

    effect *effects; /* output */
    double *moment;  /* on the sphere, or on sphere i of a pair; NULL: no law has moments */
    double *power;   /* power on the wall */

    const history_layout *layout; /* of the history in the last step and in this one */
    const abut_index *rows;       /* the row of each contact in `history` */
    double *history;
    double *springs; /* springs of consecutive rows from the block's first on, if rows have only the
                        tangential spring; else NULL */

    double watch_part; /* overlap / radius from which overlaps are watched */
} law_block;

/* Results of a block. LAWS_DEEP: an overlap exceeds watch_part times the (smaller) radius.
 * LAWS_TOO_SMALL: an R* is too small for its law. */
enum { LAWS_DEEP = 1, LAWS_TOO_SMALL = 2 };

/* Computes the forces of contacts; returns LAWS_DEEP and LAWS_TOO_SMALL. */
typedef unsigned laws_kernel(const law_block *block);

/* Writes the inputs of a block's user law, filled up to a multiple of ROW_PADDING. Returns whether
 * an overlap is so deep that it must be watched. */
typedef bool user_inputs_kernel(const law_block *block, user_block *own);

/* Results of a user law: some are not finite; some moments are not 0. */
enum { USER_NOT_FINITE = 1, USER_HAS_MOMENTS = 2 };

/* Writes forces and history of contacts. Returns USER_NOT_FINITE and USER_HAS_MOMENTS. */
typedef unsigned user_effects_kernel(const law_block *block, user_block *own);

/* Pairs of a chunk with effects, which are added to the sums of both spheres. If the second sphere
 * is in a later chunk, its effects are stored in an entry of the bucket for that chunk. */
typedef struct pair_adding {
    int32_t count;
    const abut_index *rows; /* row of each pair in the table */
    const effect *effects;  /* effect of each pair of this block */
    const double *moments; /* count x 3: the moment on sphere i of each pair of this block; NULL: no
                              law has moments */
    const mover *movers;   /* of all spheres */
    sphere_sum *sums;
    const int32_t *candidates;       /* candidate of each row of the table */
    const int32_t *firsts, *seconds; /* by candidate: both spheres */
    const int32_t *buckets; /* by candidate: its bucket; -1: both spheres are in this chunk */
    sum_bucket *all;
    sphere_sum *entries;
    int32_t *spheres; /* the sphere of each entry */
} pair_adding;

typedef void pairs_add_kernel(const pair_adding *pairs);

/* Consecutive candidates of a neighbor list. LANES candidates behind the last can be read, too. */
typedef struct candidate_block {
    const sphere_row *places;
    const int32_t *firsts, *seconds; /* by candidate: both spheres */
    int32_t begin, end;
    const lattice *lattice;
    double reach;    /* the largest reach of any candidate; 0: laws act only at touch */
    int32_t *active; /* output: numbers of candidates; for those that are within reach but do not
                        touch, the complement (~) of the number */
} candidate_block;

/* Lists the candidates of a block that touch, or are within reach, at their nearest images. Returns
 * their number. */
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
