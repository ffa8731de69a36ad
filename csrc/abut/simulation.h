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
 * Spheres that move in time by the discrete element method; docs/dem.md has the formulas. Any
 * consistent units may be used. Rows of spheres are numbered in the order of insertion. The library
 * stores spheres in another order, but results are in the order of rows.
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
 *     ... abut_simulation_read, and other results of the last step ...
 *     abut_simulation_free(simulation);
 *
 * Only one thread at a time may use a simulation. After a step tables, forces and energies are
 * those of its beginning, centers those of its end, and velocities those of half a step before its
 * end. */

/* The motion of a wall. */
typedef enum abut_motion_kind {
    ABUT_ROTATING = 0,
    ABUT_TRANSLATING,
    ABUT_OSCILLATING,
    ABUT_GIVEN, /* by poses from abut_simulation_place; the only motion of its wall */
    ABUT_SERVO, /* along a line of the world, by a load and forces of contacts: see abut_drive; the
                   last motion of its wall */
    ABUT_FREE   /* as a rigid body, by loads and forces of contacts: see abut_drive; the only motion
                   of its wall */
} abut_motion_kind;

typedef struct abut_motion {
    abut_motion_kind kind;
    double vector[3]; /* ROTATING: the axis, a unit vector; TRANSLATING: the velocity; OSCILLATING:
                         the amplitude */
    double origin[3]; /* ROTATING: a point of the axis */
    double rate;      /* ROTATING: angle per time; OSCILLATING: frequency, cycles per time */
    double phase;     /* OSCILLATING: shift = amplitude (sin(2 pi rate t + phase) - sin phase) */
} abut_motion;

/* A wall. The first walls are the meshes of the simulation's finder, with the same numbers. Then
 * come half spaces, and then walls that are off, which may be meshes or half spaces. */
typedef struct abut_wall {
    abut_index material;
    /* motions[0] moves the wall; each later element also moves the axes and origins of those before
     */
    const abut_motion *motions;
    abut_index motion_count;    /* 0: the wall is at rest */
    double start;               /* time at which the motions begin */
    double pose[16];            /* the pose at this time: 4 x 4, rigid */
    double point[3], normal[3]; /* of a half space, in its own frame: a point of its surface, and
                                   the unit normal, which points to spheres and bodies */
    int is_off;                 /* 1: the wall moves, but has no contacts */
    abut_index vertex_count; /* number of vertices of a mesh that deforms, which has no motions; 0:
                                the wall is rigid */
} abut_wall;

/* The pose and velocity of a wall at a time. For SERVO and FREE the velocity is that of half a step
 * earlier; other motions of a wall with SERVO have that of this time. */
typedef struct abut_wall_state {
    double pose[16];
    double velocity[3]; /* of the origin */
    double spin[3];
    double origin[3]; /* reference point of the wall's torque. With motions: the origin of the first
                         rotation, or 0, moved by all later motions. At rest: 0; GIVEN: the origin
                         of its frame; SERVO: that of the other motions, moved along the
                         line; FREE: `position` */
} abut_wall_state;

/* The load and state of a SERVO or FREE wall, all as doubles (docs/dem.md §9). A row of the
 * caller's numbers has them in this order. Steps change the members from `travel` on. */
#define ABUT_DRIVE_COLUMNS(X)                                                                      \
    X(mass, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass",                                            \
      "FREE: > 0; SERVO: of the wall; 0: a massless wall, which moves to where it bears its load") \
    X(force, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "force", "FREE: applied force")                   \
    X(torque, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment",                                        \
      "FREE: applied torque, about `position`")                                                    \
    X(axis, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "",                                                \
      "SERVO: unit vector along which the wall pushes and moves, in the world")                    \
    X(load, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "force",                                           \
      "SERVO: the load, >= 0; steps set it unless it is given")                                    \
    X(loaded, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "SERVO: what the load is: an abut_loaded_area")                                              \
    X(pressure, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "stress",                                      \
      "SERVO: load per area, unless the load is given")                                            \
    X(area, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "area",                                            \
      "SERVO: the area of the load; steps set it if it varies")                                    \
    X(sides, REAL, 4, ROWS, ALWAYS, ABUT_LOCKED, "",                                               \
      "SERVO: numbers of two pairs of half spaces, for ABUT_AREA_BETWEEN")                         \
    X(limit, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "velocity",                                       \
      "SERVO: the largest speed; 0: by eq. 39 without a mass, and none with a mass")               \
    X(size, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                          \
      "SERVO without mass: how far it moves while no contact bears its load; steps set it for a "  \
      "half space: INFINITY until it has left all grains")                                         \
    X(inertia, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment of inertia",                            \
      "FREE: principal moments about `position`, > 0")                                             \
    X(arm, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length",                                           \
      "FREE: from `position` to the center of mass, along the principal axes")                     \
    X(locked, REAL, 6, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "FREE: 1: no motion along x, y, z, and no rotation about them; otherwise 0")                 \
    X(frame, REAL, 12, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "FREE: pose of the wall in the frame of the principal axes: three rows of it")               \
    X(travel, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "SERVO: how far it has moved")         \
    X(speed, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "SERVO: velocity along the load")     \
    X(peak, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "force", "SERVO: the largest load of all steps")   \
    X(alone, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                         \
      "SERVO: how far it has moved since a contact bore its load; 0 with mass")                    \
    X(position, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "FREE: reference point")             \
    X(velocity, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "FREE: of `position`")             \
    X(momentum, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "angular momentum", "FREE: about `position`")  \
    X(spin, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "rad/time", "FREE: angular velocity")              \
    X(orientation, REAL, 4, ROWS, ALWAYS, ABUT_LOCKED, "",                                         \
      "FREE: quaternion x, y, z, w from the principal axes to the world")

