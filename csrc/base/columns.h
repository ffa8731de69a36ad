/* Describes the columns of tables of results and states. abut/base.h explains these tables. */
#ifndef ABUT_BASE_COLUMNS_H
#define ABUT_BASE_COLUMNS_H

#include <float.h>

#include "../abut/base.h"

/* The valid range of a positive number: its smallest and its largest value. */
#define POSITIVE DBL_TRUE_MIN, ABUT_COORDINATE_LIMIT

/* How many numbers an entry of the column has, if that does not depend on the dimension. */
static inline int column_numbers(const abut_column *c)
{
    return c->width > 0 ? c->width : 1;
}

/* The size in bytes of a number in the column. */
size_t column_number_size(const abut_column *c);

/* Copies the first entries of each column for which both structs have an array. The number of
 * entries is counts[per], with `per` from abut_column_per. No width may depend on the dimension. */
void columns_copy(abut_table table, const void *to, const void *from, const abut_index counts[4]);

#endif
