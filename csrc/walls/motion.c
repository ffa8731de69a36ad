/* How meshes have moved from one step to the next, and how contacts move with them.
 *
 * Points of a mesh that has not moved are unchanged to the bit, so that they equal those of
 * contacts found there again. */
#include "motion.h"

#include <string.h>

#include "../base/error.h"
#include "../base/parallel.h"
#include "../base/tilt.h"

/* ---- reading two steps ---- */

static pose read_pose(const abut_step *step, abut_index mesh)
{
    return step->poses ? pose_load(step->poses + 16 * mesh) : pose_identity();
}

static bool are_same_rows(const vec3 a[3], const vec3 b[3])
{
    return vec3_compare(a[0], b[0]) == 0 && vec3_compare(a[1], b[1]) == 0 &&
           vec3_compare(a[2], b[2]) == 0;
}

/* The rotation from one pose to the next: the new one after the inverse of the old one. */
static pose turn_between(const pose *old, const pose *new)
{
    pose turn = pose_identity();
    turn.turns = !are_same_rows(old->rows, new->rows);
    for (int k = 0; turn.turns && k < 3; k++) {
        const vec3 row = new->rows[k];
        turn.rows[k] = (vec3){vec3_dot(row, old->rows[0]), vec3_dot(row, old->rows[1]),
                              vec3_dot(row, old->rows[2])};
    }
    return turn;
}

static mesh_motion motion_between(const pose *old, const pose *new)
{
    mesh_motion m = {.turn = turn_between(old, new), .from = old->shift, .to = new->shift};
    m.has_moved = m.turn.turns || vec3_compare(m.from, m.to) != 0;
    return m;
}

/* The number of meshes that have poses in both steps, or in the only step with poses. */
static abut_index count_posed(const abut_step *now, const abut_step *before)
{
    if (!now->poses || !before->poses) {
        return now->poses ? now->mesh_count : before->mesh_count;
    }
    return now->mesh_count < before->mesh_count ? now->mesh_count : before->mesh_count;
}

/* Whether all meshes have the same poses in both steps. */
static bool are_same_poses(const abut_step *now, const abut_step *before, abut_index count)
{
    return now->poses == before->poses ||
           (now->poses && before->poses &&
            memcmp(now->poses, before->poses, 16 * (size_t)count * sizeof *now->poses) == 0);
}

abut_status motion_compare(motion *m, const abut_step *now, const abut_step *before)
{
    m->lattice = lattice_load(now->period, 3);
    m->mesh_count = count_posed(now, before);
    m->meshes = NULL;
    if (are_same_poses(now, before, m->mesh_count)) {
        return ABUT_OK;
    }
    mesh_motion *meshes = memory_reserve(&m->block, m->mesh_count, sizeof *meshes);
    if (!meshes) {
        return ABUT_NO_MEMORY;
    }
    bool has_moved = false;
    for (abut_index k = 0; k < m->mesh_count; k++) {
        const pose old = read_pose(before, k), new = read_pose(now, k);
        meshes[k] = motion_between(&old, &new);
        has_moved = has_moved || meshes[k].has_moved;
    }
    m->meshes = has_moved ? meshes : NULL;
    return ABUT_OK;
}

static abut_status check_period(const abut_step *now, const abut_step *before, abut_error *error)
{
    const lattice old = lattice_load(before->period, 3), new = lattice_load(now->period, 3);
    const abut_status status = lattice_check(&new, error);
    return status || lattice_is_same(&old, &new) ? status
                                                 : error_set_status(error, ABUT_PERIOD_CHANGED);
}

static abut_status check_meshes(const motion *m, const abut_step *before, abut_error *error)
{
    for (abut_index row = 0; m->meshes && row < before->contact_count; row++) {
        const abut_index mesh = step_mesh(before, row);
        if (mesh < 0 || mesh >= m->mesh_count) {
            return error_set(error, ABUT_BAD_MESH_NUMBER, row, mesh, (double)m->mesh_count - 1.0);
        }
    }
    return ABUT_OK;
}

abut_status motion_read(motion *m, const abut_step *now, const abut_step *before, abut_error *error)
{
    abut_status status = check_period(now, before, error);
    if (!status) {
        status = error_set_status(error, motion_compare(m, now, before));
    }
    return status ? status : check_meshes(m, before, error);
}

void motion_free(motion *m)
{
    memory_free(m->block.data);
    *m = (motion){.meshes = NULL};
}

/* ---- what moves with a mesh ---- */

/* The motion of a row's mesh; NULL if it has not moved, or its number is no longer valid. */
static const mesh_motion *moved_mesh(const motion *m, const abut_step *before, abut_index row)
{
    if (!m->meshes) {
        return NULL;
    }
    const abut_index mesh = step_mesh(before, row);
    const bool is_there = mesh >= 0 && mesh < m->mesh_count && m->meshes[mesh].has_moved;
    return is_there ? &m->meshes[mesh] : NULL;
}

vec3 motion_turn(const motion *m, const abut_step *before, abut_index row, vec3 vector)
{
    const mesh_motion *mesh = moved_mesh(m, before, row);
    return mesh ? pose_turn(&mesh->turn, vector) : vector;
}

vec3 motion_normal(const motion *m, const abut_step *before, abut_index row)
{
    return motion_turn(m, before, row, vec3_load(before->normal + 3 * row));
}

/* The frame of an image turns about its own origin. */
vec3 motion_point(const motion *m, const abut_step *before, abut_index row)
{
    const vec3 point = vec3_load(before->point + 3 * row);
    const mesh_motion *mesh = moved_mesh(m, before, row);
    if (!mesh) {
        return point;
    }
    const abut_index *image = before->image ? before->image + 3 * row : NULL;
    const vec3 shift = lattice_shift_of(&m->lattice, image);
    const vec3 arm = vec3_sub(vec3_sub(point, mesh->from), shift);
    return vec3_add(pose_turn(&mesh->turn, arm), vec3_add(mesh->to, shift));
}

/* ---- vectors of contacts ----
 *
 * A tangential vector turns with its mesh, and then from the old tangent plane into the new one
 * (docs/method.md, section 6). Its length does not change. */

/* The number of rows in a chunk: enough that starting a chunk costs little, and few enough that
 * threads can share the work. */
enum { CHUNK_ROWS = 512 };

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
            return error_set(error, ABUT_BAD_MATCH, row, old, (double)old_count);
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
    const abut_index chunk_count = parallel_chunk_count(c->now.contact_count, CHUNK_ROWS);
    const parallel_plan plan = {
        .chunk_count = chunk_count, .work = 3 * c->now.contact_count, .workers = workers};
    status = parallel_run(&plan, carry_chunk, c);
    return error_set_status(error, status);
}

abut_status abut_contacts_carry(const abut_step *now, const abut_step *before,
                                const abut_index *match, const double *tangent, int workers,
                                double *carried, abut_error *error)
{
    carrying c = {
        .now = *now, .before = *before, .match = match, .tangent = tangent, .carried = carried};
    const abut_status status = carry_all(&c, workers, error);
    motion_free(&c.motion);
    return status;
}
