/* Finds spheres and outlines of bodies that are near walls, and the facets near them. This is one
 * query with enlarged radii, at the places where the neighbor list was made. The enlarged radii
 * include the allowances of spheres and of walls. */
#include "near_walls.h"

#include <string.h>

#include "../base/error.h"
#include "../base/pose.h"
#include "../base/span.h"
#include "../bins/sets.h"
#include "../mesh/mesh_data.h"
#include "../walls/facet_list.h"
#include "../walls/contact_finder.h"

/* The factor by which walls may become faster than in the last step. */
#define WALL_SPEED 1.1

/* The largest allowance of walls, divided by the mean radius plus the gap to walls. With larger
 * allowances too many spheres would be near. */
#define MOST_ALLOWANCE 0.5

/* If more than this part of the spheres is near, and facets are not listed, the list saves nothing.
 * Then all spheres are searched. */
#define MOST_NEAR 0.8

/* The largest mean number of facets per near sphere in a list. With more of them, bins are
 * faster. */
enum { MOST_TRIANGLES = 16 };

/* If walls are so fast that a list is valid for fewer steps, it saves nothing. */
enum { FEWEST_STEPS = 3 };

/* ---- motion of walls ---- */

static vec3 corner_of(const box *b, int corner)
{
    return (vec3){corner & 1 ? b->high[0] : b->low[0], corner & 2 ? b->high[1] : b->low[1],
                  corner & 4 ? b->high[2] : b->low[2]};
}

/* The largest displacement of a point of a box by a change of its pose. Displacements are linear in
 * the point, so a corner has the largest one. */
static double displacement_in_box(const box *b, const pose poses[2], vec3 (*go)(const pose *, vec3))
{
    double farthest = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        const vec3 at = corner_of(b, corner);
        farthest = larger(farthest, vec3_length(vec3_sub(go(&poses[1], at), go(&poses[0], at))));
    }
    return farthest;
}

/* The largest displacement of walls since these poses. For a mesh it is that of its points in the
 * world. For a half space it is that of the points of `region` in its frame. The height of a center
 * above the half space changes by no more. */
static double largest_displacement(const near_walls *n, const wall_scene *w, const double *poses)
{
    double farthest = 0.0;
    for (abut_index k = 0; k < w->wall_count; k++) {
        if (memcmp(poses + 16 * k, w->poses + 16 * k, 16 * sizeof *poses) == 0) {
            continue;
        }
        const pose both[2] = {pose_load(poses + 16 * k), pose_load(w->poses + 16 * k)};
        const double way =
            k < w->finder->mesh_count
                ? displacement_in_box(&w->finder->meshes[k].bounds, both, pose_to_world)
                : displacement_in_box(&n->region, both, pose_to_mesh);
        farthest = larger(farthest, way);
    }
    return farthest;
}

static abut_index count_vertices(const wall_scene *w)
{
    abut_index sum = 0;
    for (abut_index k = 0; w->deforming && k < w->finder->mesh_count; k++) {
        sum += w->deforming[k].vertex_count;
    }
    return sum;
}

/* The largest displacement of vertices. from: earlier positions of the vertices of all surfaces;
 * NULL: those of the last step. */
static double largest_vertex_displacement(const wall_scene *w, const double *from)
{
    double farthest = 0.0;
    for (abut_index k = 0; w->deforming && k < w->finder->mesh_count; k++) {
        const deforming_mesh *of = &w->deforming[k];
        if (of->vertex_count > 0) {
            const double *before = from ? from : of->before;
            farthest = larger(farthest, deforming_displacement(w->finder->meshes[k].mesh, before));
            from = from ? from + 3 * of->vertex_count : NULL;
        }
    }
    return farthest;
}

static void keep_vertices(near_walls *n, const wall_scene *w)
{
    double *to = n->vertices;
    for (abut_index k = 0; w->deforming && k < w->finder->mesh_count; k++) {
        const size_t numbers = 3 * (size_t)w->deforming[k].vertex_count;
        if (numbers > 0) {
            memcpy(to, w->finder->meshes[k].mesh->vertices, numbers * sizeof *to);
        }
        to += numbers;
    }
}

/* ---- making ---- */

/* Whether only near spheres are searched. */
static bool has_near_spheres(const near_walls *n)
{
    return n->is_made && !n->is_of_all;
}

static void *reserve(near_walls *n, int block, abut_index count, size_t size)
{
    return memory_reserve(&n->blocks[block], count, size);
}

