/* Functions of users as laws of rows: what they are told of, and what becomes of their answer. */
#include "own_rows.h"

#include <math.h>
#include <string.h>

#include "../base/prefetch.h"

/* ---- what rows keep ---- */

/* What rows without a past have kept. */
static const double NOTHING[ABUT_LAW_HISTORY + OWN_END_NUMBERS];

/* What rows kept in the step before under this law, or NOTHING. */
static void find_kept(const row_laws *r, const abut_own_law *l, const abut_index *olds,
                      int32_t count, const double **kept)
{
    const interaction_table *before = &r->simulation->before->tables[r->table->kind];
    const double *history = before->count > 0 ? before->springs.history : NULL;
    const abut_index numbers = before->extras.history;
    for (int32_t k = 0; k < count; k++) {
        const abut_index old = olds[k];
        const double *row = history && old >= 0 ? history + old * numbers : NOTHING;
        if (history && old >= 0 && old + LAW_BLOCK < table_interactions(before)) {
            PREFETCH(row + LAW_BLOCK * numbers); /* about the same rows of the next block follow */
        }
        const bool is_own =
            row != NOTHING && row[own_end(numbers) + OWN_IDENTITY] == (double)l->identity;
        kept[k] = is_own ? row : NOTHING;
    }
}

/* Take what rows on walls have kept to where these are now. */
static void turn_history(const row_laws *r, int vectors, const abut_index *olds, int32_t count,
                         const double **kept, own_block *b)
{
    for (int32_t k = 0; k < count; k++) {
        for (int v = 0; v < vectors && kept[k] != NOTHING; v++) {
            const vec3 to = r->turn(r->context, olds[k], vec3_load(kept[k] + 3 * v));
            b->history_in[3 * v][k] = to.x;
            b->history_in[3 * v + 1][k] = to.y;
            b->history_in[3 * v + 2][k] = to.z;
        }
    }
}

static void read_history(const row_laws *r, const abut_own_law *l, const abut_index *olds,
                         int32_t count, own_block *b)
{
    const double *kept[LAW_BLOCK];
    const int vectors = 3 * l->vector_count;
    /* where the scalars of a table's rows begin */
    const int skip = 3 * r->table->extras.vectors - vectors;
    find_kept(r, l, olds, count, kept);
    for (int32_t k = 0; k < count; k++) {
        b->inputs[OWN_INPUT(is_new)][k] = kept[k] == NOTHING ? 1.0 : 0.0;
    }
    for (int c = 0; c < own_history_count(l); c++) {
        const int from = c < vectors ? c : c + skip;
        for (int32_t k = 0; k < count; k++) {
            b->history_in[c][k] = kept[k][from];
        }
    }
    if (r->turn) {
        turn_history(r, l->vector_count, olds, count, kept, b);
    }
}

/* The part of a row in what its sphere's contacts with walls share. */
static double part_of(const row_laws *r, const law_block *of, const own_block *b, int32_t k)
{
    const double *shares = b->outputs[OWN_OUTPUT(push)][k] < 0.0 ? of->pull_share : of->share;
    return r->table->kind == ABUT_SPHERE_WALL ? shares[k] : 1.0;
}

static void write_history(const row_laws *r, const law_block *of, const abut_own_law *l,
                          const abut_index *where, const own_block *b)
{
    const table_extras *extras = &r->table->extras;
    const int vectors = 3 * l->vector_count, all = own_history_count(l);
    const int skip = 3 * extras->vectors - vectors;
    const abut_index end = own_end(extras->history);
    const bool has_rest = all < end; /* of laws that keep more */
    for (int32_t k = 0; k < of->count; k++) {
        double *to = r->table->springs.history + where[k] * extras->history;
        if (has_rest) {
            memset(to, 0, (size_t)extras->history * sizeof *to);
        }
        for (int c = 0; c < all; c++) {
            to[c < vectors ? c : c + skip] = b->history_out[c][k];
        }
        to[end + OWN_IDENTITY] = (double)l->identity;
        to[end + OWN_STORED] = part_of(r, of, b, k) * b->outputs[OWN_OUTPUT(stored)][k];
    }
}

/* ---- blocks ---- */

