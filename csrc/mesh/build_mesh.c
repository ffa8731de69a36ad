/* Builds a mesh from the caller's arrays: checks, splits or drops facets, then derives all data. */
#include <string.h>

#include "../base/error.h"
#include "../base/memory.h"
#include "derive.h"
#include "mesh_data.h"
#include "noise.h"
#include "precision.h"
#include "split.h"
#include "tolerance.h"

/* Triangles have 31-bit numbers. */
#define TRIANGLE_LIMIT INT32_MAX

/* A mesh while it is built, with scratch memory. */
typedef struct builder {
    const abut_mesh_input *input; /* other threads may change its arrays at any time */
    abut_mesh *mesh;
    abut_error *error;
    abut_index facet_count, index_count; /* facets and corners that are in the mesh so far */
    abut_index read_count;               /* number of corners read so far */
    abut_index *seen;  /* vertex_count: the last facet that has the vertex, plus 1 */
    abut_index *parts; /* the triangles of a polygon that is split */
    splitter splitter;
    parallel_job *job;
    precision precision;
} builder;

/* ---- coordinate noise (docs/method.md, section 3) ---- */

/* The noise of a facet: eps, and the units from which eps_n is computed. */
typedef struct facet_noise {
    double noise;
    vec3 units; /* set if the caller gives no noise */
    abut_noise_origin origin;
} facet_noise;

static bool is_noise(double x)
{
    return x >= 0.0 && x <= ABUT_COORDINATE_LIMIT;
}

/* The caller's noise of a facet; 0 if it has become invalid since it was checked. */
static double read_noise(const double *noise, abut_index source)
{
    const double x = noise[source];
    return is_noise(x) ? x : 0.0;
}

static facet_noise find_noise(const builder *b, abut_index source, const polygon *p)
{
    if (b->input->noise) {
        return (facet_noise){.noise = read_noise(b->input->noise, source),
                             .origin = ABUT_NOISE_GIVEN};
    }
    unit_sizes found = precision_units(&b->precision, p);
    return (facet_noise){vec3_max_abs(found.units), found.units, found.origin};
}

/* Sets eps and eps_n of facet `facet` of the mesh, which is facet `source` of the input. */
static void set_noise(const builder *b, abut_index facet, abut_index source,
                      const facet_noise *noise, vec3 normal)
{
    const abut_mesh_input *in = b->input;
    vec3 units = noise->units;
    double along_normal =
        fabs(normal.x) * units.x + fabs(normal.y) * units.y + fabs(normal.z) * units.z;
    const double *normal_noise = in->normal_noise ? in->normal_noise : in->noise;
    b->mesh->noise[facet] = noise->noise;
    b->mesh->normal_noise[facet] = in->noise ? read_noise(normal_noise, source) : along_normal;
    b->mesh->noise_origin[facet] = (uint8_t)noise->origin;
}

/* ---- checks of the input ---- */

static abut_status check_offsets(const builder *b)
{
    const abut_mesh_input *in = b->input;
    for (abut_index f = 0; f < in->facet_count; f++) {
        abut_index begin = in->offsets[f], end = in->offsets[f + 1];
        if ((f == 0 && begin != 0) || end < begin || end > in->index_count) {
            return error_set(b->error, ABUT_BAD_OFFSETS, f, 0, 0.0);
        }
        if (end - begin < 3) {
            return error_set(b->error, ABUT_FACET_TOO_FEW_CORNERS, f, end - begin, 0.0);
        }
    }
    if (in->offsets[in->facet_count] != in->index_count) {
        return error_set(b->error, ABUT_BAD_LAST_OFFSET, 0, in->offsets[in->facet_count],
                         (double)in->index_count);
    }
    if (in->index_count - 2 * in->facet_count >= TRIANGLE_LIMIT) {
        return error_set(b->error, ABUT_TOO_MANY_FACETS, in->facet_count, 0, 0.0);
    }
    return ABUT_OK;
}

static abut_status check_noise(const builder *b)
{
    const abut_mesh_input *in = b->input;
    for (abut_index f = 0; in->noise && f < in->facet_count; f++) {
        double normal_noise = in->normal_noise ? in->normal_noise[f] : in->noise[f];
        if (!is_noise(in->noise[f]) || !is_noise(normal_noise)) {
            return error_set(b->error, ABUT_BAD_NOISE, f, 0,
                             is_noise(in->noise[f]) ? normal_noise : in->noise[f]);
        }
    }
    return ABUT_OK;
}

