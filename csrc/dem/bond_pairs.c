/* How bonds change the law of two spheres (docs/dem.md, section 12).
 * - While a bond replaces the contact, no law acts between its spheres.
 * - After the bond has broken, the law counts only overlap beyond the overlap at bonding. */
#include "bond_pairs.h"

#include "pair_rows.h"

vec3 bonds_image(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3])
{
    const store *spheres = &s->store;
    const abut_index place_i = spheres->places[rows[0]], place_j = spheres->places[rows[1]];
    const vec3 apart = vec3_sub(lattice_counts(spheres->images + 3 * place_j),
                                lattice_counts(spheres->images + 3 * place_i));
    return vec3_add(lattice_counts(shift), apart);
}

vec3 bonds_way(const abut_simulation *s, const int32_t rows[2], const int32_t shift[3])
{
    const store *spheres = &s->store;
    const abut_index place_i = spheres->places[rows[0]], place_j = spheres->places[rows[1]];
    const vec3 apart = vec3_sub(vec3_load(spheres->centers + 3 * place_j),
                                vec3_load(spheres->centers + 3 * place_i));
    if (!s->lattice.is_periodic) {
        return apart;
    }
    return vec3_add(apart, lattice_shift(&s->lattice, bonds_image(s, rows, shift)));
}

/* ---- images of rows ---- */

/* The number of periods that had been subtracted from a sphere's center when the rows of a table
 * were found. For rows of the last step, this excludes those subtracted at its end. */
static vec3 image_of(const abut_simulation *s, const interaction_table *t, abut_index place)
{
    const vec3 all = lattice_counts(s->store.images + 3 * place);
    return pair_rows_are_of_now(s, t) ? all : vec3_sub(all, pair_rows_last_wraps(s, place));
}

/* Whether a row belongs to the image of the second sphere to which a bond with this shift leads. */
static bool is_at_image(const abut_simulation *s, const interaction_table *t, abut_index row,
                        const int32_t shift[3])
{
    const abut_index place_i = table_first(t, row), place_j = table_second(t, row);
    if (!s->lattice.is_periodic) {
        return true;
    }
    const double sign = s->store.rows[place_i] > s->store.rows[place_j] ? -1.0 : 1.0;
    const vec3 apart = vec3_sub(image_of(s, t, place_j), image_of(s, t, place_i));
    const vec3 image = vec3_sub(pair_rows_image(s, t, row), apart);
    return vec3_compare(image, vec3_scale(lattice_counts(shift), sign)) == 0;
}

/* ---- laws and overlaps ---- */

/* The bond that replaces the contact of a row; -1: none. */
static abut_index bond_of(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const bond_set *b = &s->bonds;
    const int32_t row_i = s->store.rows[table_first(t, row)],
                  row_j = s->store.rows[table_second(t, row)];
    const abut_index number =
        bonds_find(b, row_i < row_j ? row_i : row_j, row_i < row_j ? row_j : row_i);
    const bool holds = number >= 0 && !b->bonds[number].has_contact &&
                       is_at_image(s, t, row, b->bonds[number].shift);
    return holds ? number : -1;
}

/* The part of a row's overlap that its law does not count; INFINITY: a bond hides the contact. */
static double rest_of(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const bond_set *b = &s->bonds;
    const abut_index number = bond_of(s, t, row);
    if (number >= 0) {
        const bool is_broken = b->broken_count > 0 && b->now[number].is_broken;
        return is_broken ? b->bonds[number].rest_overlap : INFINITY;
    }
    const int32_t row_i = s->store.rows[table_first(t, row)],
                  row_j = s->store.rows[table_second(t, row)];
    const bond_rest *rest = b->rest_count > 0 ? bonds_find_rest(b, row_i < row_j ? row_i : row_j,
                                                                row_i < row_j ? row_j : row_i)
                                              : NULL;
    return rest && is_at_image(s, t, row, rest->shift) ? rest->overlap : 0.0;
}

/* Whether the law acted in the last step: on this row, or on the row that this row continues. If no
 * law acted, the force of that row is 0. */
static bool has_acted(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    if (!pair_rows_are_of_now(s, t)) {
        return table_exerts(t, row);
    }
    const abut_index row_before = pairs_row_before(s, t, row);
    return row_before >= 0 && table_exerts(&s->before->tables[ABUT_SPHERE_SPHERE], row_before);
}

/* Whether the law acts. It acts on an overlap beyond the rest. It acts across a gap within reach if
 * the contact has begun before, or if the law begins across a gap. */
static bool acts(const abut_simulation *s, const interaction_table *t, abut_index row,
                 const pair_touch *p)
{
    if (p->overlap > 0.0 || p->rest == INFINITY) {
        return p->rest < INFINITY;
    }
    const double radius_i = s->store.radii[table_first(t, row)] - 0.5 * p->rest;
    const double radius = reduced(radius_i, s->store.radii[table_second(t, row)] - 0.5 * p->rest);
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
        bond *beam = &b->bonds[k];
        beam->rest_overlap = smaller(beam->rest_overlap, bonds_most_rest(s, beam->rows));
    }
    for (abut_index k = 0; k < b->rest_count; k++) {
        bond_rest *r = &b->rests[k];
        r->overlap = smaller(r->overlap, bonds_most_rest(s, r->rows));
    }
}

/* ---- broken bonds ---- */

void pairs_find_before(const abut_simulation *s, const interaction_table *t, const abut_index *rows,
                       int32_t count, abut_index *rows_before)
{
    const bond_set *b = &s->bonds;
    pair_rows_find_before(s, t, rows, count, rows_before);
    for (int32_t k = 0; b->broken_count > 0 && k < count; k++) {
        const abut_index number = bond_of(s, t, rows[k]);
        if (number >= 0 && b->now[number].is_broken) {
            rows_before[k] = -1;
        }
    }
}

abut_index pairs_row_before(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    abut_index row_before;
    pairs_find_before(s, t, &row, 1, &row_before);
    return row_before;
}

void bonds_mark_parted(abut_simulation *s)
{
    bond_set *b = &s->bonds;
    b->parted_count = 0;
    for (abut_index k = 0; k < b->rest_count; k++) {
        bond_rest *r = &b->rests[k];
        const abut_index place_i = s->store.places[r->rows[0]],
                         place_j = s->store.places[r->rows[1]];
        const double radius_i = s->store.radii[place_i], radius_j = s->store.radii[place_j];
        const double reach =
            law_reach(simulation_pair_law(s, place_i, place_j), reduced(radius_i, radius_j));
        const double far = radius_i + radius_j + reach;
        r->has_parted = vec3_norm_sq(bonds_way(s, r->rows, r->shift)) >= far * far;
        b->parted_count += r->has_parted;
    }
}
