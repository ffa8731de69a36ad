/* Bonds as callers have them: they come, are read, and go on from what a step has left. */
#include <string.h>

#include "bond_columns.h"
#include "bond_laws.h"
#include "bond_pairs.h"

abut_index abut_simulation_bond_count(const abut_simulation *s)
{
    return s->bonds.count;
}

/* ---- checks ---- */

static bool is_row(const abut_simulation *s, abut_index row)
{
    return row >= 0 && row < s->store.count;
}

/* Two other spheres, which are not of one cluster. */
static abut_status check_spheres(const abut_simulation *s, const abut_bonds *of, abut_index k,
                                 abut_error *error)
{
    const abut_index i = of->i[k], j = of->j[k], last = s->store.count - 1;
    if (!is_row(s, i)) {
        return error_set(error, ABUT_BAD_I, k, i, (double)last);
    }
    if (!is_row(s, j) || (of->length && j < i)) {
        return error_set(error, ABUT_BAD_J, k, j, (double)last);
    }
    if (i == j) {
        return error_set(error, ABUT_BOND_ITSELF, k, i, 0.0);
    }
    const int32_t *clusters = s->store.clusters, *places = s->store.places;
    if (clusters[places[i]] >= 0 && clusters[places[i]] == clusters[places[j]]) {
        return error_set(error, ABUT_BOND_IN_CLUSTER, k, i, (double)j);
    }
    return ABUT_OK;
}

static double norm_sq(const double q[4])
{
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
}

/* What steps have made of a bond, beyond the range of each number: quaternions are units, but for
 * rounding. */
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

/* ---- coming ---- */

/* The quaternion that takes the x axis to a direction: from the nearer of x and -x, the latter
 * after half a turn about z, so that nothing cancels. */
static void axes_along(vec3 e, double q[4])
{
    const double near[4] = {0.0, -e.z, e.y, 1.0 + e.x}, far[4] = {e.z, 0.0, 1.0 - e.x, e.y};
    const vec3 none = {0.0, 0.0, 0.0};
    rigid_turn(e.x < 0.0 ? far : near, none, 0.0, 1.0, q);
}

/* A quaternion in the frame of the cluster that a sphere is a member of. */
static void take_back(const abut_simulation *s, int32_t row, double q[4])
{
    const abut_index place = s->store.places[row];
    if (simulation_is_member(s, place)) {
        const double *of = s->clusters.bodies[s->store.clusters[place]].rigid.orientation;
        const double back[4] = {-of[0], -of[1], -of[2], of[3]}, world[4] = {q[0], q[1], q[2], q[3]};
        rigid_multiply(back, world, q);
    }
}

/* Let it begin where its spheres are, at the nearest image. */
static void begin_bond(const abut_simulation *s, bond *b)
{
    const store *of = &s->store;
    const int32_t zero[3] = {0, 0, 0};
    const vec3 apart = bonds_way(s, b->rows, zero);
    const double parts[3] = {apart.x, apart.y, apart.z};
    for (int axis = 0; axis < 3; axis++) {
        b->shift[axis] = -(int32_t)lattice_count(&s->lattice, axis, parts[axis]);
    }
    const vec3 way = bonds_way(s, b->rows, b->shift);
    b->length = vec3_length(way);
    axes_along(vec3_scale(way, 1.0 / b->length), b->turns[0]);
    memcpy(b->turns[1], b->turns[0], sizeof b->turns[0]);
    take_back(s, b->rows[0], b->turns[0]);
    take_back(s, b->rows[1], b->turns[1]);
    const double both = of->radii[of->places[b->rows[0]]] + of->radii[of->places[b->rows[1]]];
    b->rest_overlap = b->has_contact ? 0.0 : larger(0.0, both - b->length);
}

/* Whether one's center lies outside of the other. */
static bool is_long_enough(const abut_simulation *s, const bond *b)
{
    const store *of = &s->store;
    const double a = of->radii[of->places[b->rows[0]]], c = of->radii[of->places[b->rows[1]]];
    return b->length > larger(a, c);
}

