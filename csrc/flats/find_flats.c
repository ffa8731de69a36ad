/* Finds contacts of convex bodies with walls: the facets near each body, those on which it stands
 * (stand.c), and the rows.
 *
 * A row has a facet and the spots that lie in it. A bent facet has a row for each plane in which it
 * has spots. So the force at a spot acts on the facet of its row. If a body stands on facets of one
 * plane, its rows together have the force of a half space. Link, point and overlap of a row are
 * those of its deepest spot, or those of the link if the body meets the facet at a border. If one
 * spot of a plane is within the gap, all spots of the plane count. So there are rows also for
 * facets from which a tilted body has risen. Each step is computed anew, so rows of the last step
 * are not read. */
#include <string.h>

#include "stand.h"

#include "../abut/contacts.h"
#include "../convex/convex_finder.h"
#include "../mesh/tolerance.h"

/* CHUNK_BODIES: the number of bodies that one thread takes in one go. WORK_OF_FACET: the work for a
 * facet near a body, in the units of parallel_report. */
enum { CHUNK_BODIES = 64, WORK_OF_FACET = 60 };

/* The facets near each body: columns of a search for the facets near spheres. */
typedef struct near_facets {
    abut_index *offsets, *mesh, *facet, *image;
} near_facets;

typedef struct wall_finding {
    const abut_convex_finder *finder;
    const abut_convex_query *query;
    const abut_convex_walls *walls;
    abut_convex_contacts *contacts;
    const placed_body *bodies;
    abut_index count; /* number of bodies for which walls are searched */
    double *centers;  /* centers of their circumscribed spheres */
    double *radii;    /* the radii within which facets are near */
    near_facets near;
    pose *poses; /* poses of the meshes */
    lattice lattice;
    abut_index mesh_count;
} wall_finding;

/* ---- facets near bodies ---- */

static void free_facets(near_facets *near)
{
    memory_free(near->offsets), memory_free(near->mesh);
    memory_free(near->facet), memory_free(near->image);
    *near = (near_facets){0};
}

static abut_status read_facets(const abut_contacts *found, abut_index body_count, near_facets *near)
{
    const abut_index count = abut_contacts_count(found);
    near->offsets = memory_alloc(body_count + 1, sizeof *near->offsets);
    near->mesh = memory_alloc_zeroed(count, sizeof *near->mesh);
    near->facet = memory_alloc(count, sizeof *near->facet);
    near->image = memory_alloc_zeroed(count, 3 * sizeof *near->image);
    if (!near->offsets || !near->mesh || !near->facet || !near->image) {
        return ABUT_NO_MEMORY;
    }
    const abut_columns columns = {
        .offsets = near->offsets, .mesh = near->mesh, .facet = near->facet, .image = near->image};
    abut_contacts_write(found, &columns);
    return ABUT_OK;
}

/* The k-th body of those for which walls are searched. */
static abut_index body_of(const wall_finding *f, abut_index k)
{
    return f->walls->bodies ? f->walls->bodies[k] : k;
}

static abut_status make_spheres(wall_finding *f, const double *centers)
{
    const double reach = flat_reach(&f->finder->options);
    f->radii = memory_alloc(f->count, sizeof *f->radii);
    f->centers = memory_alloc(3 * f->count, sizeof *f->centers);
    if (!f->radii || !f->centers) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < f->count; k++) {
        const abut_index i = body_of(f, k);
        f->radii[k] = reach * f->finder->radii[i];
        memcpy(f->centers + 3 * k, centers + 3 * i, 3 * sizeof *centers);
    }
    return ABUT_OK;
}

/* The query for facets near spheres. The caller sets the spheres. */
static abut_query near_query(const wall_finding *f)
{
    abut_query query = abut_query_default();
    query.gap = f->query->gap;
    query.resolution = ABUT_ALL;
    query.poses = f->walls->poses, query.period = f->query->period;
    return query;
}

