/* The part of a step for walls: poses, contacts of spheres with walls, and laws. */
#include "parts.h"

#include <string.h>

#include "../walls/facet_list.h"
#include "../walls/match_contacts.h"
#include "apart.h"
#include "check_lists.h"
#include "row_laws.h"
#include "shared.h"
#include "deforming.h"
#include "view.h"

/* Computes the planes of half spaces in the world, which searches of bodies need. */
static void place_half_spaces(abut_simulation *s)
{
    for (abut_index k = s->walls.mesh_count; k < s->walls.touched_count; k++) {
        const pose at = pose_load(s->walls.poses + 16 * k);
        const double *plane = s->walls.half_spaces + 6 * (k - s->walls.mesh_count);
        double *to = s->walls.placed + 6 * (k - s->walls.mesh_count);
        vec3_store(to, pose_to_world(&at, vec3_load(plane)));
        vec3_store(to + 3, pose_turn(&at, vec3_load(plane + 3)));
    }
}

/* The motion of a wall since the last step, from its two poses. A driven wall without other motions
 * has the velocity of its state, which is that in the middle of the last step. After a step of
 * length 0, as in LAMMPS' setup, a wall has its present velocity. */
static wall_way find_way(const abut_simulation *s, const wall_record *record)
{
    const bool is_driven = walls_are_driven(record) && record->given.motion_count == 1;
    const bool has_velocity = is_driven || s->last.step == 0.0;
    return has_velocity ? walls_way_of(&record->now)
                        : walls_way(record->before.pose, &record->now, s->last.step);
}

void contacts_place_walls(abut_simulation *s)
{
    for (abut_index k = 0; k < s->walls.count; k++) {
        wall_record *record = &s->walls.walls[k];
        record->now = walls_next(record, simulation_time(s));
        memcpy(s->walls.poses + 16 * k, record->now.pose, sizeof record->now.pose);
        record->way = find_way(s, record);
    }
    place_half_spaces(s);
}

/* The walls of a step in the form that functions of contacts need. */
static abut_step walls_of(const abut_simulation *s, const step_tables *tables)
{
    return (abut_step){.mesh_count = s->walls.count,
                       .poses = tables == s->now ? s->walls.poses : s->walls.poses_before,
                       .period = lattice_vectors(&s->lattice)};
}

abut_status contacts_follow_walls(abut_simulation *s)
{
    const abut_step now = walls_of(s, s->now), before = walls_of(s, s->before);
    return motion_compare(&s->walls.motion, &now, &before);
}

/* ---- finding ---- */

/* The exponent for sharing a sphere's force. Contacts can share only if the laws of all walls are
 * of one kind, so the first law decides. */
static double exponent_of(const abut_simulation *s)
{
    for (abut_index k = 0; k < s->walls.touched_count; k++) {
        for (abut_index m = 0; m < s->laws.material_count; m++) {
            const abut_index number = laws_number(&s->laws, m, s->walls.walls[k].given.material);
            if (!s->laws.laws[number].is_missing) {
                return s->laws.laws[number].exponent;
            }
        }
    }
    return 1.5;
}

static abut_query make_query(const abut_simulation *s, const parallel_plan *plan,
                             const facet_list **list)
{
    abut_query query = abut_query_default();
    query.sphere_count = s->store.count;
    query.centers = s->store.centers, query.radii = s->store.radii;
    query.resolution = s->input.resolution;
    query.exponent = exponent_of(s);
    query.gap = s->wall_reach;
    /* contacts without a share of the push may still attract */
    query.keep_zero = !laws_are_plain(&s->laws);
    query.half_space_count = s->walls.touched_count - s->walls.mesh_count;
    query.half_spaces = s->walls.half_spaces;
    query.poses = s->walls.poses;
    query.period = lattice_vectors(&s->lattice);
    query.workers = s->input.workers;
    query.interrupted = plan->interrupted;
    query.interrupted_data = plan->interrupted_data;
    *list = near_walls_narrow(&s->near, &query);
    return query;
}

/* The size of memory for rows: about an eighth more than `rows` and `nodes`. */
static table_size size_for(const abut_simulation *s, abut_index rows, abut_index nodes)
{
    return (table_size){rows + rows / 8 + 64, nodes + nodes / 8 + 64, s->store.count};
}

