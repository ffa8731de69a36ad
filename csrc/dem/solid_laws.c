/* Forces on bodies: the law at each spot acts between two points, one of each partner. */
#include "parts.h"

#include <string.h>

#include "apart.h"
#include "row_laws.h"
#include "watch.h"

/* ---- motion at a spot ---- */

/* The input of the laws for one kind of table. */
typedef struct spot_laws {
    const abut_simulation *simulation;
    const interaction_table *now, *before;
    abut_step step_before; /* the wall of each row of the last step */
} spot_laws;

/* A row while its spots are set. Spots that carry load share the masses and I*. */
typedef struct set_row {
    view view;
    partner partners[2];
    double masses[2], inertia; /* masses and I* of each spot */
} set_row;

static set_row read_row(const spot_laws *laws, abut_index row)
{
    const abut_simulation *s = laws->simulation;
    set_row r = {.view = view_row(s, laws->now, row)};
    for (int side = 0; side < 2; side++) {
        r.partners[side] = view_partner(s, laws->now, row, side);
    }
    const inertness both = view_inertness(s, &r.partners[0], &r.partners[1]);
    const double part = 1.0 / larger(view_bearing_spots(laws->now, row), 1.0);
    const bool is_on_wall = laws->now->kind == ABUT_BODY_WALL;
    r.masses[0] = part * (is_on_wall ? both.mass : r.partners[0].mass);
    r.masses[1] = is_on_wall ? 0.0 : part * r.partners[1].mass;
    r.inertia = part * both.inertia;
    return r;
}

/* The vector from a partner's core, through its rounding, to the point where the force acts. It is
 * along the normal. Its length is the radius minus the part of the overlap up to this point. */
static vec3 round_of(const set_row *r, int side, double overlap)
{
    const double radius = r->partners[side].radius;
    if (!r->view.is_curved || !(radius > 0.0)) {
        return (vec3){0.0, 0.0, 0.0};
    }
    const double taken = r->partners[1].kind == ABUT_PARTNER_WALL ? overlap : 0.5 * overlap;
    return vec3_scale(r->view.normal, side == 0 ? -(radius - taken) : radius - taken);
}

/* Sets the motion of a partner at a point of a block's row. */
static void set_mover(const abut_simulation *s, row_block *b, int32_t k, const set_row *r, int side,
                      vec3 point)
{
    const partner *one = &r->partners[side];
    mover *to = &b->movers[side][k];
    vec3 center, velocity, spin;
    to->mass = r->masses[side];
    if (one->kind == ABUT_PARTNER_WALL) {
        rows_set_wall(s, b, k, one->number, point, (vec3){0.0, 0.0, 0.0});
        return;
    }
    if (one->kind == ABUT_PARTNER_BODY) {
        const rigid *body = &s->solids.bodies[one->number].rigid;
        center = body->position, velocity = body->velocity, spin = body->spin;
    } else {
        const abut_index place = s->store.places[one->number];
        const mover *sphere = &s->store.movers[place];
        center = vec3_load(s->store.centers + 3 * place);
        velocity = vec3_load(sphere->velocity), spin = vec3_load(sphere->spin);
    }
    if (side == 1) {
        velocity = vec3_add(velocity, r->view.drift);
    }
    const vec3 round = round_of(r, side, b->overlaps[k]);
    vec3_store(to->velocity,
               rigid_point_velocity(velocity, spin, vec3_sub(point, center), round, s->last.step));
    vec3_store(to->spin, spin);
}

/* ---- blocks ---- */

/* Rotates a vector of the last step with the wall of its row. */
static vec3 turn_with_wall(const spot_laws *laws, abut_index row_before, vec3 vector)
{
    return motion_turn(&laws->simulation->walls.motion, &laws->step_before, row_before, vector);
}

static vec3 turn_kept(const void *context, abut_index spot_before, vec3 vector)
{
    const spot_laws *laws = context;
    return turn_with_wall(laws, table_row_of(laws->before, spot_before), vector);
}

/* Sets the contact history of a spot. A new spot in a row that continues starts with the normal
 * that the row had in the last step. */
