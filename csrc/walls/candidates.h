/* From the spheres of a batch to their contacts: candidates, spheres with triangles that may touch
 * them, as the bins say; their closest points; and which of them are kept.
 *
 * They stand in arrays: each step does the same to all of them, whichever sphere they are of. Each
 * struct is made by one step, and read by those after it. */
#ifndef WALLS_CANDIDATES_H
#define WALLS_CANDIDATES_H

#include <stddef.h>

#include "../mesh/mesh_data.h"
#include "batch.h"

/* Candidates that are tested in one go, unless one sphere has more, and how many more are read. */
enum { CANDIDATE_ROOM = 1024, CANDIDATE_PADDING = 64 };

/* Spheres as views see them, each where that gives candidates. */
typedef struct seen_spheres {
    int32_t count, capacity;
    int32_t *view;                    /* number in the batch */
    double *center[3];                /* in the mesh's frame */
    double *reach, *largest, *radius; /* largest: see batch_largest */
} seen_spheres;

typedef struct candidates {
    const batch *batch;
    bool is_wide; /* narrow spheres look for all facets, too, and have been counted before */
    int32_t count, capacity;
    int32_t *triangle; /* number in its mesh */
    int32_t *seen; /* 0, 0, 1, ...: those of one seen sphere follow one another, none is left out */
    int32_t *facet; /* facets of polygons, which are to become triangles */
    seen_spheres of;

    /* spheres that have candidates: sphere k of them is number sphere[k] of the batch and has
     * first[k] ... first[k + 1] - 1 */
    int32_t sphere_count;
    int32_t sphere[BATCH_SPHERES], first[BATCH_SPHERES + 1];

    abut_index entry_count; /* of bins, compared with spheres */
} candidates;

/* Whether narrow spheres look for the facets at their foot alone. */
static inline bool candidates_at_feet(const candidates *c)
{
    return c->batch->has_narrow && !c->is_wide;
}

static inline const mesh_view *candidate_view(const candidates *c, int32_t i)
{
    return &c->batch->views[c->of.view[c->seen[i]]];
}

static inline const triangle *candidate_triangle(const candidates *c, int32_t i)
{
    return candidate_view(c, i)->mesh->triangles + c->triangle[i];
}

/* The center of a candidate's sphere, in the frame of its mesh. */
static inline vec3 candidate_center(const candidates *c, int32_t i)
{
    const int32_t seen = c->seen[i];
    return (vec3){c->of.center[0][seen], c->of.center[1][seen], c->of.center[2][seen]};
}

/* ---- closest points: fast intersection test (paper, section 4) ---- */

/* A closest point's type and the triangle's number of its edge or corner in one number; no edge and
 * no corner is local number 3. */
enum { CODES_PER_TYPE = 4, LOCAL_INSIDE = 3 };

/* Of each candidate. */
typedef struct closest_points {
    const candidates *of;
    double *distance_sq; /* infinite: apart, or another triangle of the facet is nearer */
    double *offset[3];   /* center - point, the paper's contact vector V, along the world's axes */
    int32_t *code;       /* CODES_PER_TYPE x abut_type + local number */
} closest_points;

/* Test the triangles of all candidates; of half spaces, which are candidates that touch, find the
 * closest points. */
void closest_find(closest_points *p);

/* The work of a test, as parallel_report counts it: a closest point costs as much as four entries
 * of bins. */
static inline abut_index closest_work(abut_index entry_count, int32_t candidate_count)
{
    return entry_count + 4 * (abut_index)candidate_count;
}

static inline abut_type closest_type(const closest_points *p, int32_t i)
{
    return (abut_type)((uint32_t)p->code[i] / CODES_PER_TYPE);
}

static inline int32_t closest_local(const closest_points *p, int32_t i)
{
    return (int32_t)((uint32_t)p->code[i] % CODES_PER_TYPE);
}

static inline vec3 closest_offset(const closest_points *p, int32_t i)
{
    return (vec3){p->offset[0][i], p->offset[1][i], p->offset[2][i]};
}

/* ---- contacts ---- */

/* Eight numbers, a cache line where it begins one: vector code reads it as doubles. */
typedef struct contact {
    vec3 offset; /* along the world's axes */
    double distance;
    double overlap;
    double normal_noise;
    int32_t triangle; /* number in its mesh */
    int32_t
        mesh_image; /* the surface's number; beyond: their count + number in the chunk's images */
    int32_t node_count;
    uint16_t sphere; /* number in the chunk */
    uint8_t type, local;
} contact;

