/* A simulation: its spheres, what they touched in the last step, and the parts of a step. */
#ifndef DEM_SIMULATION_H
#define DEM_SIMULATION_H

#include <stdatomic.h>

#include "../base/error.h"
#include "../base/parallel.h"
#include "../interactions/near_walls.h"
#include "../interactions/surfaces.h"
#include "../interactions/table.h"
#include "../interactions/touching.h"
#include "bonds.h"
#include "crowd.h"
#include "walls.h"

/* What there is in a step of who interacts, and of walls. */
typedef struct step_tables {
    interaction_table tables[ABUT_INTERACTION_COUNT];
    double *poses; /* wall_count x 4 x 4, at its beginning */
    abut_wall_state *states;
} step_tables;

/* The walls of a simulation; motions are copies. Half spaces follow the meshes of the finder, and
 * walls that are off, whatever they are, come last. */
typedef struct wall_set {
    const abut_finder *finder; /* NULL: no meshes */
    abut_index mesh_count;
    double *half_spaces; /* x 6: a point and the normal, in their own frames */
    double *placed;      /* likewise, where they are in this step */
    abut_wall *walls;
    abut_motion *motions;
    wall_way *ways;         /* since the step before; of driven walls as half a step ago */
    abut_wall_state *given; /* of walls whose motion is given, or driven: of the next step */
    abut_drive *drives;     /* of walls that are driven */
    wall_press *presses;
    surface *surfaces; /* of walls that deform */
    bool has_driven, has_deforming;
    /* where points and normals of the last step's contacts are now, with surfaces that deform */
    double *points, *normals;
    memory_block carried[2];
    double driven_power;           /* of this step: what account.driven_work has the work of */
    double grain_size, grain_mass; /* the mean diameter and the mass of all grains; 0: not known */
    abut_index count, touched_count; /* touched_count: those that are not off */
} wall_set;

/* A body and another one, or a sphere, that may touch while the neighbor list lives. */
typedef struct near_pair {
    int32_t body, other; /* other: a body, or the row of a sphere */
    bool is_sphere;
} near_pair;

/* Rows by their second partners: those of partner k end before ends[k], where those of k + 1 begin.
 */
typedef struct partner_rows {
    abut_index *ends, *rows;
    memory_block end_block, row_block;
} partner_rows;

/* What bodies are searched with. Finders are NULL where what they are made of has changed. */
typedef struct solid_search {
    neighbor_outlines outlines;
    near_pair *near; /* sorted: of two bodies before those with spheres, by body and other */
    abut_index near_count, near_bodies; /* near_bodies: those of two bodies */
    bool has_images;                    /* two bodies may touch at several images */
    int32_t *spheres;                   /* rows of those that are near bodies, ascending */
    int32_t *numbers;                   /* of each row: its number among those; -1: none */
    abut_index sphere_count;
    abut_convex_finder *bodies;
    abut_convex_finder *mixed; /* bodies, and behind them spheres that are near, as points */
    crowd crowd;               /* bodies and those spheres, where they are */
    abut_index *i, *j;         /* of a query: pairs whose outlines touch, as `mixed` counts */
    abut_index *rows;          /* the row of the step before of each; -1: none */
    abut_index pair_count;
    partner_rows by_second[ABUT_BODY_INTERACTIONS]; /* of bodies, and of spheres by `numbers` */
    memory_block blocks[6], outline_blocks[3];
} solid_search;

/* What a step goes by. */
typedef struct step_terms {
    double step;
    double gravity[3];
    double lift; /* what keeps the gravitational energy as it was where gravity has changed */
} step_terms;

/* What energies are counted from (docs/dem.md, section 6). */
typedef struct account {
    double base;           /* what is added to the dissipated energy */
    double gone_wall_work; /* of spheres that are gone */
    /* what walls that are driven do by the change of their velocities in steps, and in the last
     * one: `power` has that of half a step before */
    double driven_work, last_driven_work;
    double held;  /* the dissipated energy after the next step, where is_held */
    double total; /* the sum of all energies after the next step, where keeps_total */
    bool is_held, keeps_total;
} account;

