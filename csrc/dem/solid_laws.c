/* The part of a step that is about what bodies exert: a law at each spot, as between two points, of
 * which either goes with its body, sphere or wall. */
#include "parts.h"

#include <string.h>

#include "apart.h"
#include "row_laws.h"
#include "watch.h"

/* ---- what moves at a spot ---- */

/* What the laws of one meeting's spots are computed from. */
typedef struct spot_laws {
    const abut_simulation *simulation;
    const interaction_table *now, *before;
    abut_step step_before; /* on which wall each row was */
} spot_laws;

/* One row, while its spots are set. */
typedef struct set_row {
    view of;
    double part;         /* that each spot has of both masses: spots that bear share them */
    double inertia;      /* likewise the part of I* */
    double roundings[2]; /* the radii of both partners; a wall has none */
} set_row;

/* Where a spot is, and how it is rounded there: by which vectors the surfaces of both partners are
 * before what is rounded. */
typedef struct spot_place {
    vec3 first, second; /* second: less the shift of its image */
    vec3 first_round, second_round;
} spot_place;

static set_row read_row(const spot_laws *w, abut_index row)
{
    const partner first = view_partner(w->simulation, w->now, row, 0),
                  second = view_partner(w->simulation, w->now, row, 1);
    const double part = 1.0 / larger(view_bearing_spots(w->now, row), 1.0);
    return (set_row){.of = view_row(w->simulation, w->now, row),
                     .part = part,
                     .inertia = part * view_inertness(w->simulation, &first, &second).inertia,
                     .roundings = {first.radius, second.radius < INFINITY ? second.radius : 0.0}};
}

/* By how much a partner's surface is before what is rounded, along the normal: its radius, less
 * what the overlap has taken of it where the force acts. */
static double round_part(const spot_laws *w, double radius, double overlap)
{
    return radius > 0.0 ? radius - (w->now->kind == ABUT_BODY_WALL ? 1.0 : 0.5) * overlap : 0.0;
}

static spot_place place_spot(const spot_laws *w, const set_row *r, abut_index spot, double overlap)
{
    const vec3 point = view_force_point(&r->of, spot);
    spot_place place = {.first = point, .second = vec3_sub(point, r->of.shift)};
    if (r->of.is_curved) {
        const double first = round_part(w, r->roundings[0], overlap);
        const double second = round_part(w, r->roundings[1], overlap);
        place.first_round = vec3_scale(r->of.normal, -first);
        place.second_round = vec3_scale(r->of.normal, second);
    }
    return place;
}

static void set_mover(mover *b, vec3 velocity, vec3 spin, double mass)
{
    vec3_store(b->velocity, velocity);
    vec3_store(b->spin, spin);
    b->mass = mass;
}

static void set_rigid(const spot_laws *w, mover *b, const rigid *r, vec3 point, vec3 round)
{
    const vec3 arm = vec3_sub(point, r->position);
    const double step = w->simulation->last.step;
    set_mover(b, rigid_point_velocity(r->velocity, r->spin, arm, round, step), r->spin,
              rigid_mass(r));
}

static void set_sphere(const spot_laws *w, mover *b, abut_index row, vec3 point, vec3 round)
{
    const store *of = &w->simulation->store;
    const abut_index place = of->places[row];
    const mover *own = &of->movers[place];
    const vec3 arm = vec3_sub(point, vec3_load(of->centers + 3 * place));
    const vec3 velocity = vec3_load(own->velocity), spin = vec3_load(own->spin);
    const double step = w->simulation->last.step;
    set_mover(b, rigid_point_velocity(velocity, spin, arm, round, step), spin, own->mass);
}

