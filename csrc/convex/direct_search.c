/* The fast direct search: "A fast direct search algorithm for contact detection of convex polygonal
 * or polyhedral particles", Computers and Geotechnics 87 (2017), with our own algorithms to find
 * entrances.
 *
 * It uses the entrance of the last step if that is still valid, or else climbs from it. If that
 * fails, it finds the entrance with the largest gap. For bodies that are apart this is the shortest
 * link, unless two vertices, or a vertex and an edge, are closest. Then link_find_apart is used. */
#include "entrances.h"

#include "link.h"

/* Whether the plane of the last step still lies between the bodies, which are then apart. */
static bool is_excluded(const convex_pair *pair, const convex_link *before)
{
    return pair_support_gap(pair, before->normal).gap > pair->tolerance;
}

/* Whether a link that stands is right. A link with a gap of at least 0 is right. With a gap below 0
 * it may be a minimum of the depth although the bodies are apart, so their overlap is checked. */
static bool is_sound(const convex_pair *pair, const convex_link *link)
{
    if (link->gap >= 0.0 || link_overlaps(pair, link)) {
        return true;
    }
    entrance best;
    entrances_best(pair, &best);
    return best.gap <= 0.0;
}

static bool stands(const convex_pair *pair, const convex_link *before, convex_link *link)
{
    return link_stands(pair, before, link) && is_sound(pair, link);
}

/* Climbs from the entrance of the last step. Returns whether this gives the link. */
static bool climb_from(const convex_pair *pair, const convex_link *before, convex_link *link)
{
    entrance e = {{before->ends[0], before->ends[1]}, {0.0, 0.0, 0.0}, 0.0};
    if (!entrance_read(pair, &e)) {
        return false;
    }
    entrances_climb(pair, &e);
    convex_link top = *before;
    top.ends[0] = e.ends[0], top.ends[1] = e.ends[1];
    return stands(pair, &top, link);
}

/* Finds the entrance with the largest gap. If both bodies are single points, there is none, and the
 * result is the link between them. */
static void find_initial(const convex_pair *pair, int iterations, convex_link *link)
{
    *link = (convex_link){.gap = -INFINITY, .status = ABUT_UNCONVERGED, .iterations = 1};
    link_find_global(pair, iterations, link);
    if (!(link->gap > -INFINITY)) {
        link_find_apart(pair, NULL, iterations, link);
    }
}

void entrances_find(const convex_pair *pair, const convex_link *before,
                    const abut_convex_options *options, convex_link *link)
{
    if (before && stands(pair, before, link)) {
        return;
    }
    if (before && is_excluded(pair, before)) {
        link_find_apart(pair, before, options->iterations, link);
        return;
    }
    if (!before || !climb_from(pair, before, link)) {
        find_initial(pair, options->iterations, link);
    }
}
