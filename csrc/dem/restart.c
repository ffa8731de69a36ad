/* The state after a step by row. Callers can read it, and restore it from a restart file. */
#include <string.h>

#include "sphere_order.h"
#include "pair_rows.h"
#include "deforming.h"
#include "view.h"

/* The caller's columns in the form of a table. */
static interaction_table table_of(const abut_simulation *s, abut_interaction kind,
                                  const abut_interactions *given)
{
    return (interaction_table){.kind = kind,
                               .any = given->columns,
                               .moment = given->moment,
                               .extras = simulation_extras(s)};
}

/* A function that copies between the contact history of a row and the caller's columns. */
typedef void copy_kept(double *kept, double *given, size_t bytes);

static void write_kept(double *kept, double *given, size_t bytes)
{
    memcpy(given, kept, bytes);
}

static void read_kept(double *kept, double *given, size_t bytes)
{
    memcpy(kept, given, bytes);
}

/* Copies the contact history. Callers have a column for each spring, and one for the other
 * numbers. */
static void copy_all_kept(const interaction_table *t, const abut_interactions *given,
                          copy_kept *copy)
{
    static const history_part firsts[] = {HISTORY_SPRING, HISTORY_ROLL, HISTORY_VECTORS,
                                          HISTORY_PARTS};
    double *const columns[] = {given->spring, given->roll, given->history};
    for (int c = 0; c < 3; c++) {
        const int begin = t->extras.layout.begins[firsts[c]];
        const int count = t->extras.layout.begins[firsts[c + 1]] - begin;
        for (abut_index k = 0; columns[c] && k < table_interactions(t); k++) {
            copy(table_kept(t, k) + begin, columns[c] + k * count, (size_t)count * sizeof(double));
        }
    }
}

/* ---- reading ---- */

abut_interactions abut_simulation_count_interactions(const abut_simulation *s,
                                                     abut_interaction kind)
{
    const interaction_table *t = &s->before->tables[kind];
    return (abut_interactions){.row_count = t->count, .entry_count = t->entry_count};
}

/* Writes the points of pairs: in the middle of the overlap or gap, at the beginning of the step. */
static void write_points(const abut_simulation *s, const interaction_table *t, double *to)
{
    for (abut_index row = 0; to && row < t->count; row++) {
        const abut_index place = s->store.places[t->pair.i[row]];
        const double inward = s->store.radii[place] - 0.5 * t->pair.overlap[row];
        const vec3 way = vec3_scale(vec3_load(t->pair.normal + 3 * row), inward);
        vec3_store(to + 3 * row, vec3_sub(vec3_load(s->store.began + 3 * place), way));
    }
}

/* Writes a table with rows in the caller's order. */
static void write_rows(const abut_simulation *s, const interaction_table *t,
                       const abut_interactions *to)
{
    interaction_table lent = table_of(s, t->kind, to);
    table_append(&lent, t, (row_span){0, t->count});
    if (to->roll) {
        memset(to->roll, 0, 3 * (size_t)table_interactions(t) * sizeof *to->roll);
    }
    copy_all_kept(t, to, write_kept);
    for (abut_index k = 0; to->force && k < table_interactions(t); k++) {
        const vec3 force = vec3_load(table_force(t, k));
        vec3_store(to->force + 3 * k, vec3_one_zero(force));
    }
    if (table_offsets(&lent)) {
        memcpy(table_offsets(&lent), table_offsets(t),
               (size_t)(t->first_count + 1) * sizeof(abut_index));
    }
}

abut_status abut_simulation_write_interactions(const abut_simulation *s, abut_interaction kind,
                                               const abut_interactions *to, abut_error *error)
{
    const interaction_table *by_place = &s->before->tables[kind];
    if (table_is_of_bodies(kind)) {
        write_rows(s, by_place, to);
        return ABUT_OK;
    }
    interaction_table t = {.kind = kind};
    const int32_t *rows = s->store.rows;
    const renumbering by = {rows, kind == ABUT_SPHERE_SPHERE ? rows : NULL, s->store.count};
    const abut_status status = pair_rows_renumber(s, &t, by_place, &by, simulation_extras(s));
    if (!status) {
        write_rows(s, &t, to);
        write_points(s, &t, kind == ABUT_SPHERE_SPHERE ? to->columns.pairs.point : NULL);
    }
    table_free(&t);
    return error_set_status(error, status);
}

