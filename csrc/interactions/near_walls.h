/* The spheres and bodies that may touch walls while a neighbor list is valid. Only contacts of
 * these are searched in each step. In a bed, walls are far from the majority of spheres. */
#ifndef INTERACTIONS_NEAR_WALLS_H
#define INTERACTIONS_NEAR_WALLS_H

#include "../base/box.h"
#include "neighbor_list.h"
#include "deforming_mesh.h"

typedef struct facet_list facet_list; /* walls/facet_list.h */

/* The walls of a step: first the finder's meshes, then half spaces. */
typedef struct wall_scene {
    const abut_finder *finder;
    abut_index wall_count;
    const double *half_spaces;          /* 6 numbers each, as in abut_query */
    const double *poses, *poses_before; /* wall_count x 4 x 4, of this step and the last one */
    const deforming_mesh *deforming;    /* for each of the finder's meshes; NULL: none of them
                                           deforms */
} wall_scene;

/* A list of spheres and bodies near walls. Zero-initialize. */
typedef struct near_walls {
    bool is_made;
    bool is_of_all; /* all spheres are searched: lists would be valid for too few steps, or too many
                       spheres are near */
    abut_index list;         /* number of the neighbor list to which this list belongs */
    abut_index lived;        /* number of steps in which the list was used */
    abut_index made_count;   /* number of lists made because walls had moved too far */
    abut_index sphere_count; /* number of all spheres, near or not */
    double allowance;        /* the distance that walls may move */
    double searched;  /* the allowance of walls in the search; a margin for rounding is included */
    box region;       /* the box in which centers of spheres can be */
    double *poses;    /* poses of walls when the list was made */
    double *vertices; /* vertices of all walls that deform, when the list was made */
    int32_t *spheres; /* places of near spheres, ascending */
    abut_index count;
    abut_index *bodies; /* numbers of near bodies, ascending */
    abut_index body_count;
    bool has_facets; /* the facets near spheres are listed, because they are few */
    facet_list *facets;
    double *centers, *radii; /* of near spheres in this step */
    abut_index *offsets;     /* offsets of contacts by near sphere, which the query writes */
    memory_block blocks[7];
} near_walls;

/* Call it in each step. It makes a new list if walls have moved too far or the neighbor list is
 * new, and adds new spheres. Returns ABUT_OK, or the error. */
abut_status near_walls_refresh(near_walls *n, const neighbor_list *l, const neighbor_spheres *s,
                               const wall_scene *w, const parallel_plan *plan, abut_error *error);

/* Restricts a query to near spheres. Returns the facets that they may touch; NULL: all facets. */
const facet_list *near_walls_narrow(const near_walls *n, abut_query *query);

/* The columns that a restricted query writes: `columns`, with offsets of near spheres. */
abut_columns near_walls_columns(const near_walls *n, const abut_columns *columns);

/* Converts numbers of near spheres to places, and their offsets to those of all spheres. */
void near_walls_widen(const near_walls *n, abut_index sphere_count, int workers,
                      const abut_columns *columns);

/* The place of the sphere with this number in a restricted query. */
static inline abut_index near_walls_place(const near_walls *n, abut_index number)
{
    return n->is_made && !n->is_of_all ? n->spheres[number] : number;
}

/* Removes spheres, as shorten_list() does for the neighbor list. */
void near_walls_shorten(near_walls *n, const neighbor_list *l, const int32_t *places);

/* The bodies that may touch walls, ascending; NULL: all bodies. */
const abut_index *near_walls_bodies(const near_walls *n, abut_index *count);

void near_walls_free(near_walls *n);
abut_index near_walls_bytes(const near_walls *n);

#endif
