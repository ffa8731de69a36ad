/* The meshes of a query in the world, and the images of them that a sphere may touch.
 *
 * The centers of spheres are converted to the frame of a mesh and its image; meshes and their bins
 * do not change. */
#include "scene.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "contact_finder.h"
#include "half_spaces.h"

/* The largest number of images of one mesh that one sphere may touch. A sphere that reaches over a
 * million periods is a mistake of units, and each image would be a contact. */
#define IMAGE_LIMIT 1048576.0

/* The largest number of images of one mesh that the spheres of a batch may touch; spheres with more
 * are too far from each other for one batch. A single sphere has no such limit. */
#define IMAGES_OF_BATCH 64.0

/* If there are at most this many meshes, all get views: finding those near some spheres would take
 * longer. */
enum { FEW_MESHES = 8 };

/* A batch with more views than this has spheres too far from each other. */
enum { VIEWS_OF_BATCH = 24 };

/* The box in the world around a box in a pose's frame. Along each axis the middle moves with the
 * pose, and the half widths add up. */
static box box_in_world(const box *b, const pose *p)
{
    vec3 low = vec3_load(b->low), high = vec3_load(b->high);
    vec3 half = vec3_scale(vec3_sub(high, low), 0.5);
    vec3 middle = pose_to_world(p, vec3_scale(vec3_add(low, high), 0.5));
    double middles[3] = {middle.x, middle.y, middle.z};
    box world;
    for (int axis = 0; axis < 3; axis++) {
        vec3 row = p->rows[axis];
        double spread = fabs(row.x) * half.x + fabs(row.y) * half.y + fabs(row.z) * half.z;
        double slack = CULL_SLACK * (spread + fabs(middles[axis]) + vec3_max_abs(p->shift));
        world.low[axis] = middles[axis] - spread - slack;
        world.high[axis] = middles[axis] + spread + slack;
    }
    return world;
}

/* ---- building ---- */

static void place_mesh(placed_mesh *mesh, const binned_mesh *binned, const double *matrix)
{
    mesh->binned = binned;
    mesh->pose = matrix ? pose_load(matrix) : pose_identity();
    mesh->band_count = 0;
}

abut_status scene_build(scene *s, scene_room *room, const abut_finder *finder,
                        const abut_query *query, const reach_profile *profile)
{
    *s = (scene){.mesh_count = finder->mesh_count, .half_space_count = query->half_space_count};
    s->meshes = memory_reserve(&room->mesh_block, finder->mesh_count, sizeof *s->meshes);
    s->half_spaces = half_spaces_place(&room->half_space_block, query, finder->mesh_count);
    abut_status status = s->meshes && s->half_spaces ? ABUT_OK : ABUT_NO_MEMORY;
    for (abut_index k = 0; !status && k < finder->mesh_count; k++) {
        const double *matrix = query->poses ? query->poses + 16 * k : NULL;
        placed_mesh *mesh = &s->meshes[k];
        place_mesh(mesh, &finder->meshes[k], matrix);
        if (profile) {
            mesh->bounds = box_in_world(&mesh->binned->bounds, &mesh->pose);
            status = sets_choose_bands(mesh->binned, profile, mesh->bands, &mesh->band_count);
        }
    }
    s->lattice = lattice_load(query->period, 3);
    if (lattice_check(&s->lattice, NULL)) { /* the caller has changed it meanwhile */
        s->lattice = lattice_load(NULL, 3);
    }
    s->has_many = s->mesh_count > FEW_MESHES;
    return status;
}

/* ---- views ---- */

/* The first and the last image along each axis. */
typedef struct mesh_images {
    int32_t first[3], last[3];
} mesh_images;

/* Finds the images of a mesh that spheres inside the box `spheres` may touch. There are none if
 * first > last along an axis. Returns false if there are too many. Along an axis without a period
 * only image 0 is taken; of many meshes, one that is out of reach has no image. */
static bool find_images(const scene *s, const box *bounds, const box *spheres, double limit,
                        mesh_images *images)
{
    double count = 1.0;
    *images = (mesh_images){{0, 0, 0}, {0, 0, 0}};
    if (!(bounds->low[0] <= bounds->high[0])) {
        return true; /* without facets any image will do */
    }
    for (int axis = 0; axis < 3; axis++) {
        double period = s->lattice.widths[axis], low = spheres->low[axis],
               high = spheres->high[axis];
        double slack = CULL_SLACK * (fabs(low) + fabs(high) + period);
        if (period == 0.0) {
            const bool is_apart =
                low - slack > bounds->high[axis] || high + slack < bounds->low[axis];
            images->last[axis] = s->has_many && is_apart ? -1 : 0;
            continue;
        }
        double first = ceil((low - slack - bounds->high[axis]) / period);
        double last = floor((high + slack - bounds->low[axis]) / period);
        count *= last >= first ? last - first + 1.0 : 0.0;
        if (!(count <= limit && fabs(first) <= INT32_MAX && fabs(last) <= INT32_MAX)) {
            return false;
        }
        images->first[axis] = (int32_t)first;
        images->last[axis] = (int32_t)last;
    }
    return true;
}

/* The box around spheres with their reach. Returns false if one of them is invalid. */
static bool find_box(const sphere_rows *rows, abut_index count, box *bounds)
{
    bool are_good = true;
    *bounds = box_empty();
    for (abut_index i = 0; i < count; i++) {
        const double reach = rows->radii[i] + rows->gap;
        for (int axis = 0; axis < 3; axis++) {
            const double x = rows->centers[3 * i + axis];
            const double low = x - reach, high = x + reach;
            are_good &= fabs(x) <= ABUT_COORDINATE_LIMIT;
            bounds->low[axis] = low < bounds->low[axis] ? low : bounds->low[axis];
            bounds->high[axis] = high > bounds->high[axis] ? high : bounds->high[axis];
        }
    }
    return are_good;
}

