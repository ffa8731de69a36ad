/* Collects facets that lie in one plane, within their noise, and finds what they cover of it.
 *
 * Facets of one plane are one wall, whether they share edges or not. The parts of a line that they
 * cover are joined. So fans, slivers, T-junctions and cracks as narrow as noise do not matter. */
#include "cover.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* ---- planes ---- */

static bool comes_first(const flat_piece *a, const flat_piece *b)
{
    return a->mesh != b->mesh ? a->mesh < b->mesh : a->facet < b->facet;
}

/* The largest piece that is on no plane yet; -1: there is none. */
static int32_t find_leader(const flat_pieces *all)
{
    int32_t leader = -1;
    for (int32_t k = 0; k < all->piece_count; k++) {
        const flat_piece *piece = &all->pieces[k];
        if (piece->plane >= 0 || !(piece->height > 0.0)) {
            continue;
        }
        const flat_piece *best = leader < 0 ? NULL : &all->pieces[leader];
        if (!best || piece->area > best->area ||
            (piece->area == best->area && comes_first(piece, best))) {
            leader = k;
        }
    }
    return leader;
}

/* Whether a piece lies in the plane of the leader, within the noise of the noisier piece. Noise may
 * also tilt the leader's plane, by the angle noise / (height of the leader). */
static bool is_on_plane(const flat_pieces *all, const flat_piece *leader, const flat_piece *piece)
{
    const vec3 from = all->corners[leader->begin].at;
    const double noise = FRONT_NOISES * larger(leader->normal_noise, piece->normal_noise);
    for (int32_t k = 0; k < piece->count; k++) {
        const vec3 to = vec3_sub(all->corners[piece->begin + k].at, from);
        const double limit = noise * (1.0 + vec3_length(to) / leader->height);
        if (!(fabs(vec3_dot(to, leader->normal)) <= limit)) {
            return false;
        }
    }
    return true;
}

static wall_plane make_plane(const convex_pair *flat, vec3 normal, double offset, double reach)
{
    wall_plane wall = {.normal = normal, .offset = offset, .half_space = -1};
    pair_axes(flat, normal, wall.axes);
    wall.near = SPOT_TOGETHER * reach;
    return wall;
}

/* A plane through a point, facing the body's centroid. */
static wall_plane facing_plane(const patch_task *task, vec3 point, vec3 normal)
{
    const convex_pair flat = {.a = *task->body, .b = *task->body};
    const double height = vec3_dot(normal, vec3_sub(body_centroid(task->body), point));
    const vec3 towards = height < 0.0 ? vec3_scale(normal, -1.0) : normal;
    return make_plane(&flat, towards, vec3_dot(towards, point), task->reach);
}

double cover_place(const wall_plane *wall, int axis, vec3 at)
{
    return vec3_dot(wall->axes[axis], at);
}

double cover_height(const wall_plane *wall, vec3 at)
{
    return vec3_dot(wall->normal, at) - wall->offset;
}

double cover_front_limit(const wall_plane *wall, double normal_noise)
{
    return wall->near + FRONT_NOISES * larger(wall->normal_noise, normal_noise);
}

bool cover_is_in_front(const wall_plane *wall, vec3 at, double normal_noise)
{
    return cover_height(wall, at) > cover_front_limit(wall, normal_noise);
}

/* Collects the pieces that lie in the plane of the piece `leader`. */
static void collect(patch_room *room, wall_plane *wall, int32_t leader, int32_t number)
{
    flat_pieces *all = &room->pieces;
    for (int32_t k = 0; k < all->piece_count; k++) {
        flat_piece *piece = &all->pieces[k];
        if (piece->plane >= 0 || (k != leader && !is_on_plane(all, &all->pieces[leader], piece))) {
            continue;
        }
        piece->plane = number;
        room->order[wall->begin + wall->count++] = k;
        wall->noise = larger(wall->noise, piece->noise);
        wall->normal_noise = larger(wall->normal_noise, piece->normal_noise);
        for (int32_t c = piece->begin; c < piece->begin + piece->count; c++) {
            all->corners[c].x = cover_place(wall, 0, all->corners[c].at);
            all->corners[c].y = cover_place(wall, 1, all->corners[c].at);
        }
    }
    wall->near += CLOSED_NOISES * wall->noise;
}

static wall_plane *add_plane(patch_room *room)
{
    const abut_status status = memory_fit(&room->planes, room->plane_count + 1,
                                          &room->plane_capacity, sizeof *room->planes);
    return status ? NULL : &room->planes[room->plane_count++];
}

abut_status cover_planes(patch_room *room, const patch_task *task)
{
    flat_pieces *all = &room->pieces;
    if (memory_fit(&room->order, all->piece_count, &room->order_capacity, sizeof *room->order)) {
        return ABUT_NO_MEMORY;
    }
    int32_t begin = 0;
    for (int32_t leader = find_leader(all); leader >= 0; leader = find_leader(all)) {
        wall_plane *wall = add_plane(room);
        if (!wall) {
            return ABUT_NO_MEMORY;
        }
        const flat_piece *first = &all->pieces[leader];
        *wall = facing_plane(task, all->corners[first->begin].at, first->normal);
        wall->begin = begin;
        collect(room, wall, leader, room->plane_count - 1);
        begin += wall->count;
    }
    return ABUT_OK;
}