/* From the sphere with the smaller row to the other one. */
static void order_ends(bond *b)
{
    if (b->rows[0] > b->rows[1]) {
        const bond of = *b;
        b->rows[0] = of.rows[1], b->rows[1] = of.rows[0];
        b->ids[0] = of.ids[1], b->ids[1] = of.ids[0];
    }
}

/* Where it begins, or goes on. ABUT_OK, or why there can be no such bond. */
static abut_status place_bond(const abut_simulation *s, const abut_bonds *of, abut_index k, bond *b,
                              abut_error *error)
{
    if (of->length) {
        return check_state(s, b, k, error);
    }
    begin_bond(s, b);
    return is_long_enough(s, b)
               ? ABUT_OK
               : error_set(error, ABUT_BOND_TOO_SHORT, k, of->i[k], (double)of->j[k]);
}

/* Likewise all of it. */
static abut_status make_bond(const abut_simulation *s, const abut_bonds *of, abut_index k,
                             made_bond *made, abut_error *error)
{
    *made = (made_bond){.number = k};
    abut_status status = check_spheres(s, of, k, error);
    status = status ? status : bond_columns_load(ABUT_BOND_TABLE, of, k, made, error);
    if (status) {
        return status;
    }
    order_ends(&made->bond);
    if (bonds_find(&s->bonds, made->bond.rows[0], made->bond.rows[1]) >= 0) {
        return error_set(error, ABUT_BOND_TWICE, k, of->i[k], (double)of->j[k]);
    }
    status = place_bond(s, of, k, &made->bond, error);
    if (!status && !bonds_are_stiff(&made->bond)) {
        return error_set(error, ABUT_BOND_STIFFNESS, k, of->i[k], (double)of->j[k]);
    }
    return status;
}

/* All of them, sorted. */
static abut_status make_bonds(const abut_simulation *s, const abut_bonds *of, made_bond *made,
                              abut_error *error)
{
    for (abut_index k = 0; k < of->count; k++) {
        const abut_status status = make_bond(s, of, k, &made[k], error);
        if (status) {
            return status;
        }
    }
    const abut_index twice = bonds_sort_made(made, of->count);
    if (twice >= 0) {
        const abut_index k = made[twice].number;
        return error_set(error, ABUT_BOND_TWICE, k, of->i[k], (double)of->j[k]);
    }
    return ABUT_OK;
}

/* Spheres that rest, and are bonded anew, rest no more: their bond begins with what they overlap
 * now. */
static bool is_bonded_anew(const abut_simulation *s, const bond_rest *r)
{
    const abut_index number = bonds_find(&s->bonds, r->rows[0], r->rows[1]);
    return number >= 0 && !s->bonds.bonds[number].has_contact;
}

static void end_rests(abut_simulation *s)
{
    bond_set *b = &s->bonds;
    abut_index kept = 0;
    for (abut_index k = 0; k < b->rest_count; k++) {
        if (!is_bonded_anew(s, &b->rests[k])) {
            b->rests[kept++] = b->rests[k];
        }
    }
    b->rest_count = kept;
}

abut_status abut_simulation_add_bonds(abut_simulation *s, const abut_bonds *of, abut_error *error)
{
    const abut_index count = s->bonds.count + of->count;
    if (count > INT32_MAX / 2) {
        return error_set(error, ABUT_TOO_MANY_BONDS, count, 0, 0.0);
    }
    made_bond *made = memory_alloc(of->count, sizeof *made);
    abut_status status = made ? ABUT_OK : ABUT_NO_MEMORY;
    status = status ? status : bonds_reserve(&s->bonds, count, s->store.count);
    status = status ? error_set_status(error, status) : make_bonds(s, of, made, error);
    if (!status) {
        bonds_merge(&s->bonds, made, of->count);
        bonds_list_ends(&s->bonds, s->store.count);
        bonds_refresh(s);
        end_rests(s);
    }
    memory_free(made);
    return status;
}

