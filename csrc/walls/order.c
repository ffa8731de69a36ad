/* In which order spheres are searched. */
#include "order.h"

#include <string.h>

#include "load.h"

/* What sorting takes and saves, on processors of today: keys, sorting, gathering and finding the
 * rows again take a fifth of what a sphere with a contact takes in order, and that of a sphere
 * without facets nearby twice over; a sphere that finds facets out of order waits for memory longer
 * than it takes in order. So it pays where one sphere of eight finds facets. */
enum { SEEN_SHARE = 8 };

/* Fewer spheres than this many a triangle hardly ever find a triangle that one before has read. */
#define SPHERES_PER_TRIANGLE 0.25

/* Windows of spheres that follow one another tell whether they are in order: then they are in few
 * cells. */
enum { WINDOWS = 16, WINDOW_SPHERES = 64, COHERENT_CELLS = WINDOW_SPHERES / 4 };

/* A cell should have some batches' worth of spheres where they are near facets; more cells than
 * this scatter over more cache lines than the second cache has. */
enum { SPHERES_PER_CELL = BATCH_SPHERES / 2, GRID_LIMIT = SORT_KEY_LIMIT };

/* Cells of a box, row by row; what is outside belongs to the cells at the border. */
typedef struct cell_grid {
    double low[3], scale[3];
    int32_t counts[3];
} cell_grid;

typedef struct sorting {
    sphere_order *order;
    const abut_query *query;
    cell_grid grid;
} sorting;

#ifdef ABUT_TESTING
static bool sorts_always;

void order_force(bool is_forced)
{
    sorts_always = is_forced;
}
#else
static const bool sorts_always = false;
#endif

void order_free(sphere_order *order)
{
    sorted_free(&order->sorted);
    memory_free(order->location_block.data);
    *order = (sphere_order){0};
}

/* ---- the grid ---- */

static int32_t cell_count(const cell_grid *grid)
{
    return grid->counts[0] * grid->counts[1] * grid->counts[2];
}

/* Where spheres of the sample and meshes are, both. */
static box common_box(const placement *p, double largest, const batch *sample)
{
    box spheres = box_empty(), meshes = box_empty();
    for (int32_t i = 0; i < sample->count; i++) {
        box_include_point(&spheres,
                          (vec3){sample->center[0][i], sample->center[1][i], sample->center[2][i]});
    }
    for (abut_index k = 0; k < p->mesh_count; k++) {
        box_include(&meshes, &p->meshes[k].bounds);
    }
    for (int axis = 0; axis < 3 && !p->is_periodic; axis++) {
        double low = meshes.low[axis] - largest, high = meshes.high[axis] + largest;
        spheres.low[axis] = low > spheres.low[axis] ? low : spheres.low[axis];
        spheres.high[axis] = high < spheres.high[axis] ? high : spheres.high[axis];
    }
    return spheres;
}

/* Cells that are about cubes: the longest axis is halved until there are enough. */
static cell_grid make_grid(const box *bounds, abut_index sphere_count)
{
    cell_grid grid = {.counts = {1, 1, 1}};
    abut_index wanted = sphere_count / SPHERES_PER_CELL;
    wanted = sorts_always || wanted > GRID_LIMIT ? GRID_LIMIT : wanted;
    double edges[3];
    for (int axis = 0; axis < 3; axis++) {
        grid.low[axis] = bounds->low[axis];
        edges[axis] = bounds->high[axis] - bounds->low[axis];
    }
    while (2 * cell_count(&grid) <= wanted) {
        int longest = edges[1] > edges[0] ? 1 : 0;
        longest = edges[2] > edges[longest] ? 2 : longest;
        edges[longest] *= 0.5;
        grid.counts[longest] *= 2;
    }
    for (int axis = 0; axis < 3; axis++) {
        grid.scale[axis] = edges[axis] > 0.0 ? 1.0 / edges[axis] : 0.0;
    }
    return grid;
}

/* A center that is no number, which the search reports, is in cell 0. */
static int32_t find_cell(const cell_grid *grid, const double *center)
{
    int32_t cells[3];
    for (int axis = 0; axis < 3; axis++) {
        double place = (center[axis] - grid->low[axis]) * grid->scale[axis];
        double last = grid->counts[axis] - 1;
        place = place > 0.0 ? place : 0.0;
        cells[axis] = (int32_t)(place < last ? place : last);
    }
    return (cells[2] * grid->counts[1] + cells[1]) * grid->counts[0] + cells[0];
}

/* ---- whether it pays ---- */

/* Whether there are so many spheres and triangles that the order counts. */
static bool is_large(const abut_query *query, const placement *p)
{
    abut_index triangles = 0;
    for (abut_index k = 0; k < p->mesh_count; k++) {
        const abut_mesh *mesh = p->meshes[k].binned->mesh;
        triangles += mesh->fans[mesh->view.facet_count];
    }
    return triangles > CACHED_TRIANGLES &&
           (double)query->sphere_count > SPHERES_PER_TRIANGLE * (double)triangles;
}

