/* Spheres by row: in the order in which callers have added them. */
#include "sphere_rows.h"

#include <string.h>

#include "apart.h"
#include "bond_laws.h"
#include "bond_pairs.h"
#include "cell_motion.h"
#include "energy.h"
#include "move.h"
#include "sphere_order.h"
#include "population.h"
#include "shared.h"
#include "watch.h"

abut_index abut_simulation_sphere_count(const abut_simulation *s)
{
    return s->store.count;
}

/* ---- columns ---- */

#define SPHERE_NUMBER(name, type, width, per, when, flags, unit, meaning) SPHERE_##name,
enum { ABUT_SPHERE_COLUMNS(SPHERE_NUMBER) SPHERE_NUMBERS };

static const column_storage COLUMNS[SPHERE_NUMBERS] = {
    [SPHERE_centers] = {IN_ARRAY(store, centers, 3), AS_GIVEN, COORDINATE, ABUT_CENTER_NOT_FINITE},
    [SPHERE_radii] = {IN_ARRAY(store, radii, 1), AS_GIVEN, POSITIVE, ABUT_BAD_RADIUS},
    [SPHERE_masses] = {IN_ARRAY(store, masses, 1), AS_GIVEN, POSITIVE, ABUT_BAD_MASS},
    [SPHERE_velocities] = {IN_STRUCTS(store, movers, mover, velocity), AS_GIVEN, COORDINATE,
                           ABUT_BAD_VELOCITY},
    [SPHERE_spins] = {IN_STRUCTS(store, movers, mover, spin), AS_GIVEN, COORDINATE,
                      ABUT_BAD_VELOCITY},
    [SPHERE_materials] = {IN_ARRAY(store, materials, 1), AS_INT32, ANY, ABUT_OK},
    [SPHERE_clusters] = {IN_ARRAY(store, clusters, 1), AS_INT32, ANY, ABUT_OK},
    [SPHERE_fixed] = {NOT_STORED, FLAG, ABUT_OK}, /* follows from the mass in `movers` */
    [SPHERE_forces] = {IN_ARRAY(store, forces, 3), AS_GIVEN, FINITE, ABUT_OK},
    [SPHERE_torques] = {IN_ARRAY(store, torques, 3), AS_GIVEN, FINITE, ABUT_OK},
    [SPHERE_images] = {IN_ARRAY(store, images, 3), AS_INT32, PERIODS, ABUT_OK},
    [SPHERE_began] = {IN_ARRAY(store, began, 3), AS_GIVEN, COORDINATE, ABUT_OK},
    [SPHERE_works] = {IN_ARRAY(store, books, 1), AS_GIVEN, FINITE, ABUT_OK},
};

static const population SPHERES = {ABUT_SPHERE_TABLE, COLUMNS, ABUT_BAD_SPHERE};

static abut_status check_rows(const abut_simulation *s, const abut_spheres *rows, abut_index count,
                              abut_error *error)
{
    const abut_status status = population_check(&SPHERES, rows, count, error);
    for (abut_index k = 0; !status && rows->radii && k < count; k++) {
        if (rows->radii[k] < ABUT_SMALLEST_RADIUS) {
            return error_set(error, ABUT_RADIUS_TOO_SMALL, k, 0, rows->radii[k]);
        }
    }
    const abut_index end = s->laws.material_count;
    const abut_index wrong = population_find_wrong(rows->materials, count, end);
    return status || wrong < 0
               ? status
               : error_set(error, ABUT_BAD_MATERIAL, wrong, rows->materials[wrong], (double)end);
}

void abut_simulation_read(const abut_simulation *s, const abut_spheres *rows)
{
    const store *spheres = &s->store;
    population_read(&SPHERES, spheres, spheres->places, (row_span){0, spheres->count}, rows);
    for (abut_index row = 0; rows->fixed && row < spheres->count; row++) {
        rows->fixed[row] = store_is_fixed(spheres, spheres->places[row]);
    }
}

/* ---- derived data ---- */

/* Stores the given columns, except the cluster of a sphere, which cannot be assigned. */
static void store_rows(store *spheres, const abut_spheres *rows, abut_index first)
{
    abut_spheres given = *rows;
    given.clusters = NULL;
    population_store(&SPHERES, spheres, spheres->places, (row_span){first, spheres->count - first},
                     &given);
}

/* Fixes a sphere at its position. */
static void fix_sphere(store *spheres, abut_index place)
{
    mover *sphere = &spheres->movers[place];
    sphere->mass = spheres->inertias[place] = FIXED;
    memset(sphere->velocity, 0, sizeof sphere->velocity);
    memset(sphere->spin, 0, sizeof sphere->spin);
    spheres->has_fixed = true;
}

void spheres_set_mass(abut_simulation *s, abut_index place, bool is_fixed)
{
    store *spheres = &s->store;
    const inertness finite = spheres_own_inertness(s, place);
    spheres->movers[place].radius = spheres->radii[place];
    spheres->movers[place].mass = finite.mass, spheres->inertias[place] = finite.inertia;
    if (is_fixed) {
        fix_sphere(spheres, place);
    }
}

