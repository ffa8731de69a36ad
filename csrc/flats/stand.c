/* Chooses which of the facets near a body count. Each wall counts once, as in the distance
 * hierarchy of spheres (walls/hierarchy.c).
 *
 * Planes come first. The facets of one plane are one patch, and the body may stand on each patch
 * that has spots (patch.c). Half spaces have priority, then planes with the foot of the body's
 * centroid on their patch, then planes with less overlap. An example is a cube near the edge of a
 * table:
 *
 *          +-------+               Its bottom overlaps the top by d. Part of the cube is also
 *          |   C   |               behind the plane of the table's side. But no spot on that
 *      ----|---.---|  top          plane is in front of the top, so the side is dropped.
 *          +---|---+ d
 *              | side
 *
 * A plane is dropped if all its spots are behind one of the planes that stay, or in front of it by
 * at most noise. A wall that rises from a floor stays: it has spots in front of the floor.
 *
 * Borders come next. The body may meet a facet of another plane at an edge or a corner of the wall,
 * as a tilted body meets the edge of a table. Each such facet is a flat body, and is solved with
 * the body as a pair. Links are considered deepest first. A link stays only if its end on the wall
 * is in front of every plane that stays. It must also be in front of each plane that goes through a
 * staying link's end on the wall, perpendicular to that link. So there is no link with an edge
 * inside of a wall: a body at such an edge touches a plane there. */
#include "stand.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "concave.h"

/* ---- planes ---- */

/* Whether plane a comes before plane b. Half spaces come first, then planes that contain the foot
 * of the centroid, then overlapping planes. Otherwise the smaller |gap| comes first. */
static bool comes_before(const wall_plane *a, const wall_plane *b)
{
    if ((a->half_space >= 0) != (b->half_space >= 0)) {
        return a->half_space >= 0;
    }
    if (a->holds_centroid != b->holds_centroid) {
        return a->holds_centroid;
    }
    if ((a->gap <= 0.0) != (b->gap <= 0.0)) {
        return a->gap <= 0.0;
    }
    return fabs(a->gap) < fabs(b->gap);
}

/* Whether a plane has a spot within the gap. False if the body is apart from the plane and may be
 * nearer to the border of its patch than to the spots: find_links then finds the border. */
static bool is_met(const wall_plane *wall, const stand_task *task)
{
    const double rounding = body_rounding(task->standing.body);
    const double alike = TOLD_APART * task->standing.reach + FRONT_NOISES * wall->normal_noise;
    const bool may_be_nearer = wall->gap > rounding && wall->gap - wall->support_gap > alike;
    return wall->spot_count > 0 && wall->gap <= task->gap + rounding && !may_be_nearer;
}

/* Lists the planes that are met, in the order of comes_before. Returns their number. */
static int32_t rank_planes(stand_room *room, const stand_task *task)
{
    const wall_plane *planes = room->patch.planes;
    int32_t count = 0;
    for (int32_t k = 0; k < room->patch.plane_count; k++) {
        if (!is_met(&planes[k], task)) {
            continue;
        }
        int32_t at = count++;
        for (; at > 0 && comes_before(&planes[k], &planes[room->ranked[at - 1]]); at--) {
            room->ranked[at] = room->ranked[at - 1];
        }
        room->ranked[at] = k;
    }
    return count;
}

/* Whether a plane has a spot in front of plane `kept`, or in a strip (concave_reaches). */
static bool has_front(const stand_room *room, const wall_plane *wall, int32_t kept)
{
    for (int32_t k = 0; k < wall->spot_count; k++) {
        const wall_spot *spot = &room->patch.spots[wall->first_spot + k];
        if (cover_is_in_front(&room->patch.planes[kept], spot->on_wall, wall->normal_noise) ||
            concave_reaches(&room->patch, wall, spot, kept)) {
            return true;
        }
    }
    return false;
}

static bool stands(const stand_room *room, const wall_plane *wall)
{
    for (int32_t k = 0; wall->half_space < 0 && k < room->kept_count; k++) {
        if (!has_front(room, wall, room->kept[k])) {
            return false;
        }
    }
    return true;
}

