/* What rows of pairs leave out: columns of partners, and the rows that they go on from. */
#include "pair_rows.h"

/* ---- columns ---- */

/* A table on its way to one that is shown. */
typedef struct showing {
    const abut_simulation *simulation;
    const interaction_table *from;
    const abut_pair_columns *to;
    const double *centers;
} showing;

static void show_row(const showing *w, abut_index row)
{
    const abut_simulation *s = w->simulation;
    const int32_t candidate = w->from->candidates[row];
    w->to->i[row] = w->from->list_firsts[candidate];
    w->to->j[row] = w->from->list_seconds[candidate];
    for (int axis = 0; w->to->image && axis < 3; axis++) {
        w->to->image[3 * row + axis] =
            (abut_index)active_image(&s->neighbors, &s->lattice, w->centers, candidate, axis);
    }
}

static void show_chunks(void *context, abut_index begin, abut_index end)
{
    const showing *w = context;
    for (abut_index chunk = begin; chunk < end; chunk++) {
        const row_span rows = w->from->chunks[chunk];
        for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
            show_row(w, row);
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
        showing w = {s, t, &made.pair, pair_rows_centers(s, t)};
        parallel_loop(s->input.workers, t->chunk_count, 1, t->count, show_chunks, &w);
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

/* Rows of both steps ascend by their candidates: one pass over both matches them. */
void pair_rows_find_old(const abut_simulation *s, const interaction_table *t,
                        const abut_index *rows, int32_t count, abut_index *old)
{
    const neighbor_list *l = &s->neighbors;
    const interaction_table *before = &s->before->tables[ABUT_SPHERE_SPHERE];
    const int32_t *candidates = t->candidates, *others = before->candidates;
    for (int32_t k = 0; l->past && k < count; k++) {
        old[k] = l->past[candidates[rows[k]]];
    }
    if (l->past || count == 0) {
        return;
    }
    const int32_t first = candidates[rows[0]];
    const row_span of = table_span(before, l->firsts[first] / NEIGHBOR_CHUNK);
    const abut_index end = of.first + of.count;
    abut_index at = span_find(of, others, &first, is_before_candidate);
    for (int32_t k = 0; k < count; k++) {
        const int32_t candidate = candidates[rows[k]];
        while (at < end && others[at] < candidate) {
            at++;
        }
        old[k] = at < end && others[at] == candidate ? at : -1;
    }
}
