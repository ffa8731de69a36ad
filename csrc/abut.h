/* abut: contacts of spheres with meshes of convex facets, and with each other.
 *
 * The public header of the C library, which knows nothing of Python. Types, functions and their
 * contracts stand in a header for each public noun, which this one includes.
 *
 *     abut_mesh *mesh = NULL;
 *     abut_finder *finder = NULL;
 *     abut_contacts *contacts = NULL;
 *     abut_query query = abut_query_default();
 *     query.sphere_count = n, query.centers = centers, query.radii = radii;
 *     abut_status status = abut_mesh_build(&input, &mesh, &error);
 *     const abut_mesh *meshes[] = {mesh};
 *     if (!status && !abut_finder_build(meshes, 1, &finder, &error) &&
 *         !abut_contacts_find(finder, &query, &contacts, &error)) {
 *         ... allocate columns for abut_contacts_count(contacts) rows and
 *             abut_contacts_node_count(contacts) nodes ...
 *         abut_contacts_write(contacts, &columns);
 *     }
 *     abut_contacts_free(contacts), abut_finder_free(finder), abut_mesh_free(mesh);
 *
 * Pairs of spheres come likewise from abut_pair_finder_build, abut_pairs_find and abut_pairs_write.
 *
 * Contracts that hold for every function:
 *   - Inputs are borrowed for the call (or for longer where it says so), contiguous, row-major, and
 * never written.
 *   - Geometry cannot fail; memory and bad input return a status other than ABUT_OK (0), nothing is
 * built then and the output pointer is NULL. `error` may be NULL; where it is not, it names the
 * first offender.
 *   - An input array that somebody changes during a call makes for wrong numbers or an error, never
 * for more.
 *   - Every free function accepts NULL.
 *   - Building is for one thread; a mesh or a finder that is built may be queried by many threads
 * at once.
 *
 * Method: M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method",
 * Computational Particle Mechanics 3 (2016), doi:10.1007/s40571-016-0109-4. Table and equation
 * numbers in the comments of the library are that paper's. docs/method.md says what is computed.
 */
#ifndef ABUT_H
#define ABUT_H

#include "abut/base.h"
#include "abut/mesh.h"
#include "abut/contacts.h"
#include "abut/pairs.h"
#include "abut/convex.h"
#include "abut/laws.h"
#include "abut/simulation.h"
#include "abut/lammps.h"

#endif
