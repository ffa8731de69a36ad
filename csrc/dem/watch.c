/* What spoils a simulation, the first time that it happens: who moves by more than its radius in a
 * step, and passes through what it should meet; and an overlap that grows beyond what laws mean.
 * Whoever goes over all of them in a step asks whether there may be one; which is the first, is
 * found out here, by numbers, so that it is the same for any number of threads. */
#include "simulation.h"

/* How much of the smaller radius is too deep: laws of contact mean overlaps of a few percent. */
static const double DEEP = 0.1;

/* The key of nobody, which is behind all others. */
static const int_least64_t NOBODY = INT64_MAX;

static int_least64_t key_of(abut_index first, abut_index second)
{
    return (int_least64_t)first << 32 | second;
}

static void tell(abut_simulation *s, int_least64_t key)
{
    int_least64_t first = atomic_load(&s->watch.first);
    while (key < first && !atomic_compare_exchange_weak(&s->watch.first, &first, key)) {
    }
}

void watch_begin(abut_simulation *s)
{
    atomic_store(&s->watch.first, NOBODY);
}

void watch_forget(abut_simulation *s)
{
    s->watch.fast.is_there = s->watch.deep.is_there = 0;
}

abut_notices abut_simulation_notices(const abut_simulation *s)
{
    return (abut_notices){.fast = s->watch.fast, .deep = s->watch.deep};
}

/* ---- overlaps ---- */

double watch_part(const abut_simulation *s)
{
    return s->watch.deep.is_there ? INFINITY : DEEP;
}

/* A row of a table, and the one that it goes on from. */
typedef struct touch {
    abut_index numbers[2];
    double overlap, radius;
    double old_overlap; /* negative: it is new */
    const law *law;
} touch;

static touch touch_of_contact(const abut_simulation *s, abut_index row)
{
    const interaction_table *now = &s->now->tables[ABUT_SPHERE_WALL],
                            *before = &s->before->tables[ABUT_SPHERE_WALL];
    const abut_index place = now->contact.sphere[row], wall = now->contact.mesh[row];
    const abut_index old = now->springs.match[row];
    return (touch){.numbers = {s->store.rows[place], wall},
                   .overlap = now->contact.overlap[row],
                   .radius = s->store.radii[place],
                   .old_overlap = old < 0 ? -1.0 : before->contact.overlap[old],
                   .law = simulation_wall_law(s, place, wall)};
}

static touch touch_of_pair(const abut_simulation *s, abut_index row)
{
    const interaction_table *now = &s->now->tables[ABUT_SPHERE_SPHERE],
                            *before = &s->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index i = now->pair.i[row], j = now->pair.j[row];
    const abut_index a = s->store.rows[i], b = s->store.rows[j];
    const abut_index old = now->springs.match[row];
    const pair_touch t = pairs_touch(s, now, row);
    return (touch){.numbers = {a < b ? a : b, a < b ? b : a},
                   .overlap = t.overlap,
                   .radius = smaller(s->store.radii[i], s->store.radii[j]),
                   .old_overlap = old < 0 ? -1.0 : before->pair.overlap[old] - t.rest,
                   .law = t.law};
}

/* What every row is asked in each step. What it goes on from is asked of deep ones alone. */
static touch touch_of_body(const abut_simulation *s, abut_interaction who, abut_index row)
{
    const interaction_table *now = &s->now->tables[who], *before = &s->before->tables[who];
    const abut_convex_columns *c = &now->body;
    touch t = {.numbers = {c->i[row], who == ABUT_BODY_WALL ? c->mesh[row] : c->j[row]},
               .overlap = c->overlap[row],
               .radius = s->solids.bodies[c->i[row]].inner};
    if (who == ABUT_BODY_BODY) {
        t.radius = smaller(t.radius, s->solids.bodies[c->j[row]].inner);
    } else if (who == ABUT_BODY_SPHERE) {
        t.radius = smaller(t.radius, s->store.radii[s->store.places[c->j[row]]]);
    }
    if (t.overlap > DEEP * t.radius) {
        const abut_index old = now->row_match[row];
        t.old_overlap = old < 0 ? -1.0 : before->body.overlap[old];
        t.law = simulation_spot_law(s, now, row);
    }
    return t;
}

