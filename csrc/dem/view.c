/* The view of an interaction. Each kind of row and partner has its own function; all other
 * functions use only the view. */
#include "view.h"

#include "bond_pairs.h"

/* ---- partners ---- */

static const abut_partner PARTNERS[ABUT_INTERACTION_COUNT][2] = {
    [ABUT_BODY_WALL] = {ABUT_PARTNER_BODY, ABUT_PARTNER_WALL},
    [ABUT_BODY_BODY] = {ABUT_PARTNER_BODY, ABUT_PARTNER_BODY},
    [ABUT_BODY_SPHERE] = {ABUT_PARTNER_BODY, ABUT_PARTNER_SPHERE},
    [ABUT_SPHERE_WALL] = {ABUT_PARTNER_SPHERE, ABUT_PARTNER_WALL},
    [ABUT_SPHERE_SPHERE] = {ABUT_PARTNER_SPHERE, ABUT_PARTNER_SPHERE},
};

static partner sphere_at(const abut_simulation *s, abut_index place)
{
    const store *spheres = &s->store;
    return (partner){.kind = ABUT_PARTNER_SPHERE,
                     .number = spheres->rows[place],
                     .material = spheres->materials[place],
                     .mass = spheres->movers[place].mass,
                     .inertia = spheres->inertias[place],
                     .radius = spheres->radii[place],
                     .inner = spheres->radii[place]};
}

static partner body_at(const abut_simulation *s, abut_index number)
{
    const rigid_body *body = &s->solids.bodies[number];
    return (partner){.kind = ABUT_PARTNER_BODY,
                     .number = number,
                     .material = body->material,
                     .mass = rigid_mass(&body->rigid),
                     .inertia = rigid_least_inertia(&body->rigid),
                     .radius = body->rounding,
                     .inner = body->inner};
}

static partner wall_at(const abut_simulation *s, abut_index number)
{
    const wall_record *record = &s->walls.walls[number];
    const bool is_free = walls_move_by(record, ABUT_FREE);
    return (partner){.kind = ABUT_PARTNER_WALL,
                     .number = number,
                     .material = (int32_t)record->given.material,
                     .mass = is_free ? record->drive.mass : FIXED,
                     .inertia = FIXED,
                     .radius = INFINITY,
                     .inner = INFINITY};
}

partner view_partner(const abut_simulation *s, const interaction_table *t, abut_index row, int side)
{
    const abut_index number = side == 0 ? table_first(t, row) : table_second(t, row);
    switch (PARTNERS[t->kind][side]) {
    case ABUT_PARTNER_SPHERE:
        return sphere_at(s, table_is_of_bodies(t->kind) ? s->store.places[number] : number);
    case ABUT_PARTNER_BODY:
        return body_at(s, number);
    case ABUT_PARTNER_WALL:
        break;
    }
    return wall_at(s, number);
}

inertness view_inertness(const abut_simulation *s, const partner *first, const partner *second)
{
    if (second->kind != ABUT_PARTNER_WALL) {
        return (inertness){reduced(first->mass, second->mass),
                           reduced(first->inertia, second->inertia)};
    }
    inertness finite = {0};
    if (first->kind == ABUT_PARTNER_SPHERE) {
        finite = spheres_own_inertness(s, s->store.places[first->number]);
    } else {
        const rigid *r = &s->solids.bodies[first->number].rigid;
        finite = (inertness){r->mass, rigid_own_inertia(r)};
    }
    finite.mass = second->mass == FIXED ? finite.mass : reduced(first->mass, second->mass);
    return finite;
}

double view_radius(const partner *one, const law *l)
{
    return one->kind == ABUT_PARTNER_BODY ? law_radius_of_body(l, one->radius) : one->radius;
}

/* ---- rows ---- */

