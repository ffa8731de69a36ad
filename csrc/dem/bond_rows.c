/* Bonds as callers have them: they come, are read, and go on from what a step has left. */
#include <string.h>

#include "simulation.h"

abut_index abut_simulation_bond_count(const abut_simulation *s)
{
    return s->bonds.count;
}

/* Columns that a caller wants. */
static void put(double *to, abut_index k, double value)
{
    if (to) {
        to[k] = value;
    }
}

static void put_index(abut_index *to, abut_index k, abut_index value)
{
    if (to) {
        to[k] = value;
    }
}

/* ---- checks ---- */

static bool is_row(const abut_simulation *s, abut_index row)
{
    return row >= 0 && row < s->store.count;
}

/* The number of `length` among those of a bond that are checked, which is the first behind them. */
enum { LENGTH_NUMBER = 6 };

/* Which number of a bond is out of its range, from `young` on as abut_bonds has them; -1: none. */
static int find_bad_number(const abut_bonds *of, abut_index k, double *value)
{
    const double numbers[6] = {of->young[k],   of->poisson[k],          of->radius[k],
                               of->damping[k], of->tensile_strength[k], of->shear_strength[k]};
    const bool are_good[6] = {numbers[0] > 0.0 && numbers[0] <= ABUT_COORDINATE_LIMIT,
                              numbers[1] > -1.0 && numbers[1] < 0.5,
                              numbers[2] > 0.0 && numbers[2] <= ABUT_COORDINATE_LIMIT,
                              numbers[3] >= 0.0 && numbers[3] <= ABUT_COORDINATE_LIMIT,
                              numbers[4] >= 0.0,
                              numbers[5] >= 0.0};
    for (int number = 0; number < LENGTH_NUMBER; number++) {
        if (!are_good[number]) {
            *value = numbers[number];
            return number;
        }
    }
    return -1;
}