static abut_status find_near(const wall_finding *f, const abut_query *query, near_facets *near,
                             abut_error *error)
{
    abut_contacts *found = NULL;
    abut_status status = abut_contacts_find(f->walls->finder, query, &found, error);
    if (!status) {
        status = read_facets(found, query->sphere_count, near);
        error_set_status(error, status);
    } else {
        status = finder_name_body(status, error);
    }
    abut_contacts_free(found);
    return status;
}

static abut_status find_facets(wall_finding *f, abut_error *error)
{
    abut_query query = near_query(f);
    query.sphere_count = f->count;
    query.centers = f->centers, query.radii = f->radii;
    query.workers = f->query->workers;
    query.interrupted = f->query->interrupted;
    query.interrupted_data = f->query->interrupted_data;
    const abut_status status = find_near(f, &query, &f->near, error);
    if (error && finder_name_sphere(status, NULL) != status) {
        error->index = body_of(f, error->index);
    }
    return status;
}

/* Finds the facets near the k-th body, within a radius. */
static abut_status find_wider(const wall_finding *f, abut_index k, double radius, near_facets *near)
{
    abut_query query = near_query(f);
    query.sphere_count = 1;
    query.centers = f->centers + 3 * k, query.radii = &radius;
    query.workers = 1;
    /* all numbers were checked in the first search, so no error is reported */
    return find_near(f, &query, near, NULL);
}

static abut_status place_meshes(wall_finding *f)
{
    f->mesh_count = f->walls->finder ? abut_finder_mesh_count(f->walls->finder) : 0;
    f->poses = memory_alloc(f->mesh_count, sizeof *f->poses);
    if (!f->poses) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < f->mesh_count; k++) {
        f->poses[k] = f->walls->poses ? pose_load(f->walls->poses + 16 * k) : pose_identity();
    }
    return ABUT_OK;
}

/* ---- a body's walls ---- */

static abut_status load_facet(const wall_finding *f, const placed_body *body,
                              const near_facets *near, abut_index row, stand_room *room)
{
    const abut_index number = near->mesh[row], *image = near->image + 3 * row;
    const flat_place place = {.mesh_at = &f->poses[number],
                              .body_at = &body->at,
                              .mesh = (int32_t)number,
                              .facet = (int32_t)near->facet[row],
                              .shift = lattice_shift_of(&f->lattice, image),
                              .image = {image[0], image[1], image[2]}};
    return flat_add(&room->patch.pieces, abut_finder_mesh(f->walls->finder, number), &place);
}

/* The facets near one body: rows begin ... end - 1 of near_facets. All half spaces are near. */
typedef struct near_rows {
    const near_facets *near;
    abut_index begin, end;
} near_rows;

static abut_status load_walls(const wall_finding *f, abut_index i, const stand_task *task,
                              const near_rows *rows, stand_room *room)
{
    const placed_body *body = &f->bodies[i];
    patch_room *patch = &room->patch;
    patch->pieces.piece_count = patch->pieces.corner_count = 0;
    patch->plane_count = patch->spot_count = 0;
    abut_status status = ABUT_OK;
    for (abut_index row = rows->begin; !status && row < rows->end; row++) {
        status = load_facet(f, body, rows->near, row, room);
    }
    status = status ? status : cover_planes(patch, &task->standing);
    for (abut_index k = 0; !status && k < f->walls->half_space_count; k++) {
        const double *wall = f->walls->half_spaces + 6 * k;
        status = cover_half_space(patch, &task->standing, (int32_t)k,
                                  pose_to_mesh(&body->at, vec3_load(wall)),
                                  pose_turn_back(&body->at, vec3_load(wall + 3)));
    }
    return status;
}

/* ---- rows ---- */

/* The data from which the rows of one body are made. */
typedef struct row_writing {
    const wall_finding *f;
    const stand_task *task;
    const stand_room *room;
    convex_chunk *chunk;
    abut_index body;
} row_writing;

static void name_piece(const row_writing *w, int32_t number, row_place *place)
{
    const flat_piece *piece = &w->room->patch.pieces.pieces[number];
    place->mesh = piece->mesh, place->second = piece->facet;
    memcpy(place->image, piece->image, sizeof place->image);
}

