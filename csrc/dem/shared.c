/* Making and freeing a simulation, and functions that all its parts use. */
#include "shared.h"

#include <string.h>

/* ---- making and freeing ---- */

abut_status simulation_check_terms(double step, const double gravity[3], abut_error *error)
{
    if (!(step > 0.0 && step <= ABUT_COORDINATE_LIMIT)) {
        return error_set(error, ABUT_BAD_TIME_STEP, 0, 0, step);
    }
    for (int axis = 0; gravity && axis < 3; axis++) {
        if (!(fabs(gravity[axis]) <= ABUT_COORDINATE_LIMIT)) {
            return error_set(error, ABUT_BAD_GRAVITY, axis, 0, gravity[axis]);
        }
    }
    return ABUT_OK;
}

static abut_status check_input(const abut_simulation_input *input, abut_error *error)
{
    const abut_status status = simulation_check_terms(input->step, input->gravity, error);
    const lattice repeats = lattice_load(input->period, 3);
    return status ? status : lattice_check(&repeats, error);
}

/* Makes a pair finder without spheres. All searches of pairs use its memory. */
static abut_status make_lender(abut_simulation *s, abut_error *error)
{
    abut_pair_input input = abut_pair_input_default();
    input.dimension = 3;
    input.period = lattice_vectors(&s->lattice);
    return abut_pair_finder_build(&input, &s->lender, error);
}

abut_status simulation_name_row(const abut_simulation *s, const near_walls *near, abut_error *error)
{
    switch (error->status) {
    case ABUT_CENTER_NOT_FINITE:
    case ABUT_CENTER_TOO_FAR:
    case ABUT_BAD_RADIUS:
    case ABUT_TOO_MANY_IMAGES:
    case ABUT_RADIUS_TOO_SMALL:
    case ABUT_TOO_MANY_PERIODS:
        error->index = near ? near_walls_place(near, error->index) : error->index;
        error->index = s->store.rows[error->index];
        break;
    default:
        break;
    }
    return error->status;
}

abut_status abut_simulation_build(const abut_simulation_input *input, abut_simulation **simulation,
                                  abut_error *error)
{
    *simulation = NULL;
    abut_status status = check_input(input, error);
    if (status) {
        return status;
    }
    abut_simulation *s = memory_alloc_zeroed(1, sizeof *s);
    if (!s) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    s->input = *input;
    s->next.step = input->step;
    memcpy(s->next.gravity, input->gravity, sizeof s->next.gravity);
    s->last = s->next;
    s->account.is_held = true;
    s->law_case.number = -1;
    s->now = &s->steps[0], s->before = &s->steps[1];
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        s->now->tables[k].kind = s->before->tables[k].kind = (abut_interaction)k;
    }
    s->lattice = s->cell.began = lattice_load(input->period, 3);
    s->cell.reduced = lattice_reduce(&s->lattice);
    s->cell.deformation[0].x = s->cell.deformation[1].y = s->cell.deformation[2].z = 1.0;
    status = make_lender(s, error);
    status = status ? status : laws_set(&s->laws, 0, NULL, NULL, error);
    status = status ? status : abut_finder_build(NULL, 0, &s->no_meshes, error);
    if (status) {
        abut_simulation_free(s);
        return status;
    }
    *simulation = s;
    return ABUT_OK;
}

static void free_tables(step_tables *t)
{
    for (int k = 0; k < ABUT_INTERACTION_COUNT; k++) {
        table_free(&t->tables[k]);
    }
}

static void free_search(solid_search *s)
{
    abut_convex_finder_free(s->bodies);
    abut_convex_finder_free(s->mixed);
    memory_free_blocks(s->finder_bodies.blocks, FINDER_BODIES_BLOCKS);
    memory_free_blocks(s->blocks, sizeof s->blocks / sizeof *s->blocks);
    memory_free_blocks(s->outline_blocks, sizeof s->outline_blocks / sizeof *s->outline_blocks);
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        memory_free(s->by_second[k].end_block.data);
        memory_free(s->by_second[k].row_block.data);
    }
}

void abut_simulation_free(abut_simulation *s)
{
    if (!s) {
        return;
    }
    laws_free(&s->laws);
    store_free(&s->store);
    rigid_set_free(&s->clusters);
    free_search(&s->search);
    rigid_set_free(&s->solids);
    wall_set_free(&s->walls);
    abut_finder_free(s->no_meshes);
    free_tables(s->now);
    free_tables(s->before);
    neighbor_list_free(&s->neighbors);
    near_walls_free(&s->near);
    bonds_free(&s->bonds);
    memory_free_blocks(s->pair_blocks, sizeof s->pair_blocks / sizeof *s->pair_blocks);
    memory_free(s->group_block.data);
    memory_free(s->pull_block.data);
    memory_free(s->kept_block.data);
    memory_free(s->count_block.data);
    memory_free_blocks(s->share_blocks, 2);
    pool_empty(&s->match_scratches);
    abut_pair_finder_free(s->lender);
    memory_free(s);
}

/* ---- finders ---- */

void simulation_forget_bodies(abut_simulation *s)
{
    neighbor_list_forget(&s->neighbors);
    abut_convex_finder_free(s->search.bodies);
    s->search.bodies = NULL;
}

/* ---- from step to step ---- */

void simulation_swap_tables(abut_simulation *s)
{
    step_tables *other = s->now;
    s->now = s->before;
    s->before = other;
    wall_set_step(&s->walls);
}
