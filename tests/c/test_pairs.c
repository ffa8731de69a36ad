/* Pairs of spheres, compared with two loops over all spheres, to the bit. */
#include "base/memory.h"
#include "spheres/query_pairs.h"

#include "pair_scenes.h"

/* ---- sizes ---- */

static void check_sizes(void)
{
    static const double ratios[] = {1.0, 10.0, 1e4};
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int k = 0; k < 3; k++) {
            static scene s;
            start(&s, dimension);
            scatter_in_cube(&s, &s.own, 500, dimension == 2 ? 12.0 : 5.0, 1.0 / ratios[k], 1.0);
            CHECK(check_scene(&s) > 20);
        }
    }
}

static void check_few(void)
{
    static scene s;
    for (int count = 0; count <= 2; count++) {
        start(&s, 2 + count % 2);
        scatter_in_cube(&s, &s.own, count, 1.0, 1.0, 2.0);
        CHECK_INT(check_scene(&s), count / 2);
        s.has_others = true; /* with no spheres among the others */
        CHECK_INT(check_scene(&s), 0);
        scatter_in_cube(&s, &s.others, 1, 1.0, 1.0, 2.0);
        CHECK_INT(check_scene(&s), count);
    }
}

static void check_that_same_centers_are_pairs(void)
{
    static scene s;
    start(&s, 3);
    for (int k = 0; k < 300; k++) {
        add(&s, &s.own, (const double[]){0.1, -7.0, 1e5}, draw_scale(1e-3, 1.0));
    }
    CHECK_INT(check_scene(&s), 300 * 299 / 2);
}

static void check_that_one_cell_will_do(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 300, 1.0, 0.02, 0.05);
    add(&s, &s.own, (const double[]){0.5, 0.5, 0.5}, 10.0);
    s.has_sizes = true, s.level_count = 1, s.sizes[0] = 20.0;
    CHECK(check_scene(&s) > 300);
}

/* ---- to the last bit ---- */

static double move(double x, int units)
{
    for (; units != 0; units += units < 0 ? 1 : -1) {
        x = nextafter(x, units < 0 ? -INFINITY : INFINITY);
    }
    return x;
}

/* Adds two spheres at the sum of their reaches, up to some units in the last place. */
static void add_kiss(scene *s, const double base[3], double shrink)
{
    const double radii[2] = {draw_between(0.3, 0.5), draw_between(0.3, 0.5)};
    double direction[3], center[3], length_sq = 0.0;
    const bool is_along = draw_below(2);
    for (int axis = 0; axis < s->dimension; axis++) {
        direction[axis] = is_along ? 0.0 : draw_between(-1.0, 1.0);
        length_sq += direction[axis] * direction[axis];
    }
    if (is_along) {
        direction[draw_below(s->dimension)] = length_sq = 1.0;
    }
    const double distance = (radii[0] + radii[1]) * shrink;
    for (int axis = 0; axis < s->dimension; axis++) {
        center[axis] = base[axis] + direction[axis] / sqrt(length_sq) * distance;
        center[axis] = move(center[axis], draw_below(5) - 2);
    }
    add(s, &s->own, base, radii[0]);
    add(s, &s->own, center, radii[1]);
}

static void check_kisses(int dimension, double shift, double gap, bool periodic)
{
    static scene s;
    start(&s, dimension);
    enum { SIDE = 7 };
    s.gap = gap;
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const double base[3] = {shift + 3.0 * (k % SIDE), shift + 3.0 * (k / SIDE % SIDE),
                                shift + 3.0 * (k / SIDE / SIDE) * (dimension - 2)};
        if (dimension == 3 || k < SIDE * SIDE) {
            add_kiss(&s, base, 1.0 + gap);
        }
    }
    for (int axis = 0; periodic && axis < dimension; axis++) {
        s.period[axis] = 3.0 * SIDE;
    }
    const abut_index count = check_scene(&s);
    CHECK(count > s.own.count / 10 && count < s.own.count * 4 / 10);
}

static void check_the_last_bit(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int periodic = 0; periodic < 2; periodic++) {
            check_kisses(dimension, 0.0, 0.0, periodic);
            check_kisses(dimension, 1.3, 0.0, periodic);
            check_kisses(dimension, -100.0, 0.0, periodic);
        }
    }
    check_kisses(3, 1e6, 0.0, false);
    check_kisses(3, 1e9, 0.0, false);
}

/* ---- gaps ---- */

static void draw_gaps(sphere_list *list, double most)
{
    list->has_gaps = true;
    for (abut_index k = 0; k < list->count; k++) {
        list->gaps[k] = draw_below(3) == 0 ? 0.0 : draw_between(0.0, most);
    }
}

