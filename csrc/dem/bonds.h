/* Bonds: beams between two spheres, which hold them until they break (docs/dem.md, section 12).
 * They know spheres by rows, so nothing depends on where spheres are stored. */
#ifndef DEM_BONDS_H
#define DEM_BONDS_H

#include "../abut/simulation.h"
#include "../base/memory.h"
#include "../base/vec3.h"

enum { TENSION = 0, SHEAR = 1 };

typedef struct bond {
    int32_t rows[2]; /* the first is smaller */
    abut_index ids[2];
    double young, poisson, radius;
    double strengths[2]; /* TENSION, SHEAR */
    double damping;
    double length; /* without force */
    double
        rest_overlap;   /* of the spheres when they were bonded; 0 where their law acts beside it */
    int32_t shift[3];   /* periods from the second sphere's place, without its images, to the end */
    bool has_contact;   /* the law of the two spheres acts beside it */
    double turns[2][4]; /* a quaternion an end: from the bond's axes, of which x goes along it when
                           it begins, to the world; at a cluster's member to its principal axes */
} bond;

/* What follows from a bond and its two spheres. */
typedef struct bond_stiffness {
    double stretch, shear, mixed, twist;          /* k_n, B2, B3, B4 */
    double bend;                                  /* k_b */
    double dampers[4];                            /* along, across, in bending, in twist */
    double inv_area, bend_section, twist_section; /* stresses by force and moments */
} bond_stiffness;

/* What a bond exerts in a step, and how near it is to breaking. */
typedef struct bond_effect {
    vec3 force;      /* on the first sphere; the second has the opposite */
    vec3 moments[2]; /* on either sphere */
    vec3 middle;     /* between both centers */
    double energy;
    double parts[2]; /* of both strengths */
    bool is_broken;  /* it exerts nothing, and goes after the step */
    bool is_of_shear;
} bond_effect;

/* Two spheres whose bond has broken, and that have overlapped since: their law counts overlaps
 * beyond that which they had when they were bonded. */
typedef struct bond_rest {
    int32_t rows[2], shift[3];
    double overlap;
    bool has_parted; /* in this step */
} bond_rest;

typedef struct bond_breakage {
    abut_index step; /* how many were done before */
    abut_index ids[2];
    vec3 point;
    double energy;
    bool is_of_shear;
} bond_breakage;

/* Blocks of memory: those of arrays that take turns, and how many there are. */
enum { NOW_BLOCK = 2, BEFORE_BLOCK = 3, BOND_BLOCKS = 8 };

/* All bonds, sorted by rows. Zero-initialize. */
typedef struct bond_set {
    bond *bonds;
    bond_stiffness *stiffness;
    bond_effect *now, *before; /* of this step, which is none outside of one, and of the last one
                                  that was done */
    abut_index count;
    int32_t *begins;         /* of each row its ends in `ends`, sorted by the other sphere's row */
    int32_t *ends;           /* 2 bond + 1 where the row is its second */
    bool has_hidden;         /* some spheres' law does not act beside their bond */
    abut_index broken_count; /* in this step */

    bond_rest *rests; /* sorted by rows */
    abut_index rest_count;
    abut_index parted_count; /* in this step */

    bond_breakage *breakages; /* in their order */
    abut_index breakage_count;

    memory_block blocks[BOND_BLOCKS];
} bond_set;

/* Room for so many bonds and spheres. ABUT_OK or ABUT_NO_MEMORY, with everything as it was. */
abut_status bonds_reserve(bond_set *b, abut_index count, abut_index row_count);

/* Room for what follows where so many break. Likewise. */
abut_status bonds_reserve_broken(bond_set *b, abut_index count);
void bonds_free(bond_set *b);

/* Whether one bond of a set is before another one by rows, as sort_by_merging asks. */
bool bonds_is_before(const void *set, abut_index a, abut_index b);

/* Take in others, of other spheres, in their order by rows; there is room. */
void bonds_merge(bond_set *b, const bond_set *made, const abut_index *order);

/* List the ends of each row, after bonds have changed. Room for it is there. */
void bonds_list_ends(bond_set *b, abut_index row_count);

/* The number of the bond of two rows, of which the first is smaller; -1: there is none. */
abut_index bonds_find(const bond_set *b, int32_t first, int32_t second);

/* Rests by their rows, as qsort asks. */
int bonds_compare_rests(const void *a, const void *b);

/* The rest of two rows, likewise; NULL: they have none. */
const bond_rest *bonds_find_rest(const bond_set *b, int32_t first, int32_t second);

/* Leave out bonds whose mark is set, with what they exert. Ends are to be listed then. */
void bonds_drop(bond_set *b, bool (*is_gone)(const bond_set *b, abut_index number));

/* Likewise of rests. */
void bonds_drop_rests(bond_set *b, bool (*is_gone)(const bond_set *b, const bond_rest *rest));

/* Leave out those of spheres that have no new row; the others get theirs, which ascend as before.
 */
void bonds_renumber(bond_set *b, const int32_t *new_rows, abut_index row_count);

/* Take away those that are marked as broken in the last step. Spheres that overlapped when they
 * were bonded rest from now on; there is room for them. */
void bonds_leave(bond_set *b, abut_index row_count);

/* Go on after the step of this number: what has broken in it goes, and is booked. */
void bonds_keep(bond_set *b, abut_index row_count, abut_index step);

/* A step that has failed: nothing has broken or parted in it. */
void bonds_forget_step(bond_set *b);

#endif
