/* The sets of bins of a mesh, and the choice among them for a query's spheres. */
#include "sets.h"

#include <string.h>

#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "pieces.h"
#include "flat_buckets.h"
#include "slabs.h"

/* Steps of the ladder (sets.h) in an octave: 2^(k/4), rounded up. */
enum { STEPS_PER_OCTAVE = 4 };
static const double steps[STEPS_PER_OCTAVE] = {1.0, 1.1893, 1.4143, 1.6818};

/* The first step is this many octaves below the usual extent. So small a reach hardly enlarges the
 * boxes of facets. */
enum { OCTAVES_BELOW_FACET = 2 };

/* If a sphere has at most this many candidates, they take little time, however small the facets. */
enum { FEW = 64 };

/* Facets longer than this many widths count as if they were this many widths long. */
#define WIDTHS 8.0

/* The range of octaves of facets' extents: those of all doubles. */
enum { EXPONENT_LOW = -1074, EXPONENT_COUNT = 2100 };

/* The cost of one more band (sets.h) in a query, as a number of candidates for every sphere. */
#define BAND_CANDIDATES 24.0

/* ---- building ---- */

/* The extent of a facet. For a long narrow facet it is some widths, since a sphere is near only a
 * part of the facet. */
static double usual_extent(const abut_mesh *mesh, abut_index facet, const box *whole)
{
    const double extent = box_extent(whole),
                 widths = WIDTHS * 2.0 * mesh->view.areas[facet] / extent;
    return widths < extent ? widths : extent;
}

/* The octave of the facet that has `smaller` facets before it in the order of size. `counts` has
 * the number of facets in each octave. */
static int octave_of(const abut_index *counts, abut_index smaller)
{
    int octave = 0;
    for (abut_index below = counts[0]; below <= smaller; below += counts[octave]) {
        octave++;
    }
    return octave;
}

/* Measures the facets' extents and bounds. The usual extent is the mean of the octave with the
 * median. If more than FEW facets are far smaller, it is the mean of the octave of facet FEW in the
 * order of size, since all spheres may be at a small part of the mesh. */
static facet_extents measure_facets(const abut_mesh *mesh, box *bounds)
{
    abut_index counts[EXPONENT_COUNT] = {0};
    double sums[EXPONENT_COUNT] = {0.0};
    *bounds = box_empty();
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        box whole = mesh_box(mesh, f);
        double extent = usual_extent(mesh, f, &whole);
        int octave = ilogb(extent) - EXPONENT_LOW;
        box_include(bounds, &whole);
        counts[octave]++;
        sums[octave] += extent;
    }
    const abut_index half = mesh->view.facet_count / 2;
    const int median = octave_of(counts, half), low = octave_of(counts, half < FEW ? half : FEW);
    const int usual = median - low > OCTAVES_BELOW_FACET ? low : median;
    facet_extents extents = {.usual = sums[usual] / (double)counts[usual],
                             .median = sums[median] / (double)counts[median]};
    for (int octave = usual; octave < median; octave++) {
        extents.smaller_count += counts[octave];
    }
    return extents;
}

static double step_reach(const binned_mesh *binned, int step)
{
    int octave = binned->first_octave + step / STEPS_PER_OCTAVE;
    return ldexp(steps[step % STEPS_PER_OCTAVE], octave);
}

abut_status sets_prepare(binned_mesh *binned, const abut_mesh *mesh, const vicinity *near)
{
    binned->mesh = mesh;
    binned->near = *near;
    binned->bounds = box_empty();
    if (mesh->view.facet_count > 0) {
        binned->extents = measure_facets(mesh, &binned->bounds);
        int last = ilogb(box_extent(&binned->bounds)) + 1;
        binned->first_octave = ilogb(binned->extents.usual) - OCTAVES_BELOW_FACET;
        binned->step_count = STEPS_PER_OCTAVE * (last - binned->first_octave) + 1;
        binned->whole_reach = step_reach(binned, binned->step_count - 1);
    }
    abut_index count = binned->step_count + 1;
    binned->sets = memory_alloc_zeroed(count, sizeof *binned->sets);
    binned->fine_sets = memory_alloc_zeroed(count, sizeof *binned->fine_sets);
    binned->uses = memory_alloc_zeroed(count, sizeof *binned->uses);
    return binned->sets && binned->fine_sets && binned->uses ? ABUT_OK : ABUT_NO_MEMORY;
}