/* States of the energy balance in restart files: what the next step does with it. */
enum { CONTINUES, IS_HELD, KEEPS_TOTAL, HAS_NEW };

abut_step_state abut_simulation_step_state(const abut_simulation *s)
{
    const account *a = &s->account;
    const int kind = a->has_new ? HAS_NEW : a->is_held + a->keeps_total;
    abut_step_state state = {
        .step_count = s->step_count,
        .account = {a->base, a->gone_wall_work, a->has_new ? (double)a->new_from : a->held, kind,
                    a->driven_work, a->last_driven_work, a->keeps_total ? a->total : 0.0}};
    memcpy(state.terms, s->terms, sizeof state.terms);
    return state;
}

/* ---- restoring ---- */

void abut_simulation_restore(abut_simulation *s, const abut_step_state *state)
{
    for (abut_index k = 0; k < s->walls.count; k++) {
        s->walls.walls[k].before = state->walls[k];
        memcpy(s->walls.poses_before + 16 * k, state->walls[k].pose, sizeof state->walls->pose);
    }
    neighbor_list_forget(&s->neighbors);
    s->step_count = state->step_count;
    memcpy(s->terms, state->terms, sizeof s->terms);
    const double kind = state->account[3], held = state->account[2];
    s->account = (account){.base = state->account[0],
                           .gone_wall_work = state->account[1],
                           .held = held,
                           .is_held = kind == IS_HELD || kind == KEEPS_TOTAL,
                           .keeps_total = kind == KEEPS_TOTAL,
                           .has_new = kind == HAS_NEW,
                           .new_from = held > 0.0 && held < INT32_MAX ? (abut_index)held : 0,
                           .total = state->account[6],
                           .driven_work = state->account[4],
                           .last_driven_work = state->account[5]};
    /* whether something was placed between the last step and saving is unknown */
    s->watch.is_placed = true;
}

abut_index abut_simulation_read_order(const abut_simulation *s, abut_index *rows)
{
    for (abut_index place = 0; place < s->store.count; place++) {
        rows[place] = s->store.rows[place];
    }
    return s->order_step;
}

/* Finds for each place in the file the present place of its sphere. */
static abut_status find_sources(const abut_simulation *s, const abut_index *rows, int32_t *sources,
                                bool *is_there, abut_error *error)
{
    for (abut_index place = 0; place < s->store.count; place++) {
        const abut_index row = rows[place];
        if (row < 0 || row >= s->store.count || is_there[row]) {
            return error_set(error, ABUT_BAD_EARLIER, place, row, (double)s->store.count);
        }
        is_there[row] = true;
        sources[place] = s->store.places[row];
    }
    return ABUT_OK;
}

abut_status abut_simulation_restore_order(abut_simulation *s, const abut_index *rows,
                                          abut_index next_step, abut_error *error)
{
    int32_t *sources = memory_alloc(s->store.count + 1, sizeof *sources);
    bool *is_there = memory_alloc_zeroed(s->store.count + 1, sizeof *is_there);
    abut_status status = error_set_status(error, sources && is_there ? ABUT_OK : ABUT_NO_MEMORY);
    if (!status) {
        status = find_sources(s, rows, sources, is_there, error);
    }
    if (!status) {
        status = error_set_status(error, order_rearrange(s, sources, s->store.count, NULL));
    }
    if (!status) {
        store_find_places(&s->store);
        s->order_step = next_step;
    }
    memory_free(is_there);
    memory_free(sources);
    return status;
}

static abut_status check_offsets(const abut_index *offsets, abut_index count, abut_index last,
                                 abut_status status, abut_error *error)
{
    const abut_index wrong = span_find_wrong(offsets, count, last);
    return wrong < 0 ? ABUT_OK : error_set(error, status, wrong, last, 0.0);
}

