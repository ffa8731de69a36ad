/* Surfaces that are half spaces: all behind a plane is hard. They need no bins: a sphere is near
 * one or not, as its height over the plane says. */
#ifndef WALLS_HALF_SPACES_H
#define WALLS_HALF_SPACES_H

#include "../base/memory.h"
#include "../base/pose.h"
#include "../mesh/mesh_data.h"

/* Numbers that a caller gives of each: a point of the plane, and the normal. */
enum { HALF_SPACE_NUMBERS = 6 };

/* One of them where it stands in the world. */
typedef struct half_space {
    vec3 point, normal; /* normal: unit, out of the wall */
    int32_t number;     /* among the query's surfaces: meshes, then half spaces */

    /* Vector code reads a triangle of each candidate, in some mesh: this one has no corners, but
     * the normal and the noises. What is computed of its corners is replaced. */
    abut_mesh mesh;
    triangle triangle;
    double own_normal[3];
    int32_t fans[2], kept[1];
} half_space;

/* How high over the plane a point is; negative: inside of the wall. */
static inline double half_space_height(const half_space *h, vec3 point)
{
    return vec3_dot(h->normal, vec3_sub(point, h->point));
}

/* Place those of a query in `room`; their numbers begin at mesh_count. NULL: no memory. */
half_space *half_spaces_place(memory_block *room, const abut_query *query, abut_index mesh_count);

/* Complain of numbers that are none, and of a plane across which the world repeats: it ends there.
 */
abut_status half_spaces_check(const abut_query *query, abut_index mesh_count, abut_error *error);

#endif
