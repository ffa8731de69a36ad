/* The function that LAMMPS calls in each step, between its forces and the second half step. */
#include "rank.h"

#include "../base/clock.h"
#include "../dem/parts.h"
#include "../dem/shared.h"
#include "../dem/stable_step.h"
#include "../dem/view.h"
#include "../mesh/mesh_data.h"
#include "../mesh/tolerance.h"

#include <stdio.h>
#include <string.h>

/* ---- making and freeing ---- */

static bool read_globals(abut_lammps *rank)
{
    lammps_globals *g = &rank->globals;
    const abut_lammps_input *in = &rank->input;
    g->step = in->extract_global(in->lammps, "dt");
    g->time = in->extract_global(in->lammps, "atime");
    g->time_step = in->extract_global(in->lammps, "atimestep");
    g->now = in->extract_global(in->lammps, "ntimestep");
    g->low = in->extract_global(in->lammps, "boxlo");
    g->high = in->extract_global(in->lammps, "boxhi");
    g->periodicity = in->extract_global(in->lammps, "periodicity");
    g->triclinic = in->extract_global(in->lammps, "triclinic");
    return g->step && g->time && g->time_step && g->now && g->low && g->high && g->periodicity &&
           g->triclinic;
}

/* Formats a name. Returns whether it fits. */
static bool make_name(char *text, const char *format, const char *name)
{
    const int length = snprintf(text, LAMMPS_NAME_SIZE, format, name);
    return length > 0 && length < LAMMPS_NAME_SIZE;
}

static bool make_names(lammps_names *names, const char *name)
{
    return make_name(names->fix, "%s", name) && make_name(names->count, "i_%s_count", name) &&
           make_name(names->keys, "i2_%s_keys", name) &&
           make_name(names->states, "d2_%s_states", name) &&
           make_name(names->more_keys, "i2_%s_more_keys", name) &&
           make_name(names->more_states, "d2_%s_more_states", name);
}

/* Sets the periods along the periodic axes of LAMMPS' box. */
static void set_period(abut_lammps *rank)
{
    const lammps_globals *g = &rank->globals;
    double period[3];
    for (int axis = 0; axis < 3; axis++) {
        period[axis] = g->periodicity[axis] ? g->high[axis] - g->low[axis] : 0.0;
    }
    rank->simulation->lattice = lattice_along_axes(period);
}

static abut_status build_simulation(abut_lammps *rank, abut_error *error)
{
    const abut_lammps_input *in = &rank->input;
    const abut_simulation_input input = {.step = 1.0, .resolution = in->resolution, .workers = 1};
    abut_status status = abut_simulation_build(&input, &rank->simulation, error);
    if (status) {
        return status;
    }
    set_period(rank);
    status = abut_simulation_set_laws(rank->simulation, in->material_count, in->laws, error);
    status =
        status ? status : abut_finder_build(rank->meshes, in->mesh_count, &rank->finder, error);
    return status ? status
                  : abut_simulation_set_walls(rank->simulation, rank->finder, in->walls,
                                              in->wall_count, NULL, error);
}

static abut_index find_most_corners(const abut_mesh *mesh)
{
    abut_index most = 0;
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        most = mesh->kept[f] > most ? mesh->kept[f] : most;
    }
    return most;
}

static abut_status build(abut_lammps *rank, const abut_lammps_input *input, abut_error *error)
{
    rank->input = *input;
    rank->covered = box_empty();
    rank->meshes = memory_alloc(input->mesh_count, sizeof *rank->meshes);
    rank->order = memory_alloc(input->wall_count, sizeof *rank->order);
    rank->loads = memory_alloc_zeroed(input->wall_count, sizeof *rank->loads);
    if (!rank->meshes || !rank->order || !rank->loads) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    memcpy(rank->order, input->order, (size_t)input->wall_count * sizeof *rank->order);
    rank->most_nodes = 2; /* a contact with an edge has two nodes */
    for (abut_index k = 0; k < input->mesh_count; k++) {
        const abut_index corners = find_most_corners(input->meshes[k]);
        rank->meshes[k] = input->meshes[k];
        rank->most_nodes = corners > rank->most_nodes ? corners : rank->most_nodes;
    }
    if (!make_names(&rank->names, input->name) || !read_globals(rank)) {
        return error_set_status(error, ABUT_ATOM_DATA);
    }
    return build_simulation(rank, error);
}

