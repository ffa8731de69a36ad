#include <string.h>

#include "columns.h"

typedef struct pair_finder_object {
    core_pooled pooled;
    PyObject *lender; /* another PairFinder with the memory that this one uses, or NULL */
    abut_pair_finder *finder;
    abut_index sphere_count;
    int dimension;
    int is_periodic;
} pair_finder_object;

static const char PAIR_FINDER_DOC[] =
    "PairFinder(dimension, radii, gap, gaps, sizes, levels, search, period, workers, lender)\n"
    "--\n\n"
    "Levels of a grid for spheres of these sizes. gaps, sizes, period and lender may be None; "
    "levels: their number if there are no sizes, or 0 for any; period: (dimension, dimension), "
    "zeros in a row along which space does not repeat; lender: another PairFinder with memory to "
    "use.";

/* ---- the columns of a result ---- */

column_counts column_pair_counts(abut_index pairs, abut_index spheres, int dimension,
                                 int has_images)
{
    return (column_counts){
        .lengths = {[ABUT_COLUMN_ROWS] = pairs, [ABUT_COLUMN_OFFSETS] = spheres + 1},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1, [ABUT_COLUMN_WITH_PERIOD] = has_images},
        .dimension = dimension,
    };
}

static PyObject *write_pairs(const abut_pairs *pairs, const pair_finder_object *self,
                             PyObject *names)
{
    const column_counts counts = column_pair_counts(abut_pairs_count(pairs), self->sphere_count,
                                                    self->dimension, self->is_periodic);
    abut_pair_columns columns = {0};
    PyObject *dict =
        column_dict(column_table_of(ABUT_PAIR_TABLE), names, &counts, self->pooled.pool, &columns);
    if (!dict) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    abut_pairs_write(pairs, &columns);
    Py_END_ALLOW_THREADS
    return dict;
}

/* ---- building ---- */

/* Builds a finder. If there is a lender, both finders share its memory pool. */
static PyObject *build_finder(PyTypeObject *type, const abut_pair_input *input, PyObject *lender)
{
    abut_error error = {.status = ABUT_OK};
    pair_finder_object *self =
        core_new_pooled(type, lender ? Py_NewRef(((core_pooled *)lender)->pool) : array_pool_new());
    if (!self) {
        return NULL;
    }
    self->lender = Py_XNewRef(lender);
    self->sphere_count = input->sphere_count;
    self->dimension = input->dimension;
    self->is_periodic = core_is_periodic(input->period, input->dimension);
    Py_BEGIN_ALLOW_THREADS
    abut_pair_finder_build(input, &self->finder, &error);
    Py_END_ALLOW_THREADS
    return core_finish((PyObject *)self, &error);
}

/* Arguments of a PairFinder that are objects. */
typedef struct input_objects {
    PyObject *radii, *gaps, *sizes, *period;
    PyObject *lender; /* a PairFinder */
} input_objects;

static int read_input(const input_objects *given, abut_pair_input *input)
{
    input->sphere_count = array_row_count(given->radii);
    if (given->sizes != Py_None) {
        input->level_count = array_row_count(given->sizes);
    }
    const array_shape one_each = {ARRAY_DOUBLE, input->sphere_count, 0};
    return array_read(given->radii, "radii", one_each, &input->radii) ||
           array_read_optional(given->gaps, "gaps", one_each, &input->gaps) ||
           array_read_optional(given->sizes, "sizes",
                               (array_shape){ARRAY_DOUBLE, input->level_count, 0}, &input->sizes) ||
           array_read_optional(given->period, "period",
                               (array_shape){ARRAY_DOUBLE, input->dimension, input->dimension},
                               &input->period);
}

static int read_lender(PyObject *lender, const PyTypeObject *type, abut_pair_input *input)
{
    if (lender && Py_TYPE(lender) != type) {
        PyErr_SetString(PyExc_TypeError, "lender must be a _core.PairFinder or None");
        return -1;
    }
    input->lender = lender ? ((pair_finder_object *)lender)->finder : NULL;
    return 0;
}

