/* Rows through kernels. */
#include "row_laws.h"

#include <string.h>

#include "apart.h"
#include "bond_pairs.h"
#include "watch.h"

/* Repeat a row of a block as row k. */
static void repeat_row(row_block *b, int32_t at, int32_t k)
{
    law_block *of = &b->block;
    of->first[k] = of->first[at], of->second[k] = of->second[at], of->wall[k] = of->wall[at];
    of->laws[k] = of->laws[at];
    of->old_normal[k] = of->old_normal[at], of->kept[k] = of->kept[at];
    of->old_overlap[k] = of->old_overlap[at];
    of->radius[k] = of->radius[at], of->inertia[k] = of->inertia[at];
    b->overlaps[k] = of->overlap[at], b->shares[k] = of->share[at];
    memcpy(b->normals + 3 * k, of->normal + 3 * at, 3 * sizeof *b->normals);
}

/* Kernels read whole vectors: repeat the last row until one is full. */
static void fill_up(row_block *b, int32_t count)
{
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        repeat_row(b, count - 1, k);
    }
}

static void set_velocities(mover *of, vec3 velocity, vec3 spin)
{
    vec3_store(of->velocity, velocity);
    vec3_store(of->spin, spin);
}

/* On the wall's frame of now a point has gone by T times its way against the wall: both ways are
 * seen from where the wall was. Spins are of the middle of the step, half a turn ago. */
void rows_turn_along(row_block *b, int32_t k, vec3 arm, const vec3 left[3])
{
    const mover *first = b->block.first[k];
    mover *wall = &b->movers[1][k];
    const vec3 spin = vec3_load(first->spin), wall_spin = vec3_load(wall->spin);
    const vec3 velocity = vec3_add(vec3_load(first->velocity), vec3_cross(spin, arm));
    const vec3 wall_velocity = vec3_load(wall->velocity);
    const vec3 sliding = rows_turn(left, vec3_sub(velocity, wall_velocity));
    const vec3 turning = rows_turn(left, vec3_sub(spin, wall_spin));
    set_velocities(wall, vec3_add(wall_velocity, sliding),
                   vec3_add(wall_spin, vec3_scale(turning, 0.5)));
}

void rows_set_wall(const abut_simulation *s, row_block *b, int32_t k, abut_index wall, vec3 point,
                   vec3 arm)
{
    const wall_way *way = &s->walls.walls[wall].way;
    const abut_wall_state *now = &s->walls.walls[wall].now;
    set_velocities(&b->movers[1][k], walls_way_velocity(way, point), way->spin);
    set_velocities(&b->movers[2][k], walls_velocity(now, point), vec3_load(now->spin));
    if (way->turns) {
        rows_turn_along(b, k, arm, way->left);
    }
    b->block.second[k] = &b->movers[1][k];
    b->block.wall[k] = &b->movers[2][k];
}

void rows_set_turned(row_block *b, int32_t k, const interaction_table *before, abut_index old,
                     row_turn *turn, const void *context)
{
    const history_layout *l = &before->extras.layout;
    const double *kept = table_kept(before, old);
    double *turned = b->turned + k * history_numbers(l);
    memcpy(turned, kept, (size_t)history_numbers(l) * sizeof *turned);
    for (int v = 0; v < l->begins[HISTORY_SCALARS]; v += 3) {
        vec3_store(turned + v, turn(context, old, vec3_load(kept + v)));
    }
    b->block.kept[k] = turned;
}

static bool lacks_law(const law_table *laws, const law_block *b)
{
    bool lacks = false;
    for (int32_t k = 0; laws->has_missing && k < b->count; k++) {
        lacks |= b->laws[k]->is_missing;
    }
    return lacks;
}

/* ---- rows that pull ---- */

static double radius_of(const row_laws *r, const law_block *of, int32_t k)
{
    if (table_is_of_bodies(r->table->kind)) {
        return of->radius[k];
    }
    const double own = of->first[k]->radius, other = of->second[k]->radius;
    return r->table->kind == ABUT_SPHERE_WALL ? own : reduced(own, other);
}

static double share_of_pull(const row_laws *r, abut_index row)
{
    return r->table->kind == ABUT_SPHERE_WALL ? apart_pull_share(r->simulation, row) : 1.0;
}