/* Where vector code finds what. */
enum { CONTACT_OFFSET, CONTACT_DISTANCE = 3, CONTACT_OVERLAP, CONTACT_NOISE, CONTACT_DOUBLES = 8 };
_Static_assert(sizeof(contact) == CONTACT_DOUBLES * sizeof(double), "a record is 8 doubles");
_Static_assert(offsetof(contact, distance) == CONTACT_DISTANCE * sizeof(double),
               "as its name says");
_Static_assert(offsetof(contact, overlap) == CONTACT_OVERLAP * sizeof(double), "as its name says");
_Static_assert(offsetof(contact, normal_noise) == CONTACT_NOISE * sizeof(double),
               "as its name says");

/* Distances below this have squares that vanish: the center is on the facet. */
#define AT_CENTER 0x1p-511

/* For each seen sphere, the nearest contact of its sphere, with the tangent plane. */
typedef struct tangents {
    double *distance_sq, *offset[3];
    double *largest, *normal_noise; /* the noise of the facet alone */
    double *limit; /* what is in front of the plane by no more than this, times the distance, is
                      behind it for sure; -INFINITY: the sphere keeps all that it touches */
    double *rows;  /* CONTACT_DOUBLES each: what a contact's record begins with */
} tangents;

typedef struct kept {
    const candidates *candidates;
    const closest_points *closest;

    /* numbers of the candidates that are left: sphere k's are first[k] ... first[k + 1] - 1 */
    int32_t *items;
    int32_t first[BATCH_SPHERES + 1];
    double *distance; /* of a candidate that is left; of a half space the height, which may be
                         negative */
    double *noise, *normal_noise; /* likewise, of its facet and its center */
    tangents tangents;

    /* bit: the sphere of the batch has looked at its foot in vain */
    uint64_t refused[BATCH_SPHERES / 64];
    bool has_refused;
    abut_index refused_count; /* candidates of refused spheres */

    bool has_rivals; /* some sphere keeps all: two contacts are the nearest, or it is beside a half
                        space */
    int32_t *spare;  /* numbers of candidates */
    abut_index touch_count;
} kept;

/* The facets that one sphere touches, of which it is in question which stay contacts. */
typedef struct touching {
    kept *of;
    int32_t *items;
    int32_t count;
} touching;

/* Keep all facets that spheres touch. */
void kept_take_all(kept *k);

/* What is left of sphere number `sphere` of the candidates' spheres, measured. */
touching kept_of(kept *k, int32_t sphere);

/* The half space that a candidate is; NULL: it is a triangle. */
static inline const half_space *candidate_half_space(const candidates *c, int32_t i)
{
    return candidate_view(c, i)->half_space;
}

/* Whether the center is on the facet, as far as squares can tell. */
static inline bool kept_is_at_center(const kept *k, int32_t i)
{
    return k->distance[i] < AT_CENTER;
}

static inline vec3 kept_facet_normal(const kept *k, int32_t i)
{
    const mesh_view *v = candidate_view(k->candidates, i);
    return pose_turn(v->pose, mesh_normal(v->mesh, candidate_triangle(k->candidates, i)->facet));
}

/* Whether a contact's normal is its surface's own: of a half space, in which the center may be,
 * it always is. */
static inline bool kept_has_own_normal(const kept *k, int32_t i)
{
    return kept_is_at_center(k, i) || candidate_half_space(k->candidates, i);
}

/* The normal of a contact, from the mesh to the center; where they coincide the facet's own. */
static inline vec3 kept_normal(const kept *k, int32_t i)
{
    return kept_has_own_normal(k, i)
               ? kept_facet_normal(k, i)
               : vec3_scale(closest_offset(k->closest, i), 1.0 / k->distance[i]);
}

/* ---- all of them ---- */

typedef struct line {
    candidates candidates;
    closest_points closest;
    kept kept;
    void *block; /* what all arrays point into */
} line;

/* Zero-initialize a line, then this; free with line_free. */
void line_begin(line *l, const batch *b, bool is_wide);
void line_free(line *l);

/* Room for so many candidates; what the arrays hold is lost. ABUT_OK or ABUT_NO_MEMORY. */
abut_status line_reserve(line *l, abut_index count);

/* The candidates of the batch's spheres from number `from` on whose bits are set, as many spheres
 * as there is room for; sphere *next is the first that there was none for, or the batch's count.
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status line_collect(line *l, const uint64_t *spheres, int32_t from, int32_t *next);

#endif
