/* The part of a step that is about what bodies exert: a law at each spot, as between two points, of
 * which either goes with its body, sphere or wall. */
#include <string.h>

#include "../walls/motion.h"
#include "simulation.h"

/* ---- which law ---- */

static bool is_for_spots(const abut_simulation *s, const law *l)
{
    const bool is_missing = s->laws.has_missing && s->laws.is_missing[l - s->laws.laws];
    return !is_missing && !(l->is_hertz > 0.0) && l->rolling_friction == 0.0;
}

/* The material of what a row touches, by its law's number. */
static abut_status check_row(const abut_simulation *s, abut_meeting meeting, abut_index row,
                             abut_error *error)
{
    const spot_table *t = &s->now.spots[meeting];
    const law *l = simulation_spot_law(s, t, meeting, row);
    if (is_for_spots(s, l)) {
        return ABUT_OK;
    }
    const abut_index number = l - s->laws.laws, materials = s->laws.material_count;
    return error_set(error, ABUT_BODY_LAW, t->columns.i[row], number / materials,
                     (double)(number % materials));
}

static abut_status check_laws(const abut_simulation *s, abut_error *error)
{
    abut_status status = ABUT_OK;
    for (int k = 0; k < ABUT_MEETING_COUNT; k++) {
        for (abut_index row = 0; !status && row < s->now.spots[k].count; row++) {
            status = check_row(s, (abut_meeting)k, row, error);
        }
    }
    return status;
}

/* ---- what moves at a spot ---- */

vec3 simulation_spot_shift(const abut_simulation *s, const spot_table *t, abut_index row)
{
    const abut_index *image = t->columns.image;
    return lattice_shift_of(&s->lattice, image ? image + 3 * row : NULL);
}

static abut_index count_bearing(const abut_convex_columns *c, abut_index row)
{
    abut_index count = 0;
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        count += c->spot_overlap[spot] > 0.0;
    }
    return count;
}

static bool is_same_wall(const abut_convex_columns *c, abut_index a, abut_index b)
{
    return c->i[a] == c->i[b] && c->mesh[a] == c->mesh[b];
}

double simulation_bearing_spots(const spot_table *t, abut_meeting meeting, abut_index row)
{
    const abut_convex_columns *c = &t->columns;
    const vec3 normal = vec3_load(c->normal + 3 * row);
    abut_index first = row;
    if (meeting != ABUT_WITH_WALLS) {
        return (double)count_bearing(c, row);
    }
    while (first > 0 && is_same_wall(c, first - 1, row)) {
        first--;
    }
    double sum = 0.0;
    for (abut_index k = first; k < t->count && is_same_wall(c, k, row); k++) {
        const double along = larger(vec3_dot(normal, vec3_load(c->normal + 3 * k)), 0.0);
        sum += along * along * (double)count_bearing(c, k);
    }
    return sum;
}

/* What the laws of one meeting's spots are computed from. */
typedef struct spot_laws {
    const abut_simulation *simulation;
    abut_meeting meeting;
    const spot_table *now, *before;
    abut_step step_before; /* of walls */
    motion motion;
} spot_laws;

/* One row, while its spots are set. */
typedef struct spot_row {
    abut_index row, end;
    double part; /* that each spot has of both masses: spots that bear share them */
    vec3 shift;
    const law *law;
} spot_row;

/* Spots of a block, and what is not read from tables. */
typedef struct spot_block {
    law_block block;
    mover movers[2][LAW_BLOCK];
    double normals[3 * LAW_BLOCK + ROW_PADDING], overlaps[LAW_BLOCK], shares[LAW_BLOCK];
    double turned[2][LAW_BLOCK][4]; /* normals, springs */
} spot_block;

static spot_row read_row(const spot_laws *w, abut_index row)
{
    const spot_table *t = w->now;
    spot_row r = {.row = row, .end = t->columns.spot_offsets[row + 1]};
    r.part = 1.0 / larger(simulation_bearing_spots(t, w->meeting, row), 1.0);
    r.shift = simulation_spot_shift(w->simulation, t, row);
    r.law = simulation_spot_law(w->simulation, t, w->meeting, row);
    return r;
}

static void set_mover(mover *b, vec3 velocity, vec3 spin, double mass)
{
    vec3_store(b->velocity, velocity);
    vec3_store(b->spin, spin);
    b->mass = mass;
}

static void set_rigid(const spot_laws *w, mover *b, const rigid *r, vec3 point, double part)
{
    const vec3 arm = vec3_sub(point, r->position);
    set_mover(b, solids_velocity(r->velocity, r->spin, arm, w->simulation->input.step), r->spin,
              part * r->mass);
}

