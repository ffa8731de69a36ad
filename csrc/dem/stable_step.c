/* Which step is stable for spheres and bodies: how stiffly their contacts hold them (docs/dem.md,
 * section 2). */
#include "stable_step.h"

#include "../base/sort.h"
#include "bond_laws.h"
#include "view.h"

/* What a sphere takes, as parallel_report counts it. */
enum { WORK_OF_SPHERE = 5 };

/* ---- spheres ---- */

/* How stiffly contacts hold a sphere: the longest stable step follows from it. */
typedef struct hold {
    double stiffness, damping_ratio;
    abut_index contact_count;
} hold;

static void add_hold(hold *h, law_stiffness of)
{
    const double shear = 3.5 * of.shear; /* a solid sphere is turned, too */
    h->stiffness += of.normal > shear ? of.normal : shear;
    h->damping_ratio = of.damping_ratio > h->damping_ratio ? of.damping_ratio : h->damping_ratio;
    h->contact_count += of.normal > 0.0;
}

/* How stiff a row of spheres is. */
static law_stiffness stiffness_of_row(const abut_simulation *s, const interaction_table *t,
                                      abut_index row)
{
    const view v = view_row(s, t, row);
    law_contact contact = view_contact(s, &v);
    return view_stiffness(&v, &contact, row);
}

/* docs/dem.md, section 2: tangential motion with 3.5 of the stiffness and the root of it of the
 * damping. */
static double step_of_hold(const hold *h, double mass)
{
    return sqrt(2.0 * mass / h->stiffness) * law_stable_part(sqrt(3.5) * h->damping_ratio);
}

/* The first contacts of a sphere are pressed in by this part of its radius. */
static const double FIRST_OVERLAP = 0.01;

resting_contact stable_first_of_sphere(const law *l, double radius, double mass, double speed)
{
    resting_contact first = {.law = l,
                             .contact = {.overlap = FIRST_OVERLAP * radius,
                                         .radius = radius,
                                         .mass = mass,
                                         .inertia = store_inertia(mass, radius),
                                         .radius_i = radius,
                                         .radius_j = INFINITY}};
    first.contact.overlap = law_overlap_of_blow(l, &first.contact, speed);
    first.of = law_stiffness_at(l, &first.contact);
    return first;
}

double stable_step_of_first(const law_table *laws, int32_t material, double count, double radius,
                            double mass, double speed)
{
    double step = INFINITY;
    for (abut_index other = 0; other < laws->material_count; other++) {
        const law *l = laws_between(laws, material, other);
        hold h = {.stiffness = 0.0};
        add_hold(&h, stable_first_of_sphere(l, radius, mass, speed).of);
        h.stiffness *= count;
        if (h.stiffness > 0.0) {
            step = smaller(step, step_of_hold(&h, mass));
        }
    }
    return step;
}

/* A member of a cluster counts with its part of the mass. */
static double step_of_free(const abut_simulation *s, abut_index place, double first_contacts)
{
    const store *of = &s->store;
    return stable_step_of_first(&s->laws, of->materials[place], first_contacts, of->radii[place],
                                of->masses[place],
                                vec3_length(vec3_load(of->movers[place].velocity)));
}

/* The longest stable step of a sphere by its contacts and its bonds: squares of frequencies add up
 * at most. A sphere without both has first_contacts of them; 0: it does not count. */
static double step_of_sphere(const abut_simulation *s, abut_index row, const hold *h,
                             double first_contacts)
{
    const abut_index place = s->store.places[row];
    if (store_holds(&s->store, place)) {
        return INFINITY;
    }
    const double by_bonds = s->bonds.count > 0 ? bonds_stable_step(s, row) : INFINITY;
    if (h->stiffness > 0.0) {
        const double step = step_of_hold(h, s->store.movers[place].mass);
        const double ratio = step / by_bonds;
        return by_bonds < INFINITY ? step / sqrt(1.0 + ratio * ratio) : step;
    }
    const bool is_free = by_bonds == INFINITY && first_contacts > 0.0;
    return is_free ? step_of_free(s, place, first_contacts) : by_bonds;
}

static abut_index count_bonds(const abut_simulation *s, abut_index row)
{
    return s->bonds.count > 0 ? s->bonds.begins[row + 1] - s->bonds.begins[row] : 0;
}

/* What holds each sphere, found chunk by chunk. For a chunk first the pairs are added whose second
 * sphere alone is in it, and then the pairs whose first sphere is. */
typedef struct holding {
    const abut_simulation *simulation;
    double first_contacts;
    hold *holds;
    abut_index size, chunk_count;
    sorted_items by_second; /* rows by the chunk of their second sphere */
} holding;

