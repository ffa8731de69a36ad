/* Convex bodies move by their centers of mass and principal axes; shapes have frames of their own.
 */
#include "solids.h"

#include <string.h>

abut_status solids_reserve(solid_set *set, abut_index count)
{
    solid *solids = memory_grow(set->solids, count, &set->capacity, sizeof *solids);
    if (!solids) {
        return ABUT_NO_MEMORY;
    }
    set->solids = solids;
    return ABUT_OK;
}

void solids_free(solid_set *set)
{
    memory_free(set->solids);
    memory_free(set->shapes);
    abut_shape_free(set->point);
    *set = (solid_set){0};
}

/* One rotation after another one. */
static void multiply(const double a[4], const double b[4], double product[4])
{
    product[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    product[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    product[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    product[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/* The center of mass from the origin of the shape's frame, in the world. */
static vec3 turn_offset(const solid *s, const double orientation[4])
{
    vec3 rows[3];
    rigid_rows(orientation, rows);
    return rows_turn(rows, s->offset);
}

solid_frame solids_frame(const solid *s)
{
    solid_frame frame;
    const double back[4] = {-s->axes[0], -s->axes[1], -s->axes[2], s->axes[3]};
    multiply(s->rigid.orientation, back, frame.orientation);
    frame.origin = vec3_sub(s->rigid.position, turn_offset(s, frame.orientation));
    return frame;
}

void solids_place(solid *s, const solid_frame *frame)
{
    multiply(frame->orientation, s->axes, s->rigid.orientation);
    s->rigid.position = vec3_add(frame->origin, turn_offset(s, frame->orientation));
}
