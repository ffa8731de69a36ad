/* The order in which spheres are stored. From time to time they are sorted by their centers, so
 * that spheres in contact are close in memory. Columns for callers are in the order of rows.
 * Forces are summed in the order of places, which decides the last bits of the sums (docs/dem.md,
 * section 3). */
#include "sphere_order.h"

#include "../base/box.h"
#include "../base/sort.h"
#include "../interactions/extend_list.h"
#include "pair_rows.h"
#include "shared.h"

/* Below this number, spheres fit into the cache, so their order does not matter. */
enum { FEWEST_SPHERES = 4096 };

/* Number of steps between two sorts. After some hundred steps, moving spheres have other neighbors.
 * A sort takes about as long as two steps. */
enum { STEPS_BETWEEN = 500 };

#ifdef ABUT_TESTING
static bool sorts_always;

void order_sort_always(bool is_forced)
{
    sorts_always = is_forced;
}
#else
static const bool sorts_always = false;
#endif

/* ---- cells ---- */

/* Cells are made by repeatedly halving the longest edge. The number of a cell has a bit for each
 * halving, so cells with consecutive numbers are close in space. Keys have bits for 12 halvings. */
enum { HALVINGS = 12 };

typedef struct cell_order {
    const abut_simulation *simulation;
    double low[3], scale[3]; /* scale: cells per length on each axis; 0: the axis is not cut */
    int axes[HALVINGS];
    int bits[3];
    int halvings;
} cell_order;

static void include_centers(const void *context, abut_index begin, abut_index end, void *part)
{
    const double *centers = context;
    for (abut_index place = begin; place < end; place++) {
        box_include_point(part, vec3_load(centers + 3 * place));
    }
}

static void join_boxes(void *total, const void *part)
{
    box_include(total, part);
}

static box bounds_of(const abut_simulation *s)
{
    const box none = box_empty();
    const parallel_folding folding = {include_centers, join_boxes, s->store.centers, &none,
                                      sizeof none};
    box bounds = none;
    parallel_fold(s->input.workers, s->store.count, s->store.count / 2, &folding, &bounds);
    return bounds;
}

static cell_order plan_cells(const abut_simulation *s)
{
    cell_order c = {.simulation = s};
    const box bounds = bounds_of(s);
    double edges[3];
    for (int axis = 0; axis < 3; axis++) {
        c.low[axis] = bounds.low[axis];
        edges[axis] = bounds.high[axis] - bounds.low[axis];
    }
    for (; c.halvings < HALVINGS; c.halvings++) {
        int longest = edges[1] > edges[0] ? 1 : 0;
        longest = edges[2] > edges[longest] ? 2 : longest;
        edges[longest] *= 0.5;
        c.axes[c.halvings] = longest;
        c.bits[longest]++;
    }
    for (int axis = 0; axis < 3; axis++) {
        c.scale[axis] = edges[axis] > 0.0 ? 1.0 / edges[axis] : 0.0;
    }
    return c;
}

static uint16_t find_cell(const cell_order *c, const double *center)
{
    int32_t cells[3], shifts[3];
    unsigned key = 0;
    for (int axis = 0; axis < 3; axis++) {
        const double at = (center[axis] - c->low[axis]) * c->scale[axis];
        const double last = (double)((1 << c->bits[axis]) - 1);
        cells[axis] = (int32_t)(at < last ? at : last);
        shifts[axis] = c->bits[axis];
    }
    for (int k = 0; k < c->halvings; k++) {
        const int axis = c->axes[k];
        shifts[axis]--;
        key = key << 1 | (unsigned)(cells[axis] >> shifts[axis] & 1);
    }
    return (uint16_t)key;
}

static void fill_keys(void *context, abut_index begin, abut_index end, uint16_t *keys)
{
    const cell_order *c = context;
    for (abut_index place = begin; place < end; place++) {
        keys[place - begin] = find_cell(c, c->simulation->store.centers + 3 * place);
    }
}

/* ---- renumbering ---- */

/* The new numbers of a table's partners. */
static renumbering numbers_for(abut_interaction kind, const renaming *by)
{
    switch (kind) {
    case ABUT_BODY_WALL:
        return (renumbering){by->bodies, by->walls, by->body_count};
    case ABUT_BODY_BODY:
        return (renumbering){by->bodies, by->bodies, by->body_count};
    case ABUT_BODY_SPHERE:
        return (renumbering){by->bodies, by->rows, by->body_count};
    case ABUT_SPHERE_WALL:
        break;
    case ABUT_SPHERE_SPHERE:
        return (renumbering){by->places, by->places, by->place_count};
    }
    return (renumbering){by->places, by->walls, by->place_count};
}