static abut_status check_corners(const builder *b, abut_index source, const polygon *p)
{
    for (abut_index i = 0; i < p->count; i++) {
        abut_index vertex = p->indices[i];
        if (vertex < 0 || vertex >= b->input->vertex_count) {
            return error_set(b->error, ABUT_FACET_BAD_VERTEX, source, vertex,
                             (double)b->input->vertex_count);
        }
        if (b->seen[vertex] == source + 1) {
            return error_set(b->error, ABUT_FACET_REPEATS_VERTEX, source, vertex, 0.0);
        }
        b->seen[vertex] = source + 1;
    }
    return ABUT_OK;
}

/* ---- facets into the mesh ---- */

static void append_facet(builder *b, abut_index source, const polygon *p, const facet_shape *shape,
                         const facet_noise *noise)
{
    abut_mesh *mesh = b->mesh;
    abut_index facet = b->facet_count++, *corners = mesh->indices + b->index_count;
    if (p->indices != corners) {
        memcpy(corners, p->indices, (size_t)p->count * sizeof *corners);
    }
    b->index_count += p->count;
    mesh->offsets[facet + 1] = b->index_count;
    mesh->fans[facet + 1] = mesh->fans[facet] + (int32_t)(p->count - 2);
    mesh->source[facet] = source;
    set_noise(b, facet, source, noise, shape->normal);
    derive_facet(mesh, facet, p, shape);
}

/* Splits a polygon and appends its triangles. Flat ears have no area and are omitted. */
static abut_status append_parts(builder *b, abut_index source, const polygon *p,
                                const facet_shape *shape, double noise)
{
    abut_index parts;
    abut_status status = split_polygon(&b->splitter, p, shape, noise, b->job, b->parts, &parts);
    if (status) {
        return error_set(b->error, status, source, 0, 0.0);
    }
    if (parts < p->count - 2) {
        return error_set(b->error, ABUT_FACET_NOT_CONVEX, source, -1, 0.0);
    }
    for (abut_index i = 0; i < parts; i++) {
        polygon part = {p->vertices, b->parts + 3 * i, 3};
        facet_shape part_shape = facet_measure(&part);
        if (!facet_check(&part, &part_shape, 0.0, NULL)) {
            facet_noise part_noise = find_noise(b, source, &part);
            append_facet(b, source, &part, &part_shape, &part_noise);
        }
    }
    return ABUT_OK;
}

/* Copies the next facet's corners behind those in the mesh. They stay there if the facet is kept
 * whole; otherwise later corners overwrite them. */
static abut_status read_polygon(builder *b, abut_index source, polygon *p)
{
    const abut_mesh_input *in = b->input;
    const abut_index begin = b->read_count, end = in->offsets[source + 1];
    if (end < begin + 3 || end > in->index_count) {
        return error_set_status(b->error, ABUT_INPUT_CHANGED); /* changed after check_offsets */
    }
    abut_index *corners = b->mesh->indices + b->index_count;
    b->read_count = end;
    memcpy(corners, in->indices + begin, (size_t)(end - begin) * sizeof *corners);
    *p = (polygon){b->mesh->vertices, corners, end - begin};
    return check_corners(b, source, p);
}

/* Checks a facet of the input and appends it, whole or split, or drops it. */
static abut_status add_facet(builder *b, abut_index source)
{
    const abut_mesh_input *in = b->input;
    polygon p;
    abut_status status = read_polygon(b, source, &p);
    if (status) {
        return status;
    }
    facet_shape shape = facet_measure(&p);
    facet_noise noise = find_noise(b, source, &p);
    status = facet_check(&p, &shape, noise.noise, b->error);
    b->error->index = source;
    if (status == ABUT_FACET_ZERO_AREA && in->drop_zero_area) {
        return ABUT_OK;
    }
    if (!status && in->split == ABUT_SPLIT_ALL && p.count > 3) {
        return append_parts(b, source, &p, &shape, noise.noise);
    }
    bool winds_once = status != ABUT_FACET_NOT_CONVEX || b->error->detail >= 0 ||
                      facet_is_thin(&p, &shape, noise.noise);
    if ((status == ABUT_FACET_NOT_CONVEX || status == ABUT_FACET_NOT_PLANAR) && in->split &&
        winds_once) {
        return append_parts(b, source, &p, &shape, noise.noise);
    }
    if (!status) {
        append_facet(b, source, &p, &shape, &noise);
    }
    return status;
}

/* ---- building ---- */

/* Upper bounds of the mesh's counts. If polygons may be split, each facet may become triangles. */
static mesh_counts capacity_for(const abut_mesh_input *in)
{
    const abut_index triangles = in->index_count - 2 * in->facet_count;
    const abut_index facets = in->split ? triangles : in->facet_count;
    return (mesh_counts){in->vertex_count, facets, in->split ? 3 * facets : in->index_count,
                         triangles};
}

