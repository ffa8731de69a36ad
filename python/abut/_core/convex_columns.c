#include "columns.h"

enum { PER_ROW, PER_SPOT, SPOT_OFFSETS, BODY_OFFSETS };
enum { ALWAYS, IF_PAIRS, IF_WALLS, IF_PERIODIC, IF_SPOTS, IF_SORTED };

#define PLACE(member) offsetof(abut_convex_columns, member)

static const struct column COLUMNS[] = {
    {"i", PLACE(i), ARRAY_INDEX, 0, PER_ROW, ALWAYS, 0, 0},
    {"j", PLACE(j), ARRAY_INDEX, 0, PER_ROW, IF_PAIRS, 0, 0},
    {"mesh", PLACE(mesh), ARRAY_INDEX, 0, PER_ROW, IF_WALLS, 0, 0},
    {"facet", PLACE(facet), ARRAY_INDEX, 0, PER_ROW, IF_WALLS, 0, 0},
    {"status", PLACE(status), ARRAY_BYTE, 0, PER_ROW, ALWAYS, 0, 0},
    {"type", PLACE(type), ARRAY_BYTE, 2, PER_ROW, ALWAYS, 0, 0},
    {"feature", PLACE(feature), ARRAY_INDEX, 2, PER_ROW, ALWAYS, 0, 0},
    {"normal", PLACE(normal), ARRAY_DOUBLE, COLUMN_PER_DIMENSION, PER_ROW, ALWAYS, 0, 0},
    {"overlap", PLACE(overlap), ARRAY_DOUBLE, 0, PER_ROW, ALWAYS, 0, 0},
    {"error", PLACE(error), ARRAY_DOUBLE, 0, PER_ROW, ALWAYS, 0, 0},
    {"link", PLACE(link), ARRAY_DOUBLE, COLUMN_TWO_VECTORS, PER_ROW, ALWAYS, 0, 0},
    {"point", PLACE(point), ARRAY_DOUBLE, COLUMN_PER_DIMENSION, PER_ROW, ALWAYS, 0, 0},
    {"iterations", PLACE(iterations), ARRAY_INDEX, 0, PER_ROW, ALWAYS, 0, 0},
    {"state", PLACE(state), ARRAY_DOUBLE, ABUT_CONVEX_STATE, PER_ROW, ALWAYS, 0, 0},
    {"image", PLACE(image), ARRAY_INDEX, COLUMN_PER_DIMENSION, PER_ROW, IF_PERIODIC, 1, 0},
    {"offsets", PLACE(offsets), ARRAY_INDEX, 0, BODY_OFFSETS, IF_SORTED, 0, 1},
    {"spot", PLACE(spot), ARRAY_DOUBLE, COLUMN_PER_DIMENSION, PER_SPOT, IF_SPOTS, 0, 0},
    {"spot_overlap", PLACE(spot_overlap), ARRAY_DOUBLE, 0, PER_SPOT, IF_SPOTS, 0, 0},
    {"spot_type", PLACE(spot_type), ARRAY_BYTE, 2, PER_SPOT, IF_SPOTS, 0, 0},
    {"spot_feature", PLACE(spot_feature), ARRAY_INDEX, 2, PER_SPOT, IF_SPOTS, 0, 0},
    {"spot_offsets", PLACE(spot_offsets), ARRAY_INDEX, 0, SPOT_OFFSETS, IF_SPOTS, 0, 1},
};

static const column_table TABLE = {COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0]};

PyObject *core_convex_names(void)
{
    return column_names(TABLE);
}

PyObject *core_new_convex(const core_making *making, const core_convex_counts *there,
                          abut_convex_columns *columns)
{
    const column_counts counts = {
        .lengths = {[PER_ROW] = there->rows,
                    [PER_SPOT] = there->spots,
                    [SPOT_OFFSETS] = there->rows + 1,
                    [BODY_OFFSETS] = there->bodies + 1},
        .presences = {[ALWAYS] = 1,
                      [IF_PAIRS] = !there->are_of_walls,
                      [IF_WALLS] = there->are_of_walls,
                      [IF_PERIODIC] = there->has_images,
                      [IF_SPOTS] = there->has_spots,
                      [IF_SORTED] = there->has_offsets},
        .dimension = there->dimension,
    };
    return column_dict(TABLE, making->names, &counts, making->pool, columns);
}

/* ---- entrances ---- */

enum { PER_ENTRANCE, PAIR_OFFSETS };

#define ENTRANCE_PLACE(member) offsetof(abut_entrance_columns, member)

static const struct column ENTRANCE_COLUMNS[] = {
    {"pair", ENTRANCE_PLACE(pair), ARRAY_INDEX, 0, PER_ENTRANCE, ALWAYS, 0, 0},
    {"type", ENTRANCE_PLACE(type), ARRAY_BYTE, 2, PER_ENTRANCE, ALWAYS, 0, 0},
    {"feature", ENTRANCE_PLACE(feature), ARRAY_INDEX, 2, PER_ENTRANCE, ALWAYS, 0, 0},
    {"normal", ENTRANCE_PLACE(normal), ARRAY_DOUBLE, COLUMN_PER_DIMENSION, PER_ENTRANCE, ALWAYS, 0,
     0},
    {"overlap", ENTRANCE_PLACE(overlap), ARRAY_DOUBLE, 0, PER_ENTRANCE, ALWAYS, 0, 0},
    {"offsets", ENTRANCE_PLACE(offsets), ARRAY_INDEX, 0, PAIR_OFFSETS, ALWAYS, 0, 1},
};

static const column_table ENTRANCE_TABLE = {ENTRANCE_COLUMNS,
                                            sizeof ENTRANCE_COLUMNS / sizeof ENTRANCE_COLUMNS[0]};

PyObject *core_entrance_names(void)
{
    return column_names(ENTRANCE_TABLE);
}

PyObject *core_new_entrances(const core_making *making, Py_ssize_t rows, Py_ssize_t pairs,
                             int dimension, abut_entrance_columns *columns)
{
    const column_counts counts = {.lengths = {[PER_ENTRANCE] = rows, [PAIR_OFFSETS] = pairs + 1},
                                  .presences = {[ALWAYS] = 1},
                                  .dimension = dimension};
    return column_dict(ENTRANCE_TABLE, making->names, &counts, making->pool, columns);
}
