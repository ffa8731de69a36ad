/* The part of a step that is about what bodies exert: a law at each spot, as between two points, of
 * which either goes with its body, sphere or wall. */
#include "parts.h"

#include <string.h>

#include "apart.h"
#include "row_laws.h"
#include "watch.h"

/* ---- what moves at a spot ---- */

/* What the laws of one kind's spots are computed from. */
typedef struct spot_laws {
    const abut_simulation *simulation;
    const interaction_table *now, *before;
    abut_step step_before; /* on which wall each row was */
} spot_laws;

/* One row, while its spots are set: spots that bear share masses and I*. */
typedef struct set_row {
    view of;
    partner partners[2];
    double masses[2], inertia; /* of each spot */
} set_row;

static set_row read_row(const spot_laws *w, abut_index row)
{
    const abut_simulation *s = w->simulation;
    set_row r = {.of = view_row(s, w->now, row)};
    for (int side = 0; side < 2; side++) {
        r.partners[side] = view_partner(s, w->now, row, side);
    }
    const inertness both = view_inertness(s, &r.partners[0], &r.partners[1]);
    const double part = 1.0 / larger(view_bearing_spots(w->now, row), 1.0);
    const bool is_on_wall = w->now->kind == ABUT_BODY_WALL;
    r.masses[0] = part * (is_on_wall ? both.mass : r.partners[0].mass);
    r.masses[1] = is_on_wall ? 0.0 : part * r.partners[1].mass;
    r.inertia = part * both.inertia;
    return r;
}

/* From a partner's surface to what is rounded: along the normal by its radius, less what the
 * overlap has taken of it where the force acts. */
static vec3 round_of(const set_row *r, int side, double overlap)
{
    const double radius = r->partners[side].radius;
    if (!r->of.is_curved || !(radius > 0.0)) {
        return (vec3){0.0, 0.0, 0.0};
    }
    const double taken = r->partners[1].kind == ABUT_PARTNER_WALL ? overlap : 0.5 * overlap;
    return vec3_scale(r->of.normal, side == 0 ? -(radius - taken) : radius - taken);
}

/* Set how a partner, a wall or what moves about its center, moves at a point. */
static void set_mover(const abut_simulation *s, row_block *b, int32_t k, const set_row *r, int side,
                      vec3 point)
{
    const partner *of = &r->partners[side];
    mover *to = &b->movers[side][k];
    vec3 center, velocity, spin;
    to->mass = r->masses[side];
    if (of->kind == ABUT_PARTNER_WALL) {
        rows_set_wall(s, b, k, of->number, point, (vec3){0.0, 0.0, 0.0});
        return;
    }
    if (of->kind == ABUT_PARTNER_BODY) {
        const rigid *body = &s->solids.bodies[of->number].rigid;
        center = body->position, velocity = body->velocity, spin = body->spin;
    } else {
        const abut_index place = s->store.places[of->number];
        const mover *sphere = &s->store.movers[place];
        center = vec3_load(s->store.centers + 3 * place);
        velocity = vec3_load(sphere->velocity), spin = vec3_load(sphere->spin);
    }
    const vec3 round = round_of(r, side, b->overlaps[k]);
    vec3_store(to->velocity,
               rigid_point_velocity(velocity, spin, vec3_sub(point, center), round, s->last.step));
    vec3_store(to->spin, spin);
}

/* ---- blocks ---- */

/* Take a vector of the step before to where the wall of its row is now. */
static vec3 turn_with_wall(const spot_laws *w, abut_index old_row, vec3 vector)
{
    return motion_turn(&w->simulation->walls.motion, &w->step_before, old_row, vector);
}

static vec3 turn_kept(const void *context, abut_index old, vec3 vector)
{
    const spot_laws *w = context;
    return turn_with_wall(w, table_row_of(w->before, old), vector);
}

/* Set what a spot had in the step before. A new spot in a row that is not new has the row's normal
 * of that step, and no springs. */
static void set_old(const spot_laws *w, row_block *b, int32_t k, abut_index row, abut_index spot)
{
    const interaction_table *before = w->before;
    const bool is_on_wall = w->now->kind == ABUT_BODY_WALL;
    const abut_index old = w->now->match[spot];
    const abut_index old_row = old < 0 ? w->now->row_match[row] : table_row_of(before, old);
    const double *normal =
        old_row < 0 ? w->now->body.normal + 3 * row : before->body.normal + 3 * old_row;
    b->block.old_normal[k] = normal;
    if (old_row >= 0 && is_on_wall) {
        vec3_store(b->turned_normals[k], turn_with_wall(w, old_row, vec3_load(normal)));
        b->block.old_normal[k] = b->turned_normals[k];
    }
    b->block.kept[k] = table_kept_or_nothing(before, old);
    if (old >= 0 && is_on_wall) {
        rows_set_turned(b, k, before, old, turn_kept, w);
    }
    b->block.old_overlap[k] = old < 0 ? b->overlaps[k] : before->body.spot_overlap[old];
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
    const vec3 point = view_force_point(&r->of, spot);
    b->block.first[k] = &b->movers[0][k], b->block.second[k] = &b->movers[1][k];
    set_mover(w->simulation, b, k, r, 0, point);
    set_mover(w->simulation, b, k, r, 1, vec3_sub(point, r->of.shift));
    b->block.radius[k] = r->of.radius;
    b->block.inertia[k] = r->inertia;
    b->block.laws[k] = l;
    set_old(w, b, k, r->of.row, spot);
}

static void fill_block(const void *context, row_block *b, int32_t count)
{
    const spot_laws *w = context;
    set_row r = read_row(w, table_row_of(w->now, b->rows[0]));
    for (int32_t k = 0; k < count; k++) {
        if (b->rows[k] >= r.of.end) {
            r = read_row(w, table_row_of(w->now, b->rows[k]));
        }
        set_spot(w, b, k, &r, b->rows[k]);
    }
}

enum { WORK_OF_SPOT = 8 };

static abut_status apply_kind(abut_simulation *s, abut_interaction kind, const parallel_plan *plan,
                              abut_error *error)
{
    const bool is_on_wall = kind == ABUT_BODY_WALL;
    const interaction_table *before = &s->before->tables[kind];
    const spot_laws w = {.simulation = s,
                         .now = &s->now->tables[kind],
                         .before = before,
                         .step_before = {.mesh = is_on_wall ? before->body.mesh : NULL}};
    if (w.now->entry_count == 0) {
        return ABUT_OK;
    }
    row_laws rows = {.simulation = s,
                     .count = w.now->entry_count,
                     .work = WORK_OF_SPOT,
                     .table = w.now,
                     .are_mixed = !laws_are_plain(&s->laws),
                     .fill = fill_block,
                     .context = &w};
    return rows_apply(&rows, plan, error);
}

/* ---- all of them ---- */

/* Overlaps of bodies, one after the other: there are far fewer than what it takes to find them. */
static void watch_kinds(abut_simulation *s)
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
        status = apply_kind(s, (abut_interaction)k, plan, error);
    }
    if (!status) {
        watch_kinds(s);
    }
    return status;
}
