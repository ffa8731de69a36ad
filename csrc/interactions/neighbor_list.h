/* The neighbor list (Verlet list): pairs of spheres that may touch in the next steps, until the
 * list is rebuilt (docs/dem.md §3).
 *
 * Each sphere has an allowance (its part of the skin), the distance that it may move before that
 * (docs/dem.md eq. 34): about what it moves in some tens of steps. Candidates are pairs with a gap
 * of at most both allowances. So while no sphere has moved farther than its allowance, no other
 * pair can touch. Every step compares places with those when the list was made, so it does not
 * matter why a sphere moved. The list does not show in results: neither in the contacts nor in
 * their order. */
#ifndef INTERACTIONS_NEIGHBOR_LIST_H
#define INTERACTIONS_NEIGHBOR_LIST_H

#include "../abut/pairs.h"
#include "../base/box.h"
#include "../base/lattice.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "law_table.h"
#include "mover.h"

typedef struct sphere_row sphere_row; /* spheres/grid.h */

/* Outlines: spheres around rigid bodies. They are listed with spheres and with each other. */
typedef struct neighbor_outlines {
    abut_index count;
    const double *centers, *radii, *speeds;
    double wall_reach; /* walls within this distance, in radii, are searched */
} neighbor_outlines;

/* The spheres of a step, by place. */
typedef struct neighbor_spheres {
    abut_index count;
    const double *centers; /* count x 3 */
    const double *radii;
    const mover *movers;
    const int32_t *clusters; /* spheres of one cluster are no candidates; -1: in no cluster */
    const lattice *lattice;
    double step; /* time step */
    vec3 gravity;
    const abut_pair_finder *lender; /* lender of memory */
    neighbor_outlines outlines;     /* numbered after the spheres */
    const law_table *laws;          /* laws of these materials, which have reaches */
    const int32_t *materials;
    double wall_gap; /* distance from walls within which spheres are searched for */
    double reach;    /* the largest reach of two spheres */
} neighbor_spheres;

/* The largest reach of a sphere's contacts. */
static inline double neighbor_reach(const neighbor_spheres *s, abut_index k)
{
    return s->laws->pulls_or_reaches && k < s->count
               ? laws_most_reach(s->laws, s->materials[k], s->radii[k])
               : 0.0;
}

/* The reach of two spheres. */
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

/* The center of a sphere or, behind all spheres, of an outline. */
static inline const double *neighbor_center(const neighbor_spheres *s, abut_index sphere)
{
    return sphere < s->count ? s->centers + 3 * sphere
                             : s->outlines.centers + 3 * (sphere - s->count);
}

/* Whether two spheres are no candidates: members of one cluster, or a sphere and its own image. */
static inline bool neighbor_is_one_body(const int32_t *clusters, abut_index i, abut_index j)
{
    return i == j || (clusters[i] >= 0 && clusters[i] == clusters[j]);
}

/* The place of a sphere when the list was made, and its squared allowance. */
typedef struct anchor {
    double place[3];
    double allowance_sq;
} anchor;

/* An outline that may touch a sphere or an earlier outline, at any image. */
typedef struct outline_pair {
    int32_t outline;
    int32_t other; /* place of a sphere, or number of an outline after the spheres */
} outline_pair;

/* Numbers that allowances follow from, for spheres and outlines when the list was made. */
typedef struct list_pace {
    double mean_speed, smallest_radius, mean_radius;
    double shortest_period; /* INFINITY: no period */
    double horizon;         /* steps */
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
    abut_index candidates, steps; /* candidates tested in this number of steps */
} neighbor_counts;

/* A neighbor list; zero-initialize. Candidates are sorted by first sphere, second sphere and image.
 * Their effects on second spheres of later chunks go through buckets: one per pair of chunks with
 * such candidates, sorted by the first chunk. */
