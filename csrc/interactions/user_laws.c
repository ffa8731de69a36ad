/* Calls the functions of user laws, block by block. */
#include "user_laws.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"

/* ---- copies ---- */

static abut_index count_parameters(const abut_user_laws *from)
{
    abut_index count = 0;
    for (abut_index k = 0; k < from->count; k++) {
        count += from->laws[k].parameter_count;
    }
    return count;
}

abut_status user_laws_copy(user_laws *to, const abut_user_laws *from)
{
    *to = (user_laws){.count = from ? from->count : 0};
    if (to->count == 0) {
        return ABUT_OK;
    }
    to->laws = memory_alloc(from->count, sizeof *to->laws);
    to->parameters = memory_alloc(count_parameters(from) + 1, sizeof *to->parameters);
    if (!to->laws || !to->parameters) {
        user_laws_free(to);
        return ABUT_NO_MEMORY;
    }
    double *parameters = to->parameters;
    for (abut_index k = 0; k < from->count; k++) {
        const abut_user_law *l = &from->laws[k];
        if (l->parameter_count > 0) {
            memcpy(parameters, l->parameters, (size_t)l->parameter_count * sizeof *parameters);
        }
        to->laws[k] = *l;
        to->laws[k].parameters = parameters;
        parameters += l->parameter_count;
    }
    return ABUT_OK;
}

void user_laws_free(user_laws *laws)
{
    memory_free(laws->laws);
    memory_free(laws->parameters);
    *laws = (user_laws){.count = 0};
}

/* ---- blocks ---- */

/* The number of contacts in a block is filled up to a multiple of this. */
enum { PADDING = 8 };

/* Sets the pointer of each name to its first column. The columns of all inputs are consecutive, and
 * so are those of all outputs. */
static abut_law_block block_of(user_block *b, const abut_user_law *l)
{
    abut_law_block of = {.size = sizeof of,
                         .parameters = l->parameters,
                         .history_in = b->history_in[0],
                         .history_out = b->history_out[0]};
#define PLACE_INPUT(name, numbers) of.name = b->inputs[USER_INPUT(name)];
#define PLACE_OUTPUT(name, numbers) of.name = b->outputs[USER_OUTPUT(name)];
    ABUT_LAW_INPUTS(PLACE_INPUT)
    ABUT_LAW_OUTPUTS(PLACE_OUTPUT)
#undef PLACE_INPUT
#undef PLACE_OUTPUT
    return of;
}

/* Sets the first `count` rows of consecutive columns to 0. Other rows may become 0, too. */
static void clear_columns(double (*columns)[ABUT_LAW_ROWS], int column_count, int32_t count)
{
    if (column_count > 0) {
        const int numbers = (column_count - 1) * ABUT_LAW_ROWS + count;
        memset(columns, 0, (size_t)numbers * sizeof **columns);
    }
}

void user_block_call(user_block *b, const abut_user_law *l, int32_t count, double step)
{
    abut_law_block of = block_of(b, l);
    of.count = count, of.step = step;
    clear_columns(b->outputs, ABUT_LAW_OUTPUT_COUNT, count);
    clear_columns(b->history_out, user_history_count(l), count);
    l->function(&of);
}

bool user_block_is_bad(const user_block *b, const abut_user_law *l, int32_t k)
{
    bool is_bad = false;
    for (int c = 0; c < ABUT_LAW_OUTPUT_COUNT; c++) {
        is_bad |= !isfinite(b->outputs[c][k]);
    }
    for (int c = 0; c < user_history_count(l); c++) {
        is_bad |= !isfinite(b->history_out[c][k]);
    }
    return is_bad;
}

/* ---- stiffness ---- */

/* Contacts in the block: at rest; with a larger overlap; with a smaller one; with partners
 * separating; with partners sliding along x. In calls with velocities, LESS has partners
 * approaching. */
enum { AT_REST, MORE, LESS, PARTING, SLIDING };

