/* Laws of two materials, from what a caller says of them to what kernels read. */
#include "laws.h"

#include <math.h>

#include "../base/rounded.h"
#include "../base/error.h"
#include "../base/memory.h"
#include "../base/series_kernel.h"

/* ---- how much of its speed a contact returns ---- */

/* -ln of the restitution of a linear spring and damper that never attract, by the damping ratio: F
 * = max(0, k x + c v) (docs/dem.md, section 2). It ascends. */
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

/* ---- from a caller's law ---- */

/* The first number of a law that is out of its range; NULL: there is none. */
static const double *find_bad_number(const abut_law *l)
{
    if (!law_number_is_positive(l->stiffness)) {
        return &l->stiffness;
    }
    if (!(l->restitution > 0.0 && l->restitution <= 1.0)) {
        return &l->restitution;
    }
    if (!law_number_is_at_least_0(l->shear)) {
        return &l->shear;
    }
    if (!law_number_is_at_least_0(l->friction)) {
        return &l->friction;
    }
    if (!law_number_is_at_least_0(l->rolling_friction)) {
        return &l->rolling_friction;
    }
    if (!law_number_is_at_least_0(l->rolling_damping)) {
        return &l->rolling_damping;
    }
    return law_number_is_at_least_0(l->curvature) ? cohesion_find_bad(l) : &l->curvature;
}

/* A law of Hertz: F = 4/3 E* q overlap, its stiffness 2 E* q, Mindlin's 8 G* q, and c = 2 zeta
 * sqrt(5/6) sqrt(stiffness m*). */
static law read_hertz(const abut_law *from)
{
    const double damping = 2.0 * abut_damping_ratio(from->restitution) * sqrt(5.0 / 6.0);
    const double shear = 8.0 * from->shear;
    return (law){.is_hertz = 1.0,
                 .elastic = 4.0 / 3.0 * from->stiffness,
                 .shear = shear,
                 .normal_damping = damping * sqrt(2.0 * from->stiffness),
                 .shear_damping = damping * sqrt(shear)};
}

static law read_linear(const abut_law *from)
{
    const double damping = 2.0 * abut_damping_ratio(from->restitution);
    return (law){.elastic = from->stiffness,
                 .shear = from->shear,
                 .normal_damping = damping * sqrt(from->stiffness),
                 .shear_damping = damping * sqrt(from->shear)};
}

static law read_law(const abut_law *from)
{
    law l = from->kind == ABUT_HERTZ ? read_hertz(from) : read_linear(from);
    l.friction = from->friction;
    switch (from->rolling) {
    case ABUT_NO_ROLLING:
        break;
    case ABUT_ROLLING_A:
        l.rolling_friction = from->rolling_friction;
        l.rolling_damping = -1.0;
        break;
    case ABUT_ROLLING_C:
        l.rolling_friction = from->rolling_friction;
        l.rolling_damping = 2.0 * from->rolling_damping;
        break;
    }
    return l;
}

/* The number of a law of users that is out of its range. */
static const double *find_bad_own(const abut_law *l, const abut_own_laws *own)
{
    if (!(l->number >= 0.0 && l->number < (double)own->count)) {
        return &l->number;
    }
    const abut_own_law *of = &own->laws[(int32_t)l->number];
    if (!law_number_is_at_least_0(of->reach)) {
        return &of->reach;
    }
    return law_number_is_at_least_0(l->curvature) ? NULL : &l->curvature;
}

static abut_status check_laws(abut_index material_count, const abut_law *laws,
                              const abut_own_laws *own, abut_error *error)
{
    for (abut_index k = 0; k < material_count * material_count; k++) {
        const double *bad = laws[k].kind == ABUT_NO_LAW    ? NULL
                            : laws[k].kind == ABUT_OWN_LAW ? find_bad_own(&laws[k], own)
                                                           : find_bad_number(&laws[k]);
        if (bad) {
            return error_set(error, ABUT_BAD_LAW, k / material_count, k % material_count, *bad);
        }
    }
    return ABUT_OK;
}

/* Take one of the caller's laws in. */
static void take_law(law_table *made, abut_index k, const abut_law *from)
{
    made->is_missing[k] = from->kind == ABUT_NO_LAW;
    made->own_numbers[k] = from->kind == ABUT_OWN_LAW ? (int32_t)from->number : -1;
    made->has_missing |= made->is_missing[k];
    if (made->is_missing[k]) {
        return;
    }
    made->curvatures[k] = from->curvature;
    if (made->own_numbers[k] >= 0) {
        made->pulls_or_reaches |= laws_own(made, &made->laws[k])->reach > 0.0;
        return;
    }
    made->laws[k] = read_law(from);
    made->cohesions[k] = cohesion_read(from);
    made->pulls_or_reaches |= from->cohesion != ABUT_NO_COHESION;
    made->has_rolling_springs |= from->rolling == ABUT_ROLLING_C;
}

