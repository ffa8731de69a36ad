/* A population is everything of one kind that has a state: spheres, rigid bodies, bonds. Callers
 * see the state as the columns that lists in abut.h declare. A table of column_storage gives the
 * location and the range of each column. */
#ifndef DEM_POPULATION_H
#define DEM_POPULATION_H

#include "../base/columns.h"
#include "../base/span.h"

/* How numbers are stored. AS_NOTHING: not in this population. AS_GIVEN: in the caller's type. */
typedef enum storage { AS_NOTHING, AS_GIVEN, AS_INT32, AS_BOOL } storage;

/* The location of a column. At `array` the owner has a pointer to elements of `size` bytes. The
 * numbers of an element begin at `place`. */
typedef struct column_storage {
    size_t array, size, place;
    storage as;
    double least, most; /* the range of each number */
    abut_status bad; /* error with row and axis; 0: the population's error, with row and column */
} column_storage;

/* Storage in an array of `numbers` each, and in an array of structs. */
#define IN_ARRAY(owner, array, numbers)                                                            \
    offsetof(owner, array), (numbers) * sizeof *((owner *)0)->array, 0
#define IN_STRUCTS(owner, array, type, member)                                                     \
    offsetof(owner, array), sizeof(type), offsetof(type, member)
#define NOT_STORED 0, 0, 0, AS_NOTHING

/* Ranges of numbers. PERIODS: sums of such counts must fit into 32 bits. */
#define COORDINATE -ABUT_COORDINATE_LIMIT, ABUT_COORDINATE_LIMIT
#define PERIODS -0x1p30, 0x1p30
#define FINITE -DBL_MAX, DBL_MAX
#define FLAG 0.0, 1.0
#define ANY -INFINITY, INFINITY

typedef struct population {
    abut_table table;
    const column_storage *columns;
    abut_status bad; /* the error for a number out of its range */
} population;

/* Checks the caller's columns that are not NULL: ABUT_OK, or the first number out of range. */
abut_status population_check(const population *p, const void *columns, abut_index count,
                             abut_error *error);

/* The first of `count` names outside of 0 ... end - 1; -1: all are inside, or names is NULL. */
abut_index population_find_wrong(const abut_index *names, abut_index count, abut_index end);

/* Copy between storage and the caller's columns, of which NULL is skipped. Row 0 of the columns
 * corresponds to rows.first. `owner` is the struct that has the population; places: of each row;
 * NULL: place = row. */
void population_read(const population *p, const void *owner, const int32_t *places, row_span rows,
                     const void *columns);
void population_store(const population *p, void *owner, const int32_t *places, row_span rows,
                      const void *columns);

#endif