static void free_ladder(_Atomic(bins *) *sets, int count)
{
    for (int k = 0; sets && k < count; k++) {
        bins_free(atomic_load(&sets[k]));
    }
    memory_free(sets);
}

void sets_free(binned_mesh *binned)
{
    free_ladder(binned->sets, binned->step_count + 1);
    free_ladder(binned->fine_sets, binned->step_count + 1);
    memory_free(binned->uses);
    memory_free(binned->anchors);
}

/* ---- vertices that move ---- */

/* The slack, in usual extents of a facet. With more slack sets are kept longer, but spheres have
 * more candidates, by a factor that does not depend on the mesh. */
#define SLACK_OF_FACET 0.125

/* Whether no vertex has moved farther than the slack from where it was when the ladder was begun
 * (its anchor). */
static bool is_within_slack(const binned_mesh *binned, const abut_mesh *mesh)
{
    const double *at = mesh->vertices, *from = binned->anchors;
    const double far = box_farthest(&binned->bounds), slack = binned->near.slack;
    const double usable = slack - CULL_SLACK * (slack + far);
    double farthest_sq = 0.0;
    for (abut_index k = 0; k < mesh->view.vertex_count; k++) {
        const vec3 moved = vec3_sub(vec3_load(at + 3 * k), vec3_load(from + 3 * k));
        farthest_sq = larger(farthest_sq, vec3_norm_sq(moved));
    }
    return usable > 0.0 && farthest_sq <= usable * usable;
}

/* Begins a new ladder, with the present vertices as anchors, and a slack. */
static abut_status begin_anew(binned_mesh *next, const abut_mesh *mesh, const vicinity *near)
{
    const size_t bytes = 3 * (size_t)mesh->view.vertex_count * sizeof *next->anchors;
    abut_status status = sets_prepare(next, mesh, near);
    next->anchors = memory_alloc(mesh->view.vertex_count, 3 * sizeof *next->anchors);
    if (status || !next->anchors) {
        return ABUT_NO_MEMORY;
    }
    memcpy(next->anchors, mesh->vertices, bytes);
    next->near.slack = SLACK_OF_FACET * next->extents.usual;
    for (int axis = 0; axis < 3; axis++) {
        next->bounds.low[axis] -= next->near.slack, next->bounds.high[axis] += next->near.slack;
    }
    return ABUT_OK;
}

abut_status sets_update(binned_mesh *binned, const abut_mesh *mesh)
{
    if (binned->anchors && is_within_slack(binned, mesh)) {
        binned->mesh = mesh;
        return ABUT_OK;
    }
    binned_mesh next = {.mesh = mesh};
    const abut_status status = begin_anew(&next, mesh, &binned->near);
    sets_free(status ? &next : binned);
    if (!status) {
        *binned = next;
    }
    return status;
}

/* ---- sets ---- */

/* The first step that is at least the reach; step_count if the whole mesh may be near. */
static int step_for(const binned_mesh *binned, double reach)
{
    if (!(reach <= binned->whole_reach)) {
        return binned->step_count;
    }
    if (reach == 0.0) {
        return 0; /* no spheres */
    }
    int octave = ilogb(reach) - binned->first_octave;
    int step = octave > 0 ? STEPS_PER_OCTAVE * octave : 0;
    while (step_reach(binned, step) < reach) {
        step++;
    }
    return step;
}

