/* Tables of a step: their memory, and how rows follow spheres to other numbers. */
#include "tables.h"

#include <string.h>

#include "../base/sort.h"

/* ---- memory ---- */

static void *reserve(memory_block *block, abut_index rows, size_t size)
{
    return memory_reserve(block, rows + ROW_PADDING, size);
}

/* Room for effects, the first of which begins a cache line. */
static effect *reserve_effects(memory_block *block, abut_index rows)
{
    void *data = memory_reserve(block, rows + ROW_PADDING, sizeof(effect));
    return data ? memory_first_line(data) : NULL;
}

bool springs_reserve(springs *s, abut_index rows, bool has_rolls)
{
    const size_t vector = 3 * sizeof(double);
    s->spring = reserve(&s->spring_block, rows, vector);
    s->effects = reserve_effects(&s->effect_block, rows);
    s->match = reserve(&s->match_block, rows, sizeof *s->match);
    s->roll = has_rolls ? reserve(&s->roll_block, rows, vector) : NULL;
    s->moment = has_rolls ? reserve(&s->moment_block, rows, vector) : NULL;
    return s->spring && s->effects && s->match && (!has_rolls || (s->roll && s->moment));
}

void springs_free(springs *s)
{
    memory_free(s->spring_block.data);
    memory_free(s->roll_block.data);
    memory_free(s->moment_block.data);
    memory_free(s->effect_block.data);
    memory_free(s->match_block.data);
    *s = (springs){0};
}

abut_index springs_bytes(const springs *s)
{
    return s->spring_block.byte_count + s->roll_block.byte_count + s->moment_block.byte_count +
           s->effect_block.byte_count + s->match_block.byte_count;
}

/* The columns of contacts, one after the other: where their pointers are, how many bytes a row has,
 * and what they are counted by. */
typedef struct column {
    size_t offset, size;
    enum { ROWS, NODES, SPHERES, ROW_ENDS } counts;
} column;

#define COLUMN(name, numbers, counts)                                                              \
    {offsetof(abut_columns, name), (numbers) * sizeof *((abut_columns *)0)->name, counts}

static const column contact_columns[] = {
    COLUMN(sphere, 1, ROWS), COLUMN(mesh, 1, ROWS),    COLUMN(facet, 1, ROWS),
    COLUMN(type, 1, ROWS),   COLUMN(feature, 1, ROWS), COLUMN(point, 3, ROWS),
    COLUMN(normal, 3, ROWS), COLUMN(overlap, 1, ROWS), COLUMN(share, 1, ROWS),
    COLUMN(tilt, 1, ROWS),   COLUMN(image, 3, ROWS),   COLUMN(offsets, 1, SPHERES),
    COLUMN(node, 1, NODES),  COLUMN(weight, 1, NODES), COLUMN(node_offsets, 1, ROW_ENDS),
};

enum { CONTACT_COLUMNS = sizeof contact_columns / sizeof *contact_columns, POWER_BLOCK = 15 };

static void **pointer_of(abut_columns *columns, const column *c)
{
    return (void **)(void *)((char *)columns + c->offset);
}

static const char *data_of(const abut_columns *columns, const column *c)
{
    return *(char *const *)(const void *)((const char *)columns + c->offset);
}

abut_status contact_table_reserve(contact_table *t, abut_index sphere_count, abut_index rows,
                                  abut_index nodes, table_kind kind)
{
    const abut_index counts[] = {
        [ROWS] = rows, [NODES] = nodes, [SPHERES] = sphere_count + 1, [ROW_ENDS] = rows + 1};
    bool is_done = springs_reserve(&t->springs, rows, kind.has_rolls);
    for (int k = 0; k < CONTACT_COLUMNS; k++) {
        const column *c = &contact_columns[k];
        const bool is_wanted = kind.has_images || c->offset != offsetof(abut_columns, image);
        void **pointer = pointer_of(&t->columns, c);
        *pointer = is_wanted ? reserve(&t->blocks[k], counts[c->counts], c->size) : NULL;
        is_done = is_done && (*pointer || !is_wanted);
    }
    t->power = reserve(&t->blocks[POWER_BLOCK], rows, sizeof *t->power);
    t->room = is_done && t->power ? rows : 0;
    t->node_room = is_done && t->power ? nodes : 0;
    t->sphere_count = sphere_count;
    t->count = t->node_count = 0;
    return is_done && t->power ? ABUT_OK : ABUT_NO_MEMORY;
}

