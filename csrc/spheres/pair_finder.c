/* Builds a finder of pairs. */
#include "pair_finder.h"
#include "../base/error.h"

#include <math.h>
#include <string.h>

#include "../base/parallel.h"

/* The cost of reading a cell in the work model, in computed distances. It was measured for
 * power-law sizes up to 1000:1. It is large: vector code computes several distances at a time. */
#define ACCESS_COST 7.0

/* The volume fraction of spheres in the work model: that of a dense packing. The true fraction may
 * be less, but then there are few spheres, or they are packed in a part of the volume. */
#define DENSE_FRACTION 0.6

abut_pair_input abut_pair_input_default(void)
{
    return (abut_pair_input){.dimension = 3, .search = ABUT_TOP_DOWN, .workers = 1};
}

/* ---- checks ---- */

/* Checks the dimension before anything is copied, since the finder's arrays have three axes. */
static abut_status check_dimension(const abut_pair_input *input, abut_error *error)
{
    const bool is_known = input->dimension == 2 || input->dimension == 3;
    return is_known ? ABUT_OK : error_set(error, ABUT_BAD_DIMENSION, input->dimension, 0, 0.0);
}

static abut_status check_numbers(const abut_pair_finder *finder, abut_error *error)
{
    if (finder->sphere_count > INT32_MAX) {
        return error_set(error, ABUT_TOO_MANY_SPHERES, finder->sphere_count, 0, 0.0);
    }
    if (!finder_is_gap(finder->gap)) {
        return error_set(error, ABUT_BAD_GAP, 0, 0, finder->gap);
    }
    if (finder->wanted_levels > ABUT_LEVEL_LIMIT) {
        return error_set(error, ABUT_TOO_MANY_LEVELS, finder->wanted_levels, 0, 0.0);
    }
    return lattice_check(&finder->lattice, error);
}

static abut_status check_sizes(const abut_pair_finder *finder, abut_error *error)
{
    const double *sizes = finder->levels.sizes;
    for (int32_t h = 0; finder->has_sizes && h < finder->levels.count; h++) {
        const double below = h > 0 ? sizes[h - 1] : 0.0;
        if (!(sizes[h] > below && sizes[h] >= ABUT_SMALLEST_RADIUS &&
              sizes[h] <= 10.0 * ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_SIZE, h, 0, sizes[h]);
        }
    }
    return ABUT_OK;
}

/* ---- copies ---- */

/* The number of spheres in a stretch, which one thread copies. */
enum { STRETCH = 8192 };

static double gap_of(const sphere_sizes *s, abut_index i)
{
    return s->gaps ? s->gaps[i] : s->gap;
}

/* Copies radii and computes reaches, in loops that compilers vectorize: they never end early. */
static abut_status copy_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const sphere_sizes *s = context;
    const abut_index begin = stretch * STRETCH;
    const abut_index end = parallel_chunk_end(begin, STRETCH, s->count);
    double *restrict radii = s->to_radii;
    int bad_count = 0;
    for (abut_index i = begin; i < end; i++) {
        radii[i] = s->radii[i];
        bad_count |= !finder_is_length(radii[i]) || radii[i] < ABUT_SMALLEST_RADIUS;
    }
    for (abut_index i = begin; s->to_reaches != s->to_radii && i < end; i++) {
        const double gap = gap_of(s, i);
        bad_count |= !finder_is_gap(gap);
        s->to_reaches[i] = s->to_radii[i] + 0.5 * gap;
    }
    return bad_count ? ABUT_BAD_RADIUS : parallel_report(job, (end - begin) / 8);
}

/* Reports the first wrong radius, or else the first wrong gap. */
static abut_status find_bad_sphere(const sphere_sizes *s, abut_error *error)
{
    for (abut_index i = 0; i < s->count; i++) {
        const double radius = s->radii[i];
        if (!finder_is_length(radius)) {
            return error_set(error, ABUT_BAD_RADIUS, i, 0, radius);
        }
        if (radius < ABUT_SMALLEST_RADIUS) {
            return error_set(error, ABUT_RADIUS_TOO_SMALL, i, 0, radius);
        }
    }
    for (abut_index i = 0; i < s->count; i++) {
        const double gap = gap_of(s, i);
        if (!finder_is_gap(gap)) {
            return error_set(error, ABUT_BAD_SPHERE_GAP, i, 0, gap);
        }
    }
    return error_set_status(error, ABUT_INPUT_CHANGED);
}

