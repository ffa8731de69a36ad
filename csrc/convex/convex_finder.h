/* A finder of convex contacts: shapes and sizes of bodies, and memory that queries share. */
#ifndef CONVEX_CONVEX_FINDER_H
#define CONVEX_CONVEX_FINDER_H

#include "../abut/convex.h"
#include "../base/error.h"
#include "../base/memory.h"
#include "../base/parallel.h"
#include "../base/pool.h"

typedef struct convex_body convex_body; /* pair.h */
typedef struct convex_spot convex_spot; /* spots.h */

/* Memory of finished queries, which later queries use again. */
typedef struct convex_leftovers {
    pool contacts;  /* convex_memory */
    pool entrances; /* entrance_memory */
    pool rooms;     /* spot_room: scratch of threads */
} convex_leftovers;

struct abut_convex_finder {
    const abut_shape **shapes;
    abut_index shape_count;
    int dimension;
    convex_body *bodies; /* length body_count */
    double *radii;       /* body_count radii of circumscribed spheres, rounded up */
    abut_index body_count;
    abut_convex_options options;
    int32_t spot_limit; /* the largest number of spots that two bodies can have */
    convex_leftovers *leftovers;
};

/* Scratch memory of one thread for spots. */
typedef struct spot_room {
    pooled pooled;
    convex_spot *spots;
    abut_index capacity;
} spot_room;

/* The plan of a parallel run over `count` items: `size` items in a chunk, `work` for each item. */
static inline parallel_plan finder_plan(const abut_convex_query *query, abut_index count,
                                        abut_index size, abut_index work)
{
    return (parallel_plan){.chunk_count = parallel_chunk_count(count, size),
                           .work = work * count,
                           .workers = query->workers,
                           .interrupted = query->interrupted,
                           .interrupted_data = query->interrupted_data};
}

/* Returns scratch memory for `spots` spots, or NULL if there is no memory. */
spot_room *finder_take_room(const abut_convex_finder *finder, int32_t spots);
void finder_give_room(const abut_convex_finder *finder, spot_room *room);

/* Converts an error about the spheres around bodies into the same error about bodies. Other
 * statuses stay the same. Returns the status. */
abut_status finder_name_body(abut_status status, abut_error *error);

/* Converts an error about bodies back into the same error about their spheres. */
abut_status finder_name_sphere(abut_status status, abut_error *error);

#endif
