/* Laws of contact. */
#ifndef ABUT_LAWS_H
#define ABUT_LAWS_H

#include "../abut_law.h"
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws of contact ---- */

/* How the force of a contact follows from its overlap. */
typedef enum abut_law_kind {
    ABUT_NO_LAW = 0, /* where two such materials meet the step ends with ABUT_LAW_MISSING */
    ABUT_HERTZ,
    ABUT_LINEAR,
    ABUT_USER_LAW /* a function of the caller's: `number` says which */
} abut_law_kind;

/* How contacts resist rolling. */
typedef enum abut_rolling {
    ABUT_NO_ROLLING = 0,
    ABUT_ROLLING_A, /* a torque against the sphere's spin, which it never reverses */
    ABUT_ROLLING_C  /* a spring and a damper between the two that roll */
} abut_rolling;

/* What pulls two together (docs/dem.md, section 2). */
typedef enum abut_cohesion {
    ABUT_NO_COHESION = 0,
    ABUT_JKR,           /* HERTZ alone: surfaces that stick, with a neck that snaps */
    ABUT_DMT,           /* a pull at touch, and over a short distance beyond it */
    ABUT_LIQUID_BRIDGE, /* Willett's: it forms at touch, and ruptures at a gap */
    ABUT_LUDING         /* LINEAR alone: what was pressed keeps a dent, and sticks as it parts */
} abut_cohesion;

/* The numbers of a law, as X(type, name): a struct, arrays and files follow from them. Those that
 * are not told are >= 0, and without unit.
 *
 * - stiffness: HERTZ: E*; LINEAR: k_n; > 0
 * - shear: HERTZ: G*; LINEAR: k_t; >= 0
 * - restitution: 0 < restitution <= 1
 * - rolling_damping: C: eta
 * - curvature: the radius with which a convex body that is not rounded counts in R*, for HERTZ and
 *   for C; 0: none, and such bodies are then an error. Spheres and rounded bodies have radii of
 *   their own
 * - adhesion: JKR, DMT: the work of adhesion, an energy an area; > 0
 * - distance: DMT: s_0, a length; 0: nothing pulls beyond touch
 * - volume: LIQUID_BRIDGE: of the liquid in one contact; > 0
 * - surface_tension: LIQUID_BRIDGE: a force a length; > 0
 * - contact_angle: LIQUID_BRIDGE: in radians
 * - unloading: LUDING: k_2, above the stiffness, which is k_1
 * - tensile: LUDING: k_c, of the pull by the overlap
 * - depth: LUDING: phi_f, the deepest dent by 2 R*; > 0
 * - number: USER_LAW: into abut_user_laws; of the others only curvature is read */
#define ABUT_LAW_NUMBERS(X)                                                                        \
    X(abut_law_kind, kind)                                                                         \
    X(double, stiffness)                                                                           \
    X(double, shear)                                                                               \
    X(double, friction)                                                                            \
    X(double, restitution)                                                                         \
    X(abut_rolling, rolling)                                                                       \
    X(double, rolling_friction)                                                                    \
    X(double, rolling_damping)                                                                     \
    X(double, curvature)                                                                           \
    X(abut_cohesion, cohesion)                                                                     \
    X(double, adhesion)                                                                            \
    X(double, distance)                                                                            \
    X(double, volume)                                                                              \
    X(double, surface_tension)                                                                     \
    X(double, contact_angle)                                                                       \
    X(double, unloading)                                                                           \
    X(double, tensile)                                                                             \
    X(double, depth)                                                                               \
    X(double, number)

#define ABUT_MEMBER(type, name) type name;

/* The law of two materials. */
typedef struct abut_law {
    ABUT_LAW_NUMBERS(ABUT_MEMBER)
} abut_law;

/* The damping ratio with which two that meet part with this part of their speed, under a force that
 * never attracts. */
double abut_damping_ratio(double restitution);

/* A law of one's own, with its parameters: see abut_law.h. */
typedef struct abut_user_law {
    abut_law_function function;
    const double *parameters;
    abut_index parameter_count;
    int vector_count, scalar_count; /* that a contact keeps */
    int identity;                   /* > 0: what is kept under another one is not this law's */
    double reach;                   /* how far beyond touch it acts; 0: not at all */
} abut_user_law;

/* Those of a simulation. */
typedef struct abut_user_laws {
    const abut_user_law *laws;
    abut_index count;
} abut_user_laws;

/* What such a law says of contacts outside of a simulation. Columns, each `count` long: those of
 * ABUT_LAW_INPUTS, of the history, vectors first, and of ABUT_LAW_OUTPUTS. */
void abut_user_law_apply(const abut_user_law *law, double step, abut_index count,
                         const double *inputs, const double *history_in, double *outputs,
                         double *history_out);

/* Likewise of a built-in law, whose history is the spring of sliding, that of rolling, and the
 * overlap of the step before, and the largest one of all, if it is LUDING. ABUT_OK or ABUT_BAD_LAW.
 */
abut_status abut_law_apply(const abut_law *law, double step, abut_index count, const double *inputs,
                           const double *history_in, double *outputs, double *history_out,
                           abut_error *error);

/* How far apart two under a built-in law still pull each other, of this R*; begins: the overlap at
 * which their contact begins, 0 at touch. The law is not checked. */
double abut_law_reach(const abut_law *law, double radius, double *begins);

/* A contact under a law of the caller's: where a step ended with ABUT_LAW_NOT_FINITE. */
typedef struct abut_law_case {
    int number;                            /* of the law; -1: there was no such step */
    double inputs[ABUT_LAW_INPUT_COUNT];   /* in the order of ABUT_LAW_INPUTS */
    double outputs[ABUT_LAW_OUTPUT_COUNT]; /* and of ABUT_LAW_OUTPUTS */
    double history_in[ABUT_LAW_HISTORY], history_out[ABUT_LAW_HISTORY];
} abut_law_case;

#ifdef __cplusplus
}
#endif

#endif