abut_status finder_copy_sizes(const sphere_sizes *sizes, abut_error *error)
{
    sphere_sizes copy = *sizes;
    const parallel_plan plan = {.chunk_count = parallel_chunk_count(copy.count, STRETCH),
                                .work = copy.count / 8,
                                .workers = copy.workers};
    const abut_status status = parallel_run(&plan, copy_stretch, &copy);
    return status == ABUT_BAD_RADIUS ? find_bad_sphere(&copy, error)
                                     : error_set_status(error, status);
}

/* ---- levels ---- */

abut_status finder_report_size(abut_error *error, abut_status status, abut_index index,
                               double reach, const level_set *levels)
{
    return error_set(error, status, index, levels->count - 1, 2.0 * reach);
}

double levels_reach(const level_set *levels)
{
    double largest = 0.0;
    for (int32_t h = 0; h < levels->count; h++) {
        largest = levels->reaches[h] > largest ? levels->reaches[h] : largest;
    }
    return largest;
}

/* Finds the number of spheres and the largest reach of each level. Returns ABUT_SIZE_TOO_SMALL if a
 * sphere, with the number *index, is larger than all levels. */
static abut_status count_levels(const double *reaches, abut_index count, level_set *levels,
                                abut_index *index)
{
    memset(levels->reaches, 0, sizeof levels->reaches);
    memset(levels->populations, 0, sizeof levels->populations);
    const double largest = levels->sizes[levels->count - 1];
    for (abut_index i = 0; i < count; i++) {
        const double diameter = reaches[i] + reaches[i];
        int32_t level = 0;
        for (int32_t h = 0; h < levels->count - 1 && levels->sizes[h] < diameter; h++) {
            level = h + 1;
        }
        if (diameter > largest) {
            *index = i;
            return ABUT_SIZE_TOO_SMALL;
        }
        levels->populations[level]++;
        levels->reaches[level] =
            reaches[i] > levels->reaches[level] ? reaches[i] : levels->reaches[level];
    }
    return ABUT_OK;
}

/* Makes the cells of each level as large as its largest sphere. If sizes have a gap, the chosen
 * cells may be larger. On average over space, these hold few spheres, but where spheres are, far
 * too many. */
static void fit_sizes(level_set *levels)
{
    for (int32_t h = 0; h < levels->count; h++) {
        if (levels->populations[h] > 0) {
            levels->sizes[h] = 2.0 * levels->reaches[h];
        }
    }
}

abut_status finder_choose_levels(const abut_pair_finder *finder, const level_input *input,
                                 level_set *levels)
{
    const level_task task = {.reaches = input->reaches,
                             .count = input->count,
                             .dimension = finder->dimension,
                             .volume_fraction = DENSE_FRACTION,
                             .search = finder->search,
                             .overhead = ACCESS_COST,
                             .wanted = finder->wanted_levels,
                             .workers = input->workers};
    abut_status status = levels_choose(&task, input->memory, levels);
    fit_sizes(levels);
    return status;
}

abut_status finder_set_levels(const abut_pair_finder *finder, const level_input *input,
                              level_set *levels, abut_index *index)
{
    if (!finder->has_sizes) {
        return finder_choose_levels(finder, input, levels);
    }
    if (levels != &finder->levels) {
        *levels = finder->levels;
    }
    return count_levels(input->reaches, input->count, levels, index);
}

abut_status finder_widen_levels(const abut_pair_finder *finder, const level_input *input,
                                double size, level_set *levels)
{
    if (!finder->has_sizes) {
        return finder_choose_levels(finder, input, levels);
    }
    abut_index index;
    double *last = &levels->sizes[levels->count - 1];
    *last = larger(*last, size);
    return count_levels(input->reaches, input->count, levels, &index);
}

void finder_set_octaves(const double *reaches, abut_index count, level_set *levels)
{
    double smallest = reaches[0], largest = reaches[0];
    for (abut_index i = 0; i < count; i++) {
        smallest = reaches[i] < smallest ? reaches[i] : smallest;
        largest = reaches[i] > largest ? reaches[i] : largest;
    }
    double size = 2.0 * largest;
    levels->count = 1;
    for (; levels->count < ABUT_LEVEL_LIMIT && size >= 4.0 * smallest; levels->count++) {
        size *= 0.5;
    }
    for (int32_t h = 0; h < levels->count; h++) {
        levels->sizes[h] = ldexp(2.0 * largest, h + 1 - levels->count);
    }
    abut_index index;
    /* never fails: the last level is large enough for all spheres */
    count_levels(reaches, count, levels, &index);
    fit_sizes(levels);
}

/* ---- building ---- */

