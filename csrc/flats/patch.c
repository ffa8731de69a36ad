/* Finds where a body stands on a plane of a wall. It makes no difference how the plane is divided
 * into facets.
 *
 * Facets that lie in one plane, within their noise, are one wall, whether they share edges or not.
 * The union of these facets is the patch. The body stands on its bearing feature: the facet, edge
 * or vertex that faces the plane within the patch angle. The spots are the corners of the part of
 * this feature that is over the patch:
 *
 *     +------+---------+        o  corners of the body's feature over the patch;
 *     |   o--|-----o   |        x  where its sides leave the patch;
 *     |   |  |    /|   |        *  corners of the patch under it.
 *     +---x--*   / |   |
 *         .  |  /  |   |        A side that passes from one facet to the next has no spot there:
 *         .  +-+---x---+        the parts of a side that facets cover are joined first. So fans,
 *         . . . . .             slivers, T-junctions and narrow cracks make no difference.
 *
 * A spot belongs to the facet in which it lies. The spot's gap is measured to the plane of that
 * facet. At the spot, this plane differs from the wall's common plane by at most the noise of the
 * facet's corners. */
#include "patch.h"

#include "../abut/contacts.h"
#include "../base/memory.h"
#include "../mesh/tolerance.h"
#include "concave.h"

/* ---- the body's feature ---- */

static abut_status reserve_foot(patch_room *room, const convex_body *body)
{
    return memory_fit(&room->foot, body->shape->most_corners + 2, &room->foot_capacity,
                      sizeof *room->foot);
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

/* A plane, and the body's bearing feature `end` that faces it. */
typedef struct standing {
    patch_room *room;
    const patch_task *task;
    wall_plane *wall;
    convex_end end;
    int32_t count; /* number of the feature's corners */
} standing;

/* ---- spots ---- */

/* The height of a point over the plane of piece `number`, along the normal of the patch. It is the
 * height over the patch if `number` is -1, or if the piece is steep (UPRIGHT_COSINE). */
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

/* Adds a spot at a point of the body over a piece, unless there already is a spot at this point. */
static abut_status add_spot(standing *s, vec3 on_body, int32_t piece, convex_end of_body,
                            convex_end of_wall)
{
    if (is_there(s, on_body)) {
        return ABUT_OK;
    }
    patch_room *room = s->room;
    if (memory_fit(&room->spots, room->spot_count + 1, &room->spot_capacity, sizeof *room->spots)) {
        return ABUT_NO_MEMORY;
    }
    const int32_t facet = piece >= 0 ? room->pieces.pieces[piece].facet_piece : -1;
    const double height = height_over(s, facet, on_body);
    const vec3 on_wall = vec3_sub(on_body, vec3_scale(s->wall->normal, height));
    const vec3 middle = vec3_scale(vec3_add(on_body, on_wall), 0.5);
    room->spots[room->spot_count++] = (wall_spot){.spot = {middle, height, {of_body, of_wall}},
                                                  .on_body = on_body,
                                                  .on_wall = on_wall,
                                                  .piece = facet};
    return ABUT_OK;
}

/* Adds spots at the corners of the feature that are over the patch. */
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

/* Adds the spot where side k of the feature enters or leaves the patch through a piece's side. */
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
            status = status ? status : add_crossing(s, k, part.end, part.last, part.leaves);
        }
    }
    return status;
}

/* ---- corners of the patch ---- */

