/* Populations: whoever has a state, which callers have as columns, by the lists in abut.h. Who adds
 * a column tells in its table where it is stored, and which numbers it may hold. */
#ifndef DEM_POPULATION_H
#define DEM_POPULATION_H

#include "../base/columns.h"
#include "../base/span.h"

/* How numbers are stored: elsewhere, or not at all; as callers have them; as other types. */
typedef enum storage { AS_NOTHING, AS_GIVEN, AS_INT32, AS_BOOL } storage;

/* Where a column is stored: in the struct that holds the population at `array` is the pointer to an
 * array, with an element of `size` bytes for each one, whose numbers begin at `place`. */
typedef struct column_storage {
    size_t array, size, place;
    storage as;
    double least, most; /* what each number may be */
    abut_status bad;    /* of a row and an axis; 0: the population's, of a row and a column */
} column_storage;

/* In an array of so many numbers each, and in one of structs. */
#define IN_ARRAY(owner, array, numbers)                                                            \
    offsetof(owner, array), (numbers) * sizeof *((owner *)0)->array, 0
#define IN_STRUCTS(owner, array, type, member)                                                     \
    offsetof(owner, array), sizeof(type), offsetof(type, member)
#define NOT_STORED 0, 0, 0, AS_NOTHING

/* Ranges of numbers. Sums of counts of periods are numbers of 32 bits. */
#define COORDINATE -ABUT_COORDINATE_LIMIT, ABUT_COORDINATE_LIMIT
#define PERIODS -0x1p30, 0x1p30
#define FINITE -DBL_MAX, DBL_MAX
#define FLAG 0.0, 1.0
#define ANY -INFINITY, INFINITY

typedef struct population {
    abut_table table;
    const column_storage *columns;
    abut_status bad; /* a number is out of its range */
} population;

/* Check all columns of the caller's that are not NULL. ABUT_OK; or the first number that is out of
 * its range. */
abut_status population_check(const population *p, const void *columns, abut_index count,
                             abut_error *error);

/* The first of these names that is not 0 ... end - 1; -1: there is none. names: NULL: likewise. */
abut_index population_find_wrong(const abut_index *names, abut_index count, abut_index end);

/* Write what is stored of all, or of `count` rows, into columns of the caller's, and store these,
 * from row 0 of the columns on; columns that are NULL are left out. owner: the struct that holds
 * the population; places: of each row; NULL: the rows themselves. */
void population_read(const population *p, const void *owner, const int32_t *places, row_span rows,
                     const void *columns);
void population_store(const population *p, void *owner, const int32_t *places, row_span rows,
                      const void *columns);

#endif
