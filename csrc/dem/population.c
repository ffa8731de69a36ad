#include "population.h"

#include <math.h>
#include <string.h>

#include "../base/error.h"

/* The caller's column; NULL if it is not given, or does not have exactly one entry for each row. */
static char *column_data(const abut_column *c, const void *columns)
{
    char *data;
    memcpy(&data, (const char *)columns + c->place, sizeof data);
    return c->per == ABUT_COLUMN_ROWS ? data : NULL;
}

/* ---- checks ---- */

static double number_at(const abut_column *c, const char *data, abut_index k)
{
    return c->type == ABUT_COLUMN_REAL ? ((const double *)(const void *)data)[k]
                                       : (double)((const abut_index *)(const void *)data)[k];
}

abut_status population_check(const population *p, const void *columns, abut_index count,
                             abut_error *error)
{
    abut_index column_count;
    const abut_column *list = abut_table_columns(p->table, &column_count);
    for (abut_index c = 0; c < column_count; c++) {
        const column_storage *where = &p->columns[c];
        const char *data = column_data(&list[c], columns);
        const abut_index width = column_numbers(&list[c]);
        for (abut_index k = 0; data && k < width * count; k++) {
            const double number = number_at(&list[c], data, k);
            if (!(number >= where->least && number <= where->most)) {
                return error_set(error, where->bad ? where->bad : p->bad, k / width,
                                 where->bad ? k % width : c, number);
            }
        }
    }
    return ABUT_OK;
}

abut_index population_find_wrong(const abut_index *names, abut_index count, abut_index end)
{
    abut_index k = 0;
    while (names && k < count && names[k] >= 0 && names[k] < end) {
        k++;
    }
    return names && k < count ? k : -1;
}

/* ---- reading and storing ---- */

/* Copies a few bytes word by word, which is faster than a call of memcpy with a variable size. */
static inline void copy_words(size_t bytes, char *to, const char *from)
{
    for (size_t n = 0; n < bytes; n += sizeof(abut_index)) {
        memcpy(to + n, from + n, sizeof(abut_index));
    }
}

/* A function that copies one row of `bytes` bytes between storage and the caller's column. */
typedef void copy_row(storage as, size_t bytes, void *stored, void *row);

static void read_row(storage as, size_t bytes, void *stored, void *row)
{
    switch (as) {
    case AS_NOTHING:
        break;
    case AS_GIVEN:
        copy_words(bytes, row, stored);
        break;
    case AS_INT32:
        for (size_t n = 0; n < bytes / sizeof(abut_index); n++) {
            ((abut_index *)row)[n] = ((const int32_t *)stored)[n];
        }
        break;
    case AS_BOOL:
        *(abut_index *)row = *(const bool *)stored;
        break;
    }
}

static void store_row(storage as, size_t bytes, void *stored, void *row)
{
    switch (as) {
    case AS_NOTHING:
        break;
    case AS_GIVEN:
        copy_words(bytes, stored, row);
        break;
    case AS_INT32:
        for (size_t n = 0; n < bytes / sizeof(abut_index); n++) {
            ((int32_t *)stored)[n] = (int32_t)((const abut_index *)row)[n];
        }
        break;
    case AS_BOOL:
        *(bool *)stored = *(const abut_index *)row != 0;
        break;
    }
}

static inline void copy_rows(const population *p, const void *owner, const int32_t *places,
                             row_span rows, const void *columns, copy_row *copy)
{
    abut_index column_count;
    const abut_column *list = abut_table_columns(p->table, &column_count);
    for (abut_index c = 0; c < column_count; c++) {
        const column_storage *where = &p->columns[c];
        const size_t bytes = (size_t)column_numbers(&list[c]) * column_number_size(&list[c]);
        char *stored, *row = column_data(&list[c], columns);
        memcpy(&stored, (const char *)owner + where->array, sizeof stored);
        for (abut_index k = rows.first; row && where->as && k < rows.first + rows.count; k++) {
            const abut_index place = places ? places[k] : k;
            copy(where->as, bytes, stored + (size_t)place * where->size + where->place, row);
            row += bytes;
        }
    }
}

void population_read(const population *p, const void *owner, const int32_t *places, row_span rows,
                     const void *columns)
{
    copy_rows(p, owner, places, rows, columns, read_row);
}

void population_store(const population *p, void *owner, const int32_t *places, row_span rows,
                      const void *columns)
{
    copy_rows(p, owner, places, rows, columns, store_row);
}
