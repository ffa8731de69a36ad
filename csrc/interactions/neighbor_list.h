/* The neighbor list (Verlet list): pairs of spheres that may touch in the next steps, until the
 * list is rebuilt (docs/dem.md §3).
 * Each sphere has an allowance: the distance that it may move until then (docs/dem.md eq. 34). It
 * is about the distance that the sphere moves in some tens of steps. Other programs have one skin
 * for all spheres instead. Candidates are pairs with a gap of at most the sum of both allowances,
 * plus the reach of laws. So no other pair can touch while no sphere has moved farther than its
 * allowance. In a periodic cell that deforms, a sphere's way is relative to that of the cell, and
 * reaches are larger by the strain that the list allows for. Every step compares places with those
 * when the list was made, so it does not matter why a sphere moved. Results do not depend on the
 * list: neither the contacts nor their order. */
#ifndef INTERACTIONS_NEIGHBOR_LIST_H
#define INTERACTIONS_NEIGHBOR_LIST_H

#include "../abut/pairs.h"
#include "../base/affine.h"
#include "../base/box.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "law_table.h"
#include "mover.h"

typedef struct sphere_row sphere_row; /* spheres/grid.h */

/* Outlines: spheres that enclose rigid bodies. They are listed with spheres and with each other. */
typedef struct neighbor_outlines {
    abut_index count;
    const double *centers, *radii, *speeds;
    double wall_reach; /* walls within this number of radii are searched */
} neighbor_outlines;

/* The spheres of a step, by place. */
typedef struct neighbor_spheres {
    abut_index count;
    const double *centers; /* count x 3 */
    const double *radii;
    const mover *movers;
    const int32_t *clusters; /* spheres of the same cluster are no candidates; -1: in no cluster */
    const lattice *lattice;
    double step; /* time step */
    vec3 gravity;
    const abut_pair_finder *lender; /* a finder with memory for searches */
    neighbor_outlines outlines;     /* their numbers follow those of the spheres */
    const law_table *laws;          /* laws of `materials`, from which reaches are computed */
    const int32_t *materials;
    double wall_gap;         /* the largest gap to walls at which spheres are searched */
    double reach;            /* the largest reach of a law between two spheres */
    const affine_map *drift; /* velocities of the periodic cell if it deforms; else NULL */
} neighbor_spheres;

/* The largest reach (law.h) of the laws of a sphere, with any partner. */
static inline double neighbor_reach(const neighbor_spheres *s, abut_index k)
{
    return s->laws->pulls_or_reaches && k < s->count
               ? laws_most_reach(s->laws, s->materials[k], s->radii[k])
               : 0.0;
}

/* The reach of the law of two spheres. */
static inline double neighbor_pair_reach(const neighbor_spheres *s, abut_index i, abut_index j)
{
    if (!s->laws->pulls_or_reaches) {
        return 0.0;
    }
    const abut_index number = laws_number(s->laws, s->materials[i], s->materials[j]);
    return law_reach(&s->laws->laws[number], reduced(s->radii[i], s->radii[j]));
}

/* The number of spheres and outlines. */
static inline abut_index neighbor_count(const neighbor_spheres *s)
{
    return s->count + s->outlines.count;
}

/* The center of a sphere, or of an outline if the number is not that of a sphere. */
static inline const double *neighbor_center(const neighbor_spheres *s, abut_index sphere)
{
    return sphere < s->count ? s->centers + 3 * sphere
                             : s->outlines.centers + 3 * (sphere - s->count);
}

/* Whether two spheres are no candidate: members of one cluster, or a sphere and its own image. */
static inline bool neighbor_is_one_body(const int32_t *clusters, abut_index i, abut_index j)
{
    return i == j || (clusters[i] >= 0 && clusters[i] == clusters[j]);
}

/* The place of a sphere when the list was made, and its squared allowance. */
typedef struct anchor {
    double place[3];
    double allowance_sq;
} anchor;

/* The periodic cell at a time when a list is valid: its lattice, and how points that move with the
 * cell have moved since the list was made; NULL: not at all. */
typedef struct list_cell {
    const lattice *lattice;
    const affine_map *flow;
} list_cell;

/* Where a sphere would be that had moved with the cell. */
static inline vec3 list_place(const list_cell *cell, const anchor *from)
{
    const vec3 place = vec3_load(from->place);
    return cell->flow ? affine_apply(cell->flow, place) : place;
}

/* An outline that may touch a sphere or an earlier outline, at any image. */
typedef struct outline_pair {
    int32_t outline;
    int32_t other; /* the place of a sphere, or the number of an outline (numbered after spheres) */
} outline_pair;

/* Numbers from which allowances are computed, of all spheres and outlines when the list was
 * made. */
typedef struct list_pace {
    double mean_speed, smallest_radius, mean_radius;
    double smallest_width; /* of the periodic box; INFINITY: no period */
    double horizon;        /* number of steps for which the list is made */
    double stretch;        /* by this part of itself, a length may grow while the list is valid */
} list_pace;

/* Why a list was rebuilt. */
typedef enum neighbor_reason {
    NEIGHBORS_MOVED,   /* a sphere had used up its allowance */
    NEIGHBORS_CHANGED, /* spheres were added or removed, or had other sizes or places in memory */
    NEIGHBOR_REASONS
} neighbor_reason;

/* Counts since the simulation began. */
typedef struct neighbor_counts {
    abut_index made[NEIGHBOR_REASONS];
    abut_index candidates, steps; /* candidates tested in all steps; number of steps with tests */
} neighbor_counts;

/* A neighbor list. Zero-initialize. Candidates are sorted by first sphere, second sphere and image.
 * Effects on second spheres in later chunks are collected in buckets: one per pair of chunks with
 * such candidates, sorted by the first chunk. */
