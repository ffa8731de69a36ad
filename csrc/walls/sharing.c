/* Sharing: every touching facet keeps its contact, with the force that other facets that push in
 * its direction leave over (docs/method.md, section 5). With F_i the force of contact i alone, find
 * f:
 *
 *     f >= 0,   G f - F >= 0,   f . (G f - F) = 0,   G_ij = max(0, n_i . n_j)
 *
 * These are the stationary points of q = f.G f / 2 - F.f over f >= 0. Contacts are taken nearest
 * first. A contact that the active set leaves unsatisfied, (G f)_i < F_i, enters the set. Its load
 * grows, and those of the members follow so that they stay satisfied, until one of two things
 * happens:
 *
 *     load                               - the contact is satisfied: it becomes a member;
 *       |\     / entering                - a member's load reaches zero (ratio test): that member
 *       | \   /                            leaves the set, and the load still grows.
 *       |  \ /
 *       |   X                              q always decreases, so that no set comes twice.
 *       |  / \ a member
 *       +-/---x------>
 *
 * Only positive definite sets become active. G is not positive definite in general, but strictly
 * copositive (f.G f > 0 for f >= 0 other than 0). So where q is flat, or would fall without end,
 * some load decreases to zero and ends the step. Rounding could still make a set come twice: after
 * a fixed number of pivots, relax_loads continues from the loads reached. */
#include "sharing.h"

#include "../abut/contacts.h"
#include "../base/rounded.h"
#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* The largest number of pivots; then relaxation is used. One or two for each contact are usual, up
 * to five if many have nearly the same normal and force. No set of contacts is known that needs as
 * many as this limit. */
enum { PIVOTS_AT_LEAST = 100, PIVOTS_EACH = 20 };

void sharing_free(sharing *s)
{
    memory_free(s->forces);
    memory_free(s->members);
    memory_free(s->factor);
    *s = (sharing){0};
}

static abut_status report_work(parallel_job *job, abut_index work)
{
    return job ? parallel_report(job, work) : ABUT_OK;
}

/* ---- forces and couplings ---- */

/* Powers by roots where possible: they have the same bits on every machine. */
static double power(double ratio, double exponent)
{
    if (exponent == 1.0) {
        return ratio;
    }
    return exponent == 1.5 ? ratio * sqrt(ratio) : rounded_pow(ratio, exponent);
}

static void fill_forces(sharing *s, const double *overlaps, double exponent)
{
    double largest = 0.0;
    for (abut_index i = 0; i < s->count; i++) {
        largest = overlaps[i] > largest ? overlaps[i] : largest;
    }
    for (abut_index i = 0; i < s->count; i++) {
        s->forces[i] = overlaps[i] > 0.0 ? power(overlaps[i] / largest, exponent) : 0.0;
    }
}

/* F - G f: the force that a contact still lacks. It is 0 for members, and counts as 0 up to
 * SATISFIED_WITHIN. If no member pushes along the contact's normal, the whole force is lacking,
 * however small. */
static double lacking_force(const sharing *s, abut_index contact)
{
    double carried = 0.0, force = s->forces[contact];
    vec3 normal = s->normals[contact];
    for (abut_index k = 0; k < s->member_count; k++) {
        const sharing_member *member = &s->members[k];
        if (member->contact == contact) {
            return 0.0;
        }
        carried += coupling(normal, member->normal) * member->load;
    }
    bool is_lacking = carried < force - SATISFIED_WITHIN || carried == 0.0;
    return is_lacking ? force - carried : 0.0;
}

/* ---- the active set and its factor ---- */

static double *factor_row(const sharing *s, abut_index member)
{
    return s->factor + member * (member + 1) / 2;
}

static abut_status append_member(sharing *s, abut_index contact)
{
    abut_index count = s->member_count + 1, numbers = count * (count + 1) / 2;
    abut_status status = memory_fit(&s->members, count, &s->member_capacity, sizeof *s->members);
    status =
        status ? status : memory_fit(&s->factor, numbers, &s->factor_capacity, sizeof *s->factor);
    if (status) {
        return status;
    }
    s->members[s->member_count++] = (sharing_member){
        .contact = contact, .normal = s->normals[contact], .force = s->forces[contact]};
    return ABUT_OK;
}

/* Computes row `i` of L from the rows before it. Returns the pivot: the force that a load of 1 on
 * this member adds to it while the loads before it keep their members satisfied. It is not positive
 * if the set is not positive definite. */
