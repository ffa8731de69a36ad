/* Planes of walls: facets that lie in one, and where a body stands on them. */
#ifndef CONVEX_PATCH_H
#define CONVEX_PATCH_H

#include "flat.h"
#include "spots.h"

/* All in the body's frame. A half space is one without pieces. */
typedef struct wall_plane {
    vec3 normal; /* unit, towards the body's centroid */
    double offset;
    vec3 axes[2];               /* on the plane; with the normal right-handed */
    double noise, normal_noise; /* the largest of its pieces */
    double near;                /* places on the plane that are not told apart */
    int32_t begin, count;       /* of its pieces */
    int32_t half_space;         /* its number, or -1 */
    bool holds_centroid;        /* the foot of the body's centroid is on it */
    bool stays;
    int32_t first_spot, spot_count;
    double gap; /* of the spot that is deepest; of the body without its rounding */
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

/* A body on its walls. */
typedef struct patch_body {
    const convex_body *body;
    double cosine; /* of the patch angle */
    double reach;  /* of the body with its rounding, scaled */
} patch_body;

/* Sort the room's pieces into planes; each faces the body's centroid. */
abut_status patch_planes(patch_room *room, const patch_body *body);

/* Add a half space to the planes. */
abut_status patch_half_space(patch_room *room, const patch_body *body, int32_t number, vec3 point,
                             vec3 normal);

/* Find the spots of a plane: the corners of what the body's feature that faces it and the union of
 * the plane's pieces have in common. */
abut_status patch_spots(patch_room *room, const patch_body *body, wall_plane *wall);

void patch_free(patch_room *room);

#endif