#define STEP_PART(number, name) number,

typedef enum step_part { ABUT_STEP_PARTS(STEP_PART) STEP_PARTS } step_part;

/* What steps look out for, to tell the first of each. */
typedef struct watch {
    atomic_int_least64_t first; /* the key of the first that is told in this part of a step */
    atomic_bool has_placed;     /* likewise, whether some overlap was there where it was put */
    bool is_placed;             /* spheres were put in place since: their overlaps have not grown */
    bool is_freed;              /* some that were held are not any more */
    abut_notices found;
} watch;

/* Who is beyond these is counted after each step. */
typedef struct world_bounds {
    double low[3], high[3];
    bool is_set, stops;                 /* stops: a run ends where somebody is beyond them */
    atomic_int_least64_t outside, left; /* after the last step; that have left so far */
} world_bounds;

struct abut_simulation {
    abut_simulation_input input;
    step_terms next, last; /* of the next step, and of the last one that was done */
    lattice lattice;
    law_table laws;
    store store;
    rigid_set clusters;
    rigid_set solids;
    solid_search search;
    memory_block group_block; /* of spheres: those of one group are no pairs */
    wall_set walls;
    memory_block pull_block;   /* of this step's contacts: their shares of what they pull */
    step_tables steps[2];      /* which take turns: */
    step_tables *now, *before; /* before: of the last step that was done */
    abut_finder *no_meshes;    /* finds contacts where all walls are half spaces */
    abut_pair_finder *lender;  /* of memory, to searches of pairs */
    neighbor_list neighbors;
    near_walls near;
    account account;
    abut_index step_count;
    double began; /* the time after `began_steps` steps, since which all are alike */
    abut_index began_steps;
    abut_index order_step;    /* the step in which spheres are sorted by place */
    double seconds;           /* that all steps took */
    double looks[STEP_PARTS]; /* what parts took, by the steps that looked at the clock */
    atomic_intptr_t lost_row, lost_body; /* the first that will be lost; -1: none */
    watch watch;
    abut_law_case law_case; /* why the last step that ended by a law of users did */
    bond_set bonds;
    world_bounds bounds;
};

static inline table_extras simulation_extras(const abut_simulation *s)
{
    const own_laws *own = &s->laws.own;
    return (table_extras){.has_images = s->lattice.is_periodic,
                          .has_rolls = s->laws.has_rolling_springs,
                          .has_moments = s->laws.has_rolling_springs || laws_have_own(&s->laws),
                          .vectors = own->vectors,
                          .scalars = own->scalars,
                          .history = own_laws_row_numbers(own)};
}

/* What spheres are searched for with: of no meshes where all walls are half spaces. */
static inline const abut_finder *simulation_finder(const abut_simulation *s)
{
    return s->walls.finder ? s->walls.finder : s->no_meshes;
}

/* The error of a search of the store's spheres names them by places, or by numbers among those that
 * are near walls: let it name them by rows. near: NULL, where all were searched for. Who searches
 * something else names what was searched. Returns the error's status. */
abut_status simulation_name_row(const abut_simulation *s, const near_walls *near,
                                abut_error *error);

static inline double simulation_time(const abut_simulation *s)
{
    return s->began + (double)(s->step_count - s->began_steps) * s->next.step;
}

/* The mass that a law takes for what touches a wall: m*, where the wall is a free body, else its
 * own, also of who is held. */
static inline double simulation_mass_on_wall(const abut_simulation *s, abut_index wall, double mass,
                                             double own)
{
    const bool is_free = walls_move_by(&s->walls.walls[wall], ABUT_FREE);
    return is_free ? reduced(mass, s->walls.drives[wall].mass) : own;
}

/* ABUT_OK, ABUT_BAD_TIME_STEP or ABUT_BAD_GRAVITY; gravity: NULL: not to be checked. */
abut_status simulation_check_terms(double step, const double gravity[3], abut_error *error);

