#include <stddef.h>

#include "arrays.h"

typedef struct mesh_object {
    PyObject_HEAD
    abut_mesh *mesh;
} mesh_object;

static const char MESH_DOC[] =
    "Mesh(vertices, indices, offsets, units, noise, normal_noise, drop_zero_area, split, numbers)\n"
    "--\n\nValidated facets: contiguous float64 and intp arrays in, read-only views out. Units, "
    "noises and numbers may be None; errors use the numbers as those of facets.";

/* The arguments of Mesh(...), as borrowed references. */
typedef struct mesh_arguments {
    PyObject *vertices, *indices, *offsets, *units, *noise, *normal_noise, *numbers;
    int drop_zero_area, split; /* split is an abut_split */
} mesh_arguments;

const abut_mesh *core_mesh_of(PyObject *mesh)
{
    return ((mesh_object *)mesh)->mesh;
}

const abut_mesh **core_read_meshes(PyObject *tuple, const core_state *state)
{
    const abut_mesh **meshes = core_pointers(tuple, state->mesh_type, "meshes", "Mesh");
    for (Py_ssize_t i = 0; meshes && i < PyTuple_Size(tuple); i++) {
        meshes[i] = core_mesh_of(PyTuple_GetItem(tuple, i));
    }
    return meshes;
}

static int read_input(const mesh_arguments *given, abut_mesh_input *input)
{
    input->drop_zero_area = given->drop_zero_area;
    input->split = given->split;
    input->vertex_count = array_row_count(given->vertices);
    input->index_count = array_row_count(given->indices);
    const array_shape of_vertices = {ARRAY_DOUBLE, input->vertex_count, 3};
    const array_shape of_indices = {ARRAY_INDEX, input->index_count, 0};
    if (array_read(given->vertices, "vertices", of_vertices, &input->vertices) ||
        array_read(given->indices, "indices", of_indices, &input->indices) ||
        array_read_offsets(given->offsets, "offsets", &input->offsets, &input->facet_count)) {
        return -1;
    }
    const array_shape of_facets = {ARRAY_DOUBLE, input->facet_count, 0};
    return array_read_optional(given->units, "units", of_vertices, &input->units) ||
           array_read_optional(given->noise, "noise", of_facets, &input->noise) ||
           array_read_optional(given->normal_noise, "normal_noise", of_facets,
                               &input->normal_noise);
}

/* Whether the index of the error is the number of a facet. */
static int names_a_facet(abut_status status)
{
    return status == ABUT_BAD_NOISE ||
           (status >= ABUT_FACET_TOO_FEW_CORNERS && status <= ABUT_FACET_NOT_PLANAR);
}

/* Builds a mesh. Errors have the caller's numbers of facets. */
static PyObject *build_mesh(PyTypeObject *type, abut_mesh_input *input, const abut_index *numbers)
{
    mesh_object *self = (mesh_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    input->interrupted = core_run_signal_handlers;
    input->interrupted_data = &thread;
    abut_mesh_build(input, &self->mesh, &error);
    PyEval_RestoreThread(thread);
    if (numbers && names_a_facet(error.status)) {
        error.index = numbers[error.index];
    }
    return core_finish((PyObject *)self, &error);
}

static PyObject *mesh_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"vertices",     "indices",        "offsets", "units",   "noise",
                            "normal_noise", "drop_zero_area", "split",   "numbers", NULL};
    mesh_arguments given;
    abut_mesh_input input = {0};
    const abut_index *numbers;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOOOOpiO:Mesh", names, &given.vertices,
                                     &given.indices, &given.offsets, &given.units, &given.noise,
                                     &given.normal_noise, &given.drop_zero_area, &given.split,
                                     &given.numbers) ||
        read_input(&given, &input)) {
        return NULL;
    }
    const array_shape of_facets = {ARRAY_INDEX, input.facet_count, 0};
    if (array_read_optional(given.numbers, "numbers", of_facets, &numbers)) {
        return NULL;
    }
    return build_mesh(type, &input, numbers);
}

static void mesh_dealloc(PyObject *self)
{
    abut_mesh_free(((mesh_object *)self)->mesh);
    core_release(self);
}

static PyObject *get_array(PyObject *self, void *place)
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_at(self, &view, place, 3);
}

