/* Where two walls meet at a concave edge, continues each of them behind the other. */
#ifndef FLATS_CONCAVE_H
#define FLATS_CONCAVE_H

#include "cover.h"

/* Adds strips that continue plane `wall` behind other planes. `feet` are the corners of the body's
 * feature. Another plane counts only if it is not dropped, and if the foot on `wall` of one of
 * these corners is not in front of that plane. */
abut_status concave_extend(patch_room *room, const patch_task *task, wall_plane *wall,
                           const foot_corner *feet, int32_t count);

/* Whether a plane's spot is in a strip behind `other`, or in one that begins in front of
 * `other`. */
bool concave_reaches(const patch_room *room, const wall_plane *wall, const wall_spot *spot,
                     int32_t other);

#endif
