/* Finds active candidates in a valid neighbor list. */
#include "active_candidates.h"

#include <stdatomic.h>
#include <string.h>

#include "../base/error.h"
#include "../base/span.h"
#include "../spheres/kernels.h"
#include "kernels.h"

enum { SPHERE_CHUNK = 1024 };

/* ---- where spheres are ---- */

typedef struct placing {
    neighbor_list *list;
    const neighbor_spheres *spheres;
    atomic_bool is_used_up;
} placing;

/* Whether a sphere has moved farther than its allowance, or has a coordinate that is NaN. The way
 * of a cell that deforms does not count. Whole periods are subtracted last, since moves by a period
 * are rare. */
static bool has_used_up(const list_cell *cell, const sphere_row *now, const anchor *from)
{
    const vec3 d = vec3_sub(vec3_load(now->place), list_place(cell, from));
    const lattice *of = cell->lattice;
    return !(vec3_norm_sq(d) <= from->allowance_sq) &&
           !(of->is_periodic &&
             vec3_norm_sq(vec3_sub(d, lattice_nearest(of, d))) <= from->allowance_sq);
}

/* Reads the places of some spheres or outlines. first: the number of the first sphere, or of the
 * first outline, in the list. known: how many spheres, or outlines, are in the list already. */
static void place_some(placing *p, const row_source *source, row_span some, abut_index first,
                       abut_index known)
{
    const neighbor_list *l = p->list;
    sphere_row *places = l->places + first;
    const abut_index end = some.first + some.count, last = end < known ? end : known;
    row_bounds bounds;
    /* if a center is not finite or too far away, the search for a new list returns the error */
    const list_cell cell = neighbor_cell(l, p->spheres);
    bool is_used_up = !pair_kernels_take()->gather_load(source, some.first, end, places, &bounds);
    for (abut_index k = some.first; l->is_made && !is_used_up && k < last; k++) {
        is_used_up = has_used_up(&cell, &places[k], &l->anchors[first + k]);
    }
    if (is_used_up) {
        atomic_store(&p->is_used_up, true);
    }
}

/* Whether the cell has deformed more than the list allows for. */
static bool is_strained(const neighbor_list *l)
{
    return l->flows && !(matrix_norm(l->flow.rows, 1.0) <= l->most_strain);
}

static void place_spheres(void *context, abut_index begin, abut_index end)
{
    placing *p = context;
    const neighbor_spheres *s = p->spheres;
    const row_source source = {s->centers, s->radii, 3, s->lattice};
    place_some(p, &source, (row_span){begin, end - begin}, 0, p->list->sphere_count);
}

abut_status active_place(neighbor_list *l, const neighbor_spheres *s, int workers, bool *is_whole)
{
    placing p = {.list = l, .spheres = s};
    const abut_index count = neighbor_count(s);
    void *places = memory_reserve(&l->blocks[0], count + 2 * GRID_PADDING, sizeof *l->places);
    if (!places) {
        return ABUT_NO_MEMORY;
    }
    l->places = memory_first_line(places);
    parallel_loop(workers, s->count, SPHERE_CHUNK, s->count / 2, place_spheres, &p);
    if (s->outlines.count > 0) {
        const row_span all = {0, s->outlines.count};
        const row_source source = {s->outlines.centers, s->outlines.radii, 3, s->lattice};
        place_some(&p, &source, all, s->count, all.count);
    }
    *is_whole = l->is_made && !atomic_load(&p.is_used_up) && !is_strained(l);
    return ABUT_OK;
}

/* ---- which candidates touch ---- */

