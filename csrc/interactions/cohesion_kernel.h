/* Forces of four cohesions for LANES contacts at once: Johnson, Kendall and Roberts (1971),
 * Derjaguin, Muller and Toporov (1975), liquid bridges by Willett et al. (2000), and Luding (2008).
 * Equation numbers are those of docs/dem.md. c: the numbers of LANES cohesions as columns, by
 * COHESION_PLACE. radius: R* of each contact. */
#ifndef INTERACTIONS_COHESION_KERNEL_H
#define INTERACTIONS_COHESION_KERNEL_H

#include "../abut/laws.h"
#include "../base/series_kernel.h"
#include "cohesion_numbers.h"

LANES_INLINE lanes_mask cohesions_are(const lanes *c, abut_cohesion kind)
{
    return lanes_equal(c[COHESION_PLACE(kind)], lanes_set((double)kind));
}

/* ---- JKR ---- */

/* Eq. 22 with u = sqrt(a / a_s): overlap = (u^4 - u) a_s^2 / R*, force = (2/3 u^6 - u^3) 2 E* a_s^3
 * / R*. FOLD is u_0, the cube root of 1/4: the value of u at which the neck snaps. */
#define FOLD 0.62996052494743658

/* The length a_s of eq. 22. */
LANES_INLINE lanes jkr_size(const lanes *c, lanes radius)
{
    return lanes_root_cube(c[COHESION_PLACE(adhesion)] * radius * radius /
                           c[COHESION_PLACE(modulus)]);
}

/* Returns u by solving e = x^2 (6 u_0^2 + x (4 u_0 + x)) for x = u - u_0. The overlap is given in
 * units of a_s^2 / R*, and e is this overlap minus its value at u_0. The first guess is a fit with
 * an error of at most 1.4 %; it is exact at u_0 and far from it. Two steps of Halley's method then
 * give all digits. */
LANES_INLINE lanes jkr_root(lanes overlap)
{
    const lanes zero = lanes_set(0.0), two = lanes_set(2.0), four = lanes_set(4.0);
    const lanes fold = lanes_set(FOLD), curved = lanes_set(6.0 * FOLD * FOLD);
    const lanes e = lanes_larger(overlap + lanes_set(0.75 * FOLD), zero), root = lanes_sqrt(e);
    const lanes high = lanes_set(30.7606), middle = lanes_set(46.6057);
    lanes x = root * lanes_sqrt((high + root) / (curved * high + middle * root + e));
    for (int k = 0; k < 2; k++) {
        const lanes value = x * x * (curved + x * (lanes_set(4.0 * FOLD) + x)) - e;
        const lanes slope =
            x * (lanes_set(2.0 * (6.0 * FOLD * FOLD)) + x * (lanes_set(12.0 * FOLD) + four * x));
        const lanes bend = lanes_set(2.0 * (6.0 * FOLD * FOLD)) +
                           x * (lanes_set(24.0 * FOLD) + lanes_set(12.0) * x);
        const lanes below = two * slope * slope - value * bend;
        const lanes change = two * value * slope / below;
        x = x - lanes_select(lanes_less(zero, below), change, zero);
    }
    return fold + x;
}

/* The radius of the contact area, and the elastic normal force, of LANES contacts. */
typedef struct neck_lanes {
    lanes radius, force;
} neck_lanes;

/* Computes the contact area and the force of a neck. size: a_s. scale: R* / a_s^2. */
LANES_INLINE neck_lanes jkr_neck(const lanes *c, lanes radius, lanes size, lanes scale,
                                 lanes overlap)
{
    const lanes u = jkr_root(overlap * scale), u3 = u * u * u;
    const lanes unit = lanes_set(2.0) * c[COHESION_PLACE(modulus)] * size * size * size / radius;
    const lanes part = u3 * (u3 * lanes_set(2.0 / 3.0) - lanes_set(1.0));
    return (neck_lanes){size * u * u, unit * part};
}

/* ---- DMT ---- */

/* The attraction across a gap, divided by the attraction at touch. */
LANES_INLINE lanes dmt_part(const lanes *c, lanes overlap)
{
    const lanes distance = c[COHESION_PLACE(distance)];
    const lanes part = distance / (distance - overlap);
    return lanes_select(lanes_less(overlap, lanes_set(0.0)), part * part, lanes_set(1.0));
}

/* ---- bridges ---- */

/* The smallest volume for which Willett's long fit holds, divided by (2 R*)^3. */
#define LEAST_VOLUME 0.0001