static vec3 image_shift(const scene *s, const int32_t image[3])
{
    return lattice_shift(&s->lattice, (vec3){image[0], image[1], image[2]});
}

/* A view of one image of a mesh, without a set of bins. */
static mesh_view view_of(const scene *s, abut_index number, const int32_t image[3])
{
    const placed_mesh *mesh = &s->meshes[number];
    mesh_view added = {.mesh = mesh->binned->mesh,
                       .pose = &mesh->pose,
                       .shift = image_shift(s, image),
                       .number = (int32_t)number};
    added.is_plain = vec3_max_abs(added.shift) == 0.0 && pose_is_identity(&mesh->pose);
    added.is_triangles = mesh_is_triangles(added.mesh);
    for (int axis = 0; axis < 3; axis++) {
        added.image[axis] = image[axis];
        added.has_image = added.has_image || image[axis] != 0;
    }
    return added;
}

/* Adds the views of a mesh at one image, one for each set of bins. */
static abut_status add_image(const scene *s, abut_index number, const int32_t image[3], batch *b)
{
    const placed_mesh *mesh = &s->meshes[number];
    mesh_view added = view_of(s, number, image);
    abut_status status = ABUT_OK;
    for (int k = 0; !status && k < mesh->band_count; k++) {
        const reach_band *band = &mesh->bands[k];
        added.set = band->set;
        added.low = band->low > 0.0 ? band->low : 0.0; /* no view serves padding, with a reach of
                                                          -1 */
        added.high = band->high;
        status = batch_add_view(b, &added);
    }
    return status;
}

static abut_status view_mesh(const scene *s, abut_index number, const box *spheres, double limit,
                             batch *b)
{
    mesh_images images;
    if (!find_images(s, &s->meshes[number].bounds, spheres, limit, &images)) {
        return ABUT_TOO_MANY_IMAGES;
    }
    abut_status status = ABUT_OK;
    for (int32_t z = images.first[2]; z <= images.last[2]; z++) {
        for (int32_t y = images.first[1]; y <= images.last[1]; y++) {
            for (int32_t x = images.first[0]; !status && x <= images.last[0]; x++) {
                const int32_t image[3] = {x, y, z};
                status = add_image(s, number, image, b);
            }
        }
    }
    return status;
}

static abut_status view_all(const scene *s, const box *spheres, double limit, batch *b)
{
    abut_status status = ABUT_OK;
    batch_clear_views(b);
    for (abut_index k = 0; !status && k < s->mesh_count; k++) {
        status = view_mesh(s, k, spheres, limit, b);
    }
    return status ? status : batch_add_half_spaces(b, s->half_spaces, s->half_space_count);
}

abut_status scene_view_listed(const scene *s, batch *b)
{
    static const int32_t no_image[3] = {0, 0, 0};
    abut_status status = ABUT_OK;
    if (b->view_count + b->half_space_count > 0) {
        return ABUT_OK;
    }
    for (abut_index k = 0; !status && k < s->mesh_count; k++) {
        const mesh_view added = view_of(s, k, no_image);
        status = batch_add_view(b, &added);
    }
    return status ? status : batch_add_half_spaces(b, s->half_spaces, s->half_space_count);
}

static abut_status view_from(const scene *s, const sphere_rows *rows, abut_index count, batch *b)
{
    box spheres;
    if (!find_box(rows, count, &spheres)) {
        return ABUT_CENTER_NOT_FINITE;
    }
    return view_all(s, &spheres, count > 1 ? IMAGES_OF_BATCH : IMAGE_LIMIT, b);
}

/* Adds views for the first spheres of `rows`, and sets `*count` to their number: at most
 * BATCH_SPHERES, fewer if all of them need too many views or images. */
static abut_status view_near(const scene *s, const sphere_rows *rows, abut_index *count, batch *b)
{
    *count = *count < BATCH_SPHERES ? *count : BATCH_SPHERES;
    abut_status status = view_from(s, rows, *count, b);
    if (!status && s->has_many && b->view_count > VIEWS_OF_BATCH && *count > BATCH_BLOCK) {
        *count = BATCH_BLOCK;
        status = view_from(s, rows, *count, b);
    }
    if (status == ABUT_TOO_MANY_IMAGES && *count > 1) {
        *count = 1;
        status = view_from(s, rows, 1, b);
    }
    return status;
}

abut_status scene_view(const scene *s, const sphere_rows *rows, abut_index *count, batch *b)
{
    if (s->lattice.is_periodic || s->has_many) {
        return view_near(s, rows, count, b);
    }
    const box anywhere = box_empty();
    return b->view_count + b->half_space_count > 0 ? ABUT_OK : view_all(s, &anywhere, 1.0, b);
}

vec3 scene_to_world(const scene *s, abut_index mesh, const int32_t image[3], vec3 point)
{
    return vec3_add(pose_to_world(&s->meshes[mesh].pose, point), image_shift(s, image));
}

vec3 scene_to_mesh(const scene *s, abut_index mesh, const int32_t image[3], vec3 point)
{
    return pose_to_mesh(&s->meshes[mesh].pose, vec3_sub(point, image_shift(s, image)));
}