/* Spheres of a chunk; of very many it has more. */
enum { CHUNK_HOLDS = 512 };

/* The keys of rows: the chunk of the second sphere, where it is not that of the first one. */
static void fill_second_chunks(void *context, abut_index begin, abut_index end, uint16_t *keys)
{
    const holding *all = context;
    const interaction_table *t = &all->simulation->before->tables[ABUT_SPHERE_SPHERE];
    for (abut_index row = begin; row < end; row++) {
        keys[row - begin] = (uint16_t)all->chunk_count;
    }
    for (abut_index k = 0; k < table_span_count(t); k++) {
        const row_span span = table_span(t, k);
        const abut_index last = span.first + span.count < end ? span.first + span.count : end;
        for (abut_index row = span.first > begin ? span.first : begin; row < last; row++) {
            const abut_index second = table_second(t, row) / all->size;
            if (second != table_first(t, row) / all->size) {
                keys[row - begin] = (uint16_t)second;
            }
        }
    }
}

static abut_status sort_by_second(holding *all)
{
    const abut_simulation *s = all->simulation;
    const interaction_table *t = &s->before->tables[ABUT_SPHERE_SPHERE];
    const row_span last = table_span(t, table_span_count(t) - 1);
    const sort_task task = {.count = last.first + last.count,
                            .key_count = (int32_t)all->chunk_count + 1,
                            .fill = fill_second_chunks,
                            .context = all,
                            .workers = s->input.workers};
    return sort_by_key(&all->by_second, &task);
}

static void hold_sphere(const holding *all, abut_index place, abut_index chunk, row_span rows)
{
    const abut_simulation *s = all->simulation;
    const interaction_table *pairs = &s->before->tables[ABUT_SPHERE_SPHERE],
                            *walls = &s->before->tables[ABUT_SPHERE_WALL];
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        const law_stiffness of = stiffness_of_row(s, pairs, row);
        add_hold(&all->holds[place], of);
        const abut_index second = table_second(pairs, row);
        if (second / all->size == chunk) {
            add_hold(&all->holds[second], of);
        }
    }
    const row_span contacts = table_contacts_of(walls, place);
    for (abut_index k = 0; k < contacts.count; k++) {
        add_hold(&all->holds[place], stiffness_of_row(s, walls, contacts.first + k));
    }
}

static void hold_chunk(void *context, abut_index begin, abut_index end)
{
    const holding *all = context;
    const interaction_table *t = &all->simulation->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index chunk = begin / all->size;
    const int32_t *begins = all->by_second.key_begins + chunk;
    for (int32_t k = begins[0]; k < begins[1]; k++) {
        const abut_index row = all->by_second.items[k];
        add_hold(&all->holds[table_second(t, row)], stiffness_of_row(all->simulation, t, row));
    }
    row_span rows = {0, 0};
    for (abut_index place = begin; place < end; place++) {
        rows = table_pairs_of(t, place, place > begin ? &rows : NULL);
        hold_sphere(all, place, chunk, rows);
    }
}

static void keep_shortest(void *total, const void *part)
{
    abut_stable_step *longest = total;
    const abut_stable_step *of = part;
    if (of->step < longest->step) {
        *longest = *of;
    }
}

static void find_shortest(const void *context, abut_index begin, abut_index end, void *part)
{
    const holding *all = context;
    const abut_simulation *s = all->simulation;
    for (abut_index row = begin; row < end; row++) {
        const hold *h = &all->holds[s->store.places[row]];
        const abut_stable_step own = {step_of_sphere(s, row, h, all->first_contacts), row,
                                      h->contact_count + count_bonds(s, row)};
        keep_shortest(part, &own);
    }
}

abut_status stable_step_of_spheres(const abut_simulation *s, double first_contacts,
                                   abut_stable_step *longest)
{
    static const abut_stable_step none = {.step = INFINITY, .index = -1};
    const abut_index count = s->store.count, work = WORK_OF_SPHERE * count;
    const abut_index even = parallel_chunk_count(count, SORT_KEY_LIMIT - 1);
    holding all = {.simulation = s,
                   .first_contacts = first_contacts,
                   .holds = memory_alloc_zeroed(count, sizeof *all.holds),
                   .size = even > CHUNK_HOLDS ? even : CHUNK_HOLDS};
    const parallel_folding folding = {find_shortest, keep_shortest, &all, &none, sizeof none};
    all.chunk_count = parallel_chunk_count(count, all.size);
    *longest = none;
    const abut_status status = all.holds ? sort_by_second(&all) : ABUT_NO_MEMORY;
    if (!status) {
        parallel_loop(s->input.workers, count, all.size, work, hold_chunk, &all);
        parallel_fold(s->input.workers, count, work, &folding, longest);
    }
    sorted_free(&all.by_second);
    memory_free(all.holds);
    return status;
}