abut_status abut_lammps_build(const abut_lammps_input *input, abut_lammps **walls,
                              abut_error *error)
{
    abut_lammps *made = memory_alloc_zeroed(1, sizeof *made);
    *walls = NULL;
    if (!made) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const abut_status status = build(made, input, error);
    if (status) {
        abut_lammps_free(made);
    } else {
        *walls = made;
    }
    return status;
}

void abut_lammps_free(abut_lammps *rank)
{
    if (!rank) {
        return;
    }
    abut_simulation_free(rank->simulation);
    abut_finder_free(rank->finder);
    memory_free(rank->meshes);
    memory_free(rank->order);
    memory_free(rank->loads);
    memory_free(rank->member_block.data);
    memory_free(rank->id_block.data);
    memory_free(rank->holder_block.data);
    memory_free(rank);
}

abut_status abut_lammps_set_walls(abut_lammps *rank, const abut_wall *walls, abut_error *error)
{
    const abut_status status = abut_simulation_set_walls(rank->simulation, rank->finder, walls,
                                                         rank->input.wall_count, NULL, error);
    if (!status) {
        rank->covered = box_empty(); /* no space is covered now, so the next call rebuilds the bins:
                                        walls may have started or stopped moving */
    }
    return status;
}

abut_simulation *abut_lammps_simulation(abut_lammps *rank)
{
    return rank->simulation;
}

/* ---- a call ---- */

/* The time of a step in LAMMPS, for the poses of walls. If the step length never changes, the
 * time is step * length, wherever runs begin. */
static double find_time(const lammps_globals *g, int64_t step)
{
    const double length = *g->step, even = (double)step * length;
    const double sum = *g->time + (double)(step - *g->time_step) * length;
    return fabs(sum - even) <= ROUNDED_STEPS * length ? even : sum;
}

/* Sets the poses of walls in a step. In the first call, their last poses are the present ones. A
 * setup is a step of length 0, in which springs do not change. */
static abut_status place_walls(abut_lammps *rank, int64_t step, bool is_setup, abut_error *error)
{
    abut_simulation *s = rank->simulation;
    s->next.step = s->last.step = is_setup ? 0.0 : *rank->globals.step;
    s->began = find_time(&rank->globals, step);
    if (rank->input.before_step && rank->input.before_step(rank->input.data, s->began)) {
        return error_set_status(error, ABUT_INTERRUPTED);
    }
    if (*rank->globals.triclinic) {
        return error_set_status(error, ABUT_BOX_TILTED);
    }
    set_period(rank);
    contacts_place_walls(s);
    if (!rank->has_begun) {
        memcpy(s->walls.poses_before, s->walls.poses, 16 * (size_t)s->walls.count * sizeof(double));
    }
    return error_set_status(error, contacts_follow_walls(s));
}

/* Converts an error for a sphere to one for LAMMPS' atom. Returns the error's status. */
static abut_status name_atom(const abut_lammps *rank, abut_status status, abut_error *error)
{
    static const struct {
        abut_status of_sphere, of_atom;
    } names[] = {
        {ABUT_CENTER_NOT_FINITE, ABUT_ATOM_POSITION}, {ABUT_CENTER_TOO_FAR, ABUT_ATOM_POSITION},
        {ABUT_BAD_RADIUS, ABUT_ATOM_RADIUS},          {ABUT_TOO_MANY_IMAGES, ABUT_ATOM_IMAGES},
        {ABUT_LAW_RADIUS, ABUT_ATOM_LIQUID},
    };
    if (status == ABUT_LAW_RADIUS) {
        const double radius = rank->simulation->store.radii[error->index];
        error->value = 0.8 * radius * radius * radius;
    }
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (status == names[k].of_sphere) {
            error->status = names[k].of_atom;
            error->index = lammps_id(rank, lammps_atom(rank, error->index));
        }
    }
    return error->status;
}