static PyObject *pair_finder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"dimension", "radii",  "gap",     "gaps",   "sizes", "levels",
                            "search",    "period", "workers", "lender", NULL};
    abut_pair_input input = abut_pair_input_default();
    input_objects given;
    int search;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "iOdOOniOiO:PairFinder", names,
                                     &input.dimension, &given.radii, &input.gap, &given.gaps,
                                     &given.sizes, &input.level_count, &search, &given.period,
                                     &input.workers, &given.lender)) {
        return NULL;
    }
    input.search = (abut_search)search;
    PyObject *lender = given.lender == Py_None ? NULL : given.lender;
    if (read_lender(lender, type, &input) || read_input(&given, &input)) {
        return NULL;
    }
    return build_finder(type, &input, lender);
}

static void pair_finder_dealloc(PyObject *self)
{
    pair_finder_object *finder = (pair_finder_object *)self;
    if (finder->lender) {
        Py_DECREF(finder->pooled.pool);
    } else {
        array_pool_drop(finder->pooled.pool);
    }
    abut_pair_finder_free(finder->finder);
    Py_XDECREF(finder->lender);
    core_release(self);
}

/* ---- the search ---- */

static int read_query(PyObject *args, const pair_finder_object *self, abut_pair_query *query)
{
    PyObject *centers, *others, *radii, *gaps;
    const array_shape shape = {ARRAY_DOUBLE, self->sphere_count, self->dimension};
    if (!PyArg_ParseTuple(args, "OOOOi:find", &centers, &others, &radii, &gaps, &query->workers) ||
        array_read(centers, "centers", shape, &query->centers)) {
        return -1;
    }
    if (others == Py_None) {
        return 0;
    }
    const abut_index count = array_row_count(others);
    const array_shape places = {ARRAY_DOUBLE, count, self->dimension};
    const array_shape one_each = {ARRAY_DOUBLE, count, 0};
    query->other_count = count;
    return array_read(others, "other_centers", places, &query->other_centers) ||
           array_read(radii, "other_radii", one_each, &query->other_radii) ||
           array_read_optional(gaps, "other_gaps", one_each, &query->other_gaps);
}

/* Finds the pairs of a query; NULL with an error set. */
static abut_pairs *find_pairs(const abut_pair_finder *finder, abut_pair_query *query)
{
    abut_pairs *pairs = NULL;
    abut_error error = {.status = ABUT_OK};
    PyThreadState *thread = PyEval_SaveThread();
    query->interrupted = core_run_signal_handlers;
    query->interrupted_data = &thread;
    const abut_status status = abut_pairs_find(finder, query, &pairs, &error);
    PyEval_RestoreThread(thread);
    if (status) {
        core_raise(&error);
    }
    return pairs;
}

static PyObject *pair_finder_find(PyObject *object, PyObject *args)
{
    pair_finder_object *self = (pair_finder_object *)object;
    const core_state *state = PyType_GetModuleState(Py_TYPE(object));
    abut_pair_query query = abut_pair_query_default();
    if (read_query(args, self, &query)) {
        return NULL;
    }
    array_pool_age(self->pooled.pool);
    abut_pairs *pairs = find_pairs(self->finder, &query);
    if (!pairs) {
        return NULL;
    }
    PyObject *columns = write_pairs(pairs, self, state->pair_names);
    abut_pairs_free(pairs);
    return columns;
}

/* ---- statistics ---- */

/* Offsets of the members of abut_pair_level, in the order of statistics(). */
static const struct member {
    size_t place;
    int is_length;
    Py_ssize_t width; /* as for a column */
} MEMBERS[] = {
    {offsetof(abut_pair_level, size), 1, 0},
    {offsetof(abut_pair_level, lengths), 1, ABUT_DIMENSION},
    {offsetof(abut_pair_level, sphere_count), 0, 0},
    {offsetof(abut_pair_level, cell_count), 0, 0},
    {offsetof(abut_pair_level, occupied_count), 0, 0},
    {offsetof(abut_pair_level, test_count), 0, 0},
    {offsetof(abut_pair_level, access_count), 0, 0},
};

