/* Forces and breaking of bonds (docs/dem.md, section 12). For small angles bonds are Timoshenko
 * beams. Their potential uses unit vectors that are fixed in each sphere (V. A. Kuzkin, I. E.
 * Asonov, Phys. Rev. E 86 (2012) 051301). The potential needs no angles and conserves linear and
 * angular momentum. */
#include "bond_laws.h"

#include "bond_pairs.h"

/* ---- stiffness ---- */

/* The stiffness of a round beam, docs/dem.md eq. 44, with Cowper's (1966) shear coefficient. */
static bond_stiffness stiffness_of(const bond *b, double mass, double inertia)
{
    const double r = b->radius, length = b->length, area = PI * r * r, section = area * r * r / 4.0;
    const double shear = b->young / (2.0 * (1.0 + b->poisson));
    const double part = 6.0 * (1.0 + b->poisson) / (7.0 + 6.0 * b->poisson);
    const double bending = b->young * section;
    const double ratio = 12.0 * bending / (part * shear * area * length * length);
    bond_stiffness k = {.stretch = b->young * area / length,
                        .shear = 12.0 * bending / (length * (1.0 + ratio)),
                        .twist = 2.0 * shear * section / length,
                        .bend = bending / length,
                        .inv_area = 1.0 / area,
                        .bend_section = r / section,
                        .twist_section = 0.5 * r / section};
    k.mixed = k.bend - 0.25 * k.shear - 0.5 * k.twist;
    const double damping = 2.0 * b->damping;
    k.dampers[0] = damping * sqrt(k.stretch * mass);
    k.dampers[1] = damping * sqrt(k.shear * mass) / length;
    k.dampers[2] = damping * sqrt(k.bend * inertia);
    k.dampers[3] = damping * sqrt(k.twist * inertia);
    return k;
}

bool bonds_are_stiff(const bond *b)
{
    const bond_stiffness k = stiffness_of(b, 1.0, 1.0);
    const double numbers[] = {k.stretch,  k.shear,        k.twist,        k.bend,
                              k.inv_area, k.bend_section, k.twist_section};
    bool are_sound = true;
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        are_sound &= numbers[n] > 0.0 && numbers[n] < INFINITY;
    }
    return are_sound;
}

void bonds_refresh(abut_simulation *s)
{
    const store *spheres = &s->store;
    for (abut_index k = 0; k < s->bonds.count; k++) {
        const bond *b = &s->bonds.bonds[k];
        const int32_t place_i = spheres->places[b->rows[0]], place_j = spheres->places[b->rows[1]];
        s->bonds.stiffness[k] =
            stiffness_of(b, reduced(spheres->movers[place_i].mass, spheres->movers[place_j].mass),
                         reduced(spheres->inertias[place_i], spheres->inertias[place_j]));
    }
}

/* ---- positions ---- */

/* One end of a bond: its axes in the world, and the motion of its sphere. */
typedef struct bond_end {
    vec3 axes[3]; /* e, b and c of docs/dem.md eq. 45 to 47 */
    vec3 velocity, spin;
} bond_end;

static const rigid *cluster_of(const abut_simulation *s, abut_index place)
{
    return simulation_is_member(s, place) ? &s->clusters.bodies[s->store.clusters[place]].rigid
                                          : NULL;
}

static bond_end end_of(const abut_simulation *s, const bond *b, int side)
{
    const abut_index place = s->store.places[b->rows[side]];
    const mover *m = &s->store.movers[place];
    const rigid *cluster = cluster_of(s, place);
    vec3 rows[3], cluster_rows[3];
    bond_end end = {.velocity = vec3_load(m->velocity), .spin = vec3_load(m->spin)};
    rigid_rows(b->turns[side], rows);
    for (int k = 0; k < 3; k++) {
        const vec3 axis = {k == 0, k == 1, k == 2};
        end.axes[k] = rows_turn(rows, axis);
    }
    if (cluster) {
        rigid_rows(cluster->orientation, cluster_rows);
        for (int k = 0; k < 3; k++) {
            end.axes[k] = rows_turn(cluster_rows, end.axes[k]);
        }
    }
    return end;
}

/* ---- forces ---- */

/* A bond at its position in a step. */
typedef struct bond_state {
    bond_end ends[2];
    vec3 way, along; /* way: from the first center to the second; along: the unit vector of `way` */
    double length;
} bond_state;

static bond_state state_of(const abut_simulation *s, const bond *b)
{
    bond_state at = {.ends = {end_of(s, b, 0), end_of(s, b, 1)},
                     .way = bonds_way(s, b->rows, b->shift)};
    if (s->cell.deforms) {
        const vec3 image = bonds_image(s, b->rows, b->shift);
        at.ends[1].velocity = vec3_add(at.ends[1].velocity, cell_image_velocity(&s->cell, image));
    }
    at.length = vec3_length(at.way);
    at.along = vec3_scale(at.way, 1.0 / at.length);
    return at;
}

