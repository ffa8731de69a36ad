/* Kept candidates become records. */
#include "records.h"

#include <string.h>

#include "../base/memory.h"
#include "hierarchy.h"

/* The number of contacts that a chunk has memory for at first. */
enum { USUAL_CONTACTS = CHUNK_SPHERES / 8 };

void records_clear(records *r)
{
    r->count = r->node_count = r->image_count = 0;
}

void records_free(records *r)
{
    memory_free(r->items);
    memory_free(r->shares);
    memory_free(r->images);
    *r = (records){0};
}

static abut_status reserve(records *r, abut_index added, bool has_shares)
{
    abut_index room = r->count + added;
    if (room > INT32_MAX) {
        return ABUT_NO_MEMORY; /* contacts of a chunk are counted with 31 bits */
    }
    room = r->items || room > USUAL_CONTACTS ? room : USUAL_CONTACTS;
    const abut_status status = memory_fit(&r->items, room, &r->capacity, sizeof *r->items);
    return status || !has_shares
               ? status
               : memory_fit(&r->shares, room, &r->share_capacity, sizeof *r->shares);
}

/* Sets *number to the number of the view's image, other than image 0, in r->images. Appends the
 * image if it is not the last one there. */
static abut_status number_image(records *r, const mesh_view *v, abut_index *number)
{
    const abut_index last = r->image_count - 1;
    if (last < 0 || r->images[last].mesh != v->number ||
        memcmp(r->images[last].image, v->image, sizeof v->image) != 0) {
        if (memory_fit(&r->images, r->image_count + 1, &r->image_capacity, sizeof *r->images)) {
            return ABUT_NO_MEMORY;
        }
        r->images[r->image_count++] =
            (seen_image){v->number, {v->image[0], v->image[1], v->image[2]}};
    }
    *number = r->image_count - 1;
    return ABUT_OK;
}

static inline abut_status find_mesh_image(records *r, const record_task *task, const mesh_view *v,
                                          int32_t *mesh_image)
{
    abut_index number = 0;
    if (!v->has_image) {
        *mesh_image = v->number;
        return ABUT_OK;
    }
    abut_status status = number_image(r, v, &number);
    *mesh_image = (int32_t)(task->surface_count + number);
    return status;
}

static inline int32_t node_count(const mesh_view *v, abut_type type, int32_t number)
{
    switch (type) {
    case ABUT_FACET:
        return v->is_triangles ? 3 : v->mesh->kept[v->mesh->triangles[number].facet];
    case ABUT_EDGE:
        return 2;
    case ABUT_VERTEX:
        break;
    }
    return 1;
}

/* Sets all of a record except what is measured: sphere, surface, triangle and feature. */
static inline abut_status name_contact(records *r, const record_task *task, const kept *k,
                                       int32_t i, int32_t sphere, contact *c)
{
    const mesh_view *v = candidate_view(k->candidates, i);
    const int32_t number = k->candidates->triangle[i], local = closest_local(k->closest, i);
    const abut_type type = closest_type(k->closest, i);
    const int32_t nodes = node_count(v, type, number);
    c->triangle = number;
    c->node_count = nodes;
    c->sphere = (uint16_t)sphere;
    c->type = (uint8_t)type;
    c->local = (uint8_t)local;
    r->node_count += nodes;
    return find_mesh_image(r, task, v, &c->mesh_image);
}

/* Appends candidate i, the only contact that its sphere keeps. It is the nearest one, and has been
 * measured already. */
static abut_status append_nearest(records *r, const record_task *task, const kept *k, int32_t i,
                                  int32_t sphere)
{
    contact *c = &r->items[r->count++];
    memcpy(c, k->tangents.rows + CONTACT_DOUBLES * k->candidates->seen[i], sizeof *c);
    return name_contact(r, task, k, i, sphere, c);
}

static abut_status append_contact(records *r, const record_task *task, const kept *k, int32_t i,
                                  int32_t sphere, double radius)
{
    contact *c = &r->items[r->count++];
    c->offset = closest_offset(k->closest, i);
    c->distance = k->distance[i];
    c->overlap = radius - k->distance[i];
    c->normal_noise = k->normal_noise[i];
    return name_contact(r, task, k, i, sphere, c);
}

/* ---- from touching facets to contacts ---- */

void share_scratch_free(share_scratch *s)
{
    sharing_free(&s->solver);
    memory_free(s->normals);
    memory_free(s->overlaps);
    memory_free(s->shares);
    memory_free(s->items);
    *s = (share_scratch){0};
}