/* The distance of a center from walls up to which they may touch: for a sphere its radius plus the
 * gap, for an outline its radius times `wall_reach`. */
static double reach_of(const neighbor_spheres *s, abut_index k)
{
    const neighbor_outlines *of = &s->outlines;
    return k < s->count ? s->radii[k] + s->wall_gap : of->wall_reach * of->radii[k - s->count];
}

/* The distance that walls may move while the neighbor list is valid. */
static double choose_allowance(const near_walls *n, const neighbor_list *l,
                               const neighbor_spheres *s, const wall_scene *w)
{
    const double way = WALL_SPEED * larger(largest_displacement(n, w, w->poses_before),
                                           largest_vertex_displacement(w, NULL));
    return smaller(l->horizon * way, MOST_ALLOWANCE * (l->pace.mean_radius + s->wall_gap));
}

/* The part of the allowance that walls may use. The rest is a margin for rounding errors. */
static double usable(const near_walls *n, const wall_scene *w, double allowance)
{
    double far = box_farthest(&n->region);
    for (abut_index k = 0; k < w->wall_count; k++) {
        const pose at = pose_load(w->poses + 16 * k);
        const bool is_mesh = k < w->finder->mesh_count;
        const double extent = is_mesh ? box_farthest(&w->finder->meshes[k].bounds) : 0.0;
        far = larger(far, extent + vec3_max_abs(at.shift));
    }
    return larger(allowance - LIST_ROUNDING * (allowance + far), 0.0);
}

/* Spheres per task. */
enum { STRETCH = 1024 };

/* The search for near spheres from place `first` on, and for near outlines. */
typedef struct near_search {
    near_walls *near;
    const neighbor_list *list;
    const neighbor_spheres *spheres;
    const wall_scene *walls;
    abut_index first;
    double wall_allowance;
} near_search;

static abut_index searched_count(const near_search *q)
{
    return neighbor_count(q->spheres) - q->first;
}

/* Stores the near spheres and bodies that the query has found, and the facets near spheres. */
static abut_status store_near(const near_search *q, const abut_columns *found)
{
    near_walls *n = q->near;
    const neighbor_spheres *s = q->spheres;
    const abut_index before = n->count, spheres = s->count - q->first;
    for (abut_index k = 0; k < spheres; k++) {
        n->spheres[n->count] = (int32_t)(q->first + k);
        n->count += found->offsets[k + 1] > found->offsets[k];
    }
    n->body_count = 0;
    for (abut_index k = 0; k < s->outlines.count; k++) {
        const abut_index *offsets = found->offsets + spheres + k;
        n->bodies[n->body_count] = k;
        n->body_count += offsets[1] > offsets[0];
    }
    n->has_facets &= found->offsets[spheres] <= MOST_TRIANGLES * (n->count - before);
    n->is_of_all = !n->has_facets && (double)n->count > MOST_NEAR * (double)s->count;
    return n->has_facets ? facet_list_add(&n->facets, q->walls->finder, spheres, found) : ABUT_OK;
}

/* Reads the contacts of the query, and stores the near spheres, bodies and facets. */
static abut_status read_near(const near_search *q, const abut_contacts *found)
{
    near_walls *n = q->near;
    const abut_index rows = abut_contacts_count(found);
    n->offsets = reserve(n, 4, neighbor_count(q->spheres) + 1, sizeof *n->offsets);
    const abut_columns columns = {.offsets = n->offsets,
                                  .mesh = memory_alloc_zeroed(rows, sizeof(abut_index)),
                                  .facet = memory_alloc(rows, sizeof(abut_index))};
    abut_status status = ABUT_NO_MEMORY;
    if (columns.offsets && columns.mesh && columns.facet) {
        abut_contacts_write(found, &columns);
        status = store_near(q, &columns);
    }
    memory_free(columns.mesh);
    memory_free(columns.facet);
    return status;
}

/* Writes places and enlarged radii behind those of spheres that are near already. */
static void place_stretch(void *context, abut_index begin, abut_index end)
{
    const near_search *q = context;
    const near_walls *n = q->near;
    for (abut_index k = begin; k < end; k++) {
        const abut_index sphere = q->first + k, at = n->count + k;
        memcpy(n->centers + 3 * at, q->list->anchors[sphere].place, 3 * sizeof *n->centers);
        n->radii[at] =
            reach_of(q->spheres, sphere) + 0.5 * q->list->gaps[sphere] + q->wall_allowance;
    }
}

