/* Chooses cell sizes by a histogram of the spheres' sizes and a model of the work. */
#include "grid_levels.h"

#include "../base/memory.h"
#include "../base/parallel.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The histogram has 64 bins for each octave. A bin's key is the upper bits of a positive double,
 * which ascend with the number. */
enum { KEY_SHIFT = 46 };

/* The largest number of levels that is tried: more levels gain next to nothing. */
enum { MOST_LEVELS_TRIED = 12 };

/* The precision of the number of spheres per cell, as a difference of natural logarithms. A smaller
 * value gains nothing: from one bin to the next, the volume of cells changes by about 3 percent. */
#define PER_CELL_STEP 0.01

#define PI 3.141592653589793

/* The spheres in a bin of the histogram. */
typedef struct tally {
    double largest; /* the largest reach; 0: no spheres */
    int64_t count;
} tally;

typedef struct histogram {
    tally *tallies;            /* key_count */
    uint32_t first, key_count; /* key of the first bin; number of bins up to the largest sphere */
    memory_block block;        /* memory of the tallies */
} histogram;

/* The number of spheres in a stretch. Each stretch has a histogram of its own. */
enum { STRETCH = 16384 };

typedef struct counting {
    const double *reaches;
    abut_index count, stretch_count;
    histogram *histograms; /* one for each stretch */
} counting;

/* A bin that has spheres; bins ascend. Sizes are diameters divided by the largest diameter. */
typedef struct size_bin {
    double reach;       /* the largest reach */
    double size, least; /* the largest size, and a lower bound of all sizes */
    double before;      /* the number of spheres in smaller bins */
    /* Sums of size^k, k = 0 ... 3, over the spheres that search a level with a border at this bin.
     * Top-down: the level ends before this bin; this bin's and all larger spheres search it.
     * Bottom-up: the level begins with this bin; the spheres of all smaller bins search it. */
    double seekers[4];
} size_bin;

typedef struct spectrum {
    size_bin *bins; /* bin_count + 1: the last has no spheres */
    abut_index bin_count;
    int dimension;
    abut_search search;
    double overhead;
    double density; /* a cube of size 1 holds density * n of n spheres */
} spectrum;

/* Chosen levels: level l holds bins ends[l - 1] ... ends[l] - 1. Level 0 begins with bin 0. */
typedef struct choice {
    double sizes[ABUT_LEVEL_LIMIT];
    abut_index ends[ABUT_LEVEL_LIMIT];
    abut_index count;
} choice;

/* ---- the histogram ---- */

static uint32_t key_of(double reach)
{
    uint64_t bits;
    memcpy(&bits, &reach, sizeof bits);
    return (uint32_t)(bits >> KEY_SHIFT);
}

static double least_of(uint32_t key)
{
    uint64_t bits = (uint64_t)key << KEY_SHIFT;
    double reach;
    memcpy(&reach, &bits, sizeof reach);
    return reach;
}

static void find_keys(const double *reaches, abut_index count, histogram *found)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (abut_index i = 0; i < count; i++) {
        uint32_t key = key_of(reaches[i]);
        first = key < first ? key : first;
        last = key > last ? key : last;
    }
    found->first = first;
    found->key_count = last - first + 1;
}

static void count_spheres(const double *reaches, abut_index count, histogram *found)
{
    for (abut_index i = 0; i < count; i++) {
        tally *bin = &found->tallies[key_of(reaches[i]) - found->first];
        bin->count++;
        /* This branch is soon hardly ever taken. So the processor need not wait for the result of
         * the sphere before. */
        if (reaches[i] > bin->largest) {
            bin->largest = reaches[i];
        }
    }
}

/* Reserves tallies of zeros. */
static tally *reserve_tallies(memory_block *block, uint32_t count)
{
    tally *tallies = memory_reserve(block, count, sizeof *tallies);
    if (tallies) {
        memset(tallies, 0, count * sizeof *tallies);
    }
    return tallies;
}