static view view_of_contact(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_columns *c = &t->contact;
    const abut_index place = c->sphere[row];
    return (view){
        .table = t,
        .row = row,
        .begin = row,
        .end = row + 1,
        .law = view_wall_law(s, place, c->mesh[row]),
        .overlap = c->overlap[row],
        .radius = s->store.radii[place],
        .normal = vec3_load(c->normal + 3 * row),
        .shift = lattice_shift_of(simulation_lattice(s, t), c->image ? c->image + 3 * row : NULL)};
}

/* The view of a pair, with both radii reduced by half of `rest`. Its normal and shift stay 0. */
static view view_of_pair(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const double *radii = s->store.radii;
    const abut_index place_i = table_first(t, row), place_j = table_second(t, row);
    const pair_touch touch = pairs_touch(s, t, row);
    return (view){
        .table = t,
        .row = row,
        .begin = row,
        .end = row + 1,
        .law = touch.law,
        .overlap = touch.overlap,
        .rest = touch.rest,
        .radius = reduced(radii[place_i] - 0.5 * touch.rest, radii[place_j] - 0.5 * touch.rest)};
}

/* R* by docs/dem.md eq. 42; 0 if a partner has no radius of curvature. In this case the next step
 * fails, and the energy of a row of the last step is 0. */
static double radius_of_both(double first, double second)
{
    if (second == INFINITY) {
        return first;
    }
    return first > 0.0 && second > 0.0 ? reduced(first, second) : 0.0;
}

/* The velocity of a row's image relative to its partner. */
static vec3 drift_of(const abut_simulation *s, const abut_index *image)
{
    const vec3 none = {0.0, 0.0, 0.0};
    return s->cell.deforms && image ? cell_image_velocity(&s->cell, lattice_image(image)) : none;
}

/* The view of a row of bodies. Its law is laws_none() between a body and its own image. */
static view view_of_body(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    const abut_convex_columns *c = &t->body;
    const partner first = view_partner(s, t, row, 0), second = view_partner(s, t, row, 1);
    const bool is_itself = t->kind == ABUT_BODY_BODY && first.number == second.number;
    const abut_index *image = c->image ? c->image + 3 * row : NULL;
    const law *l =
        is_itself ? laws_none(&s->laws) : laws_between(&s->laws, first.material, second.material);
    const bool is_curved = law_asks_for_radius(l);
    return (view){
        .table = t,
        .row = row,
        .begin = c->spot_offsets[row],
        .end = c->spot_offsets[row + 1],
        .law = l,
        .overlap = c->overlap[row],
        .radius = is_curved ? radius_of_both(view_radius(&first, l), view_radius(&second, l)) : 1.0,
        .normal = vec3_load(c->normal + 3 * row),
        .shift = lattice_shift_of(simulation_lattice(s, t), image),
        .drift = drift_of(s, image),
        .is_curved = is_curved,
        .is_on_wall = is_curved && t->kind == ABUT_BODY_WALL};
}

view view_row(const abut_simulation *s, const interaction_table *t, abut_index row)
{
    switch (t->kind) {
    case ABUT_SPHERE_WALL:
        return view_of_contact(s, t, row);
    case ABUT_SPHERE_SPHERE:
        return view_of_pair(s, t, row);
    case ABUT_BODY_WALL:
    case ABUT_BODY_BODY:
    case ABUT_BODY_SPHERE:
        break;
    }
    return view_of_body(s, t, row);
}

vec3 view_force_point(const view *v, abut_index at)
{
    if (v->table->kind == ABUT_SPHERE_WALL) {
        return vec3_load(v->table->contact.point + 3 * at);
    }
    const vec3 point = vec3_load(v->table->body.spot + 3 * at);
    return v->is_on_wall ? vec3_add(point, vec3_scale(v->normal, 0.5 * view_overlap(v, at)))
                         : point;
}

/* ---- energy and stiffness ---- */

/* The elastic energy of an entry. A user's law has stored it in the contact history, already
 * multiplied by the contact's share. */