static abut_status find_near(near_search *q, const parallel_plan *plan, abut_error *error)
{
    near_walls *n = q->near;
    const wall_scene *w = q->walls;
    const abut_index count = searched_count(q);
    abut_contacts *found = NULL;
    abut_query query = abut_query_default();
    parallel_loop(plan->workers, count, STRETCH, count, place_stretch, q);
    query.sphere_count = count;
    query.centers = n->centers + 3 * n->count, query.radii = n->radii + n->count;
    query.half_space_count = w->wall_count - w->finder->mesh_count;
    query.half_spaces = w->half_spaces;
    query.poses = w->poses;
    query.resolution = ABUT_ALL;
    query.period = lattice_vectors(q->spheres->lattice);
    query.workers = plan->workers;
    query.interrupted = plan->interrupted, query.interrupted_data = plan->interrupted_data;
    abut_status status = abut_contacts_find(w->finder, &query, &found, error);
    if (!status) {
        status = error_set_status(error, read_near(q, found));
    } else if (status != ABUT_NO_MEMORY && status != ABUT_INTERRUPTED) {
        n->is_of_all = true; /* the allowances may be too large for a search */
        status = error_set_status(error, ABUT_OK);
    }
    abut_contacts_free(found);
    n->is_made = !status;
    n->sphere_count = q->spheres->count;
    return status;
}

/* Reserves memory behind the spheres that are near already. Returns whether there is memory. */
static bool make_room(near_search *q, neighbor_room room)
{
    near_walls *n = q->near;
    const abut_index count = n->count + searched_count(q);
    n->spheres = room(&n->blocks[1], q->spheres->count + 1, sizeof *n->spheres);
    n->centers = room(&n->blocks[2], count, 3 * sizeof *n->centers);
    n->radii = room(&n->blocks[3], count, sizeof *n->radii);
    return n->spheres && n->centers && n->radii;
}

