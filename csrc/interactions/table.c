/* Tables of interactions: columns, memory, and renumbering of rows with their partners. */
#include "table.h"

#include <string.h>

#include "../base/parallel.h"
#include "../base/sort.h"

/* ---- columns ---- */

/* Conditions for columns, in addition to those of searches (abut_column_when). */
enum {
    WITH_MOMENTS = ABUT_COLUMN_WITH_BEFORE + 1,
    OF_HISTORY,
    WITH_LIST,
    OF_PAIRS_ALONE,
    OF_OTHERS
};

/* A column: offset of its pointer, bytes per entry, what has an entry (abut_column_per), and when
 * the table has the column (abut_column_when). */
typedef struct column {
    size_t place, size;
    int per, when, flags;
} column;

typedef struct column_list {
    const column *columns;
    int count;
} column_list;

#define NUMBERS(width)                                                                             \
    ((size_t)((width) == ABUT_DIMENSION     ? 3                                                    \
              : (width) == ABUT_TWO_VECTORS ? 6                                                    \
              : (width) == 0                ? 1                                                    \
                                            : (width)))

/* A column of a search, from the lists in csrc/abut/. */
#define FOUND(name, type, width, per, when, flags, unit, meaning)                                  \
    {offsetof(interaction_table, COLUMNS.name), NUMBERS(width) * sizeof(ABUT_COLUMN_OF_##type),    \
     ABUT_COLUMN_##per, ABUT_COLUMN_##when, flags},

#define CARRIED(name, numbers, per, when)                                                          \
    {offsetof(interaction_table, name), (numbers) * sizeof *((interaction_table *)0)->name, per,   \
     when, 0}

/* Columns of forces and history, with one entry per row, or per spot of bodies. */
#define ALL_CARRIED(per)                                                                           \
    CARRIED(history, 1, per, OF_HISTORY), CARRIED(moment, 3, per, WITH_MOMENTS),                   \
        CARRIED(power, 1, per, ABUT_COLUMN_WITH_WALLS), CARRIED(effects, 1, per, OF_OTHERS),       \
        CARRIED(force, 3, per, OF_PAIRS_ALONE), CARRIED(match, 1, per, ABUT_COLUMN_ALWAYS)

#define COLUMNS contact
static const column OF_CONTACTS[] = {ABUT_CONTACT_COLUMNS(FOUND) ALL_CARRIED(ABUT_COLUMN_ROWS)};
#undef COLUMNS
#define COLUMNS pair
static const column OF_PAIRS[] = {
    ABUT_PAIR_COLUMNS(FOUND) ALL_CARRIED(ABUT_COLUMN_ROWS),
    {offsetof(interaction_table, candidates), sizeof(int32_t), ABUT_COLUMN_ROWS, WITH_LIST, 0}};
#undef COLUMNS
#define COLUMNS body
static const column OF_BODIES[] = {ABUT_CONVEX_COLUMNS(FOUND) ALL_CARRIED(ABUT_COLUMN_ENTRIES),
                                   {offsetof(interaction_table, row_match), sizeof(abut_index),
                                    ABUT_COLUMN_ROWS, ABUT_COLUMN_ALWAYS, 0}};
#undef COLUMNS

#define LIST(columns) {columns, sizeof columns / sizeof columns[0]}

static const column_list LISTS[ABUT_INTERACTION_COUNT] = {
    [ABUT_BODY_WALL] = LIST(OF_BODIES),    [ABUT_BODY_BODY] = LIST(OF_BODIES),
    [ABUT_BODY_SPHERE] = LIST(OF_BODIES),  [ABUT_SPHERE_WALL] = LIST(OF_CONTACTS),
    [ABUT_SPHERE_SPHERE] = LIST(OF_PAIRS),
};

_Static_assert(sizeof OF_CONTACTS / sizeof(column) <= TABLE_COLUMNS, "a block for each column");
_Static_assert(sizeof OF_BODIES / sizeof(column) <= TABLE_COLUMNS, "a block for each column");

static void **pointer_of(interaction_table *t, const column *c)
{
    return (void **)(void *)((char *)t + c->place);
}

static void *data_of(const interaction_table *t, const column *c)
{
    return *(void *const *)(const void *)((const char *)t + c->place);
}

/* The bytes of an entry. Those of the history depend on the table's layout. */
static size_t size_of(const interaction_table *t, const column *c)
{
    const size_t numbers = (size_t)history_numbers(&t->extras.layout);
    return c->when == OF_HISTORY ? numbers * c->size : c->size;
}

/* Whether a column of pairs follows from candidates. Tables with candidates do not have these
 * columns. */
static bool is_of_candidates(const column *c)
{
    return c->place == offsetof(interaction_table, pair.i) ||
           c->place == offsetof(interaction_table, pair.j) ||
           c->place == offsetof(interaction_table, pair.image) ||
           c->place == offsetof(interaction_table, pair.offsets) ||
           c->place == offsetof(interaction_table, match);
}

static bool is_wanted(const interaction_table *t, const column *c)
{
    const bool is_on_wall = table_is_on_wall(t->kind);
    if (t->extras.is_of_list && is_of_candidates(c)) {
        return false;
    }
    switch (c->when) {
    case WITH_LIST:
        return t->extras.is_of_list;
    case ABUT_COLUMN_WITH_PERIOD:
        return t->extras.has_images;
    case WITH_MOMENTS:
        return history_has_more(&t->extras.layout);
    case OF_HISTORY:
        return history_numbers(&t->extras.layout) > 0;
    case OF_PAIRS_ALONE:
        return t->kind == ABUT_SPHERE_SPHERE;
    case OF_OTHERS:
        return t->kind != ABUT_SPHERE_SPHERE;
    case ABUT_COLUMN_WITH_WALLS:
        return is_on_wall;
    case ABUT_COLUMN_WITH_BODIES:
        return !is_on_wall;
    case ABUT_COLUMN_WITH_ORDER:
    case ABUT_COLUMN_WITH_BEFORE:
        return false;
    default:
        /* the point of a pair is computed from its overlap when it is read */
        return t->kind != ABUT_SPHERE_SPHERE || c->place != offsetof(interaction_table, pair.point);
    }
}

/* ---- partners ---- */

abut_index *table_firsts(const interaction_table *t)
{
    return t->kind == ABUT_SPHERE_WALL     ? t->contact.sphere
           : t->kind == ABUT_SPHERE_SPHERE ? t->pair.i
                                           : t->body.i;
}

abut_index *table_seconds(const interaction_table *t)
{
    return t->kind == ABUT_SPHERE_WALL     ? t->contact.mesh
           : t->kind == ABUT_SPHERE_SPHERE ? t->pair.j
           : t->kind == ABUT_BODY_WALL     ? t->body.mesh
                                           : t->body.j;
}

abut_index *table_offsets(const interaction_table *t)
{
    return t->kind == ABUT_SPHERE_WALL     ? t->contact.offsets
           : t->kind == ABUT_SPHERE_SPHERE ? t->pair.offsets
                                           : NULL;
}

abut_index *table_entry_offsets(const interaction_table *t)
{
    return t->kind == ABUT_SPHERE_WALL     ? t->contact.node_offsets
           : t->kind == ABUT_SPHERE_SPHERE ? NULL
                                           : t->body.spot_offsets;
}

vec3 table_wall_point(const interaction_table *t, abut_index row, const lattice *l)
{
    const vec3 point = vec3_load(t->contact.point + 3 * row);
    const abut_index *image = t->contact.image ? t->contact.image + 3 * row : NULL;
    return vec3_sub(point, lattice_shift_of(l, image));
}

/* ---- memory ---- */

/* Whether columns are large enough, and not far too large. */
static bool has_room(const interaction_table *t, const abut_index counts[4], table_extras extras)
{
    bool has = t->extras.is_of_list == extras.is_of_list &&
               t->extras.has_images == extras.has_images &&
               history_is_same(&t->extras.layout, &extras.layout);
    for (int per = 0; per < 4; per++) {
        has = has && counts[per] <= t->room[per] &&
              t->room[per] / MEMORY_SPARE_FACTOR <= counts[per] + ROW_PADDING;
    }
    return has;
}

/* Reserves a column, and lowers `room` to its size if it is the shortest. */
static bool reserve_column(interaction_table *t, const column *c, memory_block *block,
                           const abut_index counts[4])
{
    void **pointer = pointer_of(t, c);
    const size_t size = size_of(t, c);
    *pointer = memory_reserve(block, counts[c->per] + ROW_PADDING, size);
    const abut_index room = block->byte_count / (abut_index)size - ROW_PADDING;
    t->room[c->per] = room < t->room[c->per] ? room : t->room[c->per];
    return *pointer;
}

static bool make_room(interaction_table *t, const abut_index counts[4])
{
    const column_list list = LISTS[t->kind];
    bool is_done = true;
    for (int per = 0; per < 4; per++) {
        t->room[per] = MEMORY_SPARE_FACTOR * (counts[per] + ROW_PADDING);
    }
    for (int k = 0; k < list.count; k++) {
        const column *c = &list.columns[k];
        if (is_wanted(t, c)) {
            is_done = reserve_column(t, c, &t->blocks[k], counts) && is_done;
        } else {
            memory_free_blocks(&t->blocks[k], 1);
            *pointer_of(t, c) = NULL;
        }
    }
    if (is_done && t->effects) {
        /* effects are aligned to cache lines */
        t->effects = memory_first_line(t->effects);
    }
    return is_done;
}

/* Fills columns that need zeros before a search (ABUT_ZEROS), and sets the first entry offset to
 * 0. */
static void begin_columns(interaction_table *t, const abut_index counts[4])
{
    const column_list list = LISTS[t->kind];
    for (int k = 0; k < list.count; k++) {
        const column *c = &list.columns[k];
        void *data = data_of(t, c);
        if (data && (c->flags & ABUT_ZEROS)) {
            memset(data, 0, (size_t)counts[c->per] * c->size);
        } else if (data && c->per == ABUT_COLUMN_ENTRY_OFFSETS) {
            memset(data, 0, c->size);
        }
    }
}

abut_status table_reserve(interaction_table *t, table_size size, table_extras extras)
{
    const abut_index counts[4] = {[ABUT_COLUMN_ROWS] = size.rows,
                                  [ABUT_COLUMN_ENTRIES] = size.entries,
                                  [ABUT_COLUMN_ENTRY_OFFSETS] = size.rows + 1,
                                  [ABUT_COLUMN_OFFSETS] = size.firsts + 1};
    const bool is_roomy = has_room(t, counts, extras);
    t->extras = extras;
    table_clear(t, size.firsts);
    if (!is_roomy && !make_room(t, counts)) {
        memset(t->room, 0, sizeof t->room);
        return ABUT_NO_MEMORY;
    }
    begin_columns(t, counts);
    return ABUT_OK;
}

abut_status table_reserve_chunks(interaction_table *t, abut_index count, abut_index firsts,
                                 const int32_t *list_firsts, const int32_t *list_seconds)
{
    t->chunks = memory_reserve(&t->chunk_block, count, sizeof *t->chunks);
    t->chunk_count = t->chunks ? count : 0, t->chunk_firsts = firsts;
    t->list_firsts = list_firsts, t->list_seconds = list_seconds;
    t->pair.i = t->pair.j = t->pair.image = NULL;
    return t->chunks ? ABUT_OK : ABUT_NO_MEMORY;
}

/* Extends the column of offsets and keeps its contents. NULL: no memory. */
static abut_index *extend_offsets(interaction_table *t, abut_index first_count)
{
    const column_list list = LISTS[t->kind];
    int k = 0;
    while (list.columns[k].per != ABUT_COLUMN_OFFSETS) {
        k++;
    }
    const column *c = &list.columns[k];
    void *extended = memory_extend(&t->blocks[k], first_count + 1 + ROW_PADDING, c->size);
    if (extended) {
        *pointer_of(t, c) = extended;
        t->room[c->per] = t->blocks[k].byte_count / (abut_index)c->size - ROW_PADDING;
    }
    return extended;
}

/* Appends empty chunks for more first partners. */
static abut_status extend_chunks(interaction_table *t, abut_index first_count)
{
    const abut_index count = (first_count + t->chunk_firsts - 1) / t->chunk_firsts;
    row_span *chunks = memory_extend(&t->chunk_block, count, sizeof *chunks);
    if (!chunks) {
        return ABUT_NO_MEMORY;
    }
    for (t->chunks = chunks; t->chunk_count < count; t->chunk_count++) {
        const row_span last = chunks[t->chunk_count - 1];
        chunks[t->chunk_count] = (row_span){last.first + last.count, 0};
    }
    return ABUT_OK;
}

abut_status table_extend(interaction_table *t, abut_index first_count)
{
    if (t->chunk_count > 0 && extend_chunks(t, first_count)) {
        return ABUT_NO_MEMORY;
    }
    if (t->count > 0 && !t->extras.is_of_list) {
        abut_index *offsets = extend_offsets(t, first_count);
        if (!offsets) {
            return ABUT_NO_MEMORY;
        }
        for (abut_index k = t->first_count; k < first_count; k++) {
            offsets[k + 1] = offsets[k];
        }
    }
    t->first_count = first_count;
    return ABUT_OK;
}

void table_free(interaction_table *t)
{
    memory_free_blocks(t->blocks, TABLE_COLUMNS);
    memory_free_blocks(&t->chunk_block, 1);
    *t = (interaction_table){.kind = t->kind};
}

abut_index table_bytes(const interaction_table *t)
{
    return memory_count_bytes(t->blocks, TABLE_COLUMNS) + t->chunk_block.byte_count;
}

#ifdef ABUT_CHECK_LISTS

bool table_is_same(const interaction_table *t, const interaction_table *with)
{
    const column_list list = LISTS[t->kind];
    const abut_index counts[4] = {[ABUT_COLUMN_ROWS] = t->count,
                                  [ABUT_COLUMN_ENTRIES] = t->entry_count,
                                  [ABUT_COLUMN_ENTRY_OFFSETS] = t->count + 1,
                                  [ABUT_COLUMN_OFFSETS] = t->first_count + 1};
    bool is_same = t->count == with->count && t->entry_count == with->entry_count;
    for (int k = 0; is_same && t->count > 0 && k < list.count; k++) {
        const column *c = &list.columns[k];
        const void *data = data_of(t, c), *other = data_of(with, c);
        const bool is_found = c->place < offsetof(interaction_table, history);
        if (is_found && data && other) {
            is_same = memcmp(data, other, (size_t)counts[c->per] * c->size) == 0;
        }
    }
    return is_same;
}

#endif

/* ---- rows ---- */

static bool is_before_first(const void *table, abut_index row, const void *first)
{
    return table_first(table, row) < *(const abut_index *)first;
}

row_span table_pairs_of(const interaction_table *t, abut_index sphere, const row_span *before)
{
    if (t->count == 0) {
        return (row_span){0, 0};
    }
    const row_span all = table_span(t, t->chunk_count > 0 ? sphere / t->chunk_firsts : 0);
    const abut_index behind = before ? before->first + before->count : 0;
    row_span rows = {behind > all.first ? behind : all.first, 0};
    rows.first = before ? rows.first : span_find(all, t, &sphere, is_before_first);
    for (abut_index row = rows.first; row < all.first + all.count && table_first(t, row) == sphere;
         row++) {
        rows.count++;
    }
    return rows;
}

static bool begins_before(const void *table, abut_index row, const void *spot)
{
    return ((const interaction_table *)table)->body.spot_offsets[row] <= *(const abut_index *)spot;
}

abut_index table_row_of(const interaction_table *t, abut_index spot)
{
    return span_find((row_span){0, t->count}, t, &spot, begins_before) - 1;
}

/* The range of the nodes, or spots, of these rows. */
static row_span entries_of(const interaction_table *t, row_span rows)
{
    const abut_index *offsets = table_entry_offsets(t);
    if (!offsets) {
        return (row_span){0, 0};
    }
    const abut_index first = offsets[rows.first];
    return (row_span){first, offsets[rows.first + rows.count] - first};
}

static void append_column(char *to, abut_index at, const char *from, row_span of, size_t size)
{
    if (to && from && of.count > 0) {
        memmove(to + (size_t)at * size, from + (size_t)of.first * size, (size_t)of.count * size);
    } else if (to && of.count > 0) {
        memset(to + (size_t)at * size, 0, (size_t)of.count * size);
    }
}

static void append_entry_offsets(interaction_table *to, const interaction_table *from,
                                 row_span rows, row_span entries)
{
    const abut_index *source = table_entry_offsets(from);
    abut_index *target = table_entry_offsets(to);
    if (target) {
        target[to->count] = to->entry_count;
    }
    for (abut_index k = 1; target && k <= rows.count; k++) {
        target[to->count + k] = source[rows.first + k] - entries.first + to->entry_count;
    }
}

/* Appends the history of rows that have another layout. */
static void append_history(interaction_table *to, abut_index at, const interaction_table *from,
                           row_span rows)
{
    for (abut_index k = 0; to->history && k < rows.count; k++) {
        const double *source = from->history ? table_kept(from, rows.first + k) : NULL;
        history_copy(&to->extras.layout, table_kept(to, at + k), &from->extras.layout, source);
    }
}

void table_append(interaction_table *to, const interaction_table *from, row_span rows)
{
    const column_list list = LISTS[to->kind];
    const row_span entries = rows.count > 0 ? entries_of(from, rows) : (row_span){0, 0};
    for (int k = 0; k < list.count; k++) {
        const column *c = &list.columns[k];
        char *target = data_of(to, c);
        if (c->when == OF_HISTORY && !history_is_same(&to->extras.layout, &from->extras.layout)) {
            const bool is_of_rows = c->per == ABUT_COLUMN_ROWS;
            append_history(to, is_of_rows ? to->count : to->entry_count, from,
                           is_of_rows ? rows : entries);
        } else if (c->per == ABUT_COLUMN_ROWS) {
            append_column(target, to->count, data_of(from, c), rows, size_of(to, c));
        } else if (c->per == ABUT_COLUMN_ENTRIES) {
            append_column(target, to->entry_count, data_of(from, c), entries, size_of(to, c));
        }
    }
    append_entry_offsets(to, from, rows, entries);
    to->count += rows.count;
    to->entry_count += entries.count;
}

static void write_offsets(const interaction_table *t)
{
    const abut_index *firsts = table_firsts(t);
    abut_index *offsets = table_offsets(t), row = 0;
    for (abut_index first = 0; offsets && first <= t->first_count; first++) {
        while (row < t->count && firsts[row] < first) {
            row++;
        }
        offsets[first] = row;
    }
}

/* Rows are moved to earlier positions. The old contents of these positions are not needed any
 * more. */
void table_keep(interaction_table *t, const bool *is_kept)
{
    const interaction_table all = *t;
    abut_index count;
    table_clear(t, t->first_count);
    for (abut_index row = 0; row < all.count; row += count) {
        count = 1;
        while (row + count < all.count && is_kept[row + count] == is_kept[row]) {
            count++;
        }
        if (is_kept[row]) {
            table_append(t, &all, (row_span){row, count});
        }
    }
    write_offsets(t);
}

/* ---- renumbering of candidates ---- */

/* The chunk of a row after renumbering; -1: the row is removed. */
static abut_index chunk_of(const interaction_table *t, abut_index row)
{
    return t->candidates[row] < 0 ? -1 : table_first(t, row) / t->chunk_firsts;
}

/* Moves rows to their chunk, behind the rows that it already has. */
static void join_chunk(interaction_table *t, row_span *chunk, row_span rows)
{
    interaction_table to = *t;
    to.count = chunk->first + chunk->count;
    if (to.count < rows.first) {
        table_append(&to, t, rows);
    }
    chunk->count += rows.count;
    t->count += rows.count;
}

/* Moves rows of an old chunk to their new chunks. Returns the number of new chunks that have begun.
 * Each begins at the position of its first row. */
static abut_index split_chunk(interaction_table *t, row_span rows, abut_index chunks)
{
    const abut_index end = rows.first + rows.count;
    abut_index count;
    for (abut_index row = rows.first; row < end; row += count) {
        const abut_index target = chunk_of(t, row);
        count = 1;
        while (row + count < end && chunk_of(t, row + count) == target) {
            count++;
        }
        for (; chunks <= target; chunks++) {
            t->chunks[chunks] = (row_span){row, 0};
        }
        if (target >= 0) {
            join_chunk(t, &t->chunks[target], (row_span){row, count});
        }
    }
    return chunks;
}

void table_follow_list(interaction_table *t, const int32_t *candidates, abut_index first_count)
{
    const abut_index before = t->chunk_count;
    abut_index chunks = 0;
    row_walk w = {0};
    for (abut_index row; (row = table_walk(t, &w)) >= 0;) {
        t->candidates[row] = candidates[t->candidates[row]];
    }
    t->count = 0, t->first_count = first_count;
    for (abut_index chunk = 0; chunk < before; chunk++) {
        chunks = split_chunk(t, t->chunks[chunk], chunks);
    }
    t->chunk_count = before > 0 ? (first_count + t->chunk_firsts - 1) / t->chunk_firsts : 0;
    for (; chunks < t->chunk_count; chunks++) {
        const row_span last = chunks > 0 ? t->chunks[chunks - 1] : (row_span){0, 0};
        t->chunks[chunks] = (row_span){last.first + last.count, 0};
    }
}

/* ---- renumbering of partners ---- */

/* The order of rows after renumbering: by first partner, and pairs then by second partner. */
typedef struct row_order {
    interaction_table *to;
    const interaction_table *from;
    const renumbering *by;
    const abut_index *firsts, *seconds;
    abut_index *rows, *room; /* the remaining rows, and scratch memory of the same size */
    abut_index *ends;        /* by first partner: the end of its rows */
} row_order;

/* The new partners of a row. first is -1 if a partner was removed. */
typedef struct new_numbers {
    abut_index first, second;
    bool is_flipped; /* the two spheres of the pair are exchanged */
} new_numbers;

static abut_index new_number(const int32_t *numbers, abut_index old)
{
    return numbers ? numbers[old] : old;
}

static new_numbers numbers_of(const row_order *o, abut_index row)
{
    const abut_index first = new_number(o->by->first, o->firsts[row]);
    const abut_index second = new_number(o->by->second, o->seconds[row]);
    const bool is_flipped = o->from->kind == ABUT_SPHERE_SPHERE && first > second;
    if (first < 0 || second < 0) {
        return (new_numbers){-1, -1, false};
    }
    return is_flipped ? (new_numbers){second, first, true} : (new_numbers){first, second, false};
}

/* Lists the remaining rows by first partner. Rows of the same first partner keep their order.
 * Returns the number of rows. */
static abut_index list_rows(const row_order *o)
{
    const abut_index firsts = o->by->first_count;
    row_walk count = {0}, list = {0};
    memset(o->ends, 0, (size_t)(firsts + 1) * sizeof *o->ends);
    for (abut_index row; (row = table_walk(o->from, &count)) >= 0;) {
        const abut_index first = numbers_of(o, row).first;
        o->ends[first < 0 ? firsts : first]++;
    }
    sort_sum_up(o->ends, firsts);
    for (abut_index row; (row = table_walk(o->from, &list)) >= 0;) {
        const abut_index first = numbers_of(o, row).first;
        if (first >= 0) {
            o->rows[o->ends[first]++] = row;
        }
    }
    return o->ends[firsts];
}

/* Whether pair a comes before pair b of the same first sphere: by second sphere, then by image. */
static bool goes_before(const void *order, abut_index a, abut_index b)
{
    const row_order *o = order;
    const abut_index *image = o->from->pair.image;
    const new_numbers own = numbers_of(o, a), other = numbers_of(o, b);
    if (own.second != other.second || !image) {
        return own.second < other.second;
    }
    for (int axis = 0; axis < 3; axis++) {
        const abut_index of_a = own.is_flipped ? -image[3 * a + axis] : image[3 * a + axis];
        const abut_index of_b = other.is_flipped ? -image[3 * b + axis] : image[3 * b + axis];
        if (of_a != of_b) {
            return of_a < of_b;
        }
    }
    return false;
}

static void negate(double *vector)
{
    for (int axis = 0; axis < 3 && vector; axis++) {
        vector[axis] = 0.0 - vector[axis]; /* subtracting from 0 never gives -0 */
    }
}

/* Exchanges the two spheres of a pair, which changes the sign of all vectors. */
static void flip_pair(interaction_table *t, abut_index row)
{
    negate(t->pair.normal + 3 * row);
    negate(table_force(t, row));
    negate(table_vector(t->moment, row));
    for (int k = 0; k < t->extras.layout.begins[HISTORY_SCALARS]; k += 3) {
        negate(table_kept(t, row) + k);
    }
    for (int axis = 0; t->pair.image && axis < 3; axis++) {
        t->pair.image[3 * row + axis] = -t->pair.image[3 * row + axis];
    }
}

/* Copies rows. Rows that are consecutive in both tables are copied together. */
static void append_rows(const row_order *o, row_span rows)
{
    interaction_table to = *o->to;
    const abut_index end = rows.first + rows.count, *from = o->rows;
    abut_index count;
    for (to.count = rows.first; to.count < end;) {
        const abut_index k = to.count;
        for (count = 1; k + count < end && from[k + count] == from[k] + count;) {
            count++;
        }
        table_append(&to, o->from, (row_span){from[k], count});
    }
}

static void rename_partners(const row_order *o, row_span rows)
{
    abut_index *firsts = table_firsts(o->to), *seconds = table_seconds(o->to);
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        const new_numbers n = numbers_of(o, o->rows[row]);
        firsts[row] = n.first, seconds[row] = n.second;
        if (n.is_flipped) {
            flip_pair(o->to, row);
        }
    }
}

/* Writes the rows of the first partners of a task. */
static void make_rows(void *order, abut_index begin, abut_index end)
{
    const row_order *o = order;
    const abut_index first = begin > 0 ? o->ends[begin - 1] : 0;
    const row_span rows = {first, o->ends[end - 1] - first};
    abut_index row = first;
    for (abut_index k = begin; k < end && o->from->kind == ABUT_SPHERE_SPHERE; k++) {
        sort_by_merging(o->rows + row, o->room + row, o->ends[k] - row, goes_before, o);
        row = o->ends[k];
    }
    append_rows(o, rows);
    rename_partners(o, rows);
}

/* First partners per task. */
enum { STRETCH = 512 };

/* Writes all rows. Tables with entries have few rows, so one thread writes them. */
static void make_all(row_order *o, int workers)
{
    const abut_index firsts = o->by->first_count, *entries = table_entry_offsets(o->to);
    o->to->count = list_rows(o);
    parallel_loop(workers, firsts, entries ? firsts + 1 : STRETCH, 20 * o->to->count, make_rows, o);
    o->to->entry_count = entries ? entries[o->to->count] : 0;
    write_offsets(o->to);
}

abut_status table_renumber(interaction_table *to, const interaction_table *from,
                           const renumbering *by, table_extras extras, int workers)
{
    const table_size size = {from->count, from->entry_count, by->first_count};
    row_order o = {.to = to,
                   .from = from,
                   .by = by,
                   .firsts = table_firsts(from),
                   .seconds = table_seconds(from),
                   .rows = memory_alloc(from->count, sizeof *o.rows),
                   .room = memory_alloc(from->count, sizeof *o.room),
                   .ends = memory_alloc(by->first_count + 1, sizeof *o.ends)};
    abut_status status = o.rows && o.room && o.ends ? ABUT_OK : ABUT_NO_MEMORY;
    status = status ? status : table_reserve(to, size, extras);
    if (!status) {
        make_all(&o, workers);
    }
    memory_free(o.rows);
    memory_free(o.room);
    memory_free(o.ends);
    return status;
}
