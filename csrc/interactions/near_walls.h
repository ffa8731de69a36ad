/* Which spheres and bodies may come to touch walls while a neighbor list lives: the others, most of
 * them in a bed, are not looked for on walls at all. Who may is searched for in every step. */
#ifndef INTERACTIONS_NEAR_WALLS_H
#define INTERACTIONS_NEAR_WALLS_H

#include "../base/box.h"
#include "neighbor_list.h"
#include "deforming_mesh.h"

typedef struct facet_list facet_list; /* walls/facet_list.h */

/* The walls of a step: the finder's meshes, and half spaces after them. */
typedef struct wall_scene {
    const abut_finder *finder;
    abut_index wall_count;
    const double *half_spaces;          /* x 6, as abut_query has them */
    const double *poses, *poses_before; /* wall_count x 4 x 4, of this step and of the last one */
    const deforming_mesh *deforming;    /* of the finder's meshes; NULL: none of them deforms */
} wall_scene;

/* Zero-initialize. */
typedef struct near_walls {
    bool is_made;
    bool is_of_all;   /* all spheres are searched for: lists live too short, or most are near */
    abut_index list;  /* the number of the neighbor list that it belongs to */
    abut_index lived; /* steps */
    abut_index made_count;   /* since walls had used up their allowance */
    abut_index sphere_count; /* of all spheres, near or not */
    double allowance;        /* the way that walls may go, */
    double searched;         /* and with what of it spheres were searched for */
    box region;              /* where the spheres' centers may be */
    double *poses;           /* of walls, where they were */
    double *vertices;        /* likewise of those that deform, one after the other */
    int32_t *spheres;        /* places of those that may touch, ascending */
    abut_index count;
    abut_index *bodies; /* likewise numbers of bodies, */
    abut_index body_count;
    bool has_facets; /* which facets they may touch is listed: they are few */
    facet_list *facets;
    double *centers, *radii; /* of the spheres, in this step */
    abut_index *offsets;     /* of a query of them */
    memory_block blocks[7];
} near_walls;

/* Look where walls are, and make the list anew where they or the neighbor list ask for it. */
abut_status near_walls_refresh(near_walls *n, const neighbor_list *l, const neighbor_spheres *s,
                               const wall_scene *w, const parallel_plan *plan, abut_error *error);

/* Let a query search for the spheres of the list alone. Returns which facets these may touch; NULL:
 * any. */
const facet_list *near_walls_narrow(const near_walls *n, abut_query *query);

/* Where such a query writes its rows to: to these columns, but its offsets are those of the list.
 */
abut_columns near_walls_columns(const near_walls *n, const abut_columns *columns);

/* Numbers of such a query's spheres become places, and its offsets those of all spheres. */
void near_walls_widen(const near_walls *n, abut_index sphere_count, int workers,
                      const abut_columns *columns);

/* The place of the sphere that such a query calls by this number. */
static inline abut_index near_walls_place(const near_walls *n, abut_index number)
{
    return n->is_made && !n->is_of_all ? n->spheres[number] : number;
}

/* Let spheres leave, as they leave the neighbor list. */
void near_walls_shorten(near_walls *n, const neighbor_list *l, const int32_t *places);

/* The bodies that may touch walls, ascending. NULL: any. */
const abut_index *near_walls_bodies(const near_walls *n, abut_index *count);

void near_walls_free(near_walls *n);
abut_index near_walls_bytes(const near_walls *n);

#endif
