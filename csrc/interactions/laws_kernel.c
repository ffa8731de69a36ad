/* Forces and moments of contacts (docs/dem.md §2, with its equation numbers). One kernel computes
 * spheres on walls, pairs of spheres, and spots of bodies. They differ in the contact point and in
 * how springs rotate; spots also in the source of velocities and R*.
 * If the two spheres of a pair are exchanged, every vector only changes its sign, with the same
 * bits. So results do not depend on the order of the two spheres. */
#include "../base/lanes_kernel.h"
#include "cohesion_kernel.h"
#include "kernels.h"

/* The kind of contacts, and whether they have rolling springs or cohesion. All members are
 * constants when a kernel is compiled. */
typedef struct law_kind {
    bool is_wall;
    bool is_spot;   /* spots of bodies: velocities are of the contact point, R* is given */
    bool has_rolls; /* a law has rolling resistance of type C */
    bool is_cohesive;
} law_kind;

/* The motion and size of both partners of LANES contacts. */
typedef struct two_movers {
    lanes3 first_velocity, first_spin, second_velocity, second_spin;
    lanes first_arm, second_arm; /* from the centers to the contact point; not used at spots */
    lanes radius, mass;          /* reduced: R* and m* */
    lanes arm;
    lanes first_radius, second_radius; /* INFINITY for a wall; at spots both are R* */
} two_movers;

/* The normals of contacts in this step and in the last one. */
typedef struct directions {
    lanes3 normal, old, middle; /* middle: n_h of eq. 2 */
    lanes3 sum;                 /* of the normals of both steps */
    lanes sum_sq;
    lanes_mask is_old; /* the history of the last step is still valid */
} directions;

/* Relative velocities: `parting` along the normal, positive if partners separate; `sliding` in the
 * tangent plane. */
typedef struct motions {
    lanes parting;
    lanes3 sliding;
} motions;

LANES_INLINE lanes3 load_points(const double *p)
{
    lanes columns[3];
    lanes_load_points(p, columns);
    return (lanes3){columns[0], columns[1], columns[2]};
}

/* Loads three numbers from each of LANES pointers, from the number `first` on. The number behind
 * them is read, too. */
LANES_INLINE lanes3 gather(const double *const *pointers, int first)
{
    const double *vectors[LANES];
    lanes columns[4];
    for (int k = 0; k < LANES; k++) {
        vectors[k] = pointers[k] + first;
    }
    lanes_load_rows(vectors, columns);
    return (lanes3){columns[0], columns[1], columns[2]};
}

LANES_INLINE void gather_numbers(const void *const *pointers, lanes columns[8])
{
    const double *rows[LANES];
    for (int k = 0; k < LANES; k++) {
        rows[k] = pointers[k];
    }
    lanes_transpose_all(rows, 8, columns);
}

/* The reduced value of both partners. On a wall it is the value of the sphere. */
LANES_INLINE lanes reduce(lanes of_first, lanes of_second, law_kind kind)
{
    if (kind.is_wall) {
        return of_first;
    }
    return of_first * of_second / (of_first + of_second);
}

LANES_INLINE two_movers load_movers(const law_block *b, int32_t p, lanes overlap, law_kind kind)
{
    lanes i[MOVER_NUMBERS], j[MOVER_NUMBERS];
    gather_numbers((const void *const *)b->first + p, i);
    gather_numbers((const void *const *)b->second + p, j);
    const lanes arm = lanes_set(kind.is_wall ? 1.0 : 0.5) * overlap;
    const lanes radius = kind.is_spot ? lanes_load(b->radius + p) : reduce(i[6], j[6], kind);
    return (two_movers){.first_velocity = {i[0], i[1], i[2]},
                        .first_spin = {i[3], i[4], i[5]},
                        .second_velocity = {j[0], j[1], j[2]},
                        .second_spin = {j[3], j[4], j[5]},
                        .first_arm = i[6] - arm,
                        .second_arm = j[6] - arm,
                        .radius = radius,
                        .mass = reduce(i[7], j[7], kind),
                        .arm = arm,
                        .first_radius = kind.is_spot ? radius : i[6],
                        .second_radius = kind.is_wall   ? lanes_set(INFINITY)
                                         : kind.is_spot ? radius
                                                        : j[6]};
}

/* Loads normals. If the normal of a contact has turned by more than 120 degrees in a step, the
 * contact begins anew. */