static void check_gaps(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 400, dimension == 2 ? 20.0 : 7.0, 0.1, 0.6);
        const abut_index touching = check_scene(&s);
        s.gap = 0.5;
        const abut_index near = check_scene(&s);
        CHECK(near > touching + 20);
        draw_gaps(&s.own, 1.0);
        CHECK(check_scene(&s) > touching);
        s.gap = 1e3;
        s.own.has_gaps = false;
        CHECK_INT(check_scene(&s), 400 * 399 / 2);
    }
}

/* ---- periods ---- */

/* Moves some spheres by whole periods, and some slightly to either side of the box's border. */
static void move_out(scene *s, sphere_list *list)
{
    for (abut_index k = 0; k < list->count; k++) {
        for (int axis = 0; axis < s->dimension; axis++) {
            const double period = s->period[axis];
            double *x = &list->centers[s->dimension * k + axis];
            if (period > 0.0 && draw_below(3) == 0) {
                *x += period * (draw_below(7) - 3);
            }
            if (period > 0.0 && draw_below(8) == 0) {
                *x = move(period * (draw_below(3) - 1), draw_below(3) - 1) + 0.0;
            }
        }
    }
}

static void check_large_boxes(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int axes = 1; axes < 1 << dimension; axes++) {
            start(&s, dimension);
            scatter_in_cube(&s, &s.own, 300, 10.0, 0.05, dimension == 2 ? 0.5 : 1.2);
            set_period(&s, axes, 9.0);
            move_out(&s, &s.own);
            CHECK(check_scene(&s) > 20);
            s.gap = 0.2;
            s.has_others = true;
            scatter_in_cube(&s, &s.others, 200, 10.0, 0.05, 0.7);
            move_out(&s, &s.others);
            CHECK(check_scene(&s) > 20);
        }
    }
}

/* Boxes that are slightly larger than a sphere, or smaller. */
static void check_small_boxes(void)
{
    static const double sides[] = {4.1, 3.0, 2.0, 0.9, 0.31};
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int axes = 1; axes < 1 << dimension; axes++) {
            for (int k = 0; k < 5; k++) {
                const double side = sides[k];
                start(&s, dimension);
                scatter_in_cube(&s, &s.own, side < 1.0 ? 4 : 30, side, 0.1, 1.0);
                set_period(&s, axes, side);
                move_out(&s, &s.own);
                CHECK(check_scene(&s) >= 0);
                s.has_others = true;
                scatter_in_cube(&s, &s.others, 10, side, 0.1, 0.5);
                CHECK(check_scene(&s) >= 0);
            }
        }
    }
}

/* A sphere touches itself at the last bit in a box of its own width. */
static void check_that_a_sphere_touches_itself(void)
{
    static scene s;
    for (int units = -2; units <= 2; units++) {
        start(&s, 2);
        add(&s, &s.own, (const double[]){0.3, 0.7, 0.0}, 0.5 * 1.1);
        s.period[1] = move(1.1, units);
        CHECK_INT(check_scene(&s), units <= 0);
    }
}

/* Coordinates so many periods away that their places in the box are rounded, some to less than 0.
 */
static void check_far_periods(void)
{
    static scene s;
    const double period = 12.358401054308333, radius = 0.88274293245054503;
    start(&s, 3);
    s.period[0] = period;
    add(&s, &s.own, (const double[]){471213.47379972239, 0.0, 0.0}, radius);
    add(&s, &s.own, (const double[]){10.592915189349043, 0.0, 0.0}, radius);
    CHECK_INT(check_scene(&s), 1);
    for (int k = 0; k < 300; k++) {
        const double x = move(period * floor(draw_scale(1.0, 2e9)), draw_below(5) - 2);
        const double y = draw_between(0.0, 4.0);
        add(&s, &s.own, (const double[]){x, y, 0.0}, radius);
        add(&s, &s.own, (const double[]){period - 2.0 * radius * draw_number(), y, 0.0}, radius);
    }
    CHECK(check_scene(&s) > 1000);
}

/* A center so little below 0 that wrapping it changes neither the center nor its point. */
static void check_the_border(void)
{
    static scene s;
    start(&s, 3);
    set_period(&s, 7, 10.0);
    add(&s, &s.own, (const double[]){-1e-20, 5.0, 5.0}, 1.0);
    add(&s, &s.own, (const double[]){-1e-20, 5.5, 5.0}, 1.0);
    add(&s, &s.own, (const double[]){9.5, 5.0, 5.0}, 1.0);
    CHECK_INT(check_scene(&s), 3);
}

