/* The spheres of a simulation as arrays by place, with the rows of places (see state.h). */
#ifndef DEM_STORE_H
#define DEM_STORE_H

#include "../base/memory.h"
#include "../base/vec3.h"
#include "../interactions/mover.h"

/* The work of contacts until the beginning of the last step: on the sphere, and by the sphere on
 * walls. `last_` is the work in the last step alone. */
typedef struct books {
    double work, last_work, wall_work, last_wall_work;
} books;

/* Adds work until the beginning of a step: half of the last step's and half of this step's. */
static inline void books_keep(books *b, double work, double wall_work)
{
    b->work += 0.5 * (b->last_work + work);
    b->wall_work += 0.5 * (b->last_wall_work + wall_work);
    b->last_work = work, b->last_wall_work = wall_work;
}

/* The work on walls of a sphere that is removed now. */
static inline double books_wall_work(const books *b)
{
    return b->wall_work + 0.5 * b->last_wall_work;
}

/* The mass and inertia of a fixed particle in contact laws. It exceeds any other so far that m* and
 * I* equal those of the partner exactly. Products and quotients with a power of two are exact. */
static const double FIXED = 0x1p500;

/* Columns by place (`places`: by row), as X(type, name, numbers a sphere). */
#define STORE_COLUMNS(X)                                                                           \
    X(double, centers, 3)                                                                          \
    X(double, began, 3)   /* centers at the beginning of the last step */                          \
    X(int32_t, images, 3) /* periods by which the center was moved down so far */                  \
    X(double, radii, 1)                                                                            \
    X(double, masses, 1)   /* of a cluster's member: its part of the cluster's mass */             \
    X(double, inertias, 1) /* of a member: the smallest moment of its cluster */                   \
    X(int32_t, materials, 1)                                                                       \
    X(int32_t, clusters, 1) /* the number of a cluster; -1: none */                                \
    X(double, forces, 3)    /* of the last step */                                                 \
    X(double, torques, 3)                                                                          \
    X(double, pushes, 3) /* the caller's forces in the next step; torques: `twists` */             \
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
    mover *movers;    /* aligned to a cache line; the mass of a fixed sphere is FIXED */
    bool is_by_row;   /* every place equals its row */
    bool has_applied; /* pushes and twists are applied in the next step */
    bool has_fixed;   /* some spheres may be fixed */

    void *mover_memory;
    abut_index mover_capacity, capacities[STORE_COLUMN_COUNT];
    memory_block scratch; /* for one column */
} store;

/* Reserves memory for `count` spheres and keeps the present ones. ABUT_OK or ABUT_NO_MEMORY. */
abut_status store_reserve(store *s, abut_index count);

/* Appends `count` spheres: place = row, no cluster, all numbers 0. Memory must be reserved. */
void store_append(store *s, abut_index count);
void store_free(store *s);
abut_index store_bytes(const store *s);

/* Moves the sphere at place source[k] to place k < count, in memory of store_reserve. */
void store_gather(store *s, const int32_t *source, abut_index count, int workers);

/* As store_gather, without scratch memory; source[k] must ascend. */
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
