/* Makes a neighbor list: sets allowances, and searches pairs within them. */
#include "make_list.h"

#include <string.h>

#include "../base/error.h"
#include "../spheres/grid.h"
#include "listing.h"

/* ---- allowances ---- */

/* The number of steps for which allowances are made: at first, the smallest and the largest. A list
 * for fewer steps takes longer to make than it saves, so it is then made for one step only. */
#define FIRST_HORIZON 30.0
#define LEAST_HORIZON 3.0
#define MOST_HORIZON 40.0

/* Factors of speeds in allowances (docs/dem.md eq. 34). OWN_SPEED: the sphere's own speed, a little
 * more because it may accelerate. MEAN_SPEED: the mean speed, since others may hit the sphere;
 * impacts move small spheres the farthest. Tested with size ratios up to 100. */
#define OWN_SPEED 1.1
#define MEAN_SPEED 0.35

/* The largest mean allowance, divided by the mean radius. Larger ones give too many candidates. */
#define MOST_ALLOWANCE 0.35

/* The largest allowance, divided by the smallest width of the box. Up to this value, the direction
 * in which a sphere has moved is unambiguous. */
#define PERIOD_PART 0.2

/* The strain of a periodic cell while a list is valid: at most, which makes gaps of a tenth of a
 * radius, and at least, which costs nothing. */
#define MOST_STRAIN 0.05
#define LEAST_STRAIN 0x1p-17

/* Sums and extremes over all spheres and outlines. */
typedef struct list_extent {
    double speeds, radii, smallest_radius;
    double largest_reach, largest_gap;
    box places;
} list_extent;

/* Data for computing allowances. */
typedef struct pacing {
    neighbor_list *list;
    const neighbor_spheres *spheres;
    int workers;
} pacing;

static void join_extents(void *total, const void *part)
{
    list_extent *sum = total;
    const list_extent *own = part;
    sum->speeds += own->speeds, sum->radii += own->radii;
    sum->smallest_radius = smaller(sum->smallest_radius, own->smallest_radius);
    sum->largest_gap = larger(sum->largest_gap, own->largest_gap);
    sum->largest_reach = larger(sum->largest_reach, own->largest_reach);
    box_include(&sum->places, &own->places);
}

static list_extent fold(const pacing *p, void (*add)(const void *, abut_index, abut_index, void *))
{
    const abut_index count = neighbor_count(p->spheres);
    const list_extent none = {.smallest_radius = INFINITY, .places = box_empty()};
    const parallel_folding folding = {add, join_extents, p, &none, sizeof none};
    list_extent all = none;
    parallel_fold(p->workers, count, 2 * count, &folding, &all);
    return all;
}

/* The speed of a sphere, relative to a cell that deforms. */
static double speed_of(const neighbor_spheres *s, abut_index sphere)
{
    if (sphere >= s->count) {
        return s->outlines.speeds[sphere - s->count];
    }
    vec3 velocity = vec3_load(s->movers[sphere].velocity);
    if (s->drift) {
        const vec3 center = vec3_load(s->centers + 3 * sphere);
        velocity = vec3_sub(velocity, affine_apply(s->drift, center));
    }
    return vec3_length(velocity);
}

static double radius_of(const neighbor_spheres *s, abut_index sphere)
{
    return sphere < s->count ? s->radii[sphere] : s->outlines.radii[sphere - s->count];
}

static void add_pace(const void *context, abut_index begin, abut_index end, void *part)
{
    const neighbor_spheres *s = ((const pacing *)context)->spheres;
    list_extent *sum = part;
    for (abut_index k = begin; k < end; k++) {
        const double radius = radius_of(s, k);
        sum->speeds += speed_of(s, k);
        sum->radii += radius;
        sum->smallest_radius = smaller(sum->smallest_radius, radius);
    }
}

static void measure(const pacing *p)
{
    const lattice *of = p->spheres->lattice;
    const double count = (double)neighbor_count(p->spheres);
    const list_extent sum = fold(p, add_pace);
    p->list->pace = (list_pace){.mean_speed = sum.speeds / count,
                                .smallest_radius = sum.smallest_radius,
                                .mean_radius = sum.radii / count,
                                .smallest_width = lattice_width(of)};
}

