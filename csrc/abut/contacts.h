/* Contacts of spheres with meshes, and from step to step. */
#ifndef ABUT_CONTACTS_H
#define ABUT_CONTACTS_H

#include "mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the search ---- */

/* What a contact lies on, in the order of the contact type hierarchy (table 3). */
typedef enum abut_type { ABUT_FACET = 0, ABUT_EDGE = 1, ABUT_VERTEX = 2 } abut_type;

/* How a sphere's touching facets become its contacts. */
typedef enum abut_resolution {
    ABUT_HIERARCHY = 0, /* the double hierarchy method, in canonical order: see walls/hierarchy.c */
    ABUT_ALL = 1,       /* every touching facet's contact, nothing eliminated */
    ABUT_SHARING = 2    /* every touching facet's contact with its share: see walls/sharing.c */
} abut_resolution;

/* Nodal weights of FACET contacts. */
typedef enum abut_weights {
    ABUT_WACHSPRESS = 0, /* any polygon; keeps force and moment (eq. 32 in its area form) */
    ABUT_ZHONG = 1       /* eq. 28 on quads, barycentric (26) on triangles; keeps the moment on
                            parallelograms only */
} abut_weights;

/* Meshes with their bins; borrows the meshes, which must outlive it. */
typedef struct abut_finder abut_finder;

abut_status abut_finder_build(const abut_mesh *const *meshes, abut_index mesh_count,
                              abut_finder **finder, abut_error *error);
void abut_finder_free(abut_finder *finder);

/* The meshes that it was built from. */
abut_index abut_finder_mesh_count(const abut_finder *finder);
const abut_mesh *abut_finder_mesh(const abut_finder *finder, abut_index mesh);

/* Build the finest bins for spheres of this reach, radius plus gap, at once. A finder builds coarse
 * bins first, and finer ones once 10^5 spheres or more have asked, which one query then waits for:
 * who knows that many queries come, as a stepping loop does, spares them both. Of spheres of
 * several sizes the reach of the largest counts; where sizes differ by far, queries use several
 * sets of bins, each of which may be prepared. Results are the same to the bit. Any number of
 * threads may call this, and query meanwhile. ABUT_OK, ABUT_BAD_REACH or ABUT_NO_MEMORY. */
abut_status abut_finder_prepare(const abut_finder *finder, double reach, abut_error *error);

/* Exchange mesh `number` for what abut_mesh_move has made of it, or of a mesh that did: the finder
 * borrows it from now on in place of the one before. Bins are filled with facets grown by a slack,
 * and stay as they are until a vertex has gone farther. No query may run meanwhile. ABUT_OK or
 * ABUT_NO_MEMORY; then all is as before. */
abut_status abut_finder_update(abut_finder *finder, abut_index number, const abut_mesh *mesh,
                               abut_error *error);

/* A search of spheres.
 *
 * Half spaces are surfaces beside the finder's meshes, which need no bins: each fills all of space
 * behind a plane. Numbers of meshes in results go on with them. A contact has facet 0, feature 0
 * and type FACET, and one node, 0, of weight 1; the normal is the half space's, also where the
 * center is behind the plane and the overlap larger than the radius. They are repeated along no
 * axis: one whose normal, in the world, is not perpendicular to the axes of the period is an error.
 */
typedef struct abut_query {
    abut_index sphere_count;
    const double *centers; /* sphere_count x 3 */
    const double *radii;   /* sphere_count, > 0 */
    double gap;            /* >= 0: also report distances up to radius + gap */
    double flat_angle; /* radians, 0 <= flat_angle < pi/2: walls that differ from flat by less are
                          one */
    abut_resolution resolution;
    double exponent; /* SHARING: of the contact law, force ~ overlap^exponent, > 0 */
    int keep_zero;   /* SHARING: keep shares of 0, across a gap of those that HIERARCHY keeps */
    abut_weights weights;
    abut_index half_space_count;
    const double *half_spaces; /* x 6, in their own frames: a point of the plane, and the unit
                                  normal, out of the wall */
    const double *poses;  /* mesh_count + half_space_count x 4 x 4 rigid transforms from the frame
                             of each to the world, not checked; NULL: all are the identity */
    const double *period; /* 3: the meshes are repeated along the axes at these distances; 0: not
                             along this one; NULL: along none */
    int workers; /* threads at most, >= 1; results are the same to the bit for any number */
    abut_interrupted interrupted; /* may be NULL */
    void *interrupted_data;
} abut_query;