/* The image of a candidate's second sphere, if both spheres are at these places in the box. */
static vec3 image_at(const neighbor_list *l, const list_cell *cell, int32_t candidate, vec3 from,
                     vec3 to)
{
    const lattice *of = cell->lattice;
    if (!l->images || l->images[candidate][0] == NEAREST_IMAGE) {
        return lattice_nearest_image(of, vec3_sub(from, to));
    }
    /* one of several images, plus those by which spheres were moved since the list was made */
    const int32_t *image = l->images[candidate];
    const vec3 then = {(double)image[0], (double)image[1], (double)image[2]};
    const vec3 anchor_i = list_place(cell, &l->anchors[l->firsts[candidate]]);
    const vec3 anchor_j = list_place(cell, &l->anchors[l->seconds[candidate]]);
    const vec3 wraps_i = lattice_nearest_image(of, vec3_sub(from, anchor_i));
    const vec3 wraps_j = lattice_nearest_image(of, vec3_sub(to, anchor_j));
    return vec3_add(then, vec3_sub(wraps_i, wraps_j));
}

static vec3 image_of(const neighbor_list *l, const list_cell *cell, int32_t candidate)
{
    return image_at(l, cell, candidate, vec3_load(l->places[l->firsts[candidate]].place),
                    vec3_load(l->places[l->seconds[candidate]].place));
}

bool active_is_close(const neighbor_list *l, int32_t candidate, double width)
{
    const vec3 from = vec3_load(l->places[l->firsts[candidate]].place);
    const vec3 to = vec3_load(l->places[l->seconds[candidate]].place);
    return 4.0 * vec3_norm_sq(vec3_sub(from, to)) * (1.0 + LIST_ROUNDING) < width * width;
}

vec3 active_image(const neighbor_list *l, const list_cell *cell, const double *centers,
                  int32_t candidate)
{
    double from[3], to[3];
    memcpy(from, centers + 3 * (abut_index)l->firsts[candidate], sizeof from);
    memcpy(to, centers + 3 * (abut_index)l->seconds[candidate], sizeof to);
    const vec3 of_i = lattice_wrap_point(cell->lattice, from);
    const vec3 wraps = vec3_sub(of_i, lattice_wrap_point(cell->lattice, to));
    return vec3_add(image_at(l, cell, candidate, vec3_load(from), vec3_load(to)), wraps);
}

/* The squared distance between the centers of a candidate's spheres. */
static double distance_sq_of(const neighbor_list *l, const neighbor_spheres *s, int32_t candidate)
{
    const sphere_row *i = &l->places[l->firsts[candidate]];
    const sphere_row *j = &l->places[l->seconds[candidate]];
    const vec3 apart = vec3_sub(vec3_load(i->place), vec3_load(j->place));
    const list_cell cell = neighbor_cell(l, s);
    const vec3 shift = lattice_shift(s->lattice, image_of(l, &cell, candidate));
    return vec3_norm_sq(vec3_sub(apart, shift));
}

/* The distance between the centers of a candidate's spheres if they touch: the sum of radii. */
static double touch_of(const neighbor_list *l, int32_t candidate)
{
    return l->places[l->firsts[candidate]].reach + l->places[l->seconds[candidate]].reach;
}

double active_overlap(const neighbor_list *l, const neighbor_spheres *s, int32_t candidate)
{
    return touch_of(l, candidate) - sqrt(distance_sq_of(l, s, candidate));
}

/* Whether a candidate's spheres touch, or are within the reach of their law. */
static bool is_within_reach(const neighbor_list *l, const neighbor_spheres *s, int32_t candidate)
{
    const double reach = touch_of(l, candidate) +
                         neighbor_pair_reach(s, l->firsts[candidate], l->seconds[candidate]);
    return distance_sq_of(l, s, candidate) <= reach * reach;
}

/* Removes candidates that do not touch and are beyond their law's reach. Returns how many stay. */
static int32_t keep_within_reach(const neighbor_list *l, const neighbor_spheres *s, int32_t *active,
                                 int32_t count)
{
    int32_t left = 0;
    for (int32_t k = 0; k < count; k++) {
        if (!active_is_apart(active[k]) || is_within_reach(l, s, active_candidate(active[k]))) {
            active[left++] = active[k];
        }
    }
    return left;
}

