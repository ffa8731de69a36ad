/* A simulation: its spheres, what they touched in the last step, and the parts of a step. */
#ifndef DEM_SIMULATION_H
#define DEM_SIMULATION_H

#include <stdatomic.h>

#include "../base/parallel.h"
#include "clusters.h"
#include "tables.h"
#include "walls.h"

/* Both tables of contacts take turns, and so do those of pairs. */
typedef struct step_tables {
    contact_table contacts;
    pair_table pairs;
    double *poses; /* wall_count x 4 x 4, at its beginning */
    abut_wall_state *states;
} step_tables;

/* The walls of a simulation; motions are copies. */
typedef struct wall_set {
    const abut_finder *finder;
    abut_wall *walls;
    abut_motion *motions;
    abut_wall_state *given; /* of walls whose motion is given: of the next step */
    abut_index count;
} wall_set;

/* Pairs of each sphere, of those in which it is the second one: their rows ascend. Keys have the
 * row of the first sphere, and below it that of the pair. */
typedef struct second_lists {
    int32_t *begins; /* sphere_count + 1 */
    int64_t *keys;
    memory_block begin_block, key_block;
} second_lists;

/* What energies are counted from (docs/dem.md, section 6). */
typedef struct account {
    double base;           /* what is added to the dissipated energy */
    double gone_wall_work; /* of spheres that are gone */
    double held;           /* the dissipated energy after the next step, where is_held */
    bool is_held;
} account;

/* Parts of a step that are timed. */
typedef enum step_part {
    FIND_WALLS,
    WALL_LAWS,
    FIND_PAIRS,
    MATCH_PAIRS,
    PAIR_LAWS,
    SUMS,
    MOVE,
    ORDER,
    STEP_PARTS
} step_part;

struct abut_simulation {
    abut_simulation_input input;
    bool is_periodic;
    law_table laws;
    store store;
    cluster_set clusters;
    wall_set walls;
    step_tables now, before;                /* before: of the last step that was done */
    abut_pair_finder *lender, *pair_finder; /* pair_finder: NULL where spheres have changed */
    second_lists seconds;
    memory_block sum_lists; /* int64_t: keys of the pairs of spheres that have very many */
    account account;
    abut_index step_count;
    abut_index order_step; /* the step in which spheres are sorted by place */
    double seconds_of[STEP_PARTS];
    atomic_intptr_t lost_row; /* the first sphere that will be lost; -1: none */
};

static inline table_kind simulation_kind(const abut_simulation *s)
{
    return (table_kind){.has_images = s->is_periodic, .has_rolls = s->laws.has_rolling_springs};
}

static inline abut_status simulation_report(abut_error *error, abut_status status, abut_index index,
                                            abut_index detail, double value)
{
    *error = (abut_error){.status = status, .index = index, .detail = detail, .value = value};
    return status;
}

static inline double simulation_time(const abut_simulation *s)
{
    return (double)s->step_count * s->input.step;
}

static inline bool simulation_is_member(const abut_simulation *s, abut_index place)
{
    return s->clusters.count > 0 && s->store.clusters[place] >= 0;
}

/* ---- parts of a step; each returns ABUT_OK or why the step is to end, and moves nothing ---- */

/* Where walls are now. */
void contacts_place_walls(abut_simulation *s);

/* Find contacts with walls, match them, and apply their laws. */
abut_status contacts_step(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Likewise pairs. */
abut_status pairs_step(abut_simulation *s, const parallel_plan *plan, abut_error *error);

/* Sum up forces and torques; lost_row tells who would be lost. */
abut_status forces_sum(abut_simulation *s, const parallel_plan *plan);

/* Move spheres and clusters; cannot fail. */
void spheres_move(abut_simulation *s, const parallel_plan *plan);

/* Bring a center into the periodic box, and count by how many periods. */
void spheres_wrap(const abut_simulation *s, double *center, int32_t *images);

/* The same center without the periods that it was moved by, before the step that has moved it since
 * `began`. */
vec3 spheres_unwrap(const abut_simulation *s, vec3 began, vec3 center, const int32_t *images);

/* Sort spheres by place where it is time. ABUT_OK or ABUT_NO_MEMORY. */
abut_status order_spheres(abut_simulation *s);

/* The tables of the last step by other numbers of spheres. ABUT_OK or ABUT_NO_MEMORY, with
 * everything as it was. */
abut_status order_renumber_tables(abut_simulation *s, const renumbering *by);

/* Store the spheres that were at source[k] in place k, `count` of them; tables follow. ABUT_OK or
 * ABUT_NO_MEMORY, with everything as it was. */
abut_status order_rearrange(abut_simulation *s, const int32_t *source, abut_index count);

#ifdef ABUT_TESTING
/* Sort before every step, however few spheres there are. */
void order_sort_always(bool is_forced);
#endif

/* The law of a contact with a wall; and of two spheres, which of one cluster, or of a sphere and
 * its own image, is none. */
const law *simulation_wall_law(const abut_simulation *s, abut_index place, abut_index wall);
const law *simulation_pair_law(const abut_simulation *s, abut_index i, abut_index j);

/* Energies, without what the account adds. */
abut_energy energy_count(const abut_simulation *s);

/* Before spheres are changed: from the next step on the dissipated energy goes on as it is. */
void energy_hold(abut_simulation *s);
void energy_settle(abut_simulation *s);

/* Seconds since `*clock`, which becomes now. */
double clock_lap(double *clock);

#endif
