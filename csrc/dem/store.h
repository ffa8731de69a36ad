/* The spheres of a simulation: as it stores them, in the order of places, and in the order in which
 * they came, which is what callers see. */
#ifndef DEM_STORE_H
#define DEM_STORE_H

#include "../base/memory.h"
#include "../base/vec3.h"
#include "../interactions/mover.h"

/* What contacts have done so far: the work on a sphere, that of the last step, and both of what the
 * sphere did on walls. Each at the beginning of the last step. */
typedef struct books {
    double work, last_work, wall_work, last_wall_work;
} books;

/* Add up work until the beginning of a step: half of what the last step did, and half of this
 * one's. */
static inline void books_keep(books *b, double work, double wall_work)
{
    b->work += 0.5 * (b->last_work + work);
    b->wall_work += 0.5 * (b->last_wall_work + wall_work);
    b->last_work = work, b->last_wall_work = wall_work;
}

/* What it has done on walls where it ends now. */
static inline double books_wall_work(const books *b)
{
    return b->wall_work + 0.5 * b->last_wall_work;
}

/* What laws take for the mass, and for the moment of inertia, of who is held: so much more than any
 * other one that what two have together is the other's, to the bit, since multiplying with a power
 * of two and dividing by it are exact. */
static const double HELD = 0x1p500;

/* Columns by place, but `places`, as X(type, name, numbers of a sphere). */
#define STORE_COLUMNS(X)                                                                           \
    X(double, centers, 3)                                                                          \
    X(double, began, 3)   /* centers at the beginning of the last step */                          \
    X(int32_t, images, 3) /* periods by which centers were moved down so far */                    \
    X(double, radii, 1)                                                                            \
    X(double, masses, 1)   /* of a cluster's member its part */                                    \
    X(double, inertias, 1) /* of a member the cluster's smallest */                                \
    X(int32_t, materials, 1)                                                                       \
    X(int32_t, clusters, 1) /* -1: none */                                                         \
    X(double, forces, 3)    /* of the last step */                                                 \
    X(double, torques, 3)                                                                          \
    X(double, pushes, 3) /* forces and torques that are applied in the next step */                \
    X(double, twists, 3)                                                                           \
    X(books, books, 1)                                                                             \
    X(sphere_sum, sums, 1)                                                                         \
    X(int32_t, rows, 1)   /* of each place, in the order in which spheres came */                  \
    X(int32_t, places, 1) /* of each row */

#define STORE_NUMBER(type, name, numbers) STORE_##name,
#define STORE_MEMBER(type, name, numbers) type *name;
enum { STORE_COLUMNS(STORE_NUMBER) STORE_COLUMN_COUNT };

/* Zero-initialize. */
typedef struct store {
    abut_index count;
    STORE_COLUMNS(STORE_MEMBER)
    mover *movers;    /* the first begins a cache line; mass: HELD of spheres that are held */
    bool is_by_row;   /* every sphere is stored in its row */
    bool has_applied; /* pushes and twists count */
    bool has_held;    /* there may be spheres that are held */

    void *mover_memory;
    abut_index mover_capacity, capacities[STORE_COLUMN_COUNT];
    memory_block scratch; /* of one column */
} store;

/* Room for so many spheres, which keep what they have. ABUT_OK or ABUT_NO_MEMORY. */
abut_status store_reserve(store *s, abut_index count);

/* Append so many spheres in the places of their rows, in no cluster, all of whose numbers are 0;
 * there is room. */
void store_append(store *s, abut_index count);
void store_free(store *s);
abut_index store_bytes(const store *s);

/* Store the spheres that were at source[k] in place k, `count` of them, after store_reserve for all
 * that there are. */
void store_gather(store *s, const int32_t *source, abut_index count, int workers);

/* The same, in place, where source[k] ascend. */
void store_shorten(store *s, const int32_t *source, abut_index count);

/* Find out where each row is, after `rows` has changed. */
void store_find_places(store *s);

static inline bool store_holds(const store *s, abut_index place)
{
    return s->has_held && s->movers[place].mass == HELD;
}

/* The moment of inertia of a solid sphere. */
static inline double store_inertia(double mass, double radius)
{
    return 0.4 * mass * radius * radius;
}

#endif
