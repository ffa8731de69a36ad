/* Evaluates laws for given contacts, outside of simulations. */
#include <string.h>

#include "kernels.h"

/* The caller's contacts, as columns of length `count`. */
typedef struct law_columns {
    const double *inputs, *history_in;
    double *outputs, *history_out;
    abut_index count;
    int history; /* number of history columns */
} law_columns;

/* ---- columns ---- */

/* Copies rows into a block's columns, and fills up the block with copies of the last row. */
static void read_columns(double (*to)[ABUT_LAW_ROWS], const double *from, int columns,
                         abut_index count, int32_t rows)
{
    for (int c = 0; c < columns; c++) {
        memcpy(to[c], from + c * count, (size_t)rows * sizeof *from);
        for (int32_t k = rows; k < rows_filled_up(rows); k++) {
            to[c][k] = to[c][rows - 1];
        }
    }
}

static void write_columns(double *to, double (*from)[ABUT_LAW_ROWS], int columns, abut_index count,
                          int32_t rows)
{
    for (int c = 0; c < columns; c++) {
        memcpy(to + c * count, from[c], (size_t)rows * sizeof *to);
    }
}

/* Reads the contacts of a block. Returns their number. */
static int32_t read_block(const law_columns *a, abut_index first, user_block *b)
{
    const abut_index left = a->count - first;
    const int32_t rows = left < ABUT_LAW_ROWS ? (int32_t)left : ABUT_LAW_ROWS;
    read_columns(b->inputs, a->inputs + first, ABUT_LAW_INPUT_COUNT, a->count, rows);
    read_columns(b->history_in, a->history_in + first, a->history, a->count, rows);
    return rows;
}

static void write_block(const law_columns *a, abut_index first, user_block *b, int32_t rows)
{
    write_columns(a->outputs + first, b->outputs, ABUT_LAW_OUTPUT_COUNT, a->count, rows);
    write_columns(a->history_out + first, b->history_out, a->history, a->count, rows);
}

void abut_user_law_apply(const abut_user_law *of, double step, abut_index count,
                         const double *inputs, const double *history_in, double *outputs,
                         double *history_out)
{
    user_block b;
    const law_columns a = {inputs, history_in, outputs, history_out, count, user_history_count(of)};
    for (abut_index first = 0; first < count; first += ABUT_LAW_ROWS) {
        const int32_t rows = read_block(&a, first, &b);
        user_block_call(&b, of, rows_filled_up(rows), step);
        write_block(&a, first, &b, rows);
    }
}

/* ---- built-in laws ---- */

/* Columns of the history of built-in laws: both springs, the overlap, the largest overlap. */
enum { OVERLAP = 6, MOST, HISTORY };

/* The largest length of a row of the kernels' history: both springs, the largest overlap, and the
 * end. */
enum { ROW_NUMBERS = OVERLAP + 1 + HISTORY_END_NUMBERS };

/* A block of contacts for the kernels of built-in laws. The first partner has the reduced mass and
 * radius and the relative motion; the second one is a wall at rest. */
typedef struct built_in_block {
    law_block block;
    mover first[LAW_BLOCK], second;
    double normals[3 * LAW_BLOCK + ROW_PADDING], shares[LAW_BLOCK];
    abut_index rows[LAW_BLOCK];
    history_layout layout;
    double old[LAW_BLOCK * ROW_NUMBERS], kept[LAW_BLOCK * ROW_NUMBERS];
    double moments[3 * LAW_BLOCK], powers[LAW_BLOCK];
    _Alignas(64) effect effects[LAW_BLOCK];
} built_in_block;