/* Contacts with walls alone have such shares. */
static void set_pull_shares(const row_laws *r, law_block *of, const abut_index *where)
{
    int32_t k = 0;
    for (; table_is_on_wall(r->table->kind) && k < of->count; k++) {
        of->pull_share[k] = share_of_pull(r, where[k]);
    }
    for (; k % ROW_PADDING != 0; k++) {
        of->pull_share[k] = of->pull_share[k - 1];
    }
}

/* Note the first row whose law does not hold for its R*. */
static void note_too_small(row_laws *r, const law_block *of, const abut_index *where)
{
    for (int32_t k = 0; k < of->count; k++) {
        const cohesion *c = &of->laws[k]->cohesion;
        if (radius_of(r, of, k) < c->least_radius) {
            parallel_keep_first(&r->bad_row, where[k]);
        }
    }
}

/* ---- where rows are read from, and written to ---- */

/* Whether the rows of a block follow one another, so that the table's columns have them. */
static bool are_in_sequence(const row_block *b, int32_t count)
{
    return b->rows[count - 1] - b->rows[0] == count - 1;
}

/* Numbers of a block's rows, `size` each, from a column of the table to the block's own. */
static void copy_numbers(const row_block *b, int32_t count, const double *column, size_t size,
                         double *to)
{
    for (int32_t k = 0; column && k < count; k++) {
        memcpy(to + size * (size_t)k, column + size * (size_t)b->rows[k], size * sizeof *to);
    }
}

/* Read and write columns of the table. */
static void use_table(const row_laws *r, row_block *b)
{
    const abut_index first = b->rows[0];
    const interaction_table *to = r->table;
    law_block *of = &b->block;
    of->normal = r->normal ? r->normal + 3 * first : b->normals;
    of->overlap = r->overlap ? r->overlap + first : b->overlaps;
    of->share = r->share ? r->share + first : b->shares;
    of->effects = to->effects ? to->effects + first : b->effects;
    of->moment = table_vector(to->moment, first);
    of->power = to->power ? to->power + first : NULL;
    of->springs = history_has_more(of->layout) ? NULL : table_kept(to, first);
}

/* Read and write columns of the block's own. */
static void use_own(const row_laws *r, row_block *b, int32_t count)
{
    const interaction_table *to = r->table;
    law_block *of = &b->block;
    copy_numbers(b, count, r->normal, 3, b->normals);
    copy_numbers(b, count, r->overlap, 1, b->overlaps);
    copy_numbers(b, count, r->share, 1, b->shares);
    of->normal = b->normals, of->overlap = b->overlaps, of->share = b->shares;
    of->effects = b->effects, of->springs = NULL;
    of->moment = to->moment ? b->moment : NULL;
    of->power = to->power ? b->power : NULL;
}

/* Write what such columns have got to the table. */
static void put_rows(const interaction_table *to, const row_block *b)
{
    for (int32_t k = 0; k < b->block.count; k++) {
        const abut_index row = b->rows[k];
        if (to->effects) {
            to->effects[row] = b->effects[k];
        }
        if (to->moment) {
            memcpy(to->moment + 3 * row, b->moment + 3 * k, 3 * sizeof *to->moment);
        }
        if (to->power) {
            to->power[row] = b->power[k];
        }
    }
}

/* ---- all rows ---- */

/* Fill a block with rows of one function. */
static void fill_rows(const row_laws *r, row_block *b, const abut_index *rows, int32_t count)
{
    law_block *of = &b->block;
    b->rows = rows;
    r->fill(r->context, b, count);
    of->count = count;
    of->step = r->simulation->last.step;
    of->is_wall = table_is_on_wall(r->table->kind);
    of->is_spot = table_is_of_bodies(r->table->kind);
    of->watch_part = watch_part(r->simulation);
    of->layout = &r->table->extras.layout;
    of->rows = rows, of->history = r->table->history;
    if (are_in_sequence(b, count)) {
        use_table(r, b);
    } else {
        use_own(r, b, count);
    }
    fill_up(b, count);
}

/* Built-in laws keep springs, to which kernels add the largest overlap of Luding's law, and without
 * rolling springs they write no moments. */
static void clear_more(const row_laws *r, row_block *b)
{
    const law_block *of = &b->block;
    const int springs = of->layout->begins[HISTORY_VECTORS];
    const size_t others = (size_t)(history_numbers(of->layout) - springs);
    b->has_moments = springs > of->layout->begins[HISTORY_ROLL];
    if (of->moment && !b->has_moments) {
        memset(of->moment, 0, 3 * (size_t)of->count * sizeof *of->moment);
    }
    for (int32_t k = 0; others > 0 && k < of->count; k++) {
        memset(table_kept(r->table, b->rows[k]) + springs, 0, others * sizeof *of->history);
    }
}

