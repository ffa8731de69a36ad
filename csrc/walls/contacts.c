/* The contacts of a query: made, counted, and written into the caller's columns. */
#include <string.h>

#include "../base/memory.h"
#include "../base/parallel.h"
#include "find.h"
#include "tolerance.h"

/* ---- memory ---- */

static void free_buffer(contact_buffer *buffer)
{
    memory_free(buffer->items);
    memory_free(buffer->shares);
    memory_free(buffer->images);
    *buffer = (contact_buffer){0};
}

static void destroy_contacts(pooled *item)
{
    abut_contacts *contacts = (abut_contacts *)item;
    for (abut_index k = 0; k < contacts->buffer_count; k++) {
        free_buffer(&contacts->buffers[k]);
    }
    placement_free(&contacts->placement);
    memory_free(contacts->buffers);
    memory_free(contacts->firsts);
    memory_free(contacts->first_nodes);
    memory_free(contacts);
}

/* What was used last is used again by the next query of the finder. */
void abut_contacts_free(abut_contacts *contacts)
{
    if (contacts) {
        placement_free(&contacts->placement);
        pool_give(&contacts->finder->leftovers->contacts, &contacts->pooled);
    }
}

static abut_contacts *take_contacts(const abut_finder *finder)
{
    abut_contacts *contacts = (abut_contacts *)pool_take(&finder->leftovers->contacts);
    if (!contacts) {
        contacts = memory_alloc_zeroed(1, sizeof *contacts);
        if (!contacts) {
            return NULL;
        }
        contacts->pooled.destroy = destroy_contacts;
        contacts->finder = finder;
    }
    return contacts;
}

/* As many empty buffers as chunks; those that a far larger query left are freed. */
static bool prepare_buffers(abut_contacts *contacts)
{
    abut_index count = contacts->chunk_count;
    abut_index keep = contacts->buffer_count / 4 > count ? count : contacts->buffer_count;
    for (abut_index k = keep; k < contacts->buffer_count; k++) {
        free_buffer(&contacts->buffers[k]);
    }
    if (count > contacts->buffer_count) {
        abut_index capacity = contacts->buffer_count;
        contact_buffer *buffers =
            memory_grow(contacts->buffers, count, &capacity, sizeof *buffers);
        if (!buffers) {
            return false;
        }
        memset(buffers + contacts->buffer_count, 0,
               (size_t)(capacity - contacts->buffer_count) * sizeof *buffers);
        contacts->buffers = buffers;
        contacts->buffer_count = capacity;
    }
    for (abut_index k = 0; k < count; k++) {
        contacts->buffers[k].count = contacts->buffers[k].node_count = 0;
        contacts->buffers[k].image_count = 0;
    }
    return true;
}

static bool prepare_firsts(abut_contacts *contacts)
{
    abut_index count = contacts->chunk_count + 1;
    abut_index *firsts =
        memory_grow(contacts->firsts, count, &contacts->first_capacity, sizeof *firsts);
    contacts->firsts = firsts ? firsts : contacts->firsts;
    abut_index *nodes =
        memory_grow(contacts->first_nodes, count, &contacts->first_node_capacity, sizeof *nodes);
    contacts->first_nodes = nodes ? nodes : contacts->first_nodes;
    return firsts && nodes;
}

