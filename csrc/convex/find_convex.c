/* Finds the contacts of convex bodies. Reads the bodies' poses, lists the pairs and the rows that
 * these continue, and then solves one pair after the other. */
#include "find_convex.h"

#include "../base/prefetch.h"
#include "convex_rows.h"
#include "convex_finder.h"

/* The work of solving a pair, in the units of parallel_report. */
enum { WORK_OF_PAIR = 30 };

/* CHUNK_PAIRS: the number of pairs that one thread solves in one go. FETCHED_AHEAD: a body is
 * prefetched this many pairs before its pair is solved. */
enum { CHUNK_PAIRS = 256, FETCHED_AHEAD = 4 };

abut_convex_query abut_convex_query_default(void)
{
    return (abut_convex_query){.spots = 1, .minimum = ABUT_TRACKED, .workers = 1};
}

typedef struct finding {
    const abut_convex_finder *finder;
    const abut_convex_query *query;
    abut_convex_contacts *contacts;
    const placed_body *bodies;
    const body_pairs *pairs;
    const abut_index *match; /* each pair's row of the last step, or -1; NULL: none */
    solve_task task;
    bool keeps_all;
} finding;

/* Sets the partners of a row. The body with the smaller number is the solver's body A, so that
 * results do not depend on the caller's order. Writes the members one by one: copying a struct
 * would take longer, since the copy waits for these writes. */
static void name_row(const finding *f, abut_index k, row_place *place)
{
    const int dimension = f->finder->dimension;
    const abut_index i = f->pairs->i[k], j = f->pairs->j[k];
    const abut_index *image = f->pairs->image ? f->pairs->image + dimension * k : NULL;
    place->first = (int32_t)i, place->second = (int32_t)j, place->mesh = 0;
    place->before = f->match ? f->match[k] : -1;
    place->is_swapped = i > j;
    place->shift = (vec3){0.0, 0.0, 0.0};
    for (int axis = 0; axis < 3; axis++) {
        place->image[axis] = image && axis < dimension ? image[axis] : 0;
    }
}

static void make_pair(const finding *f, abut_index k, row_place *place, convex_pair *pair)
{
    const vec3 shift = candidates_shift(f->pairs, k, f->finder->dimension);
    const placed_body *first = &f->bodies[place->first], *second = &f->bodies[place->second];
    if (place->is_swapped) {
        place->at = &second->at;
        place->shift = shift; /* the row's first body stays where the caller has it */
        places_pair(second, first, vec3_scale(shift, -1.0), pair);
    } else {
        place->at = &first->at;
        places_pair(first, second, shift, pair);
    }
}

/* Reads the last step's link, with which a pair's search begins. Returns false if there is none. */
static bool read_state(const finding *f, abut_index k, const convex_pair *pair, convex_link *link)
{
    const abut_index row = f->match ? f->match[k] : -1;
    if (row < 0 || row >= f->query->before.row_count) { /* the caller's array may have changed */
        return false;
    }
    const double *state = f->query->before.state + ABUT_CONVEX_STATE * row;
    return link_unpack(state, pair, link);
}

/* Whether the plane perpendicular to the line of the centroids shows that two bodies are farther
 * apart than the query's gap. This is so for most pairs. The test takes a tenth of the time of a
 * link. */
static bool is_far(const finding *f, const convex_pair *pair)
{
    const vec3 line = pair_centers(pair);
    const double length = vec3_length(line);
    if (!(length > 0.0)) {
        return false;
    }
    const double rounding = body_rounding(&pair->a) + body_rounding(&pair->b);
    const double gap = pair_support_gap(pair, vec3_scale(line, 1.0 / length)).gap - rounding;
    return gap > f->query->gap + pair->tolerance;
}

static void solve_one(const finding *f, abut_index k, convex_chunk *chunk, convex_spot *room)
{
    row_place place;
    convex_pair pair;
    convex_link before;
    solved result;
    name_row(f, k, &place);
    make_pair(f, k, &place, &pair);
    const bool has_before = read_state(f, k, &pair, &before);
    if (!has_before && !f->keeps_all && is_far(f, &pair)) {
        return;
    }
    solve_link(&pair, has_before ? &before : NULL, &f->task, &result);
    if (f->keeps_all || result.gap <= f->query->gap) {
        solve_spots(&pair, &f->task, &result, convex_rows_spots(chunk), room);
        convex_rows_add(chunk, &place, &result);
    }
}

static void fetch_body(const placed_body *body)
{
    PREFETCH(body);
    PREFETCH((const char *)body + MEMORY_LINE);
}

static void fetch(const finding *f, abut_index k)
{
    if (k < f->pairs->count) {
        fetch_body(&f->bodies[f->pairs->i[k]]);
        fetch_body(&f->bodies[f->pairs->j[k]]);
    }
}