static abut_status count_stretch(void *context, abut_index stretch, parallel_job *job)
{
    const counting *c = context;
    const double *reaches = c->reaches + stretch * STRETCH;
    const abut_index remaining = c->count - stretch * STRETCH,
                     count = remaining < STRETCH ? remaining : STRETCH;
    histogram *part = &c->histograms[stretch];
    find_keys(reaches, count, part);
    part->tallies = reserve_tallies(&part->block, part->key_count);
    if (!part->tallies) {
        return ABUT_NO_MEMORY;
    }
    count_spheres(reaches, count, part);
    return parallel_report(job, count / 8);
}

static void add_tallies(const histogram *from, const histogram *to)
{
    tally *tallies = to->tallies + (from->first - to->first);
    for (uint32_t k = 0; k < from->key_count; k++) {
        const tally *add = &from->tallies[k];
        tallies[k].count += add->count;
        tallies[k].largest = add->largest > tallies[k].largest ? add->largest : tallies[k].largest;
    }
}

static abut_status join(const counting *c, memory_block *block, histogram *all)
{
    uint32_t first = UINT32_MAX, end = 0;
    for (abut_index k = 0; k < c->stretch_count; k++) {
        const histogram *part = &c->histograms[k];
        first = part->first < first ? part->first : first;
        end = part->first + part->key_count > end ? part->first + part->key_count : end;
    }
    all->first = first, all->key_count = end - first;
    all->tallies = reserve_tallies(block, all->key_count);
    for (abut_index k = 0; all->tallies && k < c->stretch_count; k++) {
        add_tallies(&c->histograms[k], all);
    }
    return all->tallies ? ABUT_OK : ABUT_NO_MEMORY;
}

static abut_status make_histogram(const level_task *task, level_memory *memory, histogram *all)
{
    counting c = {.reaches = task->reaches, .count = task->count};
    c.stretch_count = parallel_chunk_count(task->count, STRETCH);
    /* histograms of earlier choices keep their memory */
    if (memory_fit_zeroed(&memory->histograms, c.stretch_count, &memory->histogram_capacity,
                          sizeof *memory->histograms)) {
        return ABUT_NO_MEMORY;
    }
    c.histograms = memory->histograms;
    const parallel_plan plan = {
        .chunk_count = c.stretch_count, .work = task->count / 8, .workers = task->workers};
    abut_status status = parallel_run(&plan, count_stretch, &c);
    return status ? status : join(&c, &memory->tallies, all);
}

void level_memory_free(level_memory *memory)
{
    for (abut_index k = 0; k < memory->histogram_capacity; k++) {
        memory_free(memory->histograms[k].block.data);
    }
    memory_free(memory->histograms);
    memory_free(memory->tallies.data);
    memory_free(memory->bins.data);
}

static abut_index count_occupied(const histogram *found)
{
    abut_index occupied = 0;
    for (uint32_t k = 0; k < found->key_count; k++) {
        occupied += found->tallies[k].count > 0;
    }
    return occupied;
}

static double power_of(double x, int exponent)
{
    double power = 1.0;
    for (int k = 0; k < exponent; k++) {
        power *= x;
    }
    return power;
}

static void fill_bins(const histogram *found, spectrum *s)
{
    double largest = found->tallies[found->key_count - 1].largest, before = 0.0;
    size_bin *bin = s->bins;
    for (uint32_t k = 0; k < found->key_count; k++) {
        const tally *tallied = &found->tallies[k];
        if (tallied->count > 0) {
            *bin++ = (size_bin){.reach = tallied->largest,
                                .size = tallied->largest / largest,
                                .least = least_of(found->first + k) / largest,
                                .before = before};
            before += (double)tallied->count;
        }
    }
    *bin = (size_bin){.before = before};
}

/* Adds one bin's spheres to the sums of size^k, as if all had the size in the bin's middle. */
static void add_moments(const size_bin *bin, double *sums)
{
    double number = bin[1].before - bin->before, size = 0.5 * (bin->least + bin->size);
    for (int k = 0; k < 4; k++) {
        sums[k] += number * power_of(size, k);
    }
}