/* Tell the law of a block's rows, and ask it. Returns whether an overlap is to be watched. */
static bool ask(const law_block *of, user_block *own)
{
    const bool is_deep = interaction_kernels_take()->user_inputs(of, own);
    user_block_call(own, of->laws[0]->own, rows_filled_up(of->count), of->step);
    return is_deep;
}

/* Note the first of the rows that are not finite. */
static void note_not_finite(row_laws *r, const user_block *b, const abut_user_law *l,
                            const abut_index *where, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        if (user_block_is_bad(b, l, k)) {
            parallel_keep_first(&r->bad_row, where[k]);
        }
    }
}

/* Apply the law of users that a block of rows has. Returns whether an overlap is to be watched. */
static bool apply_own(row_laws *r, row_block *block)
{
    user_block own;
    const law_block *of = &block->block;
    const bool is_deep = ask(of, &own);
    const unsigned noted = interaction_kernels_take()->user_effects(of, &own);
    block->has_moments = noted & USER_HAS_MOMENTS;
    if (noted & USER_NOT_FINITE) {
        note_not_finite(r, &own, of->laws[0]->own, block->rows, of->count);
    }
    return is_deep;
}

/* Compute what a block's rows exert. Returns whether an overlap is to be watched. */
static bool compute(row_laws *r, row_block *b)
{
    law_block *of = &b->block;
    const law_function function = of->laws[0]->of->function;
    of->is_cohesive = function == LAW_COHESIVE;
    if (function != LAW_PLAIN) {
        set_pull_shares(r, of, b->rows);
    }
    if (function == LAW_OWN) {
        return apply_own(r, b);
    }
    clear_more(r, b);
    const unsigned noted = interaction_kernels_take()->laws(of);
    if (noted & LAWS_TOO_SMALL) {
        note_too_small(r, of, b->rows);
    }
    return noted & LAWS_DEEP;
}

static void apply_block(row_laws *r, row_block *b, const abut_index *rows, int32_t count)
{
    fill_rows(r, b, rows, count);
    if (lacks_law(&r->simulation->laws, &b->block)) {
        atomic_store(&r->lacks_law, true);
    }
    const bool is_deep = compute(r, b);
    if (!are_in_sequence(b, count)) {
        put_rows(r->table, b);
    }
    if (is_deep && !table_is_of_bodies(r->table->kind)) {
        watch_rows(r->simulation, r->table->kind, rows[0], rows[count - 1] + 1);
    }
    if (r->take) {
        r->take(r->context, b);
    }
}

/* Apply the laws of rows that have one function: their numbers follow one another. */
static void apply_alike(row_laws *r, row_block *b, abut_index begin, abut_index end)
{
    abut_index rows[LAW_BLOCK];
    for (; begin < end; begin += LAW_BLOCK) {
        const abut_index count = end - begin < LAW_BLOCK ? end - begin : LAW_BLOCK;
        for (abut_index k = 0; k < count; k++) {
            rows[k] = begin + k;
        }
        apply_block(r, b, rows, (int32_t)count);
    }
}

/* Apply the law of the first of these rows to all of them that have its function. Their laws are
 * set to NULL. */
static void apply_queue(row_laws *r, row_block *b, const law **laws, abut_index begin,
                        abut_index end)
{
    const law *of = *laws;
    abut_index rows[LAW_BLOCK];
    int32_t count = 0;
    for (abut_index row = begin; row < end; row++, laws++) {
        if (*laws && law_is_like(*laws, of)) {
            *laws = NULL;
            rows[count++] = row;
        }
        if (count == LAW_BLOCK || (count > 0 && row + 1 == end)) {
            apply_block(r, b, rows, count);
            count = 0;
        }
    }
}

static void find_laws(const row_laws *r, const law **laws, abut_index first, abut_index count)
{
    const abut_simulation *s = r->simulation;
    const interaction_table *t = r->table;
    view v = {.end = 0};
    for (abut_index k = 0; k < count; k++) {
        const abut_index at = first + k;
        if (t->kind == ABUT_SPHERE_WALL) {
            laws[k] = view_wall_law(s, t->contact.sphere[at], t->contact.mesh[at]);
        } else if (t->kind == ABUT_SPHERE_SPHERE) {
            laws[k] = pairs_touch(s, t, at).law;
        } else {
            v = at < v.end ? v : view_row(s, t, table_row_of(t, at));
            laws[k] = apart_spot_law(s, &v, at);
        }
    }
}

