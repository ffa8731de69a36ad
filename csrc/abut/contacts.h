/* Contacts of spheres with meshes, and how they continue from step to step. */
#ifndef ABUT_CONTACTS_H
#define ABUT_CONTACTS_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the search ---- */

/* The feature of a contact, in the order of the contact type hierarchy (table 3 of the paper in
 * docs/method.md; its equation numbers are used below). */
typedef enum abut_type { ABUT_FACET = 0, ABUT_EDGE = 1, ABUT_VERTEX = 2 } abut_type;

/* How a sphere's contacts follow from the facets that it touches. */
typedef enum abut_resolution {
    ABUT_HIERARCHY = 0, /* the double hierarchy method, in canonical order: walls/hierarchy.c */
    ABUT_ALL = 1,       /* one contact per touching facet; none is eliminated */
    ABUT_SHARING = 2    /* one contact per touching facet, each with its share: walls/sharing.c */
} abut_resolution;

/* The nodal weights of FACET contacts. */
typedef enum abut_weights {
    ABUT_WACHSPRESS = 0, /* any polygon; conserves force and moment (eq. 32 in its area form) */
    ABUT_ZHONG = 1 /* eq. 28 on quads, barycentric (eq. 26) on triangles; conserves the moment only
                      on parallelograms */
} abut_weights;

/* Meshes with their bins. A finder borrows the meshes, which must outlive it. */
typedef struct abut_finder abut_finder;

abut_status abut_finder_build(const abut_mesh *const *meshes, abut_index mesh_count,
                              abut_finder **finder, abut_error *error);
void abut_finder_free(abut_finder *finder);

/* The number of meshes from which the finder was built. */
abut_index abut_finder_mesh_count(const abut_finder *finder);
/* The mesh with this number. */
const abut_mesh *abut_finder_mesh(const abut_finder *finder, abut_index mesh);

/* Builds the finest bins for spheres of this reach, radius plus gap, at once. Without this call a
 * finder builds coarse bins first. It builds finer bins when its queries have had at least 10^5
 * spheres in all, and one query waits for that. Call this function where many queries are known to
 * follow, as in a stepping loop. For spheres of several sizes pass the reach of the largest. Where
 * sizes differ much, queries use several sets of bins, and each may be prepared. Results are the
 * same to the bit. Any number of threads may call this function, also during queries. Returns
 * ABUT_OK, ABUT_BAD_REACH or ABUT_NO_MEMORY. */
abut_status abut_finder_prepare(const abut_finder *finder, double reach, abut_error *error);

/* Replaces mesh `number` by a mesh that abut_mesh_move has made of it, or of an earlier
 * replacement. The finder then borrows the new mesh instead of the old one. Bins hold facets
 * enlarged by a slack, and stay valid until a vertex has moved farther than this slack. No query
 * may run during the call. Returns ABUT_OK, or ABUT_NO_MEMORY with the finder unchanged. */
abut_status abut_finder_update(abut_finder *finder, abut_index number, const abut_mesh *mesh,
                               abut_error *error);

/* A query for the contacts of spheres.
 *
 * Half spaces are surfaces besides the finder's meshes, and need no bins: each fills all of space
 * behind a plane. In results they are numbered after the meshes. A contact with a half space has
 * facet 0, feature 0, type FACET, and one node, 0, of weight 1. Its normal is that of the half
 * space, also where the center is behind the plane and the overlap exceeds the radius. Half spaces
 * are not repeated by a period: it is an error if the normal, in the world, is not perpendicular to
 * each vector of the period. */
typedef struct abut_query {
    abut_index sphere_count;
    const double *centers; /* sphere_count x 3 */
    const double *radii;   /* sphere_count; > 0 */
    double gap;            /* >= 0: contacts with distances up to radius + gap are reported, too */
    double flat_angle; /* radians, 0 <= flat_angle < pi/2: facets with up to this angle between them
                          count as one flat wall */
    abut_resolution resolution;
    double exponent; /* SHARING: exponent of the contact law, force ~ overlap^exponent; > 0 */
    int keep_zero;   /* 1: SHARING also reports contacts with share 0, and across a gap those that
                        HIERARCHY would report */
    abut_weights weights;
    abut_index half_space_count;
    const double *half_spaces; /* x 6, in their own frames: a point of the plane, and the unit
                                  normal, which points out of the wall */
    const double *poses;  /* mesh_count + half_space_count x 4 x 4: rigid transforms from each frame
                             to the world, not checked; NULL: all are the identity */
    const double *period; /* 3 x 3: the meshes repeat along each row; a row of zeros: not along this
                             vector; NULL: along none. With meshes, row a leads along axis a */
    int workers; /* largest number of threads, >= 1; it does not change a bit of the results */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_query;

/* The default query: no spheres, gap 0, flat_angle 0, hierarchy, exponent 3/2, Wachspress, no half
 * spaces, no poses, no period, one worker, no callback. */
abut_query abut_query_default(void);

/* The contacts of a query, sorted by sphere, then by distance. Until they are freed, they borrow
 * the finder and the query's centers and radii. The finder's next query reuses their memory. */
typedef struct abut_contacts abut_contacts;

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error);
void abut_contacts_free(abut_contacts *contacts);
abut_index abut_contacts_count(const abut_contacts *contacts);
abut_index abut_contacts_node_count(const abut_contacts *contacts);

