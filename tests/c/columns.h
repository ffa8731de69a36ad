/* Columns of the lists in abut.h, allocated, freed and compared by what those lists say of them. */
#ifndef ABUT_COLUMNS_H
#define ABUT_COLUMNS_H

#include "abut.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

/* How many of each kind a table has; named as the lists name them. */
typedef struct column_counts {
    abut_index ROWS, ENTRIES, OFFSETS, ENTRY_OFFSETS;
    int dimension;
} column_counts;

enum { BYTES_INDEX = sizeof(abut_index), BYTES_REAL = sizeof(double), BYTES_BYTE = 1 };

static inline abut_index column_width(int width, int dimension)
{
    const int vectors = width == ABUT_DIMENSION ? 1 : width == ABUT_TWO_VECTORS ? 2 : 0;
    return vectors ? vectors * dimension : width ? width : 1;
}

/* What is done with each column: `n` are the counts, `c`, `a` and `b` tables, where it is done.
 * Columns that `a` leaves out are not compared. */
#define COLUMN_BYTES(type, width, per)                                                             \
    ((size_t)(n.per * column_width(width, n.dimension)) * BYTES_##type)
#define ALLOCATE_COLUMN(name, type, width, per, ...)                                               \
    .name = calloc(COLUMN_BYTES(type, width, per) + 1, 1),
#define GROW_COLUMN(name, type, width, per, ...)                                                   \
    c->name = realloc(c->name, COLUMN_BYTES(type, width, per) + 1);
#define FREE_COLUMN(name, ...) free(c->name);
#define COMPARE_COLUMN(name, type, width, per, ...)                                                \
    same &= CHECK(!a->name || memcmp(a->name, b->name, COLUMN_BYTES(type, width, per)) == 0);

/* One column of a table, which is empty otherwise; both are structs of such columns. */
static inline void take_column(const abut_column *column, const void *from, void *to)
{
    memcpy((char *)to + column->place, (const char *)from + column->place, sizeof(void *));
}

#endif
