/* Where a body stands on a plane of a wall, however that is meshed.
 *
 * Facets that lie in one plane, to within their noise, are one wall, whatever edges they have in
 * common. The body meets the half space behind the plane, and its spots are those of the half
 * space, cut off where the union of the facets, the patch, ends:
 *
 *     +------+---------+        o  corners of the body's feature over the patch
 *     |   o--|-----o   |        x  where its sides leave the patch
 *     |   |  |    /|   |        *  corners of the patch under it
 *     +---x--*   / |   |
 *         .  |  /  |   |        No spot is where a side only passes from one facet to the next: of
 *         .  +-+---x---+        each side the parts that facets cover are joined first, so that
 *         . . . . .             fans, slivers, T-junctions and cracks of noise are all the same.
 *
 * A spot belongs to the facet that it lies in, and its gap is that to the facet's own plane, which
 * is off by no more than the noise of its corners there. */
#include "patch.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "concave.h"

/* ---- the body's feature ---- */

static abut_status reserve_foot(patch_room *room, const convex_body *body)
{
    foot_corner *foot =
        memory_grow(room->foot, body->shape->most_corners + 2, &room->foot_capacity, sizeof *foot);
    room->foot = foot ? foot : room->foot;
    return foot ? ABUT_OK : ABUT_NO_MEMORY;
}

static void set_foot(foot_corner *foot, const wall_plane *wall, const convex_body *body,
                     int32_t vertex, int32_t edge)
{
    const vec3 at = body_vertex(body, vertex);
    *foot = (foot_corner){at, cover_place(wall, 0, at), cover_place(wall, 1, at), vertex, edge};
}

static int32_t set_foot_of(foot_corner *foot, const wall_plane *wall, const convex_body *body,
                           convex_end end)
{
    const abut_shape *s = body->shape;
    if (end.type == ABUT_VERTEX) {
        set_foot(foot, wall, body, end.feature, -1);
        return 1;
    }
    if (end.type == ABUT_EDGE) {
        set_foot(&foot[0], wall, body, s->edges[end.feature].vertices[0], end.feature);
        set_foot(&foot[1], wall, body, s->edges[end.feature].vertices[1], end.feature);
        return 2;
    }
    const shape_facet *facet = &s->facets[end.feature];
    for (int32_t k = 0; k < facet->count; k++) {
        const shape_corner *corner = &s->corners[facet->begin + k];
        set_foot(&foot[k], wall, body, corner->vertex, corner->edge);
    }
    return facet->count;
}

/* What is looked at: a plane, and the feature of the body that faces it. */
typedef struct standing {
    patch_room *room;
    const patch_task *task;
    wall_plane *wall;
    convex_end end;
    int32_t count; /* of its corners */
} standing;

/* ---- spots ---- */

/* How high a point is over the plane of a piece, along the normal of the patch. */
static double height_over(const standing *s, int32_t number, vec3 at)
{
    const wall_plane *wall = s->wall;
    if (number >= 0) {
        const flat_piece *piece = &s->room->pieces.pieces[number];
        const double upright = vec3_dot(piece->normal, wall->normal);
        if (fabs(upright) > UPRIGHT_COSINE) {
            const vec3 from = vec3_sub(at, s->room->pieces.corners[piece->begin].at);
            return vec3_dot(piece->normal, from) / upright;
        }
    }
    return cover_height(wall, at);
}

static bool is_there(const standing *s, vec3 on_body)
{
    for (int32_t k = s->wall->first_spot; k < s->room->spot_count; k++) {
        if (vec3_max_abs(vec3_sub(s->room->spots[k].on_body, on_body)) <= s->wall->near) {
            return true;
        }
    }
    return false;
}

/* Add a spot where the body is, over a piece, unless there is one already. */
static abut_status add_spot(standing *s, vec3 on_body, int32_t piece, convex_end of_body,
                            convex_end of_wall)
{
    if (is_there(s, on_body)) {
        return ABUT_OK;
    }
    patch_room *room = s->room;
    wall_spot *spots =
        memory_grow(room->spots, room->spot_count + 1, &room->spot_capacity, sizeof *spots);
    if (!spots) {
        return ABUT_NO_MEMORY;
    }
    room->spots = spots;
    const int32_t facet = piece >= 0 ? room->pieces.pieces[piece].facet_piece : -1;
    const double height = height_over(s, facet, on_body);
    const vec3 on_wall = vec3_sub(on_body, vec3_scale(s->wall->normal, height));
    const vec3 middle = vec3_scale(vec3_add(on_body, on_wall), 0.5);
    spots[room->spot_count++] = (wall_spot){.spot = {middle, height, {of_body, of_wall}},
                                            .on_body = on_body,
                                            .on_wall = on_wall,
                                            .piece = facet};
    return ABUT_OK;
}

