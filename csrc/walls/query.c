/* A query from beginning to end: it is checked, its meshes are placed, its spheres are searched in
 * some order, and rows are numbered. */
#include "../base/error.h"
#include "../base/lattice.h"
#include "../base/parallel.h"
#include "../mesh/tolerance.h"
#include "facet_list.h"
#include "find_contacts.h"
#include "contact_finder.h"
#include "half_spaces.h"
#include "kernels.h"
#include "contact_rows.h"

/* Larger exponents of a contact law are rejected as mistakes: powers of overlaps would vanish. */
#define EXPONENT_LIMIT 10.0

/* A sample of this many radii gives their distribution. */
enum { RADIUS_SAMPLE = 2048 };

abut_query abut_query_default(void)
{
    return (abut_query){
        .resolution = ABUT_HIERARCHY, .exponent = 1.5, .weights = ABUT_WACHSPRESS, .workers = 1};
}

static abut_status find_bad_sphere(const abut_query *query, abut_error *error)
{
    for (abut_index i = 0; i < 3 * query->sphere_count; i++) {
        double x = query->centers[i];
        if (!isfinite(x)) {
            return error_set(error, ABUT_CENTER_NOT_FINITE, i / 3, i % 3, x);
        }
        if (fabs(x) > ABUT_COORDINATE_LIMIT) {
            return error_set(error, ABUT_CENTER_TOO_FAR, i / 3, i % 3, x);
        }
    }
    for (abut_index i = 0; i < query->sphere_count; i++) {
        double radius = query->radii[i];
        if (!(radius > 0.0 && radius <= ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_RADIUS, i, 0, radius);
        }
    }
    return error_set_status(error, ABUT_INPUT_CHANGED);
}

/* Rejects the weights of eq. 28, which are for quads, if a facet has more than 4 corners. Triangles
 * have only one kind of weights. */
static abut_status check_weights(const abut_finder *finder, abut_index number,
                                 const abut_query *query, abut_error *error)
{
    const abut_mesh *mesh = finder->meshes[number].mesh;
    for (abut_index f = 0; query->weights == ABUT_ZHONG && f < mesh->view.facet_count; f++) {
        if (mesh_polygon(mesh, f).count > 4) {
            abut_index corners = mesh_polygon(mesh, f).count;
            return error_set(error, ABUT_BAD_WEIGHTS, f, corners, (double)number);
        }
    }
    return ABUT_OK;
}

static abut_status check_numbers(const abut_query *query, abut_error *error)
{
    if (!(query->gap >= 0.0 && query->gap <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_BAD_GAP, 0, 0, query->gap);
    }
    if (!(query->flat_angle >= 0.0 && query->flat_angle < 0.5 * PI)) {
        return error_set(error, ABUT_BAD_FLAT_ANGLE, 0, 0, query->flat_angle);
    }
    if (!(query->exponent > 0.0 && query->exponent <= EXPONENT_LIMIT)) {
        return error_set(error, ABUT_BAD_EXPONENT, 0, 0, query->exponent);
    }
    const lattice repeats = lattice_load(query->period, 3);
    return lattice_check(&repeats, error);
}

static abut_status check_query(const abut_finder *finder, const abut_query *query,
                               abut_error *error)
{
    abut_status status = check_numbers(query, error);
    status = status ? status : half_spaces_check(query, finder->mesh_count, error);
    const lattice repeats = lattice_load(query->period, 3);
    if (!status && finder->mesh_count > 0 && !repeats.is_along_axes) {
        status = error_set(error, ABUT_TILTED_PERIOD, lattice_tilted_vector(&repeats), 0, 0.0);
    }
    for (abut_index k = 0; !status && k < finder->mesh_count; k++) {
        status = check_weights(finder, k, query, error);
    }
    return status;
}

/* The octave of a reach, counted from the first. The last octave also has all reaches outside the
 * range. Among these are reaches that the caller has changed meanwhile, which may be below the
 * smallest one or no number. */
static int64_t octave_of(const reach_profile *profile, double reach)
{
    const int64_t octave = (int64_t)ilogb(reach) - profile->first_octave;
    return (uint64_t)octave < REACH_OCTAVES ? octave : REACH_OCTAVES - 1;
}

bool query_profile(const abut_query *query, reach_profile *profile)
{
    double smallest, largest;
    *profile = (reach_profile){.sphere_count = query->sphere_count};
    if (query->sphere_count == 0) {
        return true;
    }
    if (!kernels_take()->query_radii(query->sphere_count, query->radii, &smallest, &largest)) {
        return false;
    }
    profile->smallest = smallest + query->gap;
    profile->largest = largest + query->gap;
    profile->first_octave = ilogb(profile->smallest);
    abut_index step = query->sphere_count / RADIUS_SAMPLE + 1;
    for (abut_index i = 0; i < query->sphere_count; i += step) {
        profile->counts[octave_of(profile, query->radii[i] + query->gap)]++;
    }
    /* the sample may have missed the few largest spheres. They are counted here. Otherwise all
     * spheres would use the bins for the largest reach */
    abut_index *giants = &profile->counts[octave_of(profile, profile->largest)];
    *giants = *giants > 0 ? *giants : 1;
    return true;
}