/* Checks the offsets: where the rows of each first partner begin, and the entries of each row. */
static abut_status check_all_offsets(const interaction_table *t, const abut_interactions *from,
                                     abut_error *error)
{
    const bool is_contact = t->kind == ABUT_SPHERE_WALL;
    abut_status status = ABUT_OK;
    if (!table_is_of_bodies(t->kind)) {
        status = check_offsets(table_offsets(t), t->first_count, from->row_count,
                               is_contact ? ABUT_BAD_ROWS : ABUT_BAD_PAIR_ROWS, error);
    }
    if (!status && t->kind != ABUT_SPHERE_SPHERE) {
        status = check_offsets(table_entry_offsets(t), from->row_count, from->entry_count,
                               is_contact ? ABUT_BAD_NODES : ABUT_BAD_PAIR_ROWS, error);
    }
    return status;
}

/* The number of objects that can be second partners. */
static abut_index count_seconds(const abut_simulation *s, abut_interaction kind)
{
    if (table_is_on_wall(kind)) {
        return s->walls.touched_count;
    }
    return kind == ABUT_BODY_BODY ? s->solids.count : s->store.count;
}

/* Checks the partners of rows. The offsets must have been checked before. */
static abut_status check_partners(const abut_simulation *s, const interaction_table *t,
                                  abut_index rows, abut_error *error)
{
    const abut_index *firsts = table_firsts(t), *seconds = table_seconds(t);
    const abut_index *offsets = table_offsets(t), end = count_seconds(s, t->kind);
    abut_index owner = 0;
    for (abut_index row = 0; row < rows; row++) {
        while (offsets && offsets[owner + 1] <= row) {
            owner++;
        }
        const abut_index first = firsts[row], second = seconds[row];
        if (first < owner || first >= (offsets ? owner + 1 : t->first_count)) {
            return error_set(error, ABUT_BAD_I, row, first, (double)t->first_count - 1.0);
        }
        /* of two spheres, the second has the larger row */
        if (second < (t->kind == ABUT_SPHERE_SPHERE ? first : 0) || second >= end) {
            return error_set(error, table_is_on_wall(t->kind) ? ABUT_BAD_MESH_NUMBER : ABUT_BAD_J,
                             row, second, (double)end - 1.0);
        }
    }
    return ABUT_OK;
}

/* Computes the power of a row's entries on its wall, which is not stored in restart files. */
static void restore_power(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const view v = view_row(s, t, row);
    const abut_index wall = table_second(t, row);
    const bool deforms = t->kind == ABUT_SPHERE_WALL && simulation_deforming(s, wall);
    for (abut_index at = v.begin; at < v.end; at++) {
        t->power[at] =
            deforms ? deforming_power(s, row)
                    : walls_power(&s->walls.walls[wall].before,
                                  vec3_sub(view_force_point(&v, at), v.shift),
                                  vec3_load(t->effects[at].force), table_vector(t->moment, at));
    }
}

/* Restores the rows of a table, which have been checked. */
static abut_status restore_rows(abut_simulation *s, const interaction_table *lent,
                                const abut_interactions *from)
{
    interaction_table *t = &s->before->tables[lent->kind];
    const table_size size = {from->row_count, from->entry_count, lent->first_count};
    const abut_status status = table_reserve(t, size, simulation_extras(s));
    if (status) {
        return status;
    }
    table_append(t, lent, (row_span){0, from->row_count});
    copy_all_kept(t, from, read_kept);
    for (abut_index k = 0; k < table_interactions(t); k++) {
        memcpy(table_force(t, k), from->force + 3 * k, 3 * sizeof *from->force);
    }
    if (table_offsets(t)) {
        memcpy(table_offsets(t), table_offsets(lent),
               (size_t)(t->first_count + 1) * sizeof(abut_index));
    }
    for (abut_index row = 0; table_is_on_wall(t->kind) && row < t->count; row++) {
        restore_power(s, t, row);
    }
    s->neighbors.has_past &= t->kind != ABUT_SPHERE_SPHERE;
    return ABUT_OK;
}

abut_status abut_simulation_restore_interactions(abut_simulation *s, abut_interaction kind,
                                                 const abut_interactions *from, abut_error *error)
{
    interaction_table lent = table_of(s, kind, from);
    lent.first_count = table_is_of_bodies(kind) ? s->solids.count : s->store.count;
    abut_status status = check_all_offsets(&lent, from, error);
    status = status ? status : check_partners(s, &lent, from->row_count, error);
    return status ? status : error_set_status(error, restore_rows(s, &lent, from));
}
