/* Which new spheres would touch particles or walls at the places that are given for them. */
#include "state.h"

#include <math.h>
#include <string.h>

/* New spheres, and for each one whether it touches anything. */
typedef struct newcomers {
    const double *centers, *radii;
    abut_index count;
    uint8_t *touches;
} newcomers;

/* ---- particles ---- */

/* The bounding box of all new spheres. It has no ends along axes in which space repeats. */
typedef struct outline {
    double low[3], high[3];
} outline;

static outline outline_of(const newcomers *new, const lattice *l)
{
    outline o;
    for (int axis = 0; axis < 3; axis++) {
        const bool spans = lattice_spans(l, axis);
        o.low[axis] = spans ? -INFINITY : INFINITY, o.high[axis] = -o.low[axis];
        for (abut_index k = 0; !spans && k < new->count; k++) {
            const double center = new->centers[3 * k + axis], radius = new->radii[k];
            o.low[axis] = smaller(o.low[axis], center - radius);
            o.high[axis] = larger(o.high[axis], center + radius);
        }
    }
    return o;
}

/* Whether a sphere meets the box. Grains mostly rain in along z, so this axis is compared first. */
static bool meets(const outline *o, const double *center, double radius)
{
    for (int axis = 2; axis >= 0; axis--) {
        if (center[axis] + radius < o->low[axis] || center[axis] - radius > o->high[axis]) {
            return false;
        }
    }
    return true;
}

/* Particles that meet the bounding box: spheres, and spheres around bodies. */
typedef struct nearby {
    double *centers, *radii;
    abut_index count, center_capacity, radius_capacity;
} nearby;

static abut_status take(nearby *near, const outline *o, const double *center, double radius)
{
    if (!meets(o, center, radius)) {
        return ABUT_OK;
    }
    const abut_index count = near->count + 1;
    if (memory_fit(&near->centers, 3 * count, &near->center_capacity, sizeof *near->centers) ||
        memory_fit(&near->radii, count, &near->radius_capacity, sizeof *near->radii)) {
        return ABUT_NO_MEMORY;
    }
    memcpy(near->centers + 3 * near->count, center, 3 * sizeof *center);
    near->radii[near->count++] = radius;
    return ABUT_OK;
}

static abut_status gather(const abut_simulation *s, const outline *o, nearby *near)
{
    abut_status status = ABUT_OK;
    for (abut_index k = 0; !status && k < s->store.count; k++) {
        status = take(near, o, s->store.centers + 3 * k, s->store.radii[k]);
    }
    for (abut_index k = 0; !status && k < s->solids.count; k++) {
        double center[3];
        vec3_store(center, s->solids.bodies[k].rigid.position);
        status = take(near, o, center, s->solids.bodies[k].reach);
    }
    return status;
}

static abut_status mark_pairs(const abut_pairs *pairs, const newcomers *new)
{
    const abut_index count = abut_pairs_count(pairs);
    abut_pair_columns columns = {.i = memory_alloc(count, sizeof *columns.i)};
    if (!columns.i) {
        return ABUT_NO_MEMORY;
    }
    abut_pairs_write(pairs, &columns);
    for (abut_index k = 0; k < count; k++) {
        new->touches[columns.i[k]] = 1;
    }
    memory_free(columns.i);
    return ABUT_OK;
}

static abut_status search(const abut_simulation *s, const nearby *near, const newcomers *new,
                          abut_error *error)
{
    abut_pair_input input = abut_pair_input_default();
    abut_pair_query query = abut_pair_query_default();
    abut_pair_finder *finder = NULL;
    abut_pairs *pairs = NULL;
    input.sphere_count = new->count, input.radii = new->radii;
    input.period = lattice_vectors(&s->lattice);
    query.centers = new->centers;
    query.other_centers = near->centers, query.other_radii = near->radii;
    query.other_count = near->count;
    query.workers = s->input.workers;
    abut_status status = abut_pair_finder_build(&input, &finder, error);
    status = status ? status : abut_pairs_find(finder, &query, &pairs, error);
    status = status ? status : error_set_status(error, mark_pairs(pairs, new));
    abut_pairs_free(pairs);
    abut_pair_finder_free(finder);
    return status;
}

static abut_status mark_near_particles(const abut_simulation *s, const newcomers *new,
                                       abut_error *error)
{
    const outline o = outline_of(new, &s->lattice);
    nearby near = {.count = 0};
    abut_status status = error_set_status(error, gather(s, &o, &near));
    if (!status && near.count > 0) {
        status = search(s, &near, new, error);
    }
    memory_free(near.centers), memory_free(near.radii);
    return status;
}

/* ---- walls ---- */

static void mark_behind(const abut_simulation *s, abut_index wall, const newcomers *new)
{
    const double *plane = s->walls.half_spaces + 6 * (wall - s->walls.mesh_count);
    const abut_wall_state state = abut_simulation_wall_now(s, wall);
    const pose at = pose_load(state.pose);
    const vec3 point = pose_to_world(&at, vec3_load(plane));
    const vec3 normal = pose_turn(&at, vec3_load(plane + 3));
    for (abut_index k = 0; k < new->count; k++) {
        const vec3 apart = vec3_sub(vec3_load(new->centers + 3 * k), point);
        new->touches[k] |= new->radii[k] - vec3_dot(apart, normal) >= 0.0;
    }
}

static abut_status mark_contacts(const abut_contacts *contacts, const newcomers *new)
{
    const abut_index count = abut_contacts_count(contacts);
    abut_columns columns = {.sphere = memory_alloc(count, sizeof *columns.sphere)};
    if (!columns.sphere) {
        return ABUT_NO_MEMORY;
    }
    abut_contacts_write(contacts, &columns);
    for (abut_index k = 0; k < count; k++) {
        new->touches[columns.sphere[k]] = 1;
    }
    memory_free(columns.sphere);
    return ABUT_OK;
}

static abut_status mark_on_meshes(const abut_simulation *s, const newcomers *new, abut_error *error)
{
    const abut_index meshes = s->walls.mesh_count;
    double *poses = memory_alloc(16 * meshes, sizeof *poses);
    abut_contacts *contacts = NULL;
    if (!poses) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    for (abut_index k = 0; k < meshes; k++) {
        const abut_wall_state state = abut_simulation_wall_now(s, k);
        memcpy(poses + 16 * k, state.pose, sizeof state.pose);
    }
    abut_query query = abut_query_default();
    query.sphere_count = new->count;
    query.centers = new->centers, query.radii = new->radii;
    query.poses = poses;
    query.period = lattice_vectors(&s->lattice);
    query.workers = s->input.workers;
    abut_status status = abut_contacts_find(s->walls.finder, &query, &contacts, error);
    status = status ? status : error_set_status(error, mark_contacts(contacts, new));
    abut_contacts_free(contacts);
    memory_free(poses);
    return status;
}

abut_status abut_simulation_find_touching(const abut_simulation *s, const double *centers,
                                          const double *radii, abut_index count, uint8_t *touches,
                                          abut_error *error)
{
    const newcomers new = {centers, radii, count, touches};
    memset(touches, 0, (size_t)count);
    abut_status status = count > 0 ? mark_near_particles(s, &new, error) : ABUT_OK;
    if (!status && count > 0 && s->walls.mesh_count > 0) {
        status = mark_on_meshes(s, &new, error);
    }
    for (abut_index k = s->walls.mesh_count; !status && k < s->walls.touched_count; k++) {
        mark_behind(s, k, &new);
    }
    return status;
}
