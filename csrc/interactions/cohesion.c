/* What cohesions of laws store and how far they reach; what they exert is in cohesion_kernel.h. */
#include "cohesion.h"

#include <math.h>

#include "../base/series.h"
#include "../base/vec3.h"
#include "cohesion_kernel.h"

/* ---- one contact ---- */

static void set_lanes(const cohesion *c, lanes *columns)
{
    double numbers[COHESION_NUMBERS];
    memcpy(numbers, c, sizeof numbers);
    for (size_t k = 0; k < COHESION_NUMBERS; k++) {
        columns[k] = lanes_set(numbers[k]);
    }
}

double cohesion_pull(const cohesion *c, double radius, double overlap)
{
    lanes columns[COHESION_NUMBERS];
    set_lanes(c, columns);
    return lanes_first(cohesions_pull(columns, lanes_set(radius), lanes_set(overlap)));
}

neck cohesion_neck(const cohesion *c, double radius, double overlap)
{
    lanes columns[COHESION_NUMBERS];
    set_lanes(c, columns);
    const lanes given = lanes_set(radius), size = jkr_size(columns, given);
    const neck_lanes n = jkr_neck(columns, given, size, given / (size * size), lanes_set(overlap));
    return (neck){lanes_first(n.radius), lanes_first(n.force)};
}

/* ---- JKR ---- */

static double size_of(const cohesion *c, double radius)
{
    lanes columns[COHESION_NUMBERS];
    set_lanes(c, columns);
    return lanes_first(jkr_size(columns, lanes_set(radius)));
}

static double reach_of_jkr(const cohesion *c, double radius)
{
    const double size = size_of(c, radius);
    return 0.75 * FOLD * (size * size / radius);
}

/* The integral of the force over the overlap, from touch on: of 2 E* a_s^5 / R*^2 a polynomial of
 * u, which is -3/20 at touch. */
static double energy_of_jkr(const cohesion *c, double radius, double overlap)
{
    const double size = size_of(c, radius), size_sq = size * size;
    const double u = lanes_first(jkr_root(lanes_set(overlap * radius / size_sq))), u3 = u * u * u;
    const double unit = 2.0 * c->modulus * size_sq * size_sq * size / (radius * radius);
    return unit * (u * u3 * (0.25 + u3 * (u3 * 4.0 / 15.0 - 2.0 / 3.0)) + 0.15);
}

/* ---- DMT ---- */

/* By s_0: the root of 1000, less 1, where a thousandth of the pull is left. */
#define DMT_REACH 30.622776601683793

static double reach_of_dmt(const cohesion *c, double radius)
{
    (void)radius;
    return DMT_REACH * c->distance;
}

/* Against both at their reach, so that no energy comes or goes where a contact begins or ends. */
static double energy_of_dmt(const cohesion *c, double radius, double overlap)
{
    const double force = c->pull * radius;
    const double rest = c->distance / (1.0 + DMT_REACH);
    if (overlap >= 0.0) {
        return -force * (c->distance - rest + overlap);
    }
    return -force * (c->distance * c->distance / (c->distance - overlap) - rest);
}

/* ---- bridges ---- */

/* Willett's fits are for volumes up to 0.1 R^3, of which this is the cube root, above rounding. */
#define MOST_LENGTH 0.464158883362

/* Coefficients of one of their polynomials, which are polynomials of the angle themselves. */
static void set_fit(double *to, const double rows[][3], int count, double angle)
{
    for (int k = 0; k < count; k++) {
        const double *row = rows[count - 1 - k];
        to[k] = row[0] + angle * (row[1] + angle * row[2]);
    }
}

/* Their equation (A2): numbers of the exponent of the force, by half the gap over the root of the
 * volume. */
