/* Bins of a rank have the facets near its spheres for walls at rest, and all facets for other
 * walls, and for rotated walls under periods. They are rebuilt when spheres leave the space for
 * which they were made. */
#include "../bins/bins.h"
#include "../dem/apart.h"
#include "../walls/contact_finder.h"
#include "rank.h"

#include <string.h>

/* The margin of this space around the spheres' reach: MARGIN_RADII largest radii, and MARGIN_PARTS
 * of the spheres' extent. Bins stay valid until spheres have moved that far. */
#define MARGIN_RADII 4.0
#define MARGIN_PARTS 0.125

static bool is_inside(const box *inner, const box *outer)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!(inner->low[axis] >= outer->low[axis] && inner->high[axis] <= outer->high[axis])) {
            return false;
        }
    }
    return true;
}

static box grown(box b, double by)
{
    for (int axis = 0; axis < 3; axis++) {
        b.low[axis] -= by, b.high[axis] += by;
    }
    return b;
}

/* The box within reach of spheres and their laws. The search reports coordinates that are NaN. */
static box find_reach(const abut_simulation *s, double *largest)
{
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = vec3_scale(low, -1.0);
    double most = 0.0;
    for (abut_index place = 0; place < s->store.count; place++) {
        const vec3 center = vec3_load(s->store.centers + 3 * place);
        low.x = smaller(low.x, center.x), high.x = larger(high.x, center.x);
        low.y = smaller(low.y, center.y), high.y = larger(high.y, center.y);
        low.z = smaller(low.z, center.z), high.z = larger(high.z, center.z);
        most = larger(most, s->store.radii[place]);
    }
    *largest = most;
    return grown((box){{low.x, low.y, low.z}, {high.x, high.y, high.z}}, most + s->wall_reach);
}

static bool stands_still(const abut_lammps *rank, abut_index wall)
{
    return rank->simulation->walls.walls[wall].given.motion_count == 0;
}

/* Converts a box of the world to the frame of a wall at rest. */
static box to_mesh(const abut_lammps *rank, abut_index wall, const box *world)
{
    const pose at = pose_load(rank->simulation->walls.walls[wall].given.pose);
    box bounds = box_empty();
    if (pose_is_identity(&at)) {
        return *world;
    }
    for (int corner = 0; corner < 8; corner++) {
        const vec3 point = {corner & 1 ? world->high[0] : world->low[0],
                            corner & 2 ? world->high[1] : world->low[1],
                            corner & 4 ? world->high[2] : world->low[2]};
        box_include_point(&bounds, pose_to_mesh(&at, point));
    }
    return bounds;
}

/* The part of a wall in bins. A rotated wall under periods is in bins as a whole, since none of its
 * axes is along a period. */
static vicinity near_wall(const abut_lammps *rank, abut_index wall)
{
    const abut_simulation *s = rank->simulation;
    const pose at = pose_load(s->walls.walls[wall].given.pose);
    if (!stands_still(rank, wall) || (s->lattice.is_periodic && at.turns)) {
        return vicinity_of_all();
    }
    return (vicinity){.bounds = to_mesh(rank, wall, &rank->covered), .lattice = s->lattice};
}

static abut_status build_finder(abut_lammps *rank, abut_finder **finder)
{
    const abut_index count = rank->input.mesh_count;
    vicinity *near = memory_alloc(count, sizeof *near);
    if (!near) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < count; k++) {
        near[k] = near_wall(rank, k);
    }
    const abut_status status = finder_build_near(rank->meshes, near, count, finder);
    memory_free(near);
    return status;
}

abut_status lammps_cover_spheres(abut_lammps *rank, abut_error *error)
{
    double largest;
    apart_measure(rank->simulation);
    const box reach = find_reach(rank->simulation, &largest);
    const bool is_same = lattice_is_same(&rank->covered_lattice, &rank->simulation->lattice);
    if (rank->simulation->store.count == 0 || (is_same && is_inside(&reach, &rank->covered))) {
        return ABUT_OK;
    }
    const box covered = rank->covered;
    abut_finder *finder = NULL;
    rank->covered = grown(reach, MARGIN_RADII * largest + MARGIN_PARTS * box_extent(&reach));
    if (build_finder(rank, &finder)) {
        rank->covered = covered;
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_finder_free(rank->finder);
    rank->finder = finder;
    rank->simulation->walls.finder = finder;
    rank->covered_lattice = rank->simulation->lattice;
    rank->build_count++;
    return ABUT_OK;
}
