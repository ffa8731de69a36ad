/* Cundall's common plane.
 *
 * The plane between two bodies is turned about two axes in it, back and forth by an angle, and
 * stays where the gap is largest; where no turn gains, the angle is halved, until it is small. It
 * is then midway between both supports. P. A. Cundall, International Journal of Rock Mechanics and
 * Mining Sciences 25 (1988).
 *
 * The gap is no smooth function of the normal. In 3D it has ridges, which lead up between the four
 * turns, and where none of them gains the plane stays below the top: of one pair in ten it ends 16
 * degrees off or more, however small the angles. This is the method, and what others are compared
 * with; the gap is a lower bound all the same. Of polygons there is one axis, and no ridge. */
#include "common_plane.h"

#include "../mesh/tolerance.h"

static vec3 centroid_line(const convex_pair *pair)
{
    const vec3 to_b = pair_to_a(pair, body_centroid(&pair->b));
    const vec3 line = vec3_sub(to_b, body_centroid(&pair->a));
    const double length = vec3_length(line);
    return length > pair->tolerance ? vec3_scale(line, 1.0 / length) : (vec3){1.0, 0.0, 0.0};
}

tried_plane plane_begin(const convex_pair *pair, const convex_link *before)
{
    const vec3 normal = before ? before->normal : centroid_line(pair);
    const support_gap at = pair_support_gap(pair, normal);
    return (tried_plane){normal, at, {{ABUT_VERTEX, at.a}, {ABUT_VERTEX, at.b}}};
}

static vec3 unit(vec3 a)
{
    return vec3_scale(a, 1.0 / vec3_length(a));
}

/* Whether one of the four turns (two of polygons) by an angle gains; then the best of them. */
static bool turn_best(const convex_pair *pair, double angle, tried_plane *best)
{
    vec3 axes[2];
    plane_axes(pair, best->normal, axes);
    const vec3 level = vec3_scale(best->normal, cos(angle));
    const double sine = sin(angle), before = best->at.gap;
    const int axis_count = pair->a.shape->dimension - 1;
    for (int k = 0; k < 2 * axis_count; k++) {
        const vec3 lean = vec3_scale(axes[k / 2], k % 2 ? -sine : sine);
        const vec3 normal = unit(vec3_add(level, lean));
        const support_gap at = pair_support_gap(pair, normal);
        if (at.gap > best->at.gap) {
            best->normal = normal, best->at = at;
        }
    }
    return best->at.gap > before;
}

void common_plane_find(const convex_pair *pair, const convex_link *before,
                       const abut_convex_options *options, convex_link *link)
{
    tried_plane best = plane_begin(pair, before);
    double angle = options->cp_first;
    int32_t iterations = 0;
    for (; angle >= options->cp_last && iterations < options->iterations; iterations++) {
        angle = turn_best(pair, angle, &best) ? angle : 0.5 * angle;
    }
    const bool has_ended = angle < options->cp_last;
    *link = (convex_link){
        .ends = {{ABUT_VERTEX, best.at.a}, {ABUT_VERTEX, best.at.b}},
        .p = body_vertex(&pair->a, best.at.a),
        .q = body_vertex(&pair->b, best.at.b),
        .normal = best.normal,
        .gap = best.at.gap,
        .error = NAN,
        .status = has_ended ? plane_status(pair, best.at.gap) : ABUT_UNCONVERGED,
        .iterations = iterations,
    };
}
