/* The order in which spheres are searched. */
#include "search_order.h"

#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/prefetch.h"
#include "../mesh/mesh_data.h"
#include "contact_finder.h"

/* With fewer spheres for each triangle, a sphere rarely needs a triangle that an earlier sphere has
 * read. */
#define SPHERES_PER_TRIANGLE 0.25

/* Spheres are in order if windows of WINDOW_SPHERES consecutive spheres are in at most
 * COHERENT_CELLS cells each, in the mean of WINDOWS windows. */
enum { WINDOWS = 16, WINDOW_SPHERES = 64, COHERENT_CELLS = WINDOW_SPHERES / 4 };

/* A cell near facets should have enough spheres for some batches. With more cells than GRID_LIMIT,
 * sorting would write to more cache lines than the second cache has. */
enum { SPHERES_PER_CELL = BATCH_SPHERES / 2, GRID_LIMIT = SORT_KEY_LIMIT };

/* Cells of a box, row by row. Spheres outside belong to cells at the border. */
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
    memory_free(order->center_block.data);
    memory_free(order->radius_block.data);
    *order = (sphere_order){0};
}

/* ---- the grid ---- */

static int32_t cell_count(const cell_grid *grid)
{
    return grid->counts[0] * grid->counts[1] * grid->counts[2];
}

/* Some spheres from all over the query. */
typedef struct sample_rows {
    double centers[3 * BATCH_SPHERES];
    abut_index count;
} sample_rows;

/* The part of space with both meshes and spheres of the sample. */
static box common_box(const scene *s, double largest, const sample_rows *sample)
{
    box spheres = box_empty(), meshes = box_empty();
    for (abut_index i = 0; i < sample->count; i++) {
        box_include_point(&spheres, vec3_load(sample->centers + 3 * i));
    }
    for (abut_index k = 0; k < s->mesh_count; k++) {
        box_include(&meshes, &s->meshes[k].bounds);
    }
    for (int axis = 0; axis < 3 && !s->lattice.is_periodic; axis++) {
        double low = meshes.low[axis] - largest, high = meshes.high[axis] + largest;
        spheres.low[axis] = low > spheres.low[axis] ? low : spheres.low[axis];
        spheres.high[axis] = high < spheres.high[axis] ? high : spheres.high[axis];
    }
    return spheres;
}

/* Makes cells that are about cubes: halves the longest axis until there are enough. */
static cell_grid make_grid(const box *bounds, abut_index sphere_count, bool is_fine)
{
    cell_grid grid = {.counts = {1, 1, 1}};
    abut_index wanted = sphere_count / SPHERES_PER_CELL;
    wanted = sorts_always || is_fine || wanted > GRID_LIMIT ? GRID_LIMIT : wanted;
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

/* The cell of a center; cell 0 if a coordinate is no number, which the search reports. */
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

/* ---- whether sorting saves time ---- */

/* Whether there are enough spheres and triangles for the order to matter. With many meshes it
 * always does: the views of a batch are those near its spheres. */
static bool is_large(const abut_query *query, const scene *s)
{
    abut_index triangles = 0;
    for (abut_index k = 0; k < s->mesh_count; k++) {
        const abut_mesh *mesh = s->meshes[k].binned->mesh;
        triangles += mesh->fans[mesh->view.facet_count];
    }
    return s->has_many || (triangles > CACHED_TRIANGLES &&
                           (double)query->sphere_count > SPHERES_PER_TRIANGLE * (double)triangles);
}

/* Takes spheres from all over the query. Returns false if one of them is invalid. */
static bool take_sample(const abut_query *query, sample_rows *sample)
{
    bool are_good = true;
    sample->count = query->sphere_count < BATCH_SPHERES ? query->sphere_count : BATCH_SPHERES;
    for (abut_index k = 0; k < sample->count; k++) {
        const double part = (double)k / (double)sample->count;
        const abut_index i = (abut_index)(part * (double)query->sphere_count);
        for (int axis = 0; axis < 3; axis++) {
            const double x = query->centers[3 * i + axis];
            are_good &= fabs(x) <= ABUT_COORDINATE_LIMIT;
            sample->centers[3 * k + axis] = x;
        }
    }
    return are_good;
}

/* The number of cells with spheres of a window. */
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
static bool ask_model(const abut_query *query, const scene *s, double largest, cell_grid *grid)
{
    sample_rows sample;
    /* the search reports an invalid sphere */
    if ((!sorts_always && !is_large(query, s)) || !take_sample(query, &sample)) {
        return false;
    }
    const box bounds = common_box(s, largest, &sample);
    *grid = make_grid(&bounds, query->sphere_count, s->has_many);
    return sorts_always || !is_in_order(grid, query);
}

/* ---- sorting ---- */

/* Finds the cells of spheres, and clears their locations. */
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

/* The number of spheres that are copied together, and of reads under way at the same time. */
enum { COPIED_AT_ONCE = 4096, FETCHED_AHEAD = 16 };

typedef struct copying {
    const int32_t *spheres;
    const abut_query *query;
    double *centers, *radii;
} copying;

static void fetch_sphere(const abut_query *query, abut_index sphere)
{
    const double *center = query->centers + 3 * sphere;
    PREFETCH(center);
    PREFETCH((const char *)(center + 3) - 1);
    PREFETCH(query->radii + sphere);
}

static abut_status copy_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const copying *c = context;
    const abut_index begin = chunk * COPIED_AT_ONCE;
    const abut_index end = parallel_chunk_end(begin, COPIED_AT_ONCE, c->query->sphere_count);
    for (abut_index i = begin; i < end; i++) {
        const abut_index sphere = c->spheres[i];
        if (i + FETCHED_AHEAD < end) {
            fetch_sphere(c->query, c->spheres[i + FETCHED_AHEAD]);
        }
        memcpy(c->centers + 3 * i, c->query->centers + 3 * sphere, 3 * sizeof *c->centers);
        c->radii[i] = c->query->radii[sphere];
    }
    return parallel_report(job, end - begin);
}

/* Copies the spheres in the order of search. */
static abut_status copy_rows(sphere_order *order, const abut_query *query)
{
    const abut_index count = query->sphere_count;
    double *centers = memory_reserve(&order->center_block, 3 * count, sizeof *centers);
    double *radii = memory_reserve(&order->radius_block, count, sizeof *radii);
    if (!centers || !radii) {
        return ABUT_NO_MEMORY;
    }
    copying c = {order->spheres, query, centers, radii};
    order->rows = (sphere_rows){centers, radii, query->gap};
    const parallel_plan plan =
        query_plan(query, parallel_chunk_count(count, COPIED_AT_ONCE), count);
    return parallel_run(&plan, copy_chunk, &c);
}

void order_keep(sphere_order *order, const abut_query *query)
{
    order->rows = (sphere_rows){query->centers, query->radii, query->gap};
    order->is_by_place = false;
}

abut_status order_choose(sphere_order *order, const abut_query *query, const scene *s,
                         double largest)
{
    sorting task = {.order = order, .query = query};
    order_keep(order, query);
    if (query->sphere_count < (sorts_always ? 2 : WINDOW_SPHERES) ||
        query->sphere_count > INT32_MAX) {
        return ABUT_OK;
    }
    if (!ask_model(query, s, largest, &task.grid)) {
        return ABUT_OK;
    }
    const abut_status status = sort_spheres(&task);
    order->is_by_place = !status;
    return status ? status : copy_rows(order, query);
}
