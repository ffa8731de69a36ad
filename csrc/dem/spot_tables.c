/* Tables of spots: their memory, and how rows follow bodies and spheres to other numbers. */
#include "spot_tables.h"

#include <stddef.h>
#include <string.h>

/* Where a column's pointer is, how many bytes a row has, what it is counted by, and where there is
 * no such column. */
typedef struct column {
    size_t offset, size;
    enum { ROWS, SPOTS } counts;
    enum { ALWAYS, WITH_WALLS, WITH_OTHERS, WITH_IMAGES } needs;
} column;

#define COLUMN(name, numbers, counts, needs)                                                       \
    {offsetof(abut_convex_columns, name), (numbers) * sizeof *((abut_convex_columns *)0)->name,    \
     counts, needs}

static const column columns[SPOT_COLUMNS] = {
    COLUMN(i, 1, ROWS, ALWAYS),
    COLUMN(j, 1, ROWS, WITH_OTHERS),
    COLUMN(mesh, 1, ROWS, WITH_WALLS),
    COLUMN(facet, 1, ROWS, WITH_WALLS),
    COLUMN(status, 1, ROWS, ALWAYS),
    COLUMN(type, 2, ROWS, ALWAYS),
    COLUMN(feature, 2, ROWS, ALWAYS),
    COLUMN(normal, 3, ROWS, ALWAYS),
    COLUMN(overlap, 1, ROWS, ALWAYS),
    COLUMN(error, 1, ROWS, ALWAYS),
    COLUMN(link, 6, ROWS, ALWAYS),
    COLUMN(point, 3, ROWS, ALWAYS),
    COLUMN(iterations, 1, ROWS, ALWAYS),
    COLUMN(state, ABUT_CONVEX_STATE, ROWS, ALWAYS),
    COLUMN(image, 3, ROWS, WITH_IMAGES),
    COLUMN(spot, 3, SPOTS, ALWAYS),
    COLUMN(spot_overlap, 1, SPOTS, ALWAYS),
    COLUMN(spot_type, 2, SPOTS, ALWAYS),
    COLUMN(spot_feature, 2, SPOTS, ALWAYS),
};

static void **pointer_of(abut_convex_columns *c, const column *at)
{
    return (void **)(void *)((char *)c + at->offset);
}

static void *data_of(const abut_convex_columns *c, const column *at)
{
    return *(void *const *)(const void *)((const char *)c + at->offset);
}

/* ---- memory ---- */

static bool is_needed(const column *c, abut_meeting meeting, bool has_images)
{
    switch (c->needs) {
    case ALWAYS:
        break;
    case WITH_WALLS:
        return meeting == ABUT_WITH_WALLS;
    case WITH_OTHERS:
        return meeting != ABUT_WITH_WALLS;
    case WITH_IMAGES:
        return has_images;
    }
    return true;
}

static bool reserve_columns(spot_table *t, abut_meeting meeting, const abut_index counts[2],
                            bool has_images)
{
    bool is_done = true;
    for (int k = 0; k < SPOT_COLUMNS; k++) {
        const column *c = &columns[k];
        const bool is_wanted = is_needed(c, meeting, has_images);
        void *data =
            is_wanted ? memory_reserve(&t->blocks[k], counts[c->counts] + 1, c->size) : NULL;
        *pointer_of(&t->columns, c) = data;
        is_done = is_done && (data || !is_wanted);
    }
    return is_done;
}

abut_status spot_table_reserve(spot_table *t, abut_meeting meeting, abut_index rows,
                               abut_index spots, table_kind kind)
{
    const abut_index counts[] = {[ROWS] = rows, [SPOTS] = spots};
    abut_convex_columns *c = &t->columns;
    const bool is_done = reserve_columns(t, meeting, counts, kind.has_images);
    c->spot_offsets = memory_reserve(&t->offset_block, rows + 1, sizeof *c->spot_offsets);
    t->row_match = memory_reserve(&t->match_block, rows, sizeof *t->row_match);
    t->power = memory_reserve(&t->power_block, spots + ROW_PADDING, sizeof *t->power);
    t->count = t->spot_count = 0;
    if (!is_done || !c->spot_offsets || !t->row_match || !t->power ||
        !springs_reserve(&t->springs, spots, kind.has_rolls)) {
        return ABUT_NO_MEMORY;
    }
    c->spot_offsets[0] = 0;
    if (c->image) {
        memset(c->image, 0, 3 * (size_t)rows * sizeof *c->image);
    }
    return ABUT_OK;
}