/* Add the corners of the feature that are over the patch. */
static abut_status add_corners(standing *s)
{
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < s->count; k++) {
        const foot_corner *foot = &s->room->foot[k];
        const bool is_mesh = s->wall->half_space < 0;
        const int32_t piece = is_mesh ? cover_find(s->room, s->wall, foot->x, foot->y) : -1;
        if (!is_mesh || piece >= 0) {
            status = add_spot(s, foot->at, piece, (convex_end){ABUT_VERTEX, foot->vertex},
                              (convex_end){ABUT_FACET, 0});
        }
    }
    return status;
}

/* Add where a side of the feature enters the patch, or leaves it, by a side of a piece. */
static abut_status add_crossing(standing *s, int32_t k, double part, int32_t number, int32_t side)
{
    if (side < 0) {
        return ABUT_OK;
    }
    const foot_corner *from = &s->room->foot[k];
    const foot_corner *to = &s->room->foot[k + 1 < s->count ? k + 1 : 0];
    const vec3 at = vec3_add(from->at, vec3_scale(vec3_sub(to->at, from->at), part));
    const flat_piece *piece = &s->room->pieces.pieces[number];
    const int32_t edge = cover_corner(s->room, piece, side)->number;
    return add_spot(s, at, number, (convex_end){ABUT_EDGE, from->edge},
                    (convex_end){ABUT_EDGE, edge});
}

static abut_status add_crossings(standing *s)
{
    const int32_t sides = s->count > 2 ? s->count : s->count - 1;
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < sides; k++) {
        const foot_corner *from = &s->room->foot[k];
        const foot_corner *to = &s->room->foot[k + 1 < s->count ? k + 1 : 0];
        const plane_line l = {from->x, from->y, to->x - from->x, to->y - from->y};
        const int32_t count = cover_line(s->room, s->wall, &l, NULL);
        for (int32_t n = 0; !status && n < count; n++) {
            const covered part = s->room->lines[n];
            status = add_crossing(s, k, part.begin, part.first, part.enters);
            if (!status) {
                status = add_crossing(s, k, part.end, part.last, part.leaves);
            }
        }
    }
    return status;
}

/* ---- corners of the patch ---- */

/* Whether a place is inside of the feature, and clear of its border. */
static bool is_under(const standing *s, double x, double y)
{
    for (int32_t k = 0; k < s->count; k++) {
        const foot_corner *from = &s->room->foot[k];
        const foot_corner *to = &s->room->foot[k + 1 < s->count ? k + 1 : 0];
        const double side_x = to->x - from->x, side_y = to->y - from->y;
        const double cross = side_x * (y - from->y) - side_y * (x - from->x);
        /* the body's corners, which go round counter-clockwise as seen from its outside, go round
         * clockwise as seen from above */
        if (!(-cross > s->wall->near * sqrt(side_x * side_x + side_y * side_y))) {
            return false;
        }
    }
    return true;
}

static abut_status add_end(standing *s, const border_end *end)
{
    if (!is_under(s, end->x, end->y)) {
        return ABUT_OK;
    }
    patch_room *room = s->room;
    border_end *ends =
        memory_grow(room->ends, room->end_count + 1, &room->end_capacity, sizeof *ends);
    if (!ends) {
        return ABUT_NO_MEMORY;
    }
    room->ends = ends;
    ends[room->end_count++] = *end;
    return ABUT_OK;
}

/* Add both ends of a part of a piece's side that is a border of the patch. */
static abut_status add_ends(standing *s, const flat_piece *piece, int32_t k, double begin,
                            double end)
{
    const flat_corner *from = cover_corner(s->room, piece, k),
                      *to = cover_corner(s->room, piece, k + 1);
    const double x = to->x - from->x, y = to->y - from->y, length = sqrt(x * x + y * y);
    const double least = CLOSED_NOISES * s->wall->near / length;
    if (!(end - begin > least)) {
        return ABUT_OK;
    }
    const int32_t number = (int32_t)(piece - s->room->pieces.pieces);
    const int32_t next = k + 1 < piece->count ? k + 1 : 0;
    const border_end first = {
        from->x + begin * x,    from->y + begin * y, x / length, y / length, number,
        begin <= least ? k : -1};
    const border_end last = {from->x + end * x,
                             from->y + end * y,
                             -x / length,
                             -y / length,
                             number,
                             end >= 1.0 - least ? next : -1};
    const abut_status status = add_end(s, &first);
    return status ? status : add_end(s, &last);
}

