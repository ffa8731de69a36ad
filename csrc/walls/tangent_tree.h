/* A tree of one sphere's contacts by the directions of their points. It finds whether any of
 * thousands of kept contacts eliminates another one, without comparing all of them. */
#ifndef WALLS_TANGENT_TREE_H
#define WALLS_TANGENT_TREE_H

#include "../base/memory.h"
#include "candidates.h"

/* The tilt of a tangent plane that noise explains, at least `flat_tilt`. */
double tangent_tilt(double noise, double normal_noise, double distance, double flat_tilt);

/* Whether contact j eliminates contact i. */
typedef bool (*tangent_rule)(const kept *k, int32_t j, int32_t i, double flat_tilt);

/* A contact of the tree, by rank. */
typedef struct tangent {
    vec3 direction; /* unit vector from the center to the point */
    uint64_t code;  /* number of the direction's cell, on a space-filling curve */
    int32_t item;   /* number of the candidate */
    int32_t before; /* rank of the previous kept contact with its surface's normal; -1 if there is
                       none */
    bool is_kept;
} tangent;

/* Directions of some contacts, and bounds of the kept ones among them. */
typedef struct tangent_cone {
    vec3 axis;
    double cosine, sine;                  /* for half the opening angle */
    double distance, noise, normal_noise; /* smallest distance, largest noises; distance INFINITY:
                                             none is kept */
} tangent_cone;

typedef struct tangent_tree {
    const kept *kept;
    abut_index count;
    int depth;
    tangent *tangents;          /* count, by rank */
    abut_index *ranks, *places; /* count: the rank of each place along the curve, and the place of
                                   each rank */
    tangent_cone *cones;        /* numbered from 1 on; cone n contains cones 2 n and 2 n + 1 */
    int32_t last_own;           /* rank of the last kept contact with its surface's normal */
} tangent_tree;

/* Builds a tree of contacts with ranks 0, 1, ..., in the order of `first`, then `second`; none is
 * kept yet. Zero-initialize `tree`. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status tangent_tree_build(tangent_tree *tree, const touching *first, const touching *second);
void tangent_tree_keep(tangent_tree *tree, abut_index rank);

/* Whether a kept contact eliminates contact i. No kept contact may be farther than i. */
bool tangent_tree_eliminates(const tangent_tree *tree, int32_t i, double flat_tilt,
                             tangent_rule eliminates);
void tangent_tree_free(tangent_tree *tree);

#endif