static void set_contact(built_in_block *b, const user_block *c, const law *l, int32_t k)
{
    const double (*in)[ABUT_LAW_ROWS] = c->inputs;
    const bool is_new = in[USER_INPUT(is_new)][k] > 0.0;
    law_block *block = &b->block;
    mover *of = &b->first[k];
    for (size_t axis = 0; axis < 3; axis++) {
        const double normal = b->normals[3 * (size_t)k + axis] = in[USER_INPUT(normal) + axis][k];
        of->velocity[axis] =
            in[USER_INPUT(sliding) + axis][k] + normal * in[USER_INPUT(parting)][k];
        of->spin[axis] = in[USER_INPUT(rolling) + axis][k] + normal * in[USER_INPUT(twisting)][k];
    }
    double *old = b->old + k * ROW_NUMBERS;
    for (int h = 0; h < b->layout.begins[HISTORY_VECTORS]; h++) {
        old[h] = is_new ? 0.0 : c->history_in[h][k];
    }
    if (l->form->keeps_most) {
        history_set_most(&b->layout, old, is_new ? 0.0 : c->history_in[MOST][k]);
    }
    of->radius = block->radius[k] = in[USER_INPUT(radius)][k];
    of->mass = in[USER_INPUT(mass)][k];
    b->shares[k] = block->pull_share[k] = 1.0;
    block->inertia[k] = in[USER_INPUT(inertia)][k];
    block->old_overlap[k] = is_new ? in[USER_INPUT(overlap)][k] : c->history_in[OVERLAP][k];
    block->first[k] = of, block->second[k] = block->wall[k] = &b->second;
    block->laws[k] = l;
    block->old_normal[k] = b->normals + 3 * k;
    block->kept[k] = old, b->rows[k] = k;
}

static void read_contact(const built_in_block *b, user_block *c, const law *l, int32_t k)
{
    const double *normal = b->normals + 3 * k, *force = b->effects[k].force;
    const double push = force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2];
    for (size_t axis = 0; axis < 3; axis++) {
        const size_t at = 3 * (size_t)k + axis;
        c->outputs[USER_OUTPUT(tangent) + axis][k] = force[axis] - push * normal[axis];
        c->outputs[USER_OUTPUT(moment) + axis][k] = b->moments[at];
    }
    const double overlap = b->block.overlap[k], *kept = b->kept + history_numbers(&b->layout) * k;
    const double most = history_most(&b->layout, kept);
    for (int h = 0; h < OVERLAP; h++) {
        c->history_out[h][k] = h < b->layout.begins[HISTORY_VECTORS] ? kept[h] : 0.0;
    }
    c->history_out[MOST][k] = most;
    c->outputs[USER_OUTPUT(push)][k] = push;
    c->outputs[USER_OUTPUT(stored)][k] = law_energy(l, b->block.radius[k], overlap, kept, most);
    c->history_out[OVERLAP][k] = overlap;
}

static void apply_built_in(built_in_block *b, user_block *c, const law *l, int32_t rows)
{
    for (int32_t k = 0; k < rows; k++) {
        set_contact(b, c, l, k);
    }
    b->block.overlap = c->inputs[USER_INPUT(overlap)];
    b->block.count = rows;
    interaction_kernels_take()->laws(&b->block);
    for (int32_t k = 0; k < rows; k++) {
        read_contact(b, c, l, k);
    }
}

abut_status abut_law_apply(const abut_law *of, double step, abut_index count, const double *inputs,
                           const double *history_in, double *outputs, double *history_out,
                           abut_error *error)
{
    const abut_status status = laws_check(1, of, NULL, error);
    if (status) {
        return status;
    }
    const law l = law_read(of, NULL);
    const law_columns a = {inputs, history_in, outputs, history_out, count, HISTORY};
    built_in_block b = {.block = {.step = step,
                                  .is_wall = true,
                                  .is_spot = true,
                                  .is_cohesive = l.form->function == LAW_COHESIVE,
                                  .watch_part = 1.0},
                        .layout = history_lay_out(l.rolling_friction > 0.0, l.form->keeps_most, 0,
                                                  l.form->keeps_most)};
    b.block.normal = b.normals, b.block.share = b.shares;
    b.block.effects = b.effects, b.block.moment = b.moments, b.block.power = b.powers;
    b.block.layout = &b.layout, b.block.history = b.kept, b.block.rows = b.rows;
    for (abut_index first = 0; first < count; first += ABUT_LAW_ROWS) {
        user_block c;
        const int32_t rows = read_block(&a, first, &c);
        apply_built_in(&b, &c, &l, rows_filled_up(rows));
        write_block(&a, first, &c, rows);
    }
    return ABUT_OK;
}

double abut_law_reach(const abut_law *of, double radius, double *begins)
{
    const law l = law_read(of, NULL);
    const double reach = law_reach(&l, radius);
    *begins = l.begins_apart ? -reach : 0.0;
    return reach;
}