abut_status cover_half_space(patch_room *room, const patch_task *task, int32_t number, vec3 point,
                             vec3 normal)
{
    wall_plane *wall = add_plane(room);
    if (!wall) {
        return ABUT_NO_MEMORY;
    }
    const convex_pair flat = {.a = *task->body, .b = *task->body};
    *wall = make_plane(&flat, normal, vec3_dot(normal, point), task->reach);
    wall->half_space = number;
    return ABUT_OK;
}

/* ---- pieces on their plane ---- */

int32_t cover_count(const wall_plane *wall)
{
    return wall->count + wall->filler_count + wall->strip_count;
}

int32_t cover_number(const patch_room *room, const wall_plane *wall, int32_t k)
{
    if (k < wall->count) {
        return room->order[wall->begin + k];
    }
    const int32_t filler = k - wall->count, strip = filler - wall->filler_count;
    return strip < 0 ? wall->first_filler + filler : wall->first_strip + strip;
}

const flat_piece *cover_piece(const patch_room *room, const wall_plane *wall, int32_t k)
{
    return &room->pieces.pieces[cover_number(room, wall, k)];
}

const flat_corner *cover_corner(const patch_room *room, const flat_piece *piece, int32_t k)
{
    return &room->pieces.corners[piece->begin + (k < piece->count ? k : k - piece->count)];
}

/* The distance of a place from side k of a piece, positive on the inner side. */
static double side_distance(const patch_room *room, const wall_plane *wall, const flat_piece *piece,
                            int32_t k, double x, double y)
{
    const flat_corner *from = cover_corner(room, piece, k), *to = cover_corner(room, piece, k + 1);
    const double side_x = to->x - from->x, side_y = to->y - from->y;
    const double cross = side_x * (y - from->y) - side_y * (x - from->x);
    const double turning = vec3_dot(piece->normal, wall->normal) < 0.0 ? -1.0 : 1.0;
    return turning * cross / sqrt(side_x * side_x + side_y * side_y);
}

bool cover_is_in(const patch_room *room, const wall_plane *wall, const flat_piece *piece, double x,
                 double y)
{
    for (int32_t k = 0; k < piece->count; k++) {
        if (!(side_distance(room, wall, piece, k, x, y) >= -wall->near)) {
            return false;
        }
    }
    return true;
}

/* The order in which pieces are preferred: facets, then fillers, then strips. */
static int rank_of(const flat_piece *piece)
{
    return piece->behind >= 0 ? 2 : flat_is_filler(piece);
}

static bool is_before(const flat_piece *a, const flat_piece *b)
{
    const int first = rank_of(a), second = rank_of(b);
    return first != second ? first < second : comes_first(a, b);
}

int32_t cover_find(const patch_room *room, const wall_plane *wall, double x, double y)
{
    int32_t found = -1;
    for (int32_t k = 0; k < cover_count(wall); k++) {
        const flat_piece *piece = cover_piece(room, wall, k);
        if ((found < 0 || is_before(piece, &room->pieces.pieces[found])) &&
            cover_is_in(room, wall, piece, x, y)) {
            found = cover_number(room, wall, k);
        }
    }
    return found;
}

bool cover_holds(const patch_room *room, const wall_plane *wall, double x, double y)
{
    const int32_t found = cover_find(room, wall, x, y);
    return found >= 0 && room->pieces.pieces[found].behind < 0;
}

/* ---- lines over pieces ---- */

bool cover_part(const patch_room *room, const wall_plane *wall, const flat_piece *piece,
                const plane_line *l, covered *part)
{
    const int32_t number = (int32_t)(piece - room->pieces.pieces);
    *part = (covered){0.0, 1.0, number, number, -1, -1};
    for (int32_t k = 0; k < piece->count; k++) {
        const double from = side_distance(room, wall, piece, k, l->x, l->y) + wall->near;
        const double to =
            side_distance(room, wall, piece, k, l->x + l->along_x, l->y + l->along_y) + wall->near;
        if (from < 0.0 && to < 0.0) {
            return false;
        }
        const double at = from / (from - to);
        if (from < 0.0 && at > part->begin) {
            part->begin = at, part->enters = k;
        }
        if (to < 0.0 && at < part->end) {
            part->end = at, part->leaves = k;
        }
    }
    return part->begin <= part->end;
}

int32_t cover_join(covered *parts, int32_t count, double gap)
{
    int32_t last = 0;
    for (int32_t k = 1; k < count; k++) {
        if (parts[k].begin > parts[last].end + gap) {
            parts[++last] = parts[k];
        } else if (parts[k].end > parts[last].end) {
            parts[last].end = parts[k].end;
            parts[last].last = parts[k].last, parts[last].leaves = parts[k].leaves;
        }
    }
    return count > 0 ? last + 1 : 0;
}

static void insert(covered *parts, int32_t count, covered part)
{
    int32_t at = count;
    for (; at > 0 && parts[at - 1].begin > part.begin; at--) {
        parts[at] = parts[at - 1];
    }
    parts[at] = part;
}

abut_status cover_reserve(patch_room *room, const wall_plane *wall)
{
    return memory_fit(&room->lines, cover_count(wall) + 1, &room->line_capacity,
                      sizeof *room->lines);
}

int32_t cover_line(patch_room *room, const wall_plane *wall, const plane_line *l,
                   const flat_piece *but)
{
    int32_t count = 0;
    for (int32_t k = 0; k < cover_count(wall); k++) {
        const flat_piece *piece = cover_piece(room, wall, k);
        covered part;
        if (piece != but && cover_part(room, wall, piece, l, &part)) {
            insert(room->lines, count++, part);
        }
    }
    return cover_join(room->lines, count, 0.0);
}
