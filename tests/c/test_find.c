/* Meshes of very different sizes, side by side in memory. */
#include "abut.h"
#include "base/memory.h"

#include "check.h"
#include "triangle_mesh.h"

#include <string.h>

enum { STRIP_FACETS = 5000 };

/* Returns a strip of triangles along x, from `first` on. */
static abut_mesh *make_strip(abut_index first, abut_index count, double height)
{
    static double vertices[9 * STRIP_FACETS];
    for (abut_index f = 0; f < count; f++) {
        const double x = (double)(first + f),
                     corners[9] = {x, 0, height, x + 1, 0, height, x, 1, height};
        memcpy(vertices + 9 * f, corners, sizeof corners);
    }
    return build_triangles(count, vertices);
}

/* A sphere at the end of a long strip, over a mesh of one facet. Vector code reads behind the last
 * pair; these entries must be of the same mesh. */
void test_find(void)
{
    abut_mesh *large = make_strip(0, STRIP_FACETS, 0.0);
    abut_mesh *small = make_strip(STRIP_FACETS - 1, 1, 0.01);
    const abut_mesh *meshes[] = {large, small};
    const double center[3] = {STRIP_FACETS - 0.7, 0.3, 0.2}, radius = 0.25;
    abut_finder *finder = NULL;
    abut_contacts *contacts = NULL;
    abut_query query = abut_query_default();
    query.sphere_count = 1;
    query.centers = center;
    query.radii = &radius;
    query.resolution = ABUT_ALL;
    CHECK_INT(abut_finder_build(meshes, 2, &finder, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_find(finder, &query, &contacts, NULL), ABUT_OK);
    CHECK_INT(abut_contacts_count(contacts), 2);
    abut_contacts_free(contacts);
    abut_finder_free(finder);
    abut_mesh_free(large);
    abut_mesh_free(small);
    CHECK_INT(memory_live_count(), 0);
}
