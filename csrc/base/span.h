/* Rows of a table that belong to one item: item k has rows offsets[k] ... offsets[k + 1] - 1. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>

#include "../abut/base.h"

/* Consecutive rows of a table. */
typedef struct row_span {
    abut_index first, count;
} row_span;

/* The rows of an item. There are none if the offsets are wrong: callers may have changed them. */
static inline row_span span_at(const abut_index *offsets, abut_index item, abut_index row_count)
{
    /* each offset is read only once, since callers may change it */
    const abut_index first = offsets[item], end = offsets[item + 1];
    const bool is_right = first >= 0 && first <= end && end <= row_count;
    return is_right ? (row_span){first, end - first} : (row_span){0, 0};
}

/* Finds the first of these rows that is not before a key, by bisection. Rows for which `is_before`
 * returns true must come first. */
static inline abut_index span_find(row_span rows, const void *context, const void *key,
                                   bool (*is_before)(const void *context, abut_index row,
                                                     const void *key))
{
    while (rows.count > 0) {
        const abut_index half = rows.count / 2;
        const bool is_in_second_half = is_before(context, rows.first + half, key);
        rows.first += is_in_second_half ? half + 1 : 0;
        rows.count = is_in_second_half ? rows.count - half - 1 : half;
    }
    return rows.first;
}

/* Returns the first of `count` items with wrong offsets; -1: there is none. Offsets must ascend
 * from 0 to `row_count`. If `count` is 0, `offsets` may be NULL. */
static inline abut_index span_find_wrong(const abut_index *offsets, abut_index count,
                                         abut_index row_count)
{
    if (count == 0) {
        return row_count == 0 ? -1 : 0;
    }
    if (!offsets || offsets[0] != 0) {
        return 0;
    }
    for (abut_index item = 0; item < count; item++) {
        if (offsets[item] > offsets[item + 1] || offsets[item + 1] > row_count) {
            return item;
        }
    }
    return offsets[count] == row_count ? -1 : count - 1;
}

#endif
