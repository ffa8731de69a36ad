/* Allocates, frees and compares tables by their lists of columns in abut.h. */
#ifndef ABUT_COLUMNS_H
#define ABUT_COLUMNS_H

#include "abut.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>

/* The numbers of rows of a table by kind, named as in the lists. */
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

/* Operations on one column: `n` has the counts; `c`, `a` and `b` are tables. Columns that are NULL
 * in `a` are not compared. */
#define COLUMN_BYTES(type, width, per)                                                             \
    ((size_t)(n.per * column_width(width, n.dimension)) * BYTES_##type)
#define ALLOCATE_COLUMN(name, type, width, per, ...)                                               \
    .name = calloc(COLUMN_BYTES(type, width, per) + 1, 1),
#define GROW_COLUMN(name, type, width, per, ...)                                                   \
    c->name = realloc(c->name, COLUMN_BYTES(type, width, per) + 1);
#define FREE_COLUMN(name, ...) free(c->name);
#define COMPARE_COLUMN(name, type, width, per, ...)                                                \
    same &= CHECK(!a->name || memcmp(a->name, b->name, COLUMN_BYTES(type, width, per)) == 0);

/* Copies one column to a table without other columns; both are structs of columns. */
static inline void take_column(const abut_column *column, const void *from, void *to)
{
    memcpy((char *)to + column->place, (const char *)from + column->place, sizeof(void *));
}

#endif
