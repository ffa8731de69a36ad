#include "arrays.h"
#include "columns.h"
#include "user_laws.h"
#include "simulation.h"

PyObject *core_raise(const abut_error *error)
{
    char text[512];
    if (error->status == ABUT_NO_MEMORY) {
        return PyErr_NoMemory();
    }
    /* the signal handler has set the error that ended the query */
    if (error->status == ABUT_INTERRUPTED) {
        return NULL;
    }
    abut_error_text(error, text, sizeof text);
    PyErr_SetString(PyExc_ValueError, text);
    return NULL;
}

void core_release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

PyObject *core_finish(PyObject *made, const abut_error *error)
{
    if (made && error->status) {
        Py_DECREF(made);
        return core_raise(error);
    }
    return made;
}

void *core_pointers(PyObject *tuple, PyTypeObject *type, const char *tuple_name,
                    const char *type_name)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyObject_TypeCheck(PyTuple_GetItem(tuple, i), type)) {
            return PyErr_Format(PyExc_TypeError, "%s[%zd] must be a _core.%s", tuple_name, i,
                                type_name);
        }
    }
    void *pointers = PyMem_Calloc((size_t)count + 1, sizeof(void *));
    return pointers ? pointers : PyErr_NoMemory();
}

void *core_new_pooled(PyTypeObject *type, PyObject *pool)
{
    core_pooled *self = pool ? (core_pooled *)PyType_GenericAlloc(type, 0) : NULL;
    if (!self) {
        Py_XDECREF(pool);
        return NULL;
    }
    self->pool = pool;
    return self;
}

static PyObject *has_openmp(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyBool_FromLong(abut_has_openmp());
}

static PyObject *damping_ratio(PyObject *Py_UNUSED(module), PyObject *restitution)
{
    const double given = PyFloat_AsDouble(restitution);
    return PyErr_Occurred() ? NULL : PyFloat_FromDouble(abut_damping_ratio(given));
}

static PyMethodDef METHODS[] = {
    {"columns", core_columns, METH_O,
     "columns(table, /)\n--\n\n"
     "(name, dtype, width, per, when, unit, meaning) of each column of a table: contacts, pairs, "
     "convex, entrances and others."},
    {"has_openmp", has_openmp, METH_NOARGS,
     "has_openmp()\n--\n\nWhether the library was built with OpenMP."},
    {"simd", core_simd, METH_NOARGS, "simd()\n--\n\nThe instruction level in use."},
    {"simd_levels", core_simd_levels, METH_NOARGS,
     "simd_levels()\n--\n\nThe instruction levels that this processor and this build have."},
    {"set_simd", core_set_simd, METH_O,
     "set_simd(name, /)\n--\n\nUse an instruction level from now on; None: the best available."},
    {"share", core_share, METH_VARARGS,
     "share(normals, overlaps, exponent, /)\n--\n\n"
     "The shares of one sphere's contacts, nearest first, with overlaps > 0."},
    {"match", core_match, METH_VARARGS,
     "match(now, before, earlier, workers, /)\n--\n\n"
     "The row of `before` that each contact of `now` continues, or -1. Both are tuples of the "
     "members of abut_step but for counts; earlier: each sphere's number in `before`."},
    {"carry", core_carry, METH_VARARGS,
     "carry(now, before, match, tangent, workers, /)\n--\n\n"
     "Vectors of `before`, moved with the meshes to now; 0 for contacts without a match."},
    {"match_pairs", core_match_pairs, METH_VARARGS,
     "match_pairs(now, before, earlier, other_earlier, workers, /)\n--\n\n"
     "The row of `before` that each pair of `now` continues, or -1. Both are tuples (offsets, i, "
     "j, normal, image or None, dimension, number of others or -1). The number of spheres replaces "
     "offsets if rows are in any order. `now` may end with a guess, rows of `before`. earlier: "
     "each sphere's number in `before`, or None if it is the same."},
    {"carry_pairs", core_carry_pairs, METH_VARARGS,
     "carry_pairs(now, before, earlier, other_earlier, match, tangent, workers, /)\n--\n\n"
     "Tangential vectors of the pairs of `before`, rotated with the pairs to `now`."},
    {"apply_law", core_apply_law, METH_VARARGS,
     "apply_law(law, step, count, inputs, history, repeats, /)\n--\n\n"
     "The outputs of a law and the new history of contacts, as columns in the order of LAW_OUTPUTS "
     "and of the history. law: (address, parameters, vectors, scalars, identity, reach), or the "
     "numbers (1, numbers) of a built-in law; inputs: columns in the order of LAW_INPUTS; repeats: "
     "how often to evaluate it."},
    {"law_reach", core_law_reach, METH_VARARGS,
     "law_reach(numbers, radius, /)\n--\n\n"
     "The gap up to which a built-in law, (1, numbers), pulls for this R*, and the overlap at "
     "which "
     "contacts begin."},
    {"damping_ratio", damping_ratio, METH_O,
     "damping_ratio(restitution, /)\n--\n\nThe damping ratio for a coefficient of "
     "restitution."},
    {"spots_match", core_spots_match, METH_VARARGS,
     "spots_match(now_offsets, now_type, now_feature, before_offsets, before_type, "
     "before_feature, row_match, swapped, /)\n--\n\n"
     "The spot of `before` that each spot of `now` continues, or -1; swapped: whether i and j of "
     "the row have changed places, or None."},
    {NULL, NULL, 0, NULL},
};

