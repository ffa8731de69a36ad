/* Loads facets as pieces, and makes flat shapes of pieces. */
#include "flat.h"

#include "../base/memory.h"
#include "../mesh/mesh_data.h"
#include "../mesh/tolerance.h"

/* ---- pieces ---- */

static vec3 to_body(const flat_place *place, vec3 corner)
{
    return pose_to_mesh(place->body_at,
                        vec3_add(pose_to_world(place->mesh_at, corner), place->shift));
}

/* Reserves memory for one more piece, with `corners` corners. */
static abut_status reserve(flat_pieces *all, abut_index corners)
{
    const abut_status status =
        memory_fit(&all->pieces, all->piece_count + 1, &all->piece_capacity, sizeof *all->pieces);
    return status ? status
                  : memory_fit(&all->corners, all->corner_count + corners, &all->corner_capacity,
                               sizeof *all->corners);
}

/* The rounding error of a point that is moved to the world and then to the body's frame. */
static double moved_rounding(const flat_place *place, vec3 corner)
{
    const vec3 world = vec3_add(pose_to_world(place->mesh_at, corner), place->shift);
    const double far = vec3_max_abs(world) + vec3_max_abs(place->body_at->shift);
    return FLAT_ROUNDINGS * ulp_double(far + vec3_max_abs(corner));
}

static flat_piece *begin_piece(flat_pieces *all, const abut_mesh *mesh, const flat_place *place,
                               vec3 normal, double rounding)
{
    flat_piece *piece = &all->pieces[all->piece_count++];
    *piece =
        (flat_piece){.mesh = place->mesh,
                     .facet = place->facet,
                     .begin = all->corner_count,
                     .normal = pose_turn_back(place->body_at, pose_turn(place->mesh_at, normal)),
                     .noise = mesh->noise[place->facet] + rounding,
                     .normal_noise = mesh->normal_noise[place->facet] + rounding,
                     .plane = -1,
                     .facet_piece = all->piece_count - 1,
                     .behind = -1};
    for (int axis = 0; axis < 3; axis++) {
        piece->image[axis] = place->image[axis];
    }
    return piece;
}

static void add_corner(flat_pieces *all, flat_piece *piece, vec3 at, abut_index number)
{
    all->corners[all->corner_count++] = (flat_corner){.at = at, .number = (int32_t)number};
    piece->count++;
}

/* Sets area and height of a piece. Its corners must be set. */
static void measure(flat_pieces *all, flat_piece *piece)
{
    const flat_corner *corners = &all->corners[piece->begin];
    double twice = 0.0, longest_sq = 0.0;
    for (int32_t k = 0; k < piece->count; k++) {
        const int32_t next = k + 1 < piece->count ? k + 1 : 0;
        const vec3 from = vec3_sub(corners[k].at, corners[0].at);
        const vec3 to = vec3_sub(corners[next].at, corners[0].at);
        twice += vec3_dot(vec3_cross(from, to), piece->normal);
        longest_sq = larger(longest_sq, vec3_norm_sq(vec3_sub(to, from)));
    }
    piece->area = 0.5 * twice;
    piece->height = twice / sqrt(longest_sq);
}

static abut_status add_polygon(flat_pieces *all, const abut_mesh *mesh, const flat_place *place)
{
    const abut_index first = mesh->offsets[place->facet];
    const polygon p = mesh_polygon(mesh, place->facet);
    if (reserve(all, p.count)) {
        return ABUT_NO_MEMORY;
    }
    flat_piece *piece = begin_piece(all, mesh, place, mesh_normal(mesh, place->facet),
                                    moved_rounding(place, polygon_corner(&p, 0)));
    for (abut_index k = 0; k < p.count; k++) {
        if (!mesh->flat[first + k]) {
            add_corner(all, piece, to_body(place, polygon_corner(&p, k)), k);
        }
    }
    measure(all, piece);
    return ABUT_OK;
}

static abut_status add_triangle(flat_pieces *all, const abut_mesh *mesh, const flat_place *place,
                                const triangle *t)
{
    if (reserve(all, 3)) {
        return ABUT_NO_MEMORY;
    }
    flat_piece *piece =
        begin_piece(all, mesh, place, t->normal, moved_rounding(place, t->corner[0]));
    for (int k = 0; k < 3; k++) {
        add_corner(all, piece, to_body(place, t->corner[k]), triangle_corner_number(t, k));
    }
    measure(all, piece);
    return ABUT_OK;
}

abut_status flat_add(flat_pieces *all, const abut_mesh *mesh, const flat_place *place)
{
    if (!mesh->bent[place->facet]) {
        return add_polygon(all, mesh, place);
    }
    abut_status status = ABUT_OK;
    for (int32_t k = mesh->fans[place->facet]; !status && k < mesh->fans[place->facet + 1]; k++) {
        const triangle *t = &mesh->triangles[k];
        if (t->marks & MARK_INSIDE) {
            status = add_triangle(all, mesh, place, t);
        }
    }
    return status;
}