static abut_status find_contacts(abut_lammps *rank, abut_error *error)
{
    const parallel_plan plan = {.workers = 1};
    abut_status status = lammps_cover_spheres(rank, error);
    if (!status) {
        status = contacts_find(rank->simulation, &plan, error);
        status = status ? name_atom(rank, status, error) : ABUT_OK;
    }
    return status;
}

static abut_status apply_laws(abut_lammps *rank, bool is_setup, abut_error *error)
{
    const parallel_plan plan = {.workers = 1};
    abut_simulation *s = rank->simulation;
    abut_status status = lammps_read_slots(rank, error);
    status = status ? status : lammps_read_touching(rank, error);
    if (!status) {
        status = contacts_apply(s, &plan, error);
        status = status ? name_atom(rank, status, error) : ABUT_OK;
    }
    status = status ? status : lammps_add_forces(rank, error);
    if (!status && !is_setup) {
        status = lammps_write_slots(rank, error);
    }
    return status;
}

static abut_status act_on_spheres(abut_lammps *rank, bool is_setup, abut_error *error)
{
    abut_status status = find_contacts(rank, error);
    status = status ? status : apply_laws(rank, is_setup, error);
    if (!status) {
        simulation_swap_tables(rank->simulation);
    }
    rank->has_table = !status && !is_setup; /* in a setup no slots are written */
    return status;
}

/* The number of members of abut_wall_load, which all are doubles. */
enum { LOAD_MEMBERS = sizeof(abut_wall_load) / sizeof(double) };

/* Writes the loads of walls into the vector of the fix, which LAMMPS prints and averages. */
static abut_status write_loads(abut_lammps *rank, abut_error *error)
{
    const abut_simulation *s = rank->simulation;
    const abut_index *walls = s->before->tables[ABUT_SPHERE_WALL].contact.mesh;
    const abut_index count = LOAD_MEMBERS * rank->input.wall_count;
    double *values = rank->loads->force;
    memset(values, 0, (size_t)count * sizeof *values);
    for (abut_index row = 0; row < s->before->tables[ABUT_SPHERE_WALL].count; row++) {
        const view v = view_row(s, &s->before->tables[ABUT_SPHERE_WALL], row);
        view_add_load(s, s->before, &v, row, &rank->loads[rank->order[walls[row]]]);
    }
    if (rank->input.add_up && rank->input.add_up(rank->input.data, values, count)) {
        return error_set_status(error, ABUT_INTERRUPTED);
    }
    for (abut_index k = 0; k < count; k++) {
        rank->input.set_vector(rank->input.lammps, rank->names.fix, (int)k + 1, values[k]);
    }
    return ABUT_OK;
}

static abut_status act(abut_lammps *rank, int64_t step, abut_error *error)
{
    /* a setup: LAMMPS may begin a run at any step */
    const bool is_setup = !rank->has_begun || step != rank->last_step + 1;
    abut_status status = place_walls(rank, step, is_setup, error);
    status = status ? status : lammps_read_atoms(rank, error);
    status = status ? status : lammps_lend_spheres(rank, error);
    if (!status) {
        status = act_on_spheres(rank, is_setup, error);
        lammps_return_spheres(rank);
    }
    status = status ? status : write_loads(rank, error);
    rank->has_begun = true;
    rank->last_step = step;
    return status;
}

static void clear(double *forces, abut_index count)
{
    if (forces) {
        memset(forces, 0, 3 * (size_t)count * sizeof *forces);
    }
}