abut_status laws_set(law_table *table, abut_index material_count, const abut_law *laws,
                     const abut_own_laws *own, abut_error *error)
{
    const abut_own_laws none = {.count = 0};
    const abut_own_laws *users = own ? own : &none;
    const abut_index count = material_count * material_count;
    abut_status status = check_laws(material_count, laws, users, error);
    if (status) {
        return status;
    }
    law_table made = {.material_count = material_count};
    made.laws = memory_alloc_zeroed(count + 1, sizeof *made.laws);
    made.is_missing = memory_alloc_zeroed(count + 1, sizeof *made.is_missing);
    made.curvatures = memory_alloc_zeroed(count + 1, sizeof *made.curvatures);
    made.cohesions = memory_alloc_zeroed(count + 1, sizeof *made.cohesions);
    made.own_numbers = memory_alloc(count + 1, sizeof *made.own_numbers);
    if (!made.laws || !made.is_missing || !made.curvatures || !made.cohesions ||
        !made.own_numbers || own_laws_copy(&made.own, users)) {
        laws_free(&made);
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    for (abut_index k = 0; k < count; k++) {
        take_law(&made, k, &laws[k]);
    }
    made.own_numbers[count] = -1;
    made.are_alike = true;
    for (abut_index k = 1; k < count; k++) {
        made.are_alike &= laws_are_alike(&made, &made.laws[k], made.laws);
    }
    laws_free(table);
    *table = made;
    return ABUT_OK;
}

void laws_free(law_table *table)
{
    memory_free(table->laws);
    memory_free(table->is_missing);
    memory_free(table->curvatures);
    memory_free(table->cohesions);
    memory_free(table->own_numbers);
    own_laws_free(&table->own);
    *table = (law_table){0};
}

/* ---- what a contact is like ---- */

/* q; of a neck the radius of the area of contact. */
static double measure_of(const law_table *table, const law *l, double radius, double overlap)
{
    const cohesion *c = laws_cohesion(table, l);
    if (c->has_neck) {
        return cohesion_neck(c, radius, overlap).radius;
    }
    if (!(overlap > 0.0)) {
        return 0.0;
    }
    return l->is_hertz > 0.0 ? sqrt(radius * overlap) : 1.0;
}

double laws_most_reach(const law_table *table, abut_index material, double radius)
{
    double most = 0.0;
    for (abut_index k = 0; table->pulls_or_reaches && k < table->material_count; k++) {
        const abut_index number = laws_number(table, material, k);
        const abut_own_law *own = laws_own(table, &table->laws[number]);
        most =
            fmax(most, own ? own->reach : cohesion_most_reach(&table->cohesions[number], radius));
    }
    return most;
}

bool laws_pull(const law_table *table, const law *l, double radius, double overlap)
{
    const cohesion *c = laws_cohesion(table, l);
    const double pull = cohesion_pull(c, radius, overlap);
    if (c->has_neck) {
        return cohesion_neck(c, radius, overlap).force + pull < pull;
    }
    return l->elastic * measure_of(table, l, radius, overlap) * fmax(overlap, 0.0) < pull;
}

law_stiffness laws_stiffness(const law_table *table, const law *l, const own_contact *contact)
{
    const abut_own_law *own = laws_own(table, l);
    if (own) {
        return own_law_stiffness(own, contact);
    }
    const double q = measure_of(table, l, contact->radius, contact->overlap);
    const double of_hertz = 1.5 * l->elastic, damping = 0.5 * l->normal_damping;
    law_stiffness s = {.shear = l->shear * q};
    if (l->is_hertz > 0.0) {
        s.normal = of_hertz * q;
        s.damping_ratio = damping / sqrt(of_hertz * 5.0 / 6.0);
    } else {
        s.normal = l->elastic * q;
        s.damping_ratio = l->elastic > 0.0 ? damping / sqrt(l->elastic) : 0.0;
    }
    return s;
}

double laws_overlap_of_blow(const law *l, const own_contact *contact, double speed)
{
    const double least = contact->overlap;
    const double stored = 0.4 * l->elastic * sqrt(contact->radius * least) * least * least;
    const double energy = 0.5 * contact->mass * speed * speed;
    const bool is_deeper = l->is_hertz > 0.0 && stored > 0.0 && energy > stored;
    /* asked of each sphere that touches nothing */
    if (!is_deeper) {
        return least;
    }
    const lanes logarithm = lanes_log(lanes_set(energy / stored));
    return least * lanes_first(lanes_exp(lanes_set(0.4) * logarithm));
}

double laws_stable_part(double damping_ratio)
{
    /* as a difference, nothing would be left of it from 1e8 on */
    return 1.0 / (sqrt(1.0 + damping_ratio * damping_ratio) + damping_ratio);
}

/* What is stored along the normal. */
static double normal_energy(const law_table *table, const law *l, double radius, double overlap,
                            double q)
{
    const cohesion *c = laws_cohesion(table, l);
    /* the factors of the integrals of overlap^3/2 and of overlap */
    const double part = l->is_hertz > 0.0 ? 0.4 : 0.5;
    const double own = c->has_neck ? 0.0 : part * l->elastic * q * overlap * overlap;
    return own + cohesion_energy(c, radius, overlap);
}

double laws_energy(const law_table *table, const law *l, double radius, double overlap,
                   const double *spring)
{
    const double q = measure_of(table, l, radius, overlap), shear = l->shear * q;
    const double length_sq = spring[0] * spring[0] + spring[1] * spring[1] + spring[2] * spring[2];
    return normal_energy(table, l, radius, overlap, q) +
           (shear > 0.0 ? 0.5 * length_sq / shear : 0.0);
}