static abut_status write_contacts(abut_simulation *s, const abut_room *room, abut_contacts *found)
{
    interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const abut_index rows = abut_contacts_count(found), nodes = abut_contacts_node_count(found);
    abut_columns columns = room->columns;
    if (rows > room->rows || nodes > room->nodes) {
        interaction_table larger = {.kind = ABUT_SPHERE_WALL};
        if (table_reserve(&larger, size_for(s, rows, nodes), simulation_extras(s))) {
            table_free(&larger);
            return ABUT_NO_MEMORY;
        }
        columns = near_walls_columns(&s->near, &larger.contact);
        abut_contacts_write(found, &columns);
        table_free(t);
        *t = larger;
    } else {
        abut_contacts_write(found, &columns);
    }
    near_walls_widen(&s->near, s->store.count, s->input.workers, &t->contact);
    t->count = rows, t->entry_count = nodes;
    return ABUT_OK;
}

static abut_status find_touching(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const interaction_table *before = &s->before->tables[ABUT_SPHERE_WALL];
    abut_contacts *found = NULL;
    const facet_list *list;
    const abut_query query = make_query(s, plan, &list);
    if (query.sphere_count == 0) {
        return check_lists(s, (checked_search){.contacts = &query}, error);
    }
    const table_size size = size_for(s, before->count, before->entry_count);
    if (table_reserve(t, size, simulation_extras(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const abut_room room = {near_walls_columns(&s->near, &t->contact), size.rows, size.entries};
    abut_status status =
        contacts_find_listed(simulation_finder(s), &query, list, &room, &found, error);
    if (status) {
        status = simulation_name_row(s, &s->near, error);
    } else {
        status = error_set_status(error, write_contacts(s, &room, found));
        status = status ? status : check_lists(s, (checked_search){.contacts = &query}, error);
    }
    abut_contacts_free(found);
    return status;
}

abut_status contacts_find(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    table_clear(t, s->store.count);
    if (s->walls.touched_count == 0 || s->store.count == 0) {
        return ABUT_OK;
    }
    return find_touching(s, plan, error);
}

/* ---- matching ---- */

static abut_step step_of(const abut_simulation *s, const step_tables *tables)
{
    const interaction_table *t = &tables->tables[ABUT_SPHERE_WALL];
    const abut_columns *c = &t->contact;
    const bool is_carried = s->walls.has_deforming && tables == s->before;
    if (t->count == 0) {
        return (abut_step){.contact_count = 0};
    }
    return (abut_step){.sphere_count = t->first_count,
                       .contact_count = t->count,
                       .node_count = t->entry_count,
                       .offsets = c->offsets,
                       .mesh = c->mesh,
                       .point = is_carried ? s->walls.points : c->point,
                       .normal = is_carried ? s->walls.normals : c->normal,
                       .tilt = c->tilt,
                       .image = c->image,
                       .node = c->node,
                       .node_offsets = c->node_offsets};
}

static abut_status match_contacts(abut_simulation *s, const parallel_plan *plan)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    if (t->count == 0) {
        return ABUT_OK;
    }
    contact_matching m = {.now = step_of(s, s->now),
                          .before = step_of(s, s->before),
                          .motion = &s->walls.motion,
                          .match = t->match,
                          .scratches = &s->match_scratches,
                          .workers = s->input.workers};
    m.now.interrupted = plan->interrupted, m.now.interrupted_data = plan->interrupted_data;
    return contacts_match(&m);
}

/* ---- laws ---- */

/* The input of laws for contacts with walls. */
typedef struct wall_laws {
    const abut_simulation *simulation;
    abut_step before;
} wall_laws;

enum { WORK_OF_ROW = 10 };

/* Rotates a vector of the last step with the wall of its row. */
static vec3 turn_kept(const void *context, abut_index row_before, vec3 vector)
{
    const wall_laws *laws = context;
    const abut_simulation *s = laws->simulation;
    const abut_columns *c = &s->before->tables[ABUT_SPHERE_WALL].contact;
    const deforming_mesh *surface = simulation_deforming(s, c->mesh[row_before]);
    if (!surface) {
        return motion_turn(&s->walls.motion, &laws->before, row_before, vector);
    }
    const abut_mesh *mesh = simulation_mesh(s, c->mesh[row_before]);
    const pose turn = deforming_turn(mesh, surface->before, c->facet[row_before]);
    return pose_turn(&turn, vector);
}

/* Sets the contact history of a row, moved with the wall. */
static void set_before(const wall_laws *laws, row_block *b, int32_t k, abut_index row,
                       abut_index row_before)
{
    const abut_simulation *s = laws->simulation;
    const step_tables *tables = row_before < 0 ? s->now : s->before;
    const interaction_table *t = &tables->tables[ABUT_SPHERE_WALL];
    b->block.old_overlap[k] = t->contact.overlap[row_before < 0 ? row : row_before];
    if (row_before < 0) {
        b->block.old_normal[k] = t->contact.normal + 3 * row;
        b->block.kept[k] = history_nothing;
        return;
    }
    vec3_store(b->turned_normals[k], motion_normal(&s->walls.motion, &laws->before, row_before));
    b->block.old_normal[k] = b->turned_normals[k];
    rows_set_turned(b, k, t, row_before, turn_kept, laws);
}

/* Sets the motion of the sphere of a row. The mass is m* on a free wall, and otherwise the finite
 * mass of the sphere, even if it is fixed. */
static void set_first(const abut_simulation *s, row_block *b, int32_t k, abut_index place,
                      abut_index wall)
{
    const mover *sphere = &s->store.movers[place];
    b->block.first[k] = sphere;
    b->block.inertia[k] = s->store.inertias[place];
    if (s->walls.has_driven || store_is_fixed(&s->store, place)) {
        const inertness finite = spheres_own_inertness(s, place);
        b->movers[0][k] = *sphere;
        b->movers[0][k].mass = simulation_mass_on_wall(s, wall, sphere->mass, finite.mass);
        b->block.first[k] = &b->movers[0][k];
        b->block.inertia[k] = finite.inertia;
    }
}

/* Sets the motion of a deforming wall at the contact of a row. */
static void set_deforming(const abut_simulation *s, row_block *b, int32_t k, abut_index row,
                          vec3 arm)
{
    const abut_columns *c = &s->now->tables[ABUT_SPHERE_WALL].contact;
    const deforming_mesh *surface = simulation_deforming(s, c->mesh[row]);
    const abut_mesh *mesh = simulation_mesh(s, c->mesh[row]);
    const double *vertices = deforming_vertices(mesh);
    const pose turn = deforming_turn(mesh, surface->before, c->facet[row]), one = pose_identity();
    vec3 left[3];
    for (int axis = 0; axis < 3; axis++) {
        left[axis] = vec3_sub(one.rows[axis], turn.rows[axis]);
    }
    mover *wall = &b->movers[1][k];
    vec3_store(wall->velocity, deforming_at(c, row, surface->velocities));
    vec3_store(wall->spin,
               deforming_spin(mesh, surface->before, vertices, surface->velocities, c->facet[row]));
    b->movers[2][k] = *wall;
    vec3_store(b->movers[2][k].spin,
               deforming_spin(mesh, vertices, vertices, surface->velocities, c->facet[row]));
    rows_turn_along(b, k, arm, left);
    b->block.second[k] = wall;
    b->block.wall[k] = &b->movers[2][k];
}

/* Sets the motion of the wall at the contact of a row. */
static void set_wall(const abut_simulation *s, row_block *b, int32_t k, abut_index row)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const abut_index wall = t->contact.mesh[row];
    const double length = b->block.first[k]->radius - t->contact.overlap[row];
    const vec3 arm = vec3_scale(vec3_load(t->contact.normal + 3 * row), -length);
    if (simulation_deforming(s, wall)) {
        set_deforming(s, b, k, row, arm);
    } else {
        rows_set_wall(s, b, k, wall, table_wall_point(t, row, &s->lattice), arm);
    }
}

static void set_row(const wall_laws *laws, row_block *b, int32_t k, abut_index row)
{
    const abut_simulation *s = laws->simulation;
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const abut_index place = t->contact.sphere[row], wall = t->contact.mesh[row];
    set_first(s, b, k, place, wall);
    set_wall(s, b, k, row);
    b->block.laws[k] = view_wall_law(s, place, wall);
    set_before(laws, b, k, row, t->match[row]);
}

static void fill_block(const void *context, row_block *b, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        set_row(context, b, k, b->rows[k]);
    }
}

static abut_status apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    const interaction_table *t = &s->now->tables[ABUT_SPHERE_WALL];
    const wall_laws laws = {.simulation = s, .before = step_of(s, s->before)};
    row_laws rows = {.simulation = s,
                     .count = t->count,
                     .work = WORK_OF_ROW,
                     .table = t,
                     .normal = t->contact.normal,
                     .overlap = t->contact.overlap,
                     .share = t->contact.share,
                     .are_mixed = !s->laws.are_alike,
                     .fill = fill_block,
                     .context = &laws};
    return t->count > 0 ? rows_apply(&rows, plan, error) : ABUT_OK;
}

abut_status contacts_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    abut_status status = apart_drop_far_contacts(s, plan);
    status = status ? status : deforming_carry(s);
    status = status ? status : match_contacts(s, plan);
    status = status ? status : apart_drop_contacts(s, plan);
    status = status ? status : apart_share_pulls(s, plan);
    return status ? error_set_status(error, status) : apply_laws(s, plan, error);
}
