/* Which facets may touch a sphere here: one look a level, whatever the scene.
 *
 * A facet's box, grown by the reach of the largest sphere of the set, goes into all cells that it
 * overlaps and its plane comes near. The cell is a power of two no larger than the grown box and
 * larger than half of it, so a facet is in at most 3 x 3 x 3 cells, and a mesh of facets of one
 * size has one or two such levels of cells. A sphere reads the one cell of each level that its
 * center is in.
 *
 * Cells are hashed into buckets, of which a level has as many as entries at most: memory is bounded
 * by the number of facets wherever they are. Two cells in one bucket only mean more candidates. */
#ifndef WALLS_BINS_H
#define WALLS_BINS_H

#include "mesh.h"

/* Facets of similar size and the cells that they are in. */
typedef struct bin_level {
    int exponent; /* the cell is 2^exponent */
    double inv_cell;
    box bounds;       /* of the grown boxes of its facets */
    vec3 origin;      /* the middle of the bounds: entries' boxes are relative to it, in cells */
    abut_index first; /* its first bucket */
    uint64_t bucket_mask; /* its buckets - 1 */
    uint64_t entry_count;
} bin_level;

/* What stands in the buckets: facets and their boxes, outward by more than
 * single precision rounds. */
typedef struct bin_entries {
    int32_t *facet;
    float *middle[3], *half[3];
} bin_entries;

typedef struct bins {
    bin_level *levels;
    int32_t level_count;
    int64_t
        *begins; /* bucket b has the entries begins[b] ... begins[b + 1] - 1, facets increasing */
    bin_entries entries;
} bins;

/* Bins for spheres whose radius plus gap is at most `reach`; NULL where there is no memory. */
bins *bins_build(const abut_mesh *mesh, double reach);

/* One cell with every facet, for spheres as large as the mesh. */
bins *bins_build_whole(const abut_mesh *mesh);

void bins_free(bins *set);

/* A run of entries. */
typedef struct entry_range {
    int64_t begin, end;
} entry_range;

/* Those of one level for a sphere at `center`; none where the level ends before it. */
entry_range bins_look(const bins *set, int32_t level, vec3 center);

/* Write the facets of a range whose boxes are within `reach` of `center` to
 * near[]; returns how many. */
int64_t bins_cull(const bins *set, int32_t level, entry_range range, vec3 center, double reach,
                  int32_t *near);

#endif
