/* Motion of spheres by docs/dem.md eq. 33 and 35. Velocities are those of the middle of a step. */
#include "move.h"

#include "watch.h"

/* Spheres per task. */
enum { CHUNK_SPHERES = 1024 };

vec3 spheres_unwrap(const abut_simulation *s, vec3 began, vec3 center, const int32_t *images)
{
    const vec3 wraps = cell_last_wraps(&s->cell, began, center);
    const vec3 then = cell_image_then(&s->cell, vec3_sub(lattice_counts(images), wraps));
    return vec3_add(began, lattice_shift(&s->cell.began, then));
}

vec3 spheres_unwrap_now(const abut_simulation *s, vec3 center, const int32_t *images)
{
    return vec3_add(center, lattice_shift(&s->lattice, lattice_counts(images)));
}

vec3 spheres_brake(vec3 spin, double brake, double step, double inertia)
{
    const double speed = vec3_length(spin), loss = brake * step / inertia;
    return loss < speed ? vec3_scale(spin, 1.0 - loss / speed) : (vec3){0.0, 0.0, 0.0};
}

/* The work of contacts on a sphere, without the forces that the caller applied. */
static double work_of(const store *s, abut_index place, vec3 velocities, vec3 spins)
{
    vec3 force = s->sums[place].force, torque = s->sums[place].torque;
    if (s->has_applied) {
        force = vec3_sub(force, vec3_load(s->pushes + 3 * place));
        torque = vec3_sub(torque, vec3_load(s->twists + 3 * place));
    }
    return vec3_dot(force, velocities) + vec3_dot(torque, spins);
}

/* Whether a sphere moves by more than its radius in a step. */
static bool is_fast(vec3 velocity, double step, double radius)
{
    return vec3_norm_sq(vec3_scale(velocity, step)) > radius * radius;
}

static void keep_forces(store *spheres, abut_index place, vec3 force, vec3 torque)
{
    vec3_store(spheres->forces + 3 * place, force);
    vec3_store(spheres->torques + 3 * place, torque);
}

/* Moves the center of a sphere into a cell that deforms, where its image may have another velocity.
 */
static void wrap_in_cell(const abut_simulation *s, const rigid_step *by, abut_index place)
{
    const store *spheres = &s->store;
    mover *sphere = &spheres->movers[place];
    vec3 velocity = vec3_load(sphere->velocity);
    const vec3 kick = vec3_scale(by->gravity, by->kick);
    const double gained = cell_wrap(by->cell, &s->lattice, spheres->centers + 3 * place,
                                    spheres->images + 3 * place, &velocity, kick);
    books_cross(&spheres->books[place], sphere->mass * gained);
    vec3_store(sphere->velocity, velocity);
}

/* The work of the acceleration that a sphere has in a cell that deforms, before it moves. */
static double work_of_cell(const rigid_step *by, const store *spheres, abut_index place,
                           vec3 velocities)
{
    const vec3 center = vec3_load(spheres->centers + 3 * place);
    const double part = 0.5 * by->kick * spheres->movers[place].mass;
    return part * vec3_dot(cell_acceleration(by->cell, center), velocities);
}

