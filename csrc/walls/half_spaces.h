/* Half spaces: everything behind a plane is solid. They need no bins: the height of a center over
 * the plane decides whether a sphere is near. */
#ifndef WALLS_HALF_SPACES_H
#define WALLS_HALF_SPACES_H

#include "../base/memory.h"
#include "../base/pose.h"
#include "../mesh/mesh_data.h"

/* Numbers that define a half space: a point of the plane, and the normal. */
enum { HALF_SPACE_NUMBERS = 6 };

/* A half space in the world. */
typedef struct half_space {
    vec3 point, normal; /* normal: of unit length, out of the solid */
    int32_t number;     /* number among the query's surfaces: meshes, then half spaces */

    /* Vector code reads a triangle of each candidate. Of this triangle only the noises are set;
     * mesh.view has the normal. What is computed from its corners is replaced later. */
    abut_mesh mesh;
    triangle triangle;
    double own_normal[3];
    int32_t fans[2], kept[1];
} half_space;

/* The height of a point over the plane; negative inside the solid. */
static inline double half_space_height(const half_space *h, vec3 point)
{
    return vec3_dot(h->normal, vec3_sub(point, h->point));
}

/* Places a query's half spaces in `room`, with numbers from mesh_count on. Returns NULL if there is
 * no memory. */
half_space *half_spaces_place(memory_block *room, const abut_query *query, abut_index mesh_count);

/* Checks the numbers of half spaces, and that each plane is along all periods: a half space does
 * not repeat. Returns ABUT_OK or the status of what is wrong. */
abut_status half_spaces_check(const abut_query *query, abut_index mesh_count, abut_error *error);

#endif
