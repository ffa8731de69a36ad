/* Meshes with moved vertices: corners and noises stay the same, all else is computed again. */
#include <string.h>

#include "../base/error.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "derive.h"
#include "mesh_data.h"

/* FACETS_AT_ONCE: the number of facets of a chunk. WORK_OF_FACET: the work for a facet, in the
 * units of parallel_report. */
enum { FACETS_AT_ONCE = 1024, WORK_OF_FACET = 8 };

typedef struct refitting {
    const abut_mesh *before;
    abut_mesh *mesh;
    atomic_intptr_t first_bad; /* the first invalid facet; -1 if there is none */
} refitting;

/* Whether a moved facet is still valid and still faces the same side. */
static abut_status judge(const refitting *r, abut_index facet, const polygon *p,
                         const facet_shape *shape)
{
    if (facet_check(p, shape, r->mesh->noise[facet], NULL)) {
        return ABUT_FACET_COLLAPSES;
    }
    return vec3_dot(shape->normal, mesh_normal(r->before, facet)) > 0.0 ? ABUT_OK
                                                                        : ABUT_FACET_TURNS_OVER;
}

static abut_status refit_facets(void *context, abut_index chunk, parallel_job *job)
{
    refitting *r = context;
    const abut_index begin = chunk * FACETS_AT_ONCE;
    const abut_index end = parallel_chunk_end(begin, FACETS_AT_ONCE, r->before->view.facet_count);
    for (abut_index f = begin; f < end; f++) {
        const polygon p = mesh_polygon(r->mesh, f);
        const facet_shape shape = facet_measure(&p);
        if (judge(r, f, &p, &shape)) {
            parallel_keep_first(&r->first_bad, f);
            return ABUT_OK;
        }
        derive_facet(r->mesh, f, &p, &shape);
    }
    return parallel_report(job, (end - begin) * WORK_OF_FACET);
}

/* Copies the data that do not depend on where vertices are. */
static void copy_rest(abut_mesh *mesh, const abut_mesh *before)
{
    const size_t facets = (size_t)before->view.facet_count;
    memcpy(mesh->indices, before->indices, 3 * facets * sizeof *mesh->indices);
    memcpy(mesh->offsets, before->offsets, (facets + 1) * sizeof *mesh->offsets);
    memcpy(mesh->source, before->source, facets * sizeof *mesh->source);
    memcpy(mesh->fans, before->fans, (facets + 1) * sizeof *mesh->fans);
    memcpy(mesh->noise, before->noise, facets * sizeof *mesh->noise);
    memcpy(mesh->normal_noise, before->normal_noise, facets * sizeof *mesh->normal_noise);
    memcpy(mesh->noise_origin, before->noise_origin, facets * sizeof *mesh->noise_origin);
}

static abut_status refit_all(refitting *r, int workers, abut_error *error)
{
    const abut_index facets = r->before->view.facet_count;
    const parallel_plan plan = {.chunk_count = parallel_chunk_count(facets, FACETS_AT_ONCE),
                                .work = facets * WORK_OF_FACET,
                                .workers = workers};
    parallel_run(&plan, refit_facets, r); /* without interrupts */
    const abut_index bad = atomic_load(&r->first_bad);
    if (bad < 0) {
        return error_set_status(error, ABUT_OK);
    }
    const polygon p = mesh_polygon(r->mesh, bad);
    const facet_shape shape = facet_measure(&p);
    return error_set(error, judge(r, bad, &p, &shape), bad, 0, 0.0);
}

static abut_status fill(refitting *r, const double *vertices, int workers, abut_error *error)
{
    const abut_mesh_view *view = &r->before->view;
    const mesh_counts counts = {view->vertex_count, view->facet_count, view->index_count,
                                view->facet_count};
    abut_status status = derive_vertices(r->mesh, vertices, counts.vertices, error);
    if (status) {
        return status;
    }
    if (!derive_allocate(r->mesh, counts)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    copy_rest(r->mesh, r->before);
    derive_view(r->mesh, counts);
    r->mesh->view.doubt = view->doubt;
    r->mesh->view.byte_count = derive_bytes(r->mesh, counts);
    return refit_all(r, workers, error);
}

/* The first facet that is not a triangle, or -1. */
static abut_index first_polygon(const abut_mesh *mesh)
{
    abut_index facet = mesh_is_triangles(mesh) ? mesh->view.facet_count : 0;
    while (facet < mesh->view.facet_count && mesh->offsets[facet + 1] - mesh->offsets[facet] == 3) {
        facet++;
    }
    return facet < mesh->view.facet_count ? facet : -1;
}

abut_status abut_mesh_move(const abut_mesh *mesh, const double *vertices, int workers,
                           abut_mesh **moved, abut_error *error)
{
    const abut_index wrong = first_polygon(mesh);
    *moved = NULL;
    if (wrong >= 0) {
        return error_set(error, ABUT_FACET_NOT_TRIANGLE, wrong,
                         mesh->offsets[wrong + 1] - mesh->offsets[wrong], 0.0);
    }
    refitting r = {.before = mesh, .mesh = memory_alloc_zeroed(1, sizeof *r.mesh), .first_bad = -1};
    const abut_status status =
        r.mesh ? fill(&r, vertices, workers, error) : error_set_status(error, ABUT_NO_MEMORY);
    if (status) {
        abut_mesh_free(r.mesh);
        return status;
    }
    *moved = r.mesh;
    return ABUT_OK;
}