/* The rate at which the periodic cell deforms, a little more because the rate may grow. */
static double strain_rate(const neighbor_spheres *s)
{
    return s->drift ? OWN_SPEED * matrix_norm(s->drift->rows, 0.0) : 0.0;
}

/* Sets how much the cell may deform while a list is valid. A length then grows by at most the part
 * `stretch` of itself on the way back: |F^-1| <= 1 / (1 - |F - 1|). */
static void allow_strain(neighbor_list *l, const neighbor_spheres *s)
{
    const double strain = strain_rate(s) * s->step * l->pace.horizon;
    l->most_strain = s->drift && l->pace.horizon > 0.0 ? larger(strain, LEAST_STRAIN) : 0.0;
    l->pace.stretch = l->most_strain / (1.0 - l->most_strain);
    l->flows = false;
}

/* Chooses the number of steps for which a list is made. If spheres, materials or laws change, the
 * list is discarded. If this happened soon to the last list, it may happen in each step, and the
 * new list is for one step. Otherwise the number grows if few candidates are inactive, and falls if
 * many are. */
static double choose_horizon(neighbor_list *l, const neighbor_spheres *s)
{
    const list_pace *p = &l->pace;
    const bool changes = !l->is_made && l->lived <= 2 && l->counts.steps > 2;
    const double looked_at = (double)(l->candidate_count + l->outline_pair_count);
    const double worth = (double)(l->active_count + neighbor_count(s));
    if (l->horizon == 0.0) {
        l->horizon = FIRST_HORIZON;
    } else if (l->is_made && looked_at > 4.0 * worth) {
        l->horizon = larger(0.75 * l->horizon, LEAST_HORIZON);
    } else if (l->is_made && looked_at < 2.5 * worth) {
        l->horizon = smaller(1.25 * l->horizon, MOST_HORIZON);
    }
    const double a_step = (OWN_SPEED + MEAN_SPEED) * p->mean_speed * s->step;
    const double most = a_step > 0.0 ? MOST_ALLOWANCE * p->mean_radius / a_step : MOST_HORIZON;
    const double strain = strain_rate(s) * s->step;
    const double horizon =
        smaller(smaller(l->horizon, most), strain > 0.0 ? MOST_STRAIN / strain : MOST_HORIZON);
    return changes || horizon < LEAST_HORIZON ? 0.0 : horizon;
}

static double allowance_of(const neighbor_spheres *s, const list_pace *p, abut_index sphere)
{
    const double part = p->smallest_radius / radius_of(s, sphere);
    const double speed =
        OWN_SPEED * speed_of(s, sphere) + MEAN_SPEED * p->mean_speed * part * sqrt(part);
    const double time = p->horizon * s->step;
    const double way = time * speed + 0.5 * vec3_length(s->gravity) * time * time;
    return smaller(way, PERIOD_PART * p->smallest_width);
}

void make_list_set_allowance(neighbor_list *l, const neighbor_spheres *s, abut_index sphere)
{
    const double period = lattice_longest(s->lattice);
    const double allowance = allowance_of(s, &l->pace, sphere);
    const double far = vec3_max_abs(vec3_load(neighbor_center(s, sphere)));
    const double lost = LIST_ROUNDING * (radius_of(s, sphere) + allowance + period + far);
    const double own = allowance > lost ? allowance - lost : 0.0;
    anchor *a = &l->anchors[sphere];
    memcpy(a->place, l->places[sphere].place, sizeof a->place);
    a->allowance_sq = own * own;
    l->gaps[sphere] = 2.0 * allowance + neighbor_reach(s, sphere);
    if (l->pace.stretch > 0.0) {
        l->gaps[sphere] += l->pace.stretch * (2.0 * radius_of(s, sphere) + l->gaps[sphere]);
    }
}

static void add_allowances(const void *context, abut_index begin, abut_index end, void *part)
{
    const pacing *p = context;
    list_extent *of = part;
    for (abut_index k = begin; k < end; k++) {
        make_list_set_allowance(p->list, p->spheres, k);
        const double gap = p->list->gaps[k];
        of->largest_gap = larger(of->largest_gap, gap);
        of->largest_reach = larger(of->largest_reach, radius_of(p->spheres, k) + 0.5 * gap);
        box_include_point(&of->places, vec3_load(p->list->anchors[k].place));
    }
}