abut_status pair_table_reserve(pair_table *t, abut_index sphere_count, abut_index rows,
                               table_kind kind)
{
    abut_pair_columns *c = &t->columns;
    c->i = reserve(&t->blocks[0], rows, sizeof *c->i);
    c->j = reserve(&t->blocks[1], rows, sizeof *c->j);
    c->normal = reserve(&t->blocks[2], rows, 3 * sizeof *c->normal);
    c->overlap = reserve(&t->blocks[3], rows, sizeof *c->overlap);
    c->offsets = reserve(&t->blocks[4], sphere_count + 1, sizeof *c->offsets);
    c->image = kind.has_images ? reserve(&t->blocks[5], rows, 3 * sizeof *c->image) : NULL;
    const bool is_done = springs_reserve(&t->springs, rows, kind.has_rolls) && c->i && c->j &&
                         c->normal && c->overlap && c->offsets && (!kind.has_images || c->image);
    t->sphere_count = sphere_count;
    t->count = 0;
    return is_done ? ABUT_OK : ABUT_NO_MEMORY;
}

void contact_table_free(contact_table *t)
{
    memory_free_blocks(t->blocks, sizeof t->blocks / sizeof *t->blocks);
    springs_free(&t->springs);
    *t = (contact_table){0};
}

void pair_table_free(pair_table *t)
{
    memory_free_blocks(t->blocks, sizeof t->blocks / sizeof *t->blocks);
    springs_free(&t->springs);
    *t = (pair_table){0};
}

abut_index contact_table_bytes(const contact_table *t)
{
    return memory_count_bytes(t->blocks, sizeof t->blocks / sizeof *t->blocks) +
           springs_bytes(&t->springs);
}

abut_index pair_table_bytes(const pair_table *t)
{
    return memory_count_bytes(t->blocks, sizeof t->blocks / sizeof *t->blocks) +
           springs_bytes(&t->springs);
}

/* ---- where walls are touched ---- */

vec3 contact_table_point(const contact_table *t, abut_index row, const lattice *l)
{
    const vec3 point = vec3_load(t->columns.point + 3 * row);
    const abut_index *image = t->columns.image ? t->columns.image + 3 * row : NULL;
    return vec3_sub(point, lattice_shift_of(l, image));
}

/* ---- rows go along with spheres ---- */

/* Rows of one table that go to another one. */
typedef struct row_copy {
    abut_index to, from, count;
} row_copy;

static void copy_rows(void *to, const void *from, row_copy rows, size_t size)
{
    if (to && from && rows.count > 0) {
        memcpy((char *)to + (size_t)rows.to * size, (const char *)from + (size_t)rows.from * size,
               (size_t)rows.count * size);
    }
}

static void copy_springs(springs *to, const springs *from, row_copy rows)
{
    const size_t vector = 3 * sizeof(double);
    copy_rows(to->spring, from->spring, rows, vector);
    copy_rows(to->roll, from->roll, rows, vector);
    copy_rows(to->moment, from->moment, rows, vector);
    copy_rows(to->effects, from->effects, rows, sizeof(effect));
}

/* Write zeros where the other table has no rolling springs: a law of type C is new. */
static void clear_rolls(springs *to, const springs *from, abut_index count)
{
    if (to->roll && !from->roll) {
        memset(to->roll, 0, (size_t)count * 3 * sizeof(double));
        memset(to->moment, 0, (size_t)count * 3 * sizeof(double));
    }
}

