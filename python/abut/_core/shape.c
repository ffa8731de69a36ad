#include <string.h>

#include "arrays.h"

typedef struct shape_object {
    PyObject_HEAD
    abut_shape *shape;
} shape_object;

static const char SHAPE_DOC[] =
    "Shape(vertices, indices, offsets, radius)\n--\n\nA convex polygon or polyhedron: contiguous "
    "float64 and intp arrays in, read-only arrays out.";

const abut_shape *core_shape_of(PyObject *shape)
{
    return ((shape_object *)shape)->shape;
}

const abut_shape **core_read_shapes(PyObject *tuple, const core_state *state)
{
    const abut_shape **shapes = core_pointers(tuple, state->shape_type, "shapes", "Shape");
    for (Py_ssize_t i = 0; shapes && i < PyTuple_Size(tuple); i++) {
        shapes[i] = core_shape_of(PyTuple_GetItem(tuple, i));
    }
    return shapes;
}

static int read_input(PyObject *args, PyObject *keywords, abut_shape_input *input)
{
    static char *names[] = {"vertices", "indices", "offsets", "radius", NULL};
    PyObject *vertices, *indices, *offsets;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOd:Shape", names, &vertices, &indices,
                                     &offsets, &input->radius)) {
        return -1;
    }
    input->dimension = array_column_count(vertices);
    input->vertex_count = array_row_count(vertices);
    input->index_count = array_row_count(indices);
    const array_shape of_vertices = {ARRAY_DOUBLE, input->vertex_count, input->dimension};
    const array_shape of_indices = {ARRAY_INDEX, input->index_count, 0};
    return array_read(vertices, "vertices", of_vertices, &input->vertices) ||
           array_read(indices, "indices", of_indices, &input->indices) ||
           array_read_offsets(offsets, "offsets", &input->offsets, &input->facet_count);
}

static PyObject *shape_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    abut_shape_input input = {0};
    abut_error error = {.status = ABUT_OK};
    shape_object *self = NULL;
    if (!read_input(args, keywords, &input)) {
        self = (shape_object *)PyType_GenericAlloc(type, 0);
    }
    if (self) {
        Py_BEGIN_ALLOW_THREADS
        abut_shape_build(&input, &self->shape, &error);
        Py_END_ALLOW_THREADS
    }
    return core_finish((PyObject *)self, &error);
}

static void shape_dealloc(PyObject *self)
{
    abut_shape_free(((shape_object *)self)->shape);
    core_release(self);
}

static PyObject *get_array(PyObject *self, void *place)
{
    const abut_shape_view view = abut_shape_inspect(core_shape_of(self));
    return array_at(self, &view, place, view.dimension);
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

/* Makes a read-only copy. */
static PyObject *copy_of(const double *numbers, array_shape shape)
{
    PyObject *array = array_copy(shape, numbers);
    if (array) {
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
#define NUMBER(name, doc)                                                                          \
    {                                                                                              \
        #name, get_number, NULL, doc, &(size_t)                                                    \
        {                                                                                          \
            PLACE(name)                                                                            \
        }                                                                                          \
    }

/* Describes an array with one entry for each of `counted` items, and `further` entries. */
#define ARRAY(name, kind, counted, further, columns, doc)                                          \
    {                                                                                              \
        #name, get_array, NULL, doc, &(array_place)                                                \
        {                                                                                          \
            kind, PLACE(counted##_count), further, columns, PLACE(name)                            \
        }                                                                                          \
    }

static PyGetSetDef SHAPE_ATTRIBUTES[] = {
    {"dimension", get_dimension, NULL, "2 or 3", NULL},
    ARRAY(vertices, ARRAY_DOUBLE, vertex, 0, ABUT_DIMENSION, "(v, d)"),
    ARRAY(indices, ARRAY_INDEX, index, 0, 0, "corners of the facets, one after the other"),
    ARRAY(offsets, ARRAY_INDEX, facet, 1, 0, "(f + 1,): where each facet's corners begin"),
    ARRAY(edges, ARRAY_INDEX, edge, 0, 2, "(e, 2): vertices of the edges"),
    ARRAY(edge_facets, ARRAY_INDEX, edge, 0, 2, "(e, 2): facets left and right of the edges"),
    ARRAY(normals, ARRAY_DOUBLE, facet, 0, ABUT_DIMENSION, "(f, d): outward"),
    ARRAY(source, ARRAY_INDEX, vertex, 0, 0, "(v,): each vertex's number in the input"),
    NUMBER(radius, "radius of the rounding"),
    {"centroid", get_centroid, NULL, "(d,)", NULL},
    NUMBER(volume, "volume of the rounded body, or area of a polygon"),
    {"inertia", get_inertia, NULL, "(3, 3), or one number for a polygon", NULL},
    NUMBER(circumradius, "radius of the smallest sphere about the centroid"),
    {NULL, NULL, NULL, NULL, NULL},
};

const core_type core_shape_type = {{"abut._core.Shape", SHAPE_DOC, sizeof(shape_object), 0},
                                   {shape_new, shape_dealloc, NULL, NULL},
                                   {NULL, SHAPE_ATTRIBUTES}};
