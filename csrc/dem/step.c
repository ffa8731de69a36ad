/* Steps of a simulation: the parts of a step in their order, and the time that each part takes. */
#include "../base/clock.h"
#include "bond_laws.h"
#include "cell_control.h"
#include "cell_motion.h"
#include "drives.h"
#include "energy.h"
#include "move.h"
#include "sphere_order.h"
#include "pair_rows.h"
#include "parts.h"
#include "shared.h"
#include "deforming.h"
#include "watch.h"

/* ---- runs ---- */

/* The work per sphere without contacts, and per body with some, in units of parallel_report. */
enum { WORK_OF_SPHERE = 20, WORK_OF_BODY = 200 };

static abut_index work_of(const abut_simulation *s)
{
    return WORK_OF_SPHERE * s->store.count + WORK_OF_BODY * s->solids.count;
}

typedef struct stepping {
    abut_simulation *simulation;
    parallel_plan plan;
    abut_error *error;
    abut_status status;
    abut_index steps, done;
} stepping;

/* ---- one step ---- */

static abut_status keep_order(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    (void)plan;
    cell_begin_step(s);
    abut_status status = order_spheres(s);
    if (!status) {
        contacts_place_walls(s);
        status = contacts_follow_walls(s);
    }
    return error_set_status(error, status);
}

static abut_status sum_up(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    (void)plan;
    energy_hold_touched(s);
    if (forces_sum(s)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const abut_index lost = atomic_load(&s->lost_row), body = atomic_load(&s->lost_body);
    if (body >= 0) {
        return error_set(error, ABUT_BODY_LOST, body, s->step_count, 0.0);
    }
    if (lost >= 0) {
        return error_set(error, ABUT_SPHERE_LOST, lost, s->step_count, 0.0);
    }
    return s->cell.is_held       ? cell_control(s, error)
           : s->walls.has_driven ? drives_weigh(s, error)
                                 : ABUT_OK;
}

static abut_status move(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    (void)error;
    cell_move(s);
    spheres_move(s, plan);
    cell_move_center(s);
    bonds_turn(s, plan);
    if (s->walls.has_driven) {
        drives_move(s);
    }
    return ABUT_OK;
}

/* The parts of a step, in their order. Parts before MOVE may fail, and nothing has moved then. */
static abut_status (*const PARTS[STEP_PARTS])(abut_simulation *, const parallel_plan *,
                                              abut_error *) = {
    [ORDER] = keep_order,
    [NEIGHBORS] = pairs_refresh,
    [FIND_WALLS] = contacts_find,
    [WALL_LAWS] = contacts_apply,
    [BOND_LAWS] = bonds_apply,
    [PAIR_LAWS] = pairs_apply,
    [FIND_BODIES] = solids_find,
    [BODY_LAWS] = solids_apply_laws,
    [SUMS] = sum_up,
    [MOVE] = move,
};

/* With fewer than FEW_SPHERES spheres and no bodies, one of STEPS_PER_TIMING steps is timed, and
 * its time is multiplied by STEPS_PER_TIMING. Reading the clock takes as long as a sphere takes in
 * a step. The first step of a run is timed, too, but its time is not multiplied. */
enum { FEW_SPHERES = 1000, STEPS_PER_TIMING = 16 };

static int steps_to_time(const stepping *all)
{
    const abut_simulation *s = all->simulation;
    if (s->store.count >= FEW_SPHERES || s->solids.count > 0) {
        return 1;
    }
    if (s->step_count % STEPS_PER_TIMING == STEPS_PER_TIMING / 2) {
        return STEPS_PER_TIMING;
    }
    return all->done == 0 ? 1 : 0;
}

/* Whether the simulation has anything to do in a part of a step. */
static bool has_any(const abut_simulation *s, step_part part)
{
    return part == FIND_WALLS || part == WALL_LAWS    ? s->walls.touched_count > 0
           : part == FIND_BODIES || part == BODY_LAWS ? s->solids.count > 0
           : part == BOND_LAWS                        ? s->bonds.count > 0
                                                      : part != PAIR_LAWS || s->store.count > 1;
}

static void do_step(stepping *all)
{
    abut_simulation *s = all->simulation;
    const int timed = steps_to_time(all);
    double clock = 0.0;
    if (timed) {
        clock_lap(&clock);
    }
    watch_begin_step(s);
    for (step_part part = 0; part < STEP_PARTS; part++) {
        all->status = PARTS[part](s, &all->plan, all->error);
        if (timed && has_any(s, part)) {
            s->timed_seconds[part] += timed * clock_lap(&clock);
        }
        if (all->status) {
            bonds_forget_step(&s->bonds);
            return;
        }
    }
    simulation_swap_tables(s);
    neighbor_list_keep(&s->neighbors);
    if (s->bonds.count > 0 || s->bonds.rest_count > 0) {
        bonds_keep(&s->bonds, s->store.count, s->step_count);
    }
    deforming_keep(s);
    s->store.has_applied = s->solids.has_applied = false;
    watch_end_step(s);
    s->last = s->next;
    cell_end_step(s);
    energy_settle(s);
    s->step_count++;
    if (s->bounds.is_set) {
        bounds_count(s);
    }
}

/* Whether a run must end before all its steps are done: ABUT_OK, or the reason. work: the work
 * since the last check for an interruption. */
static abut_status check_end(const stepping *all, abut_index *work)
{
    const abut_simulation *s = all->simulation;
    const parallel_plan *plan = &all->plan;
    *work += 100 + work_of(s);
    if (s->bounds.stops && s->bounds.outside > 0) {
        return error_set_status(all->error, ABUT_OUT_OF_BOUNDS);
    }
    if (plan->interrupted && *work > PARALLEL_WORK_PER_CHECK && all->done < all->steps) {
        *work = 0;
        if (plan->interrupted(plan->interrupted_data)) {
            return error_set_status(all->error, ABUT_INTERRUPTED);
        }
    }
    return ABUT_OK;
}

/* Does all steps of a run with one team of threads. */
static void step_together(void *context)
{
    stepping *all = context;
    abut_index work = 0;
    while (!all->status && all->done < all->steps) {
        do_step(all);
        all->done += !all->status;
        all->status = all->status ? all->status : check_end(all, &work);
    }
}

abut_status abut_simulation_run(abut_simulation *s, abut_index steps, abut_interrupted interrupted,
                                void *interrupted_data, abut_index *done, abut_error *error)
{
    abut_error unused;
    double clock = 0.0;
    stepping all = {.simulation = s,
                    .plan = {.workers = s->input.workers,
                             .interrupted = interrupted,
                             .interrupted_data = interrupted_data},
                    .error = error ? error : &unused,
                    .steps = steps};
    clock_lap(&clock);
    error_set_status(all.error, ABUT_OK);
    parallel_together(s->input.workers, work_of(s), step_together, &all);
    s->seconds += clock_lap(&clock);
    *done = all.done;
    return all.status;
}

abut_index abut_simulation_step_count(const abut_simulation *s)
{
    return s->step_count;
}

/* ---- time step and gravity ---- */

abut_status abut_simulation_set_step(abut_simulation *s, double step, const double gravity[3],
                                     abut_error *error)
{
    const abut_status status = simulation_check_terms(step, gravity, error);
    if (status) {
        return status;
    }
    if (step != s->next.step) {
        s->began = simulation_time(s), s->began_steps = (double)s->step_count;
        s->next.step = step;
    }
    if (gravity) {
        const vec3 before = vec3_load(s->next.gravity), after = vec3_load(gravity);
        s->next.lift += energy_of_gravity(s, vec3_sub(before, after));
        vec3_store(s->next.gravity, after);
    }
    if (s->step_count == 0) {
        s->next.lift = 0.0;
        s->last = s->next;
    }
    neighbor_list_forget(&s->neighbors);
    return ABUT_OK;
}

int abut_simulation_set_workers(abut_simulation *s, int workers)
{
    const int before = s->input.workers;
    s->input.workers = workers;
    return before;
}

/* ---- statistics ---- */

static abut_index count_bytes(const abut_simulation *s)
{
    const solid_search *search = &s->search;
    abut_index sum =
        store_bytes(&s->store) + neighbor_list_bytes(&s->neighbors) + near_walls_bytes(&s->near) +
        memory_count_bytes(search->finder_bodies.blocks, FINDER_BODIES_BLOCKS) +
        memory_count_bytes(s->clusters.blocks, 2) + memory_count_bytes(s->solids.blocks, 2) +
        memory_count_bytes(s->bonds.blocks, BOND_BLOCKS) + s->group_block.byte_count +
        s->pull_block.byte_count + s->kept_block.byte_count + s->count_block.byte_count +
        memory_count_bytes(s->pair_blocks, PAIR_ROWS_BLOCKS) +
        memory_count_bytes(search->blocks, sizeof search->blocks / sizeof *search->blocks) +
        memory_count_bytes(search->outline_blocks,
                           sizeof search->outline_blocks / sizeof *search->outline_blocks);
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        sum += table_bytes(&s->now->tables[k]) + table_bytes(&s->before->tables[k]);
    }
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        sum +=
            search->by_second[k].end_block.byte_count + search->by_second[k].row_block.byte_count;
    }
    return sum;
}

