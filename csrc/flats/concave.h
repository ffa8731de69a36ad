/* Walls that meet at a concave edge go on behind each other. */
#ifndef FLATS_CONCAVE_H
#define FLATS_CONCAVE_H

#include "cover.h"

/* Let a plane go on behind those that the feet of a feature on it are behind, by strips. Planes
 * that are dropped do not count. */
abut_status concave_extend(patch_room *room, const patch_task *task, wall_plane *wall,
                           const foot_corner *feet, int32_t count);

/* Whether a spot of a plane lies behind another one where both meet at a concave edge, or reaches
 * such an edge by what is in front of that other one. */
bool concave_reaches(const patch_room *room, const wall_plane *wall, const wall_spot *spot,
                     int32_t other);

#endif
