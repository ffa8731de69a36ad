/* Three ways to stick: Johnson, Kendall and Roberts (1971), Derjaguin, Muller and Toporov (1975),
 * and a bridge of liquid as Willett et al. (2000) fit it. */
#include "cohesion.h"

#include <math.h>

#include "../base/root.h"
#include "../base/series.h"
#include "../base/vec3.h"

/* ---- JKR ---- */

/* With u the root of the contact radius by a_s: the overlap is u^4 - u times a_s^2 / R*, and the
 * force 2/3 u^6 - u^3 times 2 E* a_s^3 / R*. At the fold, where the contact snaps, u is this: the
 * cube root of 1/4. */
#define FOLD 0.62996052494743658

static double size_of(const cohesion *c, double radius)
{
    return root_cube(2.0 * PI * c->adhesion * radius * radius / c->modulus);
}

/* u, from u - u_0 = x: e = x^2 (6 u_0^2 + x (4 u_0 + x)) for an overlap that is e behind the fold.
 * Halley's steps, which have all digits after three. */
static double find_root(double overlap)
{
    const double e = fmax(overlap + 0.75 * FOLD, 0.0), root = sqrt(e);
    const double curved = 6.0 * FOLD * FOLD;
    double x = root / sqrt(curved + root);
    for (int k = 0; k < 3; k++) {
        const double value = x * x * (curved + x * (4.0 * FOLD + x)) - e;
        const double slope = x * (2.0 * curved + x * (12.0 * FOLD + 4.0 * x));
        const double bend = 2.0 * curved + x * (24.0 * FOLD + 12.0 * x);
        const double below = 2.0 * slope * slope - value * bend;
        x -= below > 0.0 ? 2.0 * value * slope / below : 0.0;
    }
    return FOLD + x;
}

static neck neck_of_jkr(const cohesion *c, double radius, double overlap)
{
    const double size = size_of(c, radius);
    const double u = find_root(overlap * radius / (size * size)), u3 = u * u * u;
    const double unit = 2.0 * c->modulus * size * size * size / radius;
    return (neck){size * u * u, unit * (u3 * (u3 * 2.0 / 3.0 - 1.0))};
}

/* The greatest one there is. */
static double pull_of_jkr(const cohesion *c, double radius, double overlap)
{
    (void)overlap;
    return 1.5 * PI * c->adhesion * radius;
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
    const double u = find_root(overlap * radius / size_sq), u3 = u * u * u;
    const double unit = 2.0 * c->modulus * size_sq * size_sq * size / (radius * radius);
    return unit * (u * u3 * (0.25 + u3 * (u3 * 4.0 / 15.0 - 2.0 / 3.0)) + 0.15);
}

/* ---- DMT ---- */

/* The part of the pull that is left at a gap. */
static double part_at(const cohesion *c, double overlap)
{
    if (overlap >= 0.0) {
        return 1.0;
    }
    const double part = c->distance / (c->distance - overlap);
    return part * part;
}

static double pull_of_dmt(const cohesion *c, double radius, double overlap)
{
    return 2.0 * PI * c->adhesion * radius * part_at(c, overlap);
}

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
    const double force = 2.0 * PI * c->adhesion * radius;
    const double rest = c->distance / (1.0 + DMT_REACH);
    if (overlap >= 0.0) {
        return -force * (c->distance - rest + overlap);
    }
    return -force * (c->distance * c->distance / (c->distance - overlap) - rest);
}

/* ---- bridges ---- */

/* A bridge between spheres that count as two of twice R*. */
typedef struct bridge {
    double force;  /* 2 pi gamma R */
    double radius; /* R */
    double volume; /* by R^3 */
    double angle;
} bridge;

static bridge bridge_of(const cohesion *c, double radius)
{
    const double length = c->length / (2.0 * radius);
    return (bridge){.force = 4.0 * PI * c->tension * radius,
                    .radius = 2.0 * radius,
                    .volume = length * length * length,
                    .angle = c->angle};
}

/* Willett's long fit is for volumes from this on. */
#define LEAST_VOLUME 0.0001

/* Both are for volumes up to 0.1, of which this is the cube root, above rounding. */
#define MOST_LENGTH 0.464158883362

/* A polynomial of the logarithm of the volume, of coefficients that are polynomials of the angle.
 */
static double sum_up(const double rows[][3], int count, double angle, double logarithm)
{
    double sum = 0.0;
    for (int k = count - 1; k >= 0; k--) {
        sum = sum * logarithm + (rows[k][0] + angle * (rows[k][1] + angle * rows[k][2]));
    }
    return sum;
}

/* Their equation (A2): numbers of the exponent of the force, by half the gap over the root of the
 * volume. */
static void read_fit(const bridge *b, double numbers[4])
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
    const double logarithm = series_log(b->volume);
    numbers[0] = sum_up(first, 4, b->angle, logarithm);
    numbers[1] = sum_up(second, 3, b->angle, logarithm);
    numbers[2] = sum_up(third, 4, b->angle, logarithm);
    numbers[3] = sum_up(fourth, 3, b->angle, logarithm);
}

