/* From the spheres of a batch to their contacts:
 *
 * - candidates: triangles that may touch a sphere, by the bins;
 * - closest points of the candidates;
 * - kept candidates, which become contacts.
 *
 * All are arrays over the candidates of all spheres. Each struct is filled by one step and read by
 * later ones. */
#ifndef WALLS_CANDIDATES_H
#define WALLS_CANDIDATES_H

#include <stddef.h>

#include "../mesh/mesh_data.h"
#include "batch.h"

/* CANDIDATE_ROOM candidates are tested together, or all of one sphere if it has more. Up to
 * CANDIDATE_PADDING more are read. */
enum { CANDIDATE_ROOM = 1024, CANDIDATE_PADDING = 64 };

/* Seen spheres: each is a sphere in the frame of a view that has candidates for it. */
typedef struct seen_spheres {
    int32_t count, capacity;
    int32_t *view;                    /* number of the view in the batch */
    double *center[3];                /* centers in the mesh's frame */
    double *reach, *largest, *radius; /* largest: see batch_largest */
} seen_spheres;

typedef struct candidates {
    const batch *batch;
    bool is_wide; /* narrow spheres are searched among all facets, not only those at their feet */
    int32_t count, capacity;
    int32_t *triangle; /* number in its mesh */
    int32_t *seen;     /* number of the seen sphere: 0, 0, 1, ..., without gaps */
    int32_t *facet;    /* scratch: facets to be replaced by their triangles */
    seen_spheres seen_spheres;

    /* Spheres with candidates: sphere k of them has number sphere[k] in the batch, and the
     * candidates first[k] ... first[k + 1] - 1 */
    int32_t sphere_count;
    int32_t sphere[BATCH_SPHERES], first[BATCH_SPHERES + 1];

    abut_index entry_count; /* entries of bins that were compared with spheres */
} candidates;

/* Whether only the facets at the foot are searched for narrow spheres. */
static inline bool candidates_at_feet(const candidates *c)
{
    return c->batch->has_narrow && !c->is_wide;
}

static inline const mesh_view *candidate_view(const candidates *c, int32_t i)
{
    return &c->batch->views[c->seen_spheres.view[c->seen[i]]];
}

static inline const triangle *candidate_triangle(const candidates *c, int32_t i)
{
    return candidate_view(c, i)->mesh->triangles + c->triangle[i];
}

/* The center of a candidate's sphere, in the frame of its mesh. */
static inline vec3 candidate_center(const candidates *c, int32_t i)
{
    const int32_t seen = c->seen[i];
    return (vec3){c->seen_spheres.center[0][seen], c->seen_spheres.center[1][seen],
                  c->seen_spheres.center[2][seen]};
}

/* ---- closest points: fast intersection test (paper, section 4) ---- */

/* One number holds a closest point's type and, in the triangle, the local number of its edge or
 * corner. LOCAL_INSIDE stands for neither. */
enum { CODES_PER_TYPE = 4, LOCAL_INSIDE = 3 };

/* The closest point of each candidate. */
typedef struct closest_points {
    const candidates *candidates;
    double *distance_sq; /* INFINITY if the point is out of reach, or another triangle of its facet
                            is nearer */
    double *offset[3];   /* center - point, the paper's contact vector V, along the world's axes */
    int32_t *code;       /* CODES_PER_TYPE x abut_type + local number */
} closest_points;

/* Finds the closest points of all candidates, and which of them touch. Half spaces among the
 * candidates always touch. */
void closest_find(closest_points *p);

/* The work of tests, in the units of parallel_report: a closest point costs as much as four entries
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

/* A contact of a chunk: eight doubles for vector code, one cache line if aligned. */
typedef struct contact {
    vec3 offset; /* center - point, along the world's axes */
    double distance;
    double overlap;
    double normal_noise;
    int32_t triangle;   /* number in its mesh */
    int32_t mesh_image; /* the surface's number; or surface_count + a number in records.images */
    int32_t node_count;
    uint16_t sphere; /* number of the sphere in the chunk */
    uint8_t type, local;
} contact;

/* Offsets of a contact's fields, in doubles. */
enum { CONTACT_OFFSET, CONTACT_DISTANCE = 3, CONTACT_OVERLAP, CONTACT_NOISE, CONTACT_DOUBLES = 8 };
_Static_assert(sizeof(contact) == CONTACT_DOUBLES * sizeof(double), "a record is 8 doubles");
_Static_assert(offsetof(contact, distance) == CONTACT_DISTANCE * sizeof(double),
               "as its name says");
