/* Carries tangential vectors of pairs from one step to the next. */
#include "../base/parallel.h"
#include "../base/tilt.h"
#include "steps.h"

typedef struct carrying {
    pair_steps steps;
    const abut_index *match;
    const double *tangent; /* tangential vectors of the step before */
    double *carried;
} carrying;

/* Loads a vector; in the plane its z is 0. */
static vec3 load_vector(const double *vectors, int dimension, abut_index row)
{
    const double *v = vectors + dimension * row;
    return (vec3){v[0], v[1], dimension == 3 ? v[2] : 0.0};
}

/* Rotates a vector of the step before as its pair's normal has turned. If the spheres are swapped,
 * tangential vector and normal change their signs. */
static vec3 carry_vector(const carrying *c, abut_index row, abut_index old, bool is_swapped)
{
    const int dimension = c->steps.now.dimension;
    const double sign = is_swapped ? -1.0 : 1.0;
    const vec3 vector = vec3_scale(load_vector(c->tangent, dimension, old), sign);
    const vec3 normal = vec3_scale(load_vector(c->steps.before.normal, dimension, old), sign);
    return tilt_in(vector, normal, load_vector(c->steps.now.normal, dimension, row), dimension);
}

/* Returns ABUT_OK if a pair may continue row `old` of the step before, else the status that names
 * the fault. */
static abut_status check_old(const pair_steps *s, abut_index old, const renamed_pair *pair)
{
    if (old < 0 || old >= s->before.pair_count) {
        return ABUT_BAD_PAIR_MATCH;
    }
    const bool is_same = pair->first == s->before.i[old] && pair->second == s->before.j[old];
    return is_same ? ABUT_OK : ABUT_BAD_PAIR_SPHERES;
}

static abut_status carry_row(const carrying *c, abut_index row)
{
    const abut_index old = c->match[row];
    const int dimension = c->steps.now.dimension;
    double *to = c->carried + dimension * row;
    if (old == -1) {
        vec3_put(to, dimension, (vec3){0.0, 0.0, 0.0});
        return ABUT_OK;
    }
    const renamed_pair pair = steps_rename(&c->steps, row);
    const abut_status status = check_old(&c->steps, old, &pair);
    if (!status) {
        vec3_put(to, dimension, carry_vector(c, row, old, pair.is_swapped));
    }
    return status;
}

static abut_status carry_chunk(void *context, abut_index chunk, parallel_job *job)
{
    const carrying *c = context;
    const abut_index begin = chunk * STEP_ROWS, end = step_chunk_end(&c->steps.now, chunk);
    abut_status status = ABUT_OK;
    for (abut_index row = begin; !status && row < end; row++) {
        status = carry_row(c, row);
    }
    return status ? status : parallel_report(job, end - begin);
}

/* Reports the first row with a match that fails with the status `wanted`. */
static abut_status report_wrong(const carrying *c, abut_status wanted, abut_error *error)
{
    const abut_index count = c->steps.before.pair_count;
    for (abut_index row = 0; row < c->steps.now.pair_count; row++) {
        const abut_index old = c->match[row];
        const renamed_pair pair = steps_rename(&c->steps, row);
        if (old != -1 && check_old(&c->steps, old, &pair) == wanted) {
            return error_set(error, wanted, row, old, (double)count);
        }
    }
    return error_set_status(error, ABUT_INPUT_CHANGED);
}

static abut_status carry_all(const carrying *c, int workers, abut_error *error)
{
    const abut_pair_step *now = &c->steps.now;
    abut_status status = steps_check(&c->steps, error);
    if (status) {
        return status;
    }
    const parallel_plan plan = step_plan(now, workers);
    status = parallel_run(&plan, carry_chunk, (void *)c);
    if (status == ABUT_BAD_PAIR_SPHERES || status == ABUT_BAD_PAIR_MATCH) {
        return report_wrong(c, ABUT_BAD_PAIR_MATCH, error) == ABUT_BAD_PAIR_MATCH
                   ? ABUT_BAD_PAIR_MATCH
                   : report_wrong(c, ABUT_BAD_PAIR_SPHERES, error);
    }
    return error_set_status(error, status);
}

abut_status abut_pairs_carry(const abut_pair_step *now, const abut_pair_step *before,
                             const abut_index *earlier, const abut_index *other_earlier,
                             const abut_index *match, const double *tangent, int workers,
                             double *carried, abut_error *error)
{
    const carrying c = {{*now, *before, earlier, other_earlier}, match, tangent, carried};
    return carry_all(&c, workers, error);
}