/* The border is where the patch does not go on beyond the side. */
static abut_status add_borders(standing *s, const flat_piece *piece, int32_t k)
{
    const flat_corner *from = cover_corner(s->room, piece, k),
                      *to = cover_corner(s->room, piece, k + 1);
    const double x = to->x - from->x, y = to->y - from->y, length = sqrt(x * x + y * y);
    const double turning = vec3_dot(piece->normal, s->wall->normal) < 0.0 ? -1.0 : 1.0;
    const double beyond = 2.0 * turning * s->wall->near / length;
    const plane_line l = {from->x + beyond * y, from->y - beyond * x, x, y};
    const int32_t count = cover_line(s->room, s->wall, &l, piece);
    double begin = 0.0;
    abut_status status = ABUT_OK;
    for (int32_t n = 0; !status && n < count; n++) {
        status = add_ends(s, piece, k, begin, s->room->lines[n].begin);
        begin = s->room->lines[n].end;
    }
    return status ? status : add_ends(s, piece, k, begin, 1.0);
}

/* Whether the border goes straight on from an end. */
static bool goes_on(const standing *s, const border_end *end)
{
    for (int32_t k = 0; k < s->room->end_count; k++) {
        const border_end *other = &s->room->ends[k];
        const double apart = fabs(other->x - end->x) + fabs(other->y - end->y);
        const double cosine = other->along_x * end->along_x + other->along_y * end->along_y;
        if (apart <= 2.0 * CLOSED_NOISES * s->wall->near && cosine <= -STRAIGHT_COSINE) {
            return true;
        }
    }
    return false;
}

/* Add a spot where the corner of a piece is, under the feature. */
static abut_status add_patch_corner(standing *s, const border_end *end)
{
    const convex_body *body = s->task->body;
    const flat_piece *piece = &s->room->pieces.pieces[end->piece];
    const flat_corner *corner = cover_corner(s->room, piece, end->corner);
    const shape_facet *facet = &body->shape->facets[s->end.feature];
    const double height = (facet->offset * body->scale - vec3_dot(facet->normal, corner->at)) /
                          vec3_dot(facet->normal, s->wall->normal);
    const vec3 at = vec3_add(corner->at, vec3_scale(s->wall->normal, height));
    return add_spot(s, at, end->piece, s->end, (convex_end){ABUT_VERTEX, corner->number});
}

/* ---- sides that two pieces share ---- */

static bool comes_before(const piece_side *a, const piece_side *b)
{
    return a->x < b->x || (a->x == b->x && a->y < b->y);
}

/* Shell's sort, with steps by Ciura: some thousand sides at most. */
static void sort_sides(piece_side *sides, int32_t count)
{
    static const int32_t steps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (int k = 0; k < 9; k++) {
        for (int32_t i = steps[k]; i < count; i++) {
            const piece_side side = sides[i];
            int32_t at = i;
            for (; at >= steps[k] && comes_before(&side, &sides[at - steps[k]]); at -= steps[k]) {
                sides[at] = sides[at - steps[k]];
            }
            sides[at] = side;
        }
    }
}

static piece_side make_side(const standing *s, const flat_piece *piece, int32_t k)
{
    const flat_corner *from = cover_corner(s->room, piece, k),
                      *to = cover_corner(s->room, piece, k + 1);
    const double turning = vec3_dot(piece->normal, s->wall->normal) < 0.0 ? -1.0 : 1.0;
    return (piece_side){.x = from->x + to->x,
                        .y = from->y + to->y,
                        .out_x = turning * (to->y - from->y),
                        .out_y = -turning * (to->x - from->x),
                        .piece = (int32_t)(piece - s->room->pieces.pieces),
                        .side = k};
}