static double factor_member(sharing *s, abut_index i)
{
    sharing_member *member = &s->members[i];
    double *row = factor_row(s, i), remaining = 1.0, known = member->force;
    for (abut_index j = 0; j < i; j++) {
        const double *above = factor_row(s, j);
        double sum = coupling(member->normal, s->members[j].normal);
        for (abut_index k = 0; k < j; k++) {
            sum -= row[k] * above[k];
        }
        row[j] = sum / above[j];
        remaining -= row[j] * row[j];
        known -= row[j] * s->members[j].known;
    }
    row[i] = sqrt(remaining > FLAT_CURVATURE ? remaining : FLAT_CURVATURE);
    member->known = known / row[i];
    return remaining;
}

/* Computes the rows of L from number `first` on. Returns the pivot of the last row. */
static double factor_from(sharing *s, abut_index first)
{
    double remaining = 1.0;
    for (abut_index i = first; i < s->member_count; i++) {
        remaining = factor_member(s, i);
    }
    return remaining;
}

static void remove_member(sharing *s, abut_index i)
{
    s->member_count--;
    for (; i < s->member_count; i++) {
        s->members[i] = s->members[i + 1];
    }
}

/* ---- one pivot ---- */

/* aim <- L^-T aim, for the first `count` members. */
static void substitute_back(sharing *s, abut_index count)
{
    for (abut_index i = count - 1; i >= 0; i--) {
        const double *row = factor_row(s, i);
        double value = s->members[i].aim / row[i];
        s->members[i].aim = value;
        for (abut_index k = 0; k < i; k++) {
            s->members[k].aim -= row[k] * value;
        }
    }
}

/* Aims at the loads that satisfy all members exactly. These are computed anew each time, so that
 * rounding does not add up. Returns the largest number of steps. */
static double aim_at_solution(sharing *s)
{
    for (abut_index i = 0; i < s->member_count; i++) {
        s->members[i].aim = s->members[i].known;
    }
    substitute_back(s, s->member_count);
    for (abut_index i = 0; i < s->member_count; i++) {
        s->members[i].step = s->members[i].aim - s->members[i].load;
    }
    return 1.0;
}

/* Aims along the direction in which the entering load grows and the other members stay satisfied.
 * This is for sets without a solution, or with one that is only rounding. Returns the largest
 * number of steps. */
static double aim_along_direction(sharing *s)
{
    abut_index last = s->member_count - 1;
    const double *row = factor_row(s, last);
    for (abut_index i = 0; i < last; i++) {
        s->members[i].aim = -row[i];
    }
    substitute_back(s, last);
    for (abut_index i = 0; i < last; i++) {
        s->members[i].step = s->members[i].aim;
    }
    s->members[last].step = 1.0;
    return (double)INFINITY;
}

/* The ratio test: the member, except the entering one, with the first load to reach zero within
 * `*reach` steps, or -1. Sets *reach to the number of steps there. */
static abut_index blocking_member(const sharing *s, double *reach)
{
    abut_index first = -1;
    for (abut_index i = 0; i < s->member_count - 1; i++) {
        const sharing_member *member = &s->members[i];
        if (member->step < 0.0 && member->load < *reach * -member->step) {
            *reach = member->load / -member->step;
            first = i;
        }
    }
    return first;
}

/* Changes all loads by `reach` steps; none falls below zero. */
static void move_loads(sharing *s, double reach)
{
    for (abut_index i = 0; i < s->member_count; i++) {
        double load = s->members[i].load + reach * s->members[i].step;
        s->members[i].load = load > 0.0 ? load : 0.0;
    }
}

static void accept_aim(sharing *s)
{
    for (abut_index i = 0; i < s->member_count; i++) {
        s->members[i].load = s->members[i].aim;
    }
}

/* Adds a contact to the members, since it lacks force. Sets pivots_left to 0 if rounding makes that
 * fail. */
static abut_status enter(sharing *s, abut_index contact, parallel_job *job)
{
    abut_status status = append_member(s, contact);
    abut_index changed = s->member_count - 1;
    while (!status && s->pivots_left > 0) {
        bool is_definite = factor_from(s, changed) > FLAT_CURVATURE;
        double reach = is_definite ? aim_at_solution(s) : aim_along_direction(s);
        changed = blocking_member(s, &reach);
        if (changed < 0 && is_definite && s->members[s->member_count - 1].aim > 0.0) {
            accept_aim(s);
            s->pivots_left--;
            break;
        }
        if (changed < 0) {
            s->pivots_left = 0; /* happens only by rounding */
            break;
        }
        move_loads(s, reach);
        remove_member(s, changed);
        s->pivots_left--;
        status = report_work(job, 1 + s->member_count * s->member_count / 8);
    }
    return status;
}

/* ---- the solution ---- */

/* Makes contacts members that lack force, nearest first. Ends when all contacts, one after the
 * other, are found satisfied, or when no pivots remain. */
