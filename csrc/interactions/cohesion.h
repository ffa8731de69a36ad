/* What pulls two together where they touch, and beyond it (docs/dem.md, section 2). Lengths, forces
 * and energies are those of a contact with this R* and overlap, negative where there is a gap. */
#ifndef INTERACTIONS_COHESION_H
#define INTERACTIONS_COHESION_H

#include <stdbool.h>

#include "../abut.h"
#include "cohesion_numbers.h"

/* The first number of a law's cohesion that is out of its range; NULL: there is none. */
const double *cohesion_find_bad(const abut_law *l);

cohesion cohesion_read(const abut_law *from);

/* By what a contact attracts, the rest of what acts along its normal being at least 0. With JKR the
 * greatest pull there is, whatever the overlap. */
double cohesion_pull(const cohesion *c, double radius, double overlap);

/* How far apart a contact that lives still pulls. */
double cohesion_reach(const cohesion *c, double radius);

/* The farthest of all contacts of a sphere, whatever it meets. */
double cohesion_most_reach(const cohesion *c, double radius);

/* What is stored beside the energy of the law without cohesion; with a neck all of what acts along
 * the normal. */
double cohesion_energy(const cohesion *c, double radius, double overlap);

/* The radius of the area of contact, and the elastic force along the normal. */
typedef struct neck {
    double radius, force;
} neck;

/* Of a cohesion that has one: JKR. */
neck cohesion_neck(const cohesion *c, double radius, double overlap);

static inline bool law_number_is_at_least_0(double x)
{
    return x >= 0.0 && x <= ABUT_COORDINATE_LIMIT;
}

static inline bool law_number_is_positive(double x)
{
    return x > 0.0 && x <= ABUT_COORDINATE_LIMIT;
}

#endif
