/* The interactions of a step, with their forces and contact history. One kind of table is used for
 * all kinds of partners. */
#ifndef INTERACTIONS_TABLE_H
#define INTERACTIONS_TABLE_H

#include "../abut/simulation.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/span.h"
#include "../base/vec3.h"
#include "kernels.h"

/* The vector of a row in a column; NULL if the table does not have the column. */
static inline double *table_vector(double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : NULL;
}

/* The vector of a row in a column; zeros if the table does not have the column. */
static inline const double *table_vector_or_zeros(const double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : history_nothing;
}

/* Properties of a table's columns that depend on the simulation. */
typedef struct table_extras {
    bool is_of_list; /* pairs: each row holds the number of a candidate instead of partners */
    bool has_images;
    history_layout layout; /* of the history; if it has more than springs, there are moments */
} table_extras;

enum { TABLE_COLUMNS = 34 };

/* Zero-initialize all members except `kind`. A table may also refer to the caller's columns. Then
 * it has no blocks, and some columns may be NULL. */
typedef struct interaction_table {
    abut_interaction kind;
    abut_index count;       /* number of rows */
    abut_index entry_count; /* number of nodes (contacts with walls) or spots (bodies) */
    abut_index first_count; /* number of first partners, which have offsets */
    /* Rows of pairs that hold candidates are stored in chunks of first spheres, with spare rows
     * behind each chunk. Then i, j and image are NULL until dem/pair_rows.h writes them. */
    row_span *chunks;
    abut_index chunk_count, chunk_firsts;      /* chunk_count: 0: all rows are consecutive */
    int32_t *candidates;                       /* the candidate of each row; ascending in a chunk */
    const int32_t *list_firsts, *list_seconds; /* both spheres of each candidate; NULL: the columns
                                                  i and j hold the partners */
    union {
        abut_interaction_columns any;
        abut_columns contact;     /* of ABUT_SPHERE_WALL */
        abut_pair_columns pair;   /* of ABUT_SPHERE_SPHERE */
        abut_convex_columns body; /* of the kinds with bodies */
    };
    /* Further columns, with one entry per spot in tables of bodies, and one per row in others.
     * Their memory has ROW_PADDING more entries. */
    double *history;       /* contact history, with the layout in `extras` */
    double *moment;        /* count x 3: on the sphere or on i; NULL: no law has moments */
    double *power;         /* power of force and moment on the wall; NULL without walls */
    effect *effects;       /* NULL for pairs; in tables of bodies only `force` is set */
    double *force;         /* only pairs: forces on i, x 3 */
    abut_index *match;     /* row or spot of the last step, or -1; NULL for rows of a list */
    abut_index *row_match; /* only bodies: the row of the last step that a row continues, or -1 */
    table_extras extras;
    memory_block blocks[TABLE_COLUMNS];
    memory_block chunk_block;
    abut_index room[4]; /* number of entries that fit, by abut_column_per */
} interaction_table;

/* Numbers of rows, entries and first partners for which a table needs memory. */
typedef struct table_size {
    abut_index rows, entries, firsts;
} table_size;

/* Reserves memory for rows. Contents are undefined, except for zeros in columns with ABUT_ZEROS.
 * Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_reserve(interaction_table *t, table_size size, table_extras extras);
void table_free(interaction_table *t);

/* Reserves chunks of `firsts` first spheres each, for rows of a list. list_firsts and list_seconds:
 * partners of the list's candidates. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_reserve_chunks(interaction_table *t, abut_index count, abut_index firsts,
                                 const int32_t *list_firsts, const int32_t *list_seconds);

/* Adds first partners without rows. Returns ABUT_OK, or ABUT_NO_MEMORY with the rows unchanged. */
abut_status table_extend(interaction_table *t, abut_index first_count);

/* Empties the table. An empty table may have no memory and no valid offsets: check `count` before
 * reading them. */
static inline void table_clear(interaction_table *t, abut_index first_count)
{
    t->count = t->entry_count = t->chunk_count = 0;
    t->first_count = first_count;
    t->list_firsts = t->list_seconds = NULL;
}

abut_index table_bytes(const interaction_table *t);

/* In builds with ABUT_CHECK_LISTS: whether two searches have found the same rows. Only columns of
 * searches that both tables have are compared, without forces and history. */
bool table_is_same(const interaction_table *t, const interaction_table *with);

/* Appends rows of another table of the same kind. Columns that the other table lacks become 0.
 * Offsets of first partners are not copied. */
void table_append(interaction_table *to, const interaction_table *from, row_span rows);

/* Renumbers the candidates of rows. candidates: the new number of each old one, or -1 to remove its
 * row; the order stays. first_count: the new number of first partners. */
