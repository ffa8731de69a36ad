/* LAMMPS' atoms as the spheres of a simulation, and what its contacts exert on them. */
#include <string.h>

#include "../dem/move.h"
#include "../dem/parts.h"
#include "rank.h"

/* ---- LAMMPS' arrays ---- */

static void *extract(const abut_lammps *w, const char *name)
{
    return w->input.extract_atom(w->input.lammps, name);
}

/* The first of the rows, which follow one another; NULL: there are none. */
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
        return ABUT_OK; /* LAMMPS need not have made any array */
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

/* Give rows, places and materials to spheres that the store has had none of. */
static void number_spheres(abut_lammps *w, abut_index count)
{
    store *of = &w->simulation->store;
    for (; w->numbered < count; w->numbered++) {
        of->rows[w->numbered] = of->places[w->numbered] = (int32_t)w->numbered;
        of->materials[w->numbered] = 0;
    }
}

static abut_status reserve_spheres(abut_lammps *w, abut_index count)
{
    store *of = &w->simulation->store;
    const abut_index room = of->count;
    of->count = 0; /* so that what spheres had is not copied */
    if (store_reserve(of, count)) {
        of->count = room;
        return ABUT_NO_MEMORY;
    }
    of->count = count;
    w->members = memory_reserve(&w->member_block, w->has_members ? count : 0, sizeof *w->members);
    w->ids = memory_reserve(&w->id_block, count, (size_t)w->input.id_bytes);
    return w->members && w->ids ? ABUT_OK : ABUT_NO_MEMORY;
}

/* Spheres of the atoms in the group. */
static void gather_members(abut_lammps *w)
{
    store *of = &w->simulation->store;
    abut_index k = 0;
    for (abut_index atom = 0; atom < w->atoms.count; atom++) {
        if (lammps_is_member(w, atom)) {
            memcpy(of->centers + 3 * k, w->atoms.centers + 3 * atom, 3 * sizeof *of->centers);
            of->radii[k] = w->atoms.radii[atom];
            w->members[k++] = (int32_t)atom;
        }
    }
}

/* Keep the numbers of this call's atoms: LAMMPS may have sorted them before anyone asks. */
static void keep_ids(abut_lammps *w, abut_index count)
{
    const size_t size = (size_t)w->input.id_bytes;
    const char *from = w->atoms.ids;
    char *to = w->ids;
    if (!w->has_members && count > 0) {
        w->has_same_ids = w->has_same_ids && memcmp(to, from, (size_t)count * size) == 0;
        memcpy(to, from, (size_t)count * size);
    }
    for (abut_index k = 0; w->has_members && k < count; k++, to += size) {
        const char *id = from + (size_t)w->members[k] * size;
        w->has_same_ids = w->has_same_ids && memcmp(to, id, size) == 0;
        memcpy(to, id, size);
    }
}

abut_status lammps_lend_spheres(abut_lammps *w, abut_error *error)
{
    store *of = &w->simulation->store;
    const abut_index count = count_members(w);
    w->has_members = count < w->atoms.count;
    if (reserve_spheres(w, count)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    number_spheres(w, count);
    w->own_centers = of->centers, w->own_radii = of->radii;
    if (w->has_members) {
        gather_members(w);
    } else if (count > 0) {
        /* the cast takes const away, but searches only read */
        of->centers = (double *)w->atoms.centers, of->radii = (double *)w->atoms.radii;
    }
    w->has_same_ids = count == w->id_count;
    w->id_count = count;
    keep_ids(w, count);
    return ABUT_OK;
}

void lammps_return_spheres(abut_lammps *w)
{
    store *of = &w->simulation->store;
    of->centers = w->own_centers, of->radii = w->own_radii;
}

static abut_status read_sphere(abut_lammps *w, abut_index k, abut_error *error)
{
    store *of = &w->simulation->store;
    const abut_index atom = lammps_atom(w, k);
    const double mass = w->atoms.masses[atom];
    if (!(mass > 0.0 && mass <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_ATOM_MASS, lammps_id(w, atom), 0, mass);
    }
    mover *b = &of->movers[k];
    memcpy(b->velocity, w->atoms.velocities + 3 * atom, sizeof b->velocity);
    memcpy(b->spin, w->atoms.spins + 3 * atom, sizeof b->spin);
    b->radius = of->radii[k];
    b->mass = mass;
    of->inertias[k] = store_inertia(mass, b->radius);
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

/* Laws of type A: the torque of all contacts against the spin that torques so far leave until the
 * next half step. */
static vec3 brake_torque(const abut_lammps *w, abut_index k, vec3 torque, double brake)
{
    const double step = *w->globals.step, inertia = w->simulation->store.inertias[k];
    const vec3 spin = vec3_load(w->simulation->store.movers[k].spin);
    const vec3 next = vec3_add(spin, vec3_scale(torque, step / inertia));
    const vec3 less = spheres_brake(next, brake, step, inertia);
    return vec3_scale(vec3_sub(less, next), inertia / step);
}

static abut_status add_sphere(const abut_lammps *w, abut_index k, abut_error *error)
{
    const abut_index atom = lammps_atom(w, k);
    double *torques = w->atoms.torques + 3 * atom;
    sphere_sum sum = {.brake = 0.0};
    forces_add_contacts(w->simulation, k, w->simulation->store.movers[k].radius, &sum);
    const vec3 force = sum.force;
    vec3 torque = vec3_add(vec3_load(torques), sum.torque);
    if (sum.brake > 0.0) {
        torque = vec3_add(torque, brake_torque(w, k, torque, sum.brake));
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
