/* All spheres: which chunk, which row. */
#include <stdatomic.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/prefetch.h"
#include "../mesh/tolerance.h"
#include "early.h"
#include "hierarchy.h"
#include "load.h"
#include "sharing.h"

/* Larger exponents of a contact law than this are slips; powers of overlaps must not vanish. */
#define EXPONENT_LIMIT 10.0

/* A chunk's first room for contacts. */
enum { USUAL_CONTACTS = CHUNK_SPHERES / 8 };

/* So many radii tell how they are distributed. */
enum { RADIUS_SAMPLE = 2048 };

/* What a sphere takes to search, as parallel_report counts it: where it touches little, and no
 * other number of threads is right where it touches much. */
enum { WORK_OF_SPHERE = 16 };

/* ---- a query's input ---- */

abut_query abut_query_default(void)
{
    return (abut_query){
        .resolution = ABUT_HIERARCHY, .exponent = 1.5, .weights = ABUT_WACHSPRESS, .workers = 1};
}

static abut_status report(abut_error *error, abut_status status, abut_index index,
                          abut_index detail, double value)
{
    *error = (abut_error){.status = status, .index = index, .detail = detail, .value = value};
    return status;
}

/* Name the first sphere that is not one: kernels have seen that there is one. */
static abut_status find_bad_sphere(const abut_query *query, abut_error *error)
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
    return report(error, ABUT_INPUT_CHANGED, 0, 0, 0.0);
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
    if (!(query->flat_angle >= 0.0 && query->flat_angle < 0.5 * PI)) {
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
    return status;
}

/* The last takes the rest: a reach, too, that has been changed since the smallest was found, and
 * may be less, or no number. */
static int64_t octave_of(const reach_profile *profile, double reach)
{
    const int64_t octave = (int64_t)ilogb(reach) - profile->first_octave;
    return (uint64_t)octave < REACH_OCTAVES ? octave : REACH_OCTAVES - 1;
}

/* How the reaches are distributed. False: a radius is none. */
static bool fill_profile(const abut_query *query, reach_profile *profile)
{
    double smallest, largest;
    *profile = (reach_profile){.sphere_count = query->sphere_count};
    if (query->sphere_count == 0) {
        return true;
    }
    if (!kernels_take()->batch_range(query->sphere_count, query->radii, &smallest, &largest)) {
        return false;
    }
    profile->smallest = smallest + query->gap;
    profile->largest = largest + query->gap;
    profile->first_octave = ilogb(profile->smallest);
    abut_index step = query->sphere_count / RADIUS_SAMPLE + 1;
    for (abut_index i = 0; i < query->sphere_count; i += step) {
        profile->counts[octave_of(profile, query->radii[i] + query->gap)]++;
    }
    return true;
}

/* ---- the search ---- */

typedef struct search {
    abut_contacts *contacts;
    early early;
    double flat_tilt;
    bool uses_planes;
    atomic_intptr_t crowded_sphere; /* one with too many images */
    atomic_intptr_t candidate_count, test_count, touch_count;
} search;

/* What a thread needs for a batch at a time. */
typedef struct scratch {
    pooled pooled;
    batch batch;
    pairs pairs;
    sharing solver;
    vec3 *normals;
    double *overlaps, *shares;
    abut_index normal_capacity, overlap_capacity, share_capacity;
    double centers[3 * BATCH_SPHERES], radii[BATCH_SPHERES]; /* of spheres that stand apart */
} scratch;

static void destroy_scratch(pooled *item)
{
    scratch *own = (scratch *)item;
    batch_free(&own->batch);
    pairs_free(&own->pairs);
    sharing_free(&own->solver);
    memory_free(own->normals);
    memory_free(own->overlaps);
    memory_free(own->shares);
    memory_free(own);
}

