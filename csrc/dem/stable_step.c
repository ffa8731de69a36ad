/* The stable time step of spheres and bodies, by the stiffness of contacts (docs/dem.md, section
 * 2). */
#include "stable_step.h"

#include "../base/sort.h"
#include "bond_laws.h"
#include "view.h"

/* The work of a sphere in units of parallel_report. */
enum { WORK_OF_SPHERE = 5 };

/* ---- spheres ---- */

/* Sums over a sphere's contacts, from which its stable step is computed. */
typedef struct support {
    double stiffness, damping_ratio;
    abut_index contact_count;
} support;

static void add_support(support *h, law_stiffness stiffness)
{
    /* a tangential force also rotates a solid sphere: its point moves 1 + m r^2 / I = 3.5 times
     * as far as the center */
    const double shear = 3.5 * stiffness.shear;
    h->stiffness += larger(stiffness.normal, shear);
    h->damping_ratio = larger(stiffness.damping_ratio, h->damping_ratio);
    h->contact_count += stiffness.normal > 0.0;
}

/* The stiffness of a table row of spheres. */
static law_stiffness stiffness_of_row(const abut_simulation *s, const interaction_table *t,
                                      abut_index row)
{
    const view v = view_row(s, t, row);
    law_contact contact = view_contact(s, &v);
    return view_stiffness(&v, &contact, row);
}

/* The stable step of a sphere with these contacts: docs/dem.md eq. 31. */
static double step_of_support(const support *h, double mass)
{
    return sqrt(2.0 * mass / h->stiffness) * law_stable_part(sqrt(3.5) * h->damping_ratio);
}

/* The assumed overlap of a first contact, divided by the radius. */
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
    first.stiffness = law_stiffness_at(l, &first.contact);
    return first;
}

double stable_step_of_first(const law_table *laws, int32_t material, double count, double radius,
                            double mass, double speed)
{
    double step = INFINITY;
    for (abut_index other = 0; other < laws->material_count; other++) {
        const law *l = laws_between(laws, material, other);
        support h = {.stiffness = 0.0};
        add_support(&h, stable_first_of_sphere(l, radius, mass, speed).stiffness);
        h.stiffness *= count;
        if (h.stiffness > 0.0) {
            step = smaller(step, step_of_support(&h, mass));
        }
    }
    return step;
}

/* The stable step of a sphere without contacts. A member has its part of the cluster's mass. */
static double step_of_free(const abut_simulation *s, abut_index place, double first_contacts)
{
    const store *spheres = &s->store;
    return stable_step_of_first(&s->laws, spheres->materials[place], first_contacts,
                                spheres->radii[place], spheres->masses[place],
                                vec3_length(vec3_load(spheres->movers[place].velocity)));
}

/* The longest stable step of a sphere with contacts and bonds. The sum of the squared
 * frequencies by contacts and by bonds is an upper bound on that of the sphere. A sphere without
 * both is assumed to get first_contacts contacts; if this is 0, its step is INFINITY. */
