/* All spheres: which chunk, which row. */
#include "find.h"

#include "../base/memory.h"
#include "../base/parallel.h"
#include "tolerance.h"

/* Spheres of a chunk: enough to make starting one cheap, few enough to share
 * out and to interrupt. */
enum { CHUNK_SPHERES = 1024 };

/* ---- a query's input ---- */

abut_query abut_query_default(void)
{
    return (abut_query){.resolution = ABUT_HIERARCHY, .weights = ABUT_WACHSPRESS, .workers = 1};
}

static abut_status report(abut_error *error, abut_status status, abut_index index,
                          abut_index detail, double value)
{
    *error = (abut_error){status, index, detail, value};
    return status;
}

static abut_status check_spheres(const abut_query *query, abut_error *error)
{
    for (abut_index i = 0; i < 3 * query->sphere_count; i++) {
        double x = query->centers[i];
        if (!isfinite(x)) {
            return report(error, ABUT_CENTER_NOT_FINITE, i / 3, i % 3, x);
        }
        if (fabs(x) > ABUT_COORDINATE_LIMIT) {
            return report(error, ABUT_CENTER_TOO_FAR, i / 3, i % 3, x);
        }
    }
    for (abut_index i = 0; i < query->sphere_count; i++) {
        double radius = query->radii[i];
        if (!(radius > 0.0 && radius <= ABUT_COORDINATE_LIMIT)) {
            return report(error, ABUT_BAD_RADIUS, i, 0, radius);
        }
    }
    return ABUT_OK;
}

/* Eq. 28 is for quads, and triangles have but one choice. */
static abut_status check_weights(const abut_mesh *mesh, const abut_query *query, abut_error *error)
{
    for (abut_index f = 0; query->weights == ABUT_ZHONG && f < mesh->view.facet_count; f++) {
        if (mesh_polygon(mesh, f).count > 4) {
            return report(error, ABUT_BAD_WEIGHTS, f, mesh_polygon(mesh, f).count, 0.0);
        }
    }
    return ABUT_OK;
}

static abut_status check_query(const abut_mesh *mesh, const abut_query *query, abut_error *error)
{
    if (!(query->gap >= 0.0 && query->gap <= ABUT_COORDINATE_LIMIT)) {
        return report(error, ABUT_BAD_GAP, 0, 0, query->gap);
    }
    if (!(query->flat_angle >= 0.0 && query->flat_angle < 0.5 * acos(-1.0))) {
        return report(error, ABUT_BAD_FLAT_ANGLE, 0, 0, query->flat_angle);
    }
    abut_status status = check_weights(mesh, query, error);
    return status ? status : check_spheres(query, error);
}

/* ---- the search ---- */

typedef struct search {
    const abut_finder *finder;
    const abut_query *query;
    abut_contacts *contacts;
    double flat_tilt;
} search;

static void fill_contact(contact *made, const abut_mesh *mesh, const touch *t, vec3 center)
{
    const closest *c = &t->closest;
    made->normal = touch_normal(t);
    made->at.point = triangle_point(t->triangle, c, center);
    made->at.facet = t->triangle->facet;
    made->at.feature = triangle_feature(t->triangle, c);
    made->at.triangle = (int32_t)(t->triangle - mesh->triangles);
    made->at.type = (uint8_t)c->type;
    made->at.along = c->along;
    if (c->type == ABUT_EDGE && t->triangle->from_end[c->local]) {
        made->at.along = 1.0 - c->along;
    }
}

static abut_status append_contacts(const abut_mesh *mesh, contact_buffer *buffer,
                                   const touches *list, abut_index sphere, vec3 center,
                                   double radius)
{
    contact *grown =
        memory_grow(buffer->items, buffer->count + list->count, &buffer->capacity, sizeof *grown);
    if (!grown) {
        return ABUT_NO_MEMORY;
    }
    buffer->items = grown;
    for (abut_index i = 0; i < list->count; i++) {
        contact *made = &buffer->items[buffer->count++];
        made->sphere = sphere;
        made->overlap = radius - list->items[i].distance;
        fill_contact(made, mesh, &list->items[i], center);
        buffer->node_count += weights_count(mesh, &made->at);
    }
    return ABUT_OK;
}

