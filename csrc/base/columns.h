/* Results and states as columns, whose lists are in abut.h. */
#ifndef ABUT_BASE_COLUMNS_H
#define ABUT_BASE_COLUMNS_H

#include <float.h>

#include "../abut/base.h"

/* The range of a positive number. */
#define POSITIVE DBL_TRUE_MIN, ABUT_COORDINATE_LIMIT

/* How many numbers an entry has, in space. */
static inline int column_numbers(const abut_column *c)
{
    return c->width > 0 ? c->width : 1;
}

/* And how many bytes each of these. */
size_t column_number_size(const abut_column *c);

/* Copy the first entries of all columns that both structs have; `counts` by abut_column_per. The
 * widths of the table must not depend on the dimension. */
void columns_copy(abut_table table, const void *to, const void *from, const abut_index counts[4]);

#endif
