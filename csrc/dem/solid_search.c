/* The part of a step that finds what bodies touch, and which spot continues which. */
#include <string.h>

#include "../convex/finder.h"
#include "simulation.h"

/* ---- finders ---- */

/* The shapes and sizes of bodies, and behind them those of spheres, which are points that are
 * rounded. */
static void fill_sizes(const abut_simulation *s, abut_index spheres, abut_index *shapes,
                       double *scales)
{
    const rigid_set *set = &s->solids;
    for (abut_index k = 0; k < set->count; k++) {
        shapes[k] = set->bodies[k].shape;
        scales[k] = set->bodies[k].scale;
    }
    for (abut_index row = 0; row < spheres; row++) {
        shapes[set->count + row] = set->shape_count;
        scales[set->count + row] = s->store.radii[s->store.places[row]];
    }
}

/* Make a finder of all bodies and of so many spheres, where there is none. */
static abut_status make_finder(const abut_simulation *s, abut_index spheres,
                               abut_convex_finder **finder, abut_error *error)
{
    const abut_index count = s->solids.count + spheres;
    if (*finder) {
        return ABUT_OK;
    }
    abut_index *shapes = memory_alloc(count, sizeof *shapes);
    double *scales = memory_alloc(count, sizeof *scales);
    abut_status status = shapes && scales ? ABUT_OK : ABUT_NO_MEMORY;
    if (status) {
        error_set_status(error, status);
    } else {
        fill_sizes(s, spheres, shapes, scales);
        const abut_convex_input input = {.shapes = s->solids.shapes,
                                         .shape_count = s->solids.shape_count + 1,
                                         .body_count = count,
                                         .shape = shapes,
                                         .scales = scales,
                                         .options = abut_convex_options_default()};
        status = abut_convex_finder_build(&input, finder, error);
    }
    memory_free(shapes);
    memory_free(scales);
    return status;
}

static abut_status make_outlines(abut_simulation *s, abut_error *error)
{
    if (s->search.outlines) {
        return ABUT_OK;
    }
    double *radii = memory_alloc(s->solids.count, sizeof *radii);
    if (!radii) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    for (abut_index k = 0; k < s->solids.count; k++) {
        radii[k] = s->solids.bodies[k].reach;
    }
    abut_pair_input input = abut_pair_input_default();
    input.sphere_count = s->solids.count;
    input.dimension = 3;
    input.radii = radii;
    input.period = lattice_periods(&s->lattice);
    input.workers = s->input.workers;
    const abut_status status = abut_pair_finder_build(&input, &s->search.outlines, error);
    memory_free(radii);
    return status;
}

/* ---- where all are ---- */

static bool reserve_places(abut_simulation *s, abut_index spheres)
{
    solid_search *of = &s->search;
    const abut_index count = s->solids.count + spheres;
    of->positions = memory_reserve(&of->position_block, 3 * count, sizeof *of->positions);
    of->orientations = memory_reserve(&of->orientation_block, 4 * count, sizeof *of->orientations);
    of->radii = memory_reserve(&of->radius_block, spheres, sizeof *of->radii);
    return of->positions && of->orientations && of->radii;
}

static void place_bodies(abut_simulation *s)
{
    for (abut_index k = 0; k < s->solids.count; k++) {
        const rigid_frame frame = rigid_body_frame(&s->solids.bodies[k]);
        vec3_store(s->search.positions + 3 * k, frame.origin);
        memcpy(s->search.orientations + 4 * k, frame.orientation, sizeof frame.orientation);
    }
}

static void place_spheres(abut_simulation *s)
{
    static const double not_turned[4] = {0.0, 0.0, 0.0, 1.0};
    double *positions = s->search.positions + 3 * s->solids.count;
    double *orientations = s->search.orientations + 4 * s->solids.count;
    for (abut_index row = 0; row < s->store.count; row++) {
        const abut_index place = s->store.places[row];
        memcpy(positions + 3 * row, s->store.centers + 3 * place, 3 * sizeof *positions);
        memcpy(orientations + 4 * row, not_turned, sizeof not_turned);
        s->search.radii[row] = s->store.radii[place];
    }
}