static abut_status check_bond(const abut_simulation *s, const abut_bonds *of, abut_index k,
                              abut_error *error)
{
    const abut_index i = of->i[k], j = of->j[k], last = s->store.count - 1;
    double value = 0.0;
    if (!is_row(s, i)) {
        return error_set(error, ABUT_BAD_I, k, i, (double)last);
    }
    if (!is_row(s, j)) {
        return error_set(error, ABUT_BAD_J, k, j, (double)last);
    }
    if (i == j) {
        return error_set(error, ABUT_BOND_ITSELF, k, i, 0.0);
    }
    const int bad = find_bad_number(of, k, &value);
    if (bad >= 0) {
        return error_set(error, ABUT_BAD_BOND, k, bad, value);
    }
    const int32_t *clusters = s->store.clusters, *places = s->store.places;
    if (clusters[places[i]] >= 0 && clusters[places[i]] == clusters[places[j]]) {
        return error_set(error, ABUT_BOND_IN_CLUSTER, k, i, (double)j);
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

static void load_state(bond *b, bond_effect *e, const abut_bonds *of, abut_index k)
{
    b->length = of->length[k], b->rest_overlap = of->rest_overlap[k];
    for (int axis = 0; axis < 3; axis++) {
        b->shift[axis] = (int32_t)of->shift[3 * k + axis];
    }
    memcpy(b->turns, of->turns + 8 * k, sizeof b->turns);
    e->force = vec3_load(of->force + 3 * k);
    e->moments[0] = vec3_load(of->moments + 6 * k);
    e->moments[1] = vec3_load(of->moments + 6 * k + 3);
    e->energy = of->energy[k];
    e->parts[TENSION] = of->tension[k], e->parts[SHEAR] = of->shear[k];
}

/* The caller's bond, from the sphere with the smaller row to the other one. */
static bond load_bond(const abut_bonds *of, abut_index k)
{
    const bool is_turned = of->i[k] > of->j[k];
    const abut_index i = of->i[k], j = of->j[k], a = of->ids[2 * k], c = of->ids[2 * k + 1];
    return (bond){.rows = {(int32_t)(is_turned ? j : i), (int32_t)(is_turned ? i : j)},
                  .ids = {is_turned ? c : a, is_turned ? a : c},
                  .young = of->young[k],
                  .poisson = of->poisson[k],
                  .radius = of->radius[k],
                  .damping = of->damping[k],
                  .strengths = {of->tensile_strength[k], of->shear_strength[k]},
                  .has_contact = of->contact[k] != 0};
}

/* ABUT_OK, or why there can be no such bond. */
static abut_status make_bond(const abut_simulation *s, const abut_bonds *of, abut_index k,
                             made_bond *made, abut_error *error)
{
    bond *b = &made->bond;
    *made = (made_bond){.bond = load_bond(of, k), .number = k};
    if (bonds_find(&s->bonds, b->rows[0], b->rows[1]) >= 0) {
        return error_set(error, ABUT_BOND_TWICE, k, of->i[k], (double)of->j[k]);
    }
    if (of->length) {
        load_state(b, &made->before, of, k);
        return b->length > 0.0 ? ABUT_OK
                               : error_set(error, ABUT_BAD_BOND, k, LENGTH_NUMBER, b->length);
    }
    begin_bond(s, b);
    return is_long_enough(s, b)
               ? ABUT_OK
               : error_set(error, ABUT_BOND_TOO_SHORT, k, of->i[k], (double)of->j[k]);
}

/* All of them, sorted. */
static abut_status make_bonds(const abut_simulation *s, const abut_bonds *of, made_bond *made,
                              abut_error *error)
{
    for (abut_index k = 0; k < of->count; k++) {
        abut_status status = check_bond(s, of, k, error);
        status = status ? status : make_bond(s, of, k, &made[k], error);
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

/* Laws that act no more take the energy of their contacts along, unless they act beside bonds. */
static void hold_energy(abut_simulation *s, const abut_bonds *of)
{
    bool hides = false;
    for (abut_index k = 0; k < of->count; k++) {
        hides |= !of->contact[k];
    }
    if (hides) {
        energy_hold(s);
    }
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
        hold_energy(s, of);
        bonds_merge(&s->bonds, made, of->count);
        bonds_list_ends(&s->bonds, s->store.count);
        bonds_refresh(s);
        end_rests(s);
    }
    memory_free(made);
    return status;
}

/* ---- reading ---- */

static void read_numbers(const bond *b, abut_index k, const abut_bonds *to)
{
    for (int side = 0; side < 2; side++) {
        put_index(to->ids, 2 * k + side, b->ids[side]);
    }
    for (int axis = 0; axis < 3; axis++) {
        put_index(to->shift, 3 * k + axis, b->shift[axis]);
    }
    put_index(to->i, k, b->rows[0]), put_index(to->j, k, b->rows[1]);
    put_index(to->contact, k, b->has_contact);
    put(to->young, k, b->young), put(to->poisson, k, b->poisson);
    put(to->radius, k, b->radius), put(to->damping, k, b->damping);
    put(to->tensile_strength, k, b->strengths[TENSION]);
    put(to->shear_strength, k, b->strengths[SHEAR]);
    put(to->length, k, b->length), put(to->rest_overlap, k, b->rest_overlap);
    for (int number = 0; number < 8; number++) {
        put(to->turns, 8 * k + number, b->turns[number / 4][number % 4]);
    }
}

static void read_effect(const bond_effect *e, abut_index k, const abut_bonds *to)
{
    if (to->force) {
        vec3_store(to->force + 3 * k, e->force);
    }
    if (to->moments) {
        vec3_store(to->moments + 6 * k, e->moments[0]);
        vec3_store(to->moments + 6 * k + 3, e->moments[1]);
    }
    put(to->energy, k, e->energy);
    put(to->tension, k, e->parts[TENSION]), put(to->shear, k, e->parts[SHEAR]);
}

void abut_simulation_read_bonds(const abut_simulation *s, const abut_bonds *to)
{
    for (abut_index k = 0; k < s->bonds.count; k++) {
        read_numbers(&s->bonds.bonds[k], k, to);
        read_effect(&s->bonds.before[k], k, to);
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
        const bond_breakage *b = &s->bonds.breakages[k];
        put_index(to->step, k, b->step);
        put_index(to->ids, 2 * k, b->ids[0]), put_index(to->ids, 2 * k + 1, b->ids[1]);
        put_index(to->of_shear, k, b->is_of_shear);
        put(to->energy, k, b->energy);
        if (to->point) {
            vec3_store(to->point + 3 * k, b->point);
        }
    }
}

abut_index abut_simulation_rest_count(const abut_simulation *s)
{
    return s->bonds.rest_count;
}

void abut_simulation_read_rests(const abut_simulation *s, const abut_rests *to)
{
    for (abut_index k = 0; k < s->bonds.rest_count; k++) {
        const bond_rest *r = &s->bonds.rests[k];
        put_index(to->i, k, r->rows[0]), put_index(to->j, k, r->rows[1]);
        put(to->overlap, k, r->overlap);
        for (int axis = 0; axis < 3; axis++) {
            put_index(to->shift, 3 * k + axis, r->shift[axis]);
        }
    }
}

static abut_status check_rests(const abut_simulation *s, const abut_rests *of, abut_error *error)
{
    for (abut_index k = 0; k < of->count; k++) {
        if (!is_row(s, of->i[k])) {
            return error_set(error, ABUT_BAD_I, k, of->i[k], (double)(s->store.count - 1));
        }
        if (!is_row(s, of->j[k]) || of->j[k] <= of->i[k]) {
            return error_set(error, ABUT_BAD_J, k, of->j[k], (double)(s->store.count - 1));
        }
    }
    return ABUT_OK;
}

abut_status abut_simulation_restore_breakages(abut_simulation *s, const abut_breakages *of,
                                              const abut_rests *rests, abut_error *error)
{
    bond_set *b = &s->bonds;
    abut_status status = check_rests(s, rests, error);
    status = status ? status
                    : error_set_status(error, bonds_reserve_broken(b, of->count + rests->count));
    if (status) {
        return status;
    }
    b->breakage_count = of->count, b->rest_count = rests->count;
    for (abut_index k = 0; k < of->count; k++) {
        b->breakages[k] = (bond_breakage){.step = of->step[k],
                                          .ids = {of->ids[2 * k], of->ids[2 * k + 1]},
                                          .point = vec3_load(of->point + 3 * k),
                                          .energy = of->energy[k],
                                          .is_of_shear = of->of_shear[k] != 0};
    }
    for (abut_index k = 0; k < rests->count; k++) {
        b->rests[k] = (bond_rest){.rows = {(int32_t)rests->i[k], (int32_t)rests->j[k]},
                                  .overlap = rests->overlap[k]};
        for (int axis = 0; axis < 3; axis++) {
            b->rests[k].shift[axis] = (int32_t)rests->shift[3 * k + axis];
        }
    }
    return ABUT_OK;
}
