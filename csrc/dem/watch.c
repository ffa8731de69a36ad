/* Events of which a simulation warns:
 * - A grain moves by more than its radius in a step, so that it may pass through others.
 * - An overlap becomes too deep.
 * Loops over all grains report events with keys, which are made of two numbers. The event with the
 * smallest key is recorded, so the order of threads does not change the result. */
#include "watch.h"

#include "bond_pairs.h"
#include "view.h"

/* Limits of overlap / smaller radius. Above DEEP, an overlap is too deep: contact laws are made for
 * a few percent. Above PLACED, an overlap of partners that were just placed gives a warning. */
static const double DEEP = 0.1, PLACED = 0.05;

/* The key for no event. It is larger than all other keys. */
static const int_least64_t NO_KEY = INT64_MAX;

static int_least64_t key_of(abut_index first, abut_index second)
{
    return (int_least64_t)first << 32 | second;
}

static void report_key(abut_simulation *s, int_least64_t key)
{
    int_least64_t first = atomic_load(&s->watch.first);
    while (key < first && !atomic_compare_exchange_weak(&s->watch.first, &first, key)) {
    }
}

void watch_begin(abut_simulation *s)
{
    atomic_store(&s->watch.first, NO_KEY);
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

/* A row with an overlap above PLACED, and the notice for it. */
typedef struct touch {
    abut_notice notice;
    view view;
    double radius;         /* the smaller radius of both partners */
    double overlap_before; /* overlap of the row that it continues; negative: none */
    double mass;           /* m*; at least FIXED / 2 if both partners cannot move */
} touch;

static double whole_overlap(const interaction_table *t, abut_index row)
{
    return t->kind == ABUT_SPHERE_WALL     ? t->contact.overlap[row]
           : t->kind == ABUT_SPHERE_SPHERE ? t->pair.overlap[row]
                                           : t->body.overlap[row];
}

static double overlap_before(const abut_simulation *s, const view *v)
{
    const interaction_table *t = v->table;
    const abut_index row_before = t->kind == ABUT_SPHERE_SPHERE ? pairs_row_before(s, t, v->row)
                                  : table_is_of_bodies(t->kind) ? t->row_match[v->row]
                                                                : t->match[v->row];
    return row_before < 0 ? -1.0 : whole_overlap(&s->before->tables[t->kind], row_before) - v->rest;
}

/* Whether a row overlaps by more than PLACED. Of two spheres, the smaller row comes first. */
static bool find_touch(const abut_simulation *s, abut_interaction kind, abut_index row, touch *t)
{
    const interaction_table *now = &s->now->tables[kind];
    partner first = view_partner(s, now, row, 0), second = view_partner(s, now, row, 1);
    const double radius = smaller(first.inner, second.inner);
    if (!(whole_overlap(now, row) > PLACED * radius)) {
        return false;
    }
    if (kind == ABUT_SPHERE_SPHERE && second.number < first.number) {
        const partner turned = first;
        first = second, second = turned;
    }
    const view v = view_row(s, now, row);
    *t = (touch){.notice = {.is_there = 1,
                            .step = s->step_count,
                            .kinds = {first.kind, second.kind},
                            .numbers = {first.number, second.number},
                            .ratio = v.overlap / radius},
                 .view = v,
                 .radius = radius,
                 .overlap_before = overlap_before(s, &v),
                 .mass = reduced(first.mass, second.mass)};
    return true;
}

static int_least64_t key_of_touch(const touch *t)
{
    return key_of(t->notice.numbers[0], t->notice.numbers[1]);
}

/* Whether an overlap has become too deep in this step, if its law is active. */
static bool has_grown(const abut_simulation *s, const touch *t)
{
    const double most = DEEP * t->radius;
    const bool was_deep = t->overlap_before < 0.0 ? s->watch.is_placed : t->overlap_before > most;
    const bool is_known = s->watch.found.deep.is_there;
    return !is_known && t->view.overlap > most && !was_deep && most > 0.0 &&
           t->view.law->elastic > 0.0;
}

/* Whether the overlap after placing or freeing partners exceeds the overlap before by more than
 * PLACED times the smaller radius. */
static bool is_placed(const abut_simulation *s, const touch *t)
{
    const double most = PLACED * t->radius;
    const double before = s->watch.is_freed ? 0.0 : larger(t->overlap_before, 0.0);
    const bool acts = t->view.law->elastic > 0.0 || t->view.law->user;
    return s->watch.is_placed && most > 0.0 && t->view.overlap > most &&
           t->view.overlap - before > most && acts && t->mass < 0.5 * FIXED;
}

static bool is_deeper(const touch *t, const touch *than)
{
    const double ratio = t->notice.ratio, other = than->notice.ratio;
    return !than->notice.is_there || ratio > other ||
           (ratio == other && key_of_touch(t) < key_of_touch(than));
}

void watch_rows(abut_simulation *s, abut_interaction kind, abut_index begin, abut_index end)
{
    touch t;
    for (abut_index row = begin; row < end; row++) {
        if (!find_touch(s, kind, row, &t)) {
            continue;
        }
        if (has_grown(s, &t)) {
            report_key(s, key_of_touch(&t));
        }
        if (is_placed(s, &t)) {
            atomic_store(&s->watch.has_placed, true);
        }
    }
}

/* Records the first overlap that has grown too deep; if its partners have several, the deepest.
 * Records the deepest overlap at placing, with the speed to which its elastic energy accelerates
 * both apart. Of equal overlaps, the one with the smallest numbers of partners is recorded. */
void watch_keep_deep(abut_simulation *s, abut_interaction kind)
{
    const interaction_table *all = &s->now->tables[kind];
    const int_least64_t first = atomic_load(&s->watch.first);
    const bool has_placed = atomic_load(&s->watch.has_placed);
    abut_notices *found = &s->watch.found;
    touch grown = {.radius = 0.0}, placed = {.radius = 0.0}, t;
    row_walk walk = {0};
    for (abut_index row; (first != NO_KEY || has_placed) && (row = table_walk(all, &walk)) >= 0;) {
        if (!find_touch(s, kind, row, &t)) {
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
    if (grown.notice.is_there) {
        found->deep = grown.notice;
    }
    if (placed.notice.is_there &&
        !(found->placed.is_there && found->placed.ratio >= placed.notice.ratio)) {
        found->placed = placed.notice;
        found->placed_speed = sqrt(2.0 * larger(view_energy(&placed.view), 0.0) / placed.mass);
    }
}

/* ---- motion ---- */

void watch_fast(abut_simulation *s, abut_partner kind, abut_index number)
{
    if (!s->watch.found.fast.is_there) {
        report_key(s, key_of(kind, number));
    }
}

void watch_keep_fast(abut_simulation *s)
{
    const int_least64_t first = atomic_load(&s->watch.first);
    if (first == NO_KEY) {
        return;
    }
    const abut_partner kind = (abut_partner)(first >> 32);
    const abut_index number = (abut_index)(first & INT32_MAX);
    const bool is_body = kind == ABUT_PARTNER_BODY;
    const rigid_body *body = is_body ? &s->solids.bodies[number] : NULL;
    const mover *sphere = is_body ? NULL : &s->store.movers[s->store.places[number]];
    const double speed = vec3_length(is_body ? body->rigid.velocity : vec3_load(sphere->velocity));
    s->watch.found.fast =
        (abut_notice){.is_there = 1,
                      .step = s->step_count,
                      .kinds = {kind, kind},
                      .numbers = {number, number},
                      .ratio = speed * s->next.step / (is_body ? body->inner : sphere->radius)};
}