static abut_status reserve_planes(stand_room *room)
{
    const abut_index count = room->patch.plane_count;
    const abut_status status =
        memory_fit(&room->kept, count, &room->kept_capacity, sizeof *room->kept);
    return status ? status
                  : memory_fit(&room->ranked, count, &room->ranked_capacity, sizeof *room->ranked);
}

/* Chooses which of the ranked planes stay. Returns whether any is dropped. */
static bool choose_planes(stand_room *room, int32_t count)
{
    bool drops = false;
    for (int32_t k = 0; k < count; k++) {
        wall_plane *wall = &room->patch.planes[room->ranked[k]];
        wall->stays = stands(room, wall);
        wall->is_dropped = !wall->stays;
        drops |= wall->is_dropped;
        if (wall->stays) {
            room->kept[room->kept_count++] = room->ranked[k];
        }
    }
    return drops;
}

/* Finds the spots of planes with strips again: strips must not continue behind dropped planes. */
static abut_status shorten_strips(stand_room *room, const stand_task *task)
{
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < room->kept_count; k++) {
        wall_plane *wall = &room->patch.planes[room->kept[k]];
        if (wall->strip_count > 0) {
            status = patch_spots(&room->patch, &task->standing, wall);
        }
    }
    return status;
}

static abut_status find_planes(stand_room *room, const stand_task *task)
{
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < room->patch.plane_count; k++) {
        status = patch_close(&room->patch, &task->standing, &room->patch.planes[k]);
    }
    for (int32_t k = 0; !status && k < room->patch.plane_count; k++) {
        status = patch_spots(&room->patch, &task->standing, &room->patch.planes[k]);
    }
    if (status || reserve_planes(room)) {
        return ABUT_NO_MEMORY;
    }
    const bool drops = choose_planes(room, rank_planes(room, task));
    return drops ? shorten_strips(room, task) : ABUT_OK;
}

/* ---- borders ---- */

/* Whether any corner of a piece is in front of a plane. */
static bool reaches_front(const stand_room *room, const flat_piece *piece, const wall_plane *wall)
{
    for (int32_t k = 0; k < piece->count; k++) {
        const vec3 at = room->patch.pieces.corners[piece->begin + k].at;
        if (cover_is_in_front(wall, at, piece->normal_noise)) {
            return true;
        }
    }
    return false;
}

static bool may_be_met(const stand_room *room, const flat_piece *piece)
{
    if (piece->plane < 0 || room->patch.planes[piece->plane].stays) {
        return false;
    }
    for (int32_t k = 0; k < room->kept_count; k++) {
        if (!reaches_front(room, piece, &room->patch.planes[room->kept[k]])) {
            return false;
        }
    }
    return true;
}

/* Makes a pair of the body as A and the piece as B. The origin of B is the piece's first corner. */
static convex_pair make_pair(const stand_room *room, const stand_task *task,
                             const flat_piece *piece)
{
    convex_pair pair = {.a = *task->standing.body,
                        .b = {&room->flat.shape, 1.0},
                        .rows = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
                        .shift = room->patch.pieces.corners[piece->begin].at};
    const double least =
        ROUNDED_PART * (vec3_max_abs(pair.shift) + body_rounding(task->standing.body));
    pair.size = larger(task->standing.reach + room->flat.shape.reach, least);
    pair.tolerance = TOLD_APART * pair.size;
    return pair;
}

static abut_status reserve_links(stand_room *room, int32_t spots)
{
    abut_status status =
        memory_fit(&room->links, room->link_count + 1, &room->link_capacity, sizeof *room->links);
    status = status ? status
                    : memory_fit(&room->spots, room->spot_count + spots, &room->spot_capacity,
                                 sizeof *room->spots);
    return status
               ? status
               : memory_fit(&room->scratch, spots, &room->scratch_capacity, sizeof *room->scratch);
}

