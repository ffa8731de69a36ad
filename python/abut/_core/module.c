#include "arrays.h"
#include "columns.h"

PyObject *core_raise(const abut_error *error)
{
    char text[512];
    if (error->status == ABUT_NO_MEMORY) {
        return PyErr_NoMemory();
    }
    /* the handler of a signal set the error that ended the query */
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

static PyObject *has_openmp(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    return PyBool_FromLong(abut_has_openmp());
}

static PyMethodDef METHODS[] = {
    {"columns", core_columns, METH_O,
     "columns(table, /)\n--\n\n"
     "Of each column of a table (name, dtype, width, per, when, unit, meaning); the table is one "
     "of "
     "contacts, pairs, convex, entrances."},
    {"has_openmp", has_openmp, METH_NOARGS,
     "has_openmp()\n--\n\nWhether the library was built with OpenMP."},
    {"simd", core_simd, METH_NOARGS, "simd()\n--\n\nThe instruction level in use."},
    {"simd_levels", core_simd_levels, METH_NOARGS,
     "simd_levels()\n--\n\nThe instruction levels that this processor and this build have."},
    {"set_simd", core_set_simd, METH_O,
     "set_simd(name, /)\n--\n\nUse an instruction level from now on; None: the best there is."},
    {"share", core_share, METH_VARARGS,
     "share(normals, overlaps, exponent, /)\n--\n\n"
     "The shares of one sphere's contacts, nearest first, with overlaps > 0."},
    {"match", core_match, METH_VARARGS,
     "match(now, before, earlier, workers, /)\n--\n\n"
     "The row of `before` that each contact of `now` continues, or -1. Both are tuples of the "
     "members of abut_step but for counts; earlier: each sphere's number in `before`."},
    {"carry", core_carry, METH_VARARGS,
     "carry(now, before, match, tangent, workers, /)\n--\n\n"
     "Vectors of `before` where the meshes have them now, and 0 for contacts without a match."},
    {"match_pairs", core_match_pairs, METH_VARARGS,
     "match_pairs(now, before, earlier, other_earlier, workers, /)\n--\n\n"
     "The row of `before` that each pair of `now` continues, or -1. Both are tuples (offsets, i, "
     "j, normal, image or None, dimension, number of others or -1); instead of offsets the number "
     "of spheres, where rows are in any order; of `now` maybe a guess, rows of `before`, besides. "
     "earlier: each sphere's number in `before`, or None "
     "where it is the same."},
    {"carry_pairs", core_carry_pairs, METH_VARARGS,
     "carry_pairs(now, before, earlier, other_earlier, match, tangent, workers, /)\n--\n\n"
     "Tangential vectors of the pairs of `before`, turned along to those of `now`."},
    {"spots_match", core_spots_match, METH_VARARGS,
     "spots_match(now_offsets, now_type, now_feature, before_offsets, before_type, "
     "before_feature, row_match, swapped, /)\n--\n\n"
     "The spot of `before` that each spot of `now` continues, or -1; swapped: whether the row's "
     "bodies have changed places, or None."},
    {NULL, NULL, 0, NULL},
};

static int add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **type)
{
    PyObject *made = PyType_FromModuleAndSpec(module, spec, NULL);
    if (!made) {
        return -1;
    }
    *type = (PyTypeObject *)made;
    return PyModule_AddType(module, *type);
}

static int add_types(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    if (add_type(module, &core_mesh_spec, &state->mesh_type) ||
        add_type(module, &core_finder_spec, &state->finder_type) ||
        add_type(module, &core_shape_spec, &state->shape_type) ||
        add_type(module, &core_lock_spec, &state->lock_type)) {
        return -1;
    }
    PyType_Spec *specs[] = {&core_pair_finder_spec, &core_simulation_spec, &core_convex_finder_spec,
                            &core_lammps_spec};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        PyTypeObject *type = NULL;
        const int failed = add_type(module, specs[i], &type);
        Py_XDECREF((PyObject *)type);
        if (failed) {
            return -1;
        }
    }
    return 0;
}

static int add_names(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    state->contact_names = core_contact_names();
    state->pair_names = core_pair_names();
    state->convex_names = core_convex_names();
    state->entrance_names = core_entrance_names();
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

static int add_constants(PyObject *module)
{
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
        {"LAW_MISSING", ABUT_LAW_MISSING},
        {"SPHERE_LOST", ABUT_SPHERE_LOST},
        {"BODY_LAW", ABUT_BODY_LAW},
        {"BODY_CURVATURE", ABUT_BODY_CURVATURE},
        {"BODY_LOST", ABUT_BODY_LOST},
        {"BODY_IMAGES", ABUT_BODY_IMAGES},
        {"BODY_MANY_IMAGES", ABUT_BODY_MANY_IMAGES},
        {"BODY_TOO_SMALL", ABUT_BODY_TOO_SMALL},
        {"TOO_MANY_IMAGES", ABUT_TOO_MANY_IMAGES},
        {"BODY_STATE", ABUT_BODY_STATE},
        {"SLOT_LIMIT", ABUT_LAMMPS_SLOTS},
        {"SLOT_KEYS", ABUT_LAMMPS_KEYS},
        {"SLOT_STATES", ABUT_LAMMPS_STATES},
    };
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (PyModule_AddIntConstant(module, constants[i].name, constants[i].value)) {
            return -1;
        }
    }
    return add_limit(module);
}

static int core_exec(PyObject *module)
{
    if (array_import() || add_names(module) || add_types(module) || add_constants(module)) {
        return -1;
    }
    return 0;
}

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    Py_VISIT(state->mesh_type);
    Py_VISIT(state->finder_type);
    Py_VISIT(state->contact_names);
    Py_VISIT(state->pair_names);
    Py_VISIT(state->shape_type);
    Py_VISIT(state->lock_type);
    Py_VISIT(state->convex_names);
    Py_VISIT(state->entrance_names);
    return 0;
}

static int core_clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    Py_CLEAR(state->mesh_type);
    Py_CLEAR(state->finder_type);
    Py_CLEAR(state->contact_names);
    Py_CLEAR(state->pair_names);
    Py_CLEAR(state->shape_type);
    Py_CLEAR(state->lock_type);
    Py_CLEAR(state->convex_names);
    Py_CLEAR(state->entrance_names);
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
    .m_doc = "The library behind abut, for abut alone.",
    .m_size = sizeof(core_state),
    .m_methods = METHODS,
    .m_slots = SLOTS,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

/* called by the import alone, hence declared in no header */
PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&MODULE);
}
