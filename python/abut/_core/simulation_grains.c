/* What moves as one in a simulation, as columns. */
#include "columns.h"
#include "simulation.h"

enum { PER_GRAIN, PER_SPHERE };

#define GRAIN(member, type, width, per)                                                            \
    COLUMN(abut_grains, member, ABUT_COLUMN_##type, width, per, 0, ABUT_LOCKED)

static const abut_column GRAIN_COLUMNS[] = {
    GRAIN(centers, REAL, 3, PER_GRAIN),
    GRAIN(velocities, REAL, 3, PER_GRAIN),
    GRAIN(masses, REAL, 0, PER_GRAIN),
    GRAIN(of_sphere, INDEX, 0, PER_SPHERE),
};

static const column_table GRAINS = {GRAIN_COLUMNS, sizeof GRAIN_COLUMNS / sizeof GRAIN_COLUMNS[0]};

PyObject *simulation_grains(PyObject *object, PyObject *Py_UNUSED(unused))
{
    simulation_object *self = (simulation_object *)object;
    if (simulation_begin(self)) {
        return NULL;
    }
    abut_grains grains = {0};
    const column_counts counts = {
        .lengths = {[PER_GRAIN] = abut_simulation_grain_count(self->simulation),
                    [PER_SPHERE] = abut_simulation_sphere_count(self->simulation)},
        .presences = {1}};
    PyObject *dict = column_dict(GRAINS, NULL, &counts, self->of.pool, &grains);
    if (dict) {
        abut_simulation_read_grains(self->simulation, &grains);
    }
    simulation_end(self);
    return dict;
}
