/* Matching contacts of which one sphere has many: n log n steps instead of n squared, for the same
 * matches.
 *
 * A contact may continue those whose normal is about its own, and those that have a node in common
 * with it. The first are found by one tree of points and normals, the others by a tree of points
 * for each node. */
#include "crowd.h"

#include "../base/nearest.h"
#include "../base/sort.h"

/* Products of counts from which on trees take less time than comparing all. */
#define CROWD_PAIRS 65536.0

/* The rows of one step, and where trees have them. */
typedef struct crowd_side {
    nearest_place *places;
    nearest_trees all;     /* one tree of all rows */
    nearest_trees by_node; /* a tree for each node */
    abut_index *offsets;   /* the nodes of row k are offsets[k] ... offsets[k + 1] - 1 */
    abut_index *groups;    /* of each such node its tree */
    abut_index *entries;   /* and its entry there */
} crowd_side;

typedef struct crowd {
    crowd_side sides[2];
    row_list lists[2];
    abut_index *match;
} crowd;

/* ---- which suit each other ---- */

static double square(double x)
{
    return x * x;
}

/* Squares are summed as vec3_norm_sq does. */
static double distance_sq(const double a[3], const double b[3])
{
    return square(a[0] - b[0]) + square(a[1] - b[1]) + square(a[2] - b[2]);
}

static double beyond(double x, double low, double high)
{
    return x < low ? low - x : x > high ? x - high : 0.0;
}

/* Not more than the distance to any point of the box, since rounding keeps the order. */
static double distance_to_box_sq(const double at[3], const double low[3], const double high[3])
{
    return square(beyond(at[0], low[0], high[0])) + square(beyond(at[1], low[1], high[1])) +
           square(beyond(at[2], low[2], high[2]));
}

static double key_of_points(const nearest_place *a, const nearest_place *b)
{
    return distance_sq(a->at, b->at);
}

static double bound_of_points(const nearest_place *one, const nearest_box *others)
{
    return distance_to_box_sq(one->at, others->low, others->high);
}

/* `limit` is the square of the chord, `other` the tilt: the larger tilt counts. */
static double key_of_normals(const nearest_place *a, const nearest_place *b)
{
    const double limit = a->other >= b->other ? a->limit : b->limit;
    return distance_sq(a->at + 3, b->at + 3) <= limit ? distance_sq(a->at, b->at) : INFINITY;
}

static double bound_of_normals(const nearest_place *one, const nearest_box *others)
{
    const double limit = one->limit > others->limit ? one->limit : others->limit;
    const double apart = distance_to_box_sq(one->at + 3, others->low + 3, others->high + 3);
    return apart <= limit ? distance_to_box_sq(one->at, others->low, others->high) : INFINITY;
}

static const nearest_rule BY_POINTS = {key_of_points, bound_of_points};
static const nearest_rule BY_NORMALS = {key_of_normals, bound_of_normals};

static nearest_item find(void *context, int side, abut_index item)
{
    const crowd *c = context;
    const crowd_side *own = &c->sides[side], *other = &c->sides[1 - side];
    const nearest_place *place = &own->places[item];
    nearest_item best = NEAREST_NONE;
    for (abut_index k = own->offsets[item]; k < own->offsets[item + 1]; k++) {
        best = nearest_find(&other->by_node, own->groups[k], &BY_POINTS, place, best);
    }
    return nearest_find(&other->all, 0, &BY_NORMALS, place, best);
}

static void remove_row(crowd_side *side, abut_index item)
{
    nearest_remove(&side->all, 0, item);
    for (abut_index k = side->offsets[item]; k < side->offsets[item + 1]; k++) {
        nearest_remove(&side->by_node, side->groups[k], side->entries[k]);
    }
}

static void take(void *context, abut_index now, abut_index before)
{
    crowd *c = context;
    remove_row(&c->sides[0], now);
    remove_row(&c->sides[1], before);
    c->match[c->lists[0].rows[now].row] = c->lists[1].rows[before].row;
}

/* ---- places ---- */