static void set_sphere(const spot_laws *w, mover *b, abut_index row, vec3 point, double part)
{
    const store *of = &w->simulation->store;
    const abut_index place = of->places[row];
    const mover *own = &of->movers[place];
    const vec3 arm = vec3_sub(point, vec3_load(of->centers + 3 * place));
    const vec3 spin = vec3_load(own->spin);
    set_mover(b, solids_velocity(vec3_load(own->velocity), spin, arm, w->simulation->input.step),
              spin, part * own->mass);
}

static void set_wall(const spot_laws *w, mover *b, abut_index wall, vec3 point)
{
    const abut_wall_state *state = &w->simulation->now.states[wall];
    set_mover(b, walls_velocity(state, point), vec3_load(state->spin), 0.0);
}

static void set_other(const spot_laws *w, mover *b, const spot_row *r, vec3 point)
{
    const abut_convex_columns *c = &w->now->columns;
    switch (w->meeting) {
    case ABUT_WITH_WALLS:
        set_wall(w, b, c->mesh[r->row], point);
        break;
    case ABUT_WITH_BODIES:
        set_rigid(w, b, &w->simulation->solids.solids[c->j[r->row]].rigid, point, r->part);
        break;
    case ABUT_WITH_SPHERES:
        set_sphere(w, b, c->j[r->row], point, r->part);
        break;
    }
}

/* ---- blocks ---- */