static abut_status pivot_nearest_first(sharing *s, parallel_job *job)
{
    s->member_count = 0;
    s->pivots_left = PIVOTS_AT_LEAST + PIVOTS_EACH * s->count;
    abut_index satisfied = 0, work = 0;
    for (abut_index i = 0; satisfied < s->count; i = i + 1 < s->count ? i + 1 : 0) {
        satisfied++;
        work += 1 + s->member_count / 4;
        if (lacking_force(s, i) <= 0.0) {
            continue;
        }
        abut_status status = enter(s, i, job);
        status = status ? status : report_work(job, work);
        if (status || s->pivots_left <= 0) {
            return status;
        }
        satisfied = 1, work = 0;
    }
    return report_work(job, work);
}

static abut_status begin(sharing *s, abut_index count, const vec3 *normals, const double *overlaps,
                         double exponent)
{
    if (memory_fit(&s->forces, count, &s->force_capacity, sizeof *s->forces)) {
        return ABUT_NO_MEMORY;
    }
    s->normals = normals;
    s->count = count;
    fill_forces(s, overlaps, exponent);
    return ABUT_OK;
}

static void write_loads(const sharing *s, double *loads)
{
    for (abut_index i = 0; i < s->count; i++) {
        loads[i] = 0.0;
    }
    for (abut_index k = 0; k < s->member_count; k++) {
        loads[s->members[k].contact] = s->members[k].load;
    }
}

/* Turns loads into shares, in place. */
static void write_shares(const sharing *s, double *shares)
{
    for (abut_index i = 0; i < s->count; i++) {
        const double share = shares[i] > 0.0 ? shares[i] / s->forces[i] : 0.0;
        shares[i] = share < 1.0 ? share : 1.0;
    }
}

abut_status sharing_solve(sharing *s, abut_index count, const vec3 *normals, const double *overlaps,
                          double exponent, double *shares, parallel_job *job)
{
    abut_status status = begin(s, count, normals, overlaps, exponent);
    status = status ? status : pivot_nearest_first(s, job);
    if (status) {
        return status;
    }
    write_loads(s, shares);
    if (s->pivots_left <= 0) {
        status = relax_loads(count, normals, s->forces, shares, job);
    }
    write_shares(s, shares);
    return status;
}

abut_status abut_share(abut_index count, const double *normals, const double *overlaps,
                       double exponent, double *shares)
{
    sharing s = {0};
    /* copies: they are read many times, and the caller's arrays may change meanwhile */
    vec3 *own_normals = memory_alloc(count, sizeof *own_normals);
    double *own_overlaps = memory_alloc(count, sizeof *own_overlaps);
    abut_status status = own_normals && own_overlaps ? ABUT_OK : ABUT_NO_MEMORY;
    for (abut_index i = 0; !status && i < count; i++) {
        own_normals[i] = vec3_load(normals + 3 * i);
        own_overlaps[i] = overlaps[i];
    }
    if (!status) {
        status = sharing_solve(&s, count, own_normals, own_overlaps, exponent, shares, NULL);
    }
    sharing_free(&s);
    memory_free(own_normals);
    memory_free(own_overlaps);
    return status;
}

/* ---- projected Gauss-Seidel sweeps ----
 *
 * R. W. Cottle, J.-S. Pang, R. E. Stone, "The Linear Complementarity Problem", section 5.3, with
 * symmetric G. */

static double force_left_over(abut_index count, const vec3 *normals, const double *forces,
                              const double *loads, abut_index contact)
{
    double remaining = forces[contact];
    for (abut_index k = 0; k < count; k++) {
        if (k != contact && loads[k] > 0.0) {
            remaining -= coupling(normals[contact], normals[k]) * loads[k];
        }
    }
    return remaining > 0.0 ? remaining : 0.0;
}

/* Makes one sweep over all loads. Returns the largest change of a load. */
static double sweep(abut_index count, const vec3 *normals, const double *forces, double *loads)
{
    double most = 0.0;
    for (abut_index i = 0; i < count; i++) {
        const double load = force_left_over(count, normals, forces, loads, i);
        most = larger(most, fabs(load - loads[i]));
        loads[i] = load;
    }
    return most;
}

/* The largest number of couplings that are computed: about a second of work. */
#define MOST_COUPLINGS 1e9

abut_status relax_loads(abut_index count, const vec3 *normals, const double *forces, double *loads,
                        parallel_job *job)
{
    const double couplings = (double)count * (double)count;
    double change = INFINITY;
    abut_status status = ABUT_OK;
    for (int k = 0; !status && k < RELAXATION_SWEEPS && k * couplings <= MOST_COUPLINGS &&
                    change > SATISFIED_WITHIN;
         k++) {
        change = sweep(count, normals, forces, loads);
        status = job ? parallel_report(job, 1 + count * count / 8) : ABUT_OK;
    }
    return status;
}
