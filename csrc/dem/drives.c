/* Servo-controlled walls, which move along a line under a load, and free walls, which move as rigid
 * bodies (docs/dem.md, section 9). */
#include "drives.h"

#include <string.h>

#include "shared.h"
#include "stable_step.h"
#include "view.h"

/* ---- a free wall as a rigid body ---- */

static rigid body_of(const abut_drive *d)
{
    rigid r = {.position = vec3_load(d->position),
               .velocity = vec3_load(d->velocity),
               .momentum = vec3_load(d->momentum),
               .spin = vec3_load(d->spin),
               .mass = d->mass,
               .is_locked = {d->locked[3] > 0.0, d->locked[4] > 0.0, d->locked[5] > 0.0}};
    memcpy(r.orientation, d->orientation, sizeof r.orientation);
    memcpy(r.inertia, d->inertia, sizeof r.inertia);
    return r;
}

static void keep_body(abut_drive *d, const rigid *r)
{
    vec3_store(d->position, r->position);
    vec3_store(d->velocity, r->velocity);
    vec3_store(d->momentum, r->momentum);
    vec3_store(d->spin, r->spin);
    memcpy(d->orientation, r->orientation, sizeof d->orientation);
}

/* A vector without its components along locked axes. */
static vec3 unlocked(const abut_drive *d, vec3 a)
{
    return (vec3){d->locked[0] > 0.0 ? 0.0 : a.x, d->locked[1] > 0.0 ? 0.0 : a.y,
                  d->locked[2] > 0.0 ? 0.0 : a.z};
}

/* ---- positions ---- */

static abut_wall_state state_of_free(const abut_drive *d)
{
    pose body = pose_identity(), frame = pose_identity();
    rigid_rows(d->orientation, body.rows);
    for (int k = 0; k < 3; k++) {
        frame.rows[k] = vec3_load(d->frame + 4 * k);
    }
    body.shift = vec3_load(d->position);
    frame.shift = (vec3){d->frame[3], d->frame[7], d->frame[11]};
    body.turns = frame.turns = true;
    const pose at = pose_after(&body, &frame);
    const vec3 spin = vec3_load(d->spin), arm = vec3_sub(at.shift, body.shift);
    abut_wall_state state;
    pose_store(state.pose, &at);
    vec3_store(state.velocity, vec3_add(vec3_load(d->velocity), vec3_cross(spin, arm)));
    vec3_store(state.spin, spin);
    vec3_store(state.origin, body.shift);
    return state;
}

/* Whether a wall has an axis or a mass. It has neither before abut_simulation_set_drive. */
static bool is_driven(const wall_record *record)
{
    const abut_drive *d = &record->drive;
    return walls_are_driven(record) && (d->mass > 0.0 || vec3_max_abs(vec3_load(d->axis)) > 0.0);
}

static void set_drive(wall_record *record, const abut_drive *d)
{
    record->drive = *d;
    if (walls_move_by(record, ABUT_FREE)) {
        record->next_state = state_of_free(d);
    }
}

void abut_simulation_set_drive(abut_simulation *s, abut_index wall, const abut_drive *drive)
{
    set_drive(&s->walls.walls[wall], drive);
}

abut_drive abut_simulation_drive(const abut_simulation *s, abut_index wall)
{
    return s->walls.walls[wall].drive;
}

/* ---- loads ---- */

/* The force of a wall's contacts in a step, and their stiffness and damping along the load. */
typedef struct wall_press {
    abut_wall_load load;
    double stiffness, damping;
} wall_press;

/* Stiffness and damping of one contact with a wall. */
typedef struct wall_springs {
    double stiffness, damping;
} wall_springs;

static wall_springs springs_of(const abut_simulation *s, const view *v, abut_index at)
{
    const double share = v->table->kind == ABUT_SPHERE_WALL ? v->table->contact.share[at] : 1.0;
    law_contact contact = view_contact(s, v);
    const law_stiffness stiffness = view_stiffness(v, &contact, at);
    if (!(stiffness.normal > 0.0)) {
        return (wall_springs){0.0, 0.0};
    }
    return (wall_springs){share * stiffness.normal,
                          share * view_damper(v->law, &stiffness, contact.mass)};
}

