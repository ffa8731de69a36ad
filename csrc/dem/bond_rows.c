/* Bonds by row, in the order of the caller's columns: adding, removing, reading, and restoring. */
#include <string.h>

#include "../base/lattice_basis.h"
#include "../base/sort.h"
#include "bond_laws.h"
#include "bond_pairs.h"
#include "energy.h"
#include "population.h"

abut_index abut_simulation_bond_count(const abut_simulation *s)
{
    return s->bonds.count;
}

/* ---- columns ---- */

/* Numbers of columns, for example BOND_young. */
#define BOND_NUMBER(name, type, width, per, when, flags, unit, meaning) BOND_##name,
#define BREAKAGE_NUMBER(name, type, width, per, when, flags, unit, meaning) BREAKAGE_##name,
#define REST_NUMBER(name, type, width, per, when, flags, unit, meaning) REST_##name,
enum { ABUT_BOND_COLUMNS(BOND_NUMBER) BOND_NUMBERS };
enum { ABUT_BREAKAGE_COLUMNS(BREAKAGE_NUMBER) BREAKAGE_NUMBERS };
enum { ABUT_REST_COLUMNS(REST_NUMBER) REST_NUMBERS };

#define SIZE ABUT_SMALLEST_RADIUS, ABUT_COORDINATE_LIMIT
#define STRENGTH 0.0, INFINITY
#define STRESS 0.0, DBL_MAX
#define POISSON (-0x1.fffffffffffffp-1), 0.5 /* from the double next to -1 */
#define LIMITED 0.0, ABUT_COORDINATE_LIMIT

#define IN_BONDS(member) IN_STRUCTS(bond_set, bonds, bond, member)
#define IN_EFFECTS(member) IN_STRUCTS(bond_set, before, bond_effect, member)
#define IN_BREAKAGES(member) IN_STRUCTS(bond_set, breakages, bond_breakage, member)
#define IN_RESTS(member) IN_STRUCTS(bond_set, rests, bond_rest, member)

static const column_storage BOND_TABLE[BOND_NUMBERS] = {
    [BOND_i] = {IN_BONDS(rows[0]), AS_INT32, ANY, ABUT_OK},
    [BOND_j] = {IN_BONDS(rows[1]), AS_INT32, ANY, ABUT_OK},
    [BOND_ids] = {IN_BONDS(ids), AS_GIVEN, ANY, ABUT_OK},
    [BOND_young] = {IN_BONDS(young), AS_GIVEN, SIZE, ABUT_OK},
    [BOND_poisson] = {IN_BONDS(poisson), AS_GIVEN, POISSON, ABUT_OK},
    [BOND_radius] = {IN_BONDS(radius), AS_GIVEN, SIZE, ABUT_OK},
    [BOND_damping] = {IN_BONDS(damping), AS_GIVEN, LIMITED, ABUT_OK},
    [BOND_tensile_strength] = {IN_BONDS(strengths[TENSION]), AS_GIVEN, STRENGTH, ABUT_OK},
    [BOND_shear_strength] = {IN_BONDS(strengths[SHEAR]), AS_GIVEN, STRENGTH, ABUT_OK},
    [BOND_contact] = {IN_BONDS(has_contact), AS_BOOL, FLAG, ABUT_OK},
    [BOND_length] = {IN_BONDS(length), AS_GIVEN, SIZE, ABUT_OK},
    [BOND_rest_overlap] = {IN_BONDS(rest_overlap), AS_GIVEN, LIMITED, ABUT_OK},
    [BOND_shift] = {IN_BONDS(shift), AS_INT32, PERIODS, ABUT_OK},
    [BOND_turns] = {IN_BONDS(turns), AS_GIVEN, FINITE, ABUT_OK},
    [BOND_force] = {IN_EFFECTS(force), AS_GIVEN, FINITE, ABUT_OK},
    [BOND_moments] = {IN_EFFECTS(moments), AS_GIVEN, FINITE, ABUT_OK},
    [BOND_energy] = {IN_EFFECTS(energy), AS_GIVEN, FINITE, ABUT_OK},
    [BOND_tension] = {IN_EFFECTS(parts[TENSION]), AS_GIVEN, STRESS, ABUT_OK},
    [BOND_shear] = {IN_EFFECTS(parts[SHEAR]), AS_GIVEN, STRESS, ABUT_OK},
};

