/* All spheres of a query: chunk by chunk from their rows to records, which a sink takes. */
#ifndef WALLS_FIND_CONTACTS_H
#define WALLS_FIND_CONTACTS_H

#include "records.h"
#include "scene.h"

/* What a sphere takes to search, as parallel_report counts it: where it touches little, and no
 * other number of threads is right where it touches much. */
enum { WORK_OF_SPHERE = 16 };

typedef struct find_task {
    const abut_finder *finder;
    const abut_query *query;
    const scene *scene;
    const facet_list *list;       /* of what spheres may touch; NULL: bins tell it */
    const reach_profile *profile; /* NULL with a list */
    sphere_rows rows;             /* in the order of search */
    records_sink sink;
} find_task;

/* What was done; overfull_sphere: number in the order of search, where there are too many images.
 */
typedef struct find_counts {
    abut_index entries, tests, touches, overfull_sphere;
} find_counts;

/* Search all spheres. ABUT_OK, or why the search ended. */
abut_status find_records(const find_task *task, find_counts *counts);

#endif
