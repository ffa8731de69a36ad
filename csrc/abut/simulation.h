/* Simulations of spheres, clusters and convex bodies. */
#ifndef ABUT_SIMULATION_H
#define ABUT_SIMULATION_H

#include "contacts.h"
#include "convex.h"
#include "laws.h"
#include "pairs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- simulation ----
 *
 * Spheres that move in time, by the discrete element method: docs/dem.md has the formulas. All
 * units are the caller's, as long as they are consistent. Rows of spheres are numbers in the order
 * in which spheres came; the library stores them otherwise, which nothing shows.
 *
 *     abut_simulation *simulation = NULL;
 *     abut_simulation_input input = {.step = 1e-4, .workers = 1};
 *     input.gravity[2] = -9.81;
 *     abut_status status = abut_simulation_build(&input, &simulation, &error);
 *     ... abut_simulation_set_laws for each two materials,
 *         abut_simulation_set_walls for a finder of their meshes,
 *         abut_simulation_add for spheres ...
 *     abut_index done = 0;
 *     status = abut_simulation_run(simulation, 1000, NULL, NULL, &done, &error);
 *     ... abut_simulation_read, and what else there is of the last step ...
 *     abut_simulation_free(simulation);
 *
 * A simulation is for one thread at a time. After a step tables, forces and energies are those of
 * its beginning, centers those of its end, and velocities those of half a step before that. */

/* How a wall moves. */
typedef enum abut_motion_kind {
    ABUT_ROTATING = 0,
    ABUT_TRANSLATING,
    ABUT_OSCILLATING,
    /* each of these stands alone */
    ABUT_GIVEN, /* as abut_simulation_place says */
    ABUT_SERVO, /* along a line, by a load and what the wall's contacts exert: see abut_drive */
    ABUT_FREE   /* as a rigid body, likewise */
} abut_motion_kind;

typedef struct abut_motion {
    abut_motion_kind kind;
    double vector[3]; /* ROTATING: the axis, of unit length; TRANSLATING: the velocity;
                         OSCILLATING: the amplitude */
    double origin[3]; /* ROTATING: a point of the axis */
    double rate;      /* ROTATING: angle a time; OSCILLATING: frequency, turns a time */
    double phase;     /* OSCILLATING: shift = amplitude (sin(2 pi rate t + phase) - sin phase) */
} abut_motion;

/* A mesh of the simulation's finder, with the same number; walls after these are half spaces, and
 * walls after those are off, whatever they are. */
typedef struct abut_wall {
    abut_index material;
    const abut_motion *motions; /* the first moves the mesh, each one after it all before it */
    abut_index motion_count;    /* 0: it stands still */
    double start;               /* time at which the motions begin */
    double pose[16];            /* where it stood then: 4 x 4, rigid */
    double point[3], normal[3]; /* of a half space, in its own frame: a point of its surface, and
                                   the unit normal, which points to spheres and bodies */
    int is_off;                 /* 1: it moves, but nothing touches it */
    abut_index vertex_count;    /* of a mesh that deforms, which has no motions; else 0 */
} abut_wall;

/* Where a wall is and how it moves at a time; one of SERVO or FREE moves as half a step ago. */
typedef struct abut_wall_state {
    double pose[16];
    double velocity[3]; /* of the origin */
    double spin[3];
    double origin[3]; /* about which its torque is: that of the first of its motions that rotates,
                         or 0, carried along by those after it; of a wall that stands still 0, of
                         one whose motion is given the origin of its frame, of SERVO 0, carried
                         along, and of FREE `position` */
} abut_wall_state;

/* What drives a wall of SERVO or FREE, all in doubles (docs/dem.md, section 9): a caller's row of
 * numbers has them in this order. Steps change those from `travel` on. */
