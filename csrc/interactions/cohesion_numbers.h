/* The numbers of a law's cohesion that kernels read. */
#ifndef INTERACTIONS_COHESION_NUMBERS_H
#define INTERACTIONS_COHESION_NUMBERS_H

#include <stddef.h>

/* Coefficients of the long fit of a liquid bridge (docs/dem.md eq. 25): polynomials of the
 * logarithm of its volume. The coefficient of the highest power comes first. */
typedef struct bridge_fit {
    double first[4], second[3], third[4], fourth[3];
} bridge_fit;

/* The cohesion of a law. Kernels read the COHESION_NUMBERS numbers before `stretch`. The numbers of
 * bridges begin at `length`. */
typedef struct cohesion {
    double kind;                   /* an abut_cohesion */
    double pull;                   /* the largest attraction at any gap, divided by R* */
    double support, support_apart; /* added to the normal force in limits of friction and rolling,
                                      divided by the pull: at an overlap, and across a gap */
    double least_radius;           /* the smallest R* for which the formulas hold; 0: any */
    union {
        double adhesion; /* JKR: 2 pi w */
        double tensile;  /* LUDING: k_c */
    };
    union {
        double modulus;   /* JKR: E* */
        double unloading; /* LUDING: k_2 */
    };
    union {
        double distance; /* DMT: s_0 */
        double limit;    /* LUDING: the largest plastic overlap, divided by R* */
    };
    double length; /* LIQUID_BRIDGE: the cube root of its volume */
    double cosine; /* LIQUID_BRIDGE: the cosine of the contact angle */
    bridge_fit fit;
    double stretch; /* LIQUID_BRIDGE: rupture gap of the smallest bridges, divided by `length` */
} cohesion;

/* The position of a member among the numbers that kernels read: that of its first number. */
#define COHESION_PLACE(name) (offsetof(cohesion, name) / sizeof(double))

enum { COHESION_BRIDGES = COHESION_PLACE(length), COHESION_NUMBERS = COHESION_PLACE(stretch) };

#endif