/* ---- giants ---- */

/* Places small spheres in a box of side 1, and giants with a large share of that size. */
static void scatter_giants(scene *s, sphere_list *to, int giants, double least, double most)
{
    scatter_in_cube(s, to, 150, 1.0, 0.004, 0.03);
    scatter_in_cube(s, to, giants, 1.0, least, most);
}

/* Spheres that are too large for cells in a period, or touch at several images. */
static void check_giants(void)
{
    static const double sizes[] = {0.15, 0.2, 0.3, 0.5, 0.8};
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int axes = 1; axes < 1 << dimension; axes++) {
            for (int k = 0; k < 4; k++) {
                start(&s, dimension);
                scatter_giants(&s, &s.own, 1 + 3 * k, sizes[k], sizes[k + 1]);
                set_period(&s, axes, 1.0);
                CHECK(check_scene(&s) > 0);
                move_out(&s, &s.own);
                draw_gaps(&s.own, 0.02);
                CHECK(check_scene(&s) > 0);
                s.has_others = true;
                scatter_giants(&s, &s.others, k, sizes[k], sizes[k + 1]);
                CHECK(check_scene(&s) > 0);
            }
        }
    }
}

/* Two giants, and a giant and a small sphere, touch or not at the last bit: across the border of
 * the box and at two images. */
static void check_that_giants_touch_at_the_last_bit(void)
{
    static scene s;
    for (int units = -2; units <= 2; units++) {
        for (int small = 0; small < 2; small++) {
            start(&s, 3);
            const double radius = small ? 0.03125 : 0.25;
            const double apart = move(0.25 + radius, units);
            add(&s, &s.own, (const double[]){0.0, 0.5, 0.5}, 0.25);
            add(&s, &s.own, (const double[]){apart, 0.5, 0.5}, radius);
            add(&s, &s.own, (const double[]){1.0 - apart, 0.5, 0.625}, radius);
            s.period[0] = s.period[1] = 1.0;
            CHECK(check_scene(&s) >= (units <= 0));
        }
    }
}

/* ---- others ---- */

static void check_others(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        s.has_others = true;
        scatter_in_cube(&s, &s.own, 300, 6.0, 0.01, 1.0);
        scatter_in_cube(&s, &s.others, 400, 5.0, 0.001, 0.5);
        const abut_index touching = check_scene(&s);
        s.gap = 0.2;
        CHECK(check_scene(&s) > touching);
        draw_gaps(&s.others, 0.5);
        CHECK(check_scene(&s) > touching);
        draw_gaps(&s.own, 0.5);
        CHECK(check_scene(&s) > touching);
        s.has_sizes = true, s.level_count = 3;
        s.sizes[0] = 0.4, s.sizes[1] = 1.0, s.sizes[2] = 3.0;
        CHECK(check_scene(&s) > touching);
    }
}

/* The searching spheres are far larger than the others and far from them, so that single precision
 * cannot decide which touch. */
static void check_large_lookers(void)
{
    static scene s;
    for (int k = 0; k < 4; k++) {
        const double far = (const double[]){1e3, 1e6, 1e12, 1e40}[k];
        start(&s, 3);
        s.has_others = true;
        for (int i = 0; i < 100; i++) {
            const double center[3] = {far + draw_number(), draw_number(), draw_number()};
            add(&s, &s.own, center, far - 0.5 + 0.01 * i);
        }
        add(&s, &s.own, (const double[]){2.0 * far, 0.0, 0.0}, far);
        scatter_in_cube(&s, &s.others, 100, 1.0, 0.01, 0.02);
        CHECK(check_scene(&s) > 0);
    }
}

/* ---- levels ---- */

static void set_geometric(scene *s, int count, double least, double most)
{
    s->has_sizes = true, s->level_count = count;
    for (int h = 0; h < count; h++) {
        s->sizes[h] = h + 1 < count ? least * pow(most / least, h / (count - 1.0)) : most;
    }
}

static void check_levels_by_hand(void)
{
    static scene s;
    for (int dimension = 2; dimension <= 3; dimension++) {
        start(&s, dimension);
        scatter_in_cube(&s, &s.own, 300, 5.0, 0.01, 0.9);
        const abut_index count = check_scene(&s);
        set_geometric(&s, ABUT_LEVEL_LIMIT, 0.02, 1.8); /* with many levels */
        CHECK_INT(check_scene(&s), count);
        set_geometric(&s, 5, 3.0, 1e5); /* empty levels, far larger than spheres */
        CHECK_INT(check_scene(&s), count);
        set_geometric(&s, 7, 1e-60, 1e60); /* empty levels below and above the spheres */
        CHECK_INT(check_scene(&s), count);
        s.has_sizes = false;
        for (s.level_count = 1; s.level_count <= 64; s.level_count += 9) {
            CHECK_INT(check_scene(&s), count);
        }
    }
}

