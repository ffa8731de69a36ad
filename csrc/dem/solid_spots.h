/* The spots at which bodies touch: how curved what touches is, and where forces act. */
#ifndef DEM_SOLID_SPOTS_H
#define DEM_SOLID_SPOTS_H

#include "state.h"

/* What the spots of a row have in common. */
typedef struct spot_row {
    abut_index row, begin, end; /* begin, end: of its spots */
    const law *law;
    double radius; /* R*; 1 where the law does not ask for it */
    vec3 normal;
    vec3 shift;      /* of the image at which the second body, sphere or wall is touched */
    bool is_curved;  /* the law asks for R* */
    bool is_on_wall; /* forces act on the wall itself, as those of spheres do, not midway */
} spot_row;

spot_row simulation_spot_row(const abut_simulation *s, const interaction_table *t, abut_index row);

/* Where the force of a spot acts on the first body; on the other one less the row's shift. */
vec3 simulation_spot_point(const interaction_table *t, const spot_row *r, abut_index spot);

/* ABUT_OK; or ABUT_BODY_LAW or ABUT_BODY_CURVATURE with the first body of this step whose law is
 * none for spots. */
abut_status simulation_check_spot_laws(const abut_simulation *s, abut_error *error);

/* How many spots bear together what a row's spots bear, and so share the bodies' masses: those of
 * the row, and on a wall those of the body's rows with other facets, as far as these have its
 * normal. */
double simulation_bearing_spots(const interaction_table *t, abut_index row);

#endif
