/* Rows through kernels. */
#include "rows.h"

#include <string.h>

#include "apart.h"
#include "law_of.h"
#include "own_rows.h"
#include "watch.h"

/* Rows that one thread takes in one go. */
enum { CHUNK_ROWS = 8 * LAW_BLOCK };

/* Copy what a block has of a row to row k of another one, or of itself. */
static void copy_row(const row_block *from, int32_t at, row_block *to, int32_t k)
{
    const law_block *f = &from->block;
    law_block *t = &to->block;
    t->first[k] = f->first[at], t->second[k] = f->second[at], t->wall[k] = f->wall[at];
    t->laws[k] = f->laws[at];
    t->old_normal[k] = f->old_normal[at];
    t->old_spring[k] = f->old_spring[at], t->old_roll[k] = f->old_roll[at];
    t->old_overlap[k] = f->old_overlap[at];
    t->radius[k] = f->radius[at], t->inertia[k] = f->inertia[at];
    to->overlaps[k] = f->overlap[at], to->shares[k] = f->share[at];
    memcpy(to->normals + 3 * k, f->normal + 3 * at, 3 * sizeof *to->normals);
}

/* Kernels read whole vectors: repeat the last row until one is full. */
static void fill_up(row_block *b, int32_t count)
{
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        copy_row(b, count - 1, b, k);
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
    const wall_way *way = &s->walls.ways[wall];
    const abut_wall_state *now = &s->now->states[wall];
    set_velocities(&b->movers[1][k], walls_way_velocity(way, point), way->spin);
    set_velocities(&b->movers[2][k], walls_velocity(now, point), vec3_load(now->spin));
    if (way->turns) {
        rows_turn_along(b, k, arm, way->left);
    }
    b->block.second[k] = &b->movers[1][k];
    b->block.wall[k] = &b->movers[2][k];
}

static bool lacks_law(const law_table *laws, const law_block *b)
{
    bool lacks = false;
    for (int32_t k = 0; laws->has_missing && k < b->count; k++) {
        lacks |= laws->is_missing[b->laws[k] - laws->laws];
    }
    return lacks;
}

