/* The state of a simulation: all that its steps read and write. */
#ifndef DEM_STATE_H
#define DEM_STATE_H

#include <stdatomic.h>

#include "../base/error.h"
#include "../base/parallel.h"
#include "../base/pool.h"
#include "../interactions/near_walls.h"
#include "../interactions/table.h"
#include "bonds.h"
#include "finder_bodies.h"
#include "rigid_set.h"
#include "walls.h"

/* The interactions of a step. */
typedef struct step_tables {
    interaction_table tables[ABUT_INTERACTION_COUNT];
} step_tables;

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
    abut_convex_finder *mixed;   /* bodies, and behind them spheres that are near, as points */
    finder_bodies finder_bodies; /* bodies and those spheres, where they are */
    abut_index *i, *j;           /* of a query: pairs whose outlines touch, as `mixed` counts */
    abut_index *rows;            /* the row of the step before of each; -1: none */
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
    bool has_new; /* spheres have come since the last step, from this row on */
    abut_index new_from;
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
    bool is_set, stops;       /* stops: a run ends where somebody is beyond them */
    abut_index outside, left; /* after the last step; that have left so far */
} world_bounds;

struct abut_simulation {
    abut_simulation_input input;
    union {
        struct {
            step_terms next, last;     /* of the next step, and of the last one that was done */
            double began, began_steps; /* the time after so many steps, since which all are alike */
        };
        double terms[ABUT_STEP_TERMS]; /* all of these */
    };
    lattice lattice;
    law_table laws;
    store store;
    rigid_set clusters;
    rigid_set solids;
    solid_search search;
    memory_block group_block; /* of spheres: those of one group are no pairs */
    wall_set walls;
    /* how far apart spheres and walls, and bodies and all others, are searched for; 0: none pulls
     */
    double pair_reach, wall_reach, body_reach;
    memory_block pull_block;      /* of this step's contacts: their shares of what they pull */
    memory_block kept_block;      /* likewise: whether they are kept */
    memory_block share_blocks[2]; /* what shares of pulls are computed from */
    pool match_scratches;         /* memory of threads that match contacts with walls */
    step_tables steps[2];         /* which take turns: */
    step_tables *now, *before;    /* before: of the last step that was done */
    memory_block pair_blocks[3];  /* columns of its pairs that are shown */
    abut_finder *no_meshes;       /* finds contacts where all walls are half spaces */
    abut_pair_finder *lender;     /* of memory, to searches of pairs */
    neighbor_list neighbors;
    near_walls near;
    account account;
    abut_index step_count;
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
    return (table_extras){.has_images = s->lattice.is_periodic, .layout = s->laws.layout};
}

/* What spheres are searched for with: of no meshes where all walls are half spaces. */
static inline const abut_finder *simulation_finder(const abut_simulation *s)
{
    return s->walls.finder ? s->walls.finder : s->no_meshes;
}

static inline double simulation_time(const abut_simulation *s)
{
    return s->began + ((double)s->step_count - s->began_steps) * s->next.step;
}

/* The mass that a law takes for what touches a wall: m*, where the wall is a free body, else its
 * own, also of who is held. */
static inline double simulation_mass_on_wall(const abut_simulation *s, abut_index wall, double mass,
                                             double own)
{
    const wall_record *w = &s->walls.walls[wall];
    return walls_move_by(w, ABUT_FREE) ? reduced(mass, w->drive.mass) : own;
}

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

/* The surface of a contact's wall, where it deforms; else NULL. */
static inline const deforming_mesh *simulation_deforming(const abut_simulation *s, abut_index wall)
{
    const bool deforms = s->walls.has_deforming && s->walls.deforming[wall].vertex_count > 0;
    return deforms ? &s->walls.deforming[wall] : NULL;
}

static inline const abut_mesh *simulation_mesh(const abut_simulation *s, abut_index wall)
{
    return abut_finder_mesh(s->walls.finder, wall);
}

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

#endif
