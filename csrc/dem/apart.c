/* Rows with a gap: searches find all within the farthest reach, whether or not they have touched.
 */
#include "apart.h"

double apart_wall_reach(const abut_simulation *s)
{
    const law_table *of = &s->laws;
    double radius = 0.0, reach = 0.0;
    for (abut_index k = 0; of->pulls_or_reaches && k < s->store.count; k++) {
        radius = larger(radius, s->store.radii[k]);
    }
    for (abut_index k = 0; radius > 0.0 && k < s->walls.touched_count; k++) {
        reach = larger(reach, laws_most_reach(of, s->walls.walls[k].material, radius));
    }
    return reach;
}

/* Whether a row exerts something: it touches, or is within reach and has touched or need not. */
static bool lives(const law_table *of, const law *l, double radius, double overlap,
                  abut_index match)
{
    if (overlap >= 0.0) {
        return true;
    }
    return -overlap <= laws_reach(of, l, radius) && (match >= 0 || laws_begin_apart(of, l));
}

double apart_body_reach(const abut_simulation *s, abut_index body)
{
    const law_table *of = &s->laws;
    const rigid_body *b = &s->solids.bodies[body];
    double radius = b->rounding;
    for (abut_index k = 0; of->pulls_or_reaches && k < of->material_count; k++) {
        radius = larger(radius, of->curvatures[laws_number(of, b->material, k)]);
    }
    return radius > 0.0 ? laws_most_reach(of, b->material, radius) : 0.0;
}

double apart_most_body_reach(const abut_simulation *s)
{
    double reach = 0.0;
    for (abut_index k = 0; s->laws.pulls_or_reaches && k < s->solids.count; k++) {
        reach = larger(reach, apart_body_reach(s, k));
    }
    return reach;
}

bool apart_spot_lives(const abut_simulation *s, const spot_row *r, double overlap,
                      const interaction_table *before, abut_index old)
{
    if (overlap > 0.0) {
        return true;
    }
    const double reach = laws_reach(&s->laws, r->law, r->radius);
    return reach > 0.0 && -overlap <= reach &&
           (laws_begin_apart(&s->laws, r->law) || (old >= 0 && apart_spot_lived(before, old)));
}

/* A test of a row; is_first: no row of its first partner was kept so far. */
typedef bool row_test(const abut_simulation *s, const interaction_table *t, abut_index row,
                      bool is_first);

static const law *law_of_contact(const abut_simulation *s, const interaction_table *t,
                                 abut_index row)
{
    return simulation_wall_law(s, t->contact.sphere[row], t->contact.mesh[row]);
}

/* Whether a contact with a wall can live, whatever was in the step before. Of those that share and
 * touch, one that carries nothing is none. */
static bool contact_is_near(const abut_simulation *s, const interaction_table *t, abut_index row,
                            bool is_first)
{
    (void)is_first;
    const double overlap = t->contact.overlap[row];
    const double radius = s->store.radii[t->contact.sphere[row]];
    return overlap > 0.0 ? t->contact.share[row] > 0.0
                         : -overlap <= laws_reach(&s->laws, law_of_contact(s, t, row), radius);
}

/* Of a sphere's contacts that share, those apart have no part: the nearest pulls alone. */
static bool contact_lives(const abut_simulation *s, const interaction_table *t, abut_index row,
                          bool is_first)
{
    const double overlap = t->contact.overlap[row];
    const double radius = s->store.radii[t->contact.sphere[row]];
    const bool has_part = overlap > 0.0 || s->input.resolution != ABUT_SHARING || is_first;
    return has_part &&
           lives(&s->laws, law_of_contact(s, t, row), radius, overlap, t->springs.match[row]);
}

/* Of two that a bond holds, or that rest, a gap is a row where their law acts across it. */
static bool pair_lives(const abut_simulation *s, const interaction_table *t, abut_index row,
                       bool is_first)
{
    (void)is_first;
    const abut_index i = t->pair.i[row], j = t->pair.j[row];
    const double overlap = t->pair.overlap[row], own = s->store.radii[i];
    const law *l = simulation_pair_law(s, i, j);
    /* by rounding the overlap of two that touch may be less than 0 */
    const bool is_touch_all =
        laws_function(&s->laws, l) == LAW_PLAIN ||
        (laws_function(&s->laws, l) == LAW_OWN && !(laws_reach(&s->laws, l, own) > 0.0));
    if (is_touch_all || overlap >= 0.0) {
        return true;
    }
    const pair_touch p = pairs_touch(s, t, row);
    if (p.is_hidden || p.rest > 0.0) {
        return !p.is_hidden;
    }
    return lives(&s->laws, l, reduced(own, s->store.radii[j]), overlap, t->springs.match[row]);
}

/* Keep the rows that pass. ABUT_OK or ABUT_NO_MEMORY. */
static abut_status keep_rows(abut_simulation *s, interaction_table *t, row_test *passes)
{
    if (!s->laws.pulls_or_reaches || t->count == 0) {
        return ABUT_OK;
    }
    bool *is_kept = memory_alloc(t->count, sizeof *is_kept);
    if (!is_kept) {
        return ABUT_NO_MEMORY;
    }
    const abut_index *firsts = table_firsts(t);
    abut_index last = -1; /* the first partner of the last row that is kept */
    bool are_all = true;
    for (abut_index row = 0; row < t->count; row++) {
        is_kept[row] = passes(s, t, row, firsts[row] != last);
        last = is_kept[row] ? firsts[row] : last;
        are_all &= is_kept[row];
    }
    if (!are_all && t->kind == ABUT_SPHERE_SPHERE) {
        touching_renumber(&s->neighbors, is_kept);
    }
    if (!are_all) {
        table_keep(t, is_kept);
    }
    memory_free(is_kept);
    return ABUT_OK;
}

abut_status apart_drop_far_contacts(abut_simulation *s)
{
    return keep_rows(s, &s->now->tables[ABUT_SPHERE_WALL], contact_is_near);
}

abut_status apart_drop_rows(abut_simulation *s, abut_interaction who)
{
    return keep_rows(s, &s->now->tables[who],
                     who == ABUT_SPHERE_SPHERE ? pair_lives : contact_lives);
}