/* Makes a type, and adds it to the module by its name. */
static PyTypeObject *add_type(PyObject *module, const core_type *type)
{
    const PyType_Slot all[] = {
        {Py_tp_doc, (void *)type->is.doc},           {Py_tp_new, (void *)type->life.make},
        {Py_tp_dealloc, (void *)type->life.dealloc}, {Py_tp_traverse, (void *)type->life.traverse},
        {Py_tp_clear, (void *)type->life.clear},     {Py_tp_methods, type->has.methods},
        {Py_tp_getset, type->has.attributes},
    };
    PyType_Slot slots[sizeof all / sizeof all[0] + 1] = {{0, NULL}};
    for (size_t i = 0, count = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].pfunc) {
            slots[count++] = all[i];
        }
    }
    PyType_Spec spec = {.name = type->is.name,
                        .basicsize = (int)type->is.size,
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE | type->is.flags,
                        .slots = slots};
    PyTypeObject *made = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (made && PyModule_AddType(module, made)) {
        Py_CLEAR(made);
    }
    return made;
}

static int add_types(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    const struct {
        const core_type *type;
        PyTypeObject **kept; /* where the module stores the type, or NULL */
    } types[] = {
        {&core_mesh_type, &state->mesh_type},   {&core_finder_type, &state->finder_type},
        {&core_shape_type, &state->shape_type}, {&core_lock_type, &state->lock_type},
        {&core_pair_finder_type, NULL},         {&core_simulation_type, NULL},
        {&core_convex_finder_type, NULL},       {&core_lammps_type, NULL},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        PyTypeObject *type = add_type(module, types[i].type);
        if (!type) {
            return -1;
        }
        if (types[i].kept) {
            *types[i].kept = type;
        } else {
            Py_DECREF((PyObject *)type);
        }
    }
    return 0;
}

static int add_names(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    state->contact_names = column_names(column_table_of(ABUT_CONTACT_TABLE));
    state->pair_names = column_names(column_table_of(ABUT_PAIR_TABLE));
    state->convex_names = column_names(column_table_of(ABUT_CONVEX_TABLE));
    state->entrance_names = column_names(column_table_of(ABUT_ENTRANCE_TABLE));
    return state->contact_names && state->pair_names && state->convex_names && state->entrance_names
               ? 0
               : -1;
}

static int add_limit(PyObject *module)
{
    PyObject *limit = PyFloat_FromDouble(ABUT_COORDINATE_LIMIT);
    const int failed = PyModule_AddObjectRef(module, "COORDINATE_LIMIT", limit);
    Py_XDECREF(limit);
    return failed;
}

