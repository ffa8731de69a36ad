/* The walls of one rank of LAMMPS. The spheres of the simulation are LAMMPS' atoms, and LAMMPS
 * stores the contact history. The row of a sphere is equal to its place here. */
#ifndef LAMMPS_RANK_H
#define LAMMPS_RANK_H

#include "../abut/lammps.h"
#include "../base/box.h"
#include "../dem/state.h"

/* Slots of atoms. Each has ABUT_LAMMPS_KEYS keys and ABUT_LAMMPS_STATES numbers of state. */
typedef struct lammps_slots {
    int *keys;
    double *states;
} lammps_slots;

/* LAMMPS' arrays during one call, by local atom. */
typedef struct lammps_atoms {
    abut_index count;
    const double *centers, *velocities, *spins; /* count x 3 */
    const double *radii, *masses;
    const int *masks;
    const void *ids;
    double *forces, *torques; /* count x 3 */

    /* contact history: for each atom its number of contacts, and their slots */
    int *counts;
    lammps_slots first, others; /* the first slot of each atom; all other slots */
} lammps_atoms;

/* LAMMPS' names of the fix and of per-atom data. */
enum { LAMMPS_NAME_SIZE = 256 };
typedef struct lammps_names {
    char fix[LAMMPS_NAME_SIZE], count[LAMMPS_NAME_SIZE], keys[LAMMPS_NAME_SIZE],
        states[LAMMPS_NAME_SIZE];
    char more_keys[LAMMPS_NAME_SIZE], more_states[LAMMPS_NAME_SIZE];
} lammps_names;

/* LAMMPS' global data. Their addresses do not change. */
typedef struct lammps_globals {
    const double *step, *time;
    const int64_t *time_step; /* the step of `time` */
    const int64_t *now;       /* the number of the present step */
    const double *low, *high; /* corners of the box */
    const int *periodicity;
    const int *triclinic;
} lammps_globals;

struct abut_lammps {
    abut_lammps_input input;
    lammps_names names;
    lammps_globals globals;
    abut_simulation *simulation;
    const abut_mesh **meshes;
    abut_index most_nodes; /* the largest number of nodes of any contact so far */
    abut_wall_load *loads; /* load of each wall in the last call, summed over all processes */
    abut_index *order;     /* position of each wall in `loads` */

    lammps_atoms atoms; /* of the present call */
    bool has_members;
    int32_t *members; /* by sphere: its atom, if some atoms are not in the group */
    void *ids;        /* LAMMPS' ids of the spheres of the last call */
    abut_index id_count;
    bool has_same_ids; /* this call has the same spheres as the last one, in the same order */
    bool has_table;    /* the table of the last step has the data of the slots */
    int32_t *holders;  /* the spheres that had contacts in the last step */
    abut_index holder_count;
    memory_block member_block, id_block, holder_block;
    double *own_centers, *own_radii; /* the store's own columns; during a call it uses LAMMPS'
                                        arrays instead if all atoms are in the group */
    abut_index numbered; /* number of spheres with rows, places and materials in the store */

    /* The finder has the facets of walls at rest that touch `covered` or an image of it, by the
     * periods of `covered_lattice`. */
    box covered;
    lattice covered_lattice;
    abut_finder *finder;

    bool has_begun;
    int64_t last_step;
    abut_error error; /* the error of the last failed call */
    abut_index call_count, build_count, read_count;
    double seconds;
};

/* The atom of a sphere. */
static inline abut_index lammps_atom(const abut_lammps *rank, abut_index place)
{
    return rank->has_members ? rank->members[place] : place;
}

static inline bool lammps_is_member(const abut_lammps *rank, abut_index atom)
{
    return (rank->atoms.masks[atom] & rank->input.group_bit) != 0;
}

/* The id that LAMMPS has stored at position k of `ids`. */
static inline int64_t lammps_number(const abut_lammps_input *input, const void *ids, abut_index k)
{
    return input->id_bytes == 8 ? ((const int64_t *)ids)[k] : ((const int32_t *)ids)[k];
}

static inline int64_t lammps_id(const abut_lammps *rank, abut_index atom)
{
    return lammps_number(&rank->input, rank->atoms.ids, atom);
}

/* Each function returns ABUT_OK or its error. */

/* Reads the addresses of LAMMPS' arrays. */
abut_status lammps_read_atoms(abut_lammps *rank, abut_error *error);

/* Makes the group's atoms the spheres of the simulation, until lammps_return_spheres. */
abut_status lammps_lend_spheres(abut_lammps *rank, abut_error *error);
void lammps_return_spheres(abut_lammps *rank);

/* Rebuilds the finder if it does not have all facets within reach of the spheres. */
abut_status lammps_cover_spheres(abut_lammps *rank, abut_error *error);

/* Reads the velocities and masses of spheres that have contacts. */
abut_status lammps_read_touching(abut_lammps *rank, abut_error *error);

/* Reads the contacts of the last step from the slots. */
abut_status lammps_read_slots(abut_lammps *rank, abut_error *error);
/* Writes the contacts of this step into the slots. */
abut_status lammps_write_slots(abut_lammps *rank, abut_error *error);

/* Adds forces and torques of contacts to LAMMPS' arrays. */
abut_status lammps_add_forces(abut_lammps *rank, abut_error *error);

#endif
