/* Who may come to touch whom: pairs of spheres that are looked at step after step, until the list
 * is made anew (docs/dem.md, section 3).
 *
 * Each sphere has an allowance, the way that it may go before that: what it goes in some tens of
 * steps at its speed. Candidates are pairs whose surfaces are no farther apart than both
 * allowances, so while no sphere has gone farther than its own no other pair can touch. Every step
 * compares where spheres are with where they were when the list was made; however they came there,
 * nobody is missed. So the list does not show in results: not who touches, not in which order. */
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

/* The spheres about rigid bodies that hold them: they are listed with spheres and with each other.
 */
typedef struct neighbor_outlines {
    abut_index count;
    const double *centers, *radii, *speeds;
    double wall_reach; /* walls as near as that are looked at, in radii */
} neighbor_outlines;

/* The spheres of a step, by place. */
typedef struct neighbor_spheres {
    abut_index count;
    const double *centers; /* count x 3 */
    const double *radii;
    const mover *movers;
    const int32_t *clusters; /* spheres of one cluster are no candidates; -1: of none */
    const lattice *lattice;
    double step; /* of time */
    vec3 gravity;
    const abut_pair_finder *lender; /* of memory */
    neighbor_outlines outlines;     /* numbered on from the spheres */
    const law_table *laws;          /* how far apart spheres of these materials pull; */
    const int32_t *materials;
    double wall_gap; /* how far from walls spheres are looked for */
    double reach;    /* how far apart spheres pull, at most */
} neighbor_spheres;

/* How far from a sphere others are pulled, at most. */
static inline double neighbor_reach(const neighbor_spheres *s, abut_index k)
{
    return s->laws->pulls_or_reaches && k < s->count
               ? laws_most_reach(s->laws, s->materials[k], s->radii[k])
               : 0.0;
}

/* How far apart two spheres pull each other. */
static inline double neighbor_pair_reach(const neighbor_spheres *s, abut_index i, abut_index j)
{
    if (!s->laws->pulls_or_reaches) {
        return 0.0;
    }
    const abut_index number = laws_number(s->laws, s->materials[i], s->materials[j]);
    return law_reach(&s->laws->laws[number], reduced(s->radii[i], s->radii[j]));
}

/* How many spheres and outlines there are. */
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

/* Whether two spheres are no candidates: of one cluster, or one is the other's image. */
static inline bool neighbor_is_one_body(const int32_t *clusters, abut_index i, abut_index j)
{
    return i == j || (clusters[i] >= 0 && clusters[i] == clusters[j]);
}

/* Where a sphere was when the list was made, and the square of the way that it may go. */
typedef struct anchor {
    double place[3];
    double allowance_sq;
} anchor;

/* An outline that may come to touch a sphere or an outline before it, at any image. */
typedef struct outline_pair {
    int32_t outline;
    int32_t other; /* the place of a sphere, or the number of an outline, on from the spheres */
} outline_pair;

/* What allowances are made of: of spheres and outlines when the list was made. */
typedef struct list_pace {
    double mean_speed, smallest_radius, mean_radius;
    double shortest_period; /* INFINITY: there is none */
    double horizon;         /* steps */
} list_pace;

/* Why a list was made anew. */
typedef enum neighbor_reason {
    NEIGHBORS_MOVED,   /* a sphere had used up its allowance */
    NEIGHBORS_CHANGED, /* there were other spheres, or others of their sizes or places in memory */
    NEIGHBOR_REASONS
} neighbor_reason;

/* What was counted since the simulation began. */
typedef struct neighbor_counts {
    abut_index made[NEIGHBOR_REASONS];
    abut_index candidates, steps; /* candidates that were looked at, in so many steps */
} neighbor_counts;

/* Zero-initialize. Candidates are sorted by their first spheres, then their second ones, then by
 * image. What they exert on second spheres of later chunks goes through buckets: one for each two
 * chunks that have such candidates, sorted by the first chunk. */