void table_follow_list(interaction_table *t, const int32_t *candidates, abut_index first_count);

/* Removes the rows that are not kept. */
void table_keep(interaction_table *t, const bool *is_kept);

/* The new number of each partner, or -1 if it is removed; NULL: unchanged. */
typedef struct renumbering {
    const int32_t *first, *second;
    abut_index first_count; /* number of first partners afterwards */
} renumbering;

/* Writes a table with new numbers of partners into `to`. Rows are in the order of a search. Rows of
 * removed partners are not written. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_renumber(interaction_table *to, const interaction_table *from,
                           const renumbering *by, table_extras extras, int workers);

/* The columns of both partners; NULL if rows hold candidates of a neighbor list instead.
 * table_first and table_second work for both. */
abut_index *table_firsts(const interaction_table *t);
abut_index *table_seconds(const interaction_table *t);

/* The partners of a row. */
static inline abut_index table_first(const interaction_table *t, abut_index row)
{
    return t->list_firsts ? t->list_firsts[t->candidates[row]] : table_firsts(t)[row];
}

static inline abut_index table_second(const interaction_table *t, abut_index row)
{
    return t->list_seconds ? t->list_seconds[t->candidates[row]] : table_seconds(t)[row];
}

/* Positions at which the rows of each first partner begin; NULL for bodies. */
abut_index *table_offsets(const interaction_table *t);
/* Positions at which the entries of each row begin; NULL for pairs. */
abut_index *table_entry_offsets(const interaction_table *t);

static inline bool table_is_of_bodies(abut_interaction kind)
{
    return kind < ABUT_SPHERE_WALL;
}

static inline bool table_is_on_wall(abut_interaction kind)
{
    return kind == ABUT_BODY_WALL || kind == ABUT_SPHERE_WALL;
}

/* The number of interactions; for bodies these are spots. */
static inline abut_index table_interactions(const interaction_table *t)
{
    return table_is_of_bodies(t->kind) ? t->entry_count : t->count;
}

/* The force of an interaction on its first partner. */
static inline double *table_force(const interaction_table *t, abut_index at)
{
    return t->force ? t->force + 3 * at : t->effects[at].force;
}

/* Whether the force of an interaction is not 0. */
static inline bool table_exerts(const interaction_table *t, abut_index at)
{
    return vec3_max_abs(vec3_load(table_force(t, at))) > 0.0;
}

/* The row to which a spot of bodies belongs. */
abut_index table_row_of(const interaction_table *t, abut_index spot);

/* The contact history of an interaction. */
static inline double *table_kept(const interaction_table *t, abut_index at)
{
    return t->history + at * history_numbers(&t->extras.layout);
}

/* The contact history of an interaction; zeros if `at` is -1 (a new contact). */
static inline const double *table_kept_or_nothing(const interaction_table *t, abut_index at)
{
    return at < 0 ? history_nothing : table_kept(t, at);
}

/* The number of ranges of consecutive rows: one for each chunk, or one for all rows. */
static inline abut_index table_span_count(const interaction_table *t)
{
    return t->chunk_count > 0 ? t->chunk_count : 1;
}

static inline row_span table_span(const interaction_table *t, abut_index k)
{
    return t->chunk_count > 0 ? t->chunks[k] : (row_span){0, t->count};
}

/* An iteration over all rows, without the spare rows between chunks. Zero-initialize. */
typedef struct row_walk {
    abut_index next, end, span_count; /* span_count: number of ranges begun */
} row_walk;

/* The next row; -1 at the end. */
static inline abut_index table_walk(const interaction_table *t, row_walk *w)
{
    while (w->next == w->end) {
        if (w->span_count == table_span_count(t)) {
            return -1;
        }
        const row_span rows = table_span(t, w->span_count++);
        w->next = rows.first, w->end = rows.first + rows.count;
    }
    return w->next++;
}

/* The rows of pairs with this first sphere. before: the rows of the sphere before it, or NULL, with
 * which the function takes longer. */
row_span table_pairs_of(const interaction_table *t, abut_index sphere, const row_span *before);

/* The rows of a sphere's contacts with walls. */
static inline row_span table_contacts_of(const interaction_table *t, abut_index sphere)
{
    const abut_index *offsets = t->contact.offsets + sphere;
    return t->count > 0 ? (row_span){offsets[0], offsets[1] - offsets[0]} : (row_span){0, 0};
}

/* The position behind the last contact with walls of this row's sphere. */
static inline abut_index table_sphere_end(const interaction_table *t, abut_index row)
{
    return t->contact.offsets[t->contact.sphere[row] + 1];
}

/* The contact point on the wall, without the shift of the wall's image. */
vec3 table_wall_point(const interaction_table *t, abut_index row, const lattice *l);

#endif
