/* Contacts of one sphere by the directions of their points.
 *
 * Contact j eliminates i if the point of i is not in front of the tangent plane at P_j. In terms of
 * the unit directions u from the center to the points, and up to noise,
 *
 *     d_i (u_i . u_j) >= d_j .
 *
 * So contacts with directions in a cone do not eliminate i if d_i times the cosine of the angle
 * between u_i and the cone is less than their smallest d_j. Each cone has the directions of one
 * part of a space-filling curve. Parts are halved down to a few contacts, for which the exact rule
 * decides. The test of cones has a margin for rounding, so results equal those of
 * comparing all contacts. */
#include "tangent_tree.h"

#include "../base/sort.h"
#include "../mesh/tolerance.h"

/* A cone with at most this many contacts is not divided further. */
enum { LEAF = 8 };

/* Bits of a cell's number along each axis. The cells are in the order of a space-filling (Morton)
 * curve. */
enum { CODE_BITS = 20 };

double tangent_tilt(double noise, double normal_noise, double distance, double flat_tilt)
{
    double tilt = flat_tilt;
    if (normal_noise > 0.0) {
        tilt = larger(tilt, TILT_FROM_NORMAL_NOISE * sqrt(normal_noise / distance));
    }
    if (noise > 0.0) {
        tilt = larger(tilt, TILT_FROM_NOISE * noise / distance);
    }
    return tilt < 1.0 ? tilt : 1.0;
}

/* ---- building ---- */

/* The number of a direction's cell in a fine grid: the bits of the three axes are interleaved. */
static uint64_t code_of(vec3 direction)
{
    const double parts[3] = {direction.x, direction.y, direction.z};
    uint64_t code = 0;
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t cell = (uint64_t)((parts[axis] + 1.5) * (1 << (CODE_BITS - 2)));
        for (int bit = 0; bit < CODE_BITS; bit++) {
            code |= (cell >> bit & 1) << (3 * bit + axis);
        }
    }
    return code;
}

static void add_contacts(tangent_tree *tree, const touching *some)
{
    for (int32_t n = 0; n < some->count; n++) {
        const vec3 offset = closest_offset(some->kept->closest, some->items[n]);
        const double length = vec3_length(offset);
        const vec3 direction = vec3_scale(offset, length > 0.0 ? -1.0 / length : 0.0);
        tree->tangents[tree->count++] =
            (tangent){direction, code_of(direction), some->items[n], -1, false};
    }
}

static bool is_before(const void *context, abut_index a, abut_index b)
{
    const tangent *all = context;
    return all[a].code < all[b].code;
}

static void sort_along_curve(tangent_tree *tree)
{
    for (abut_index n = 0; n < tree->count; n++) {
        tree->ranks[n] = n;
    }
    sort_by_merging(tree->ranks, tree->places, tree->count, is_before, tree->tangents);
    for (abut_index place = 0; place < tree->count; place++) {
        tree->places[tree->ranks[place]] = place;
    }
}

/* The place on the curve where part `part` of 2^level equal parts begins. */
static abut_index begin_of(const tangent_tree *tree, int level, abut_index part)
{
    return (part * tree->count) >> level;
}

static vec3 direction_at(const tangent_tree *tree, abut_index place)
{
    return tree->tangents[tree->ranks[place]].direction;
}

static tangent_cone find_cone(const tangent_tree *tree, abut_index begin, abut_index end)
{
    tangent_cone cone = {.cosine = -1.0, .distance = INFINITY};
    vec3 sum = {0.0, 0.0, 0.0};
    double chord = 0.0;
    for (abut_index place = begin; place < end; place++) {
        sum = vec3_add(sum, direction_at(tree, place));
    }
    const double length = vec3_length(sum);
    cone.axis = length > 0.0 ? vec3_scale(sum, 1.0 / length) : sum;
    for (abut_index place = begin; place < end; place++) {
        const vec3 apart = vec3_sub(direction_at(tree, place), cone.axis);
        chord = larger(chord, vec3_length(apart) + CHORD_ROUNDING);
    }
    /* a chord longer than the square root of 2 is more than a right angle: the cone has all
     * directions */
    if (chord * chord < 2.0 && length > 0.0) {
        cone.cosine = 1.0 - 0.5 * chord * chord;
        cone.sine = chord * sqrt(1.0 - 0.25 * chord * chord);
    }
    return cone;
}

static void find_cones(tangent_tree *tree)
{
    for (int level = 0; level <= tree->depth; level++) {
        const abut_index parts = (abut_index)1 << level;
        for (abut_index part = 0; part < parts; part++) {
            tree->cones[parts + part] =
                find_cone(tree, begin_of(tree, level, part), begin_of(tree, level, part + 1));
        }
    }
}

abut_status tangent_tree_build(tangent_tree *tree, const touching *first, const touching *second)
{
    const abut_index count = (abut_index)first->count + second->count;
    *tree = (tangent_tree){.kept = first->kept, .last_own = -1};
    while (count >> tree->depth > LEAF) {
        tree->depth++;
    }
    tree->tangents = memory_alloc(count, sizeof *tree->tangents);
    tree->ranks = memory_alloc(count, sizeof *tree->ranks);
    tree->places = memory_alloc(count, sizeof *tree->places);
    tree->cones = memory_alloc((abut_index)2 << tree->depth, sizeof *tree->cones);
    if (!tree->tangents || !tree->ranks || !tree->places || !tree->cones) {
        return ABUT_NO_MEMORY;
    }
    add_contacts(tree, first);
    add_contacts(tree, second);
    sort_along_curve(tree);
    find_cones(tree);
    return ABUT_OK;
}

