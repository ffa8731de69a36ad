/* Walls for LAMMPS. */
#ifndef ABUT_LAMMPS_H
#define ABUT_LAMMPS_H

#include "simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- walls under LAMMPS ----
 *
 * Walls for simulations that LAMMPS runs, on any number of ranks. Its `fix external` calls a
 * function that adds forces and torques of contacts with walls to LAMMPS' atoms, which are spheres.
 * The library is not linked with LAMMPS: the caller passes the addresses of LAMMPS' functions. The
 * contact history is stored in LAMMPS' per-atom data. So it stays with an atom that changes ranks,
 * is sorted, or is written to a restart file. The data of an atom with k contacts are
 *
 *     fix ... property/atom i_NAME_count i2_NAME_keys 6 d2_NAME_states 15 &
 *         i2_NAME_more_keys 6*(slots-1) d2_NAME_more_states 15*(slots-1) ghost no
 *
 * The count is 0 without contacts, and otherwise k + 65536 slots, so that data with another number
 * of slots are detected. Keys have the features of contacts, states their history. The first
 * contact of an atom is in arrays of its own. If atoms have several slots, the arrays `more` have
 * the others.
 *
 * Poses are computed from LAMMPS' time, and never accumulated. A call whose step does not follow
 * that of the call before, or the first call, belongs to the setup of a run: it adds forces at the
 * present places of the atoms, and changes no contact history.
 *
 * The caller makes sure that atoms have radii, masses, spins and torques of their own, that the box
 * is not tilted, and that in LAMMPS' units force is mass times acceleration. */
typedef struct abut_lammps abut_lammps;

/* The lengths of a slot. Keys: the numbers of mesh and facet, 4 feature + type, and the image.
 * States: spring, rolling spring, point, normal, overlap, tilt and largest overlap. */
enum { ABUT_LAMMPS_KEYS = 6, ABUT_LAMMPS_STATES = 15 };

/* The largest number of slots per atom. */
enum { ABUT_LAMMPS_SLOTS = 32767 };

typedef struct abut_lammps_input {
    void *lammps; /* the handle of LAMMPS */

    /* The functions lammps_extract_atom, lammps_extract_global, lammps_force_timeout and
     * lammps_fix_external_set_vector. */
    void *(*extract_atom)(void *lammps, const char *name);
    void *(*extract_global)(void *lammps, const char *name);
    void (*force_timeout)(void *lammps);
    void (*set_vector)(void *lammps, const char *fix, int number, double value);

    const char *name; /* NAME in the names of the fix and of per-atom data */
    int slots;        /* largest number of contacts of an atom, 1 ... ABUT_LAMMPS_SLOTS */
    int group_bit;    /* atoms without any of these bits in their mask are ignored */
    int id_bytes;     /* bytes of an atom's id: 4 or 8 */
    abut_resolution resolution;

    /* Meshes are borrowed as long as the walls exist; laws and walls are copied. Atoms are of
     * material 0. */
    const abut_mesh *const *meshes;
    abut_index mesh_count;
    const abut_wall *walls; /* as in abut_simulation_set_walls */
    abut_index wall_count;
    const abut_index *order; /* wall_count: the position of each wall in abut_lammps_loads */
    const abut_law *laws;    /* material_count x material_count */
    abut_index material_count;

    /* Called before each step. It may set the poses of walls with the motion ABUT_GIVEN. A value
     * other than 0 ends the run. May be NULL. */
    int (*before_step)(void *data, double time);
    /* Called when a call fails, before the run is ended. May be NULL. */
    void (*failed)(void *data, const abut_error *error);
    /* Adds up numbers over all processes, in each call. A value other than 0 ends the run. NULL:
     * there is one process. */
    int (*add_up)(void *data, double *values, abut_index count);
    void *data;
} abut_lammps_input;

abut_status abut_lammps_build(const abut_lammps_input *input, abut_lammps **walls,
                              abut_error *error);
void abut_lammps_free(abut_lammps *walls);

/* The function that `fix external ... pf/callback` must call, with the abut_lammps as its pointer;
 * only for 64-bit steps. If a call fails, it ends the LAMMPS run. Then this and all later calls
 * give no forces, until abut_lammps_take_error is called. */
void abut_lammps_callback(void *walls, int64_t step, int count, void *ids, double **centers,
                          double **forces);

/* Returns the error of the failed call, and clears it. ABUT_OK: no call has failed. Numbers of
 * atoms are LAMMPS' ids. */
abut_error abut_lammps_take_error(abut_lammps *walls);

/* Replaces the motions of all walls. The number of walls cannot change. */
abut_status abut_lammps_set_walls(abut_lammps *walls, const abut_wall *with, abut_error *error);

/* The load of all spheres of all processes on each wall, in the last call. The vector of the fix
 * has the same numbers: for each wall 7, which are force, torque and power. */
const abut_wall_load *abut_lammps_loads(const abut_lammps *walls);

/* Returns LAMMPS' present time, which abut_simulation_wall_now uses from then on. */
double abut_lammps_now(abut_lammps *walls);

/* The longest step that is stable for the present contacts of this process' spheres with walls.
 * Only the laws of walls count. INFINITY: no sphere touches a wall. */
abut_status abut_lammps_stable_step(abut_lammps *walls, double *step);

/* The longest step that is stable for spheres without contacts, as if each had its first contact
 * with a wall. Spheres with numbers that are not finite are ignored. */
double abut_lammps_free_step(const abut_lammps *walls, abut_index count, const double *radii,
                             const double *masses, const double *speeds);

/* The simulation with the walls and contacts of the last call. Use abut_simulation_wall, _wall_now,
 * _place, _count_interactions and _write_interactions with it. Its spheres are those of LAMMPS'
 * local atoms that are in the group. */
abut_simulation *abut_lammps_simulation(abut_lammps *walls);

/* The number of spheres in the last call. */
abut_index abut_lammps_sphere_count(const abut_lammps *walls);
/* Copies the ids of these spheres' atoms into `ids`, which has one element for each sphere. */
void abut_lammps_read_ids(const abut_lammps *walls, abut_index *ids);

/* The periods of the box in the last call, as in abut_simulation_input. */
void abut_lammps_read_period(const abut_lammps *walls, double period[9]);

/* The work and time of all calls. */
typedef struct abut_lammps_statistics {
    abut_index call_count;
    double seconds;         /* time of all calls */
    double find_walls;      /* time of the search in seconds */
    double wall_laws;       /* time of the laws in seconds */
    abut_index build_count; /* number of finders built for the facets near this process' spheres */
    abut_index read_count;  /* number of calls that read slots: in the first step of a run, or after
                               atoms were changed or sorted */
    abut_index byte_count;  /* memory of bins and tables */
} abut_lammps_statistics;

abut_lammps_statistics abut_lammps_inspect(const abut_lammps *walls);

#ifdef __cplusplus
}
#endif

#endif
