/* What contacts of two materials exert: laws, as kernels read them (docs/dem.md, section 2).
 * Lengths, forces and energies are those of a contact with this R* and overlap, negative where
 * there is a gap. */
#ifndef INTERACTIONS_LAW_H
#define INTERACTIONS_LAW_H

#include "cohesion_numbers.h"
#include "history.h"
#include "user_laws.h"

typedef struct law_class law_class;

/* The law of two materials. With q = sqrt(R* overlap) for Hertz and 1 for linear laws the elastic
 * force is elastic q overlap, the tangential stiffness shear q, and the damping coefficients are
 * these times sqrt(q m*). All kernels read the LAW_NUMBERS numbers before `cohesion`. */
typedef struct law {
    double exponent; /* of the overlap, in the elastic force: 1.5 or 1 */
    double elastic, shear;
    double normal_damping, shear_damping;
    double friction;
    double rolling_friction;
    double rolling_damping; /* of type C: 2 eta; -1: type A */
    cohesion cohesion;
    const law_class *of;
    const abut_user_law *own; /* the user's that it is; NULL: it is built-in */
    double curvature;         /* the radius of a body that is not rounded; 0: none */
    bool begins_apart;        /* contacts begin within reach; otherwise at touch */
    bool is_missing;          /* the caller gave none */
} law;

enum { LAW_NUMBERS = offsetof(law, cohesion) / sizeof(double) };

/* The functions that laws are computed by. */
typedef enum law_function { LAW_PLAIN, LAW_COHESIVE, LAW_OWN } law_function;

/* The range of a caller's number. */
typedef struct law_range {
    size_t offset; /* in an abut_law */
    double least, most;
} law_range;

/* What all laws of one form have in common: a row of law.c. */
struct law_class {
    law_function function;
    law_range ranges[4]; /* of numbers that other laws do not have; as many as have a `most` */
    double pull;         /* the greatest one by R* and the number of this offset */
    size_t pull_offset;
    double support, support_apart; /* see cohesion */
    double most_length;            /* by 2 R*: for which the formulas hold; 0: for any */
    bool begins_apart;             /* as far as a contact reaches at all */
    bool has_neck;                 /* instead of the push of other laws */
    bool keeps_most;               /* its force depends on the largest overlap */
    abut_law_kind alone;           /* the kind that may have it; 0: any */

    /* what is stored beside the push, of a neck and with the largest overlap all along the normal;
     * NULL: nothing */
    double (*energy)(const law *l, double radius, double overlap, double most);

    /* how far apart a contact that lives still exerts something, and the farthest of all contacts
     * of a sphere, whatever it meets; NULL: not at all */
    double (*reach)(const law *l, double radius);
    double (*most_reach)(const law *l, double radius);
    law_stiffness (*stiffness)(const law *l, const law_contact *contact);
};

/* The first number of a law that is out of its range; NULL: there is none. own: NULL: no law is a
 * user's. */
const double *law_find_bad(const abut_law *from, const abut_user_laws *own);

/* A law that was checked. */
law law_read(const abut_law *from, const user_laws *own);

/* Whether one function computes both laws, in one go. */
static inline bool law_is_like(const law *a, const law *b)
{
    return a->of->function == b->of->function && a->own == b->own;
}

static inline double law_reach(const law *l, double radius)
{
    return l->of->reach ? l->of->reach(l, radius) : 0.0;
}

/* Whether what a law exerts depends on R*: there is none where a body has neither a rounding nor a
 * curvature. */
static inline bool law_asks_for_radius(const law *l)
{
    return l->exponent > 1.0 || l->rolling_friction > 0.0 || l->of->function != LAW_PLAIN;
}

/* By what a contact attracts, the rest of what acts along its normal being at least 0. With JKR the
 * greatest pull there is, whatever the overlap. */
double law_pull(const law *l, double radius, double overlap);

/* Whether a contact at rest attracts. */
bool law_attracts(const law *l, double radius, double overlap);

/* The radius of a body at a spot: that of its rounding, which is what touches there, or else that
 * which the law has for bodies without; 0: none. */
static inline double law_radius_of_body(const law *l, double rounding)
{
    return rounding > 0.0 ? rounding : l->curvature;
}

/* Built-in laws look at the overlap and R* alone. */
static inline law_stiffness law_stiffness_at(const law *l, const law_contact *contact)
{
    return l->of->stiffness(l, contact);
}

/* Where a contact comes to that meets at this speed: under Hertz' law, without cohesion and
 * damping, to the overlap that stores its energy; not below the overlap that the contact has
 * already. */
double law_overlap_of_blow(const law *l, const law_contact *contact, double speed);

/* How much shorter a damped swing's longest stable step is than that of one without damping:
 * sqrt(1 + r^2) - r (docs/dem.md, section 2). */
double law_stable_part(double damping_ratio);

/* The longest stable step of a swing of this frequency, squared, by the ratio of its damping to its
 * stiffness. INFINITY, where nothing swings. */
double law_stable_step(double frequency_sq, double ratio);

/* The energy that a contact with this spring, and this largest overlap of all, stores: that of its
 * cohesion is against where contacts begin, at touch or at their reach. */
double law_energy(const law *l, double radius, double overlap, const double *spring, double most);

#endif
