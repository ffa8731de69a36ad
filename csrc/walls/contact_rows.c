/* Writes rows of contacts. */
#include "contact_rows.h"

#include <string.h>

#include "../base/prefetch.h"
#include "half_spaces.h"
#include "kernels.h"

mesh_place rows_find_place(const abut_contacts *contacts, const records *buffer, int32_t mesh_image)
{
    static const int32_t none[3] = {0, 0, 0};
    const scene *s = &contacts->now.scene;
    const abut_index surfaces = scene_surface_count(s);
    const seen_image *seen = mesh_image >= surfaces ? &buffer->images[mesh_image - surfaces] : NULL;
    abut_index number = seen ? seen->mesh : mesh_image;
    if (number >= s->mesh_count) {
        const half_space *wall = &s->half_spaces[number - s->mesh_count];
        return (mesh_place){
            .mesh = &wall->mesh, .half_space = wall, .number = number, .image = none};
    }
    const placed_mesh *placed = &s->meshes[number];
    const abut_mesh *mesh = placed->binned->mesh;
    bool is_plain = !seen && pose_is_identity(&placed->pose);
    return (mesh_place){.placed = placed,
                        .mesh = mesh,
                        .number = number,
                        .image = seen ? seen->image : none,
                        .is_plain = is_plain,
                        .is_triangles = mesh_is_triangles(mesh)};
}

abut_columns rows_columns(const abut_columns *columns, abut_index row, abut_index node,
                          unwanted_rows *unwanted)
{
    const abut_columns *c = columns;
    return (abut_columns){
        .sphere = c->sphere ? c->sphere + row : unwanted->indices,
        .mesh = c->mesh ? c->mesh + row : NULL,
        .facet = c->facet ? c->facet + row : unwanted->indices,
        .type = c->type ? c->type + row : unwanted->types,
        .feature = c->feature ? c->feature + row : unwanted->indices,
        .point = c->point ? c->point + 3 * row : unwanted->numbers,
        .normal = c->normal ? c->normal + 3 * row : unwanted->numbers,
        .overlap = c->overlap ? c->overlap + row : unwanted->numbers,
        .share = c->share ? c->share + row : NULL,
        .tilt = c->tilt ? c->tilt + row : unwanted->numbers,
        .image = c->image ? c->image + 3 * row : NULL,
        .node = c->node ? c->node + node : NULL,
        .weight = c->weight ? c->weight + node : NULL,
        .node_offsets = c->node_offsets ? c->node_offsets + row + 1 : unwanted->indices,
    };
}

static const triangle *contact_triangle(const contact_block *r, const contact *c)
{
    return r->at.mesh->triangles + c->triangle;
}

static abut_index contact_facet(const contact_block *r, const contact *c)
{
    return r->at.is_triangles ? c->triangle : contact_triangle(r, c)->facet;
}

void rows_fetch(const contact_block *r)
{
    const abut_query *query = &r->contacts->now.query;
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        const triangle *t = contact_triangle(r, c);
        PREFETCH(query->centers + 3 * (r->first_sphere + c->sphere));
        PREFETCH(t);
        PREFETCH((const char *)(t + 1) - 1);
        if (r->at.is_triangles) {
            PREFETCH(r->at.mesh->indices + 3 * (abut_index)c->triangle);
        }
    }
}

/* A block's items: FACET contacts on triangles, computed side by side, and others, one by one. */
typedef struct sorted {
    int32_t aside[ROWS], others[ROWS];
    abut_index aside_count, other_count;
    abut_index nodes[ROWS]; /* index of each item's first node, counted from the block's first
                               node */
} sorted;

static bool is_on_triangle(const contact_block *r, const contact *c)
{
    const int32_t *fans = r->at.mesh->fans;
    if (r->at.is_triangles) {
        return true;
    }
    abut_index facet = contact_facet(r, c);
    return fans[facet + 1] - fans[facet] == 1;
}

/* Sorts a block's contacts by how their forces are computed, and finds where their nodes are
 * written. Returns the index after the block's last node. */
static abut_index sort_out(const contact_block *r, sorted *s)
{
    abut_index node = 0, aside = 0, others = 0;
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        bool is_aside = (c->type == ABUT_FACET) & is_on_triangle(r, c);
        s->aside[aside] = s->others[others] = (int32_t)i;
        aside += is_aside;
        others += !is_aside;
        s->nodes[i] = node;
        node += c->node_count;
        r->to.node_offsets[i] = r->node + node;
    }
    s->aside_count = aside;
    s->other_count = others;
    return r->node + node;
}