static abut_status add_link(stand_room *room, const stand_task *task, int32_t number)
{
    const flat_piece *piece = &room->patch.pieces.pieces[number];
    if (flat_reserve(&room->flat, piece->count)) {
        return ABUT_NO_MEMORY;
    }
    flat_build(&room->flat, &room->patch.pieces, piece);
    const convex_pair pair = make_pair(room, task, piece);
    if (reserve_links(room, spots_limit(pair.a.shape, pair.b.shape))) {
        return ABUT_NO_MEMORY;
    }
    wall_link *link = &room->links[room->link_count];
    *link = (wall_link){.piece = number, .first_spot = room->spot_count};
    solve_pair(&pair, NULL, &task->solving, &link->result, room->spots + room->spot_count,
               room->scratch);
    if (link->result.gap <= task->gap) {
        link->on_wall = link->result.q;
        room->spot_count += link->result.spot_count;
        room->link_count++;
    }
    return ABUT_OK;
}

static void sort_links(stand_room *room)
{
    for (int32_t k = 1; k < room->link_count; k++) {
        const wall_link link = room->links[k];
        int32_t at = k;
        for (; at > 0 && room->links[at - 1].result.gap > link.result.gap; at--) {
            room->links[at] = room->links[at - 1];
        }
        room->links[at] = link;
    }
}

static bool is_behind_planes(const stand_room *room, const wall_link *link)
{
    const double noise = room->patch.pieces.pieces[link->piece].normal_noise;
    for (int32_t k = 0; k < room->kept_count; k++) {
        if (!cover_is_in_front(&room->patch.planes[room->kept[k]], link->on_wall, noise)) {
            return true;
        }
    }
    return false;
}

static bool is_behind_links(const stand_room *room, int32_t kept, const wall_link *link)
{
    const flat_piece *pieces = room->patch.pieces.pieces;
    const wall_plane *planes = room->patch.planes;
    for (int32_t k = 0; k < kept; k++) {
        const wall_link *other = &room->links[k];
        const double height =
            -vec3_dot(other->result.core.normal, vec3_sub(link->on_wall, other->on_wall));
        const wall_plane *wall = &planes[pieces[other->piece].plane];
        if (height <= cover_front_limit(wall, pieces[link->piece].noise)) {
            return true;
        }
    }
    return false;
}

static abut_status find_links(stand_room *room, const stand_task *task)
{
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < room->patch.pieces.piece_count; k++) {
        if (may_be_met(room, &room->patch.pieces.pieces[k])) {
            status = add_link(room, task, k);
        }
    }
    sort_links(room);
    int32_t kept = 0;
    for (int32_t k = 0; k < room->link_count; k++) {
        const wall_link link = room->links[k];
        if (!is_behind_planes(room, &link) && !is_behind_links(room, kept, &link)) {
            room->links[kept++] = link;
        }
    }
    room->link_count = kept;
    return status;
}

abut_status stand_find(stand_room *room, const stand_task *task)
{
    room->kept_count = room->link_count = room->spot_count = 0;
    const abut_status status = find_planes(room, task);
    return status ? status : find_links(room, task);
}

/* The distance from the centroid within which a spot may be behind another plane. Let d be the
 * spot's depth under its plane, and a the angle between both planes. The spot can be behind the
 * other plane only if it is within d / sin a of their common line. */
static double reach_of_spot(const wall_plane *wall, const wall_spot *spot, vec3 centroid)
{
    const double height = cover_height(wall, centroid);
    const vec3 foot = vec3_sub(centroid, vec3_scale(wall->normal, height));
    const double depth = -spot->spot.gap / GENTLEST_SINE;
    const double aside = vec3_length(vec3_sub(spot->on_wall, foot)) + depth;
    return depth > 0.0 ? sqrt(height * height + aside * aside) : 0.0;
}

double stand_reach(const stand_room *room, const stand_task *task)
{
    const vec3 centroid = body_centroid(task->standing.body);
    double reach = 0.0;
    for (int32_t k = 0; k < room->kept_count; k++) {
        const wall_plane *wall = &room->patch.planes[room->kept[k]];
        for (int32_t n = wall->first_spot; n < wall->first_spot + wall->spot_count; n++) {
            reach = larger(reach, reach_of_spot(wall, &room->patch.spots[n], centroid));
        }
    }
    return reach;
}

void stand_free(stand_room *room)
{
    patch_free(&room->patch);
    flat_shape_free(&room->flat);
    memory_free(room->links), memory_free(room->spots), memory_free(room->scratch);
    memory_free(room->kept), memory_free(room->ranked);
    *room = (stand_room){0};
}