/* Arrays of the caller that abut_contacts_write fills, with m = abut_contacts_count and k =
 * abut_contacts_node_count. Arrays that are NULL are not written; node and weight must both be
 * given, or neither. */
#define ABUT_CONTACT_COLUMNS(X)                                                                    \
    X(sphere, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the sphere")                               \
    X(facet, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the facet in its mesh; 0 of a half space")  \
    X(type, BYTE, 0, ROWS, ALWAYS, 0, "", "FACET, EDGE or VERTEX: what the contact lies on")       \
    X(feature, INDEX, 0, ROWS, ALWAYS, 0, "",                                                      \
      "edge i runs from the facet's corner i to i + 1, vertex i is corner i; 0 for FACET")         \
    X(point, REAL, 3, ROWS, ALWAYS, 0, "length", "contact point on the mesh")                      \
    X(normal, REAL, 3, ROWS, ALWAYS, 0, "", "unit normal, from the mesh to the sphere's center")   \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "radius - distance, >= -gap")                   \
    X(share, REAL, 0, ROWS, WITH_SHARING, 0, "",                                                   \
      "part of the contact law's force, 0 ... 1; 1 without SHARING")                               \
    X(mesh, INDEX, 0, ROWS, WITH_MESHES, ABUT_ZEROS, "",                                           \
      "number of the mesh; half spaces are numbered after the meshes")                             \
    X(image, INDEX, 3, ROWS, WITH_PERIOD, ABUT_ZEROS, "",                                          \
      "the mesh shifted by image @ period is what the sphere touches")                             \
    X(tilt, REAL, 0, ROWS, ALWAYS, ABUT_INTERNAL, "rad",                                           \
      "angle by which noise, or flat_angle, may tilt the normal")                                  \
    X(node, INDEX, 0, ENTRIES, ALWAYS, 0, "", "the vertices that carry the force")                 \
    X(weight, REAL, 0, ENTRIES, ALWAYS, 0, "", "the part of the force that each vertex carries")   \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the contacts of sphere i are rows offsets[i] ... offsets[i + 1] - 1")                       \
    X(node_offsets, INDEX, 0, ENTRY_OFFSETS, ALWAYS, ABUT_LOCKED, "",                              \
      "where each contact's nodes begin")

typedef struct abut_columns {
    ABUT_CONTACT_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_columns;

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns);

/* Columns that are allocated before the number of contacts is known. */
typedef struct abut_room {
    abut_columns columns;
    abut_index rows, nodes; /* lengths of columns: in rows, and in nodes */
} abut_room;

/* Finds contacts, and writes them into the columns of `room` if these are long enough. The search
 * itself writes the majority of them, which avoids a second pass through memory. Compare the counts
 * of contacts and nodes with `room`: if it is too small, call abut_contacts_write with longer
 * columns, of which the same ones are NULL. The columns are borrowed until the
 * contacts are freed; after an error their contents are undefined. */
abut_status abut_contacts_find_into(const abut_finder *finder, const abut_query *query,
                                    const abut_room *room, abut_contacts **contacts,
                                    abut_error *error);

/* The work of the finder's last query, and the contents of its bins. If several threads made
 * queries at once, it is the query that ended last. */
typedef struct abut_statistics {
    abut_index sphere_count;    /* of the last query; 0 before the first query */
    abut_index candidate_count; /* entries of bins with which its spheres were compared */
    abut_index test_count;      /* exact closest points that were computed, one per triangle */
    abut_index touch_count;     /* facets that touch; ABUT_HIERARCHY does not test facets of one
                                   plane that cannot remain contacts */
    abut_index contact_count;
    abut_index set_count;                  /* sets of bins that were built so far */
    abut_index cell_count, occupied_count; /* buckets of all sets, and buckets with entries */
    abut_index entry_count;                /* facets in the buckets of all sets */
    abut_index byte_count;                 /* memory of all sets */
} abut_statistics;

abut_statistics abut_finder_inspect(const abut_finder *finder);

/* ---- shares ---- */