enum { MEMBER_COUNT = sizeof MEMBERS / sizeof MEMBERS[0] };

/* An array with the values of one member for all levels; NULL with an error set. */
static PyObject *member_array(const struct member *member, int dimension,
                              const abut_pair_level *levels, Py_ssize_t count)
{
    void *data;
    const Py_ssize_t columns = member->width == ABUT_DIMENSION ? dimension : 0;
    const size_t item = member->is_length ? sizeof(double) : sizeof(abut_index);
    const size_t size = item * (size_t)(columns ? columns : 1);
    const array_kind kind = member->is_length ? ARRAY_DOUBLE : ARRAY_INDEX;
    PyObject *array = array_make((array_shape){kind, count, columns}, &data);
    for (Py_ssize_t i = 0; array && i < count; i++) {
        memcpy((char *)data + (size_t)i * size, (const char *)&levels[i] + member->place, size);
    }
    return array;
}

/* The counts of a query, then the members of all levels; NULL with an error set. */
static PyObject *statistics_tuple(const abut_pair_statistics *counts, const abut_pair_level *levels,
                                  int dimension)
{
    PyObject *arrays[MEMBER_COUNT] = {NULL};
    for (int i = 0; i < MEMBER_COUNT; i++) {
        arrays[i] = member_array(&MEMBERS[i], dimension, levels, counts->level_count);
        if (!arrays[i]) {
            for (int k = 0; k < i; k++) {
                Py_DECREF(arrays[k]);
            }
            return NULL;
        }
    }
    return Py_BuildValue("(nnnnNNNNNNN)", counts->sphere_count, counts->pair_count,
                         counts->distance_count, counts->byte_count, arrays[0], arrays[1],
                         arrays[2], arrays[3], arrays[4], arrays[5], arrays[6]);
}

static PyObject *pair_finder_statistics(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const pair_finder_object *self = (pair_finder_object *)object;
    abut_pair_statistics statistics = {0};
    abut_pair_level *levels = PyMem_Calloc(ABUT_LEVEL_LIMIT, sizeof *levels);
    if (!levels) {
        return PyErr_NoMemory();
    }
    Py_BEGIN_ALLOW_THREADS
    abut_pair_finder_inspect(self->finder, &statistics, levels);
    Py_END_ALLOW_THREADS
    PyObject *tuple = statistics_tuple(&statistics, levels, self->dimension);
    PyMem_Free(levels);
    return tuple;
}

static PyObject *pair_finder_sizes(PyObject *object, PyObject *Py_UNUSED(unused))
{
    const abut_pair_finder *finder = ((pair_finder_object *)object)->finder;
    return array_copy((array_shape){ARRAY_DOUBLE, abut_pair_level_count(finder), 0},
                      abut_pair_level_sizes(finder));
}

static PyMethodDef PAIR_FINDER_METHODS[] = {
    {"find", pair_finder_find, METH_VARARGS,
     "find($self, centers, other_centers, other_radii, other_gaps, workers, /)\n--\n\n"
     "The columns of the pairs by name; image only with a period. The others, or None, replace the "
     "finder's own spheres as partners."},
    {"statistics", pair_finder_statistics, METH_NOARGS,
     "statistics($self, /)\n--\n\nThe members of abut_pair_statistics without level_count, then "
     "those of abut_pair_level as arrays with an entry for each level."},
    {"sizes", pair_finder_sizes, METH_NOARGS, "sizes($self, /)\n--\n\nSizes of the levels."},
    {NULL, NULL, 0, NULL},
};

const core_type core_pair_finder_type = {
    {"abut._core.PairFinder", PAIR_FINDER_DOC, sizeof(pair_finder_object), 0},
    {pair_finder_new, pair_finder_dealloc, NULL, NULL},
    {PAIR_FINDER_METHODS, NULL}};
