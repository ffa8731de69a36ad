/* Two sets of items are matched, the best pair first, every item once: which is best is found by
 * trees of places, so that n items take n log n and not n squared.
 *
 * The best pair that is left is one whose two items both have no better one. So we go from an item
 * to the one that suits it best, from there to the one that suits that best, and so on, until two
 * suit each other best (the nearest-neighbor chain: F. Murtagh, "A survey of recent advances in
 * hierarchical clustering algorithms", The Computer Journal 26 (1983)). */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <math.h>
#include <stdbool.h>

#include "memory.h"
#include "parallel.h"

enum { NEAREST_AXES = 6 };

/* Where an item is, and what else a rule reads: of `limit` also the largest of several items. */
typedef struct nearest_place {
    double at[NEAREST_AXES]; /* finite */
    double limit, other;
} nearest_place;

/* Where several items are. */
typedef struct nearest_box {
    double low[NEAREST_AXES], high[NEAREST_AXES];
    double limit; /* the largest */
} nearest_box;

/* How well two places suit each other: the less the better; INFINITY: not at all. `bound` is at
 * most the key of any place in the box, to the bit. */
typedef struct nearest_rule {
    double (*key)(const nearest_place *one, const nearest_place *other);
    double (*bound)(const nearest_place *one, const nearest_box *others);
} nearest_rule;

/* The number of an item, and how well it suits. */
typedef struct nearest_item {
    double key;
    abut_index item;
} nearest_item;

#define NEAREST_NONE ((nearest_item){INFINITY, INTPTR_MAX})

/* Whether one suits better: of those that suit equally, that with the smaller number. */
static inline bool nearest_is_better(nearest_item a, nearest_item b)
{
    return a.key < b.key || (a.key == b.key && a.item < b.item);
}

/* A part of a tree. */
typedef struct nearest_branch {
    nearest_box box;
    abut_index begin, end; /* its entries */
    abut_index right;      /* the second of the two parts that it has, the first is the next; 0: a
                              leaf */
    abut_index first;      /* the smallest item that is left in it; INTPTR_MAX: none is */
} nearest_branch;

/* Trees of entries, a tree a group; an item may be in several. Zero-initialize. */
typedef struct nearest_trees {
    const nearest_place *places; /* of the items */
    nearest_branch *branches;
    abut_index *items; /* in the order of the branches; -1: no more */
    abut_index *slots; /* of each entry, as it was given, where it is in that order */
    abut_index *roots; /* the branch with which each group begins; -1: it is empty */
    abut_index branch_count;
} nearest_trees;

/* The entries offsets[g] ... offsets[g + 1] - 1 are those of group g; items[k] is the item that
 * entry k stands for. ABUT_OK or ABUT_NO_MEMORY; free it in any case. */
abut_status nearest_build(nearest_trees *trees, const nearest_place *places, abut_index group_count,
                          const abut_index *offsets, const abut_index *items);
void nearest_free(nearest_trees *trees);

/* The item of a group that suits a place best, or `best` where none suits better than that. */
nearest_item nearest_find(const nearest_trees *trees, abut_index group, const nearest_rule *rule,
                          const nearest_place *place, nearest_item best);

/* Take an entry out of its group. */
void nearest_remove(nearest_trees *trees, abut_index group, abut_index entry);

/* An item under a label; it may be under several. */
typedef struct nearest_label {
    abut_index numbers[3];
    abut_index item;
} nearest_label;

/* The labels of one of two sets: items with equal labels are in one tree. */
typedef struct nearest_labels {
    const nearest_label *labels;
    abut_index count;
    const nearest_place *places; /* of the items */
} nearest_labels;

/* Two sets, each with a tree for every label that either has. Zero-initialize. */
typedef struct nearest_groups {
    nearest_trees trees[2];
    abut_index *groups[2];  /* of each label its tree */
    abut_index *entries[2]; /* and its entry there */
} nearest_groups;

/* ABUT_OK or ABUT_NO_MEMORY; free it in any case. */
abut_status nearest_group(nearest_groups *g, const nearest_labels sets[2]);
void nearest_ungroup(nearest_groups *g);

/* The best item of the other set under the same label as the `label`-th of the set `side`, which is
 * at `place`, or `best`. */
static inline nearest_item nearest_find_alike(const nearest_groups *g, int side, abut_index label,
                                              const nearest_rule *rule, const nearest_place *place,
                                              nearest_item best)
{
    return nearest_find(&g->trees[1 - side], g->groups[side][label], rule, place, best);
}

/* The item with this label is there no more. */
static inline void nearest_drop(nearest_groups *g, int side, abut_index label)
{
    nearest_remove(&g->trees[side], g->groups[side][label], g->entries[side][label]);
}

/* Two sets of items that are to be matched. */
typedef struct nearest_match {
    abut_index counts[2];
    void *context;
    /* The best item of the other set that is left, for one of the set `side`; INTPTR_MAX: none. Two
     * items must suit each other equally, whoever asks. */
    nearest_item (*find)(void *context, int side, abut_index item);
    /* Match two: neither is found any more. */
    void (*take)(void *context, abut_index first, abut_index second);
} nearest_match;

/* ABUT_OK, ABUT_NO_MEMORY, or what parallel_report says. */
abut_status nearest_match_all(const nearest_match *m, parallel_job *job);

#endif