/* Apply the laws of rows function by function. */
static void apply_mixed(row_laws *r, row_block *b, abut_index begin, abut_index end)
{
    const law *laws[ROWS_OF_SPAN];
    find_laws(r, laws, begin, end - begin);
    for (abut_index row = begin; row < end; row++) {
        if (laws[row - begin]) {
            apply_queue(r, b, laws + (row - begin), row, end);
        }
    }
}

void rows_apply_span(row_laws *r, row_span rows)
{
    row_block b;
    if (r->are_mixed) {
        apply_mixed(r, &b, rows.first, rows.first + rows.count);
    } else {
        apply_alike(r, &b, rows.first, rows.first + rows.count);
    }
}

static abut_status apply_chunk(void *context, abut_index chunk, parallel_job *job)
{
    row_laws *r = context;
    const abut_index size = rows_of_span(r);
    const abut_index begin = chunk * size, end = parallel_chunk_end(begin, size, r->count);
    rows_apply_span(r, (row_span){begin, end - begin});
    return parallel_report(job, r->work * (end - begin));
}

static void keep_case(abut_law_case *to, const user_block *b, const abut_user_law *l, int number)
{
    *to = (abut_law_case){.number = number};
    for (int c = 0; c < ABUT_LAW_INPUT_COUNT; c++) {
        to->inputs[c] = b->inputs[c][0];
    }
    for (int c = 0; c < ABUT_LAW_OUTPUT_COUNT; c++) {
        to->outputs[c] = b->outputs[c][0];
    }
    for (int c = 0; c < user_history_count(l); c++) {
        to->history_in[c] = b->history_in[c][0];
        to->history_out[c] = b->history_out[c][0];
    }
}

/* Keep what a user's law answers for the only row of a block. */
static void keep_own_case(abut_simulation *s, const law_block *alone)
{
    user_block own;
    const abut_user_law *l = alone->laws[0]->own;
    ask(alone, &own);
    keep_case(&s->law_case, &own, l, (int)(l - s->laws.own.laws));
}

/* Name the first row whose law says what is not finite, or does not hold for its R*; a block has it
 * alone. The simulation keeps its numbers. */
static abut_status name_bad(const row_laws *r, const row_block *alone, abut_index bad,
                            abut_error *error)
{
    abut_simulation *s = r->simulation;
    const interaction_table *t = r->table;
    const law *l = alone->block.laws[0];
    const bool is_own = l->own;
    if (is_own) {
        keep_own_case(s, &alone->block);
    } else {
        s->law_case = (abut_law_case){.number = (int)(l - s->laws.laws)};
        s->law_case.inputs[USER_INPUT(radius)] = radius_of(r, &alone->block, 0);
    }
    const abut_index row = table_is_of_bodies(t->kind) ? table_row_of(t, bad) : bad;
    return error_set(error, is_own ? ABUT_LAW_NOT_FINITE : ABUT_LAW_RADIUS,
                     view_partner(s, t, row, 0).number, view_partner(s, t, row, 1).number,
                     (double)t->kind);
}

void rows_begin(row_laws *r)
{
    atomic_store(&r->bad_row, -1);
    watch_begin(r->simulation);
}

abut_status rows_end(row_laws *r, abut_error *error)
{
    if (atomic_load(&r->lacks_law)) {
        return view_name_missing_law(r->simulation, r->table, error);
    }
    const abut_index bad = (abut_index)atomic_load(&r->bad_row);
    if (bad >= 0) {
        row_block alone;
        fill_rows(r, &alone, &bad, 1);
        return name_bad(r, &alone, bad, error);
    }
    if (!table_is_of_bodies(r->table->kind)) {
        watch_keep_deep(r->simulation, r->table->kind);
    }
    return ABUT_OK;
}

abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error)
{
    parallel_plan own = *plan;
    own.chunk_count = parallel_chunk_count(r->count, rows_of_span(r));
    own.work = r->work * r->count;
    rows_begin(r);
    const abut_status status = parallel_run(&own, apply_chunk, r);
    return status ? error_set_status(error, status) : rows_end(r, error);
}
