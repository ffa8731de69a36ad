/* The interactions of a step, with their forces and contact history. One kind of table serves all
 * kinds of partners. */
#ifndef INTERACTIONS_TABLE_H
#define INTERACTIONS_TABLE_H

#include "../abut/simulation.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/span.h"
#include "../base/vec3.h"
#include "kernels.h"

/* A row's vector; NULL if there is no such column. */
static inline double *table_vector(double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : NULL;
}

/* A row's vector; zeros if there is no such column. */
static inline const double *table_vector_or_zeros(const double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : history_nothing;
}

/* Columns that depend on the simulation. */
typedef struct table_extras {
    bool is_of_list; /* rows of pairs have candidates of a neighbor list in place of partners */
    bool has_images;
    history_layout layout; /* of the history; with more than tangential springs there are moments */
} table_extras;

enum { TABLE_COLUMNS = 34 };

/* Zero-initialize all members but `kind`. A table may also refer to columns of the caller. Then it
 * has no blocks, and may lack columns (NULL). */
typedef struct interaction_table {
    abut_interaction kind;
    abut_index count;       /* number of rows */
    abut_index entry_count; /* nodes of contacts with walls, spots of bodies */
    abut_index first_count; /* number of first partners, which have offsets */
    /* Rows of a list are stored in chunks of first spheres, with room behind each chunk. i, j and
     * image are NULL until dem/pair_rows.h writes them. */
    row_span *chunks;
    abut_index chunk_count, chunk_firsts;      /* chunk_count: 0: all rows are consecutive */
    int32_t *candidates;                       /* of each row; ascending in a chunk */
    const int32_t *list_firsts, *list_seconds; /* partners of all candidates; NULL: columns have the
                                                  partners */
    union {
        abut_interaction_columns any;
        abut_columns contact;     /* ABUT_SPHERE_WALL */
        abut_pair_columns pair;   /* ABUT_SPHERE_SPHERE */
        abut_convex_columns body; /* the kinds with bodies */
    };
    /* Further columns, with one entry per spot for bodies, and one per row for other kinds. They
     * have ROW_PADDING more entries in memory. */
    double *history;       /* contact history, by the layout in `extras` */
    double *moment;        /* x 3: of rolling, on the sphere or on i; NULL: no law has moments */
    double *power;         /* power of forces and moments on the wall; NULL without walls */
    effect *effects;       /* for bodies with forces alone; NULL for pairs */
    double *force;         /* x 3: on i; for pairs alone */
    abut_index *match;     /* row in the table before, or -1; NULL for rows of a list */
    abut_index *row_match; /* for bodies: the row in the table before, or -1 */
    table_extras extras;
    memory_block blocks[TABLE_COLUMNS];
    memory_block chunk_block;
    abut_index room[4]; /* by abut_column_per */
} interaction_table;

/* The required size of a table. */
typedef struct table_size {
    abut_index rows, entries, firsts;
} table_size;

/* Reserves memory for rows. Contents are undefined, apart from zeros in columns with ABUT_ZEROS.
 * Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_reserve(interaction_table *t, table_size size, table_extras extras);
void table_free(interaction_table *t);

/* Reserves chunks of `firsts` first spheres each, for rows of a list. list_firsts and list_seconds
 * are the partners of its candidates. Returns ABUT_OK or ABUT_NO_MEMORY. */
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

/* For builds with ABUT_CHECK_LISTS: whether two searches have found the same rows. History, and
 * columns that only one table has, are not compared. */
bool table_is_same(const interaction_table *t, const interaction_table *with);

/* Appends rows of another table of the same kind; columns that it lacks become 0. Offsets of first
 * partners are not copied. */
void table_append(interaction_table *to, const interaction_table *from, row_span rows);

/* Renumbers the candidates of rows. candidates: the new number of each old one, or -1 to remove its
 * row; new numbers ascend as the old ones do. first_count: the new number of first partners. */
void table_follow_list(interaction_table *t, const int32_t *candidates, abut_index first_count);

/* Removes the rows that are not kept. */
void table_keep(interaction_table *t, const bool *is_kept);

/* New numbers of partners: one for each old number, or -1; NULL: unchanged. */
typedef struct renumbering {
    const int32_t *first, *second;
    abut_index first_count; /* number of new first partners */
} renumbering;

/* Writes the table with new numbers of partners, in the order of a search, without rows of removed
 * partners. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_renumber(interaction_table *to, const interaction_table *from,
                           const renumbering *by, table_extras extras, int workers);

/* The columns of both partners; NULL for rows of a list. */
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

/* Where the rows of each first partner begin (NULL for bodies), and where the entries of each row
 * begin (NULL for pairs). */
abut_index *table_offsets(const interaction_table *t);
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

/* The force on the first partner. */
static inline double *table_force(const interaction_table *t, abut_index at)
{
    return t->force ? t->force + 3 * at : t->effects[at].force;
}

/* Whether the force of an interaction is not 0. */
static inline bool table_exerts(const interaction_table *t, abut_index at)
{
    return vec3_max_abs(vec3_load(table_force(t, at))) > 0.0;
}

/* The row that a spot of bodies belongs to. */
abut_index table_row_of(const interaction_table *t, abut_index spot);

/* The history of an interaction. */
static inline double *table_kept(const interaction_table *t, abut_index at)
{
    return t->history + at * history_numbers(&t->extras.layout);
}

/* The history of an interaction; zeros if `at` is -1, for a new contact. */
static inline const double *table_kept_or_nothing(const interaction_table *t, abut_index at)
{
    return at < 0 ? history_nothing : table_kept(t, at);
}

/* Spans of consecutive rows: all rows, or those of one chunk. */
static inline abut_index table_span_count(const interaction_table *t)
{
    return t->chunk_count > 0 ? t->chunk_count : 1;
}

static inline row_span table_span(const interaction_table *t, abut_index k)
{
    return t->chunk_count > 0 ? t->chunks[k] : (row_span){0, t->count};
}

/* An iteration over all rows, which skips the room between chunks. Zero-initialize. */
typedef struct row_walk {
    abut_index next, end, span_count; /* span_count: spans that were begun */
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

/* The rows of pairs with this first sphere. before: the rows of the sphere before, which makes it
 * faster; NULL: not known. */
row_span table_pairs_of(const interaction_table *t, abut_index sphere, const row_span *before);

/* The rows of a sphere on walls. */
static inline row_span table_contacts_of(const interaction_table *t, abut_index sphere)
{
    const abut_index *offsets = t->contact.offsets + sphere;
    return t->count > 0 ? (row_span){offsets[0], offsets[1] - offsets[0]} : (row_span){0, 0};
}

/* The end of the rows of the same sphere, for contacts with walls. */
static inline abut_index table_sphere_end(const interaction_table *t, abut_index row)
{
    return t->contact.offsets[t->contact.sphere[row] + 1];
}

/* The contact point on the wall itself: the row's point without the shift of its image. */
vec3 table_wall_point(const interaction_table *t, abut_index row, const lattice *l);

#endif
