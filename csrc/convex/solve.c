/* Solves a pair of bodies: first without their rounding, by the chosen method, and then with it. */
#include "solve.h"

#include "common_plane.h"
#include "entrances.h"
#include "link.h"

#include "../mesh/tolerance.h"

/* The functions of the methods, indexed by abut_convex_method. */
static const convex_method METHODS[] = {link_find, fast_plane_find, common_plane_find,
                                        entrances_find};

static void solve_core(const convex_pair *pair, const convex_link *before, const solve_task *task,
                       convex_link *core)
{
    METHODS[task->options.method](pair, before, &task->options, core);
    if (task->minimum == ABUT_GLOBAL && core->gap < 0.0) {
        link_find_global(pair, task->options.iterations, core);
    }
}

static int32_t rounded_status(const convex_pair *pair, const solved *s)
{
    if (s->core.status == ABUT_UNCONVERGED) {
        return ABUT_UNCONVERGED;
    }
    const double size = body_rounding(&pair->a) + body_rounding(&pair->b);
    return gap_status(s->gap, larger(pair->tolerance, TOLD_APART * size));
}

/* Sets the results for the rounded bodies. The link's ends move along n by the bodies' radii of
 * rounding, which are subtracted from the gap. */
static void solve_rounding(const convex_pair *pair, solved *s)
{
    const convex_link *core = &s->core;
    const double a = body_rounding(&pair->a), b = body_rounding(&pair->b);
    s->gap = core->gap - (a + b);
    s->error = core->error;
    s->p = vec3_add(core->p, vec3_scale(core->normal, a));
    s->q = vec3_sub(pair_to_a(pair, core->q), vec3_scale(core->normal, b));
    s->status = rounded_status(pair, s);
}

/* Moves spots midway between the surfaces of the rounded bodies, and subtracts the
 * rounding of both bodies from the spots' gaps. */
static void round_spots(const convex_pair *pair, const solved *s, convex_spot *spots)
{
    const double a = body_rounding(&pair->a), b = body_rounding(&pair->b);
    const vec3 shift = vec3_scale(s->core.normal, 0.5 * (a - b));
    for (int32_t k = 0; k < s->spot_count; k++) {
        spots[k].point = vec3_add(spots[k].point, shift);
        spots[k].gap -= a + b;
    }
}

void solve_link(const convex_pair *pair, const convex_link *before, const solve_task *task,
                solved *result)
{
    solve_core(pair, before, task, &result->core);
    solve_rounding(pair, result);
    result->spot_count = 0;
}

void solve_spots(const convex_pair *pair, const solve_task *task, solved *result,
                 convex_spot *spots, convex_spot *room)
{
    if (task->wants_spots) {
        result->spot_count =
            spots_make(pair, &result->core, task->options.patch_angle, spots, room);
        round_spots(pair, result, spots);
    }
}

void solve_pair(const convex_pair *pair, const convex_link *before, const solve_task *task,
                solved *result, convex_spot *spots, convex_spot *room)
{
    solve_link(pair, before, task, result);
    solve_spots(pair, task, result, spots, room);
}
