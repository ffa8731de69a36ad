/* A population is all objects of one kind that have a state: spheres, rigid bodies, bonds. Callers
 * see the state as columns, which lists in abut.h declare. A table of column_storage gives the
 * location and the range of each column. */
#ifndef DEM_POPULATION_H
#define DEM_POPULATION_H

#include "../base/columns.h"
#include "../base/span.h"

/* How numbers are stored. AS_NOTHING: not in this population. AS_GIVEN: with the column's type. */
typedef enum storage { AS_NOTHING, AS_GIVEN, AS_INT32, AS_BOOL } storage;

/* The location of a column. `array`: the offset, in the owner, of a pointer to elements of `size`
 * bytes, one for each place. `place`: the offset of the column's numbers in an element. */
typedef struct column_storage {
    size_t array, size, place;
    storage as;
    double least, most; /* the limits of each number */
    abut_status bad;    /* the error for a number out of range; 0: that of the population */
} column_storage;

/* Locations of columns. IN_ARRAY: in an array with `numbers` numbers for each place. IN_STRUCTS: in
 * an array of structs. */
#define IN_ARRAY(owner, array, numbers)                                                            \
    offsetof(owner, array), (numbers) * sizeof *((owner *)0)->array, 0
#define IN_STRUCTS(owner, array, type, member)                                                     \
    offsetof(owner, array), sizeof(type), offsetof(type, member)
#define NOT_STORED 0, 0, 0, AS_NOTHING

/* Limits of numbers. PERIODS: such counts of periods are added, and sums must fit into 32 bits. */
#define COORDINATE -ABUT_COORDINATE_LIMIT, ABUT_COORDINATE_LIMIT
#define PERIODS -0x1p30, 0x1p30
#define FINITE -DBL_MAX, DBL_MAX
#define FLAG 0.0, 1.0
#define ANY -INFINITY, INFINITY

typedef struct population {
    abut_table table;
    const column_storage *columns;
    abut_status bad; /* the error for a number out of range, if the column has none */
} population;

/* Checks the caller's columns that are not NULL. ABUT_OK, or the first error. */
abut_status population_check(const population *p, const void *columns, abut_index count,
                             abut_error *error);

/* The position of the first of `count` numbers in `names` that is not in 0 ... end - 1. -1: none,
 * or `names` is NULL. Names are, for example, numbers of materials. */
abut_index population_find_wrong(const abut_index *names, abut_index count, abut_index end);

/* Copies from storage to the caller's columns, except those that are NULL. Row 0 of the columns is
 * row rows.first. `owner` is the struct that has the population. places: the place of each row;
 * NULL: places are equal to rows. */
void population_read(const population *p, const void *owner, const int32_t *places, row_span rows,
                     const void *columns);
/* Copies from the caller's columns to storage, with the arguments of population_read. */
void population_store(const population *p, void *owner, const int32_t *places, row_span rows,
                      const void *columns);

#endif
