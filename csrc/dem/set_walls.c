/* Walls come, go, and are switched off: rows of the last step follow them, or go. */
#include <string.h>

#include "energy.h"
#include "order.h"
#include "simulation.h"
#include "watch.h"

static abut_index count_motions(const abut_wall *walls, abut_index count)
{
    abut_index sum = 0;
    for (abut_index k = 0; k < count; k++) {
        sum += walls[k].motion_count;
    }
    return sum;
}

static bool make_surfaces(wall_set *to, const abut_wall *walls)
{
    to->surfaces = memory_alloc_zeroed(to->count, sizeof *to->surfaces);
    bool is_made = to->surfaces != NULL;
    for (abut_index k = 0; is_made && k < to->count; k++) {
        is_made = surface_make(&to->surfaces[k], walls[k].vertex_count);
        to->has_deforming |= walls[k].vertex_count > 0;
    }
    return is_made;
}

/* Walls with motions of their own. */
static bool copy_walls(wall_set *to, const abut_wall *walls, abut_index count)
{
    to->count = to->touched_count = count;
    while (to->touched_count > 0 && walls[to->touched_count - 1].is_off) {
        to->touched_count--;
    }
    to->mesh_count = to->finder ? abut_finder_mesh_count(to->finder) : 0;
    to->walls = memory_alloc(count, sizeof *to->walls);
    to->motions = memory_alloc(count_motions(walls, count), sizeof *to->motions);
    to->ways = memory_alloc_zeroed(count, sizeof *to->ways);
    to->given = memory_alloc_zeroed(count, sizeof *to->given);
    to->drives = memory_alloc_zeroed(count, sizeof *to->drives);
    to->next = memory_alloc_zeroed(count, sizeof *to->next);
    to->half_spaces =
        memory_alloc(6 * (to->touched_count - to->mesh_count), sizeof *to->half_spaces);
    to->placed = memory_alloc(6 * (to->touched_count - to->mesh_count), sizeof *to->placed);
    if (!make_surfaces(to, walls) || !to->walls || !to->motions || !to->ways || !to->given ||
        !to->drives || !to->next || !to->half_spaces || !to->placed) {
        return false;
    }
    abut_motion *motions = to->motions;
    for (abut_index k = 0; k < count; k++) {
        to->walls[k] = walls[k];
        to->walls[k].motions = motions;
        for (abut_index m = 0; m < walls[k].motion_count; m++) {
            *motions++ = walls[k].motions[m];
        }
        memcpy(to->given[k].pose, walls[k].pose, sizeof walls[k].pose);
        to->has_driven |= walls_are_driven(&walls[k]);
    }
    for (abut_index k = to->mesh_count; k < to->touched_count; k++) {
        double *half_space = to->half_spaces + 6 * (k - to->mesh_count);
        memcpy(half_space, walls[k].point, sizeof walls[k].point);
        memcpy(half_space + 3, walls[k].normal, sizeof walls[k].normal);
    }
    return true;
}

/* The number that a wall had before; -1: it is new. */
static abut_index old_number(const wall_set *old, const abut_index *numbers, abut_index wall)
{
    return numbers ? numbers[wall] : wall < old->count ? wall : -1;
}

/* Where walls are in a step. */
typedef struct wall_places {
    double *poses;
    abut_wall_state *states;
} wall_places;

static wall_places make_places(abut_index count)
{
    return (wall_places){memory_alloc(16 * count, sizeof(double)),
                         memory_alloc_zeroed(count, sizeof(abut_wall_state))};
}

/* Walls that were there before keep where they were in the last step. */
static void take_places(step_tables *t, wall_places places, const wall_set *old,
                        const wall_set *now, const abut_index *numbers)
{
    for (abut_index k = 0; k < now->count; k++) {
        const abut_index from = old_number(old, numbers, k);
        if (from >= 0) {
            places.states[k] = t->states[from];
            memcpy(places.poses + 16 * k, t->poses + 16 * from, 16 * sizeof *places.poses);
        }
    }
    memory_free(t->poses), memory_free(t->states);
    t->poses = places.poses, t->states = places.states;
}

/* The new numbers of walls; -1: nothing touches it any more. NULL: no memory. */
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

/* Let rows of the last step follow their walls; those of walls that nothing touches any more go.
 * ABUT_OK or ABUT_NO_MEMORY, with everything as it was. */
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

/* A new wall is taken to have stood where it is now. */
static void note_new_wall(abut_simulation *s, abut_index k)
{
    const surface *of = &s->walls.surfaces[k];
    if (of->vertex_count > 0 && k < s->walls.mesh_count) {
        const size_t bytes = 3 * (size_t)of->vertex_count * sizeof *of->before;
        memcpy(of->before, surface_vertices(simulation_mesh(s, k)), bytes);
    }
    s->before->states[k] = abut_simulation_wall_now(s, k);
    memcpy(s->before->poses + 16 * k, s->before->states[k].pose, 16 * sizeof(double));
}

/* A wall that deforms goes on with what is known of its vertices. */
static void take_surface(surface *to, surface *from)
{
    if (to->vertex_count > 0 && to->vertex_count == from->vertex_count) {
        const surface own = *to;
        *to = *from;
        *from = own;
    }
}

static void exchange_walls(abut_simulation *s, wall_set made, const abut_index *numbers,
                           const wall_places places[2])
{
    wall_set old = s->walls;
    near_walls_forget(&s->near);
    s->watch.is_placed = true;
    take_places(s->now, places[0], &old, &made, numbers);
    take_places(s->before, places[1], &old, &made, numbers);
    s->walls = made;
    for (abut_index k = 0; k < made.count; k++) {
        const abut_index from = old_number(&old, numbers, k);
        if (from >= 0) {
            made.given[k] = old.given[from];
            made.drives[k] = old.drives[from];
            take_surface(&made.surfaces[k], &old.surfaces[from]);
        } else {
            note_new_wall(s, k);
        }
    }
    wall_set_free(&old);
}

static bool has_places(const wall_places places[2])
{
    return places[0].poses && places[0].states && places[1].poses && places[1].states;
}

abut_status abut_simulation_set_walls(abut_simulation *s, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      const abut_index *numbers, abut_error *error)
{
    wall_set made = {.finder = finder};
    const bool is_copied = copy_walls(&made, walls, wall_count);
    const wall_places places[2] = {make_places(wall_count), make_places(wall_count)};
    const double elastic = s->account.is_held ? abut_simulation_energy(s).elastic : 0.0;
    abut_status status = is_copied && has_places(places) ? ABUT_OK : ABUT_NO_MEMORY;
    status = status ? status : renumber_rows(s, &made, numbers);
    if (!status) {
        exchange_walls(s, made, numbers, places);
        energy_lose(s, elastic);
        return ABUT_OK;
    }
    wall_set_free(&made);
    for (int k = 0; k < 2; k++) {
        memory_free(places[k].poses), memory_free(places[k].states);
    }
    return error_set_status(error, status);
}