/* How far rounding can move what is computed for a sphere: its center's last
 * digit, or its radius'. */
static double center_noise(vec3 center, double radius)
{
    double farthest = vec3_max_abs(center);
    return ulp_double(farthest > radius ? farthest : radius);
}

static abut_status search_sphere(const search *s, abut_index sphere, touches *list,
                                 contact_buffer *buffer, parallel_job *job)
{
    const abut_mesh *mesh = s->finder->mesh;
    vec3 center = vec3_load(s->query->centers + 3 * sphere);
    double radius = s->query->radii[sphere], reach = radius + s->query->gap;
    const bins *set;
    abut_status status = finder_take_set(s->finder, reach, &set);
    if (!status) {
        status = intersect_sphere(mesh, set, center, reach, list, job);
    }
    if (status || list->count == 0) {
        return status;
    }
    hierarchy_sort(list);
    if (s->query->resolution == ABUT_HIERARCHY) {
        status = hierarchy_eliminate(list, center_noise(center, radius), s->flat_tilt, job);
    }
    return status ? status : append_contacts(mesh, buffer, list, sphere, center, radius);
}

static abut_status search_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const search *s = context;
    contact_buffer *buffer = &s->contacts->buffers[chunk];
    abut_index first = chunk * CHUNK_SPHERES, end = first + CHUNK_SPHERES;
    end = end < s->query->sphere_count ? end : s->query->sphere_count;
    touches list = {NULL, 0, 0, NULL, 0};
    abut_status status = ABUT_OK;
    for (abut_index i = first; !status && i < end; i++) {
        status = search_sphere(s, i, &list, buffer, job);
    }
    touches_free(&list);
    return status ? status : parallel_report(job, end - first);
}

/* Bins are made before the threads start, so that no two make the same. */
static abut_status build_sets(const abut_finder *finder, const abut_query *query)
{
    const bins *set;
    abut_status status = ABUT_OK;
    for (abut_index i = 0; !status && i < query->sphere_count; i++) {
        status = finder_take_set(finder, query->radii[i] + query->gap, &set);
    }
    return status;
}

static abut_status allocate_contacts(abut_contacts *contacts, const abut_mesh *mesh,
                                     const abut_query *query)
{
    contacts->mesh = mesh;
    contacts->sphere_count = query->sphere_count;
    contacts->weights = query->weights;
    contacts->workers = query->workers;
    contacts->chunk_count = (query->sphere_count + CHUNK_SPHERES - 1) / CHUNK_SPHERES;
    contacts->buffers = memory_alloc_zeroed(contacts->chunk_count, sizeof *contacts->buffers);
    contacts->firsts = memory_alloc(contacts->chunk_count + 1, sizeof *contacts->firsts);
    contacts->first_nodes = memory_alloc(contacts->chunk_count + 1, sizeof *contacts->first_nodes);
    return contacts->buffers && contacts->firsts && contacts->first_nodes ? ABUT_OK
                                                                          : ABUT_NO_MEMORY;
}

static void number_rows(abut_contacts *contacts)
{
    abut_index row = 0, node = 0;
    for (abut_index k = 0; k < contacts->chunk_count; k++) {
        contacts->firsts[k] = row;
        contacts->first_nodes[k] = node;
        row += contacts->buffers[k].count;
        node += contacts->buffers[k].node_count;
    }
    contacts->firsts[contacts->chunk_count] = row;
    contacts->first_nodes[contacts->chunk_count] = node;
}