static bins *build_set(const binned_mesh *binned, int step, bool is_fine)
{
    if (step == binned->step_count) { /* this step has no fine set */
        return bins_build_whole(binned->mesh, &binned->near);
    }
    const double reach = step_reach(binned, step);
    bins *set = is_fine ? bins_build_fine(binned->mesh, reach, &binned->near)
                        : bins_build(binned->mesh, reach, &binned->near);
    if (set && bins_find_planes(set, binned->mesh, reach) &&
        (!is_fine || bins_find_slabs(set, binned->mesh, reach))) {
        return set;
    }
    bins_free(set);
    return NULL;
}

/* Publishes a set for a step, or discards it if another thread has published one. */
static abut_status publish(_Atomic(bins *) *slot, bins *made, const bins **set)
{
    bins *published = NULL;
    if (!made) {
        return ABUT_NO_MEMORY;
    }
    if (atomic_compare_exchange_strong(slot, &published, made)) {
        *set = made;
        return ABUT_OK;
    }
    bins_free(made);
    *set = published;
    return ABUT_OK;
}

/* To place a facet or a piece in small cells takes somewhat longer than queries of this many
 * spheres save. A fine set is built when this many spheres for each facet or piece have used the
 * step. After about as many more, the fine set has saved the time of its build. */
#define SPHERES_PER_PIECE 16.0

/* Building any set takes at least as long as a query of this many spheres. */
#define FEW_SPHERES 1e5

/* Whether enough spheres have used this step that building its fine set saves time. */
static bool is_worth_refining(const binned_mesh *binned, int step, abut_index sphere_count)
{
    set_use *use = &binned->uses[step];
    abut_index spheres = atomic_fetch_add(&use->spheres, sphere_count);
    double at_least = SPHERES_PER_PIECE * (double)binned->mesh->view.facet_count;
    at_least = at_least > FEW_SPHERES ? at_least : FEW_SPHERES;
    if (step == binned->step_count || (double)spheres < at_least) {
        return false;
    }
    abut_index enough = atomic_load(&use->enough);
    if (enough == 0) {
        double count = pieces_expected(binned->mesh, step_reach(binned, step));
        enough = (abut_index)(count > 0.0 ? SPHERES_PER_PIECE * count : at_least);
        atomic_store(&use->enough, enough);
    }
    return spheres >= enough;
}

static abut_status provide_set(const binned_mesh *binned, int step, bool is_fine, const bins **set)
{
    _Atomic(bins *) *slot = is_fine ? &binned->fine_sets[step] : &binned->sets[step];
    *set = atomic_load(slot);
    return *set ? ABUT_OK : publish(slot, build_set(binned, step, is_fine), set);
}

/* The set of a step for a query: the fine set if it exists, or if building it saves time. */
static abut_status take_set(const binned_mesh *binned, int step, abut_index sphere_count,
                            const bins **set)
{
    *set = atomic_load(&binned->fine_sets[step]);
    if (*set) {
        return ABUT_OK;
    }
    return provide_set(binned, step, is_worth_refining(binned, step, sphere_count), set);
}

/* Reaches as large as the mesh have no fine set. */
abut_status sets_refine(const binned_mesh *binned, double reach)
{
    const int step = step_for(binned, reach);
    const bins *set;
    return provide_set(binned, step, step < binned->step_count, &set);
}

/* ---- bands ---- */

/* The octaves of a profile that have spheres, and the best bands for them. */
typedef struct octave_plan {
    int count;
    int step[REACH_OCTAVES]; /* the step of the ladder that serves each octave */
    double spheres[REACH_OCTAVES];
    double cost[REACH_OCTAVES + 1]; /* cost[k]: of the best bands for octaves 0 ... k - 1 */
    int from[REACH_OCTAVES + 1];    /* from[k]: the first octave of the last of these bands */
} octave_plan;

/* Lists a profile's octaves and the steps that serve them, none above that of the largest reach. */
static octave_plan list_octaves(const binned_mesh *binned, const reach_profile *profile)
{
    octave_plan plan = {.count = 0};
    int top = step_for(binned, profile->largest);
    for (int k = 0; k < REACH_OCTAVES; k++) {
        if (profile->counts[k] > 0) {
            int step = step_for(binned, ldexp(1.0, profile->first_octave + k + 1));
            plan.step[plan.count] = step < top ? step : top;
            plan.spheres[plan.count++] = (double)profile->counts[k];
        }
    }
    if (plan.count == 0) {
        plan.count = 1;
    }
    plan.step[plan.count - 1] = top;
    return plan;
}

