/* LAMMPS' atoms as the spheres of a simulation, and the forces of contacts on them. */
#include <string.h>

#include "../dem/move.h"
#include "../dem/parts.h"
#include "rank.h"

/* ---- LAMMPS' arrays ---- */

static void *extract(const abut_lammps *w, const char *name)
{
    return w->input.extract_atom(w->input.lammps, name);
}

/* The first of consecutive rows; NULL: there are none. */
static double *extract_rows(const abut_lammps *w, const char *name)
{
    double **rows = extract(w, name);
    return rows ? rows[0] : NULL;
}

static bool extract_slots(const abut_lammps *w, const char *keys, const char *states,
                          lammps_slots *slots)
{
    int **rows = extract(w, keys);
    *slots = (lammps_slots){rows ? rows[0] : NULL, extract_rows(w, states)};
    return slots->keys && slots->states;
}

abut_status lammps_read_atoms(abut_lammps *w, abut_error *error)
{
    lammps_atoms *a = &w->atoms;
    if (a->count == 0) {
        return ABUT_OK; /* without atoms LAMMPS may have no arrays */
    }
    a->velocities = extract_rows(w, "v");
    a->spins = extract_rows(w, "omega");
    a->torques = extract_rows(w, "torque");
    a->radii = extract(w, "radius");
    a->masses = extract(w, "rmass");
    a->masks = extract(w, "mask");
    a->counts = extract(w, w->names.count);
    const bool has_slots = extract_slots(w, w->names.keys, w->names.states, &a->first) &&
                           (w->input.slots == 1 ||
                            extract_slots(w, w->names.more_keys, w->names.more_states, &a->others));
    const bool has_all = a->velocities && a->spins && a->torques && a->radii && a->masses &&
                         a->masks && a->counts && has_slots;
    return has_all ? ABUT_OK : error_set_status(error, ABUT_ATOM_DATA);
}

/* ---- spheres ---- */

static abut_index count_members(const abut_lammps *w)
{
    abut_index count = 0;
    for (abut_index atom = 0; atom < w->atoms.count; atom++) {
        count += lammps_is_member(w, atom);
    }
    return count;
}

/* Sets the rows, places and materials of spheres that are new in the store. */
static void number_spheres(abut_lammps *w, abut_index count)
{
    store *spheres = &w->simulation->store;
    for (; w->numbered < count; w->numbered++) {
        spheres->rows[w->numbered] = spheres->places[w->numbered] = (int32_t)w->numbered;
        spheres->materials[w->numbered] = 0;
    }
}

static abut_status reserve_spheres(abut_lammps *w, abut_index count)
{
    store *spheres = &w->simulation->store;
    const abut_index room = spheres->count;
    spheres->count = 0; /* avoids copying the present spheres */
    if (store_reserve(spheres, count)) {
        spheres->count = room;
        return ABUT_NO_MEMORY;
    }
    spheres->count = count;
    w->members = memory_reserve(&w->member_block, w->has_members ? count : 0, sizeof *w->members);
    w->ids = memory_reserve(&w->id_block, count, (size_t)w->input.id_bytes);
    return w->members && w->ids ? ABUT_OK : ABUT_NO_MEMORY;
}

/* Copies the atoms of the group to spheres. */
static void gather_members(abut_lammps *w)
{
    store *spheres = &w->simulation->store;
    abut_index place = 0;
    for (abut_index atom = 0; atom < w->atoms.count; atom++) {
        if (lammps_is_member(w, atom)) {
            memcpy(spheres->centers + 3 * place, w->atoms.centers + 3 * atom,
                   3 * sizeof *spheres->centers);
            spheres->radii[place] = w->atoms.radii[atom];
            w->members[place++] = (int32_t)atom;
        }
    }
}

/* Keeps the ids of this call's atoms, because LAMMPS may sort its atoms before they are read. */
static void keep_ids(abut_lammps *w, abut_index count)
{
    const size_t size = (size_t)w->input.id_bytes;
    const char *from = w->atoms.ids;
    char *to = w->ids;
    if (!w->has_members && count > 0) {
        w->has_same_ids = w->has_same_ids && memcmp(to, from, (size_t)count * size) == 0;
        memcpy(to, from, (size_t)count * size);
    }
    for (abut_index place = 0; w->has_members && place < count; place++, to += size) {
        const char *id = from + (size_t)w->members[place] * size;
        w->has_same_ids = w->has_same_ids && memcmp(to, id, size) == 0;
        memcpy(to, id, size);
    }
}