LANES_INLINE directions load_directions(const law_block *b, int32_t p)
{
    const lanes one = lanes_set(1.0);
    directions d = {.normal = load_points(b->normal + 3 * p)};
    const lanes3 old = gather(b->old_normal + p, 0);
    const lanes3 sum = lanes3_add(old, d.normal);
    d.is_old = lanes_no_more(one, lanes3_dot(sum, sum));
    d.old = lanes3_select(d.is_old, old, d.normal);
    d.sum = lanes3_add(d.old, d.normal);
    d.sum_sq = lanes3_dot(d.sum, d.sum);
    d.middle = lanes3_scale(d.sum, one / lanes_sqrt(d.sum_sq));
    return d;
}

/* Splits the velocity into two parts by the normal halfway between both steps (eq. 2). The
 * tangential part is then rotated into the present tangent plane. */
LANES_INLINE motions split_velocity(const two_movers *t, const directions *d, law_kind kind)
{
    lanes3 velocity = lanes3_sub(t->first_velocity, t->second_velocity);
    if (!kind.is_spot) {
        lanes3 arms = lanes3_scale(t->first_spin, t->first_arm);
        if (!kind.is_wall) {
            arms = lanes3_add(arms, lanes3_scale(t->second_spin, t->second_arm));
        }
        velocity = lanes3_sub(velocity, lanes3_cross(arms, d->normal));
    }
    motions m = {.parting = lanes3_dot(velocity, d->middle)};
    const lanes3 across = lanes3_sub(velocity, lanes3_scale(d->middle, m.parting));
    const lanes along =
        lanes3_dot(d->normal, across) / (lanes_set(1.0) + lanes3_dot(d->middle, d->normal));
    m.sliding = lanes3_sub(across, lanes3_scale(lanes3_add(d->middle, d->normal), along));
    return m;
}

/* Rotates a vector of the history into the present tangent plane. In a pair it is first rotated
 * about the normal by the mean spin. Then the smallest rotation between both normals is applied. */
LANES_INLINE lanes3 turn(lanes3 vector, const two_movers *t, const directions *d, lanes half_step,
                         law_kind kind)
{
    const lanes one = lanes_set(1.0), zero = lanes_set(0.0);
    lanes3 v = lanes3_select(d->is_old, vector, (lanes3){zero, zero, zero});
    if (!kind.is_wall) {
        /* a Cayley rotation, which keeps the length; `tangent` is that of half the angle */
        const lanes3 spins = lanes3_add(t->first_spin, t->second_spin);
        const lanes tangent = lanes_set(0.5) * half_step * lanes3_dot(spins, d->normal);
        const lanes tangent_sq = tangent * tangent;
        const lanes3 turned = lanes3_add(lanes3_scale(v, one - tangent_sq),
                                         lanes3_scale(lanes3_cross(d->old, v), tangent + tangent));
        v = lanes3_scale(turned, one / (one + tangent_sq));
    }
    const lanes dot = lanes3_dot(d->normal, v);
    const lanes along = (dot + dot) / d->sum_sq;
    return lanes3_sub(v, lanes3_scale(d->sum, along));
}

/* A vector, shortened if it is longer than a given length. */
typedef struct cut_vector {
    lanes3 vector;
    lanes_mask is_cut;
} cut_vector;

LANES_INLINE cut_vector cut(lanes3 vector, lanes length)
{
    const lanes one = lanes_set(1.0);
    const lanes own_sq = lanes3_dot(vector, vector);
    const lanes_mask is_cut = lanes_less(length * length, own_sq);
    const lanes scale = length / lanes_sqrt(lanes_select(is_cut, own_sq, one));
    return (cut_vector){lanes3_select(is_cut, lanes3_scale(vector, scale), vector), is_cut};
}

/* Stores the first `count` of LANES points. */
LANES_INLINE void put_points(double *to, lanes3 points, size_t count)
{
    const lanes columns[3] = {points.x, points.y, points.z};
    if (count >= LANES) {
        lanes_store_points(to, columns);
        return;
    }
    double all[3 * LANES];
    lanes_store_points(all, columns);
    memcpy(to, all, 3 * count * sizeof *all);
}

/* Stores a vector in the contact history. */
LANES_INLINE void put_kept(const law_block *b, int32_t p, int first, lanes3 vector, size_t count)
{
    if (b->springs) {
        put_points(b->springs + 3 * p, vector, count);
        return;
    }
    double all[3 * LANES];
    const lanes columns[3] = {vector.x, vector.y, vector.z};
    const abut_index numbers = history_numbers(b->layout);
    lanes_store_points(all, columns);
    for (size_t k = 0; k < LANES && k < count; k++) {
        memcpy(b->history + b->rows[(size_t)p + k] * numbers + first, all + 3 * k, 3 * sizeof *all);
    }
}

