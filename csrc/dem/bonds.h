/* Bonds: beams between two spheres that hold until they break (docs/dem.md, section 12). They refer
 * to spheres by row, so they do not depend on places. */
#ifndef DEM_BONDS_H
#define DEM_BONDS_H

#include "../abut/simulation.h"
#include "../base/memory.h"
#include "../base/vec3.h"

enum { TENSION = 0, SHEAR = 1 };

typedef struct bond {
    int32_t rows[2]; /* the rows of both spheres, the smaller one first */
    abut_index ids[2];
    double young, poisson, radius;
    double strengths[2]; /* for TENSION and SHEAR */
    double damping;
    double length;       /* the distance of the centers without load */
    double rest_overlap; /* the overlap when bonded; 0 if has_contact */
    int32_t shift[3];    /* periods from the second sphere's unwrapped center to the bonded image */
    bool has_contact;    /* the contact law acts in addition to the bond */
    double turns[2][4]; /* for each end a quaternion: from the bond's axes at the start (x along the
                           bond) to the world, or for a member of a cluster to the cluster's
                           principal axes */
} bond;

/* Stiffnesses and dampers that follow from a bond and its two spheres. */
typedef struct bond_stiffness {
    double stretch, shear, mixed, twist; /* k_n, B2, B3, B4 of docs/dem.md eq. 44 */
    double bend;                         /* k_b */
    double dampers[4];                   /* along the bond, across it, in bending and in torsion */
    double inv_area, bend_section, twist_section; /* stress per force or moment */
} bond_stiffness;

/* The force and moments of a bond in a step, and its stresses. */
typedef struct bond_effect {
    vec3 force;      /* on the first sphere; the opposite acts on the second */
    vec3 moments[2]; /* on the first and the second sphere */
    vec3 middle;     /* midway between both centers */
    double energy;
    double parts[2]; /* stress divided by strength, for TENSION and SHEAR */
    bool is_broken;  /* the bond exerts nothing in this step, and is removed after it */
    bool is_of_shear;
} bond_effect;

/* Two spheres that overlapped when they were bonded, and still overlap after their bond has broken.
 * Their law counts only overlap beyond this rest. */
typedef struct bond_rest {
    int32_t rows[2], shift[3];
    double overlap;
    bool has_parted; /* the spheres are found to be out of reach of their law in this step */
} bond_rest;

typedef struct bond_breakage {
    abut_index step; /* the number of steps completed before the step in which the bond broke */
    abut_index ids[2];
    vec3 point;
    double energy;
    bool is_of_shear;
} bond_breakage;

/* Numbers of memory blocks. NOW_BLOCK and BEFORE_BLOCK hold arrays that are swapped after a
 * step. */
enum { NOW_BLOCK = 2, BEFORE_BLOCK = 3, BOND_BLOCKS = 8 };

/* All bonds, sorted by rows. Zero-initialize. */
typedef struct bond_set {
    bond *bonds;
    bond_stiffness *stiffness;
    bond_effect *now;    /* effects in this step; undefined between steps */
    bond_effect *before; /* effects in the last completed step */
    abut_index count;
    /* by row: where the bond ends of a sphere begin; sorted by the row of the other sphere */
    int32_t *begins;
    int32_t *ends;   /* 2 * bond + side; side 0: the row is the bond's first, 1: its second */
    bool has_hidden; /* some bonds replace the contact law */
    abut_index broken_count; /* number of bonds that broke in this step */

    bond_rest *rests; /* sorted by rows */
    abut_index rest_count;
    abut_index parted_count; /* number of rests that parted in this step */

    bond_breakage *breakages; /* in the order in which the bonds broke */
    abut_index breakage_count;

    memory_block blocks[BOND_BLOCKS];
} bond_set;

/* Reserves memory for `count` bonds and `row_count` spheres. ABUT_OK, or ABUT_NO_MEMORY with
 * everything unchanged. */
abut_status bonds_reserve(bond_set *b, abut_index count, abut_index row_count);

/* Reserves memory for the rests and breakages of `count` more bonds. ABUT_OK, or ABUT_NO_MEMORY
 * with everything unchanged. */
abut_status bonds_reserve_broken(bond_set *b, abut_index count);
void bonds_free(bond_set *b);

/* Whether bond a of a set comes before bond b in the order by rows. Used by sort_by_merging. */
bool bonds_is_before(const void *set, abut_index a, abut_index b);

/* Merges new bonds into a set. Their pairs must have no bonds yet. order: sorts the new bonds by
 * rows. Memory must be reserved. */
void bonds_merge(bond_set *b, const bond_set *made, const abut_index *order);

/* Lists the ends of each row. Call it after bonds have changed, with memory of bonds_reserve. */
void bonds_list_ends(bond_set *b, abut_index row_count);

/* The number of the bond between two rows, first < second; -1: none. */
abut_index bonds_find(const bond_set *b, int32_t first, int32_t second);

/* Compares two rests by rows, for qsort. */
int bonds_compare_rests(const void *a, const void *b);

/* The rest of two rows, first < second; NULL: none. */
const bond_rest *bonds_find_rest(const bond_set *b, int32_t first, int32_t second);

/* Removes all bonds for which is_gone returns true. Call bonds_list_ends afterwards. */
void bonds_drop(bond_set *b, bool (*is_gone)(const bond_set *b, abut_index number));

/* Removes all rests for which is_gone returns true. */
void bonds_drop_rests(bond_set *b, bool (*is_gone)(const bond_set *b, const bond_rest *rest));

/* Replaces the rows of bonds and rests by new ones, which must be in the same order. Removes bonds
 * and rests of removed spheres (-1). */
void bonds_renumber(bond_set *b, const int32_t *new_rows, abut_index row_count);

/* Removes the bonds that are marked as broken in `before`. Adds a rest for each bond between
 * spheres that overlapped at first. bonds_reserve_broken must have made the memory. */
void bonds_remove_broken(bond_set *b, abut_index row_count);

/* Completes step `step`: removes the bonds that broke in it and records their breakages. */
void bonds_keep(bond_set *b, abut_index row_count, abut_index step);

/* Clears what a failed step has recorded about broken bonds and parted rests. */
void bonds_forget_step(bond_set *b);

#endif
