/* The laws of all pairs of materials. */
#include "law_table.h"

#include <math.h>

#include "../base/error.h"
#include "../base/memory.h"

abut_status laws_check(abut_index material_count, const abut_law *laws, const abut_user_laws *own,
                       abut_error *error)
{
    for (abut_index k = 0; k < material_count * material_count; k++) {
        const double *bad = law_find_bad(&laws[k], own);
        if (bad) {
            return error_set(error, ABUT_BAD_LAW, k / material_count, k % material_count, *bad);
        }
    }
    return ABUT_OK;
}

/* Adds one of the caller's laws to the table. */
static void add_law(law_table *made, abut_index k, const abut_law *from)
{
    const law *l = &made->laws[k];
    made->laws[k] = law_read(from, &made->user);
    made->has_missing |= l->is_missing;
    made->pulls_or_reaches |= l->user ? l->user->reach > 0.0 : l->form->function == LAW_COHESIVE;
}

/* Computes a layout in which the history of each law fits. */
static history_layout lay_out(const law_table *made, const abut_law *laws)
{
    bool has_rolls = false, keeps_more = made->user.count > 0;
    int vectors = 0, scalars = 0;
    for (abut_index k = 0; k < made->material_count * made->material_count; k++) {
        has_rolls |= !made->laws[k].user && laws[k].rolling == ABUT_ROLLING_C;
        keeps_more |= made->laws[k].form->keeps_most;
        scalars |= made->laws[k].form->keeps_most;
    }
    for (abut_index k = 0; k < made->user.count; k++) {
        const abut_user_law *l = &made->user.laws[k];
        vectors = l->vector_count > vectors ? l->vector_count : vectors;
        scalars = l->scalar_count > scalars ? l->scalar_count : scalars;
    }
    return history_lay_out(has_rolls, keeps_more, vectors, scalars);
}

abut_status laws_set(law_table *table, abut_index material_count, const abut_law *laws,
                     const abut_user_laws *own, abut_error *error)
{
    const abut_index count = material_count * material_count;
    abut_status status = laws_check(material_count, laws, own, error);
    if (status) {
        return status;
    }
    law_table made = {.material_count = material_count, .are_alike = true};
    made.laws = memory_alloc_zeroed(count + 1, sizeof *made.laws);
    if (!made.laws || user_laws_copy(&made.user, own)) {
        laws_free(&made);
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    for (abut_index k = 0; k < count; k++) {
        add_law(&made, k, &laws[k]);
        made.are_alike &= law_is_like(&made.laws[k], made.laws);
    }
    made.layout = lay_out(&made, laws);
    const abut_law nothing = {.kind = ABUT_NO_LAW};
    made.laws[count] = law_read(&nothing, NULL);
    made.laws[count].is_missing = false;
    laws_free(table);
    *table = made;
    return ABUT_OK;
}

void laws_free(law_table *table)
{
    memory_free(table->laws);
    user_laws_free(&table->user);
    *table = (law_table){0};
}

double laws_most_reach(const law_table *table, abut_index material, double radius)
{
    double most = 0.0;
    for (abut_index k = 0; table->pulls_or_reaches && k < table->material_count; k++) {
        const law *l = laws_between(table, material, k);
        most = fmax(most, l->form->most_reach ? l->form->most_reach(l, radius) : 0.0);
    }
    return most;
}
