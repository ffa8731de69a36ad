/* Matching two sets by trees, against looking at all pairs. */
#include "base/nearest.h"

#include "check.h"
#include "failing.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, FEW = 300 };

/* ---- one tree a set: the nearest first, but only where limits let them ---- */

static abut_index key_count;

static double square(double x)
{
    return x * x;
}

static double key_of(const nearest_place *a, const nearest_place *b)
{
    double sum = 0.0;
    key_count++;
    for (int axis = 0; axis < NEAREST_AXES; axis++) {
        sum += square(a->at[axis] - b->at[axis]);
    }
    return sum <= (a->limit > b->limit ? a->limit : b->limit) ? sum : INFINITY;
}

static double bound_of(const nearest_place *one, const nearest_box *others)
{
    double sum = 0.0;
    for (int axis = 0; axis < NEAREST_AXES; axis++) {
        const double x = one->at[axis], low = others->low[axis], high = others->high[axis];
        sum += square(x < low ? low - x : x > high ? x - high : 0.0);
    }
    return sum <= (one->limit > others->limit ? one->limit : others->limit) ? sum : INFINITY;
}

static const nearest_rule RULE = {key_of, bound_of};

static nearest_place places[2][MOST];
static abut_index counts[2], found[MOST], expected[MOST];
static nearest_trees trees[2];

static nearest_item find(void *context, int side, abut_index item)
{
    (void)context;
    return nearest_find(&trees[1 - side], 0, &RULE, &places[side][item], NEAREST_NONE);
}

static void take(void *context, abut_index first, abut_index second)
{
    (void)context;
    found[first] = second;
    nearest_remove(&trees[0], 0, first);
    nearest_remove(&trees[1], 0, second);
}

static abut_status match_chunk(void *context, abut_index chunk, parallel_job *job)
{
    static abut_index items[MOST];
    abut_status status = ABUT_OK;
    (void)context, (void)chunk;
    for (int s = 0; !status && s < 2; s++) {
        const abut_index offsets[2] = {0, counts[s]};
        for (abut_index k = 0; k < counts[s]; k++) {
            items[k] = k;
        }
        status = nearest_build(&trees[s], places[s], 1, offsets, items);
    }
    const nearest_match m = {{counts[0], counts[1]}, NULL, find, take};
    status = status ? status : nearest_match_all(&m, job);
    nearest_free(&trees[0]), nearest_free(&trees[1]);
    return status;
}

static abut_status match_sets(void)
{
    const parallel_plan plan = {.chunk_count = 1, .workers = 1};
    memset(found, -1, sizeof found);
    memset(trees, 0, sizeof trees);
    return parallel_run(&plan, match_chunk, NULL);
}

/* Places on a lattice of `cells` a side, so that many are the same and many distances equal. */
static void draw_places(abut_index count, abut_index other_count, int cells, double limit)
{
    counts[0] = count, counts[1] = other_count;
    for (int s = 0; s < 2; s++) {
        for (abut_index k = 0; k < counts[s]; k++) {
            for (int axis = 0; axis < NEAREST_AXES; axis++) {
                places[s][k].at[axis] = axis < 3 ? draw_below(cells) / (double)cells : 0.0;
            }
            places[s][k].limit = limit * draw_below(3);
        }
    }
}

typedef struct pair {
    double key;
    abut_index first, second;
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *p = a, *q = b;
    if (p->key != q->key) {
        return p->key < q->key ? -1 : 1;
    }
    const abut_index order = p->first != q->first ? p->first - q->first : p->second - q->second;
    return order < 0 ? -1 : order > 0;
}

static void match_all_pairs(void)
{
    pair *pairs = malloc(sizeof *pairs * FEW * FEW);
    bool taken[FEW] = {false};
    abut_index count = 0;
    memset(expected, -1, sizeof expected);
    for (abut_index i = 0; i < counts[0]; i++) {
        for (abut_index k = 0; k < counts[1]; k++) {
            pairs[count++] = (pair){key_of(&places[0][i], &places[1][k]), i, k};
        }
    }
    qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    for (abut_index n = 0; n < count && pairs[n].key < INFINITY; n++) {
        if (expected[pairs[n].first] < 0 && !taken[pairs[n].second]) {
            expected[pairs[n].first] = pairs[n].second;
            taken[pairs[n].second] = true;
        }
    }
    free(pairs);
}

static void test_all_pairs(void)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        state = seed;
        const int cells[] = {1, 2, 5, 40, 1 << 20};
        draw_places(draw_below(FEW), draw_below(FEW), cells[seed % 5], seed % 3 ? 1.0 : 0.003);
        match_all_pairs();
        CHECK_INT(match_sets(), ABUT_OK);
        CHECK_INT(memcmp(found, expected, sizeof found), 0);
    }
}

/* ---- how much work it is ---- */

static abut_index count_keys(abut_index count, int cells, double limit)
{
    state = 7;
    draw_places(count, count, cells, limit);
    key_count = 0;
    CHECK_INT(match_sets(), ABUT_OK);
    return key_count;
}

/* Eight times as many take 64 times as many comparisons where all pairs are compared. */
static void test_work_grows_little_faster_than_the_number(void)
{
    const struct {
        int cells;
        double limit;
    } scenes[] = {{1 << 20, 1.0}, {1, 1.0}, {4, 1.0}, {1 << 20, 1e-9}};
    for (int k = 0; k < 4; k++) {
        const abut_index few = count_keys(512, scenes[k].cells, scenes[k].limit);
        const abut_index many = count_keys(8 * 512, scenes[k].cells, scenes[k].limit);
        CHECK(many <= 16 * few + 512);
        CHECK(many < 4096 * 200);
    }
}

/* ---- what may go wrong ---- */

static void test_no_memory(void)
{
    state = 5;
    draw_places(200, 150, 9, 1.0);
    failures f = {0};
    while (fail_next(&f)) {
        f.status = match_sets();
    }
    CHECK(f.count > 10);
}

void test_nearest(void)
{
    test_all_pairs();
    test_work_grows_little_faster_than_the_number();
    test_no_memory();
}