static abut_index count_body_contacts(const abut_simulation *s)
{
    abut_index sum = 0;
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        sum += s->before->tables[k].count;
    }
    return sum;
}

/* The estimated time of a part: its fraction of the timed steps, times the time of all steps. */
static double seconds_of(const abut_simulation *s, step_part part)
{
    double sum = 0.0;
    for (step_part k = 0; k < STEP_PARTS; k++) {
        sum += s->timed_seconds[k];
    }
    return sum > 0.0 ? s->seconds * (s->timed_seconds[part] / sum) : 0.0;
}

abut_simulation_statistics abut_simulation_inspect(const abut_simulation *s)
{
#define SECONDS(number, name) .name = seconds_of(s, number),
    return (abut_simulation_statistics){ABUT_STEP_PARTS(SECONDS).step_count = s->step_count,
                                        .sphere_count = s->store.count,
                                        .contact_count = s->before->tables[ABUT_SPHERE_WALL].count,
                                        .pair_count = s->before->tables[ABUT_SPHERE_SPHERE].count,
                                        .body_count = s->solids.count,
                                        .body_contact_count = count_body_contacts(s),
                                        .byte_count = count_bytes(s),
                                        .lists_moved = s->neighbors.counts.made[NEIGHBORS_MOVED],
                                        .lists_changed =
                                            s->neighbors.counts.made[NEIGHBORS_CHANGED],
                                        .lists_of_walls = s->near.made_count,
                                        .candidate_count = s->neighbors.counts.candidates,
                                        .bond_count = s->bonds.count,
                                        .breakage_count = s->bonds.breakage_count};
#undef SECONDS
}