/* Copies the input, apart from the spheres, before it is checked. */
static void set_scalars(const abut_pair_input *input, abut_pair_finder *finder)
{
    finder->sphere_count = input->sphere_count;
    finder->dimension = input->dimension;
    finder->gap = input->gap;
    finder->search = input->search;
    finder->wanted_levels = input->level_count;
    finder->has_sizes = input->sizes != NULL && input->level_count > 0;
    finder->lattice = lattice_load(input->period, input->dimension);
    if (finder->has_sizes) {
        const abut_index count = finder->wanted_levels;
        finder->levels.count = count < ABUT_LEVEL_LIMIT ? (int32_t)count : ABUT_LEVEL_LIMIT;
        memcpy(finder->levels.sizes, input->sizes,
               (size_t)finder->levels.count * sizeof *input->sizes);
    }
}

/* Uses the memory of another finder, the lender. Resets the count that depends on the lender's
 * spheres. */
static void borrow_leftovers(abut_pair_finder *finder, const abut_pair_finder *lender)
{
    finder->has_lender = true;
    finder->leftovers = lender->leftovers;
    atomic_store(&finder->leftovers->octave_queries, 0);
}

static abut_status set_own_levels(const abut_pair_input *input, abut_pair_finder *finder,
                                  abut_error *error)
{
    level_memory memory = {0};
    const level_input spheres = {.reaches = finder->reaches,
                                 .count = input->sphere_count,
                                 .workers = input->workers,
                                 .memory = &memory};
    abut_index index = 0;
    const abut_status status = finder_set_levels(finder, &spheres, &finder->levels, &index);
    level_memory_free(&memory);
    return status == ABUT_SIZE_TOO_SMALL
               ? finder_report_size(error, status, index, finder->reaches[index], &finder->levels)
               : error_set_status(error, status);
}

static abut_status fill_finder(const abut_pair_input *input, abut_pair_finder *finder,
                               abut_error *error)
{
    const abut_index count = input->sphere_count;
    if (input->lender) {
        borrow_leftovers(finder, input->lender);
    } else {
        finder->leftovers = memory_alloc_zeroed(1, sizeof *finder->leftovers);
    }
    finder->radii = memory_alloc(count, sizeof *finder->radii);
    finder->reaches = finder->radii;
    if (input->gaps || input->gap > 0.0) {
        finder->reaches = memory_alloc(count, sizeof *finder->reaches);
    }
    if (!finder->leftovers || !finder->radii || !finder->reaches) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const sphere_sizes sizes = {.radii = input->radii,
                                .gaps = input->gaps,
                                .gap = input->gap,
                                .count = count,
                                .workers = input->workers,
                                .to_radii = finder->radii,
                                .to_reaches = finder->reaches};
    const abut_status status = finder_copy_sizes(&sizes, error);
    return status ? status : set_own_levels(input, finder, error);
}

abut_status abut_pair_finder_build(const abut_pair_input *input, abut_pair_finder **finder,
                                   abut_error *error)
{
    const abut_pair_input copy = *input;
    *finder = NULL;
    error_set_status(error, ABUT_OK);
    abut_status status = check_dimension(&copy, error);
    if (status) {
        return status;
    }
    abut_pair_finder *made = memory_alloc_zeroed(1, sizeof *made);
    if (!made) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    set_scalars(&copy, made);
    status = check_numbers(made, error);
    status = status ? status : check_sizes(made, error);
    if (!status) {
        made->basis = lattice_reduce(&made->lattice);
        made->has_other_basis = !lattice_is_same(&made->basis.lattice, &made->lattice);
        made->lattice = made->basis.lattice;
    }
    status = status ? status : fill_finder(&copy, made, error);
    if (status) {
        abut_pair_finder_free(made);
    } else {
        *finder = made;
    }
    return status;
}

void abut_pair_finder_free(abut_pair_finder *finder)
{
    if (!finder) {
        return;
    }
    if (finder->leftovers && !finder->has_lender) {
        pool_empty(&finder->leftovers->results);
        pool_empty(&finder->leftovers->searches);
        pool_empty(&finder->leftovers->list_makers);
        memory_free(finder->leftovers);
    }
    if (finder->reaches != finder->radii) {
        memory_free(finder->reaches);
    }
    memory_free(finder->radii);
    memory_free(finder);
}

abut_index abut_pair_level_count(const abut_pair_finder *finder)
{
    return finder->levels.count;
}

const double *abut_pair_level_sizes(const abut_pair_finder *finder)
{
    return finder->levels.sizes;
}