typedef struct neighbor_list {
    bool is_made;
    bool is_new;          /* made in this step */
    bool has_past;        /* it is known which rows of the last step candidates go on from */
    bool is_for_one_step; /* no sphere has an allowance */
    bool has_buckets;     /* those of its candidates */
    abut_index sphere_count, candidate_count;
    double horizon;   /* steps for which allowances are made; 0: not chosen yet */
    abut_index lived; /* steps */
    neighbor_counts counts;

    list_pace pace;
    double largest_reach; /* of a sphere with its allowance */
    box region;           /* which centers do not leave */

    sphere_row *places; /* of the step, in the box; of spheres and outlines, as the next two */
    anchor *anchors;
    double *gaps;                /* twice the allowances */
    outline_pair *outline_pairs; /* sorted by `other`, then by outline */
    abut_index outline_pair_count;
    int32_t *begins;           /* sphere_count + 1: candidates of each first sphere */
    int32_t *firsts, *seconds; /* of each candidate */
    int32_t (*images)[3];      /* when the list was made, of those of which several may touch; else
                                  NEAREST_IMAGE. NULL: there are none such */
    uint8_t *has_images;       /* of each chunk: it has some such */
    int32_t *buckets;          /* of each candidate the number of its bucket; -1: of one chunk */
    sum_bucket *all_buckets;
    int32_t *bucket_begins;   /* chunks + 1: buckets of each first chunk */
    int32_t *incoming;        /* the numbers of buckets, by the second chunk, then by the first */
    int32_t *incoming_begins; /* chunks + 2: of each second chunk */
    sphere_sum *entries;      /* of buckets, */
    int32_t *entry_spheres;   /* and of which sphere each is */

    int32_t *active; /* of each chunk the candidates that touch */
    /* In the first step of a list: the row of the last step that each candidate continues, or -1.
     * NULL: the rows of the last step name candidates themselves. */
    int32_t *past;
    abut_index *row_counts; /* of each chunk */
    abut_index *row_begins; /* chunks + 1: where its rows begin, with room behind them */
    abut_index active_count;
    memory_block blocks[27];
} neighbor_list;

/* How far rounding may put places and distances, beside the lengths that they are made of: some
 * thousand times what it does, so that nobody has to count operations. */
#define LIST_ROUNDING 0x1p-40

/* Of a candidate that touches at its nearest image, if at all. */
enum { NEAREST_IMAGE = INT32_MIN };

/* First spheres of a chunk, which one thread takes in one go. Sums go by chunks: another number
 * gives other bits. */
enum { NEIGHBOR_CHUNK = 512 };

static inline abut_index neighbor_list_chunk_count(const neighbor_list *l)
{
    return parallel_chunk_count(l->sphere_count, NEIGHBOR_CHUNK);
}

/* Where the spheres of a chunk end. */
static inline abut_index neighbor_chunk_end(const neighbor_list *l, abut_index chunk)
{
    return parallel_chunk_end(chunk * NEIGHBOR_CHUNK, NEIGHBOR_CHUNK, l->sphere_count);
}

/* How many of the first spheres are left, where `places` has for each its new place, or -1. */
static inline abut_index neighbor_list_left(const int32_t *places, abut_index count)
{
    while (count > 0 && places[count - 1] < 0) {
        count--;
    }
    return count > 0 ? places[count - 1] + 1 : 0;
}

/* How many lists were made before. */
static inline abut_index neighbor_list_number(const neighbor_list *l)
{
    return l->counts.made[NEIGHBORS_MOVED] + l->counts.made[NEIGHBORS_CHANGED];
}

/* To be called when a step is done: the next one continues the rows that it found. */
static inline void neighbor_list_keep(neighbor_list *l)
{
    l->past = NULL;
    l->is_new = false;
    l->lived++;
}

/* To be called where spheres come or go, or their sizes or places in memory change. */
static inline void neighbor_list_forget(neighbor_list *l)
{
    l->is_made = false;
}

/* Let the columns of spheres, with the outlines behind them, or of candidates have room for so
 * many: by memory_reserve, or memory_extend, with which they keep what they have. Returns whether
 * there is memory. Images are reserved where there are some. */
typedef void *(*neighbor_room)(memory_block *block, abut_index count, size_t size);
bool neighbor_list_room(neighbor_list *l, abut_index spheres, abut_index outlines,
                        neighbor_room room);
bool neighbor_list_candidate_room(neighbor_list *l, abut_index count, neighbor_room room);

void neighbor_list_free(neighbor_list *l);
abut_index neighbor_list_bytes(const neighbor_list *l);

#endif
