/* Distance hierarchy: which touching facets stay contacts. The only place where a contact is
 * dropped.
 *
 * A facet's contact is its closest point P with the contact vector V = C - P, so the contact type
 * hierarchy (table 3) is done before this file begins. Neighbors that a sphere touches at once say
 * partly the same: a sphere over one facet of a plane also overlaps the edges of the next. Table 4:
 * contact j eliminates i when the projection of V_i on V_j is as long as V_j, that is when P_i is
 * not in front of the tangent plane of the sphere of distances at P_j:
 *
 *            C
 *           /|                 n_j . (P_i - P_j) <= 0 : eliminated, P_j says it already
 *      V_i / | V_j             n_j . (P_i - P_j) >  0 : P_i is a wall of its own
 *         /  |
 *     ---P_i-P_j-------
 *
 * The relation is not transitive, so table 4 as printed keeps what the order of the facets happens
 * to leave. Here contacts are taken nearest first and only a contact that was kept eliminates
 * others: one sweep, one answer.
 *
 * Facets that should be coplanar are not, to the last digits of their coordinates. How far a point
 * may stand in front of a tangent plane by that noise alone follows from the noise of the two
 * facets (contact.md, section 3):
 *   - it is off by a few eps_n along the normal;
 *   - a bump of height eps_n on a plane moves the closest point sideways by sqrt(2 eps_n d), which
 * tilts V_j by sqrt(2 eps_n / d); a crack at a T-junction tilts it by eps / d. */
#include "hierarchy.h"

#include <stdlib.h>

#include "tolerance.h"

/* Lists up to this long, nearly all, are sorted by insertion. */
enum { INSERTION_LIMIT = 24 };

static int compare_numbers(int32_t a, int32_t b)
{
    return (a > b) - (a < b);
}

/* Facets that give the very same contact are told apart by where they are in their mesh, not by
 * their number. */
static int compare_places(const touch *a, const touch *b)
{
    int order = compare_numbers(a->view->number, b->view->number);
    for (int i = 0; !order && i < 3; i++) {
        order = vec3_compare(a->triangle->corner[i], b->triangle->corner[i]);
    }
    for (int i = 0; !order && i < 3; i++) {
        order = compare_numbers(a->view->image[i], b->view->image[i]);
    }
    return order ? order : compare_numbers(a->triangle->facet, b->triangle->facet);
}

static int compare_ties(const touch *a, const touch *b)
{
    if (a->closest.type != b->closest.type) {
        return a->closest.type < b->closest.type ? -1 : 1;
    }
    int order = vec3_compare(a->closest.offset, b->closest.offset);
    if (!order && touch_is_at_center(a)) {
        order = vec3_compare(touch_facet_normal(a), touch_facet_normal(b));
    }
    return order ? order : compare_places(a, b);
}

static inline bool comes_before(const touch *a, const touch *b)
{
    return a->distance < b->distance || (a->distance == b->distance && compare_ties(a, b) < 0);
}

static int compare_touches(const void *a, const void *b)
{
    return comes_before(a, b) ? -1 : comes_before(b, a);
}

static void insertion_sort(touch *items, abut_index count)
{
    for (abut_index i = 1; i < count; i++) {
        if (!comes_before(&items[i], &items[i - 1])) {
            continue;
        }
        touch item = items[i];
        abut_index k = i;
        for (; k > 0 && comes_before(&item, &items[k - 1]); k--) {
            items[k] = items[k - 1];
        }
        items[k] = item;
    }
}

