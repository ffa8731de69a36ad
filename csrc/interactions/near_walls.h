/* The spheres and bodies that may touch walls while a neighbor list lives. The others, most of a
 * bed, are not searched for on walls. Contacts of the near ones are searched for in every step. */
#ifndef INTERACTIONS_NEAR_WALLS_H
#define INTERACTIONS_NEAR_WALLS_H

#include "../base/box.h"
#include "neighbor_list.h"
#include "deforming_mesh.h"

typedef struct facet_list facet_list; /* walls/facet_list.h */

/* The walls of a step: the finder's meshes, then half spaces. */
typedef struct wall_scene {
    const abut_finder *finder;
    abut_index wall_count;
    const double *half_spaces;          /* x 6, as in abut_query */
    const double *poses, *poses_before; /* wall_count x 4 x 4, of this step and the last one */
    const deforming_mesh *deforming;    /* for each of the finder's meshes; NULL: none of them
                                           deforms */
} wall_scene;

/* Zero-initialize. */
typedef struct near_walls {
    bool is_made;
    bool is_of_all;   /* all spheres are searched for: lists live too short, or most spheres are
                         near */
    abut_index list;  /* number of the neighbor list that this list belongs to */
    abut_index lived; /* steps that the list has lived */
    abut_index made_count;   /* lists made because walls had used up their allowance */
    abut_index sphere_count; /* all spheres, near or not */
    double allowance;        /* distance that walls may move */
    double searched;         /* allowance of walls in the search, before the margin for rounding */
    box region;              /* where centers of spheres may be */
    double *poses;           /* of walls when the list was made */
    double *vertices;        /* of all walls that deform, when the list was made */
    int32_t *spheres;        /* places of near spheres, ascending */
    abut_index count;
    abut_index *bodies; /* numbers of near bodies, ascending */
    abut_index body_count;
    bool has_facets; /* the facets near spheres are few, and are listed */
    facet_list *facets;
    double *centers, *radii; /* of the near spheres, in this step */
    abut_index *offsets;     /* offsets of the query for near spheres */
    memory_block blocks[7];
} near_walls;

/* Rebuilds the list if walls have moved too far or the neighbor list is new. */
abut_status near_walls_refresh(near_walls *n, const neighbor_list *l, const neighbor_spheres *s,
                               const wall_scene *w, const parallel_plan *plan, abut_error *error);

/* Restricts a query to near spheres. Returns the facets that they may touch; NULL: any facet. */
const facet_list *near_walls_narrow(const near_walls *n, abut_query *query);

/* The columns that such a query writes: `columns`, with the offsets of near spheres. */
abut_columns near_walls_columns(const near_walls *n, const abut_columns *columns);

/* Changes numbers of near spheres to places, and offsets to those of all spheres. */
void near_walls_widen(const near_walls *n, abut_index sphere_count, int workers,
                      const abut_columns *columns);

/* The place of the sphere with this number in such a query. */
static inline abut_index near_walls_place(const near_walls *n, abut_index number)
{
    return n->is_made && !n->is_of_all ? n->spheres[number] : number;
}

/* Removes spheres, as shorten_list() removes them from the neighbor list. */
void near_walls_shorten(near_walls *n, const neighbor_list *l, const int32_t *places);

/* The bodies that may touch walls, ascending; NULL: all bodies. */
const abut_index *near_walls_bodies(const near_walls *n, abut_index *count);

void near_walls_free(near_walls *n);
abut_index near_walls_bytes(const near_walls *n);

#endif
