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

typedef struct crowd {
    contact_list lists[2];     /* of now and of before */
    nearest_place *places[2];  /* of their rows */
    nearest_label *all[2];     /* all rows under one label */
    nearest_label *by_node[2]; /* each row under its nodes */
    abut_index *offsets[2];    /* those of row k are offsets[k] ... offsets[k + 1] - 1 */
    nearest_groups together, of_nodes;
    abut_index *match;
} crowd;

/* ---- which suit each other ---- */

static double square(double x)
{
    return x * x;
}

/* The square of a distance, summed as vec3_norm_sq does. */
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
    const nearest_place *place = &c->places[side][item];
    const abut_index *offsets = c->offsets[side];
    nearest_item best = NEAREST_NONE;
    for (abut_index k = offsets[item]; k < offsets[item + 1]; k++) {
        best = nearest_find_alike(&c->of_nodes, side, k, &BY_POINTS, place, best);
    }
    return nearest_find_alike(&c->together, side, item, &BY_NORMALS, place, best);
}

static void drop_row(crowd *c, int side, abut_index item)
{
    const abut_index *offsets = c->offsets[side];
    nearest_drop(&c->together, side, item);
    for (abut_index k = offsets[item]; k < offsets[item + 1]; k++) {
        nearest_drop(&c->of_nodes, side, k);
    }
}

static void take(void *context, abut_index now, abut_index before)
{
    crowd *c = context;
    drop_row(c, 0, now);
    drop_row(c, 1, before);
    c->match[c->lists[0].rows[now].row] = c->lists[1].rows[before].row;
}

/* ---- places ---- */

static bool is_in_bounds(vec3 v)
{
    const double most = ABUT_COORDINATE_LIMIT;
    return fabs(v.x) <= most && fabs(v.y) <= most && fabs(v.z) <= most;
}

static bool has_sound_numbers(contact_list list)
{
    for (abut_index k = 0; k < list.count; k++) {
        const contact_row *row = &list.rows[k];
        if (!is_in_bounds(row->point) || !is_in_bounds(row->normal) || isnan(row->tilt)) {
            return false;
        }
    }
    return true;
}

bool crowd_is_one(contact_list now, contact_list before)
{
    return (double)now.count * (double)before.count > CROWD_PAIRS && has_sound_numbers(now) &&
           has_sound_numbers(before);
}

static nearest_place place_of(const contact_row *row)
{
    const double chord = crowd_chord(row->tilt);
    nearest_place place = {.limit = chord * chord, .other = row->tilt};
    vec3_store(place.at, row->point);
    vec3_store(place.at + 3, row->normal);
    return place;
}

/* ---- labels ---- */

static row_span nodes_of(const abut_step *step, abut_index row)
{
    return span_at(step->node_offsets, row, step->node_count);
}

/* Count nodes, and tell where those of each row begin, as they are now: they are read once. */
static abut_index count_nodes(const abut_step *step, contact_list list, abut_index *offsets)
{
    for (abut_index k = 0; k < list.count; k++) {
        offsets[k] = nodes_of(step, list.rows[k].row).count;
    }
    sort_sum_up(offsets, list.count);
    return offsets[list.count];
}

/* Nodes are numbered inside their mesh. A row that has lost nodes since they were counted has none
 * there that any other has. */
static void label_nodes(const abut_step *step, contact_list list, const abut_index *offsets,
                        nearest_label *labels)
{
    for (abut_index k = 0; k < list.count; k++) {
        const row_span span = nodes_of(step, list.rows[k].row);
        const abut_index count = offsets[k + 1] - offsets[k];
        for (abut_index n = 0; n < count; n++) {
            const bool is_there = n < span.count;
            const abut_index node = is_there ? step->node[span.first + n] : k;
            labels[offsets[k] + n] = (nearest_label){{list.rows[k].mesh, node, !is_there}, k};
        }
    }
}

static abut_status read_side(crowd *c, int side, const abut_step *step)
{
    const contact_list list = c->lists[side];
    c->places[side] = memory_alloc(list.count, sizeof **c->places);
    c->all[side] = memory_alloc_zeroed(list.count, sizeof **c->all);
    c->offsets[side] = memory_alloc(list.count + 1, sizeof **c->offsets);
    if (!c->places[side] || !c->all[side] || !c->offsets[side]) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < list.count; k++) {
        c->places[side][k] = place_of(&list.rows[k]);
        c->all[side][k].item = k;
    }
    const abut_index count = count_nodes(step, list, c->offsets[side]);
    c->by_node[side] = memory_alloc(count, sizeof **c->by_node);
    if (!c->by_node[side]) {
        return ABUT_NO_MEMORY;
    }
    label_nodes(step, list, c->offsets[side], c->by_node[side]);
    return ABUT_OK;
}

static abut_status group(crowd *c)
{
    nearest_labels all[2], nodes[2];
    for (int s = 0; s < 2; s++) {
        const abut_index count = c->lists[s].count;
        all[s] = (nearest_labels){c->all[s], count, c->places[s]};
        nodes[s] = (nearest_labels){c->by_node[s], c->offsets[s][count], c->places[s]};
    }
    const abut_status status = nearest_group(&c->together, all);
    return status ? status : nearest_group(&c->of_nodes, nodes);
}

/* ---- partners ---- */

static bool is_mesh_before(const void *context, abut_index a, abut_index b)
{
    const contact_row *rows = context;
    return rows[a].mesh < rows[b].mesh;
}

/* The first in the order of meshes whose mesh is not before this one; equal ones ascend. */
static abut_index first_of_mesh(contact_list list, const abut_index *order, abut_index mesh)
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

abut_status crowd_find_first(contact_list now, contact_list before)
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

static void free_crowd(crowd *c)
{
    for (int s = 0; s < 2; s++) {
        memory_free(c->places[s]), memory_free(c->offsets[s]);
        memory_free(c->all[s]), memory_free(c->by_node[s]);
    }
    nearest_ungroup(&c->together), nearest_ungroup(&c->of_nodes);
}

abut_status crowd_match(const abut_step *const steps[2], const contact_list lists[2],
                        abut_index *match, parallel_job *job)
{
    crowd c = {.lists = {lists[0], lists[1]}, .match = match};
    abut_status status = read_side(&c, 0, steps[0]);
    status = status ? status : read_side(&c, 1, steps[1]);
    status = status ? status : group(&c);
    if (!status) {
        const nearest_match all = {{lists[0].count, lists[1].count}, &c, find, take};
        status = nearest_match_all(&all, job);
    }
    free_crowd(&c);
    return status;
}
