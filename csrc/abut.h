/* abut: contacts of spheres with meshes of convex facets, and with each other.
 *
 * This is the public header of the C library, which does not depend on Python. It includes one
 * header for each public noun, with its types, functions and their contracts.
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
 * Pairs of spheres are found in the same way by abut_pair_finder_build, abut_pairs_find and
 * abut_pairs_write.
 *
 * Contracts that hold for every function:
 *   - Inputs are borrowed for the call (or for longer where a comment states it), contiguous,
 *     row-major, and never written.
 *   - Geometry cannot fail. Without memory, or with bad input, functions return a status other than
 *     ABUT_OK (0); then nothing is built and the output pointer is NULL. `error` may be NULL;
 *     otherwise it names the first offender.
 *   - An input array that changes during a call causes wrong numbers or an error, and nothing
 * worse.
 *   - Every free function accepts NULL.
 *   - Only one thread may build a mesh or finder. Afterwards many threads may query it at once.
 *
 * Method: M. Santasusana, J. Irazabal, E. Onate, J. M. Carbonell, "The Double Hierarchy Method",
 * Computational Particle Mechanics 3 (2016), doi:10.1007/s40571-016-0109-4. Comments of the library
 * use the table and equation numbers of that paper, unless they name docs/dem.md. docs/method.md
 * describes the method.
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
