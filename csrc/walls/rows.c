/* A contact becomes a row. */
#include "rows.h"

#include "../base/prefetch.h"
#include "tolerance.h"

/* Vector code reads and writes some more. */
enum { ROWS_ROOM = ROWS + 8 };

seat rows_find_seat(const abut_contacts *contacts, const contact_buffer *buffer, int32_t place)
{
    static const int32_t none[3] = {0, 0, 0};
    const placement *p = &contacts->placement;
    const seen_image *seen = place < p->mesh_count ? NULL : &buffer->images[place - p->mesh_count];
    abut_index number = seen ? seen->mesh : place;
    const placed_mesh *placed = &p->meshes[number];
    const abut_mesh *mesh = placed->binned->mesh;
    bool is_plain = !seen && pose_is_identity(&placed->pose);
    return (seat){
        placed, mesh, number, seen ? seen->image : none, is_plain, mesh_is_triangles(mesh)};
}

static const triangle *contact_triangle(const run *r, const contact *c)
{
    return r->at.mesh->triangles + c->triangle;
}

static abut_index contact_facet(const run *r, const contact *c)
{
    return r->at.is_triangles ? c->triangle : contact_triangle(r, c)->facet;
}

void rows_fetch(const run *r)
{
    const abut_query *query = &r->contacts->query;
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        const triangle *t = contact_triangle(r, c);
        PREFETCH(query->centers + 3 * (r->first_sphere + c->sphere));
        PREFETCH(query->radii + r->first_sphere + c->sphere);
        PREFETCH(t);
        PREFETCH((const char *)(t + 1) - 1);
        if (r->at.is_triangles) {
            PREFETCH(r->at.mesh->indices + 3 * (abut_index)c->triangle);
        }
    }
}

/* The items of a run: FACET contacts on triangles, which are computed side by side, and others. */
typedef struct sorted {
    int32_t aside[ROWS_ROOM], others[ROWS_ROOM];
    abut_index aside_count, other_count;
    abut_index nodes[ROWS_ROOM]; /* of each item: where its nodes go */
} sorted;

static bool is_on_triangle(const run *r, const contact *c)
{
    const int32_t *fans = r->at.mesh->fans;
    if (r->at.is_triangles) {
        return true;
    }
    abut_index facet = contact_facet(r, c);
    return fans[facet + 1] - fans[facet] == 1;
}

/* Returns the node after the run's last. */
static abut_index sort_out(const run *r, sorted *s)
{
    abut_index node = r->node, aside = 0, others = 0;
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        bool is_aside = (c->type == ABUT_FACET) & is_on_triangle(r, c);
        s->aside[aside] = s->others[others] = (int32_t)i;
        aside += is_aside;
        others += !is_aside;
        s->nodes[i] = node;
        node += c->node_count;
        r->columns->node_offsets[r->row + i + 1] = node;
    }
    s->aside_count = aside;
    s->other_count = others;
    return node;
}

/* Which sphere touches what. */
static void write_numbers(const run *r, const sorted *s)
{
    abut_index *sphere = r->columns->sphere + r->row, *facet = r->columns->facet + r->row;
    abut_index *feature = r->columns->feature + r->row;
    uint8_t *type = r->columns->type + r->row;
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

/* The columns that are the same for most contacts: the caller may do without, else they are zeros.
 */
static void write_usual(const run *r)
{
    const abut_columns *columns = r->columns;
    for (abut_index i = 0; columns->share && i < r->count; i++) {
        columns->share[r->row + i] = r->shares ? r->shares[i] : 1.0;
    }
    for (abut_index i = 0; columns->mesh && r->at.number && i < r->count; i++) {
        columns->mesh[r->row + i] = r->at.number;
    }
    for (int axis = 0; columns->image && axis < 3; axis++) {
        for (abut_index i = 0; r->at.image[axis] && i < r->count; i++) {
            columns->image[3 * (r->row + i) + axis] = r->at.image[axis];
        }
    }
}

/* By how much noise may tilt the normal of a contact: the bump of docs/method.md, section 3. */
static void write_tilts(const run *r)
{
    const double half_turn = acos(-1.0), flat_angle = r->contacts->query.flat_angle;
    double tilt[ROWS], *tilts = r->columns->tilt + r->row;
    for (abut_index i = 0; i < r->count; i++) {
        tilt[i] = r->items[i].normal_noise / r->items[i].distance;
    }
    for (abut_index i = 0; i < r->count; i++) {
        double noise = TILT_FROM_NORMAL_NOISE * sqrt(tilt[i]);
        noise = noise < half_turn ? noise : half_turn; /* at the center any direction is as good */
        tilts[i] = noise > flat_angle ? noise : flat_angle;
    }
}

/* From the mesh to the center; where they coincide the facet's own. */
static void write_normals(const run *r)
{
    double inv_distance[ROWS], *normals = r->columns->normal + 3 * r->row;
    for (abut_index i = 0; i < r->count; i++) {
        inv_distance[i] = 1.0 / r->items[i].distance;
    }
    for (abut_index i = 0; i < r->count; i++) {
        const contact *c = &r->items[i];
        if (c->distance < AT_CENTER) {
            vec3 normal = mesh_normal(r->at.mesh, contact_facet(r, c));
            vec3_store(normals + 3 * i, pose_turn(&r->at.placed->pose, normal));
        } else {
            vec3_store(normals + 3 * i, vec3_scale(c->offset, inv_distance[i]));
        }
    }
}

static void write_overlaps(const run *r)
{
    const double *radii = r->contacts->query.radii + r->first_sphere;
    for (abut_index i = 0; i < r->count; i++) {
        r->columns->overlap[r->row + i] = radii[r->items[i].sphere] - r->items[i].distance;
    }
}

/* ---- points and weights ---- */

static vec3 local_center(const run *r, const contact *c)
{
    vec3 center = vec3_load(r->contacts->query.centers + 3 * (r->first_sphere + c->sphere));
    return r->at.is_plain
               ? center
               : placement_to_mesh(&r->contacts->placement, r->at.number, r->at.image, center);
}

static vec3 local_offset(const run *r, const contact *c)
{
    return pose_turn_back(&r->at.placed->pose, c->offset);
}

static void write_point(const run *r, abut_index i, vec3 point)
{
    const placement *p = &r->contacts->placement;
    vec3_store(r->columns->point + 3 * (r->row + i),
               placement_to_world(p, r->at.number, r->at.image, point));
}

/* Of any contact. */
static void write_force(const run *r, abut_index i, abut_index node)
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
    weights_fill(r->at.mesh, &force, r->contacts->query.weights, r->columns->node + node,
                 r->columns->weight + node);
}

