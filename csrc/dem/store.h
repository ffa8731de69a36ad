/* The spheres of a simulation as arrays by place, and the row of each place (see state.h). */
#ifndef DEM_STORE_H
#define DEM_STORE_H

#include "../base/memory.h"
#include "../base/vec3.h"
#include "../interactions/mover.h"

/* The work of contacts until the beginning of the last step: on a sphere or body, and by it on
 * walls. `last_work` and `last_wall_work` are from the last step alone. */
typedef struct books {
    double work, last_work, wall_work, last_wall_work;
} books;

/* Adds the work until the beginning of a step: half of the last step's and half of this step's. */
static inline void books_keep(books *b, double work, double wall_work)
{
    b->work += 0.5 * (b->last_work + work);
    b->wall_work += 0.5 * (b->last_wall_work + wall_work);
    b->last_work = work, b->last_wall_work = wall_work;
}

/* Adds energy that comes from the border of the periodic cell after the last step. It counts at the
 * beginning of the next step, where half of the last work is added. */
static inline void books_cross(books *b, double energy)
{
    b->last_work += 2.0 * energy, b->last_wall_work -= 2.0 * energy;
}

/* The work of a sphere on walls, if the sphere is removed now. */
static inline double books_wall_work(const books *b)
{
    return b->wall_work + 0.5 * b->last_wall_work;
}

/* The mass and moment of inertia of a fixed particle in contact laws. They are so large that m* and
 * I* are exactly those of the partner. A power of two makes products and quotients exact. */
static const double FIXED = 0x1p500;

/* All columns by place (only `places` is by row), as X(type, name, numbers per sphere). */
#define STORE_COLUMNS(X)                                                                           \
    X(double, centers, 3)                                                                          \
    X(double, began, 3)   /* centers at the beginning of the last step */                          \
    X(int32_t, images, 3) /* number of periods subtracted from the center so far */                \
    X(double, radii, 1)                                                                            \
    X(double, masses, 1)   /* of a cluster's member: a part of the cluster's mass */               \
    X(double, inertias, 1) /* of a cluster's member: the cluster's smallest moment */              \
    X(int32_t, materials, 1)                                                                       \
    X(int32_t, clusters, 1) /* the number of a cluster; -1: none */                                \
    X(double, forces, 3)    /* in the last step */                                                 \
    X(double, torques, 3)                                                                          \
    X(double, pushes, 3) /* force of the caller in the next step; `twists`: torque */              \
    X(double, twists, 3)                                                                           \
    X(books, books, 1)                                                                             \
    X(sphere_sum, sums, 1)                                                                         \
    X(int32_t, rows, 1)   /* the row of each place */                                              \
    X(int32_t, places, 1) /* the place of each row */

#define STORE_NUMBER(type, name, numbers) STORE_##name,
#define STORE_MEMBER(type, name, numbers) type *name;
enum { STORE_COLUMNS(STORE_NUMBER) STORE_COLUMN_COUNT };

/* Zero-initialize. */
typedef struct store {
    abut_index count;
    STORE_COLUMNS(STORE_MEMBER)
    mover *movers;    /* aligned to cache lines; the mass of a fixed sphere is FIXED */
    bool has_applied; /* pushes and twists act in the next step */
    bool has_fixed;   /* some spheres may be fixed; false: none is */

    void *mover_memory;
    abut_index mover_capacity, capacities[STORE_COLUMN_COUNT];
    memory_block scratch; /* memory for one column */
} store;

/* Reserves memory for `count` spheres; present ones stay unchanged. ABUT_OK or ABUT_NO_MEMORY. */
abut_status store_reserve(store *s, abut_index count);

/* Appends `count` spheres: place = row, no cluster, other numbers 0. Memory must be reserved. */
void store_append(store *s, abut_index count);
void store_free(store *s);
abut_index store_bytes(const store *s);

/* Moves the sphere at place source[k] to place k < count. Call store_reserve before. */
void store_gather(store *s, const int32_t *source, abut_index count, int workers);

/* As store_gather, but needs no scratch memory. source[k] must ascend. */
void store_shorten(store *s, const int32_t *source, abut_index count);

/* Computes `places` from `rows`. */
void store_find_places(store *s);

static inline bool store_is_fixed(const store *s, abut_index place)
{
    return s->has_fixed && s->movers[place].mass == FIXED;
}

/* The moment of inertia of a solid sphere. */
static inline double store_inertia(double mass, double radius)
{
    return 0.4 * mass * radius * radius;
}

#endif
