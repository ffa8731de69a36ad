/* The search of a query: all spheres, chunk by chunk, from rows to records, which a sink takes. */
#ifndef WALLS_FIND_CONTACTS_H
#define WALLS_FIND_CONTACTS_H

#include "records.h"
#include "scene.h"

/* The work of searching a sphere that touches little, in the units of parallel_report. A sphere
 * that touches more takes longer, which does not matter for the choice of threads. */
enum { WORK_OF_SPHERE = 16 };

typedef struct find_task {
    const abut_finder *finder;
    const abut_query *query;
    const scene *scene;
    const facet_list *list;       /* the facets that spheres may touch; NULL: bins are searched */
    const reach_profile *profile; /* distribution of the reaches; NULL if there is a list */
    sphere_rows rows;             /* the spheres in the order of search */
    records_sink sink;
} find_task;

/* Totals of a search. overfull_sphere is the number of a sphere with too many images, in the order
 * of search. */
typedef struct find_counts {
    abut_index entries, tests, touches, overfull_sphere;
} find_counts;

/* Searches all spheres. Returns ABUT_OK or the status that ended the search. */
abut_status find_records(const find_task *task, find_counts *counts);

#endif