/* The contacts of one sphere follow those that are there. */
static void append_contacts(contact_table *to, const contact_table *from, abut_index old,
                            abut_index new)
{
    const abut_index begin = from->columns.offsets[old], end = from->columns.offsets[old + 1];
    const abut_index node = from->columns.node_offsets[begin];
    const row_copy rows = {to->count, begin, end - begin};
    const row_copy nodes = {to->node_count, node, from->columns.node_offsets[end] - node};
    for (int k = 0; k < CONTACT_COLUMNS; k++) {
        const column *c = &contact_columns[k];
        if (c->counts == ROWS || c->counts == NODES) {
            copy_rows(*pointer_of(&to->columns, c), data_of(&from->columns, c),
                      c->counts == ROWS ? rows : nodes, c->size);
        }
    }
    for (abut_index k = 0; k < rows.count; k++) {
        to->columns.sphere[to->count + k] = new;
        to->columns.node_offsets[to->count + k + 1] =
            from->columns.node_offsets[begin + k + 1] - node + to->node_count;
    }
    copy_springs(&to->springs, &from->springs, rows);
    copy_rows(to->power, from->power, rows, sizeof *to->power);
    to->count += rows.count;
    to->node_count += nodes.count;
}

abut_status contact_table_renumber(contact_table *to, const contact_table *from,
                                   const renumbering *by)
{
    abut_status status =
        contact_table_reserve(to, by->count, from->count, from->node_count, by->kind);
    if (status) {
        return status;
    }
    to->columns.offsets[0] = to->columns.node_offsets[0] = 0;
    for (abut_index new = 0; new < by->count; new++) {
        const int32_t old = by->source[new];
        if (old >= 0 && old < from->sphere_count && from->count > 0) {
            append_contacts(to, from, old, new);
        }
        to->columns.offsets[new + 1] = to->count;
    }
    clear_rolls(&to->springs, &from->springs, to->count);
    return ABUT_OK;
}

/* ---- pairs ---- */

/* Rows of pairs in a new order, by counting: first by second sphere, then by first. */
typedef struct pair_order {
    int32_t *rows, *by_second; /* rows that stay */
    abut_index *begins;
    abut_index count;
} pair_order;

static int32_t new_number(const renumbering *by, abut_index old)
{
    return by->target[old];
}

static bool stays(const pair_table *from, const renumbering *by, abut_index row)
{
    return new_number(by, from->columns.i[row]) >= 0 && new_number(by, from->columns.j[row]) >= 0;
}

static int32_t new_first(const pair_table *from, const renumbering *by, abut_index row)
{
    const int32_t i = new_number(by, from->columns.i[row]),
                  j = new_number(by, from->columns.j[row]);
    return i < j ? i : j;
}

static int32_t new_second(const pair_table *from, const renumbering *by, abut_index row)
{
    const int32_t i = new_number(by, from->columns.i[row]),
                  j = new_number(by, from->columns.j[row]);
    return i < j ? j : i;
}

static void sort_by_second(pair_order *o, const pair_table *from, const renumbering *by)
{
    memset(o->begins, 0, (size_t)(by->count + 1) * sizeof *o->begins);
    for (abut_index row = 0; row < from->count; row++) {
        if (stays(from, by, row)) {
            o->begins[new_second(from, by, row)]++;
            o->count++;
        }
    }
    sort_sum_up(o->begins, by->count);
    for (abut_index row = 0; row < from->count; row++) {
        if (stays(from, by, row)) {
            o->by_second[o->begins[new_second(from, by, row)]++] = (int32_t)row;
        }
    }
}

static void sort_by_first(pair_order *o, const pair_table *from, const renumbering *by)
{
    memset(o->begins, 0, (size_t)(by->count + 1) * sizeof *o->begins);
    for (abut_index k = 0; k < o->count; k++) {
        o->begins[new_first(from, by, o->by_second[k])]++;
    }
    sort_sum_up(o->begins, by->count);
    for (abut_index k = 0; k < o->count; k++) {
        const int32_t row = o->by_second[k];
        o->rows[o->begins[new_first(from, by, row)]++] = row;
    }
}

static void negate(double *vector)
{
    for (int axis = 0; axis < 3 && vector; axis++) {
        vector[axis] = -vector[axis];
    }
}