/* Computes `seekers` of each bin by running sums of positive numbers, which do not cancel. */
static void sum_seekers(spectrum *s)
{
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (abut_index i = 0; i <= s->bin_count; i++) {
        abut_index b = s->search == ABUT_TOP_DOWN ? s->bin_count - i : i;
        if (s->search == ABUT_TOP_DOWN && i > 0) {
            add_moments(&s->bins[b], sums);
        }
        memcpy(s->bins[b].seekers, sums, sizeof sums);
        if (s->search == ABUT_BOTTOM_UP && i < s->bin_count) {
            add_moments(&s->bins[b], sums);
        }
    }
}

/* Sets the density of spheres that fill the fraction `volume_fraction` of space. */
static void set_density(spectrum *s, double volume_fraction)
{
    const size_bin *all = &s->bins[s->search == ABUT_TOP_DOWN ? 0 : s->bin_count];
    double ball = s->dimension == 2 ? PI / 4.0 : PI / 6.0;
    s->density = volume_fraction / (ball * all->seekers[s->dimension]);
}

static abut_status make_spectrum(const level_task *task, level_memory *memory, spectrum *s)
{
    histogram found = {0};
    abut_status status = make_histogram(task, memory, &found);
    if (status) {
        return status;
    }
    s->bin_count = count_occupied(&found);
    s->bins = memory_reserve(&memory->bins, s->bin_count + 1, sizeof *s->bins);
    if (s->bins) {
        fill_bins(&found, s);
        sum_seekers(s);
        set_density(s, task->volume_fraction);
    }
    return s->bins ? ABUT_OK : ABUT_NO_MEMORY;
}

/* ---- the work that the model expects ---- */

/* The work of searching a level with cells of this size that holds bins first ... end - 1. For each
 * of its spheres, half of the 3^d cells around the sphere are searched. For each sphere of another
 * level that is compared with it, 2 + (sphere's size / cell's size) cells are searched along each
 * axis. */
static double work_of_level(const spectrum *s, double size, abut_index first, abut_index end)
{
    double number = s->bins[end].before - s->bins[first].before;
    const double *seekers = s->bins[s->search == ABUT_TOP_DOWN ? end : first].seekers;
    double volume = power_of(size, s->dimension), around = power_of(3.0, s->dimension);
    double reached = 0.0, binomial = 1.0;
    for (int k = 0; k <= s->dimension; k++) {
        reached += binomial * power_of(2.0 * size, s->dimension - k) * seekers[k];
        binomial = binomial * (s->dimension - k) / (k + 1);
    }
    double tests = (0.5 * around * volume * number + reached) * number * s->density;
    double accesses = 0.5 * (around + 1.0) * number + reached / volume;
    return tests + s->overhead * accesses;
}

static double work_of(const spectrum *s, const choice *levels)
{
    double work = 0.0;
    for (abut_index l = 0; l < levels->count; l++) {
        abut_index first = l > 0 ? levels->ends[l - 1] : 0;
        work += work_of_level(s, levels->sizes[l], first, levels->ends[l]);
    }
    return work;
}

/* ---- equal numbers of spheres per cell ---- */

/* How many spheres of bins first ... end - 1 are in a cell of this size, if all these spheres are
 * in a cell of size 1. */
static double held(const spectrum *s, double size, abut_index first, abut_index end)
{
    return (s->bins[end].before - s->bins[first].before) * power_of(size, s->dimension);
}

/* The first bin with a size such that cells of this size hold per_cell spheres of the bins from
 * `first` to this one. Returns bin_count if there are too few spheres. */
static abut_index full_bin(const spectrum *s, abut_index first, double per_cell)
{
    abut_index low = first, high = s->bin_count;
    while (low < high) {
        abut_index middle = low + (high - low) / 2;
        bool enough = held(s, s->bins[middle].size, first, middle + 1) >= per_cell;
        low = enough ? low : middle + 1;
        high = enough ? middle : high;
    }
    return low;
}

/* The size at which cells hold per_cell spheres of the bins first ... bin - 1; 0 if it is not below
 * the sizes of bin `bin`. So in a gap between sizes, cells may be larger than their spheres. */