/* Writes columns as rows of effects, for the first `count` of LANES contacts. */
LANES_INLINE void put_effects(effect *to, const lanes columns[EFFECT_NUMBERS], size_t count)
{
    double numbers[EFFECT_NUMBERS][LANES];
    double rows[LANES][EFFECT_NUMBERS];
    for (int k = 0; k < EFFECT_NUMBERS; k++) {
        lanes_store(numbers[k], columns[k]);
    }
    for (int first = 0; first < EFFECT_NUMBERS; first += LANES) {
        const double *parts[LANES];
        lanes turned[LANES];
        for (int k = 0; k < LANES; k++) {
            parts[k] = numbers[first + k];
        }
        lanes_transpose(parts, turned);
        for (int k = 0; k < LANES; k++) {
            lanes_store(&rows[k][first], turned[k]);
        }
    }
    if (count >= LANES) {
        memcpy(to, rows, sizeof rows); /* a size known to the compiler */
    } else {
        memcpy(to, rows, count * sizeof *to);
    }
}

/* The numbers of LANES laws that kernels read. */
typedef struct law_lanes {
    lanes exponent, elastic, shear, normal_damping, shear_damping, friction;
    lanes rolling_friction, rolling_damping;
} law_lanes;

/* Numbers that the normal, tangential and rolling forces of LANES contacts need. */
typedef struct state {
    law_lanes law;
    lanes measure;
    lanes damping;  /* sqrt(q m*), a factor of all damping coefficients */
    lanes shear;    /* the tangential stiffness */
    lanes push;     /* the normal force F_n; negative: attractive */
    lanes bearing;  /* N in the limits of friction and rolling; without cohesion F_n */
    lanes unloaded; /* what both springs of the last step are multiplied by; see `sticking` */
    lanes share;
    lanes push_share; /* the share of F_n on a wall */
} state;

LANES_INLINE law_lanes load_laws(const law_block *b, int32_t p)
{
    lanes c[LAW_NUMBERS];
    gather_numbers((const void *const *)b->laws + p, c);
    return (law_lanes){c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]};
}

/* Rolling resistance of type C (eq. 13 and 14): a rolling spring, and a damper while the spring is
 * below its limit. */
LANES_INLINE lanes3 roll(const law_block *b, int32_t p, const two_movers *t, const directions *d,
                         const state *s, law_kind kind, size_t count)
{
    const lanes zero = lanes_set(0.0), half_step = lanes_set(0.5 * b->step);
    const lanes3 spin = lanes3_sub(t->first_spin, t->second_spin);
    const lanes3 rolling = lanes3_sub(spin, lanes3_scale(d->normal, lanes3_dot(spin, d->normal)));
    const lanes stiffness = s->shear * t->radius * t->radius;
    const int place = b->layout->begins[HISTORY_ROLL];
    const lanes3 old = turn(gather(b->kept + p, place), t, d, half_step, kind);
    const lanes3 spring = lanes3_sub(lanes3_scale(old, s->unloaded),
                                     lanes3_scale(rolling, stiffness * lanes_set(b->step)));
    const lanes damping_ratio = s->law.rolling_damping;
    const lanes_mask is_brake = lanes_less(damping_ratio, zero);
    const lanes coefficient = lanes_select(is_brake, zero, s->law.rolling_friction);
    const cut_vector held = cut(spring, coefficient * t->radius * s->bearing);
    const lanes damping = damping_ratio * lanes_sqrt(stiffness * lanes_load(b->inertia + p));
    const lanes3 damped = lanes3_sub(held.vector, lanes3_scale(rolling, damping));
    put_kept(b, p, place, held.vector, count);
    const lanes3 moment = lanes3_scale(lanes3_select(held.is_cut, held.vector, damped), s->share);
    put_points(b->moment + 3 * p, moment, count);
    return moment;
}

/* Writes the power of forces and moments on the wall. */
LANES_INLINE void put_power(const law_block *b, int32_t p, lanes3 force, lanes3 moment,
                            size_t count)
{
    double powers[LANES];
    lanes wall[MOVER_NUMBERS];
    gather_numbers((const void *const *)b->wall + p, wall);
    const lanes power = lanes3_dot(force, (lanes3){wall[0], wall[1], wall[2]}) +
                        lanes3_dot(moment, (lanes3){wall[3], wall[4], wall[5]});
    lanes_store(powers, lanes_set(0.0) - power);
    memcpy(b->power + p, powers, (count < LANES ? count : LANES) * sizeof *powers);
}