abut_status flat_add_strip(flat_pieces *all, int32_t number, int32_t behind,
                           const flat_corner corners[4])
{
    if (reserve(all, 4)) {
        return ABUT_NO_MEMORY;
    }
    flat_piece *strip = &all->pieces[all->piece_count++];
    *strip = all->pieces[number];
    strip->plane = -1, strip->behind = behind;
    strip->begin = all->corner_count, strip->count = 4;
    for (int k = 0; k < 4; k++) {
        all->corners[all->corner_count++] = corners[k];
    }
    return ABUT_OK;
}

void flat_free(flat_pieces *all)
{
    memory_free(all->pieces);
    memory_free(all->corners);
    *all = (flat_pieces){0};
}

/* ---- shapes ---- */

/* The counts of a flat shape with `corners` corners on its front and back. It has no arrays yet. */
static abut_shape begin_shape(int32_t corners)
{
    return (abut_shape){.dimension = 3,
                        .is_flat = true,
                        .vertex_count = corners,
                        .facet_count = 2,
                        .edge_count = corners,
                        .corner_count = 2 * corners,
                        .most_corners = corners};
}

abut_status flat_reserve(flat_shape *flat, int32_t corners)
{
    if (corners <= flat->capacity) {
        return ABUT_OK;
    }
    abut_shape counted = begin_shape(corners);
    void *memory = memory_alloc((abut_index)shape_lay_out(&counted, NULL, false), 1);
    if (!memory) {
        return ABUT_NO_MEMORY;
    }
    memory_free(flat->memory);
    flat->memory = memory;
    flat->capacity = corners;
    return ABUT_OK;
}

void flat_shape_free(flat_shape *flat)
{
    memory_free(flat->memory);
    *flat = (flat_shape){0};
}

static void set_points(abut_shape *s, const flat_corner *corners)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int32_t k = 0; k < s->vertex_count; k++) {
        const vec3 at = vec3_sub(corners[k].at, corners[0].at);
        s->x[k] = at.x, s->y[k] = at.y, s->z[k] = at.z;
        sum = vec3_add(sum, at);
    }
    s->centroid = vec3_scale(sum, 1.0 / s->vertex_count);
    s->reach = 0.0;
    for (int32_t k = 0; k < s->vertex_count; k++) {
        s->reach = larger(s->reach, vec3_length(vec3_sub(shape_point(s, k), s->centroid)));
    }
}

/* Sets edge k, and the sides of front and back along it. */
static void set_side(abut_shape *s, int32_t k, vec3 normal)
{
    const int32_t count = s->vertex_count, next = k + 1 < count ? k + 1 : 0;
    const vec3 side = vec3_sub(shape_point(s, next), shape_point(s, k));
    const double length = vec3_length(side);
    const vec3 direction = vec3_scale(side, 1.0 / length);
    s->edges[k] = (shape_edge){direction, length, {k, next}, {0, 1}};
    const vec3 outward = vec3_cross(direction, normal);
    const double offset = vec3_dot(outward, shape_point(s, k));
    s->corners[k] = (shape_corner){outward, offset, k, k};
    /* the back has its corners in the opposite order: its side along edge k begins at `next` */
    s->corners[2 * count - 1 - k] = (shape_corner){outward, offset, next, k};
}

/* Sets the edges and facets at a vertex, counter-clockwise seen from outside: the edge to the next
 * vertex, the front, the edge to the vertex before, and the back. */
static void set_vertex(abut_shape *s, int32_t k)
{
    const int32_t count = s->vertex_count, before = k > 0 ? k - 1 : count - 1;
    s->vertices[k] = (shape_vertex){2 * k, 2, 2 * k, 2};
    s->edges_at[2 * k] = k, s->edges_at[2 * k + 1] = before;
    s->neighbors[2 * k] = k + 1 < count ? k + 1 : 0, s->neighbors[2 * k + 1] = before;
    s->facets_at[2 * k] = 0, s->facets_at[2 * k + 1] = 1;
}

void flat_build(flat_shape *flat, const flat_pieces *all, const flat_piece *piece)
{
    abut_shape *s = &flat->shape;
    const int32_t count = piece->count;
    *s = begin_shape(count);
    shape_lay_out(s, flat->memory, false);
    set_points(s, &all->corners[piece->begin]);
    double front = 0.0;
    for (int32_t k = 0; k < count; k++) {
        front = larger(front, vec3_dot(piece->normal, shape_point(s, k)));
        set_side(s, k, piece->normal);
        set_vertex(s, k);
    }
    s->facets[0] = (shape_facet){piece->normal, front, 0, count};
    s->facets[1] = (shape_facet){vec3_scale(piece->normal, -1.0), 0.0, count, count};
    for (int32_t k = 0; k < count; k++) {
        s->facets[1].offset =
            larger(s->facets[1].offset, -vec3_dot(piece->normal, shape_point(s, k)));
    }
}