static void set_radii(const row_laws *r, const law_block *of, own_block *b)
{
    double *own = b->inputs[OWN_INPUT(radius_i)], *other = b->inputs[OWN_INPUT(radius_j)];
    const bool is_of_bodies = table_is_of_bodies(r->table->kind),
               is_wall = table_is_on_wall(r->table->kind);
    for (int32_t k = 0; k < of->count; k++) {
        own[k] = is_of_bodies ? of->radius[k] : of->first[k]->radius;
        other[k] = is_wall ? INFINITY : is_of_bodies ? of->radius[k] : of->second[k]->radius;
    }
}

/* Repeat the last row, as the block does. */
static void repeat_last(own_block *b, const abut_own_law *l, int32_t count)
{
    const int32_t last = count - 1;
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        for (int c = 0; c < ABUT_LAW_INPUT_COUNT; c++) {
            b->inputs[c][k] = b->inputs[c][last];
        }
        for (int c = 0; c < own_history_count(l); c++) {
            b->history_in[c][k] = b->history_in[c][last];
        }
    }
}

/* Tell the law of a block, and ask it. Returns whether an overlap is to be watched. */
static bool ask(const row_laws *r, const own_rows *rows, const abut_own_law *l,
                const abut_index *olds)
{
    const law_block *of = rows->block;
    read_history(r, l, olds, of->count, rows->own);
    set_radii(r, of, rows->own);
    repeat_last(rows->own, l, of->count);
    const bool is_deep = interaction_kernels_take()->own_inputs(rows);
    own_block_call(rows->own, l, (of->count + ROW_PADDING - 1) / ROW_PADDING * ROW_PADDING,
                   of->step);
    return is_deep;
}

static own_rows rows_of(const row_laws *r, const law_block *of, const abut_own_law *l, own_block *b)
{
    return (own_rows){.block = of,
                      .own = b,
                      .vectors = l->vector_count,
                      .scalars = l->scalar_count,
                      .is_wall = table_is_on_wall(r->table->kind),
                      .is_spot = table_is_of_bodies(r->table->kind)};
}

/* Note the first of the rows that are not finite. */
static void note_bad(row_laws *r, const own_block *b, const abut_own_law *l,
                     const abut_index *where, int32_t count)
{
    for (int32_t k = 0; k < count; k++) {
        if (own_block_is_bad(b, l, k)) {
            parallel_keep_first(&r->bad_row, where[k]);
        }
    }
}

bool own_rows_apply(row_laws *r, row_block *block, const abut_own_law *l)
{
    own_block b;
    law_block *of = &block->block;
    const abut_index *where = block->rows;
    const own_rows rows = rows_of(r, of, l, &b);
    const bool is_deep = ask(r, &rows, l, block->old);
    if (!interaction_kernels_take()->own_effects(&rows)) {
        note_bad(r, &b, l, where, of->count);
    }
    memset(of->spring, 0, 3 * (size_t)of->count * sizeof *of->spring);
    if (of->roll) {
        memset(of->roll, 0, 3 * (size_t)of->count * sizeof *of->roll);
    }
    write_history(r, of, l, where, &b);
    return is_deep;
}

/* ---- what was wrong ---- */

static void keep_case(abut_law_case *to, const own_block *b, const abut_own_law *l, int number)
{
    *to = (abut_law_case){.number = number};
    for (int c = 0; c < ABUT_LAW_INPUT_COUNT; c++) {
        to->inputs[c] = b->inputs[c][0];
    }
    for (int c = 0; c < ABUT_LAW_OUTPUT_COUNT; c++) {
        to->outputs[c] = b->outputs[c][0];
    }
    for (int c = 0; c < own_history_count(l); c++) {
        to->history_in[c] = b->history_in[c][0];
        to->history_out[c] = b->history_out[c][0];
    }
}

void own_rows_keep_case(const row_laws *r, const row_block *alone)
{
    abut_simulation *s = r->simulation;
    own_block b;
    const abut_own_law *l = laws_own(&s->laws, alone->block.laws[0]);
    const own_rows own = rows_of(r, &alone->block, l, &b);
    ask(r, &own, l, alone->old);
    keep_case(&s->law_case, &b, l, (int)(l - s->laws.own.laws));
}
