/* Where the meshes of a query stand, and which of their images a sphere may touch.
 *
 * A sphere is moved into the frame of the mesh, and back by the image's period; meshes and their
 * bins stay as they are. */
#include "place.h"

#include "../base/memory.h"
#include "tolerance.h"

/* Images of one mesh that one sphere may touch. A sphere that reaches over a million periods is a
 * slip of units; each of its images would be a contact. */
#define IMAGE_LIMIT 1048576.0

/* The box around a box that was turned and shifted: along each axis of the world the middle moves
 * with the pose and the halves add up. */
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

abut_status placement_build(placement *p, const abut_finder *finder, const abut_query *query)
{
    *p = (placement){.mesh_count = finder->mesh_count};
    p->meshes = memory_alloc(finder->mesh_count, sizeof *p->meshes);
    if (!p->meshes) {
        return ABUT_NO_MEMORY;
    }
    for (abut_index k = 0; k < finder->mesh_count; k++) {
        placed_mesh *mesh = &p->meshes[k];
        mesh->binned = &finder->meshes[k];
        mesh->pose = query->poses ? pose_load(query->poses + 16 * k) : pose_identity();
        mesh->bounds = box_in_world(&mesh->binned->bounds, &mesh->pose);
    }
    for (int axis = 0; query->period && axis < 3; axis++) {
        p->period[axis] = query->period[axis];
    }
    return ABUT_OK;
}

void placement_free(placement *p)
{
    memory_free(p->meshes);
    *p = (placement){0};
}

abut_status placement_build_sets(const placement *p, const abut_query *query)
{
    const bins *set;
    abut_status status = ABUT_OK;
    for (abut_index k = 0; k < p->mesh_count; k++) {
        for (abut_index i = 0; !status && i < query->sphere_count; i++) {
            double reach = query->radii[i] + query->gap;
            status = finder_take_set(p->meshes[k].binned, reach, &set);
        }
    }
    return status;
}

/* ---- views ---- */

/* The images along each axis. */
typedef struct image_range {
    int32_t first[3], last[3];
} image_range;

/* The images whose bounds are within reach of the center; none where first > last. False: too many.
 * Without a period it is image 0, which the bins rule out where it is far. */
static bool find_images(const placement *p, const box *bounds, vec3 center, double reach,
                        image_range *images)
{
    const double at[3] = {center.x, center.y, center.z};
    double count = 1.0;
    *images = (image_range){{0, 0, 0}, {0, 0, 0}};
    for (int axis = 0; axis < 3; axis++) {
        double period = p->period[axis];
        if (period == 0.0) {
            continue;
        }
        double slack = CULL_SLACK * (fabs(at[axis]) + reach + period);
        double first = ceil((at[axis] - reach - slack - bounds->high[axis]) / period);
        double last = floor((at[axis] + reach + slack - bounds->low[axis]) / period);
        count *= last >= first ? last - first + 1.0 : 0.0;
        if (!(count <= IMAGE_LIMIT) || fabs(first) > INT32_MAX || fabs(last) > INT32_MAX) {
            return false;
        }
        images->first[axis] = (int32_t)first;
        images->last[axis] = (int32_t)last;
    }
    return true;
}

static vec3 image_shift(const placement *p, const int32_t image[3])
{
    return (vec3){image[0] * p->period[0], image[1] * p->period[1], image[2] * p->period[2]};
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* How far rounding can have moved what is computed for a sphere: the last digit of the largest
 * number on the way into the mesh's frame, or of the radius. */
static double view_noise(vec3 center, vec3 shift, const pose *of, vec3 local, double radius)
{
    double world = larger(vec3_max_abs(center), vec3_max_abs(shift));
    double frame = larger(vec3_max_abs(of->shift), vec3_max_abs(local));
    return ulp_double(larger(radius, larger(world, frame)));
}

static abut_status add_view(const placement *p, abut_index number, const int32_t image[3],
                            vec3 center, double radius, double reach, touches *list)
{
    sphere_view *grown =
        memory_grow(list->views, list->view_count + 1, &list->view_capacity, sizeof *grown);
    if (!grown) {
        return ABUT_NO_MEMORY;
    }
    list->views = grown;
    const placed_mesh *mesh = &p->meshes[number];
    sphere_view *view = &list->views[list->view_count++];
    vec3 shift = image_shift(p, image);
    view->mesh = mesh->binned->mesh;
    view->pose = &mesh->pose;
    view->center = pose_to_mesh(&mesh->pose, vec3_sub(center, shift));
    view->noise = view_noise(center, shift, &mesh->pose, view->center, radius);
    view->number = (int32_t)number;
    for (int axis = 0; axis < 3; axis++) {
        view->image[axis] = image[axis];
    }
    return finder_take_set(mesh->binned, reach, &view->set);
}

static abut_status view_mesh(const placement *p, abut_index number, vec3 center, double radius,
                             double reach, touches *list)
{
    image_range images;
    if (!find_images(p, &p->meshes[number].bounds, center, reach, &images)) {
        return ABUT_TOO_MANY_IMAGES;
    }
    abut_status status = ABUT_OK;
    for (int32_t z = images.first[2]; z <= images.last[2]; z++) {
        for (int32_t y = images.first[1]; y <= images.last[1]; y++) {
            for (int32_t x = images.first[0]; !status && x <= images.last[0]; x++) {
                const int32_t image[3] = {x, y, z};
                status = add_view(p, number, image, center, radius, reach, list);
            }
        }
    }
    return status;
}

abut_status placement_view(const placement *p, vec3 center, double radius, double reach,
                           touches *list)
{
    abut_status status = ABUT_OK;
    list->count = 0;
    list->view_count = 0;
    for (abut_index k = 0; !status && k < p->mesh_count; k++) {
        status = view_mesh(p, k, center, radius, reach, list);
    }
    return status;
}

vec3 placement_to_world(const placement *p, int32_t mesh, const int32_t image[3], vec3 point)
{
    return vec3_add(pose_to_world(&p->meshes[mesh].pose, point), image_shift(p, image));
}
