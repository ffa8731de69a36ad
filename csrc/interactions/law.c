/* All classes of laws, evaluated for one contact at a time. Forces of whole steps are computed in
 * laws_kernel.c and cohesion_kernel.h. Equation numbers are those of docs/dem.md. */
#include "law.h"

#include <float.h>
#include <math.h>

#include "../base/columns.h"
#include "../base/rounded.h"
#include "../base/series.h"
#include "../base/vec3.h"
#include "cohesion_kernel.h"

/* ---- one contact by vector code ---- */

static void set_lanes(const law *l, lanes *columns)
{
    double numbers[COHESION_NUMBERS];
    memcpy(numbers, &l->cohesion, sizeof numbers);
    for (size_t k = 0; k < COHESION_NUMBERS; k++) {
        columns[k] = lanes_set(numbers[k]);
    }
}

double law_pull(const law *l, double radius, double overlap)
{
    lanes columns[COHESION_NUMBERS];
    set_lanes(l, columns);
    return lanes_first(cohesions_pull(columns, lanes_set(radius), lanes_set(overlap)));
}

/* ---- JKR ---- */

/* The radius of the contact area, and the elastic normal force. */
typedef struct neck {
    double radius, force;
} neck;

static neck find_neck(const law *l, double radius, double overlap)
{
    lanes columns[COHESION_NUMBERS];
    set_lanes(l, columns);
    const lanes given = lanes_set(radius), size = jkr_size(columns, given);
    const neck_lanes n = jkr_neck(columns, given, size, given / (size * size), lanes_set(overlap));
    return (neck){lanes_first(n.radius), lanes_first(n.force)};
}

static double size_of(const law *l, double radius)
{
    lanes columns[COHESION_NUMBERS];
    set_lanes(l, columns);
    return lanes_first(jkr_size(columns, lanes_set(radius)));
}

static double reach_of_jkr(const law *l, double radius)
{
    const double size = size_of(l, radius);
    return 0.75 * FOLD * (size * size / radius);
}

/* Eq. 29: the integral of the force over the overlap, from touch on. It is 2 E* a_s^5 / R*^2 times
 * a polynomial of u. */
static double energy_of_jkr(const law *l, double radius, double overlap, double most)
{
    (void)most;
    const double size = size_of(l, radius), size_sq = size * size;
    const double u = lanes_first(jkr_root(lanes_set(overlap * radius / size_sq))), u3 = u * u * u;
    const double unit = 2.0 * l->cohesion.modulus * size_sq * size_sq * size / (radius * radius);
    return unit * (u * u3 * (0.25 + u3 * (u3 * 4.0 / 15.0 - 2.0 / 3.0)) + 0.15);
}

/* ---- DMT ---- */

/* The reach of DMT's force, divided by s_0: sqrt(1000) - 1, where 1/1000 of the attraction
 * remains. */
#define DMT_REACH 30.622776601683793

static double reach_of_dmt(const law *l, double radius)
{
    (void)radius;
    return DMT_REACH * l->cohesion.distance;
}

/* The energy is 0 at the reach, so energy does not jump where contacts begin and end there. */
static double energy_of_dmt(const law *l, double radius, double overlap, double most)
{
    (void)most;
    const double force = l->cohesion.pull * radius, distance = l->cohesion.distance;
    const double offset = distance / (1.0 + DMT_REACH);
    if (overlap >= 0.0) {
        return -force * (distance - offset + overlap);
    }
    return -force * (distance * distance / (distance - overlap) - offset);
}

/* ---- bridges ---- */

/* Willett's fits hold for volumes up to 0.1 R^3. This is the cube root of 0.1, rounded up. */
#define MOST_LENGTH 0.464158883362

/* The largest contact angle: the largest double below 1.6, in radians. */
#define MOST_ANGLE 0x1.9999999999999p0

/* Computes the coefficients of one polynomial, which are polynomials of the contact angle. */
static void set_fit(double *to, const double rows[][3], int count, double angle)
{
    for (int k = 0; k < count; k++) {
        const double *row = rows[count - 1 - k];
        to[k] = row[0] + angle * (row[1] + angle * row[2]);
    }
}

/* Coefficients f_1 to f_4 of eq. 25, from Willett's eq. (A2). */
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