#define OUTCOME(name) {#name, ABUT_##name},
static const struct {
    const char *name;
    long value;
} constants[] = {
    {"FACET", ABUT_FACET},
    {"EDGE", ABUT_EDGE},
    {"VERTEX", ABUT_VERTEX},
    {"HIERARCHY", ABUT_HIERARCHY},
    {"ALL", ABUT_ALL},
    {"SHARING", ABUT_SHARING},
    {"SPLIT_ALL", ABUT_SPLIT_ALL},
    {"WACHSPRESS", ABUT_WACHSPRESS},
    {"ZHONG", ABUT_ZHONG},
    {"TOP_DOWN", ABUT_TOP_DOWN},
    {"BOTTOM_UP", ABUT_BOTTOM_UP},
    {"LEVEL_LIMIT", ABUT_LEVEL_LIMIT},
    {"SHORTEST_LINK", ABUT_SHORTEST_LINK},
    {"FAST_COMMON_PLANE", ABUT_FAST_COMMON_PLANE},
    {"COMMON_PLANE", ABUT_COMMON_PLANE},
    {"DIRECT_SEARCH", ABUT_DIRECT_SEARCH},
    {"TRACKED", ABUT_TRACKED},
    {"GLOBAL", ABUT_GLOBAL},
    {"SEPARATED", ABUT_SEPARATED},
    {"TOUCHING", ABUT_TOUCHING},
    {"OVERLAPPING", ABUT_OVERLAPPING},
    {"UNCONVERGED", ABUT_UNCONVERGED},
    {"CONVEX_STATE", ABUT_CONVEX_STATE},
    CORE_OUTCOMES(OUTCOME){"DRIVE_NUMBERS", ABUT_DRIVE_NUMBERS},
    {"STEP_TERMS", ABUT_STEP_TERMS},
    {"CELL_NUMBERS", ABUT_CELL_NUMBERS},
    {"HOLD_NUMBERS", ABUT_HOLD_NUMBERS},
    {"CLUSTERS", CORE_CLUSTERS},
    {"BODIES", CORE_BODIES},
    {"SPHERES", CORE_SPHERES},
    {"BONDS", CORE_BONDS},
    {"BREAKAGES", CORE_BREAKAGES},
    {"RESTS", CORE_RESTS},
    {"GRAINS", CORE_GRAINS},
    {"HERTZ", ABUT_HERTZ},
    {"LINEAR", ABUT_LINEAR},
    {"USER_LAW", ABUT_USER_LAW},
    {"NO_ROLLING", ABUT_NO_ROLLING},
    {"ROLLING_A", ABUT_ROLLING_A},
    {"ROLLING_C", ABUT_ROLLING_C},
    {"NO_COHESION", ABUT_NO_COHESION},
    {"JKR", ABUT_JKR},
    {"DMT", ABUT_DMT},
    {"LIQUID_BRIDGE", ABUT_LIQUID_BRIDGE},
    {"LUDING", ABUT_LUDING},
    {"BODY_WALL", ABUT_BODY_WALL},
    {"BODY_BODY", ABUT_BODY_BODY},
    {"BODY_SPHERE", ABUT_BODY_SPHERE},
    {"SPHERE_WALL", ABUT_SPHERE_WALL},
    {"SPHERE_SPHERE", ABUT_SPHERE_SPHERE},
    {"LAW_ROWS", ABUT_LAW_ROWS},
    {"LAW_HISTORY", ABUT_LAW_HISTORY},
    {"SLOT_LIMIT", ABUT_LAMMPS_SLOTS},
    {"SLOT_KEYS", ABUT_LAMMPS_KEYS},
    {"SLOT_STATES", ABUT_LAMMPS_STATES},
};
#undef OUTCOME

static int add_constants(PyObject *module)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value)) {
            return -1;
        }
    }
    return add_limit(module);
}

static int add_law_numbers(PyObject *module)
{
    PyObject *names = simulation_law_numbers();
    const int status = names ? PyModule_AddObjectRef(module, "LAW_NUMBERS", names) : -1;
    Py_XDECREF(names);
    return status;
}

static int core_exec(PyObject *module)
{
    if (array_import() || add_names(module) || add_types(module) || add_constants(module) ||
        add_law_numbers(module) || user_laws_add_names(module)) {
        return -1;
    }
    return 0;
}

#define VISIT(type, member) Py_VISIT(state->member);
#define CLEAR(type, member) Py_CLEAR(state->member);

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    CORE_STATE(VISIT)
    return 0;
}

static int core_clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    CORE_STATE(CLEAR)
    return 0;
}

static void core_free(void *module)
{
    core_clear(module);
}

static PyModuleDef_Slot SLOTS[] = {{Py_mod_exec, core_exec}, {0, NULL}};

static struct PyModuleDef MODULE = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "abut._core",
    .m_doc = "The C library behind abut, for internal use.",
    .m_size = sizeof(core_state),
    .m_methods = METHODS,
    .m_slots = SLOTS,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

/* only Python's import calls this, so no header declares it */
PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&MODULE);
}
