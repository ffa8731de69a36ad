/* Functions of users, called block by block. */
#include "own_laws.h"

#include <string.h>

#include "kernels.h"

/* Contacts of a block are filled up to a multiple of this. */
enum { PADDING = 8 };

/* Columns of inputs follow one another, as do those of outputs: each name is told where its first
 * one is. */
static abut_law_block block_of(own_block *b, const abut_own_law *l)
{
    abut_law_block of = {.size = sizeof of,
                         .parameters = l->parameters,
                         .history_in = b->history_in[0],
                         .history_out = b->history_out[0]};
#define PLACE_INPUT(name, numbers) of.name = b->inputs[OWN_INPUT(name)];
#define PLACE_OUTPUT(name, numbers) of.name = b->outputs[OWN_OUTPUT(name)];
    ABUT_LAW_INPUTS(PLACE_INPUT)
    ABUT_LAW_OUTPUTS(PLACE_OUTPUT)
#undef PLACE_INPUT
#undef PLACE_OUTPUT
    return of;
}

void own_block_call(own_block *b, const abut_own_law *l, int32_t count, double step)
{
    abut_law_block of = block_of(b, l);
    of.count = count, of.step = step;
    memset(b->outputs, 0, sizeof b->outputs);
    memset(b->history_out, 0, (size_t)own_history_count(l) * sizeof b->history_out[0]);
    l->function(&of);
}

/* A sum of the columns times 0: 0 where all of them are finite, else not a number. */
static void add_zeros(const double (*columns)[ABUT_LAW_ROWS], int count, double *sums)
{
    for (int c = 0; c < count; c++) {
        for (int k = 0; k < ABUT_LAW_ROWS; k++) {
            sums[k] += 0.0 * columns[c][k];
        }
    }
}

int32_t own_block_find_bad(const own_block *b, const abut_own_law *l, int32_t count)
{
    double sums[ABUT_LAW_ROWS] = {0.0};
    add_zeros(b->outputs, OWN_OUTPUTS, sums);
    add_zeros(b->history_out, own_history_count(l), sums);
    for (int32_t k = 0; k < count; k++) {
        if (!(sums[k] == 0.0)) {
            return k;
        }
    }
    return -1;
}

/* ---- outside of simulations ---- */

/* Copy rows of columns that are `count` long into a block's, or back. */
static void read_columns(double (*to)[ABUT_LAW_ROWS], const double *from, int columns,
                         abut_index count, abut_index first, int32_t rows)
{
    for (int c = 0; c < columns; c++) {
        memcpy(to[c], from + c * count + first, (size_t)rows * sizeof *from);
        for (int32_t k = rows; k % PADDING != 0; k++) {
            to[c][k] = to[c][rows - 1];
        }
    }
}

static void write_columns(double *to, const double (*from)[ABUT_LAW_ROWS], int columns,
                          abut_index count, abut_index first, int32_t rows)
{
    for (int c = 0; c < columns; c++) {
        memcpy(to + c * count + first, from[c], (size_t)rows * sizeof *to);
    }
}

void abut_own_law_apply(const abut_own_law *law, double step, abut_index count,
                        const double *inputs, const double *history_in, double *outputs,
                        double *history_out)
{
    own_block b;
    const int kept = own_history_count(law);
    for (abut_index first = 0; first < count; first += ABUT_LAW_ROWS) {
        const abut_index left = count - first;
        const int32_t rows = left < ABUT_LAW_ROWS ? (int32_t)left : ABUT_LAW_ROWS;
        read_columns(b.inputs, inputs, OWN_INPUTS, count, first, rows);
        read_columns(b.history_in, history_in, kept, count, first, rows);
        own_block_call(&b, law, (rows + PADDING - 1) / PADDING * PADDING, step);
        write_columns(outputs, (const double (*)[ABUT_LAW_ROWS])b.outputs, OWN_OUTPUTS, count,
                      first, rows);
        write_columns(history_out, (const double (*)[ABUT_LAW_ROWS])b.history_out, kept, count,
                      first, rows);
    }
}

/* ---- the same of built-in laws ---- */

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
        of->velocity[axis] = input_of(c, OWN_INPUT(sliding) + a, k) +
                             normal * input_of(c, OWN_INPUT(parting), k);
        of->spin[axis] = input_of(c, OWN_INPUT(rolling) + a, k) +
                         normal * input_of(c, OWN_INPUT(twisting), k);
        b->old_springs[k][axis] = is_new ? 0.0 : c->history_in[axis * c->count + at];
        b->old_rolls[k][axis] = is_new ? 0.0 : c->history_in[(3 + axis) * c->count + at];
    }
    of->radius = b->block.radius[k] = input_of(c, OWN_INPUT(radius), k);
    of->mass = input_of(c, OWN_INPUT(mass), k);
    b->overlaps[k] = input_of(c, OWN_INPUT(overlap), k), b->shares[k] = 1.0;
    b->block.inertia[k] = input_of(c, OWN_INPUT(inertia), k);
    b->block.old_overlap[k] =
        is_new ? b->overlaps[k] : c->history_in[6 * c->count + c->first + k];
    b->block.first[k] = of, b->block.second[k] = &b->second, b->block.laws[k] = l;
    b->block.old_normal[k] = b->normals + 3 * k;
    b->block.old_spring[k] = b->old_springs[k], b->block.old_roll[k] = b->old_rolls[k];
}

static void take_contact(const built_in_block *b, const column_part *c, const law *l, int32_t k)
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
        laws_energy(l, b->block.radius[k], b->overlaps[k], b->springs + 3 * k);
    c->history_out[6 * n + at] = b->overlaps[k];
}

static void apply_built_in(built_in_block *b, const column_part *c, const law *l, int32_t rows,
                           double step)
{
    const int32_t all = (rows + PADDING - 1) / PADDING * PADDING;
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
    interaction_kernels_take()->wall_spot_laws(&b->block);
    for (int32_t k = 0; k < rows; k++) {
        take_contact(b, c, l, k);
    }
}

abut_status abut_law_apply(const abut_law *law, double step, abut_index count,
                           const double *inputs, const double *history_in, double *outputs,
                           double *history_out, abut_error *error)
{
    law_table table = {.laws = NULL};
    const abut_status status = laws_set(&table, 1, law, error);
    built_in_block b = {.second = {.mass = 0.0}};
    for (abut_index first = 0; !status && first < count; first += LAW_BLOCK) {
        const column_part part = {.inputs = inputs,
                                  .history_in = history_in,
                                  .outputs = outputs,
                                  .history_out = history_out,
                                  .count = count,
                                  .first = first};
        const abut_index left = count - first;
        apply_built_in(&b, &part, table.laws, left < LAW_BLOCK ? (int32_t)left : LAW_BLOCK, step);
    }
    laws_free(&table);
    return status;
}