LANES_INLINE void put_force(const law_block *b, int32_t p, lanes3 force, const two_movers *t,
                            const directions *d, const state *s, size_t count)
{
    const lanes zero = lanes_set(0.0);
    const lanes3 cross = lanes3_cross(d->normal, force);
    const lanes brake = s->law.rolling_friction * t->radius * s->bearing * s->share;
    const lanes_mask is_brake = lanes_less(s->law.rolling_damping, zero);
    const lanes columns[EFFECT_NUMBERS] = {
        force.x, force.y, force.z, cross.x,
        cross.y, cross.z, t->arm,  lanes_select(is_brake, brake, zero)};
    put_effects(b->effects + p, columns, count);
}

/* Returns a bit for each of the first `count` contacts with an overlap that must be watched. */
LANES_INLINE unsigned find_deep(const law_block *b, lanes overlap, const two_movers *t,
                                size_t count, law_kind kind)
{
    const lanes smaller = lanes_smaller(t->first_radius, t->second_radius);
    const lanes_mask is_deep = lanes_less(smaller * lanes_set(b->watch_part), overlap);
    return kind.is_spot ? 0 : mask_bits(is_deep) & lanes_first_bits((int32_t)count);
}

/* The shares of normal forces on walls. Attractive forces have other shares than repulsive ones. */
LANES_INLINE lanes share_of(const law_block *b, int32_t p, lanes push, lanes share, law_kind kind)
{
    if (kind.is_wall) {
        return lanes_select(lanes_less(push, lanes_set(0.0)), lanes_load(b->pull_share + p), share);
    }
    return share;
}

/* Laws without cohesion (eq. 5 and 6). Under Hertz' law the spring shrinks as the overlap falls. */
LANES_INLINE sticking bounce(const state *s, lanes radius, lanes overlap, lanes old_overlap)
{
    const lanes one = lanes_set(1.0);
    const lanes_mask is_hertz = lanes_less(one, s->law.exponent);
    sticking of = {.measure = lanes_select(is_hertz, lanes_sqrt(radius * overlap), one)};
    of.elastic = s->law.elastic * of.measure * overlap;
    const lanes_mask is_less = mask_and(is_hertz, lanes_less(overlap, old_overlap));
    const lanes left = lanes_sqrt(overlap / lanes_select(is_less, old_overlap, one));
    of.unloaded = lanes_select(is_less, left, one);
    return of;
}

/* Loads the numbers of LANES cohesions. Those of bridges are loaded only if a lane has a bridge. */
LANES_INLINE void load_cohesions(const law_block *b, int32_t p, lanes c[COHESION_NUMBERS])
{
    const double *rows[LANES];
    for (int k = 0; k < LANES; k++) {
        rows[k] = &b->laws[p + k]->cohesion.kind;
    }
    lanes_transpose_all(rows, COHESION_BRIDGES, c);
    if (mask_bits(cohesions_are(c, ABUT_LIQUID_BRIDGE))) {
        for (int k = 0; k < LANES; k++) {
            rows[k] += COHESION_BRIDGES;
        }
        lanes_transpose_all(rows, COHESION_NUMBERS - COHESION_BRIDGES, c + COHESION_BRIDGES);
    }
}

/* Loads the largest overlap of each contact from its history. */
LANES_INLINE lanes load_most(const law_block *b, int32_t p, lanes_mask is_old)
{
    double most[LANES];
    for (int k = 0; k < LANES; k++) {
        most[k] = history_most(b->layout, b->kept[p + k]);
    }
    return lanes_select(is_old, lanes_load(most), lanes_set(0.0));
}

/* Writes the largest overlap into the history. chosen: bits of the contacts with a law that stores
 * it. */
LANES_INLINE void put_most(const law_block *b, int32_t p, lanes most, unsigned chosen)
{
    double numbers[LANES];
    lanes_store(numbers, most);
    for (int k = 0; k < LANES; k++) {
        if (chosen >> k & 1) {
            double *kept = b->history + b->rows[p + k] * history_numbers(b->layout);
            history_set_most(b->layout, kept, numbers[k]);
        }
    }
}