static abut_status place_all(abut_simulation *s, abut_error *error)
{
    const abut_index spheres = s->store.count;
    if (!reserve_places(s, spheres)) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    place_bodies(s);
    place_spheres(s);
    return ABUT_OK;
}

/* ---- matching ---- */

/* -1, 0 or 1: in which order two rows are, whatever their images. */
static int compare_rows(const interaction_table *t, abut_index a, const interaction_table *other,
                        abut_index b)
{
    const abut_convex_columns *c = &t->body, *d = &other->body;
    const abut_index *const keys[] = {c->i, c->j, c->mesh, c->facet};
    const abut_index *const other_keys[] = {d->i, d->j, d->mesh, d->facet};
    for (int k = 0; k < 4; k++) {
        if (keys[k] && keys[k][a] != other_keys[k][b]) {
            return keys[k][a] < other_keys[k][b] ? -1 : 1;
        }
    }
    return 0;
}

/* How many rows from this one on are of the same two partners. */
static abut_index count_images(const interaction_table *t, abut_index row)
{
    abut_index count = 1;
    while (row + count < t->count && compare_rows(t, row + count, t, row) == 0) {
        count++;
    }
    return count;
}

static bool are_same_images(const interaction_table *now, abut_index row,
                            const interaction_table *before, abut_index old)
{
    const abut_index *image = now->body.image, *old_image = before->body.image;
    return !image || !old_image ||
           memcmp(image + 3 * row, old_image + 3 * old, 3 * sizeof *image) == 0;
}

/* Match rows of the same two partners. Several are told apart by image; a single one goes on at
 * another image, too: it left the box and came in on the other side. */
static void match_images(const interaction_table *now, abut_index row, abut_index count,
                         const interaction_table *before, abut_index old)
{
    const abut_index old_count = count_images(before, old);
    for (abut_index k = 0; k < count; k++) {
        for (abut_index l = 0; l < old_count; l++) {
            if ((count == 1 && old_count == 1) || are_same_images(now, row + k, before, old + l)) {
                now->row_match[row + k] = old + l;
            }
        }
    }
}

/* Match the rows of two steps, which ascend in both. */
static void match_rows(const interaction_table *now, const interaction_table *before)
{
    abut_index old = 0, count;
    memset(now->row_match, -1, (size_t)now->count * sizeof *now->row_match);
    for (abut_index row = 0; row < now->count; row += count) {
        count = count_images(now, row);
        while (old < before->count && compare_rows(now, row, before, old) > 0) {
            old++;
        }
        if (old < before->count && compare_rows(now, row, before, old) == 0) {
            match_images(now, row, count, before, old);
        }
    }
}

static abut_spot_step step_of(const interaction_table *t)
{
    return (abut_spot_step){.row_count = t->count,
                            .spot_count = t->entry_count,
                            .spot_offsets = t->body.spot_offsets,
                            .spot_type = t->body.spot_type,
                            .spot_feature = t->body.spot_feature};
}

/* ---- from facet to facet ---- */

/* Rows of one body and one wall. */
typedef struct wall_rows {
    abut_index begin, end;
} wall_rows;

/* -1, 0 or 1: in which order two rows' bodies and walls are. */
static int compare_walls(const interaction_table *t, abut_index a, const interaction_table *other,
                         abut_index b)
{
    const abut_convex_columns *c = &t->body, *d = &other->body;
    if (c->i[a] != d->i[b]) {
        return c->i[a] < d->i[b] ? -1 : 1;
    }
    return c->mesh[a] == d->mesh[b] ? 0 : c->mesh[a] < d->mesh[b] ? -1 : 1;
}

