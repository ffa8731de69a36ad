/* Sets contact laws: built-in ones and functions of users. */
#include "apart.h"
#include "energy.h"
#include "sphere_order.h"

abut_status abut_simulation_set_laws(abut_simulation *s, abut_index material_count,
                                     const abut_law *laws, abut_error *error)
{
    return abut_simulation_set_user_laws(s, material_count, laws, NULL, error);
}

abut_law_case abut_simulation_law_case(const abut_simulation *s)
{
    return s->law_case;
}

abut_index abut_simulation_history_count(const abut_simulation *s)
{
    const history_layout *l = &s->laws.layout;
    return history_numbers(l) - l->begins[HISTORY_VECTORS];
}

/* Rewrites the tables of the last step if the new laws store other numbers as contact history. */
static abut_status keep_other_numbers(abut_simulation *s, const history_layout *before)
{
    const renaming same = {.place_count = s->store.count, .body_count = s->solids.count};
    return history_is_same(before, &s->laws.layout) ? ABUT_OK : order_renumber_tables(s, &same);
}

abut_status abut_simulation_set_user_laws(abut_simulation *s, abut_index material_count,
                                          const abut_law *laws, const abut_user_laws *own,
                                          abut_error *error)
{
    const abut_energy energy = abut_simulation_energy(s);
    abut_status status = error_set_status(error, apart_reserve(s));
    law_table before = s->laws;
    s->laws = (law_table){.laws = NULL};
    status = status ? status : laws_set(&s->laws, material_count, laws, own, error);
    status = status ? status : error_set_status(error, keep_other_numbers(s, &before.layout));
    if (status) {
        laws_free(&s->laws);
        s->laws = before;
        return status;
    }
    apart_end_untouched(s, &before, NULL);
    if (before.pulls_or_reaches || s->laws.pulls_or_reaches) {
        neighbor_list_forget(&s->neighbors); /* cutoffs may have changed */
    }
    laws_free(&before);
    energy_count_outside(s, energy); /* new laws store other energies in the same contacts */
    return ABUT_OK;
}
