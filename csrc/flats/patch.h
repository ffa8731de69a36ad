/* Finds where a body stands on a plane of a wall. */
#ifndef FLATS_PATCH_H
#define FLATS_PATCH_H

#include "cover.h"

/* Finds the spots of a plane: the corners of what the body's feature that faces the plane, and the
 * union of the plane's pieces, have in common. */
abut_status patch_spots(patch_room *room, const patch_task *task, wall_plane *wall);

/* Closes cracks between a plane's pieces under the body: those narrower than a small part of what
 * the body stands on there. It is called for all planes before spots are found. */
abut_status patch_close(patch_room *room, const patch_task *task, wall_plane *wall);

void patch_free(patch_room *room);

#endif
