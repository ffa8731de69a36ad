/* Entrances of many pairs: each pair's are its own, whatever was before, for any number of threads.
 */
#include "convex/entrances.h"

#include "convex_scenes.h"

typedef struct entrance_table {
    abut_entrance_columns columns;
    abut_index count;
    int dimension;
} entrance_table;

static entrance_table find_entrances(const convex_scene *s, const abut_convex_query *query,
                                     const abut_entrances_before *before)
{
    abut_entrances *entrances = NULL;
    CHECK_INT(abut_entrances_find(s->finder, query, before, &entrances, NULL), ABUT_OK);
    const abut_index count = abut_entrances_count(entrances);
    const size_t m = (size_t)count + 1, d = (size_t)s->dimension;
    entrance_table t = {.count = count, .dimension = s->dimension};
    t.columns = (abut_entrance_columns){
        .pair = malloc(m * sizeof(abut_index)),
        .type = malloc(2 * m),
        .feature = malloc(2 * m * sizeof(abut_index)),
        .normal = malloc(d * m * sizeof(double)),
        .overlap = malloc(m * sizeof(double)),
        .offsets = malloc(((size_t)query->pair_count + 1) * sizeof(abut_index))};
    abut_entrances_write(entrances, &t.columns);
    abut_entrances_free(entrances);
    return t;
}

static void free_entrances(entrance_table *t)
{
    abut_entrance_columns *c = &t->columns;
    void *arrays[] = {c->pair, c->type, c->feature, c->normal, c->overlap, c->offsets};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        free(arrays[k]);
    }
}

static bool is_same(const entrance_table *a, const entrance_table *b, abut_index pairs)
{
    const size_t m = (size_t)a->count, index = sizeof(abut_index);
    const size_t vector = (size_t)a->dimension * sizeof(double);
    return a->count == b->count && memcmp(a->columns.pair, b->columns.pair, m * index) == 0 &&
           memcmp(a->columns.type, b->columns.type, 2 * m) == 0 &&
           memcmp(a->columns.feature, b->columns.feature, 2 * m * index) == 0 &&
           memcmp(a->columns.normal, b->columns.normal, m * vector) == 0 &&
           memcmp(a->columns.overlap, b->columns.overlap, m * sizeof(double)) == 0 &&
           memcmp(a->columns.offsets, b->columns.offsets, ((size_t)pairs + 1) * index) == 0;
}

enum { PAIRS = 300 };

typedef struct pair_list {
    abut_index i[PAIRS], j[PAIRS];
} pair_list;

static const abut_entrances_before nothing = {.pair_count = 0};

static abut_entrances_before before_of_entrances(const entrance_table *t)
{
    return (abut_entrances_before){.pair_count = PAIRS,
                                   .row_count = t->count,
                                   .offsets = t->columns.offsets,
                                   .type = t->columns.type,
                                   .feature = t->columns.feature};
}

/* What a step before was makes no difference, nor do features that are none of these shapes'. */
static void check_before(convex_scene *s, const abut_convex_query *query)
{
    entrance_table old = find_entrances(s, query, &nothing);
    const abut_entrances_before before = before_of_entrances(&old);
    for (int k = 0; k < s->dimension * s->count; k++) {
        s->positions[k] += draw_between(-0.01, 0.01);
    }
    entrance_table initial = find_entrances(s, query, &nothing);
    entrance_table updated = find_entrances(s, query, &before);
    CHECK(is_same(&initial, &updated, PAIRS));
    for (abut_index row = 0; row < old.count; row += 3) {
        old.columns.feature[2 * row] = row % 2 ? -1 : 1000;
        old.columns.type[2 * row + 1] = (uint8_t)(row % 5);
    }
    entrance_table strange = find_entrances(s, query, &before);
    CHECK(is_same(&initial, &strange, PAIRS));
    free_entrances(&old), free_entrances(&initial), free_entrances(&updated);
    free_entrances(&strange);
}