static abut_status search_all(const abut_finder *finder, const abut_query *query,
                              abut_contacts *contacts)
{
    search s = {finder, query, contacts, sin(0.5 * query->flat_angle)};
    abut_status status = build_sets(finder, query);
    if (!status) {
        status = allocate_contacts(contacts, finder->mesh, query);
    }
    if (!status) {
        status = parallel_run(contacts->chunk_count, query->workers, search_chunk, &s,
                              query->interrupted, query->interrupted_data);
    }
    if (!status) {
        number_rows(contacts);
    }
    return status;
}

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error)
{
    abut_error found = {ABUT_OK, 0, 0, 0.0};
    *contacts = NULL;
    abut_status status = check_query(finder->mesh, query, &found);
    abut_contacts *made = NULL;
    if (!status) {
        made = memory_alloc_zeroed(1, sizeof *made);
        status = made ? search_all(finder, query, made) : ABUT_NO_MEMORY;
        found.status = status;
    }
    if (status) {
        abut_contacts_free(made);
    } else {
        *contacts = made;
    }
    if (error) {
        *error = found;
    }
    return status;
}

/* ---- the result ---- */

void abut_contacts_free(abut_contacts *contacts)
{
    if (!contacts) {
        return;
    }
    for (abut_index k = 0; contacts->buffers && k < contacts->chunk_count; k++) {
        memory_free(contacts->buffers[k].items);
    }
    memory_free(contacts->buffers);
    memory_free(contacts->firsts);
    memory_free(contacts->first_nodes);
    memory_free(contacts);
}

abut_index abut_contacts_count(const abut_contacts *contacts)
{
    return contacts->firsts[contacts->chunk_count];
}

abut_index abut_contacts_node_count(const abut_contacts *contacts)
{
    return contacts->first_nodes[contacts->chunk_count];
}

typedef struct writing {
    const abut_contacts *contacts;
    const abut_columns *columns;
} writing;

static void write_row(const abut_columns *columns, abut_index row, const contact *c)
{
    columns->sphere[row] = c->sphere;
    columns->facet[row] = c->at.facet;
    columns->type[row] = c->at.type;
    columns->feature[row] = c->at.feature;
    columns->overlap[row] = c->overlap;
    vec3_store(columns->point + 3 * row, c->at.point);
    vec3_store(columns->normal + 3 * row, c->normal);
}

/* offsets[i + 1] of the chunk's spheres: the row after their last contact. */
static void write_offsets(const writing *w, abut_index chunk)
{
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    abut_index first = chunk * CHUNK_SPHERES, end = first + CHUNK_SPHERES, k = 0;
    end = end < w->contacts->sphere_count ? end : w->contacts->sphere_count;
    for (abut_index sphere = first; sphere < end; sphere++) {
        while (k < buffer->count && buffer->items[k].sphere == sphere) {
            k++;
        }
        w->columns->offsets[sphere + 1] = w->contacts->firsts[chunk] + k;
    }
}

static abut_status write_chunk(void *context, abut_index chunk, parallel_job *job)
{
    (void)job;
    const writing *w = context;
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    const abut_mesh *mesh = w->contacts->mesh;
    abut_index row = w->contacts->firsts[chunk], node = w->contacts->first_nodes[chunk];
    write_offsets(w, chunk);
    for (abut_index i = 0; i < buffer->count; i++, row++) {
        const force_point *at = &buffer->items[i].at;
        write_row(w->columns, row, &buffer->items[i]);
        weights_fill(mesh, at, w->contacts->weights, w->columns->node + node,
                     w->columns->weight + node);
        node += weights_count(mesh, at);
        w->columns->node_offsets[row + 1] = node;
    }
    return ABUT_OK;
}

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns)
{
    writing w = {contacts, columns};
    columns->offsets[0] = 0;
    columns->node_offsets[0] = 0;
    parallel_run(contacts->chunk_count, contacts->workers, write_chunk, &w, NULL, NULL);
}
