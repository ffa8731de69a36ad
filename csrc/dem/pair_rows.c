/* Data that rows of pairs do not store: partners, and the rows of the last step they continue. */
#include "pair_rows.h"

/* ---- columns ---- */

/* Data for writing the columns of partners. */
typedef struct showing {
    const abut_simulation *simulation;
    const interaction_table *from;
    const abut_pair_columns *to;
    const double *centers;
    list_cell cell;
} showing;

static void show_row(const showing *shown, abut_index row)
{
    const abut_simulation *s = shown->simulation;
    const int32_t candidate = shown->from->candidates[row];
    shown->to->i[row] = shown->from->list_firsts[candidate];
    shown->to->j[row] = shown->from->list_seconds[candidate];
    if (shown->to->image) {
        lattice_put_image(shown->to->image + 3 * row, 3,
                          active_image(&s->neighbors, &shown->cell, shown->centers, candidate));
    }
}

static void show_chunks(void *context, abut_index begin, abut_index end)
{
    const showing *shown = context;
    for (abut_index chunk = begin; chunk < end; chunk++) {
        const row_span rows = shown->from->chunks[chunk];
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            show_row(shown, row);
        }
    }
}

abut_status pair_rows_show(const abut_simulation *s, const interaction_table *t,
                           memory_block blocks[PAIR_ROWS_BLOCKS], interaction_table *shown)
{
    const row_span last = table_span(t, table_span_count(t) - 1);
    const abut_index rows = last.first + last.count, images = t->extras.has_images ? 3 * rows : 0;
    interaction_table made = *t;
    if (t->kind == ABUT_SPHERE_SPHERE && t->list_firsts) {
        made.pair.i = memory_reserve(&blocks[0], rows, sizeof *made.pair.i);
        made.pair.j = memory_reserve(&blocks[1], rows, sizeof *made.pair.j);
        made.pair.image = memory_reserve(&blocks[2], images, sizeof *made.pair.image);
        if (!made.pair.i || !made.pair.j || !made.pair.image) {
            return ABUT_NO_MEMORY;
        }
        made.pair.image = t->extras.has_images ? made.pair.image : NULL;
        showing task = {s, t, &made.pair, pair_rows_centers(s, t), pair_rows_cell(s, t)};
        parallel_loop(s->input.workers, t->chunk_count, 1, t->count, show_chunks, &task);
        made.list_firsts = made.list_seconds = NULL;
    }
    *shown = made;
    return ABUT_OK;
}

abut_status pair_rows_renumber(const abut_simulation *s, interaction_table *to,
                               const interaction_table *from, const renumbering *by,
                               table_extras extras)
{
    memory_block blocks[PAIR_ROWS_BLOCKS] = {{.data = NULL}};
    interaction_table shown;
    abut_status status = pair_rows_show(s, from, blocks, &shown);
    status = status ? status : table_renumber(to, &shown, by, extras, s->input.workers);
    memory_free_blocks(blocks, PAIR_ROWS_BLOCKS);
    return status;
}

/* ---- from step to step ---- */

static bool is_before_candidate(const void *candidates, abut_index row, const void *candidate)
{
    return ((const int32_t *)candidates)[row] < *(const int32_t *)candidate;
}

/* A new list has the rows of the last step in `past`. With the same list, rows of both steps ascend
 * by candidate, and one pass matches them. */
void pair_rows_find_before(const abut_simulation *s, const interaction_table *t,
                           const abut_index *rows, int32_t count, abut_index *rows_before)
{
    const neighbor_list *l = &s->neighbors;
    const interaction_table *before = &s->before->tables[ABUT_SPHERE_SPHERE];
    const int32_t *candidates = t->candidates, *candidates_before = before->candidates;
    for (int32_t k = 0; l->past && k < count; k++) {
        rows_before[k] = l->past[candidates[rows[k]]];
    }
    if (l->past || count == 0) {
        return;
    }
    const int32_t first = candidates[rows[0]];
    const row_span span = table_span(before, l->firsts[first] / NEIGHBOR_CHUNK);
    const abut_index end = span.first + span.count;
    abut_index row_before = span_find(span, candidates_before, &first, is_before_candidate);
    for (int32_t k = 0; k < count; k++) {
        const int32_t candidate = candidates[rows[k]];
        while (row_before < end && candidates_before[row_before] < candidate) {
            row_before++;
        }
        rows_before[k] =
            row_before < end && candidates_before[row_before] == candidate ? row_before : -1;
    }
}
