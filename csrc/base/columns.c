/* Lists the columns of each table of results or states, for code that loops over columns. */
#include "../abut/simulation.h"
#include "columns.h"

#include <string.h>

#define DESCRIBE(name, type, width, per, when, flags, unit, meaning)                               \
    {#name,                                                                                        \
     offsetof(STRUCT, name),                                                                       \
     ABUT_COLUMN_##type,                                                                           \
     width,                                                                                        \
     ABUT_COLUMN_##per,                                                                            \
     ABUT_COLUMN_##when,                                                                           \
     flags,                                                                                        \
     unit,                                                                                         \
     meaning},

#define STRUCT abut_columns
static const abut_column CONTACT_COLUMNS[] = {ABUT_CONTACT_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_pair_columns
static const abut_column PAIR_COLUMNS[] = {ABUT_PAIR_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_convex_columns
static const abut_column CONVEX_COLUMNS[] = {ABUT_CONVEX_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_entrance_columns
static const abut_column ENTRANCE_COLUMNS[] = {ABUT_ENTRANCE_COLUMNS(DESCRIBE)};
#undef STRUCT

#define STRUCT abut_bonds
static const abut_column BOND_COLUMNS[] = {ABUT_BOND_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_breakages
static const abut_column BREAKAGE_COLUMNS[] = {ABUT_BREAKAGE_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_rests
static const abut_column REST_COLUMNS[] = {ABUT_REST_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_spheres
static const abut_column SPHERE_COLUMNS[] = {ABUT_SPHERE_COLUMNS(DESCRIBE)};
#undef STRUCT
#define STRUCT abut_rigids
static const abut_column RIGID_COLUMNS[] = {ABUT_RIGID_COLUMNS(DESCRIBE)};
#undef STRUCT

#define STRUCT abut_drive
static const abut_column DRIVE_COLUMNS[] = {ABUT_DRIVE_COLUMNS(DESCRIBE)};
#undef STRUCT

#define LIST(columns) {columns, sizeof columns / sizeof columns[0]}

static const struct column_list {
    const abut_column *columns;
    abut_index count;
} LISTS[] = {
    [ABUT_CONTACT_TABLE] = LIST(CONTACT_COLUMNS), [ABUT_PAIR_TABLE] = LIST(PAIR_COLUMNS),
    [ABUT_CONVEX_TABLE] = LIST(CONVEX_COLUMNS),   [ABUT_ENTRANCE_TABLE] = LIST(ENTRANCE_COLUMNS),
    [ABUT_BOND_TABLE] = LIST(BOND_COLUMNS),       [ABUT_BREAKAGE_TABLE] = LIST(BREAKAGE_COLUMNS),
    [ABUT_REST_TABLE] = LIST(REST_COLUMNS),       [ABUT_SPHERE_TABLE] = LIST(SPHERE_COLUMNS),
    [ABUT_RIGID_TABLE] = LIST(RIGID_COLUMNS),     [ABUT_DRIVE_TABLE] = LIST(DRIVE_COLUMNS),
};

const abut_column *abut_table_columns(abut_table table, abut_index *count)
{
    *count = LISTS[table].count;
    return LISTS[table].columns;
}

size_t column_number_size(const abut_column *c)
{
    switch ((abut_column_type)c->type) {
    case ABUT_COLUMN_INDEX:
        return sizeof(abut_index);
    case ABUT_COLUMN_BYTE:
        return sizeof(uint8_t);
    case ABUT_COLUMN_REAL:
        return sizeof(double);
    }
    return 0;
}

void columns_copy(abut_table table, const void *to, const void *from, const abut_index counts[4])
{
    abut_index column_count;
    const abut_column *columns = abut_table_columns(table, &column_count);
    for (abut_index k = 0; k < column_count; k++) {
        const abut_column *c = &columns[k];
        const abut_index count = counts[c->per] * column_numbers(c);
        char *target;
        const char *source;
        memcpy(&target, (const char *)to + c->place, sizeof target);
        memcpy(&source, (const char *)from + c->place, sizeof source);
        if (target && source && count > 0) {
            memcpy(target, source, (size_t)count * column_number_size(c));
        }
    }
}