static double stored_in(const view *v, abut_index at)
{
    const interaction_table *t = v->table;
    if (v->law->user) {
        return table_kept(t, at)[t->extras.layout.begins[HISTORY_END] + HISTORY_STORED];
    }
    const double share = t->kind == ABUT_SPHERE_WALL ? t->contact.share[at] : 1.0;
    const double *kept = table_kept(t, at);
    return share * law_energy(v->law, v->radius, view_overlap(v, at), kept,
                              history_most(&t->extras.layout, kept));
}

double view_energy(const view *v)
{
    double sum = 0.0;
    for (abut_index at = v->begin; at < v->end; at++) {
        sum += view_is_active(v, at) ? stored_in(v, at) : 0.0;
    }
    return sum;
}

law_contact view_contact(const abut_simulation *s, const view *v)
{
    const interaction_table *t = v->table;
    const bool is_of_bodies = table_is_of_bodies(t->kind);
    const partner first = view_partner(s, t, v->row, 0), second = view_partner(s, t, v->row, 1);
    const inertness both = view_inertness(s, &first, &second);
    const double bearing = is_of_bodies ? larger(view_bearing_spots(t, v->row), 1.0) : 1.0;
    const bool is_flat = second.kind == ABUT_PARTNER_WALL;
    return (law_contact){.overlap = v->overlap,
                         .radius = v->radius,
                         .mass = both.mass / bearing,
                         .inertia = both.inertia / bearing,
                         .radius_i = is_of_bodies ? v->radius : first.radius - 0.5 * v->rest,
                         .radius_j =
                             is_of_bodies && !is_flat ? v->radius : second.radius - 0.5 * v->rest};
}

law_stiffness view_stiffness(const view *v, law_contact *contact, abut_index at)
{
    const interaction_table *t = v->table;
    const abut_user_law *user_law = v->law->user;
    const int *begins = t->extras.layout.begins;
    const double *kept = table_kept(t, at);
    contact->overlap = view_overlap(v, at);
    contact->vectors = contact->scalars = NULL;
    if (user_law && kept[begins[HISTORY_END] + HISTORY_IDENTITY] == (double)user_law->identity) {
        contact->vectors = kept + begins[HISTORY_VECTORS];
        contact->scalars = kept + begins[HISTORY_SCALARS];
    }
    return view_is_active(v, at) ? law_stiffness_at(v->law, contact)
                                 : (law_stiffness){.normal = 0.0};
}

double view_damper(const law *l, const law_stiffness *stiffness, double mass)
{
    const double part = l->exponent > 1.0 ? 5.0 / 6.0 : 1.0;
    return 2.0 * stiffness->damping_ratio * sqrt(part * stiffness->normal * mass);
}

static abut_index count_bearing(const abut_convex_columns *c, abut_index row)
{
    abut_index count = 0;
    for (abut_index spot = c->spot_offsets[row]; spot < c->spot_offsets[row + 1]; spot++) {
        count += c->spot_overlap[spot] > 0.0;
    }
    return count;
}

static bool is_same_wall(const abut_convex_columns *c, abut_index a, abut_index b)
{
    return c->i[a] == c->i[b] && c->mesh[a] == c->mesh[b];
}

double view_bearing_spots(const interaction_table *t, abut_index row)
{
    const abut_convex_columns *c = &t->body;
    const vec3 normal = vec3_load(c->normal + 3 * row);
    abut_index first = row;
    if (t->kind != ABUT_BODY_WALL) {
        return (double)count_bearing(c, row);
    }
    while (first > 0 && is_same_wall(c, first - 1, row)) {
        first--;
    }
    double sum = 0.0;
    for (abut_index k = first; k < t->count && is_same_wall(c, k, row); k++) {
        const double along = larger(vec3_dot(normal, vec3_load(c->normal + 3 * k)), 0.0);
        sum += along * along * (double)count_bearing(c, k);
    }
    return sum;
}

