/* The walls of one rank of LAMMPS: a simulation whose spheres and history are LAMMPS' own. */
#ifndef LAMMPS_RANK_H
#define LAMMPS_RANK_H

#include "../abut/lammps.h"
#include "../base/box.h"
#include "../dem/state.h"

/* Slots of all atoms: count x slots of each x ABUT_LAMMPS_KEYS and ABUT_LAMMPS_STATES. */
typedef struct lammps_slots {
    int *keys;
    double *states;
} lammps_slots;

/* LAMMPS' arrays, as they are during one call: by local atom, rows one after the other. */
typedef struct lammps_atoms {
    abut_index count;
    const double *centers, *velocities, *spins; /* count x 3 */
    const double *radii, *masses;
    const int *masks;
    const void *ids;
    double *forces, *torques; /* count x 3 */

    /* what contacts carry: how many there are, and their slots */
    int *counts;
    lammps_slots first, others; /* one slot each, and all but one */
} lammps_atoms;

/* What LAMMPS calls an atom's data. */
enum { LAMMPS_NAME_SIZE = 256 };
typedef struct lammps_names {
    char fix[LAMMPS_NAME_SIZE], count[LAMMPS_NAME_SIZE], keys[LAMMPS_NAME_SIZE],
        states[LAMMPS_NAME_SIZE];
    char more_keys[LAMMPS_NAME_SIZE], more_states[LAMMPS_NAME_SIZE];
} lammps_names;

/* What LAMMPS knows of time and its box; the addresses stay. */
typedef struct lammps_globals {
    const double *step, *time;
    const int64_t *time_step; /* at which it was that time */
    const int64_t *now;       /* the number of the step */
    const double *low, *high; /* of the box */
    const int *periodicity;
    const int *triclinic;
} lammps_globals;

struct abut_lammps {
    abut_lammps_input input;
    lammps_names names;
    lammps_globals globals;
    abut_simulation *simulation;
    const abut_mesh **meshes;
    abut_index most_nodes; /* of a contact */
    abut_wall_load *loads; /* what each wall bore in the last call, summed over all processes */
    abut_index *order;     /* the number of each wall in `loads` */

    lammps_atoms atoms; /* of the call in hand */
    bool has_members;   /* some atoms are not in the group */
    int32_t *members;   /* the atom of each sphere, where some are not in the group */
    void *ids;          /* LAMMPS' numbers of the spheres of the last call */
    abut_index id_count;
    bool has_same_ids; /* this call has the spheres of the last one, in the same order */
    bool has_table;    /* the simulation's table of the step before says what slots say */
    int32_t *holders;  /* the spheres whose atoms carry contacts of the step before */
    abut_index holder_count;
    memory_block member_block, id_block, holder_block;
    double *own_centers, *own_radii; /* the store's own columns, while LAMMPS' arrays are in their
                                        place during a call */
    abut_index numbered; /* how many spheres of the store have rows, places and materials */

    box covered;             /* facets of walls at rest that touch it are in the finder, */
    lattice covered_lattice; /* and those whose images by these periods do */
    abut_finder *finder;

    bool has_begun;
    int64_t last_step;
    abut_error error; /* of a call that failed */
    abut_index call_count, build_count, read_count;
    double seconds;
};

/* The atom of a sphere. */
static inline abut_index lammps_atom(const abut_lammps *w, abut_index sphere)
{
    return w->has_members ? w->members[sphere] : sphere;
}

static inline bool lammps_is_member(const abut_lammps *w, abut_index atom)
{
    return (w->atoms.masks[atom] & w->input.group_bit) != 0;
}

/* LAMMPS' number of an atom. */
static inline int64_t lammps_number(const abut_lammps_input *input, const void *ids, abut_index k)
{
    return input->id_bytes == 8 ? ((const int64_t *)ids)[k] : ((const int32_t *)ids)[k];
}

static inline int64_t lammps_id(const abut_lammps *w, abut_index atom)
{
    return lammps_number(&w->input, w->atoms.ids, atom);
}

/* Each returns ABUT_OK, or why the call fails. */

/* Look where LAMMPS has its arrays now. */
abut_status lammps_read_atoms(abut_lammps *w, abut_error *error);

/* The simulation's spheres become the atoms that are in the group; lammps_return_spheres before the
 * call ends. */
abut_status lammps_lend_spheres(abut_lammps *w, abut_error *error);
void lammps_return_spheres(abut_lammps *w);

/* See to it that the finder has what those spheres may touch. */
abut_status lammps_look_around(abut_lammps *w, abut_error *error);

/* How fast the spheres with contacts are, and how heavy. */
abut_status lammps_read_touching(abut_lammps *w, abut_error *error);

/* Contacts of the step before, from the slots; and those of this one into the slots. */
abut_status lammps_read_slots(abut_lammps *w, abut_error *error);
abut_status lammps_write_slots(abut_lammps *w, abut_error *error);

/* Add what contacts exert to LAMMPS' forces and torques. */
abut_status lammps_add_forces(abut_lammps *w, abut_error *error);

#endif
