/* Functions of users, called block by block. */
#include "own_laws.h"

#include <math.h>
#include <string.h>

#include "../base/error.h"

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