/* The step of finite differences, divided by the overlap: small, but far above rounding errors. */
#define SMALL_WAY 0x1p-20

/* A very long time step. A law may divide a change of overlap by the step; the velocity is then
 * about 0. */
#define LONG_STEP 0x1p100

static void set_all(double *column, double number)
{
    for (int32_t k = 0; k < PADDING; k++) {
        column[k] = number;
    }
}

static void begin_contacts(user_block *b, const abut_user_law *l, const law_contact *c)
{
    clear_columns(b->inputs, ABUT_LAW_INPUT_COUNT, PADDING);
    clear_columns(b->history_in, user_history_count(l), PADDING);
    set_all(b->inputs[USER_INPUT(overlap)], c->overlap);
    set_all(b->inputs[USER_INPUT(normal) + 2], 1.0);
    set_all(b->inputs[USER_INPUT(radius)], c->radius);
    set_all(b->inputs[USER_INPUT(mass)], c->mass);
    set_all(b->inputs[USER_INPUT(inertia)], c->inertia);
    set_all(b->inputs[USER_INPUT(radius_i)], c->radius_i);
    set_all(b->inputs[USER_INPUT(radius_j)], c->radius_j);
    set_all(b->inputs[USER_INPUT(is_new)], c->vectors ? 0.0 : 1.0);
    for (int32_t h = 0; c->vectors && h < 3 * l->vector_count; h++) {
        set_all(b->history_in[h], c->vectors[h]);
    }
    for (int32_t h = 0; c->vectors && h < l->scalar_count; h++) {
        set_all(b->history_in[3 * l->vector_count + h], c->scalars[h]);
    }
}

static double tangent_change(const user_block *b, int32_t k)
{
    double square = 0.0;
    for (size_t axis = 0; axis < 3; axis++) {
        const double *column = b->outputs[USER_OUTPUT(tangent) + axis];
        square += (column[k] - column[AT_REST]) * (column[k] - column[AT_REST]);
    }
    return sqrt(square);
}

law_stiffness user_law_stiffness(const abut_user_law *l, const law_contact *c)
{
    user_block b;
    law_stiffness s = {.normal = 0.0};
    const double way = SMALL_WAY * (c->overlap > 0.0 ? c->overlap : SMALL_WAY * c->radius);
    begin_contacts(&b, l, c);
    b.inputs[USER_INPUT(overlap)][MORE] += way;
    b.inputs[USER_INPUT(overlap)][LESS] -= way;
    user_block_call(&b, l, PADDING, LONG_STEP);
    const double *push = b.outputs[USER_OUTPUT(push)];
    s.normal = fmax(fabs(push[MORE] - push[AT_REST]), fabs(push[AT_REST] - push[LESS])) / way;
    /* the time of one radian of an oscillation with this mass and stiffness, and its largest speed
     * if its amplitude is `way` */
    const double time = s.normal > 0.0 ? sqrt(c->mass / s.normal) : 1.0, speed = way / time;
    set_all(b.inputs[USER_INPUT(overlap)], c->overlap);
    b.inputs[USER_INPUT(parting)][PARTING] = speed;
    b.inputs[USER_INPUT(parting)][LESS] = -speed;
    b.inputs[USER_INPUT(sliding)][SLIDING] = speed;
    user_block_call(&b, l, PADDING, time);
    const double change =
        fmax(fabs(push[PARTING] - push[AT_REST]), fabs(push[LESS] - push[AT_REST]));
    s.damping_ratio =
        s.normal > 0.0 && change > 0.0 ? 0.5 * change / speed / sqrt(s.normal * c->mass) : 0.0;
    /* with twice the time step, the force of a spring is larger, but not that of a damper */
    const double once = tangent_change(&b, SLIDING);
    user_block_call(&b, l, PADDING, 2.0 * time);
    s.shear = fmax(tangent_change(&b, SLIDING) - once, 0.0) / way;
    return s;
}