/* FACET contacts on triangles. */
typedef struct side_by_side {
    const abut_mesh *mesh[ROWS_ROOM];
    const triangle *of[ROWS_ROOM];
    double center[3][ROWS_ROOM], offset[3][ROWS_ROOM];
    double point[3][ROWS_ROOM], weight[3][ROWS_ROOM];
} side_by_side;

static void put_aside(const run *r, const sorted *s, side_by_side *side)
{
    for (abut_index n = 0; n < s->aside_count; n++) {
        const contact *c = &r->items[s->aside[n]];
        side->mesh[n] = r->at.mesh;
        side->of[n] = contact_triangle(r, c);
    }
    for (abut_index n = 0; n < s->aside_count; n++) {
        const contact *c = &r->items[s->aside[n]];
        vec3 center = local_center(r, c), offset = local_offset(r, c);
        side->center[0][n] = center.x, side->center[1][n] = center.y, side->center[2][n] = center.z;
        side->offset[0][n] = offset.x, side->offset[1][n] = offset.y, side->offset[2][n] = offset.z;
    }
}

static void compute_side_by_side(abut_index count, side_by_side *side)
{
    const triangle_points points = {side->mesh,
                                    side->of,
                                    {side->center[0], side->center[1], side->center[2]},
                                    {side->offset[0], side->offset[1], side->offset[2]},
                                    {side->point[0], side->point[1], side->point[2]},
                                    {side->weight[0], side->weight[1], side->weight[2]}};
    kernels_take()->weights_triangles(count, &points);
}

static void write_points(const run *r, const sorted *s, const side_by_side *side)
{
    double *points = r->columns->point + 3 * r->row;
    for (abut_index n = 0; n < s->aside_count; n++) {
        vec3 point = {side->point[0][n], side->point[1][n], side->point[2][n]};
        if (r->at.is_plain) {
            vec3_store(points + 3 * s->aside[n], point);
        } else {
            write_point(r, s->aside[n], point);
        }
    }
}

static void write_weights(const run *r, const sorted *s, const side_by_side *side)
{
    for (abut_index n = 0; n < s->aside_count; n++) {
        double *weights = r->columns->weight + s->nodes[s->aside[n]];
        for (int k = 0; k < 3; k++) {
            weights[k] = side->weight[k][n];
        }
    }
}

static void write_nodes(const run *r, const sorted *s)
{
    const abut_mesh *mesh = r->at.mesh;
    for (abut_index n = 0; n < s->aside_count; n++) {
        abut_index *nodes = r->columns->node + s->nodes[s->aside[n]];
        abut_index facet = contact_facet(r, &r->items[s->aside[n]]);
        const abut_index *corners =
            mesh->indices + (r->at.is_triangles ? 3 * facet : mesh->offsets[facet]);
        for (int k = 0; k < 3; k++) {
            nodes[k] = corners[k];
        }
    }
}

static void write_forces(const run *r, const sorted *s)
{
    side_by_side side;
    put_aside(r, s, &side);
    compute_side_by_side(s->aside_count, &side);
    write_points(r, s, &side);
    write_weights(r, s, &side);
    write_nodes(r, s);
    for (abut_index n = 0; n < s->other_count; n++) {
        write_force(r, s->others[n], s->nodes[s->others[n]]);
    }
}

abut_index rows_write(const run *r)
{
    sorted s;
    abut_index node = sort_out(r, &s);
    write_numbers(r, &s);
    write_usual(r);
    write_overlaps(r);
    write_tilts(r);
    write_normals(r);
    write_forces(r, &s);
    return node;
}
