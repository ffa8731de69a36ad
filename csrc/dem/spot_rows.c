/* What bodies touched in the last step, as callers have it, and to go on from. */
#include <string.h>

#include "../base/span.h"
#include "simulation.h"

/* ---- reading ---- */

/* The caller's columns as a table. */
static interaction_table view_of(abut_meeting meeting, const abut_body_contacts *of)
{
    return (interaction_table){
        .kind = (interaction_kind)meeting,
        .body = of->columns,
        .springs = {.spring = of->spring, .roll = of->roll, .moment = of->moment}};
}

abut_body_contacts abut_simulation_count_body_contacts(const abut_simulation *s,
                                                       abut_meeting meeting)
{
    const interaction_table *t = &s->before->tables[meeting];
    return (abut_body_contacts){.row_count = t->count, .spot_count = t->entry_count};
}

void abut_simulation_write_body_contacts(const abut_simulation *s, abut_meeting meeting,
                                         const abut_body_contacts *to)
{
    const interaction_table *t = &s->before->tables[meeting];
    interaction_table view = view_of(meeting, to);
    table_append(&view, t, (row_span){0, t->count});
    for (abut_index spot = 0; to->force && spot < t->entry_count; spot++) {
        memcpy(to->force + 3 * spot, t->springs.effects[spot].force, 3 * sizeof *to->force);
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
static void restore_power(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_wall_state *state = &s->before->states[t->body.mesh[row]];
    const spot_row r = simulation_spot_row(s, t, ABUT_WITH_WALLS, row);
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        const vec3 point = vec3_sub(simulation_spot_point(t, &r, spot), r.shift);
        const vec3 force = vec3_load(t->springs.effects[spot].force);
        t->springs.power[spot] = -vec3_dot(force, walls_velocity(state, point));
        if (t->springs.moment) {
            const vec3 moment = vec3_load(t->springs.moment + 3 * spot);
            t->springs.power[spot] -= vec3_dot(moment, vec3_load(state->spin));
        }
    }
}

abut_status abut_simulation_restore_body_contacts(abut_simulation *s, abut_meeting meeting,
                                                  const abut_body_contacts *from, abut_error *error)
{
    interaction_table *t = &s->before->tables[meeting];
    abut_status status = check_contacts(s, meeting, from, error);
    if (status) {
        return status;
    }
    const table_size size = {from->row_count, from->spot_count, s->solids.count};
    if (table_reserve(t, size, simulation_extras(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    const interaction_table view = view_of(meeting, from);
    table_append(t, &view, (row_span){0, from->row_count});
    for (abut_index spot = 0; spot < t->entry_count; spot++) {
        memcpy(t->springs.effects[spot].force, from->force + 3 * spot, 3 * sizeof *from->force);
    }
    for (abut_index row = 0; meeting == ABUT_WITH_WALLS && row < t->count; row++) {
        restore_power(s, t, row);
    }
    return ABUT_OK;
}
