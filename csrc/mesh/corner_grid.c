/* The corners of an outline in the cells of a grid. */
#include "corner_grid.h"

#include <string.h>

#include "../base/sort.h"

/* Areas are sums of some products of lengths, each rounded to 2^-53 of the square of the outline's
 * extent: this is far more. */
#define AREA_ROUNDING 0x1p-44

/* ---- filling ---- */

/* Two unit vectors that are perpendicular to a unit normal and to each other, right-handed. */
static void set_axes(corner_grid *g, vec3 normal)
{
    const double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    const vec3 least = x <= y && x <= z ? (vec3){1.0, 0.0, 0.0}
                       : y <= z         ? (vec3){0.0, 1.0, 0.0}
                                        : (vec3){0.0, 0.0, 1.0};
    const vec3 across = vec3_cross(normal, least);
    g->axes[0] = vec3_scale(across, 1.0 / sqrt(vec3_norm_sq(across)));
    g->axes[1] = vec3_cross(normal, g->axes[0]);
}

/* Find where corners are in the plane, and choose cells so that there are about as many of them. */
static void set_places(corner_grid *g, const vec3 *corners, abut_index count)
{
    double high[2] = {-INFINITY, -INFINITY};
    g->low[0] = g->low[1] = INFINITY;
    for (abut_index i = 0; i < count; i++) {
        const vec3 from = vec3_sub(corners[i], g->origin);
        for (int axis = 0; axis < 2; axis++) {
            const double at = vec3_dot(g->axes[axis], from);
            g->places[i].along[axis] = at;
            g->low[axis] = at < g->low[axis] ? at : g->low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    }
    const double lengths[2] = {high[0] - g->low[0], high[1] - g->low[1]};
    const double longest = lengths[0] > lengths[1] ? lengths[0] : lengths[1];
    g->rounding = AREA_ROUNDING * longest * longest;
    for (int axis = 0; axis < 2; axis++) {
        const double share = sqrt((double)count * lengths[axis] / lengths[1 - axis]);
        const double most = (double)count;
        g->counts[axis] = share >= 1.0 ? (abut_index)(share < most ? share : most) : 1;
        g->inv_cell[axis] = lengths[axis] > 0.0 ? (double)g->counts[axis] / lengths[axis] : 0.0;
    }
}

/* The cell along an axis; what is beyond the grid is in its last one. */
static abut_index cell_along(const corner_grid *g, int axis, double at)
{
    const double cell = (at - g->low[axis]) * g->inv_cell[axis];
    const abut_index last = g->counts[axis] - 1;
    return cell > 0.0 ? (cell < (double)last ? (abut_index)cell : last) : 0;
}

static abut_index cell_of(const corner_grid *g, abut_index corner)
{
    const double *along = g->places[corner].along;
    return cell_along(g, 1, along[1]) * g->counts[0] + cell_along(g, 0, along[0]);
}

static abut_status reserve_cells(corner_grid *g, abut_index count)
{
    const abut_index cells = g->counts[0] * g->counts[1];
    g->begins = memory_reserve(&g->begin_block, cells + 1, sizeof *g->begins);
    g->lefts = memory_reserve(&g->left_block, cells, sizeof *g->lefts);
    g->corners = memory_reserve(&g->corner_block, count, sizeof *g->corners);
    g->ranks = memory_reserve(&g->rank_block, count, sizeof *g->ranks);
    if (!g->begins || !g->lefts || !g->corners || !g->ranks) {
        return ABUT_NO_MEMORY;
    }
    memset(g->begins, 0, (size_t)(cells + 1) * sizeof *g->begins);
    memset(g->lefts, 0, (size_t)cells * sizeof *g->lefts);
    return ABUT_OK;
}

abut_status corner_grid_fill(corner_grid *g, const vec3 *corners, abut_index count, vec3 normal)
{
    g->origin = corners[0];
    set_axes(g, normal);
    g->places = memory_reserve(&g->place_block, count, sizeof *g->places);
    if (!g->places) {
        return ABUT_NO_MEMORY;
    }
    set_places(g, corners, count);
    abut_status status = reserve_cells(g, count);
    if (status) {
        return status;
    }
    for (abut_index i = 0; i < count; i++) {
        g->begins[cell_of(g, i)]++;
    }
    sort_sum_up(g->begins, g->counts[0] * g->counts[1]);
    for (abut_index i = 0; i < count; i++) {
        const abut_index cell = cell_of(g, i), rank = g->begins[cell] + g->lefts[cell]++;
        g->corners[rank] = i;
        g->ranks[i] = rank;
    }
    return ABUT_OK;
}

void corner_grid_free(corner_grid *g)
{
    memory_free(g->place_block.data);
    memory_free(g->begin_block.data);
    memory_free(g->left_block.data);
    memory_free(g->corner_block.data);
    memory_free(g->rank_block.data);
    *g = (corner_grid){0};
}

/* The last corner of the cell takes the place of the one that is removed. */
void corner_grid_remove(corner_grid *g, abut_index corner)
{
    const abut_index cell = cell_of(g, corner), last = g->begins[cell] + --g->lefts[cell];
    const abut_index moved = g->corners[last], rank = g->ranks[corner];
    g->corners[rank] = moved, g->ranks[moved] = rank;
    g->corners[last] = corner, g->ranks[corner] = last;
}

/* ---- the corners in a triangle ---- */

/* A point is inside where constant + x * along[0] + y * along[1] >= 0. */
typedef struct half_plane {
    double constant, along[2];
} half_plane;

typedef struct region {
    half_plane edges[3];
    double low, high; /* along y */
    const double *middle;
} region;

static half_plane half_plane_of(const corner_grid *g, const grid_triangle *t, int k)
{
    const double *from = g->places[t->corners[k]].along;
    const double *to = g->places[t->corners[(k + 1) % 3]].along;
    half_plane edge = {.along = {from[1] - to[1], to[0] - from[0]}};
    edge.constant =
        t->slacks[k] + g->rounding - (edge.along[0] * from[0] + edge.along[1] * from[1]);
    return edge;
}

/* A point in the region is the mean of the triangle's corners, with weights that sum up to 1 and
 * are not less than -slack / area: so it is beyond them by no more than the sum of those times the
 * triangle's extent. */
static region region_of(const corner_grid *g, const grid_triangle *t)
{
    region r = {.low = INFINITY, .high = -INFINITY, .middle = g->places[t->corners[1]].along};
    double slack = 0.0;
    for (int k = 0; k < 3; k++) {
        const double y = g->places[t->corners[k]].along[1];
        r.edges[k] = half_plane_of(g, t, k);
        r.low = y < r.low ? y : r.low;
        r.high = y > r.high ? y : r.high;
        slack += t->slacks[k] + g->rounding;
    }
    const double *x = r.edges[0].along, *y = r.edges[1].along;
    const double area = x[0] * y[1] - x[1] * y[0]; /* twice */
    const double beyond = area > slack ? slack / area * (r.high - r.low) : (double)INFINITY;
    r.low -= beyond, r.high += beyond;
    return r;
}

/* Some rows, or cells of a row, that follow one another: which are looked at from the one in the
 * middle on, and then from the first. */
typedef struct cell_span {
    abut_index first, count, middle;
} cell_span;

static const cell_span EMPTY_SPAN = {0, 0, 0};

/* The span from one place to another, with a place to begin from, which may be between them. */
static cell_span span_along(const corner_grid *g, int axis, double low, double high, double place)
{
    const abut_index first = cell_along(g, axis, low), last = cell_along(g, axis, high);
    const abut_index at = cell_along(g, axis, place), middle = at < first ? first : at;
    return (cell_span){first, last - first + 1, middle < last ? middle : last};
}

static abut_index span_cell(const cell_span *span, abut_index k)
{
    const abut_index cell = span->middle + k, end = span->first + span->count;
    return cell < end ? cell : cell - span->count;
}

/* Cells of a row that the region reaches. */
static cell_span span_of_row(const corner_grid *g, const region *r, abut_index row)
{
    const double cell = g->inv_cell[1] > 0.0 ? 1.0 / g->inv_cell[1] : 0.0;
    /* what rounding may move between rows is in both */
    const double bottom = g->low[1] + cell * ((double)row - 0.01);
    const double top = g->low[1] + cell * ((double)row + 1.01);
    double low = -INFINITY, high = INFINITY;
    for (int k = 0; k < 3; k++) {
        const half_plane *edge = &r->edges[k];
        const double y = edge->along[1] > 0.0 ? top : bottom, x = edge->along[0];
        const double most = edge->constant + edge->along[1] * y;
        const double limit = -most / x;
        if (x == 0.0 && most < 0.0) {
            return EMPTY_SPAN;
        }
        low = x > 0.0 && limit > low ? limit : low;
        high = x < 0.0 && limit < high ? limit : high;
    }
    return low <= high ? span_along(g, 0, low, high, r->middle[0]) : EMPTY_SPAN;
}

/* Visit the corners of a cell. Returns how many were visited; *is_enough where the visitor said
 * so. */
static abut_index visit_cell(const corner_grid *g, abut_index cell, corner_visitor visitor,
                             void *context, bool *is_enough)
{
    const abut_index *corners = g->corners + g->begins[cell];
    for (abut_index k = 0; k < g->lefts[cell]; k++) {
        if (visitor(context, corners[k])) {
            *is_enough = true;
            return k;
        }
    }
    return g->lefts[cell];
}

abut_index corner_grid_visit(const corner_grid *g, const grid_triangle *t, corner_visitor visitor,
                             void *context)
{
    const region r = region_of(g, t);
    const cell_span rows = span_along(g, 1, r.low, r.high, r.middle[1]);
    abut_index work = rows.count;
    bool is_enough = false;
    for (abut_index k = 0; !is_enough && k < rows.count; k++) {
        const abut_index row = span_cell(&rows, k);
        const cell_span cells = span_of_row(g, &r, row);
        work += cells.count;
        for (abut_index m = 0; !is_enough && m < cells.count; m++) {
            const abut_index cell = row * g->counts[0] + span_cell(&cells, m);
            work += visit_cell(g, cell, visitor, context, &is_enough);
        }
    }
    return work;
}