static void move_sphere(abut_simulation *s, const rigid_step *by, abut_index place)
{
    store *spheres = &s->store;
    mover *sphere = &spheres->movers[place];
    const double step = by->kick, inertia = spheres->inertias[place];
    sphere_sum sum = spheres->sums[place];
    const vec3 velocity = vec3_load(sphere->velocity), spin = vec3_load(sphere->spin);
    const vec3 outer = rigid_step_pull(by, vec3_load(spheres->centers + 3 * place));
    const vec3 pull = vec3_add(outer, vec3_scale(sum.force, 1.0 / sphere->mass));
    const vec3 next = vec3_add(velocity, vec3_scale(pull, step));
    const vec3 turning = vec3_scale(sum.torque, step / inertia);
    vec3 next_spin = vec3_add(spin, turning);
    double work =
        0.5 * step * work_of(spheres, place, vec3_add(velocity, next), vec3_add(spin, next_spin));
    if (sum.brake > 0.0) {
        const vec3 less = spheres_brake(next_spin, sum.brake, step, inertia);
        work += 0.5 * inertia * (vec3_norm_sq(less) - vec3_norm_sq(next_spin));
        /* the torque of the brake adds to that of the contacts */
        sum.torque = vec3_add(sum.torque, vec3_scale(vec3_sub(less, next_spin), inertia / step));
        next_spin = less;
    }
    double wall_work = step * sum.power;
    if (by->cell && by->cell->pulls) {
        const double outer_work = work_of_cell(by, spheres, place, vec3_add(velocity, next));
        work += outer_work, wall_work -= outer_work;
    }
    books_keep(&spheres->books[place], work, wall_work);
    keep_forces(spheres, place, sum.force, sum.torque);
    const vec3 center = vec3_load(spheres->centers + 3 * place);
    vec3_store(spheres->began + 3 * place, center);
    vec3_store(spheres->centers + 3 * place, vec3_add(center, vec3_scale(next, by->step)));
    vec3_store(sphere->velocity, next);
    vec3_store(sphere->spin, next_spin);
    if (by->cell) {
        wrap_in_cell(s, by, place);
    } else {
        lattice_wrap_place(&s->lattice, spheres->centers + 3 * place, spheres->images + 3 * place);
    }
    if (is_fast(next, by->step, sphere->radius)) {
        watch_fast(s, ABUT_PARTNER_SPHERE, spheres->rows[place]);
    }
}

/* Records a step of a sphere that does not move by itself: a cluster's member, or a fixed sphere.
 * The work of contacts on members is counted for their cluster. Their work on walls is counted
 * here. */
static void record_at_rest(abut_simulation *s, const rigid_step *by, abut_index place)
{
    store *spheres = &s->store;
    vec3_store(spheres->began + 3 * place, vec3_load(spheres->centers + 3 * place));
    books_keep(&spheres->books[place], 0.0, by->kick * spheres->sums[place].power);
    keep_forces(spheres, place, spheres->sums[place].force, spheres->sums[place].torque);
}

static void move_spheres(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    const rigid_step by = simulation_rigid_step(s);
    for (abut_index place = begin; place < end; place++) {
        if (simulation_is_member(s, place) || store_is_fixed(&s->store, place)) {
            record_at_rest(s, &by, place);
        } else {
            move_sphere(s, &by, place);
        }
    }
}

/* Moves a cluster and its spheres. */
static void move_cluster(abut_simulation *s, abut_index number, const rigid_step *by)
{
    rigid_body *body = &s->clusters.bodies[number];
    rigid_body_move(body, s->store.has_applied, by);
    rigid_set_place_members(&s->clusters, body, &s->store);
    for (abut_index row = body->first_row; row < body->first_row + body->member_count; row++) {
        const mover *member = &s->store.movers[s->store.places[row]];
        if (is_fast(vec3_load(member->velocity), by->step, member->radius)) {
            watch_fast(s, ABUT_PARTNER_SPHERE, row);
        }
    }
}

static void move_convex(abut_simulation *s, abut_index number, const rigid_step *by)
{
    rigid_body *body = &s->solids.bodies[number];
    rigid_body_move(body, s->solids.has_applied, by);
    if (body->inner > 0.0 && is_fast(body->rigid.velocity, by->step, body->inner)) {
        watch_fast(s, ABUT_PARTNER_BODY, number);
    }
}

/* CHUNK_BODIES: clusters, then convex bodies, per task. WORK_OF_BODY: the work of one. */
enum { CHUNK_BODIES = 64, WORK_OF_BODY = 20 };

static void move_bodies(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    const abut_index clusters = s->clusters.count;
    const rigid_step by = simulation_rigid_step(s);
    for (abut_index k = begin; k < end; k++) {
        if (k < clusters) {
            move_cluster(s, k, &by);
        } else {
            move_convex(s, k - clusters, &by);
        }
    }
}

void spheres_move(abut_simulation *s, const parallel_plan *plan)
{
    const abut_index bodies = s->clusters.count + s->solids.count, count = s->store.count;
    watch_begin(s);
    parallel_loop(plan->workers, count, CHUNK_SPHERES, 2 * count, move_spheres, s);
    parallel_loop(plan->workers, bodies, CHUNK_BODIES, WORK_OF_BODY * bodies, move_bodies, s);
    watch_keep_fast(s);
}