/* Allocates memory to solve for this many contacts. */
static abut_status reserve_shares(share_scratch *s, abut_index count)
{
    abut_status status = memory_fit(&s->shares, count, &s->share_capacity, sizeof *s->shares);
    status = status ? status
                    : memory_fit(&s->overlaps, count, &s->overlap_capacity, sizeof *s->overlaps);
    return status ? status
                  : memory_fit(&s->normals, count, &s->normal_capacity, sizeof *s->normals);
}

/* Drops the contacts with a share of 0. */
static void drop_zero_shares(touching *t, double *shares)
{
    int32_t left = 0;
    for (int32_t n = 0; n < t->count; n++) {
        if (shares[n] > 0.0) {
            t->items[left] = t->items[n];
            shares[left++] = shares[n];
        }
    }
    t->count = left;
}

/* Drops those facets across a gap that the hierarchy eliminates: all but one of a flat wall. Facets
 * that overlap the sphere stay. All facets are sorted, and decide together what is eliminated. */
static abut_status eliminate_apart(const resolution *r, touching *t, double radius,
                                   share_scratch *s, parallel_job *job)
{
    const double *distance = t->kept->distance;
    int32_t left = 0;
    while (left < t->count && distance[t->items[left]] < radius) {
        left++;
    }
    if (!r->keeps_zero || left == t->count) {
        return ABUT_OK;
    }
    if (memory_fit(&s->items, t->count, &s->item_capacity, sizeof *s->items)) {
        return ABUT_NO_MEMORY;
    }
    memcpy(s->items, t->items, (size_t)t->count * sizeof *s->items);
    touching all = {t->kept, s->items, t->count};
    const abut_status status = hierarchy_eliminate(&all, r->flat_tilt, job);
    for (int32_t n = 0; n < all.count; n++) {
        if (distance[s->items[n]] >= radius) {
            t->items[left++] = s->items[n];
        }
    }
    t->count = left;
    return status;
}

static abut_status share(const resolution *r, touching *t, double radius, share_scratch *s,
                         parallel_job *job)
{
    abut_status status = eliminate_apart(r, t, radius, s, job);
    status = status ? status : reserve_shares(s, t->count);
    if (status) {
        return status;
    }
    for (int32_t n = 0; n < t->count; n++) {
        s->normals[n] = kept_normal(t->kept, t->items[n]);
        s->overlaps[n] = radius - t->kept->distance[t->items[n]];
    }
    status =
        sharing_solve(&s->solver, t->count, s->normals, s->overlaps, r->exponent, s->shares, job);
    if (!status && !r->keeps_zero) {
        drop_zero_shares(t, s->shares);
    }
    return status;
}

/* Chooses a sphere's contacts among the facets that it touches, and sorts them canonically. */
static abut_status resolve(const resolution *r, touching *t, double radius, share_scratch *scratch,
                           parallel_job *job)
{
    switch (r->kind) {
    case ABUT_HIERARCHY:
        return hierarchy_eliminate(t, r->flat_tilt, job);
    case ABUT_SHARING:
        hierarchy_sort(t);
        return share(r, t, radius, scratch, job);
    case ABUT_ALL:
        hierarchy_sort(t);
        break;
    }
    return ABUT_OK;
}

/* ---- records of a batch ---- */

static abut_status append_contacts(records *r, record_task *task, touching t, int32_t sphere,
                                   double radius)
{
    abut_status status = resolve(&task->resolution, &t, radius, &task->shares, task->job);
    for (int32_t n = 0; !status && n < t.count; n++) {
        if (task->resolution.kind == ABUT_SHARING) {
            r->shares[r->count] = task->shares.shares[n];
        }
        status = append_contact(r, task, t.kept, t.items[n], sphere, radius);
    }
    return status;
}

abut_status records_append(records *r, record_task *task, kept *k, int32_t from, int32_t end,
                           int32_t first_sphere)
{
    const candidates *c = k->candidates;
    const batch *b = c->batch;
    const bool is_hierarchy = task->resolution.kind == ABUT_HIERARCHY;
    abut_status status =
        reserve(r, k->first[end] - k->first[from], task->resolution.kind == ABUT_SHARING);
    for (int32_t n = from; !status && n < end; n++) {
        const int32_t left = k->first[n + 1] - k->first[n];
        const int32_t sphere = first_sphere + b->number[c->sphere[n]];
        if (left == 1 && is_hierarchy && !batch_is_beside(b, c->sphere[n])) {
            status = append_nearest(r, task, k, k->items[k->first[n]], sphere);
        } else if (left > 0) {
            const double radius = b->radius[c->sphere[n]];
            status = append_contacts(r, task, kept_of(k, n), sphere, radius);
        }
    }
    return status;
}