static double size_in_gap(const spectrum *s, abut_index first, abut_index bin, double per_cell)
{
    double most = held(s, s->bins[bin].least, first, bin);
    if (bin == first || most < per_cell) {
        return 0.0;
    }
    double part = per_cell / most;
    return s->bins[bin].least * (s->dimension == 2 ? sqrt(part) : cbrt(part));
}

/* Makes `limit` levels, or fewer. Each level ends as soon as its cells hold per_cell spheres.
 * Returns whether cells of size 1 hold at least per_cell of the remaining spheres. */
static bool close_levels(const spectrum *s, double per_cell, abut_index limit, choice *levels)
{
    abut_index first = 0;
    for (levels->count = 0; levels->count < limit; levels->count++) {
        abut_index bin = full_bin(s, first, per_cell);
        if (bin == s->bin_count) {
            return false;
        }
        double enlarged = size_in_gap(s, first, bin, per_cell);
        if (enlarged == 0.0 && bin + 1 == s->bin_count) {
            return false;
        }
        levels->sizes[levels->count] = enlarged > 0.0 ? enlarged : s->bins[bin].size;
        first = enlarged > 0.0 ? bin : bin + 1;
        levels->ends[levels->count] = first;
    }
    return held(s, 1.0, first, s->bin_count) >= per_cell;
}

static void close_last_level(const spectrum *s, choice *levels)
{
    levels->sizes[levels->count] = 1.0;
    levels->ends[levels->count] = s->bin_count;
    levels->count++;
}

/* Makes the wanted number of levels with equal numbers of spheres per cell. Bisection finds the
 * number of spheres per cell: the larger it is, the fewer spheres remain for the last level. */
static void make_levels(const spectrum *s, abut_index wanted, choice *levels)
{
    double smallest = s->bins[0].size > DBL_MIN ? s->bins[0].size : DBL_MIN;
    double low = s->dimension * log(smallest), high = log(s->bins[s->bin_count].before);
    while (high - low > PER_CELL_STEP) {
        double middle = 0.5 * (low + high);
        bool enough = close_levels(s, exp(middle), wanted - 1, levels);
        low = enough ? middle : low;
        high = enough ? high : middle;
    }
    close_levels(s, exp(low), wanted - 1, levels);
    close_last_level(s, levels);
}

/* Tries 1, 2, 3 and more levels, and keeps the number with the least work. Stops after two numbers
 * in a row that do not lower the work. */
static void make_best_levels(const spectrum *s, choice *best)
{
    make_levels(s, 1, best);
    double least = work_of(s, best);
    for (abut_index wanted = 2, worse = 0; wanted <= MOST_LEVELS_TRIED && worse < 2; wanted++) {
        choice levels;
        make_levels(s, wanted, &levels);
        double work = work_of(s, &levels);
        worse = work < least ? 0 : worse + 1;
        if (work < least) {
            *best = levels;
            least = work;
        }
    }
}

static void write_levels(const spectrum *s, const choice *chosen, level_set *levels)
{
    const double largest = 2.0 * s->bins[s->bin_count - 1].reach;
    abut_index first = 0;
    for (abut_index l = 0; l < chosen->count; l++) {
        const abut_index end = chosen->ends[l];
        const double reach = s->bins[end - 1].reach, size = chosen->sizes[l] * largest;
        levels->reaches[l] = reach;
        levels->sizes[l] = size > 2.0 * reach ? size : 2.0 * reach;
        levels->populations[l] = (abut_index)(s->bins[end].before - s->bins[first].before);
        first = end;
    }
    levels->count = (int32_t)chosen->count;
}

abut_status levels_choose(const level_task *task, level_memory *memory, level_set *levels)
{
    *levels = (level_set){.sizes = {1.0}, .count = 1};
    if (task->count == 0) {
        return ABUT_OK;
    }
    spectrum s = {.dimension = task->dimension, .search = task->search, .overhead = task->overhead};
    abut_status status = make_spectrum(task, memory, &s);
    if (status) {
        return status;
    }
    choice chosen;
    if (task->wanted > 0) {
        make_levels(&s, task->wanted, &chosen);
    } else {
        make_best_levels(&s, &chosen);
    }
    write_levels(&s, &chosen, levels);
    return ABUT_OK;
}
