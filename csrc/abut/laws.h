/* Contact laws. */
#ifndef ABUT_LAWS_H
#define ABUT_LAWS_H

#include "../abut_law.h"
#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- laws of contact ---- */

/* How the elastic force of a contact depends on its overlap. */
typedef enum abut_law_kind {
    ABUT_NO_LAW = 0, /* a step in which these materials touch ends with ABUT_LAW_MISSING */
    ABUT_HERTZ,
    ABUT_LINEAR,
    ABUT_USER_LAW /* a function of the caller, with the number `number` */
} abut_law_kind;

/* Rolling resistance. */
typedef enum abut_rolling {
    ABUT_NO_ROLLING = 0,
    ABUT_ROLLING_A, /* a torque against the sphere's spin, which never reverses it */
    ABUT_ROLLING_C  /* a rolling spring and a damper between both partners */
} abut_rolling;

/* Cohesion, the attraction of a contact (docs/dem.md §2). */
typedef enum abut_cohesion {
    ABUT_NO_COHESION = 0,
    ABUT_JKR,           /* only with HERTZ: sticky surfaces with a neck that snaps */
    ABUT_DMT,           /* attraction at touch, and over a short gap */
    ABUT_LIQUID_BRIDGE, /* Willett's bridge: it forms at touch and ruptures at a gap */
    ABUT_LUDING,        /* only with LINEAR: plastic loading, elastic unloading and attraction */
    ABUT_COHESION_COUNT
} abut_cohesion;

/* The numbers of a law, as X(type, name): a struct, arrays and files follow from this list.
 * docs/dem.md §2 explains the symbols. Numbers that the list below leaves out are >= 0 and have no
 * unit.
 *
 * - stiffness: HERTZ: E*; LINEAR: k_n; > 0
 * - shear: HERTZ: G*; LINEAR: k_t; >= 0
 * - restitution: 0 < restitution <= 1
 * - rolling_damping: type C: eta
 * - curvature: the radius in R* of a convex body that is not rounded, for HERTZ and rolling of type
 *   C; 0: none, and then such bodies are an error. Spheres and rounded bodies have radii of their
 *   own
 * - adhesion: JKR, DMT: the work of adhesion, an energy per area; > 0
 * - distance: DMT: s_0, a length; 0: no attraction beyond touch
 * - volume: LIQUID_BRIDGE: the volume of liquid in one contact; > 0
 * - surface_tension: LIQUID_BRIDGE: a force per length; > 0
 * - contact_angle: LIQUID_BRIDGE: in radians
 * - unloading: LUDING: k_2, larger than the stiffness, which is k_1
 * - tensile: LUDING: k_c, the slope of the attraction over the overlap
 * - depth: LUDING: phi_f, the deepest plastic overlap divided by 2 R*; > 0
 * - number: USER_LAW: its position in abut_user_laws; of a user law's other numbers only curvature
 *   is read */
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

/* The damping ratio that gives a coefficient of restitution, if the force never attracts
 * (docs/dem.md eq. 8). */
double abut_damping_ratio(double restitution);

/* A user law with its parameters: see abut_law.h. */
typedef struct abut_user_law {
    abut_law_function function;
    const double *parameters;
    abut_index parameter_count;
    int vector_count, scalar_count; /* vectors and scalars in the history of each contact */
    int identity; /* > 0; contact history that a law with another identity wrote is ignored */
    double reach; /* the largest gap at which the law acts; 0: it acts only at touch */
} abut_user_law;

/* The user laws of a simulation. */
typedef struct abut_user_laws {
    const abut_user_law *laws;
    abut_index count;
} abut_user_laws;

/* Evaluates a user law for contacts outside of a simulation. The arrays are columns of length
 * `count`. inputs: those of ABUT_LAW_INPUTS. history_in and history_out: those of the history,
 * vectors first. outputs: those of ABUT_LAW_OUTPUTS. */
void abut_user_law_apply(const abut_user_law *law, double step, abut_index count,
                         const double *inputs, const double *history_in, double *outputs,
                         double *history_out);

/* Evaluates a built-in law, with the same columns. The history has the tangential spring, the
 * rolling spring, the overlap in the last step, and the largest overlap (0 except for LUDING).
 * Returns ABUT_OK or ABUT_BAD_LAW. */
abut_status abut_law_apply(const abut_law *law, double step, abut_index count, const double *inputs,
                           const double *history_in, double *outputs, double *history_out,
                           abut_error *error);

/* The largest gap across which a built-in law attracts. radius: R*. *begins: the overlap at which
 * contacts begin: 0 at touch, negative across a gap. The law is not checked. */
double abut_law_reach(const abut_law *law, double radius, double *begins);

/* The contact under a user law at which a step ended with ABUT_LAW_NOT_FINITE. */
typedef struct abut_law_case {
    int number;                            /* the number of the law; -1: there was no such step */
    double inputs[ABUT_LAW_INPUT_COUNT];   /* in the order of ABUT_LAW_INPUTS */
    double outputs[ABUT_LAW_OUTPUT_COUNT]; /* in the order of ABUT_LAW_OUTPUTS */
    double history_in[ABUT_LAW_HISTORY], history_out[ABUT_LAW_HISTORY];
} abut_law_case;

#ifdef __cplusplus
}
#endif

#endif