/* Whether a sphere will be fixed with the given columns. Clusters must have been updated before. */
static bool is_to_be_fixed(const abut_simulation *s, const abut_spheres *rows, abut_index row)
{
    const abut_index place = s->store.places[row];
    if (simulation_is_member(s, place)) {
        return s->clusters.bodies[s->store.clusters[place]].rigid.is_fixed;
    }
    return rows->fixed ? rows->fixed[row] != 0 : store_is_fixed(&s->store, place);
}

/* Updates the numbers that follow from masses, radii and fixed spheres. */
static void follow_sizes(abut_simulation *s, const abut_spheres *rows)
{
    for (abut_index row = 0; row < s->store.count; row++) {
        spheres_set_mass(s, s->store.places[row], is_to_be_fixed(s, rows, row));
    }
    if (rows->radii) {
        bonds_fit_rests(s);
    }
    if (rows->radii || rows->fixed || (rows->materials && s->laws.pulls_or_reaches)) {
        neighbor_list_forget(&s->neighbors); /* new materials may have larger cutoffs */
    }
}

/* Wraps centers of spheres from place `first` on into the box, except members of clusters. */
static void wrap_places(abut_simulation *s, abut_index first)
{
    for (abut_index place = first; place < s->store.count; place++) {
        if (s->store.clusters[place] < 0) {
            mover *sphere = &s->store.movers[place];
            vec3 velocity = vec3_load(sphere->velocity);
            cell_place(s, s->store.centers + 3 * place, s->store.images + 3 * place, &velocity);
            vec3_store(sphere->velocity, velocity);
        }
    }
}

/* Fixes or frees clusters; the first member of each decides. fixed NULL: no change. */
static void fix_clusters(abut_simulation *s, const abut_index *fixed)
{
    for (abut_index k = 0; fixed && k < s->clusters.count; k++) {
        rigid_body *cluster = &s->clusters.bodies[k];
        rigid_set_fixed(&cluster->rigid, fixed[cluster->first_row] != 0);
    }
}

/* Whether any fixed sphere becomes free. Then it may overlap partners that were fixed, too. */
static bool frees_any(const abut_simulation *s, const abut_index *fixed)
{
    bool frees = false;
    for (abut_index row = 0; fixed && row < s->store.count; row++) {
        frees |= !fixed[row] && store_is_fixed(&s->store, s->store.places[row]);
    }
    return frees;
}

