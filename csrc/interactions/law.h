/* Contact laws of two materials, in the form that kernels read (docs/dem.md §2). Functions compute
 * numbers of one contact. Their `radius` is R*, and a negative `overlap` is a gap. The reach of a
 * law is the largest gap across which it exerts a force. */
#ifndef INTERACTIONS_LAW_H
#define INTERACTIONS_LAW_H

#include "cohesion_numbers.h"
#include "history.h"
#include "user_laws.h"

typedef struct law_class law_class;

/* The law of two materials. With q = sqrt(R* overlap) for Hertz and q = 1 for linear laws, the
 * elastic force is `elastic` q overlap and the tangential stiffness is `shear` q. The damping
 * coefficients are `normal_damping` and `shear_damping` times sqrt(q m*) (docs/dem.md eq. 5, 6 and
 * 9). Kernels read the LAW_NUMBERS numbers before `cohesion`. */
typedef struct law {
    double exponent; /* of the overlap in the elastic force: 1.5 or 1 */
    double elastic, shear;
    double normal_damping, shear_damping;
    double friction;
    double rolling_friction;
    double rolling_damping; /* rolling of type C: 2 eta (docs/dem.md eq. 14); of type A: -1 */
    cohesion cohesion;
    const law_class *form;
    const abut_user_law *user; /* the user law; NULL: a built-in law */
    double curvature;          /* radius of curvature of bodies without rounding; 0: none */
    bool begins_apart;         /* contacts begin when they come within reach, not at touch */
    bool is_missing;           /* the caller has set no law for these two materials */
} law;

enum { LAW_NUMBERS = offsetof(law, cohesion) / sizeof(double) };

/* The kernel functions that compute laws. */
typedef enum law_function { LAW_PLAIN, LAW_COHESIVE, LAW_USER } law_function;

/* The range of a number of the caller's law. */
typedef struct law_range {
    size_t offset; /* of the number, in an abut_law */
    double least, most;
} law_range;

/* Properties of all laws of one class: a row of the table in law.c. */
struct law_class {
    law_function function;
    law_range ranges[4]; /* of the numbers that only this class has; `most` 0 ends the list */
    double pull; /* the largest attraction, divided by R* and by the number at pull_offset; for
                    Luding's law the attraction at an overlap of R* */
    size_t pull_offset;
    double support, support_apart; /* see struct cohesion */
    double most_length;  /* largest `length` for which the formulas hold, divided by 2 R*; 0: any */
    bool begins_apart;   /* contacts begin at the reach, not at touch, if the reach is not 0 */
    bool has_neck;       /* the elastic force is that of JKR's neck */
    bool keeps_most;     /* the force depends on the largest overlap, which the history stores */
    abut_law_kind alone; /* the only kind of law that may have this cohesion; 0: any kind */

    /* The energy that the normal force stores, without the part of the elastic force of a plain
     * law. With has_neck or keeps_most it is all energy of the normal force. NULL: 0. */
    double (*energy)(const law *l, double radius, double overlap, double most);

    /* reach: the reach of a contact. most_reach: the largest reach of contacts of a sphere with
     * this radius, with any partner. NULL: 0. */
    double (*reach)(const law *l, double radius);
    double (*most_reach)(const law *l, double radius);
    law_stiffness (*stiffness)(const law *l, const law_contact *contact);
};

/* Returns the first number of a law that is out of its range, or NULL. own: the user laws; NULL:
 * there are none. */
const double *law_find_bad(const abut_law *from, const abut_user_laws *own);

/* Converts a law that law_find_bad() has accepted. */
law law_read(const abut_law *from, const user_laws *own);

/* Whether the same kernel function computes both laws. */
static inline bool law_is_like(const law *a, const law *b)
{
    return a->form->function == b->form->function && a->user == b->user;
}

static inline double law_reach(const law *l, double radius)
{
    return l->form->reach ? l->form->reach(l, radius) : 0.0;
}

/* Whether a law depends on R*. A body without rounding has no R*, unless the law has a
 * `curvature`. */
static inline bool law_asks_for_radius(const law *l)
{
    return l->exponent > 1.0 || l->rolling_friction > 0.0 || l->form->function != LAW_PLAIN;
}

/* The attractive part of the normal force; the other part is at least 0. For JKR it is the largest
 * attraction, whatever the overlap is. */
double law_pull(const law *l, double radius, double overlap);

/* Whether the force of a contact at rest is attractive. */
bool law_attracts(const law *l, double radius, double overlap);

/* The radius of a body at a spot (docs/dem.md eq. 42): the radius of its rounding, or else the
 * law's `curvature`; 0: none. */
static inline double law_radius_of_body(const law *l, double rounding)
{
    return rounding > 0.0 ? rounding : l->curvature;
}

/* The stiffness of a contact. Built-in laws read only the overlap and R*. */
static inline law_stiffness law_stiffness_at(const law *l, const law_contact *contact)
{
    return l->form->stiffness(l, contact);
}

/* The overlap at which the elastic energy of Hertz' law equals the kinetic energy at this speed
 * (docs/dem.md eq. 32), without cohesion and damping; at least the present overlap. */
double law_overlap_of_blow(const law *l, const law_contact *contact, double speed);

/* The longest stable step of a damped contact, divided by that of the contact without damping:
 * sqrt(1 + r^2) - r, with r = damping_ratio (docs/dem.md eq. 30). */
double law_stable_part(double damping_ratio);

/* The longest stable step of an oscillation (docs/dem.md eq. 43), by its squared frequency and the
 * ratio of damping to stiffness. INFINITY if the frequency is 0. */
double law_stable_step(double frequency_sq, double ratio);

/* The stored energy of a contact (docs/dem.md eq. 38). spring and most: tangential spring and
 * largest overlap in its history. The energy of cohesion is 0 where contacts begin: at touch or at
 * the reach. */
double law_energy(const law *l, double radius, double overlap, const double *spring, double most);

#endif
