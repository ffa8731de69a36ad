/* Laws and walls, from arrays to what the library takes. */
#include <string.h>

#include "arrays.h"
#include "simulation.h"

/* ---- laws ---- */

/* The members of abut_law, in its order. */
enum { LAW_MEMBERS = 9 };

static abut_law law_of(const double numbers[LAW_MEMBERS])
{
    return (abut_law){
        .kind = (abut_law_kind)numbers[0],
        .stiffness = numbers[1],
        .shear = numbers[2],
        .friction = numbers[3],
        .restitution = numbers[4],
        .rolling = (abut_rolling)numbers[5],
        .rolling_friction = numbers[6],
        .rolling_damping = numbers[7],
        .curvature = numbers[8],
    };
}

abut_law *simulation_read_laws(PyObject *given, Py_ssize_t materials)
{
    array_data numbers;
    const array_shape shape = {ARRAY_DOUBLE, materials * materials, LAW_MEMBERS};
    if (array_read(given, "laws", shape, &numbers)) {
        return NULL;
    }
    abut_law *laws = PyMem_Malloc(((size_t)numbers.rows + 1) * sizeof *laws);
    if (!laws) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < numbers.rows; i++) {
        laws[i] = law_of((const double *)numbers.data + i * LAW_MEMBERS);
    }
    return laws;
}

/* ---- walls ---- */

/* The members of abut_motion, in its order. */
enum { MOTION_MEMBERS = 9 };

static abut_motion motion_of(const double numbers[MOTION_MEMBERS])
{
    abut_motion motion = {
        .kind = (abut_motion_kind)numbers[0], .rate = numbers[7], .phase = numbers[8]};
    memcpy(motion.vector, numbers + 1, sizeof motion.vector);
    memcpy(motion.origin, numbers + 4, sizeof motion.origin);
    return motion;
}

/* Columns with an entry for each wall, and the motions of all. */
typedef struct wall_columns {
    array_data materials, starts, poses, offsets, motions, half_spaces;
} wall_columns;

static int read_columns(PyObject *const *given, Py_ssize_t meshes, wall_columns *walls)
{
    const array_shape motions = {ARRAY_DOUBLE, ARRAY_ANY_ROWS, MOTION_MEMBERS};
    const array_shape planes = {ARRAY_DOUBLE, ARRAY_ANY_ROWS, 6};
    if (array_read(given[5], "half_spaces", planes, &walls->half_spaces)) {
        return -1;
    }
    const Py_ssize_t count = meshes + walls->half_spaces.rows;
    return array_read(given[0], "materials", (array_shape){ARRAY_INDEX, count, 0},
                      &walls->materials) ||
                   array_read(given[1], "starts", (array_shape){ARRAY_DOUBLE, count, 0},
                              &walls->starts) ||
                   array_read(given[2], "poses", (array_shape){ARRAY_DOUBLE, count, 16},
                              &walls->poses) ||
                   array_read(given[3], "offsets", (array_shape){ARRAY_INDEX, count + 1, 0},
                              &walls->offsets) ||
                   array_read(given[4], "motions", motions, &walls->motions)
               ? -1
               : 0;
}

static int check_motion_offsets(const abut_index *offsets, Py_ssize_t walls, Py_ssize_t motions)
{
    int ascends = offsets[0] == 0 && offsets[walls] == motions;
    for (Py_ssize_t i = 0; i < walls; i++) {
        ascends = ascends && offsets[i] <= offsets[i + 1];
    }
    if (!ascends) {
        PyErr_SetString(PyExc_ValueError, "offsets do not ascend from 0 to the motions' end");
        return -1;
    }
    return 0;
}

/* Half spaces are the last walls. */
static void fill_half_spaces(const wall_columns *from, abut_wall *walls)
{
    const double *planes = from->half_spaces.data;
    abut_wall *first = walls + from->starts.rows - from->half_spaces.rows;
    for (Py_ssize_t i = 0; i < from->half_spaces.rows; i++) {
        memcpy(first[i].point, planes + 6 * i, sizeof first[i].point);
        memcpy(first[i].normal, planes + 6 * i + 3, sizeof first[i].normal);
    }
}

static void fill_walls(const wall_columns *from, abut_motion *motions, abut_wall *walls)
{
    const abut_index *offsets = from->offsets.data;
    for (Py_ssize_t i = 0; i < from->motions.rows; i++) {
        motions[i] = motion_of((const double *)from->motions.data + i * MOTION_MEMBERS);
    }
    for (Py_ssize_t i = 0; i < from->starts.rows; i++) {
        walls[i] = (abut_wall){.material = ((const abut_index *)from->materials.data)[i],
                               .motions = motions + offsets[i],
                               .motion_count = offsets[i + 1] - offsets[i],
                               .start = ((const double *)from->starts.data)[i]};
        memcpy(walls[i].pose, (const double *)from->poses.data + 16 * i, sizeof walls[i].pose);
    }
    fill_half_spaces(from, walls);
}

int simulation_read_walls(PyObject *const *given, Py_ssize_t meshes, given_walls *walls)
{
    wall_columns from;
    *walls = (given_walls){0};
    if (read_columns(given, meshes, &from) ||
        check_motion_offsets(from.offsets.data, from.starts.rows, from.motions.rows)) {
        return -1;
    }
    /* blocks of their own even for none */
    walls->count = from.starts.rows;
    walls->walls = PyMem_Malloc(((size_t)walls->count + 1) * sizeof *walls->walls);
    walls->motions = PyMem_Malloc(((size_t)from.motions.rows + 1) * sizeof *walls->motions);
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
