/* Where a body stands on a plane of a wall. */
#ifndef FLATS_PATCH_H
#define FLATS_PATCH_H

#include "cover.h"

/* Find the spots of a plane: the corners of what the body's feature that faces it and the union of
 * the plane's pieces have in common. */
abut_status patch_spots(patch_room *room, const patch_task *task, wall_plane *wall);

/* Close the cracks between a plane's pieces under the body, once for all planes, before their spots
 * are found: a crack is narrower than a small part of what the body stands on there. */
abut_status patch_close(patch_room *room, const patch_task *task, wall_plane *wall);

void patch_free(patch_room *room);

#endif