/* The normal force of contacts with cohesion. c: the numbers of their cohesions. */
LANES_INLINE sticking stick(const law_block *b, int32_t p, const lanes *c, const two_movers *t,
                            const directions *d, lanes overlap, const state *s, size_t count)
{
    const unsigned keeps_most =
        mask_bits(cohesions_keep_most(c)) & lanes_first_bits((int32_t)count);
    lanes most = keeps_most ? load_most(b, p, d->is_old) : lanes_set(0.0);
    const sticking of = cohesions_stick(c, s->law.exponent, s->law.elastic, t->radius, overlap,
                                        lanes_load(b->old_overlap + p), &most);
    if (keeps_most) {
        put_most(b, p, most, keeps_most);
    }
    return of;
}

/* The normal force: eq. 7, or eq. 27 with cohesion. Returns a bit for each contact with an R* that
 * is too small for its law. */
LANES_INLINE unsigned push(const law_block *b, int32_t p, const two_movers *t, const directions *d,
                           lanes overlap, lanes parting, state *s, law_kind kind, size_t count)
{
    const lanes zero = lanes_set(0.0);
    lanes c[COHESION_NUMBERS];
    sticking of;
    if (kind.is_cohesive) {
        load_cohesions(b, p, c);
        of = stick(b, p, c, t, d, overlap, s, count);
    } else {
        of = bounce(s, t->radius, overlap, lanes_load(b->old_overlap + p));
    }
    s->measure = of.measure, s->unloaded = of.unloaded;
    s->damping = lanes_sqrt(s->measure * t->mass);
    s->push = lanes_larger(of.elastic - s->law.normal_damping * s->damping * parting, zero);
    s->bearing = s->push, s->push_share = s->share;
    if (!kind.is_cohesive) {
        return 0;
    }
    s->push = s->push - of.pull;
    s->bearing = lanes_larger(s->push + of.support, zero);
    s->push_share = share_of(b, p, s->push, s->share, kind);
    return mask_bits(lanes_less(t->radius, c[COHESION_PLACE(least_radius)]));
}

/* Computes LANES contacts from number p on, of which the first `count` are valid. Returns LAWS_DEEP
 * and LAWS_TOO_SMALL. */
LANES_INLINE unsigned compute(const law_block *b, int32_t p, size_t count, law_kind kind)
{
    const lanes zero = lanes_set(0.0), one = lanes_set(1.0), step = lanes_set(b->step);
    const lanes found = lanes_load(b->overlap + p);
    const lanes overlap = kind.is_cohesive ? found : lanes_larger(found, zero);
    const two_movers t = load_movers(b, p, overlap, kind);
    const directions d = load_directions(b, p);
    const motions m = split_velocity(&t, &d, kind);
    state s = {.law = load_laws(b, p), .share = kind.is_wall ? lanes_load(b->share + p) : one};

    const unsigned too_small = push(b, p, &t, &d, overlap, m.parting, &s, kind, count);

    /* The tangential force (eq. 10 and 11). The limit applies first to the spring, then to the sum
     * of spring and damper. So no step gains energy (eq. 12). */
    s.shear = s.law.shear * s.measure;
    const lanes limit = s.law.friction * s.bearing;
    const lanes3 old = turn(gather(b->kept + p, 0), &t, &d, lanes_set(0.5 * b->step), kind);
    const lanes3 grown =
        lanes3_sub(lanes3_scale(old, s.unloaded), lanes3_scale(m.sliding, s.shear * step));
    const lanes3 spring = cut(grown, limit).vector;
    const lanes3 damped =
        lanes3_sub(spring, lanes3_scale(m.sliding, s.law.shear_damping * s.damping));
    const lanes3 held = cut(damped, limit).vector;
    put_kept(b, p, 0, spring, count);

    lanes3 force;
    if (kind.is_cohesive) {
        force =
            lanes3_add(lanes3_scale(d.normal, s.push * s.push_share), lanes3_scale(held, s.share));
    } else {
        force = lanes3_scale(lanes3_add(lanes3_scale(d.normal, s.push), held), s.share);
    }
    put_force(b, p, force, &t, &d, &s, count);
    const lanes3 moment =
        kind.has_rolls ? roll(b, p, &t, &d, &s, kind, count) : (lanes3){zero, zero, zero};
    if (kind.is_wall) {
        put_power(b, p, force, moment, count);
    }
    const lanes_mask has_law = lanes_less(zero, s.law.elastic);
    return (find_deep(b, overlap, &t, count, kind) & mask_bits(has_law) ? LAWS_DEEP : 0) |
           (too_small ? LAWS_TOO_SMALL : 0);
}