/* The part of a vector that is perpendicular to the bond. */
static vec3 across(const bond_state *at, vec3 a)
{
    return vec3_sub(a, vec3_scale(at->along, vec3_dot(a, at->along)));
}

/* Computes stresses by docs/dem.md eq. 48 and whether the bond breaks: eq. 15 and 16 of Potyondy
 * and Cundall, Int. J. Rock Mech. Min. Sci. 41 (2004) 1329. */
static void find_stresses(const bond *b, const bond_stiffness *k, const bond_state *at, double pull,
                          vec3 slide, bond_effect *e)
{
    const double bends[2] = {vec3_length(across(at, e->moments[0])),
                             vec3_length(across(at, e->moments[1]))};
    const double twist = fabs(vec3_dot(e->moments[0], at->along));
    const double stresses[2] = {pull * k->inv_area + larger(bends[0], bends[1]) * k->bend_section,
                                vec3_length(slide) * k->inv_area + twist * k->twist_section};
    const bool breaks[2] = {stresses[TENSION] >= b->strengths[TENSION],
                            stresses[SHEAR] >= b->strengths[SHEAR]};
    for (int part = 0; part < 2; part++) {
        e->parts[part] = stresses[part] > 0.0 ? stresses[part] / b->strengths[part] : 0.0;
    }
    e->is_broken = breaks[TENSION] || breaks[SHEAR];
    e->is_of_shear = !breaks[TENSION] || (breaks[SHEAR] && e->parts[SHEAR] > e->parts[TENSION]);
}

/* The force, moments and energy of the potential: docs/dem.md eq. 45 to 47. */
static bond_effect exert(const bond *b, const bond_stiffness *k, const bond_state *at)
{
    const vec3 *first = at->ends[0].axes, *second = at->ends[1].axes;
    const vec3 sum = vec3_add(first[0], second[0]);
    const double longer = at->length - b->length;
    const vec3 slide = vec3_scale(across(at, sum), 0.5 * k->shear / at->length);
    const vec3 turn = vec3_add(vec3_cross(first[1], second[1]), vec3_cross(first[2], second[2]));
    const vec3 bend = vec3_add(vec3_scale(vec3_cross(first[0], second[0]), k->mixed),
                               vec3_scale(turn, 0.5 * k->twist));
    const double half = 0.5 * k->shear;
    bond_effect e = {
        .force = vec3_sub(vec3_scale(at->along, k->stretch * longer), slide),
        .moments = {vec3_add(vec3_scale(vec3_cross(first[0], at->along), half), bend),
                    vec3_sub(vec3_scale(vec3_cross(second[0], at->along), half), bend)},
        .energy =
            0.5 * k->stretch * longer * longer + k->shear * (1.0 - 0.5 * vec3_dot(sum, at->along)) +
            k->mixed * (1.0 - vec3_dot(first[0], second[0])) +
            k->twist *
                (1.0 - 0.5 * (vec3_dot(first[1], second[1]) + vec3_dot(first[2], second[2])))};
    find_stresses(b, k, at, k->stretch * longer, slide, &e);
    return e;
}

/* Adds the dashpots between both ends. Their force and moments conserve angular momentum. */
static void damp(const bond_stiffness *k, const bond_state *at, bond_effect *e)
{
    const bond_end *first = &at->ends[0], *second = &at->ends[1];
    const vec3 parting = vec3_sub(second->velocity, first->velocity);
    const vec3 along = vec3_scale(at->along, vec3_dot(parting, at->along));
    const vec3 mean = vec3_scale(vec3_add(first->spin, second->spin), 0.5);
    const vec3 sliding = vec3_sub(vec3_sub(parting, along), vec3_cross(mean, at->way));
    const vec3 turning = vec3_sub(second->spin, first->spin);
    const vec3 bending = across(at, turning), twisting = vec3_sub(turning, bending);
    const vec3 slide = vec3_scale(sliding, k->dampers[1]);
    const vec3 couple = vec3_scale(vec3_cross(at->way, slide), 0.5);
    const vec3 torque =
        vec3_add(vec3_scale(bending, k->dampers[2]), vec3_scale(twisting, k->dampers[3]));
    e->force = vec3_add(e->force, vec3_add(vec3_scale(along, k->dampers[0]), slide));
    e->moments[0] = vec3_add(e->moments[0], vec3_add(couple, torque));
    e->moments[1] = vec3_add(e->moments[1], vec3_sub(couple, torque));
}