static double step_of_sphere(const abut_simulation *s, abut_index row, const support *h,
                             double first_contacts)
{
    const abut_index place = s->store.places[row];
    if (store_is_fixed(&s->store, place)) {
        return INFINITY;
    }
    const double by_bonds = s->bonds.count > 0 ? bonds_stable_step(s, row) : INFINITY;
    if (h->stiffness > 0.0) {
        const double step = step_of_support(h, s->store.movers[place].mass);
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

/* The contacts of all spheres, computed chunk by chunk. A chunk first adds pairs of which only the
 * second sphere is in it, then pairs with the first sphere in it. */
typedef struct all_supports {
    const abut_simulation *simulation;
    double first_contacts;
    support *supports;
    abut_index size, chunk_count;
    sorted_items by_second; /* table rows by the chunk of their second sphere */
} all_supports;

/* Spheres in a chunk. A chunk has more if there would be more chunks than keys of the sort. */
enum { CHUNK_SUPPORTS = 512 };

/* Sets the keys of rows: the second sphere's chunk, if the first sphere is in another one. */
static void fill_second_chunks(void *context, abut_index begin, abut_index end, uint16_t *keys)
{
    const all_supports *all = context;
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

static abut_status sort_by_second(all_supports *all)
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

static void support_sphere(const all_supports *all, abut_index place, abut_index chunk,
                           row_span rows)
{
    const abut_simulation *s = all->simulation;
    const interaction_table *pairs = &s->before->tables[ABUT_SPHERE_SPHERE],
                            *walls = &s->before->tables[ABUT_SPHERE_WALL];
    for (abut_index row = rows.first; row < rows.first + rows.count; row++) {
        const law_stiffness stiffness = stiffness_of_row(s, pairs, row);
        add_support(&all->supports[place], stiffness);
        const abut_index second = table_second(pairs, row);
        if (second / all->size == chunk) {
            add_support(&all->supports[second], stiffness);
        }
    }
    const row_span contacts = table_contacts_of(walls, place);
    for (abut_index k = 0; k < contacts.count; k++) {
        add_support(&all->supports[place], stiffness_of_row(s, walls, contacts.first + k));
    }
}

static void support_chunk(void *context, abut_index begin, abut_index end)
{
    const all_supports *all = context;
    const interaction_table *t = &all->simulation->before->tables[ABUT_SPHERE_SPHERE];
    const abut_index chunk = begin / all->size;
    const int32_t *begins = all->by_second.key_begins + chunk;
    for (int32_t k = begins[0]; k < begins[1]; k++) {
        const abut_index row = all->by_second.items[k];
        add_support(&all->supports[table_second(t, row)],
                    stiffness_of_row(all->simulation, t, row));
    }
    row_span rows = {0, 0};
    for (abut_index place = begin; place < end; place++) {
        rows = table_pairs_of(t, place, place > begin ? &rows : NULL);
        support_sphere(all, place, chunk, rows);
    }
}

static void keep_shortest(void *total, const void *part)
{
    abut_stable_step *longest = total;
    const abut_stable_step *other = part;
    if (other->step < longest->step) {
        *longest = *other;
    }
}

static void find_shortest(const void *context, abut_index begin, abut_index end, void *part)
{
    const all_supports *all = context;
    const abut_simulation *s = all->simulation;
    for (abut_index row = begin; row < end; row++) {
        const support *h = &all->supports[s->store.places[row]];
        const abut_stable_step found = {step_of_sphere(s, row, h, all->first_contacts), row,
                                        h->contact_count + count_bonds(s, row)};
        keep_shortest(part, &found);
    }
}

abut_status stable_step_of_spheres(const abut_simulation *s, double first_contacts,
                                   abut_stable_step *longest)
{
    static const abut_stable_step none = {.step = INFINITY, .index = -1};
    const abut_index count = s->store.count, work = WORK_OF_SPHERE * count;
    const abut_index even = parallel_chunk_count(count, SORT_KEY_LIMIT - 1);
    all_supports all = {.simulation = s,
                        .first_contacts = first_contacts,
                        .supports = memory_alloc_zeroed(count, sizeof *all.supports),
                        .size = even > CHUNK_SUPPORTS ? even : CHUNK_SUPPORTS};
    const parallel_folding folding = {find_shortest, keep_shortest, &all, &none, sizeof none};
    all.chunk_count = parallel_chunk_count(count, all.size);
    *longest = none;
    const abut_status status = all.supports ? sort_by_second(&all) : ABUT_NO_MEMORY;
    if (!status) {
        parallel_loop(s->input.workers, count, all.size, work, support_chunk, &all);
        parallel_fold(s->input.workers, count, work, &folding, longest);
    }
    sorted_free(&all.by_second);
    memory_free(all.supports);
    return status;
}

abut_status abut_simulation_stable_step(const abut_simulation *s, abut_stable_step *longest)
{
    return stable_step_of_spheres(s, FIRST_CONTACTS, longest);
}

/* ---- bodies ---- */

/* Springs and dashpots of a body's contacts in its six degrees of freedom, scaled by mass and
 * inertia. In linear laws the ratio of damping to stiffness is the same for all springs of a spot:
 * `ratio` is the largest of all spots. Other laws add to the matrix `damping`. */
enum { WAYS = 6 };

typedef struct body_support {
    double stiffness[WAYS][WAYS], damping[WAYS][WAYS];
    double ratio;
    abut_index spot_count;
} body_support;

/* Stiffness or damping of a spot: along the normal, tangential, and in rolling. */
typedef struct spot_springs {
    double normal, shear, roll;
} spot_springs;

static double ratio_of(const resting_contact *h)
{
    const law_stiffness *stiffness = &h->stiffness;
    return stiffness->normal > 0.0
               ? 2.0 * stiffness->damping_ratio * sqrt(h->contact.mass / stiffness->normal)
               : 0.0;
}

static spot_springs stiffness_of(const resting_contact *h)
{
    const double radius = h->contact.radius;
    const bool has_roll = h->law->rolling_friction > 0.0;
    return (spot_springs){h->stiffness.normal, h->stiffness.shear,
                          has_roll ? h->stiffness.shear * radius * radius : 0.0};
}

/* The dashpots parallel to these springs. For linear laws, only the dashpot of rolling is not 0,
 * since body_support.ratio stands for the others. */
static spot_springs damping_of(const resting_contact *h, const spot_springs *k)
{
    spot_springs c = {.roll = h->law->rolling_damping * sqrt(k->roll * h->contact.inertia)};
    if (h->law->exponent > 1.0) {
        const double ratio = 2.0 * h->stiffness.damping_ratio;
        c.normal = ratio * sqrt(k->normal * h->contact.mass);
        c.shear = ratio * sqrt(k->shear * h->contact.mass);
    }
    return c;
}

/* Adds a spring or dashpot to a matrix. If the body moves by u and rotates by w, the elongation is
 * dot(along, u) + dot(turn, w), in the frame of the principal axes. */
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

/* Adds the springs or dashpots of a spot, times `both`: 2 between two grains, since both move; 1 on
 * a wall. */
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

/* Adds a spot at this point to the contacts of a body. */
static void add_spot(body_support *h, const view *v, const resting_contact *spot, vec3 point,
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
                    body_support *supports)
{
    const abut_index i = t->body.i[row], j = t->kind == ABUT_BODY_BODY ? t->body.j[row] : -1;
    const view v = view_row(s, t, row);
    resting_contact spot = {.law = v.law, .contact = view_contact(s, &v)};
    for (abut_index at = v.begin; at < v.end; at++) {
        const vec3 point = view_force_point(&v, at);
        spot.stiffness = view_stiffness(&v, &spot.contact, at);
        if (spot.stiffness.normal > 0.0) {
            add_spot(&supports[i], &v, &spot, point, &s->solids.bodies[i].rigid);
        }
        if (spot.stiffness.normal > 0.0 && j >= 0) {
            add_spot(&supports[j], &v, &spot, vec3_sub(point, v.shift), &s->solids.bodies[j].rigid);
        }
    }
}

/* Number of power iterations for the largest eigenvalue. A 6 x 6 matrix needs few of them. */
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

/* The stable step of a body, docs/dem.md eq. 43. The largest eigenvalue of the dashpots bounds the
 * damping. Divided by the squared frequency it is a ratio of damping to stiffness, as in linear
 * laws. */
static double step_of_body(const body_support *h)
{
    const double frequency_sq = find_largest(h->stiffness), damping = find_largest(h->damping);
    const double ratio = damping > 0.0 ? damping / frequency_sq : 0.0;
    return law_stable_step(frequency_sq, h->ratio + ratio);
}

/* Without a law or a radius, the stiffness is 0. For Hertz' law the overlap is a tenth of the
 * radius, the largest for which contact laws are made. Corners in a fast impact overlap more. */
resting_contact stable_first_of_body(const rigid_body *body, const law *l)
{
    const rigid *r = &body->rigid;
    const double radius = law_asks_for_radius(l) ? law_radius_of_body(l, body->rounding) : 1.0;
    const double speed = vec3_length(r->velocity) + body->reach * vec3_length(r->spin);
    resting_contact first = {.law = l,
                             .contact = {.overlap = 0.1 * radius,
                                         .radius = radius,
                                         .mass = r->mass / FIRST_CONTACTS,
                                         .inertia = rigid_own_inertia(r) / FIRST_CONTACTS,
                                         .radius_i = radius,
                                         .radius_j = radius}};
    first.contact.overlap = law_overlap_of_blow(l, &first.contact, speed);
    first.stiffness = law_stiffness_at(l, &first.contact);
    return first;
}

/* The stable step of a body without contacts, as if it rested on four corners of a cube. */
static double step_of_free_body(const abut_simulation *s, const rigid_body *body)
{
    const double *inertia = body->rigid.inertia;
    const double most = larger(inertia[0], larger(inertia[1], inertia[2]));
    const double gives_way = 1.0 / body->rigid.mass + body->reach * body->reach / (3.0 * most);
    double step = INFINITY;
    for (abut_index other = 0; other < s->laws.material_count; other++) {
        const law *l = laws_between(&s->laws, body->material, other);
        const resting_contact h = stable_first_of_body(body, l);
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
    body_support *supports = memory_alloc_zeroed(s->solids.count, sizeof *supports);
    *longest = (abut_stable_step){.step = INFINITY, .index = -1};
    if (!supports) {
        return ABUT_NO_MEMORY;
    }
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        for (abut_index row = 0; row < s->before->tables[k].count; row++) {
            add_row(s, &s->before->tables[k], row, supports);
        }
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        const body_support *h = &supports[k];
        const double step =
            h->spot_count > 0 ? step_of_body(h) : step_of_free_body(s, &s->solids.bodies[k]);
        if (step < longest->step && !s->solids.bodies[k].rigid.is_fixed) {
            *longest = (abut_stable_step){step, k, h->spot_count};
        }
    }
    memory_free(supports);
    return ABUT_OK;
}