static PyObject *get_doubt(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_noise_doubt doubt = abut_mesh_inspect(core_mesh_of(self)).doubt;
    return Py_BuildValue("nnnd", doubt.neighbor_count, doubt.count, doubt.facet, doubt.noise);
}

static PyObject *get_bytes(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromSsize_t(abut_mesh_inspect(core_mesh_of(self)).byte_count);
}

static PyObject *mesh_deviations(PyObject *self, PyObject *Py_UNUSED(unused))
{
    abut_index counts[ABUT_DEVIATION_COUNT];
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    error.status = abut_mesh_deviations(core_mesh_of(self), counts);
    Py_END_ALLOW_THREADS
    if (error.status) {
        return core_raise(&error);
    }
    PyObject *list = PyList_New(ABUT_DEVIATION_COUNT);
    for (Py_ssize_t k = 0; list && k < ABUT_DEVIATION_COUNT; k++) {
        PyObject *count = PyLong_FromSsize_t(counts[k]);
        if (!count || PyList_SetItem(list, k, count)) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *mesh_moved(PyObject *self, PyObject *args)
{
    PyObject *given;
    const double *vertices;
    int workers;
    const abut_mesh *mesh = core_mesh_of(self);
    const array_shape shape = {ARRAY_DOUBLE, abut_mesh_inspect(mesh).vertex_count, 3};
    if (!PyArg_ParseTuple(args, "Oi:moved", &given, &workers) ||
        array_read(given, "vertices", shape, &vertices)) {
        return NULL;
    }
    mesh_object *made = (mesh_object *)PyType_GenericAlloc(Py_TYPE(self), 0);
    if (!made) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    Py_BEGIN_ALLOW_THREADS
    abut_mesh_move(mesh, vertices, workers, &made->mesh, &error);
    Py_END_ALLOW_THREADS
    return core_finish((PyObject *)made, &error);
}

static PyMethodDef MESH_METHODS[] = {
    {"moved", mesh_moved, METH_VARARGS,
     "moved($self, vertices, workers, /)\n--\n\nA mesh of the same triangles with other "
     "vertices."},
    {"deviations", mesh_deviations, METH_NOARGS,
     "deviations($self)\n--\n\nCounts of pairs of neighbors by their deviation from one plane, in "
     "decades."},
    {NULL, NULL, 0, NULL},
};

/* Describes an array with one entry for each of `counted` items, and `further` entries. */
#define ARRAY(name, kind, counted, further, columns, doc)                                          \
    {                                                                                              \
        #name, get_array, NULL, doc, &(array_place)                                                \
        {                                                                                          \
            kind, offsetof(abut_mesh_view, counted##_count), further, columns,                     \
                offsetof(abut_mesh_view, name)                                                     \
        }                                                                                          \
    }

static PyGetSetDef MESH_ATTRIBUTES[] = {
    ARRAY(vertices, ARRAY_DOUBLE, vertex, 0, 3, "(v, 3)"),
    ARRAY(indices, ARRAY_INDEX, index, 0, 0, "corners of the facets, one after the other"),
    ARRAY(offsets, ARRAY_INDEX, facet, 1, 0, "(m + 1,): where each facet's corners begin"),
    ARRAY(source, ARRAY_INDEX, facet, 0, 0, "(m,): each facet's number in the input"),
    ARRAY(normals, ARRAY_DOUBLE, facet, 0, 3, "(m, 3): unit normals by the right-hand rule"),
    ARRAY(areas, ARRAY_DOUBLE, facet, 0, 0, "(m,)"),
    ARRAY(noise, ARRAY_DOUBLE, facet, 0, 0, "(m,): possible error of a corner's position"),
    ARRAY(normal_noise, ARRAY_DOUBLE, facet, 0, 0, "(m,): possible error along the normal"),
    ARRAY(noise_origin, ARRAY_BYTE, facet, 0, 0, "(m,): what the noise follows from"),
    {"doubt", get_doubt, NULL,
     "(neighbors, those in doubt, the first one's facet or -1, their noise)", NULL},
    {"bytes", get_bytes, NULL, "memory of the mesh", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const core_type core_mesh_type = {{"abut._core.Mesh", MESH_DOC, sizeof(mesh_object), 0},
                                  {mesh_new, mesh_dealloc, NULL, NULL},
                                  {MESH_METHODS, MESH_ATTRIBUTES}};
