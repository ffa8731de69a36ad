/* What a step leaves behind, by rows: for callers to read, and to go on from. */
#include <string.h>

#include "../base/span.h"
#include "simulation.h"

/* ---- reading ---- */

abut_index abut_simulation_contact_count(const abut_simulation *s)
{
    return s->before->tables[SPHERE_WALL].count;
}

abut_index abut_simulation_contact_node_count(const abut_simulation *s)
{
    return s->before->tables[SPHERE_WALL].entry_count;
}

abut_index abut_simulation_pair_count(const abut_simulation *s)
{
    return s->before->tables[SPHERE_SPHERE].count;
}

/* The renumbering from places to rows. */
static renumbering by_row(const abut_simulation *s)
{
    return (renumbering){s->store.rows, s->store.rows, s->store.count};
}

static void copy_column(void *to, const void *from, abut_index count, size_t size)
{
    if (to && from && count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

/* Copy moments, or write zeros where there are none, without laws of type C. */
static void copy_moments(double *to, const double *from, abut_index count)
{
    if (to && !from) {
        memset(to, 0, 3 * (size_t)count * sizeof *to);
    }
    copy_column(to, from, count, 3 * sizeof *to);
}

static void write_springs(const springs *from, abut_index count, const abut_contact_state *to)
{
    for (abut_index row = 0; to->force && row < count; row++) {
        memcpy(to->force + 3 * row, from->effects[row].force, 3 * sizeof *to->force);
    }
    copy_column(to->spring, from->spring, count, 3 * sizeof *to->spring);
    copy_moments(to->moment, from->moment, count);
    copy_moments(to->roll, from->roll, count);
}

static void write_offsets(const interaction_table *t, abut_index sphere_count, abut_index *to)
{
    for (abut_index k = 0; to && k <= sphere_count; k++) {
        to[k] = t->count > 0 ? t->contact.offsets[k] : 0;
    }
}

static void write_contact_columns(const interaction_table *t, const abut_contact_state *to)
{
    const abut_columns *from = &t->contact, *c = &to->columns;
    copy_column(c->sphere, from->sphere, t->count, sizeof *c->sphere);
    copy_column(c->mesh, from->mesh, t->count, sizeof *c->mesh);
    copy_column(c->facet, from->facet, t->count, sizeof *c->facet);
    copy_column(c->type, from->type, t->count, sizeof *c->type);
    copy_column(c->feature, from->feature, t->count, sizeof *c->feature);
    copy_column(c->point, from->point, t->count, 3 * sizeof *c->point);
    copy_column(c->normal, from->normal, t->count, 3 * sizeof *c->normal);
    copy_column(c->overlap, from->overlap, t->count, sizeof *c->overlap);
    copy_column(c->share, from->share, t->count, sizeof *c->share);
    copy_column(c->tilt, from->tilt, t->count, sizeof *c->tilt);
    copy_column(c->image, from->image, t->count, 3 * sizeof *c->image);
    copy_column(c->node, from->node, t->entry_count, sizeof *c->node);
    copy_column(c->weight, from->weight, t->entry_count, sizeof *c->weight);
    copy_column(c->node_offsets, from->node_offsets, t->count + 1, sizeof *c->node_offsets);
}

abut_status abut_simulation_write_contacts(const abut_simulation *s, const abut_contact_state *to,
                                           abut_error *error)
{
    const renumbering by = by_row(s);
    interaction_table t = {.kind = SPHERE_WALL};
    const abut_status status =
        table_renumber(&t, &s->before->tables[SPHERE_WALL], &by, simulation_extras(s));
    if (!status) {
        write_contact_columns(&t, to);
        write_offsets(&t, s->store.count, to->columns.offsets);
        write_springs(&t.springs, t.count, to);
    }
    table_free(&t);
    return error_set_status(error, status);
}

/* ---- pairs ---- */

/* The point midway between the surfaces, at the beginning of the step. */
static void write_point(const abut_simulation *s, const interaction_table *t, abut_index row,
                        double *to)
{
    const abut_index place = s->store.places[t->pair.i[row]];
    const double inward = s->store.radii[place] - 0.5 * t->pair.overlap[row];
    const vec3 normal = vec3_load(t->pair.normal + 3 * row);
    vec3_store(to, vec3_sub(vec3_load(s->store.began + 3 * place), vec3_scale(normal, inward)));
}

static void write_pair(const abut_simulation *s, const interaction_table *t, abut_index row,
                       const abut_pair_state *to, abut_index k)
{
    const abut_pair_columns *from = &t->pair, *c = &to->columns;
    const size_t vector = 3 * sizeof(double);
    copy_column(c->i ? c->i + k : NULL, from->i + row, 1, sizeof *c->i);
    copy_column(c->j ? c->j + k : NULL, from->j + row, 1, sizeof *c->j);
    copy_column(c->overlap ? c->overlap + k : NULL, from->overlap + row, 1, sizeof *c->overlap);
    copy_column(c->normal ? c->normal + 3 * k : NULL, from->normal + 3 * row, 1, vector);
    copy_column(c->image && from->image ? c->image + 3 * k : NULL,
                from->image ? from->image + 3 * row : NULL, 1, 3 * sizeof *c->image);
    copy_column(to->force ? to->force + 3 * k : NULL, t->springs.effects[row].force, 1, vector);
    copy_column(to->spring ? to->spring + 3 * k : NULL, t->springs.spring + 3 * row, 1, vector);
    if (to->moment) {
        copy_moments(to->moment + 3 * k, t->springs.moment ? t->springs.moment + 3 * row : NULL, 1);
    }
    if (to->roll) {
        copy_moments(to->roll + 3 * k, t->springs.roll ? t->springs.roll + 3 * row : NULL, 1);
    }
    if (c->point) {
        write_point(s, t, row, c->point + 3 * k);
    }
}

abut_status abut_simulation_write_pairs(const abut_simulation *s, const abut_pair_state *to,
                                        abut_error *error)
{
    const renumbering by = by_row(s);
    interaction_table t = {.kind = SPHERE_SPHERE};
    const abut_status status =
        table_renumber(&t, &s->before->tables[SPHERE_SPHERE], &by, simulation_extras(s));
    if (!status) {
        for (abut_index row = 0; row < t.count; row++) {
            write_pair(s, &t, row, to, row);
        }
        copy_column(to->columns.offsets, t.pair.offsets, s->store.count + 1,
                    sizeof *t.pair.offsets);
    }
    table_free(&t);
    return error_set_status(error, status);
}

abut_step_state abut_simulation_step_state(const abut_simulation *s)
{
    return (abut_step_state){.step_count = s->step_count,
                             .account = {s->account.base, s->account.gone_wall_work,
                                         s->account.held, s->account.is_held ? 1.0 : 0.0},
                             .walls = s->before->states};
}

/* ---- going on ---- */

static abut_status check_offsets(const abut_index *offsets, abut_index count, abut_index last,
                                 abut_status status, abut_error *error)
{
    const abut_index wrong = span_find_wrong(offsets, count, last);
    return wrong < 0 ? ABUT_OK : error_set(error, status, wrong, last, 0.0);
}

static abut_status check_contacts(const abut_simulation *s, const abut_contact_state *from,
                                  abut_error *error)
{
    const abut_columns *c = &from->columns;
    abut_status status =
        check_offsets(c->offsets, s->store.count, from->contact_count, ABUT_BAD_ROWS, error);
    status = status ? status
                    : check_offsets(c->node_offsets, from->contact_count, from->node_count,
                                    ABUT_BAD_NODES, error);
    for (abut_index row = 0; !status && row < from->contact_count; row++) {
        if (c->mesh[row] < 0 || c->mesh[row] >= s->walls.count) {
            status = error_set(error, ABUT_BAD_MESH_NUMBER, row, c->mesh[row],
                               (double)s->walls.count - 1.0);
        }
    }
    return status;
}

static abut_status check_pairs(const abut_simulation *s, const abut_pair_state *from,
                               abut_error *error)
{
    const abut_pair_columns *c = &from->columns;
    const abut_index count = s->store.count;
    abut_status status =
        check_offsets(c->offsets, count, from->pair_count, ABUT_BAD_PAIR_ROWS, error);
    for (abut_index i = 0; !status && i < count; i++) {
        for (abut_index row = c->offsets[i]; !status && row < c->offsets[i + 1]; row++) {
            if (c->i[row] != i) {
                status = error_set(error, ABUT_BAD_I, row, c->i[row], (double)count - 1.0);
            } else if (c->j[row] < i || c->j[row] >= count) {
                status = error_set(error, ABUT_BAD_J, row, c->j[row], (double)count - 1.0);
            }
        }
    }
    return status;
}

static void restore_springs(springs *to, abut_index count, const abut_contact_state *from)
{
    const size_t vector = 3 * sizeof(double);
    for (abut_index row = 0; row < count; row++) {
        to->effects[row] = (effect){.arm = 0.0};
        memcpy(to->effects[row].force, from->force + 3 * row, vector);
    }
    copy_column(to->spring, from->spring, count, vector);
    if (to->roll && from->roll && from->moment) {
        copy_column(to->roll, from->roll, count, vector);
        copy_column(to->moment, from->moment, count, vector);
    } else if (to->roll) {
        memset(to->roll, 0, (size_t)count * vector);
        memset(to->moment, 0, (size_t)count * vector);
    }
}

/* Compute the power of forces and moments on the walls anew. */
static void restore_power(abut_simulation *s, interaction_table *t)
{
    for (abut_index row = 0; row < t->count; row++) {
        const abut_wall_state *state = &s->before->states[t->contact.mesh[row]];
        const vec3 point = table_wall_point(t, row, &s->lattice);
        const vec3 force = vec3_load(t->springs.effects[row].force);
        t->springs.power[row] = -vec3_dot(force, walls_velocity(state, point));
        if (t->springs.moment) {
            t->springs.power[row] -=
                vec3_dot(vec3_load(t->springs.moment + 3 * row), vec3_load(state->spin));
        }
    }
}

static abut_status restore_contacts(abut_simulation *s, const abut_contact_state *from)
{
    interaction_table *t = &s->before->tables[SPHERE_WALL];
    const abut_index rows = from->contact_count, nodes = from->node_count;
    abut_status status =
        table_reserve(t, (table_size){rows, nodes, s->store.count}, simulation_extras(s));
    if (status) {
        return status;
    }
    const interaction_table source = {
        .count = rows, .entry_count = nodes, .contact = from->columns};
    const abut_contact_state to = {.columns = t->contact};
    write_contact_columns(&source, &to);
    memcpy(t->contact.offsets, from->columns.offsets,
           (size_t)(s->store.count + 1) * sizeof *t->contact.offsets);
    if (t->contact.image && !from->columns.image) {
        memset(t->contact.image, 0, 3 * (size_t)rows * sizeof *t->contact.image);
    }
    t->count = rows, t->entry_count = nodes;
    restore_springs(&t->springs, rows, from);
    restore_power(s, t);
    return ABUT_OK;
}

static abut_status restore_pairs(abut_simulation *s, const abut_pair_state *from)
{
    interaction_table *t = &s->before->tables[SPHERE_SPHERE];
    const abut_index rows = from->pair_count;
    const abut_pair_columns *c = &from->columns;
    abut_status status =
        table_reserve(t, (table_size){rows, 0, s->store.count}, simulation_extras(s));
    if (status) {
        return status;
    }
    copy_column(t->pair.i, c->i, rows, sizeof *c->i);
    copy_column(t->pair.j, c->j, rows, sizeof *c->j);
    copy_column(t->pair.normal, c->normal, rows, 3 * sizeof *c->normal);
    copy_column(t->pair.overlap, c->overlap, rows, sizeof *c->overlap);
    copy_column(t->pair.image, c->image, rows, 3 * sizeof *c->image);
    if (t->pair.image && !c->image) {
        memset(t->pair.image, 0, 3 * (size_t)rows * sizeof *t->pair.image);
    }
    copy_column(t->pair.offsets, c->offsets, s->store.count + 1, sizeof *c->offsets);
    t->count = rows;
    const abut_contact_state carried = {
        .force = from->force, .moment = from->moment, .spring = from->spring, .roll = from->roll};
    restore_springs(&t->springs, rows, &carried);
    return ABUT_OK;
}

abut_status abut_simulation_restore(abut_simulation *s, const abut_step_state *state,
                                    abut_error *error)
{
    abut_status status = check_contacts(s, state->contacts, error);
    status = status ? status : check_pairs(s, state->pairs, error);
    if (status) {
        return status;
    }
    for (abut_index k = 0; k < s->walls.count; k++) {
        s->before->states[k] = state->walls[k];
        memcpy(s->before->poses + 16 * k, state->walls[k].pose, sizeof state->walls[k].pose);
    }
    neighbor_list_forget(&s->neighbors);
    status = restore_contacts(s, state->contacts);
    status = status ? status : restore_pairs(s, state->pairs);
    if (status) {
        return error_set_status(error, status);
    }
    s->step_count = state->step_count;
    s->account = (account){.base = state->account[0],
                           .gone_wall_work = state->account[1],
                           .held = state->account[2],
                           .is_held = state->account[3] != 0.0};
    /* whether spheres were put in place after the last step, before it was saved, is not known:
     * rather tell of no overlap that has grown than of one that has not */
    s->watch.is_placed = s->account.is_held;
    return ABUT_OK;
}
