/* What contacts of two materials exert: laws, as kernels read them (docs/dem.md, section 2). */
#ifndef INTERACTIONS_LAWS_H
#define INTERACTIONS_LAWS_H

#include <stdbool.h>

#include "cohesion.h"
#include "own_laws.h"

/* A law as a cache line. With q = sqrt(R* overlap) for Hertz and 1 for linear laws the elastic
 * force is elastic q overlap, the tangential stiffness shear q, and the damping coefficients are
 * these times sqrt(q m*). */
typedef struct law {
    double is_hertz; /* 1 or 0 */
    double elastic, shear;
    double normal_damping, shear_damping;
    double friction;
    double rolling_friction;
    double rolling_damping; /* of type C: 2 eta; -1: type A */
} law;

/* The functions that laws are computed by. */
typedef enum law_function { LAW_PLAIN, LAW_COHESIVE, LAW_OWN } law_function;

enum { LAW_NUMBERS = sizeof(law) / sizeof(double) };

/* The laws of all pairs of materials. Zero-initialize. */
typedef struct law_table {
    law *laws; /* material_count x material_count, and behind them the law that exerts nothing */
    bool *is_missing;     /* of each law: the caller gave none */
    double *curvatures;   /* of each law: the radius of a body that is not rounded; 0: none */
    cohesion *cohesions;  /* of each law */
    int32_t *own_numbers; /* of each law: which of the users' it is; -1: none */
    own_laws own;
    abut_index material_count;
    bool has_missing;
    bool are_alike;           /* one function computes them all; the law of none is not counted */
    bool pulls_or_reaches;    /* some law has cohesion, or is a user's with a reach */
    bool has_rolling_springs; /* some law is of type C */
} law_table;

/* Laws of users are those that `number` says. ABUT_OK, ABUT_NO_MEMORY or ABUT_BAD_LAW; then the
 * table is as it was. */
abut_status laws_set(law_table *table, abut_index material_count, const abut_law *laws,
                     const abut_own_laws *own, abut_error *error);
void laws_free(law_table *table);

static inline abut_index laws_number(const law_table *table, abut_index a, abut_index b)
{
    return a * table->material_count + b;
}

/* The number of the law that exerts nothing, as between members of one cluster. */
static inline abut_index laws_number_of_none(const law_table *table)
{
    return table->material_count * table->material_count;
}

static inline const cohesion *laws_cohesion(const law_table *table, const law *l)
{
    return &table->cohesions[l - table->laws];
}

/* The user's law that a law is; NULL: none. */
static inline const abut_own_law *laws_own(const law_table *table, const law *l)
{
    const int32_t number = table->own_numbers[l - table->laws];
    return number < 0 ? NULL : &table->own.laws[number];
}

static inline bool laws_have_own(const law_table *table)
{
    return table->own.count > 0;
}

/* Whether all laws are LAW_PLAIN. */
static inline bool laws_are_plain(const law_table *table)
{
    return !table->pulls_or_reaches && !laws_have_own(table);
}

static inline law_function laws_function(const law_table *table, const law *l)
{
    if (table->own_numbers[l - table->laws] >= 0) {
        return LAW_OWN;
    }
    return laws_cohesion(table, l)->kind == ABUT_NO_COHESION ? LAW_PLAIN : LAW_COHESIVE;
}

/* Whether one function computes both laws, in one go. */
static inline bool laws_are_alike(const law_table *table, const law *a, const law *b)
{
    return laws_function(table, a) == laws_function(table, b) &&
           laws_own(table, a) == laws_own(table, b);
}

/* How far apart contacts of this law and R* still exert something. */
static inline double laws_reach(const law_table *table, const law *l, double radius)
{
    const abut_own_law *own = laws_own(table, l);
    return own ? own->reach : cohesion_reach(laws_cohesion(table, l), radius);
}

/* Whether two that do not touch, and did not in the step before, exert something on each other
 * within their reach. */
static inline bool laws_begin_apart(const law_table *table, const law *l)
{
    return laws_own(table, l) || laws_cohesion(table, l)->begins_apart;
}

/* The farthest reach of a sphere's contacts, whatever it meets. */
double laws_most_reach(const law_table *table, abut_index material, double radius);

/* Whether what a law exerts depends on R*: there is none where a body has neither a rounding nor a
 * curvature. */
static inline bool laws_ask_for_radius(const law_table *table, const law *l)
{
    return l->is_hertz > 0.0 || l->rolling_friction > 0.0 || laws_function(table, l) != LAW_PLAIN;
}

/* Whether a contact at rest attracts. */
bool laws_pull(const law_table *table, const law *l, double radius, double overlap);

/* The radius of a body at a spot: that of its rounding, which is what touches there, or else that
 * which one of the table's laws has for bodies without; 0: none. */
static inline double laws_radius_of_body(const law_table *table, const law *l, double rounding)
{
    return rounding > 0.0 ? rounding : table->curvatures[l - table->laws];
}

/* Built-in laws look at the overlap and R* alone. */
law_stiffness laws_stiffness(const law_table *table, const law *l, const own_contact *contact);

/* Where a contact comes to that meets at this speed: under Hertz' law, without cohesion and
 * damping, to the overlap that stores its energy; not below the overlap that the contact has
 * already. */
double laws_overlap_of_blow(const law *l, const own_contact *contact, double speed);

/* How much shorter a damped swing's longest stable step is than that of one without damping:
 * sqrt(1 + r^2) - r (docs/dem.md, section 2). */
double laws_stable_part(double damping_ratio);

/* The energy that a contact with this spring stores: that of its cohesion is against where
 * contacts begin, at touch or at their reach. */
double laws_energy(const law_table *table, const law *l, double radius, double overlap,
                   const double *spring);

#endif