void tangent_tree_free(tangent_tree *tree)
{
    memory_free(tree->tangents);
    memory_free(tree->ranks);
    memory_free(tree->places);
    memory_free(tree->cones);
}

void tangent_tree_keep(tangent_tree *tree, abut_index rank)
{
    const kept *k = tree->kept;
    tangent *one = &tree->tangents[rank];
    if (kept_has_own_normal(k, one->item)) {
        one->before = tree->last_own;
        tree->last_own = (int32_t)rank;
        return;
    }
    one->is_kept = true;
    const abut_index parts = (abut_index)1 << tree->depth;
    abut_index n = parts + ((tree->places[rank] + 1) * parts - 1) / tree->count;
    for (; n > 0; n /= 2) {
        tangent_cone *cone = &tree->cones[n];
        cone->distance = smaller(cone->distance, k->distance[one->item]);
        cone->noise = larger(cone->noise, k->noise[one->item]);
        cone->normal_noise = larger(cone->normal_noise, k->normal_noise[one->item]);
    }
}

/* ---- searching ---- */

/* A contact that may be eliminated. */
typedef struct tangent_question {
    int32_t item;
    double flat_tilt;
    tangent_rule eliminates;
    vec3 to_point; /* from the center to the contact's point */
    double length;
} tangent_question;

/* Whether a kept contact of the cone may eliminate this one. */
static bool may_eliminate(const tangent_tree *tree, const tangent_cone *cone,
                          const tangent_question *q)
{
    if (cone->distance == INFINITY) {
        return false;
    }
    /* the length times the cosines of the smallest and largest angle to directions in the cone */
    const double along = vec3_dot(cone->axis, q->to_point);
    const double across = vec3_length(vec3_cross(cone->axis, q->to_point));
    const double cosine = cone->cosine * along, sine = cone->sine * across;
    const bool is_inside = along >= q->length * cone->cosine;
    const bool is_opposite = along <= -q->length * cone->cosine;
    const double nearest = is_inside ? q->length : cosine + sine;
    const double farthest = is_opposite ? -q->length : cosine - sine;
    /* upper bound of the distance between the points: along the radius, plus across */
    const double apart =
        q->length - cone->distance + sqrt(2.0 * q->length * larger(0.0, q->length - farthest));
    const double noise = larger(cone->noise, tree->kept->noise[q->item]);
    const double normal_noise = larger(cone->normal_noise, tree->kept->normal_noise[q->item]);
    const double tilt = tangent_tilt(noise, normal_noise, cone->distance, q->flat_tilt);
    return cone->distance - nearest <=
           FRONT_NOISES * normal_noise + tilt * apart + CULL_SLACK * q->length;
}

static bool leaf_eliminates(const tangent_tree *tree, abut_index part, const tangent_question *q)
{
    const abut_index end = begin_of(tree, tree->depth, part + 1);
    for (abut_index place = begin_of(tree, tree->depth, part); place < end; place++) {
        const tangent *one = &tree->tangents[tree->ranks[place]];
        if (one->is_kept && q->eliminates(tree->kept, one->item, q->item, q->flat_tilt)) {
            return true;
        }
    }
    return false;
}

static bool own_normals_eliminate(const tangent_tree *tree, const tangent_question *q)
{
    for (int32_t rank = tree->last_own; rank >= 0; rank = tree->tangents[rank].before) {
        if (q->eliminates(tree->kept, tree->tangents[rank].item, q->item, q->flat_tilt)) {
            return true;
        }
    }
    return false;
}

bool tangent_tree_eliminates(const tangent_tree *tree, int32_t i, double flat_tilt,
                             tangent_rule eliminates)
{
    const vec3 to_point = vec3_scale(closest_offset(tree->kept->closest, i), -1.0);
    const tangent_question q = {i, flat_tilt, eliminates, to_point, vec3_length(to_point)};
    const abut_index leaves = (abut_index)1 << tree->depth;
    abut_index waiting[64];
    int count = 0;
    bool is_eliminated = own_normals_eliminate(tree, &q);
    waiting[count++] = 1;
    while (count > 0 && !is_eliminated) {
        const abut_index n = waiting[--count];
        if (!may_eliminate(tree, &tree->cones[n], &q)) {
            continue;
        }
        if (n >= leaves) {
            is_eliminated = leaf_eliminates(tree, n - leaves, &q);
        } else {
            /* the cone that is nearer in direction comes first: it is likelier to eliminate */
            const double to_first = vec3_dot(tree->cones[2 * n].axis, to_point);
            const bool is_first = to_first >= vec3_dot(tree->cones[2 * n + 1].axis, to_point);
            waiting[count++] = 2 * n + is_first;
            waiting[count++] = 2 * n + !is_first;
        }
    }
    return is_eliminated;
}