/* No spheres, gap 0, flat_angle 0, hierarchy, exponent 3/2, Wachspress, no half spaces, no poses,
 * no period, one worker, no callback. */
abut_query abut_query_default(void);

/* The contacts of a query, sorted by sphere, then nearest first. Borrow the finder, and the query's
 * centers and radii, until they are freed; then the finder's next query uses their memory. */
typedef struct abut_contacts abut_contacts;

abut_status abut_contacts_find(const abut_finder *finder, const abut_query *query,
                               abut_contacts **contacts, abut_error *error);
void abut_contacts_free(abut_contacts *contacts);
abut_index abut_contacts_count(const abut_contacts *contacts);
abut_index abut_contacts_node_count(const abut_contacts *contacts);

/* Arrays of the caller that abut_contacts_write fills; m = abut_contacts_count, k =
 * abut_contacts_node_count. Those that are NULL are left out; node and weight only both. */
#define ABUT_CONTACT_COLUMNS(X)                                                                    \
    X(sphere, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the sphere")                               \
    X(facet, INDEX, 0, ROWS, ALWAYS, 0, "", "number of the facet in its mesh; 0 of a half space")  \
    X(type, BYTE, 0, ROWS, ALWAYS, 0, "", "FACET, EDGE or VERTEX: what the contact lies on")       \
    X(feature, INDEX, 0, ROWS, ALWAYS, 0, "",                                                      \
      "edge i runs from the facet's corner i to i + 1, vertex i is corner i; 0 for FACET")         \
    X(point, REAL, 3, ROWS, ALWAYS, 0, "length", "where it is, on the mesh")                       \
    X(normal, REAL, 3, ROWS, ALWAYS, 0, "", "unit, from the mesh to the sphere's center")          \
    X(overlap, REAL, 0, ROWS, ALWAYS, 0, "length", "radius - distance, >= -gap")                   \
    X(share, REAL, 0, ROWS, WITH_SHARING, 0, "",                                                   \
      "part of the contact law's force, 0 ... 1; 1 but for SHARING")                               \
    X(mesh, INDEX, 0, ROWS, WITH_MESHES, ABUT_ZEROS, "",                                           \
      "number of the mesh; half spaces are numbered after the meshes")                             \
    X(image, INDEX, 3, ROWS, WITH_PERIOD, ABUT_ZEROS, "",                                          \
      "the mesh shifted by image * period is what the sphere touches")                             \
    X(tilt, REAL, 0, ROWS, ALWAYS, ABUT_INTERNAL, "rad",                                           \
      "by how much noise, or flat_angle, may tilt the normal")                                     \
    X(node, INDEX, 0, ENTRIES, ALWAYS, 0, "", "the vertices that carry the force")                 \
    X(weight, REAL, 0, ENTRIES, ALWAYS, 0, "", "the part that each carries")                       \
    X(offsets, INDEX, 0, OFFSETS, ALWAYS, ABUT_LOCKED, "",                                         \
      "the contacts of sphere i are rows offsets[i] ... offsets[i + 1] - 1")                       \
    X(node_offsets, INDEX, 0, ENTRY_OFFSETS, ALWAYS, ABUT_LOCKED, "",                              \
      "where each contact's nodes begin")

typedef struct abut_columns {
    ABUT_CONTACT_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_columns;

void abut_contacts_write(const abut_contacts *contacts, const abut_columns *columns);

/* Columns that there are before it is known how many rows they are for. */
typedef struct abut_room {
    abut_columns columns;
    abut_index rows, nodes; /* that they have room for */
} abut_room;

/* Find contacts, and write them into the room where that is enough, most while others are searched
 * for, which saves them a way through memory. Where it is not enough (abut_contacts_count says so),
 * abut_contacts_write writes all of them into other columns, which must leave out what the room's
 * leave out. The room's columns are borrowed until the contacts are freed; after an error they hold
 * anything. */
abut_status abut_contacts_find_into(const abut_finder *finder, const abut_query *query,
                                    const abut_room *room, abut_contacts **contacts,
                                    abut_error *error);

/* What the finder's last query did, and what its bins hold. Of queries that several threads made
 * at once, that which ended last. */
typedef struct abut_statistics {
    abut_index sphere_count;    /* of the last query; 0 before the first */
    abut_index candidate_count; /* entries of bins that its spheres were compared with */
    abut_index test_count;      /* exact closest points computed, one a triangle */
    abut_index touch_count;     /* facets found to touch; with ABUT_HIERARCHY those of one plane
                                   that cannot stay contacts are not tested */
    abut_index contact_count;
    abut_index set_count;                  /* sets of bins built so far */
    abut_index cell_count, occupied_count; /* buckets of all sets, and those that have entries */
    abut_index entry_count;                /* facets in buckets, of all sets */
    abut_index byte_count;                 /* memory of all sets */
} abut_statistics;

abut_statistics abut_finder_inspect(const abut_finder *finder);

/* ---- shares ---- */

/* The shares of one sphere's contacts (docs/method.md, section 5), nearest first, with overlaps >
 * 0: find f >= 0 with G f >= F and f_i (G f - F)_i = 0, G_ij = max(0, n_i . n_j), F_i = (overlap_i
 * / overlap_0)^exponent; share_i = f_i / F_i. ABUT_OK or ABUT_NO_MEMORY. */
abut_status abut_share(abut_index count, const double *normals, const double *overlaps,
                       double exponent, double *shares);

/* ---- history ---- */

/* The contacts of a step, as columns of the caller's, which abut_contacts_write has filled, and
 * where the meshes stood, as the query had it. Zero-initialize, then set what is known: left as it
 * is, it stands for no step before the first. */
typedef struct abut_step {
    abut_index sphere_count, contact_count, node_count;
    const abut_index *offsets; /* sphere_count + 1 */
    const abut_index *mesh;    /* contact_count, and so on: as abut_columns has them; NULL: all 0 */
    const double *point;
    const double *normal;
    const double *tilt;
    const abut_index *image; /* NULL: all 0 */
    const abut_index *node;
    const abut_index *node_offsets;

    abut_index mesh_count; /* of the poses */
    const double *poses;   /* mesh_count x 4 x 4, as abut_query has them; NULL: the identity */
    const double *period;  /* 3, the same in both steps; NULL: all 0 */

    abut_interrupted interrupted; /* asked of the step now, while it is matched; may be NULL */
    void *interrupted_data;
} abut_step;

/* For each contact of `now` the row of the contact of `before` that it continues, or -1
 * (docs/method.md, section 6). earlier[i] is the number that sphere i of `now` had in `before`, or
 * -1, and no number comes twice; NULL: its own. Points and normals of `before` are as they were
 * found: the poses of both steps tell where they are now, and of a sphere that the caller has moved
 * by whole periods meanwhile, so do the contacts that are nearest. Results are the same for any
 * number of workers.
 *
 * Offsets are checked, and where a mesh has moved, so are the numbers of meshes of `before`; else
 * these are only compared, and so are numbers of nodes. */
abut_status abut_contacts_match(const abut_step *now, const abut_step *before,
                                const abut_index *earlier, int workers, abut_index *match,
                                abut_error *error);

/* Take a tangential vector of each contact of `before`, such as a spring, along to those contacts
 * of `now` that continue it: it turns with its mesh, and then by the smallest rotation from the old
 * normal to the new one, which leaves it as it is, to the bit, where nothing moves.
 *
 * Reads the normals of both steps, poses, and where a mesh has moved, `mesh` of `before`; other
 * columns may be NULL. match: contact_count of `now`, as abut_contacts_match has filled it;
 * tangent: contact_count x 3 of `before`; carried: contact_count x 3 of `now`, 0 where match is -1.
 * They do not overlap. */
abut_status abut_contacts_carry(const abut_step *now, const abut_step *before,
                                const abut_index *match, const double *tangent, int workers,
                                double *carried, abut_error *error);

/* ---- a loop of steps ----
 *
 * A step of a simulation in C: who touches, which contact goes on, and the springs that they carry
 * along. Two tables take turns, each with the columns of a step, its match and its springs;
 * make_room is the caller's. Pairs go likewise. From the second step on the search allocates
 * nothing, as what abut_contacts_free gives back serves the next one; abut_finder_prepare spares
 * the first ones the building of bins.
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