static bridge_fit read_fit(double angle)
{
    static const double first[][3] = {{-0.44507, 0.050832, -1.1466},
                                      {-0.1119, -0.000411, -0.1490},
                                      {-0.012101, -0.0036456, -0.01255},
                                      {-0.0005, -0.0003505, -0.00029076}};
    static const double second[][3] = {{1.9222, -0.57473, -1.2918},
                                       {-0.0668, -0.1201, -0.22574},
                                       {-0.0013375, -0.0068988, -0.01137}};
    static const double third[][3] = {{1.268, -0.01396, -0.23566},
                                      {0.198, 0.092, -0.06418},
                                      {0.02232, 0.02238, -0.009853},
                                      {0.0008585, 0.001318, -0.00053}};
    static const double fourth[][3] = {{-0.010703, 0.073776, -0.34742},
                                       {0.03345, 0.04543, -0.09056},
                                       {0.0018574, 0.004456, -0.006257}};
    bridge_fit fit;
    set_fit(fit.first, first, 4, angle);
    set_fit(fit.second, second, 3, angle);
    set_fit(fit.third, third, 4, angle);
    set_fit(fit.fourth, fourth, 3, angle);
    return fit;
}

/* The integral over the gap. Of the long fit by Gauss' rule of four points in strips that are the
 * narrower the nearer to touch, where the force has no slope. */
static double work_of_bridge(const cohesion *c, double radius, double gap)
{
    enum { STRIPS = 16, POINTS = 4 };
    static const double places[POINTS] = {0.06943184420297371, 0.33000947820757187,
                                          0.66999052179242813, 0.93056815579702629};
    static const double weights[POINTS] = {0.17392742256872693, 0.32607257743127307,
                                           0.32607257743127307, 0.17392742256872693};
    double sum = 0.0;
    for (int strip = 0; strip < STRIPS; strip++) {
        for (int k = 0; k < POINTS; k++) {
            /* gap t^3, from t = 0 to 1 */
            const double t = (strip + places[k]) / STRIPS;
            sum += weights[k] * 3.0 * t * t * cohesion_pull(c, radius, -(gap * t * t * t));
        }
    }
    return sum * gap / STRIPS;
}

static double energy_of_bridge(const cohesion *c, double radius, double overlap)
{
    return overlap >= 0.0 ? -overlap * cohesion_pull(c, radius, 0.0)
                          : work_of_bridge(c, radius, -overlap);
}

/* How far a bridge stretches (their equation (20)). Where there is less of R* it is a little
 * farther: no more than for the largest volume that the fits are for, 0.1 R^3. */
static double reach_of_bridge(const cohesion *c, double radius)
{
    const double part = c->length / (2.0 * radius);
    return c->stretch * c->length * (1.0 + 0.1 * fmin(part, MOST_LENGTH));
}

/* R* is at most the sphere's radius, and may be however small. */
static double most_reach_of_bridge(const cohesion *c, double radius)
{
    (void)radius;
    return reach_of_bridge(c, 0.5 * c->length);
}

/* ---- any ---- */

/* A way to stick, by functions of a contact's R* and overlap. */
typedef struct way {
    double (*energy)(const cohesion *c, double radius, double overlap);
    double (*reach)(const cohesion *c, double radius);
    double (*most_reach)(const cohesion *c, double radius);
    double support, support_apart; /* see cohesion */
    bool has_neck;
    bool begins_apart;  /* with a distance */
    double most_length; /* by 2 R*: for which the formulas hold; 0: for any */
    const double *(*find_bad)(const abut_law *l);
} way;

static double none(const cohesion *c, double radius, double overlap)
{
    (void)c, (void)radius, (void)overlap;
    return 0.0;
}

static double no_reach(const cohesion *c, double radius)
{
    return none(c, radius, 0.0);
}

static const double *find_none(const abut_law *l)
{
    (void)l;
    return NULL;
}

static const double *find_bad_of_dmt(const abut_law *l)
{
    if (!law_number_is_positive(l->adhesion)) {
        return &l->adhesion;
    }
    return law_number_is_at_least_0(l->distance) ? NULL : &l->distance;
}