static bool is_in_bounds(vec3 v)
{
    const double most = ABUT_COORDINATE_LIMIT;
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

static bool has_sound_numbers(row_list list)
{
    for (abut_index k = 0; k < list.count; k++) {
        const sphere_row *row = &list.rows[k];
        if (!is_in_bounds(row->point) || !is_in_bounds(row->normal) || isnan(row->tilt)) {
            return false;
        }
    }
    return true;
}

bool crowd_is_one(row_list now, row_list before)
{
    return (double)now.count * (double)before.count > CROWD_PAIRS && has_sound_numbers(now) &&
           has_sound_numbers(before);
}

static nearest_place place_of(const sphere_row *row)
{
    nearest_place place = {.limit = row->chord * row->chord, .other = row->tilt};
    vec3_store(place.at, row->point);
    vec3_store(place.at + 3, row->normal);
    return place;
}

/* One tree of all rows. */
static abut_status plant_all(crowd_side *side, row_list list)
{
    const abut_index offsets[2] = {0, list.count};
    abut_index *items = memory_alloc(list.count, sizeof *items);
    side->places = memory_alloc(list.count, sizeof *side->places);
    abut_status status = items && side->places ? ABUT_OK : ABUT_NO_MEMORY;
    for (abut_index k = 0; !status && k < list.count; k++) {
        items[k] = k;
        side->places[k] = place_of(&list.rows[k]);
    }
    status = status ? status : nearest_build(&side->all, side->places, 1, offsets, items);
    memory_free(items);
    return status;
}

/* ---- nodes ---- */

/* A node of a row, of either step. Nodes are numbered inside their mesh. */
typedef struct row_node {
    abut_index mesh, node, item;
} row_node;

/* All nodes of both steps, and their order by mesh and node. */
typedef struct node_list {
    row_node *nodes; /* of now, then of before */
    abut_index *order, *room;
    abut_index counts[2];
    abut_index *group_offsets[2]; /* group_count + 1: which entries each tree has */
    abut_index *items[2];         /* of these entries */
    abut_index group_count;
} node_list;

static int compare_nodes(const row_node *a, const row_node *b)
{
    if (a->mesh != b->mesh) {
        return a->mesh < b->mesh ? -1 : 1;
    }
    return a->node == b->node ? 0 : a->node < b->node ? -1 : 1;
}

static bool is_before(const void *context, abut_index a, abut_index b)
{
    const row_node *nodes = context;
    return compare_nodes(&nodes[a], &nodes[b]) < 0;
}

static row_span nodes_of(const abut_step *step, abut_index row)
{
    return span_at(step->node_offsets, row, step->node_count);
}

/* Where the nodes of each row begin, as they are now: they are read once. */
static abut_status count_nodes(crowd_side *side, const abut_step *step, row_list list)
{
    side->offsets = memory_alloc(list.count + 1, sizeof *side->offsets);
    if (!side->offsets) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < list.count; k++) {
        side->offsets[k] = nodes_of(step, list.rows[k].row).count;
    }
    sort_sum_up(side->offsets, list.count);
    const abut_index count = side->offsets[list.count];
    side->groups = memory_alloc(count, sizeof *side->groups);
    side->entries = memory_alloc(count, sizeof *side->entries);
    return side->groups && side->entries ? ABUT_OK : ABUT_NO_MEMORY;
}

static void read_nodes(const crowd_side *side, const abut_step *step, row_list list,
                       row_node *nodes)
{
    for (abut_index k = 0; k < list.count; k++) {
        const row_span span = nodes_of(step, list.rows[k].row);
        const abut_index begin = side->offsets[k], room = side->offsets[k + 1] - begin;
        for (abut_index n = 0; n < room; n++) {
            /* a row that has lost its nodes since they were counted has none in common */
            const abut_index node = n < span.count ? step->node[span.first + n] : -1 - k;
            nodes[begin + n] = (row_node){list.rows[k].mesh, node, k};
        }
    }
}

/* Nodes that are equal are a group, with a tree in either step, which may be empty. */
static void group_nodes(node_list *list, crowd_side sides[2])
{
    abut_index next[2] = {0, 0}, group = -1;
    for (abut_index k = 0; k < list->counts[0] + list->counts[1]; k++) {
        const abut_index n = list->order[k];
        const int s = n >= list->counts[0];
        if (k == 0 || compare_nodes(&list->nodes[list->order[k - 1]], &list->nodes[n]) != 0) {
            group++;
            list->group_offsets[0][group] = next[0], list->group_offsets[1][group] = next[1];
        }
        const abut_index own = n - (s ? list->counts[0] : 0);
        sides[s].groups[own] = group;
        sides[s].entries[own] = next[s];
        list->items[s][next[s]++] = list->nodes[n].item;
    }
    list->group_count = group + 1;
    for (int s = 0; s < 2; s++) {
        list->group_offsets[s][list->group_count] = next[s];
    }
}