/* Whether two spots are of the same feature of the body, and inside of facets both times. */
static bool is_on_facets(const interaction_table *now, abut_index spot,
                         const interaction_table *before, abut_index old)
{
    const uint8_t *type = now->body.spot_type + 2 * spot;
    const uint8_t *old_type = before->body.spot_type + 2 * old;
    return type[1] == ABUT_FACET && old_type[1] == ABUT_FACET && type[0] == old_type[0] &&
           now->body.spot_feature[2 * spot] == before->body.spot_feature[2 * old];
}

/* Match what is left of the rows of a body and a wall: where the body slides from facet to facet,
 * what lay on the one goes on on the other. */
static void match_rest(const interaction_table *now, wall_rows rows,
                       const interaction_table *before, wall_rows old_rows)
{
    const abut_index *offsets = now->body.spot_offsets;
    const abut_index *old_offsets = before->body.spot_offsets;
    abut_index *match = now->springs.match;
    for (abut_index spot = offsets[rows.begin]; spot < offsets[rows.end]; spot++) {
        abut_index old = match[spot] < 0 ? old_offsets[old_rows.begin] : old_offsets[old_rows.end];
        for (; match[spot] < 0 && old < old_offsets[old_rows.end]; old++) {
            match[spot] = is_on_facets(now, spot, before, old) ? old : -1;
        }
    }
}

static abut_index end_of_wall(const interaction_table *t, abut_index begin)
{
    abut_index end = begin + 1;
    while (end < t->count && compare_walls(t, end, t, begin) == 0) {
        end++;
    }
    return end;
}

static void match_facets(const interaction_table *now, const interaction_table *before)
{
    wall_rows old = {0, 0};
    for (wall_rows rows = {0, 0}; rows.begin < now->count; rows.begin = rows.end) {
        rows.end = end_of_wall(now, rows.begin);
        while (old.begin < before->count && compare_walls(now, rows.begin, before, old.begin) > 0) {
            old.begin++;
        }
        if (old.begin < before->count && compare_walls(now, rows.begin, before, old.begin) == 0) {
            old.end = end_of_wall(before, old.begin);
            match_rest(now, rows, before, old);
        }
    }
}

static abut_status match_spots(abut_simulation *s, abut_interaction meeting, abut_error *error)
{
    const interaction_table *t = &s->now->tables[meeting], *old = &s->before->tables[meeting];
    if (t->count == 0) {
        return ABUT_OK;
    }
    match_rows(t, old);
    if (old->count == 0) {
        memset(t->springs.match, -1, (size_t)t->entry_count * sizeof *t->springs.match);
        return ABUT_OK;
    }
    const abut_spot_step now = step_of(t), before = step_of(old);
    const abut_status status =
        abut_spots_match(&now, &before, t->row_match, NULL, t->springs.match, error);
    if (!status && meeting == ABUT_BODY_WALL) {
        match_facets(t, old);
    }
    return status;
}

/* ---- rows ---- */

/* What is found becomes the table of now. */
static abut_status take_rows(abut_simulation *s, abut_interaction meeting,
                             abut_convex_contacts *found, abut_error *error)
{
    interaction_table *t = &s->now->tables[meeting];
    const abut_index rows = abut_convex_contacts_count(found);
    const abut_index spots = abut_convex_contacts_spot_count(found);
    if (table_reserve(t, (table_size){rows, spots, s->solids.count}, simulation_extras(s))) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_convex_contacts_write(found, &t->body);
    t->count = rows, t->entry_count = spots;
    return ABUT_OK;
}

static abut_convex_query make_query(const abut_simulation *s, const parallel_plan *plan,
                                    abut_interaction meeting)
{
    const interaction_table *old = &s->before->tables[meeting];
    const abut_convex_columns *c = &old->body;
    abut_convex_query query = abut_convex_query_default();
    query.positions = s->search.positions, query.orientations = s->search.orientations;
    query.period = lattice_periods(&s->lattice);
    query.workers = s->input.workers;
    query.interrupted = plan->interrupted;
    query.interrupted_data = plan->interrupted_data;
    if (old->count > 0) {
        query.before = (abut_convex_before){.row_count = old->count,
                                            .i = c->i,
                                            .j = c->j,
                                            .mesh = c->mesh,
                                            .facet = c->facet,
                                            .image = c->image,
                                            .state = c->state};
    }
    return query;
}

