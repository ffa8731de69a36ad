#include "columns.h"

static column_counts count_columns(const core_convex_counts *there)
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

PyObject *core_new_convex(const core_making *making, const core_convex_counts *there,
                          abut_convex_columns *columns)
{
    const column_counts counts = count_columns(there);
    return column_dict(column_table_of(ABUT_CONVEX_TABLE), making->names, &counts, making->pool,
                       columns);
}

int core_read_convex(PyObject *dict, const core_convex_counts *there, abut_convex_columns *columns)
{
    const column_counts counts = count_columns(there);
    return column_read(column_table_of(ABUT_CONVEX_TABLE), &counts, dict, columns);
}

/* ---- entrances ---- */

PyObject *core_new_entrances(const core_making *making, Py_ssize_t rows, Py_ssize_t pairs,
                             int dimension, abut_entrance_columns *columns)
{
    const column_counts counts = {
        .lengths = {[ABUT_COLUMN_ROWS] = rows, [ABUT_COLUMN_OFFSETS] = pairs + 1},
        .presences = {[ABUT_COLUMN_ALWAYS] = 1},
        .dimension = dimension};
    return column_dict(column_table_of(ABUT_ENTRANCE_TABLE), making->names, &counts, making->pool,
                       columns);
}