/* The area on which the pressure of a SERVO wall acts. */
typedef enum abut_loaded_area {
    ABUT_LOAD_GIVEN = 0, /* no pressure: the load is given */
    ABUT_AREA_GIVEN,
    ABUT_AREA_PROJECTED, /* the projection of the wall's mesh along the axis, in each step */
    ABUT_AREA_BETWEEN /* the product of the distances of two pairs of half spaces, in each step */
} abut_loaded_area;

typedef struct abut_drive {
    ABUT_DRIVE_COLUMNS(ABUT_COLUMN_NUMBERS)
} abut_drive;
enum { ABUT_DRIVE_NUMBERS = sizeof(abut_drive) / sizeof(double) };

typedef struct abut_simulation abut_simulation;

typedef struct abut_simulation_input {
    double step; /* > 0 */
    double gravity[3];
    double period[9];           /* 3 x 3: space repeats along each row; zeros: not along it */
    abut_resolution resolution; /* HIERARCHY or SHARING */
    int workers;
} abut_simulation_input;

abut_status abut_simulation_build(const abut_simulation_input *input, abut_simulation **simulation,
                                  abut_error *error);
void abut_simulation_free(abut_simulation *simulation);

/* Sets the laws: material_count x material_count, symmetric. They are copied. Materials are never
 * removed. */
abut_status abut_simulation_set_laws(abut_simulation *simulation, abut_index material_count,
                                     const abut_law *laws, abut_error *error);

/* Sets laws of which some are functions of the caller. Their parameters are copied, too. */
abut_status abut_simulation_set_user_laws(abut_simulation *simulation, abut_index material_count,
                                          const abut_law *laws, const abut_user_laws *own,
                                          abut_error *error);

/* Replaces all walls. The finder (NULL: no meshes) is borrowed until the next call; walls are
 * copied. numbers: the earlier number of each wall, or -1 for a new wall; NULL: earlier walls keep
 * their numbers. Contacts with walls that are removed or off are deleted, and their elastic energy
 * counts as dissipated.
 * A sphere's contact with a half space has facet 0, type FACET, and the half space's point as its
 * only node: see abut_query. A step ends with ABUT_HALF_SPACE_REPEATS if the normal of a half space
 * is not perpendicular to each vector of the period. */
abut_status abut_simulation_set_walls(abut_simulation *simulation, const abut_finder *finder,
                                      const abut_wall *walls, abut_index wall_count,
                                      const abut_index *numbers, abut_error *error);

/* Sets the pose of a GIVEN wall at the beginning of the next step. Laws use the wall's displacement
 * from its pose in the step before to this one. The power of forces uses the state's velocity. */
void abut_simulation_place(abut_simulation *simulation, abut_index wall,
                           const abut_wall_state *state);

/* Sets the first pose of a GIVEN wall. For a new wall, or one that has only had its first pose,
 * this is no displacement: the wall counts as having always been at this pose. */
void abut_simulation_begin(abut_simulation *simulation, abut_index wall,
                           const abut_wall_state *state);

/* Sets the velocities of the vertices of a wall that deforms: vertex_count x 3, in the world. Call
 * it after abut_finder_update has replaced the mesh of the last step. The next step begins with the
 * new vertices. Velocities are those of half a step earlier, as for spheres. The power of the last
 * step's contacts is corrected to that of the mean velocity before and after. Only spheres may
 * touch such walls. */
void abut_simulation_deform(abut_simulation *simulation, abut_index wall, const double *velocities);

/* Whether a wall deforms and has this number of vertices. */
int abut_simulation_deforms(const abut_simulation *simulation, abut_index wall,
                            abut_index vertex_count);

/* The forces of spheres at each vertex of a wall at the beginning of the last step, by the nodal
 * weights of the contacts. forces: vertex_count x 3 of the mesh; a half space has one vertex. */
