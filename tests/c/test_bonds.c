/* Bonds in C: the same bits wherever spheres are stored, and through failures, while bonds break.
 */
#include "base/memory.h"
#include "dem/order.h"

#include "abut.h"

#include "check.h"
#include "random.h"

#include <string.h>

/* A lump of SIDE^3 spheres, each bonded to its neighbors along the axes. */
enum { SIDE = 5, SPHERES = SIDE * SIDE * SIDE, BONDS = 3 * SIDE * SIDE * (SIDE - 1), STEPS = 40 };

typedef struct lump {
    abut_simulation *simulation;
    double centers[3 * SPHERES], spins[3 * SPHERES];
} lump;

static int row_of(int x, int y, int z)
{
    return (x * SIDE + y) * SIDE + z;
}

static void add_spheres(abut_simulation *s)
{
    double centers[3 * SPHERES], velocities[3 * SPHERES], radii[SPHERES], masses[SPHERES];
    abut_index materials[SPHERES] = {0};
    state = 7;
    for (int row = 0; row < SPHERES; row++) {
        const int at[3] = {row / (SIDE * SIDE), row / SIDE % SIDE, row % SIDE};
        radii[row] = 0.51 + 0.02 * draw_number();
        masses[row] = 1.0 + draw_number();
        for (int axis = 0; axis < 3; axis++) {
            centers[3 * row + axis] = at[axis];
            velocities[3 * row + axis] = draw_between(-3.0, 3.0);
        }
    }
    const abut_spheres rows = {.count = SPHERES,
                               .centers = centers,
                               .radii = radii,
                               .masses = masses,
                               .velocities = velocities,
                               .materials = materials};
    CHECK_INT(abut_simulation_add(s, &rows, NULL), ABUT_OK);
}

static abut_index list_neighbors(abut_index *i, abut_index *j)
{
    abut_index count = 0;
    for (int row = 0; row < SPHERES; row++) {
        const int at[3] = {row / (SIDE * SIDE), row / SIDE % SIDE, row % SIDE};
        for (int axis = 0; axis < 3; axis++) {
            if (at[axis] + 1 < SIDE) {
                i[count] = row;
                j[count++] = row_of(at[0] + (axis == 0), at[1] + (axis == 1), at[2] + (axis == 2));
            }
        }
    }
    return count;
}

/* In any order, either sphere first. */
static abut_status add_bonds(abut_simulation *s)
{
    static abut_index i[BONDS], j[BONDS], ids[2 * BONDS], contact[BONDS];
    static double young[BONDS], poisson[BONDS], radius[BONDS], damping[BONDS], tensile[BONDS],
        shear[BONDS];
    CHECK_INT(list_neighbors(i, j), BONDS);
    state = 9;
    for (int k = BONDS - 1; k >= 0; k--) {
        const int other = draw_below(k + 1);
        const abut_index first = i[k], second = j[k];
        i[k] = j[other], j[k] = i[other];
        i[other] = first, j[other] = second;
        young[k] = 1e4, poisson[k] = 0.2, radius[k] = 0.4, damping[k] = 0.05;
        tensile[k] = 300.0 * draw_number(), shear[k] = 1000.0;
        contact[k] = k % 5 == 0;
    }
    for (int k = 0; k < BONDS; k++) {
        ids[2 * k] = 1000 + i[k], ids[2 * k + 1] = 1000 + j[k];
    }
    const abut_bonds bonds = {.count = BONDS,
                              .i = i,
                              .j = j,
                              .ids = ids,
                              .young = young,
                              .poisson = poisson,
                              .radius = radius,
                              .damping = damping,
                              .tensile_strength = tensile,
                              .shear_strength = shear,
                              .contact = contact};
    return abut_simulation_add_bonds(s, &bonds, NULL);
}

