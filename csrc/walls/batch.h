/* Some spheres of a query as arrays, and how each mesh, or half space, sees them.
 *
 * A view is one image of one mesh with one set of its bins. A sphere looks at one bucket of each of
 * the set's levels: what a view's looks found stands in arrays, too, so that all of it is vector
 * code's. */
#ifndef WALLS_BATCH_H
#define WALLS_BATCH_H

#include "../abut/contacts.h"
#include "../base/pose.h"

typedef struct bins bins;             /* bins/bins.h */
typedef struct facet_list facet_list; /* facet_list.h */
typedef struct half_space half_space; /* half_spaces.h */

/* Spheres of a batch, and of a block that is looked up in one go: arrays have room for one more. */
enum { BATCH_SPHERES = 256, BATCH_BLOCK = 64, BATCH_ROOM = BATCH_SPHERES + BATCH_BLOCK };

/* Spheres as the caller has them: three numbers of each, and one. */
typedef struct sphere_rows {
    const double *centers, *radii;
    double gap;
} sphere_rows;

/* In place of a bucket, where a view's level holds nothing for a sphere. */
#define NO_BUCKET UINT32_MAX

typedef struct mesh_view {
    const abut_mesh *mesh;
    const bins *set;
    double low, high; /* it serves spheres with low < reach <= high */
    const pose *pose;
    vec3 shift;     /* of the image, from image 0 */
    int32_t number; /* of the mesh */
    int32_t image[3];
    bool is_plain;                /* neither turned nor shifted */
    bool has_image;               /* the image is not 0 */
    bool is_triangles;            /* every facet is one triangle */
    double *local[3];             /* the centers in the mesh's frame: BATCH_ROOM each */
    const half_space *half_space; /* that it is of; NULL: of a mesh */
    int64_t first_look;           /* of its levels' looks */
} mesh_view;

typedef struct batch {
    const facet_list *list; /* of facets that its spheres may touch; NULL: bins tell them */
    abut_index first;       /* the first of its spheres, in the query's order of search */
    int32_t count;
    uint16_t number[BATCH_SPHERES];     /* of each sphere, counted from `first` */
    double *center[3], *radius, *reach; /* BATCH_ROOM each; padding has reach -1 */

    mesh_view
        *views; /* of meshes; half_space_count of half spaces, without looks, stand behind them */
    abut_index view_count, half_space_count, view_capacity;
    double *locals; /* local centers of the views that are not plain */
    abut_index local_capacity;

    /* a look: one level of one view, BATCH_ROOM of each */
    abut_index look_count, look_capacity;
    uint32_t *bucket;
    uint16_t *units; /* the center in its cell along x, y, z, and the square of the reach; then of
                        narrow spheres those of the foot, and 0 */
    uint64_t seen[BATCH_SPHERES / 64]; /* bit: whether any look found a bucket with entries */

    /* bit: the sphere looks for the facets at its foot alone, where its center stands on the plane
     * that all its buckets' facets lie in */
    uint64_t narrow[BATCH_SPHERES / 64];
    bool has_narrow;

    /* bit: a half space is near the sphere, which then has it among its candidates */
    uint64_t beside[BATCH_SPHERES / 64];
    bool has_beside;
    bool is_sparse; /* few of the spheres before were to be searched: those that find nothing are
                       passed over */

    double *block; /* what center, radius and reach point into */
} batch;

/* Zero-initialize a batch, then this; ABUT_OK or ABUT_NO_MEMORY; free with batch_free. */
abut_status batch_prepare(batch *b);
void batch_free(batch *b);

/* What is beyond the batch's spheres, in the last block that a look takes, is to see nothing, so
 * that it is not counted. */
void batch_pad(batch *b);

/* Make room for the looks of one view more, and for its local centers; ABUT_OK or ABUT_NO_MEMORY.
 * What arrays of views added before hold is lost: add all views, then fill. */
abut_status batch_add_view(batch *b, const mesh_view *added);

/* Have a view of each half space, once all of meshes are added. ABUT_OK or ABUT_NO_MEMORY. */
abut_status batch_add_half_spaces(batch *b, const half_space *all, abut_index count);

/* Have no views. */
static inline void batch_clear_views(batch *b)
{
    b->view_count = b->half_space_count = b->look_count = 0;
}

/* Fill the batch with those of `count` spheres that its views may have something for, until it is
 * full. Returns how many spheres it has passed, in `is_good` whether all centers that were read are
 * finite and not too far, and all radii are some. */
abut_index batch_load(batch *b, const sphere_rows *rows, abut_index count, bool *is_good);

/* Likewise with all of the spheres, as many as there is room for: a list knows what they may touch,
 * and their centers were checked. Returns how many there are. */
abut_index batch_load_listed(batch *b, const sphere_rows *rows, abut_index count);

/* Note how many of the spheres that were passed are to be searched. */
void batch_note_share(batch *b, abut_index passed);

/* The centers as each view sees them; to be called when all views and spheres are there. */
void batch_see(batch *b);

/* Likewise sphere by sphere and view by view: first tell where local centers of all views are. */
void batch_place_locals(batch *b);
static inline void batch_turn(const batch *b, const mesh_view *v, int32_t i)
{
    vec3 center = {b->center[0][i], b->center[1][i], b->center[2][i]};
    vec3 local = pose_to_mesh(v->pose, vec3_sub(center, v->shift));
    v->local[0][i] = local.x, v->local[1][i] = local.y, v->local[2][i] = local.z;
}

/* How many spheres are to be searched: what looks have found something for, but for those that
 * look_feet has seen away from their plane. */
int32_t batch_seen_count(const batch *b);

static inline const half_space *batch_half_space(const batch *b, abut_index number)
{
    return b->views[b->view_count + number].half_space;
}

/* Find out which spheres are beside half spaces; later let these be seen, too. */
void batch_look_beside(batch *b);
void batch_see_beside(batch *b);

/* Whether a half space is near the sphere. */
static inline bool batch_is_beside(const batch *b, int32_t sphere)
{
    return b->has_beside && (b->beside[sphere / 64] >> (sphere % 64) & 1);
}

/* Whether the sphere looks for the facets at its foot alone. */
static inline bool batch_is_narrow(const batch *b, int32_t sphere)
{
    return b->narrow[sphere / 64] >> (sphere % 64) & 1;
}

static inline uint32_t *batch_buckets(const batch *b, int64_t look)
{
    return b->bucket + look * BATCH_ROOM;
}

/* Arrays of units of a look; the first of those of feet. */
enum { LOOK_UNITS = 8, FOOT_UNITS = 4 };

/* Along an axis; number 3 is the square of the reach. */
static inline uint16_t *batch_units(const batch *b, int64_t look, int number)
{
    return b->units + (LOOK_UNITS * look + number) * BATCH_ROOM;
}

/* The largest number on the way of a sphere into a view's mesh, its radius among them: the last
 * digit of it tells how far rounding can have moved what is computed there. */
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
