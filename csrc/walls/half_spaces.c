/* Half spaces in the world. */
#include "half_spaces.h"

#include "../base/error.h"
#include "../base/lattice.h"
#include "../mesh/tolerance.h"

static pose pose_of(const abut_query *query, abut_index number)
{
    return query->poses ? pose_load(query->poses + 16 * number) : pose_identity();
}

/* The noise of a half space along its normal: one unit in the last place of the point's
 * coordinates, as for a facet. A normal along no axis is rounded, too. Over the distance from the
 * point to the sphere, taken as the point's largest coordinate, that adds one unit in its last
 * place. */
static double find_normal_noise(vec3 point, vec3 normal)
{
    const double along_axes = fabs(normal.x) * ulp_double(point.x) +
                              fabs(normal.y) * ulp_double(point.y) +
                              fabs(normal.z) * ulp_double(point.z);
    const bool is_along_axis = vec3_max_abs(normal) == 1.0;
    return is_along_axis ? along_axes : along_axes + ulp_double(vec3_max_abs(point));
}

static void place(const double *given, const pose *at, half_space *h)
{
    const vec3 given_point = vec3_load(given);
    h->point = pose_to_world(at, given_point);
    h->normal = pose_turn(at, vec3_load(given + 3));
    double largest = larger(vec3_max_abs(h->point), vec3_max_abs(at->shift));
    largest = larger(largest, vec3_max_abs(given_point));
    h->triangle.noise = ulp_double(largest);
    h->triangle.normal_noise =
        pose_is_identity(at) ? find_normal_noise(h->point, h->normal) : ulp_double(largest);
}

/* Makes the mesh of one triangle that vector code reads in place of the half space. */
static void stand_in(half_space *h)
{
    vec3_store(h->own_normal, h->normal);
    h->fans[0] = 0, h->fans[1] = 1;
    h->kept[0] = 1; /* its point is the only node */
    h->mesh.triangles = &h->triangle;
    h->mesh.fans = h->fans;
    h->mesh.kept = h->kept;
    h->mesh.view.normals = h->own_normal;
    h->mesh.view.facet_count = 1;
}

half_space *half_spaces_place(memory_block *room, const abut_query *query, abut_index mesh_count)
{
    const abut_index count = query->half_space_count;
    half_space *all = memory_reserve(room, count, sizeof *all);
    for (abut_index k = 0; all && k < count; k++) {
        const pose at = pose_of(query, mesh_count + k);
        all[k] = (half_space){.number = (int32_t)(mesh_count + k)};
        place(query->half_spaces + HALF_SPACE_NUMBERS * k, &at, &all[k]);
        stand_in(&all[k]);
    }
    return all;
}

abut_status half_spaces_check(const abut_query *query, abut_index mesh_count, abut_error *error)
{
    const lattice repeats = lattice_load(query->period, 3);
    for (abut_index k = 0; k < query->half_space_count; k++) {
        const double *given = query->half_spaces + HALF_SPACE_NUMBERS * k;
        for (int number = 0; number < HALF_SPACE_NUMBERS; number++) {
            if (!(fabs(given[number]) <= ABUT_COORDINATE_LIMIT)) {
                return error_set(error, ABUT_BAD_HALF_SPACE, k, number, given[number]);
            }
        }
        const pose at = pose_of(query, mesh_count + k);
        const vec3 normal = pose_turn(&at, vec3_load(given + 3));
        for (int v = 0; v < 3; v++) {
            const double part = vec3_dot(normal, lattice_direction(&repeats, v));
            if (!(fabs(part) <= ALONG_PLANE)) {
                return error_set(error, ABUT_HALF_SPACE_REPEATS, k, v, part);
            }
        }
    }
    return ABUT_OK;
}
