/* A finder's meshes, and what queries leave in it. */
#include "contact_finder.h"

#include "../base/error.h"
#include "../base/memory.h"
#include "../bins/sets.h"

static abut_status fill_finder(abut_finder *finder, const abut_mesh *const *meshes,
                               const vicinity *near, abut_index mesh_count)
{
    const vicinity all = vicinity_of_all();
    finder->meshes = memory_alloc_zeroed(mesh_count, sizeof *finder->meshes);
    finder->leftovers = memory_alloc_zeroed(1, sizeof *finder->leftovers);
    if (!finder->meshes || !finder->leftovers) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = ABUT_OK;
    while (!status && finder->mesh_count < mesh_count) {
        abut_index k = finder->mesh_count++;
        status = sets_prepare(&finder->meshes[k], meshes[k], near ? &near[k] : &all);
    }
    return status;
}

abut_status finder_build_near(const abut_mesh *const *meshes, const vicinity *near,
                              abut_index mesh_count, abut_finder **finder)
{
    *finder = NULL;
    abut_finder *made = memory_alloc_zeroed(1, sizeof *made);
    abut_status status = made ? fill_finder(made, meshes, near, mesh_count) : ABUT_NO_MEMORY;
    if (status) {
        abut_finder_free(made);
    } else {
        *finder = made;
    }
    return status;
}

abut_status abut_finder_build(const abut_mesh *const *meshes, abut_index mesh_count,
                              abut_finder **finder, abut_error *error)
{
    const abut_status status = finder_build_near(meshes, NULL, mesh_count, finder);
    return error_set_status(error, status);
}

abut_status abut_finder_update(abut_finder *finder, abut_index number, const abut_mesh *mesh,
                               abut_error *error)
{
    return error_set_status(error, sets_update(&finder->meshes[number], mesh));
}

void abut_finder_free(abut_finder *finder)
{
    if (!finder) {
        return;
    }
    for (abut_index k = 0; k < finder->mesh_count; k++) {
        sets_free(&finder->meshes[k]);
    }
    if (finder->leftovers) {
        pool_empty(&finder->leftovers->workers);
        pool_empty(&finder->leftovers->contacts);
    }
    memory_free(finder->leftovers);
    memory_free(finder->meshes);
    memory_free(finder);
}

/* A reach is a radius plus a gap, each of which may be as large as a coordinate. */
abut_status abut_finder_prepare(const abut_finder *finder, double reach, abut_error *error)
{
    abut_status status =
        reach > 0.0 && reach <= 2.0 * ABUT_COORDINATE_LIMIT ? ABUT_OK : ABUT_BAD_REACH;
    for (abut_index k = 0; !status && k < finder->mesh_count; k++) {
        status = sets_refine(&finder->meshes[k], reach);
    }
    return error_set(error, status, 0, 0, reach);
}

abut_statistics abut_finder_inspect(const abut_finder *finder)
{
    const query_counts *counts = &finder->leftovers->counts;
    abut_statistics sum = {.sphere_count = atomic_load(&counts->spheres),
                           .candidate_count = atomic_load(&counts->candidates),
                           .test_count = atomic_load(&counts->tests),
                           .touch_count = atomic_load(&counts->touches),
                           .contact_count = atomic_load(&counts->contacts)};
    for (abut_index k = 0; k < finder->mesh_count; k++) {
        sets_inspect(&finder->meshes[k], &sum);
    }
    return sum;
}

abut_index abut_finder_mesh_count(const abut_finder *finder)
{
    return finder->mesh_count;
}

const abut_mesh *abut_finder_mesh(const abut_finder *finder, abut_index mesh)
{
    return finder->meshes[mesh].mesh;
}