/* Writes the columns of numbers: sphere, facet, type and feature. */
static void write_numbers(const contact_block *r, const sorted *s)
{
    abut_index *sphere = r->to.sphere, *facet = r->to.facet, *feature = r->to.feature;
    uint8_t *type = r->to.type;
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        sphere[i] = r->first_sphere + c->sphere;
        facet[i] = contact_facet(r, c);
        type[i] = c->type;
        feature[i] = 0;
    }
    for (abut_index n = 0; n < s->other_count; n++) {
        const contact *c = &r->items[s->others[n]];
        closest local = {.type = c->type, .local = c->local};
        feature[s->others[n]] = triangle_feature(contact_triangle(r, c), &local);
    }
}

/* Writes columns that have one usual value. The caller may leave them out; otherwise they
 * must be zeros before. */
static void write_usual(const contact_block *r)
{
    const abut_columns *to = &r->to;
    for (abut_index i = 0; to->share && i < r->count; i++) {
        to->share[i] = r->shares ? r->shares[i] : 1.0;
    }
    for (abut_index i = 0; to->mesh && r->at.number && i < r->count; i++) {
        to->mesh[i] = r->at.number;
    }
    for (int axis = 0; to->image && axis < 3; axis++) {
        for (abut_index i = 0; r->at.image[axis] && i < r->count; i++) {
            to->image[3 * i + axis] = r->at.image[axis];
        }
    }
}

/* Writes the facet's normal for contacts with the center on the facet. */
static void write_facet_normals(const contact_block *r)
{
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        if (c->distance < AT_CENTER) {
            vec3 normal = mesh_normal(r->at.mesh, contact_facet(r, c));
            vec3_store(r->to.normal + 3 * i, pose_turn(&r->at.placed->pose, normal));
        }
    }
}

static void write_measures(const contact_block *r)
{
    const measures to = {r->to.normal, r->to.overlap, r->to.tilt,
                         r->contacts->now.query.flat_angle};
    if (!kernels_take()->rows_measure(r->items, r->count, &to)) {
        write_facet_normals(r);
    }
}

/* ---- points and weights ---- */

static vec3 local_center(const contact_block *r, const contact *c)
{
    vec3 center = vec3_load(r->contacts->now.query.centers + 3 * (r->first_sphere + c->sphere));
    return r->at.is_plain
               ? center
               : scene_to_mesh(&r->contacts->now.scene, r->at.number, r->at.image, center);
}

static vec3 local_offset(const contact_block *r, const contact *c)
{
    return pose_turn_back(&r->at.placed->pose, c->offset);
}

static void write_point(const contact_block *r, abut_index i, vec3 point)
{
    const scene *s = &r->contacts->now.scene;
    vec3_store(r->to.point + 3 * i, scene_to_world(s, r->at.number, r->at.image, point));
}

/* Writes point, nodes and weights of one contact of any type. */
static void write_force(const contact_block *r, abut_index i, abut_index node)
{
    const contact *c = &r->items[i];
    const triangle *t = contact_triangle(r, c);
    vec3 center = local_center(r, c);
    closest local = {.offset = local_offset(r, c), .type = c->type, .local = c->local};
    if (c->type == ABUT_EDGE) {
        local.along = triangle_along(t, c->local, center);
    }
    force_point force = {.point = triangle_point(t, &local, center),
                         .along = local.along,
                         .facet = t->facet,
                         .feature = triangle_feature(t, &local),
                         .triangle = c->triangle,
                         .type = c->type};
    if (c->type == ABUT_EDGE && triangle_edge_from_end(t, c->local)) {
        force.along = 1.0 - local.along;
    }
    write_point(r, i, force.point);
    if (r->to.node) {
        weights_fill(r->at.mesh, &force, r->contacts->now.query.weights, r->to.node + node,
                     r->to.weight + node);
    }
}

/* FACET contacts on triangles as arrays, for vector code. */
typedef struct side_by_side {
    const triangle *triangle[ROWS];
    const double *center[ROWS], *offset[ROWS];
    double center_copy[ROWS][4], offset_copy[ROWS][4]; /* used if the caller's values are in another
                                                          frame */
    double point[3 * ROWS], weight[3 * ROWS];
} side_by_side;

static const double *put_row(double *row, vec3 a)
{
    vec3_store(row, a);
    row[3] = 0.0;
    return row;
}

/* Sets where the center is read in the mesh's frame: in the caller's row if possible. Vector code
 * reads four numbers, so the caller's last row is copied. */