/* Whether a place is inside of the feature, and farther than wall->near from its border. */
static bool is_under(const standing *s, double x, double y)
{
    for (int32_t k = 0; k < s->count; k++) {
        const foot_corner *from = &s->room->foot[k];
        const foot_corner *to = &s->room->foot[k + 1 < s->count ? k + 1 : 0];
        const double side_x = to->x - from->x, side_y = to->y - from->y;
        const double cross = side_x * (y - from->y) - side_y * (x - from->x);
        /* the feature's corners are counter-clockwise seen from below, so clockwise from above */
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
    if (memory_fit(&room->ends, room->end_count + 1, &room->end_capacity, sizeof *room->ends)) {
        return ABUT_NO_MEMORY;
    }
    room->ends[room->end_count++] = *end;
    return ABUT_OK;
}

/* The length of the shortest part of a side that counts, as a fraction of the side's `length`. */
static double least_part(const standing *s, double length)
{
    return CLOSED_NOISES * s->wall->near / length;
}

/* Adds both ends of a part of a piece's side k, if they are under the feature. The part is a border
 * of the patch. */
static abut_status add_ends(standing *s, const flat_piece *piece, int32_t k, double begin,
                            double end)
{
    const flat_corner *from = cover_corner(s->room, piece, k),
                      *to = cover_corner(s->room, piece, k + 1);
    const double x = to->x - from->x, y = to->y - from->y, length = sqrt(x * x + y * y);
    const double least = least_part(s, length);
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

/* A side of a piece, moved outward by a distance. */
static plane_line line_beyond(const standing *s, const flat_piece *piece, int32_t k,
                              double distance)
{
    const flat_corner *from = cover_corner(s->room, piece, k),
                      *to = cover_corner(s->room, piece, k + 1);
    const double x = to->x - from->x, y = to->y - from->y, length = sqrt(x * x + y * y);
    const double turning = vec3_dot(piece->normal, s->wall->normal) < 0.0 ? -1.0 : 1.0;
    const double beyond = turning * distance / length;
    return (plane_line){from->x + beyond * y, from->y - beyond * x, x, y};
}

/* Adds the borders of the patch on a piece's side: the parts with no other piece beyond them. */
static abut_status add_borders(standing *s, const flat_piece *piece, int32_t k)
{
    const plane_line l = line_beyond(s, piece, k, 2.0 * s->wall->near);
    const int32_t count = cover_line(s->room, s->wall, &l, piece);
    double begin = 0.0;
    abut_status status = ABUT_OK;
    for (int32_t n = 0; !status && n < count; n++) {
        status = add_ends(s, piece, k, begin, s->room->lines[n].begin);
        begin = s->room->lines[n].end;
    }
    return status ? status : add_ends(s, piece, k, begin, 1.0);
}

/* Whether the border continues straight on at an end, possibly across the opening of a crack. */
static bool is_continued(const standing *s, const border_end *end)
{
    for (int32_t k = 0; k < s->room->end_count; k++) {
        const border_end *other = &s->room->ends[k];
        const double apart = fabs(other->x - end->x) + fabs(other->y - end->y);
        const double cosine = other->along_x * end->along_x + other->along_y * end->along_y;
        const double close = CLOSED_NOISES * s->wall->near + s->wall->crack;
        if (apart <= 2.0 * close && cosine <= -STRAIGHT_COSINE) {
            return true;
        }
    }
    return false;
}

/* Adds a spot at the corner of a piece, under the feature. */
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

/* Sorts sides, of which there are at most some thousand, by Shell's method with Ciura's steps. */
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

static abut_status reserve_sides(patch_room *room)
{
    return memory_fit(&room->sides, room->pieces.corner_count, &room->side_capacity,
                      sizeof *room->sides);
}

/* Adds the sides of pieces begin ... end - 1 to the `count` sides in room->sides. Returns the new
 * number. Call reserve_sides before. */
static int32_t list_sides(const standing *s, int32_t begin, int32_t end, int32_t count)
{
    for (int32_t k = begin; k < end; k++) {
        const flat_piece *piece = cover_piece(s->room, s->wall, k);
        for (int32_t side = 0; side < piece->count; side++) {
            s->room->sides[count++] = make_side(s, piece, side);
        }
    }
    return count;
}

/* Whether another piece, beyond side k, has exactly this side. */
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

/* Whether a side of a piece is wholly outside of one side of the feature. */
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
    const wall_plane *wall = s->wall;
    abut_status status = reserve_sides(s->room);
    if (status) {
        return status;
    }
    int32_t count = list_sides(s, 0, wall->count, 0);
    count = list_sides(s, wall->count + wall->filler_count, cover_count(wall), count);
    sort_sides(s->room->sides, count);
    s->room->end_count = 0;
    for (int32_t k = 0; !status && k < count; k++) {
        const piece_side *side = &s->room->sides[k];
        if (!is_beside(s, side) && !is_shared(s->room->sides, count, k)) {
            status = add_borders(s, &s->room->pieces.pieces[side->piece], side->side);
        }
    }
    for (int32_t k = 0; !status && k < s->room->end_count; k++) {
        const border_end *end = &s->room->ends[k];
        if (end->corner >= 0 && !is_continued(s, end)) {
            status = add_patch_corner(s, end);
        }
    }
    return status;
}

/* ---- cracks ---- */

/* The width of the feature. For a facet it is the diameter of a circle with the same ratio of area
 * and perimeter; for an edge it is its length. */
static double foot_width(const standing *s)
{
    double twice = 0.0, border = 0.0;
    for (int32_t k = 0; k < s->count; k++) {
        const foot_corner *from = &s->room->foot[k];
        const foot_corner *to = &s->room->foot[k + 1 < s->count ? k + 1 : 0];
        const double x = to->x - from->x, y = to->y - from->y;
        twice += (from->x - s->room->foot->x) * y - (from->y - s->room->foot->y) * x;
        border += sqrt(x * x + y * y);
    }
    return s->count > 2 ? 2.0 * fabs(twice) / border : 0.5 * border;
}

static double side_length(const piece_side *side)
{
    return sqrt(side->out_x * side->out_x + side->out_y * side->out_y);
}

static flat_corner filler_corner(const standing *s, const piece_side *side, double part,
                                 double distance)
{
    const flat_piece *piece = &s->room->pieces.pieces[side->piece];
    const flat_corner *from = cover_corner(s->room, piece, side->side);
    const flat_corner *to = cover_corner(s->room, piece, side->side + 1);
    const double out = distance / side_length(side);
    const vec3 beyond = vec3_add(vec3_scale(s->wall->axes[0], out * side->out_x),
                                 vec3_scale(s->wall->axes[1], out * side->out_y));
    const vec3 along = vec3_scale(vec3_sub(to->at, from->at), part);
    const vec3 at = vec3_add(from->at, vec3_add(along, beyond));
    return (flat_corner){at, cover_place(s->wall, 0, at), cover_place(s->wall, 1, at),
                         from->number};
}

/* Adds fillers over the crack along a part of a piece's side, where another piece is beyond the
 * crack. */
static abut_status close_part(standing *s, const piece_side *side, double begin, double end)
{
    const flat_piece *piece = &s->room->pieces.pieces[side->piece];
    plane_line l = line_beyond(s, piece, side->side, s->wall->crack);
    l.x += begin * l.along_x, l.y += begin * l.along_y;
    l.along_x *= end - begin, l.along_y *= end - begin;
    const int32_t count = cover_line(s->room, s->wall, &l, piece);
    abut_status status = ABUT_OK;
    for (int32_t n = 0; !status && n < count; n++) {
        const double from = begin + (end - begin) * s->room->lines[n].begin;
        const double to = begin + (end - begin) * s->room->lines[n].end;
        if (!(to - from > least_part(s, side_length(side)))) {
            continue;
        }
        const flat_corner around[] = {filler_corner(s, side, to, 0.0),
                                      filler_corner(s, side, from, 0.0),
                                      filler_corner(s, side, from, s->wall->crack),
                                      filler_corner(s, side, to, s->wall->crack)};
        status = flat_add_strip(&s->room->pieces, side->piece, -1, around);
    }
    return status;
}

/* Closes the cracks along a side of a piece: at those parts of the side that have no other piece
 * directly beside them. */
static abut_status close_side(standing *s, const piece_side *side)
{
    abut_status status = ABUT_OK;
    int32_t count = 0;
    for (int32_t n = 0; !status && n <= count; n++) {
        const flat_piece *piece = &s->room->pieces.pieces[side->piece];
        const plane_line l = line_beyond(s, piece, side->side, 2.0 * s->wall->near);
        count = cover_line(s->room, s->wall, &l, piece);
        const double begin = n > 0 ? s->room->lines[n - 1].end : 0.0;
        const double end = n < count ? s->room->lines[n].begin : 1.0;
        if (end - begin > least_part(s, side_length(side))) {
            status = close_part(s, side, begin, end);
        }
    }
    return status;
}

static abut_status begin_standing(standing *s)
{
    if (reserve_foot(s->room, s->task->body)) {
        return ABUT_NO_MEMORY;
    }
    s->end = spots_bearing(s->task->body, vec3_scale(s->wall->normal, -1.0), s->task->cosine);
    s->count = set_foot_of(s->room->foot, s->wall, s->task->body, s->end);
    return ABUT_OK;
}

/* A circle about the foot of the body's centroid, larger than the feature by wall->crack. */
typedef struct foot_circle {
    double x, y, radius_sq;
} foot_circle;

static foot_circle circle_around(const standing *s)
{
    const vec3 centroid = body_centroid(s->task->body);
    foot_circle c = {cover_place(s->wall, 0, centroid), cover_place(s->wall, 1, centroid), 0.0};
    for (int32_t k = 0; k < s->count; k++) {
        const double x = s->room->foot[k].x - c.x, y = s->room->foot[k].y - c.y;
        c.radius_sq = larger(c.radius_sq, x * x + y * y);
    }
    const double radius = sqrt(c.radius_sq) + s->wall->crack;
    c.radius_sq = radius * radius;
    return c;
}

static bool meets_circle(const foot_circle *c, const flat_corner *from, const flat_corner *to)
{
    const double along_x = to->x - from->x, along_y = to->y - from->y;
    const double x = c->x - from->x, y = c->y - from->y;
    const double part = (x * along_x + y * along_y) / (along_x * along_x + along_y * along_y);
    const double nearest = larger(0.0, smaller(1.0, part));
    const double off_x = x - nearest * along_x, off_y = y - nearest * along_y;
    return off_x * off_x + off_y * off_y <= c->radius_sq;
}

/* Lists the sides of pieces begin ... end - 1 that are under the body. Returns their number. */
static int32_t list_under(const standing *s, int32_t begin, int32_t end)
{
    const foot_circle circle = circle_around(s);
    int32_t count = 0;
    for (int32_t k = begin; k < end; k++) {
        const flat_piece *piece = cover_piece(s->room, s->wall, k);
        for (int32_t side = 0; side < piece->count; side++) {
            const flat_corner *from = cover_corner(s->room, piece, side);
            if (meets_circle(&circle, from, cover_corner(s->room, piece, side + 1))) {
                s->room->sides[count++] = make_side(s, piece, side);
            }
        }
    }
    sort_sides(s->room->sides, count);
    return count;
}

/* Closes the cracks along the sides of pieces begin ... end - 1 of the plane. */
static abut_status close_beside(standing *s, int32_t begin, int32_t end)
{
    patch_room *room = s->room;
    abut_status status = reserve_sides(room);
    status = status ? status : cover_reserve(room, s->wall);
    const int32_t count = status ? 0 : list_under(s, begin, end);
    const int32_t first = room->pieces.piece_count;
    for (int32_t k = 0; !status && k < count; k++) {
        const piece_side *side = &room->sides[k];
        if (!is_shared(room->sides, count, k)) {
            status = close_side(s, side);
        }
    }
    s->wall->filler_count += room->pieces.piece_count - first;
    return status;
}

abut_status patch_close(patch_room *room, const patch_task *task, wall_plane *wall)
{
    standing s = {.room = room, .task = task, .wall = wall};
    wall->first_filler = room->pieces.piece_count;
    if (wall->count < 2) {
        return ABUT_OK;
    }
    abut_status status = begin_standing(&s);
    wall->crack = status ? 0.0 : CRACK_PART * foot_width(&s);
    if (wall->crack > 2.0 * wall->near) {
        status = close_beside(&s, 0, wall->count);
        /* where cracks meet, gaps remain between their fillers: these are closed, too */
        status = status ? status : close_beside(&s, wall->count, cover_count(wall));
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
    standing s = {.room = room, .task = task, .wall = wall};
    wall->first_spot = room->spot_count;
    abut_status status = begin_standing(&s);
    status = status ? status : concave_extend(room, task, wall, room->foot, s.count);
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