static const column_storage BREAKAGE_TABLE[BREAKAGE_NUMBERS] = {
    [BREAKAGE_step] = {IN_BREAKAGES(step), AS_GIVEN, 0.0, INFINITY, ABUT_OK},
    [BREAKAGE_ids] = {IN_BREAKAGES(ids), AS_GIVEN, ANY, ABUT_OK},
    [BREAKAGE_point] = {IN_BREAKAGES(point), AS_GIVEN, FINITE, ABUT_OK},
    [BREAKAGE_of_shear] = {IN_BREAKAGES(is_of_shear), AS_BOOL, FLAG, ABUT_OK},
    [BREAKAGE_energy] = {IN_BREAKAGES(energy), AS_GIVEN, FINITE, ABUT_OK},
};

static const column_storage REST_TABLE[REST_NUMBERS] = {
    [REST_i] = {IN_RESTS(rows[0]), AS_INT32, ANY, ABUT_OK},
    [REST_j] = {IN_RESTS(rows[1]), AS_INT32, ANY, ABUT_OK},
    [REST_shift] = {IN_RESTS(shift), AS_INT32, PERIODS, ABUT_OK},
    [REST_overlap] = {IN_RESTS(overlap), AS_GIVEN, DBL_MIN, ABUT_COORDINATE_LIMIT, ABUT_OK},
};

static const population BONDS = {ABUT_BOND_TABLE, BOND_TABLE, ABUT_BAD_BOND};
static const population BREAKAGES = {ABUT_BREAKAGE_TABLE, BREAKAGE_TABLE, ABUT_BAD_BREAKAGE};
static const population RESTS = {ABUT_REST_TABLE, REST_TABLE, ABUT_BAD_REST};

/* ---- checks ---- */

/* Checks the rows of pairs. A pair has two different spheres; if `ascend`, also i < j. */
static abut_status check_rows(const abut_simulation *s, const abut_index *i, const abut_index *j,
                              abut_index count, bool ascend, abut_error *error)
{
    const abut_index end = s->store.count;
    for (abut_index k = 0; k < count; k++) {
        if (i[k] < 0 || i[k] >= end) {
            return error_set(error, ABUT_BAD_I, k, i[k], (double)end - 1.0);
        }
        if (j[k] < 0 || j[k] >= end || (ascend && j[k] <= i[k])) {
            return error_set(error, ABUT_BAD_J, k, j[k], (double)end - 1.0);
        }
        if (i[k] == j[k]) {
            return error_set(error, ABUT_BOND_ITSELF, k, i[k], 0.0);
        }
    }
    return ABUT_OK;
}

static bool is_in_cluster(const abut_simulation *s, const bond *b)
{
    const int32_t *clusters = s->store.clusters, *places = s->store.places;
    const int32_t first = clusters[places[b->rows[0]]];
    return first >= 0 && first == clusters[places[b->rows[1]]];
}

