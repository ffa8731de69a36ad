/* Sets walls. Rows of the last step are renumbered with their walls, or removed with them. Also
 * moves walls if callers give their motion. */
#include <string.h>

#include "energy.h"
#include "sphere_order.h"
#include "shared.h"
#include "watch.h"

/* ---- new walls ---- */

/* The number of a wall before the change; -1: it is new. */
static abut_index old_number(const wall_set *old, const abut_index *numbers, abut_index wall)
{
    return numbers ? numbers[wall] : wall < old->count ? wall : -1;
}

/* The new number of each old wall; -1: removed or off. NULL: no memory. */
static int32_t *list_new_numbers(const wall_set *old, const wall_set *made,
                                 const abut_index *numbers)
{
    int32_t *found = memory_alloc(old->count, sizeof *found);
    for (abut_index k = 0; found && k < old->count; k++) {
        found[k] = -1;
    }
    for (abut_index k = 0; found && k < made->touched_count; k++) {
        const abut_index from = old_number(old, numbers, k);
        if (from >= 0) {
            found[from] = (int32_t)k;
        }
    }
    return found;
}

static bool are_as_before(const wall_set *old, const int32_t *numbers)
{
    abut_index k = 0;
    while (k < old->touched_count && numbers[k] == k) {
        k++;
    }
    return k == old->touched_count;
}

/* Renumbers the walls in the last step's rows. Removes rows on walls that are removed or off.
 * ABUT_OK, or ABUT_NO_MEMORY with everything unchanged. */
static abut_status renumber_rows(abut_simulation *s, const wall_set *made,
                                 const abut_index *numbers)
{
    int32_t *found = list_new_numbers(&s->walls, made, numbers);
    const renaming by = {
        .walls = found, .place_count = s->store.count, .body_count = s->solids.count};
    abut_status status = found ? ABUT_OK : ABUT_NO_MEMORY;
    if (!status && !are_as_before(&s->walls, found)) {
        status = order_renumber_tables(s, &by);
        watch_forget(s);
    }
    memory_free(found);
    return status;
}

/* Starts a new wall as if it had its present pose in the last step, too. */
static void begin_wall(abut_simulation *s, abut_index k)
{
    const deforming_mesh *surface = simulation_deforming(s, k);
    if (surface && k < s->walls.mesh_count) {
        const size_t bytes = 3 * (size_t)surface->vertex_count * sizeof *surface->before;
        memcpy(surface->before, deforming_vertices(simulation_mesh(s, k)), bytes);
    }
    s->walls.walls[k].before = abut_simulation_wall_now(s, k);
}

/* Copies the state of a wall that is kept, including the motion of its vertices if it deforms. */
static void take_wall(wall_set *to, abut_index k, wall_set *old, abut_index from)
{
    const abut_wall given = to->walls[k].given;
    to->walls[k] = old->walls[from];
    to->walls[k].given = given;
    if (to->deforming[k].vertex_count == old->deforming[from].vertex_count) {
        const deforming_mesh swapped = to->deforming[k];
        to->deforming[k] = old->deforming[from];
        old->deforming[from] = swapped;
    }
}

static void exchange_walls(abut_simulation *s, const wall_set *made, const abut_index *numbers)
{
    wall_set old = s->walls;
    s->near.is_made = false;
    s->watch.is_placed = true;
    s->walls = *made;
    for (abut_index k = 0; k < made->count; k++) {
        const abut_index from = old_number(&old, numbers, k);
        if (from >= 0) {
            take_wall(&s->walls, k, &old, from);
        } else {
            begin_wall(s, k);
        }
        memcpy(made->poses_before + 16 * k, made->walls[k].before.pose,
               sizeof made->walls->now.pose);
    }
    wall_set_free(&old);
}

abut_status abut_simulation_set_walls(abut_simulation *s, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      const abut_index *numbers, abut_error *error)
{
    wall_set made;
    const double elastic = s->account.is_held ? abut_simulation_energy(s).elastic : 0.0;
    abut_status status = wall_set_make(&made, finder, walls, wall_count);
    status = status ? status : renumber_rows(s, &made, numbers);
    if (status) {
        wall_set_free(&made);
        return error_set_status(error, status);
    }
    exchange_walls(s, &made, numbers);
    energy_dissipate(s, elastic);
    return ABUT_OK;
}

/* ---- positions ---- */

void abut_simulation_place(abut_simulation *s, abut_index wall, const abut_wall_state *state)
{
    s->walls.walls[wall].next_state = *state;
}

void abut_simulation_begin(abut_simulation *s, abut_index wall, const abut_wall_state *state)
{
    wall_record *record = &s->walls.walls[wall];
    if (memcmp(record->before.pose, record->given.pose, 12 * sizeof *record->before.pose) == 0) {
        memcpy(record->before.pose, state->pose, sizeof state->pose);
        memcpy(s->walls.poses_before + 16 * wall, state->pose, sizeof state->pose);
    }
    record->next_state = *state;
}

abut_wall_state abut_simulation_wall(const abut_simulation *s, abut_index wall)
{
    return s->walls.walls[wall].before;
}

abut_wall_state abut_simulation_wall_now(const abut_simulation *s, abut_index wall)
{
    return walls_next(&s->walls.walls[wall], simulation_time(s));
}
