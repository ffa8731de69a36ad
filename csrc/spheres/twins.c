/* Matching images of the same two spheres, of which there are as many as fit into the spheres: n
 * log n steps instead of n squared, for the same matches. The same image is found by its numbers,
 * one whose normal is close by a tree of normals. */
#include "twins.h"

#include "../base/nearest.h"

/* Products of counts from which on trees take less time than comparing all. */
#define MANY_PAIRS 65536.0

/* How well two images suit each other, as keys: best is the same image with a close normal, then
 * any image with a close normal, by how close that is, then the same image with a normal that has
 * turned. */
#define KEY_OF_SAME_AND_CLOSE (-INFINITY)
#define KEY_OF_SAME 0.0

typedef struct matching {
    const twin_rows *twins;
    nearest_place *places[2];
    nearest_label *images[2], *all[2]; /* each under its image, and all under one label */
    nearest_groups of_images, together;
    abut_index *match;
} matching;

/* ---- which suit each other ---- */

/* Summed as by the comparison one by one; in two dimensions the last product is 0. */
static double agreement(const nearest_place *a, const nearest_place *b)
{
    return a->at[0] * b->at[0] + a->at[1] * b->at[1] + a->at[2] * b->at[2];
}

static double larger_product(double x, double low, double high)
{
    return x > 0.0 ? x * high : x * low;
}

/* No less than the agreement with any normal in the box, since rounding keeps the order of numbers.
 */
static double most_agreement(const nearest_place *one, const nearest_box *others)
{
    return larger_product(one->at[0], others->low[0], others->high[0]) +
           larger_product(one->at[1], others->low[1], others->high[1]) +
           larger_product(one->at[2], others->low[2], others->high[2]);
}

static double key_of_same(double agreement)
{
    return agreement > TURNED ? KEY_OF_SAME_AND_CLOSE : KEY_OF_SAME;
}

static double key_of_close(double agreement)
{
    return agreement > TURNED ? -agreement : INFINITY;
}

static double same_key(const nearest_place *a, const nearest_place *b)
{
    return key_of_same(agreement(a, b));
}

static double same_bound(const nearest_place *one, const nearest_box *others)
{
    return key_of_same(most_agreement(one, others));
}

static double close_key(const nearest_place *a, const nearest_place *b)
{
    return key_of_close(agreement(a, b));
}

static double close_bound(const nearest_place *one, const nearest_box *others)
{
    return key_of_close(most_agreement(one, others));
}

static const nearest_rule SAME_IMAGE = {same_key, same_bound};
static const nearest_rule CLOSE_NORMAL = {close_key, close_bound};

static nearest_item find(void *context, int side, abut_index item)
{
    const matching *m = context;
    const nearest_place *place = &m->places[side][item];
    const nearest_item same =
        nearest_find_alike(&m->of_images, side, item, &SAME_IMAGE, place, NEAREST_NONE);
    return nearest_find_alike(&m->together, side, item, &CLOSE_NORMAL, place, same);
}

static void take(void *context, abut_index now, abut_index before)
{
    matching *m = context;
    const row_span *spans = m->twins->spans;
    nearest_drop(&m->of_images, 0, now), nearest_drop(&m->of_images, 1, before);
    nearest_drop(&m->together, 0, now), nearest_drop(&m->together, 1, before);
    m->match[spans[0].first + now] = spans[1].first + before;
}

/* ---- rows ---- */

static bool has_sound_normals(const abut_pair_step *step, row_span span)
{
    const double *normal = step->normal + step->dimension * span.first;
    for (abut_index k = 0; k < step->dimension * span.count; k++) {
        if (!(fabs(normal[k]) <= ABUT_COORDINATE_LIMIT)) {
            return false;
        }
    }
    return true;
}

bool twins_are_many(const pair_steps *steps, const row_span spans[2])
{
    return (double)spans[0].count * (double)spans[1].count > MANY_PAIRS &&
           has_sound_normals(&steps->now, spans[0]) && has_sound_normals(&steps->before, spans[1]);
}

/* Seen from the other sphere, an image and a normal are opposite. Numbers of images may be any. */
static void read_row(const abut_pair_step *step, abut_index row, bool is_turned,
                     nearest_place *place, nearest_label *image)
{
    for (int axis = 0; axis < step->dimension; axis++) {
        const abut_index k = step->dimension * row + axis;
        const size_t number = (size_t)step->image[k];
        place->at[axis] = is_turned ? -step->normal[k] : step->normal[k];
        image->numbers[axis] = (abut_index)(is_turned ? 0 - number : number);
    }
}

static abut_status read_side(matching *m, int side)
{
    const twin_rows *twins = m->twins;
    const row_span span = twins->spans[side];
    const abut_pair_step *step = side ? &twins->steps->before : &twins->steps->now;
    m->places[side] = memory_alloc_zeroed(span.count, sizeof **m->places);
    m->images[side] = memory_alloc_zeroed(span.count, sizeof **m->images);
    m->all[side] = memory_alloc_zeroed(span.count, sizeof **m->all);
    if (!m->places[side] || !m->images[side] || !m->all[side]) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < span.count; k++) {
        read_row(step, span.first + k, side == 1 && twins->is_swapped, &m->places[side][k],
                 &m->images[side][k]);
        m->images[side][k].item = m->all[side][k].item = k;
    }
    return ABUT_OK;
}

static abut_status group(matching *m)
{
    nearest_labels images[2], all[2];
    for (int s = 0; s < 2; s++) {
        const abut_index count = m->twins->spans[s].count;
        images[s] = (nearest_labels){m->images[s], count, m->places[s]};
        all[s] = (nearest_labels){m->all[s], count, m->places[s]};
    }
    const abut_status status = nearest_group(&m->of_images, images);
    return status ? status : nearest_group(&m->together, all);
}

abut_status twins_match(const twin_rows *twins, abut_index *match, parallel_job *job)
{
    matching m = {.twins = twins, .match = match};
    abut_status status = read_side(&m, 0);
    status = status ? status : read_side(&m, 1);
    status = status ? status : group(&m);
    if (!status) {
        const nearest_match all = {{twins->spans[0].count, twins->spans[1].count}, &m, find, take};
        status = nearest_match_all(&all, job);
    }
    for (int s = 0; s < 2; s++) {
        memory_free(m.places[s]), memory_free(m.images[s]), memory_free(m.all[s]);
    }
    nearest_ungroup(&m.of_images), nearest_ungroup(&m.together);
    return status;
}
