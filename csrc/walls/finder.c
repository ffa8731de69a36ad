/* A mesh with its bins, one set an octave of reach. */
#include "finder.h"

#include <stdlib.h>

#include "../base/memory.h"

static int compare_extents(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of the facets' extents, and the mesh's own. */
static abut_status measure_extents(const abut_mesh *mesh, double *median, double *whole)
{
    abut_index count = mesh->view.facet_count;
    double *extents = memory_alloc(count, sizeof *extents);
    if (!extents) {
        return ABUT_NO_MEMORY;
    }
    box bounds = box_empty();
    for (abut_index f = 0; f < count; f++) {
        extents[f] = box_extent(&mesh->boxes[f]);
        box_include(&bounds, &mesh->boxes[f]);
    }
    qsort(extents, (size_t)count, sizeof *extents, compare_extents);
    *median = extents[count / 2];
    *whole = box_extent(&bounds);
    memory_free(extents);
    return ABUT_OK;
}

/* A grown facet box of a quarter more than the facet costs little, so that much reach
 * needs no set of its own. */
static abut_status choose_octaves(abut_finder *finder)
{
    double median, whole;
    if (finder->mesh->view.facet_count == 0) {
        return ABUT_OK;
    }
    abut_status status = measure_extents(finder->mesh, &median, &whole);
    if (status) {
        return status;
    }
    finder->first_octave = ilogb(median) - 3;
    finder->octave_count = ilogb(whole) + 1 - finder->first_octave;
    finder->whole_reach = ldexp(1.0, finder->first_octave + finder->octave_count);
    return ABUT_OK;
}

abut_status abut_finder_build(const abut_mesh *mesh, abut_finder **finder, abut_error *error)
{
    *finder = NULL;
    abut_finder *made = memory_alloc_zeroed(1, sizeof *made);
    abut_status status = made ? ABUT_OK : ABUT_NO_MEMORY;
    if (made) {
        made->mesh = mesh;
        status = choose_octaves(made);
    }
    if (!status) {
        made->sets = memory_alloc_zeroed(made->octave_count + 1, sizeof *made->sets);
        status = made->sets ? ABUT_OK : ABUT_NO_MEMORY;
    }
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

void abut_finder_free(abut_finder *finder)
{
    if (!finder) {
        return;
    }
    for (int k = 0; finder->sets && k <= finder->octave_count; k++) {
        bins_free(atomic_load(&finder->sets[k]));
    }
    memory_free(finder->sets);
    memory_free(finder);
}

/* The number of the set for a reach; whatever the reach, it is one of them. */
static int octave_of(const abut_finder *finder, double reach)
{
    if (!(reach < finder->whole_reach)) {
        return finder->octave_count;
    }
    int octave = ilogb(reach) - finder->first_octave;
    return octave > 0 ? octave : 0;
}

static bins *build_set(const abut_finder *finder, int octave)
{
    if (octave == finder->octave_count) {
        return bins_build_whole(finder->mesh);
    }
    return bins_build(finder->mesh, ldexp(1.0, finder->first_octave + octave + 1));
}

abut_status finder_take_set(const abut_finder *finder, double reach, const bins **set)
{
    int octave = octave_of(finder, reach);
    *set = atomic_load(&finder->sets[octave]);
    if (*set) {
        return ABUT_OK;
    }
    bins *made = build_set(finder, octave), *published = NULL;
    if (!made) {
        return ABUT_NO_MEMORY;
    }
    if (atomic_compare_exchange_strong(&finder->sets[octave], &published, made)) {
        *set = made;
        return ABUT_OK;
    }
    bins_free(made);
    *set = published;
    return ABUT_OK;
}
