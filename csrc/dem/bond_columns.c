/* Bonds, breakages and rests as columns of callers. */
#include "bond_columns.h"

#include <float.h>
#include <string.h>

#include "../base/columns.h"
#include "../base/error.h"

/* How numbers are stored. */
typedef enum storage { AS_NOTHING, AS_REAL, AS_INDEX, AS_INT32, AS_BOOL } storage;

typedef struct stored_column {
    size_t place; /* of the first number of a row */
    storage as;
    double least, most; /* what each number may be */
} stored_column;

#define LEAST ABUT_SMALLEST_RADIUS
#define MOST ABUT_COORDINATE_LIMIT

/* Sums of shifts and images are numbers of 32 bits. */
#define MOST_SHIFT 0x1p30

/* The numbers next to -1 and to 1/2. */
#define LEAST_POISSON (-0x1.fffffffffffffp-1)
#define MOST_POISSON 0x1.fffffffffffffp-2

static const stored_column BONDS[BOND_NUMBERS] = {
    [BOND_i] = {offsetof(made_bond, bond.rows[0]), AS_INT32, 0.0, INT32_MAX},
    [BOND_j] = {offsetof(made_bond, bond.rows[1]), AS_INT32, 0.0, INT32_MAX},
    [BOND_ids] = {offsetof(made_bond, bond.ids), AS_INDEX, -INFINITY, INFINITY},
    [BOND_young] = {offsetof(made_bond, bond.young), AS_REAL, LEAST, MOST},
    [BOND_poisson] = {offsetof(made_bond, bond.poisson), AS_REAL, LEAST_POISSON, MOST_POISSON},
    [BOND_radius] = {offsetof(made_bond, bond.radius), AS_REAL, LEAST, MOST},
    [BOND_damping] = {offsetof(made_bond, bond.damping), AS_REAL, 0.0, MOST},
    [BOND_tensile_strength] = {offsetof(made_bond, bond.strengths[TENSION]), AS_REAL, 0.0,
                               INFINITY},
    [BOND_shear_strength] = {offsetof(made_bond, bond.strengths[SHEAR]), AS_REAL, 0.0, INFINITY},
    [BOND_contact] = {offsetof(made_bond, bond.has_contact), AS_BOOL, 0.0, 1.0},
    [BOND_length] = {offsetof(made_bond, bond.length), AS_REAL, LEAST, MOST},
    [BOND_rest_overlap] = {offsetof(made_bond, bond.rest_overlap), AS_REAL, 0.0, MOST},
    [BOND_shift] = {offsetof(made_bond, bond.shift), AS_INT32, -MOST_SHIFT, MOST_SHIFT},
    [BOND_turns] = {offsetof(made_bond, bond.turns), AS_REAL, -DBL_MAX, DBL_MAX},
    [BOND_force] = {offsetof(made_bond, before.force), AS_REAL, -DBL_MAX, DBL_MAX},
    [BOND_moments] = {offsetof(made_bond, before.moments), AS_REAL, -DBL_MAX, DBL_MAX},
    [BOND_energy] = {offsetof(made_bond, before.energy), AS_REAL, -DBL_MAX, DBL_MAX},
    [BOND_tension] = {offsetof(made_bond, before.parts[TENSION]), AS_REAL, 0.0, DBL_MAX},
    [BOND_shear] = {offsetof(made_bond, before.parts[SHEAR]), AS_REAL, 0.0, DBL_MAX},
};

static const stored_column BREAKAGES[BREAKAGE_NUMBERS] = {
    [BREAKAGE_step] = {offsetof(bond_breakage, step), AS_INDEX, 0.0, INFINITY},
    [BREAKAGE_ids] = {offsetof(bond_breakage, ids), AS_INDEX, -INFINITY, INFINITY},
    [BREAKAGE_point] = {offsetof(bond_breakage, point), AS_REAL, -DBL_MAX, DBL_MAX},
    [BREAKAGE_of_shear] = {offsetof(bond_breakage, is_of_shear), AS_BOOL, 0.0, 1.0},
    [BREAKAGE_energy] = {offsetof(bond_breakage, energy), AS_REAL, -DBL_MAX, DBL_MAX},
};

