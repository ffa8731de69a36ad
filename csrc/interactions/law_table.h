/* The laws for all pairs of materials. */
#ifndef INTERACTIONS_LAW_TABLE_H
#define INTERACTIONS_LAW_TABLE_H

#include "law.h"

/* Zero-initialize. */
typedef struct law_table {
    law *laws; /* material_count x material_count, then a law without forces */
    user_laws user;
    abut_index material_count;
    bool has_missing;
    bool are_alike; /* one kernel function can compute all laws, except the law without forces */
    bool pulls_or_reaches; /* a law has cohesion, or is a user law with a reach */
    history_layout layout; /* layout of the contact history */
} law_table;

/* Checks the caller's laws for all pairs of materials. Returns ABUT_OK or ABUT_BAD_LAW. */
abut_status laws_check(abut_index material_count, const abut_law *laws, const abut_user_laws *own,
                       abut_error *error);

/* Sets all laws. The number of a user law is its position in `own`. Returns ABUT_OK, or
 * ABUT_NO_MEMORY or ABUT_BAD_LAW with the table unchanged. */
abut_status laws_set(law_table *table, abut_index material_count, const abut_law *laws,
                     const abut_user_laws *own, abut_error *error);
void laws_free(law_table *table);

static inline abut_index laws_number(const law_table *table, abut_index a, abut_index b)
{
    return a * table->material_count + b;
}

static inline const law *laws_between(const law_table *table, abut_index a, abut_index b)
{
    return &table->laws[laws_number(table, a, b)];
}

/* The law without forces, for example between members of one cluster. */
static inline const law *laws_none(const law_table *table)
{
    return &table->laws[table->material_count * table->material_count];
}

static inline bool laws_have_own(const law_table *table)
{
    return table->user.count > 0;
}

/* Whether all laws are LAW_PLAIN. */
static inline bool laws_are_plain(const law_table *table)
{
    return !table->pulls_or_reaches && !laws_have_own(table);
}

/* The largest reach of contacts of a sphere with any partner. */
double laws_most_reach(const law_table *table, abut_index material, double radius);

#endif
