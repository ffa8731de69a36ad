/* A simulation from outside: what it is made of, and how it goes on. */
#include "simulation.h"

#include <string.h>
#include <time.h>

double clock_lap(double *clock_now)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    const double seconds = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
    const double lap = seconds - *clock_now;
    *clock_now = seconds;
    return lap;
}

/* ---- making and freeing ---- */

static abut_status check_input(const abut_simulation_input *input, abut_error *error)
{
    if (!(input->step > 0.0 && input->step <= ABUT_COORDINATE_LIMIT)) {
        return simulation_report(error, ABUT_BAD_TIME_STEP, 0, 0, input->step);
    }
    for (int axis = 0; axis < 3; axis++) {
        if (!(fabs(input->gravity[axis]) <= ABUT_COORDINATE_LIMIT)) {
            return simulation_report(error, ABUT_BAD_GRAVITY, axis, 0, input->gravity[axis]);
        }
        const double period = input->period[axis];
        if (!(period >= 0.0 && period <= ABUT_COORDINATE_LIMIT)) {
            return simulation_report(error, ABUT_BAD_PERIOD, axis, 0, period);
        }
    }
    return ABUT_OK;
}

/* A finder without spheres, whose memory all finders of the simulation's pairs use. */
static abut_status make_lender(abut_simulation *s, abut_error *error)
{
    abut_pair_input input = abut_pair_input_default();
    input.dimension = 3;
    input.period = s->is_periodic ? s->input.period : NULL;
    return abut_pair_finder_build(&input, &s->lender, error);
}

static abut_status build(const abut_simulation_input *input, abut_simulation **simulation,
                         abut_error *error)
{
    abut_status status = check_input(input, error);
    if (status) {
        return status;
    }
    abut_simulation *s = memory_alloc_zeroed(1, sizeof *s);
    if (!s) {
        return simulation_report(error, ABUT_NO_MEMORY, 0, 0, 0.0);
    }
    s->input = *input;
    s->account.is_held = true;
    for (int axis = 0; axis < 3; axis++) {
        s->is_periodic = s->is_periodic || input->period[axis] > 0.0;
    }
    status = make_lender(s, error);
    status = status ? status : laws_set(&s->laws, 0, NULL, error);
    if (status) {
        abut_simulation_free(s);
        return status;
    }
    *simulation = s;
    return ABUT_OK;
}

abut_status abut_simulation_build(const abut_simulation_input *input, abut_simulation **simulation,
                                  abut_error *error)
{
    abut_error unused;
    *simulation = NULL;
    return build(input, simulation, error ? error : &unused);
}

static void free_tables(step_tables *t)
{
    contact_table_free(&t->contacts);
    pair_table_free(&t->pairs);
    memory_free(t->poses);
    memory_free(t->states);
}

static void free_walls(wall_set *w)
{
    memory_free(w->walls);
    memory_free(w->motions);
    memory_free(w->given);
}

void abut_simulation_free(abut_simulation *s)
{
    if (!s) {
        return;
    }
    laws_free(&s->laws);
    store_free(&s->store);
    clusters_free(&s->clusters);
    free_walls(&s->walls);
    free_tables(&s->now);
    free_tables(&s->before);
    abut_pair_finder_free(s->pair_finder);
    abut_pair_finder_free(s->lender);
    memory_free(s->seconds.begin_block.data);
    memory_free(s->seconds.key_block.data);
    memory_free(s->sum_lists.data);
    memory_free(s);
}