static void check_threads(const convex_scene *s, abut_convex_query query)
{
    entrance_table one = find_entrances(s, &query, &nothing);
    query.workers = 3;
    entrance_table three = find_entrances(s, &query, &nothing);
    CHECK(one.count > 5 * PAIRS);
    CHECK(is_same(&one, &three, PAIRS));
    free_entrances(&one), free_entrances(&three);
}

/* From the other body: the same entrances with their ends in turn, and the other normal. */
static void check_swapped(const convex_scene *s, abut_convex_query query)
{
    entrance_table t = find_entrances(s, &query, &nothing);
    const abut_index *i = query.i;
    query.i = query.j, query.j = i;
    entrance_table swapped = find_entrances(s, &query, &nothing);
    CHECK_INT(swapped.count, t.count);
    for (abut_index pair = 0; pair < PAIRS; pair++) {
        CHECK_INT(swapped.columns.offsets[pair + 1], t.columns.offsets[pair + 1]);
        double sums[2] = {0.0, 0.0};
        for (abut_index row = t.columns.offsets[pair]; row < t.columns.offsets[pair + 1]; row++) {
            CHECK_INT(t.columns.pair[row], pair);
            sums[0] += t.columns.overlap[row], sums[1] += swapped.columns.overlap[row];
        }
        CHECK_NEAR(sums[0], sums[1], 1e-9);
    }
    free_entrances(&t), free_entrances(&swapped);
}

/* The best entrance of bodies that overlap is the least way apart. */
static void check_best(const convex_scene *s, abut_convex_query query)
{
    entrance_table t = find_entrances(s, &query, &nothing);
    query.all_rows = 1, query.minimum = ABUT_GLOBAL;
    convex_table contacts = find_table(s, &query);
    int overlapping = 0;
    for (abut_index pair = 0; pair < PAIRS; pair++) {
        double least = (double)INFINITY;
        for (abut_index row = t.columns.offsets[pair]; row < t.columns.offsets[pair + 1]; row++) {
            least = least < t.columns.overlap[row] ? least : t.columns.overlap[row];
        }
        /* cores of rounded bodies may be apart, where entrances do not tell how far */
        const bool is_sharp = query.i[pair] % SHAPES < 2 && query.j[pair] % SHAPES < 2;
        const bool is_deep = is_sharp && contacts.columns.overlap[pair] > 0.0;
        overlapping += is_deep;
        CHECK(!is_deep || fabs(least - contacts.columns.overlap[pair]) < 1e-9);
    }
    CHECK(overlapping > 5);
    free_entrances(&t), free_table(&contacts);
}

static void check_offsets(const convex_scene *s, const abut_convex_query *query)
{
    entrance_table t = find_entrances(s, query, &nothing);
    abut_entrances_before before = before_of_entrances(&t);
    abut_entrances *entrances = NULL;
    abut_error error;
    before.pair_count--;
    CHECK_INT(abut_entrances_find(s->finder, query, &before, &entrances, &error),
              ABUT_BAD_ENTRANCE_ROWS);
    before = before_of_entrances(&t);
    t.columns.offsets[7] = t.columns.offsets[8] + 1;
    CHECK_INT(abut_entrances_find(s->finder, query, &before, &entrances, &error),
              ABUT_BAD_ENTRANCE_ROWS);
    CHECK(entrances == NULL && error.detail == PAIRS);
    free_entrances(&t);
}

static void check_dimension(int dimension)
{
    static convex_scene s;
    static pair_list pairs;
    start_bodies(&s, dimension, 100, 3.0);
    build_finder(&s);
    for (int k = 0; k < PAIRS; k++) {
        pairs.i[k] = k % 100, pairs.j[k] = (k * 7 + 1 + k / 100) % 100;
        pairs.j[k] += pairs.j[k] == pairs.i[k] ? (pairs.i[k] < 99 ? 1 : -1) : 0;
    }
    abut_convex_query query = query_of(&s);
    query.i = pairs.i, query.j = pairs.j, query.pair_count = PAIRS;
    check_threads(&s, query);
    check_swapped(&s, query);
    check_best(&s, query);
    check_offsets(&s, &query);
    check_before(&s, &query);
    end_bodies(&s);
}

void test_convex_batch(void)
{
    check_dimension(2);
    check_dimension(3);
}