static row_place begin_place(const row_writing *w)
{
    return (row_place){.first = (int32_t)w->body, .before = -1, .at = &w->f->bodies[w->body].at};
}

/* The result of a row with `spot` as its deepest spot. */
static solved spot_result(const row_writing *w, const wall_plane *wall, const wall_spot *spot)
{
    const convex_body *body = w->task->standing.body;
    const double radius = body_rounding(body);
    const double tolerance = TOLD_APART * w->task->standing.reach;
    const vec3 n = vec3_scale(wall->normal, -1.0);
    solved result = {.gap = spot->spot.gap - radius, .q = spot->on_wall};
    result.p = vec3_add(spot->on_body, vec3_scale(n, radius));
    result.status = gap_status(result.gap, tolerance);
    result.core = (convex_link){.ends = {spot->spot.ends[0], spot->spot.ends[1]},
                                .p = spot->on_body,
                                .q = spot->on_wall,
                                .normal = n,
                                .gap = spot->spot.gap,
                                .status = gap_status(spot->spot.gap, tolerance)};
    return result;
}

/* Whether two spots of a plane are in the same facet; on a half space they always are. */
static bool is_same_facet(const row_writing *w, const wall_spot *a, const wall_spot *b)
{
    if (a->piece < 0) {
        return true;
    }
    const flat_piece *pieces = w->room->patch.pieces.pieces;
    return pieces[a->piece].mesh == pieces[b->piece].mesh &&
           pieces[a->piece].facet == pieces[b->piece].facet &&
           memcmp(pieces[a->piece].image, pieces[b->piece].image, sizeof pieces->image) == 0;
}

/* Copies spot `first`, and the later spots of the plane that are in the same facet, to the chunk.
 * Sets the result of their row, and returns the deepest of these spots. */
static const wall_spot *copy_spots(const row_writing *w, const wall_plane *wall, int32_t first,
                                   solved *result)
{
    const wall_spot *spots = w->room->patch.spots + wall->first_spot, *deepest = &spots[first];
    const convex_body *body = w->task->standing.body;
    const double radius = body_rounding(body);
    const vec3 shift = vec3_scale(wall->normal, -0.5 * radius);
    convex_spot *to = convex_rows_spots(w->chunk);
    int32_t count = 0;
    for (int32_t k = first; k < wall->spot_count; k++) {
        if (!is_same_facet(w, &spots[first], &spots[k])) {
            continue;
        }
        deepest = spots[k].spot.gap < deepest->spot.gap ? &spots[k] : deepest;
        to[count] = spots[k].spot;
        to[count].point = vec3_add(spots[k].spot.point, shift);
        to[count++].gap -= radius;
    }
    *result = spot_result(w, wall, deepest);
    result->spot_count = w->f->query->spots ? count : 0;
    return deepest;
}

static bool is_first_of_facet(const row_writing *w, const wall_plane *wall, int32_t k)
{
    const wall_spot *spots = w->room->patch.spots + wall->first_spot;
    for (int32_t before = 0; before < k; before++) {
        if (is_same_facet(w, &spots[before], &spots[k])) {
            return false;
        }
    }
    return true;
}

static abut_status write_plane(const row_writing *w, const wall_plane *wall)
{
    const wall_spot *spots = w->room->patch.spots + wall->first_spot;
    for (int32_t k = 0; k < wall->spot_count; k++) {
        if (!is_first_of_facet(w, wall, k)) {
            continue;
        }
        if (convex_rows_reserve(w->chunk, wall->spot_count)) {
            return ABUT_NO_MEMORY;
        }
        solved result;
        copy_spots(w, wall, k, &result);
        row_place place = begin_place(w);
        if (spots[k].piece >= 0) {
            name_piece(w, spots[k].piece, &place);
        } else {
            place.mesh = (int32_t)w->f->mesh_count + wall->half_space;
        }
        convex_rows_add(w->chunk, &place, &result);
    }
    return ABUT_OK;
}