void hierarchy_sort(touches *list)
{
    if (list->count > INSERTION_LIMIT) {
        qsort(list->items, (size_t)list->count, sizeof *list->items, compare_touches);
    } else {
        insertion_sort(list->items, list->count);
    }
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The tilt of j's tangent plane that noise, or the angle that is to count as flat, explains. */
static double tangent_tilt(double noise, double normal_noise, double distance, double flat_tilt)
{
    double tilt = flat_tilt;
    if (normal_noise > 0.0) {
        tilt = larger(tilt, TILT_FROM_NORMAL_NOISE * sqrt(normal_noise / distance));
    }
    if (noise > 0.0) {
        tilt = larger(tilt, TILT_FROM_NOISE * noise / distance);
    }
    return tilt < 1.0 ? tilt : 1.0;
}

/* Whether P_i does not stand in front of the tangent plane at P_j by more than noise can explain.
 * Nearly all do not stand in front at all, or by less than eps_n: roots are taken for the rest. */
static bool eliminates(const touch *j, const touch *i, double flat_tilt)
{
    /* P_i - P_j, from the contact vectors: they are relative to the center and round least */
    vec3 apart = vec3_sub(j->closest.offset, i->closest.offset);
    bool at_center = touch_is_at_center(j);
    vec3 axis = at_center ? touch_facet_normal(j) : j->closest.offset;
    double axis_length = at_center ? 1.0 : j->distance;
    double in_front = vec3_dot(axis, apart); /* times the axis' length, as are the limits below */
    double normal_noise = larger(i->normal_noise, j->normal_noise);
    double limit = FRONT_NOISES * normal_noise * axis_length;
    if (in_front <= limit) {
        return true;
    }
    double noise = larger(i->noise, j->noise);
    double tilt = tangent_tilt(noise, normal_noise, j->distance, flat_tilt);
    return in_front <= limit + tilt * axis_length * sqrt(vec3_norm_sq(apart));
}

static bool is_same_contact(const touch *a, const touch *b)
{
    return a->distance == b->distance && vec3_compare(a->closest.offset, b->closest.offset) == 0 &&
           (!touch_is_at_center(a) ||
            vec3_compare(touch_facet_normal(a), touch_facet_normal(b)) == 0);
}

static bool is_eliminated(const touch *kept, abut_index kept_count, const touch *i,
                          double flat_tilt)
{
    for (abut_index k = 0; k < kept_count; k++) {
        if (eliminates(&kept[k], i, flat_tilt)) {
            return true;
        }
    }
    return false;
}

static void take_noise(touch *of, const touch *from)
{
    of->noise = larger(of->noise, from->noise);
    of->normal_noise = larger(of->normal_noise, from->normal_noise);
}

/* Contacts that are the same to the bit are one, as noisy as the noisiest. Sorted, those of one
 * type are neighbors. */
static void merge_same(touches *list)
{
    abut_index last = 0;
    for (abut_index i = 1; i < list->count; i++) {
        if (list->items[i].closest.type == list->items[last].closest.type &&
            is_same_contact(&list->items[i], &list->items[last])) {
            take_noise(&list->items[last], &list->items[i]);
        } else {
            list->items[++last] = list->items[i];
        }
    }
    list->count = list->count > 0 ? last + 1 : 0;
}

/* The contact `first` and those after it at its distance that are the same take the noise of all of
 * them. Returns how many it was compared with. */
static abut_index share_noise_with_next(touches *list, abut_index first)
{
    touch *a = &list->items[first];
    abut_index k = first + 1;
    for (; k < list->count && list->items[k].distance == a->distance; k++) {
        touch *b = &list->items[k];
        if (is_same_contact(a, b)) {
            take_noise(a, b);
            take_noise(b, a);
        }
    }
    return k - first - 1;
}

/* Likewise for those of several types (at a T-junction), which are at one
 * distance but not neighbors. */
static abut_status share_noise(touches *list, parallel_job *job)
{
    abut_status status = ABUT_OK;
    for (abut_index i = 0; !status && i < list->count; i++) {
        abut_index compared = share_noise_with_next(list, i);
        status = compared > 0 ? parallel_report(job, compared / 2) : ABUT_OK;
    }
    return status;
}

abut_status hierarchy_eliminate(touches *list, double flat_tilt, parallel_job *job)
{
    merge_same(list);
    abut_status status = share_noise(list, job);
    abut_index kept = 0;
    for (abut_index i = 0; !status && i < list->count; i++) {
        status = parallel_report(job, 1 + kept / 2);
        if (!is_eliminated(list->items, kept, &list->items[i], flat_tilt)) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
    return status;
}