/* A periodic box that is too small for one image because of level sizes, not because of spheres. */
static void check_levels_in_a_box(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 200, 5.0, 0.01, 0.7);
    set_period(&s, 7, 5.0);
    const abut_index count = check_scene(&s);
    set_geometric(&s, 6, 0.3, 1.6);
    CHECK_INT(check_scene(&s), count);
    set_geometric(&s, 3, 1.0, 40.0);
    CHECK_INT(check_scene(&s), count);
}

/* ---- the grid's table ---- */

typedef struct grid_facts {
    bool has_floats, is_clipped, is_folded, has_copies;
} grid_facts;

static bool is_folded(const grid *g)
{
    bool folded = false;
    for (int32_t h = 0; h < g->level_count; h++) {
        for (int axis = 0; axis < 3; axis++) {
            folded |= g->levels[h].axes[axis].inv_fold > 0.0;
        }
    }
    return folded;
}

static grid_facts facts_of(const scene *s)
{
    grid_facts facts = {false, false, false, false};
    abut_pair_input input = input_of(s);
    abut_pair_query query = query_of(s);
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = NULL;
    CHECK_INT(abut_pair_finder_build(&input, &finder, NULL), ABUT_OK);
    if (CHECK_INT(abut_pairs_find(finder, &query, &pairs, NULL), ABUT_OK)) {
        const grid *g = &pairs->memory->grid;
        facts.has_floats = g->near_reach != NULL;
        facts.has_copies = pairs->own.item_count > pairs->own.count;
        facts.is_folded = is_folded(g);
        for (int axis = 0; axis < 3; axis++) {
            const row_bounds *bounds = &pairs->second_set->bounds;
            const bool is_open = s->period[axis] == 0.0;
            facts.is_clipped |=
                is_open && (g->low[axis] > bounds->low[axis] || g->high[axis] < bounds->high[axis]);
        }
    }
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
    return facts;
}

static void check_that_dense_boxes_use_floats(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 400, 6.0, 0.3, 0.6);
    grid_facts facts = facts_of(&s);
    CHECK(facts.has_floats && !facts.is_folded && !facts.is_clipped && !facts.has_copies);
    CHECK(check_scene(&s) > 100);
    set_period(&s, 7, 6.0);
    facts = facts_of(&s);
    CHECK(facts.has_floats && !facts.is_folded && facts.has_copies);
    CHECK(check_scene(&s) > 100);
}

/* Places clusters far from each other; distant cells share table entries. */
static void scatter_clusters(scene *s, int count, double far, double size)
{
    for (int k = 0; k < count; k++) {
        double low[3], high[3];
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = floor(draw_between(-far, far));
            high[axis] = low[axis] + 3.0 * size;
        }
        scatter(s, &s->own, 10, low, high, (const double[]){0.1 * size, size});
    }
}

static void check_clusters(void)
{
    static scene s;
    static const double fars[] = {50.0, 3e3, 1e6, 1e11, 1e15};
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int k = 0; k < 5; k++) {
            start(&s, dimension);
            scatter_clusters(&s, 40, fars[k], 1.0);
            const grid_facts facts = facts_of(&s);
            CHECK(k == 0 || facts.is_folded);
            CHECK(facts.has_floats == (fars[k] < 1e4));
            CHECK(facts.is_clipped == (fars[k] > 1e12));
            CHECK(check_scene(&s) > 100);
        }
    }
}

static void check_clusters_in_a_box(void)
{
    static scene s;
    for (int axes = 1; axes < 8; axes++) {
        for (int k = 0; k < 3; k++) {
            const double far = (const double[]){300.0, 1e5, 1e9}[k];
            start(&s, 3);
            scatter_clusters(&s, 40, far, 1.0);
            set_period(&s, axes, 1.1 * far);
            move_out(&s, &s.own);
            CHECK(facts_of(&s).is_folded);
            CHECK(check_scene(&s) > 50);
        }
    }
}

