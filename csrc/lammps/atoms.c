/* LAMMPS' atoms as the spheres of a simulation, and the forces of contacts on them. */
#include <string.h>

#include "../dem/move.h"
#include "../dem/parts.h"
#include "rank.h"

/* ---- LAMMPS' arrays ---- */

static void *extract(const abut_lammps *rank, const char *name)
{
    return rank->input.extract_atom(rank->input.lammps, name);
}

/* LAMMPS' per-atom array of this name, all rows one after the other; NULL: there is none. */
static double *extract_rows(const abut_lammps *rank, const char *name)
{
    double **rows = extract(rank, name);
    return rows ? rows[0] : NULL;
}

static bool extract_slots(const abut_lammps *rank, const char *keys, const char *states,
                          lammps_slots *slots)
{
    int **rows = extract(rank, keys);
    *slots = (lammps_slots){rows ? rows[0] : NULL, extract_rows(rank, states)};
    return slots->keys && slots->states;
}

abut_status lammps_read_atoms(abut_lammps *rank, abut_error *error)
{
    lammps_atoms *a = &rank->atoms;
    if (a->count == 0) {
        return ABUT_OK; /* without atoms LAMMPS may have no arrays */
    }
    a->velocities = extract_rows(rank, "v");
    a->spins = extract_rows(rank, "omega");
    a->torques = extract_rows(rank, "torque");
    a->radii = extract(rank, "radius");
    a->masses = extract(rank, "rmass");
    a->masks = extract(rank, "mask");
    a->counts = extract(rank, rank->names.count);
    const bool has_slots =
        extract_slots(rank, rank->names.keys, rank->names.states, &a->first) &&
        (rank->input.slots == 1 ||
         extract_slots(rank, rank->names.more_keys, rank->names.more_states, &a->others));
    const bool has_all = a->velocities && a->spins && a->torques && a->radii && a->masses &&
                         a->masks && a->counts && has_slots;
    return has_all ? ABUT_OK : error_set_status(error, ABUT_ATOM_DATA);
}

/* ---- spheres ---- */

static abut_index count_members(const abut_lammps *rank)
{
    abut_index count = 0;
    for (abut_index atom = 0; atom < rank->atoms.count; atom++) {
        count += lammps_is_member(rank, atom);
    }
    return count;
}

/* Sets the rows, places and materials of spheres that are new in the store. */
static void number_spheres(abut_lammps *rank, abut_index count)
{
    store *spheres = &rank->simulation->store;
    for (; rank->numbered < count; rank->numbered++) {
        spheres->rows[rank->numbered] = spheres->places[rank->numbered] = (int32_t)rank->numbered;
        spheres->materials[rank->numbered] = 0;
    }
}

static abut_status reserve_spheres(abut_lammps *rank, abut_index count)
{
    store *spheres = &rank->simulation->store;
    const abut_index room = spheres->count;
    spheres->count = 0; /* so that store_reserve copies no spheres */
    if (store_reserve(spheres, count)) {
        spheres->count = room;
        return ABUT_NO_MEMORY;
    }
    spheres->count = count;
    rank->members =
        memory_reserve(&rank->member_block, rank->has_members ? count : 0, sizeof *rank->members);
    rank->ids = memory_reserve(&rank->id_block, count, (size_t)rank->input.id_bytes);
    return rank->members && rank->ids ? ABUT_OK : ABUT_NO_MEMORY;
}

/* Copies the atoms of the group to spheres. */
static void gather_members(abut_lammps *rank)
{
    store *spheres = &rank->simulation->store;
    abut_index place = 0;
    for (abut_index atom = 0; atom < rank->atoms.count; atom++) {
        if (lammps_is_member(rank, atom)) {
            memcpy(spheres->centers + 3 * place, rank->atoms.centers + 3 * atom,
                   3 * sizeof *spheres->centers);
            spheres->radii[place] = rank->atoms.radii[atom];
            rank->members[place++] = (int32_t)atom;
        }
    }
}

/* Copies the ids of this call's atoms. LAMMPS may sort its atoms before the ids are read. */
static void keep_ids(abut_lammps *rank, abut_index count)
{
    const size_t size = (size_t)rank->input.id_bytes;
    const char *from = rank->atoms.ids;
    char *to = rank->ids;
    if (!rank->has_members && count > 0) {
        rank->has_same_ids = rank->has_same_ids && memcmp(to, from, (size_t)count * size) == 0;
        memcpy(to, from, (size_t)count * size);
    }
    for (abut_index place = 0; rank->has_members && place < count; place++, to += size) {
        const char *id = from + (size_t)rank->members[place] * size;
        rank->has_same_ids = rank->has_same_ids && memcmp(to, id, size) == 0;
        memcpy(to, id, size);
    }
}