static abut_status find_bodies(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    abut_convex_contacts *found = NULL;
    const abut_convex_query query = make_query(s, plan, ABUT_BODY_BODY);
    abut_status status = abut_convex_find(s->search.bodies, &query, &found, error);
    status = status ? status : take_rows(s, ABUT_BODY_BODY, found, error);
    abut_convex_contacts_free(found);
    return status;
}

static abut_status find_walls(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    abut_convex_contacts *found = NULL;
    const abut_convex_query query = make_query(s, plan, ABUT_BODY_WALL);
    const abut_convex_walls walls = {.finder = s->walls.finder,
                                     .poses = s->now->poses,
                                     .half_space_count = s->walls.count - s->walls.mesh_count,
                                     .half_spaces = s->walls.placed};
    abut_status status = abut_convex_find_walls(s->search.bodies, &query, &walls, &found, error);
    status = status ? status : take_rows(s, ABUT_BODY_WALL, found, error);
    abut_convex_contacts_free(found);
    return status;
}

/* ---- spheres ---- */

/* Pairs of a body and a sphere that may touch; spheres are counted on from the bodies, by rows. */
typedef struct near_spheres {
    abut_index *i, *j;
    abut_index count;
} near_spheres;

static abut_status write_candidates(abut_simulation *s, const abut_pairs *pairs, near_spheres *to)
{
    memory_block *blocks = s->search.candidate_blocks;
    to->count = abut_pairs_count(pairs);
    to->i = memory_reserve(&blocks[0], to->count, sizeof *to->i);
    to->j = memory_reserve(&blocks[1], to->count, sizeof *to->j);
    if (!to->i || !to->j) {
        return ABUT_NO_MEMORY;
    }
    const abut_pair_columns columns = {.i = to->i, .j = to->j};
    abut_pairs_write(pairs, &columns);
    return ABUT_OK;
}

/* Centers of mass, about which outlines are. */
static double *list_centers(const abut_simulation *s)
{
    double *centers = memory_alloc(3 * s->solids.count, sizeof *centers);
    for (abut_index k = 0; centers && k < s->solids.count; k++) {
        vec3_store(centers + 3 * k, s->solids.bodies[k].rigid.position);
    }
    return centers;
}

/* The error of the search for outlines, each of which is a sphere about a body: it names the body.
 * Other spheres are named by their rows already. */
static abut_status name_outline(abut_error *error)
{
    if (error->of_others) {
        error->of_others = 0;
        return error->status;
    }
    return finder_name_body(error->status, error);
}

static abut_status find_candidates(abut_simulation *s, const parallel_plan *plan, near_spheres *to,
                                   abut_error *error)
{
    abut_pairs *pairs = NULL;
    double *centers = list_centers(s);
    if (!centers) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_pair_query query = abut_pair_query_default();
    query.centers = centers;
    query.other_centers = s->search.positions + 3 * s->solids.count;
    query.other_radii = s->search.radii;
    query.other_count = s->store.count;
    query.workers = s->input.workers;
    query.interrupted = plan->interrupted, query.interrupted_data = plan->interrupted_data;
    abut_status status = make_outlines(s, error);
    status = status ? status : abut_pairs_find(s->search.outlines, &query, &pairs, error);
    if (status) {
        status = name_outline(error);
    } else if (write_candidates(s, pairs, to)) {
        status = error_set_status(error, ABUT_NO_MEMORY);
    }
    abut_pairs_free(pairs);
    memory_free(centers);
    return status;
}

/* A body and a sphere that may touch at two images are an error: rows do not tell at which image
 * they touch. */
