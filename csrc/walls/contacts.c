/* The contacts of a query: counted, and written into the caller's columns. */
#include "../base/memory.h"
#include "../base/parallel.h"
#include "find.h"

void abut_contacts_free(abut_contacts *contacts)
{
    if (!contacts) {
        return;
    }
    for (abut_index k = 0; contacts->buffers && k < contacts->chunk_count; k++) {
        memory_free(contacts->buffers[k].items);
    }
    placement_free(&contacts->placement);
    memory_free(contacts->buffers);
    memory_free(contacts->firsts);
    memory_free(contacts->first_nodes);
    memory_free(contacts);
}

abut_index abut_contacts_count(const abut_contacts *contacts)
{
    return contacts->firsts[contacts->chunk_count];
}

abut_index abut_contacts_node_count(const abut_contacts *contacts)
{
    return contacts->first_nodes[contacts->chunk_count];
}

typedef struct writing {
    const abut_contacts *contacts;
    const abut_columns *columns;
} writing;

/* Which mesh and which image: nearly always the first of both, and the columns are zeros, of which
 * untouched pages need no memory. */
static void write_place(const abut_columns *columns, abut_index row, const contact *c)
{
    if (c->mesh) {
        columns->mesh[row] = c->mesh;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (c->image[axis]) {
            columns->image[3 * row + axis] = c->image[axis];
        }
    }
}

static void write_row(const writing *w, abut_index row, const contact *c)
{
    const abut_columns *columns = w->columns;
    columns->sphere[row] = c->sphere;
    columns->facet[row] = c->at.facet;
    columns->type[row] = c->at.type;
    columns->feature[row] = c->at.feature;
    columns->overlap[row] = c->overlap;
    columns->share[row] = c->share;
    columns->tilt[row] = c->tilt;
    vec3 point = placement_to_world(&w->contacts->placement, c->mesh, c->image, c->at.point);
    vec3_store(columns->point + 3 * row, point);
    vec3_store(columns->normal + 3 * row, c->normal);
    write_place(columns, row, c);
}

/* offsets[i + 1] of the chunk's spheres: the row after their last contact. */
static void write_offsets(const writing *w, abut_index chunk)
{
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    sphere_range spheres = chunk_spheres(chunk, w->contacts->sphere_count);
    abut_index k = 0;
    for (abut_index sphere = spheres.begin; sphere < spheres.end; sphere++) {
        while (k < buffer->count && buffer->items[k].sphere == sphere) {
            k++;
        }
        w->columns->offsets[sphere + 1] = w->contacts->firsts[chunk] + k;
    }
}

static abut_status write_chunk(void *context, abut_index chunk, parallel_job *job)
{
    (void)job;
    const writing *w = context;
    const contact_buffer *buffer = &w->contacts->buffers[chunk];
    abut_index row = w->contacts->firsts[chunk], node = w->contacts->first_nodes[chunk];
    write_offsets(w, chunk);
    for (abut_index i = 0; i < buffer->count; i++, row++) {
        const contact *c = &buffer->items[i];
        const abut_mesh *mesh = w->contacts->placement.meshes[c->mesh].binned->mesh;
        write_row(w, row, c);
        weights_fill(mesh, &c->at, w->contacts->weights, w->columns->node + node,
                     w->columns->weight + node);
        node += weights_count(mesh, &c->at);
        w->columns->node_offsets[row + 1] = node;
    }
    return ABUT_OK;
}

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns)
{
    writing w = {contacts, columns};
    columns->offsets[0] = 0;
    columns->node_offsets[0] = 0;
    parallel_run(contacts->chunk_count, contacts->workers, write_chunk, &w, NULL, NULL);
}
