/* A batch: up to 256 spheres of a query as arrays, and their views.
 *
 * A view is one image of one mesh with one set of its bins, or a half space. A look is one level of
 * one view: each sphere has one bucket there. Results of looks are arrays as well, for vector
 * code. */
#ifndef WALLS_BATCH_H
#define WALLS_BATCH_H

#include "../abut/contacts.h"
#include "../base/pose.h"

typedef struct bins bins;             /* bins/bins.h */
typedef struct facet_list facet_list; /* facet_list.h */
typedef struct half_space half_space; /* half_spaces.h */

/* BATCH_BLOCK spheres are looked up together. Arrays are one block longer than a batch. */
enum { BATCH_SPHERES = 256, BATCH_BLOCK = 64, BATCH_ROOM = BATCH_SPHERES + BATCH_BLOCK };

/* Spheres as the caller has them: rows of three coordinates, and radii. */
typedef struct sphere_rows {
    const double *centers, *radii;
    double gap;
} sphere_rows;

/* In place of a bucket's number: the level has no facets for the sphere. */
#define NO_BUCKET UINT32_MAX

typedef struct mesh_view {
    const abut_mesh *mesh;
    const bins *set;
    double low, high; /* the view serves spheres with low < reach <= high */
    const pose *pose;
    vec3 shift;     /* displacement of the image from image 0 */
    int32_t number; /* number of the mesh */
    int32_t image[3];
    bool is_plain;                /* the mesh is neither turned nor shifted */
    bool has_image;               /* the image is not 0 */
    bool is_triangles;            /* every facet is one triangle */
    double *local[3];             /* the centers in the mesh's frame: BATCH_ROOM each */
    const half_space *half_space; /* NULL in a view of a mesh */
    int64_t first_look;           /* number of the look at its first level */
} mesh_view;

typedef struct batch {
    const facet_list *list; /* the facets that its spheres may touch; NULL: bins are searched */
    abut_index first;       /* number of its first sphere, in the order of search */
    int32_t count;
    uint16_t number[BATCH_SPHERES];     /* each sphere's number, counted from `first` */
    double *center[3], *radius, *reach; /* BATCH_ROOM each; padding has reach -1 */

    mesh_view *views; /* views of meshes, then half_space_count of half spaces, without looks */
    abut_index view_count, half_space_count, view_capacity;
    double *locals; /* local centers of the views that are not plain */
    abut_index local_capacity;

    /* BATCH_ROOM entries in each array, for each look */
    abut_index look_count, look_capacity;
    uint32_t *bucket;
    uint16_t *units; /* LOOK_UNITS arrays: the center's position in its cell along x, y, z, and the
                        square of the reach; then, for narrow spheres, the foot's position in that
                        cell, and 0 as its reach */
    uint64_t seen[BATCH_SPHERES / 64]; /* bit i: sphere i has a bucket with entries, or is beside a
                                          half space */

    /* bit i: sphere i is narrow. Only the facets at its foot are searched. The foot is the point
     * below its center on the one plane that holds all facets of its buckets */
    uint64_t narrow[BATCH_SPHERES / 64];
    bool has_narrow;

    /* bit i: a half space is near sphere i, and is one of its candidates */
    uint64_t beside[BATCH_SPHERES / 64];
    bool has_beside;
    bool is_sparse; /* few of the spheres before this batch needed a search, so spheres without
                       candidates are not loaded */

    double *block; /* memory of center, radius and reach */
} batch;

/* Allocates the memory of a zero-initialized batch, if it has none. Free it with batch_free.
 * Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status batch_prepare(batch *b);
void batch_free(batch *b);

/* Fills the last block up with spheres of reach -1, which have no candidates. */
void batch_pad(batch *b);

