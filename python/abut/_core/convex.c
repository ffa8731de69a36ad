#include "columns.h"

typedef struct convex_finder_object {
    core_pooled pooled;
    PyObject *shapes; /* a tuple; the library's finder borrows its shapes */
    abut_convex_finder *finder;
    abut_index body_count;
    int dimension;
} convex_finder_object;

static const char CONVEX_FINDER_DOC[] =
    "ConvexFinder(shapes, body_count, numbers, scales, method, patch_angle, cp_first, cp_last, "
    "iterations)\n--\n\nBodies of these shapes; numbers and scales may be None.";

/* ---- building ---- */

static PyObject *build_finder(PyTypeObject *type, PyObject *shapes, const abut_convex_input *input)
{
    convex_finder_object *self = core_new_pooled(type, array_pool_new());
    if (!self) {
        return NULL;
    }
    abut_error error = {.status = ABUT_OK};
    self->shapes = Py_NewRef(shapes);
    self->body_count = input->body_count;
    Py_BEGIN_ALLOW_THREADS
    abut_convex_finder_build(input, &self->finder, &error);
    Py_END_ALLOW_THREADS
    self->dimension = error.status ? 0 : abut_shape_inspect(input->shapes[0]).dimension;
    return core_finish((PyObject *)self, &error);
}

static int read_bodies(PyObject *numbers, PyObject *scales, abut_convex_input *input)
{
    const array_shape of_numbers = {ARRAY_INDEX, input->body_count, 0};
    const array_shape of_scales = {ARRAY_DOUBLE, input->body_count, 0};
    return array_read_optional(numbers, "shape", of_numbers, &input->shape) ||
           array_read_optional(scales, "scales", of_scales, &input->scales);
}

static PyObject *convex_finder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"shapes",      "body_count", "numbers", "scales",     "method",
                            "patch_angle", "cp_first",   "cp_last", "iterations", NULL};
    abut_convex_input input = {.options = abut_convex_options_default()};
    abut_convex_options *options = &input.options;
    PyObject *shapes, *numbers, *scales;
    int method;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O!nOOidddi:ConvexFinder", names,
                                     &PyTuple_Type, &shapes, &input.body_count, &numbers, &scales,
                                     &method, &options->patch_angle, &options->cp_first,
                                     &options->cp_last, &options->iterations) ||
        read_bodies(numbers, scales, &input)) {
        return NULL;
    }
    options->method = (abut_convex_method)method;
    const abut_shape **pointers = core_read_shapes(shapes, PyType_GetModuleState(type));
    input.shapes = pointers;
    input.shape_count = PyTuple_Size(shapes);
    PyObject *finder = pointers ? build_finder(type, shapes, &input) : NULL;
    PyMem_Free(pointers);
    return finder;
}

static void convex_finder_dealloc(PyObject *self)
{
    convex_finder_object *finder = (convex_finder_object *)self;
    array_pool_drop(finder->pooled.pool);
    abut_convex_finder_free(finder->finder);
    Py_XDECREF(finder->shapes);
    core_release(self);
}

/* ---- arguments of queries ---- */

static int read_places(PyObject *positions, PyObject *orientations,
                       const convex_finder_object *self, abut_convex_query *query)
{
    const array_shape places = {ARRAY_DOUBLE, self->body_count, self->dimension};
    const array_shape turns = {ARRAY_DOUBLE, self->body_count, self->dimension == 3 ? 4 : 0};
    return array_read(positions, "positions", places, &query->positions) ||
           array_read_optional(orientations, "orientations", turns, &query->orientations);
}

static int read_pairs(PyObject *i, PyObject *j, abut_convex_query *query)
{
    if (i == Py_None) {
        return 0;
    }
    query->pair_count = array_row_count(i);
    const array_shape numbers = {ARRAY_INDEX, query->pair_count, 0};
    return array_read(i, "i", numbers, &query->i) || array_read(j, "j", numbers, &query->j);
}

static int read_period(PyObject *period, int dimension, abut_convex_query *query)
{
    return array_read_optional(period, "period", (array_shape){ARRAY_DOUBLE, dimension, dimension},
                               &query->period);
}

/* Reads the first and the last item of a tuple that describes the step before: i and the state. The
 * two items between them identify the partners. */
