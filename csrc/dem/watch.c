/* What spoils a simulation, the first time that it happens: who moves by more than its radius in a
 * step, and passes through what it should meet; and an overlap that grows beyond what laws mean.
 * Whoever goes over all of them in a step asks whether there may be one; which is the first, is
 * found out here, by numbers, so that it is the same for any number of threads. */
#include "watch.h"

#include "bond_pairs.h"
#include "law_of.h"
#include "solid_spots.h"

/* An overlap beyond DEEP of the smaller radius is too deep, since laws of contact mean a few
 * percent. One beyond PLACED gives a warning where it was there when the two were put in place. */
static const double DEEP = 0.1, PLACED = 0.05;

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
    atomic_store(&s->watch.has_placed, false);
}

void watch_begin_step(abut_simulation *s)
{
    if (s->watch.is_placed) {
        s->watch.found.placed.is_there = 0;
        s->watch.found.placed_count = 0;
    }
}

void watch_end_step(abut_simulation *s)
{
    s->watch.is_placed = s->watch.is_freed = false;
}

void watch_forget(abut_simulation *s)
{
    s->watch.found = (abut_notices){.placed_count = 0};
}

abut_notices abut_simulation_notices(const abut_simulation *s)
{
    return s->watch.found;
}

/* ---- overlaps ---- */

