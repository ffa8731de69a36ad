/* Cohesions of laws as kernels read them. */
#ifndef INTERACTIONS_COHESION_NUMBERS_H
#define INTERACTIONS_COHESION_NUMBERS_H

#include <stddef.h>

/* How the force of a liquid bridge falls with its length. The polynomials are in the logarithm of
 * its volume; their coefficients begin with that of the highest power. */
typedef struct bridge_fit {
    double first[4], second[3], third[4], fourth[3];
} bridge_fit;

/* The cohesion of a law. Kernels read the COHESION_NUMBERS numbers before `stretch`; those of
 * bridges begin at `length`. */
typedef struct cohesion {
    double kind;                   /* an abut_cohesion */
    double pull;                   /* the greatest one by R*, at any gap */
    double support, support_apart; /* by the pull, where two overlap, and where they do not */
    double least_radius;           /* R* for which all this holds; 0: any */
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
        double limit;    /* LUDING: by R*, the overlap from which on nothing yields any more */
    };
    double length; /* LIQUID_BRIDGE: the root of its volume, */
    double cosine; /* and of its angle */
    bridge_fit fit;
    double stretch; /* LIQUID_BRIDGE: how much longer it becomes than `length` at touch */
} cohesion;

/* The place of a number among those that kernels read; of several the first. */
#define COHESION_PLACE(name) (offsetof(cohesion, name) / sizeof(double))

enum { COHESION_BRIDGES = COHESION_PLACE(length), COHESION_NUMBERS = COHESION_PLACE(stretch) };

#endif