abut_status lammps_lend_spheres(abut_lammps *w, abut_error *error)
{
    store *spheres = &w->simulation->store;
    const abut_index count = count_members(w);
    w->has_members = count < w->atoms.count;
    if (reserve_spheres(w, count)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    number_spheres(w, count);
    w->own_centers = spheres->centers, w->own_radii = spheres->radii;
    if (w->has_members) {
        gather_members(w);
    } else if (count > 0) {
        /* the cast removes const, but searches only read */
        spheres->centers = (double *)w->atoms.centers, spheres->radii = (double *)w->atoms.radii;
    }
    w->has_same_ids = count == w->id_count;
    w->id_count = count;
    keep_ids(w, count);
    return ABUT_OK;
}

void lammps_return_spheres(abut_lammps *w)
{
    store *spheres = &w->simulation->store;
    spheres->centers = w->own_centers, spheres->radii = w->own_radii;
}

static abut_status read_sphere(abut_lammps *w, abut_index place, abut_error *error)
{
    store *spheres = &w->simulation->store;
    const abut_index atom = lammps_atom(w, place);
    const double mass = w->atoms.masses[atom];
    if (!(mass > 0.0 && mass <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_ATOM_MASS, lammps_id(w, atom), 0, mass);
    }
    mover *b = &spheres->movers[place];
    memcpy(b->velocity, w->atoms.velocities + 3 * atom, sizeof b->velocity);
    memcpy(b->spin, w->atoms.spins + 3 * atom, sizeof b->spin);
    b->radius = spheres->radii[place];
    b->mass = mass;
    spheres->inertias[place] = store_inertia(mass, b->radius);
    return ABUT_OK;
}

abut_status lammps_read_touching(abut_lammps *w, abut_error *error)
{
    const interaction_table *t = &w->simulation->now->tables[ABUT_SPHERE_WALL];
    abut_status status = ABUT_OK;
    for (abut_index row = 0; !status && row < t->count; row = table_sphere_end(t, row)) {
        status = read_sphere(w, t->contact.sphere[row], error);
    }
    return status;
}

/* ---- forces ---- */

/* The torque of rolling friction of type A. It acts against the spin that LAMMPS' torques so far
 * give at the next half step. */
static vec3 brake_torque(const abut_lammps *w, abut_index place, vec3 torque, double brake)
{
    const double step = *w->globals.step, inertia = w->simulation->store.inertias[place];
    const vec3 spin = vec3_load(w->simulation->store.movers[place].spin);
    const vec3 next = vec3_add(spin, vec3_scale(torque, step / inertia));
    const vec3 less = spheres_brake(next, brake, step, inertia);
    return vec3_scale(vec3_sub(less, next), inertia / step);
}

static abut_status add_sphere(const abut_lammps *w, abut_index place, abut_error *error)
{
    const abut_index atom = lammps_atom(w, place);
    double *torques = w->atoms.torques + 3 * atom;
    sphere_sum sum = {.brake = 0.0};
    forces_add_contacts(w->simulation, place, w->simulation->store.movers[place].radius, &sum);
    const vec3 force = sum.force;
    vec3 torque = vec3_add(vec3_load(torques), sum.torque);
    if (sum.brake > 0.0) {
        torque = vec3_add(torque, brake_torque(w, place, torque, sum.brake));
    }
    if (!isfinite(force.x + force.y + force.z) || !isfinite(torque.x + torque.y + torque.z)) {
        return error_set(error, ABUT_ATOM_FORCE, lammps_id(w, atom), 0, 0.0);
    }
    vec3_store(w->atoms.forces + 3 * atom, force);
    vec3_store(torques, torque);
    return ABUT_OK;
}

abut_status lammps_add_forces(abut_lammps *w, abut_error *error)
{
    const interaction_table *t = &w->simulation->now->tables[ABUT_SPHERE_WALL];
    abut_status status = ABUT_OK;
    for (abut_index row = 0; !status && row < t->count; row = table_sphere_end(t, row)) {
        status = add_sphere(w, t->contact.sphere[row], error);
    }
    return status;
}
