/* Walls under LAMMPS. */
#ifndef ABUT_LAMMPS_H
#define ABUT_LAMMPS_H

#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- walls under LAMMPS ----
 *
 * Walls of a simulation that LAMMPS steps, on any number of ranks: what its `fix external` calls
 * adds forces and torques of contacts with walls to its atoms, which are spheres. The library is
 * not linked with LAMMPS: it is given the addresses of the functions that it calls. What a contact
 * carries to the next step lies in LAMMPS' per-atom data, so that it goes along when atoms change
 * ranks, are sorted, or are written to restart files. For an atom with k contacts these are
 *
 *     fix ... property/atom i_NAME_count i2_NAME_keys 6 d2_NAME_states 15 &
 *         i2_NAME_more_keys 6*(slots-1) d2_NAME_more_states 15*(slots-1) ghost no
 *
 * 0 without contacts, else k + 65536 slots, which tells data that were written with another number
 * of slots; and what the contacts are on and what they carry: of the first of them, and of those
 * after it where there are several slots.
 *
 * Time is LAMMPS' own, and no pose is ever added up. A call whose step does not follow that of the
 * call before, or the first one, is that of the setup of a run: forces are those of the atoms where
 * they are, and nothing that contacts carry changes.
 *
 * Who calls sees to it that atoms have radii, masses, spins and torques of their own, that the box
 * is not tilted, and that in LAMMPS' units force is mass times acceleration. */
typedef struct abut_lammps abut_lammps;

/* What a slot has: the numbers of mesh and facet, 4 feature + type, and the image; spring, roll,
 * point, normal, overlap, tilt and the largest overlap. */
enum { ABUT_LAMMPS_KEYS = 6, ABUT_LAMMPS_STATES = 15 };

/* The most slots. */
enum { ABUT_LAMMPS_SLOTS = 32767 };

typedef struct abut_lammps_input {
    void *lammps; /* its handle */

    /* lammps_extract_atom, lammps_extract_global, lammps_force_timeout and
     * lammps_fix_external_set_vector */
    void *(*extract_atom)(void *lammps, const char *name);
    void *(*extract_global)(void *lammps, const char *name);
    void (*force_timeout)(void *lammps);
    void (*set_vector)(void *lammps, const char *fix, int number, double value);

    const char *name; /* NAME of the fix and of the per-atom data */
    int slots;        /* contacts that an atom has room for: 1 ... ABUT_LAMMPS_SLOTS */
    int group_bit;    /* atoms whose mask has none of its bits are left alone */
    int id_bytes;     /* 4 or 8: of an atom's number */
    abut_resolution resolution;

    /* Meshes are borrowed until the end, laws and walls copied. Atoms are of material 0. */
    const abut_mesh *const *meshes;
    abut_index mesh_count;
    const abut_wall *walls; /* as abut_simulation_set_walls has them */
    abut_index wall_count;
    const abut_index *order; /* wall_count: the place of each wall in abut_lammps_loads */
    const abut_law *laws;    /* material_count x material_count */
    abut_index material_count;

    /* Called before each step, where walls that are given may be placed; other than 0 ends the run.
     * May be NULL. */
    int (*before_step)(void *data, double time);
    /* Called when a call fails, before the run is ended; may be NULL. */
    void (*failed)(void *data, const abut_error *error);
    /* Adds up numbers over all processes, in each call; other than 0 ends the run. NULL: there is
     * one process. */
    int (*add_up)(void *data, double *values, abut_index count);
    void *data;
} abut_lammps_input;

abut_status abut_lammps_build(const abut_lammps_input *input, abut_lammps **walls,
                              abut_error *error);
void abut_lammps_free(abut_lammps *walls);

/* What `fix external ... pf/callback` is to call, with the abut_lammps as its pointer; 64-bit steps
 * alone. Where it fails, this and all later calls give no forces, and LAMMPS is told to end the
 * run, until abut_lammps_take_error. */
void abut_lammps_callback(void *walls, int64_t step, int count, void *ids, double **centers,
                          double **forces);

/* The error of the call that failed, once: ABUT_OK where none has. Atoms are called by LAMMPS'
 * numbers. */
abut_error abut_lammps_take_error(abut_lammps *walls);

/* Other motions of the walls, as many as there are. */
abut_status abut_lammps_set_walls(abut_lammps *walls, const abut_wall *with, abut_error *error);

/* What all spheres of all processes exert on each wall, in the last call. The vector of the fix has
 * the same numbers: 7 for each wall, force, torque and power. */
const abut_wall_load *abut_lammps_loads(const abut_lammps *walls);

/* LAMMPS' time now, which abut_simulation_wall_now is of from then on. */
double abut_lammps_now(abut_lammps *walls);

/* The longest step that is stable where spheres of this process touch walls as they did in the last
 * call, for the walls alone. INFINITY: none does. */
abut_status abut_lammps_stable_step(abut_lammps *walls, double *step);

/* Likewise of spheres that touch no wall, as if each had its first contact with one. What is not
 * finite is left out. */
double abut_lammps_free_step(const abut_lammps *walls, abut_index count, const double *radii,
                             const double *masses, const double *speeds);

/* Its walls and contacts: abut_simulation_wall, _wall_now, _place, _count_interactions and
 * _write_interactions are for the last call, and spheres are those of LAMMPS' local atoms that are
 * in the group. */
abut_simulation *abut_lammps_simulation(abut_lammps *walls);

/* The spheres of the last call, and their atoms' numbers: room for as many. */
abut_index abut_lammps_sphere_count(const abut_lammps *walls);
void abut_lammps_read_ids(const abut_lammps *walls, abut_index *ids);

/* The box of the last call, as of abut_simulation_input. */
void abut_lammps_read_period(const abut_lammps *walls, double period[3]);

/* What the calls took. */
typedef struct abut_lammps_statistics {
    abut_index call_count;
    double seconds;         /* of all calls */
    double find_walls;      /* of these, the search */
    double wall_laws;       /* and the laws */
    abut_index build_count; /* of finders of the facets that are near */
    abut_index read_count;  /* calls that read slots: atoms had come, gone or been sorted, or it was
                               the first step of a run */
    abut_index byte_count;  /* memory of its bins and tables */
} abut_lammps_statistics;

abut_lammps_statistics abut_lammps_inspect(const abut_lammps *walls);

#ifdef __cplusplus
}
#endif

#endif
