/* The search: load -> candidates -> closest -> kept -> records -> sink. */
#include "find_contacts.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/rounded.h"
#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "feet.h"
#include "contact_finder.h"
#include "kernels.h"

typedef struct search {
    const find_task *task;
    resolution resolution;
    bool uses_feet; /* spheres may be narrow */
    atomic_intptr_t entry_count, test_count, touch_count, overfull_sphere;
} search;

/* Memory of a thread for one chunk. */
typedef struct worker {
    pooled pooled;
    search *search;
    batch batch;
    line line, wide; /* wide: for refused spheres, for which all facets are searched */
    record_task task;
    records records;
    abut_index test_count;
} worker;

/* ---- workers ---- */

static void destroy_worker(pooled *item)
{
    worker *w = (worker *)item;
    batch_free(&w->batch);
    line_free(&w->line);
    line_free(&w->wide);
    share_scratch_free(&w->task.shares);
    records_free(&w->records);
    memory_free(w);
}

static worker *new_worker(void)
{
    worker *w = memory_alloc_zeroed(1, sizeof *w);
    if (w) {
        w->pooled.destroy = destroy_worker;
        line_begin(&w->line, &w->batch, false);
        line_begin(&w->wide, &w->batch, true);
    }
    return w;
}

static worker *take_worker(search *s, parallel_job *job)
{
    worker *w = (worker *)pool_take(&s->task->finder->leftovers->workers);
    w = w ? w : new_worker();
    if (w) {
        w->search = s;
        w->task.resolution = s->resolution;
        w->task.surface_count = scene_surface_count(s->task->scene);
        w->task.job = job;
        batch_clear_views(&w->batch);
        w->batch.list = s->task->list;
        w->line.candidates.entry_count = w->test_count = 0;
        w->line.kept.touch_count = w->wide.kept.touch_count = 0;
        records_clear(&w->records);
    }
    return w;
}

static void give_worker(worker *w)
{
    search *s = w->search;
    atomic_fetch_add(&s->entry_count, w->line.candidates.entry_count);
    atomic_fetch_add(&s->test_count, w->test_count);
    atomic_fetch_add(&s->touch_count, w->line.kept.touch_count + w->wide.kept.touch_count);
    pool_give(&s->task->finder->leftovers->workers, &w->pooled);
}

/* ---- from a batch to records ---- */

/* Finds the kept candidates of those spheres of the batch, from number `from` on, that have their
 * bit set in `spheres`, for as many as fit. *next is the first sphere that did not fit. */
static abut_status find_kept(worker *w, line *l, const uint64_t *spheres, int32_t from,
                             int32_t *next)
{
    candidates *c = &l->candidates;
    const abut_index entries = c->entry_count;
    abut_status status = line_collect(l, spheres, from, next);
    if (status) {
        return status;
    }
    closest_find(&l->closest);
    l->kept.has_refused = false;
    if (w->task.resolution.kind == ABUT_HIERARCHY) {
        kernels_take()->strike(&l->kept);
    } else {
        kept_take_all(&l->kept);
    }
    w->test_count += c->count;
    return parallel_report(w->task.job, closest_work(c->entry_count - entries, c->count));
}

static abut_status append(worker *w, line *l, int32_t from, int32_t end)
{
    const int32_t first_sphere = (int32_t)(w->batch.first % CHUNK_SPHERES);
    return records_append(&w->records, &w->task, &l->kept, from, end, first_sphere);
}

static abut_status append_wide(worker *w, const uint64_t *spheres)
{
    abut_status status = ABUT_OK;
    for (int32_t next = 0; !status && next < w->batch.count;) {
        status = find_kept(w, &w->wide, spheres, next, &next);
        if (!status) {
            status = append(w, &w->wide, 0, w->wide.candidates.sphere_count);
        }
    }
    return status;
}

/* Appends the records of a batch with refused spheres. These are searched again in between, since
 * records are in the order of spheres. */
static abut_status append_with_refused(worker *w)
{
    const candidates *c = &w->line.candidates;
    kept *k = &w->line.kept;
    uint64_t refused[BATCH_SPHERES / 64];
    abut_status status;
    int32_t n = 0;
    do {
        const int32_t begin = n, first = feet_first_refused(k);
        while (n < c->sphere_count && c->sphere[n] < first) {
            n++;
        }
        status = append(w, &w->line, begin, n);
        while (n < c->sphere_count && feet_is_refused(k, c->sphere[n])) {
            n++;
        }
        feet_take_refused(k, n < c->sphere_count ? c->sphere[n] : BATCH_SPHERES, refused);
        status = status ? status : append_wide(w, refused);
    } while (!status && n < c->sphere_count);
    return status;
}

