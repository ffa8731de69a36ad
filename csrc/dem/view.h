/* One view of an interaction, whatever its partners are: what energies, loads of walls, stable
 * steps, warnings and errors read of a row, without a case for each kind. */
#ifndef DEM_VIEW_H
#define DEM_VIEW_H

#include "state.h"

/* One of two that interact. What is held has HELD for its mass and moment of inertia, and so does a
 * wall, unless it is a free body. */
typedef struct partner {
    abut_partner kind;
    abut_index number; /* as callers count */
    int32_t material;
    double mass, inertia; /* as laws take them */
    double radius;        /* of a sphere, or of a body's rounding; of a wall INFINITY */
    double inner;         /* of the largest sphere inside; of a wall INFINITY */
} partner;

/* A row. Its entries are what springs are of: the row itself, or the spots of bodies. */
typedef struct view {
    const interaction_table *table;
    abut_index row, begin, end; /* begin, end: of its entries */
    const law *law;
    double overlap;  /* of bodies that of the deepest spot; of pairs less `rest` */
    double rest;     /* what does not count of a pair's overlap */
    double radius;   /* R*; of bodies 1 where the law does not ask for it */
    vec3 normal;     /* of pairs 0, as the shift: no reader asks for them */
    vec3 shift;      /* of the image at which a wall, or the second body or sphere, is touched */
    bool is_curved;  /* of bodies: the law asks for R* */
    bool is_on_wall; /* forces act on the wall itself, not midway */
} view;

/* The view of a row of this step, or of the last one. */
view view_row(const abut_simulation *s, const interaction_table *t, abut_index row);

/* The first partner of a row, or the second: side 0 or 1. */
partner view_partner(const abut_simulation *s, const interaction_table *t, abut_index row,
                     int side);

/* m* and I*. On a wall that is no free body, m* is the mass as if nobody held it; I* always is. */
inertness view_inertness(const abut_simulation *s, const partner *first, const partner *second);

/* The radius of a partner that R* is made of, under a law; 0: it has none. */
double view_radius(const partner *of, const law *l);

/* The law of a contact with a wall. */
static inline const law *view_wall_law(const abut_simulation *s, abut_index place, abut_index wall)
{
    return laws_between(&s->laws, s->store.materials[place], s->walls.walls[wall].given.material);
}

static inline double view_overlap(const view *v, abut_index at)
{
    return table_is_of_bodies(v->table->kind) ? v->table->body.spot_overlap[at] : v->overlap;
}

/* Where the force of an entry acts on the first partner; on the other one less the shift. */
vec3 view_force_point(const view *v, abut_index at);

/* Whether a spot exerts, or has exerted, something: it touches, or its force shows it. Rows of
 * spheres that do not are none. */
static inline bool view_spot_lived(const interaction_table *t, abut_index spot)
{
    return t->body.spot_overlap[spot] > 0.0 || table_exerts(t, spot);
}

static inline bool view_lived(const view *v, abut_index at)
{
    return !table_is_of_bodies(v->table->kind) || view_spot_lived(v->table, at);
}

/* The energy that a row stores: by its law, or as a law of users has said. */
double view_energy(const view *v);

/* A row as a contact at rest, of which each spot bears its part of m* and I*. */
law_contact view_contact(const abut_simulation *s, const view *v);

/* How stiff an entry is, whose overlap becomes that of the contact; 0: it exerts nothing. A law of
 * users is asked with what it keeps there. */
law_stiffness view_stiffness(const view *v, law_contact *contact, abut_index at);

/* The damper beside its spring along the normal, for this m* (docs/dem.md, section 2). */
double view_damper(const law *l, const law_stiffness *of, double mass);

/* How many spots bear together what a row's spots bear, and so share the bodies' masses: those of
 * the row, and on a wall those of the body's rows with other facets, as far as these have its
 * normal. */
double view_bearing_spots(const interaction_table *t, abut_index row);

/* Is called for the entries where a wall is touched; `part` is what is found so far. */
typedef void view_visit(const abut_simulation *s, const step_tables *of, const view *v,
                        abut_index at, void *part);

/* Visit all entries where a wall is touched in a step, spheres before bodies. `found` has how parts
 * begin and are joined. */
void view_visit_wall(const abut_simulation *s, const step_tables *of, abut_index wall,
                     view_visit *visit, parallel_folding found, void *total);

/* Add what an entry exerts to what its wall bears. */
void view_add_load(const abut_simulation *s, const step_tables *of, const view *v, abut_index at,
                   abut_wall_load *load);

/* Name the first row that has no law, of a table of spheres in which there is one:
 * ABUT_LAW_MISSING. */
abut_status view_name_missing_law(const abut_simulation *s, const interaction_table *t,
                                  abut_error *error);

/* ABUT_OK; or ABUT_BODY_LAW or ABUT_BODY_CURVATURE with the first body of this step whose law is
 * none for spots. */
abut_status view_check_spot_laws(const abut_simulation *s, abut_error *error);

#endif
