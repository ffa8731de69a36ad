#include <string.h>

#include "arrays.h"

typedef struct shape_object {
    PyObject_HEAD
    abut_shape *shape;
} shape_object;

const abut_shape *core_shape_of(PyObject *shape)
{
    return ((shape_object *)shape)->shape;
}

/* ---- building ---- */

static int read_input(PyObject *args, PyObject *keywords, abut_shape_input *input)
{
    static char *names[] = {"vertices", "indices", "offsets", "radius", NULL};
    PyObject *given_vertices, *given_indices, *given_offsets;
    array_data vertices, indices, offsets;
    const array_shape numbers = {ARRAY_INDEX, ARRAY_ANY_ROWS, 0};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOd:Shape", names, &given_vertices,
                                     &given_indices, &given_offsets, &input->radius)) {
        return -1;
    }
    input->dimension = array_column_count(given_vertices);
    if (array_read(given_vertices, "vertices",
                   (array_shape){ARRAY_DOUBLE, ARRAY_ANY_ROWS, input->dimension}, &vertices) ||
        array_read(given_indices, "indices", numbers, &indices) ||
        array_read(given_offsets, "offsets", numbers, &offsets)) {
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

static PyObject *wrap_shape(PyTypeObject *type, abut_shape *shape)
{
    shape_object *self = (shape_object *)PyType_GenericAlloc(type, 0);
    if (!self) {
        abut_shape_free(shape);
        return NULL;
    }
    self->shape = shape;
    return (PyObject *)self;
}

static PyObject *shape_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    abut_shape_input input = {0};
    abut_shape *shape = NULL;
    abut_error error = {.status = ABUT_OK};
    abut_status status;
    if (read_input(args, keywords, &input)) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    status = abut_shape_build(&input, &shape, &error);
    Py_END_ALLOW_THREADS
    return status ? core_raise(&error) : wrap_shape(type, shape);
}

static void shape_dealloc(PyObject *self)
{
    abut_shape_free(((shape_object *)self)->shape);
    core_release(self);
}

/* ---- attributes ---- */

typedef enum row_count { VERTICES, FACETS, FACETS_AND_ONE, INDICES, EDGES } row_count;

enum { PER_DIMENSION = -1 };

/* An array of abut_shape_view. */
typedef struct shape_array {
    array_kind kind;
    row_count rows;
    Py_ssize_t width; /* 0: one number a row */
    size_t place;     /* of its pointer */
} shape_array;

static Py_ssize_t count_rows(const abut_shape_view *view, row_count rows)
{
    switch (rows) {
    case VERTICES:
        return view->vertex_count;
    case FACETS:
        return view->facet_count;
    case FACETS_AND_ONE:
        return view->facet_count + 1;
    case INDICES:
        return view->index_count;
    case EDGES:
        return view->edge_count;
    }
    return 0;
}

static PyObject *get_array(PyObject *self, void *closure)
{
    const shape_array *of = closure;
    const abut_shape_view view = abut_shape_inspect(core_shape_of(self));
    const Py_ssize_t width = of->width == PER_DIMENSION ? view.dimension : of->width;
    const void *data;
    memcpy(&data, (const char *)&view + of->place, sizeof data);
    return array_view(self, (array_shape){of->kind, count_rows(&view, of->rows), width}, data);
}

static PyObject *get_dimension(PyObject *self, void *Py_UNUSED(closure))
{
    return PyLong_FromLong(abut_shape_inspect(core_shape_of(self)).dimension);
}

static PyObject *get_number(PyObject *self, void *closure)
{
    const abut_shape_view view = abut_shape_inspect(core_shape_of(self));
    double number;
    memcpy(&number, (const char *)&view + *(const size_t *)closure, sizeof number);
    return PyFloat_FromDouble(number);
}

/* A read-only copy. */
static PyObject *copy_of(const double *numbers, array_shape shape)
{
    void *data;
    PyObject *array = array_make(shape, &data);
    const Py_ssize_t width = shape.columns ? shape.columns : 1;
    if (array) {
        memcpy(data, numbers, (size_t)(shape.rows * width) * sizeof *numbers);
        array_lock(array);
    }
    return array;
}

