/* Planes of walls, and the parts of them that facets cover. */
#ifndef FLATS_COVER_H
#define FLATS_COVER_H

#include "flat.h"
#include "../convex/spots.h"

/* A plane of a wall, in the body's frame. A half space is a plane without pieces. */
typedef struct wall_plane {
    vec3 normal; /* unit, towards the body's centroid */
    double offset;
    vec3 axes[2];               /* on the plane; right-handed with the normal */
    double noise, normal_noise; /* the largest noise of its pieces */
    double near;                /* places on the plane that are nearer than this count as one */
    double crack;               /* narrower cracks are closed (patch.c) */
    int32_t begin, count;       /* of its pieces */
    int32_t first_filler, filler_count; /* pieces that close cracks between these */
    int32_t first_strip, strip_count;   /* its pieces behind other planes (concave.c) */
    int32_t half_space;                 /* the half space's number, or -1 */
    bool holds_centroid;                /* the foot of the body's centroid is on its pieces */
    bool stays;
    bool is_dropped; /* another plane stands for it already */
    int32_t first_spot, spot_count;
    /* gap: of the deepest spot; support_gap: to the plane, as if it had no end; both without the
     * body's rounding */
    double gap, support_gap;
} wall_plane;

/* A spot, and the piece in which it lies; -1: on a half space. */
typedef struct wall_spot {
    convex_spot spot;
    vec3 on_body, on_wall;
    int32_t piece;
} wall_spot;

/* A corner of the body's bearing feature: where it is, and its place on the plane. */
typedef struct foot_corner {
    vec3 at;
    double x, y;
    int32_t vertex, edge; /* `edge` leads to the next corner */
} foot_corner;

/* A line on a plane: where it begins, and the vector to its end. */
typedef struct plane_line {
    double x, y, along_x, along_y;
} plane_line;

/* A part of a line that pieces cover: its first and last piece, and the sides by which it enters
 * and leaves these; -1: it begins or ends inside. */
typedef struct covered {
    double begin, end;
    int32_t first, last, enters, leaves;
} covered;

/* A side of a piece. x and y are the sum of its corners' places, which is the same for the piece on
 * its other side; out_x and out_y point away from its own piece. */
typedef struct piece_side {
    double x, y;
    double out_x, out_y;
    int32_t piece, side;
} piece_side;

/* Where a border of the patch ends under the body, and its direction from there. */
typedef struct border_end {
    double x, y, along_x, along_y;
    int32_t piece, corner; /* -1: the end is at no corner of this piece */
} border_end;

/* Memory that one body after the other uses. */
typedef struct patch_room {
    flat_pieces pieces;
    int32_t *order; /* pieces, plane by plane */
    wall_plane *planes;
    wall_spot *spots;
    foot_corner *foot;
    covered *lines;
    border_end *ends;
    piece_side *sides;
    int32_t plane_count, spot_count, end_count;
    abut_index order_capacity, plane_capacity, spot_capacity, foot_capacity, line_capacity,
        end_capacity, side_capacity;
} patch_room;

/* A body that stands on walls. */
typedef struct patch_task {
    const convex_body *body;
    double cosine; /* of the patch angle */
    double reach;  /* of the body with its rounding, scaled */
} patch_task;

/* Sorts the room's pieces into planes; each faces the body's centroid. */
abut_status cover_planes(patch_room *room, const patch_task *task);

/* Adds a half space to the planes. */
abut_status cover_half_space(patch_room *room, const patch_task *task, int32_t number, vec3 point,
                             vec3 normal);

/* The place of a point on a plane, along one of its axes. */
double cover_place(const wall_plane *wall, int axis, vec3 at);

/* The height of a point over a plane; the height that noise of plane and point may give to a point
 * on it; and whether a point is higher than that. */
double cover_height(const wall_plane *wall, vec3 at);
double cover_front_limit(const wall_plane *wall, double normal_noise);
bool cover_is_in_front(const wall_plane *wall, vec3 at, double normal_noise);

/* How many pieces cover a plane (facets first, then fillers of cracks, then strips); the number of
 * the k-th one; the piece itself; and its k-th corner, counted around it. */
int32_t cover_count(const wall_plane *wall);
int32_t cover_number(const patch_room *room, const wall_plane *wall, int32_t k);
const flat_piece *cover_piece(const patch_room *room, const wall_plane *wall, int32_t k);
const flat_corner *cover_corner(const patch_room *room, const flat_piece *piece, int32_t k);

bool cover_is_in(const patch_room *room, const wall_plane *wall, const flat_piece *piece, double x,
                 double y);

/* The piece that contains a place: of the first facet, else a filler, else a strip; -1: none. */
int32_t cover_find(const patch_room *room, const wall_plane *wall, double x, double y);

/* Whether a place is in a facet of the plane, or in a filler. Strips do not count. */
bool cover_holds(const patch_room *room, const wall_plane *wall, double x, double y);

/* Finds the part of a line that a piece covers, widened by wall->near. False: none. */
bool cover_part(const patch_room *room, const wall_plane *wall, const flat_piece *piece,
                const plane_line *l, covered *part);

/* Makes room for the parts of a line that a plane's pieces cover. */
abut_status cover_reserve(patch_room *room, const wall_plane *wall);

/* Joins ascending parts that are no farther apart than a gap; returns how many remain. */
int32_t cover_join(covered *parts, int32_t count, double gap);

/* Lists the parts of a line that the patch covers, without piece `but`, ascending, in room->lines.
 * Returns how many; there must be room. */
int32_t cover_line(patch_room *room, const wall_plane *wall, const plane_line *l,
                   const flat_piece *but);

#endif