#define ABUT_DRIVE_COLUMNS(X)                                                                      \
    X(mass, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass",                                            \
      "FREE: > 0; SERVO: of the wall, or 0, which has it settle by itself")                        \
    X(force, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "force",                                          \
      "SERVO: the load, along which it moves; FREE: beside that of contacts")                      \
    X(torque, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment", "FREE: likewise, about `position`")    \
    X(size, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                          \
      "SERVO without mass: how far it goes while no contact bears its load; of a half space "      \
      "steps "                                                                                     \
      "say it: INFINITY until it has left all grains")                                             \
    X(inertia, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment of inertia",                            \
      "FREE: > 0: principal moments, about `position`")                                            \
    X(arm, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length",                                           \
      "FREE: from `position` to the center of mass, along the principal axes")                     \
    X(locked, REAL, 6, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "FREE: 1: it does not move along x, y, z, nor turn about them; else 0")                      \
    X(frame, REAL, 12, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "FREE: where the wall is in the frame of the principal axes: of a pose three rows")          \
    X(travel, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "SERVO: how far it went")              \
    X(speed, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "SERVO")                              \
    X(alone, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                         \
      "SERVO: how far of that since a contact bore its load; 0 with mass")                         \
    X(position, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "FREE")                              \
    X(velocity, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "FREE")                            \
    X(momentum, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "angular momentum", "FREE: about `position`")  \
    X(spin, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "rad/time", "FREE")                                \
    X(orientation, REAL, 4, ROWS, ALWAYS, ABUT_LOCKED, "",                                         \
      "FREE: a quaternion x, y, z, w: from the principal axes")

typedef struct abut_drive {
    ABUT_DRIVE_COLUMNS(ABUT_COLUMN_NUMBERS)
} abut_drive;
enum { ABUT_DRIVE_NUMBERS = sizeof(abut_drive) / sizeof(double) };

typedef struct abut_simulation abut_simulation;

typedef struct abut_simulation_input {
    double step; /* > 0 */
    double gravity[3];
    double period[3];           /* 0: not periodic along this axis */
    abut_resolution resolution; /* HIERARCHY or SHARING */
    int workers;
} abut_simulation_input;

abut_status abut_simulation_build(const abut_simulation_input *input, abut_simulation **simulation,
                                  abut_error *error);
void abut_simulation_free(abut_simulation *simulation);

/* laws: material_count x material_count, symmetric; copied. Materials are never taken away. */
abut_status abut_simulation_set_laws(abut_simulation *simulation, abut_index material_count,
                                     const abut_law *laws, abut_error *error);

/* Likewise where some laws are functions of the caller's, whose parameters are copied, too. */
abut_status abut_simulation_set_user_laws(abut_simulation *simulation, abut_index material_count,
                                          const abut_law *laws, const abut_user_laws *own,
                                          abut_error *error);

/* Exchange all walls. The finder, NULL without meshes, is borrowed until the next call. Walls are
 * copied. numbers: of each the number that it had, or -1: it is new; NULL: those that were there
 * keep their numbers. Contacts with walls that are gone, or off, are forgotten; what they held is
 * dissipated.
 *
 * A sphere's contact with a half space has facet 0 and type FACET, and the half space's point for
 * its only node: see abut_query. Half spaces whose normals are not perpendicular to the period's
 * axes end a step with ABUT_HALF_SPACE_REPEATS. */
abut_status abut_simulation_set_walls(abut_simulation *simulation, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      const abut_index *numbers, abut_error *error);

/* Put a wall whose motion is given where it is at the beginning of the next step. Laws take its way
 * between the poses of both steps; forces have the power of the state's velocity. */
void abut_simulation_place(abut_simulation *simulation, abut_index wall,
                           const abut_wall_state *state);

/* Put it there as its motion begins: a wall that is new, or that stood in its first pose until now,
 * has not moved there, but stood there. */
void abut_simulation_begin(abut_simulation *simulation, abut_index wall,
                           const abut_wall_state *state);

/* Say how fast the vertices of a wall that deforms are: vertex_count x 3, in the world. To be
 * called after abut_finder_update has exchanged its mesh, which was so far that of the last step:
 * the next step begins with its vertices. Velocities are of half a step before, as those of
 * spheres; the power of the last step's contacts is counted anew with the mean of those before and
 * these. Spheres alone may touch such walls. */