static abut_status allocate(builder *b)
{
    const abut_mesh_input *in = b->input;
    b->seen = memory_alloc_zeroed(in->vertex_count, sizeof *b->seen);
    b->parts = memory_alloc(in->split ? in->index_count : 0, 3 * sizeof *b->parts);
    if (!b->seen || !b->parts || !derive_allocate(b->mesh, capacity_for(in))) {
        return error_set_status(b->error, ABUT_NO_MEMORY);
    }
    return ABUT_OK;
}

static abut_status check_input(const builder *b)
{
    abut_status status =
        derive_vertices(b->mesh, b->input->vertices, b->input->vertex_count, b->error);
    status = status ? status : check_offsets(b);
    return status ? status : check_noise(b);
}

/* The work of building a facet, in the units of parallel_report. */
enum { WORK_OF_FACET = 64 };

static abut_status add_facets(void *context, abut_index chunk, parallel_job *job)
{
    (void)chunk;
    builder *b = context;
    abut_status status = ABUT_OK;
    b->job = job;
    b->precision = precision_find(b->input, b->mesh->vertices);
    for (abut_index f = 0; !status && f < b->input->facet_count; f++) {
        status = add_facet(b, f);
        if (!status && f % 1024 == 0) {
            status = parallel_report(job, 1024 * WORK_OF_FACET);
        }
    }
    return status;
}

/* Raises the noise of facets that are off their neighbors' planes by more than digits explain. */
static void raise_noise(abut_mesh *mesh, const double *measured)
{
    for (abut_index f = 0; f < mesh->view.facet_count; f++) {
        if (measured[f] > mesh->normal_noise[f]) {
            polygon p = mesh_polygon(mesh, f);
            facet_shape shape = facet_measure(&p);
            mesh->noise[f] = larger(mesh->noise[f], measured[f]);
            mesh->normal_noise[f] = measured[f];
            mesh->noise_origin[f] = ABUT_NOISE_MEASURED;
            derive_facet(mesh, f, &p, &shape);
        }
    }
}

static abut_status measure_noise(builder *b)
{
    abut_mesh *mesh = b->mesh;
    double *measured = memory_alloc(mesh->view.facet_count, sizeof *measured);
    abut_status status =
        measured ? noise_measure(mesh, measured, &mesh->view.doubt) : ABUT_NO_MEMORY;
    if (!status) {
        raise_noise(mesh, measured);
    }
    memory_free(measured);
    return status;
}

/* Adds all facets to the mesh, with the noise that follows from their digits. */
static abut_status add_all(builder *b)
{
    abut_status status = check_input(b);
    status = status ? status : allocate(b);
    if (!status) {
        const parallel_plan plan = {.chunk_count = 1,
                                    .workers = 1,
                                    .interrupted = b->input->interrupted,
                                    .interrupted_data = b->input->interrupted_data};
        status = parallel_run(&plan, add_facets, b);
        b->error->status = status;
    }
    return status;
}

static abut_status fill(builder *b)
{
    abut_mesh *mesh = b->mesh;
    abut_status status = add_all(b);
    derive_view(mesh, (mesh_counts){b->input->vertex_count, b->facet_count, b->index_count, 0});
    if (status) {
        return status;
    }
    if (!b->input->noise) {
        status = measure_noise(b);
    }
    if (!status && mesh_is_triangles(mesh)) {
        status = planes_find(mesh->triangles, mesh->view.facet_count, &mesh->planes);
    }
    mesh->view.byte_count = derive_bytes(mesh, capacity_for(b->input));
    return status ? error_set_status(b->error, ABUT_NO_MEMORY) : ABUT_OK;
}

abut_status abut_mesh_build(const abut_mesh_input *input, abut_mesh **mesh, abut_error *error)
{
    abut_error unused;
    const abut_mesh_input copy = *input;
    builder b = {.input = &copy, .error = error ? error : &unused};
    *mesh = NULL;
    error_set_status(b.error, ABUT_OK);
    b.mesh = memory_alloc_zeroed(1, sizeof *b.mesh);
    abut_status status = b.mesh ? fill(&b) : error_set_status(b.error, ABUT_NO_MEMORY);
    memory_free(b.seen);
    memory_free(b.parts);
    splitter_free(&b.splitter);
    if (status) {
        abut_mesh_free(b.mesh);
        return status;
    }
    *mesh = b.mesh;
    return error_set_status(b.error, ABUT_OK);
}
