/* The contacts and the pairs of a step, with what they exert and what they carry to the next one.
 */
#ifndef DEM_TABLES_H
#define DEM_TABLES_H

#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/vec3.h"
#include "../interactions/kernels.h"

/* What tables have beside their columns; rows have ROW_PADDING more in memory. */
typedef struct springs {
    double *spring;    /* rows x 3: T */
    double *roll;      /* rows x 3: M; NULL without laws of type C */
    double *moment;    /* rows x 3, likewise: of rolling, on the sphere or on i */
    effect *effects;   /* rows */
    abut_index *match; /* rows: in the table before, or -1 */
    memory_block spring_block, roll_block, moment_block, effect_block, match_block;
} springs;

/* Room for so many rows; whether there is. */
bool springs_reserve(springs *s, abut_index rows, bool has_rolls);
void springs_free(springs *s);
abut_index springs_bytes(const springs *s);

typedef struct contact_table {
    abut_index count, node_count, sphere_count;
    abut_columns columns;
    springs springs;
    double *power; /* rows: of forces and moments on the wall */
    memory_block blocks[16];
    abut_index room, node_room; /* rows and nodes that the columns have room for */
} contact_table;

typedef struct pair_table {
    abut_index count, sphere_count;
    abut_pair_columns columns;
    springs springs;
    memory_block blocks[6];
} pair_table;

/* A row's vector; NULL where there is no such column. */
static inline double *table_vector(double *vectors, abut_index row)
{
    return vectors ? vectors + 3 * row : NULL;
}

/* The row behind those of the same sphere. */
static inline abut_index contact_table_end(const contact_table *t, abut_index row)
{
    return t->columns.offsets[t->columns.sphere[row] + 1];
}

/* Which columns a simulation has. */
typedef struct table_kind {
    bool has_images, has_rolls;
} table_kind;

/* Where the wall itself is touched: a contact's point with its image's shift taken back. */
vec3 contact_table_point(const contact_table *t, abut_index row, const lattice *l);

/* Room for so many rows, whose contents are anything. ABUT_OK or ABUT_NO_MEMORY. */
abut_status contact_table_reserve(contact_table *t, abut_index sphere_count, abut_index rows,
                                  abut_index nodes, table_kind kind);
abut_status pair_table_reserve(pair_table *t, abut_index sphere_count, abut_index rows,
                               table_kind kind);
void contact_table_free(contact_table *t);
void pair_table_free(pair_table *t);

abut_index contact_table_bytes(const contact_table *t);
abut_index pair_table_bytes(const pair_table *t);

/* Spheres by other numbers: `source` has for each new one the old one, or -1. */
typedef struct renumbering {
    const int32_t *source; /* count */
    abut_index count;
    const int32_t *target; /* for each old one the new one, or -1 */
    table_kind kind;
} renumbering;

/* A table by other numbers, in the order that a search would give it; rows of spheres that are gone
 * are left out. ABUT_OK or ABUT_NO_MEMORY. */
abut_status contact_table_renumber(contact_table *to, const contact_table *from,
                                   const renumbering *by);
abut_status pair_table_renumber(pair_table *to, const pair_table *from, const renumbering *by);

#endif