/* ---- searching ---- */

static void keep_statistics(const abut_contacts *contacts, const find_counts *found)
{
    query_counts *counts = &contacts->finder->leftovers->counts;
    atomic_store(&counts->spheres, contacts->now.query.sphere_count);
    atomic_store(&counts->candidates, found->entries);
    atomic_store(&counts->tests, found->tests);
    atomic_store(&counts->touches, found->touches);
    atomic_store(&counts->contacts, abut_contacts_count(contacts));
}

/* Searches all spheres, and numbers the rows. */
static abut_status find_rows(abut_contacts *contacts, const reach_profile *profile,
                             find_counts *counts)
{
    contact_query *now = &contacts->now;
    early e;
    find_task task = {.finder = contacts->finder,
                      .query = &now->query,
                      .scene = &now->scene,
                      .list = now->list,
                      .profile = now->list ? NULL : profile,
                      .rows = contacts->order.rows,
                      .sink = contacts_sink(contacts)};
    if (now->has_room && !contacts->order.is_by_place) {
        task.sink = early_begin(&e, contacts);
        abut_status status = find_records(&task, counts);
        early_end(&e);
        return status;
    }
    abut_status status = find_records(&task, counts);
    return status ? status : contacts_number_rows(contacts);
}

/* Writes all rows to the caller's memory, if they fit. */
static void fill_room(const abut_contacts *contacts)
{
    const abut_room *room = &contacts->now.room;
    if (contacts->now.has_room && abut_contacts_count(contacts) <= room->rows &&
        abut_contacts_node_count(contacts) <= room->nodes) {
        abut_contacts_write(contacts, &room->columns);
    }
}

/* The part of a query that its threads do together, once its meshes are placed. */
typedef struct searching {
    abut_contacts *contacts;
    reach_profile profile;
    find_counts counts;
    abut_status status;
} searching;

static void search_together(void *context)
{
    searching *s = context;
    abut_contacts *contacts = s->contacts;
    contact_query *now = &contacts->now;
    if (now->list) {
        order_keep(&contacts->order, &now->query);
    } else {
        s->status = order_choose(&contacts->order, &now->query, &now->scene, s->profile.largest);
    }
    if (!s->status) {
        s->status = find_rows(contacts, &s->profile, &s->counts);
    }
    if (!s->status) {
        keep_statistics(contacts, &s->counts);
        fill_room(contacts);
    }
}

static abut_status search(abut_contacts *contacts, abut_error *error)
{
    contact_query *now = &contacts->now;
    const sphere_order *order = &contacts->order;
    searching s = {.contacts = contacts};
    if (!now->list && !query_profile(&now->query, &s.profile)) {
        return find_bad_sphere(&now->query, error);
    }
    s.status = scene_build(&now->scene, &contacts->scene_room, contacts->finder, &now->query,
                           now->list ? NULL : &s.profile);
    if (!s.status) {
        parallel_together(now->query.workers, WORK_OF_SPHERE * now->query.sphere_count,
                          search_together, &s);
    }
    const abut_index overfull = s.counts.overfull_sphere;
    return s.status == ABUT_CENTER_NOT_FINITE
               ? find_bad_sphere(&now->query, error)
               : error_set(error, s.status,
                           order->is_by_place ? order->spheres[overfull] : overfull, 0, 0.0);
}

abut_status contacts_find_listed(const abut_finder *finder, const abut_query *query,
                                 const facet_list *list, const abut_room *room,
                                 abut_contacts **contacts, abut_error *error)
{
    const abut_query copy = *query;
    abut_error found = {.status = ABUT_OK};
    *contacts = NULL;
    abut_status status = list ? ABUT_OK : check_query(finder, &copy, &found);
    abut_contacts *made = NULL;
    if (!status) {
        made = contacts_make(finder, &copy, list, room);
        status = made ? search(made, &found) : error_set_status(&found, ABUT_NO_MEMORY);
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

abut_status abut_contacts_find_into(const abut_finder *finder, const abut_query *query,
                                    const abut_room *room, abut_contacts **contacts,
                                    abut_error *error)
{
    return contacts_find_listed(finder, query, NULL, room, contacts, error);
}

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error)
{
    return abut_contacts_find_into(finder, query, NULL, contacts, error);
}