static void add_press(const abut_simulation *s, const step_tables *tables, const view *v,
                      abut_index at, void *part)
{
    const wall_record *record = &s->walls.walls[table_second(v->table, v->row)];
    wall_press *p = part;
    view_add_load(s, tables, v, at, &p->load);
    if (walls_move_by(record, ABUT_SERVO)) {
        const double along = vec3_dot(v->normal, vec3_load(record->drive.axis));
        const wall_springs k = springs_of(s, v, at);
        p->stiffness += k.stiffness * along * along;
        p->damping += k.damping * along * along;
    }
}

/* The force, stiffness and damping of a wall's contacts in this step. */
static wall_press press_of(const abut_simulation *s, abut_index wall)
{
    wall_press p = {.stiffness = 0.0};
    view_visit_wall(s, s->now, wall, add_press, (parallel_folding){.size = sizeof p}, &p);
    return p;
}

/* ---- walls under load ---- */

/* Computes the mean diameter of all spheres and bodies, and the total mass of those that are not
 * fixed. If all are fixed, the total mass is that of all. */
static void measure_grains(abut_simulation *s)
{
    const abut_index count = s->store.count + s->solids.count;
    double size = 0.0, free_mass = 0.0, fixed_mass = 0.0;
    for (abut_index row = 0; row < s->store.count; row++) {
        const int32_t place = s->store.places[row];
        size += 2.0 * s->store.radii[place];
        *(store_is_fixed(&s->store, place) ? &fixed_mass : &free_mass) += s->store.masses[place];
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const rigid_body *body = &s->solids.bodies[k];
        size += body->reach + body->inner;
        *(body->rigid.is_fixed ? &fixed_mass : &free_mass) += body->rigid.mass;
    }
    s->walls.grain_size = size / (double)count;
    s->walls.grain_mass = free_mass > 0.0 ? free_mass : fixed_mass;
}

/* The largest speed of a servo-controlled wall without mass: docs/dem.md eq. 39. It belongs to the
 * largest load so far, since a load that varies may vanish. Without any load so far, the force of
 * the contacts moves the wall. */
static double fastest(abut_simulation *s, const abut_drive *d, double force)
{
    if (s->store.count + s->solids.count == 0) {
        return 0.0;
    }
    if (d->limit > 0.0) {
        return d->limit;
    }
    if (s->walls.grain_size == 0.0) {
        measure_grains(s);
    }
    const double load = d->peak > 0.0 ? d->peak : larger(force, 0.0);
    return 0.1 * sqrt(load * s->walls.grain_size / s->walls.grain_mass);
}

static bool is_before(vec3 normal, vec3 point, vec3 center, double radius)
{
    return vec3_dot(normal, vec3_sub(center, point)) >= radius;
}

/* Whether a half space touches no grain, and moves away from or parallel to all of them. */
static bool has_left(const abut_simulation *s, abut_index wall)
{
    const wall_set *walls = &s->walls;
    if (wall < walls->mesh_count || wall >= walls->touched_count) {
        return false;
    }
    const double *placed = walls->placed + 6 * (wall - walls->mesh_count);
    const vec3 point = vec3_load(placed), normal = vec3_load(placed + 3);
    bool has = s->store.count + s->solids.count > 0 &&
               vec3_dot(normal, vec3_load(walls->walls[wall].drive.axis)) <= 0.0;
    for (abut_index place = 0; has && place < s->store.count; place++) {
        const vec3 center = vec3_load(s->store.centers + 3 * place);
        has = is_before(normal, point, center, s->store.radii[place]);
    }
    for (abut_index k = 0; has && k < s->solids.count; k++) {
        const rigid_body *body = &s->solids.bodies[k];
        has = is_before(normal, point, body->rigid.position, body->reach);
    }
    return has;
}

/* The area of a mesh projected along the axis: that of the facets that face along it, or that of
 * the others, whichever is larger. */
