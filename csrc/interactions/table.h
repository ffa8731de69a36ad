/* The interactions of a step, with what they exert and carry to the next one: one kind of table,
 * whoever the partners are.
 */
#ifndef INTERACTIONS_TABLE_H
#define INTERACTIONS_TABLE_H

#include "../abut/simulation.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/span.h"
#include "../base/vec3.h"
#include "kernels.h"

/* A row's vector; NULL where there is no such column. */
static inline double *table_vector(double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : NULL;
}

/* A row's vector; zeros where there are no vectors. */
static inline const double *table_vector_or_zeros(const double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : history_nothing;
}

/* Columns that not every simulation has. */
typedef struct table_extras {
    bool is_of_list; /* rows of pairs have candidates of a neighbor list in place of partners */
    bool has_images;
    history_layout layout; /* of what rows keep; with more than springs there are moments */
} table_extras;

enum { TABLE_COLUMNS = 34 };

/* Zero-initialize, but for the kind. A table may also stand for columns of a caller's: then it has
 * no blocks, and columns that are NULL are left out. */
typedef struct interaction_table {
    abut_interaction kind;
    abut_index count;       /* of rows */
    abut_index entry_count; /* nodes of contacts with walls, spots of bodies */
    abut_index first_count; /* first partners that offsets are of */
    /* rows of a list lie in chunks with room behind each: those of so many first spheres. i, j
     * and image are NULL until they are shown (dem/pair_rows.h) */
    row_span *chunks;
    abut_index chunk_count, chunk_firsts;      /* chunk_count: 0: rows follow one another */
    int32_t *candidates;                       /* of each row; they ascend in a chunk */
    const int32_t *list_firsts, *list_seconds; /* of all candidates; NULL: columns have them */
    union {
        abut_interaction_columns any;
        abut_columns contact;     /* ABUT_SPHERE_WALL */
        abut_pair_columns pair;   /* ABUT_SPHERE_SPHERE */
        abut_convex_columns body; /* those of bodies */
    };
    /* What each interaction has beside: a row has one, but of bodies each spot does. There are
     * ROW_PADDING more in memory. */
    double *history;       /* what it keeps, by the layout of `extras` */
    double *moment;        /* x 3: of rolling, on the sphere or on i; NULL: there are none */
    double *power;         /* of forces and moments on the wall; NULL where there is none */
    effect *effects;       /* of bodies forces alone; NULL of pairs, which have */
    double *force;         /* x 3: on i; NULL of others */
    abut_index *match;     /* in the table before, or -1; NULL of rows of a list */
    abut_index *row_match; /* of bodies: the row before, or -1 */
    table_extras extras;
    memory_block blocks[TABLE_COLUMNS];
    memory_block chunk_block;
    abut_index room[4]; /* by abut_column_per */
} interaction_table;

/* How large a table is to be. */
typedef struct table_size {
    abut_index rows, entries, firsts;
} table_size;

/* Room for so many rows, whose contents are anything, but 0 where searches leave zeros out.
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_reserve(interaction_table *t, table_size size, table_extras extras);
void table_free(interaction_table *t);

/* Room for rows of a list in chunks of so many first spheres. list_firsts and list_seconds are the
 * partners of its candidates. ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_reserve_chunks(interaction_table *t, abut_index count, abut_index firsts,
                                 const int32_t *list_firsts, const int32_t *list_seconds);

/* Let there be more first partners, which have no rows. ABUT_OK, or ABUT_NO_MEMORY with the rows as
 * they were. */
abut_status table_extend(interaction_table *t, abut_index first_count);

/* Nothing interacts: such a table need not have room, and has no offsets. Who reads these looks at
 * `count` before. */
static inline void table_clear(interaction_table *t, abut_index first_count)
{
    t->count = t->entry_count = t->chunk_count = 0;
    t->first_count = first_count;
    t->list_firsts = t->list_seconds = NULL;
}

abut_index table_bytes(const interaction_table *t);

/* Of a build for tests, ABUT_CHECK_LISTS: whether two searches have found the same rows. What is
 * carried is not compared, nor columns that one of both does not have. */
bool table_is_same(const interaction_table *t, const interaction_table *with);