static void begin(lump *l, int workers)
{
    const abut_simulation_input input = {.step = 2e-4,
                                         .period = {SIDE + 0.5, 0.0, 0.0},
                                         .resolution = ABUT_HIERARCHY,
                                         .workers = workers};
    const abut_law hertz = {
        .kind = ABUT_HERTZ, .stiffness = 1e4, .shear = 1e4, .friction = 0.5, .restitution = 0.6};
    CHECK_INT(abut_simulation_build(&input, &l->simulation, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_set_laws(l->simulation, 1, &hertz, NULL), ABUT_OK);
    add_spheres(l->simulation);
}

static abut_status run(abut_simulation *s, abut_index steps)
{
    abut_index done;
    return abut_simulation_run(s, steps, NULL, NULL, &done, NULL);
}

static void end(lump *l)
{
    const abut_spheres rows = {.centers = l->centers, .spins = l->spins};
    abut_simulation_read(l->simulation, &rows);
    const abut_index left = abut_simulation_bond_count(l->simulation);
    const abut_index broken = abut_simulation_breakage_count(l->simulation);
    CHECK(broken > 30);
    CHECK_INT(left + broken, BONDS);
    abut_simulation_free(l->simulation);
}

static bool are_same(const lump *a, const lump *b)
{
    return memcmp(a->centers, b->centers, sizeof a->centers) == 0 &&
           memcmp(a->spins, b->spins, sizeof a->spins) == 0;
}

static void do_run(lump *l, int workers)
{
    begin(l, workers);
    CHECK_INT(add_bonds(l->simulation), ABUT_OK);
    CHECK_INT(run(l->simulation, STEPS), ABUT_OK);
    end(l);
}

/* Several threads; and spheres that are sorted before each step, whose sums are in another order.
 */
static void check_bits(const lump *whole, lump *other)
{
    do_run(other, 3);
    CHECK(are_same(whole, other));
    order_sort_always(true);
    do_run(other, 1);
    order_sort_always(false);
    for (size_t k = 0; k < sizeof whole->centers / sizeof whole->centers[0]; k++) {
        CHECK(fabs(whole->centers[k] - other->centers[k]) < 1e-12);
    }
}

/* Each allocation fails once: where bonds come, there are none then; a step is not done, and what
 * would have broken in it has not. */
static void check_failures(const lump *whole, lump *other)
{
    begin(other, 1);
    int failures = 0;
    bool has_failed = true;
    for (long call = 1; has_failed; call++) {
        memory_fail_at(call);
        const abut_status status = add_bonds(other->simulation);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(abut_simulation_bond_count(other->simulation), has_failed ? 0 : BONDS);
        failures += has_failed;
    }
    CHECK(failures > 1);
    for (abut_index step = 0, call = 1; step < STEPS; call++) {
        const abut_index broken = abut_simulation_breakage_count(other->simulation);
        memory_fail_at((long)call);
        const abut_status status = run(other->simulation, 1);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK(!has_failed || abut_simulation_breakage_count(other->simulation) == broken);
        step += !has_failed;
        call = has_failed ? call : 0;
    }
    end(other);
    CHECK(are_same(whole, other));
}

static abut_status try_bond(abut_simulation *s, abut_index i, abut_index j, double young)
{
    double numbers[5] = {young, 0.2, 0.4, 0.0, 1.0};
    abut_index ids[2] = {i, j}, contact = 0;
    const abut_bonds bonds = {.count = 1,
                              .i = &i,
                              .j = &j,
                              .ids = ids,
                              .young = &numbers[0],
                              .poisson = &numbers[1],
                              .radius = &numbers[2],
                              .damping = &numbers[3],
                              .tensile_strength = &numbers[4],
                              .shear_strength = &numbers[4],
                              .contact = &contact};
    abut_error error = {.status = ABUT_OK};
    const abut_status status = abut_simulation_add_bonds(s, &bonds, &error);
    CHECK_INT(error.status, status);
    return status;
}

static void check_errors(lump *l)
{
    begin(l, 1);
    CHECK_INT(try_bond(l->simulation, -1, 0, 1.0), ABUT_BAD_I);
    CHECK_INT(try_bond(l->simulation, 0, SPHERES, 1.0), ABUT_BAD_J);
    CHECK_INT(try_bond(l->simulation, 3, 3, 1.0), ABUT_BOND_ITSELF);
    CHECK_INT(try_bond(l->simulation, 3, 4, -1.0), ABUT_BAD_BOND);
    CHECK_INT(try_bond(l->simulation, 3, 4, 1.0), ABUT_OK);
    CHECK_INT(try_bond(l->simulation, 4, 3, 1.0), ABUT_BOND_TWICE);
    CHECK_INT(abut_simulation_bond_count(l->simulation), 1);
    abut_simulation_free(l->simulation);
}

/* ---- what broken bonds leave ---- */

enum { RESTS = 3 };

static abut_status restore_rests(abut_simulation *s, abut_index *i, abut_index *j,
                                 abut_error *error)
{
    abut_index shift[3 * RESTS] = {0};
    double overlap[RESTS] = {0.1, 0.2, 0.3};
    const abut_breakages none = {.count = 0};
    const abut_rests rests = {.count = RESTS, .i = i, .j = j, .shift = shift, .overlap = overlap};
    return abut_simulation_restore_breakages(s, &none, &rests, error);
}

/* Which pairs rest: columns that are not asked for are left alone. */
static void check_rest(const abut_simulation *s, abut_index count, abut_index row, abut_index i,
                       abut_index j)
{
    abut_index own[RESTS] = {0}, others[RESTS] = {0};
    const abut_rests to = {.i = own, .j = others};
    CHECK_INT(abut_simulation_rest_count(s), count);
    abut_simulation_read_rests(s, &to);
    CHECK_INT(own[row], i);
    CHECK_INT(others[row], j);
}

/* They are renumbered with their spheres, go with one of them, and where both are bonded anew. */
static void check_rests(lump *l)
{
    abut_index i[RESTS] = {1, 3, 6}, j[RESTS] = {2, 4, 7}, wrong[RESTS] = {2, 3, 7};
    uint8_t is_gone[SPHERES] = {1, 0, 0, 0, 1};
    abut_error error;
    begin(l, 1);
    memory_fail_at(1);
    CHECK_INT(restore_rests(l->simulation, i, j, &error), ABUT_NO_MEMORY);
    memory_fail_at(0);
    CHECK_INT(restore_rests(l->simulation, i, wrong, &error), ABUT_BAD_J);
    CHECK_INT(error.index, 1);
    CHECK_INT(restore_rests(l->simulation, j, i, &error), ABUT_BAD_J);
    CHECK_INT(abut_simulation_rest_count(l->simulation), 0);
    CHECK_INT(restore_rests(l->simulation, i, j, NULL), ABUT_OK);
    check_rest(l->simulation, 3, 2, 6, 7);
    CHECK_INT(abut_simulation_remove(l->simulation, is_gone, NULL), ABUT_OK);
    check_rest(l->simulation, 2, 0, 0, 1);
    check_rest(l->simulation, 2, 1, 4, 5);
    CHECK_INT(try_bond(l->simulation, 1, 0, 1.0), ABUT_OK);
    check_rest(l->simulation, 1, 0, 4, 5);
    abut_simulation_free(l->simulation);
}

/* A bond goes on from what is read of it, and not from turns that are none. */
static void check_going_on(lump *l)
{
    static abut_index i[1], j[1], ids[2], contact[1], shift[3];
    static double numbers[8], turns[8], force[3], moments[6];
    const abut_bonds of = {.count = 1,
                           .i = i,
                           .j = j,
                           .ids = ids,
                           .young = &numbers[0],
                           .poisson = &numbers[1],
                           .radius = &numbers[2],
                           .damping = &numbers[3],
                           .tensile_strength = &numbers[4],
                           .shear_strength = &numbers[5],
                           .contact = contact,
                           .length = &numbers[6],
                           .rest_overlap = &numbers[7],
                           .shift = shift,
                           .turns = turns,
                           .force = force,
                           .moments = moments};
    begin(l, 1);
    CHECK_INT(try_bond(l->simulation, 0, 1, 1.0), ABUT_OK);
    abut_simulation_read_bonds(l->simulation, &of);
    abut_simulation_free(l->simulation);
    begin(l, 1);
    for (int k = 0; k < 2; k++) {
        double kept[8];
        memcpy(kept, turns, sizeof kept);
        for (int n = 0; n < 4; n++) {
            turns[4 * k + n] *= k == 0 ? 0.1 : 3.0;
        }
        CHECK_INT(abut_simulation_add_bonds(l->simulation, &of, NULL), ABUT_BAD_BOND);
        memcpy(turns, kept, sizeof kept);
    }
    CHECK_INT(abut_simulation_add_bonds(l->simulation, &of, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_bond_count(l->simulation), 1);
    abut_simulation_free(l->simulation);
}

/* ---- a ring ---- */

/* Two in a box so short that they touch on both sides, of which the bond hides the law at one: the
 * same bits where the first is stored behind the second. */
static void run_ring(bool is_sorted, double centers[6])
{
    const abut_simulation_input input = {
        .step = 2e-4, .period = {2.0, 0.0, 0.0}, .resolution = ABUT_HIERARCHY, .workers = 1};
    const abut_law hertz = {
        .kind = ABUT_HERTZ, .stiffness = 1e4, .shear = 1e4, .friction = 0.5, .restitution = 0.6};
    double places[6] = {1.9, 0.0, 0.0, 0.89, 0.0, 0.0}, radii[2] = {0.51, 0.51};
    double velocities[6] = {40.0, 0.0, 0.0, 40.0, 1.0, 0.0}, masses[2] = {1.0, 1.5};
    abut_index materials[2] = {0, 0};
    const abut_spheres rows = {.count = 2,
                               .centers = places,
                               .radii = radii,
                               .masses = masses,
                               .velocities = velocities,
                               .materials = materials};
    abut_simulation *s = NULL;
    CHECK_INT(abut_simulation_build(&input, &s, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_set_laws(s, 1, &hertz, NULL), ABUT_OK);
    CHECK_INT(abut_simulation_add(s, &rows, NULL), ABUT_OK);
    CHECK_INT(try_bond(s, 0, 1, 1e3), ABUT_OK);
    order_sort_always(is_sorted);
    CHECK_INT(run(s, 200), ABUT_OK);
    order_sort_always(false);
    const abut_spheres read = {.centers = centers};
    abut_simulation_read(s, &read);
    CHECK_INT(abut_simulation_count_interactions(s, ABUT_SPHERE_SPHERE).row_count, 2);
    abut_simulation_free(s);
}

static void check_images(void)
{
    double centers[6], sorted[6];
    run_ring(false, centers);
    run_ring(true, sorted);
    CHECK(memcmp(centers, sorted, sizeof centers) == 0);
}

void test_bonds(void)
{
    static lump whole, other;
    const long live = memory_live_count();
    do_run(&whole, 1);
    check_bits(&whole, &other);
    check_failures(&whole, &other);
    check_errors(&other);
    check_rests(&other);
    check_going_on(&other);
    check_images();
    CHECK(memory_live_count() <= live);
}