static bool make_list(node_list *list, const crowd_side sides[2], const row_list rows[2])
{
    for (int s = 0; s < 2; s++) {
        list->counts[s] = sides[s].offsets[rows[s].count];
    }
    const abut_index count = list->counts[0] + list->counts[1];
    list->nodes = memory_alloc(count, sizeof *list->nodes);
    list->order = memory_alloc(count, sizeof *list->order);
    list->room = memory_alloc(count, sizeof *list->room);
    bool has_room = list->nodes && list->order && list->room;
    for (int s = 0; s < 2; s++) {
        list->group_offsets[s] = memory_alloc(count + 1, sizeof **list->group_offsets);
        list->items[s] = memory_alloc(list->counts[s], sizeof **list->items);
        has_room = has_room && list->group_offsets[s] && list->items[s];
    }
    return has_room;
}

static void free_list(node_list *list)
{
    memory_free(list->nodes), memory_free(list->order), memory_free(list->room);
    for (int s = 0; s < 2; s++) {
        memory_free(list->group_offsets[s]), memory_free(list->items[s]);
    }
}

/* A tree for each node. */
static abut_status plant_nodes(crowd *c, const abut_step *const steps[2])
{
    node_list list = {0};
    if (!make_list(&list, c->sides, c->lists)) {
        free_list(&list);
        return ABUT_NO_MEMORY;
    }
    read_nodes(&c->sides[0], steps[0], c->lists[0], list.nodes);
    read_nodes(&c->sides[1], steps[1], c->lists[1], list.nodes + list.counts[0]);
    for (abut_index k = 0; k < list.counts[0] + list.counts[1]; k++) {
        list.order[k] = k;
    }
    sort_by_merging(list.order, list.room, list.counts[0] + list.counts[1], is_before, list.nodes);
    group_nodes(&list, c->sides);
    abut_status status = ABUT_OK;
    for (int s = 0; !status && s < 2; s++) {
        status = nearest_build(&c->sides[s].by_node, c->sides[s].places, list.group_count,
                               list.group_offsets[s], list.items[s]);
    }
    free_list(&list);
    return status;
}

/* ---- partners ---- */

static bool is_mesh_before(const void *context, abut_index a, abut_index b)
{
    const sphere_row *rows = context;
    return rows[a].mesh < rows[b].mesh;
}

/* The first in the order of meshes whose mesh is not before this one; equal ones ascend. */
static abut_index first_of_mesh(row_list list, const abut_index *order, abut_index mesh)
{
    abut_index begin = 0, end = list.count;
    while (begin < end) {
        const abut_index middle = begin + (end - begin) / 2;
        const bool is_before = list.rows[order[middle]].mesh < mesh;
        begin = is_before ? middle + 1 : begin;
        end = is_before ? end : middle;
    }
    const bool is_there = begin < list.count && list.rows[order[begin]].mesh == mesh;
    return is_there ? order[begin] : -1;
}

abut_status crowd_find_first(row_list now, row_list before)
{
    abut_index *order = memory_alloc(2 * now.count, sizeof *order);
    if (!order) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < now.count; k++) {
        order[k] = k;
    }
    sort_by_merging(order, order + now.count, now.count, is_mesh_before, now.rows);
    for (abut_index k = 0; k < before.count; k++) {
        before.rows[k].partner = first_of_mesh(now, order, before.rows[k].mesh);
    }
    memory_free(order);
    return ABUT_OK;
}

/* ---- one sphere ---- */

static void free_side(crowd_side *side)
{
    memory_free(side->places), memory_free(side->offsets);
    memory_free(side->groups), memory_free(side->entries);
    nearest_free(&side->all), nearest_free(&side->by_node);
}

abut_status crowd_match(const abut_step *const steps[2], const row_list lists[2], abut_index *match,
                        parallel_job *job)
{
    crowd c = {.lists = {lists[0], lists[1]}, .match = match};
    abut_status status = ABUT_OK;
    for (int s = 0; !status && s < 2; s++) {
        status = plant_all(&c.sides[s], c.lists[s]);
        status = status ? status : count_nodes(&c.sides[s], steps[s], c.lists[s]);
    }
    status = status ? status : plant_nodes(&c, steps);
    if (!status) {
        const nearest_match all = {{lists[0].count, lists[1].count}, &c, find, take};
        status = nearest_match_all(&all, job);
    }
    free_side(&c.sides[0]), free_side(&c.sides[1]);
    return status;
}