/* The row that a spot belongs to. */
static abut_index row_of(const spot_table *t, abut_index spot)
{
    abut_index low = 0, high = t->count;
    while (high - low > 1) {
        const abut_index middle = low + (high - low) / 2;
        if (t->columns.spot_offsets[middle] <= spot) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static const double nothing[4];

/* Take what a contact with a wall had in the step before to where the wall is now. */
static void turn_old(const spot_laws *w, spot_block *b, int32_t k, abut_index old_row,
                     abut_index old)
{
    const double *normal = w->before->columns.normal + 3 * old_row;
    const double *spring = old < 0 ? nothing : w->before->springs.spring + 3 * old;
    vec3_store(b->turned[0][k],
               motion_turn(&w->motion, &w->step_before, old_row, vec3_load(normal)));
    vec3_store(b->turned[1][k],
               motion_turn(&w->motion, &w->step_before, old_row, vec3_load(spring)));
    b->block.old_normal[k] = b->turned[0][k];
    b->block.old_spring[k] = b->turned[1][k];
}

/* Set what a spot had in the step before. A new spot in a row that is not new has the row's normal
 * of that step, and no spring. */
static void set_old(const spot_laws *w, spot_block *b, int32_t k, abut_index row, abut_index spot)
{
    const abut_index old = w->now->springs.match[spot];
    const abut_index old_row = old < 0 ? w->now->row_match[row] : row_of(w->before, old);
    if (old_row < 0) {
        b->block.old_normal[k] = w->now->columns.normal + 3 * row;
        b->block.old_spring[k] = nothing;
    } else if (w->meeting == ABUT_WITH_WALLS) {
        turn_old(w, b, k, old_row, old);
    } else {
        b->block.old_normal[k] = w->before->columns.normal + 3 * old_row;
        b->block.old_spring[k] = old < 0 ? nothing : w->before->springs.spring + 3 * old;
    }
    b->block.old_roll[k] = nothing;
    b->block.old_overlap[k] = b->overlaps[k];
}

/* Set the partners of a spot, which are both points: their radii are chosen so that a law finds no
 * arms, since it takes half of the overlap from them in a pair, and the overlap at a wall. */
static void set_spot(const spot_laws *w, spot_block *b, int32_t k, const spot_row *r,
                     abut_index spot)
{
    const abut_simulation *s = w->simulation;
    const abut_convex_columns *c = &w->now->columns;
    const vec3 point = vec3_load(c->spot + 3 * spot);
    const double overlap = c->spot_overlap[spot] > 0.0 ? c->spot_overlap[spot] : 0.0;
    const double radius = w->meeting == ABUT_WITH_WALLS ? overlap : 0.5 * overlap;
    set_rigid(w, &b->movers[0][k], &s->solids.solids[c->i[r->row]].rigid, point, r->part);
    set_other(w, &b->movers[1][k], r, vec3_sub(point, r->shift));
    b->movers[0][k].radius = b->movers[1][k].radius = radius;
    b->block.first[k] = &b->movers[0][k];
    b->block.second[k] = &b->movers[1][k];
    b->block.laws[k] = overlap > 0.0 ? r->law : &s->laws.laws[laws_number_of_none(&s->laws)];
    b->overlaps[k] = overlap;
    b->shares[k] = 1.0;
    memcpy(b->normals + 3 * k, c->normal + 3 * r->row, 3 * sizeof *b->normals);
    set_old(w, b, k, r->row, spot);
}

/* Kernels read whole vectors: repeat the last spot until one is full. */
static void fill_up(spot_block *b, int32_t count)
{
    for (int32_t k = count; k % ROW_PADDING != 0; k++) {
        b->block.first[k] = b->block.first[count - 1];
        b->block.second[k] = b->block.second[count - 1];
        b->block.laws[k] = b->block.laws[count - 1];
        b->block.old_normal[k] = b->block.old_normal[count - 1];
        b->block.old_spring[k] = b->block.old_spring[count - 1];
        b->block.old_roll[k] = nothing;
        b->block.old_overlap[k] = b->overlaps[k] = b->overlaps[count - 1];
        b->shares[k] = 1.0;
        memcpy(b->normals + 3 * k, b->normals + 3 * (count - 1), 3 * sizeof *b->normals);
    }
}

static void apply_block(const spot_laws *w, spot_block *b, abut_index first, int32_t count)
{
    const spot_table *t = w->now;
    fill_up(b, count);
    b->block.count = count;
    b->block.step = w->simulation->input.step;
    b->block.normal = b->normals, b->block.overlap = b->overlaps, b->block.share = b->shares;
    b->block.effects = t->springs.effects + first;
    b->block.spring = t->springs.spring + 3 * first;
    b->block.roll = b->block.moment = NULL;
    b->block.power = t->power + first;
    b->block.watch_part = INFINITY; /* a spot has no radii: overlaps are watched row by row */
    if (w->meeting == ABUT_WITH_WALLS) {
        interaction_kernels_take()->wall_laws(&b->block);
    } else {
        interaction_kernels_take()->pair_laws(&b->block);
    }
}

/* Spots that one thread takes in one go. */
enum { CHUNK_SPOTS = 8 * LAW_BLOCK, WORK_OF_SPOT = 8 };

static abut_status apply_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const spot_laws *w = context;
    const abut_index begin = chunk * CHUNK_SPOTS, rest = w->now->spot_count - begin;
    const abut_index end = begin + (rest < CHUNK_SPOTS ? rest : CHUNK_SPOTS);
    spot_block b;
    spot_row r = read_row(w, row_of(w->now, begin));
    int32_t count = 0;
    for (abut_index spot = begin; spot < end; spot++) {
        while (spot >= r.end) {
            r = read_row(w, r.row + 1);
        }
        set_spot(w, &b, count++, &r, spot);
        if (count == LAW_BLOCK || spot + 1 == end) {
            apply_block(w, &b, spot + 1 - count, count);
            count = 0;
        }
    }
    return parallel_report(job, WORK_OF_SPOT * (end - begin));
}

/* ---- walls that move ---- */

/* What motion.c reads of a step: on which wall each row is, and where walls were. */
static abut_step step_of(const abut_simulation *s, const step_tables *tables)
{
    const spot_table *t = &tables->spots[ABUT_WITH_WALLS];
    return (abut_step){.contact_count = t->count,
                       .mesh = t->columns.mesh,
                       .mesh_count = s->walls.count,
                       .poses = tables->poses};
}

static abut_status read_motion(spot_laws *w, abut_error *error)
{
    const abut_simulation *s = w->simulation;
    if (w->meeting != ABUT_WITH_WALLS || w->before->count == 0) {
        return ABUT_OK;
    }
    const abut_step now = step_of(s, &s->now);
    w->step_before = step_of(s, &s->before);
    return motion_read(&w->motion, &now, &w->step_before, error);
}

static abut_status apply_meeting(const abut_simulation *s, abut_meeting meeting,
                                 const parallel_plan *plan, abut_error *error)
{
    spot_laws w = {.simulation = s,
                   .meeting = meeting,
                   .now = &s->now.spots[meeting],
                   .before = &s->before.spots[meeting]};
    if (w.now->spot_count == 0) {
        return ABUT_OK;
    }
    abut_status status = read_motion(&w, error);
    if (!status) {
        parallel_plan own = *plan;
        own.chunk_count = (w.now->spot_count + CHUNK_SPOTS - 1) / CHUNK_SPOTS;
        own.work = WORK_OF_SPOT * w.now->spot_count;
        status = error_set_status(error, parallel_run(&own, apply_chunk, &w));
    }
    motion_free(&w.motion);
    return status;
}

/* ---- sums ---- */

static void begin_sums(abut_simulation *s)
{
    for (abut_index k = 0; k < s->solids.count; k++) {
        solid *of = &s->solids.solids[k];
        of->sum = (wrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        of->power = 0.0;
        if (s->solids.has_applied) {
            of->sum = of->applied;
        }
    }
}

static void add_force(wrench *w, vec3 force, vec3 arm)
{
    w->force = vec3_add(w->force, force);
    w->torque = vec3_add(w->torque, vec3_cross(arm, force));
}

static void press_sphere(abut_simulation *s, abut_index row, vec3 force, vec3 point)
{
    const abut_index place = s->store.places[row];
    double *press = s->search.presses + 6 * place;
    const vec3 arm = vec3_sub(point, vec3_load(s->store.centers + 3 * place));
    wrench w = {vec3_load(press), vec3_load(press + 3)};
    add_force(&w, force, arm);
    vec3_store(press, w.force);
    vec3_store(press + 3, w.torque);
}

static void add_spot(abut_simulation *s, abut_meeting meeting, abut_index row, abut_index spot)
{
    const spot_table *t = &s->now.spots[meeting];
    solid *own = &s->solids.solids[t->columns.i[row]];
    const vec3 point = vec3_load(t->columns.spot + 3 * spot);
    const vec3 shifted = vec3_sub(point, simulation_spot_shift(s, t, row));
    const vec3 force = vec3_load(t->springs.effects[spot].force), back = vec3_scale(force, -1.0);
    add_force(&own->sum, force, vec3_sub(point, own->rigid.position));
    switch (meeting) {
    case ABUT_WITH_WALLS:
        own->power += t->power[spot];
        break;
    case ABUT_WITH_BODIES: {
        solid *other = &s->solids.solids[t->columns.j[row]];
        add_force(&other->sum, back, vec3_sub(shifted, other->rigid.position));
        break;
    }
    case ABUT_WITH_SPHERES:
        press_sphere(s, t->columns.j[row], back, shifted);
        break;
    }
}

/* One after the other, so that sums do not depend on threads. */
static void sum_up(abut_simulation *s)
{
    begin_sums(s);
    for (int k = 0; k < ABUT_MEETING_COUNT; k++) {
        const spot_table *t = &s->now.spots[k];
        for (abut_index row = 0; row < t->count; row++) {
            const abut_index end = t->columns.spot_offsets[row + 1];
            for (abut_index spot = t->columns.spot_offsets[row]; spot < end; spot++) {
                add_spot(s, (abut_meeting)k, row, spot);
            }
        }
    }
}

static abut_status begin_presses(abut_simulation *s, abut_error *error)
{
    solid_search *of = &s->search;
    of->presses = NULL;
    if (s->now.spots[ABUT_WITH_SPHERES].count == 0) {
        return ABUT_OK;
    }
    of->presses = memory_reserve(&of->press_block, 6 * s->store.count, sizeof *of->presses);
    if (!of->presses) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    memset(of->presses, 0, 6 * (size_t)s->store.count * sizeof *of->presses);
    return ABUT_OK;
}

static abut_status check_lost(const abut_simulation *s, abut_error *error)
{
    const rigid_step by = {s->input.step, vec3_load(s->input.gravity), &s->lattice};
    for (abut_index k = 0; k < s->solids.count; k++) {
        const solid *of = &s->solids.solids[k];
        if (!rigid_will_be_finite(&of->rigid, of->sum, &by)) {
            return error_set(error, ABUT_BODY_LOST, k, s->step_count, 0.0);
        }
    }
    return ABUT_OK;
}

/* Overlaps of bodies, one after the other: there are far fewer than what it takes to find them. */
static void watch_meetings(abut_simulation *s)
{
    /* in the order of abut_meeting */
    static const abut_partner others[] = {ABUT_PARTNER_WALL, ABUT_PARTNER_BODY,
                                          ABUT_PARTNER_SPHERE};
    for (int k = 0; k < ABUT_MEETING_COUNT && !s->watch.deep.is_there; k++) {
        const watched what = {ABUT_PARTNER_BODY, others[k]};
        watch_begin(s);
        watch_rows(s, what, 0, s->now.spots[k].count);
        watch_keep_deep(s, what, s->now.spots[k].count);
    }
}

static abut_status apply_all(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    abut_status status = check_laws(s, error);
    for (int k = 0; !status && k < ABUT_MEETING_COUNT; k++) {
        status = apply_meeting(s, (abut_meeting)k, plan, error);
    }
    status = status ? status : begin_presses(s, error);
    if (!status) {
        watch_meetings(s);
        sum_up(s);
        status = check_lost(s, error);
    }
    return status;
}

abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    if (s->solids.count == 0) {
        s->search.presses = NULL;
        return ABUT_OK;
    }
    const abut_status status = apply_all(s, plan, error);
    return status;
}
