/* What the law of two spheres has to know of bonds: between those that a bond holds none acts, and
 * after it has broken the law begins as that of new contacts, of spheres that touch where they were
 * bonded (docs/dem.md, section 12). */
#include "bond_pairs.h"

#include "pair_rows.h"

vec3 bonds_way(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3])
{
    const store *of = &s->store;
    const abut_index i = of->places[rows[0]], j = of->places[rows[1]];
    const vec3 apart = vec3_sub(vec3_load(of->centers + 3 * j), vec3_load(of->centers + 3 * i));
    if (!s->lattice.is_periodic) {
        return apart;
    }
    const int32_t *a = of->images + 3 * i, *b = of->images + 3 * j;
    const vec3 image = {(double)(shift[0] + b[0] - a[0]), (double)(shift[1] + b[1] - a[1]),
                        (double)(shift[2] + b[2] - a[2])};
    return vec3_add(apart, lattice_shift(&s->lattice, image));
}

/* ---- which row ---- */

/* By how many periods a sphere was moved down so far, when these rows were found: those of the last
 * step were before the step has moved it. */
static double image_of(const abut_simulation *s, const interaction_table *t, abut_index place,
                       int axis)
{
    const abut_index at = 3 * place + axis;
    const double moved = s->store.began[at] - s->store.centers[at];
    const double last = pair_rows_are_of_now(s, t) ? 0.0 : lattice_count(&s->lattice, axis, moved);
    return (double)s->store.images[at] - last;
}

/* Whether a row of two spheres is of the image at which a bond of this shift holds them. */
static bool is_at_image(const abut_simulation *s, const interaction_table *t, abut_index row,
                        const int32_t shift[3])
{
    const abut_index i = table_first(t, row), j = table_second(t, row);
    const bool is_turned = s->store.rows[i] > s->store.rows[j];
    for (int axis = 0; s->lattice.is_periodic && axis < 3; axis++) {
        const double own = pair_rows_image(s, t, row, axis);
        const double apart = image_of(s, t, j, axis) - image_of(s, t, i, axis);
        if (own - apart != (double)(is_turned ? -shift[axis] : shift[axis])) {
            return false;
        }
    }
    return true;
}

/* ---- what the law sees ---- */

/* The bond that holds the two spheres of a row; -1: there is none. */
static abut_index bond_of(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const bond_set *b = &s->bonds;
    const int32_t i = s->store.rows[table_first(t, row)], j = s->store.rows[table_second(t, row)];
    const abut_index number = bonds_find(b, i < j ? i : j, i < j ? j : i);
    const bool holds = number >= 0 && !b->bonds[number].has_contact &&
                       is_at_image(s, t, row, b->bonds[number].shift);
    return holds ? number : -1;
}

/* The overlap of a row that does not count; INFINITY: a bond holds the two. */
static double rest_of(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const bond_set *b = &s->bonds;
    const abut_index number = bond_of(s, t, row);
    if (number >= 0) {
        const bool is_broken = b->broken_count > 0 && b->now[number].is_broken;
        return is_broken ? b->bonds[number].rest_overlap : INFINITY;
    }
    const int32_t i = s->store.rows[table_first(t, row)], j = s->store.rows[table_second(t, row)];
    const bond_rest *rest =
        b->rest_count > 0 ? bonds_find_rest(b, i < j ? i : j, i < j ? j : i) : NULL;
    return rest && is_at_image(s, t, row, rest->shift) ? rest->overlap : 0.0;
}

/* Whether the law has acted: of a row of this step in the one before, where it goes on from there;
 * of a row of the last step in that one. Where none acts there is no force. */
static bool has_acted(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    if (!pair_rows_are_of_now(s, t)) {
        return table_exerts(t, row);
    }
    const abut_index old = pairs_old(s, t, row);
    return old >= 0 && table_exerts(&s->before->tables[ABUT_SPHERE_SPHERE], old);
}

/* Whether the law acts on an overlap, of which what rests is left out: it is one, or a gap within
 * reach that a contact spans which has begun since, or begins there. */
static bool acts(const abut_simulation *s, const interaction_table *t, abut_index row,
                 const pair_touch *p)
{
    if (p->overlap > 0.0 || p->rest == INFINITY) {
        return p->rest < INFINITY;
    }
    const double own = s->store.radii[table_first(t, row)] - 0.5 * p->rest;
    const double radius = reduced(own, s->store.radii[table_second(t, row)] - 0.5 * p->rest);
    return -p->overlap < law_reach(p->law, radius) && (p->has_acted || p->law->begins_apart);
}

pair_touch bonds_touch(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    pair_touch p = pairs_whole_touch(s, t, row);
    p.rest = rest_of(s, t, row);
    if (p.rest > 0.0) {
        p.overlap -= p.rest;
        p.has_acted = has_acted(s, t, row);
        p.is_hidden = !acts(s, t, row, &p);
    }
    if (p.is_hidden) {
        p.law = laws_none(&s->laws);
        p.overlap = t->pair.overlap[row], p.rest = 0.0;
    }
    return p;
}

void bonds_fit_rests(abut_simulation *s)
{
    bond_set *b = &s->bonds;
    for (abut_index k = 0; k < b->count; k++) {
        bond *of = &b->bonds[k];
        of->rest_overlap = smaller(of->rest_overlap, bonds_most_rest(s, of->rows));
    }
    for (abut_index k = 0; k < b->rest_count; k++) {
        bond_rest *r = &b->rests[k];
        r->overlap = smaller(r->overlap, bonds_most_rest(s, r->rows));
    }
}

/* ---- what a break changes ---- */

void pairs_find_old(const abut_simulation *s, const interaction_table *t, const abut_index *rows,
                    int32_t count, abut_index *old)
{
    const bond_set *b = &s->bonds;
    pair_rows_find_old(s, t, rows, count, old);
    for (int32_t k = 0; b->broken_count > 0 && k < count; k++) {
        const abut_index number = bond_of(s, t, rows[k]);
        if (number >= 0 && b->now[number].is_broken) {
            old[k] = -1;
        }
    }
}

abut_index pairs_old(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    abut_index old;
    pairs_find_old(s, t, &row, 1, &old);
    return old;
}

void bonds_look_at_rests(abut_simulation *s)
{
    bond_set *b = &s->bonds;
    b->parted_count = 0;
    for (abut_index k = 0; k < b->rest_count; k++) {
        bond_rest *r = &b->rests[k];
        const abut_index i = s->store.places[r->rows[0]], j = s->store.places[r->rows[1]];
        const double own = s->store.radii[i], other = s->store.radii[j];
        const double reach = law_reach(simulation_pair_law(s, i, j), reduced(own, other));
        const double far = own + other + reach;
        r->has_parted = vec3_norm_sq(bonds_way(s, r->rows, r->shift)) >= far * far;
        b->parted_count += r->has_parted;
    }
}