/* The integral of the attraction over the gap, by Gauss' rule with four points in each strip.
 * Strips are narrower near touch, where the long fit is not differentiable. */
static double work_of_bridge(const law *l, double radius, double gap)
{
    enum { STRIPS = 16, POINTS = 4 };
    static const double places[POINTS] = {0.06943184420297371, 0.33000947820757187,
                                          0.66999052179242813, 0.93056815579702629};
    static const double weights[POINTS] = {0.17392742256872693, 0.32607257743127307,
                                           0.32607257743127307, 0.17392742256872693};
    double sum = 0.0;
    for (int strip = 0; strip < STRIPS; strip++) {
        for (int k = 0; k < POINTS; k++) {
            /* the integral runs over t from 0 to 1; at t the gap is gap t^3 */
            const double t = (strip + places[k]) / STRIPS;
            sum += weights[k] * 3.0 * t * t * law_pull(l, radius, -(gap * t * t * t));
        }
    }
    return sum * gap / STRIPS;
}

static double energy_of_bridge(const law *l, double radius, double overlap, double most)
{
    (void)most;
    return overlap >= 0.0 ? -overlap * law_pull(l, radius, 0.0)
                          : work_of_bridge(l, radius, -overlap);
}

/* The rupture gap of a bridge (eq. 24). If R* is too small for the fits, length / (2 R*) is limited
 * to the largest value for which they hold. */
static double reach_of_bridge(const law *l, double radius)
{
    const double length = l->cohesion.length, part = length / (2.0 * radius);
    return l->cohesion.stretch * length * (1.0 + 0.1 * fmin(part, MOST_LENGTH));
}

/* The largest rupture gap of any contact of a sphere. R* may be any number up to the sphere's
 * radius. The gap is largest where length / (2 R*) is limited, for example at half the length. */
static double most_reach_of_bridge(const law *l, double radius)
{
    (void)radius;
    return reach_of_bridge(l, 0.5 * l->cohesion.length);
}

/* ---- Luding's ---- */

/* The energy force^2 / (2 k) of a spring with the unloading stiffness k (eq. 20). */
static double energy_of_luding(const law *l, double radius, double overlap, double most)
{
    const cohesion *c = &l->cohesion;
    const double limit = c->limit * radius, pressed = fmax(overlap, 0.0);
    const double deepest = fmin(fmax(most, pressed), limit);
    const double k = l->elastic + (c->unloading - l->elastic) * (deepest / limit);
    const double line = k * (pressed - deepest) + l->elastic * deepest;
    const double force = fmax(line, -c->tensile * pressed);
    return 0.5 * force * force / k;
}

/* The largest stiffness that a contact can have: k_2. */
static law_stiffness stiffness_of_luding(const law *l, const law_contact *contact)
{
    if (!(contact->overlap > 0.0)) {
        return (law_stiffness){.normal = 0.0};
    }
    const double normal = l->cohesion.unloading;
    return (law_stiffness){normal, l->shear, 0.5 * l->normal_damping / sqrt(normal)};
}

/* ---- users' ---- */

static double reach_of_own(const law *l, double radius)
{
    (void)radius;
    return l->user->reach;
}

static law_stiffness stiffness_of_own(const law *l, const law_contact *contact)
{
    return user_law_stiffness(l->user, contact);
}

/* ---- built-in ---- */

/* q of the law; for a neck the radius of the contact area. */
static double measure_of(const law *l, double radius, double overlap)
{
    if (l->form->has_neck) {
        return find_neck(l, radius, overlap).radius;
    }
    if (!(overlap > 0.0)) {
        return 0.0;
    }
    return l->exponent > 1.0 ? sqrt(radius * overlap) : 1.0;
}

bool law_attracts(const law *l, double radius, double overlap)
{
    const double pull = law_pull(l, radius, overlap);
    if (l->form->keeps_most) {
        return false; /* the attraction depends on the largest overlap, which is not known here */
    }
    if (l->form->has_neck) {
        return find_neck(l, radius, overlap).force + pull < pull;
    }
    return l->elastic * measure_of(l, radius, overlap) * fmax(overlap, 0.0) < pull;
}

/* The stiffness of a contact. Under Hertz' law, the damper is that of a spring with 5/6 of this
 * stiffness (eq. 5). */