static bond_effect effect_of(const abut_simulation *s, abut_index number)
{
    const bond *b = &s->bonds.bonds[number];
    const bond_stiffness *k = &s->bonds.stiffness[number];
    const bond_state at = state_of(s, b);
    bond_effect e = exert(b, k, &at);
    if (b->damping > 0.0) {
        damp(k, &at, &e);
    }
    if (e.is_broken) {
        const double *first = s->store.centers + 3 * (abut_index)s->store.places[b->rows[0]];
        e.middle = vec3_add(vec3_load(first), vec3_scale(at.way, 0.5));
        e.force = e.moments[0] = e.moments[1] = (vec3){0.0, 0.0, 0.0};
    }
    return e;
}

/* ---- all bonds ---- */

/* CHUNK_BONDS: bonds per task. WORK_OF_BOND: the work of a bond in units of parallel_report. */
enum { CHUNK_BONDS = 128, WORK_OF_BOND = 20 };

static void find_effects(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    for (abut_index k = begin; k < end; k++) {
        s->bonds.now[k] = effect_of(s, k);
    }
}

static void do_all(abut_simulation *s, const parallel_plan *plan, parallel_stretch body)
{
    const abut_index count = s->bonds.count;
    parallel_loop(plan->workers, count, CHUNK_BONDS, WORK_OF_BOND * count, body, s);
}

abut_status bonds_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    bond_set *b = &s->bonds;
    do_all(s, plan, find_effects);
    b->broken_count = 0;
    for (abut_index k = 0; k < b->count; k++) {
        b->broken_count += b->now[k].is_broken;
    }
    bonds_mark_parted(s);
    return error_set_status(error, b->broken_count > 0 ? bonds_reserve_broken(b, b->broken_count)
                                                       : ABUT_OK);
}

/* ---- turning ---- */

/* Turns an end with its sphere by the angle |spin| * step. An end at a cluster's member is not
 * changed, since it is stored in the axes of the cluster. The tangent of half the angle is a Pade
 * fraction, exact to the last digit for angles up to some degrees. */
static void turn_end(const abut_simulation *s, bond *b, int side)
{
    const abut_index place = s->store.places[b->rows[side]];
    if (simulation_is_member(s, place)) {
        return;
    }
    const double half = 0.5 * s->next.step;
    const vec3 spin = vec3_load(s->store.movers[place].spin);
    const double x = half * half * vec3_norm_sq(spin);
    double turned[4];
    rigid_turn(b->turns[side], spin, half * (945.0 - x * (105.0 - x)),
               945.0 - x * (420.0 - 15.0 * x), turned);
    memcpy(b->turns[side], turned, sizeof turned);
}

static void turn_ends(void *context, abut_index begin, abut_index end)
{
    abut_simulation *s = context;
    for (abut_index k = begin; k < end; k++) {
        turn_end(s, &s->bonds.bonds[k], 0);
        turn_end(s, &s->bonds.bonds[k], 1);
    }
}

void bonds_turn(abut_simulation *s, const parallel_plan *plan)
{
    do_all(s, plan, turn_ends);
}

/* ---- energy and stable step ---- */

double bonds_energy(const abut_simulation *s)
{
    double sum = 0.0;
    for (abut_index k = 0; k < s->bonds.count; k++) {
        sum += s->bonds.before[k].energy;
    }
    return sum;
}

static double largest(const double *numbers, int count)
{
    double most = numbers[0];
    for (int k = 1; k < count; k++) {
        most = larger(most, numbers[k]);
    }
    return most;
}

/* The stable step of one bond, docs/dem.md eq. 49. Mass and inertia of each sphere are divided by
 * the number of its bonds. Then no frequency of all bonds together exceeds the highest of these
 * single ones. */
static double step_of_bond(const abut_simulation *s, abut_index number)
{
    const bond *b = &s->bonds.bonds[number];
    const bond_stiffness *k = &s->bonds.stiffness[number];
    double by_mass = 0.0, by_inertia = 0.0;
    for (int side = 0; side < 2; side++) {
        const int32_t row = b->rows[side];
        const abut_index place = s->store.places[row];
        const double bonds = s->bonds.begins[row + 1] - s->bonds.begins[row];
        by_mass += bonds / s->store.movers[place].mass;
        by_inertia += bonds / s->store.inertias[place];
    }
    const double length_sq = b->length * b->length, shear = k->shear / length_sq;
    const double squares[3] = {k->stretch * by_mass, k->twist * by_inertia,
                               shear * (by_mass + 0.25 * length_sq * by_inertia) +
                                   k->bend * by_inertia};
    const double delays[4] = {k->dampers[0] / k->stretch, k->dampers[1] / shear,
                              k->dampers[2] / k->bend, k->dampers[3] / k->twist};
    return law_stable_step(largest(squares, 3), largest(delays, 4));
}

double bonds_stable_step(const abut_simulation *s, abut_index row)
{
    const bond_set *b = &s->bonds;
    double step = INFINITY;
    for (int32_t k = b->begins[row]; k < b->begins[row + 1]; k++) {
        step = smaller(step, step_of_bond(s, b->ends[k] >> 1));
    }
    return step;
}