/* ---- walls ---- */

/* Data for visiting the rows of one kind. */
typedef struct visited_rows {
    const abut_simulation *simulation;
    const step_tables *tables;
    const interaction_table *table;
    abut_index wall;
    view_visit *visit;
} visited_rows;

static void visit_rows(const void *context, abut_index begin, abut_index end, void *part)
{
    const visited_rows *r = context;
    const abut_index *walls = table_seconds(r->table);
    for (abut_index row = begin; row < end; row++) {
        if (walls[row] == r->wall) {
            const view v = view_row(r->simulation, r->table, row);
            for (abut_index at = v.begin; at < v.end; at++) {
                r->visit(r->simulation, r->tables, &v, at, part);
            }
        }
    }
}

/* The work of a row in units of parallel_report. */
enum { WORK_OF_ROW = 5 };

void view_visit_wall(const abut_simulation *s, const step_tables *tables, abut_index wall,
                     view_visit *visit, parallel_folding found, void *total)
{
    static const abut_interaction kinds[] = {ABUT_SPHERE_WALL, ABUT_BODY_WALL};
    for (int k = 0; k < 2; k++) {
        const interaction_table *t = &tables->tables[kinds[k]];
        const visited_rows rows = {s, tables, t, wall, visit};
        found.add = visit_rows, found.context = &rows;
        parallel_fold(s->input.workers, t->count, WORK_OF_ROW * t->count, &found, total);
    }
}

void view_add_load(const abut_simulation *s, const step_tables *tables, const view *v,
                   abut_index at, abut_wall_load *load)
{
    const wall_record *record = &s->walls.walls[table_second(v->table, v->row)];
    const interaction_table *exerted = v->table;
    walls_add_load(load, tables == s->now ? &record->now : &record->before,
                   vec3_sub(view_force_point(v, at), v->shift),
                   vec3_load(exerted->effects[at].force), table_vector(exerted->moment, at),
                   exerted->power[at]);
}

/* ---- errors ---- */

abut_status view_name_missing_law(const abut_simulation *s, const interaction_table *t,
                                  abut_error *error)
{
    row_walk walk = {0};
    for (abut_index row; (row = table_walk(t, &walk)) >= 0;) {
        const partner first = view_partner(s, t, row, 0), second = view_partner(s, t, row, 1);
        if (laws_between(&s->laws, first.material, second.material)->is_missing) {
            return error_set(error, ABUT_LAW_MISSING, first.number, first.material,
                             (double)second.material);
        }
    }
    return ABUT_OK;
}

/* Whether a law can act at spots. Rolling friction of type A cannot: it needs a sphere's spin. */
static bool is_for_spots(const law *l)
{
    const bool is_brake = l->rolling_friction > 0.0 && l->rolling_damping < 0.0;
    return !l->is_missing && !is_brake;
}

static abut_status check_row(const abut_simulation *s, const interaction_table *t, abut_index row,
                             abut_error *error)
{
    const view v = view_row(s, t, row);
    const partner both[2] = {view_partner(s, t, row, 0), view_partner(s, t, row, 1)};
    if (!is_for_spots(v.law)) {
        return error_set(error, ABUT_BODY_LAW, both[0].number, both[0].material,
                         (double)both[1].material);
    }
    for (int side = 0; v.is_curved && side < 2; side++) {
        if (!(view_radius(&both[side], v.law) > 0.0)) {
            return error_set(error, ABUT_BODY_CURVATURE, both[side].number, both[side].material,
                             (double)both[1 - side].material);
        }
    }
    return ABUT_OK;
}

abut_status view_check_spot_laws(const abut_simulation *s, abut_error *error)
{
    abut_status status = ABUT_OK;
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        for (abut_index row = 0; !status && row < s->now->tables[k].count; row++) {
            status = check_row(s, &s->now->tables[k], row, error);
        }
    }
    return status;
}