/* Turn a pair around: what it is seen from its other sphere. */
static void flip_pair(pair_table *t, abut_index row)
{
    negate(t->columns.normal + 3 * row);
    negate(t->springs.effects[row].force);
    negate(table_vector(t->springs.spring, row));
    negate(table_vector(t->springs.roll, row));
    negate(table_vector(t->springs.moment, row));
    for (int axis = 0; t->columns.image && axis < 3; axis++) {
        t->columns.image[3 * row + axis] = -t->columns.image[3 * row + axis];
    }
}

static void append_pair(pair_table *to, const pair_table *from, abut_index row,
                        const renumbering *by)
{
    const row_copy rows = {to->count, row, 1};
    to->columns.i[to->count] = new_first(from, by, row);
    to->columns.j[to->count] = new_second(from, by, row);
    copy_rows(to->columns.normal, from->columns.normal, rows, 3 * sizeof(double));
    copy_rows(to->columns.overlap, from->columns.overlap, rows, sizeof(double));
    copy_rows(to->columns.image, from->columns.image, rows, 3 * sizeof(abut_index));
    copy_springs(&to->springs, &from->springs, rows);
    if (to->columns.i[to->count] != new_number(by, from->columns.i[row])) {
        flip_pair(to, to->count);
    }
    to->count++;
}

/* -1, 0 or 1: in which order the images of rows a and b are. */
static int compare_images(const pair_table *t, int32_t a, bool is_a_flipped, int32_t b,
                          bool is_b_flipped)
{
    for (int axis = 0; axis < 3; axis++) {
        const abut_index of_a = t->columns.image[3 * (abut_index)a + axis];
        const abut_index of_b = t->columns.image[3 * (abut_index)b + axis];
        const abut_index own = is_a_flipped ? -of_a : of_a, other = is_b_flipped ? -of_b : of_b;
        if (own != other) {
            return own < other ? -1 : 1;
        }
    }
    return 0;
}

static bool is_flipped(const pair_table *from, const renumbering *by, int32_t row)
{
    return new_number(by, from->columns.i[row]) > new_number(by, from->columns.j[row]);
}

/* Images of the same two spheres, which are few, by their numbers. */
static void sort_images(pair_order *o, const pair_table *from, const renumbering *by)
{
    for (abut_index k = 1; from->columns.image && k < o->count; k++) {
        const int32_t row = o->rows[k];
        abut_index at = k;
        while (at > 0 && new_first(from, by, o->rows[at - 1]) == new_first(from, by, row) &&
               new_second(from, by, o->rows[at - 1]) == new_second(from, by, row) &&
               compare_images(from, row, is_flipped(from, by, row), o->rows[at - 1],
                              is_flipped(from, by, o->rows[at - 1])) < 0) {
            o->rows[at] = o->rows[at - 1];
            at--;
        }
        o->rows[at] = row;
    }
}

static void write_offsets(pair_table *t)
{
    abut_index row = 0;
    for (abut_index i = 0; i <= t->sphere_count; i++) {
        while (row < t->count && t->columns.i[row] < i) {
            row++;
        }
        t->columns.offsets[i] = row;
    }
}

abut_status pair_table_renumber(pair_table *to, const pair_table *from, const renumbering *by)
{
    abut_status status = pair_table_reserve(to, by->count, from->count, by->kind);
    pair_order o = {.rows = memory_alloc(from->count, sizeof *o.rows),
                    .by_second = memory_alloc(from->count, sizeof *o.by_second),
                    .begins = memory_alloc(by->count + 1, sizeof *o.begins)};
    if (!o.rows || !o.by_second || !o.begins) {
        status = ABUT_NO_MEMORY;
    }
    if (!status) {
        sort_by_second(&o, from, by);
        sort_by_first(&o, from, by);
        sort_images(&o, from, by);
        for (abut_index k = 0; k < o.count; k++) {
            append_pair(to, from, o.rows[k], by);
        }
        clear_rolls(&to->springs, &from->springs, to->count);
        write_offsets(to);
    }
    memory_free(o.rows);
    memory_free(o.by_second);
    memory_free(o.begins);
    return status;
}
