/* Planes of walls, and the parts of them that facets cover. */
#ifndef FLATS_COVER_H
#define FLATS_COVER_H

#include "flat.h"
#include "../convex/spots.h"

/* A plane of a wall, in the body's frame. A half space is a plane without pieces. */
typedef struct wall_plane {
    vec3 normal;                /* unit, towards the body's centroid */
    double offset;              /* normal . x = offset for its points */
    vec3 axes[2];               /* unit, in the plane; right-handed with the normal */
    double noise, normal_noise; /* the largest noise of its pieces */
    double near;                /* places within this distance of each other count as the same */
    double crack;               /* cracks narrower than this are closed (patch.c) */
    int32_t begin, count;       /* range of its pieces in patch_room.order */
    int32_t first_filler, filler_count; /* pieces that close cracks between its pieces */
    int32_t first_strip, strip_count; /* pieces that continue the plane behind others (concave.c) */
    int32_t half_space;               /* the half space's number, or -1 */
    bool holds_centroid; /* the foot of the body's centroid is on its pieces; true of half spaces */
    bool stays;          /* the body stands on it (stand.c) */
    bool is_dropped;     /* another plane, which stays, counts in its place */
    int32_t first_spot, spot_count;
    /* gaps of the body without its rounding: at its deepest spot; to the plane without borders */
    double gap, support_gap;
} wall_plane;

/* A spot, its points on body and wall, and the piece in which it lies; -1: on a half space. */
typedef struct wall_spot {
    convex_spot spot;
    vec3 on_body, on_wall;
    int32_t piece;
} wall_spot;

/* A corner of the body's bearing feature, which is the facet, edge or vertex that faces the plane
 * within the patch angle (spots_bearing). (x, y) is the place of its foot on the plane. */
typedef struct foot_corner {
    vec3 at;
    double x, y;
    int32_t vertex, edge; /* numbers in the body's shape; `edge` leads to the next corner */
} foot_corner;

/* A line on a plane: where it begins, and the vector to its end. */
typedef struct plane_line {
    double x, y, along_x, along_y;
} plane_line;

/* A part of a line that pieces cover. `begin` and `end` are fractions of the line's length. The
 * line enters piece `first` through its side `enters`, and leaves piece `last` through its side
 * `leaves`. A side is -1 if the line begins or ends inside of the piece. */
typedef struct covered {
    double begin, end;
    int32_t first, last, enters, leaves;
} covered;

/* A side of a piece. (x, y) is the sum of the places of its two corners. A neighbor piece that
 * shares the side has the same sum. (out_x, out_y) is perpendicular to the side, as long as the
 * side, and points away from `piece`. */
typedef struct piece_side {
    double x, y;
    double out_x, out_y;
    int32_t piece, side;
} piece_side;

/* An end of a straight border of a patch (patch.c), under the body's feature. (along_x, along_y) is
 * the direction of the border from this end, of unit length. */
typedef struct border_end {
    double x, y, along_x, along_y;
    int32_t piece, corner; /* corner -1: the end is at no corner of this piece */
} border_end;

/* The pieces, planes and spots of a body, and scratch; used again for the next body. */
typedef struct patch_room {
    flat_pieces pieces;
    int32_t *order; /* numbers of pieces, plane by plane */
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
    double cosine; /* cosine of the patch angle */
    double reach;  /* the largest distance of the body's surface from its centroid */
} patch_task;

/* Sorts the pieces into planes. The normal of each plane points to the side of the body's
 * centroid. */
abut_status cover_planes(patch_room *room, const patch_task *task);

abut_status cover_half_space(patch_room *room, const patch_task *task, int32_t number, vec3 point,
                             vec3 normal);

/* The coordinate of a point along axis 0 or 1 of a plane. */
double cover_place(const wall_plane *wall, int axis, vec3 at);

/* The height of a point over a plane. */
double cover_height(const wall_plane *wall, vec3 at);

/* The largest height over a plane that noise may give to a point in the plane. `normal_noise` is
 * the noise of the point. */
double cover_front_limit(const wall_plane *wall, double normal_noise);

/* Whether a point is in front of a plane by more than cover_front_limit. */
bool cover_is_in_front(const wall_plane *wall, vec3 at, double normal_noise);

/* The number of pieces that cover a plane: facets first, then fillers of cracks, then strips. */
int32_t cover_count(const wall_plane *wall);

/* The number in room->pieces of the k-th piece that covers a plane. */
int32_t cover_number(const patch_room *room, const wall_plane *wall, int32_t k);

/* The k-th piece that covers a plane. */
const flat_piece *cover_piece(const patch_room *room, const wall_plane *wall, int32_t k);

/* The k-th corner of a piece. Number `count` is corner 0 again. */
const flat_corner *cover_corner(const patch_room *room, const flat_piece *piece, int32_t k);

/* Whether a place is in a piece, or within wall->near of it. */
bool cover_is_in(const patch_room *room, const wall_plane *wall, const flat_piece *piece, double x,
                 double y);

/* The number of the piece that contains a place; -1: none. Facets are preferred to fillers, and
 * fillers to strips. Among pieces of one kind, the smallest mesh and facet are preferred. */
int32_t cover_find(const patch_room *room, const wall_plane *wall, double x, double y);

/* Whether a place is in a facet of the plane, or in a filler. Strips do not count. */
bool cover_holds(const patch_room *room, const wall_plane *wall, double x, double y);

/* Finds the part of a line that a piece, widened by wall->near, covers. Returns false if none. */
bool cover_part(const patch_room *room, const wall_plane *wall, const flat_piece *piece,
                const plane_line *l, covered *part);

/* Reserves room->lines for the parts of a line that a plane's pieces cover. */
abut_status cover_reserve(patch_room *room, const wall_plane *wall);

/* Joins ascending parts that are no farther apart than a gap. Returns how many parts remain. */
int32_t cover_join(covered *parts, int32_t count, double gap);

/* Writes the parts of a line that pieces other than `but` cover to room->lines, in ascending order.
 * Returns their number. Call cover_reserve before. */
int32_t cover_line(patch_room *room, const wall_plane *wall, const plane_line *l,
                   const flat_piece *but);

#endif
