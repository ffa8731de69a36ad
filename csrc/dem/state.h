/* The state of a simulation: everything that its steps read and write.
 * - The id of a sphere is the caller's name for it; only bonds and breakages store ids.
 * - The row of a sphere is its position in the caller's columns. Rows follow the order in which
 *   spheres were added, without those that were removed.
 * - The place of a sphere is its position in the arrays of `store`. Places change when spheres are
 *   sorted by their centers (sphere_order.c). */
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

/* A body with another body or a sphere. They may touch while the neighbor list is valid. */
typedef struct near_pair {
    int32_t body, other; /* the number of a body, or the row of a sphere */
    bool is_sphere;
} near_pair;

/* Table rows sorted by second partner. Rows of partner k end before ends[k], where those of partner
 * k + 1 begin. */
typedef struct partner_rows {
    abut_index *ends, *rows;
    memory_block end_block, row_block;
} partner_rows;

/* Data for searches of bodies. A finder is NULL if its bodies or spheres have changed. */
typedef struct solid_search {
    neighbor_outlines outlines;
    /* pairs of two bodies, then pairs with a sphere; each part sorted by `body`, then by `other` */
    near_pair *near;
    abut_index near_count, near_bodies; /* near_bodies: the number of pairs of two bodies */
    bool has_images;
    int32_t *spheres;        /* rows of the spheres near bodies, ascending */
    int32_t *near_positions; /* by row: position in `spheres`; -1: not near a body */
    abut_index sphere_count;
    abut_convex_finder *bodies;
    abut_convex_finder *mixed;   /* has all bodies, then the spheres near them as rounded points */
    finder_bodies finder_bodies; /* all bodies and these spheres at their present positions */
    abut_index *i, *j; /* input of a query: pairs with touching outlines, numbered as in `mixed` */
    abut_index *rows;  /* by pair: the table row of the last step that it continues; -1: none */
    abut_index pair_count;
    /* by kind; partner k is body k, or the sphere at position k of `spheres` */
    partner_rows by_second[ABUT_BODY_INTERACTIONS];
    memory_block blocks[7], outline_blocks[3];
} solid_search;

/* The settings of a step. */
typedef struct step_terms {
    double step;
    double gravity[3];
    double lift; /* added to the gravitational energy, so that a change of gravity keeps it */
} step_terms;

/* The terms of the energy balance that last longer than a step (docs/dem.md, section 6). */
typedef struct account {
    double base; /* added to the dissipated energy */
    /* work of removed grains on walls, minus the energy that assignments have added */
    double gone_wall_work;
    /* Work on driven walls that the rows' `power` omits, because the velocity changes in a step.
     * driven_work: in all steps; last_driven_work: in the last step. */
    double driven_work, last_driven_work;
    double held;  /* used if is_held: the dissipated energy after the next step */
    double total; /* used if keeps_total: the sum of all energies after the next step */
    bool is_held, keeps_total;
    bool has_new; /* spheres were added since the last step, from row new_from on */
    abut_index new_from;
} account;

#define STEP_PART(number, name) number,

typedef enum step_part { ABUT_STEP_PARTS(STEP_PART) STEP_PARTS } step_part;

/* Events that steps report as warnings. Only one event of each kind is reported. */
typedef struct watch {
    atomic_int_least64_t first; /* the smallest key of an event in this part of a step (watch.c) */
    atomic_bool has_placed;     /* some partners overlapped too much when they were placed */
    bool is_placed;             /* grains or walls were placed before this step */
    bool is_freed;              /* fixed particles were set free before this step */
    abut_notices found;
} watch;

/* The bounds of the world. After each step, the grains outside of them are counted. */
typedef struct world_bounds {
    double low[3], high[3];
    bool is_set, stops;       /* stops: a run ends as soon as a grain is outside */
    abut_index outside, left; /* grains: outside after the last step; that have left so far */
} world_bounds;