double watch_part(const abut_simulation *s)
{
    const double grown = s->watch.found.deep.is_there ? INFINITY : DEEP;
    return s->watch.is_placed ? PLACED : grown;
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
    const abut_index i = table_first(now, row), j = table_second(now, row);
    const abut_index a = s->store.rows[i], b = s->store.rows[j];
    const abut_index old = pairs_old(s, now, row);
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
    if (t.overlap > PLACED * t.radius) {
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
    const bool is_known = s->watch.found.deep.is_there;
    return !is_known && t->overlap > most && !was_deep && most > 0.0 && t->law->elastic > 0.0;
}

static const abut_partner PARTNERS[ABUT_INTERACTION_COUNT][2] = {
    [ABUT_BODY_WALL] = {ABUT_PARTNER_BODY, ABUT_PARTNER_WALL},
    [ABUT_BODY_BODY] = {ABUT_PARTNER_BODY, ABUT_PARTNER_BODY},
    [ABUT_BODY_SPHERE] = {ABUT_PARTNER_BODY, ABUT_PARTNER_SPHERE},
    [ABUT_SPHERE_WALL] = {ABUT_PARTNER_SPHERE, ABUT_PARTNER_WALL},
    [ABUT_SPHERE_SPHERE] = {ABUT_PARTNER_SPHERE, ABUT_PARTNER_SPHERE},
};

static abut_notice notice_of(const abut_simulation *s, abut_interaction who, const touch *t)
{
    return (abut_notice){.is_there = 1,
                         .step = s->step_count,
                         .kinds = {PARTNERS[who][0], PARTNERS[who][1]},
                         .numbers = {t->numbers[0], t->numbers[1]},
                         .ratio = t->overlap / t->radius};
}

/* ---- overlaps of what was put in place ---- */

/* The reduced mass of two that touch; from HELD / 2 on nothing can drive them apart. */
static double mass_of_bodies(const abut_simulation *s, abut_interaction who, const touch *t)
{
    const rigid *own = &s->solids.bodies[t->numbers[0]].rigid;
    if (who == ABUT_BODY_BODY) {
        return reduced(rigid_mass(own), rigid_mass(&s->solids.bodies[t->numbers[1]].rigid));
    }
    const abut_index place = s->store.places[t->numbers[1]];
    return reduced(rigid_mass(own), s->store.movers[place].mass);
}

static double mass_of(const abut_simulation *s, abut_interaction who, const touch *t)
{
    const mover *movers = s->store.movers;
    const abut_index first = t->numbers[0], second = t->numbers[1];
    switch (who) {
    case ABUT_SPHERE_SPHERE:
        return reduced(movers[s->store.places[first]].mass, movers[s->store.places[second]].mass);
    case ABUT_SPHERE_WALL: {
        const double own = movers[s->store.places[first]].mass;
        return simulation_mass_on_wall(s, second, own, own);
    }
    case ABUT_BODY_WALL: {
        const double own = rigid_mass(&s->solids.bodies[first].rigid);
        return simulation_mass_on_wall(s, second, own, own);
    }
    case ABUT_BODY_BODY:
    case ABUT_BODY_SPHERE:
        break;
    }
    return mass_of_bodies(s, who, t);
}

/* Whether an overlap is larger by PLACED than before spheres, bodies or walls were put in place, or
 * before two that were held could move apart. */
static bool is_placed(const abut_simulation *s, abut_interaction who, const touch *t)
{
    const double most = PLACED * t->radius;
    if (!s->watch.is_placed || !(t->overlap > most && most > 0.0)) {
        return false;
    }
    const bool acts = t->law->elastic > 0.0 || t->law->own;
    const double old = s->watch.is_freed ? 0.0 : larger(t->old_overlap, 0.0);
    return acts && t->overlap - old > most && mass_of(s, who, t) < 0.5 * HELD;
}

static double stored_in_spots(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const spot_row r = simulation_spot_row(s, t, row);
    double sum = 0.0;
    for (abut_index spot = r.begin; spot < r.end; spot++) {
        const double overlap = t->body.spot_overlap[spot];
        sum += overlap > 0.0 ? simulation_stored(t, spot, r.law, r.radius, overlap) : 0.0;
    }
    return sum;
}

/* What the law of a row stores. */
static double stored_in(const abut_simulation *s, abut_interaction who, abut_index row)
{
    const interaction_table *t = &s->now->tables[who];
    if (who == ABUT_SPHERE_WALL) {
        const abut_index place = t->contact.sphere[row];
        const law *l = simulation_wall_law(s, place, t->contact.mesh[row]);
        return t->contact.share[row] *
               simulation_stored(t, row, l, s->store.radii[place], t->contact.overlap[row]);
    }
    if (who == ABUT_SPHERE_SPHERE) {
        const abut_index i = table_first(t, row), j = table_second(t, row);
        const pair_touch two = pairs_touch(s, t, row);
        const double radius =
            reduced(s->store.radii[i] - 0.5 * two.rest, s->store.radii[j] - 0.5 * two.rest);
        return simulation_stored(t, row, two.law, radius, two.overlap);
    }
    return stored_in_spots(s, t, row);
}

static bool is_deeper(const touch *t, const abut_notice *than)
{
    const double ratio = t->overlap / t->radius;
    const bool is_earlier =
        key_of(t->numbers[0], t->numbers[1]) < key_of(than->numbers[0], than->numbers[1]);
    return !than->is_there || ratio > than->ratio || (ratio == than->ratio && is_earlier);
}

/* Keep the deepest of them, the first of equals, and how fast it will be. */
static void keep_placed(abut_simulation *s, abut_interaction who)
{
    const interaction_table *all = &s->now->tables[who];
    abut_notices *found = &s->watch.found;
    abut_notice deepest = {.is_there = 0};
    abut_index deepest_row = 0;
    row_walk w = {0};
    for (abut_index row; (row = table_walk(all, &w)) >= 0;) {
        const touch t = touch_of(s, who, row);
        if (is_placed(s, who, &t)) {
            found->placed_count++;
            if (is_deeper(&t, &deepest)) {
                deepest = notice_of(s, who, &t);
                deepest_row = row;
            }
        }
    }
    if (deepest.is_there && !(found->placed.is_there && found->placed.ratio >= deepest.ratio)) {
        const touch t = touch_of(s, who, deepest_row);
        const double energy = larger(stored_in(s, who, deepest_row), 0.0);
        found->placed = deepest;
        found->placed_speed = sqrt(2.0 * energy / mass_of(s, who, &t));
    }
}

/* ---- rows of a step ---- */

void watch_rows(abut_simulation *s, abut_interaction who, abut_index begin, abut_index end)
{
    for (abut_index row = begin; row < end; row++) {
        const touch t = touch_of(s, who, row);
        if (has_grown(s, &t)) {
            tell(s, key_of(t.numbers[0], t.numbers[1]));
        }
        if (is_placed(s, who, &t)) {
            atomic_store(&s->watch.has_placed, true);
        }
    }
}

/* Keep the first overlap that has grown. Two may touch at several places: the deepest counts. */
static void keep_grown(abut_simulation *s, abut_interaction who)
{
    const interaction_table *all = &s->now->tables[who];
    const int_least64_t first = atomic_load(&s->watch.first);
    abut_notice deep = {.is_there = 0};
    row_walk w = {0};
    for (abut_index row; first != NOBODY && (row = table_walk(all, &w)) >= 0;) {
        const touch t = touch_of(s, who, row);
        const bool is_first = key_of(t.numbers[0], t.numbers[1]) == first;
        if (is_first && has_grown(s, &t) && t.overlap / t.radius > deep.ratio) {
            deep = notice_of(s, who, &t);
        }
    }
    if (deep.is_there) {
        s->watch.found.deep = deep;
    }
}

void watch_keep_deep(abut_simulation *s, abut_interaction who)
{
    keep_grown(s, who);
    if (atomic_load(&s->watch.has_placed)) {
        keep_placed(s, who);
    }
}

/* ---- motion ---- */

void watch_fast(abut_simulation *s, abut_partner kind, abut_index number)
{
    if (!s->watch.found.fast.is_there) {
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
    s->watch.found.fast =
        (abut_notice){.is_there = 1,
                      .step = s->step_count,
                      .kinds = {kind, kind},
                      .numbers = {number, number},
                      .ratio = speed * s->next.step / (is_body ? of->inner : b->radius)};
}