void abut_simulation_deform(abut_simulation *simulation, abut_index wall, const double *velocities);

/* Whether a wall deforms, and has so many vertices. */
int abut_simulation_deforms(const abut_simulation *simulation, abut_index wall,
                            abut_index vertex_count);

/* What spheres exerted at each vertex of a wall at the beginning of the last step, by the nodal
 * weights of the contacts: forces has vertex_count x 3, as many as the mesh has; of a half space it
 * is one. */
void abut_simulation_nodal_forces(const abut_simulation *simulation, abut_index wall,
                                  abut_index vertex_count, double *forces);

/* Let a wall of SERVO or FREE go on as this says: it stands still until then. */
void abut_simulation_set_drive(abut_simulation *simulation, abut_index wall,
                               const abut_drive *drive);
abut_drive abut_simulation_drive(const abut_simulation *simulation, abut_index wall);

/* Where a wall is at the beginning of the last step, or now. */
abut_wall_state abut_simulation_wall(const abut_simulation *simulation, abut_index wall);
abut_wall_state abut_simulation_wall_now(const abut_simulation *simulation, abut_index wall);

/* Spheres as columns of the caller's, by row. Reading and assigning leave out columns that are
 * NULL, and do not look at `count`; clusters are read alone. To add spheres takes centers, radii,
 * masses and materials; the others are 0 where they are NULL, and `began` as centers are. */
#define ABUT_SPHERE_COLUMNS(X)                                                                     \
    X(centers, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "where they are")                     \
    X(radii, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "> 0")                                  \
    X(masses, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass",                                          \
      "> 0; of a member of a cluster its part")                                                    \
    X(velocities, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "of half a step ago")            \
    X(spins, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "rad/time",                                       \
      "angular velocities in the world, likewise")                                                 \
    X(materials, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "number of the material")                \
    X(clusters, INDEX, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "number of its cluster, or -1")      \
    X(fixed, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "1: it does not move, and laws take an infinite mass, else 0; members of a cluster are as "  \
      "its first one")                                                                             \
    X(forces, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                    \
      "of contacts and those that were applied, of the last step")                                 \
    X(torques, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment", "likewise")                      \
    X(images, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                        \
      "by how many periods centers were moved down so far: centers + images * period is where "    \
      "spheres would be without")                                                                  \
    X(began, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                                    \
      "centers at the beginning of the last step")                                                 \
    X(works, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "what energies are counted from")

