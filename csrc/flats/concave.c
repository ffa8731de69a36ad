/* Where two walls meet at a concave edge, continues each of them behind the other.
 *
 * A body that overlaps a floor and a wall has corners behind both. The foot of such a corner on the
 * wall is below the wall's border:
 *
 *              | wall               If floor and wall were half spaces, they would have no border,
 *     +--------|-+                  and corner c would have a spot on each of them. So that c has
 *     |  body  | |                  both spots on facets, too, the floor continues behind the
 *     |        | |                  wall, and the wall behind the floor, by a strip each. In the
 *  ---|--------+.|.  floor          drawing, dots are the strips. They are wider than the body.
 *     |        : |
 *     +--------:-c
 *
 * Both planes meet in a line. A strip begins at those parts of the line where the wall has facets
 * in front of the floor, and the floor has facets in front of the wall. The edge is concave there:
 * a body can get behind both planes only through these facets. At a convex edge the facets of each
 * plane are behind the other plane, so there are no strips.
 *
 * If the edge ends behind a third wall, as in the corner of a box, its strips continue behind the
 * third wall, too. In some models the facets of a wall already reach behind the floor. The wall has
 * a strip there, too, since only strips show which spots behind the floor belong to the wall. */
#include "concave.h"

#include "../mesh/tolerance.h"

/* The line where a wall meets another plane. */
typedef struct concave_edge {
    const patch_room *room;
    const wall_plane *wall, *other;
    double sine;        /* sine of the angle between them */
    vec3 along, inward; /* unit: along the line; in the wall's plane, to the front of `other` */
    vec3 middle;        /* the point of the line that is closest to the body's centroid */
    double margin;      /* how far in front of the line a strip begins */
    double width;       /* width of a strip, and half the length of the line */
} concave_edge;

/* A vector in a plane that points towards the front of another plane; not of unit length. */
static vec3 towards_front(const wall_plane *wall, const wall_plane *other)
{
    const double cosine = vec3_dot(wall->normal, other->normal);
    return vec3_sub(other->normal, vec3_scale(wall->normal, cosine));
}

/* Finds the line where two planes meet. Returns false if the line is far from the body, or if the
 * planes are nearly parallel. */
static bool meet(concave_edge *m, const patch_task *task, const wall_plane *wall,
                 const wall_plane *other)
{
    const vec3 cross = vec3_cross(wall->normal, other->normal);
    const double sine = vec3_length(cross);
    const double noise = cover_front_limit(wall, other->normal_noise) + other->near;
    if (!(STRIP_MARGIN * noise < STRIP_CLEAR * task->reach * sine)) {
        return false;
    }
    m->wall = wall, m->other = other;
    m->sine = sine;
    m->along = vec3_scale(cross, 1.0 / sine);
    m->inward = vec3_scale(towards_front(wall, other), 1.0 / sine);
    m->margin = STRIP_MARGIN * noise / sine;
    m->width = STRIP_REACHES * task->reach;
    const vec3 centroid = body_centroid(task->body);
    const vec3 foot = vec3_sub(centroid, vec3_scale(wall->normal, cover_height(wall, centroid)));
    m->middle = vec3_sub(foot, vec3_scale(m->inward, cover_height(other, foot) / sine));
    return vec3_length(vec3_sub(m->middle, centroid)) <= LINE_REACHES * task->reach;
}

/* The line where both planes meet, in coordinates of plane `wall`. It is moved by the margin along
 * `inward`. */
static plane_line line_on(const concave_edge *m, const wall_plane *wall, vec3 inward)
{
    const vec3 begin = vec3_add(vec3_sub(m->middle, vec3_scale(m->along, m->width)),
                                vec3_scale(inward, m->margin));
    const vec3 way = vec3_scale(m->along, 2.0 * m->width);
    return (plane_line){cover_place(wall, 0, begin), cover_place(wall, 1, begin),
                        cover_place(wall, 0, way), cover_place(wall, 1, way)};
}

/* Finds the parts of the common line where the other plane has facets in front of the wall. Writes
 * them to room->lines, and returns their number. */
