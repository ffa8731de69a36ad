/* What contacts carry along from step to step (docs/method.md, section 6): a tangential vector
 * turns with its mesh, and then from the old tangent plane into the new one. Its length stays. */
#include "../base/parallel.h"
#include "../base/tilt.h"
#include "motion.h"

/* Rows of a chunk: enough to make starting one cheap, few enough to share out. */
enum { CHUNK_ROWS = 4096 };

typedef struct carrying {
    abut_step now, before;
    motion motion;
    const abut_index *match;
    const double *tangent;
    double *carried;
} carrying;

static vec3 carry_row(const carrying *c, abut_index row)
{
    const abut_index old = c->match[row];
    if (old < 0 || old >= c->before.contact_count) {
        return (vec3){0.0, 0.0, 0.0};
    }
    const vec3 vector = vec3_load(c->tangent + 3 * old);
    return tilt(motion_turn(&c->motion, &c->before, old, vector),
                motion_normal(&c->motion, &c->before, old), vec3_load(c->now.normal + 3 * row));
}

static abut_status carry_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const carrying *c = context;
    const abut_index first = chunk * CHUNK_ROWS, rows = c->now.contact_count - first;
    const abut_index count = rows < CHUNK_ROWS ? rows : CHUNK_ROWS;
    for (abut_index row = first; row < first + count; row++) {
        vec3_store(c->carried + 3 * row, carry_row(c, row));
    }
    return parallel_report(job, count);
}

static abut_status check_match(const carrying *c, abut_error *error)
{
    const abut_index old_count = c->before.contact_count;
    for (abut_index row = 0; row < c->now.contact_count; row++) {
        const abut_index old = c->match[row];
        if (old < -1 || old >= old_count) {
            return step_report(error, ABUT_BAD_MATCH, row, old, (double)old_count);
        }
    }
    return ABUT_OK;
}

static abut_status carry_all(carrying *c, int workers, abut_error *error)
{
    abut_status status = check_match(c, error);
    status = status ? status : motion_read(&c->motion, &c->now, &c->before, error);
    if (status) {
        return status;
    }
    const abut_index chunk_count = (c->now.contact_count + CHUNK_ROWS - 1) / CHUNK_ROWS;
    status = parallel_run(chunk_count, workers, carry_chunk, c, NULL, NULL);
    return step_report(error, status, 0, 0, 0.0);
}

abut_status abut_contacts_carry(const abut_step *now, const abut_step *before,
                                const abut_index *match, const double *tangent, int workers,
                                double *carried, abut_error *error)
{
    abut_error unused;
    carrying c = {
        .now = *now, .before = *before, .match = match, .tangent = tangent, .carried = carried};
    const abut_status status = carry_all(&c, workers, error ? error : &unused);
    motion_free(&c.motion);
    return status;
}