LANES_INLINE unsigned compute_all(const law_block *b, law_kind kind)
{
    unsigned noted = 0;
    for (int32_t p = 0; p < b->count; p += LANES) {
        noted |= compute(b, p, (size_t)(b->count - p), kind);
    }
    return noted;
}

LANES_INLINE unsigned compute_with_rolls(const law_block *b, law_kind kind)
{
    if (history_part_numbers(b->layout, HISTORY_ROLL) > 0) {
        kind.has_rolls = true;
        return compute_all(b, kind);
    }
    return compute_all(b, kind);
}

LANES_INLINE unsigned compute_by_cohesion(const law_block *b, law_kind kind)
{
    if (b->is_cohesive) {
        kind.is_cohesive = true;
        return compute_with_rolls(b, kind);
    }
    return compute_with_rolls(b, kind);
}

unsigned KERNEL(laws)(const law_block *b)
{
    if (b->is_spot) {
        return b->is_wall ? compute_by_cohesion(b, (law_kind){.is_wall = true, .is_spot = true})
                          : compute_by_cohesion(b, (law_kind){.is_spot = true});
    }
    return b->is_wall ? compute_by_cohesion(b, (law_kind){.is_wall = true})
                      : compute_by_cohesion(b, (law_kind){.is_wall = false});
}

/* ---- sums ---- */

/* An effect is multiplied by ONES + ARMS * arm and then added to a sum. Here `arm` is the effect's
 * arm minus the sphere's radius. ONES has one row for each of both spheres, since forces on them
 * are opposite. */
static const double ONES[2][EFFECT_NUMBERS] = {{1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0},
                                               {-1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0}};
static const double ARMS[EFFECT_NUMBERS] = {0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0};

/* Writes sum + effect * (ones + ARMS * arm). */
LANES_INLINE void add_effect(double *to, const double *sum, const effect *e, const double *ones,
                             double arm)
{
    const double *numbers = e->force;
    for (int k = 0; k < EFFECT_NUMBERS; k += LANES) {
        const lanes factor = lanes_load(ones + k) + lanes_load(ARMS + k) * lanes_set(arm);
        lanes_store(to + k, lanes_load(sum + k) + lanes_load(numbers + k) * factor);
    }
}

static const sphere_sum NOTHING;

/* Returns where the new sum of the second sphere is written. *sum: the numbers to which the effect
 * is added. */
LANES_INLINE double *find_sum(const pair_adding *p, int32_t candidate, const double **sum)
{
    const int32_t number = p->buckets[candidate];
    if (number < 0) {
        double *own = (double *)&p->sums[p->seconds[candidate]];
        *sum = own;
        return own;
    }
    sum_bucket *b = &p->all[number];
    const int32_t entry = b->begin + b->count++;
    p->spheres[entry] = p->seconds[candidate];
    *sum = (const double *)&NOTHING;
    return (double *)&p->entries[entry];
}

void KERNEL(pairs_add)(const pair_adding *p)
{
    for (int32_t k = 0; k < p->count; k++) {
        const effect *e = &p->effects[k];
        const int32_t candidate = p->candidates[p->rows[k]];
        const int32_t i = p->firsts[candidate], j = p->seconds[candidate];
        double *first = (double *)&p->sums[i];
        const double *sum;
        double *second = find_sum(p, candidate, &sum);
        add_effect(first, first, e, ONES[0], e->arm - p->movers[i].radius);
        add_effect(second, sum, e, ONES[1], e->arm - p->movers[j].radius);
        for (int axis = 0; p->moments && axis < 3; axis++) {
            first[3 + axis] += p->moments[3 * k + axis];
            second[3 + axis] -= p->moments[3 * k + axis];
        }
    }
}

/* ---- laws of users ---- */

LANES_INLINE void store_vector(double (*columns)[ABUT_LAW_ROWS], int32_t p, lanes3 v)
{
    lanes_store(columns[0] + p, v.x);
    lanes_store(columns[1] + p, v.y);
    lanes_store(columns[2] + p, v.z);
}

LANES_INLINE lanes3 load_vector(double (*columns)[ABUT_LAW_ROWS], int32_t p)
{
    return (lanes3){lanes_load(columns[0] + p), lanes_load(columns[1] + p),
                    lanes_load(columns[2] + p)};
}

/* Writes the contact history for the user law. It is 0 if the contact begins, or had another law in
 * the last step. */
