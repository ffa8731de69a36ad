/* Facets of meshes as a body sees them: flat pieces in its frame, each of which may be a shape. */
#ifndef FLATS_FLAT_H
#define FLATS_FLAT_H

#include "../abut/mesh.h"
#include "../base/rounded.h"
#include "../base/pose.h"
#include "../convex/pair.h"

/* Facets as near as that are looked at, in radii of a body's circumscribed sphere: a feature that
 * bears may be inclined by the patch angle, and the wall under its upper end is farther than the
 * sphere then. */
static inline double flat_reach(const abut_convex_options *options)
{
    return 1.0 + 2.0 * rounded_sin(options->patch_angle);
}

typedef struct flat_corner {
    vec3 at;
    double x, y;    /* on the plane that the piece belongs to */
    int32_t number; /* of the corner in its facet, and of the edge from it to the next one */
} flat_corner;

/* A facet, or one triangle of one that is bent. */
typedef struct flat_piece {
    int32_t mesh, facet;
    abut_index image[3];
    int32_t begin, count; /* of its corners */
    vec3 normal;          /* unit, by the right-hand rule */
    double area, height;  /* the least height over one of its sides */
    double noise, normal_noise;
    int32_t plane;       /* the plane that it belongs to; -1: none yet, a strip or a filler */
    int32_t facet_piece; /* itself, or the piece that a strip or filler continues */
    int32_t behind;      /* the plane that a strip is behind; -1: it is no strip */
} flat_piece;

typedef struct flat_pieces {
    flat_piece *pieces;
    flat_corner *corners;
    int32_t piece_count, corner_count;
    abut_index piece_capacity, corner_capacity;
    int32_t most_corners; /* of a piece */
} flat_pieces;

/* Where a facet is met: the mesh's pose, shifted by a whole number of periods, and the body's. */
typedef struct flat_place {
    const pose *mesh_at, *body_at;
    vec3 shift;
    int32_t mesh, facet;
    abut_index image[3];
} flat_place;

/* Add the pieces of a facet; ABUT_OK or ABUT_NO_MEMORY. */
abut_status flat_add(flat_pieces *all, const abut_mesh *mesh, const flat_place *place);
void flat_free(flat_pieces *all);

/* Whether a piece that covers a plane closes a crack. */
static inline bool flat_is_filler(const flat_piece *piece)
{
    return piece->plane < 0 && piece->behind < 0;
}

/* Add a strip that continues a piece behind a plane, in the piece's plane; its corners go around
 * as the piece's do. Behind no plane, -1, it is a filler, which closes a crack beside the piece. */
abut_status flat_add_strip(flat_pieces *all, int32_t piece, int32_t behind,
                           const flat_corner corners[4]);

/* A shape that is one piece after the other, with room for so many corners. */
typedef struct flat_shape {
    abut_shape shape;
    void *memory;
    int32_t capacity;
} flat_shape;

abut_status flat_reserve(flat_shape *flat, int32_t corners);
void flat_shape_free(flat_shape *flat);

/* The piece back to back with itself, about its first corner; there is room. Facet 0 is its front;
 * edge k is the side from corner k to the next one. */
void flat_build(flat_shape *flat, const flat_pieces *all, const flat_piece *piece);

#endif
