/* Applies the laws of table rows through kernels. */
#include "row_laws.h"

#include <string.h>

#include "apart.h"
#include "bond_pairs.h"
#include "watch.h"

/* Copies row `at` of a block to row k of it. */
static void repeat_row(row_block *b, int32_t at, int32_t k)
{
    law_block *block = &b->block;
    block->first[k] = block->first[at], block->second[k] = block->second[at],
    block->wall[k] = block->wall[at];
    block->laws[k] = block->laws[at];
    block->old_normal[k] = block->old_normal[at], block->kept[k] = block->kept[at];
    block->old_overlap[k] = block->old_overlap[at];
    block->radius[k] = block->radius[at], block->inertia[k] = block->inertia[at];
    b->overlaps[k] = block->overlap[at], b->shares[k] = block->share[at];
    memcpy(b->normals + 3 * k, block->normal + 3 * at, 3 * sizeof *b->normals);
}

/* Repeats the last row, so that the block ends with a whole vector: kernels read whole vectors. */
static void fill_up(row_block *b, int32_t count)
{
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        repeat_row(b, count - 1, k);
    }
}

static void set_velocities(mover *to, vec3 velocity, vec3 spin)
{
    vec3_store(to->velocity, velocity);
    vec3_store(to->spin, spin);
}

/* Displacements are relative to the wall's pose in the last step. In its present pose, the
 * displacement relative to the wall is T times that. Spins are those of the middle of the step, so
 * they are rotated by half of T. */
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