static int32_t find_other(patch_room *room, const concave_edge *m)
{
    if (m->other->half_space >= 0) {
        room->lines[0] = (covered){0.0, 1.0, -1, -1, -1, -1};
        return 1;
    }
    const vec3 inward = vec3_scale(towards_front(m->other, m->wall), 1.0 / m->sine);
    const plane_line l = line_on(m, m->other, inward);
    wall_plane facets = *m->other;
    facets.strip_count = 0;
    const int32_t count = cover_line(room, &facets, &l, NULL);
    return cover_join(room->lines, count, 0.5 * m->wall->crack / m->width);
}

/* ---- ends behind a third wall ---- */

/* Whether a third wall has facets in front of both planes, near the point where all three meet. */
static bool is_corner(const concave_edge *m, const wall_plane *third, vec3 end)
{
    const double slope = vec3_dot(third->normal, m->along);
    const vec3 on_wall = towards_front(third, m->wall), on_other = towards_front(third, m->other);
    /* the directions of the lines in which the third wall meets the two planes */
    vec3 first = vec3_cross(third->normal, on_wall), second = vec3_cross(third->normal, on_other);
    const double up_first = vec3_dot(first, m->other->normal);
    const double up_second = vec3_dot(second, m->wall->normal);
    if (!(fabs(slope * up_first * up_second) > 0.0)) {
        return false;
    }
    first = vec3_scale(first, m->margin / up_first);
    second = vec3_scale(second, m->margin / up_second);
    const vec3 corner = vec3_sub(end, vec3_scale(m->along, cover_height(third, end) / slope));
    const vec3 at = vec3_add(corner, vec3_scale(vec3_add(first, second), 2.0 * STRIP_MARGIN));
    return third->half_space >= 0 ||
           cover_holds(m->room, third, cover_place(third, 0, at), cover_place(third, 1, at));
}

/* Whether the point at the fraction `part` of the line is behind a third wall, or at it. */
static bool ends_behind(const concave_edge *m, double part)
{
    const double way = (2.0 * part - 1.0) * m->width;
    const vec3 end = vec3_add(m->middle, vec3_scale(m->along, way));
    for (int32_t k = 0; k < m->room->plane_count; k++) {
        const wall_plane *third = &m->room->planes[k];
        if (third != m->wall && third != m->other && !third->is_dropped &&
            cover_height(third, end) <= 2.0 * STRIP_MARGIN * m->margin &&
            is_corner(m, third, end)) {
            return true;
        }
    }
    return false;
}

/* ---- strips ---- */

static flat_corner strip_corner(const concave_edge *m, double part, double inward, int32_t number)
{
    const double way = (2.0 * part - 1.0) * m->width;
    const vec3 at =
        vec3_add(m->middle, vec3_add(vec3_scale(m->along, way), vec3_scale(m->inward, inward)));
    return (flat_corner){at, cover_place(m->wall, 0, at), cover_place(m->wall, 1, at), number};
}

/* The number for both corners at one end of a strip. It is the number of the piece's side through
 * which the line enters or leaves. If the line ends inside of the piece (side < 0), it is the
 * number of corner 0. */
static int32_t side_number(const concave_edge *m, const flat_piece *piece, int32_t side)
{
    return cover_corner(m->room, piece, side < 0 ? 0 : side)->number;
}

static abut_status add_strip(patch_room *room, const concave_edge *m, int32_t number, covered part)
{
    const flat_piece *piece = &room->pieces.pieces[number];
    const int32_t enters = side_number(m, piece, part.enters);
    const int32_t leaves = side_number(m, piece, part.leaves);
    const double begin = ends_behind(m, part.begin) ? 0.0 : part.begin;
    const double end = ends_behind(m, part.end) ? 1.0 : part.end;
    const flat_corner near_begin = strip_corner(m, begin, m->margin, enters);
    const flat_corner near_end = strip_corner(m, end, m->margin, leaves);
    const flat_corner far_begin = strip_corner(m, begin, -m->width, enters);
    const flat_corner far_end = strip_corner(m, end, -m->width, leaves);
    /* a corner has the number of the side that begins at it; for the two sides parallel to the line
     * this number is never read */
    if (vec3_dot(piece->normal, m->wall->normal) > 0.0) {
        const flat_corner around[] = {near_begin, near_end, far_end, far_begin};
        return flat_add_strip(&room->pieces, number, (int32_t)(m->other - room->planes), around);
    }
    const flat_corner around[] = {near_begin, far_begin, far_end, near_end};
    return flat_add_strip(&room->pieces, number, (int32_t)(m->other - room->planes), around);
}