abut_status abut_simulation_stable_step(const abut_simulation *s, abut_stable_step *longest)
{
    return stable_step_of_spheres(s, FIRST_CONTACTS, longest);
}

/* ---- bodies ---- */

/* What holds a body against its six ways to move, by mass and inertia: springs, and dampers of laws
 * whose stiffness goes with the overlap. Of linear laws, whose ratio of damping to stiffness is the
 * same at all spots, the largest ratio. */
enum { WAYS = 6 };

typedef struct solid_hold {
    double stiffness[WAYS][WAYS], damping[WAYS][WAYS];
    double ratio;
    abut_index spot_count;
} solid_hold;

/* How stiff a spot is, and how much it damps: along the normal, across it, and against rolling. */
typedef struct spot_springs {
    double normal, shear, roll;
} spot_springs;

static double ratio_of(const resting_contact *h)
{
    const law_stiffness *of = &h->of;
    return of->normal > 0.0 ? 2.0 * of->damping_ratio * sqrt(h->contact.mass / of->normal) : 0.0;
}

static spot_springs stiffness_of(const resting_contact *h)
{
    const double radius = h->contact.radius;
    const bool has_roll = h->law->rolling_friction > 0.0;
    return (spot_springs){h->of.normal, h->of.shear,
                          has_roll ? h->of.shear * radius * radius : 0.0};
}

/* The dampers beside these springs; of linear laws that against rolling alone. */
static spot_springs damping_of(const resting_contact *h, const spot_springs *k)
{
    spot_springs c = {.roll = h->law->rolling_damping * sqrt(k->roll * h->contact.inertia)};
    if (h->law->exponent > 1.0) {
        const double ratio = 2.0 * h->of.damping_ratio;
        c.normal = ratio * sqrt(k->normal * h->contact.mass);
        c.shear = ratio * sqrt(k->shear * h->contact.mass);
    }
    return c;
}

/* A spring or a damper along a way, which is a displacement and a rotation, both in the frame of
 * the principal axes. */
static void add_way(double sum[WAYS][WAYS], double stiffness, const rigid *r, vec3 along, vec3 turn)
{
    const double root = sqrt(r->mass);
    const double ways[WAYS] = {along.x / root,
                               along.y / root,
                               along.z / root,
                               turn.x / sqrt(r->inertia[0]),
                               turn.y / sqrt(r->inertia[1]),
                               turn.z / sqrt(r->inertia[2])};
    for (int i = 0; i < WAYS; i++) {
        for (int k = 0; k < WAYS; k++) {
            sum[i][k] += stiffness * ways[i] * ways[k];
        }
    }
}

/* Those of a spot: across the normal, along it, and against rolling; of two bodies both give way.
 */
static void add_springs(double sum[WAYS][WAYS], const spot_springs *k, double both, const rigid *r,
                        vec3 arm, vec3 normal)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    static const vec3 none = {0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        add_way(sum, both * k->shear, r, axes[axis], vec3_cross(arm, axes[axis]));
    }
    add_way(sum, both * (k->normal - k->shear), r, normal, vec3_cross(arm, normal));
    if (k->roll > 0.0) {
        for (int axis = 0; axis < 3; axis++) {
            add_way(sum, both * k->roll, r, none, axes[axis]);
        }
        add_way(sum, -both * k->roll, r, none, normal);
    }
}

/* Add what holds a body at a spot, at a point of it. */
static void add_spot(solid_hold *h, const view *v, const resting_contact *spot, vec3 point,
                     const rigid *r)
{
    vec3 rows[3];
    rigid_rows(r->began_orientation, rows);
    const vec3 arm = rows_turn_back(rows, vec3_sub(point, r->began));
    const vec3 normal = rows_turn_back(rows, v->normal);
    const spot_springs stiffness = stiffness_of(spot), damping = damping_of(spot, &stiffness);
    const double both = v->table->kind == ABUT_BODY_WALL ? 1.0 : 2.0;
    add_springs(h->stiffness, &stiffness, both, r, arm, normal);
    add_springs(h->damping, &damping, both, r, arm, normal);
    if (!(spot->law->exponent > 1.0)) {
        h->ratio = larger(h->ratio, ratio_of(spot));
    }
    h->spot_count++;
}