LANES_INLINE lanes polynomial(const lanes *coefficients, int count, lanes x)
{
    lanes sum = coefficients[0];
    for (int k = 1; k < count; k++) {
        sum = sum * x + coefficients[k];
    }
    return sum;
}

/* The exponent in eq. 25, which is Willett's eq. (A2): ln(force / (2 pi gamma R)), with R = 2 R*.
 * volume: the bridge's volume V, divided by R^3. far: gap / sqrt(V / R); 0 at touch. */
LANES_INLINE lanes bridge_exponent(const lanes *c, lanes volume, lanes far)
{
    const lanes zero = lanes_set(0.0), logarithm = lanes_log(volume);
    const lanes at_touch = polynomial(c + COHESION_PLACE(fit.first), 4, logarithm);
    const lanes_mask is_apart = lanes_less(zero, far);
    if (!mask_bits(is_apart)) {
        return at_touch;
    }
    const lanes second = polynomial(c + COHESION_PLACE(fit.second), 3, logarithm);
    const lanes third = polynomial(c + COHESION_PLACE(fit.third), 4, logarithm);
    const lanes fourth = polynomial(c + COHESION_PLACE(fit.fourth), 3, logarithm);
    const lanes at = lanes_log(lanes_set(0.5) * far);
    const lanes falls = second * lanes_exp(at * (third + at * fourth));
    return lanes_select(is_apart, at_touch - falls, at_touch);
}

/* The attraction of a bridge across a gap by eq. 25, or by eq. 26 for small volumes, with R = 2 R*.
 * most: the attraction at touch with contact angle 0. */
LANES_INLINE lanes bridge_pull(const lanes *c, lanes most, lanes radius, lanes overlap)
{
    const lanes one = lanes_set(1.0), twice = lanes_set(2.0) * radius;
    const lanes length = c[COHESION_PLACE(length)] / twice, volume = length * length * length;
    const lanes gap = lanes_larger(lanes_set(0.0) - overlap, lanes_set(0.0));
    const lanes far = gap / (twice * lanes_sqrt(volume));
    const lanes_mask is_small = lanes_less(volume, lanes_set(LEAST_VOLUME));
    lanes pull = most;
    if (mask_bits(is_small)) {
        pull = most * c[COHESION_PLACE(cosine)] /
               (one + far * (lanes_set(1.05) + lanes_set(2.5) * far));
    }
    if (mask_bits(is_small) != LANES_ALL) {
        pull = lanes_select(is_small, pull, most * lanes_exp(bridge_exponent(c, volume, far)));
    }
    return pull;
}

/* ---- any cohesion ---- */

LANES_INLINE lanes cohesions_pull(const lanes *c, lanes radius, lanes overlap)
{
    const lanes_mask is_dmt = cohesions_are(c, ABUT_DMT);
    const lanes_mask is_bridge = cohesions_are(c, ABUT_LIQUID_BRIDGE);
    lanes pull = c[COHESION_PLACE(pull)] * radius;
    if (mask_bits(is_dmt)) {
        pull = lanes_select(is_dmt, pull * dmt_part(c, overlap), pull);
    }
    if (mask_bits(is_bridge)) {
        pull = lanes_select(is_bridge, bridge_pull(c, pull, radius, overlap), pull);
    }
    return pull;
}

/* The normal force of contacts with cohesion: max(0, elastic - damper's force) - pull. */
typedef struct sticking {
    lanes elastic, pull;
    lanes support;  /* added to the normal force in the limits of friction and rolling */
    lanes measure;  /* q of the law (law.h); for a neck the radius of the contact area */
    lanes unloaded; /* what the last step's spring is multiplied by: 1 under loading, less under
                       unloading, 0 where the law has no spring */
} sticking;

/* Laws with the elastic force of plain laws. Across a gap there is no elastic force and no
 * spring. */
LANES_INLINE sticking stick_by_law(lanes exponent, lanes elastic, lanes radius, lanes overlap,
                                   lanes old_overlap)
{
    const lanes zero = lanes_set(0.0), one = lanes_set(1.0);
    const lanes pressed = lanes_larger(overlap, zero);
    const lanes_mask touches = lanes_less(zero, overlap), bends = lanes_less(one, exponent);
    const lanes_mask is_less = mask_and(touches, mask_and(bends, lanes_less(overlap, old_overlap)));
    const lanes q = lanes_select(bends, lanes_sqrt(radius * pressed), one);
    const lanes left = lanes_sqrt(pressed / lanes_select(is_less, old_overlap, one));
    sticking s = {.measure = lanes_select(touches, q, zero)};
    s.elastic = elastic * s.measure * pressed;
    s.unloaded = lanes_select(touches, lanes_select(is_less, left, one), zero);
    return s;
}

