/* The fast direct search: "A fast direct search algorithm for contact detection of convex polygonal
 * or polyhedral particles", Computers and Geotechnics 87 (2017), with our own ways to find
 * entrances. It takes the entrance of the step before if it still stands, or else climbs from
 * there. If that fails, it takes the best of all. For bodies that are apart an entrance is the
 * shortest link, unless two vertices, or a vertex and an edge, are closest. Then the shortest link
 * method is used. */
#include "entrances.h"

#include "link.h"

/* Whether the plane of the step before lies between the bodies, so that they are apart. */
static bool is_excluded(const convex_pair *pair, const convex_link *before)
{
    return pair_support_gap(pair, before->normal).gap > pair->tolerance;
}

/* Whether a link that is a local minimum of the way apart may be trusted. Bodies that are apart
 * have such minima, too, beyond other faces of B - A. */
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

/* Climbs from the entrance of the step before, if its features still are one. */
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

/* Finds the best entrance of all. Two points have none; they get their link. */
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