/* Sets the allowances of all spheres, and the box in which their centers stay. */
static void set_allowances(const pacing *p)
{
    neighbor_list *l = p->list;
    const list_extent all = fold(p, add_allowances);
    l->largest_reach = all.largest_reach;
    l->region = all.places;
    for (int axis = 0; axis < 3; axis++) {
        l->region.low[axis] -= 0.5 * all.largest_gap;
        l->region.high[axis] += 0.5 * all.largest_gap;
    }
}

/* ---- the search ---- */

/* The input of the search. */
typedef struct searched {
    const double *centers, *radii;
} searched;

/* Joins spheres and outlines to one input. Its columns are NULL if there is no memory. */
static searched join_outlines(neighbor_list *l, const neighbor_spheres *s)
{
    const size_t spheres = (size_t)s->count, outlines = (size_t)s->outlines.count;
    if (outlines == 0) {
        return (searched){s->centers, s->radii};
    }
    double *centers = memory_reserve(&l->blocks[19], 3 * neighbor_count(s), sizeof *centers);
    double *radii = memory_reserve(&l->blocks[20], neighbor_count(s), sizeof *radii);
    if (!centers || !radii) {
        return (searched){NULL, NULL};
    }
    if (spheres > 0) {
        memcpy(centers, s->centers, 3 * spheres * sizeof *centers);
        memcpy(radii, s->radii, spheres * sizeof *radii);
    }
    memcpy(centers + 3 * spheres, s->outlines.centers, 3 * outlines * sizeof *centers);
    memcpy(radii + spheres, s->outlines.radii, outlines * sizeof *radii);
    return (searched){centers, radii};
}

static abut_status search(neighbor_list *l, const neighbor_spheres *s, const parallel_plan *plan,
                          abut_pair_finder **finder, abut_pairs **found, abut_error *error)
{
    const searched all = join_outlines(l, s);
    if (!all.centers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_pair_input input = abut_pair_input_default();
    abut_pair_query query = abut_pair_query_default();
    input.sphere_count = neighbor_count(s);
    input.radii = all.radii, input.gaps = l->gaps;
    input.period = lattice_vectors(s->lattice);
    input.workers = query.workers = plan->workers;
    input.lender = s->lender;
    query.centers = all.centers;
    query.interrupted = plan->interrupted;
    query.interrupted_data = plan->interrupted_data;
    const abut_status status = abut_pair_finder_build(&input, finder, error);
    return status ? status : abut_pairs_find(*finder, &query, found, error);
}

/* ---- making a list ---- */

static abut_status make_for(const pacing *p, const parallel_plan *plan, abut_error *error)
{
    neighbor_list *l = p->list;
    const neighbor_spheres *s = p->spheres;
    abut_pair_finder *finder = NULL;
    abut_pairs *found = NULL;
    allow_strain(l, s);
    set_allowances(p);
    abut_status status = search(l, s, plan, &finder, &found, error);
    if (!status) {
        const bool has_images = listing_has_several_images(s, 2.0 * l->largest_reach);
        status = error_set_status(error, listing_take(l, s, found, has_images, plan));
    }
    abut_pairs_free(found);
    abut_pair_finder_free(finder);
    return status;
}

static void begin_life(neighbor_list *l)
{
    l->is_made = l->is_new = true;
    l->has_past = false;
    l->is_for_one_step = l->pace.horizon == 0.0;
    l->lived = 0;
}

abut_status neighbor_list_make(neighbor_list *l, const neighbor_spheres *s,
                               const parallel_plan *plan, abut_error *error)
{
    const pacing p = {l, s, plan->workers};
    l->sphere_count = s->count;
    if (!neighbor_list_room(l, s->count, s->outlines.count, memory_reserve)) {
        l->is_made = false;
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    measure(&p);
    l->pace.horizon = choose_horizon(l, s);
    l->is_made = false;
    abut_status status = make_for(&p, plan, error);
    const bool may_be_allowances = status && status != ABUT_NO_MEMORY && status != ABUT_INTERRUPTED;
    if (may_be_allowances && l->pace.horizon > 0.0) {
        l->pace.horizon = 0.0; /* a further error then comes from the spheres themselves */
        status = make_for(&p, plan, error);
    }
    if (!status) {
        begin_life(l);
    }
    return status;
}
