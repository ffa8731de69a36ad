/* Rigid bodies by row: in the order in which callers have added them. */
#include <string.h>

#include "cell_motion.h"
#include "energy.h"
#include "sphere_order.h"
#include "population.h"
#include "shared.h"
#include "sphere_rows.h"
#include "watch.h"

static rigid_set *set_of(abut_simulation *s, abut_rigid_kind kind)
{
    return kind == ABUT_CLUSTERS ? &s->clusters : &s->solids;
}

static const rigid_set *find_set(const abut_simulation *s, abut_rigid_kind kind)
{
    return kind == ABUT_CLUSTERS ? &s->clusters : &s->solids;
}

abut_index abut_simulation_rigid_count(const abut_simulation *s, abut_rigid_kind kind)
{
    return find_set(s, kind)->count;
}

/* ---- shapes ---- */

abut_status abut_simulation_set_shapes(abut_simulation *s, const abut_shape *const *shapes,
                                       abut_index shape_count, abut_error *error)
{
    rigid_set *set = &s->solids;
    const abut_shape **made = memory_alloc(shape_count + 1, sizeof *made);
    abut_status status = made ? ABUT_OK : error_set_status(error, ABUT_NO_MEMORY);
    if (!status && !set->point) {
        status = abut_shape_build_point(3, 1.0, &set->point, error);
    }
    if (status) {
        memory_free(made);
        return status;
    }
    for (abut_index k = 0; k < shape_count; k++) {
        made[k] = shapes[k];
    }
    made[shape_count] = set->point;
    memory_free(set->shapes);
    set->shapes = made, set->shape_count = shape_count;
    simulation_forget_bodies(s);
    return ABUT_OK;
}

/* ---- columns ---- */

#define RIGID_NUMBER(name, type, width, per, when, flags, unit, meaning) RIGID_##name,
enum { ABUT_RIGID_COLUMNS(RIGID_NUMBER) RIGID_NUMBERS };

#define IN_BODIES(member) IN_STRUCTS(rigid_set, bodies, rigid_body, member)

static const column_storage COLUMNS[RIGID_NUMBERS] = {
    [RIGID_positions] = {NOT_STORED, COORDINATE, ABUT_OK},    /* follow from centers */
    [RIGID_orientations] = {NOT_STORED, COORDINATE, ABUT_OK}, /* follow from `turns` */
    [RIGID_velocities] = {IN_BODIES(rigid.velocity), AS_GIVEN, COORDINATE, ABUT_OK},
    [RIGID_angular_momenta] = {IN_BODIES(rigid.momentum), AS_GIVEN, COORDINATE, ABUT_OK},
    [RIGID_masses] = {IN_BODIES(rigid.mass), AS_GIVEN, POSITIVE, ABUT_OK},
    [RIGID_inertias] = {IN_BODIES(rigid.inertia), AS_GIVEN, POSITIVE, ABUT_OK},
    [RIGID_fixed] = {IN_BODIES(rigid.is_fixed), AS_BOOL, FLAG, ABUT_OK},
    [RIGID_member_counts] = {IN_BODIES(member_count), AS_INT32, ANY, ABUT_OK},
    [RIGID_members] = {NOT_STORED, ANY, ABUT_OK}, /* not exactly one entry for each row */
    [RIGID_shapes] = {IN_BODIES(shape), AS_INT32, ANY, ABUT_OK},
    [RIGID_scales] = {IN_BODIES(scale), AS_GIVEN, POSITIVE, ABUT_OK},
    [RIGID_materials] = {IN_BODIES(material), AS_INT32, ANY, ABUT_OK},
    [RIGID_axes] = {IN_BODIES(axes), AS_GIVEN, COORDINATE, ABUT_OK},
    [RIGID_centers] = {IN_BODIES(rigid.position), AS_GIVEN, COORDINATE, ABUT_OK},
    [RIGID_turns] = {IN_BODIES(rigid.orientation), AS_GIVEN, COORDINATE, ABUT_OK},
    [RIGID_spins] = {IN_BODIES(rigid.spin), AS_GIVEN, COORDINATE, ABUT_OK},
    [RIGID_images] = {IN_BODIES(rigid.images), AS_INT32, PERIODS, ABUT_OK},
    [RIGID_began] = {IN_BODIES(rigid.began), AS_GIVEN, FINITE, ABUT_OK},
    [RIGID_works] = {IN_BODIES(rigid.books), AS_GIVEN, FINITE, ABUT_OK},
    [RIGID_forces] = {IN_BODIES(sum.force), AS_GIVEN, FINITE, ABUT_OK},
    [RIGID_torques] = {IN_BODIES(sum.torque), AS_GIVEN, FINITE, ABUT_OK},
};

static const population RIGIDS = {ABUT_RIGID_TABLE, COLUMNS, ABUT_BAD_BODY};

/* The caller's columns without those that this kind of body does not have. */
static abut_rigids columns_of(abut_rigid_kind kind, const abut_rigids *given)
{
    abut_rigids chosen = *given;
    if (kind == ABUT_CLUSTERS) {
        chosen.shapes = chosen.materials = NULL;
        chosen.scales = chosen.axes = NULL;
    } else {
        chosen.member_counts = NULL;
    }
    return chosen;
}