abut_status abut_simulation_assign(abut_simulation *s, const abut_spheres *rows, abut_error *error)
{
    store *spheres = &s->store;
    abut_status status = check_rows(s, rows, spheres->count, error);
    if (status || spheres->count == 0) {
        return status;
    }
    if (rows->materials && apart_reserve(s)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const abut_energy energy = abut_simulation_energy(s);
    const bool frees = frees_any(s, rows->fixed);
    if (rows->centers || rows->radii || frees) {
        energy_hold_total(s);
    }
    s->watch.is_placed |= rows->centers || rows->radii || rows->fixed;
    s->watch.is_freed |= frees;
    if (rows->materials) {
        apart_end_untouched(s, &s->laws, rows->materials);
    }
    store_rows(spheres, rows, 0);
    fix_clusters(s, rows->fixed);
    follow_sizes(s, rows);
    if (rows->masses || rows->radii || rows->fixed) {
        bonds_refresh(s);
    }
    if (rows->centers || rows->velocities || rows->spins || rows->fixed) {
        rigid_set_place_clusters(&s->clusters, spheres);
    }
    if (rows->centers) {
        wrap_places(s, 0);
    }
    energy_count_outside(s, energy);
    return ABUT_OK;
}

/* ---- adding ---- */

static void append(abut_simulation *s, const abut_spheres *rows)
{
    store *spheres = &s->store;
    const abut_index first = spheres->count;
    store_append(spheres, rows->count);
    store_rows(spheres, rows, first);
    for (abut_index place = first; place < spheres->count; place++) {
        spheres_set_mass(s, place, rows->fixed && rows->fixed[place - first]);
        if (!rows->began) {
            memcpy(spheres->began + 3 * place, spheres->centers + 3 * place,
                   3 * sizeof *spheres->began);
        }
    }
}

/* Extends the tables of the last step by `count` spheres, which have no rows in them yet. */
static abut_status extend_tables(abut_simulation *s, abut_index count)
{
    const abut_status status = table_extend(&s->before->tables[ABUT_SPHERE_WALL], count);
    return status ? status : table_extend(&s->before->tables[ABUT_SPHERE_SPHERE], count);
}

/* Extends the lists of bonds' ends by `count` spheres, which have no bonds yet. */
static abut_status extend_bonds(abut_simulation *s, abut_index count)
{
    if (s->bonds.count == 0) {
        return ABUT_OK;
    }
    const abut_status status = bonds_reserve(&s->bonds, s->bonds.count, count);
    if (!status) {
        bonds_list_ends(&s->bonds, count);
    }
    return status;
}

abut_status abut_simulation_add(abut_simulation *s, const abut_spheres *rows, abut_error *error)
{
    const abut_index first = s->store.count, count = first + rows->count;
    abut_status status = check_rows(s, rows, rows->count, error);
    if (status) {
        return status;
    }
    if (count > INT32_MAX - 2) {
        return error_set(error, ABUT_TOO_MANY_SPHERES, count, 0, 0.0);
    }
    s->watch.is_placed = true;
    status = store_reserve(&s->store, count);
    status = status ? status : extend_bonds(s, count);
    status = status ? status : extend_tables(s, count);
    if (status) {
        return error_set_status(error, status);
    }
    append(s, rows);
    energy_add_spheres(s, first);
    wrap_places(s, first);
    return ABUT_OK;
}

/* ---- removing ---- */

/* Data of a removal: places and new rows of spheres that stay, and what is restored on failure. */
typedef struct removal {
    const uint8_t *is_gone;
    int32_t *source, *new_rows;
    abut_index kept;
    account account;
    double *last_works; /* by place */
} removal;

static void list_kept(const store *spheres, removal *r)
{
    int32_t kept = 0;
    for (abut_index row = 0; row < spheres->count; row++) {
        r->new_rows[row] = r->is_gone[row] ? -1 : kept;
        kept += !r->is_gone[row];
    }
    for (abut_index place = 0; place < spheres->count; place++) {
        if (!r->is_gone[spheres->rows[place]]) {
            r->source[r->kept++] = (int32_t)place;
        }
    }
}

/* Renumbers the rows of spheres, and removes clusters that have lost their spheres. */
static void rename_rows(abut_simulation *s, const int32_t *new_rows)
{
    store *spheres = &s->store;
    for (abut_index place = 0; place < spheres->count; place++) {
        spheres->rows[place] = new_rows[spheres->rows[place]];
    }
    store_find_places(spheres);
    for (abut_index k = 0; k < s->clusters.count; k++) {
        s->clusters.bodies[k].first_row = new_rows[s->clusters.bodies[k].first_row];
    }
    rigid_set_compact(&s->clusters, NULL);
    for (abut_index k = 0; k < s->clusters.count; k++) {
        const rigid_body *cluster = &s->clusters.bodies[k];
        for (int32_t member = 0; member < cluster->member_count; member++) {
            spheres->clusters[spheres->places[cluster->first_row + member]] = (int32_t)k;
        }
    }
    bonds_renumber(&s->bonds, new_rows, spheres->count);
}

static abut_status remove_rows(abut_simulation *s, removal *r)
{
    const abut_index count = s->store.count;
    if (!r->source || !r->new_rows || !r->last_works) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index place = 0; place < count; place++) {
        r->last_works[place] = s->store.books[place].last_work;
    }
    list_kept(&s->store, r);
    energy_remove_spheres(s, r->is_gone);
    const abut_status status = order_rearrange(s, r->source, r->kept, r->new_rows);
    if (!status) {
        rename_rows(s, r->new_rows);
        return ABUT_OK;
    }
    s->account = r->account;
    for (abut_index place = 0; place < count; place++) {
        s->store.books[place].last_work = r->last_works[place];
    }
    return status;
}

abut_status abut_simulation_remove(abut_simulation *s, const uint8_t *is_gone, abut_error *error)
{
    const abut_index count = s->store.count;
    removal r = {.is_gone = is_gone,
                 .source = memory_alloc(count, sizeof *r.source),
                 .new_rows = memory_alloc(count, sizeof *r.new_rows),
                 .account = s->account,
                 .last_works = memory_alloc(count, sizeof *r.last_works)};
    watch_forget(s);
    const abut_status status = remove_rows(s, &r);
    memory_free(r.source), memory_free(r.new_rows), memory_free(r.last_works);
    return error_set_status(error, status);
}

/* ---- applied forces ---- */

abut_status spheres_check_pushes(const double *pushes, abut_index count, abut_error *error)
{
    for (abut_index k = 0; pushes && k < 3 * count; k++) {
        if (!(fabs(pushes[k]) <= ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_FORCE, k / 3, k % 3, pushes[k]);
        }
    }
    return ABUT_OK;
}

static void apply(const store *spheres, const double *from, double *to)
{
    memset(to, 0, 3 * (size_t)spheres->count * sizeof *to);
    for (abut_index row = 0; from && row < spheres->count; row++) {
        memcpy(to + 3 * (abut_index)spheres->places[row], from + 3 * row, 3 * sizeof *to);
    }
}

abut_status abut_simulation_apply(abut_simulation *s, const double *forces, const double *torques,
                                  abut_error *error)
{
    store *spheres = &s->store;
    abut_status status = spheres_check_pushes(forces, spheres->count, error);
    status = status ? status : spheres_check_pushes(torques, spheres->count, error);
    if (!status && spheres->count > 0) {
        apply(spheres, forces, spheres->pushes);
        apply(spheres, torques, spheres->twists);
        spheres->has_applied = forces || torques;
    }
    return status;
}