static void set_other(const spot_laws *w, row_block *block, int32_t k, abut_index row,
                      const spot_place *place)
{
    mover *b = &block->movers[1][k];
    const abut_convex_columns *c = &w->now->body;
    switch (w->now->kind) {
    case ABUT_BODY_WALL:
        rows_set_wall(w->simulation, block, k, c->mesh[row], place->second, (vec3){0.0, 0.0, 0.0});
        b->mass = 0.0;
        break;
    case ABUT_BODY_BODY:
        set_rigid(w, b, &w->simulation->solids.bodies[c->j[row]].rigid, place->second,
                  place->second_round);
        break;
    case ABUT_BODY_SPHERE:
        set_sphere(w, b, c->j[row], place->second, place->second_round);
        break;
    case ABUT_SPHERE_WALL:
    case ABUT_SPHERE_SPHERE:
        break;
    }
}

/* ---- blocks ---- */

static bool begins_before(const void *table, abut_index row, const void *spot)
{
    return ((const interaction_table *)table)->body.spot_offsets[row] <= *(const abut_index *)spot;
}

/* The row that a spot belongs to. */
static abut_index row_of(const interaction_table *t, abut_index spot)
{
    return span_find((row_span){0, t->count}, t, &spot, begins_before) - 1;
}

/* Take a vector of the step before to where the wall of its row is now. */
static vec3 turn_with_wall(const spot_laws *w, abut_index old_row, vec3 vector)
{
    return motion_turn(&w->simulation->walls.motion, &w->step_before, old_row, vector);
}

static const double *turn_old(const spot_laws *w, double *turned, abut_index old_row,
                              const double *vector)
{
    vec3_store(turned, turn_with_wall(w, old_row, vec3_load(vector)));
    return turned;
}

/* Set what a spot had in the step before. A new spot in a row that is not new has the row's normal
 * of that step, and no springs. */
static void set_old(const spot_laws *w, row_block *b, int32_t k, abut_index row, abut_index spot)
{
    const interaction_table *before = w->before;
    const abut_index old = b->old[k] = w->now->springs.match[spot];
    const abut_index old_row = old < 0 ? w->now->row_match[row] : row_of(before, old);
    const double *normal =
        old_row < 0 ? w->now->body.normal + 3 * row : before->body.normal + 3 * old_row;
    const double *spring = table_vector_or_zeros(before->springs.spring, old);
    const double *roll = table_vector_or_zeros(before->springs.roll, old);
    if (old_row >= 0 && w->now->kind == ABUT_BODY_WALL) {
        normal = turn_old(w, b->turned[0][k], old_row, normal);
        spring = turn_old(w, b->turned[1][k], old_row, spring);
        roll = roll == table_zeros ? roll : turn_old(w, b->turned[2][k], old_row, roll);
    }
    b->block.old_normal[k] = normal;
    b->block.old_spring[k] = spring;
    b->block.old_roll[k] = roll;
    b->block.old_overlap[k] = old < 0 ? b->overlaps[k] : before->body.spot_overlap[old];
}

/* Set both partners of a spot, of whose masses it has a part. */
static void set_movers(const spot_laws *w, row_block *b, int32_t k, const set_row *r,
                       abut_index spot)
{
    const abut_index row = r->of.row;
    const rigid *own = &w->simulation->solids.bodies[w->now->body.i[row]].rigid;
    const spot_place place = place_spot(w, r, spot, b->overlaps[k]);
    b->block.first[k] = &b->movers[0][k];
    set_rigid(w, &b->movers[0][k], own, place.first, place.first_round);
    set_other(w, b, k, row, &place);
    if (w->now->kind == ABUT_BODY_WALL) {
        b->movers[0][k].mass = simulation_mass_on_wall(w->simulation, w->now->body.mesh[row],
                                                       rigid_mass(own), own->mass);
    }
    b->movers[0][k].mass *= r->part;
    b->movers[1][k].mass *= r->part;
    b->block.second[k] = &b->movers[1][k];
}