static abut_status check_images(const near_spheres *c, abut_error *error)
{
    for (abut_index k = 1; k < c->count; k++) {
        if (c->i[k] == c->i[k - 1] && c->j[k] == c->j[k - 1]) {
            return error_set(error, ABUT_BODY_IMAGES, c->i[k], c->j[k], 0.0);
        }
    }
    return ABUT_OK;
}

/* The second numbers of the rows before, as the finder of bodies and spheres counts them; NULL: no
 * memory. */
static abut_index *list_earlier(abut_simulation *s)
{
    const interaction_table *old = &s->before->tables[ABUT_BODY_SPHERE];
    abut_index *numbers = memory_reserve(&s->search.earlier_block, old->count, sizeof *numbers);
    for (abut_index row = 0; numbers && row < old->count; row++) {
        numbers[row] = old->body.j[row] + s->solids.count;
    }
    return numbers;
}

/* The error of a search among bodies and spheres: the bodies behind the last one are spheres, and
 * named as such. */
static abut_status name_mixed(const abut_simulation *s, abut_error *error)
{
    const abut_status of_sphere = finder_name_sphere(error->status, NULL);
    const bool names_one = of_sphere != error->status && of_sphere != ABUT_PERIOD_TOO_SHORT;
    if (names_one && error->index >= s->solids.count) {
        error->index -= s->solids.count;
        error->status = of_sphere;
    }
    return error->status;
}

static abut_status find_mixed(abut_simulation *s, const parallel_plan *plan, near_spheres *c,
                              abut_error *error)
{
    abut_convex_contacts *found = NULL;
    abut_convex_query query = make_query(s, plan, ABUT_BODY_SPHERE);
    query.before.j = list_earlier(s);
    if (!query.before.j) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    for (abut_index k = 0; k < c->count; k++) {
        c->j[k] += s->solids.count;
    }
    query.i = c->i, query.j = c->j, query.pair_count = c->count;
    abut_status status = abut_convex_find(s->search.mixed, &query, &found, error);
    status = status ? status : take_rows(s, ABUT_BODY_SPHERE, found, error);
    const interaction_table *t = &s->now->tables[ABUT_BODY_SPHERE];
    for (abut_index row = 0; !status && row < t->count; row++) {
        t->body.j[row] -= s->solids.count;
    }
    abut_convex_contacts_free(found);
    return status;
}

static abut_status find_spheres(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    near_spheres c = {0};
    interaction_table *t = &s->now->tables[ABUT_BODY_SPHERE];
    abut_status status = find_candidates(s, plan, &c, error);
    status = status ? status : check_images(&c, error);
    if (status || c.count == 0) {
        t->count = t->entry_count = 0;
        return status;
    }
    status = make_finder(s, s->store.count, &s->search.mixed, error);
    status = status ? status : find_mixed(s, plan, &c, error);
    return status ? name_mixed(s, error) : ABUT_OK;
}

/* ---- all of them ---- */

static void clear_tables(abut_simulation *s)
{
    for (int k = 0; k < ABUT_BODY_INTERACTIONS; k++) {
        s->now->tables[k].count = s->now->tables[k].entry_count = 0;
    }
}

static abut_status find_meetings(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    abut_status status = place_all(s, error);
    status = status ? status : make_finder(s, 0, &s->search.bodies, error);
    status = status ? status : find_bodies(s, plan, error);
    if (!status && s->walls.count > 0) {
        status = find_walls(s, plan, error);
    }
    if (!status && s->store.count > 0) {
        status = find_spheres(s, plan, error);
    }
    for (int k = 0; !status && k < ABUT_BODY_INTERACTIONS; k++) {
        status = match_spots(s, (abut_interaction)k, error);
    }
    return status;
}

abut_status solids_find(abut_simulation *s, const parallel_plan *plan, abut_error *error)
{
    clear_tables(s);
    return s->solids.count > 0 ? find_meetings(s, plan, error) : ABUT_OK;
}