static abut_status solve_chunk(void *context, abut_index number, parallel_job *job)
{
    const finding *f = context;
    convex_chunk *chunk = &f->contacts->chunks[number];
    const abut_index begin = number * CHUNK_PAIRS;
    const abut_index end = parallel_chunk_end(begin, CHUNK_PAIRS, f->pairs->count);
    spot_room *room = finder_take_room(f->finder, f->finder->spot_limit);
    abut_status status = room ? ABUT_OK : ABUT_NO_MEMORY;
    for (abut_index k = begin; !status && k < end; k++) {
        fetch(f, k + FETCHED_AHEAD);
        status = convex_rows_reserve(chunk, f->finder->spot_limit);
        if (!status) {
            solve_one(f, k, chunk, room->spots);
        }
    }
    if (room) {
        finder_give_room(f->finder, room);
    }
    return status ? status : parallel_report(job, WORK_OF_PAIR * (end - begin));
}

static abut_status solve_all(finding *f, abut_error *error)
{
    const abut_index count = f->pairs->count;
    const parallel_plan plan = finder_plan(f->query, count, CHUNK_PAIRS, WORK_OF_PAIR);
    abut_status status = convex_rows_reserve_chunks(f->contacts, plan.chunk_count);
    status = status ? status : parallel_run(&plan, solve_chunk, f);
    if (!status) {
        convex_rows_join(f->contacts);
    }
    return error_set_status(error, status);
}

static finding start(abut_convex_contacts *contacts, const abut_convex_query *query)
{
    const convex_memory *memory = contacts->memory;
    const solve_task task = {.options = contacts->finder->options,
                             .minimum = query->minimum,
                             .wants_spots = query->spots != 0};
    return (finding){.finder = contacts->finder,
                     .query = query,
                     .contacts = contacts,
                     .bodies = memory->places.bodies,
                     .pairs = &memory->pairs,
                     .match = memory->earlier.match,
                     .task = task,
                     .keeps_all = query->i && query->all_rows};
}

/* A function that lists the pairs of a query, and the rows of the last step that these continue. */
typedef abut_status pair_listing(const abut_convex_finder *finder, const abut_convex_query *query,
                                 convex_memory *memory, abut_error *error);

static abut_status list_checked(const abut_convex_finder *finder, const abut_convex_query *query,
                                convex_memory *memory, abut_error *error)
{
    const abut_status status =
        candidates_make(finder, query, &memory->places, &memory->pairs, error);
    return status ? status : states_match(finder, query, &memory->pairs, &memory->earlier, error);
}

static abut_status list_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              convex_memory *memory, abut_error *error)
{
    states_take(query, &memory->earlier);
    return candidates_take(finder, query, &memory->places, &memory->pairs, error);
}

static abut_status find_contacts(abut_convex_contacts *contacts, const abut_convex_query *query,
                                 pair_listing *list, abut_error *error)
{
    const abut_convex_finder *finder = contacts->finder;
    convex_memory *memory = contacts->memory;
    const bool wants_centers = !query->i || query->period;
    abut_status status = places_read(finder, query, &memory->places, error);
    if (!status && wants_centers) {
        status = places_center(finder, query, &memory->places, error);
    }
    status = status ? status : list(finder, query, memory, error);
    if (!status) {
        contacts->has_images = memory->pairs.image != NULL;
        contacts->is_sorted = query->i == NULL;
        finding f = start(contacts, query);
        status = solve_all(&f, error);
    }
    return status;
}

static abut_status check_minimum(const abut_convex_query *query, abut_error *error)
{
    const int minimum = (int)query->minimum;
    const bool is_known = minimum == ABUT_TRACKED || minimum == ABUT_GLOBAL;
    return is_known ? ABUT_OK : error_set(error, ABUT_BAD_MINIMUM, minimum, 0, 0.0);
}

/* Arguments and result of find_together, which parallel_together calls. */
typedef struct searching {
    abut_convex_contacts *contacts;
    const abut_convex_query *query;
    pair_listing *list;
    abut_error *error;
    abut_status status;
} searching;

static void find_together(void *context)
{
    searching *s = context;
    s->status = find_contacts(s->contacts, s->query, s->list, s->error);
}

static abut_status find(const abut_convex_finder *finder, const abut_convex_query *query,
                        pair_listing *list, abut_convex_contacts **contacts, abut_error *error)
{
    *contacts = NULL;
    abut_convex_contacts *made = convex_rows_make(finder, query);
    if (!made) {
        return error_set_status(error, ABUT_NO_MEMORY);
    }
    searching s = {.contacts = made, .query = query, .list = list, .error = error};
    const abut_index pairs = query->i ? query->pair_count : 4 * finder->body_count;
    parallel_together(query->workers, WORK_OF_PAIR * pairs, find_together, &s);
    if (s.status) {
        abut_convex_contacts_free(made);
    } else {
        *contacts = made;
    }
    return s.status;
}

abut_status convex_find_given(const abut_convex_finder *finder, const abut_convex_query *query,
                              abut_convex_contacts **contacts, abut_error *error)
{
    return find(finder, query, list_given, contacts, error);
}

abut_status abut_convex_find(const abut_convex_finder *finder, const abut_convex_query *query,
                             abut_convex_contacts **contacts, abut_error *error)
{
    const abut_convex_query copy = *query;
    *contacts = NULL;
    error_set_status(error, ABUT_OK);
    return check_minimum(&copy, error) ? ABUT_BAD_MINIMUM
                                       : find(finder, &copy, list_checked, contacts, error);
}
