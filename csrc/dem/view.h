/* One view of an interaction for all kinds of partners. Energies, wall loads, stable steps,
 * warnings and errors use it, and need no case for each kind. */
#ifndef DEM_VIEW_H
#define DEM_VIEW_H

#include "state.h"

/* One of two partners. The mass and inertia of fixed grains and of walls is FIXED; free walls have
 * a finite mass. */
typedef struct partner {
    abut_partner kind;
    abut_index number; /* the row of a sphere, or the number of a body or a wall */
    int32_t material;
    double mass, inertia; /* as in contact laws */
    double radius;        /* of a sphere, or of a body's rounding; INFINITY for walls */
    double inner;         /* radius of the largest sphere inside the partner; INFINITY for walls */
} partner;

/* An interaction. An entry is a part with a spring of its own. Rows of spheres are one entry, rows
 * of bodies have one for each spot. */
typedef struct view {
    const interaction_table *table;
    abut_index row, begin, end; /* begin, end: the range of entries */
    const law *law;
    double overlap; /* bodies: of the deepest spot; pairs: the whole overlap minus `rest` */
    double rest;    /* the part of a pair's overlap that its law does not count */
    double radius;  /* R*; for bodies 1 unless the law needs R* */
    vec3 normal;    /* for pairs, normal and shift are 0: no function needs them */
    vec3 shift;     /* the vector by which the image of the second partner is shifted */
    vec3 drift; /* only bodies in this step: the velocity of that image relative to its partner */
    bool is_curved;  /* only bodies: the law needs R* */
    bool is_on_wall; /* forces act at the wall's surface, not midway between surfaces */
} view;

/* The view of a table row, in this step or the last one. */
view view_row(const abut_simulation *s, const interaction_table *t, abut_index row);

/* A partner of a row; side: 0 or 1. */
partner view_partner(const abut_simulation *s, const interaction_table *t, abut_index row,
                     int side);

/* m* and I* of two partners. On a wall that is not a free body, m* is the finite mass of the first
 * partner, even if this is fixed. I* is always finite. */
inertness view_inertness(const abut_simulation *s, const partner *first, const partner *second);

/* The radius of a partner in R*, as a law needs it; 0: none. */
double view_radius(const partner *one, const law *l);

/* The law of a contact with a wall. */
static inline const law *view_wall_law(const abut_simulation *s, abut_index place, abut_index wall)
{
    return laws_between(&s->laws, s->store.materials[place], s->walls.walls[wall].given.material);
}

static inline double view_overlap(const view *v, abut_index at)
{
    return table_is_of_bodies(v->table->kind) ? v->table->body.spot_overlap[at] : v->overlap;
}

/* The point at which an entry's force acts on the first partner. On the second partner, the force
 * acts at this point minus the shift. */
vec3 view_force_point(const view *v, abut_index at);

/* Whether a spot is active: its overlap or its force is not 0. Rows of spheres are always
 * active. */
static inline bool view_spot_is_active(const interaction_table *t, abut_index spot)
{
    return t->body.spot_overlap[spot] > 0.0 || table_exerts(t, spot);
}

static inline bool view_is_active(const view *v, abut_index at)
{
    return !table_is_of_bodies(v->table->kind) || view_spot_is_active(v->table, at);
}

/* The elastic energy of a row: by its law, or as a user's law has returned it. */
double view_energy(const view *v);

/* A row as a contact at rest, for its stiffness. At spots, m* and I* are those of each spot. */
law_contact view_contact(const abut_simulation *s, const view *v);

/* The stiffness of an entry; 0 if it is not active. Sets contact->overlap and the history that a
 * user's law reads. */
law_stiffness view_stiffness(const view *v, law_contact *contact, abut_index at);

/* The damping coefficient along the normal for the mass m*: docs/dem.md eq. 5 and 6. */
double view_damper(const law *l, const law_stiffness *stiffness, double mass);

/* The number N of spots that share the bodies' masses in docs/dem.md eq. 40: the overlapping spots
 * of a row. On a wall, spots in rows of the same body and wall with other facets count, too. Their
 * weight is the squared cosine between the normals. */
double view_bearing_spots(const interaction_table *t, abut_index row);

/* The type of functions that are called for each entry on a wall. `part` is the result so far. */
typedef void view_visit(const abut_simulation *s, const step_tables *tables, const view *v,
                        abut_index at, void *part);

/* Calls `visit` for all of a wall's entries in a step, spheres first. `found` defines the first
 * value of results, and how two are joined. */
void view_visit_wall(const abut_simulation *s, const step_tables *tables, abut_index wall,
                     view_visit *visit, parallel_folding found, void *total);

/* Adds the force of an entry to the load of its wall. */
void view_add_load(const abut_simulation *s, const step_tables *tables, const view *v,
                   abut_index at, abut_wall_load *load);

/* For a table of spheres: ABUT_LAW_MISSING with the first row that has no law, or ABUT_OK. */
abut_status view_name_missing_law(const abut_simulation *s, const interaction_table *t,
                                  abut_error *error);

/* Checks the laws of all spots of this step. ABUT_OK, or the error of the first body with an
 * unsuitable law: ABUT_BODY_LAW or ABUT_BODY_CURVATURE. */
abut_status view_check_spot_laws(const abut_simulation *s, abut_error *error);

#endif
