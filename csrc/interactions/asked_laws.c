/* Built-in laws, asked outside of simulations as users' laws are. */
#include <string.h>

#include "kernels.h"

/* One block of contacts as the kernels of built-in laws have them: relative motion is that of a
 * first partner of the reduced mass and radius, at a wall that stands still. */
typedef struct built_in_block {
    law_block block;
    mover first[LAW_BLOCK], second;
    double normals[3 * LAW_BLOCK + ROW_PADDING], overlaps[LAW_BLOCK], shares[LAW_BLOCK];
    double old_springs[LAW_BLOCK][4], old_rolls[LAW_BLOCK][4];
    double springs[3 * LAW_BLOCK], rolls[3 * LAW_BLOCK], moments[3 * LAW_BLOCK], powers[LAW_BLOCK];
    _Alignas(64) effect effects[LAW_BLOCK];
} built_in_block;

/* The columns of one block's contacts, which are `count` long. */
typedef struct column_part {
    const double *inputs, *history_in;
    double *outputs, *history_out;
    abut_index count, first;
} column_part;

static double input_of(const column_part *c, size_t column, int32_t k)
{
    return c->inputs[(abut_index)column * c->count + c->first + k];
}

static void set_contact(built_in_block *b, const column_part *c, const law *l, int32_t k)
{
    const bool is_new = input_of(c, OWN_INPUT(is_new), k) > 0.0;
    mover *of = &b->first[k];
    for (int axis = 0; axis < 3; axis++) {
        const size_t a = (size_t)axis;
        const double normal = input_of(c, OWN_INPUT(normal) + a, k);
        const abut_index at = c->first + k;
        b->normals[3 * k + axis] = normal;
        of->velocity[axis] =
            input_of(c, OWN_INPUT(sliding) + a, k) + normal * input_of(c, OWN_INPUT(parting), k);
        of->spin[axis] =
            input_of(c, OWN_INPUT(rolling) + a, k) + normal * input_of(c, OWN_INPUT(twisting), k);
        b->old_springs[k][axis] = is_new ? 0.0 : c->history_in[axis * c->count + at];
        b->old_rolls[k][axis] = is_new ? 0.0 : c->history_in[(3 + axis) * c->count + at];
    }
    of->radius = b->block.radius[k] = input_of(c, OWN_INPUT(radius), k);
    of->mass = input_of(c, OWN_INPUT(mass), k);
    b->overlaps[k] = input_of(c, OWN_INPUT(overlap), k);
    b->shares[k] = b->block.pull_share[k] = 1.0;
    b->block.inertia[k] = input_of(c, OWN_INPUT(inertia), k);
    b->block.old_overlap[k] = is_new ? b->overlaps[k] : c->history_in[6 * c->count + c->first + k];
    b->block.first[k] = of, b->block.second[k] = b->block.wall[k] = &b->second;
    b->block.laws[k] = l;
    b->block.old_normal[k] = b->normals + 3 * k;
    b->block.old_spring[k] = b->old_springs[k], b->block.old_roll[k] = b->old_rolls[k];
}

static void take_contact(const built_in_block *b, const column_part *c, const law_table *table,
                         int32_t k)
{
    const abut_index at = c->first + k, n = c->count;
    const effect *of = &b->effects[k];
    double push = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        push += of->force[axis] * b->normals[3 * k + axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        c->outputs[(OWN_OUTPUT(tangent) + (size_t)axis) * (size_t)n + (size_t)at] =
            of->force[axis] - push * b->normals[3 * k + axis];
        c->outputs[(OWN_OUTPUT(moment) + (size_t)axis) * (size_t)n + (size_t)at] =
            b->moments[3 * k + axis];
        c->history_out[axis * n + at] = b->springs[3 * k + axis];
        c->history_out[(3 + axis) * n + at] = b->rolls[3 * k + axis];
    }
    c->outputs[at] = push;
    c->outputs[OWN_OUTPUT(stored) * (size_t)n + (size_t)at] =
        laws_energy(table, table->laws, b->block.radius[k], b->overlaps[k], b->springs + 3 * k);
    c->history_out[6 * n + at] = b->overlaps[k];
}

static void apply_built_in(built_in_block *b, const column_part *c, const law_table *table,
                           int32_t rows, double step)
{
    const law *l = table->laws;
    const int32_t all = (rows + ROW_PADDING - 1) / ROW_PADDING * ROW_PADDING;
    for (int32_t k = 0; k < all; k++) {
        column_part last = *c;
        last.first += k < rows ? 0 : rows - 1 - k;
        set_contact(b, &last, l, k);
    }
    memset(b->moments, 0, sizeof b->moments);
    memset(b->rolls, 0, sizeof b->rolls);
    b->block.count = rows, b->block.step = step;
    b->block.normal = b->normals, b->block.overlap = b->overlaps, b->block.share = b->shares;
    b->block.effects = b->effects, b->block.spring = b->springs, b->block.power = b->powers;
    b->block.moment = b->moments, b->block.roll = l->rolling_friction > 0.0 ? b->rolls : NULL;
    b->block.watch_part = 1.0;
    b->block.table = table;
    b->block.is_cohesive = laws_function(table, table->laws) == LAW_COHESIVE;
    interaction_kernels_take()->wall_spot_laws(&b->block);
    for (int32_t k = 0; k < rows; k++) {
        take_contact(b, c, table, k);
    }
}

abut_status abut_law_apply(const abut_law *of, double step, abut_index count, const double *inputs,
                           const double *history_in, double *outputs, double *history_out,
                           abut_error *error)
{
    law_table table = {.laws = NULL};
    const abut_status status = laws_set(&table, 1, of, NULL, error);
    built_in_block b = {.second = {.mass = 0.0}};
    for (abut_index first = 0; !status && first < count; first += LAW_BLOCK) {
        const column_part part = {.inputs = inputs,
                                  .history_in = history_in,
                                  .outputs = outputs,
                                  .history_out = history_out,
                                  .count = count,
                                  .first = first};
        const abut_index left = count - first;
        apply_built_in(&b, &part, &table, left < LAW_BLOCK ? (int32_t)left : LAW_BLOCK, step);
    }
    laws_free(&table);
    return status;
}

double abut_law_reach(const abut_law *of, double radius, double *begins)
{
    const cohesion c = cohesion_read(of);
    const double reach = cohesion_reach(&c, radius);
    *begins = c.begins_apart ? -reach : 0.0;
    return reach;
}