LANES_INLINE void write_user_history(const law_block *b, user_block *own, int32_t p,
                                     const two_movers *t, directions d, law_kind kind)
{
    const abut_user_law *l = b->laws[0]->user;
    const int *begins = b->layout->begins;
    const int numbers = history_numbers(b->layout) - begins[HISTORY_VECTORS];
    const lanes zero = lanes_set(0.0), one = lanes_set(1.0), half_step = lanes_set(0.5 * b->step);
    const double *rows[LANES];
    lanes kept[HISTORY_MOST + HISTORY_PADDING];
    for (int k = 0; k < LANES; k++) {
        rows[k] = b->kept[p + k] + begins[HISTORY_VECTORS];
    }
    lanes_transpose_all(rows, numbers, kept);
    const lanes identity = kept[numbers - HISTORY_END_NUMBERS + HISTORY_IDENTITY];
    d.is_old = mask_and(d.is_old, lanes_equal(identity, lanes_set((double)l->identity)));
    for (int c = 0; c < 3 * l->vector_count; c += 3) {
        const lanes3 vector = {kept[c], kept[c + 1], kept[c + 2]};
        store_vector(own->history_in + c, p, turn(vector, t, &d, half_step, kind));
    }
    const lanes *scalars = kept + begins[HISTORY_SCALARS] - begins[HISTORY_VECTORS];
    for (int c = 0; c < l->scalar_count; c++) {
        lanes_store(own->history_in[3 * l->vector_count + c] + p,
                    lanes_select(d.is_old, scalars[c], zero));
    }
    lanes_store(own->inputs[USER_INPUT(is_new)] + p, lanes_select(d.is_old, zero, one));
}

/* Writes the input columns of LANES contacts from number p on. Returns a bit for each of the first
 * `count` contacts with an overlap that must be watched. */
LANES_INLINE unsigned write_user_inputs(const law_block *b, user_block *own, int32_t p,
                                        size_t count, law_kind kind)
{
    double (*to)[ABUT_LAW_ROWS] = own->inputs;
    const lanes overlap = lanes_load(b->overlap + p);
    const two_movers t = load_movers(b, p, overlap, kind);
    const directions d = load_directions(b, p);
    const motions m = split_velocity(&t, &d, kind);
    const lanes3 spin = lanes3_sub(t.first_spin, t.second_spin);
    const lanes twisting = lanes3_dot(spin, d.normal);
    lanes_store(to[USER_INPUT(overlap)] + p, overlap);
    store_vector(to + USER_INPUT(normal), p, d.normal);
    lanes_store(to[USER_INPUT(parting)] + p, m.parting);
    store_vector(to + USER_INPUT(sliding), p, m.sliding);
    store_vector(to + USER_INPUT(rolling), p, lanes3_sub(spin, lanes3_scale(d.normal, twisting)));
    lanes_store(to[USER_INPUT(twisting)] + p, twisting);
    lanes_store(to[USER_INPUT(radius)] + p, t.radius);
    lanes_store(to[USER_INPUT(mass)] + p, t.mass);
    lanes_store(to[USER_INPUT(inertia)] + p, lanes_load(b->inertia + p));
    write_user_history(b, own, p, &t, d, kind);
    lanes_store(to[USER_INPUT(radius_i)] + p, t.first_radius);
    lanes_store(to[USER_INPUT(radius_j)] + p, t.second_radius);
    return find_deep(b, overlap, &t, count, kind);
}

static law_kind kind_of(const law_block *b)
{
    return (law_kind){.is_wall = b->is_wall, .is_spot = b->is_spot};
}

bool KERNEL(user_inputs)(const law_block *b, user_block *own)
{
    unsigned bits = 0;
    for (int32_t p = 0; p < rows_filled_up(b->count); p += LANES) {
        bits |= write_user_inputs(b, own, p, p < b->count ? (size_t)(b->count - p) : 0, kind_of(b));
    }
    return bits != 0;
}

/* Sums up 0 times each result of the law. The sum is NaN if a result is not finite. */
LANES_INLINE lanes sum_of_zeros(const user_block *own, int32_t p, int history)
{
    const lanes zero = lanes_set(0.0);
    lanes sum = zero;
    for (int k = 0; k < ABUT_LAW_OUTPUT_COUNT; k++) {
        sum = sum + zero * lanes_load(own->outputs[k] + p);
    }
    for (int k = 0; k < history; k++) {
        sum = sum + zero * lanes_load(own->history_out[k] + p);
    }
    return sum;
}