static law_stiffness stiffness_of(const law *l, const law_contact *contact)
{
    const double q = measure_of(l, contact->radius, contact->overlap);
    const double stiffness = l->exponent * l->elastic;
    const double damped = l->exponent > 1.0 ? stiffness * 5.0 / 6.0 : stiffness;
    law_stiffness s = {.normal = stiffness * q, .shear = l->shear * q};
    s.damping_ratio = damped > 0.0 ? 0.5 * l->normal_damping / sqrt(damped) : 0.0;
    return s;
}

double law_energy(const law *l, double radius, double overlap, const double *spring, double most)
{
    const double q = measure_of(l, radius, overlap), shear = l->shear * q;
    const double length_sq = spring[0] * spring[0] + spring[1] * spring[1] + spring[2] * spring[2];
    const bool is_all = l->form->has_neck || l->form->keeps_most;
    const double part =
        is_all ? 0.0 : 1.0 / (1.0 + l->exponent); /* elastic energy / (elastic q overlap^2) */
    const double push = part * l->elastic * q * overlap * overlap;
    const double normal =
        push + (l->form->energy ? l->form->energy(l, radius, overlap, most) : 0.0);
    return normal + (shear > 0.0 ? 0.5 * length_sq / shear : 0.0);
}

double law_overlap_of_blow(const law *l, const law_contact *contact, double speed)
{
    const double least = contact->overlap;
    const double stored = 0.4 * l->elastic * sqrt(contact->radius * least) * least * least;
    const double energy = 0.5 * contact->mass * speed * speed;
    const bool is_deeper = l->exponent > 1.0 && stored > 0.0 && energy > stored;
    /* usually the speed is so low that the present overlap is larger */
    if (!is_deeper) {
        return least;
    }
    const lanes logarithm = lanes_log(lanes_set(energy / stored));
    return least * lanes_first(lanes_exp(lanes_set(0.4) * logarithm));
}

double law_stable_part(double damping_ratio)
{
    /* sqrt(1 + r^2) - r would be rounded to 0 for r above 1e8 */
    return 1.0 / (sqrt(1.0 + damping_ratio * damping_ratio) + damping_ratio);
}

double law_stable_step(double frequency_sq, double ratio)
{
    const double frequency = sqrt(frequency_sq);
    return frequency > 0.0 ? 2.0 / frequency * law_stable_part(0.5 * ratio * frequency) : INFINITY;
}

/* ---- all laws ---- */

#define OFFSET(name) offsetof(abut_law, name)
#define LIMIT ABUT_COORDINATE_LIMIT

enum { CLASS_OF_OWN = ABUT_COHESION_COUNT };

/* The classes of laws: built-in laws by their cohesion, and user laws. A further cohesion needs a
 * row here, a member of abut_cohesion, its numbers in ABUT_LAW_NUMBERS, a name in Python's
 * module.c, and a class in python/abut/laws. */