/* Replaces the feature of an end on a piece by its number in the facet. */
static void name_end(const row_writing *w, const flat_piece *piece, convex_end *end)
{
    const flat_corner *corners = w->room->patch.pieces.corners + piece->begin;
    end->feature = end->type == ABUT_FACET ? 0 : corners[end->feature].number;
}

static abut_status write_link(const row_writing *w, const wall_link *link)
{
    const flat_piece *piece = &w->room->patch.pieces.pieces[link->piece];
    solved result = link->result;
    if (convex_rows_reserve(w->chunk, result.spot_count)) {
        return ABUT_NO_MEMORY;
    }
    convex_spot *to = convex_rows_spots(w->chunk);
    name_end(w, piece, &result.core.ends[1]);
    for (int32_t k = 0; k < result.spot_count; k++) {
        to[k] = w->room->spots[link->first_spot + k];
        name_end(w, piece, &to[k].ends[1]);
    }
    row_place place = begin_place(w);
    name_piece(w, link->piece, &place);
    convex_rows_add(w->chunk, &place, &result);
    return ABUT_OK;
}

static bool comes_later(const convex_row *a, const convex_row *b)
{
    return a->mesh != b->mesh ? a->mesh > b->mesh : a->second > b->second;
}

static void swap_spots(convex_spot *spots, int32_t first, int32_t second)
{
    /* two groups change places if all spots are reversed, and then each group by itself */
    const int32_t begins[3] = {0, 0, second}, counts[3] = {first + second, second, first};
    for (int part = 0; part < 3; part++) {
        convex_spot *part_spots = spots + begins[part];
        for (int32_t k = 0; k < counts[part] / 2; k++) {
            const convex_spot spot = part_spots[k];
            part_spots[k] = part_spots[counts[part] - 1 - k];
            part_spots[counts[part] - 1 - k] = spot;
        }
    }
}

/* Sorts the chunk's rows from `begin` on, with their spots, by mesh and facet. */
static void sort_rows(convex_chunk *chunk, abut_index begin, abut_index first_spot)
{
    for (abut_index count = chunk->row_count; count > begin + 1; count--) {
        abut_index spot = first_spot;
        for (abut_index k = begin; k + 1 < count; k++) {
            const convex_row row = chunk->rows[k];
            if (comes_later(&row, &chunk->rows[k + 1])) {
                swap_spots(chunk->spots + spot, row.spot_count, chunk->rows[k + 1].spot_count);
                chunk->rows[k] = chunk->rows[k + 1], chunk->rows[k + 1] = row;
            }
            spot += chunk->rows[k].spot_count;
        }
    }
}

static abut_status write_rows(const row_writing *w)
{
    const abut_index begin = w->chunk->row_count, first_spot = w->chunk->spot_count;
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < w->room->kept_count; k++) {
        status = write_plane(w, &w->room->patch.planes[w->room->kept[k]]);
    }
    for (int32_t k = 0; !status && k < w->room->link_count; k++) {
        status = write_link(w, &w->room->links[k]);
    }
    if (!status) {
        sort_rows(w->chunk, begin, first_spot);
    }
    return status;
}

/* ---- all bodies ---- */

static stand_task task_of(const wall_finding *f, abut_index i)
{
    const convex_body *body = &f->bodies[i].body;
    const stand_task task = {
        .standing = {.body = body,
                     .cosine = rounded_cos(f->finder->options.patch_angle),
                     .reach = (body->shape->reach + body->shape->radius) * body->scale},
        .solving = {.options = f->finder->options,
                    .minimum = ABUT_GLOBAL,
                    .wants_spots = f->query->spots != 0},
        .gap = f->query->gap};
    return task;
}

static abut_status stand_among(const wall_finding *f, abut_index i, const stand_task *task,
                               const near_rows *rows, stand_room *room)
{
    const abut_status status = load_walls(f, i, task, rows, room);
    return status ? status : stand_find(room, task);
}

/* Searches again within a larger radius. A body that is deep in one wall may also be behind others,
 * farther away, which meet that wall at a small angle. */
