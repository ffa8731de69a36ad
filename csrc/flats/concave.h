/* Continues walls that meet at a concave edge behind each other. */
#ifndef FLATS_CONCAVE_H
#define FLATS_CONCAVE_H

#include "cover.h"

/* Continues a plane, by strips, behind other planes if feet of the body's feature on it are behind
 * those. Planes that are dropped do not count. */
abut_status concave_extend(patch_room *room, const patch_task *task, wall_plane *wall,
                           const foot_corner *feet, int32_t count);

/* Whether a spot of a plane is in a strip behind plane `other`, or in one that begins in front of
 * `other`. */
bool concave_reaches(const patch_room *room, const wall_plane *wall, const wall_spot *spot,
                     int32_t other);

#endif