void rows_set_turned(row_block *b, int32_t k, const interaction_table *before,
                     abut_index entry_before, row_turn *turn, const void *context)
{
    const history_layout *l = &before->extras.layout;
    const double *kept = table_kept(before, entry_before);
    double *turned = b->turned + k * history_numbers(l);
    memcpy(turned, kept, (size_t)history_numbers(l) * sizeof *turned);
    for (int v = 0; v < l->begins[HISTORY_SCALARS]; v += 3) {
        vec3_store(turned + v, turn(context, entry_before, vec3_load(kept + v)));
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

/* ---- rows with attraction ---- */

static double radius_of(const row_laws *r, const law_block *block, int32_t k)
{
    if (table_is_of_bodies(r->table->kind)) {
        return block->radius[k];
    }
    const double first = block->first[k]->radius, second = block->second[k]->radius;
    return r->table->kind == ABUT_SPHERE_WALL ? first : reduced(first, second);
}

static double share_of_pull(const row_laws *r, abut_index row)
{
    return r->table->kind == ABUT_SPHERE_WALL ? apart_pull_share(r->simulation, row) : 1.0;
}

/* Sets the shares of attraction, which only contacts with walls have. */
static void set_pull_shares(const row_laws *r, law_block *block, const abut_index *where)
{
    int32_t k = 0;
    for (; table_is_on_wall(r->table->kind) && k < block->count; k++) {
        block->pull_share[k] = share_of_pull(r, where[k]);
    }
    for (; k % ROW_PADDING != 0; k++) {
        block->pull_share[k] = block->pull_share[k - 1];
    }
}

/* Records the first row with an R* that is too small for its law. */
static void note_too_small(row_laws *r, const law_block *block, const abut_index *where)
{
    for (int32_t k = 0; k < block->count; k++) {
        const cohesion *c = &block->laws[k]->cohesion;
        if (radius_of(r, block, k) < c->least_radius) {
            parallel_keep_first(&r->bad_row, where[k]);
        }
    }
}

/* ---- columns of a block ---- */

/* Whether the rows of a block are consecutive, so that it can use the table's columns. */
static bool are_in_sequence(const row_block *b, int32_t count)
{
    return b->rows[count - 1] - b->rows[0] == count - 1;
}

/* Copies `size` numbers of each row from a column of the table to a column of the block. */
static void copy_numbers(const row_block *b, int32_t count, const double *column, size_t size,
                         double *to)
{
    for (int32_t k = 0; column && k < count; k++) {
        memcpy(to + size * (size_t)k, column + size * (size_t)b->rows[k], size * sizeof *to);
    }
}

/* Makes a block use the table's columns, since its rows are consecutive. */
static void use_table(const row_laws *r, row_block *b)
{
    const abut_index first = b->rows[0];
    const interaction_table *to = r->table;
    law_block *block = &b->block;
    block->normal = r->normal ? r->normal + 3 * first : b->normals;
    block->overlap = r->overlap ? r->overlap + first : b->overlaps;
    block->share = r->share ? r->share + first : b->shares;
    block->effects = to->effects ? to->effects + first : b->effects;
    block->moment = table_vector(to->moment, first);
    block->power = to->power ? to->power + first : NULL;
    block->springs = history_has_more(block->layout) ? NULL : table_kept(to, first);
}

/* Copies columns of rows that are not consecutive into the block's own arrays, and uses these. */
static void use_own(const row_laws *r, row_block *b, int32_t count)
{
    const interaction_table *to = r->table;
    law_block *block = &b->block;
    copy_numbers(b, count, r->normal, 3, b->normals);
    copy_numbers(b, count, r->overlap, 1, b->overlaps);
    copy_numbers(b, count, r->share, 1, b->shares);
    block->normal = b->normals, block->overlap = b->overlaps, block->share = b->shares;
    block->effects = b->effects, block->springs = NULL;
    block->moment = to->moment ? b->moment : NULL;
    block->power = to->power ? b->power : NULL;
}

/* Copies results from the block's own arrays to the table. */
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

/* Fills a block with rows that have the same law function. */
static void fill_rows(const row_laws *r, row_block *b, const abut_index *rows, int32_t count)
{
    law_block *block = &b->block;
    b->rows = rows;
    r->fill(r->context, b, count);
    block->count = count;
    block->step = r->simulation->last.step;
    block->is_wall = table_is_on_wall(r->table->kind);
    block->is_spot = table_is_of_bodies(r->table->kind);
    block->watch_part = watch_part(r->simulation);
    block->layout = &r->table->extras.layout;
    block->rows = rows, block->history = r->table->history;
    if (are_in_sequence(b, count)) {
        use_table(r, b);
    } else {
        use_own(r, b, count);
    }
    fill_up(b, count);
}

/* Clears the history and moments that built-in laws do not write. These laws write springs, and
 * moments only if there are rolling springs. Kernels also write the largest overlap if the law
 * stores it. */
static void clear_more(const row_laws *r, row_block *b)
{
    const law_block *block = &b->block;
    const int springs = block->layout->begins[HISTORY_VECTORS];
    const size_t others = (size_t)(history_numbers(block->layout) - springs);
    b->has_moments = springs > block->layout->begins[HISTORY_ROLL];
    if (block->moment && !b->has_moments) {
        memset(block->moment, 0, 3 * (size_t)block->count * sizeof *block->moment);
    }
    for (int32_t k = 0; others > 0 && k < block->count; k++) {
        memset(table_kept(r->table, b->rows[k]) + springs, 0, others * sizeof *block->history);
    }
}

/* Calls a user's law for the rows of a block. Returns whether an overlap is so large that
 * watch_rows must be called. */
static bool call_user_law(const law_block *block, user_block *user)
{
    const bool is_deep = interaction_kernels_take()->user_inputs(block, user);
    user_block_call(user, block->laws[0]->user, rows_filled_up(block->count), block->step);
    return is_deep;
}

/* Records the first row with a result that is not finite. */
static void note_not_finite(row_laws *r, const user_block *b, const abut_user_law *l,
                            const abut_index *where, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        if (user_block_is_bad(b, l, k)) {
            parallel_keep_first(&r->bad_row, where[k]);
        }
    }
}

/* Applies the user's law of a block. Returns whether watch_rows must be called. */
static bool apply_user_law(row_laws *r, row_block *b)
{
    user_block user;
    const law_block *block = &b->block;
    const bool is_deep = call_user_law(block, &user);
    const unsigned noted = interaction_kernels_take()->user_effects(block, &user);
    b->has_moments = noted & USER_HAS_MOMENTS;
    if (noted & USER_NOT_FINITE) {
        note_not_finite(r, &user, block->laws[0]->user, b->rows, block->count);
    }
    return is_deep;
}

/* Computes the forces of a block. Returns whether watch_rows must be called. */
static bool compute(row_laws *r, row_block *b)
{
    law_block *block = &b->block;
    const law_function function = block->laws[0]->form->function;
    block->is_cohesive = function == LAW_COHESIVE;
    if (function != LAW_PLAIN) {
        set_pull_shares(r, block, b->rows);
    }
    if (function == LAW_USER) {
        return apply_user_law(r, b);
    }
    clear_more(r, b);
    const unsigned noted = interaction_kernels_take()->laws(block);
    if (noted & LAWS_TOO_SMALL) {
        note_too_small(r, block, b->rows);
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

/* Applies the laws of consecutive rows that all have the same law function. */
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

/* Applies the first row's law function to all rows that have it, and sets their laws to NULL. */
static void apply_queue(row_laws *r, row_block *b, const law **laws, abut_index begin,
                        abut_index end)
{
    const law *first = *laws;
    abut_index rows[LAW_BLOCK];
    int32_t count = 0;
    for (abut_index row = begin; row < end; row++, laws++) {
        if (*laws && law_is_like(*laws, first)) {
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

/* Applies the laws of rows with several law functions, one function after the other. */
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

static void copy_case(abut_law_case *to, const user_block *b, const abut_user_law *l, int number)
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

/* Records the input and output of a user's law for a block with a single row. */
static void keep_user_case(abut_simulation *s, const law_block *alone)
{
    user_block user;
    const abut_user_law *l = alone->laws[0]->user;
    call_user_law(alone, &user);
    copy_case(&s->law_case, &user, l, (int)(l - s->laws.user.laws));
}

/* Returns the error of a bad row, which is alone in a block. Either its law has returned numbers
 * that are not finite, or its R* is too small for its law. Also records the input and output of a
 * user's law. */
static abut_status name_bad(const row_laws *r, const row_block *alone, abut_index bad,
                            abut_error *error)
{
    abut_simulation *s = r->simulation;
    const interaction_table *t = r->table;
    const law *l = alone->block.laws[0];
    const bool is_user = l->user;
    if (is_user) {
        keep_user_case(s, &alone->block);
    } else {
        s->law_case = (abut_law_case){.number = (int)(l - s->laws.laws)};
        s->law_case.inputs[USER_INPUT(radius)] = radius_of(r, &alone->block, 0);
    }
    const abut_index row = table_is_of_bodies(t->kind) ? table_row_of(t, bad) : bad;
    return error_set(error, is_user ? ABUT_LAW_NOT_FINITE : ABUT_LAW_RADIUS,
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
    parallel_plan run = *plan;
    run.chunk_count = parallel_chunk_count(r->count, rows_of_span(r));
    run.work = r->work * r->count;
    rows_begin(r);
    const abut_status status = parallel_run(&run, apply_chunk, r);
    return status ? error_set_status(error, status) : rows_end(r, error);
}