/* Adds a view, with memory for its looks and local centers. What the arrays of earlier views hold
 * is lost: add all views, then fill them. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status batch_add_view(batch *b, const mesh_view *added);

/* Adds a view of each half space, after all views of meshes. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status batch_add_half_spaces(batch *b, const half_space *all, abut_index count);

/* Removes all views. */
static inline void batch_clear_views(batch *b)
{
    b->view_count = b->half_space_count = b->look_count = 0;
}

/* Loads some of `count` spheres, until the batch is full: all, or in a sparse batch those for which
 * the views may have candidates. Returns the number of spheres that were read. Sets *is_good:
 * whether the centers that were read are finite and not too far, and the radii valid. */
abut_index batch_load(batch *b, const sphere_rows *rows, abut_index count, bool *is_good);

/* Loads the first spheres, as many as fit, without checks: a list has the facets that they may
 * touch. Returns the number of spheres that were loaded. */
abut_index batch_load_listed(batch *b, const sphere_rows *rows, abut_index count);

/* Sets is_sparse from the number of spheres that were read to fill the batch. */
void batch_note_sparse(batch *b, abut_index passed);

/* Computes the centers in the frame of each view. Call it after all views and spheres are added. */
void batch_see(batch *b);

/* Sets where the local centers of each view are stored. batch_turn computes the local center of
 * sphere `i`. */
void batch_place_locals(batch *b);
static inline void batch_turn(const batch *b, const mesh_view *v, int32_t i)
{
    vec3 center = {b->center[0][i], b->center[1][i], b->center[2][i]};
    vec3 local = pose_to_mesh(v->pose, vec3_sub(center, v->shift));
    v->local[0][i] = local.x, v->local[1][i] = local.y, v->local[2][i] = local.z;
}

/* The number of spheres to search: those with a bucket that has entries, except those that
 * look_feet has found beyond reach of their plane. */
int32_t batch_seen_count(const batch *b);

static inline const half_space *batch_half_space(const batch *b, abut_index number)
{
    return b->views[b->view_count + number].half_space;
}

/* Finds the spheres that are near half spaces. batch_see_beside then adds them to `seen`. */
void batch_look_beside(batch *b);
void batch_see_beside(batch *b);

/* Whether a half space is near the sphere. */
static inline bool batch_is_beside(const batch *b, int32_t sphere)
{
    return b->has_beside && (b->beside[sphere / 64] >> (sphere % 64) & 1);
}

/* Whether only the facets at the sphere's foot are searched. */
static inline bool batch_is_narrow(const batch *b, int32_t sphere)
{
    return b->narrow[sphere / 64] >> (sphere % 64) & 1;
}

static inline uint32_t *batch_buckets(const batch *b, int64_t look)
{
    return b->bucket + look * BATCH_ROOM;
}

/* LOOK_UNITS: the arrays of units for a look. FOOT_UNITS: the number of the first one for feet. */
enum { LOOK_UNITS = 8, FOOT_UNITS = 4 };

/* Array `number` of a look's units: 0 to 2 for the axes, 3 for the square of the reach. */
static inline uint16_t *batch_units(const batch *b, int64_t look, int number)
{
    return b->units + (LOOK_UNITS * look + number) * BATCH_ROOM;
}

/* The largest absolute value of a sphere's radius, of its center in the world and in a view's
 * frame, and of the shifts between these. Its last digit bounds the rounding of what is computed
 * there. */
static inline double batch_largest(const batch *b, const mesh_view *v, int32_t sphere)
{
    vec3 center = {b->center[0][sphere], b->center[1][sphere], b->center[2][sphere]};
    double largest = vec3_max_abs(center), radius = b->radius[sphere];
    largest = radius > largest ? radius : largest;
    if (!v->is_plain) {
        vec3 local = {v->local[0][sphere], v->local[1][sphere], v->local[2][sphere]};
        const vec3 others[3] = {v->shift, v->pose->shift, local};
        for (int i = 0; i < 3; i++) {
            double other = vec3_max_abs(others[i]);
            largest = other > largest ? other : largest;
        }
    }
    return largest;
}

#endif
