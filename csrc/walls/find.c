/* All spheres: which chunk, which row. */
#include "find.h"

#include <stdatomic.h>

#include "../base/memory.h"
#include "tolerance.h"

/* Larger exponents of a contact law than this are slips; powers of overlaps must not vanish. */
#define EXPONENT_LIMIT 10.0

/* A chunk's first room for contacts: one a sphere and some, so that it seldom grows. */
enum { USUAL_CONTACTS = CHUNK_SPHERES + CHUNK_SPHERES / 16 };

/* ---- a query's input ---- */

abut_query abut_query_default(void)
{
    return (abut_query){
        .resolution = ABUT_HIERARCHY, .exponent = 1.5, .weights = ABUT_WACHSPRESS, .workers = 1};
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
static abut_status check_weights(const abut_finder *finder, abut_index number,
                                 const abut_query *query, abut_error *error)
{
    const abut_mesh *mesh = finder->meshes[number].mesh;
    for (abut_index f = 0; query->weights == ABUT_ZHONG && f < mesh->view.facet_count; f++) {
        if (mesh_polygon(mesh, f).count > 4) {
            abut_index corners = mesh_polygon(mesh, f).count;
            return report(error, ABUT_BAD_WEIGHTS, f, corners, (double)number);
        }
    }
    return ABUT_OK;
}

static abut_status check_period(const abut_query *query, abut_error *error)
{
    for (int axis = 0; query->period && axis < 3; axis++) {
        double period = query->period[axis];
        if (!(period >= 0.0 && period <= ABUT_COORDINATE_LIMIT)) {
            return report(error, ABUT_BAD_PERIOD, axis, 0, period);
        }
    }
    return ABUT_OK;
}

static abut_status check_numbers(const abut_query *query, abut_error *error)
{
    if (!(query->gap >= 0.0 && query->gap <= ABUT_COORDINATE_LIMIT)) {
        return report(error, ABUT_BAD_GAP, 0, 0, query->gap);
    }
    if (!(query->flat_angle >= 0.0 && query->flat_angle < 0.5 * acos(-1.0))) {
        return report(error, ABUT_BAD_FLAT_ANGLE, 0, 0, query->flat_angle);
    }
    if (!(query->exponent > 0.0 && query->exponent <= EXPONENT_LIMIT)) {
        return report(error, ABUT_BAD_EXPONENT, 0, 0, query->exponent);
    }
    return check_period(query, error);
}

static abut_status check_query(const abut_finder *finder, const abut_query *query,
                               abut_error *error)
{
    abut_status status = check_numbers(query, error);
    for (abut_index k = 0; !status && k < finder->mesh_count; k++) {
        status = check_weights(finder, k, query, error);
    }
    return status ? status : check_spheres(query, error);
}

/* ---- the search ---- */

typedef struct search {
    const abut_query *query;
    abut_contacts *contacts;
    double flat_tilt;
    atomic_intptr_t crowded_sphere; /* one with too many images */
} search;

/* What a thread needs for a sphere at a time. */
typedef struct scratch {
    touches list;
    sharing solver;
    vec3 *normals;
    double *overlaps, *shares;
    abut_index normal_capacity, overlap_capacity, share_capacity;
} scratch;

static void scratch_free(scratch *own)
{
    touches_free(&own->list);
    sharing_free(&own->solver);
    memory_free(own->normals);
    memory_free(own->overlaps);
    memory_free(own->shares);
}

/* Room to solve for this many contacts. */
static abut_status reserve(scratch *own, abut_index count)
{
    double *shares = memory_grow(own->shares, count, &own->share_capacity, sizeof *shares);
    own->shares = shares ? shares : own->shares;
    double *overlaps = memory_grow(own->overlaps, count, &own->overlap_capacity, sizeof *overlaps);
    own->overlaps = overlaps ? overlaps : own->overlaps;
    vec3 *normals = memory_grow(own->normals, count, &own->normal_capacity, sizeof *normals);
    own->normals = normals ? normals : own->normals;
    return shares && overlaps && normals ? ABUT_OK : ABUT_NO_MEMORY;
}

/* Leave out the contacts that carry nothing. */
static void drop_zero_shares(scratch *own)
{
    touches *list = &own->list;
    abut_index kept = 0;
    for (abut_index i = 0; i < list->count; i++) {
        if (own->shares[i] > 0.0) {
            list->items[kept] = list->items[i];
            own->shares[kept++] = own->shares[i];
        }
    }
    list->count = kept;
}

static abut_status share(const abut_query *query, double radius, scratch *own, parallel_job *job)
{
    touches *list = &own->list;
    abut_status status = reserve(own, list->count);
    if (status) {
        return status;
    }
    for (abut_index i = 0; i < list->count; i++) {
        own->normals[i] = touch_normal(&list->items[i]);
        own->overlaps[i] = radius - list->items[i].distance;
    }
    status = sharing_solve(&own->solver, list->count, own->normals, own->overlaps, query->exponent,
                           own->shares, job);
    if (!status && !query->keep_zero) {
        drop_zero_shares(own);
    }
    return status;
}

/* From touching facets, sorted, to contacts. */
static abut_status resolve(const search *s, double radius, scratch *own, parallel_job *job)
{
    switch (s->query->resolution) {
    case ABUT_HIERARCHY:
        return hierarchy_eliminate(&own->list, s->flat_tilt, job);
    case ABUT_SHARING:
        return share(s->query, radius, own, job);
    case ABUT_ALL:
        break;
    }
    return ABUT_OK;
}

/* By how much noise may tilt the normal of a contact: the bump of contact.md, section 3. */
static double normal_tilt(const touch *t, double flat_angle)
{
    double half_turn = acos(-1.0);
    double tilt = TILT_FROM_NORMAL_NOISE * sqrt(t->normal_noise / t->distance);
    tilt = tilt < half_turn ? tilt : half_turn; /* at the center any direction is as good */
    return tilt > flat_angle ? tilt : flat_angle;
}

static void fill_contact(contact *made, const touch *t)
{
    const triangle *of = t->triangle;
    const closest *local = &t->closest;
    closest turned_back;
    if (t->view->pose->turns) {
        turned_back = t->closest;
        turned_back.offset = pose_turn_back(t->view->pose, t->closest.offset);
        local = &turned_back;
    }
    made->normal = touch_normal(t);
    made->at.point = triangle_point(of, local, t->view->center);
    made->at.facet = of->facet;
    made->at.feature = triangle_feature(of, local);
    made->at.triangle = (int32_t)(of - t->view->mesh->triangles);
    made->at.type = (uint8_t)local->type;
    made->at.along = local->along;
    if (local->type == ABUT_EDGE && of->from_end[local->local]) {
        made->at.along = 1.0 - local->along;
    }
    made->mesh = t->view->number;
    for (int axis = 0; axis < 3; axis++) {
        made->image[axis] = t->view->image[axis];
    }
}

static abut_status append_contacts(const search *s, contact_buffer *buffer, const scratch *own,
                                   abut_index sphere)
{
    const touches *list = &own->list;
    abut_index room = buffer->count + list->count;
    room = buffer->items || room > USUAL_CONTACTS ? room : USUAL_CONTACTS;
    contact *grown = memory_grow(buffer->items, room, &buffer->capacity, sizeof *grown);
    if (!grown) {
        return ABUT_NO_MEMORY;
    }
    buffer->items = grown;
    for (abut_index i = 0; i < list->count; i++) {
        const touch *t = &list->items[i];
        contact *made = &buffer->items[buffer->count++];
        made->sphere = sphere;
        made->overlap = s->query->radii[sphere] - t->distance;
        made->share = s->query->resolution == ABUT_SHARING ? own->shares[i] : 1.0;
        made->tilt = normal_tilt(t, s->query->flat_angle);
        fill_contact(made, t);
        buffer->node_count += weights_count(t->view->mesh, &made->at);
    }
    return ABUT_OK;
}

static abut_status search_sphere(search *s, abut_index sphere, scratch *own, contact_buffer *buffer,
                                 parallel_job *job)
{
    vec3 center = vec3_load(s->query->centers + 3 * sphere);
    double radius = s->query->radii[sphere], reach = radius + s->query->gap;
    touches *list = &own->list;
    abut_status status = placement_view(&s->contacts->placement, center, radius, reach, list);
    if (status == ABUT_TOO_MANY_IMAGES) {
        atomic_store(&s->crowded_sphere, sphere);
    }
    for (abut_index k = 0; !status && k < list->view_count; k++) {
        status = intersect_sphere(&list->views[k], reach, list, job);
    }
    if (status || list->count == 0) {
        return status;
    }
    hierarchy_sort(list);
    status = resolve(s, radius, own, job);
    return status ? status : append_contacts(s, buffer, own, sphere);
}

static abut_status search_chunk(void *context, abut_index chunk, parallel_job *job)
{
    search *s = context;
    contact_buffer *buffer = &s->contacts->buffers[chunk];
    sphere_range spheres = chunk_spheres(chunk, s->query->sphere_count);
    scratch own = {0};
    abut_status status = ABUT_OK;
    for (abut_index i = spheres.begin; !status && i < spheres.end; i++) {
        status = search_sphere(s, i, &own, buffer, job);
    }
    scratch_free(&own);
    return status ? status : parallel_report(job, spheres.end - spheres.begin);
}

static abut_status allocate_contacts(abut_contacts *contacts, const abut_query *query)
{
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
                              abut_contacts *contacts, abut_error *error)
{
    search s = {.query = query, .contacts = contacts};
    s.flat_tilt = sin(0.5 * query->flat_angle);
    abut_status status = placement_build(&contacts->placement, finder, query);
    if (!status) {
        status = placement_build_sets(&contacts->placement, query);
    }
    if (!status) {
        status = allocate_contacts(contacts, query);
    }
    if (!status) {
        status = parallel_run(contacts->chunk_count, query->workers, search_chunk, &s,
                              query->interrupted, query->interrupted_data);
    }
    if (!status) {
        number_rows(contacts);
    }
    return report(error, status, atomic_load(&s.crowded_sphere), 0, 0.0);
}

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error)
{
    abut_error found = {ABUT_OK, 0, 0, 0.0};
    *contacts = NULL;
    abut_status status = check_query(finder, query, &found);
    abut_contacts *made = NULL;
    if (!status) {
        made = memory_alloc_zeroed(1, sizeof *made);
        status = made ? search_all(finder, query, made, &found)
                      : report(&found, ABUT_NO_MEMORY, 0, 0, 0.0);
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