static int open_before(PyObject *tuple, PyObject *given[4], abut_convex_before *before)
{
    if (!PyArg_ParseTuple(tuple, "OOOO:before", &given[0], &given[1], &given[2], &given[3])) {
        return -1;
    }
    const abut_index count = array_row_count(given[0]);
    before->row_count = count;
    return array_read(given[0], "before: i", (array_shape){ARRAY_INDEX, count, 0}, &before->i) ||
           array_read(given[3], "before: state",
                      (array_shape){ARRAY_DOUBLE, count, ABUT_CONVEX_STATE}, &before->state);
}

/* Reads (i, j, image or None, state). */
static int read_before(PyObject *tuple, int dimension, abut_convex_before *before)
{
    PyObject *given[4];
    return open_before(tuple, given, before) ||
           array_read(given[1], "before: j", (array_shape){ARRAY_INDEX, before->row_count, 0},
                      &before->j) ||
           array_read_optional(given[2], "before: image",
                               (array_shape){ARRAY_INDEX, before->row_count, dimension},
                               &before->image);
}

/* Reads (i, mesh, facet, state). */
static int read_before_on_walls(PyObject *tuple, abut_convex_before *before)
{
    PyObject *given[4];
    return open_before(tuple, given, before) ||
           array_read(given[1], "before: mesh", (array_shape){ARRAY_INDEX, before->row_count, 0},
                      &before->mesh) ||
           array_read(given[2], "before: facet", (array_shape){ARRAY_INDEX, before->row_count, 0},
                      &before->facet);
}

/* Reads (finder or None, poses or None, half_spaces or None). */
static int read_walls(PyObject *tuple, const core_state *state, abut_convex_walls *walls)
{
    PyObject *given[3];
    if (!PyArg_ParseTuple(tuple, "OOO:walls", &given[0], &given[1], &given[2])) {
        return -1;
    }
    if (given[0] != Py_None) {
        if (!PyObject_TypeCheck(given[0], state->finder_type)) {
            PyErr_SetString(PyExc_TypeError, "walls[0] must be a _core.Finder or None");
            return -1;
        }
        walls->finder = core_finder_of(given[0]);
    }
    const abut_index meshes = walls->finder ? core_finder_mesh_count(given[0]) : 0;
    walls->half_space_count = array_row_count(given[2]);
    const array_shape of_poses = {ARRAY_DOUBLE, meshes, 16};
    const array_shape of_planes = {ARRAY_DOUBLE, walls->half_space_count, 6};
    return array_read_optional(given[1], "poses", of_poses, &walls->poses) ||
           array_read_optional(given[2], "half_spaces", of_planes, &walls->half_spaces);
}

/* ---- contacts ---- */

column_counts column_convex_counts(const convex_there *there)
{
    return (column_counts){
        .lengths = {[ABUT_COLUMN_ROWS] = there->rows,
                    [ABUT_COLUMN_ENTRIES] = there->spots,
                    [ABUT_COLUMN_ENTRY_OFFSETS] = there->rows + 1,
                    [ABUT_COLUMN_OFFSETS] = there->bodies + 1},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1,
                      [ABUT_COLUMN_WITH_BODIES] = !there->are_of_walls,
                      [ABUT_COLUMN_WITH_WALLS] = there->are_of_walls,
                      [ABUT_COLUMN_WITH_PERIOD] = there->has_images,
                      [ABUT_COLUMN_WITH_SPOTS] = there->has_spots,
                      [ABUT_COLUMN_WITH_ORDER] = there->has_offsets,
                      [ABUT_COLUMN_WITH_BEFORE] = there->has_before},
        .dimension = there->dimension,
    };
}