static abut_status list_sides(standing *s, int32_t *count)
{
    patch_room *room = s->room;
    piece_side *sides =
        memory_grow(room->sides, room->pieces.corner_count, &room->side_capacity, sizeof *sides);
    if (!sides) {
        return ABUT_NO_MEMORY;
    }
    room->sides = sides;
    *count = 0;
    for (int32_t k = 0; k < cover_count(s->wall); k++) {
        const flat_piece *piece = cover_piece(room, s->wall, k);
        for (int32_t side = 0; side < piece->count; side++) {
            sides[(*count)++] = make_side(s, piece, side);
        }
    }
    sort_sides(sides, *count);
    return ABUT_OK;
}

/* Whether the very same side has a piece on its other side, too. */
static bool is_shared(const piece_side *sides, int32_t count, int32_t k)
{
    const piece_side *side = &sides[k];
    int32_t n = k;
    for (; n > 0 && !comes_before(&sides[n - 1], side); n--) {
    }
    for (; n < count && !comes_before(side, &sides[n]); n++) {
        if (sides[n].out_x == -side->out_x && sides[n].out_y == -side->out_y) {
            return true;
        }
    }
    return false;
}

/* Whether all of a side is on the outer side of one of the feature's sides. */
static bool is_beside(const standing *s, const piece_side *side)
{
    const flat_piece *piece = &s->room->pieces.pieces[side->piece];
    const flat_corner *a = cover_corner(s->room, piece, side->side);
    const flat_corner *b = cover_corner(s->room, piece, side->side + 1);
    for (int32_t k = 0; k < s->count; k++) {
        const foot_corner *from = &s->room->foot[k];
        const foot_corner *to = &s->room->foot[k + 1 < s->count ? k + 1 : 0];
        const double x = to->x - from->x, y = to->y - from->y;
        if (x * (a->y - from->y) > y * (a->x - from->x) &&
            x * (b->y - from->y) > y * (b->x - from->x)) {
            return true;
        }
    }
    return false;
}

static abut_status add_patch_corners(standing *s)
{
    int32_t count = 0;
    abut_status status = list_sides(s, &count);
    s->room->end_count = 0;
    for (int32_t k = 0; !status && k < count; k++) {
        const piece_side *side = &s->room->sides[k];
        if (!is_beside(s, side) && !is_shared(s->room->sides, count, k)) {
            status = add_borders(s, &s->room->pieces.pieces[side->piece], side->side);
        }
    }
    for (int32_t k = 0; !status && k < s->room->end_count; k++) {
        const border_end *end = &s->room->ends[k];
        if (end->corner >= 0 && !goes_on(s, end)) {
            status = add_patch_corner(s, end);
        }
    }
    return status;
}

static void sum_up(standing *s)
{
    wall_plane *wall = s->wall;
    wall->spot_count = s->room->spot_count - wall->first_spot;
    wall->gap = INFINITY;
    for (int32_t k = wall->first_spot; k < s->room->spot_count; k++) {
        const double gap = s->room->spots[k].spot.gap;
        wall->gap = gap < wall->gap ? gap : wall->gap;
    }
    const convex_body *body = s->task->body;
    const int32_t lowest = body_support(body, vec3_scale(wall->normal, -1.0)).vertex;
    wall->support_gap = cover_height(wall, body_vertex(body, lowest));
    const vec3 centroid = body_centroid(body);
    wall->holds_centroid =
        wall->half_space >= 0 || cover_find(s->room, wall, cover_place(wall, 0, centroid),
                                            cover_place(wall, 1, centroid)) >= 0;
}

abut_status patch_spots(patch_room *room, const patch_task *task, wall_plane *wall)
{
    const vec3 out = vec3_scale(wall->normal, -1.0);
    standing s = {room, task, wall, spots_bearing(task->body, out, task->cosine), 0};
    wall->first_spot = room->spot_count;
    if (reserve_foot(room, task->body)) {
        return ABUT_NO_MEMORY;
    }
    s.count = set_foot_of(room->foot, wall, task->body, s.end);
    abut_status status = concave_extend(room, task, wall, room->foot, s.count);
    status = status ? status : cover_reserve(room, wall);
    status = status ? status : add_corners(&s);
    if (!status && wall->count > 0) {
        status = add_crossings(&s);
    }
    if (!status && wall->count > 0 && s.end.type == ABUT_FACET) {
        status = add_patch_corners(&s);
    }
    sum_up(&s);
    return status;
}

void patch_free(patch_room *room)
{
    flat_free(&room->pieces);
    memory_free(room->order), memory_free(room->planes), memory_free(room->spots);
    memory_free(room->foot), memory_free(room->lines), memory_free(room->ends);
    memory_free(room->sides);
    *room = (patch_room){0};
}