void abut_simulation_nodal_forces(const abut_simulation *simulation, abut_index wall,
                                  abut_index vertex_count, double *forces);

/* Sets the load and state of a SERVO or FREE wall. Before the first call the wall is at rest. */
void abut_simulation_set_drive(abut_simulation *simulation, abut_index wall,
                               const abut_drive *drive);
abut_drive abut_simulation_drive(const abut_simulation *simulation, abut_index wall);

/* The state of a wall at the beginning of the last step. */
abut_wall_state abut_simulation_wall(const abut_simulation *simulation, abut_index wall);
/* The present state of a wall. */
abut_wall_state abut_simulation_wall_now(const abut_simulation *simulation, abut_index wall);

/* Spheres as columns of the caller, by row. Reading and assigning leave out columns that are NULL,
 * and do not read `count`; `clusters` can only be read. Adding spheres needs centers, radii, masses
 * and materials. Other columns that are NULL are 0, and `began` is then equal to centers. */
#define ABUT_SPHERE_COLUMNS(X)                                                                     \
    X(centers, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "centers of the spheres")             \
    X(radii, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "> 0")                                  \
    X(masses, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass",                                          \
      "> 0; for a member of a cluster its part of the mass")                                       \
    X(velocities, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity", "of half a step earlier")        \
    X(spins, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "rad/time",                                       \
      "angular velocities in the world, of half a step earlier")                                   \
    X(materials, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "number of the material")                \
    X(clusters, INDEX, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "number of its cluster, or -1")      \
    X(fixed, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "1: a fixed (frozen) sphere, which does not move and has infinite mass in laws; otherwise "  \
      "0; members of a cluster are as its first one")                                              \
    X(forces, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                    \
      "of contacts, and applied forces, in the last step")                                         \
    X(torques, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "of contacts, and applied torques, in the last step")                                        \
    X(images, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                        \
      "how many periods centers were moved down so far: centers + images @ period is the place "   \
      "without periods")                                                                           \
    X(began, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                                    \
      "centers at the beginning of the last step")                                                 \
    X(works, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "start values of energies")