static void put_center(const contact_block *r, const contact *c, side_by_side *side, abut_index n)
{
    const abut_query *query = &r->contacts->now.query;
    abut_index sphere = r->first_sphere + c->sphere;
    side->center[n] = r->at.is_plain && sphere + 1 < query->sphere_count
                          ? query->centers + 3 * sphere
                          : put_row(side->center_copy[n], local_center(r, c));
}

static void put_aside(const contact_block *r, const sorted *s, side_by_side *side)
{
    for (abut_index n = 0; n < s->aside_count; n++) {
        const contact *c = &r->items[s->aside[n]];
        side->triangle[n] = contact_triangle(r, c);
        put_center(r, c, side, n);
        side->offset[n] =
            r->at.is_plain ? &c->offset.x : put_row(side->offset_copy[n], local_offset(r, c));
    }
}

static void write_points(const contact_block *r, const sorted *s, const side_by_side *side)
{
    for (abut_index n = 0; n < s->aside_count; n++) {
        vec3 point = vec3_load(side->point + 3 * n);
        if (r->at.is_plain) {
            vec3_store(r->to.point + 3 * s->aside[n], point);
        } else {
            write_point(r, s->aside[n], point);
        }
    }
}

static void write_weights(const contact_block *r, const sorted *s, const side_by_side *side)
{
    for (abut_index n = 0; n < s->aside_count; n++) {
        memcpy(r->to.weight + s->nodes[s->aside[n]], side->weight + 3 * n,
               3 * sizeof *side->weight);
    }
}

static void write_nodes(const contact_block *r, const sorted *s)
{
    const abut_mesh *mesh = r->at.mesh;
    for (abut_index n = 0; n < s->aside_count; n++) {
        abut_index *nodes = r->to.node + s->nodes[s->aside[n]];
        abut_index facet = contact_facet(r, &r->items[s->aside[n]]);
        const abut_index *corners =
            mesh->indices + (r->at.is_triangles ? 3 * facet : mesh->offsets[facet]);
        memcpy(nodes, corners, 3 * sizeof *nodes);
    }
}

/* Computes the items side by side: straight into the columns if a block has no others. */
static void write_aside(const contact_block *r, const sorted *s)
{
    side_by_side side;
    bool is_all = s->aside_count == r->count && r->at.is_plain && r->to.node;
    triangle_points points = {r->at.mesh,  side.triangle, side.center,
                              side.offset, side.point,    side.weight};
    if (is_all) {
        points.point = r->to.point;
        points.weight = r->to.weight;
    }
    put_aside(r, s, &side);
    kernels_take()->weights_triangles(s->aside_count, &points);
    if (!is_all) {
        write_points(r, s, &side);
    }
    if (!is_all && r->to.node) {
        write_weights(r, s, &side);
    }
    if (r->to.node) {
        write_nodes(r, s);
    }
}

static void write_forces(const contact_block *r, const sorted *s)
{
    write_aside(r, s);
    for (abut_index n = 0; n < s->other_count; n++) {
        write_force(r, s->others[n], s->nodes[s->others[n]]);
    }
}

/* Writes contacts with a half space. */
static abut_index write_half_space(const contact_block *r)
{
    const abut_query *query = &r->contacts->now.query;
    const abut_columns *to = &r->to;
    const vec3 normal = r->at.half_space->normal;
    for (abut_index i = 0; i < r->count; i++) {
        const abut_index sphere = r->first_sphere + r->items[i].sphere;
        const double overlap = r->items[i].overlap;
        const vec3 center = vec3_load(query->centers + 3 * sphere);
        const vec3 down = vec3_scale(normal, query->radii[sphere] - overlap);
        to->sphere[i] = sphere;
        to->facet[i] = to->feature[i] = 0;
        to->type[i] = ABUT_FACET;
        vec3_store(to->point + 3 * i, vec3_sub(center, down));
        vec3_store(to->normal + 3 * i, normal);
        to->overlap[i] = overlap;
        to->tilt[i] = query->flat_angle;
        to->node_offsets[i] = r->node + i + 1;
    }
    for (abut_index i = 0; to->node && i < r->count; i++) {
        to->node[i] = 0; /* the half space's point is its only node */
        to->weight[i] = 1.0;
    }
    write_usual(r);
    return r->node + r->count;
}

abut_index rows_write(const contact_block *r)
{
    if (r->at.half_space) {
        return write_half_space(r);
    }
    sorted s;
    abut_index node = sort_out(r, &s);
    write_numbers(r, &s);
    write_usual(r);
    write_measures(r);
    write_forces(r, &s);
    return node;
}