static abut_status check_names(const abut_index *names, abut_index count, abut_index end,
                               abut_index column, abut_error *error)
{
    const abut_index wrong = population_find_wrong(names, count, end);
    return wrong < 0 ? ABUT_OK
                     : error_set(error, ABUT_BAD_BODY, wrong, column, (double)names[wrong]);
}

static abut_status check_bodies(const abut_simulation *s, const abut_rigids *b, abut_error *error)
{
    abut_status status = population_check(&RIGIDS, b, b->count, error);
    status = status ? status
                    : check_names(b->shapes, b->count, s->solids.shape_count, RIGID_shapes, error);
    return status ? status
                  : check_names(b->materials, b->count, s->laws.material_count, RIGID_materials,
                                error);
}

/* ---- adding ---- */

/* Starts a body, fixed or free, at its given frame; or restores it, if `turns` is given. */
static void begin_motion(const abut_simulation *s, rigid_body *to, const abut_rigids *from,
                         abut_index k)
{
    rigid_set_fixed(&to->rigid, to->rigid.is_fixed);
    if (from->turns) {
        return;
    }
    rigid_frame frame = rigid_body_frame(to);
    frame.origin = from->positions ? vec3_load(from->positions + 3 * k) : frame.origin;
    if (from->orientations) {
        memcpy(frame.orientation, from->orientations + 4 * k, sizeof frame.orientation);
    }
    if (from->positions || from->orientations) {
        rigid_body_set_frame(to, &frame);
    }
    double place[3];
    vec3_store(place, to->rigid.position);
    cell_place(s, place, to->rigid.images, &to->rigid.velocity);
    to->rigid.position = vec3_load(place);
    rigid_place(&to->rigid);
}

/* Appends bodies with the given columns. Numbers that are not given are 0, and
 * rotations that are not given are the identity. */
static void append_bodies(rigid_set *set, const abut_rigids *from)
{
    const abut_index first = set->count;
    for (; set->count < first + from->count; set->count++) {
        set->bodies[set->count] =
            (rigid_body){.axes = {0.0, 0.0, 0.0, 1.0}, .rigid.orientation = {0.0, 0.0, 0.0, 1.0}};
    }
    population_store(&RIGIDS, set, NULL, (row_span){first, from->count}, from);
}

/* Sets the numbers that follow from a convex body's shape and scale. */
static void scale_shape(const rigid_set *set, rigid_body *body)
{
    const abut_shape_view view = abut_shape_inspect(set->shapes[body->shape]);
    body->offset = vec3_scale(vec3_load(view.centroid), body->scale);
    body->reach = view.circumradius * body->scale;
    body->inner = view.inradius * body->scale;
    body->rounding = view.radius * body->scale;
}

static void append_convex(abut_simulation *s, const abut_rigids *from)
{
    rigid_body *made = s->solids.bodies + s->solids.count;
    append_bodies(&s->solids, from);
    for (abut_index k = 0; k < from->count; k++) {
        scale_shape(&s->solids, &made[k]);
        begin_motion(s, &made[k], from, k);
    }
    simulation_forget_bodies(s);
}

/* Sets the cluster, mass and position of each sphere in a cluster. */
static void join_members(abut_simulation *s, const rigid_body *cluster)
{
    for (int32_t k = 0; k < cluster->member_count; k++) {
        const int32_t place = s->store.places[cluster->first_row + k];
        s->store.clusters[place] = (int32_t)(cluster - s->clusters.bodies);
        spheres_set_mass(s, place, cluster->rigid.is_fixed);
    }
    rigid_set_place_members(&s->clusters, cluster, &s->store);
}

/* Appends clusters. Their members are the spheres that were added last. */
static void append_clusters(abut_simulation *s, const abut_rigids *from, abut_index member_count)
{
    rigid_set *set = &s->clusters;
    rigid_body *made = set->bodies + set->count;
    abut_index row = s->store.count - member_count;
    append_bodies(set, from);
    if (member_count > 0) {
        memcpy(set->members + 3 * set->member_count, from->members,
               3 * (size_t)member_count * sizeof *set->members);
    }
    for (abut_index k = 0; k < from->count; k++) {
        made[k].first_row = (int32_t)row;
        made[k].first_member = set->member_count;
        begin_motion(s, &made[k], from, k);
        join_members(s, &made[k]);
        row += made[k].member_count, set->member_count += made[k].member_count;
    }
}

abut_status abut_simulation_add_rigids(abut_simulation *s, abut_rigid_kind kind,
                                       const abut_rigids *given, const abut_spheres *spheres,
                                       abut_error *error)
{
    rigid_set *set = set_of(s, kind);
    const abut_rigids from = columns_of(kind, given);
    const abut_index count = set->count + from.count;
    abut_status status = check_bodies(s, &from, error);
    if (status) {
        return status;
    }
    if (count > INT32_MAX - 2) {
        return error_set(error, ABUT_TOO_MANY_SPHERES, count, 0, 0.0);
    }
    status = rigid_set_reserve(set, count, set->member_count + (spheres ? spheres->count : 0));
    status = error_set_status(error, status);
    status = status || !spheres ? status : abut_simulation_add(s, spheres, error);
    if (status) {
        return status;
    }
    energy_hold(s);
    s->watch.is_placed = true;
    if (kind == ABUT_CLUSTERS) {
        append_clusters(s, &from, spheres->count);
    } else {
        append_convex(s, &from);
    }
    return ABUT_OK;
}

