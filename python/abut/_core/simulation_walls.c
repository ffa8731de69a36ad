/* Converts arrays of laws and walls to structs of the library. */
#include <string.h>

#include "arrays.h"
#include "simulation.h"

/* ---- laws ---- */

#define LAW_NUMBER(type, name) LAW_##name,
enum { ABUT_LAW_NUMBERS(LAW_NUMBER) LAW_NUMBERS };

static abut_law law_of(const double numbers[LAW_NUMBERS])
{
#define READ_NUMBER(type, name) .name = (type)numbers[LAW_##name],
    return (abut_law){ABUT_LAW_NUMBERS(READ_NUMBER)};
#undef READ_NUMBER
}

PyObject *simulation_law_numbers(void)
{
#define NAME(type, name) #name,
    static const char *const names[] = {ABUT_LAW_NUMBERS(NAME)};
#undef NAME
    PyObject *tuple = PyTuple_New(LAW_NUMBERS);
    for (Py_ssize_t k = 0; tuple && k < LAW_NUMBERS; k++) {
        PyObject *name = PyUnicode_FromString(names[k]);
        if (!name || PyTuple_SetItem(tuple, k, name)) {
            Py_CLEAR(tuple);
        }
    }
    return tuple;
}

abut_law *simulation_read_laws(PyObject *given, Py_ssize_t materials)
{
    const double *numbers;
    const Py_ssize_t count = materials * materials;
    if (array_read(given, "laws", (array_shape){ARRAY_DOUBLE, count, LAW_NUMBERS}, &numbers)) {
        return NULL;
    }
    abut_law *laws = PyMem_Malloc(((size_t)count + 1) * sizeof *laws);
    if (!laws) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        laws[i] = law_of(numbers + i * LAW_NUMBERS);
    }
    return laws;
}

/* ---- walls ---- */

/* The number of members of abut_motion. */
enum { MOTION_MEMBERS = 9 };

static abut_motion motion_of(const double numbers[MOTION_MEMBERS])
{
    abut_motion motion = {
        .kind = (abut_motion_kind)numbers[0], .rate = numbers[7], .phase = numbers[8]};
    memcpy(motion.vector, numbers + 1, sizeof motion.vector);
    memcpy(motion.origin, numbers + 4, sizeof motion.origin);
    return motion;
}

/* Columns with an entry for each wall, and the motions of all walls. */
typedef struct wall_columns {
    const abut_index *materials, *offsets, *vertices;
    const double *starts, *poses, *motions, *half_spaces;
    abut_index count, motion_count, mesh_count, half_space_count;
} wall_columns;

static int read_columns(PyObject *tuple, Py_ssize_t meshes, wall_columns *walls)
{
    PyObject *materials, *starts, *poses, *offsets, *motions, *half_spaces, *vertices;
    Py_ssize_t off;
    if (!PyArg_ParseTuple(tuple, "OOOOOOnO:walls", &materials, &starts, &poses, &offsets, &motions,
                          &half_spaces, &off, &vertices)) {
        return -1;
    }
    const abut_index planes = array_row_count(half_spaces), count = meshes + planes + off;
    walls->count = count;
    walls->mesh_count = meshes;
    walls->half_space_count = planes;
    walls->motion_count = array_row_count(motions);
    return array_read(half_spaces, "half_spaces", (array_shape){ARRAY_DOUBLE, planes, 6},
                      &walls->half_spaces) ||
           array_read(materials, "materials", (array_shape){ARRAY_INDEX, count, 0},
                      &walls->materials) ||
           array_read(starts, "starts", (array_shape){ARRAY_DOUBLE, count, 0}, &walls->starts) ||
           array_read(vertices, "vertices", (array_shape){ARRAY_INDEX, count, 0},
                      &walls->vertices) ||
           array_read(poses, "poses", (array_shape){ARRAY_DOUBLE, count, 16}, &walls->poses) ||
           array_read(offsets, "offsets", (array_shape){ARRAY_INDEX, count + 1, 0},
                      &walls->offsets) ||
           array_read(motions, "motions",
                      (array_shape){ARRAY_DOUBLE, walls->motion_count, MOTION_MEMBERS},
                      &walls->motions);
}

static int check_motion_offsets(const abut_index *offsets, Py_ssize_t walls, Py_ssize_t motions)
{
    int ascends = offsets[0] == 0 && offsets[walls] == motions;
    for (Py_ssize_t i = 0; i < walls; i++) {
        ascends = ascends && offsets[i] <= offsets[i + 1];
    }
    if (!ascends) {
        PyErr_SetString(PyExc_ValueError, "offsets must ascend from 0 to the number of motions");
        return -1;
    }
    return 0;
}

/* Sets the half spaces, which follow the meshes. */
static void fill_half_spaces(const wall_columns *from, abut_wall *walls)
{
    abut_wall *first = walls + from->mesh_count;
    for (abut_index i = 0; i < from->half_space_count; i++) {
        memcpy(first[i].point, from->half_spaces + 6 * i, sizeof first[i].point);
        memcpy(first[i].normal, from->half_spaces + 6 * i + 3, sizeof first[i].normal);
    }
}

static void fill_walls(const wall_columns *from, abut_motion *motions, abut_wall *walls)
{
    for (abut_index i = 0; i < from->motion_count; i++) {
        motions[i] = motion_of(from->motions + i * MOTION_MEMBERS);
    }
    for (abut_index i = 0; i < from->count; i++) {
        walls[i] = (abut_wall){.material = from->materials[i],
                               .motions = motions + from->offsets[i],
                               .motion_count = from->offsets[i + 1] - from->offsets[i],
                               .start = from->starts[i],
                               .vertex_count = from->vertices[i],
                               .is_off = i >= from->mesh_count + from->half_space_count};
        memcpy(walls[i].pose, from->poses + 16 * i, sizeof walls[i].pose);
    }
    fill_half_spaces(from, walls);
}

int simulation_read_walls(PyObject *tuple, Py_ssize_t meshes, given_walls *walls)
{
    wall_columns from;
    *walls = (given_walls){0};
    if (read_columns(tuple, meshes, &from) ||
        check_motion_offsets(from.offsets, from.count, from.motion_count)) {
        return -1;
    }
    /* allocate one item more, so that no size is 0 */
    walls->count = from.count;
    walls->walls = PyMem_Malloc(((size_t)from.count + 1) * sizeof *walls->walls);
    walls->motions = PyMem_Malloc(((size_t)from.motion_count + 1) * sizeof *walls->motions);
    if (!walls->walls || !walls->motions) {
        simulation_free_walls(walls);
        PyErr_NoMemory();
        return -1;
    }
    fill_walls(&from, walls->motions, walls->walls);
    return 0;
}

void simulation_free_walls(given_walls *walls)
{
    PyMem_Free(walls->motions);
    PyMem_Free(walls->walls);
}