typedef struct abut_spheres {
    abut_index count;
    ABUT_SPHERE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_spheres;

abut_index abut_simulation_sphere_count(const abut_simulation *simulation);
abut_status abut_simulation_add(abut_simulation *simulation, const abut_spheres *spheres,
                                abut_error *error);

/* is_gone: of each row; those that stay move up. Clusters go with all of their members. */
abut_status abut_simulation_remove(abut_simulation *simulation, const uint8_t *is_gone,
                                   abut_error *error);
void abut_simulation_read(const abut_simulation *simulation, const abut_spheres *spheres);

/* Assign columns whole; centers of members of clusters are those of their cluster, whatever is
 * assigned. */
abut_status abut_simulation_assign(abut_simulation *simulation, const abut_spheres *spheres,
                                   abut_error *error);

/* Rigid bodies: clusters, which are of spheres, and convex bodies, which have shapes; those of each
 * kind have numbers from 0 on, in the order in which they came. */
typedef enum abut_rigid_kind { ABUT_CLUSTERS, ABUT_BODIES } abut_rigid_kind;

/* Rigid bodies of a kind as columns of the caller's. A cluster's frame has its origin in the center
 * of mass and goes along the principal axes; that of a convex body is its shape's. Reading leaves
 * out columns that are NULL. What steps make of bodies is NULL where these begin, or all of it is
 * given, as it was in a step that was saved: then positions and orientations follow from it. */
#define ABUT_RIGID_COLUMNS(X)                                                                      \
    X(positions, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "of the frames' origins")           \
    X(orientations, REAL, 4, ROWS, ALWAYS, ABUT_LOCKED, "",                                        \
      "quaternions x, y, z, w from the frames to the world")                                       \
    X(velocities, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity",                                  \
      "of the centers of mass, half a step ago")                                                   \
    X(angular_momenta, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "angular momentum",                     \
      "about the centers of mass, in the world")                                                   \
    X(masses, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass", "> 0")                                   \
    X(inertias, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment of inertia", "principal, > 0")         \
    X(fixed, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "as of spheres; NULL of new ones: 0")        \
    X(member_counts, INDEX, 0, ROWS, WITH_MEMBERS, ABUT_LOCKED, "",                                \
      "spheres of a cluster follow one another")                                                   \
    X(members, REAL, 3, ENTRIES, WITH_MEMBERS, ABUT_LOCKED, "length",                              \
      "of all members: their centers in the frame of the principal axes")                          \
    X(shapes, INDEX, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "number of the convex body's shape")   \
    X(scales, REAL, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "> 0")                                  \
    X(materials, INDEX, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "number of the material")           \
    X(axes, REAL, 4, ROWS, WITH_SHAPES, ABUT_LOCKED, "",                                           \
      "from the principal axes to the shape's frame")                                              \
    X(centers, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "length", "of mass")                       \
    X(turns, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                          \
      "quaternions from the principal axes to the world")                                          \
    X(spins, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "rad/time", "of half a step ago")            \
    X(images, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "as those of spheres")                 \
    X(began, REAL, 10, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                         \
      "center and turn at the beginning of the last step, and its torque")                         \
    X(works, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "as those of spheres")             \
    X(forces, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                    \
      "of contacts and those that were applied, in the last step")                                 \
    X(torques, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "about the centers of mass, likewise")

typedef struct abut_rigids {
    abut_index count;
    ABUT_RIGID_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_rigids;

abut_index abut_simulation_rigid_count(const abut_simulation *simulation, abut_rigid_kind kind);

/* Add rigid bodies. Of clusters `spheres` has all members, cluster by cluster; their centers,
 * velocities and spins follow from the clusters. Convex bodies touch each other, spheres and walls;
 * their laws act at each spot, and they have no `spheres`: NULL. */
abut_status abut_simulation_add_rigids(abut_simulation *simulation, abut_rigid_kind kind,
                                       const abut_rigids *rigids, const abut_spheres *spheres,
                                       abut_error *error);
void abut_simulation_read_rigids(const abut_simulation *simulation, abut_rigid_kind kind,
                                 const abut_rigids *rigids);

/* Assign positions, orientations, velocities and angular momenta; NULL: as they are. */
abut_status abut_simulation_assign_rigids(abut_simulation *simulation, abut_rigid_kind kind,
                                          const abut_rigids *rigids, abut_error *error);

/* Forces and torques of the next step beside those of contacts, count x 3 by row; NULL: none. They
 * are copied, and forgotten after that step. */
abut_status abut_simulation_apply(abut_simulation *simulation, const double *forces,
                                  const double *torques, abut_error *error);

/* Shapes of bodies, of three dimensions: borrowed as long as the simulation lives. Those that were
 * there keep their numbers; shapes are never taken away. */
abut_status abut_simulation_set_shapes(abut_simulation *simulation, const abut_shape *const *shapes,
                                       abut_index shape_count, abut_error *error);

/* Take convex bodies away; clusters go with their spheres. is_gone: of each body; those that stay
 * move up. */
abut_status abut_simulation_remove_bodies(abut_simulation *simulation, const uint8_t *is_gone,
                                          abut_error *error);

/* As abut_simulation_apply, of convex bodies: count x 3, torques about centers of mass. */
abut_status abut_simulation_apply_to_bodies(abut_simulation *simulation, const double *forces,
                                            const double *torques, abut_error *error);

/* Bonds of spheres as columns of the caller's: round beams from center to center, which hold two
 * spheres until they break (docs/dem.md, section 12). They are sorted by i, then j. Those of a step
 * that was saved go on with what steps have made of them, and i < j; of bonds that begin where
 * their spheres are these columns are NULL. */
#define ABUT_BOND_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of a sphere; i < j where bonds are read")   \
    X(j, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of the other one")                          \
    X(ids, INDEX, 2, ROWS, ALWAYS, ABUT_LOCKED, "",                                                \
      "names of the caller's for both, which breakages tell")                                      \
    X(young, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure", "1e-75 to 1e75")                      \
    X(poisson, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "> -1, < 1/2")                              \
    X(radius, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "of the beam; 1e-75 to 1e75")          \
    X(damping, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "part of critical damping, 0 to 1e75")      \
    X(tensile_strength, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure",                            \
      ">= 0; INFINITY: it does not break so")                                                      \
    X(shear_strength, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure", "likewise")                  \
    X(contact, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                            \
      "1: the law of the two acts beside the bond, else 0")                                        \
    X(length, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "length", "without force")                  \
    X(rest_overlap, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                             \
      "of the spheres when they were bonded; 0 with contact")                                      \
    X(shift, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "opaque, as the next")                  \
    X(turns, REAL, 8, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "two quaternions")                       \
    X(force, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                     \
      "on i, at the beginning of the last step")                                                   \
    X(moments, REAL, 6, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "on i and on j, about their centers")                                                        \
    X(energy, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "that is stored")                 \
    X(tension, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "stress as a part of the strength")    \
    X(shear, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "likewise")

typedef struct abut_bonds {
    abut_index count;
    ABUT_BOND_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_bonds;

abut_index abut_simulation_bond_count(const abut_simulation *simulation);

/* Bond spheres, from where they are at the nearest image; or, with all columns, go on from a step
 * that was saved. On a failure nothing is bonded. A removed sphere's bonds go along. */
abut_status abut_simulation_add_bonds(abut_simulation *simulation, const abut_bonds *bonds,
                                      abut_error *error);

/* Take bonds away, which is no breakage: their elastic energy counts as dissipated. is_gone: of
 * each bond. */
abut_status abut_simulation_remove_bonds(abut_simulation *simulation, const uint8_t *is_gone,
                                         abut_error *error);

/* Assign the strengths and damping, whole; NULL: as they are. */
abut_status abut_simulation_assign_bonds(abut_simulation *simulation, const abut_bonds *bonds,
                                         abut_error *error);

/* Columns that are NULL are left out; `count` is not read. */
void abut_simulation_read_bonds(const abut_simulation *simulation, const abut_bonds *bonds);

/* Bonds that have broken, in their order; of one step by i, then j. */
#define ABUT_BREAKAGE_COLUMNS(X)                                                                   \
    X(step, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "how many steps were done before")            \
    X(ids, INDEX, 2, ROWS, ALWAYS, ABUT_LOCKED, "", "as of the bond")                              \
    X(point, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "midway between both centers")          \
    X(of_shear, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                           \
      "1: the shear stress was too large, else 0")                                                 \
    X(energy, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "energy", "that was stored")

typedef struct abut_breakages {
    abut_index count;
    ABUT_BREAKAGE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_breakages;

abut_index abut_simulation_breakage_count(const abut_simulation *simulation);
void abut_simulation_read_breakages(const abut_simulation *simulation,
                                    const abut_breakages *breakages);

/* Spheres whose bond has broken, and that have not parted since: of their overlap the part that
 * they had when they were bonded does not count. They are sorted by i, then j, and i < j. */
#define ABUT_REST_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of a sphere")                               \
    X(j, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of the other one")                          \
    X(shift, INDEX, 3, ROWS, ALWAYS, ABUT_LOCKED, "", "opaque")                                    \
    X(overlap, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                       \
      "that does not count; at most the smaller radius")

typedef struct abut_rests {
    abut_index count;
    ABUT_REST_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_rests;

abut_index abut_simulation_rest_count(const abut_simulation *simulation);
void abut_simulation_read_rests(const abut_simulation *simulation, const abut_rests *rests);

/* Go on with what had broken in a step that was saved. */
abut_status abut_simulation_restore_breakages(abut_simulation *simulation,
                                              const abut_breakages *breakages,
                                              const abut_rests *rests, abut_error *error);

/* What moves as one: spheres that are in no cluster, by rows, then clusters, then convex bodies; at
 * the beginning of the last step. Columns that are NULL are left out. */
typedef struct abut_grains {
    double *centers;       /* count x 3: of mass, before the step moved it */
    double *velocities;    /* count x 3: the mean of those half a step before and after */
    double *masses;        /* count */
    abut_index *of_sphere; /* spheres: the number of the grain that each is or belongs to */
} abut_grains;

abut_index abut_simulation_grain_count(const abut_simulation *simulation);
void abut_simulation_read_grains(const abut_simulation *simulation, const abut_grains *grains);

/* Have steps of another length from now on, or another gravity: NULL: as it is. Time, and what
 * contacts remember, go on from where they are, and velocities are taken to the middle of the first
 * new step by half of the last step and half of the new one. The gravitational energy goes on from
 * what it is. ABUT_BAD_TIME_STEP or ABUT_BAD_GRAVITY, with everything as it was. */
abut_status abut_simulation_set_step(abut_simulation *simulation, double step,
                                     const double gravity[3], abut_error *error);

/* Go on by so many steps. On another status than ABUT_OK the simulation is as it was after
 * *done steps, and may go on. ABUT_LAW_MISSING: index: the sphere, detail: its material, value:
 * that of what it touches; ABUT_SPHERE_LOST: index: the sphere, detail: the number of the step. */
abut_status abut_simulation_run(abut_simulation *simulation, abut_index steps,
                                abut_interrupted interrupted, void *interrupted_data,
                                abut_index *done, abut_error *error);
abut_index abut_simulation_step_count(const abut_simulation *simulation);

/* Look after each step who is beyond these bounds: spheres by their centers, clusters and bodies by
 * their centers of mass; low: NULL: nowhere. stops: 1: a run ends with ABUT_OUT_OF_BOUNDS after a
 * step in which somebody is; 0: those who leave are counted. ABUT_OK or ABUT_BAD_BOUNDS. */
abut_status abut_simulation_set_bounds(abut_simulation *simulation, const double low[3],
                                       const double high[3], int stops, abut_error *error);

/* How many have left them since they were set. */
abut_index abut_simulation_left_count(const abut_simulation *simulation);

/* 1: the sphere, or its cluster, of each row, or the body, is beyond them now, else 0. */
void abut_simulation_find_outside(const abut_simulation *simulation, uint8_t *spheres,
                                  uint8_t *bodies);

abut_law_case abut_simulation_law_case(const abut_simulation *simulation);

/* Who interacts. Those of bodies come first. */
typedef enum abut_interaction {
    ABUT_BODY_WALL = 0,
    ABUT_BODY_BODY,
    ABUT_BODY_SPHERE, /* i: the body, j: the row of the sphere */
    ABUT_SPHERE_WALL,
    ABUT_SPHERE_SPHERE /* but for those of one cluster, and a sphere and its own image */
} abut_interaction;
enum { ABUT_BODY_INTERACTIONS = 3, ABUT_INTERACTION_COUNT = 5, ABUT_STEP_TERMS = 12 };

typedef union abut_interaction_columns {
    abut_convex_columns bodies; /* rows of abut_convex_contacts_write, without `offsets` */
    abut_columns contacts;      /* of spheres and walls: rows of abut_contacts_write */
    abut_pair_columns pairs;    /* of spheres: rows of abut_pairs_write */
} abut_interaction_columns;

/* The interactions of the last step, with what each exerts and carries to the next one: of bodies
 * each spot, else each row. Columns of the caller, any of which may be NULL where they are written.
 */
typedef struct abut_interactions {
    abut_index row_count, entry_count; /* entries: spots of bodies, nodes of contacts with walls */
    abut_interaction_columns columns;
    double *force;   /* x 3: on the sphere, or on i */
    double *spring;  /* x 3: T */
    double *moment;  /* x 3: of rolling, likewise; 0 without laws of type C */
    double *roll;    /* x 3: M; likewise */
    double *history; /* x abut_simulation_history_count; NULL: none */
} abut_interactions;

/* How many numbers an interaction keeps beside both springs. They are the vectors and scalars of
 * the caller's laws, with room for the law that has most of each, or the largest overlap of LUDING;
 * the identity of the law that keeps them, which is -1 for LUDING and 0 for others; and the stored
 * energy. 0: no law keeps more. */
abut_index abut_simulation_history_count(const abut_simulation *simulation);

/* Counts alone. */
abut_interactions abut_simulation_count_interactions(const abut_simulation *simulation,
                                                     abut_interaction who);
abut_status abut_simulation_write_interactions(const abut_simulation *simulation,
                                               abut_interaction who, const abut_interactions *to,
                                               abut_error *error);

/* What else a step leaves behind. */
typedef struct abut_step_state {
    abut_index step_count;
    double account[7];             /* what energies are counted from */
    double terms[ABUT_STEP_TERMS]; /* what steps go by; opaque */
    const abut_wall_state *walls;  /* wall_count: at the beginning of the last step */
} abut_step_state;

/* The step's number, account and terms. abut_simulation_wall gives where walls were. */
abut_step_state abut_simulation_step_state(const abut_simulation *simulation);

/* Of a wall that deforms, whose vertices now its mesh has, each vertex_count x 3: its vertices and
 * their velocities at the beginning of the last step, and the velocities now. To be called after
 * abut_simulation_set_walls, and before interactions are restored. */
typedef struct abut_deforming_state {
    const double *before, *velocities_before, *velocities;
} abut_deforming_state;

void abut_simulation_restore_deforming(abut_simulation *simulation, abut_index wall,
                                       const abut_deforming_state *state);

/* Go on from a step that was saved, with laws, spheres, clusters, bodies and walls as they were
 * then, which have been set and added. */
void abut_simulation_restore(abut_simulation *simulation, const abut_step_state *state);

/* Where spheres are stored, which their sums depend on: rows[k] is the row of the sphere in place
 * k. Returns the step in which they are sorted by place next. */
abut_index abut_simulation_read_order(const abut_simulation *simulation, abut_index *rows);

/* Store them so, after all else has been restored: then steps have the bits that they would have
 * had. ABUT_OK; ABUT_NO_MEMORY; or ABUT_BAD_EARLIER, where a row is none or is in two places:
 * index: the place, detail: the row, value: how many there are. Nothing has changed then. */
abut_status abut_simulation_restore_order(abut_simulation *simulation, const abut_index *rows,
                                          abut_index next_step, abut_error *error);

/* Have these interactions in the last step, after abut_simulation_restore: with all columns, but
 * `image` without a period, a pair's `point`, and `moment` and `roll` where they are 0. Offsets and
 * numbers are checked as those of a search. */
abut_status abut_simulation_restore_interactions(abut_simulation *simulation, abut_interaction who,
                                                 const abut_interactions *from, abut_error *error);

/* What spheres and bodies exert on a wall at the beginning of the last step. */
typedef struct abut_wall_load {
    double force[3];
    double torque[3]; /* about the wall's origin, less the moments of rolling */
    double power;     /* of these, on the wall */
} abut_wall_load;

abut_wall_load abut_simulation_load(const abut_simulation *simulation, abut_index wall);

/* At the beginning of the last step; the sum is kept. */
typedef struct abut_energy {
    double kinetic, rotational, gravitational, elastic;
    double dissipated; /* by contacts */
    double wall_work;  /* done on walls */
} abut_energy;

abut_energy abut_simulation_energy(const abut_simulation *simulation);

/* The longest stable step, and who sets it. */
typedef struct abut_stable_step {
    double step;      /* INFINITY: nothing does */
    abut_index index; /* the row of the sphere, the number of the body or wall; the first of equals
                       */
    abut_index contact_count; /* that it has, with its bonds, of a body its spots; 0: it touches
                                 nothing */
} abut_stable_step;

/* The longest step that is stable where spheres touch as they did at the beginning of the last
 * step; INFINITY without spheres. A sphere that touches nothing counts as if it had four contacts
 * that are pressed in by 1 % of its radius, or as deep as its speed presses them. */
abut_status abut_simulation_stable_step(const abut_simulation *simulation,
                                        abut_stable_step *longest);

/* Likewise of bodies; one that touches nothing counts as if four spots bore it. */
abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *simulation,
                                                  abut_stable_step *longest);

/* Likewise of walls that are driven and have a mass, by what touches them. */
abut_status abut_simulation_stable_step_of_walls(const abut_simulation *simulation,
                                                 abut_stable_step *longest);

/* Who touches, or moves. */
typedef enum abut_partner {
    ABUT_PARTNER_SPHERE = 0,
    ABUT_PARTNER_BODY,
    ABUT_PARTNER_WALL
} abut_partner;

/* The first time that something happened which spoils a simulation; of those of one step the first
 * by its numbers. */
typedef struct abut_notice {
    int is_there;
    abut_index step;       /* how many steps were done before it */
    abut_partner kinds[2]; /* who, and whom with */
    abut_index numbers[2]; /* rows of spheres, numbers of bodies and walls */
    double ratio;          /* to the radius: of a body its inradius, of two the smaller one */
} abut_notice;

typedef struct abut_notices {
    abut_notice fast; /* a sphere or body, which has moved by more than its radius in a step */
    abut_notice deep; /* two, whose overlap has grown beyond a tenth of a radius; one that was there
                         where they were put is none */
    /* two that overlap by more than a twentieth of a radius where spheres, bodies or walls were put
     * in place, got other radii, or are held no more: the deepest in the step after that */
    abut_notice placed;
    abut_index placed_count; /* how many overlap so in that step */
    double placed_speed;     /* at which the energy that the law stores will drive the two apart; 0:
                                not known */
} abut_notices;

/* What runs have noticed; forgotten where spheres or bodies are removed, which changes numbers. */
abut_notices abut_simulation_notices(const abut_simulation *simulation);

/* The parts of a step in their order, as X(number, name). */
#define ABUT_STEP_PARTS(X)                                                                         \
    X(ORDER, order)                                                                                \
    X(NEIGHBORS, neighbors)                                                                        \
    X(FIND_WALLS, find_walls)                                                                      \
    X(WALL_LAWS, wall_laws)                                                                        \
    X(BOND_LAWS, bond_laws)                                                                        \
    X(PAIR_LAWS, pair_laws)                                                                        \
    X(FIND_BODIES, find_bodies)                                                                    \
    X(BODY_LAWS, body_laws)                                                                        \
    X(SUMS, sums)                                                                                  \
    X(MOVE, move)

#define ABUT_PART_MEMBER(number, name) double name;

/* What steps did, and the time that their parts took, in seconds of all steps so far. */
typedef struct abut_simulation_statistics {
    ABUT_STEP_PARTS(ABUT_PART_MEMBER)
    abut_index step_count, sphere_count, contact_count, pair_count;
    abut_index body_count, body_contact_count;
    abut_index byte_count; /* of the simulation, but for finders */

    /* How often lists of who may come to touch whom were made: since spheres had used up their
     * allowance, since others came or changed; and for walls alone, since these had moved. */
    abut_index lists_moved, lists_changed, lists_of_walls;
    abut_index candidate_count; /* that were looked at, in all steps together */
    abut_index bond_count, breakage_count;
} abut_simulation_statistics;

abut_simulation_statistics abut_simulation_inspect(const abut_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
