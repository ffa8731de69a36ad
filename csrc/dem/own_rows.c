/* Functions of users as laws of rows: what they are told of, and what becomes of their answer. */
#include "own_rows.h"

#include <math.h>
#include <string.h>

#include "../base/prefetch.h"

/* ---- what rows keep ---- */

/* What rows without a past have kept. */
static const double NOTHING[OWN_ROW_NUMBERS];

/* Rows that went with a wall. */
typedef double turned_row[OWN_ROW_NUMBERS];

/* What rows kept in the step before, whatever law they had, or NOTHING. */
static void find_kept(const row_laws *r, const abut_index *olds, int32_t count, const double **kept)
{
    const interaction_table *before = &r->simulation->before->tables[r->table->kind];
    const double *history = before->count > 0 ? before->springs.history : NULL;
    const abut_index numbers = before->extras.history;
    const abut_index last = table_interactions(before) - LAW_BLOCK;
    for (int32_t k = 0; k < count; k++) {
        const abut_index old = olds[k];
        kept[k] = history && old >= 0 ? history + old * numbers : NOTHING;
        if (history && old >= 0 && old < last) {
            PREFETCH(kept[k] + LAW_BLOCK * numbers); /* the next block has about the rows behind */
        }
    }
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        kept[k] = kept[count - 1];
    }
}

/* Take what rows on walls have kept to where these are now. */
static void turn_kept(const row_laws *r, int vectors, const abut_index *olds, int32_t count,
                      const double **kept, turned_row *turned)
{
    const size_t size = (size_t)r->table->extras.history * sizeof **kept;
    for (int32_t k = 0; k < count; k++) {
        if (kept[k] == NOTHING) {
            continue;
        }
        memcpy(turned[k], kept[k], size);
        for (int v = 0; v < vectors; v++) {
            const vec3 old = vec3_load(kept[k] + 3 * v);
            vec3_store(turned[k] + 3 * v, r->turn(r->context, olds[k], old));
        }
        kept[k] = turned[k];
    }
}

/* ---- blocks ---- */

/* Repeat the last row. */
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
static bool ask(const row_laws *r, own_rows *rows, const abut_own_law *l, const abut_index *olds)
{
    const double *kept[LAW_BLOCK];
    turned_row turned[LAW_BLOCK];
    const law_block *of = rows->block;
    double *is_new = rows->own->inputs[OWN_INPUT(is_new)];
    find_kept(r, olds, of->count, kept);
    for (int32_t k = 0; k < of->count; k++) {
        is_new[k] = kept[k] == NOTHING ? 1.0 : 0.0;
    }
    if (r->turn) {
        turn_kept(r, l->vector_count, olds, of->count, kept, turned);
    }
    rows->kept = kept;
    const bool is_deep = interaction_kernels_take()->own_inputs(rows);
    repeat_last(rows->own, l, of->count);
    own_block_call(rows->own, l, (of->count + ROW_PADDING - 1) / ROW_PADDING * ROW_PADDING,
                   of->step);
    return is_deep;
}

static own_rows rows_of(const row_laws *r, const row_block *b, const abut_own_law *l,
                        own_block *own)
{
    const table_extras *extras = &r->table->extras;
    return (own_rows){.block = &b->block,
                      .own = own,
                      .rows = b->rows,
                      .history = r->table->springs.history,
                      .history_numbers = extras->history,
                      .first_scalar = 3 * extras->vectors,
                      .identity = (double)l->identity,
                      .vectors = l->vector_count,
                      .scalars = l->scalar_count};
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
    const law_block *of = &block->block;
    own_rows rows = rows_of(r, block, l, &b);
    const bool is_deep = ask(r, &rows, l, block->old);
    const unsigned noted = interaction_kernels_take()->own_effects(&rows);
    block->has_moments = noted & OWN_HAS_MOMENTS;
    if (noted & OWN_NOT_FINITE) {
        note_bad(r, &b, l, block->rows, of->count);
    }
    memset(of->spring, 0, 3 * (size_t)of->count * sizeof *of->spring);
    if (of->roll) {
        memset(of->roll, 0, 3 * (size_t)of->count * sizeof *of->roll);
    }
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
    const abut_own_law *l = alone->block.laws[0]->own;
    own_rows own = rows_of(r, alone, l, &b);
    ask(r, &own, l, alone->old);
    keep_case(&s->law_case, &b, l, (int)(l - s->laws.own.laws));
}
