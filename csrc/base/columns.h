/* Describes results and states as columns; abut/base.h explains their lists. */
#ifndef ABUT_BASE_COLUMNS_H
#define ABUT_BASE_COLUMNS_H

#include <float.h>

#include "../abut/base.h"

/* The range of a positive number. */
#define POSITIVE DBL_TRUE_MIN, ABUT_COORDINATE_LIMIT

/* How many numbers an entry of the column has; this must not depend on the dimension. */
static inline int column_numbers(const abut_column *c)
{
    return c->width > 0 ? c->width : 1;
}

/* How many bytes each of these numbers takes. */
size_t column_number_size(const abut_column *c);

/* Copies the first entries of every column that both structs have: counts[per] of them, with `per`
 * from abut_column_per. Column widths must not depend on the dimension. */
void columns_copy(abut_table table, const void *to, const void *from, const abut_index counts[4]);

#endif