/* Writes forces and moments of user laws. Returns whether any moment is not 0. */
LANES_INLINE bool write_user_effects(const law_block *b, user_block *own, int32_t p, size_t count,
                                     law_kind kind)
{
    double (*from)[ABUT_LAW_ROWS] = own->outputs;
    const lanes zero = lanes_set(0.0), one = lanes_set(1.0);
    const lanes share = kind.is_wall ? lanes_load(b->share + p) : one;
    const lanes arm = lanes_set(kind.is_wall ? 1.0 : 0.5) * lanes_load(b->overlap + p);
    const directions d = {.normal = load_points(b->normal + 3 * p)};
    const two_movers t = {.arm = arm};
    const lanes push = lanes_load(from[USER_OUTPUT(push)] + p);
    const lanes push_share = share_of(b, p, push, share, kind);
    const lanes3 tangent = load_vector(from + USER_OUTPUT(tangent), p);
    const lanes3 force =
        lanes3_add(lanes3_scale(d.normal, push * push_share), lanes3_scale(tangent, share));
    const lanes3 moment = lanes3_scale(load_vector(from + USER_OUTPUT(moment), p), share);
    const state none = {.law = {.rolling_damping = zero}, .share = share};
    put_force(b, p, force, &t, &d, &none, count);
    put_points(b->moment + 3 * p, moment, count);
    if (kind.is_wall) {
        put_power(b, p, force, moment, count);
    }
    if (kind.is_wall && !kind.is_spot) {
        double *stored = from[USER_OUTPUT(stored)] + p;
        lanes_store(stored, push_share * lanes_load(stored));
    }
    return mask_bits(lanes3_equal(moment, (lanes3){zero, zero, zero})) != LANES_ALL;
}

static const double ZEROS[ABUT_LAW_ROWS];

/* Lists the columns of the contact history. Columns that this law does not use are 0. */
static void list_columns(const law_block *b, user_block *own, const double *identities,
                         const double *columns[HISTORY_MOST + HISTORY_PADDING])
{
    const abut_user_law *l = b->laws[0]->user;
    const int *begins = b->layout->begins, of_vectors = 3 * l->vector_count;
    for (int c = 0; c < HISTORY_MOST + HISTORY_PADDING; c++) {
        columns[c] = ZEROS;
    }
    for (int c = 0; c < of_vectors; c++) {
        columns[begins[HISTORY_VECTORS] + c] = own->history_out[c];
    }
    for (int c = 0; c < l->scalar_count; c++) {
        columns[begins[HISTORY_SCALARS] + c] = own->history_out[of_vectors + c];
    }
    columns[begins[HISTORY_END] + HISTORY_IDENTITY] = identities;
    columns[begins[HISTORY_END] + HISTORY_STORED] = own->outputs[USER_OUTPUT(stored)];
}

/* Writes the columns of the history as rows of the table. */
LANES_INLINE void put_rows(const law_block *b, const double *const *columns, int32_t p, int count)
{
    const int numbers = history_numbers(b->layout);
    for (int first = 0; first < numbers; first += LANES) {
        const double *parts[LANES];
        lanes turned[LANES];
        for (int k = 0; k < LANES; k++) {
            parts[k] = columns[first + k] + p;
        }
        lanes_transpose(parts, turned);
        for (int k = 0; k < LANES && k < count; k++) {
            double *to = b->history + b->rows[p + k] * numbers;
            lanes_store_first(to + first, turned[k], numbers - first);
        }
    }
}

unsigned KERNEL(user_effects)(const law_block *b, user_block *own)
{
    const double *columns[HISTORY_MOST + HISTORY_PADDING];
    const int history = user_history_count(b->laws[0]->user);
    double sums[LANES], identities[ABUT_LAW_ROWS];
    lanes sum = lanes_set(0.0);
    unsigned noted = 0;
    for (int32_t p = 0; p < ABUT_LAW_ROWS; p += LANES) {
        lanes_store(identities + p, lanes_set((double)b->laws[0]->user->identity));
    }
    list_columns(b, own, identities, columns);
    for (int32_t p = 0; p < b->count; p += LANES) {
        const bool has_moments = write_user_effects(b, own, p, (size_t)(b->count - p), kind_of(b));
        noted |= has_moments ? USER_HAS_MOMENTS : 0;
        sum = sum + sum_of_zeros(own, p, history);
        put_rows(b, columns, p, b->count - p);
    }
    lanes_store(sums, sum);
    for (int k = 0; k < LANES; k++) {
        noted |= sums[k] == 0.0 ? 0 : USER_NOT_FINITE;
    }
    return noted;
}