static touch touch_of(const abut_simulation *s, abut_interaction who, abut_index row)
{
    switch (who) {
    case ABUT_SPHERE_WALL:
        return touch_of_contact(s, row);
    case ABUT_SPHERE_SPHERE:
        return touch_of_pair(s, row);
    case ABUT_BODY_WALL:
    case ABUT_BODY_BODY:
    case ABUT_BODY_SPHERE:
        break;
    }
    return touch_of_body(s, who, row);
}

/* Whether an overlap has become too deep in this step. Where no law acts, it may be any. */
static bool has_grown(const abut_simulation *s, const touch *t)
{
    const double most = DEEP * t->radius;
    const bool was_deep = t->old_overlap < 0.0 ? s->watch.is_placed : t->old_overlap > most;
    return t->overlap > most && !was_deep && most > 0.0 && t->law->elastic > 0.0;
}

void watch_rows(abut_simulation *s, abut_interaction who, abut_index begin, abut_index end)
{
    for (abut_index row = begin; row < end; row++) {
        const touch t = touch_of(s, who, row);
        if (has_grown(s, &t)) {
            tell(s, key_of(t.numbers[0], t.numbers[1]));
        }
    }
}

static const abut_partner PARTNERS[ABUT_INTERACTION_COUNT][2] = {
    [ABUT_BODY_WALL] = {ABUT_PARTNER_BODY, ABUT_PARTNER_WALL},
    [ABUT_BODY_BODY] = {ABUT_PARTNER_BODY, ABUT_PARTNER_BODY},
    [ABUT_BODY_SPHERE] = {ABUT_PARTNER_BODY, ABUT_PARTNER_SPHERE},
    [ABUT_SPHERE_WALL] = {ABUT_PARTNER_SPHERE, ABUT_PARTNER_WALL},
    [ABUT_SPHERE_SPHERE] = {ABUT_PARTNER_SPHERE, ABUT_PARTNER_SPHERE},
};

/* Two may touch at several places: the deepest counts. */
void watch_keep_deep(abut_simulation *s, abut_interaction who, abut_index rows)
{
    const int_least64_t first = atomic_load(&s->watch.first);
    if (first == NOBODY) {
        return;
    }
    abut_notice found = {
        .is_there = 1, .step = s->step_count, .kinds = {PARTNERS[who][0], PARTNERS[who][1]}};
    for (abut_index row = 0; row < rows; row++) {
        const touch t = touch_of(s, who, row);
        if (key_of(t.numbers[0], t.numbers[1]) == first && has_grown(s, &t)) {
            found.numbers[0] = t.numbers[0], found.numbers[1] = t.numbers[1];
            found.ratio = larger(found.ratio, t.overlap / t.radius);
        }
    }
    s->watch.deep = found;
}

/* ---- motion ---- */

void watch_fast(abut_simulation *s, abut_partner kind, abut_index number)
{
    if (!s->watch.fast.is_there) {
        tell(s, key_of(kind, number));
    }
}

void watch_keep_fast(abut_simulation *s)
{
    const int_least64_t first = atomic_load(&s->watch.first);
    if (first == NOBODY) {
        return;
    }
    const abut_partner kind = (abut_partner)(first >> 32);
    const abut_index number = (abut_index)(first & INT32_MAX);
    const bool is_body = kind == ABUT_PARTNER_BODY;
    const rigid_body *of = is_body ? &s->solids.bodies[number] : NULL;
    const mover *b = is_body ? NULL : &s->store.movers[s->store.places[number]];
    const double speed = vec3_length(is_body ? of->rigid.velocity : vec3_load(b->velocity));
    s->watch.fast =
        (abut_notice){.is_there = 1,
                      .step = s->step_count,
                      .kinds = {kind, kind},
                      .numbers = {number, number},
                      .ratio = speed * s->next.step / (is_body ? of->inner : b->radius)};
}