void wall_set_free(wall_set *w);

/* What moves spheres and bodies in a step. Velocities go from the middle of the last step to that
 * of this one: where these differ, half of each counts. */
static inline rigid_step simulation_rigid_step(const abut_simulation *s)
{
    const double kick = 0.5 * (s->last.step + s->next.step);
    const double own = s->next.step / (2.0 * kick);
    const vec3 last = vec3_load(s->last.gravity), next = vec3_load(s->next.gravity);
    const vec3 change = vec3_scale(vec3_sub(next, last), 1.0 - own);
    return (rigid_step){s->next.step, kick, vec3_sub(next, change), &s->lattice};
}

static inline bool simulation_is_member(const abut_simulation *s, abut_index place)
{
    return s->clusters.count > 0 && s->store.clusters[place] >= 0;
}

/* Visit the rows of spheres on walls in a step, by the rows of the spheres: what is summed so does
 * not depend on where spheres are stored. */
typedef void wall_row_visit(void *context, abut_index row);
void simulation_visit_wall_rows(const abut_simulation *s, const step_tables *of,
                                wall_row_visit *visit, void *context);

/* ---- parts of a step; each returns ABUT_OK or why the step is to end, and moves nothing ---- */

/* Place the walls where they are now. */
void contacts_place_walls(abut_simulation *s);

/* Find contacts with walls; match them with those of the step before, and apply their laws. */
abut_status contacts_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status contacts_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* The surface of a contact's wall, where it deforms; else NULL. */
static inline const surface *simulation_surface(const abut_simulation *s, abut_index wall)
{
    const bool deforms = s->walls.has_deforming && s->walls.surfaces[wall].vertex_count > 0;
    return deforms ? &s->walls.surfaces[wall] : NULL;
}

static inline const abut_mesh *simulation_mesh(const abut_simulation *s, abut_index wall)
{
    return s->walls.finder->meshes[wall].mesh;
}

/* Let points and normals of the last step's contacts follow surfaces that deform. ABUT_OK or
 * ABUT_NO_MEMORY. */
abut_status surfaces_carry(abut_simulation *s);

/* Note where vertices were in a step that is done. */
void surfaces_keep(abut_simulation *s);

/* The power on a surface that deforms of a contact of the last step: with the mean of velocities
 * half a step before and after, as spheres have it. */
double surfaces_power(const abut_simulation *s, abut_index row);

/* Look whether the lists of who may come to touch whom are whole where spheres and walls are now,
 * and make them anew if not. */
abut_status pairs_refresh(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* What bonds exert in this step, and which of them break. */
abut_status bonds_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Let bonds turn with their spheres after a step; cannot fail. */
void bonds_turn(abut_simulation *s, const parallel_plan *plan);

/* Whether what a bond's stiffness follows from is neither 0 nor infinite. */
bool bonds_are_stiff(const bond *b);

/* What follows from bonds and their spheres, after bonds, masses or radii have changed. */
void bonds_refresh(abut_simulation *s);

/* From the center of the first of two rows to that of the second, whose image is so many periods
 * from where it would be without. */
vec3 bonds_way(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3]);

/* What two spheres of a row are to their law: between those that a bond holds none acts, and of the
 * overlap of others `rest` does not count, which they had when a bond that has broken since began;
 * where that leaves a gap the law acts as across any gap. */
typedef struct pair_touch {
    const law *law;
    double overlap, rest; /* overlap: less rest */
    bool is_hidden;       /* the law is the one that exerts nothing */
    bool has_acted;       /* of those that rest: the law has, in the step before */
} pair_touch;

/* Of rows of pairs of this step, or of the last one. */
pair_touch bonds_touch(const abut_simulation *s, const interaction_table *t, abut_index row);

/* What two spheres that rest may overlap at most: the smaller radius, which no more than two that
 * can be bonded do, so that at least half of each is left to their law. */