/* The number of candidates of a sphere at `count` facets of one extent: those with grown boxes in
 * the sphere's cell. Each facet has an area of half its extent squared. */
static double candidates_among(double count, double extent, double reach)
{
    const double grown = extent + 2.0 * reach;
    const double side = (grown + ldexp(1.0, ilogb(grown))) / extent;
    return 2.0 * side * side < count ? 2.0 * side * side : count;
}

/* The number of candidates of a sphere at the mesh. For a large sphere these are all small facets,
 * and few large ones. */
static double expected_candidates(const binned_mesh *binned, int step)
{
    const double all = (double)binned->mesh->view.facet_count;
    if (step == binned->step_count) {
        return all;
    }
    const facet_extents *extents = &binned->extents;
    const double reach = step_reach(binned, step), smaller = (double)extents->smaller_count;
    return candidates_among(smaller, extents->usual, reach) +
           candidates_among(all - smaller, extents->median, reach);
}

/* Finds the bands with the lowest cost, from small reaches to large ones. Returns their number. */
static int divide_octaves(const binned_mesh *binned, octave_plan *plan, double band_candidates)
{
    double all = 0.0;
    for (int k = 0; k < plan->count; k++) {
        all += plan->spheres[k];
    }
    for (int end = 1; end <= plan->count; end++) {
        double candidates = expected_candidates(binned, plan->step[end - 1]), spheres = 0.0;
        plan->cost[end] = INFINITY;
        for (int begin = end - 1; begin >= 0; begin--) {
            spheres += plan->spheres[begin];
            double cost = plan->cost[begin] + spheres * candidates + all * band_candidates;
            if (cost < plan->cost[end]) {
                plan->cost[end] = cost;
                plan->from[end] = begin;
            }
        }
    }
    int bands = 0;
    for (int end = plan->count; end > 0; end = plan->from[end]) {
        bands++;
    }
    return bands;
}

abut_status sets_choose_bands(const binned_mesh *binned, const reach_profile *profile,
                              reach_band *bands, int *band_count)
{
    octave_plan plan = list_octaves(binned, profile);
    double band_candidates = BAND_CANDIDATES;
    int count = divide_octaves(binned, &plan, band_candidates);
    while (count > BAND_LIMIT) {
        band_candidates *= 2.0;
        count = divide_octaves(binned, &plan, band_candidates);
    }
    *band_count = count;
    abut_status status = ABUT_OK;
    for (int end = plan.count; !status && end > 0; end = plan.from[end]) {
        int step = plan.step[end - 1], below = plan.from[end];
        reach_band *band = &bands[--count];
        band->low = below > 0 ? step_reach(binned, plan.step[below - 1]) : 0.0;
        band->high = step < binned->step_count ? step_reach(binned, step) : INFINITY;
        status = take_set(binned, step, profile->sphere_count, &band->set);
    }
    return status;
}

/* ---- statistics ---- */

static void add_set(abut_statistics *sum, const bins *set)
{
    sum->set_count++;
    sum->cell_count += set->bucket_count;
    sum->entry_count += set->entry_count;
    sum->occupied_count += bins_occupied_count(set);
    sum->byte_count += bins_byte_count(set);
}

static void add_ladder(abut_statistics *sum, const _Atomic(bins *) *sets, int count)
{
    for (int k = 0; k < count; k++) {
        const bins *set = atomic_load(&sets[k]);
        if (set) {
            add_set(sum, set);
        }
    }
}

void sets_inspect(const binned_mesh *binned, abut_statistics *sum)
{
    add_ladder(sum, binned->sets, binned->step_count + 1);
    add_ladder(sum, binned->fine_sets, binned->step_count + 1);
}