typedef struct neighbor_list {
    bool is_made;
    bool is_new;          /* made in this step */
    bool has_past;        /* `past` is known */
    bool is_for_one_step; /* no sphere has an allowance */
    bool has_buckets;     /* the buckets of the present candidates */
    abut_index sphere_count, candidate_count;
    double horizon;   /* steps that allowances are made for; 0: not chosen yet */
    abut_index lived; /* steps */
    neighbor_counts counts;

    list_pace pace;
    double largest_reach; /* the largest radius with allowance and reach */
    box region;           /* the box that centers stay in */

    sphere_row *places; /* of the step, in the box; of spheres and outlines, as are `anchors`,
                           `gaps` */
    anchor *anchors;
    double *gaps;                /* twice the allowances, plus the reach */
    outline_pair *outline_pairs; /* sorted by `other`, then `outline` */
    abut_index outline_pair_count;
    int32_t *begins;           /* sphere_count + 1: where candidates of each first sphere begin */
    int32_t *firsts, *seconds; /* of each candidate */
    int32_t (*images)[3];      /* images when the list was made, of candidates that may touch at
                                  several; otherwise NEAREST_IMAGE. NULL: there are no such */
    uint8_t *has_images;       /* of each chunk: some candidate has an image of its own */
    int32_t *buckets;          /* bucket of each candidate; -1: both spheres are of one chunk */
    sum_bucket *all_buckets;
    int32_t *bucket_begins;   /* chunks + 1: where buckets of each first chunk begin */
    int32_t *incoming;        /* numbers of buckets, by second chunk, then by first */
    int32_t *incoming_begins; /* chunks + 2: where those of each second chunk begin */
    sphere_sum *entries;      /* entries of buckets */
    int32_t *entry_spheres;   /* the sphere of each entry */

    int32_t *active; /* active candidates of each chunk */
    /* In the first step of a list: the row of the last step that each candidate continues, or -1.
     * NULL: the rows of the last step have candidates of this list. */
    int32_t *past;
    abut_index *row_counts; /* of each chunk */
    abut_index *row_begins; /* chunks + 1: where its rows begin, with room behind them */
    abut_index active_count;
    memory_block blocks[27];
} neighbor_list;

/* Bound of rounding errors of places and distances, relative to the lengths that they follow from.
 * It is about a thousand times the actual error. */
#define LIST_ROUNDING 0x1p-40

/* The image of a candidate that can touch at its nearest image alone. */
enum { NEAREST_IMAGE = INT32_MIN };

/* First spheres of a chunk, which one thread processes at a time. The order of sums depends on it:
 * another number gives other bits. */
enum { NEIGHBOR_CHUNK = 512 };

static inline abut_index neighbor_list_chunk_count(const neighbor_list *l)
{
    return parallel_chunk_count(l->sphere_count, NEIGHBOR_CHUNK);
}

/* The end of the spheres of a chunk. */
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

/* How many lists were made so far. */
static inline abut_index neighbor_list_number(const neighbor_list *l)
{
    return l->counts.made[NEIGHBORS_MOVED] + l->counts.made[NEIGHBORS_CHANGED];
}

/* Call this after each step: the next step continues its rows. */
static inline void neighbor_list_keep(neighbor_list *l)
{
    l->past = NULL;
    l->is_new = false;
    l->lived++;
}

/* Call this when spheres are added or removed, or change their sizes or places in memory. */
static inline void neighbor_list_forget(neighbor_list *l)
{
    l->is_made = false;
}

/* Reserves columns of spheres and outlines, or of candidates. room: memory_reserve, or
 * memory_extend, which keeps the contents. Returns whether there is memory. Images are reserved if
 * the list has images. */
typedef void *(*neighbor_room)(memory_block *block, abut_index count, size_t size);
bool neighbor_list_room(neighbor_list *l, abut_index spheres, abut_index outlines,
                        neighbor_room room);
bool neighbor_list_candidate_room(neighbor_list *l, abut_index count, neighbor_room room);

void neighbor_list_free(neighbor_list *l);
abut_index neighbor_list_bytes(const neighbor_list *l);

#endif