/* Does what the kernel active_list does, for a chunk with candidates that have images of their
 * own. */
static int32_t touch_images(const neighbor_list *l, const neighbor_spheres *s,
                            const candidate_block *b)
{
    int32_t count = 0;
    for (int32_t candidate = b->begin; candidate < b->end; candidate++) {
        const double distance_sq = distance_sq_of(l, s, candidate), touch = touch_of(l, candidate);
        if (distance_sq <= touch * touch) {
            b->active[count++] = candidate;
        } else if (b->reach > 0.0) {
            b->active[count++] = ~candidate;
        }
    }
    return count;
}

int32_t active_list(const neighbor_list *l, const neighbor_spheres *s, abut_index chunk)
{
    const candidate_block block = {.places = l->places,
                                   .firsts = l->firsts,
                                   .seconds = l->seconds,
                                   .begin = l->begins[chunk * NEIGHBOR_CHUNK],
                                   .end = l->begins[neighbor_chunk_end(l, chunk)],
                                   .lattice = s->lattice,
                                   .reach = s->reach,
                                   .active = active_of(l, chunk)};
    const int32_t count = l->has_images[chunk] ? touch_images(l, s, &block)
                                               : interaction_kernels_take()->active_list(&block);
    return s->reach > 0.0 ? keep_within_reach(l, s, block.active, count) : count;
}

/* ---- rows ---- */

/* The numbers of the spheres in some pairs, and the shift of each second sphere to its image. */
typedef struct pair_numbers {
    int32_t firsts[LAW_BLOCK + GRID_PADDING], seconds[LAW_BLOCK + GRID_PADDING];
    double shifts[3][LAW_BLOCK + GRID_PADDING];
} pair_numbers;

/* Sets the shifts of pairs by their images, some of which are not the nearest ones. */
static void set_shifts(const neighbor_list *l, const neighbor_spheres *s, const int32_t *active,
                       int32_t count, pair_numbers *n)
{
    const list_cell cell = neighbor_cell(l, s);
    for (int32_t k = 0; k < count; k++) {
        const vec3 shift = lattice_shift(s->lattice, image_of(l, &cell, active[k]));
        n->shifts[0][k] = shift.x, n->shifts[1][k] = shift.y, n->shifts[2][k] = shift.z;
    }
    for (int axis = 0; axis < 3; axis++) {
        memset(n->shifts[axis] + count, 0, GRID_PADDING * sizeof *n->shifts[axis]);
    }
}

static void write_block(const neighbor_list *l, const neighbor_spheres *s, const int32_t *active,
                        int32_t count, double *normal, double *overlap)
{
    pair_numbers n;
    for (int32_t k = 0; k < count + GRID_PADDING; k++) {
        n.firsts[k] = k < count ? l->firsts[active[k]] : 0;
        n.seconds[k] = k < count ? l->seconds[active[k]] : 0;
    }
    pair_block block = {.count = count,
                        .firsts = n.firsts,
                        .seconds = n.seconds,
                        .next_seconds = n.seconds,
                        .first_rows = l->places,
                        .second_rows = l->places,
                        .lattice = s->lattice->is_periodic ? s->lattice : NULL,
                        .dimension = 3,
                        .normal = normal,
                        .overlap = overlap};
    if (l->images) {
        set_shifts(l, s, active, count, &n);
        for (int axis = 0; axis < 3; axis++) {
            block.shifts[axis] = n.shifts[axis];
        }
    }
    pair_kernels_take()->pairs_compute(&block);
}

void active_write(const neighbor_list *l, const neighbor_spheres *s, const int32_t *candidates,
                  abut_index count, double *normal, double *overlap)
{
    for (abut_index k = 0; k < count; k += LAW_BLOCK) {
        const abut_index own = parallel_chunk_end(k, LAW_BLOCK, count) - k;
        write_block(l, s, candidates + k, (int32_t)own, normal + 3 * k, overlap + k);
    }
}