/* JKR: `elastic` is the force of the neck plus the largest attraction, so it is at least 0. Under
 * unloading, the spring shrinks with the radius of the contact area. */
LANES_INLINE sticking stick_by_neck(const lanes *c, lanes radius, lanes overlap, lanes old_overlap,
                                    lanes pull)
{
    const lanes size = jkr_size(c, radius), scale = radius / (size * size);
    const neck_lanes now = jkr_neck(c, radius, size, scale, overlap);
    const lanes old = jkr_neck(c, radius, size, scale, old_overlap).radius;
    return (sticking){
        .elastic = now.force + pull,
        .measure = now.radius,
        .unloaded = lanes_select(lanes_less(now.radius, old), now.radius / old, lanes_set(1.0))};
}

/* Luding's law (S. Luding, Granular Matter 10 (2008) 235), eq. 16 to 19: force = max(k (overlap -
 * delta_0), -k_c overlap). The stiffness k follows from the largest overlap `most`, which grows
 * with the overlap while the contact yields. On the attractive branch -k_c overlap, `most` falls,
 * so that its unloading line ends at this point (eq. 18). There `most` is the root of grow most^2 -
 * grow overlap most - (k_1 + k_c) overlap = 0. */
LANES_INLINE sticking stick_by_luding(const lanes *c, lanes loading, lanes radius, lanes overlap,
                                      lanes *most)
{
    const lanes zero = lanes_set(0.0), one = lanes_set(1.0);
    const lanes pressed = lanes_larger(overlap, zero), limit = c[COHESION_PLACE(limit)] * radius;
    const lanes deepest = lanes_smaller(lanes_larger(*most, pressed), limit);
    const lanes grow = (c[COHESION_PLACE(unloading)] - loading) / limit;
    const lanes tensile = c[COHESION_PLACE(tensile)] * pressed;
    const lanes line = (loading + grow * deepest) * (pressed - deepest) + loading * deepest;
    const lanes force = lanes_larger(line, zero - tensile);
    const lanes root =
        lanes_sqrt(pressed * pressed + lanes_set(4.0) * (loading * pressed + tensile) / grow);
    const lanes fallen = lanes_smaller(lanes_set(0.5) * (pressed + root), deepest);
    const lanes touching = lanes_select(lanes_less(zero, overlap), one, zero);
    *most = lanes_select(lanes_less(line, zero - tensile), fallen, deepest);
    return (sticking){.elastic = lanes_larger(force, zero),
                      .pull = lanes_larger(zero - force, zero),
                      .support = tensile,
                      .measure = touching,
                      .unloaded = touching};
}

/* Selects the contacts with laws that store the largest overlap in the history. */
LANES_INLINE lanes_mask cohesions_keep_most(const lanes *c)
{
    return cohesions_are(c, ABUT_LUDING);
}

LANES_INLINE sticking select_sticking(lanes_mask chosen, sticking a, sticking b)
{
    return (sticking){.elastic = lanes_select(chosen, a.elastic, b.elastic),
                      .pull = lanes_select(chosen, a.pull, b.pull),
                      .support = lanes_select(chosen, a.support, b.support),
                      .measure = lanes_select(chosen, a.measure, b.measure),
                      .unloaded = lanes_select(chosen, a.unloaded, b.unloaded)};
}

/* The normal force with any cohesion. most: the largest overlaps in the history, which Luding's law
 * changes. */
LANES_INLINE sticking cohesions_stick(const lanes *c, lanes exponent, lanes elastic, lanes radius,
                                      lanes overlap, lanes old_overlap, lanes *most)
{
    const lanes_mask is_neck = cohesions_are(c, ABUT_JKR);
    const lanes_mask is_luding = cohesions_are(c, ABUT_LUDING);
    const lanes pull = cohesions_pull(c, radius, overlap);
    sticking s = {.pull = pull};
    if (mask_bits(is_neck) != LANES_ALL) {
        s = stick_by_law(exponent, elastic, radius, overlap, old_overlap);
    }
    if (mask_bits(is_neck)) {
        s = select_sticking(is_neck, stick_by_neck(c, radius, overlap, old_overlap, pull), s);
    }
    s.pull = pull;
    s.support = pull * lanes_select(lanes_less(lanes_set(0.0), overlap), c[COHESION_PLACE(support)],
                                    c[COHESION_PLACE(support_apart)]);
    if (mask_bits(is_luding)) {
        s = select_sticking(is_luding, stick_by_luding(c, elastic, radius, overlap, most), s);
    }
    return s;
}

#endif