/* ---- removing ---- */

/* Adds the work of removed bodies on walls to the energy balance. */
static void settle_gone_bodies(abut_simulation *s, const uint8_t *is_gone)
{
    for (abut_index k = 0; k < s->solids.count; k++) {
        const double done = books_wall_work(&s->solids.bodies[k].rigid.books);
        s->account.gone_wall_work += is_gone[k] ? done : 0.0;
    }
}

abut_status abut_simulation_remove_bodies(abut_simulation *s, const uint8_t *is_gone,
                                          abut_error *error)
{
    rigid_set *set = &s->solids;
    int32_t *numbers = memory_alloc(set->count, sizeof *numbers), kept = 0;
    if (!numbers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    energy_hold(s);
    for (abut_index k = 0; k < set->count; k++) {
        numbers[k] = is_gone[k] ? -1 : kept;
        kept += !is_gone[k];
    }
    const renaming by = {.bodies = numbers, .place_count = s->store.count, .body_count = kept};
    const abut_status status = order_renumber_tables(s, &by);
    if (!status) {
        watch_forget(s);
        settle_gone_bodies(s, is_gone);
        rigid_set_compact(set, is_gone);
        simulation_forget_bodies(s);
    }
    memory_free(numbers);
    return error_set_status(error, status);
}

/* ---- reading and assigning ---- */

void abut_simulation_read_rigids(const abut_simulation *s, abut_rigid_kind kind,
                                 const abut_rigids *given)
{
    const rigid_set *set = find_set(s, kind);
    const abut_rigids to = columns_of(kind, given);
    population_read(&RIGIDS, set, NULL, (row_span){0, set->count}, &to);
    for (abut_index k = 0; (to.positions || to.orientations) && k < set->count; k++) {
        const rigid_frame frame = rigid_body_frame(&set->bodies[k]);
        if (to.positions) {
            vec3_store(to.positions + 3 * k, frame.origin);
        }
        if (to.orientations) {
            memcpy(to.orientations + 4 * k, frame.orientation, sizeof frame.orientation);
        }
    }
    if (to.members && set->member_count > 0) {
        memcpy(to.members, set->members, 3 * (size_t)set->member_count * sizeof *to.members);
    }
}

/* Whether any fixed body becomes free. Then it may overlap partners that were fixed, too. */
static bool frees_any(const rigid_set *set, const abut_index *fixed)
{
    bool frees = false;
    for (abut_index k = 0; fixed && k < set->count; k++) {
        frees |= !fixed[k] && set->bodies[k].rigid.is_fixed;
    }
    return frees;
}

abut_status abut_simulation_assign_rigids(abut_simulation *s, abut_rigid_kind kind,
                                          const abut_rigids *given, abut_error *error)
{
    rigid_set *set = set_of(s, kind);
    const abut_rigids from = {.positions = given->positions,
                              .orientations = given->orientations,
                              .velocities = given->velocities,
                              .angular_momenta = given->angular_momenta,
                              .fixed = given->fixed};
    const abut_status status = population_check(&RIGIDS, &from, set->count, error);
    if (status) {
        return status;
    }
    const abut_energy energy = abut_simulation_energy(s);
    const bool frees = frees_any(set, from.fixed);
    if (from.positions || from.orientations || frees) {
        energy_hold_total(s);
    }
    s->watch.is_placed |= from.positions || from.orientations || from.fixed;
    s->watch.is_freed |= frees;
    population_store(&RIGIDS, set, NULL, (row_span){0, set->count}, &from);
    for (abut_index k = 0; k < set->count; k++) {
        begin_motion(s, &set->bodies[k], &from, k);
    }
    if (kind == ABUT_CLUSTERS) {
        rigid_set_place_clusters(set, &s->store);
    } else if (from.fixed) {
        neighbor_list_forget(&s->neighbors);
    }
    energy_count_outside(s, energy);
    return ABUT_OK;
}

abut_status abut_simulation_apply_to_bodies(abut_simulation *s, const double *forces,
                                            const double *torques, abut_error *error)
{
    const vec3 none = {0.0, 0.0, 0.0};
    abut_status status = spheres_check_pushes(forces, s->solids.count, error);
    status = status ? status : spheres_check_pushes(torques, s->solids.count, error);
    for (abut_index k = 0; !status && k < s->solids.count; k++) {
        s->solids.bodies[k].applied = (wrench){forces ? vec3_load(forces + 3 * k) : none,
                                               torques ? vec3_load(torques + 3 * k) : none};
    }
    s->solids.has_applied = status ? s->solids.has_applied : forces || torques;
    return status;
}