/* ---- reading ---- */

void abut_simulation_read_bonds(const abut_simulation *s, const abut_bonds *to)
{
    for (abut_index k = 0; k < s->bonds.count; k++) {
        const made_bond of = {.bond = s->bonds.bonds[k], .before = s->bonds.before[k]};
        bond_columns_read(ABUT_BOND_TABLE, to, k, &of);
    }
}

/* ---- what has broken ---- */

abut_index abut_simulation_breakage_count(const abut_simulation *s)
{
    return s->bonds.breakage_count;
}

void abut_simulation_read_breakages(const abut_simulation *s, const abut_breakages *to)
{
    for (abut_index k = 0; k < s->bonds.breakage_count; k++) {
        bond_columns_read(ABUT_BREAKAGE_TABLE, to, k, &s->bonds.breakages[k]);
    }
}

abut_index abut_simulation_rest_count(const abut_simulation *s)
{
    return s->bonds.rest_count;
}

void abut_simulation_read_rests(const abut_simulation *s, const abut_rests *to)
{
    for (abut_index k = 0; k < s->bonds.rest_count; k++) {
        bond_columns_read(ABUT_REST_TABLE, to, k, &s->bonds.rests[k]);
    }
}

/* Spheres that are there, which rest by no more than they may, sorted. */
static abut_status load_rest(const abut_simulation *s, const abut_rests *of, abut_index k,
                             bond_rest *rests, abut_error *error)
{
    const abut_index i = of->i[k], j = of->j[k], last = s->store.count - 1;
    if (!is_row(s, i)) {
        return error_set(error, ABUT_BAD_I, k, i, (double)last);
    }
    if (!is_row(s, j) || j <= i) {
        return error_set(error, ABUT_BAD_J, k, j, (double)last);
    }
    rests[k] = (bond_rest){.has_parted = false};
    const abut_status status = bond_columns_load(ABUT_REST_TABLE, of, k, &rests[k], error);
    if (status) {
        return status;
    }
    if (k > 0 && bonds_compare_rests(&rests[k - 1], &rests[k]) >= 0) {
        return error_set(error, ABUT_BAD_REST, k, REST_i, (double)i);
    }
    return rests[k].overlap <= bonds_most_rest(s, rests[k].rows)
               ? ABUT_OK
               : error_set(error, ABUT_BAD_REST, k, REST_overlap, rests[k].overlap);
}

/* In the order of steps. */
static abut_status load_breakage(const abut_breakages *of, abut_index k, bond_breakage *breakages,
                                 abut_error *error)
{
    const abut_status status = bond_columns_load(ABUT_BREAKAGE_TABLE, of, k, &breakages[k], error);
    return status || k == 0 || breakages[k].step >= breakages[k - 1].step
               ? status
               : error_set(error, ABUT_BAD_BREAKAGE, k, BREAKAGE_step, (double)breakages[k].step);
}

/* What is loaded stands behind what is there until all of it is known to be sound. */
abut_status abut_simulation_restore_breakages(abut_simulation *s, const abut_breakages *of,
                                              const abut_rests *rests, abut_error *error)
{
    bond_set *b = &s->bonds;
    abut_status status = error_set_status(error, bonds_reserve_broken(b, of->count + rests->count));
    if (status) {
        return status;
    }
    bond_breakage *broken = b->breakages + b->breakage_count;
    bond_rest *resting = b->rests + b->rest_count;
    for (abut_index k = 0; !status && k < of->count; k++) {
        status = load_breakage(of, k, broken, error);
    }
    for (abut_index k = 0; !status && k < rests->count; k++) {
        status = load_rest(s, rests, k, resting, error);
    }
    if (!status) {
        memmove(b->breakages, broken, (size_t)of->count * sizeof *broken);
        memmove(b->rests, resting, (size_t)rests->count * sizeof *resting);
        b->breakage_count = of->count, b->rest_count = rests->count;
    }
    return status;
}
