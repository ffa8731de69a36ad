/* A simulation from outside: what it is made of. */
#include "simulation.h"

#include "../walls/finder.h"

#include <string.h>

/* ---- making and freeing ---- */

abut_status simulation_check_terms(double step, const double gravity[3], abut_error *error)
{
    if (!(step > 0.0 && step <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_BAD_TIME_STEP, 0, 0, step);
    }
    for (int axis = 0; gravity && axis < 3; axis++) {
        if (!(fabs(gravity[axis]) <= ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_GRAVITY, axis, 0, gravity[axis]);
        }
    }
    return ABUT_OK;
}

static abut_status check_input(const abut_simulation_input *input, abut_error *error)
{
    const abut_status status = simulation_check_terms(input->step, input->gravity, error);
    const lattice repeats = lattice_load(input->period, 3);
    return status ? status : lattice_check(&repeats, error);
}

/* A finder without spheres, whose memory all finders of the simulation's pairs use. */
static abut_status make_lender(abut_simulation *s, abut_error *error)
{
    abut_pair_input input = abut_pair_input_default();
    input.dimension = 3;
    input.period = lattice_periods(&s->lattice);
    return abut_pair_finder_build(&input, &s->lender, error);
}

abut_status simulation_name_row(const abut_simulation *s, const near_walls *near, abut_error *error)
{
    switch (error->status) {
    case ABUT_CENTER_NOT_FINITE:
    case ABUT_CENTER_TOO_FAR:
    case ABUT_BAD_RADIUS:
    case ABUT_TOO_MANY_IMAGES:
    case ABUT_RADIUS_TOO_SMALL:
    case ABUT_TOO_MANY_PERIODS:
        error->index = near ? near_walls_place(near, error->index) : error->index;
        error->index = s->store.rows[error->index];
        break;
    default:
        break;
    }
    return error->status;
}

abut_status abut_simulation_build(const abut_simulation_input *input, abut_simulation **simulation,
                                  abut_error *error)
{
    *simulation = NULL;
    abut_status status = check_input(input, error);
    if (status) {
        return status;
    }
    abut_simulation *s = memory_alloc_zeroed(1, sizeof *s);
    if (!s) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    s->input = *input;
    s->next.step = input->step;
    memcpy(s->next.gravity, input->gravity, sizeof s->next.gravity);
    s->last = s->next;
    s->account.is_held = true;
    s->law_case.number = -1;
    s->now = &s->steps[0], s->before = &s->steps[1];
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        s->now->tables[k].kind = s->before->tables[k].kind = (abut_interaction)k;
    }
    s->lattice = lattice_load(input->period, 3);
    status = make_lender(s, error);
    status = status ? status : laws_set(&s->laws, 0, NULL, NULL, error);
    status = status ? status : abut_finder_build(NULL, 0, &s->no_meshes, error);
    if (status) {
        abut_simulation_free(s);
        return status;
    }
    *simulation = s;
    return ABUT_OK;
}

static void free_tables(step_tables *t)
{
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        table_free(&t->tables[k]);
    }
    memory_free(t->poses);
    memory_free(t->states);
}

static void free_walls(wall_set *w)
{
    memory_free(w->walls);
    memory_free(w->motions);
    memory_free(w->given);
    memory_free(w->half_spaces);
    memory_free(w->placed);
}

static void free_search(solid_search *s)
{
    abut_convex_finder_free(s->bodies);
    abut_convex_finder_free(s->mixed);
    crowd_free(&s->crowd);
    memory_free_blocks(s->blocks, sizeof s->blocks / sizeof *s->blocks);
    memory_free_blocks(s->outline_blocks, sizeof s->outline_blocks / sizeof *s->outline_blocks);
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        memory_free(s->by_second[k].end_block.data);
        memory_free(s->by_second[k].row_block.data);
    }
}

void abut_simulation_free(abut_simulation *s)
{
    if (!s) {
        return;
    }
    laws_free(&s->laws);
    store_free(&s->store);
    rigid_set_free(&s->clusters);
    free_search(&s->search);
    rigid_set_free(&s->solids);
    free_walls(&s->walls);
    abut_finder_free(s->no_meshes);
    free_tables(s->now);
    free_tables(s->before);
    neighbor_list_free(&s->neighbors);
    near_walls_free(&s->near);
    bonds_free(&s->bonds);
    abut_pair_finder_free(s->lender);
    memory_free(s);
}

/* ---- what is made anew ---- */

void simulation_forget_spheres(abut_simulation *s)
{
    neighbor_list_forget(&s->neighbors);
}

void simulation_forget_bodies(abut_simulation *s)
{
    neighbor_list_forget(&s->neighbors);
    abut_convex_finder_free(s->search.bodies);
    s->search.bodies = NULL;
}

/* ---- walls ---- */

static abut_index count_motions(const abut_wall *walls, abut_index count)
{
    abut_index sum = 0;
    for (abut_index k = 0; k < count; k++) {
        sum += walls[k].motion_count;
    }
    return sum;
}

