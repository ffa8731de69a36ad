/* Fast intersection test (paper, section 4): the points of candidates' facets that are closest to
 * their spheres, of those that touch. */
#ifndef WALLS_CLOSEST_H
#define WALLS_CLOSEST_H

#include "candidates.h"

/* A closest point's type and the triangle's number of its edge or corner in one number; no edge and
 * no corner is local number 3. */
enum { CODES_PER_TYPE = 4, LOCAL_INSIDE = 3 };

/* Of each candidate. */
typedef struct closest_points {
    const candidates *of;
    int32_t capacity;
    double *distance_sq; /* infinite: apart, or another triangle of the facet is nearer */
    double *offset[3];   /* center - point, the paper's contact vector V, along the world's axes */
    int32_t *code;       /* CODES_PER_TYPE x abut_type + local number */
    void *block;         /* what the arrays point into */
} closest_points;

/* Test all triangles. Zero-initialize, free with closest_free. ABUT_OK or ABUT_NO_MEMORY. */
abut_status closest_find(closest_points *p, const candidates *of);
void closest_free(closest_points *p);

/* As parallel_report counts it: a closest point costs as much as four entries of bins. */
static inline abut_index closest_work(abut_index entry_count, int32_t candidate_count)
{
    return entry_count + 4 * (abut_index)candidate_count;
}

static inline abut_type closest_type(const closest_points *p, int32_t i)
{
    return (abut_type)(p->code[i] / CODES_PER_TYPE);
}

static inline int32_t closest_local(const closest_points *p, int32_t i)
{
    return p->code[i] % CODES_PER_TYPE;
}

static inline vec3 closest_offset(const closest_points *p, int32_t i)
{
    return (vec3){p->offset[0][i], p->offset[1][i], p->offset[2][i]};
}

#endif