static bool has_changed(const abut_simulation *s, const interaction_table *t, const renumbering *by)
{
    const bool keeps_others = t->count > 0 && !history_is_same(&t->extras.layout, &s->laws.layout);
    return keeps_others || by->first || by->second || by->first_count != t->first_count;
}

/* Replaces a table of the last step by the renumbered table in `now`. */
static void take_made(abut_simulation *s, abut_interaction kind)
{
    const interaction_table made = s->now->tables[kind];
    s->now->tables[kind] = s->before->tables[kind];
    s->before->tables[kind] = made;
    if (kind == ABUT_SPHERE_SPHERE) {
        s->neighbors.has_past = false;
    }
}

abut_status order_renumber_tables(abut_simulation *s, const renaming *by)
{
    abut_status status = ABUT_OK;
    bool is_made[ABUT_INTERACTION_COUNT] = {false};
    for (int k = 0; !status && k < ABUT_INTERACTION_COUNT; k++) {
        const renumbering numbers = numbers_for((abut_interaction)k, by);
        is_made[k] = !(k == ABUT_SPHERE_SPHERE && by->pairs_stay) &&
                     has_changed(s, &s->before->tables[k], &numbers);
        if (is_made[k]) {
            status = pair_rows_renumber(s, &s->now->tables[k], &s->before->tables[k], &numbers,
                                        simulation_extras(s));
        }
    }
    for (int k = 0; !status && k < ABUT_INTERACTION_COUNT; k++) {
        if (is_made[k]) {
            take_made(s, (abut_interaction)k);
        }
    }
    return status;
}

abut_status order_compact_pairs(abut_simulation *s)
{
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    const renumbering same = {.first_count = t->first_count};
    table_extras extras = t->extras;
    if (t->chunk_count == 0) {
        return ABUT_OK;
    }
    extras.is_of_list = false;
    const abut_status status =
        pair_rows_renumber(s, &s->now->tables[ABUT_SPHERE_SPHERE], t, &same, extras);
    if (!status) {
        take_made(s, ABUT_SPHERE_SPHERE);
    }
    return status;
}

/* Reserves all memory before any column changes, so that a failure leaves everything unchanged. */
static abut_status rearrange(abut_simulation *s, const int32_t *source, const renaming *by)
{
    abut_status status = store_reserve(&s->store, s->store.count);
    status = status ? status : order_renumber_tables(s, by);
    if (status) {
        return status;
    }
    if (by->rows) {
        store_shorten(&s->store, source, by->place_count);
    } else {
        store_gather(&s->store, source, by->place_count, s->input.workers);
    }
    if (by->pairs_stay) {
        shorten_list(&s->neighbors, by->places, &s->before->tables[ABUT_SPHERE_SPHERE]);
        near_walls_shorten(&s->near, &s->neighbors, by->places);
    } else {
        neighbor_list_forget(&s->neighbors);
    }
    return ABUT_OK;
}

abut_status order_rearrange(abut_simulation *s, const int32_t *source, abut_index count,
                            const int32_t *new_rows)
{
    int32_t *target = memory_alloc(s->store.count + 1, sizeof *target);
    if (!target) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index place = 0; place < s->store.count; place++) {
        target[place] = -1;
    }
    for (abut_index place = 0; place < count; place++) {
        target[source[place]] = (int32_t)place;
    }
    const interaction_table *pairs = &s->before->tables[ABUT_SPHERE_SPHERE];
    const renaming by = {.places = target,
                         .place_count = count,
                         .rows = new_rows,
                         .body_count = s->solids.count,
                         .pairs_stay = new_rows && s->solids.count == 0 &&
                                       shorten_list_can(&s->neighbors, pairs)};
    const abut_status status = rearrange(s, source, &by);
    memory_free(target);
    return status;
}

static abut_status sort_spheres(abut_simulation *s)
{
    cell_order c = plan_cells(s);
    sorted_items sorted = {0};
    const sort_task task = {.count = s->store.count,
                            .key_count = 1 << c.halvings,
                            .fill = fill_keys,
                            .context = &c,
                            .workers = s->input.workers};
    abut_status status = sort_by_key(&sorted, &task);
    status = status ? status : order_rearrange(s, sorted.items, s->store.count, NULL);
    sorted_free(&sorted);
    if (!status) {
        store_find_places(&s->store);
        s->order_step = s->step_count + STEPS_BETWEEN;
    }
    return status;
}

abut_status order_spheres(abut_simulation *s)
{
    const bool is_due = s->store.count >= FEWEST_SPHERES && s->step_count >= s->order_step;
    if ((!is_due && !sorts_always) || s->store.count == 0) {
        return ABUT_OK;
    }
    return sort_spheres(s);
}