static scratch *take_scratch(const abut_finder *finder)
{
    scratch *own = (scratch *)pool_take(&finder->leftovers->scratches);
    if (!own) {
        own = memory_alloc_zeroed(1, sizeof *own);
        if (!own) {
            return NULL;
        }
        own->pooled.destroy = destroy_scratch;
    }
    own->pairs.candidate_count = own->pairs.test_count = own->pairs.touch_count = 0;
    return own;
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
static void drop_zero_shares(scratch *own, question *q)
{
    int32_t kept = 0;
    for (int32_t n = 0; n < q->count; n++) {
        if (own->shares[n] > 0.0) {
            q->items[kept] = q->items[n];
            own->shares[kept++] = own->shares[n];
        }
    }
    q->count = kept;
}

static abut_status share(const abut_query *query, double radius, scratch *own, question *q,
                         parallel_job *job)
{
    abut_status status = reserve(own, q->count);
    if (status) {
        return status;
    }
    for (int32_t n = 0; n < q->count; n++) {
        own->normals[n] = pair_normal(q->of, q->items[n]);
        own->overlaps[n] = radius - q->of->distance[q->items[n]];
    }
    status = sharing_solve(&own->solver, q->count, own->normals, own->overlaps, query->exponent,
                           own->shares, job);
    if (!status && !query->keep_zero) {
        drop_zero_shares(own, q);
    }
    return status;
}

/* From the facets in question to contacts. */
static abut_status resolve(const search *s, double radius, scratch *own, question *q,
                           parallel_job *job)
{
    const abut_query *query = &s->contacts->query;
    switch (query->resolution) {
    case ABUT_HIERARCHY:
        return hierarchy_eliminate(q, s->flat_tilt, job);
    case ABUT_SHARING:
        hierarchy_sort(q);
        return share(query, radius, own, q, job);
    case ABUT_ALL:
        hierarchy_sort(q);
        break;
    }
    return ABUT_OK;
}

/* The number of a view's mesh and image in the chunk. */
static abut_status number_place(const search *s, view *v, contact_buffer *buffer)
{
    if (!v->image[0] && !v->image[1] && !v->image[2]) {
        v->place = v->number;
        return ABUT_OK;
    }
    seen_image *images = memory_grow(buffer->images, buffer->image_count + 1,
                                     &buffer->image_capacity, sizeof *images);
    if (!images) {
        return ABUT_NO_MEMORY;
    }
    buffer->images = images;
    v->place = (int32_t)(s->contacts->placement.mesh_count + buffer->image_count);
    images[buffer->image_count++] =
        (seen_image){v->number, {v->image[0], v->image[1], v->image[2]}};
    return ABUT_OK;
}

static abut_status reserve_contacts(const search *s, contact_buffer *buffer, abut_index added)
{
    abut_index room = buffer->count + added;
    if (room > INT32_MAX) {
        return ABUT_NO_MEMORY; /* what counts the contacts of a chunk has 31 bits */
    }
    room = buffer->items || room > USUAL_CONTACTS ? room : USUAL_CONTACTS;
    contact *grown = memory_grow(buffer->items, room, &buffer->capacity, sizeof *grown);
    if (!grown) {
        return ABUT_NO_MEMORY;
    }
    buffer->items = grown;
    if (s->contacts->query.resolution == ABUT_SHARING) {
        double *shares = memory_grow(buffer->shares, room, &buffer->share_capacity, sizeof *shares);
        if (!shares) {
            return ABUT_NO_MEMORY;
        }
        buffer->shares = shares;
    }
    return ABUT_OK;
}

static int32_t node_count(const view *v, const pairs *p, int32_t i)
{
    switch (pair_type(p, i)) {
    case ABUT_FACET:
        return v->is_triangles ? 3 : v->mesh->kept[pair_triangle(p, i)->facet];
    case ABUT_EDGE:
        return 2;
    case ABUT_VERTEX:
        break;
    }
    return 1;
}

/* What is not measured of a contact. */
static inline abut_status tell_whose(const search *s, contact_buffer *buffer, const pairs *p,
                                     int32_t i, int32_t sphere, contact *c)
{
    view *v = &p->batch->views[p->view[p->sight[i]]];
    abut_status status = v->place < 0 ? number_place(s, v, buffer) : ABUT_OK;
    c->triangle = p->triangle[i];
    c->place = v->place;
    c->node_count = node_count(v, p, i);
    c->sphere = (uint16_t)sphere;
    c->type = (uint8_t)pair_type(p, i);
    c->local = (uint8_t)pair_local(p, i);
    buffer->node_count += c->node_count;
    return status;
}

static abut_status append_contact(const search *s, contact_buffer *buffer, const pairs *p,
                                  int32_t i, int32_t sphere, double radius)
{
    contact *c = &buffer->items[buffer->count++];
    c->offset = pair_offset(p, i);
    c->distance = p->distance[i];
    c->overlap = radius - p->distance[i];
    c->normal_noise = p->normal_noise[i];
    return tell_whose(s, buffer, p, i, sphere, c);
}

/* Of a sphere whose nearest contact, pair i, is all that is left. */
static abut_status append_nearest(const search *s, contact_buffer *buffer, const pairs *p,
                                  int32_t i, int32_t sphere)
{
    contact *c = &buffer->items[buffer->count++];
    memcpy(c, p->tangents.rows + CONTACT_DOUBLES * p->sight[i], sizeof *c);
    return tell_whose(s, buffer, p, i, sphere, c);
}

static abut_status append_contacts(const search *s, contact_buffer *buffer, const scratch *own,
                                   const question *q, int32_t sphere, double radius)
{
    abut_status status = ABUT_OK;
    for (int32_t n = 0; !status && n < q->count; n++) {
        if (s->contacts->query.resolution == ABUT_SHARING) {
            buffer->shares[buffer->count] = own->shares[n];
        }
        status = append_contact(s, buffer, q->of, q->items[n], sphere, radius);
    }
    return status;
}

/* Reads that are under way at once. */
enum { FETCHED_AHEAD = 16 };

static void fetch_sphere(const abut_query *query, abut_index sphere)
{
    const double *center = query->centers + 3 * sphere;
    PREFETCH(center);
    PREFETCH((const char *)(center + 3) - 1);
    PREFETCH(query->radii + sphere);
}

/* While a sphere's pairs are resolved, one of the next batch is fetched if it stands apart. */
static void fetch_next(const search *s, const batch *b, int32_t sphere)
{
    abut_index next = b->first + BATCH_SPHERES + sphere;
    if (s->contacts->order.is_by_place && next < s->contacts->query.sphere_count) {
        fetch_sphere(&s->contacts->query, s->contacts->order.spheres[next]);
    }
}

static abut_status resolve_sphere(const search *s, scratch *own, int32_t k, contact_buffer *buffer,
                                  int32_t sphere, parallel_job *job)
{
    question q = hierarchy_ask(&own->pairs, k);
    double radius = own->batch.radius[own->pairs.sphere[k]];
    abut_status status = resolve(s, radius, own, &q, job);
    return status ? status : append_contacts(s, buffer, own, &q, sphere, radius);
}

/* From the queue's pairs to contacts: what is left of most spheres is one. */
static abut_status resolve_pairs(const search *s, scratch *own, contact_buffer *buffer,
                                 parallel_job *job)
{
    pairs *p = &own->pairs;
    const bool is_hierarchy = s->contacts->query.resolution == ABUT_HIERARCHY;
    int32_t first = (int32_t)(own->batch.first % CHUNK_SPHERES);
    abut_status status = reserve_contacts(s, buffer, p->first_left[p->sphere_count]);
    for (int32_t k = 0; !status && k < p->sphere_count; k++) {
        fetch_next(s, &own->batch, p->sphere[k]);
        int32_t sphere = first + own->batch.number[p->sphere[k]],
                left = p->first_left[k + 1] - p->first_left[k];
        if (left == 1 && is_hierarchy) {
            status = append_nearest(s, buffer, p, p->left[p->first_left[k]], sphere);
        } else if (left > 0) {
            status = resolve_sphere(s, own, k, buffer, sphere, job);
        }
    }
    return status;
}

/* Rows of spheres that stand apart. */
static void gather(const search *s, scratch *own, abut_index first, abut_index count)
{
    const abut_query *query = &s->contacts->query;
    const int32_t *spheres = s->contacts->order.spheres + first;
    for (abut_index i = 0; i < count; i++) {
        if (i + FETCHED_AHEAD < count) {
            fetch_sphere(query, spheres[i + FETCHED_AHEAD]);
        }
        memcpy(own->centers + 3 * i, query->centers + 3 * (abut_index)spheres[i],
               3 * sizeof *own->centers);
        own->radii[i] = query->radii[spheres[i]];
    }
}

/* The caller's rows from a sphere on. */
static sphere_rows rows_from(const search *s, abut_index first)
{
    const abut_query *query = &s->contacts->query;
    return (sphere_rows){query->centers + 3 * first, query->radii + first, query->gap};
}

static bool load_spheres(const search *s, scratch *own, abut_index first, abut_index count)
{
    sphere_rows rows = rows_from(s, first);
    if (s->contacts->order.is_by_place) {
        gather(s, own, first, count);
        rows.centers = own->centers;
        rows.radii = own->radii;
    }
    return load_all(&own->batch, &rows, count);
}

/* With more looks, to see that a sphere has buckets in one view only takes longer than it saves. */
enum { PLANE_LOOKS = 16 };

static bool has_planes(const view *v)
{
    return v->is_triangles && v->set->plane && v->pose->skew <= SKEW_LIMIT;
}

/* Let the batch's spheres look for buckets; then, where the nearest contact of a plane stands for
 * all, for the facets at their feet. */
static void look(const search *s, batch *b)
{
    const bool uses_planes = s->uses_planes && b->look_count <= PLANE_LOOKS;
    memset(b->seen, 0, sizeof b->seen);
    memset(b->narrow, 0, sizeof b->narrow);
    b->has_narrow = false;
    for (abut_index k = 0; k < b->view_count; k++) {
        kernels_take()->bins_look(b, &b->views[k]);
    }
    for (abut_index k = 0; uses_planes && k < b->view_count; k++) {
        if (has_planes(&b->views[k])) {
            kernels_take()->planes_look(b, &b->views[k]);
        }
    }
}

/* Spheres that the pairs refused look for all facets. */
static void look_again(const search *s, scratch *own)
{
    for (int k = 0; k < BATCH_SPHERES / 64; k++) {
        own->batch.wide[k] |= own->pairs.refused[k];
    }
    look(s, &own->batch);
}

/* Fill the batch with the spheres of a range, as many as it takes, and find what sees them. */
static abut_status fill_with_all(search *s, scratch *own, sphere_range spheres, abut_index *end)
{
    const abut_index first = spheres.begin, rest = spheres.end - first;
    const abut_index count = rest < BATCH_SPHERES ? rest : BATCH_SPHERES;
    *end = first + count;
    if (!load_spheres(s, own, first, count)) {
        return ABUT_CENTER_NOT_FINITE;
    }
    abut_status status = placement_view(&s->contacts->placement, &own->batch);
    if (status == ABUT_TOO_MANY_IMAGES && count > 1) {
        return fill_with_all(s, own, (sphere_range){first, first + 1}, end);
    }
    if (status == ABUT_TOO_MANY_IMAGES) {
        const sphere_order *order = &s->contacts->order;
        atomic_store(&s->crowded_sphere, order->is_by_place ? order->spheres[first] : first);
    }
    return status;
}

/* Whether there are views, and which they are does not depend on the spheres; load_seen takes
 * whole blocks. */
static bool can_skim(const search *s, sphere_range spheres)
{
    const placement *p = &s->contacts->placement;
    return p->mesh_count > 0 && !p->is_periodic && !s->contacts->order.is_by_place &&
           spheres.end - spheres.begin >= BATCH_BLOCK;
}

/* As fill_with_all, but only those spheres that may find buckets. */
static abut_status fill_with_seen(const search *s, scratch *own, sphere_range spheres,
                                  abut_index *end)
{
    const sphere_rows rows = rows_from(s, spheres.begin);
    bool is_good = true;
    abut_status status = placement_view(&s->contacts->placement, &own->batch);
    if (!status) {
        *end = spheres.begin + load_seen(&own->batch, &rows, spheres.end - spheres.begin, &is_good);
    }
    return is_good ? status : ABUT_CENTER_NOT_FINITE;
}

/* Fill the batch with spheres of a range, and let them look for buckets. */
static abut_status fill_batch(search *s, scratch *own, sphere_range spheres, abut_index *end)
{
    batch *b = &own->batch;
    b->first = spheres.begin;
    abut_status status = load_is_sparse(b) && can_skim(s, spheres)
                             ? fill_with_seen(s, own, spheres, end)
                             : fill_with_all(s, own, spheres, end);
    if (status) {
        return status;
    }
    batch_see(b);
    memset(b->wide, 0, sizeof b->wide);
    look(s, b);
    load_note_share(b, *end - spheres.begin);
    return ABUT_OK;
}

/* Pairs of the batch's spheres from number `from` on, until the queue is full; sphere *next has
 * none yet. */
static abut_status find_pairs(const search *s, scratch *own, int32_t from, int32_t *next,
                              parallel_job *job)
{
    const bool is_hierarchy = s->contacts->query.resolution == ABUT_HIERARCHY;
    pairs *p = &own->pairs;
    const abut_index candidates = p->candidate_count, tests = p->test_count;
    abut_status status = intersect_batch(&own->batch, from, p, next, job);
    while (!status && is_hierarchy && !kernels_take()->hierarchy_strike(p)) {
        /* what is counted does not depend on which spheres are in one batch */
        p->candidate_count = candidates;
        p->test_count = tests;
        look_again(s, own);
        status = intersect_batch(&own->batch, from, p, next, job);
    }
    if (!status && !is_hierarchy) {
        hierarchy_take_all(p);
    }
    return status;
}

static abut_status search_batch(const search *s, scratch *own, contact_buffer *buffer,
                                parallel_job *job)
{
    abut_status status = ABUT_OK;
    for (int32_t next = 0; !status && next < own->batch.count;) {
        status = find_pairs(s, own, next, &next, job);
        if (!status && own->pairs.sphere_count > 0) {
            status = resolve_pairs(s, own, buffer, job);
        }
    }
    return status;
}

static abut_status search_spheres(search *s, sphere_range spheres, scratch *own,
                                  contact_buffer *buffer, parallel_job *job)
{
    abut_status status = batch_prepare(&own->batch);
    sphere_range rest = spheres;
    while (!status && rest.begin < rest.end) {
        status = fill_batch(s, own, rest, &rest.begin);
        if (!status) {
            status = search_batch(s, own, buffer, job);
        }
    }
    return status ? status : parallel_report(job, spheres.end - spheres.begin);
}

/* Tell where the contacts of a chunk's spheres are. */
static void locate_contacts(const abut_contacts *contacts, abut_index chunk)
{
    const contact_buffer *buffer = &contacts->buffers[chunk];
    const int32_t *spheres = contacts->order.spheres + chunk * CHUNK_SPHERES;
    for (int32_t k = 0; k < buffer->count; k++) {
        if (k + FETCHED_AHEAD < buffer->count) {
            PREFETCH(&contacts->order.locations[spheres[buffer->items[k + FETCHED_AHEAD].sphere]]);
        }
        location *at = &contacts->order.locations[spheres[buffer->items[k].sphere]];
        if (at->count++ == 0) {
            at->chunk = (int32_t)chunk;
            at->first = k;
        }
        at->node_count += buffer->items[k].node_count;
    }
}

static abut_status search_chunk(void *context, abut_index chunk, parallel_job *job)
{
    search *s = context;
    scratch *own = take_scratch(s->contacts->finder);
    if (!own) {
        return ABUT_NO_MEMORY;
    }
    sphere_range spheres = chunk_spheres(chunk, s->contacts->query.sphere_count);
    early_lend_buffer(&s->early, chunk);
    abut_status status = search_spheres(s, spheres, own, &s->contacts->buffers[chunk], job);
    if (!status && s->contacts->order.is_by_place) {
        locate_contacts(s->contacts, chunk);
    }
    atomic_fetch_add(&s->candidate_count, own->pairs.candidate_count);
    atomic_fetch_add(&s->test_count, own->pairs.test_count);
    atomic_fetch_add(&s->touch_count, own->pairs.touch_count);
    pool_give(&s->contacts->finder->leftovers->scratches, &own->pooled);
    if (!status) {
        early_hand_in(&s->early, chunk);
    }
    return status;
}

/* Count the contacts and nodes of a chunk of spheres in the caller's order. */
static abut_status count_chunk(void *context, abut_index chunk, parallel_job *job)
{
    abut_contacts *contacts = context;
    sphere_range spheres = chunk_spheres(chunk, contacts->query.sphere_count);
    abut_index rows = 0, nodes = 0;
    for (abut_index i = spheres.begin; i < spheres.end; i++) {
        rows += contacts->order.locations[i].count;
        nodes += contacts->order.locations[i].node_count;
    }
    contacts->firsts[chunk] = rows;
    contacts->first_nodes[chunk] = nodes;
    return parallel_report(job, CHUNK_SPHERES);
}

static abut_status count_rows(abut_contacts *contacts)
{
    const abut_query *query = &contacts->query;
    if (contacts->order.is_by_place) {
        const parallel_plan plan = {.chunk_count = contacts->chunk_count,
                                    .work = query->sphere_count,
                                    .workers = query->workers,
                                    .interrupted = query->interrupted,
                                    .interrupted_data = query->interrupted_data};
        return parallel_run(&plan, count_chunk, contacts);
    }
    for (abut_index k = 0; k < contacts->chunk_count; k++) {
        contacts->firsts[k] = contacts->buffers[k].count;
        contacts->first_nodes[k] = contacts->buffers[k].node_count;
    }
    return ABUT_OK;
}

static abut_status number_rows(search *s)
{
    abut_contacts *contacts = s->contacts;
    if (s->early.is_on) {
        early_end(&s->early);
        return ABUT_OK;
    }
    abut_status status = count_rows(contacts);
    if (!status) {
        sort_sum_up(contacts->firsts, contacts->chunk_count);
        sort_sum_up(contacts->first_nodes, contacts->chunk_count);
    }
    return status;
}

static void keep_statistics(const search *s)
{
    query_counts *counts = &s->contacts->finder->leftovers->counts;
    atomic_store(&counts->spheres, s->contacts->query.sphere_count);
    atomic_store(&counts->candidates, atomic_load(&s->candidate_count));
    atomic_store(&counts->tests, atomic_load(&s->test_count));
    atomic_store(&counts->touches, atomic_load(&s->touch_count));
    atomic_store(&counts->contacts, abut_contacts_count(s->contacts));
}

static abut_status choose_order(abut_contacts *contacts, double largest)
{
    scratch *own = take_scratch(contacts->finder);
    if (!own) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = order_choose(&contacts->order, &contacts->query, &contacts->placement,
                                      largest, &own->batch);
    pool_give(&contacts->finder->leftovers->scratches, &own->pooled);
    return status;
}

static abut_status search_all(abut_contacts *contacts, abut_error *error)
{
    const abut_query *query = &contacts->query;
    search s = {.contacts = contacts};
    reach_profile profile;
    s.flat_tilt = sin(0.5 * query->flat_angle);
    if (!fill_profile(query, &profile)) {
        return find_bad_sphere(query, error);
    }
    s.uses_planes = query->resolution == ABUT_HIERARCHY &&
                    profile.smallest <= REACH_LIMIT * (profile.smallest - query->gap);
    abut_status status = placement_build(&contacts->placement, contacts->finder, query, &profile);
    if (!status) {
        status = choose_order(contacts, profile.largest);
    }
    if (!status) {
        early_begin(&s.early, contacts);
        const parallel_plan plan = {.chunk_count = contacts->chunk_count,
                                    .work = query->sphere_count * WORK_OF_SPHERE,
                                    .workers = query->workers,
                                    .interrupted = query->interrupted,
                                    .interrupted_data = query->interrupted_data};
        status = parallel_run(&plan, search_chunk, &s);
    }
    if (!status) {
        status = number_rows(&s);
    }
    if (!status) {
        keep_statistics(&s);
    }
    return status == ABUT_CENTER_NOT_FINITE
               ? find_bad_sphere(query, error)
               : report(error, status, atomic_load(&s.crowded_sphere), 0, 0.0);
}

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error)
{
    const abut_query own = *query;
    abut_error found = {.status = ABUT_OK};
    *contacts = NULL;
    abut_status status = check_query(finder, &own, &found);
    abut_contacts *made = NULL;
    if (!status) {
        made = contacts_make(finder, &own);
        status = made ? search_all(made, &found) : report(&found, ABUT_NO_MEMORY, 0, 0, 0.0);
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
