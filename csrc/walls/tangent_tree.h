/* Contacts of one sphere by the direction of their points: whether any of thousands that are kept
 * eliminates another one, without a look at all of them. */
#ifndef WALLS_TANGENT_TREE_H
#define WALLS_TANGENT_TREE_H

#include "../base/memory.h"
#include "candidates.h"

/* The tilt of a tangent plane that noise, or the angle that is to count as flat, explains. */
double tangent_tilt(double noise, double normal_noise, double distance, double flat_tilt);

/* Whether contact j eliminates i. */
typedef bool (*tangent_rule)(const kept *k, int32_t j, int32_t i, double flat_tilt);

/* A contact of the tree, by rank. */
typedef struct tangent {
    vec3 direction; /* from the center to the point, unit */
    uint64_t code;  /* of the direction, on a curve through space */
    int32_t item;   /* number of the candidate */
    int32_t
        before; /* rank of the contact with a normal of its own that was kept before; -1: none */
    bool is_kept;
} tangent;

/* The directions of some contacts, and what is kept of these. */
typedef struct tangent_cone {
    vec3 axis;
    double cosine, sine;                  /* of the half angle */
    double distance, noise, normal_noise; /* the least and the most; INFINITY: none is kept */
} tangent_cone;

typedef struct tangent_tree {
    const kept *of;
    abut_index count;
    int depth;
    tangent *tangents;          /* count, by rank */
    abut_index *ranks, *places; /* count: of each place along the curve the rank, and back */
    tangent_cone *cones;        /* from 1 on; cone n has 2 n and 2 n + 1 */
    int32_t last_own;           /* rank of the last kept one with a normal of its own */
} tangent_tree;

/* Contacts get ranks 0, 1, ... in the order of `first` and `second`; none is kept yet. ABUT_OK or
 * ABUT_NO_MEMORY. Zero-initialize. */
abut_status tangent_tree_build(tangent_tree *tree, const touching *first, const touching *second);
void tangent_tree_keep(tangent_tree *tree, abut_index rank);

/* Whether a kept contact, none of which is farther than contact i, eliminates it. */
bool tangent_tree_eliminates(const tangent_tree *tree, int32_t i, double flat_tilt,
                             tangent_rule eliminates);
void tangent_tree_free(tangent_tree *tree);

#endif