_Static_assert(offsetof(contact, overlap) == CONTACT_OVERLAP * sizeof(double), "as its name says");
_Static_assert(offsetof(contact, normal_noise) == CONTACT_NOISE * sizeof(double),
               "as its name says");

/* A center at a smaller distance counts as on the facet: the square of the distance would
 * vanish. */
#define AT_CENTER 0x1p-511

/* For each seen sphere, the nearest contact that its sphere has in any view, with the tangent
 * plane. */
typedef struct tangents {
    double *distance_sq, *offset[3];
    double *largest, *normal_noise; /* normal_noise: of the facet, without the center's */
    double *limit; /* points in front of the plane by at most limit / distance are surely
                      eliminated; -INFINITY: the sphere keeps all candidates that touch */
    double *rows;  /* CONTACT_DOUBLES each: the beginning of a contact's record */
} tangents;

typedef struct kept {
    const candidates *candidates;
    const closest_points *closest;

    /* numbers of the kept candidates; sphere k has items first[k] ... first[k + 1] - 1 */
    int32_t *items;
    int32_t first[BATCH_SPHERES + 1];
    double *distance; /* distance of each kept candidate; of a half space, the height, which may be
                         negative */
    double *noise, *normal_noise; /* sums of the facet's and the center's noise */
    tangents tangents;

    /* bit i: the search at the foot of sphere i was not enough; all facets must be searched */
    uint64_t refused[BATCH_SPHERES / 64];
    bool has_refused;
    abut_index refused_count; /* candidates of refused spheres */

    bool has_rivals; /* some sphere keeps all candidates that touch: two of its contacts are equally
                        near, or it is beside a half space */
    int32_t *spare;  /* scratch: numbers of candidates */
    abut_index touch_count;
} kept;

/* The facets that one sphere touches, from which its contacts are chosen. */
typedef struct touching {
    kept *kept;
    int32_t *items;
    int32_t count;
} touching;

/* Keeps all facets that spheres touch. */
void kept_take_all(kept *k);

/* The kept candidates of sphere number `sphere`. Sets their distances and noises. */
touching kept_of(kept *k, int32_t sphere);

/* The half space that a candidate is, or NULL for a triangle. */
static inline const half_space *candidate_half_space(const candidates *c, int32_t i)
{
    return candidate_view(c, i)->half_space;
}

/* Whether the center is on the facet, as far as squares of distances show. */
static inline bool kept_is_at_center(const kept *k, int32_t i)
{
    return k->distance[i] < AT_CENTER;
}

static inline vec3 kept_facet_normal(const kept *k, int32_t i)
{
    const mesh_view *v = candidate_view(k->candidates, i);
    return pose_turn(v->pose, mesh_normal(v->mesh, candidate_triangle(k->candidates, i)->facet));
}

/* Whether a contact's normal is that of its surface. This is so if the center is on the facet, and
 * always for a half space, which may contain the center. */
static inline bool kept_has_own_normal(const kept *k, int32_t i)
{
    return kept_is_at_center(k, i) || candidate_half_space(k->candidates, i);
}

/* The normal of a contact, from the mesh to the center; the facet's if the center is on it. */
static inline vec3 kept_normal(const kept *k, int32_t i)
{
    return kept_has_own_normal(k, i)
               ? kept_facet_normal(k, i)
               : vec3_scale(closest_offset(k->closest, i), 1.0 / k->distance[i]);
}

/* ---- all arrays of a batch, with their memory ---- */

typedef struct line {
    candidates candidates;
    closest_points closest;
    kept kept;
    void *block; /* memory of all arrays */
} line;

/* Connects a zero-initialized line to a batch. Free it with line_free. */
void line_begin(line *l, const batch *b, bool is_wide);
void line_free(line *l);

/* Allocates memory for `count` candidates, or returns ABUT_NO_MEMORY. Contents may be lost. */
abut_status line_reserve(line *l, abut_index count);

/* Collects the candidates of those spheres of the batch, from number `from` on, that have their bit
 * set in `spheres`, for as many spheres as fit. *next is the first sphere that did not fit, or the
 * batch's count. Returns ABUT_OK or ABUT_NO_MEMORY. */
abut_status line_collect(line *l, const uint64_t *spheres, int32_t from, int32_t *next);

#endif