/* Copy rows behind those that are there; 0 where the other table, of the same kind, has no such
 * column. Offsets of first partners are not copied. */
void table_append(interaction_table *to, const interaction_table *from, row_span rows);

/* Rows of a list get other candidates, which ascend as before: for each old one the new one, or -1:
 * the row goes. There are so many first partners then. */
void table_follow_list(interaction_table *t, const int32_t *candidates, abut_index first_count);

/* Leave out the rows that are not kept. */
void table_keep(interaction_table *t, const bool *is_kept);

/* Partners by other numbers: for each old one the new one, or -1; NULL: they stay. */
typedef struct renumbering {
    const int32_t *first, *second;
    abut_index first_count; /* of new ones */
} renumbering;

/* A table by other numbers, in the order that a search would give it; rows of partners that are
 * gone are left out. ABUT_OK or ABUT_NO_MEMORY. */
abut_status table_renumber(interaction_table *to, const interaction_table *from,
                           const renumbering *by, table_extras extras, int workers);

/* The columns of both partners; NULL of rows of a list. */
abut_index *table_firsts(const interaction_table *t);
abut_index *table_seconds(const interaction_table *t);

/* The numbers of a row's partners. */
static inline abut_index table_first(const interaction_table *t, abut_index row)
{
    return t->list_firsts ? t->list_firsts[t->candidates[row]] : table_firsts(t)[row];
}

static inline abut_index table_second(const interaction_table *t, abut_index row)
{
    return t->list_seconds ? t->list_seconds[t->candidates[row]] : table_seconds(t)[row];
}

/* Where the rows of each first partner begin, but of bodies; and the entries of each row, but of
 * pairs. Else NULL. */
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

/* How many interactions there are: of bodies these are spots. */
static inline abut_index table_interactions(const interaction_table *t)
{
    return table_is_of_bodies(t->kind) ? t->entry_count : t->count;
}

/* The force on the first partner. */
static inline double *table_force(const interaction_table *t, abut_index at)
{
    return t->force ? t->force + 3 * at : t->effects[at].force;
}

/* Whether an interaction has exerted a force. */
static inline bool table_exerts(const interaction_table *t, abut_index at)
{
    return vec3_max_abs(vec3_load(table_force(t, at))) > 0.0;
}

/* The row that a spot of bodies belongs to. */
abut_index table_row_of(const interaction_table *t, abut_index spot);

/* What an interaction keeps. */
static inline double *table_kept(const interaction_table *t, abut_index at)
{
    return t->history + at * history_numbers(&t->extras.layout);
}

/* What a row keeps; zeros where `at` is -1, for a contact that begins. */
static inline const double *table_kept_or_nothing(const interaction_table *t, abut_index at)
{
    return at < 0 ? history_nothing : table_kept(t, at);
}

/* Rows that follow one another: all, or those of a chunk. */
static inline abut_index table_span_count(const interaction_table *t)
{
    return t->chunk_count > 0 ? t->chunk_count : 1;
}

static inline row_span table_span(const interaction_table *t, abut_index k)
{
    return t->chunk_count > 0 ? t->chunks[k] : (row_span){0, t->count};
}

/* A way over all rows, whatever room is between them. Zero-initialize. */
typedef struct row_walk {
    abut_index next, end, span_count; /* span_count: those that were begun */
} row_walk;

/* The next row; -1: there is none. */
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

/* The rows of pairs whose first sphere this is; faster where the rows of the sphere before are
 * known: else NULL. */
row_span table_pairs_of(const interaction_table *t, abut_index sphere, const row_span *before);

/* The rows on walls of a sphere. */
static inline row_span table_contacts_of(const interaction_table *t, abut_index sphere)
{
    const abut_index *offsets = t->contact.offsets + sphere;
    return t->count > 0 ? (row_span){offsets[0], offsets[1] - offsets[0]} : (row_span){0, 0};
}

/* The row behind those of the same sphere, of contacts with walls. */
static inline abut_index table_sphere_end(const interaction_table *t, abut_index row)
{
    return t->contact.offsets[t->contact.sphere[row] + 1];
}

/* Where the wall itself is touched: a contact's point with its image's shift taken back. */
vec3 table_wall_point(const interaction_table *t, abut_index row, const lattice *l);

#endif