static double force_of_bridge(const bridge *b, double gap)
{
    const double far = gap / (b->radius * sqrt(b->volume));
    if (b->volume < LEAST_VOLUME) {
        return b->force * series_turn(b->angle).cosine / (1.0 + far * (1.05 + 2.5 * far));
    }
    double numbers[4];
    read_fit(b, numbers);
    if (!(gap > 0.0)) {
        return b->force * series_exp(numbers[0]);
    }
    const double at = series_log(0.5 * far);
    const double falls = numbers[1] * series_exp(at * (numbers[2] + at * numbers[3]));
    return b->force * series_exp(numbers[0] - falls);
}

static double pull_of_bridge(const cohesion *c, double radius, double overlap)
{
    const bridge b = bridge_of(c, radius);
    return force_of_bridge(&b, fmax(-overlap, 0.0));
}

/* The integral over the gap. Of the long fit by Gauss' rule of four points in strips that are the
 * narrower the nearer to touch, where the force has no slope. */
static double work_of_bridge(const bridge *b, double gap)
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
            sum += weights[k] * 3.0 * t * t * force_of_bridge(b, gap * t * t * t);
        }
    }
    return sum * gap / STRIPS;
}

static double energy_of_bridge(const cohesion *c, double radius, double overlap)
{
    const bridge b = bridge_of(c, radius);
    return overlap >= 0.0 ? -overlap * force_of_bridge(&b, 0.0) : work_of_bridge(&b, -overlap);
}

/* How far a bridge stretches (their equation (20)). Where there is less of R* it is a little
 * farther: no more than for the largest volume that the fits are for, 0.1 R^3. */
static double reach_of_bridge(const cohesion *c, double radius)
{
    const double part = c->length / (2.0 * radius);
    return (1.0 + 0.5 * c->angle) * c->length * (1.0 + 0.1 * fmin(part, MOST_LENGTH));
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
    double (*pull)(const cohesion *c, double radius, double overlap);
    double (*energy)(const cohesion *c, double radius, double overlap);
    double (*reach)(const cohesion *c, double radius);
    double (*most_reach)(const cohesion *c, double radius);
    neck (*neck)(const cohesion *c, double radius, double overlap); /* NULL: the law's own push */
    double support, support_apart; /* by the pull, where two overlap, and where they do not */
    bool begins_apart;             /* with a distance */
    double most_length;            /* by 2 R*: for which the formulas hold; 0: for any */
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
    [ABUT_NO_COHESION] = {.pull = none,
                          .energy = none,
                          .reach = no_reach,
                          .most_reach = no_reach,
                          .find_bad = find_none},
    [ABUT_JKR] = {.pull = pull_of_jkr,
                  .energy = energy_of_jkr,
                  .reach = reach_of_jkr,
                  .most_reach = reach_of_jkr,
                  .neck = neck_of_jkr,
                  .support = 2.0,
                  .support_apart = 2.0,
                  .find_bad = find_bad_of_jkr},
    [ABUT_DMT] = {.pull = pull_of_dmt,
                  .energy = energy_of_dmt,
                  .reach = reach_of_dmt,
                  .most_reach = reach_of_dmt,
                  .support = 2.0,
                  .support_apart = 1.0,
                  .begins_apart = true,
                  .find_bad = find_bad_of_dmt},
    [ABUT_LIQUID_BRIDGE] = {.pull = pull_of_bridge,
                            .energy = energy_of_bridge,
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

cohesion cohesion_read(const abut_law *from)
{
    const way *w = &WAYS[from->cohesion];
    const double length = root_cube(from->volume);
    return (cohesion){.kind = from->cohesion,
                      .has_neck = w->neck,
                      .begins_apart = w->begins_apart && from->distance > 0.0,
                      .adhesion = from->adhesion,
                      .modulus = from->stiffness,
                      .distance = from->distance,
                      .tension = from->surface_tension,
                      .angle = from->contact_angle,
                      .length = length,
                      .least_radius = w->most_length > 0.0 ? 0.5 * length / w->most_length : 0.0};
}

double cohesion_pull(const cohesion *c, double radius, double overlap)
{
    return WAYS[c->kind].pull(c, radius, overlap);
}

double cohesion_support(const cohesion *c, double pull, double overlap)
{
    const way *w = &WAYS[c->kind];
    return (overlap > 0.0 ? w->support : w->support_apart) * pull;
}

double cohesion_reach(const cohesion *c, double radius)
{
    return WAYS[c->kind].reach(c, radius);
}

double cohesion_most_reach(const cohesion *c, double radius)
{
    return WAYS[c->kind].most_reach(c, radius);
}

double cohesion_energy(const cohesion *c, double radius, double overlap)
{
    return WAYS[c->kind].energy(c, radius, overlap);
}

neck cohesion_neck(const cohesion *c, double radius, double overlap)
{
    return WAYS[c->kind].neck(c, radius, overlap);
}