static double projected_area(const abut_simulation *s, abut_index wall)
{
    const wall_record *record = &s->walls.walls[wall];
    const abut_mesh_view mesh = abut_mesh_inspect(simulation_mesh(s, wall));
    const pose at = pose_load(record->now.pose);
    const vec3 axis = vec3_load(record->drive.axis);
    double along = 0.0, against = 0.0;
    for (abut_index k = 0; k < mesh.facet_count; k++) {
        const vec3 normal = pose_turn(&at, vec3_load(mesh.normals + 3 * k));
        const double part = mesh.areas[k] * vec3_dot(normal, axis);
        *(part > 0.0 ? &along : &against) += fabs(part);
    }
    return larger(along, against);
}

/* The distance from one half space to another that faces it; 0 if they have passed each other. */
static double distance_between(const abut_simulation *s, const double sides[2])
{
    const wall_record *records[2];
    pose at[2];
    for (int k = 0; k < 2; k++) {
        records[k] = &s->walls.walls[(abut_index)sides[k]];
        at[k] = pose_load(records[k]->now.pose);
    }
    const vec3 normal = pose_turn(&at[0], vec3_load(records[0]->given.normal));
    const vec3 from = pose_to_world(&at[0], vec3_load(records[0]->given.point));
    const vec3 to = pose_to_world(&at[1], vec3_load(records[1]->given.point));
    return larger(vec3_dot(normal, vec3_sub(to, from)), 0.0);
}

/* Sets the area and the load of a servo-controlled wall in this step. A mesh that is off keeps its
 * last area. */
static void set_load(const abut_simulation *s, abut_index wall, abut_drive *d)
{
    if (d->loaded == ABUT_AREA_PROJECTED && wall < s->walls.mesh_count) {
        d->area = projected_area(s, wall);
    } else if (d->loaded == ABUT_AREA_BETWEEN) {
        d->area = distance_between(s, d->sides) * distance_between(s, d->sides + 2);
    }
    if (d->loaded != ABUT_LOAD_GIVEN) {
        d->load = d->pressure * d->area;
    }
    d->peak = larger(d->peak, d->load);
}

/* The speed of a servo-controlled wall after this step. A wall with mass is accelerated by the part
 * of the load that contacts do not bear. A wall without mass gets the speed at which contacts will
 * bear the load, if their stiffness stays the same. This is one Newton step: docs/dem.md eq. 39. */
static double settle(abut_simulation *s, const abut_drive *d, const wall_press *p,
                     const rigid_step *by)
{
    const double force = -vec3_dot(vec3_load(p->load.force), vec3_load(d->axis));
    const double remaining = d->load - force;
    if (d->mass > 0.0) {
        const double speed = d->speed + by->kick * remaining / d->mass;
        return d->limit > 0.0 ? smaller(larger(speed, -d->limit), d->limit) : speed;
    }
    const double most = fastest(s, d, force);
    if (!(p->stiffness > 0.0)) {
        return d->load > 0.0 && d->alone < d->size ? most : 0.0;
    }
    const double drag = p->stiffness * by->step;
    const double speed = d->speed + (remaining - drag * d->speed) / (p->damping + drag);
    return smaller(larger(speed, -most), most);
}

static bool drive_servo(abut_simulation *s, abut_index wall, const wall_press *p,
                        const rigid_step *by)
{
    abut_drive *d = &s->walls.walls[wall].next;
    const double before = d->speed;
    set_load(s, wall, d);
    if (d->mass == 0.0 && d->load > 0.0 && !(p->stiffness > 0.0) && has_left(s, wall)) {
        d->size = d->alone;
    } else if (wall >= s->walls.mesh_count && wall < s->walls.touched_count) {
        d->size = INFINITY;
    }
    d->speed = settle(s, d, p, by);
    const double way = by->step * d->speed;
    d->travel += way;
    d->alone = d->mass > 0.0 || p->stiffness > 0.0 ? 0.0 : d->alone + fabs(way);
    const double force = vec3_dot(vec3_load(p->load.force), vec3_load(d->axis));
    s->walls.driven_power += 0.5 * force * (d->speed - before);
    return fabs(d->travel) <= ABUT_COORDINATE_LIMIT;
}

/* ---- free walls ---- */

/* The force and torque on a free wall about its position, without its weight. If the center of mass
 * is an arm away from the position, the torque includes that of the weight. */
