/* What sharing ends with where its pivots do not. */
#ifndef WALLS_RELAXATION_H
#define WALLS_RELAXATION_H

#include "../base/parallel.h"
#include "../base/vec3.h"
#include "../mesh/tolerance.h"

/* G of two contacts (docs/method.md, section 5); 1 of a contact and itself. */
static inline double coupling(vec3 a, vec3 b)
{
    double cosine = vec3_dot(a, b);
    return cosine > PERPENDICULAR_COSINE ? cosine : 0.0;
}

/* Let each of `count` contacts in turn carry just what the others leave over of its force F, until
 * no load changes by more than counts as satisfied, or for RELAXATION_SWEEPS sweeps, fewer of more
 * than a thousand contacts, of which they take long. ABUT_OK, or why the job is to end (job may be
 * NULL).
 *
 * `loads`, all >= 0, is where it begins and ends. Each change makes q = f.G f / 2 - F.f as small as
 * this one load can, and q is bounded below for f >= 0, as G is strictly copositive: so it does not
 * cycle, whatever is rounded, and tends to loads that satisfy all contacts. Among nearly coplanar
 * contacts that is slow: there it stops where some lack a little. */
abut_status relax_loads(abut_index count, const vec3 *normals, const double *forces, double *loads,
                        parallel_job *job);

enum { RELAXATION_SWEEPS = 1000 };

#endif