abut_contacts *contacts_make(const abut_finder *finder, const abut_query *query)
{
    abut_contacts *contacts = take_contacts(finder);
    if (!contacts) {
        return NULL;
    }
    contacts->query = *query;
    contacts->chunk_count = (query->sphere_count + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
    if (!prepare_buffers(contacts) || !prepare_firsts(contacts)) {
        abut_contacts_free(contacts);
        return NULL;
    }
    return contacts;
}

abut_index abut_contacts_count(const abut_contacts *contacts)
{
    return contacts->firsts[contacts->chunk_count];
}

abut_index abut_contacts_node_count(const abut_contacts *contacts)
{
    return contacts->first_nodes[contacts->chunk_count];
}

/* ---- writing ---- */

/* Rows written in one go. */
enum { ROWS = 64, ROWS_ROOM = ROWS + 8 };

typedef struct writing {
    const abut_contacts *contacts;
    const abut_columns *columns;
} writing;

/* Where contacts of a chunk go. */
typedef struct rows {
    const abut_contacts *contacts;
    const abut_columns *columns;
    const contact_buffer *buffer;
    abut_index first_sphere; /* of the chunk */
} rows;

/* Which mesh, and where. */
typedef struct seat {
    const abut_mesh *mesh;
    abut_index number;
    const int32_t *image;
} seat;

static seat find_seat(const rows *r, const contact *c)
{
    static const int32_t none[3] = {0, 0, 0};
    const placement *p = &r->contacts->placement;
    const seen_image *seen =
        c->place < p->mesh_count ? NULL : &r->buffer->images[c->place - p->mesh_count];
    abut_index number = seen ? seen->mesh : c->place;
    return (seat){p->meshes[number].binned->mesh, number, seen ? seen->image : none};
}

/* By how much noise may tilt the normal of a contact: the bump of contact.md, section 3. */
static double normal_tilt(const contact *c, double flat_angle)
{
    double half_turn = acos(-1.0);
    double tilt = TILT_FROM_NORMAL_NOISE * sqrt(c->normal_noise / c->distance);
    tilt = tilt < half_turn ? tilt : half_turn; /* at the center any direction is as good */
    return tilt > flat_angle ? tilt : flat_angle;
}

/* From the mesh to the center; where they coincide the facet's own. */
static vec3 contact_normal(const rows *r, const contact *c, const seat *at, abut_index facet)
{
    if (c->distance < AT_CENTER) {
        return pose_turn(&r->contacts->placement.meshes[at->number].pose,
                         mesh_normal(at->mesh, facet));
    }
    return vec3_scale(c->offset, 1.0 / c->distance);
}

/* The columns that are the same for most contacts: the caller may do without, else they are zeros.
 */
static void write_place(const abut_columns *columns, abut_index row, const seat *at)
{
    if (columns->mesh && at->number) {
        columns->mesh[row] = at->number;
    }
    for (int axis = 0; columns->image && axis < 3; axis++) {
        if (at->image[axis]) {
            columns->image[3 * row + axis] = at->image[axis];
        }
    }
}

static void write_row(const rows *r, abut_index row, const contact *c, const seat *at)
{
    const abut_columns *columns = r->columns;
    const abut_query *query = &r->contacts->query;
    const triangle *t = at->mesh->triangles + c->triangle;
    abut_index sphere = r->first_sphere + c->sphere;
    closest local = {.type = c->type, .local = c->local};
    columns->sphere[row] = sphere;
    columns->facet[row] = t->facet;
    columns->type[row] = c->type;
    columns->feature[row] = triangle_feature(t, &local);
    columns->overlap[row] = query->radii[sphere] - c->distance;
    columns->tilt[row] = normal_tilt(c, query->flat_angle);
    vec3_store(columns->normal + 3 * row, contact_normal(r, c, at, t->facet));
    if (columns->share) {
        columns->share[row] =
            query->resolution == ABUT_SHARING ? r->buffer->shares[c - r->buffer->items] : 1.0;
    }
    write_place(columns, row, at);
}

/* The contact, and its sphere's center, in the mesh's frame. */
static closest local_closest(const rows *r, const contact *c, const seat *at, vec3 *center)
{
    const placement *p = &r->contacts->placement;
    const double *of = r->contacts->query.centers + 3 * (r->first_sphere + c->sphere);
    *center = placement_to_mesh(p, at->number, at->image, vec3_load(of));
    return (closest){.offset = pose_turn_back(&p->meshes[at->number].pose, c->offset),
                     .type = c->type,
                     .local = c->local};
}

static void write_point(const rows *r, abut_index row, const seat *at, vec3 point)
{
    vec3 world = placement_to_world(&r->contacts->placement, at->number, at->image, point);
    vec3_store(r->columns->point + 3 * row, world);
}

/* Point and weights of any contact. */
static void write_force(const rows *r, abut_index row, abut_index node, const contact *c,
                        const seat *at)
{
    const triangle *t = at->mesh->triangles + c->triangle;
    vec3 center;
    closest local = local_closest(r, c, at, &center);
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
    write_point(r, row, at, force.point);
    weights_fill(at->mesh, &force, r->contacts->query.weights, r->columns->node + node,
                 r->columns->weight + node);
}

static abut_index count_nodes(const seat *at, const contact *c)
{
    if (c->type == ABUT_FACET) {
        return at->mesh->kept[at->mesh->triangles[c->triangle].facet];
    }
    return c->type == ABUT_EDGE ? 2 : 1;
}

/* FACET contacts on triangles, which are computed side by side. */
typedef struct side_by_side {
    abut_index count;
    seat seats[ROWS];
    abut_index rows[ROWS], nodes[ROWS];
    const abut_mesh *mesh[ROWS_ROOM];
    const triangle *of[ROWS_ROOM];
    double center[3][ROWS_ROOM], offset[3][ROWS_ROOM];
    double point[3][ROWS_ROOM], weight[3][ROWS_ROOM];
} side_by_side;

static void put_aside(const rows *r, abut_index row, abut_index node, const contact *c,
                      const seat *at, side_by_side *side)
{
    abut_index i = side->count++;
    vec3 center;
    vec3 offset = local_closest(r, c, at, &center).offset;
    side->seats[i] = *at;
    side->rows[i] = row;
    side->nodes[i] = node;
    side->mesh[i] = at->mesh;
    side->of[i] = at->mesh->triangles + c->triangle;
    side->center[0][i] = center.x, side->center[1][i] = center.y, side->center[2][i] = center.z;
    side->offset[0][i] = offset.x, side->offset[1][i] = offset.y, side->offset[2][i] = offset.z;
}

static void write_side_by_side(const rows *r, side_by_side *side)
{
    for (abut_index i = side->count; i < side->count + 8 && side->count > 0; i++) {
        side->mesh[i] = side->mesh[0];
        side->of[i] = side->of[0];
    }
    const triangle_points points = {side->mesh,
                                    side->of,
                                    {side->center[0], side->center[1], side->center[2]},
                                    {side->offset[0], side->offset[1], side->offset[2]},
                                    {side->point[0], side->point[1], side->point[2]},
                                    {side->weight[0], side->weight[1], side->weight[2]}};
    kernels_take()->weights_triangles(side->count, &points);
    for (abut_index i = 0; i < side->count; i++) {
        const seat *at = &side->seats[i];
        abut_index node = side->nodes[i];
        const abut_index *corners = at->mesh->indices + at->mesh->offsets[side->of[i]->facet];
        write_point(r, side->rows[i], at,
                    (vec3){side->point[0][i], side->point[1][i], side->point[2][i]});
        for (int k = 0; k < 3; k++) {
            r->columns->node[node + k] = corners[k];
            r->columns->weight[node + k] = side->weight[k][i];
        }
    }
    side->count = 0;
}

/* Write rows[row] on from contacts items[0 ... count - 1]; returns the node after their last. */
static abut_index write_rows(const rows *r, abut_index row, abut_index node, const contact *items,
                             abut_index count)
{
    side_by_side side = {.count = 0};
    for (abut_index i = 0; i < count; i++) {
        const contact *c = &items[i];
        seat at = find_seat(r, c);
        write_row(r, row + i, c, &at);
        abut_index facet = at.mesh->triangles[c->triangle].facet;
        bool is_triangle = at.mesh->fans[facet + 1] - at.mesh->fans[facet] == 1;
        if (c->type == ABUT_FACET && is_triangle) {
            put_aside(r, row + i, node, c, &at, &side);
        } else {
            write_force(r, row + i, node, c, &at);
        }
        node += count_nodes(&at, c);
        r->columns->node_offsets[row + i + 1] = node;
    }
    write_side_by_side(r, &side);
    return node;
}

/* offsets[i + 1] of the chunk's spheres: the row after their last contact. */
static void write_offsets(const writing *w, abut_index chunk)
{
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    sphere_range spheres = chunk_spheres(chunk, w->contacts->query.sphere_count);
    abut_index first = w->contacts->firsts[chunk];
    abut_index sphere = spheres.begin;
    for (abut_index k = 0; k < buffer->count; k++) {
        for (; sphere < spheres.begin + buffer->items[k].sphere; sphere++) {
            w->columns->offsets[sphere + 1] = first + k;
        }
    }
    for (; sphere < spheres.end; sphere++) {
        w->columns->offsets[sphere + 1] = first + buffer->count;
    }
}

static abut_status write_chunk(void *context, abut_index chunk, parallel_job *job)
{
    (void)job;
    const writing *w = context;
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    abut_index row = w->contacts->firsts[chunk], node = w->contacts->first_nodes[chunk];
    rows r = {w->contacts, w->columns, buffer, chunk * CHUNK_SPHERES};
    write_offsets(w, chunk);
    for (abut_index i = 0; i < buffer->count; i += ROWS) {
        abut_index rest = buffer->count - i;
        node = write_rows(&r, row + i, node, buffer->items + i, rest < ROWS ? rest : ROWS);
    }
    return ABUT_OK;
}

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns)
{
    writing w = {contacts, columns};
    columns->offsets[0] = 0;
    columns->node_offsets[0] = 0;
    parallel_run(contacts->chunk_count, contacts->query.workers, write_chunk, &w, NULL, NULL);
}