static wrench wrench_on(const abut_drive *d, const wall_press *p, const rigid_step *by)
{
    vec3 rows[3];
    rigid_rows(d->orientation, rows);
    const vec3 weight = vec3_scale(by->gravity, d->mass);
    const vec3 lever = vec3_cross(rows_turn(rows, vec3_load(d->arm)), weight);
    const vec3 force = vec3_add(vec3_load(p->load.force), vec3_load(d->force));
    const vec3 torque = vec3_add(vec3_load(p->load.torque), vec3_load(d->torque));
    return (wrench){unlocked(d, force), vec3_add(torque, lever)};
}

static bool drive_free(abut_simulation *s, abut_index wall, const wall_press *p,
                       const rigid_step *given)
{
    static const wrench none;
    abut_drive *d = &s->walls.walls[wall].next;
    const wrench sum = wrench_on(d, p, given);
    rigid_step by = *given;
    by.gravity = unlocked(d, given->gravity);
    const vec3 velocity = vec3_load(d->velocity), spin = vec3_load(d->spin);
    rigid r = body_of(d);
    if (!rigid_will_be_finite(&r, sum, &by)) {
        return false;
    }
    rigid_move(&r, sum, none, 0.0, &by);
    s->walls.driven_power +=
        0.5 * (vec3_dot(vec3_load(p->load.force), vec3_sub(r.velocity, velocity)) +
               vec3_dot(vec3_load(p->load.torque), vec3_sub(r.spin, spin)));
    keep_body(d, &r);
    return true;
}

/* ---- all walls ---- */

abut_status drives_weigh(abut_simulation *s, abut_error *error)
{
    wall_set *walls = &s->walls;
    static const lattice everywhere = {.is_periodic = false};
    rigid_step by = simulation_rigid_step(s);
    by.lattice = &everywhere, by.cell = NULL;
    walls->driven_power = 0.0;
    for (abut_index k = 0; k < walls->count; k++) {
        if (is_driven(&walls->walls[k])) {
            const wall_press press = press_of(s, k);
            const bool is_servo = walls_move_by(&walls->walls[k], ABUT_SERVO);
            walls->walls[k].next = walls->walls[k].drive;
            if (!(is_servo ? drive_servo : drive_free)(s, k, &press, &by)) {
                return error_set(error, ABUT_WALL_LOST, k, s->step_count, 0.0);
            }
        }
    }
    return ABUT_OK;
}

void drives_move(abut_simulation *s)
{
    const double work = simulation_rigid_step(s).kick * s->walls.driven_power;
    for (abut_index k = 0; k < s->walls.count; k++) {
        wall_record *record = &s->walls.walls[k];
        if (is_driven(record)) {
            set_drive(record, &record->next);
        }
    }
    s->account.driven_work += 0.5 * (s->account.last_driven_work + work);
    s->account.last_driven_work = work;
}

/* ---- stable step ---- */

/* Sums over the contacts of a wall with mass: an upper bound on its highest squared frequency, and
 * the largest ratio of damping to stiffness. */
typedef struct wall_support {
    double frequency_sq, ratio;
    abut_index count;
} wall_support;

/* The inverse effective mass of a wall for a force along the normal that acts at this point. */
static double give_way(const wall_record *record, vec3 point, vec3 normal)
{
    const abut_drive *d = &record->drive;
    if (walls_move_by(record, ABUT_SERVO)) {
        const double along = vec3_dot(normal, vec3_load(d->axis));
        return along * along / d->mass;
    }
    const vec3 arm = vec3_sub(point, vec3_load(d->position));
    const double least = smaller(d->inertia[0], smaller(d->inertia[1], d->inertia[2]));
    const bool turns = !(d->locked[3] > 0.0 && d->locked[4] > 0.0 && d->locked[5] > 0.0);
    const bool shifts = !(d->locked[0] > 0.0 && d->locked[1] > 0.0 && d->locked[2] > 0.0);
    return (shifts ? 1.0 / d->mass : 0.0) + (turns ? vec3_norm_sq(arm) / least : 0.0);
}