typedef struct abut_spheres {
    abut_index count;
    ABUT_SPHERE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_spheres;

abut_index abut_simulation_sphere_count(const abut_simulation *simulation);
abut_status abut_simulation_add(abut_simulation *simulation, const abut_spheres *spheres,
                                abut_error *error);

/* Removes spheres. is_gone: 1 for each row to remove; later rows move up. A cluster can only be
 * removed with all of its members. */
abut_status abut_simulation_remove(abut_simulation *simulation, const uint8_t *is_gone,
                                   abut_error *error);
void abut_simulation_read(const abut_simulation *simulation, const abut_spheres *spheres);

/* Assigns whole columns. Centers of members of clusters cannot be assigned: they follow from their
 * cluster. */
abut_status abut_simulation_assign(abut_simulation *simulation, const abut_spheres *spheres,
                                   abut_error *error);

/* The kinds of rigid bodies: clusters of spheres, and convex bodies, which have shapes. Each kind
 * is numbered from 0 on in the order of insertion. */
typedef enum abut_rigid_kind { ABUT_CLUSTERS, ABUT_BODIES } abut_rigid_kind;

/* Rigid bodies of one kind as columns of the caller. The frame of a cluster has its origin in the
 * center of mass and the principal axes. The frame of a convex body is that of its shape. Reading
 * leaves out columns that are NULL. Columns that steps write are all NULL for new bodies, or all
 * given to restore a saved step; then positions and orientations follow from them. */
#define ABUT_RIGID_COLUMNS(X)                                                                      \
    X(positions, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "of the frames' origins")           \
    X(orientations, REAL, 4, ROWS, ALWAYS, ABUT_LOCKED, "",                                        \
      "quaternions x, y, z, w from the frames to the world")                                       \
    X(velocities, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "velocity",                                  \
      "of the centers of mass, half a step earlier")                                               \
    X(angular_momenta, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "angular momentum",                     \
      "about the centers of mass, in the world")                                                   \
    X(masses, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "mass", "> 0")                                   \
    X(inertias, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "moment of inertia", "principal, > 0")         \
    X(fixed, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                              \
      "1: a fixed body, otherwise 0; NULL for new bodies: 0")                                      \
    X(member_counts, INDEX, 0, ROWS, WITH_MEMBERS, ABUT_LOCKED, "",                                \
      "number of spheres of each cluster; they have consecutive rows")                             \
    X(members, REAL, 3, ENTRIES, WITH_MEMBERS, ABUT_LOCKED, "length",                              \
      "centers of all members in the frame of the principal axes")                                 \
    X(shapes, INDEX, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "number of the convex body's shape")   \
    X(scales, REAL, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "> 0")                                  \
    X(materials, INDEX, 0, ROWS, WITH_SHAPES, ABUT_LOCKED, "", "number of the material")           \
    X(axes, REAL, 4, ROWS, WITH_SHAPES, ABUT_LOCKED, "",                                           \
      "quaternions from the principal axes to the shape's frame")                                  \
    X(centers, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "length", "of mass")                       \
    X(turns, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                          \
      "quaternions from the principal axes to the world")                                          \
    X(spins, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "rad/time", "of half a step earlier")        \
    X(images, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "as those of spheres")                 \
    X(began, REAL, 10, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                         \
      "center and turn at the beginning of the last step, and its torque")                         \
    X(works, REAL, 4, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "as `works` of spheres")           \
    X(forces, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                    \
      "of contacts, and applied forces, in the last step")                                         \
    X(torques, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "of contacts, and applied torques, about the centers of mass, in the last step")

typedef struct abut_rigids {
    abut_index count;
    ABUT_RIGID_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_rigids;

abut_index abut_simulation_rigid_count(const abut_simulation *simulation, abut_rigid_kind kind);

/* Adds rigid bodies. For clusters, `spheres` has all members, cluster by cluster; their centers,
 * velocities and spins follow from the clusters. For convex bodies `spheres` is NULL. Convex bodies
 * touch each other, spheres and walls, and laws act at each of their spots. */
abut_status abut_simulation_add_rigids(abut_simulation *simulation, abut_rigid_kind kind,
                                       const abut_rigids *rigids, const abut_spheres *spheres,
                                       abut_error *error);
void abut_simulation_read_rigids(const abut_simulation *simulation, abut_rigid_kind kind,
                                 const abut_rigids *rigids);

/* Sets the images of all spheres to 0, or of rigid bodies of one kind with their members. Nothing
 * moves, and no energy changes: unwrapped places are those of now from then on. */
void abut_simulation_clear_images(abut_simulation *simulation);
void abut_simulation_clear_rigid_images(abut_simulation *simulation, abut_rigid_kind kind);

/* Assigns the columns positions, orientations, velocities and angular momenta. NULL: unchanged. */
abut_status abut_simulation_assign_rigids(abut_simulation *simulation, abut_rigid_kind kind,
                                          const abut_rigids *rigids, abut_error *error);

/* Sets forces and torques of the next step in addition to those of contacts: count x 3, by row;
 * NULL: none. They are copied, and act only in that step. */
abut_status abut_simulation_apply(abut_simulation *simulation, const double *forces,
                                  const double *torques, abut_error *error);

/* Sets the shapes of bodies, which have three dimensions. They are borrowed as long as the
 * simulation exists. Earlier shapes keep their numbers and cannot be removed. */
abut_status abut_simulation_set_shapes(abut_simulation *simulation, const abut_shape *const *shapes,
                                       abut_index shape_count, abut_error *error);

/* Removes convex bodies. is_gone: 1 for each body to remove; later bodies move up. Clusters are
 * removed with their spheres by abut_simulation_remove. */
abut_status abut_simulation_remove_bodies(abut_simulation *simulation, const uint8_t *is_gone,
                                          abut_error *error);

/* As abut_simulation_apply, for convex bodies: count x 3; torques are about centers of mass. */
abut_status abut_simulation_apply_to_bodies(abut_simulation *simulation, const double *forces,
                                            const double *torques, abut_error *error);

/* Bonds of spheres as columns of the caller. A bond is a round beam from center to center, which
 * holds two spheres until it breaks (docs/dem.md §12). Rows are sorted by i, then j. For new bonds,
 * which begin at the present places of their spheres, columns that steps write are NULL. To restore
 * a saved step all columns are given, with i < j. */
#define ABUT_BOND_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of a sphere; i < j when bonds are read")    \
    X(j, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of the other one")                          \
    X(ids, INDEX, 2, ROWS, ALWAYS, ABUT_LOCKED, "",                                                \
      "the caller's names for both spheres, which breakages report")                               \
    X(young, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure", "1e-75 to 1e75")                      \
    X(poisson, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "> -1, <= 1/2")                             \
    X(radius, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length", "of the beam; 1e-75 to 1e75")          \
    X(damping, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "part of critical damping, 0 to 1e75")      \
    X(tensile_strength, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure",                            \
      ">= 0; INFINITY: it does not break by tension")                                              \
    X(shear_strength, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "pressure",                              \
      ">= 0; INFINITY: it does not break by shear")                                                \
    X(contact, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                            \
      "1: the contact law acts in addition to the bond, otherwise 0")                              \
    X(length, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                                   \
      "length of the bond without force")                                                          \
    X(rest_overlap, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "length",                             \
      "overlap of the spheres when they were bonded; 0 with contact")                              \
    X(shift, INDEX, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "opaque")                               \
    X(turns, REAL, 8, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "two quaternions; opaque")               \
    X(force, REAL, 3, ROWS, WITH_BEFORE, ABUT_LOCKED, "force",                                     \
      "on i, at the beginning of the last step")                                                   \
    X(moments, REAL, 6, ROWS, WITH_BEFORE, ABUT_LOCKED, "moment",                                  \
      "on i and on j, about their centers")                                                        \
    X(energy, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "energy", "stored elastic energy")          \
    X(tension, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "",                                        \
      "tensile stress by the tensile strength")                                                    \
    X(shear, REAL, 0, ROWS, WITH_BEFORE, ABUT_LOCKED, "", "shear stress by the shear strength")

typedef struct abut_bonds {
    abut_index count;
    ABUT_BOND_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_bonds;

abut_index abut_simulation_bond_count(const abut_simulation *simulation);

/* Adds bonds. Each connects its first sphere to the image of the second that is nearest now. If all
 * columns are given, they restore the bonds of a saved step. After an error no bond is added. Bonds
 * of a removed sphere are removed with it. */
abut_status abut_simulation_add_bonds(abut_simulation *simulation, const abut_bonds *bonds,
                                      abut_error *error);

/* Removes bonds. They do not count as broken, and their elastic energy counts as dissipated.
 * is_gone: 1 for each bond to remove. */
abut_status abut_simulation_remove_bonds(abut_simulation *simulation, const uint8_t *is_gone,
                                         abut_error *error);

/* Assigns the columns of strengths and damping. NULL: unchanged. */
abut_status abut_simulation_assign_bonds(abut_simulation *simulation, const abut_bonds *bonds,
                                         abut_error *error);

/* Reads bonds into the columns that are not NULL; `count` is not read. */
void abut_simulation_read_bonds(const abut_simulation *simulation, const abut_bonds *bonds);

/* Broken bonds, in the order in which they broke. Those of one step are sorted by i, then j. */
#define ABUT_BREAKAGE_COLUMNS(X)                                                                   \
    X(step, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "number of steps before the breakage")        \
    X(ids, INDEX, 2, ROWS, ALWAYS, ABUT_LOCKED, "", "`ids` of the bond")                           \
    X(point, REAL, 3, ROWS, ALWAYS, ABUT_LOCKED, "length", "middle between both centers")          \
    X(of_shear, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "",                                           \
      "1: the shear stress was too large; 0: the tensile stress")                                  \
    X(energy, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "energy", "elastic energy that the bond stored")

typedef struct abut_breakages {
    abut_index count;
    ABUT_BREAKAGE_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_breakages;

abut_index abut_simulation_breakage_count(const abut_simulation *simulation);
void abut_simulation_read_breakages(const abut_simulation *simulation,
                                    const abut_breakages *breakages);

/* Pairs of spheres that have not separated since their bond broke. The overlap that they had when
 * they were bonded is subtracted from their overlap. Rows are sorted by i, then j, and i < j. */
#define ABUT_REST_COLUMNS(X)                                                                       \
    X(i, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of a sphere")                               \
    X(j, INDEX, 0, ROWS, ALWAYS, ABUT_LOCKED, "", "row of the other one")                          \
    X(shift, INDEX, 3, ROWS, ALWAYS, ABUT_LOCKED, "", "opaque")                                    \
    X(overlap, REAL, 0, ROWS, ALWAYS, ABUT_LOCKED, "length",                                       \
      "overlap that does not count; at most the smaller radius")

typedef struct abut_rests {
    abut_index count;
    ABUT_REST_COLUMNS(ABUT_COLUMN_MEMBER)
} abut_rests;

abut_index abut_simulation_rest_count(const abut_simulation *simulation);
void abut_simulation_read_rests(const abut_simulation *simulation, const abut_rests *rests);

/* Restores the breakages and rests of a saved step. */
abut_status abut_simulation_restore_breakages(abut_simulation *simulation,
                                              const abut_breakages *breakages,
                                              const abut_rests *rests, abut_error *error);

/* Grains at the beginning of the last step; each moves as a whole. First come spheres that are in
 * no cluster, by row, then clusters, then convex bodies. Columns may be NULL. */
typedef struct abut_grains {
    double *centers;       /* count x 3: centers of mass */
    double *velocities;    /* count x 3: the mean of the velocities half a step before and after */
    double *masses;        /* count */
    abut_index *of_sphere; /* by sphere: the number of its grain */
} abut_grains;

abut_index abut_simulation_grain_count(const abut_simulation *simulation);
void abut_simulation_read_grains(const abut_simulation *simulation, const abut_grains *grains);

/* Sets the time step and gravity from now on; gravity NULL: unchanged. Time and contact history
 * continue. The first new step changes velocities for half of the last step and half of the new
 * one. The gravitational energy does not jump. Returns ABUT_OK; or ABUT_BAD_TIME_STEP or
 * ABUT_BAD_GRAVITY with nothing changed. */
abut_status abut_simulation_set_step(abut_simulation *simulation, double step,
                                     const double gravity[3], abut_error *error);

/* Sets the greatest number of threads from now on. Returns the earlier one. */
int abut_simulation_set_workers(abut_simulation *simulation, int workers);

/* Runs a number of steps. After a status other than ABUT_OK, the simulation is in the state after
 * *done steps, and may be run further. ABUT_LAW_MISSING: index: the sphere, detail: its material,
 * value: the material that it touches. ABUT_SPHERE_LOST: index: the sphere, detail: the number of
 * the step. */
abut_status abut_simulation_run(abut_simulation *simulation, abut_index steps,
                                abut_interrupted interrupted, void *interrupted_data,
                                abut_index *done, abut_error *error);
abut_index abut_simulation_step_count(const abut_simulation *simulation);

/* Sets bounds that are tested after each step: for spheres by their centers, for clusters and
 * bodies by their centers of mass. low NULL: no bounds. stops: 1: a run ends with
 * ABUT_OUT_OF_BOUNDS after a step in which a sphere or body has left the bounds; 0: it is only
 * counted. Returns ABUT_OK or ABUT_BAD_BOUNDS. */
abut_status abut_simulation_set_bounds(abut_simulation *simulation, const double low[3],
                                       const double high[3], int stops, abut_error *error);

/* The number of spheres, clusters and bodies that have left the bounds since these were set. */
abut_index abut_simulation_left_count(const abut_simulation *simulation);

/* Writes 1 for each sphere (or member of a cluster) and each body that is now outside of the
 * bounds, otherwise 0. */
void abut_simulation_find_outside(const abut_simulation *simulation, uint8_t *spheres,
                                  uint8_t *bodies);

/* Writes 1 for each of `count` new spheres that would touch a sphere, the circumscribed sphere of a
 * body, or a wall that is on, otherwise 0. Walls are where they are now. Returns an error of the
 * searches for pairs or contacts, or ABUT_OK. */
abut_status abut_simulation_find_touching(const abut_simulation *simulation, const double *centers,
                                          const double *radii, abut_index count, uint8_t *touches,
                                          abut_error *error);

abut_law_case abut_simulation_law_case(const abut_simulation *simulation);

/* The kinds of interactions. */
typedef enum abut_interaction {
    ABUT_BODY_WALL = 0,
    ABUT_BODY_BODY,
    ABUT_BODY_SPHERE, /* i: the body, j: the row of the sphere */
    ABUT_SPHERE_WALL,
    ABUT_SPHERE_SPHERE /* not: spheres of one cluster, or a sphere and its own image */
} abut_interaction;
enum { ABUT_BODY_INTERACTIONS = 3, ABUT_INTERACTION_COUNT = 5, ABUT_STEP_TERMS = 12 };

typedef union abut_interaction_columns {
    abut_convex_columns bodies; /* of bodies, as abut_convex_contacts_write, without `offsets` */
    abut_columns contacts;      /* of spheres and walls: rows of abut_contacts_write */
    abut_pair_columns pairs;    /* of two spheres: rows of abut_pairs_write */
} abut_interaction_columns;

/* The interactions of the last step with their forces and contact history. These have one entry per
 * spot of bodies, and one per row of other kinds. Columns belong to the caller. If they are
 * written, any may be NULL. */
typedef struct abut_interactions {
    abut_index row_count, entry_count; /* entry_count: number of spots (bodies) or nodes
                                          (contacts with walls) */
    abut_interaction_columns columns;
    double *force;   /* x 3: on the sphere, or on i of a pair */
    double *spring;  /* x 3: the tangential spring T */
    double *moment;  /* x 3: of rolling, on the sphere or on i; 0 without laws of type C */
    double *roll;    /* x 3: the rolling spring M; 0 without laws of type C */
    double *history; /* x abut_simulation_history_count; NULL: none */
} abut_interactions;

/* The number of columns that the history of an interaction has in addition to both springs; 0: no
 * law needs any. First come vectors, then scalars: as many of each as the user law with the most of
 * them has. If a built-in law stores the largest overlap, it is the first scalar. Then come the
 * identity of the law that wrote vectors and scalars (-1: a built-in law, 0: none) and the stored
 * energy. */
abut_index abut_simulation_history_count(const abut_simulation *simulation);

/* Returns only the counts, without columns. */
abut_interactions abut_simulation_count_interactions(const abut_simulation *simulation,
                                                     abut_interaction kind);
abut_status abut_simulation_write_interactions(const abut_simulation *simulation,
                                               abut_interaction kind, const abut_interactions *to,
                                               abut_error *error);

/* Numbers for saving a simulation: those of its state after a step that are in no column. */
typedef struct abut_step_state {
    abut_index step_count;
    double account[7];             /* the sums from which energies are computed */
    double terms[ABUT_STEP_TERMS]; /* numbers that the next steps need; their meaning may change */
    const abut_wall_state *walls;  /* wall_count: walls at the beginning of the last step */
} abut_step_state;

/* Returns the step's number, account and terms; abut_simulation_wall returns the states of walls.
 */
abut_step_state abut_simulation_step_state(const abut_simulation *simulation);

/* Targets of the stress of the periodic cell, 3 x 3 by rows. Entries are those of the mean stress,
 * positive in compression, with the plane first: entry [b][a] rules entry [a][b] of the velocity
 * gradient. All members are doubles. */
typedef struct abut_cell_hold {
    double targets[9];
    double is_held[9];   /* 1: the target is in force; 0: the velocity gradient is as it was set */
    double steady[9];    /* the slow mean of the velocity gradient where it is held, otherwise 0 */
    double largest_rate; /* of each component that is held; positive */
    double first_volume; /* of the cell when the targets were set */
} abut_cell_hold;
enum { ABUT_HOLD_NUMBERS = sizeof(abut_cell_hold) / sizeof(double) };

/* The periodic cell, which deforms by a velocity gradient L: vectors h of the period move by L h.
 * Matrices are 3 x 3, by rows, and all members are doubles. */
typedef struct abut_cell {
    double vectors[9];     /* the rows are the vectors of the period */
    double gradient[9];    /* L; entry [a][b] is the change of velocity a along b */
    double deformation[9]; /* the deformation gradient since it was set to 1 */
    /* The last step: its vectors when it began, and names of images. `vectors` are in the basis
     * numbers @ began of the step's lattice. An image of an interaction of the last step, times
     * `back`, is the present name of that image. */
    double began[9], numbers[9], back[9];
    double rates[9],
        pull[9]; /* in the last step: rates of the present vectors; acceleration of grains */
    double center[3], center_velocity[3]; /* of the field of velocities L (x - center) */
    double center_began[3];
    double pending;            /* energy from outside since the last step */
    double deforms, has_moved; /* 1: L is not 0; the vectors have changed in the last step */
    abut_cell_hold hold;       /* all 0: nothing is held */
} abut_cell;
enum { ABUT_CELL_NUMBERS = sizeof(abut_cell) / sizeof(double) };

abut_cell abut_simulation_cell(const abut_simulation *simulation);

/* Sets the velocity gradient from now on; all zeros end the deformation. affine: 1: adds the change
 * of the field L (x - center) to the velocities of all grains, otherwise 0. Vectors of the period
 * must repeat wherever the field changes; there must be no walls and no fixed grains. hold: NULL,
 * or the targets of the stress from now on; then all vectors must repeat. Its `steady` and
 * `first_volume` are not read. */
void abut_simulation_deform_cell(abut_simulation *simulation, const double gradient[9], int affine,
                                 const abut_cell_hold *hold);

/* Replaces the targets of those components that are held, and the largest rate. */
void abut_simulation_set_targets(abut_simulation *simulation, const double targets[9],
                                 double largest_rate);

/* Sets the deformation gradient from which steps count. */
void abut_simulation_set_deformation(abut_simulation *simulation, const double deformation[9]);

/* Restores the cell of a saved step. */
void abut_simulation_restore_cell(abut_simulation *simulation, const abut_cell *cell);

/* The state of a wall that deforms, in addition to its mesh, which has the present vertices. Each
 * array is vertex_count x 3: vertices and velocities at the beginning of the last step, and present
 * velocities. Restore it after abut_simulation_set_walls, and before interactions are restored. */
typedef struct abut_deforming_state {
    const double *before, *velocities_before, *velocities;
} abut_deforming_state;

void abut_simulation_restore_deforming(abut_simulation *simulation, abut_index wall,
                                       const abut_deforming_state *state);

/* Restores a saved step. The laws, spheres, clusters, bodies and walls of that step must have been
 * set and added before. */
void abut_simulation_restore(abut_simulation *simulation, const abut_step_state *state);

/* Reads the order in which spheres are stored; the last bits of their sums depend on it. rows[k] is
 * the row of the sphere at place k. Returns the number of the step in which spheres are sorted
 * next. */
abut_index abut_simulation_read_order(const abut_simulation *simulation, abut_index *rows);

/* Restores the order of storage; call it last. Then steps have the bits that they would have had
 * without saving. Returns ABUT_OK or ABUT_NO_MEMORY. Returns ABUT_BAD_EARLIER if a row does not
 * exist or is at two places (index: the place, detail: the row, value: the number of rows). After
 * an error nothing has changed. */
abut_status abut_simulation_restore_order(abut_simulation *simulation, const abut_index *rows,
                                          abut_index next_step, abut_error *error);

/* Restores the interactions of the last step, after abut_simulation_restore. All columns must be
 * given. Exceptions are `image` without a period, `point` of pairs, and `moment` and `roll` if all
 * are 0. Offsets and numbers are checked like those of a search. */
abut_status abut_simulation_restore_interactions(abut_simulation *simulation, abut_interaction kind,
                                                 const abut_interactions *from, abut_error *error);

/* The load of spheres and bodies on a wall at the beginning of the last step. */
typedef struct abut_wall_load {
    double force[3];
    double torque[3]; /* about the wall's origin; it includes the moments of rolling on spheres with
                         the opposite sign */
    double power;     /* power of force and torque on the wall */
} abut_wall_load;

abut_wall_load abut_simulation_load(const abut_simulation *simulation, abut_index wall);

/* Energies at the beginning of the last step. Their sum is conserved. */
typedef struct abut_energy {
    double kinetic, rotational, gravitational, elastic;
    double dissipated; /* energy dissipated by contacts */
    double wall_work;  /* work done on walls */
} abut_energy;

abut_energy abut_simulation_energy(const abut_simulation *simulation);

/* The longest stable step, and the sphere, body or wall that limits it. */
typedef struct abut_stable_step {
    double step;      /* INFINITY: nothing limits it */
    abut_index index; /* the row of the sphere, or the number of the body or wall; if several have
                         the same step: the first */
    abut_index contact_count; /* number of contacts and bonds of the sphere or wall, or of spots of
                                 the body; 0: it touches nothing */
} abut_stable_step;

/* The longest step that is stable for the contacts of spheres at the beginning of the last step;
 * INFINITY without spheres. A sphere that touches nothing counts as if it had four contacts. Their
 * overlap is 1 % of the sphere's radius, or the overlap of an impact with its speed, if this
 * overlap is larger. */
abut_status abut_simulation_stable_step(const abut_simulation *simulation,
                                        abut_stable_step *longest);

/* The longest stable step of bodies. A body that touches nothing counts as if it rested on four
 * spots. */
abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *simulation,
                                                  abut_stable_step *longest);

/* The longest stable step of driven walls with a mass, by their contacts. */
abut_status abut_simulation_stable_step_of_walls(const abut_simulation *simulation,
                                                 abut_stable_step *longest);

/* The kinds of partners of a contact. */
typedef enum abut_partner {
    ABUT_PARTNER_SPHERE = 0,
    ABUT_PARTNER_BODY,
    ABUT_PARTNER_WALL
} abut_partner;

/* The first case of an event that makes results doubtful. If there are several cases in this step,
 * the one with the smallest numbers is recorded. */
typedef struct abut_notice {
    int is_there;
    abut_index step;       /* number of steps completed before */
    abut_partner kinds[2]; /* the kinds of its one or two partners */
    abut_index numbers[2]; /* rows of spheres, numbers of bodies and walls */
    double ratio; /* the displacement or the overlap, divided by the radius; for a body by its
                     inradius, for two partners by the smaller of both */
} abut_notice;

typedef struct abut_notices {
    abut_notice fast; /* a sphere or body that moved by more than its radius in a step */
    abut_notice deep; /* two partners with an overlap that has grown beyond a tenth of a radius;
                         overlaps at placing do not count */
    /* The deepest overlap of two partners after placing, if it exceeds a twentieth of a radius.
     * Placing means that spheres, bodies or walls are placed by the caller, get other radii, or are
     * released. */
    abut_notice placed;
    abut_index placed_count; /* number of pairs with such an overlap, in the step after placing */
    double placed_speed;     /* the relative speed that both would get from the energy that the law
                                stores; 0: not known */
} abut_notices;

/* The notices of all runs. They are cleared when spheres or bodies are removed, since this changes
 * numbers. */
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

/* Counts over all steps, and the total time of each part of a step in seconds. */
typedef struct abut_simulation_statistics {
    ABUT_STEP_PARTS(ABUT_PART_MEMBER)
    abut_index step_count, sphere_count, contact_count, pair_count;
    abut_index body_count, body_contact_count;
    abut_index byte_count; /* memory of the simulation, without finders */

    /* How often lists were rebuilt: neighbor lists (Verlet lists), because spheres had moved
     * too far or were added or changed; lists near walls, because walls had moved too far. */
    abut_index lists_moved, lists_changed, lists_of_walls;
    abut_index candidate_count; /* candidates tested, in all steps together */
    abut_index bond_count, breakage_count;
} abut_simulation_statistics;

abut_simulation_statistics abut_simulation_inspect(const abut_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
