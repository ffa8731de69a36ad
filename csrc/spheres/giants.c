/* Decides which spheres are giants, and whether giants have cells of the grid.
 *
 * A periodic grid needs three cells along a period, each as wide as the largest sphere. If one
 * sphere is too wide, all images of all spheres must be made and searched (images.c), several for
 * each sphere. Instead, giants may have a level of their own without cells. For a giant, the cells
 * of all other levels are searched, as for large spheres anyway, and giants are compared with each
 * other one by one. Two spheres can touch at several images only if the sum of their reaches is
 * half a period or more. Then each image is compared by itself. So a few giants cost little. */
#include "giants.h"

#include "../base/parallel.h"

/* Three cells, each a diameter wide plus the largest slack, are less than this many reaches wide. A
 * sphere is no giant if this many of its reaches fit into the shortest period. */
#define CELLS_OF_REACH 6.1

/* If a period is at most this many times the largest reach, three cells surely do not fit. Then all
 * images must be searched, or giants must have no cells. */
#define CERTAIN_REACH 6.0

/* Searching all images of a sphere takes as long as comparing it with this many other spheres, each
 * at all of its images. */
#define COMPARED_EACH 64.0

/* If a sphere may touch more than this many images of another, all images are searched, and giants
 * have cells like other spheres. images_make then counts the images and checks their limit. */
#define MOST_IMAGES 128.0

/* ---- counting giants ---- */

static bool is_giant(double reach, double shortest)
{
    return CELLS_OF_REACH * reach > shortest;
}

/* Reaches to count, the shortest period, and the largest reach of spheres that are no giants. */
typedef struct giant_counting {
    const double *reaches;
    double shortest, usual;
} giant_counting;

static void count_giants(const void *context, abut_index begin, abut_index end, void *part)
{
    const giant_counting *c = context;
    giant_counts *counts = part;
    for (abut_index i = begin; i < end; i++) {
        const double reach = c->reaches[i];
        if (is_giant(reach, c->shortest)) {
            counts->giants++;
            counts->giant = larger(counts->giant, reach);
        } else {
            counts->usual = larger(counts->usual, reach);
        }
    }
}

static void count_twice(const void *context, abut_index begin, abut_index end, void *part)
{
    const giant_counting *c = context;
    giant_counts *counts = part;
    for (abut_index i = begin; i < end; i++) {
        counts->twice += giants_may_touch_twice(c->shortest, c->reaches[i] + c->usual);
    }
}

static void join_counts(void *total, const void *part)
{
    giant_counts *sum = total;
    const giant_counts *counts = part;
    sum->giants += counts->giants, sum->twice += counts->twice;
    sum->giant = larger(sum->giant, counts->giant), sum->usual = larger(sum->usual, counts->usual);
}

static giant_counts count_all(const level_input *spheres, const level_input *lookers,
                              double shortest)
{
    static const giant_counts none;
    giant_counts counts = none;
    giant_counting c = {spheres->reaches, shortest, 0.0};
    parallel_folding folding = {count_giants, join_counts, &c, &none, sizeof none};
    parallel_fold(spheres->workers, spheres->count, spheres->count / 8, &folding, &counts);
    c = (giant_counting){lookers->reaches, shortest, counts.usual};
    folding.add = count_twice;
    parallel_fold(lookers->workers, lookers->count, lookers->count / 8, &folding, &counts);
    return counts;
}

/* ---- whether a level without cells saves time ---- */

/* The largest number of images of a sphere that another one may touch at this sum of reaches. */
static double most_images(const lattice *l, double reach)
{
    double count = 1.0;
    for (int axis = 0; axis < 3; axis++) {
        count *= l->period[axis] > 0.0 ? 2.0 * reach / l->period[axis] + 2.0 : 1.0;
    }
    return count;
}

/* Whether comparing giants one by one takes less time than searching all images. */
static bool is_less_work(const giant_counts *counts, const level_input *spheres,
                         const level_input *lookers)
{
    const bool is_own = spheres == lookers;
    const double looking = (double)(is_own ? counts->giants : lookers->count);
    const double compared = (double)counts->giants * looking * (is_own ? 0.5 : 1.0) +
                            (double)counts->twice * (double)spheres->count;
    const double all = (double)spheres->count + (is_own ? 0.0 : (double)lookers->count);
    return compared <= COMPARED_EACH * all;
}

bool giants_do_pay(const lattice *l, const level_input *spheres, const level_input *lookers,
                   giant_counts *counts)
{
    if (!l->is_periodic || spheres->count == 0 || lookers->count == 0) {
        return false;
    }
    const double shortest = lattice_width(l);
    const double held = spheres->largest, reach = held + lookers->largest;
    const bool has_giants =
        CERTAIN_REACH * held >= shortest || giants_may_touch_twice(shortest, reach);
    if (!has_giants || most_images(l, reach) > MOST_IMAGES) {
        return false;
    }
    *counts = count_all(spheres, lookers, shortest);
    return is_less_work(counts, spheres, lookers);
}

abut_index giants_leave_out(const lattice *l, const level_input *spheres, double *reaches)
{
    const double shortest = lattice_width(l);
    abut_index count = 0;
    for (abut_index i = 0; i < spheres->count; i++) {
        reaches[count] = spheres->reaches[i];
        count += !is_giant(spheres->reaches[i], shortest);
    }
    return count;
}

void giants_add_level(const giant_counts *counts, level_set *levels)
{
    if (counts->giants > 0) {
        const int32_t h = levels->count++;
        levels->sizes[h] = 2.0 * counts->giant;
        levels->reaches[h] = counts->giant;
        levels->populations[h] = counts->giants;
        levels->has_giants = true;
    }
}