/* Adds a strip for each part of the line that both a piece and the other plane cover. */
static abut_status add_piece(patch_room *room, const concave_edge *m, const plane_line *l,
                             int32_t number, int32_t count)
{
    covered whole;
    if (!cover_part(room, m->wall, &room->pieces.pieces[number], l, &whole)) {
        return ABUT_OK;
    }
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && k < count; k++) {
        covered part = whole;
        part.begin = larger(whole.begin, room->lines[k].begin);
        part.end = whole.end < room->lines[k].end ? whole.end : room->lines[k].end;
        if (part.begin < part.end) {
            status = add_strip(room, m, number, part);
        }
    }
    return status;
}

static abut_status add_strips(patch_room *room, const concave_edge *m)
{
    if (cover_reserve(room, m->other)) {
        return ABUT_NO_MEMORY;
    }
    const int32_t count = find_other(room, m);
    const plane_line l = line_on(m, m->wall, m->inward);
    abut_status status = ABUT_OK;
    for (int32_t k = 0; !status && count > 0 && k < m->wall->count + m->wall->filler_count; k++) {
        status = add_piece(room, m, &l, cover_number(room, m->wall, k), count);
    }
    return status;
}

/* Whether the foot on `wall` of any corner of the feature is behind plane `other`, or in front of
 * it by at most noise. */
static bool are_behind(const wall_plane *wall, const wall_plane *other, const foot_corner *feet,
                       int32_t count)
{
    const double limit = cover_front_limit(other, wall->normal_noise);
    for (int32_t k = 0; k < count; k++) {
        const double height = cover_height(wall, feet[k].at);
        const vec3 foot = vec3_sub(feet[k].at, vec3_scale(wall->normal, height));
        if (cover_height(other, foot) <= limit) {
            return true;
        }
    }
    return false;
}

abut_status concave_extend(patch_room *room, const patch_task *task, wall_plane *wall,
                           const foot_corner *feet, int32_t count)
{
    abut_status status = ABUT_OK;
    wall->strip_count = 0;
    const int32_t first = room->pieces.piece_count;
    for (int32_t k = 0; !status && wall->half_space < 0 && k < room->plane_count; k++) {
        const wall_plane *other = &room->planes[k];
        concave_edge m = {.room = room};
        if (other != wall && !other->is_dropped && are_behind(wall, other, feet, count) &&
            meet(&m, task, wall, other)) {
            status = add_strips(room, &m);
        }
    }
    wall->first_strip = first;
    wall->strip_count = room->pieces.piece_count - first;
    return status;
}

/* ---- which spots belong to a wall ---- */

bool concave_reaches(const patch_room *room, const wall_plane *wall, const wall_spot *spot,
                     int32_t other)
{
    const wall_plane *kept = &room->planes[other];
    const double x = cover_place(wall, 0, spot->on_wall), y = cover_place(wall, 1, spot->on_wall);
    for (int32_t k = wall->count + wall->filler_count; k < cover_count(wall); k++) {
        const flat_piece *strip = cover_piece(room, wall, k);
        if (!cover_is_in(room, wall, strip, x, y)) {
            continue;
        }
        const wall_plane *behind = &room->planes[strip->behind];
        const vec3 inward = towards_front(wall, behind);
        const double way = cover_height(behind, spot->on_wall) / vec3_norm_sq(inward);
        const vec3 at = vec3_sub(spot->on_wall, vec3_scale(inward, way));
        if (strip->behind == other || cover_is_in_front(kept, at, wall->normal_noise)) {
            return true;
        }
    }
    return false;
}
