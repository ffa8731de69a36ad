/* Planes of walls, and what of them facets cover. */
#ifndef FLATS_COVER_H
#define FLATS_COVER_H

#include "flat.h"
#include "../convex/spots.h"

/* All in the body's frame. A half space is one without pieces. */
typedef struct wall_plane {
    vec3 normal; /* unit, towards the body's centroid */
    double offset;
    vec3 axes[2];                       /* on the plane; with the normal right-handed */
    double noise, normal_noise;         /* the largest of its pieces */
    double near;                        /* places on the plane that are not told apart */
    double crack;                       /* cracks that are narrower are closed (patch.c) */
    int32_t begin, count;               /* of its pieces */
    int32_t first_filler, filler_count; /* what closes cracks between them */
    int32_t first_strip, strip_count;   /* where it goes on behind other planes (concave.c) */
    int32_t half_space;                 /* its number, or -1 */
    bool holds_centroid;                /* the foot of the body's centroid is on it */
    bool stays;
    bool is_dropped; /* another plane says already what this one would */
    int32_t first_spot, spot_count;
    /* gap: of the deepest spot; support_gap: to the plane as if it went on; both without the body's
     * rounding */
    double gap, support_gap;
} wall_plane;

/* A spot with the piece that it lies in, -1 of a half space. */
typedef struct wall_spot {
    convex_spot spot;
    vec3 on_body, on_wall;
    int32_t piece;
} wall_spot;

/* A corner of the body's feature that bears: where it is, and its place on the plane. */
typedef struct foot_corner {
    vec3 at;
    double x, y;
    int32_t vertex, edge; /* and the edge from it to the next one */
} foot_corner;

/* A line on a plane: where it begins, and the way to where it ends. */
typedef struct plane_line {
    double x, y, along_x, along_y;
} plane_line;

/* A part of a line that pieces cover: which, and by which of their sides it enters the first and
 * leaves the last; -1: it begins or ends inside. */
typedef struct covered {
    double begin, end;
    int32_t first, last, enters, leaves;
} covered;

/* A side of a piece: the sum of both of its corners' places, which is the same for the piece on the
 * other side of it, and on which side of it the piece is. */
typedef struct piece_side {
    double x, y;
    double out_x, out_y;
    int32_t piece, side;
} piece_side;

/* Where a border of the patch ends, under the body, and whither it leads from there. */
typedef struct border_end {
    double x, y, along_x, along_y;
    int32_t piece, corner; /* -1: no corner of this piece */
} border_end;

/* Memory for one body after the other. */
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

/* What stands on walls. */
typedef struct patch_task {
    const convex_body *body;
    double cosine; /* of the patch angle */
    double reach;  /* of the body with its rounding, scaled */
} patch_task;

/* Sort the room's pieces into planes; each faces the body's centroid. */
abut_status cover_planes(patch_room *room, const patch_task *task);

/* Add a half space to the planes. */
abut_status cover_half_space(patch_room *room, const patch_task *task, int32_t number, vec3 point,
                             vec3 normal);

/* A point's place on a plane, along one of its axes. */
double cover_place(const wall_plane *wall, int axis, vec3 at);

/* How high over a plane a point is, how high one that is on it may be by noise, which what is there
 * has, too, and whether a point is higher. */
double cover_height(const wall_plane *wall, vec3 at);
double cover_front_limit(const wall_plane *wall, double normal_noise);
bool cover_is_in_front(const wall_plane *wall, vec3 at, double normal_noise);

/* How many pieces cover a plane, fillers of cracks and strips last; the number of the k-th of them;
 * it; a corner, counted around it. */
int32_t cover_count(const wall_plane *wall);
int32_t cover_number(const patch_room *room, const wall_plane *wall, int32_t k);
const flat_piece *cover_piece(const patch_room *room, const wall_plane *wall, int32_t k);
const flat_corner *cover_corner(const patch_room *room, const flat_piece *piece, int32_t k);

bool cover_is_in(const patch_room *room, const wall_plane *wall, const flat_piece *piece, double x,
                 double y);

/* The first facet's piece that a place is in, or else the first strip; -1: none. */
int32_t cover_find(const patch_room *room, const wall_plane *wall, double x, double y);

/* Whether a place is in one of its facets: strips do not count. */
bool cover_holds(const patch_room *room, const wall_plane *wall, double x, double y);

/* What a piece, wider by what is not told apart, covers of a line; false: nothing. */
bool cover_part(const patch_room *room, const wall_plane *wall, const flat_piece *piece,
                const plane_line *l, covered *part);

/* Room for the parts that a plane's pieces cover of a line. */
abut_status cover_reserve(patch_room *room, const wall_plane *wall);

/* Join parts, which ascend, that meet but for a gap; returns how many are left. */
int32_t cover_join(covered *parts, int32_t count, double gap);

/* The parts of a line that the patch covers, but for piece `but`, ascending, in room->lines;
 * returns how many. There is room. */
int32_t cover_line(patch_room *room, const wall_plane *wall, const plane_line *l,
                   const flat_piece *but);

#endif
