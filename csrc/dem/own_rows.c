/* Functions of users as laws of rows: what they are told of, and what becomes of their answer. */
#include "own_rows.h"

/* Tell the law of a block's rows, and ask it. Returns whether an overlap is to be watched. */
static bool ask(const law_block *of, own_block *own)
{
    const bool is_deep = interaction_kernels_take()->own_inputs(of, own);
    own_block_call(own, of->laws[0]->own, rows_filled_up(of->count), of->step);
    return is_deep;
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

bool own_rows_apply(row_laws *r, row_block *block)
{
    own_block own;
    const law_block *of = &block->block;
    const bool is_deep = ask(of, &own);
    const unsigned noted = interaction_kernels_take()->own_effects(of, &own);
    block->has_moments = noted & OWN_HAS_MOMENTS;
    if (noted & OWN_NOT_FINITE) {
        note_bad(r, &own, of->laws[0]->own, block->rows, of->count);
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

void own_rows_keep_case(abut_simulation *s, const law_block *alone)
{
    own_block own;
    const abut_own_law *l = alone->laws[0]->own;
    ask(alone, &own);
    keep_case(&s->law_case, &own, l, (int)(l - s->laws.own.laws));
}