/* Where rows are written: to the table, or to a block of its own. */
static void write_to(law_block *of, const springs *to, abut_index first)
{
    of->effects = to->effects + first;
    of->spring = table_vector(to->spring, first);
    of->roll = table_vector(to->roll, first);
    of->moment = table_vector(to->moment, first);
    of->power = to->power ? to->power + first : NULL;
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

static void set_pull_shares(const row_laws *r, law_block *of, const abut_index *where)
{
    int32_t k = 0;
    for (; k < of->count; k++) {
        of->pull_share[k] = share_of_pull(r, where[k]);
    }
    for (; k % ROW_PADDING != 0; k++) {
        of->pull_share[k] = of->pull_share[k - 1];
    }
}

/* What kernels read of contacts with cohesion; where[k]: the row of the table. */
static void set_cohesive(row_laws *r, law_block *of, const abut_index *where)
{
    const law_table *laws = &r->simulation->laws;
    int32_t k = 0;
    for (; k < of->count; k++) {
        const double radius = radius_of(r, of, k);
        if (radius < laws_cohesion(laws, of->laws[k])->least_radius) {
            parallel_keep_first(&r->bad_row, where[k]);
        }
        of->cohesive[k] =
            laws_cohesive_contact(laws, of->laws[k], radius, of->overlap[k], of->old_overlap[k]);
    }
    for (; k % ROW_PADDING != 0; k++) {
        of->cohesive[k] = of->cohesive[k - 1];
    }
    set_pull_shares(r, of, where);
}

/* ---- rows of one function ---- */

/* Rows of a block that another function computes, and what they exert. */
typedef struct row_part {
    row_block rows;
    abut_index where[LAW_BLOCK]; /* of each its row in the table */
    effect effects[LAW_BLOCK];
    double spring[3 * LAW_BLOCK], roll[3 * LAW_BLOCK], moment[3 * LAW_BLOCK], power[LAW_BLOCK];
} row_part;

/* Which rows are computed together. */
typedef struct row_kind {
    law_function function;
    const abut_own_law *own; /* of LAW_OWN; else NULL */
} row_kind;

static bool is_of_kind(const law_table *laws, const law *l, row_kind kind)
{
    return laws_function(laws, l) == kind.function && laws_own(laws, l) == kind.own;
}

/* Take the rows of one function out of a block. */
static void take_rows(const row_laws *r, const row_block *from, row_kind kind, abut_index first,
                      row_part *part)
{
    const law_table *laws = &r->simulation->laws;
    row_block *to = &part->rows;
    law_block *of = &to->block;
    int32_t count = 0;
    for (int32_t k = 0; k < from->block.count; k++) {
        if (is_of_kind(laws, from->block.laws[k], kind)) {
            part->where[count] = first + k;
            copy_row(from, k, to, count++);
        }
    }
    of->count = count;
    of->step = from->block.step, of->watch_part = from->block.watch_part;
    of->normal = to->normals, of->overlap = to->overlaps, of->share = to->shares;
    const springs *s = &r->table->springs;
    write_to(of,
             &(springs){.effects = part->effects,
                        .spring = part->spring,
                        .roll = s->roll ? part->roll : NULL,
                        .moment = s->moment ? part->moment : NULL,
                        .power = s->power ? part->power : NULL},
             0);
}

static void put_vector(double *to, const double *from, abut_index row, int32_t k)
{
    if (to) {
        memcpy(to + 3 * row, from + 3 * k, 3 * sizeof *to);
    }
}

static void put_rows(const springs *to, const row_part *part)
{
    for (int32_t k = 0; k < part->rows.block.count; k++) {
        const abut_index row = part->where[k];
        to->effects[row] = part->effects[k];
        put_vector(to->spring, part->spring, row, k);
        put_vector(to->roll, part->roll, row, k);
        put_vector(to->moment, part->moment, row, k);
        if (to->power) {
            to->power[row] = part->power[k];
        }
    }
}

/* ---- rows of users' functions ---- */

/* Which of the users' laws are in a block, a bit each; more than there are bits share some. */
static uint64_t find_own(const law_table *laws, const law_block *b)
{
    uint64_t found = 0;
    for (int32_t k = 0; k < b->count; k++) {
        const int32_t number = laws->own_numbers[b->laws[k] - laws->laws];
        found |= number < 0 ? 0 : (uint64_t)1 << (number % 64);
    }
    return found;
}

/* The law of users that all rows of a block have; NULL: there is none. */
static const abut_own_law *only_own(const law_table *laws, const law_block *b)
{
    const int32_t number = laws->own_numbers[b->laws[0] - laws->laws];
    for (int32_t k = 1; k < b->count && number >= 0; k++) {
        if (laws->own_numbers[b->laws[k] - laws->laws] != number) {
            return NULL;
        }
    }
    return number < 0 ? NULL : &laws->own.laws[number];
}

/* A block that one law of users has alone is not taken apart. */
static bool apply_only(row_laws *r, row_block *b, const abut_own_law *l, abut_index first)
{
    abut_index where[LAW_BLOCK];
    for (int32_t k = 0; k < b->block.count; k++) {
        where[k] = first + k;
    }
    set_pull_shares(r, &b->block, where);
    return own_rows_apply(r, &b->block, l, where);
}

/* Compute the rows of one kind in a block. Returns whether an overlap is to be watched. */
static bool apply_part(row_laws *r, const row_block *b, row_kind kind, abut_index first,
                       row_part *part)
{
    law_block *of = &part->rows.block;
    bool is_deep = false;
    take_rows(r, b, kind, first, part);
    if (of->count == 0) {
        return false;
    }
    fill_up(&part->rows, of->count);
    of->is_cohesive = kind.function == LAW_COHESIVE;
    if (of->is_cohesive) {
        set_cohesive(r, of, part->where);
    }
    if (kind.own) {
        set_pull_shares(r, of, part->where);
        is_deep = own_rows_apply(r, of, kind.own, part->where);
    } else {
        is_deep = r->kernel(of);
    }
    put_rows(&r->table->springs, part);
    return is_deep;
}

/* What built-in laws keep for users' ones: nothing. */
static void forget_history(const row_laws *r, abut_index first, int32_t count)
{
    const size_t numbers = (size_t)r->table->extras.history;
    double *history = r->table->springs.history;
    if (history) {
        memset(history + (size_t)first * numbers, 0, (size_t)count * numbers * sizeof *history);
    }
}

/* Compute the rows of a block function by function. */
static bool apply_parts(row_laws *r, row_block *b, abut_index first)
{
    const abut_own_law *only = only_own(&r->simulation->laws, &b->block);
    if (only) {
        return apply_only(r, b, only, first);
    }
    const own_laws *own = &r->simulation->laws.own;
    const uint64_t found = find_own(&r->simulation->laws, &b->block);
    row_part part = {.rows = {.block = {.count = 0}}};
    bool is_deep = false;
    forget_history(r, first, b->block.count);
    for (law_function function = LAW_PLAIN; function <= LAW_COHESIVE; function++) {
        is_deep |= apply_part(r, b, (row_kind){function, NULL}, first, &part);
    }
    for (abut_index k = 0; found && k < own->count; k++) {
        if (found >> (k % 64) & 1) {
            is_deep |= apply_part(r, b, (row_kind){LAW_OWN, &own->laws[k]}, first, &part);
        }
    }
    return is_deep;
}

/* ---- all rows ---- */

/* Fill a block with so many rows from `first` on. */
static void fill_rows(const row_laws *r, row_block *b, abut_index first, int32_t count)
{
    law_block *of = &b->block;
    r->fill(r->context, b, first, count);
    of->count = count;
    of->is_cohesive = false;
    of->step = r->simulation->last.step;
    of->normal = r->normal ? r->normal + 3 * first : b->normals;
    of->overlap = r->overlap ? r->overlap + first : b->overlaps;
    of->share = r->share ? r->share + first : b->shares;
    fill_up(b, count);
    of->watch_part = watch_part(r->simulation);
    write_to(of, &r->table->springs, first);
}

static void apply_block(row_laws *r, row_block *b, abut_index first, int32_t count)
{
    law_block *of = &b->block;
    fill_rows(r, b, first, count);
    if (lacks_law(&r->simulation->laws, of)) {
        atomic_store(&r->lacks_law, true);
    }
    const bool is_deep =
        laws_are_plain(&r->simulation->laws) ? r->kernel(of) : apply_parts(r, b, first);
    if (is_deep && r->is_watched) {
        watch_rows(r->simulation, r->table->kind, first, first + count);
    }
}

void rows_apply_span(row_laws *r, row_span rows)
{
    const abut_index end = rows.first + rows.count;
    row_block b;
    for (abut_index row = rows.first; row < end; row += LAW_BLOCK) {
        apply_block(r, &b, row, end - row < LAW_BLOCK ? (int32_t)(end - row) : LAW_BLOCK);
    }
}

static abut_status apply_chunk(void *context, abut_index chunk, parallel_job *job)
{
    row_laws *r = context;
    const abut_index begin = chunk * CHUNK_ROWS;
    const abut_index end = parallel_chunk_end(begin, CHUNK_ROWS, r->count);
    rows_apply_span(r, (row_span){begin, end - begin});
    return parallel_report(job, r->work * (end - begin));
}

/* The row that an entry of the table belongs to. */
static abut_index row_of(const interaction_table *t, abut_index entry)
{
    abut_index row = 0;
    while (table_is_of_bodies(t->kind) && t->body.spot_offsets[row + 1] <= entry) {
        row++;
    }
    return table_is_of_bodies(t->kind) ? row : entry;
}

/* Name the first row whose law says what is not finite, or does not hold for its R*; a block has it
 * alone. The simulation keeps its numbers. */
static abut_status name_bad(const row_laws *r, const row_block *alone, abut_index bad,
                            abut_error *error)
{
    abut_simulation *s = r->simulation;
    const interaction_table *t = r->table;
    const law *l = alone->block.laws[0];
    const bool is_own = laws_own(&s->laws, l);
    if (is_own) {
        own_rows_keep_case(r, alone, bad);
    } else {
        s->law_case = (abut_law_case){.number = (int)(l - s->laws.laws)};
        s->law_case.inputs[OWN_INPUT(radius)] = radius_of(r, &alone->block, 0);
    }
    const abut_index row = row_of(t, bad);
    abut_index first = table_firsts(t)[row], second = table_seconds(t)[row];
    if (!table_is_of_bodies(t->kind)) {
        first = s->store.rows[first];
    }
    if (t->kind == ABUT_SPHERE_SPHERE) {
        second = s->store.rows[second];
    }
    return error_set(error, is_own ? ABUT_LAW_NOT_FINITE : ABUT_LAW_RADIUS, first, second,
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
        return simulation_name_missing_law(r->simulation, r->table, error);
    }
    const abut_index bad = (abut_index)atomic_load(&r->bad_row);
    if (bad >= 0) {
        row_block alone;
        fill_rows(r, &alone, bad, 1);
        return name_bad(r, &alone, bad, error);
    }
    if (r->is_watched) {
        watch_keep_deep(r->simulation, r->table->kind);
    }
    return ABUT_OK;
}

abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error)
{
    parallel_plan own = *plan;
    own.chunk_count = parallel_chunk_count(r->count, CHUNK_ROWS);
    own.work = r->work * r->count;
    rows_begin(r);
    const abut_status status = parallel_run(&own, apply_chunk, r);
    return status ? error_set_status(error, status) : rows_end(r, error);
}