static void set_before(const spot_laws *laws, row_block *b, int32_t k, abut_index row,
                       abut_index spot)
{
    const interaction_table *before = laws->before;
    const bool is_on_wall = laws->now->kind == ABUT_BODY_WALL;
    const abut_index spot_before = laws->now->match[spot];
    const abut_index row_before =
        spot_before < 0 ? laws->now->row_match[row] : table_row_of(before, spot_before);
    const double *normal =
        row_before < 0 ? laws->now->body.normal + 3 * row : before->body.normal + 3 * row_before;
    b->block.old_normal[k] = normal;
    if (row_before >= 0 && is_on_wall) {
        vec3_store(b->turned_normals[k], turn_with_wall(laws, row_before, vec3_load(normal)));
        b->block.old_normal[k] = b->turned_normals[k];
    }
    b->block.kept[k] = table_kept_or_nothing(before, spot_before);
    if (spot_before >= 0 && is_on_wall) {
        rows_set_turned(b, k, before, spot_before, turn_kept, laws);
    }
    b->block.old_overlap[k] =
        spot_before < 0 ? b->overlaps[k] : before->body.spot_overlap[spot_before];
}

static void set_spot(const spot_laws *laws, row_block *b, int32_t k, const set_row *r,
                     abut_index spot)
{
    const abut_convex_columns *c = &laws->now->body;
    const double overlap = c->spot_overlap[spot];
    const law *l = apart_spot_law(laws->simulation, &r->view, spot);
    const bool may_be_apart = l->form->function != LAW_PLAIN;
    b->overlaps[k] = may_be_apart ? overlap : larger(overlap, 0.0);
    b->shares[k] = 1.0;
    memcpy(b->normals + 3 * k, c->normal + 3 * r->view.row, 3 * sizeof *b->normals);
    const vec3 point = view_force_point(&r->view, spot);
    b->block.first[k] = &b->movers[0][k], b->block.second[k] = &b->movers[1][k];
    set_mover(laws->simulation, b, k, r, 0, point);
    set_mover(laws->simulation, b, k, r, 1, vec3_sub(point, r->view.shift));
    b->block.radius[k] = r->view.radius;
    b->block.inertia[k] = r->inertia;
    b->block.laws[k] = l;
    set_before(laws, b, k, r->view.row, spot);
}

static void fill_block(const void *context, row_block *b, int32_t count)
{
    const spot_laws *laws = context;
    set_row r = read_row(laws, table_row_of(laws->now, b->rows[0]));
    for (int32_t k = 0; k < count; k++) {
        if (b->rows[k] >= r.view.end) {
            r = read_row(laws, table_row_of(laws->now, b->rows[k]));
        }
        set_spot(laws, b, k, &r, b->rows[k]);
    }
}

enum { WORK_OF_SPOT = 8 };

static abut_status apply_kind(abut_simulation *s, abut_interaction kind, const parallel_plan *plan,
                              abut_error *error)
{
    const bool is_on_wall = kind == ABUT_BODY_WALL;
    const interaction_table *before = &s->before->tables[kind];
    const spot_laws laws = {.simulation = s,
                            .now = &s->now->tables[kind],
                            .before = before,
                            .step_before = {.mesh = is_on_wall ? before->body.mesh : NULL}};
    if (laws.now->entry_count == 0) {
        return ABUT_OK;
    }
    row_laws rows = {.simulation = s,
                     .count = laws.now->entry_count,
                     .work = WORK_OF_SPOT,
                     .table = laws.now,
                     .are_mixed = !laws_are_plain(&s->laws),
                     .fill = fill_block,
                     .context = &laws};
    return rows_apply(&rows, plan, error);
}

/* ---- all bodies ---- */

/* Watches the overlaps of bodies, on one thread, since finding the spots takes far longer. */
static void watch_kinds(abut_simulation *s)
{
    for (int k = 0; k < ABUT_BODY_INTERACTIONS && watch_part(s) < INFINITY; k++) {
        const abut_interaction kind = (abut_interaction)k;
        watch_begin(s);
        watch_rows(s, kind, 0, s->now->tables[k].count);
        watch_keep_deep(s, kind);
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
