/* What spoils a simulation, the first time that it happens: who moves by more than its radius in a
 * step, and passes through what it should meet; and an overlap that grows beyond what laws mean.
 * Whoever goes over all of them in a step asks whether there may be one; which is the first, is
 * found out here, by numbers, so that it is the same for any number of threads. */
#include "watch.h"

#include "bond_pairs.h"
#include "view.h"

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

/* A row that overlaps by more than PLACED of the smaller radius, and what is told of it. */
typedef struct touch {
    abut_notice told;
    view view;
    double radius;      /* the smaller one */
    double old_overlap; /* of the row that it goes on from; negative: it is new */
    double mass;        /* m*; from HELD / 2 on nothing can drive the two apart */
} touch;

static double whole_overlap(const interaction_table *t, abut_index row)
{
    return t->kind == ABUT_SPHERE_WALL     ? t->contact.overlap[row]
           : t->kind == ABUT_SPHERE_SPHERE ? t->pair.overlap[row]
                                           : t->body.overlap[row];
}

static double old_overlap(const abut_simulation *s, const view *v)
{
    const interaction_table *t = v->table;
    const abut_index old = t->kind == ABUT_SPHERE_SPHERE ? pairs_old(s, t, v->row)
                           : table_is_of_bodies(t->kind) ? t->row_match[v->row]
                                                         : t->match[v->row];
    return old < 0 ? -1.0 : whole_overlap(&s->before->tables[t->kind], old) - v->rest;
}

/* Whether a row overlaps so; of two spheres the one with the smaller row is told first. */
static bool find_touch(const abut_simulation *s, abut_interaction who, abut_index row, touch *t)
{
    const interaction_table *now = &s->now->tables[who];
    partner first = view_partner(s, now, row, 0), second = view_partner(s, now, row, 1);
    const double radius = smaller(first.inner, second.inner);
    if (!(whole_overlap(now, row) > PLACED * radius)) {
        return false;
    }
    if (who == ABUT_SPHERE_SPHERE && second.number < first.number) {
        const partner turned = first;
        first = second, second = turned;
    }
    const view v = view_row(s, now, row);
    *t = (touch){.told = {.is_there = 1,
                          .step = s->step_count,
                          .kinds = {first.kind, second.kind},
                          .numbers = {first.number, second.number},
                          .ratio = v.overlap / radius},
                 .view = v,
                 .radius = radius,
                 .old_overlap = old_overlap(s, &v),
                 .mass = reduced(first.mass, second.mass)};
    return true;
}

static int_least64_t key_of_touch(const touch *t)
{
    return key_of(t->told.numbers[0], t->told.numbers[1]);
}

/* Whether an overlap has become too deep in this step. Where no law acts, it may be any. */
static bool has_grown(const abut_simulation *s, const touch *t)
{
    const double most = DEEP * t->radius;
    const bool was_deep = t->old_overlap < 0.0 ? s->watch.is_placed : t->old_overlap > most;
    const bool is_known = s->watch.found.deep.is_there;
    return !is_known && t->view.overlap > most && !was_deep && most > 0.0 &&
           t->view.law->elastic > 0.0;
}

/* Whether an overlap is larger by PLACED than before spheres, bodies or walls were put in place, or
 * before two that were held could move apart. */
static bool is_placed(const abut_simulation *s, const touch *t)
{
    const double most = PLACED * t->radius;
    const double old = s->watch.is_freed ? 0.0 : larger(t->old_overlap, 0.0);
    const bool acts = t->view.law->elastic > 0.0 || t->view.law->own;
    return s->watch.is_placed && most > 0.0 && t->view.overlap > most &&
           t->view.overlap - old > most && acts && t->mass < 0.5 * HELD;
}

static bool is_deeper(const touch *t, const touch *than)
{
    const double ratio = t->told.ratio, other = than->told.ratio;
    return !than->told.is_there || ratio > other ||
           (ratio == other && key_of_touch(t) < key_of_touch(than));
}

void watch_rows(abut_simulation *s, abut_interaction who, abut_index begin, abut_index end)
{
    touch t;
    for (abut_index row = begin; row < end; row++) {
        if (!find_touch(s, who, row, &t)) {
            continue;
        }
        if (has_grown(s, &t)) {
            tell(s, key_of_touch(&t));
        }
        if (is_placed(s, &t)) {
            atomic_store(&s->watch.has_placed, true);
        }
    }
}

/* Keep the first overlap that has grown, of those of two that touch at several places the deepest;
 * and of those that were put in place the deepest, the first of equals, with its speed. */
void watch_keep_deep(abut_simulation *s, abut_interaction who)
{
    const interaction_table *all = &s->now->tables[who];
    const int_least64_t first = atomic_load(&s->watch.first);
    const bool has_placed = atomic_load(&s->watch.has_placed);
    abut_notices *found = &s->watch.found;
    touch grown = {.radius = 0.0}, placed = {.radius = 0.0}, t;
    row_walk w = {0};
    for (abut_index row; (first != NOBODY || has_placed) && (row = table_walk(all, &w)) >= 0;) {
        if (!find_touch(s, who, row, &t)) {
            continue;
        }
        if (key_of_touch(&t) == first && has_grown(s, &t) && is_deeper(&t, &grown)) {
            grown = t;
        }
        if (is_placed(s, &t)) {
            found->placed_count++;
            placed = is_deeper(&t, &placed) ? t : placed;
        }
    }
    if (grown.told.is_there) {
        found->deep = grown.told;
    }
    if (placed.told.is_there &&
        !(found->placed.is_there && found->placed.ratio >= placed.told.ratio)) {
        found->placed = placed.told;
        found->placed_speed = sqrt(2.0 * larger(view_energy(&placed.view), 0.0) / placed.mass);
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