static abut_status stand_wider(const wall_finding *f, abut_index k, const stand_task *task,
                               double radius, stand_room *room)
{
    near_facets near = {0};
    abut_status status = find_wider(f, k, radius, &near);
    if (!status) {
        const near_rows rows = {&near, 0, near.offsets[1]};
        status = stand_among(f, body_of(f, k), task, &rows, room);
    }
    free_facets(&near);
    return status;
}

static abut_status find_body(const wall_finding *f, abut_index k, stand_room *room,
                             convex_chunk *chunk)
{
    const abut_index i = body_of(f, k);
    const stand_task task = task_of(f, i);
    near_rows rows = {&f->near, 0, 0};
    if (f->walls->finder) {
        rows.begin = f->near.offsets[k], rows.end = f->near.offsets[k + 1];
    }
    abut_status status = stand_among(f, i, &task, &rows, room);
    if (!status && f->walls->finder) {
        const double radius = stand_reach(room, &task);
        if (radius > f->radii[k] + f->query->gap) {
            status = stand_wider(f, k, &task, radius, room);
        }
    }
    const row_writing w = {f, &task, room, chunk, i};
    return status ? status : write_rows(&w);
}

static abut_status find_chunk(void *context, abut_index number, parallel_job *job)
{
    const wall_finding *f = context;
    const abut_index begin = number * CHUNK_BODIES;
    const abut_index end = parallel_chunk_end(begin, CHUNK_BODIES, f->count);
    stand_room room = {0};
    abut_status status = ABUT_OK;
    for (abut_index k = begin; !status && k < end; k++) {
        status = find_body(f, k, &room, &f->contacts->chunks[number]);
        status = status ? status
                        : parallel_report(job, WORK_OF_FACET * (1 + room.patch.pieces.piece_count));
    }
    stand_free(&room);
    return status;
}

static abut_status find_bodies(wall_finding *f)
{
    const parallel_plan plan = finder_plan(f->query, f->count, CHUNK_BODIES, WORK_OF_FACET);
    abut_status status = convex_rows_reserve_chunks(f->contacts, plan.chunk_count);
    status = status ? status : parallel_run(&plan, find_chunk, f);
    if (!status) {
        convex_rows_join(f->contacts);
    }
    return status;
}

static abut_status find_walls(wall_finding *f, abut_error *error)
{
    convex_places *places = &f->contacts->memory->places;
    abut_status status = places_make(f->finder, f->query, places, error);
    f->bodies = places->bodies;
    status = status ? status : error_set_status(error, make_spheres(f, places->centers));
    if (!status && f->walls->finder) {
        status = find_facets(f, error);
    }
    if (status) {
        return status;
    }
    status = place_meshes(f);
    status = status ? status : find_bodies(f);
    return error_set_status(error, status);
}

abut_status abut_convex_find_walls(const abut_convex_finder *finder, const abut_convex_query *query,
                                   const abut_convex_walls *walls, abut_convex_contacts **contacts,
                                   abut_error *error)
{
    const abut_convex_query copy = *query;
    *contacts = NULL;
    error_set_status(error, ABUT_OK);
    if (finder->dimension != 3) {
        return error_set(error, ABUT_BAD_DIMENSION, finder->dimension, 0, 0.0);
    }
    if (!(copy.gap >= 0.0 && copy.gap <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_BAD_GAP, 0, 0, copy.gap);
    }
    abut_convex_contacts *made = convex_rows_make(finder, &copy);
    if (!made) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    made->is_sorted = true;
    made->has_images = copy.period != NULL;
    wall_finding f = {.finder = finder,
                      .query = &copy,
                      .walls = walls,
                      .contacts = made,
                      .count = walls->bodies ? walls->body_count : finder->body_count,
                      .lattice = lattice_load(copy.period, 3)};
    const abut_status status = find_walls(&f, error);
    free_facets(&f.near);
    memory_free(f.centers), memory_free(f.radii), memory_free(f.poses);
    if (status) {
        abut_convex_contacts_free(made);
    } else {
        *contacts = made;
    }
    return status;
}