typedef struct neighbor_list {
    bool is_made;
    bool is_new;          /* made in this step */
    bool has_past;        /* `past` is computed */
    bool is_for_one_step; /* true if no sphere has an allowance */
    bool has_buckets;     /* buckets of the present candidates are made */
    abut_index sphere_count, candidate_count;
    double horizon;   /* the number of steps for which allowances are made; 0: not chosen yet */
    abut_index lived; /* the number of steps in which the list was used */
    neighbor_counts counts;

    bool flows; /* the periodic cell has deformed since the list was made */
    affine_map flow,
        flow_before;    /* its motion until this step and until the last one, if `flows` */
    double most_strain; /* the list is valid up to this norm of flow - 1 */

    list_pace pace;
    double largest_reach; /* the largest sum of a radius, its allowance and half its reach */
    box region;           /* the box in which centers stay while the list is valid */

    sphere_row *places; /* present places in the box: of spheres, then of outlines */
    anchor *anchors;
    double *gaps;                /* by sphere: twice its allowance, plus its reach */
    outline_pair *outline_pairs; /* sorted by `other`, then `outline` */
    abut_index outline_pair_count;
    int32_t *begins;           /* sphere_count + 1: the first candidate of each first sphere */
    int32_t *firsts, *seconds; /* the spheres of each candidate */
    int32_t (*images)[3]; /* by candidate: its image when the list was made, or NEAREST_IMAGE if it
                             can touch only at the nearest image. NULL: all candidates can touch
                             only there */
    uint8_t *has_images;  /* by chunk: whether a candidate in it has an image of its own */
    int32_t *buckets;     /* by candidate: its bucket; -1: both spheres are in one chunk */
    sum_bucket *all_buckets;
    int32_t *bucket_begins;   /* chunks + 1: where each first chunk's buckets begin */
    int32_t *incoming;        /* buckets sorted by second chunk, then by first */
    int32_t *incoming_begins; /* chunks + 2: where the buckets of each second chunk begin in
                                 `incoming` */
    sphere_sum *entries;      /* the entries of all buckets */
    int32_t *entry_spheres;   /* by entry: its sphere */

    int32_t *active; /* active candidates, for each chunk from its first candidate on */
    /* In the first step of a list: by candidate, the row of the last step that it continues, or -1.
     * NULL: the rows of the last step have candidates of this list. */
    int32_t *past;
    abut_index *row_counts; /* by chunk: number of rows */
    abut_index *row_begins; /* chunks + 1: the first row of each chunk; spare rows are behind its
                               last row */
    abut_index active_count;
    memory_block blocks[27];
} neighbor_list;

/* An upper bound of rounding errors of places and distances, divided by the lengths from which they
 * are computed. It is about a thousand times the actual errors. */
#define LIST_ROUNDING 0x1p-40

/* In place of the image of a candidate that can touch only at its nearest image. */
enum { NEAREST_IMAGE = INT32_MIN };

/* First spheres per chunk, and thus per task. The order of sums, and so their last bits, depends on
 * it. */
enum { NEIGHBOR_CHUNK = 512 };

static inline abut_index neighbor_list_chunk_count(const neighbor_list *l)
{
    return parallel_chunk_count(l->sphere_count, NEIGHBOR_CHUNK);
}

/* The place behind the last sphere of a chunk. */
static inline abut_index neighbor_chunk_end(const neighbor_list *l, abut_index chunk)
{
    return parallel_chunk_end(chunk * NEIGHBOR_CHUNK, NEIGHBOR_CHUNK, l->sphere_count);
}

/* The number of remaining spheres among the first `count`. places: the new place of each, or -1. */
static inline abut_index neighbor_list_left(const int32_t *places, abut_index count)
{
    while (count > 0 && places[count - 1] < 0) {
        count--;
    }
    return count > 0 ? places[count - 1] + 1 : 0;
}

/* The present periodic cell. */
static inline list_cell neighbor_cell(const neighbor_list *l, const neighbor_spheres *s)
{
    return (list_cell){s->lattice, l->flows ? &l->flow : NULL};
}

/* The number of lists that were made so far. */
static inline abut_index neighbor_list_number(const neighbor_list *l)
{
    return l->counts.made[NEIGHBORS_MOVED] + l->counts.made[NEIGHBORS_CHANGED];
}

/* Call it after each step, so that the next step continues its rows. */
static inline void neighbor_list_keep(neighbor_list *l)
{
    l->past = NULL;
    l->is_new = false;
    l->lived++;
}

/* Call it in each step in which the periodic cell moves. step: the motion in this step. */
void neighbor_list_flow(neighbor_list *l, const affine_map *step);

/* Call it when the vectors of the periodic cell get other names. A new list is made before the next
 * step. */
static inline void neighbor_list_rename(neighbor_list *l)
{
    l->most_strain = -1.0;
}

/* Call it when spheres are added or removed, or change their sizes or places in memory. */
static inline void neighbor_list_forget(neighbor_list *l)
{
    l->is_made = false;
}

/* Reserve the columns of spheres and outlines, or of candidates. room: memory_reserve, or
 * memory_extend, which keeps the contents. Both return whether there is memory. Images are reserved
 * if the list has images. */
typedef void *(*neighbor_room)(memory_block *block, abut_index count, size_t size);
bool neighbor_list_room(neighbor_list *l, abut_index spheres, abut_index outlines,
                        neighbor_room room);
bool neighbor_list_candidate_room(neighbor_list *l, abut_index count, neighbor_room room);

void neighbor_list_free(neighbor_list *l);
abut_index neighbor_list_bytes(const neighbor_list *l);

#endif