static PyObject *get_centroid(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_shape_view view = abut_shape_inspect(core_shape_of(self));
    return copy_of(view.centroid, (array_shape){ARRAY_DOUBLE, view.dimension, 0});
}

static PyObject *get_inertia(PyObject *self, void *Py_UNUSED(closure))
{
    const abut_shape_view view = abut_shape_inspect(core_shape_of(self));
    return view.dimension == 3 ? copy_of(view.inertia, (array_shape){ARRAY_DOUBLE, 3, 3})
                               : PyFloat_FromDouble(view.inertia[0]);
}

#define PLACE(member) offsetof(abut_shape_view, member)

static shape_array VERTICES_ARRAY = {ARRAY_DOUBLE, VERTICES, PER_DIMENSION, PLACE(vertices)};
static shape_array INDICES_ARRAY = {ARRAY_INDEX, INDICES, 0, PLACE(indices)};
static shape_array OFFSETS_ARRAY = {ARRAY_INDEX, FACETS_AND_ONE, 0, PLACE(offsets)};
static shape_array EDGES_ARRAY = {ARRAY_INDEX, EDGES, 2, PLACE(edges)};
static shape_array EDGE_FACETS_ARRAY = {ARRAY_INDEX, EDGES, 2, PLACE(edge_facets)};
static shape_array NORMALS_ARRAY = {ARRAY_DOUBLE, FACETS, PER_DIMENSION, PLACE(normals)};
static shape_array SOURCE_ARRAY = {ARRAY_INDEX, VERTICES, 0, PLACE(source)};
static size_t RADIUS_PLACE = PLACE(radius);
static size_t VOLUME_PLACE = PLACE(volume);
static size_t CIRCUMRADIUS_PLACE = PLACE(circumradius);

static PyGetSetDef SHAPE_ATTRIBUTES[] = {
    {"dimension", get_dimension, NULL, "2 or 3", NULL},
    {"vertices", get_array, NULL, "(v, d)", &VERTICES_ARRAY},
    {"indices", get_array, NULL, "corners of the facets, one after the other", &INDICES_ARRAY},
    {"offsets", get_array, NULL, "(f + 1,): where each facet's corners begin", &OFFSETS_ARRAY},
    {"edges", get_array, NULL, "(e, 2): their vertices", &EDGES_ARRAY},
    {"edge_facets", get_array, NULL, "(e, 2): left and right of them", &EDGE_FACETS_ARRAY},
    {"normals", get_array, NULL, "(f, d): outward", &NORMALS_ARRAY},
    {"source", get_array, NULL, "(v,): each vertex's number in the input", &SOURCE_ARRAY},
    {"radius", get_number, NULL, "of the rounding", &RADIUS_PLACE},
    {"centroid", get_centroid, NULL, "(d,)", NULL},
    {"volume", get_number, NULL, "of the rounded body; of a polygon the area", &VOLUME_PLACE},
    {"inertia", get_inertia, NULL, "(3, 3), or a number of a polygon", NULL},
    {"circumradius", get_number, NULL, "of the smallest sphere about the centroid",
     &CIRCUMRADIUS_PLACE},
    {NULL, NULL, NULL, NULL, NULL},
};

static const char SHAPE_DOC[] =
    "Shape(vertices, indices, offsets, radius)\n--\n\nA convex polygon or polyhedron: contiguous "
    "float64 and intp arrays in, read-only arrays out.";

static PyType_Slot SHAPE_SLOTS[] = {
    {Py_tp_doc, (void *)SHAPE_DOC},
    {Py_tp_new, shape_new},
    {Py_tp_dealloc, shape_dealloc},
    {Py_tp_getset, SHAPE_ATTRIBUTES},
    {0, NULL},
};

PyType_Spec core_shape_spec = {
    .name = "abut._core.Shape",
    .basicsize = sizeof(shape_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = SHAPE_SLOTS,
};