/* Makes the columns of a result. `walls` is NULL for contacts between bodies. */
static PyObject *write_contacts(const abut_convex_contacts *contacts,
                                const convex_finder_object *self, const abut_convex_query *query,
                                const abut_convex_walls *walls, const core_state *state)
{
    const column_counts counts = column_convex_counts(&(convex_there){
        .rows = abut_convex_contacts_count(contacts),
        .spots = abut_convex_contacts_spot_count(contacts),
        .bodies = self->body_count,
        .dimension = self->dimension,
        .has_images = core_is_periodic(query->period, self->dimension),
        .has_spots = query->spots,
        .has_offsets = !query->i,
        .has_before = query->before.i && !walls,
        .are_of_walls = walls != NULL,
    });
    abut_convex_columns columns = {0};
    PyObject *dict = column_dict(column_table_of(ABUT_CONVEX_TABLE), state->convex_names, &counts,
                                 self->pooled.pool, &columns);
    if (!dict) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    abut_convex_contacts_write(contacts, &columns);
    Py_END_ALLOW_THREADS
    return dict;
}

/* Finds the contacts of a query; NULL with an error set. */
static abut_convex_contacts *find_contacts(const abut_convex_finder *finder,
                                           abut_convex_query *query, const abut_convex_walls *walls)
{
    abut_convex_contacts *contacts = NULL;
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    query->interrupted = core_run_signal_handlers;
    query->interrupted_data = &thread;
    const abut_status status = walls
                                   ? abut_convex_find_walls(finder, query, walls, &contacts, &error)
                                   : abut_convex_find(finder, query, &contacts, &error);
    PyEval_RestoreThread(thread);
    if (status) {
        core_raise(&error);
    }
    return contacts;
}

static int read_query(PyObject *args, const convex_finder_object *self, abut_convex_query *query)
{
    PyObject *positions, *orientations, *i, *j, *before, *period;
    int minimum;
    if (!PyArg_ParseTuple(args, "OOOOidOiiOi:find", &positions, &orientations, &i, &j,
                          &query->all_rows, &query->gap, &before, &minimum, &query->spots, &period,
                          &query->workers)) {
        return -1;
    }
    query->minimum = (abut_minimum)minimum;
    return read_places(positions, orientations, self, query) || read_pairs(i, j, query) ||
           (before != Py_None && read_before(before, self->dimension, &query->before)) ||
           read_period(period, self->dimension, query);
}