abut_status lammps_lend_spheres(abut_lammps *rank, abut_error *error)
{
    store *spheres = &rank->simulation->store;
    const abut_index count = count_members(rank);
    rank->has_members = count < rank->atoms.count;
    if (reserve_spheres(rank, count)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    number_spheres(rank, count);
    rank->own_centers = spheres->centers, rank->own_radii = spheres->radii;
    if (rank->has_members) {
        gather_members(rank);
    } else if (count > 0) {
        /* the cast removes const; searches only read these arrays */
        spheres->centers = (double *)rank->atoms.centers,
        spheres->radii = (double *)rank->atoms.radii;
    }
    rank->has_same_ids = count == rank->id_count;
    rank->id_count = count;
    keep_ids(rank, count);
    return ABUT_OK;
}

void lammps_return_spheres(abut_lammps *rank)
{
    store *spheres = &rank->simulation->store;
    spheres->centers = rank->own_centers, spheres->radii = rank->own_radii;
}

static abut_status read_sphere(abut_lammps *rank, abut_index place, abut_error *error)
{
    store *spheres = &rank->simulation->store;
    const abut_index atom = lammps_atom(rank, place);
    const double mass = rank->atoms.masses[atom];
    if (!(mass > 0.0 && mass <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_ATOM_MASS, lammps_id(rank, atom), 0, mass);
    }
    mover *sphere = &spheres->movers[place];
    memcpy(sphere->velocity, rank->atoms.velocities + 3 * atom, sizeof sphere->velocity);
    memcpy(sphere->spin, rank->atoms.spins + 3 * atom, sizeof sphere->spin);
    sphere->radius = spheres->radii[place];
    sphere->mass = mass;
    spheres->inertias[place] = store_inertia(mass, sphere->radius);
    return ABUT_OK;
}

abut_status lammps_read_touching(abut_lammps *rank, abut_error *error)
{
    const interaction_table *t = &rank->simulation->now->tables[ABUT_SPHERE_WALL];
    abut_status status = ABUT_OK;
    for (abut_index row = 0; !status && row < t->count; row = table_sphere_end(t, row)) {
        status = read_sphere(rank, t->contact.sphere[row], error);
    }
    return status;
}

/* ---- forces ---- */

/* The torque of rolling friction of type A, which brakes the spin of the next half step. */
static vec3 brake_torque(const abut_lammps *rank, abut_index place, vec3 torque, double brake)
{
    const double step = *rank->globals.step, inertia = rank->simulation->store.inertias[place];
    const vec3 spin = vec3_load(rank->simulation->store.movers[place].spin);
    const vec3 next = vec3_add(spin, vec3_scale(torque, step / inertia));
    const vec3 less = spheres_brake(next, brake, step, inertia);
    return vec3_scale(vec3_sub(less, next), inertia / step);
}

static abut_status add_sphere(const abut_lammps *rank, abut_index place, abut_error *error)
{
    const abut_index atom = lammps_atom(rank, place);
    double *torques = rank->atoms.torques + 3 * atom;
    sphere_sum sum = {.brake = 0.0};
    forces_add_contacts(rank->simulation, place, rank->simulation->store.movers[place].radius,
                        &sum);
    const vec3 force = sum.force;
    vec3 torque = vec3_add(vec3_load(torques), sum.torque);
    if (sum.brake > 0.0) {
        torque = vec3_add(torque, brake_torque(rank, place, torque, sum.brake));
    }
    if (!isfinite(force.x + force.y + force.z) || !isfinite(torque.x + torque.y + torque.z)) {
        return error_set(error, ABUT_ATOM_FORCE, lammps_id(rank, atom), 0, 0.0);
    }
    vec3_store(rank->atoms.forces + 3 * atom, force);
    vec3_store(torques, torque);
    return ABUT_OK;
}

abut_status lammps_add_forces(abut_lammps *rank, abut_error *error)
{
    const interaction_table *t = &rank->simulation->now->tables[ABUT_SPHERE_WALL];
    abut_status status = ABUT_OK;
    for (abut_index row = 0; !status && row < t->count; row = table_sphere_end(t, row)) {
        status = add_sphere(rank, t->contact.sphere[row], error);
    }
    return status;
}