/* Walls with motions of their own. */
static bool copy_walls(wall_set *to, const abut_wall *walls, abut_index count)
{
    to->count = count;
    to->mesh_count = to->finder ? to->finder->mesh_count : 0;
    to->walls = memory_alloc(count, sizeof *to->walls);
    to->motions = memory_alloc(count_motions(walls, count), sizeof *to->motions);
    to->given = memory_alloc_zeroed(count, sizeof *to->given);
    to->half_spaces = memory_alloc(6 * (count - to->mesh_count), sizeof *to->half_spaces);
    to->placed = memory_alloc(6 * (count - to->mesh_count), sizeof *to->placed);
    if (!to->walls || !to->motions || !to->given || !to->half_spaces || !to->placed) {
        return false;
    }
    abut_motion *motions = to->motions;
    for (abut_index k = 0; k < count; k++) {
        to->walls[k] = walls[k];
        to->walls[k].motions = motions;
        for (abut_index m = 0; m < walls[k].motion_count; m++) {
            *motions++ = walls[k].motions[m];
        }
        memcpy(to->given[k].pose, walls[k].pose, sizeof walls[k].pose);
    }
    for (abut_index k = to->mesh_count; k < count; k++) {
        double *half_space = to->half_spaces + 6 * (k - to->mesh_count);
        memcpy(half_space, walls[k].point, sizeof walls[k].point);
        memcpy(half_space + 3, walls[k].normal, sizeof walls[k].normal);
    }
    return true;
}

/* The number that a wall had before; -1: it is new. */
static abut_index old_number(const wall_set *old, const wall_set *now, abut_index wall)
{
    const abut_index meshes = old->mesh_count, behind = wall - now->mesh_count;
    if (behind < 0) {
        return wall < meshes ? wall : -1;
    }
    return meshes + behind < old->count ? meshes + behind : -1;
}

/* Where walls are in a step. */
typedef struct wall_places {
    double *poses;
    abut_wall_state *states;
} wall_places;

static wall_places make_places(abut_index count)
{
    return (wall_places){memory_alloc(16 * count, sizeof(double)),
                         memory_alloc_zeroed(count, sizeof(abut_wall_state))};
}

/* Walls that were there before keep where they were in the last step. */
static void take_places(step_tables *t, wall_places places, const wall_set *old,
                        const wall_set *now)
{
    for (abut_index k = 0; k < now->count; k++) {
        const abut_index from = old_number(old, now, k);
        if (from >= 0) {
            places.states[k] = t->states[from];
            memcpy(places.poses + 16 * k, t->poses + 16 * from, 16 * sizeof *places.poses);
        }
    }
    memory_free(t->poses), memory_free(t->states);
    t->poses = places.poses, t->states = places.states;
}

/* Let rows of the last step that are on half spaces follow these, which are behind the meshes. */
static void renumber_half_spaces(abut_index *meshes, abut_index rows, abut_index old_count,
                                 abut_index count)
{
    for (abut_index row = 0; row < rows; row++) {
        meshes[row] += meshes[row] >= old_count ? count - old_count : 0;
    }
}

/* A new wall is taken to have stood where it is now. */
static void note_new_wall(abut_simulation *s, abut_index k)
{
    s->before->states[k] = abut_simulation_wall_now(s, k);
    memcpy(s->before->poses + 16 * k, s->before->states[k].pose, 16 * sizeof(double));
}

static void exchange_walls(abut_simulation *s, wall_set made, const wall_places places[2])
{
    wall_set old = s->walls;
    near_walls_forget(&s->near);
    s->watch.is_placed = true;
    const interaction_table *spots = &s->before->tables[ABUT_BODY_WALL];
    const interaction_table *contacts = &s->before->tables[ABUT_SPHERE_WALL];
    take_places(s->now, places[0], &old, &made);
    take_places(s->before, places[1], &old, &made);
    renumber_half_spaces(contacts->contact.mesh, contacts->count, old.mesh_count, made.mesh_count);
    renumber_half_spaces(spots->body.mesh, spots->count, old.mesh_count, made.mesh_count);
    s->walls = made;
    for (abut_index k = 0; k < made.count; k++) {
        const abut_index from = old_number(&old, &made, k);
        if (from >= 0) {
            made.given[k] = old.given[from];
        } else {
            note_new_wall(s, k);
        }
    }
    free_walls(&old);
}

abut_status abut_simulation_set_walls(abut_simulation *s, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      abut_error *error)
{
    wall_set made = {.finder = finder};
    const bool is_copied = copy_walls(&made, walls, wall_count);
    const wall_places places[2] = {make_places(wall_count), make_places(wall_count)};
    if (is_copied && places[0].poses && places[0].states && places[1].poses && places[1].states) {
        exchange_walls(s, made, places);
        return ABUT_OK;
    }
    free_walls(&made);
    for (int k = 0; k < 2; k++) {
        memory_free(places[k].poses), memory_free(places[k].states);
    }
    return error_set_status(error, ABUT_NO_MEMORY);
}

void abut_simulation_place(abut_simulation *s, abut_index wall, const abut_wall_state *state)
{
    s->walls.given[wall] = *state;
}

abut_wall_state abut_simulation_wall(const abut_simulation *s, abut_index wall)
{
    return s->before->states[wall];
}

abut_wall_state abut_simulation_wall_now(const abut_simulation *s, abut_index wall)
{
    const abut_wall *w = &s->walls.walls[wall];
    const bool is_given = w->motion_count > 0 && w->motions[0].kind == ABUT_GIVEN;
    return is_given ? s->walls.given[wall] : walls_move(w, simulation_time(s));
}

/* ---- from step to step ---- */

void simulation_swap_tables(abut_simulation *s)
{
    step_tables *other = s->now;
    s->now = s->before;
    s->before = other;
}