abut_status abut_simulation_set_laws(abut_simulation *s, abut_index material_count,
                                     const abut_law *laws, abut_error *error)
{
    abut_error unused;
    return laws_set(&s->laws, material_count, laws, error ? error : &unused);
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
    to->walls = memory_alloc(count, sizeof *to->walls);
    to->motions = memory_alloc(count_motions(walls, count), sizeof *to->motions);
    to->given = memory_alloc_zeroed(count, sizeof *to->given);
    if (!to->walls || !to->motions || !to->given) {
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
    return true;
}

/* Where walls are in a step; those that were there keep it. */
static bool reserve_states(step_tables *t, abut_index count, abut_index kept)
{
    double *poses = memory_alloc(16 * count, sizeof *poses);
    abut_wall_state *states = memory_alloc_zeroed(count, sizeof *states);
    if (!poses || !states) {
        memory_free(poses), memory_free(states);
        return false;
    }
    for (abut_index k = 0; k < kept; k++) {
        states[k] = t->states[k];
        memcpy(poses + 16 * k, t->poses + 16 * k, 16 * sizeof *poses);
    }
    memory_free(t->poses), memory_free(t->states);
    t->poses = poses, t->states = states;
    return true;
}

/* A wall that is new has stood where it is now. */
static void note_new_walls(abut_simulation *s, abut_index first)
{
    for (abut_index k = first; k < s->walls.count; k++) {
        s->before.states[k] = abut_simulation_wall_now(s, k);
        memcpy(s->before.poses + 16 * k, s->before.states[k].pose, 16 * sizeof(double));
    }
}

abut_status abut_simulation_set_walls(abut_simulation *s, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      abut_error *error)
{
    wall_set made = {.finder = finder};
    const abut_index kept = wall_count < s->walls.count ? wall_count : s->walls.count;
    abut_error unused;
    if (!copy_walls(&made, walls, wall_count) || !reserve_states(&s->now, wall_count, kept) ||
        !reserve_states(&s->before, wall_count, kept)) {
        free_walls(&made);
        return simulation_report(error ? error : &unused, ABUT_NO_MEMORY, 0, 0, 0.0);
    }
    for (abut_index k = 0; k < kept; k++) {
        made.given[k] = s->walls.given[k];
    }
    free_walls(&s->walls);
    s->walls = made;
    note_new_walls(s, kept);
    return ABUT_OK;
}

void abut_simulation_place(abut_simulation *s, abut_index wall, const abut_wall_state *state)
{
    s->walls.given[wall] = *state;
}

abut_wall_state abut_simulation_wall(const abut_simulation *s, abut_index wall)
{
    return s->before.states[wall];
}

abut_wall_state abut_simulation_wall_now(const abut_simulation *s, abut_index wall)
{
    const abut_wall *w = &s->walls.walls[wall];
    const bool is_given = w->motion_count > 0 && w->motions[0].kind == ABUT_GIVEN;
    return is_given ? s->walls.given[wall] : walls_move(w, simulation_time(s));
}

/* ---- going on ---- */

static void swap_tables(abut_simulation *s)
{
    const step_tables other = s->now;
    s->now = s->before;
    s->before = other;
}

/* What all of a step is about, as parallel_report counts it: a sphere without contacts. */
enum { WORK_OF_SPHERE = 20 };

typedef struct stepping {
    abut_simulation *simulation;
    parallel_plan plan;
    abut_error *error;
    abut_status status;
} stepping;

static abut_status find_forces(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    double clock = 0.0;
    contacts_place_walls(s);
    abut_status status = contacts_step(s, plan, error);
    status = status ? status : pairs_step(s, plan, error);
    if (status) {
        return status;
    }
    clock_lap(&clock);
    status = forces_sum(s, plan);
    s->seconds_of[SUMS] += clock_lap(&clock);
    if (status) {
        return simulation_report(error, status, 0, 0, 0.0);
    }
    const abut_index lost = atomic_load(&s->lost_row);
    return lost < 0 ? ABUT_OK
                    : simulation_report(error, ABUT_SPHERE_LOST, lost, s->step_count, 0.0);
}

static void step_together(void *context)
{
    stepping *all = context;
    abut_simulation *s = all->simulation;
    double clock = 0.0;
    abut_status status = order_spheres(s);
    if (status) {
        all->status = simulation_report(all->error, status, 0, 0, 0.0);
        return;
    }
    all->status = find_forces(s, &all->plan, all->error);
    if (all->status) {
        return;
    }
    clock_lap(&clock);
    spheres_move(s, &all->plan);
    s->seconds_of[MOVE] += clock_lap(&clock);
    swap_tables(s);
    energy_settle(s);
    s->store.has_applied = false;
    s->step_count++;
}

/* Errors of a search name spheres by their places. */
static void name_row(const abut_simulation *s, abut_error *error)
{
    switch (error->status) {
    case ABUT_CENTER_NOT_FINITE:
    case ABUT_CENTER_TOO_FAR:
    case ABUT_BAD_RADIUS:
    case ABUT_TOO_MANY_IMAGES:
    case ABUT_RADIUS_TOO_SMALL:
    case ABUT_TOO_MANY_PERIODS:
        error->index = s->store.rows[error->index];
        break;
    default:
        break;
    }
}

static abut_status do_step(stepping *all)
{
    const abut_simulation *s = all->simulation;
    parallel_together(s->input.workers, WORK_OF_SPHERE * s->store.count, step_together, all);
    if (all->status) {
        name_row(s, all->error);
    }
    return all->status;
}

abut_status abut_simulation_run(abut_simulation *s, abut_index steps, abut_interrupted interrupted,
                                void *interrupted_data, abut_index *done, abut_error *error)
{
    abut_error unused;
    stepping all = {.simulation = s,
                    .plan = {.workers = s->input.workers,
                             .interrupted = interrupted,
                             .interrupted_data = interrupted_data},
                    .error = error ? error : &unused};
    abut_status status = ABUT_OK;
    abut_index work = 0;
    *all.error = (abut_error){.status = ABUT_OK};
    for (*done = 0; !status && *done < steps; *done += !status) {
        status = do_step(&all);
        work += 100 + WORK_OF_SPHERE * s->store.count;
        if (!status && interrupted && work > PARALLEL_WORK_PER_CHECK && *done + 1 < steps) {
            work = 0;
            if (interrupted(interrupted_data)) {
                *done += 1;
                return simulation_report(all.error, ABUT_INTERRUPTED, 0, 0, 0.0);
            }
        }
    }
    return status;
}

abut_index abut_simulation_step_count(const abut_simulation *s)
{
    return s->step_count;
}

/* ---- what it did ---- */

static abut_index count_bytes(const abut_simulation *s)
{
    return store_bytes(&s->store) + contact_table_bytes(&s->now.contacts) +
           contact_table_bytes(&s->before.contacts) + pair_table_bytes(&s->now.pairs) +
           pair_table_bytes(&s->before.pairs) + s->seconds.begin_block.byte_count +
           s->seconds.key_block.byte_count + s->sum_lists.byte_count +
           s->clusters.capacity * (abut_index)sizeof(cluster);
}

abut_simulation_statistics abut_simulation_inspect(const abut_simulation *s)
{
    const double *seconds = s->seconds_of;
    return (abut_simulation_statistics){.step_count = s->step_count,
                                        .sphere_count = s->store.count,
                                        .contact_count = s->before.contacts.count,
                                        .pair_count = s->before.pairs.count,
                                        .find_walls = seconds[FIND_WALLS],
                                        .wall_laws = seconds[WALL_LAWS],
                                        .find_pairs = seconds[FIND_PAIRS],
                                        .pair_match = seconds[MATCH_PAIRS],
                                        .pair_laws = seconds[PAIR_LAWS],
                                        .sums = seconds[SUMS],
                                        .move = seconds[MOVE],
                                        .order = seconds[ORDER],
                                        .byte_count = count_bytes(s)};
}