static const stored_column RESTS[REST_NUMBERS] = {
    [REST_i] = {offsetof(bond_rest, rows[0]), AS_INT32, 0.0, INT32_MAX},
    [REST_j] = {offsetof(bond_rest, rows[1]), AS_INT32, 0.0, INT32_MAX},
    [REST_shift] = {offsetof(bond_rest, shift), AS_INT32, -MOST_SHIFT, MOST_SHIFT},
    [REST_overlap] = {offsetof(bond_rest, overlap), AS_REAL, DBL_MIN, MOST},
};

/* A table's columns, and the status of one that has a number that cannot be. */
typedef struct stored_table {
    const stored_column *columns;
    abut_status bad;
} stored_table;

static stored_table table_of(abut_table table)
{
    switch (table) {
    case ABUT_BREAKAGE_TABLE:
        return (stored_table){BREAKAGES, ABUT_BAD_BREAKAGE};
    case ABUT_REST_TABLE:
        return (stored_table){RESTS, ABUT_BAD_REST};
    case ABUT_BOND_TABLE:
    case ABUT_CONTACT_TABLE:
    case ABUT_PAIR_TABLE:
    case ABUT_CONVEX_TABLE:
    case ABUT_ENTRANCE_TABLE:
        break;
    }
    return (stored_table){BONDS, ABUT_BAD_BOND};
}

/* The numbers of row k of a column of the caller's; NULL: it is left out. */
static void *row_of(const abut_column *c, const void *columns, abut_index k)
{
    char *data;
    memcpy(&data, (const char *)columns + c->place, sizeof data);
    const size_t size = c->type == ABUT_COLUMN_REAL ? sizeof(double) : sizeof(abut_index);
    return data ? data + (size_t)(k * column_numbers(c)) * size : NULL;
}

/* ---- reading ---- */

static void read_row(storage as, int width, const void *stored, void *row)
{
    for (int n = 0; n < width; n++) {
        switch (as) {
        case AS_NOTHING:
            break;
        case AS_REAL:
            ((double *)row)[n] = ((const double *)stored)[n];
            break;
        case AS_INDEX:
            ((abut_index *)row)[n] = ((const abut_index *)stored)[n];
            break;
        case AS_INT32:
            ((abut_index *)row)[n] = ((const int32_t *)stored)[n];
            break;
        case AS_BOOL:
            ((abut_index *)row)[n] = ((const bool *)stored)[n];
            break;
        }
    }
}

void bond_columns_read(abut_table table, const void *columns, abut_index k, const void *stored)
{
    const stored_table of = table_of(table);
    abut_index count;
    const abut_column *list = abut_table_columns(table, &count);
    for (abut_index c = 0; c < count; c++) {
        void *row = row_of(&list[c], columns, k);
        if (row) {
            read_row(of.columns[c].as, column_numbers(&list[c]),
                     (const char *)stored + of.columns[c].place, row);
        }
    }
}

/* ---- loading ---- */

static double number_of(const abut_column *c, const void *row, int n)
{
    return c->type == ABUT_COLUMN_REAL ? ((const double *)row)[n]
                                       : (double)((const abut_index *)row)[n];
}

static void load_row(storage as, int width, const void *row, void *stored)
{
    for (int n = 0; n < width; n++) {
        switch (as) {
        case AS_NOTHING:
            break;
        case AS_REAL:
            ((double *)stored)[n] = ((const double *)row)[n];
            break;
        case AS_INDEX:
            ((abut_index *)stored)[n] = ((const abut_index *)row)[n];
            break;
        case AS_INT32:
            ((int32_t *)stored)[n] = (int32_t)((const abut_index *)row)[n];
            break;
        case AS_BOOL:
            ((bool *)stored)[n] = ((const abut_index *)row)[n] != 0;
            break;
        }
    }
}

abut_status bond_columns_load(abut_table table, const void *columns, abut_index k, void *stored,
                              abut_error *error)
{
    const stored_table of = table_of(table);
    abut_index count;
    const abut_column *list = abut_table_columns(table, &count);
    for (abut_index c = 0; c < count; c++) {
        const stored_column *to = &of.columns[c];
        const int width = column_numbers(&list[c]);
        const void *row = row_of(&list[c], columns, k);
        for (int n = 0; row && n < width; n++) {
            const double number = number_of(&list[c], row, n);
            if (!(number >= to->least && number <= to->most)) {
                return error_set(error, of.bad, k, c, number);
            }
        }
        if (row) {
            load_row(to->as, width, row, (char *)stored + to->place);
        }
    }
    return ABUT_OK;
}