static void check_outliers(void)
{
    static scene s;
    static const double fars[] = {1e9, 1e30, 1e74};
    for (int k = 0; k < 3; k++) {
        for (int out = 1; out <= 3; out++) {
            start(&s, 3);
            scatter_in_cube(&s, &s.own, 200, 5.0, 0.1, 0.5);
            for (int i = 0; i < 20; i++) {
                double center[3] = {draw_number(), draw_number(), draw_number()};
                center[i % out] = i % 2 ? fars[k] : -fars[k] * draw_below(3);
                add(&s, &s.own, center, 0.5);
            }
            const grid_facts facts = facts_of(&s);
            CHECK(!facts.has_floats && facts.is_clipped == (k > 0));
            CHECK(check_scene(&s) > 50);
        }
    }
}

/* Most spheres are far outliers, so that the grid's box has no extent. */
static void check_that_most_are_outliers(void)
{
    static scene s;
    static const double fars[] = {1e20, 1e30, 1e74};
    for (int k = 0; k < 3; k++) {
        const double far = fars[k], less = 0.1 * far;
        start(&s, 3);
        for (int i = 0; i < 5; i++) {
            add(&s, &s.own, (const double[]){far, 0.0, 0.5 * i}, 1.0);
        }
        for (int i = 0; i < 20; i++) {
            add(&s, &s.own, (const double[]){move(less, i % 2), 0.0, 0.7 * i}, 1.0);
            add(&s, &s.own, (const double[]){0.0, 0.0, 0.7 * i}, 1.0);
        }
        CHECK(check_scene(&s) > 50);
    }
}

static void check_thin_boxes(void)
{
    static scene s;
    static const double sides[][3] = {{1e5, 1e-3, 1e-3},
                                      {1e-3, 1e5, 1.0},
                                      {1.0, 1e-9, 1e5},
                                      {300.0, 300.0, 0.0},
                                      {0.0, 0.0, 99.0}};
    for (int k = 0; k < 5; k++) {
        start(&s, 3);
        scatter(&s, &s.own, 400, (const double[]){0.0, 0.0, 0.0}, sides[k],
                (const double[]){0.1, 20.0});
        CHECK(check_scene(&s) > 0);
        set_period(&s, 2, 100.0);
        CHECK(check_scene(&s) > 0);
    }
}

/* Units of length do not matter, in single and in double precision. */
static void check_units(void)
{
    static scene s;
    static const double units[] = {1e-70, 1e-30, 1e-12, 1e12, 1e30, 1e70};
    for (int k = 0; k < 6; k++) {
        start(&s, 3);
        scatter_in_cube(&s, &s.own, 300, 6.0 * units[k], 0.01 * units[k], units[k]);
        CHECK(check_scene(&s) > 100);
        set_period(&s, 5, 6.0 * units[k]);
        CHECK(check_scene(&s) > 100);
        /* more cells than cell numbers can distinguish */
        set_period(&s, 5, fmin(1e15 * units[k], 0.5 * ABUT_COORDINATE_LIMIT));
        CHECK(check_scene(&s) > 100);
    }
}

/* ---- limits ---- */

static void check_a_sphere_with_many_neighbors(void)
{
    static scene s;
    start(&s, 3);
    add(&s, &s.own, (const double[]){50.0, 50.0, 50.0}, 100.0);
    scatter_in_cube(&s, &s.own, 10500, 100.0, 0.3, 0.5);
    CHECK(check_scene(&s) > 10500);
}

/* Far more tasks than the list holds: large spheres over many small cells. */
static void check_many_tasks(void)
{
    static scene s;
    start(&s, 3);
    scatter_in_cube(&s, &s.own, 2000, 30.0, 0.05, 0.1);
    scatter_in_cube(&s, &s.own, 10, 30.0, 3.0, 20.0);
    CHECK(check_scene(&s) > 1000);
    set_period(&s, 7, 90.0);
    CHECK(check_scene(&s) > 1000);
}

static void check_all_scenes(void)
{
    check_sizes();
    check_few();
    check_that_same_centers_are_pairs();
    check_that_one_cell_will_do();
    check_the_last_bit();
    check_gaps();
    check_large_boxes();
    check_small_boxes();
    check_that_a_sphere_touches_itself();
    check_far_periods();
    check_the_border();
    check_giants();
    check_that_giants_touch_at_the_last_bit();
    check_others();
    check_large_lookers();
    check_levels_by_hand();
    check_levels_in_a_box();
    check_that_dense_boxes_use_floats();
    check_clusters();
    check_clusters_in_a_box();
    check_outliers();
    check_that_most_are_outliers();
    check_thin_boxes();
    check_units();
}

void test_pairs(void)
{
    const long live = memory_live_count();
    state = 1;
    check_all_scenes();
    check_a_sphere_with_many_neighbors();
    check_many_tasks();
    CHECK_INT(memory_live_count(), live);
}