static void add_support(const abut_simulation *s, const step_tables *tables, const view *v,
                        abut_index at, void *part)
{
    const wall_record *record = &s->walls.walls[table_second(v->table, v->row)];
    const wall_springs k = springs_of(s, v, at);
    wall_support *h = part;
    (void)tables;
    if (record->drive.mass > 0.0 && k.stiffness > 0.0) {
        const vec3 point = vec3_sub(view_force_point(v, at), v->shift);
        h->frequency_sq += k.stiffness * give_way(record, point, v->normal);
        h->ratio = larger(h->ratio, k.damping / k.stiffness);
        h->count++;
    }
}

static void join_supports(void *total, const void *part)
{
    wall_support *h = total;
    const wall_support *other = part;
    h->frequency_sq += other->frequency_sq;
    h->ratio = larger(h->ratio, other->ratio);
    h->count += other->count;
}

/* The inverse effective mass for the first contact of a wall that touches nothing. The contact is
 * assumed at the radius of gyration about the axis with the largest inertia. */
static double first_give_way(const wall_record *record)
{
    const abut_drive *d = &record->drive;
    const bool is_servo = walls_move_by(record, ABUT_SERVO);
    const double most = larger(d->inertia[0], larger(d->inertia[1], d->inertia[2]));
    const vec3 arm = {is_servo ? 0.0 : sqrt(most / d->mass), 0.0, 0.0};
    return give_way(record, vec3_add(vec3_load(d->position), arm), vec3_load(d->axis));
}

/* Assumes FIRST_CONTACTS contacts with one grain, if these give a higher frequency than the grains
 * before. Call it for all grains if the wall touches nothing. */
static void support_first(const abut_simulation *s, abut_index wall, const resting_contact *first,
                          wall_support *h)
{
    const double way = first_give_way(&s->walls.walls[wall]);
    const double frequency_sq = FIRST_CONTACTS * first->stiffness.normal * way;
    if (first->stiffness.normal > 0.0 && frequency_sq > h->frequency_sq) {
        const double mass = first->contact.mass;
        const double both = simulation_mass_on_wall(s, wall, mass, mass);
        h->frequency_sq = frequency_sq;
        h->ratio = view_damper(first->law, &first->stiffness, both) / first->stiffness.normal;
    }
}

static void support_untouched(const abut_simulation *s, abut_index wall, wall_support *h)
{
    const abut_index material = s->walls.walls[wall].given.material;
    const store *spheres = &s->store;
    for (abut_index place = 0; place < spheres->count; place++) {
        const double speed = vec3_length(vec3_load(spheres->movers[place].velocity));
        const resting_contact first = stable_first_of_sphere(
            view_wall_law(s, place, wall), spheres->radii[place], spheres->masses[place], speed);
        support_first(s, wall, &first, h);
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const rigid_body *body = &s->solids.bodies[k];
        const law *l = laws_between(&s->laws, body->material, material);
        const resting_contact first = stable_first_of_body(body, l);
        support_first(s, wall, &first, h);
    }
}

/* The wall_support of a driven wall; all 0 for a wall without mass, which has no frequency. */
static wall_support support_of(const abut_simulation *s, abut_index wall)
{
    wall_support h = {.count = 0};
    const parallel_folding folding = {.join = join_supports, .size = sizeof h};
    view_visit_wall(s, s->before, wall, add_support, folding, &h);
    if (wall < s->walls.touched_count && s->walls.walls[wall].drive.mass > 0.0 && h.count == 0) {
        support_untouched(s, wall, &h);
    }
    return h;
}

abut_status abut_simulation_stable_step_of_walls(const abut_simulation *s,
                                                 abut_stable_step *longest)
{
    *longest = (abut_stable_step){.step = INFINITY, .index = -1};
    for (abut_index k = 0; k < s->walls.count; k++) {
        const wall_support h =
            is_driven(&s->walls.walls[k]) ? support_of(s, k) : (wall_support){.count = 0};
        const double step = law_stable_step(h.frequency_sq, h.ratio);
        if (step < longest->step) {
            *longest = (abut_stable_step){step, k, h.count};
        }
    }
    return ABUT_OK;
}
