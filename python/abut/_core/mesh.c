#include "arrays.h"

typedef struct mesh_object {
    PyObject_HEAD
    abut_mesh *mesh;
} mesh_object;

/* The arguments of Mesh(...), borrowed. */
typedef struct mesh_arguments {
    PyObject *vertices, *indices, *offsets, *units, *noise, *normal_noise, *numbers;
    int drop_zero_area, split;
} mesh_arguments;

const abut_mesh *core_mesh_of(PyObject *mesh)
{
    return ((mesh_object *)mesh)->mesh;
}

static int read_facets(const mesh_arguments *arguments, abut_mesh_input *input)
{
    array_data vertices, indices, offsets;
    if (array_read(arguments->vertices, "vertices", (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, 3},
                   &vertices) ||
        array_read(arguments->indices, "indices", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0},
                   &indices) ||
        array_read(arguments->offsets, "offsets", (array_shape){ARRAY_INDEX, ARRAY_ANY_ROWS, 0},
                   &offsets)) {
        return -1;
    }
    if (offsets.rows == 0) {
        PyErr_SetString(PyExc_ValueError, "offsets is empty; it begins with 0");
        return -1;
    }
    input->vertices = vertices.data, input->vertex_count = vertices.rows;
    input->indices = indices.data, input->index_count = indices.rows;
    input->offsets = offsets.data, input->facet_count = offsets.rows - 1;
    return 0;
}

static int read_noise(const mesh_arguments *arguments, abut_mesh_input *input)
{
    const array_shape of_vertices = {ARRAY_DOUBLE, input->vertex_count, 3};
    const array_shape of_facets = {ARRAY_DOUBLE, input->facet_count, 0};
    array_data units, noise, normal_noise;
    if (array_read_optional(arguments->units, "units", of_vertices, &units) ||
        array_read_optional(arguments->noise, "noise", of_facets, &noise) ||
        array_read_optional(arguments->normal_noise, "normal_noise", of_facets, &normal_noise)) {
        return -1;
    }
    input->units = units.data;
    input->noise = noise.data;
    input->normal_noise = normal_noise.data;
    return 0;
}

static int read_input(const mesh_arguments *arguments, abut_mesh_input *input)
{
    input->drop_zero_area = arguments->drop_zero_area;
    input->split = arguments->split;
    return read_facets(arguments, input) || read_noise(arguments, input) ? -1 : 0;
}

static PyObject *wrap_mesh(PyTypeObject *type, abut_mesh *mesh)
{
    mesh_object *self = (mesh_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        abut_mesh_free(mesh);
        return NULL;
    }
    self->mesh = mesh;
    return (PyObject *)self;
}

/* Whether the error's index is a facet's number. */
static int names_a_facet(abut_status status)
{
    return status == ABUT_BAD_NOISE ||
           (status >= ABUT_FACET_TOO_FEW_CORNERS && status <= ABUT_FACET_NOT_PLANAR);
}

/* Raise the error of a mesh. Where facets had other numbers in the caller's input, it names those.
 */
static PyObject *raise_for_mesh(abut_error error, const abut_index *numbers)
{
    if (numbers && names_a_facet(error.status)) {
        error.index = numbers[error.index];
    }
    return core_raise(&error);
}

static PyObject *build_mesh(PyTypeObject *type, abut_mesh_input *input, const abut_index *numbers)
{
    abut_mesh *mesh = NULL;
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    input->interrupted = core_run_signal_handlers;
    input->interrupted_data = &thread;
    const abut_status status = abut_mesh_build(input, &mesh, &error);
    PyEval_RestoreThread(thread);
    return status ? raise_for_mesh(error, numbers) : wrap_mesh(type, mesh);
}

static PyObject *mesh_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"vertices",     "indices",        "offsets", "units",   "noise",
                            "normal_noise", "drop_zero_area", "split",   "numbers", NULL};
    mesh_arguments given = {
        .units = Py_None, .noise = Py_None, .normal_noise = Py_None, .numbers = Py_None};
    abut_mesh_input input = {0};
    array_data numbers;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|OOOppO:Mesh", names, &given.vertices,
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
    return build_mesh(type, &input, numbers.data);
}

static void mesh_dealloc(PyObject *self)
{
    abut_mesh_free(((mesh_object *)self)->mesh);
    core_release(self);
}

static PyObject *get_vertices(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_DOUBLE, view.vertex_count, 3}, view.vertices);
}

static PyObject *get_indices(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_INDEX, view.index_count, 0}, view.indices);
}

static PyObject *get_offsets(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_INDEX, view.facet_count + 1, 0}, view.offsets);
}

static PyObject *get_source(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_INDEX, view.facet_count, 0}, view.source);
}

static PyObject *get_normals(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_DOUBLE, view.facet_count, 3}, view.normals);
}

static PyObject *get_areas(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_DOUBLE, view.facet_count, 0}, view.areas);
}

static PyObject *get_noise(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_DOUBLE, view.facet_count, 0}, view.noise);
}

static PyObject *get_normal_noise(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_DOUBLE, view.facet_count, 0}, view.normal_noise);
}

static PyObject *get_noise_origin(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_mesh_view view = abut_mesh_inspect(core_mesh_of(self));
    return array_view(self, (array_shape){ARRAY_BYTE, view.facet_count, 0}, view.noise_origin);
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

static PyMethodDef MESH_METHODS[] = {
    {"deviations", mesh_deviations, METH_NOARGS,
     "deviations($self)\n--\n\nPairs of neighbors by how far they are off one plane, a decade "
     "each."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef MESH_ATTRIBUTES[] = {
    {"vertices", get_vertices, NULL, "(v, 3)", NULL},
    {"indices", get_indices, NULL, "corners of the facets, one after the other", NULL},
    {"offsets", get_offsets, NULL, "(m + 1,): where each facet's corners begin", NULL},
    {"source", get_source, NULL, "(m,): each facet's number in the input", NULL},
    {"normals", get_normals, NULL, "(m, 3): unit normals by the right-hand rule", NULL},
    {"areas", get_areas, NULL, "(m,)", NULL},
    {"noise", get_noise, NULL, "(m,): how far a corner may be off", NULL},
    {"normal_noise", get_normal_noise, NULL, "(m,): and along the facet's normal", NULL},
    {"noise_origin", get_noise_origin, NULL, "(m,): what it follows from", NULL},
    {"doubt", get_doubt, NULL,
     "(neighbors, those in doubt, the first one's facet or -1, their noise)", NULL},
    {"bytes", get_bytes, NULL, "memory of the mesh", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static const char MESH_DOC[] = "Mesh(vertices, indices, offsets, units=None, noise=None, "
                               "normal_noise=None, drop_zero_area=False, "
                               "split=False, numbers=None)\n--\n\nValidated facets: contiguous "
                               "float64 and intp arrays in, read-only "
                               "views out. Errors name facets by `numbers`.";

static PyType_Slot MESH_SLOTS[] = {
    {Py_tp_doc, (void *)MESH_DOC},   {Py_tp_new, mesh_new},         {Py_tp_dealloc, mesh_dealloc},
    {Py_tp_getset, MESH_ATTRIBUTES}, {Py_tp_methods, MESH_METHODS}, {0, NULL},
};

PyType_Spec core_mesh_spec = {
    .name = "abut._core.Mesh",
    .basicsize = sizeof(mesh_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = MESH_SLOTS,
};