struct abut_simulation {
    abut_simulation_input input;
    union {
        struct {
            step_terms next, last;     /* of the next step, and of the last completed one */
            double began, began_steps; /* time and step number when `step` last changed */
        };
        double terms[ABUT_STEP_TERMS]; /* all numbers of the struct above */
    };
    lattice lattice; /* of the present periodic cell */
    deforming_cell cell;
    law_table laws;
    store store;
    rigid_set clusters;
    rigid_set solids;
    solid_search search;
    memory_block group_block; /* by place: the sphere's group; spheres of one group form no pairs */
    wall_set walls;
    /* cutoffs for pairs, spheres on walls, and bodies; 0: no law acts across a gap */
    double pair_reach, wall_reach, body_reach;
    memory_block pull_block;  /* by contact with a wall in this step: its share of the attraction */
    memory_block count_block; /* by grain: its contacts in this step, if the cell is held */
    memory_block kept_block;  /* by table row: whether the row is kept */
    memory_block share_blocks[2]; /* weights and normals for shares of attraction */
    pool match_scratches;         /* memory of threads that match contacts with walls */
    step_tables steps[2];         /* the tables of this step and of the last one, alternating */
    step_tables *now, *before;    /* before: of the last completed step */
    memory_block pair_blocks[3];  /* partners of the last step's pairs, if the list changed */
    abut_finder *no_meshes;       /* finds contacts with walls if all of them are half spaces */
    abut_pair_finder *lender;     /* without spheres: all searches of pairs use its memory */
    neighbor_list neighbors;
    near_walls near;
    account account;
    abut_index step_count;
    abut_index order_step;            /* the number of the step in which places are sorted next */
    double seconds;                   /* wall-clock time of all steps */
    double timed_seconds[STEP_PARTS]; /* by part of a step: time of those steps that were timed */
    atomic_intptr_t lost_row, lost_body; /* first sphere and body that would be lost; -1: none */
    watch watch;
    abut_law_case law_case; /* input and output of the user's law that ended the last step */
    bond_set bonds;
    world_bounds bounds;
};

static inline table_extras simulation_extras(const abut_simulation *s)
{
    return (table_extras){.has_images = s->lattice.is_periodic, .layout = s->laws.layout};
}

/* The finder for contacts of spheres with walls. It has no meshes if all walls are half spaces. */
static inline const abut_finder *simulation_finder(const abut_simulation *s)
{
    return s->walls.finder ? s->walls.finder : s->no_meshes;
}

static inline double simulation_time(const abut_simulation *s)
{
    return s->began + ((double)s->step_count - s->began_steps) * s->next.step;
}

/* The mass in the law of a contact with a wall. If the wall is a free body, it is m*. Otherwise it
 * is `finite`: the mass of the grain, even if the grain is fixed. */
static inline double simulation_mass_on_wall(const abut_simulation *s, abut_index wall, double mass,
                                             double finite)
{
    const wall_record *record = &s->walls.walls[wall];
    return walls_move_by(record, ABUT_FREE) ? reduced(mass, record->drive.mass) : finite;
}

/* Input for moving spheres and bodies in a step. Velocities are those of the middle of a step. If
 * two steps differ in length or gravity, half of each counts: docs/dem.md eq. 35. */
static inline rigid_step simulation_rigid_step(const abut_simulation *s)
{
    const double kick = 0.5 * (s->last.step + s->next.step);
    const double next_weight = s->next.step / (2.0 * kick);
    const vec3 last = vec3_load(s->last.gravity), next = vec3_load(s->next.gravity);
    const vec3 change = vec3_scale(vec3_sub(next, last), 1.0 - next_weight);
    const deforming_cell *c = s->cell.deforms ? &s->cell : NULL;
    return (rigid_step){s->next.step, kick, vec3_sub(next, change), &s->lattice, c};
}

/* The velocity at which the cell's border moves away from an image, when the step begins. */
static inline vec3 simulation_border_velocity(const abut_simulation *s, vec3 image)
{
    return rows_turn(s->cell.gradient, lattice_shift(&s->lattice, image));
}

/* The lattice when the rows of a table were found: in this step, or in the last one. */
static inline const lattice *simulation_lattice(const abut_simulation *s,
                                                const interaction_table *t)
{
    return t == &s->before->tables[t->kind] ? &s->cell.began : &s->lattice;
}

static inline bool simulation_is_member(const abut_simulation *s, abut_index place)
{
    return s->clusters.count > 0 && s->store.clusters[place] >= 0;
}

/* The deforming surface of a wall; NULL if the wall is rigid. */
static inline const deforming_mesh *simulation_deforming(const abut_simulation *s, abut_index wall)
{
    const bool deforms = s->walls.has_deforming && s->walls.deforming[wall].vertex_count > 0;
    return deforms ? &s->walls.deforming[wall] : NULL;
}

static inline const abut_mesh *simulation_mesh(const abut_simulation *s, abut_index wall)
{
    return abut_finder_mesh(s->walls.finder, wall);
}

/* Mass and moment of inertia of a sphere or its cluster. They are finite even if it is fixed. */
typedef struct inertness {
    double mass, inertia;
} inertness;

static inline inertness spheres_own_inertness(const abut_simulation *s, abut_index place)
{
    const store *spheres = &s->store;
    if (simulation_is_member(s, place)) {
        const rigid *r = &s->clusters.bodies[spheres->clusters[place]].rigid;
        return (inertness){r->mass, rigid_own_inertia(r)};
    }
    return (inertness){spheres->masses[place],
                       store_inertia(spheres->masses[place], spheres->radii[place])};
}

#endif