static void set_spot(const spot_laws *w, row_block *b, int32_t k, const set_row *r, abut_index spot)
{
    const abut_convex_columns *c = &w->now->body;
    const double overlap = c->spot_overlap[spot];
    const law *l = apart_spot_law(w->simulation, &r->of, spot);
    const bool may_be_apart = l->of->function != LAW_PLAIN;
    b->overlaps[k] = may_be_apart ? overlap : larger(overlap, 0.0);
    b->shares[k] = 1.0;
    memcpy(b->normals + 3 * k, c->normal + 3 * r->of.row, 3 * sizeof *b->normals);
    set_movers(w, b, k, r, spot);
    b->block.radius[k] = r->of.radius;
    b->block.inertia[k] = r->inertia;
    b->block.laws[k] = l;
    set_old(w, b, k, r->of.row, spot);
}

/* The row of a spot that is in this row or in a later one. */
static abut_index next_row(const interaction_table *t, abut_index row, abut_index spot)
{
    while (t->body.spot_offsets[row + 1] <= spot) {
        row++;
    }
    return row;
}

static void fill_block(const void *context, row_block *b, int32_t count)
{
    const spot_laws *w = context;
    set_row r = read_row(w, row_of(w->now, b->rows[0]));
    for (int32_t k = 0; k < count; k++) {
        if (b->rows[k] >= r.of.end) {
            r = read_row(w, next_row(w->now, r.of.row, b->rows[k]));
        }
        set_spot(w, b, k, &r, b->rows[k]);
    }
}

static void find_laws(const void *context, const law **laws, abut_index first, abut_index count)
{
    const spot_laws *w = context;
    view v = view_row(w->simulation, w->now, row_of(w->now, first));
    for (abut_index k = 0; k < count; k++) {
        if (first + k >= v.end) {
            v = view_row(w->simulation, w->now, next_row(w->now, v.row, first + k));
        }
        laws[k] = apart_spot_law(w->simulation, &v, first + k);
    }
}

static vec3 turn_kept(const void *context, abut_index old, vec3 vector)
{
    const spot_laws *w = context;
    return turn_with_wall(w, row_of(w->before, old), vector);
}

enum { WORK_OF_SPOT = 8 };

static abut_status apply_meeting(abut_simulation *s, abut_interaction meeting,
                                 const parallel_plan *plan, abut_error *error)
{
    const bool is_on_wall = meeting == ABUT_BODY_WALL;
    const interaction_table *before = &s->before->tables[meeting];
    const spot_laws w = {.simulation = s,
                         .now = &s->now->tables[meeting],
                         .before = before,
                         .step_before = {.mesh = is_on_wall ? before->body.mesh : NULL}};
    if (w.now->entry_count == 0) {
        return ABUT_OK;
    }
    row_laws rows = {.simulation = s,
                     .count = w.now->entry_count,
                     .work = WORK_OF_SPOT,
                     .table = w.now,
                     .find_laws = laws_are_plain(&s->laws) ? NULL : find_laws,
                     .fill = fill_block,
                     .context = &w,
                     .turn = is_on_wall ? turn_kept : NULL};
    return rows_apply(&rows, plan, error);
}

/* ---- all of them ---- */

/* Overlaps of bodies, one after the other: there are far fewer than what it takes to find them. */
static void watch_meetings(abut_simulation *s)
{
    for (int k = 0; k < ABUT_BODY_INTERACTIONS && watch_part(s) < INFINITY; k++) {
        const abut_interaction who = (abut_interaction)k;
        watch_begin(s);
        watch_rows(s, who, 0, s->now->tables[k].count);
        watch_keep_deep(s, who);
    }
}

abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    if (s->solids.count == 0) {
        return ABUT_OK;
    }
    abut_status status = view_check_spot_laws(s, error);
    for (int k = 0; !status && k < ABUT_BODY_INTERACTIONS; k++) {
        status = apply_meeting(s, (abut_interaction)k, plan, error);
    }
    if (!status) {
        watch_meetings(s);
    }
    return status;
}
