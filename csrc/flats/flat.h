/* Pieces: facets of meshes, in a body's frame. Each piece can be made a flat shape. */
#ifndef FLATS_FLAT_H
#define FLATS_FLAT_H

#include "../abut/mesh.h"
#include "../base/rounded.h"
#include "../base/pose.h"
#include "../convex/pair.h"

/* The distance from a body's center within which facets are loaded, in radii of its circumscribed
 * sphere. It is more than 1: where the body stands on a feature that is inclined by the patch
 * angle, the wall under this feature may be outside of the sphere. */
static inline double flat_reach(const abut_convex_options *options)
{
    return 1.0 + 2.0 * rounded_sin(options->patch_angle);
}

typedef struct flat_corner {
    vec3 at;
    double x, y;    /* coordinates along the axes of its wall_plane */
    int32_t number; /* the corner's number in its facet, also that of the edge to the next corner */
} flat_corner;

/* A facet, a triangle of a bent facet, or a strip or filler next to one. A strip continues its wall
 * behind another wall (concave.c); a filler closes a crack (patch.c). */
typedef struct flat_piece {
    int32_t mesh, facet;
    abut_index image[3];
    int32_t begin, count; /* range of its corners */
    vec3 normal;          /* unit, right-handed about its corners */
    double area, height;  /* height: twice the area, divided by the longest side */
    double noise, normal_noise;
    int32_t plane;       /* number of its plane; -1: none yet, or it is a strip or filler */
    int32_t facet_piece; /* of a strip or filler: the number of the piece beside it; otherwise its
                            own number */
    int32_t behind;      /* the plane behind which a strip lies; -1: it is no strip */
} flat_piece;

typedef struct flat_pieces {
    flat_piece *pieces;
    flat_corner *corners;
    int32_t piece_count, corner_count;
    abut_index piece_capacity, corner_capacity;
} flat_pieces;

/* Where a facet and a body are: the poses of the facet's mesh and of the body. The mesh in its pose
 * is then shifted by `shift`, which is whole periods. */
typedef struct flat_place {
    const pose *mesh_at, *body_at;
    vec3 shift;
    int32_t mesh, facet;
    abut_index image[3];
} flat_place;

/* Adds the pieces of a facet. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status flat_add(flat_pieces *all, const abut_mesh *mesh, const flat_place *place);
void flat_free(flat_pieces *all);

/* Whether a piece that covers a plane is a filler, which closes a crack. */
static inline bool flat_is_filler(const flat_piece *piece)
{
    return piece->plane < 0 && piece->behind < 0;
}

/* Adds a strip, which continues a piece in its plane behind the plane `behind`. With `behind` -1 it
 * is a filler, which closes a crack next to the piece. The corners must be in the same sense of
 * rotation as those of the piece. */
abut_status flat_add_strip(flat_pieces *all, int32_t piece, int32_t behind,
                           const flat_corner corners[4]);

/* A shape that is built for one piece after the other, with memory for `capacity` corners. */
typedef struct flat_shape {
    abut_shape shape;
    void *memory;
    int32_t capacity;
} flat_shape;

abut_status flat_reserve(flat_shape *flat, int32_t corners);
void flat_shape_free(flat_shape *flat);

/* Builds the flat shape of a piece, with its first corner as origin. Call flat_reserve before.
 * Facet 0 is the front, facet 1 the back. Edge k is the side from corner k to the next one. */
void flat_build(flat_shape *flat, const flat_pieces *all, const flat_piece *piece);

#endif