void spot_table_free(spot_table *t)
{
    memory_free_blocks(t->blocks, SPOT_COLUMNS);
    memory_free(t->offset_block.data);
    memory_free(t->power_block.data);
    memory_free(t->match_block.data);
    springs_free(&t->springs);
    *t = (spot_table){0};
}

abut_index spot_table_bytes(const spot_table *t)
{
    return memory_count_bytes(t->blocks, SPOT_COLUMNS) + t->offset_block.byte_count +
           t->power_block.byte_count + t->match_block.byte_count + springs_bytes(&t->springs);
}

/* ---- rows ---- */

void spot_table_copy(const abut_convex_columns *to, const abut_convex_columns *from,
                     abut_index rows, abut_index spots)
{
    const abut_index counts[] = {[ROWS] = rows, [SPOTS] = spots};
    for (int k = 0; k < SPOT_COLUMNS; k++) {
        const column *c = &columns[k];
        void *data = data_of(to, c);
        const void *source = data_of(from, c);
        if (data && source && counts[c->counts] > 0) {
            memcpy(data, source, (size_t)counts[c->counts] * c->size);
        }
    }
    for (abut_index row = 0; to->spot_offsets && row <= rows; row++) {
        to->spot_offsets[row] = rows > 0 ? from->spot_offsets[row] : 0;
    }
}

static void move_rows(void *data, abut_index to, abut_index from, abut_index count, size_t size)
{
    if (data && count > 0 && to != from) {
        memmove((char *)data + (size_t)to * size, (char *)data + (size_t)from * size,
                (size_t)count * size);
    }
}

/* Rows and their spots. */
typedef struct row_spots {
    abut_index row, begin, count;
} row_spots;

/* Move a row and its spots behind those that are kept so far. */
static void keep_row(spot_table *t, row_spots from)
{
    const size_t vector = 3 * sizeof(double);
    for (int k = 0; k < SPOT_COLUMNS; k++) {
        const column *c = &columns[k];
        void *data = data_of(&t->columns, c);
        if (c->counts == ROWS) {
            move_rows(data, t->count, from.row, 1, c->size);
        } else {
            move_rows(data, t->spot_count, from.begin, from.count, c->size);
        }
    }
    move_rows(t->springs.spring, t->spot_count, from.begin, from.count, vector);
    move_rows(t->springs.roll, t->spot_count, from.begin, from.count, vector);
    move_rows(t->springs.moment, t->spot_count, from.begin, from.count, vector);
    move_rows(t->springs.effects, t->spot_count, from.begin, from.count, sizeof(effect));
    move_rows(t->power, t->spot_count, from.begin, from.count, sizeof *t->power);
    t->spot_count += from.count;
    t->columns.spot_offsets[++t->count] = t->spot_count;
}

static bool stays(const spot_table *t, abut_index row, const int32_t *new_i, const int32_t *new_j)
{
    return (!new_i || new_i[t->columns.i[row]] >= 0) && (!new_j || new_j[t->columns.j[row]] >= 0);
}

static void renumber_row(const spot_table *t, abut_index row, const int32_t *new_i,
                         const int32_t *new_j)
{
    if (new_i) {
        t->columns.i[row] = new_i[t->columns.i[row]];
    }
    if (new_j) {
        t->columns.j[row] = new_j[t->columns.j[row]];
    }
}

void spot_table_renumber(spot_table *t, const int32_t *new_i, const int32_t *new_j)
{
    const abut_index rows = t->count;
    abut_index begin = 0;
    t->count = t->spot_count = 0;
    for (abut_index row = 0; row < rows; row++) {
        /* read before a row that is kept takes its place */
        const abut_index end = t->columns.spot_offsets[row + 1];
        if (stays(t, row, new_i, new_j)) {
            renumber_row(t, row, new_i, new_j);
            keep_row(t, (row_spots){row, begin, end - begin});
        }
        begin = end;
    }
}
