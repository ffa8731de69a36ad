/* Rows through kernels. */
#include "rows.h"

#include <string.h>

/* Rows that one thread takes in one go. */
enum { CHUNK_ROWS = 8 * LAW_BLOCK };

/* Kernels read whole vectors: repeat the last row until one is full. */
static void fill_up(row_block *b, int32_t count)
{
    law_block *of = &b->block;
    const int32_t last = count - 1;
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        of->first[k] = of->first[last], of->second[k] = of->second[last];
        of->laws[k] = of->laws[last];
        of->old_normal[k] = of->old_normal[last];
        of->old_spring[k] = of->old_spring[last], of->old_roll[k] = of->old_roll[last];
        of->old_overlap[k] = of->old_overlap[last];
        of->radius[k] = of->radius[last], of->inertia[k] = of->inertia[last];
        b->overlaps[k] = b->overlaps[last], b->shares[k] = b->shares[last];
        memcpy(b->normals + 3 * k, b->normals + 3 * last, 3 * sizeof *b->normals);
    }
}

static bool lacks_law(const law_table *laws, const law_block *b)
{
    bool lacks = false;
    for (int32_t k = 0; laws->has_missing && k < b->count; k++) {
        lacks |= laws->is_missing[b->laws[k] - laws->laws];
    }
    return lacks;
}

static void apply_block(row_laws *r, row_block *b, abut_index first, int32_t count)
{
    law_block *of = &b->block;
    const springs *to = &r->table->springs;
    r->fill(r->context, b, first, count);
    fill_up(b, count);
    of->count = count;
    of->step = r->simulation->input.step;
    of->normal = r->normal ? r->normal + 3 * first : b->normals;
    of->overlap = r->overlap ? r->overlap + first : b->overlaps;
    of->share = r->share ? r->share + first : b->shares;
    of->effects = to->effects + first;
    of->spring = table_vector(to->spring, first);
    of->roll = table_vector(to->roll, first);
    of->moment = table_vector(to->moment, first);
    of->power = to->power ? to->power + first : NULL;
    of->watch_part = watch_part(r->simulation);
    if (lacks_law(&r->simulation->laws, of)) {
        atomic_store(&r->lacks_law, true);
    }
    if (r->kernel(of) && r->is_watched) {
        watch_rows(r->simulation, r->table->kind, first, first + count);
    }
}

static abut_status apply_chunk(void *context, abut_index chunk, parallel_job *job)
{
    row_laws *r = context;
    const abut_index begin = chunk * CHUNK_ROWS;
    const abut_index end = parallel_chunk_end(begin, CHUNK_ROWS, r->count);
    row_block b;
    for (abut_index row = begin; row < end; row += LAW_BLOCK) {
        apply_block(r, &b, row, end - row < LAW_BLOCK ? (int32_t)(end - row) : LAW_BLOCK);
    }
    return parallel_report(job, r->work * (end - begin));
}

abut_status rows_apply(row_laws *r, const parallel_plan *plan, abut_error *error)
{
    parallel_plan own = *plan;
    own.chunk_count = parallel_chunk_count(r->count, CHUNK_ROWS);
    own.work = r->work * r->count;
    watch_begin(r->simulation);
    const abut_status status = parallel_run(&own, apply_chunk, r);
    if (status) {
        return error_set_status(error, status);
    }
    if (atomic_load(&r->lacks_law)) {
        return simulation_name_missing_law(r->simulation, r->table, error);
    }
    if (r->is_watched) {
        watch_keep_deep(r->simulation, r->table->kind, r->count);
    }
    return ABUT_OK;
}