/* Makes LAMMPS stop after the step. Until then walls exert no forces: LAMMPS finishes the step. */
static void fail(abut_lammps *rank, const abut_error *error)
{
    rank->error = *error;
    clear(rank->atoms.forces, rank->atoms.count);
    if (rank->input.failed) {
        rank->input.failed(rank->input.data, error);
    }
    rank->input.force_timeout(rank->input.lammps);
}

void abut_lammps_callback(void *walls, int64_t step, int count, void *ids, double **centers,
                          double **forces)
{
    abut_lammps *rank = walls;
    double clock = 0.0;
    clock_lap(&clock);
    rank->atoms = (lammps_atoms){.count = count,
                                 .ids = ids,
                                 .centers = count > 0 ? centers[0] : NULL,
                                 .forces = count > 0 ? forces[0] : NULL};
    clear(rank->atoms.forces, count);
    if (rank->error.status) {
        /* an earlier error has not been read yet */
        rank->input.force_timeout(rank->input.lammps);
        return;
    }
    abut_error error = {.status = ABUT_OK};
    if (act(rank, step, &error)) {
        fail(rank, &error);
    }
    rank->call_count++;
    rank->seconds += clock_lap(&clock);
}

/* ---- results ---- */

abut_error abut_lammps_take_error(abut_lammps *rank)
{
    const abut_error error = rank->error;
    error_set_status(&rank->error, ABUT_OK);
    return error;
}

const abut_wall_load *abut_lammps_loads(const abut_lammps *rank)
{
    return rank->loads;
}

double abut_lammps_now(abut_lammps *rank)
{
    rank->simulation->began = find_time(&rank->globals, *rank->globals.now);
    return rank->simulation->began;
}

abut_status abut_lammps_stable_step(abut_lammps *rank, double *step)
{
    const abut_simulation *s = rank->simulation;
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_WALL];
    /* LAMMPS' radii are available only during a call */
    for (abut_index row = 0; row < t->count; row = table_sphere_end(t, row)) {
        const abut_index place = t->contact.sphere[row];
        s->store.radii[place] = s->store.movers[place].radius;
    }
    abut_stable_step longest;
    const abut_status status = stable_step_of_spheres(s, 0.0, &longest);
    *step = longest.step;
    return status;
}

/* 1.0: each sphere is assumed to have one contact, with a wall. Contacts between spheres are
 * LAMMPS' own. */
double abut_lammps_free_step(const abut_lammps *rank, abut_index count, const double *radii,
                             const double *masses, const double *speeds)
{
    double step = INFINITY;
    for (abut_index k = 0; k < count; k++) {
        step = fmin(step, stable_step_of_first(&rank->simulation->laws, 0, 1.0, radii[k], masses[k],
                                               speeds[k]));
    }
    return step;
}

abut_index abut_lammps_sphere_count(const abut_lammps *rank)
{
    return rank->simulation->store.count;
}

void abut_lammps_read_ids(const abut_lammps *rank, abut_index *ids)
{
    for (abut_index place = 0; place < rank->simulation->store.count; place++) {
        ids[place] = lammps_number(&rank->input, rank->ids, place);
    }
}

void abut_lammps_read_period(const abut_lammps *rank, double period[9])
{
    for (int k = 0; k < 3; k++) {
        vec3_store(period + 3 * k, rank->simulation->lattice.vectors[k]);
    }
}

abut_lammps_statistics abut_lammps_inspect(const abut_lammps *rank)
{
    const abut_simulation_statistics statistics = abut_simulation_inspect(rank->simulation);
    const abut_index binned = rank->finder ? abut_finder_inspect(rank->finder).byte_count : 0;
    return (abut_lammps_statistics){
        .call_count = rank->call_count,
        .seconds = rank->seconds,
        .find_walls = statistics.find_walls,
        .wall_laws = statistics.wall_laws,
        .build_count = rank->build_count,
        .read_count = rank->read_count,
        .byte_count = statistics.byte_count + binned + rank->member_block.byte_count +
                      rank->id_block.byte_count + rank->holder_block.byte_count};
}