static const law_class CLASSES[] = {
    [ABUT_NO_COHESION] = {.function = LAW_PLAIN, .stiffness = stiffness_of},
    [ABUT_JKR] = {.function = LAW_COHESIVE,
                  .ranges = {{OFFSET(adhesion), POSITIVE}, {OFFSET(distance), 0.0, LIMIT}},
                  .pull = 1.5 * PI,
                  .pull_offset = OFFSET(adhesion),
                  .support = 2.0,
                  .support_apart = 2.0,
                  .has_neck = true,
                  .alone = ABUT_HERTZ,
                  .energy = energy_of_jkr,
                  .reach = reach_of_jkr,
                  .most_reach = reach_of_jkr,
                  .stiffness = stiffness_of},
    [ABUT_DMT] = {.function = LAW_COHESIVE,
                  .ranges = {{OFFSET(adhesion), POSITIVE}, {OFFSET(distance), 0.0, LIMIT}},
                  .pull = 2.0 * PI,
                  .pull_offset = OFFSET(adhesion),
                  .support = 2.0,
                  .support_apart = 1.0,
                  .begins_apart = true,
                  .energy = energy_of_dmt,
                  .reach = reach_of_dmt,
                  .most_reach = reach_of_dmt,
                  .stiffness = stiffness_of},
    [ABUT_LIQUID_BRIDGE] = {.function = LAW_COHESIVE,
                            .ranges = {{OFFSET(volume), POSITIVE},
                                       {OFFSET(surface_tension), POSITIVE},
                                       {OFFSET(contact_angle), 0.0, MOST_ANGLE}},
                            .pull = 4.0 * PI, /* for contact angle 0 */
                            .pull_offset = OFFSET(surface_tension),
                            .support = 1.0,
                            .support_apart = 1.0,
                            .most_length = MOST_LENGTH,
                            .energy = energy_of_bridge,
                            .reach = reach_of_bridge,
                            .most_reach = most_reach_of_bridge,
                            .stiffness = stiffness_of},
    [ABUT_LUDING] = {.function = LAW_COHESIVE,
                     .ranges = {{OFFSET(unloading), POSITIVE},
                                {OFFSET(tensile), 0.0, LIMIT},
                                {OFFSET(depth), DBL_TRUE_MIN, 1.0}},
                     .pull = 1.0,
                     .pull_offset = OFFSET(tensile),
                     .keeps_most = true,
                     .alone = ABUT_LINEAR,
                     .energy = energy_of_luding,
                     .stiffness = stiffness_of_luding},
    [CLASS_OF_OWN] = {.function = LAW_USER,
                      .begins_apart = true,
                      .reach = reach_of_own,
                      .most_reach = reach_of_own,
                      .stiffness = stiffness_of_own},
};

static const law_class *class_of(const abut_law *from)
{
    if (from->kind == ABUT_USER_LAW) {
        return &CLASSES[CLASS_OF_OWN];
    }
    return &CLASSES[from->kind == ABUT_NO_LAW ? ABUT_NO_COHESION : from->cohesion];
}

/* ---- restitution ---- */

/* Eq. 8: -ln e as a function of the damping ratio, with the coefficient of restitution e. It is for
 * a linear spring and damper that never attract, F = max(0, k x + c v). It grows with the ratio. */
static double loss_of(double ratio)
{
    if (ratio < 1.0) {
        return 2.0 * ratio * rounded_acos(ratio) / sqrt((1.0 - ratio) * (1.0 + ratio));
    }
    if (ratio > 1.0) {
        return 2.0 * ratio * rounded_acosh(ratio) / sqrt((ratio - 1.0) * (ratio + 1.0));
    }
    return 2.0;
}

