/* Meshes with their bins, one set an octave of reach. */
#include "finder.h"

#include <stdlib.h>

#include "../base/memory.h"

static int compare_extents(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the facets' extents. */
static abut_status measure_median(const abut_mesh *mesh, double *median)
{
    abut_index count = mesh->view.facet_count;
    double *extents = memory_alloc(count, sizeof *extents);
    if (!extents) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index f = 0; f < count; f++) {
        extents[f] = box_extent(&mesh->boxes[f]);
    }
    qsort(extents, (size_t)count, sizeof *extents, compare_extents);
    *median = extents[count / 2];
    memory_free(extents);
    return ABUT_OK;
}

/* A grown facet box of a quarter more than the facet costs little, so that much reach
 * needs no set of its own. */
static abut_status choose_octaves(binned_mesh *binned)
{
    double median;
    if (binned->mesh->view.facet_count == 0) {
        return ABUT_OK;
    }
    abut_status status = measure_median(binned->mesh, &median);
    if (status) {
        return status;
    }
    binned->first_octave = ilogb(median) - 3;
    binned->octave_count = ilogb(box_extent(&binned->bounds)) + 1 - binned->first_octave;
    binned->whole_reach = ldexp(1.0, binned->first_octave + binned->octave_count);
    return ABUT_OK;
}

static abut_status prepare_mesh(binned_mesh *binned, const abut_mesh *mesh)
{
    binned->mesh = mesh;
    binned->bounds = box_empty();
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        box_include(&binned->bounds, &mesh->boxes[f]);
    }
    abut_status status = choose_octaves(binned);
    if (status) {
        return status;
    }
    binned->sets = memory_alloc_zeroed(binned->octave_count + 1, sizeof *binned->sets);
    return binned->sets ? ABUT_OK : ABUT_NO_MEMORY;
}

static abut_status fill_finder(abut_finder *finder, const abut_mesh *const *meshes,
                               abut_index mesh_count)
{
    finder->meshes = memory_alloc_zeroed(mesh_count, sizeof *finder->meshes);
    if (!finder->meshes) {
        return ABUT_NO_MEMORY;
    }
    abut_status status = ABUT_OK;
    while (!status && finder->mesh_count < mesh_count) {
        abut_index k = finder->mesh_count++;
        status = prepare_mesh(&finder->meshes[k], meshes[k]);
    }
    return status;
}

abut_status abut_finder_build(const abut_mesh *const *meshes, abut_index mesh_count,
                              abut_finder **finder, abut_error *error)
{
    *finder = NULL;
    abut_finder *made = memory_alloc_zeroed(1, sizeof *made);
    abut_status status = made ? fill_finder(made, meshes, mesh_count) : ABUT_NO_MEMORY;
    if (status) {
        abut_finder_free(made);
    } else {
        *finder = made;
    }
    if (error) {
        *error = (abut_error){status, 0, 0, 0.0};
    }
    return status;
}

static void free_sets(binned_mesh *binned)
{
    for (int k = 0; binned->sets && k <= binned->octave_count; k++) {
        bins_free(atomic_load(&binned->sets[k]));
    }
    memory_free(binned->sets);
}

void abut_finder_free(abut_finder *finder)
{
    if (!finder) {
        return;
    }
    for (abut_index k = 0; k < finder->mesh_count; k++) {
        free_sets(&finder->meshes[k]);
    }
    memory_free(finder->meshes);
    memory_free(finder);
}

/* The number of the set for a reach; whatever the reach, it is one of them. */
static int octave_of(const binned_mesh *binned, double reach)
{
    if (!(reach < binned->whole_reach)) {
        return binned->octave_count;
    }
    int octave = ilogb(reach) - binned->first_octave;
    return octave > 0 ? octave : 0;
}

static bins *build_set(const binned_mesh *binned, int octave)
{
    if (octave == binned->octave_count) {
        return bins_build_whole(binned->mesh);
    }
    return bins_build(binned->mesh, ldexp(1.0, binned->first_octave + octave + 1));
}

abut_status finder_take_set(const binned_mesh *binned, double reach, const bins **set)
{
    int octave = octave_of(binned, reach);
    *set = atomic_load(&binned->sets[octave]);
    if (*set) {
        return ABUT_OK;
    }
    bins *made = build_set(binned, octave), *published = NULL;
    if (!made) {
        return ABUT_NO_MEMORY;
    }
    if (atomic_compare_exchange_strong(&binned->sets[octave], &published, made)) {
        *set = made;
        return ABUT_OK;
    }
    bins_free(made);
    *set = published;
    return ABUT_OK;
}
