/* Other bases of a lattice: other vectors that lead to the same images. */
#ifndef BASE_LATTICE_BASIS_H
#define BASE_LATTICE_BASIS_H

#include "lattice.h"

/* Whole numbers of a basis are at most this large, so doubles hold them and their sums. */
#define BASIS_LIMIT 0x1p52

/* A basis of a given lattice, and the whole numbers that lead from one to the other. */
typedef struct lattice_basis {
    lattice lattice;
    vec3 given[3];
    vec3 numbers[3]; /* lattice.vectors = numbers @ given */
    vec3 back[3];    /* the inverse: given = back @ lattice.vectors */
} lattice_basis;

/* The basis that a lattice has. */
lattice_basis lattice_basis_of(const lattice *l);

/* Exchanges one vector h_a for h_a - n h_b, or for h_a + s h_b + t h_c with s and t 1 or -1. The
 * first of these that is shorter than h_a is taken: a before b before c, n the number for which it
 * is shortest. Returns false, and changes nothing, if all are at least as long as h_a. */
bool lattice_exchange(lattice_basis *basis);

/* A reduced basis: lattice_exchange would return false. Its vectors are the shortest of the lattice
 * that can form a basis. Vectors that are 0 stay 0. A basis with vectors along the axes is reduced.
 * If whole numbers would exceed BASIS_LIMIT, the basis is not reduced any further. */
lattice_basis lattice_reduce(const lattice *l);

/* The names of an image of the given lattice in the basis, and the reverse. */
vec3 lattice_basis_image(const lattice_basis *basis, vec3 given);
vec3 lattice_basis_given(const lattice_basis *basis, vec3 image);

/* The image, in the given lattice, of the shift that is nearest to a vector. `reduced` is from
 * lattice_reduce. In cells along the axes this is lattice_nearest_image. */
vec3 lattice_closest_image(const lattice_basis *reduced, vec3 apart);

/* The image, in the given lattice, to which the shortest vector leads; of this image and its
 * opposite, the later one in lexicographic order. 0: space does not repeat. */
vec3 lattice_shortest_image(const lattice_basis *reduced);

#endif