static double norm_sq(const double q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

/* Checks what ranges of columns cannot express: the rest overlap of a restored bond, and the norms
 * of its quaternions, which must be about 1. */
static abut_status check_state(const abut_simulation *s, const bond *b, abut_index k,
                               abut_error *error)
{
    const double most = b->has_contact ? 0.0 : bonds_most_rest(s, b->rows);
    if (b->rest_overlap > most) {
        return error_set(error, ABUT_BAD_BOND, k, BOND_rest_overlap, b->rest_overlap);
    }
    for (int side = 0; side < 2; side++) {
        const double size = norm_sq(b->turns[side]);
        if (!(size > 0.5 && size < 2.0)) {
            return error_set(error, ABUT_BAD_BOND, k, BOND_turns, size);
        }
    }
    return ABUT_OK;
}

/* ---- adding ---- */

/* Computes the quaternion that rotates x to the direction e. It starts from x or -x, whichever is
 * nearer to e, so that no digits cancel. For -x it first rotates by 180 degrees about z. */
static void axes_along(vec3 e, double q[4])
{
    const double near[4] = {0.0, -e.z, e.y, 1.0 + e.x}, far[4] = {e.z, 0.0, 1.0 - e.x, e.y};
    const vec3 none = {0.0, 0.0, 0.0};
    rigid_turn(e.x < 0.0 ? far : near, none, 0.0, 1.0, q);
}

/* Transforms a quaternion to the frame of the cluster that contains the sphere, if there is one. */
static void turn_to_cluster(const abut_simulation *s, int32_t row, double q[4])
{
    const abut_index place = s->store.places[row];
    if (simulation_is_member(s, place)) {
        const double *turn = s->clusters.bodies[s->store.clusters[place]].rigid.orientation;
        const double back[4] = {-turn[0], -turn[1], -turn[2], turn[3]},
                     world[4] = {q[0], q[1], q[2], q[3]};
        rigid_multiply(back, world, q);
    }
}

/* Starts a bond between the present positions of its spheres, at the nearest image. Returns false
 * if the center of a sphere is inside the other sphere. */
static bool begin_bond(const abut_simulation *s, bond *b)
{
    const store *spheres = &s->store;
    const int32_t zero[3] = {0, 0, 0};
    const vec3 apart = bonds_way(s, b->rows, zero);
    const vec3 nearest = lattice_closest_image(&s->cell.reduced, apart);
    b->shift[0] = -(int32_t)nearest.x;
    b->shift[1] = -(int32_t)nearest.y;
    b->shift[2] = -(int32_t)nearest.z;
    const vec3 way = bonds_way(s, b->rows, b->shift);
    b->length = vec3_length(way);
    axes_along(vec3_scale(way, 1.0 / b->length), b->turns[0]);
    memcpy(b->turns[1], b->turns[0], sizeof b->turns[0]);
    turn_to_cluster(s, b->rows[0], b->turns[0]);
    turn_to_cluster(s, b->rows[1], b->turns[1]);
    const double first = spheres->radii[spheres->places[b->rows[0]]];
    const double second = spheres->radii[spheres->places[b->rows[1]]];
    b->rest_overlap = b->has_contact ? 0.0 : larger(0.0, first + second - b->length);
    return b->length > larger(first, second);
}

/* Makes the sphere with the smaller row the first end. */
static void order_ends(bond *b)
{
    if (b->rows[0] > b->rows[1]) {
        const bond given = *b;
        b->rows[0] = given.rows[1], b->rows[1] = given.rows[0];
        b->ids[0] = given.ids[1], b->ids[1] = given.ids[0];
    }
}

/* Makes a new bond, or checks a bond of a restart file if its state is given. */
static abut_status make_bond(const abut_simulation *s, const abut_bonds *given, abut_index k,
                             bond *b, abut_error *error)
{
    abut_status wrong = ABUT_OK;
    order_ends(b);
    if (bonds_find(&s->bonds, b->rows[0], b->rows[1]) >= 0) {
        wrong = ABUT_BOND_TWICE;
    } else if (is_in_cluster(s, b)) {
        wrong = ABUT_BOND_IN_CLUSTER;
    } else if (given->length) {
        const abut_status status = check_state(s, b, k, error);
        if (status) {
            return status;
        }
    } else if (!begin_bond(s, b)) {
        wrong = ABUT_BOND_TOO_SHORT;
    }
    wrong = wrong || bonds_are_stiff(b) ? wrong : ABUT_BOND_STIFFNESS;
    return wrong ? error_set(error, wrong, k, given->i[k], (double)given->j[k]) : ABUT_OK;
}

/* Makes all bonds, and lists them in `order`, sorted by rows. */
static abut_status make_bonds(const abut_simulation *s, const abut_bonds *given, bond_set *made,
                              abut_index *order, abut_error *error)
{
    abut_status status = check_rows(s, given->i, given->j, given->count, given->length, error);
    status = status ? status : population_check(&BONDS, given, given->count, error);
    if (status) {
        return status;
    }
    for (; made->count < given->count; made->count++) {
        made->bonds[made->count] = (bond){.length = 0.0};
        made->before[made->count] = (bond_effect){.energy = 0.0};
    }
    population_store(&BONDS, made, NULL, (row_span){0, given->count}, given);
    for (abut_index k = 0; !status && k < given->count; k++) {
        status = make_bond(s, given, k, &made->bonds[k], error);
        order[k] = k;
    }
    if (status) {
        return status;
    }
    sort_by_merging(order, order + given->count, given->count, bonds_is_before, made);
    for (abut_index k = 1; k < given->count; k++) {
        if (!bonds_is_before(made, order[k - 1], order[k])) {
            return error_set(error, ABUT_BOND_TWICE, order[k], given->i[order[k]],
                             (double)given->j[order[k]]);
        }
    }
    return ABUT_OK;
}

/* Whether the spheres of a rest have a new bond. The new bond stores their present overlap, so this
 * rest ends. */
static bool is_bonded_anew(const bond_set *b, const bond_rest *r)
{
    const abut_index number = bonds_find(b, r->rows[0], r->rows[1]);
    return number >= 0 && !b->bonds[number].has_contact;
}

abut_status abut_simulation_add_bonds(abut_simulation *s, const abut_bonds *given,
                                      abut_error *error)
{
    const abut_index count = s->bonds.count + given->count;
    if (count > INT32_MAX / 2) {
        return error_set(error, ABUT_TOO_MANY_BONDS, count, 0, 0.0);
    }
    bond_set made = {.count = 0};
    abut_index *order = memory_alloc(2 * given->count, sizeof *order);
    abut_status status = order ? bonds_reserve(&made, given->count, 0) : ABUT_NO_MEMORY;
    status = status ? status : bonds_reserve(&s->bonds, count, s->store.count);
    status = status ? error_set_status(error, status) : make_bonds(s, given, &made, order, error);
    if (!status) {
        bonds_merge(&s->bonds, &made, order);
        bonds_list_ends(&s->bonds, s->store.count);
        bonds_refresh(s);
        bonds_drop_rests(&s->bonds, is_bonded_anew);
    }
    memory_free(order);
    bonds_free(&made);
    return status;
}

/* ---- removing ---- */

abut_status abut_simulation_remove_bonds(abut_simulation *s, const uint8_t *is_gone,
                                         abut_error *error)
{
    bond_set *b = &s->bonds;
    const abut_status status = bonds_reserve_broken(b, b->count);
    if (status) {
        return error_set_status(error, status);
    }
    const double elastic = abut_simulation_energy(s).elastic;
    energy_hold(s);
    for (abut_index k = 0; k < b->count; k++) {
        b->before[k].is_broken = is_gone[k];
    }
    bonds_remove_broken(b, s->store.count);
    energy_dissipate(s, elastic);
    return ABUT_OK;
}

/* ---- reading and assigning ---- */

abut_status abut_simulation_assign_bonds(abut_simulation *s, const abut_bonds *given,
                                         abut_error *error)
{
    const abut_bonds from = {.damping = given->damping,
                             .tensile_strength = given->tensile_strength,
                             .shear_strength = given->shear_strength};
    const abut_status status = population_check(&BONDS, &from, s->bonds.count, error);
    if (!status) {
        population_store(&BONDS, &s->bonds, NULL, (row_span){0, s->bonds.count}, &from);
        bonds_refresh(s);
    }
    return status;
}

void abut_simulation_read_bonds(const abut_simulation *s, const abut_bonds *to)
{
    population_read(&BONDS, &s->bonds, NULL, (row_span){0, s->bonds.count}, to);
}

/* ---- breakages and rests ---- */

abut_index abut_simulation_breakage_count(const abut_simulation *s)
{
    return s->bonds.breakage_count;
}

void abut_simulation_read_breakages(const abut_simulation *s, const abut_breakages *to)
{
    population_read(&BREAKAGES, &s->bonds, NULL, (row_span){0, s->bonds.breakage_count}, to);
}

abut_index abut_simulation_rest_count(const abut_simulation *s)
{
    return s->bonds.rest_count;
}

void abut_simulation_read_rests(const abut_simulation *s, const abut_rests *to)
{
    population_read(&RESTS, &s->bonds, NULL, (row_span){0, s->bonds.rest_count}, to);
}

/* Checks a bond_rest of a restart file: it comes after the one before in the order of rows, and its
 * overlap is in range. */
static abut_status check_rest(const abut_simulation *s, const bond_rest *rests, abut_index k,
                              abut_error *error)
{
    const bond_rest *r = &rests[k];
    if (k > 0 && bonds_compare_rests(r - 1, r) >= 0) {
        return error_set(error, ABUT_BAD_REST, k, REST_i, (double)r->rows[0]);
    }
    return r->overlap <= bonds_most_rest(s, r->rows)
               ? ABUT_OK
               : error_set(error, ABUT_BAD_REST, k, REST_overlap, r->overlap);
}

/* Stores restored rests behind the present ones, and replaces these when all are checked. */
abut_status abut_simulation_restore_breakages(abut_simulation *s, const abut_breakages *given,
                                              const abut_rests *rests, abut_error *error)
{
    bond_set *b = &s->bonds;
    abut_status status =
        error_set_status(error, bonds_reserve_broken(b, given->count + rests->count));
    status = status ? status : population_check(&BREAKAGES, given, given->count, error);
    status = status ? status : check_rows(s, rests->i, rests->j, rests->count, true, error);
    status = status ? status : population_check(&RESTS, rests, rests->count, error);
    for (abut_index k = 1; !status && k < given->count; k++) {
        if (given->step[k] < given->step[k - 1]) {
            status = error_set(error, ABUT_BAD_BREAKAGE, k, BREAKAGE_step, (double)given->step[k]);
        }
    }
    if (status) {
        return status;
    }
    bond_rest *resting = b->rests + b->rest_count;
    population_store(&RESTS, b, NULL, (row_span){b->rest_count, rests->count}, rests);
    for (abut_index k = 0; !status && k < rests->count; k++) {
        resting[k].has_parted = false;
        status = check_rest(s, resting, k, error);
    }
    if (!status) {
        memmove(b->rests, resting, (size_t)rests->count * sizeof *resting);
        population_store(&BREAKAGES, b, NULL, (row_span){0, given->count}, given);
        b->breakage_count = given->count, b->rest_count = rests->count;
    }
    return status;
}