static abut_status search_batch(worker *w)
{
    line *l = &w->line;
    abut_status status = ABUT_OK;
    for (int32_t from = 0, next = 0; !status && from < w->batch.count; from = next) {
        status = find_kept(w, l, w->batch.seen, from, &next);
        if (!status && candidates_at_feet(&l->candidates)) {
            feet_refuse(&l->kept, from, next);
            w->test_count -= l->kept.refused_count;
        }
        if (!status) {
            status = l->kept.has_refused ? append_with_refused(w)
                                         : append(w, l, 0, l->candidates.sphere_count);
        }
    }
    return status;
}

/* ---- from rows to batches ---- */

/* Looks up the buckets of the batch's spheres. */
static void look(worker *w)
{
    batch *b = &w->batch;
    memset(b->seen, 0, sizeof b->seen);
    memset(b->narrow, 0, sizeof b->narrow);
    b->has_narrow = false;
    batch_see(b);
    for (abut_index k = 0; k < b->view_count; k++) {
        kernels_take()->look_buckets(b, &b->views[k]);
    }
    batch_look_beside(b);
    if (w->search->uses_feet) {
        feet_look(b);
    }
    batch_see_beside(b);
}

/* Fills the batch with the first spheres of a range, which then begins after those that were
 * read. */
static abut_status fill_batch(worker *w, sphere_range *spheres)
{
    batch *b = &w->batch;
    const find_task *task = w->search->task;
    const sphere_rows rows = {task->rows.centers + 3 * spheres->begin,
                              task->rows.radii + spheres->begin, task->rows.gap};
    abut_index count = spheres->end - spheres->begin;
    bool are_good;
    b->first = spheres->begin;
    abut_status status = scene_view(task->scene, &rows, &count, b);
    if (status == ABUT_TOO_MANY_IMAGES) {
        atomic_store(&w->search->overfull_sphere, b->first);
    }
    if (status) {
        return status;
    }
    const abut_index passed = batch_load(b, &rows, count, &are_good);
    spheres->begin += passed;
    look(w);
    batch_note_sparse(b, passed);
    return are_good ? ABUT_OK : ABUT_CENTER_NOT_FINITE;
}

/* Fills the batch with spheres that have their facets in a list. */
static abut_status fill_listed(worker *w, sphere_range *spheres)
{
    batch *b = &w->batch;
    const find_task *task = w->search->task;
    const sphere_rows rows = {task->rows.centers + 3 * spheres->begin,
                              task->rows.radii + spheres->begin, task->rows.gap};
    b->first = spheres->begin;
    const abut_status status = scene_view_listed(task->scene, b);
    if (!status) {
        spheres->begin += batch_load_listed(b, &rows, spheres->end - spheres->begin);
        memset(b->seen, -1, sizeof b->seen);
        b->has_narrow = b->is_sparse = false;
        batch_place_locals(b);
        batch_look_beside(b);
    }
    return status;
}

static abut_status search_spheres(worker *w, sphere_range spheres)
{
    const abut_index count = spheres.end - spheres.begin;
    abut_status status = batch_prepare(&w->batch);
    while (!status && spheres.begin < spheres.end) {
        status = w->batch.list ? fill_listed(w, &spheres) : fill_batch(w, &spheres);
        if (!status) {
            status = search_batch(w);
        }
    }
    return status ? status : parallel_report(w->task.job, count);
}

static abut_status search_chunk(void *context, abut_index chunk, parallel_job *job)
{
    search *s = context;
    const records_sink *sink = &s->task->sink;
    worker *w = take_worker(s, job);
    if (!w) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = search_spheres(w, chunk_spheres(chunk, s->task->query->sphere_count));
    if (!status) {
        status = sink->take(sink->context, chunk, &w->records, job);
    }
    give_worker(w);
    return status;
}

abut_status find_records(const find_task *task, find_counts *counts)
{
    const abut_query *query = task->query;
    const reach_profile *profile = task->profile;
    search s = {.task = task,
                .resolution = {.kind = query->resolution,
                               .flat_tilt = rounded_sin(0.5 * query->flat_angle),
                               .exponent = query->exponent,
                               .keeps_zero = query->keep_zero},
                .uses_feet = !task->list && query->resolution == ABUT_HIERARCHY &&
                             profile->smallest <= REACH_LIMIT * (profile->smallest - query->gap)};
    const parallel_plan plan = query_plan(query, chunk_count_of(query->sphere_count),
                                          WORK_OF_SPHERE * query->sphere_count);
    abut_status status = parallel_run(&plan, search_chunk, &s);
    *counts = (find_counts){.entries = atomic_load(&s.entry_count),
                            .tests = atomic_load(&s.test_count),
                            .touches = atomic_load(&s.touch_count),
                            .overfull_sphere = atomic_load(&s.overfull_sphere)};
    return status;
}