/* Finds contacts and returns their columns; NULL with an error set. */
static PyObject *find_columns(PyObject *object, abut_convex_query *query,
                              const abut_convex_walls *walls)
{
    const convex_finder_object *self = (convex_finder_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    array_pool_age(self->pooled.pool);
    abut_convex_contacts *contacts = find_contacts(self->finder, query, walls);
    if (!contacts) {
        return NULL;
    }
    PyObject *columns = write_contacts(contacts, self, query, walls, state);
    abut_convex_contacts_free(contacts);
    return columns;
}

static PyObject *convex_finder_find(PyObject *object, PyObject *args)
{
    abut_convex_query query = abut_convex_query_default();
    if (read_query(args, (convex_finder_object *)object, &query)) {
        return NULL;
    }
    return find_columns(object, &query, NULL);
}

static PyObject *convex_finder_find_walls(PyObject *object, PyObject *args)
{
    const convex_finder_object *self = (convex_finder_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    abut_convex_query query = abut_convex_query_default();
    abut_convex_walls walls = {.finder = NULL};
    PyObject *positions, *orientations, *before, *given;
    if (!PyArg_ParseTuple(args, "OOdOiOi:find_walls", &positions, &orientations, &query.gap,
                          &before, &query.spots, &given, &query.workers) ||
        read_places(positions, orientations, self, &query) ||
        (before != Py_None && read_before_on_walls(before, &query.before)) ||
        read_walls(given, state, &walls)) {
        return NULL;
    }
    PyObject *finder = walls.finder ? PyTuple_GetItem(given, 0) : NULL;
    if (finder) {
        core_finder_use(finder, 1);
    }
    PyObject *columns = find_columns(object, &query, &walls);
    if (finder) {
        core_finder_use(finder, -1);
    }
    return columns;
}

/* ---- entrances ---- */

/* Reads (offsets, type, feature). */
static int read_entrances_before(PyObject *tuple, abut_entrances_before *before)
{
    PyObject *given[3];
    if (tuple == Py_None) {
        return 0;
    }
    if (!PyArg_ParseTuple(tuple, "OOO:before", &given[0], &given[1], &given[2])) {
        return -1;
    }
    const abut_index count = array_row_count(given[1]);
    before->row_count = count;
    return array_read_offsets(given[0], "before: offsets", &before->offsets, &before->pair_count) ||
           array_read(given[1], "before: type", (array_shape){ARRAY_BYTE, count, 2},
                      &before->type) ||
           array_read(given[2], "before: feature", (array_shape){ARRAY_INDEX, count, 2},
                      &before->feature);
}

static PyObject *write_entrances(const abut_entrances *entrances, const convex_finder_object *self,
                                 const abut_convex_query *query, const core_state *state)
{
    const column_counts counts = {
        .lengths = {[ABUT_COLUMN_ROWS] = abut_entrances_count(entrances),
                    [ABUT_COLUMN_OFFSETS] = query->pair_count + 1},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1},
        .dimension = self->dimension,
    };
    abut_entrance_columns columns = {0};
    PyObject *dict = column_dict(column_table_of(ABUT_ENTRANCE_TABLE), state->entrance_names,
                                 &counts, self->pooled.pool, &columns);
    if (!dict) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    abut_entrances_write(entrances, &columns);
    Py_END_ALLOW_THREADS
    return dict;
}

/* Finds the entrances of a query; NULL with an error set. */
static abut_entrances *find_entrances(const abut_convex_finder *finder, abut_convex_query *query,
                                      const abut_entrances_before *before)
{
    abut_entrances *entrances = NULL;
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    query->interrupted = core_run_signal_handlers;
    query->interrupted_data = &thread;
    const abut_status status = abut_entrances_find(finder, query, before, &entrances, &error);
    PyEval_RestoreThread(thread);
    if (status) {
        core_raise(&error);
    }
    return entrances;
}

static int read_entrance_query(PyObject *args, const convex_finder_object *self,
                               abut_convex_query *query, abut_entrances_before *before)
{
    PyObject *positions, *orientations, *i, *j, *given, *period;
    if (!PyArg_ParseTuple(args, "OOOOOOi:entrances", &positions, &orientations, &i, &j, &given,
                          &period, &query->workers)) {
        return -1;
    }
    if (i == Py_None) {
        PyErr_SetString(PyExc_TypeError, "i must be an array: entrances need pairs");
        return -1;
    }
    return read_places(positions, orientations, self, query) || read_pairs(i, j, query) ||
           read_entrances_before(given, before) || read_period(period, self->dimension, query);
}

static PyObject *convex_finder_entrances(PyObject *object, PyObject *args)
{
    const convex_finder_object *self = (convex_finder_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    abut_convex_query query = abut_convex_query_default();
    abut_entrances_before before = {.pair_count = 0};
    if (read_entrance_query(args, self, &query, &before)) {
        return NULL;
    }
    array_pool_age(self->pooled.pool);
    abut_entrances *entrances = find_entrances(self->finder, &query, &before);
    if (!entrances) {
        return NULL;
    }
    PyObject *columns = write_entrances(entrances, self, &query, state);
    abut_entrances_free(entrances);
    return columns;
}

static PyMethodDef CONVEX_FINDER_METHODS[] = {
    {"find", convex_finder_find, METH_VARARGS,
     "find($self, positions, orientations, i, j, all_rows, gap, before, minimum, spots, period, "
     "workers, /)\n--\n\n"
     "The columns of the contacts by name. There are no offsets if pairs are given, and no image "
     "without a period. before: (i, j, image or None, state), or None."},
    {"find_walls", convex_finder_find_walls, METH_VARARGS,
     "find_walls($self, positions, orientations, gap, before, spots, walls, workers, /)\n--\n\n"
     "The columns of the contacts with walls. before: (i, mesh, facet, state), or None; walls: "
     "(Finder or None, poses or None, half_spaces (h, 6) or None)."},
    {"entrances", convex_finder_entrances, METH_VARARGS,
     "entrances($self, positions, orientations, i, j, before, period, workers, /)\n--\n\n"
     "The columns of the valid entrances of pairs. before: (offsets, type, feature), or None."},
    {NULL, NULL, 0, NULL},
};

const core_type core_convex_finder_type = {
    {"abut._core.ConvexFinder", CONVEX_FINDER_DOC, sizeof(convex_finder_object), 0},
    {convex_finder_new, convex_finder_dealloc, NULL, NULL},
    {CONVEX_FINDER_METHODS, NULL}};