/* Spheres from all over the query. False: one of them is none. */
static bool load_sample(const abut_query *query, batch *sample)
{
    double centers[3 * BATCH_SPHERES], radii[BATCH_SPHERES];
    abut_index count = query->sphere_count < BATCH_SPHERES ? query->sphere_count : BATCH_SPHERES;
    for (abut_index k = 0; k < count; k++) {
        abut_index i = (abut_index)((double)k / (double)count * (double)query->sphere_count);
        memcpy(centers + 3 * k, query->centers + 3 * i, 3 * sizeof *centers);
        radii[k] = query->radii[i];
    }
    sample->first = 0;
    const sphere_rows rows = {centers, radii, query->gap};
    return load_all(sample, &rows, count);
}

/* Whether enough of the sample find something in the bins: where they are too far apart for one
 * batch, most likely. */
static abut_status find_share(const placement *p, batch *sample, bool *is_enough)
{
    abut_status status = placement_view(p, sample);
    *is_enough = status == ABUT_TOO_MANY_IMAGES;
    if (status) {
        return *is_enough ? ABUT_OK : status;
    }
    batch_see(sample);
    memset(sample->seen, 0, sizeof sample->seen);
    for (abut_index k = 0; k < sample->view_count; k++) {
        kernels_take()->bins_look(sample, &sample->views[k]);
    }
    *is_enough = SEEN_SHARE * batch_seen_count(sample) >= sample->count;
    return ABUT_OK;
}

/* In how many cells a window's spheres are. */
static int count_cells(const cell_grid *grid, const double *centers)
{
    uint64_t marks[GRID_LIMIT / 64] = {0};
    int count = 0;
    for (int i = 0; i < WINDOW_SPHERES; i++) {
        int32_t cell = find_cell(grid, centers + 3 * i);
        count += (marks[cell / 64] >> cell % 64 & 1) == 0;
        marks[cell / 64] |= UINT64_C(1) << cell % 64;
    }
    return count;
}

static bool is_in_order(const cell_grid *grid, const abut_query *query)
{
    int count = 0;
    abut_index last = query->sphere_count - WINDOW_SPHERES;
    for (int k = 0; k < WINDOWS; k++) {
        count += count_cells(grid, query->centers + 3 * (last / WINDOWS * k));
    }
    return count <= WINDOWS * COHERENT_CELLS;
}

/* Whether to sort, and by which cells. */
static abut_status ask_model(const abut_query *query, const placement *p, double largest,
                             batch *sample, bool *pays, cell_grid *grid)
{
    *pays = false;
    if (!sorts_always && !is_large(query, p)) {
        return ABUT_OK;
    }
    abut_status status = batch_prepare(sample);
    if (status || !load_sample(query, sample)) {
        return status;
    }
    box bounds = common_box(p, largest, sample);
    *grid = make_grid(&bounds, query->sphere_count);
    *pays = true;
    if (sorts_always) {
        return ABUT_OK;
    }
    *pays = !is_in_order(grid, query);
    return *pays ? find_share(p, sample, pays) : ABUT_OK;
}

/* ---- sorting ---- */

/* Find the cells of spheres, and make their locations ready. */
static void fill_cells(void *context, abut_index begin, abut_index end, uint16_t *cells)
{
    const sorting *s = context;
    memset(s->order->locations + begin, 0, (size_t)(end - begin) * sizeof *s->order->locations);
    for (abut_index i = begin; i < end; i++) {
        cells[i - begin] = (uint16_t)find_cell(&s->grid, s->query->centers + 3 * i);
    }
}

static abut_status sort_spheres(sorting *s)
{
    const abut_query *query = s->query;
    sphere_order *order = s->order;
    const sort_task task = {.count = query->sphere_count,
                            .key_count = cell_count(&s->grid),
                            .fill = fill_cells,
                            .context = s,
                            .workers = query->workers,
                            .interrupted = query->interrupted,
                            .interrupted_data = query->interrupted_data};
    order->locations = memory_reserve(&order->location_block, task.count, sizeof *order->locations);
    if (!order->locations) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = sort_by_key(&order->sorted, &task);
    order->spheres = order->sorted.items;
    return status;
}

abut_status order_choose(sphere_order *order, const abut_query *query, const placement *p,
                         double largest, batch *sample)
{
    sorting s = {.order = order, .query = query};
    order->is_by_place = false;
    if (query->sphere_count < (sorts_always ? 2 : WINDOW_SPHERES) ||
        query->sphere_count > INT32_MAX) {
        return ABUT_OK;
    }
    bool pays;
    abut_status status = ask_model(query, p, largest, sample, &pays, &s.grid);
    if (!status && pays) {
        status = sort_spheres(&s);
        order->is_by_place = !status;
    }
    return status;
}
