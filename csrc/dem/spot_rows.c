/* What bodies touched in the last step, as callers have it, and to go on from. */
#include <string.h>

#include "../base/span.h"
#include "simulation.h"

/* ---- reading ---- */

static void put_numbers(double *to, abut_index k, const double *from, abut_index count)
{
    if (to) {
        memcpy(to + count * k, from, (size_t)count * sizeof *to);
    }
}

abut_body_contacts abut_simulation_count_body_contacts(const abut_simulation *s,
                                                       abut_meeting meeting)
{
    const spot_table *t = &s->before.spots[meeting];
    return (abut_body_contacts){.row_count = t->count, .spot_count = t->spot_count};
}

void abut_simulation_write_body_contacts(const abut_simulation *s, abut_meeting meeting,
                                         const abut_body_contacts *to)
{
    const spot_table *t = &s->before.spots[meeting];
    spot_table_copy(&to->columns, &t->columns, t->count, t->spot_count);
    static const double nothing[3];
    const double *moment = t->springs.moment, *roll = t->springs.roll;
    for (abut_index spot = 0; spot < t->spot_count; spot++) {
        put_numbers(to->force, spot, t->springs.effects[spot].force, 3);
        put_numbers(to->spring, spot, t->springs.spring + 3 * spot, 3);
        put_numbers(to->moment, spot, moment ? moment + 3 * spot : nothing, 3);
        put_numbers(to->roll, spot, roll ? roll + 3 * spot : nothing, 3);
    }
}

/* ---- going on from a file ---- */

static abut_index others_of(const abut_simulation *s, abut_meeting meeting)
{
    switch (meeting) {
    case ABUT_WITH_WALLS:
        break;
    case ABUT_WITH_BODIES:
        return s->solids.count;
    case ABUT_WITH_SPHERES:
        return s->store.count;
    }
    return s->walls.count;
}

static abut_status check_row(const abut_simulation *s, abut_meeting meeting,
                             const abut_body_contacts *from, abut_index row, abut_error *error)
{
    const abut_convex_columns *c = &from->columns;
    const abut_index others = others_of(s, meeting);
    const abut_index other = meeting == ABUT_WITH_WALLS ? c->mesh[row] : c->j[row];
    const abut_status bad_other = meeting == ABUT_WITH_WALLS ? ABUT_BAD_MESH_NUMBER : ABUT_BAD_J;
    if (c->i[row] < 0 || c->i[row] >= s->solids.count) {
        return error_set(error, ABUT_BAD_I, row, c->i[row], (double)s->solids.count - 1.0);
    }
    if (other < 0 || other >= others) {
        return error_set(error, bad_other, row, other, (double)others - 1.0);
    }
    return ABUT_OK;
}

static abut_status check_contacts(const abut_simulation *s, abut_meeting meeting,
                                  const abut_body_contacts *from, abut_error *error)
{
    const abut_index wrong =
        span_find_wrong(from->columns.spot_offsets, from->row_count, from->spot_count);
    if (wrong >= 0) {
        return error_set(error, ABUT_BAD_PAIR_ROWS, wrong, from->spot_count, 0.0);
    }
    abut_status status = ABUT_OK;
    for (abut_index row = 0; !status && row < from->row_count; row++) {
        status = check_row(s, meeting, from, row, error);
    }
    return status;
}

/* Compute the power of forces and moments on the walls anew. */
static void restore_power(const abut_simulation *s, const spot_table *t, abut_index row)
{
    const abut_wall_state *state = &s->before.states[t->columns.mesh[row]];
    const spot_row r = simulation_spot_row(s, t, ABUT_WITH_WALLS, row);
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        const vec3 point = vec3_sub(simulation_spot_point(t, &r, spot), r.shift);
        const vec3 force = vec3_load(t->springs.effects[spot].force);
        t->power[spot] = -vec3_dot(force, walls_velocity(state, point));
        if (t->springs.moment) {
            const vec3 moment = vec3_load(t->springs.moment + 3 * spot);
            t->power[spot] -= vec3_dot(moment, vec3_load(state->spin));
        }
    }
}

/* Have vectors of spots, or zeros where the caller has none; nowhere where there is no column. */
static void restore_vectors(double *to, const double *from, abut_index spots)
{
    const size_t size = 3 * (size_t)spots * sizeof *to;
    if (to && from) {
        memcpy(to, from, size);
    } else if (to) {
        memset(to, 0, size);
    }
}

abut_status abut_simulation_restore_body_contacts(abut_simulation *s, abut_meeting meeting,
                                                  const abut_body_contacts *from, abut_error *error)
{
    spot_table *t = &s->before.spots[meeting];
    abut_status status = check_contacts(s, meeting, from, error);
    if (status) {
        return status;
    }
    if (spot_table_reserve(t, meeting, from->row_count, from->spot_count, simulation_kind(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    spot_table_copy(&t->columns, &from->columns, from->row_count, from->spot_count);
    t->count = from->row_count, t->spot_count = from->spot_count;
    for (abut_index spot = 0; spot < t->spot_count; spot++) {
        t->springs.effects[spot] = (effect){.arm = 0.0};
        memcpy(t->springs.effects[spot].force, from->force + 3 * spot, 3 * sizeof *from->force);
    }
    restore_vectors(t->springs.spring, from->spring, t->spot_count);
    restore_vectors(t->springs.roll, from->roll, t->spot_count);
    restore_vectors(t->springs.moment, from->moment, t->spot_count);
    for (abut_index row = 0; meeting == ABUT_WITH_WALLS && row < t->count; row++) {
        restore_power(s, t, row);
    }
    return ABUT_OK;
}