static const double *find_bad_of_jkr(const abut_law *l)
{
    return l->kind == ABUT_HERTZ ? find_bad_of_dmt(l) : &l->adhesion;
}

static const double *find_bad_of_bridge(const abut_law *l)
{
    if (!law_number_is_positive(l->volume)) {
        return &l->volume;
    }
    if (!law_number_is_positive(l->surface_tension)) {
        return &l->surface_tension;
    }
    return l->contact_angle >= 0.0 && l->contact_angle < 1.6 ? NULL : &l->contact_angle;
}

/* All there are. A further one is a row here, a member of abut_cohesion, which Python's module.c
 * names, with its numbers in ABUT_LAW_NUMBERS, and a class of simulation/cohesion.py. */
static const way WAYS[] = {
    [ABUT_NO_COHESION] = {.energy = none,
                          .reach = no_reach,
                          .most_reach = no_reach,
                          .find_bad = find_none},
    [ABUT_JKR] = {.energy = energy_of_jkr,
                  .reach = reach_of_jkr,
                  .most_reach = reach_of_jkr,
                  .has_neck = true,
                  .support = 2.0,
                  .support_apart = 2.0,
                  .find_bad = find_bad_of_jkr},
    [ABUT_DMT] = {.energy = energy_of_dmt,
                  .reach = reach_of_dmt,
                  .most_reach = reach_of_dmt,
                  .support = 2.0,
                  .support_apart = 1.0,
                  .begins_apart = true,
                  .find_bad = find_bad_of_dmt},
    [ABUT_LIQUID_BRIDGE] = {.energy = energy_of_bridge,
                            .reach = reach_of_bridge,
                            .most_reach = most_reach_of_bridge,
                            .support = 1.0,
                            .support_apart = 1.0,
                            .most_length = MOST_LENGTH,
                            .find_bad = find_bad_of_bridge},
};

const double *cohesion_find_bad(const abut_law *l)
{
    return WAYS[l->cohesion].find_bad(l);
}

/* The greatest pull by R*: that of a bridge is without its angle. */
static double pull_of(const abut_law *l)
{
    switch (l->cohesion) {
    case ABUT_NO_COHESION:
        break;
    case ABUT_JKR:
        return 1.5 * PI * l->adhesion;
    case ABUT_DMT:
        return 2.0 * PI * l->adhesion;
    case ABUT_LIQUID_BRIDGE:
        return 4.0 * PI * l->surface_tension;
    }
    return 0.0;
}

cohesion cohesion_read(const abut_law *from)
{
    const way *w = &WAYS[from->cohesion];
    const double angle = from->contact_angle;
    const double length =
        from->volume > 0.0 ? lanes_first(lanes_root_cube(lanes_set(from->volume))) : 0.0;
    return (cohesion){.kind = (double)from->cohesion,
                      .pull = pull_of(from),
                      .support = w->support,
                      .support_apart = w->support_apart,
                      .least_radius = w->most_length > 0.0 ? 0.5 * length / w->most_length : 0.0,
                      .adhesion = 2.0 * PI * from->adhesion,
                      .modulus = from->stiffness,
                      .distance = from->distance,
                      .length = length,
                      .cosine = series_turn(angle).cosine,
                      .fit = read_fit(angle),
                      .stretch = 1.0 + 0.5 * angle,
                      .has_neck = w->has_neck,
                      .begins_apart = w->begins_apart && from->distance > 0.0};
}

static const way *way_of(const cohesion *c)
{
    return &WAYS[(abut_cohesion)c->kind];
}

double cohesion_reach(const cohesion *c, double radius)
{
    return way_of(c)->reach(c, radius);
}

double cohesion_most_reach(const cohesion *c, double radius)
{
    return way_of(c)->most_reach(c, radius);
}

double cohesion_energy(const cohesion *c, double radius, double overlap)
{
    return way_of(c)->energy(c, radius, overlap);
}