static inline double bonds_most_rest(const abut_simulation *s, const int32_t rows[2])
{
    const store *of = &s->store;
    return smaller(of->radii[of->places[rows[0]]], of->radii[of->places[rows[1]]]);
}

/* Let none rest by more than that. To be called after radii have changed. */
void bonds_fit_rests(abut_simulation *s);

/* The law of a pair whose bond breaks begins as that of a new contact. To be called where rows are
 * matched, and before laws are applied. */
void bonds_begin_laws(abut_simulation *s);

/* Note which spheres that rest have parted, beyond the reach of their law. */
void bonds_look_at_rests(abut_simulation *s);

/* Whether laws of pairs depend on bonds. */
static inline bool bonds_show(const abut_simulation *s)
{
    return s->bonds.has_hidden || s->bonds.rest_count > 0;
}

/* The spheres of pairs that rest are smaller to their law by half of that: let effects have the
 * arms of the spheres themselves, so that momenta are kept. */
void bonds_lengthen_arms(abut_simulation *s);

/* What bonds store, and the longest step that is stable for those of a row: INFINITY, where it has
 * none. */
double bonds_energy(const abut_simulation *s);
double bonds_stable_step(const abut_simulation *s, abut_index row);

/* Find pairs of spheres, match them with those of the step before, and apply their laws. */
abut_status pairs_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status pairs_apply(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Likewise what bodies touch: in solid_search.c, and in solid_laws.c. Laws are those of spots, in
 * solid_spots.c. */
abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error);
abut_status solids_apply_laws(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* The law that a table has for the materials of a row. */
const law *simulation_row_law(const abut_simulation *s, const law_table *laws,
                              const interaction_table *t, abut_index row);

/* The law of a row; of a body and its own image, the law that exerts nothing. */
const law *simulation_spot_law(const abut_simulation *s, const interaction_table *t,
                               abut_index row);

/* The material of what a row's body touches. */
int32_t simulation_other_material(const abut_simulation *s, const interaction_table *t,
                                  abut_index row);

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

/* To be called where bodies, or spheres, have changed: finders are made anew. */
void simulation_forget_bodies(abut_simulation *s);
void simulation_forget_spheres(abut_simulation *s);

/* Begin a part of a step in which somebody may be told. */
void watch_begin(abut_simulation *s);

/* To be called where a step begins, and where it is done. */
void watch_begin_step(abut_simulation *s);
void watch_end_step(abut_simulation *s);

/* An overlap beyond this part of the smaller radius needs a call of watch_rows. */
double watch_part(const abut_simulation *s);

/* Tell the first of these rows whose overlap has grown beyond that in this step. Threads may call
 * it at once. */
void watch_rows(abut_simulation *s, abut_interaction who, abut_index begin, abut_index end);

/* Tell who moves by more than its radius in this step. Threads may call it at once. */
void watch_fast(abut_simulation *s, abut_partner kind, abut_index number);

/* End such a part: keep who was told. */
void watch_keep_deep(abut_simulation *s, abut_interaction who, abut_index rows);
void watch_keep_fast(abut_simulation *s);

/* To be called where the numbers of spheres or bodies change. */
void watch_forget(abut_simulation *s);

/* Add what its contacts with walls exert, nearest first. */
void forces_add_contacts(const abut_simulation *s, abut_index place, double radius, sphere_sum *w);

/* Sum up forces and torques; lost_row and lost_body tell who would be lost. */
abut_status forces_sum(abut_simulation *s, const parallel_plan *plan);

/* Laws of type A: less spin by the torque of all contacts against it, but never more than there is.
 */
vec3 spheres_brake(vec3 spin, double brake, double step, double inertia);

/* Move spheres, clusters and bodies; cannot fail. */
void spheres_move(abut_simulation *s, const parallel_plan *plan);

/* Set the mass that laws and motion use: of a member that of its cluster. */
void spheres_set_mass(abut_simulation *s, abut_index place, bool is_held);

/* Mass and inertia of a sphere, or the cluster that it is a member of, as if nobody held it. */
typedef struct inertness {
    double mass, inertia;
} inertness;

static inline inertness spheres_own_inertness(const abut_simulation *s, abut_index place)
{
    const store *of = &s->store;
    if (simulation_is_member(s, place)) {
        const rigid *r = &s->clusters.bodies[of->clusters[place]].rigid;
        return (inertness){r->mass, rigid_own_inertia(r)};
    }
    return (inertness){of->masses[place], store_inertia(of->masses[place], of->radii[place])};
}

/* Bring a center into the periodic box, and count by how many periods. */
void spheres_wrap(const abut_simulation *s, double *center, int32_t *images);

/* The same center without the periods that it was moved by, before the step that has moved it since
 * `began`. */
vec3 spheres_unwrap(const abut_simulation *s, vec3 began, vec3 center, const int32_t *images);

/* Count who is beyond the bounds after a step. */
void bounds_look(abut_simulation *s);

/* Sort spheres by place where it is time. ABUT_OK or ABUT_NO_MEMORY. */
abut_status order_spheres(abut_simulation *s);

/* Other numbers of places and rows of spheres, of bodies and of walls: for each old one the new
 * one, or -1. NULL: they stay. */
typedef struct renaming {
    const int32_t *places, *rows, *bodies, *walls;
    abut_index place_count, body_count; /* of new ones */
} renaming;

/* The tables of the last step by other numbers. ABUT_OK or ABUT_NO_MEMORY, with everything as it
 * was. */
abut_status order_renumber_tables(abut_simulation *s, const renaming *by);

/* Store the spheres that were at source[k] in place k, `count` of them; tables follow, also to
 * other numbers of rows, or NULL. ABUT_OK or ABUT_NO_MEMORY, with everything as it was. */
abut_status order_rearrange(abut_simulation *s, const int32_t *source, abut_index count,
                            const int32_t *new_rows);

/* Of a build for tests, ABUT_TESTING: sort before every step, however few spheres there are. */
void order_sort_always(bool is_forced);

/* Name the first row of spheres that has no law, of a table in which there is one:
 * ABUT_LAW_MISSING. */
abut_status simulation_name_missing_law(const abut_simulation *s, const interaction_table *t,
                                        abut_error *error);

/* The law of a contact with a wall, and that of two spheres. */
static inline const law *simulation_wall_law(const abut_simulation *s, abut_index place,
                                             abut_index wall)
{
    const abut_index own = s->store.materials[place], other = s->walls.walls[wall].material;
    return &s->laws.laws[laws_number(&s->laws, own, other)];
}

static inline const law *simulation_pair_law(const abut_simulation *s, abut_index i, abut_index j)
{
    const int32_t *materials = s->store.materials;
    return &s->laws.laws[laws_number(&s->laws, materials[i], materials[j])];
}

/* What two spheres of a row are to their law where bonds do not show. */
static inline pair_touch pairs_whole_touch(const abut_simulation *s, const interaction_table *t,
                                           abut_index row)
{
    return (pair_touch){.law = simulation_pair_law(s, t->pair.i[row], t->pair.j[row]),
                        .overlap = t->pair.overlap[row]};
}

static inline pair_touch pairs_touch(const abut_simulation *s, const interaction_table *t,
                                     abut_index row)
{
    return bonds_show(s) ? bonds_touch(s, t, row) : pairs_whole_touch(s, t, row);
}

/* What a row, or a spot of bodies, stores: by its law, or as a law of users has said. */
static inline double simulation_stored(const abut_simulation *s, const interaction_table *t,
                                       abut_index at, const law *l, double radius, double overlap)
{
    return laws_own(&s->laws, l)
               ? table_stored(t, at)
               : laws_energy(&s->laws, l, radius, overlap, t->springs.spring + 3 * at);
}

/* How stiff a row, or a spot of bodies, of the last step is. A law of users is asked with what it
 * keeps there, which the contact needs not have. */
law_stiffness simulation_stiffness(const abut_simulation *s, const interaction_table *t,
                                   abut_index at, const law *l, own_contact contact);

/* The mean of the velocities half a step before and after the beginning of the last step: of what
 * has such a velocity now, and such a mass to what pushes it, and of a sphere that is in no
 * cluster.
 */
vec3 grains_mean_velocity(const abut_simulation *s, vec3 velocity, vec3 force, double mass);
vec3 grains_sphere_velocity(const abut_simulation *s, abut_index place);

/* The sum of the members' forces, which is what moves a cluster. */
vec3 grains_cluster_force(const abut_simulation *s, const rigid_body *c);

/* The damper beside its spring along the normal, for this m* (docs/dem.md, section 2). */
double simulation_damper(const law *l, const law_stiffness *of, double mass);

/* What a contact of a step adds to what its wall bears. */
void energy_add_load(const abut_simulation *s, const step_tables *of, abut_index row,
                     abut_wall_load *load);

/* What bodies add: the elastic energy of their contacts, and what they exert on a wall. */
double solids_elastic_energy(const abut_simulation *s);
void solids_add_load(const abut_simulation *s, const step_tables *of, abut_index wall,
                     abut_wall_load *load);

/* What touches nothing counts as if it had so many contacts, the fewest that hold grains with
 * friction in place (docs/dem.md, section 2). */
enum { FIRST_CONTACTS = 4 };

/* How stiff the first contact of a sphere that touches nothing is, which has this speed
 * (docs/dem.md, section 2); likewise of a spot of a body, and the mass that it bears. */
law_stiffness energy_first_stiffness(const law_table *laws, const law *l, double radius,
                                     double mass, double speed);
law_stiffness solids_first_stiffness(const abut_simulation *s, const rigid_body *of, const law *l,
                                     double *mass);

/* The longest stable step of a sphere that touches nothing, by so many first contacts (docs/dem.md,
 * section 2) under the stiffest law of its material: INFINITY, where that has none. */
double energy_step_of_first_contacts(const law_table *laws, int32_t material, double count,
                                     double radius, double mass, double speed);

/* What abut_simulation_stable_step does, with so many first contacts; 0: a sphere that touches
 * nothing does not count. */
abut_status energy_stable_step(const abut_simulation *s, double first_contacts,
                               abut_stable_step *longest);

/* Where a row of a step touches its wall. */
wall_touch energy_wall_touch(const abut_simulation *s, const step_tables *of, abut_index row);

/* Where bodies touch walls that are driven in a step, in the order of their rows. */
void solids_visit_touches(const abut_simulation *s, const step_tables *of, wall_touch_visit *visit,
                          void *context);

/* What drives walls under load, and free ones, after this step: ABUT_OK, or ABUT_WALL_LOST, and
 * nothing has moved. */
abut_status drives_weigh(abut_simulation *s, abut_error *error);

/* Move them; cannot fail. */
void drives_move(abut_simulation *s);

/* The gravitational energy of all where they are now, in a field. */
double energy_of_gravity(const abut_simulation *s, vec3 gravity);

/* To be called before grains come or go: the dissipated energy then goes on from what it is. */
void energy_hold(abut_simulation *s);

/* To be called before centers or radii are assigned, whose contacts the next step finds. The change
 * of the sum of energies until then is work from outside. */
void energy_hold_total(abut_simulation *s);

/* To be called after a step. */
void energy_settle(abut_simulation *s);

/* What a caller has changed between steps is work from outside: `wall_work` takes it, and the
 * dissipated energy stays. before: the energies before the change. */
void energy_count_outside(abut_simulation *s, abut_energy before);

/* What contacts no longer hold that had so much elastic energy together is dissipated. */
void energy_lose(abut_simulation *s, double elastic);

/* This step's tables become those of the step before. */
void simulation_swap_tables(abut_simulation *s);

#endif