double abut_damping_ratio(double restitution)
{
    if (restitution >= 1.0) {
        return 0.0;
    }
    const double loss = -rounded_log(restitution);
    double low = 0.0, high = 1.0;
    while (loss_of(high) < loss) {
        high *= 2.0;
    }
    for (double middle = 0.5 * (low + high); low < middle && middle < high;
         middle = 0.5 * (low + high)) {
        if (loss_of(middle) < loss) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return 0.5 * (low + high);
}

/* ---- reading a caller's law ---- */

/* Ranges of the numbers of built-in laws. The last range, of the curvature, also holds for user
 * laws. */
static const law_range RANGES[] = {{OFFSET(stiffness), POSITIVE},
                                   {OFFSET(restitution), DBL_TRUE_MIN, 1.0},
                                   {OFFSET(shear), 0.0, LIMIT},
                                   {OFFSET(friction), 0.0, LIMIT},
                                   {OFFSET(rolling_friction), 0.0, LIMIT},
                                   {OFFSET(rolling_damping), 0.0, LIMIT},
                                   {OFFSET(curvature), 0.0, LIMIT},
                                   {.most = 0.0}};

enum { RANGE_OF_CURVATURE = sizeof RANGES / sizeof *RANGES - 2 };

static const double *number_at(const abut_law *from, size_t offset)
{
    return (const void *)((const char *)from + offset);
}

static const double *find_out_of_range(const abut_law *from, const law_range *ranges)
{
    for (; ranges->most > 0.0; ranges++) {
        const double *number = number_at(from, ranges->offset);
        if (!(*number >= ranges->least && *number <= ranges->most)) {
            return number;
        }
    }
    return NULL;
}

static const double *find_bad_own(const abut_law *from, const abut_user_laws *own)
{
    if (!(from->number >= 0.0 && from->number < (own ? (double)own->count : 0.0))) {
        return &from->number;
    }
    const double *reach = &own->laws[(int32_t)from->number].reach;
    return *reach >= 0.0 && *reach <= LIMIT ? find_out_of_range(from, RANGES + RANGE_OF_CURVATURE)
                                            : reach;
}

const double *law_find_bad(const abut_law *from, const abut_user_laws *own)
{
    switch (from->kind) {
    case ABUT_NO_LAW:
        return NULL;
    case ABUT_USER_LAW:
        return find_bad_own(from, own);
    case ABUT_HERTZ:
    case ABUT_LINEAR:
        break;
    }
    const law_class *of = class_of(from);
    const double *bad = find_out_of_range(from, RANGES);
    bad = bad ? bad : find_out_of_range(from, of->ranges);
    if (!bad && of->alone && from->kind != of->alone) {
        return number_at(from, of->ranges->offset);
    }
    /* unloading must be stiffer than loading */
    return !bad && of->keeps_most && !(from->unloading > from->stiffness) ? &from->unloading : bad;
}

static cohesion read_cohesion(const abut_law *from, const law_class *of)
{
    const double angle = from->contact_angle;
    const double length =
        from->volume > 0.0 ? lanes_first(lanes_root_cube(lanes_set(from->volume))) : 0.0;
    cohesion c = {.kind = (double)from->cohesion,
                  .pull = of->pull > 0.0 ? of->pull * *number_at(from, of->pull_offset) : 0.0,
                  .support = of->support,
                  .support_apart = of->support_apart,
                  .least_radius = of->most_length > 0.0 ? 0.5 * length / of->most_length : 0.0,
                  .adhesion = 2.0 * PI * from->adhesion,
                  .modulus = from->stiffness,
                  .distance = from->distance,
                  .length = length,
                  .cosine = series_turn(angle).cosine,
                  .fit = read_fit(angle),
                  .stretch = 1.0 + 0.5 * angle};
    if (of->keeps_most) {
        c.tensile = from->tensile, c.unloading = from->unloading;
        c.limit = 2.0 * from->depth * from->unloading / (from->unloading - from->stiffness);
    }
    return c;
}

/* Converts a law without user functions (docs/dem.md eq. 5, 6 and 9). q is as in `law`. Hertz: F =
 * 4/3 E* q overlap, with the stiffness 2 E* q, the tangential stiffness 8 G* q, and the damping
 * coefficient 2 zeta sqrt(5/6) sqrt(stiffness m*). */
static law read_built_in(const abut_law *from)
{
    const bool is_hertz = from->kind == ABUT_HERTZ, rolls = from->rolling != ABUT_NO_ROLLING;
    const double ratio = 2.0 * abut_damping_ratio(from->restitution);
    const double damping = is_hertz ? ratio * sqrt(5.0 / 6.0) : ratio;
    const double shear = (is_hertz ? 8.0 : 1.0) * from->shear;
    const law_class *of = class_of(from);
    return (law){.exponent = is_hertz ? 1.5 : 1.0,
                 .elastic = (is_hertz ? 4.0 / 3.0 : 1.0) * from->stiffness,
                 .shear = shear,
                 .normal_damping = damping * sqrt((is_hertz ? 2.0 : 1.0) * from->stiffness),
                 .shear_damping = damping * sqrt(shear),
                 .friction = from->friction,
                 .rolling_friction = rolls ? from->rolling_friction : 0.0,
                 .rolling_damping = from->rolling == ABUT_ROLLING_C ? 2.0 * from->rolling_damping
                                    : rolls                         ? -1.0
                                                                    : 0.0,
                 .cohesion = read_cohesion(from, of),
                 .form = of,
                 .curvature = from->curvature,
                 .begins_apart = of->begins_apart && from->distance > 0.0};
}

law law_read(const abut_law *from, const user_laws *own)
{
    switch (from->kind) {
    case ABUT_USER_LAW:
        return (law){.exponent = 1.0,
                     .form = class_of(from),
                     .user = &own->laws[(int32_t)from->number],
                     .curvature = from->curvature,
                     .begins_apart = true};
    case ABUT_HERTZ:
    case ABUT_LINEAR:
        return read_built_in(from);
    case ABUT_NO_LAW:
        break;
    }
    return (law){.exponent = 1.0, .form = class_of(from), .is_missing = true};
}