/* Computes the shares of one sphere's contacts (docs/method.md, section 5), nearest first, all with
 * overlaps > 0. It finds f >= 0 with G f >= F and f_i (G f - F)_i = 0, where G_ij = max(0, n_i .
 * n_j) and F_i = (overlap_i / overlap_0)^exponent. Then share_i = f_i / F_i. Returns ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status abut_share(abut_index count, const double *normals, const double *overlaps,
                       double exponent, double *shares);

/* ---- history ---- */

/* The contacts of a step, as columns of the caller that abut_contacts_write has filled, and the
 * poses of the meshes in the query. Zero-initialize, then set what is known. A struct of zeros
 * means that there is no step before. */
typedef struct abut_step {
    abut_index sphere_count, contact_count, node_count;
    const abut_index *offsets; /* sphere_count + 1 */
    const abut_index *mesh;    /* contact_count, and so on as in abut_columns; NULL: all 0 */
    const double *point;
    const double *normal;
    const double *tilt;
    const abut_index *image; /* NULL: all are 0 */
    const abut_index *node;
    const abut_index *node_offsets;

    abut_index mesh_count; /* number of poses */
    const double *poses;   /* mesh_count x 4 x 4, as in abut_query; NULL: the identity */
    const double *period;  /* 3 x 3, as in abut_query, the same in both steps; NULL: all 0 */

    abut_interrupted interrupted; /* of the present step, called during matching; may be NULL */
    void *interrupted_data;
} abut_step;

/* Finds the row of `before` that each contact of `now` continues, or -1 (docs/method.md, section
 * 6). earlier[i] is the number that sphere i of `now` had in `before`, or -1; each number may occur
 * once. NULL: all numbers are unchanged. Points and normals of `before` must be as they were found:
 * the poses of both steps give their present places. If the caller has moved a sphere by whole
 * periods, its shift is found from its nearest contacts. Results do not depend on the number of
 * workers.
 *
 * Offsets are checked. The mesh numbers of `before` are checked only where a mesh has moved;
 * otherwise they are only compared. Node numbers are only compared, too. */
abut_status abut_contacts_match(const abut_step *now, const abut_step *before,
                                const abut_index *earlier, int workers, abut_index *match,
                                abut_error *error);

/* Transfers a tangential vector of each contact of `before`, such as a spring, to the contact of
 * `now` that continues it. The vector turns with its mesh, and then by the smallest rotation from
 * the old normal to the new one. Where nothing moves it stays the same, to the bit.
 *
 * The function reads the normals of both steps, the poses, and, where a mesh has moved, `mesh` of
 * `before`. Other columns may be NULL. match: contact_count of `now`, as abut_contacts_match has
 * filled it. tangent: contact_count x 3 of `before`. carried: contact_count x 3 of `now`; 0 where
 * match is -1. The two arrays must not overlap. */
abut_status abut_contacts_carry(const abut_step *now, const abut_step *before,
                                const abut_index *match, const double *tangent, int workers,
                                double *carried, abut_error *error);

/* ---- a loop of steps ----
 *
 * One step of a simulation in C finds contacts, matches them with those of the step before, and
 * transfers their springs. Two tables alternate, each with the columns of a step, its match and its
 * springs; make_room is a function of the caller. A loop with pairs looks the same. From the second
 * step on the search allocates no memory: it reuses what abut_contacts_free has returned.
 * abut_finder_prepare builds the bins before the first step.
 *
 *     static abut_status step_on(const abut_finder *finder, const abut_query *query, table *now,
 *                                const table *before, abut_error *error)
 *     {
 *         const int workers = query->workers;
 *         const abut_step *old = &before->step;
 *         abut_contacts *contacts = NULL;
 *         abut_status status = abut_contacts_find(finder, query, &contacts, error);
 *         if (status) {
 *             return status;
 *         }
 *         const abut_index rows = abut_contacts_count(contacts);
 *         const abut_index nodes = abut_contacts_node_count(contacts);
 *         status = make_room(now, rows, nodes);
 *         if (!status) {
 *             abut_contacts_write(contacts, &now->columns);
 *             now->step = (abut_step){.sphere_count = query->sphere_count,
 *                                     .contact_count = rows,
 *                                     .node_count = nodes,
 *                                     .offsets = now->columns.offsets,
 *                                     .point = now->columns.point,
 *                                     .normal = now->columns.normal,
 *                                     .tilt = now->columns.tilt,
 *                                     .node = now->columns.node,
 *                                     .node_offsets = now->columns.node_offsets};
 *             status = abut_contacts_match(&now->step, old, NULL, workers, now->match, error);
 *         }
 *         if (!status) {
 *             status = abut_contacts_carry(&now->step, old, now->match, before->springs, workers,
 *                                          now->springs, error);
 *         }
 *         abut_contacts_free(contacts);
 *         return status;
 *     }
 */

#ifdef __cplusplus
}
#endif

#endif