static void add_row(const abut_simulation *s, const interaction_table *t, abut_index row,
                    solid_hold *holds)
{
    const abut_index i = t->body.i[row], j = t->kind == ABUT_BODY_BODY ? t->body.j[row] : -1;
    const view v = view_row(s, t, row);
    resting_contact spot = {.law = v.law, .contact = view_contact(s, &v)};
    for (abut_index at = v.begin; at < v.end; at++) {
        const vec3 point = view_force_point(&v, at);
        spot.of = view_stiffness(&v, &spot.contact, at);
        if (spot.of.normal > 0.0) {
            add_spot(&holds[i], &v, &spot, point, &s->solids.bodies[i].rigid);
        }
        if (spot.of.normal > 0.0 && j >= 0) {
            add_spot(&holds[j], &v, &spot, vec3_sub(point, v.shift), &s->solids.bodies[j].rigid);
        }
    }
}

/* The largest eigenvalue, by multiplying again and again: a body has few ways to move, so this
 * comes near soon. */
enum { PRODUCTS = 64 };

static double find_largest(const double matrix[WAYS][WAYS])
{
    double way[WAYS] = {1.0, 0.9, 0.8, 0.7, 0.6, 0.5}, length = 0.0;
    for (int product = 0; product < PRODUCTS; product++) {
        double next[WAYS] = {0.0};
        length = 0.0;
        for (int i = 0; i < WAYS; i++) {
            for (int k = 0; k < WAYS; k++) {
                next[i] += matrix[i][k] * way[k];
            }
            length += next[i] * next[i];
        }
        length = sqrt(length);
        for (int i = 0; i < WAYS && length > 0.0; i++) {
            way[i] = next[i] / length;
        }
    }
    return length;
}

/* Dampers take from each swing no more than by their largest eigenvalue, which by the square of the
 * frequency is a ratio as that of linear laws. */
static double step_of_held(const solid_hold *h)
{
    const double frequency_sq = find_largest(h->stiffness), damping = find_largest(h->damping);
    const double ratio = damping > 0.0 ? damping / frequency_sq : 0.0;
    return law_stable_step(frequency_sq, h->ratio + ratio);
}

/* Its stiffness is 0 where there is no such law, or no radius. Of Hertz' law the overlap is the
 * deepest one which laws mean, a tenth of the radius, or where the body's corners are so fast, a
 * deeper one. */
resting_contact stable_first_of_body(const rigid_body *of, const law *l)
{
    const rigid *r = &of->rigid;
    const double radius = law_asks_for_radius(l) ? law_radius_of_body(l, of->rounding) : 1.0;
    const double speed = vec3_length(r->velocity) + of->reach * vec3_length(r->spin);
    resting_contact first = {.law = l,
                             .contact = {.overlap = 0.1 * radius,
                                         .radius = radius,
                                         .mass = r->mass / FIRST_CONTACTS,
                                         .inertia = rigid_own_inertia(r) / FIRST_CONTACTS,
                                         .radius_i = radius,
                                         .radius_j = radius}};
    first.contact.overlap = law_overlap_of_blow(l, &first.contact, speed);
    first.of = law_stiffness_at(l, &first.contact);
    return first;
}

/* The longest stable step of a body that touches nothing: as if four spots bore it, like a cube at
 * its corners. */
static double step_of_free_body(const abut_simulation *s, const rigid_body *of)
{
    const double *inertia = of->rigid.inertia;
    const double most = larger(inertia[0], larger(inertia[1], inertia[2]));
    const double gives_way = 1.0 / of->rigid.mass + of->reach * of->reach / (3.0 * most);
    double step = INFINITY;
    for (abut_index other = 0; other < s->laws.material_count; other++) {
        const law *l = laws_between(&s->laws, of->material, other);
        const resting_contact h = stable_first_of_body(of, l);
        const spot_springs k = stiffness_of(&h);
        if (k.normal > 0.0) {
            const double ratio =
                l->exponent > 1.0 ? damping_of(&h, &k).normal / k.normal : ratio_of(&h);
            step = fmin(step, law_stable_step(FIRST_CONTACTS * k.normal * gives_way, ratio));
        }
    }
    return step;
}

abut_status abut_simulation_stable_step_of_bodies(const abut_simulation *s,
                                                  abut_stable_step *longest)
{
    solid_hold *holds = memory_alloc_zeroed(s->solids.count, sizeof *holds);
    *longest = (abut_stable_step){.step = INFINITY, .index = -1};
    if (!holds) {
        return ABUT_NO_MEMORY;
    }
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        for (abut_index row = 0; row < s->before->tables[k].count; row++) {
            add_row(s, &s->before->tables[k], row, holds);
        }
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const solid_hold *h = &holds[k];
        const double step =
            h->spot_count > 0 ? step_of_held(h) : step_of_free_body(s, &s->solids.bodies[k]);
        if (step < longest->step && !s->solids.bodies[k].rigid.is_held) {
            *longest = (abut_stable_step){step, k, h->spot_count};
        }
    }
    memory_free(holds);
    return ABUT_OK;
}