static abut_status make(near_search *q, const parallel_plan *plan, abut_error *error)
{
    near_walls *n = q->near;
    const neighbor_spheres *s = q->spheres;
    const wall_scene *w = q->walls;
    const size_t poses = 16 * (size_t)w->wall_count;
    n->is_made = false;
    n->count = 0;
    n->poses = reserve(n, 0, (abut_index)poses, sizeof *n->poses);
    n->bodies = reserve(n, 5, s->outlines.count + 1, sizeof *n->bodies);
    n->vertices = reserve(n, 6, 3 * count_vertices(w), sizeof *n->vertices);
    if (!n->vertices || !n->poses || !n->bodies || !make_room(q, memory_reserve)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    memcpy(n->poses, w->poses, poses * sizeof *n->poses);
    keep_vertices(n, w);
    n->region = q->list->region;
    n->searched = q->wall_allowance = choose_allowance(n, q->list, s, w);
    n->allowance = usable(n, w, n->searched);
    n->has_facets = !s->lattice->is_periodic;
    facet_list_clear(n->facets);
    return find_near(q, plan, error);
}

/* Searches new spheres near walls. Walls may have moved by their allowance already, and may move by
 * twice as much in the opposite direction. */
static abut_status extend(near_search *q, const parallel_plan *plan, abut_error *error)
{
    near_walls *n = q->near;
    n->is_made = false;
    q->first = n->sphere_count, q->wall_allowance = 2.0 * n->searched;
    if (!make_room(q, memory_extend)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    n->region = q->list->region;
    return find_near(q, plan, error);
}

void near_walls_shorten(near_walls *n, const neighbor_list *l, const int32_t *places)
{
    abut_index left = 0;
    if (!has_near_spheres(n) || n->list != neighbor_list_number(l)) {
        return;
    }
    n->sphere_count = neighbor_list_left(places, n->sphere_count);
    for (abut_index k = 0; k < n->count; k++) {
        n->spheres[k] = places[n->spheres[k]];
    }
    if (n->has_facets) {
        facet_list_shorten(n->facets, n->spheres);
    }
    for (abut_index k = 0; k < n->count; k++) {
        n->spheres[left] = n->spheres[k];
        left += n->spheres[k] >= 0;
    }
    n->count = left;
}

/* ---- each step ---- */

static void gather_stretch(void *context, abut_index begin, abut_index end)
{
    const near_search *q = context;
    const near_walls *n = q->near;
    for (abut_index k = begin; k < end; k++) {
        const abut_index place = n->spheres[k];
        memcpy(n->centers + 3 * k, q->spheres->centers + 3 * place, 3 * sizeof *n->centers);
        n->radii[k] = q->spheres->radii[place];
    }
}

/* Copies the present places and radii of near spheres. */
static void gather(near_search *q, int workers)
{
    const abut_index count = q->near->count;
    if (!q->near->is_of_all) {
        parallel_loop(workers, count, STRETCH, count / 2, gather_stretch, q);
    }
}

/* Whether the list is still valid: walls have not moved farther than their allowance. */
static bool is_valid(const near_walls *n, const neighbor_list *l, const wall_scene *w)
{
    return n->is_made && n->list == neighbor_list_number(l) &&
           (n->is_of_all || (largest_displacement(n, w, n->poses) <= n->allowance &&
                             largest_vertex_displacement(w, n->vertices) <= n->allowance));
}

abut_status near_walls_refresh(near_walls *n, const neighbor_list *l, const neighbor_spheres *s,
                               const wall_scene *w, const parallel_plan *plan, abut_error *error)
{
    near_search q = {.near = n, .list = l, .spheres = s, .walls = w};
    const bool is_of_list = n->is_made && n->list == neighbor_list_number(l);
    abut_status status = ABUT_OK;
    if (is_of_list && !n->is_of_all && n->sphere_count < s->count) {
        status = extend(&q, plan, error);
    }
    if (!status && is_valid(n, l, w)) {
        gather(&q, plan->workers);
        n->lived++;
        return ABUT_OK;
    }
    const bool is_too_fast = is_of_list && n->lived < FEWEST_STEPS && n->allowance > 0.0;
    n->made_count += is_of_list;
    n->list = neighbor_list_number(l);
    n->lived = 0;
    if (!status && (l->is_for_one_step || is_too_fast)) {
        n->is_made = n->is_of_all = true;
        return ABUT_OK;
    }
    q.first = 0;
    status = status ? status : make(&q, plan, error);
    if (!status) {
        gather(&q, plan->workers);
    }
    return status;
}

/* ---- queries ---- */

const facet_list *near_walls_narrow(const near_walls *n, abut_query *query)
{
    if (!has_near_spheres(n)) {
        return NULL;
    }
    query->sphere_count = n->count;
    query->centers = n->centers, query->radii = n->radii;
    return n->has_facets ? n->facets : NULL;
}

abut_columns near_walls_columns(const near_walls *n, const abut_columns *columns)
{
    abut_columns own = *columns;
    own.offsets = has_near_spheres(n) ? n->offsets : own.offsets;
    return own;
}

typedef struct widening {
    const near_walls *near;
    const abut_columns *columns;
} widening;

static bool is_before_place(const void *near, abut_index k, const void *place)
{
    return ((const near_walls *)near)->spheres[k] < *(const abut_index *)place;
}

static void widen(void *context, abut_index begin, abut_index end)
{
    const widening *w = context;
    const near_walls *n = w->near;
    abut_index k = span_find((row_span){0, n->count}, n, &begin, is_before_place);
    for (abut_index place = begin; place < end; place++) {
        w->columns->offsets[place] = n->offsets[k];
        if (k < n->count && n->spheres[k] == place) {
            for (abut_index row = n->offsets[k]; row < n->offsets[k + 1]; row++) {
                w->columns->sphere[row] = place;
            }
            k++;
        }
    }
}

void near_walls_widen(const near_walls *n, abut_index sphere_count, int workers,
                      const abut_columns *columns)
{
    widening w = {n, columns};
    if (has_near_spheres(n)) {
        parallel_loop(workers, sphere_count + 1, STRETCH, sphere_count / 4, widen, &w);
    }
}

const abut_index *near_walls_bodies(const near_walls *n, abut_index *count)
{
    *count = n->body_count;
    return has_near_spheres(n) ? n->bodies : NULL;
}

void near_walls_free(near_walls *n)
{
    memory_free_blocks(n->blocks, sizeof n->blocks / sizeof *n->blocks);
    facet_list_free(n->facets);
    *n = (near_walls){.is_made = false};
}

abut_index near_walls_bytes(const near_walls *n)
{
    return memory_count_bytes(n->blocks, sizeof n->blocks / sizeof *n->blocks) +
           facet_list_bytes(n->facets);
}
