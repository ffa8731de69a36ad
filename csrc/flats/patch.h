/* Finds where a body stands on a plane of a wall. */
#ifndef FLATS_PATCH_H
#define FLATS_PATCH_H

#include "cover.h"

/* Finds the spots of a plane: the corners of the intersection of the body's bearing feature with
 * the union of the plane's pieces. */
abut_status patch_spots(patch_room *room, const patch_task *task, wall_plane *wall);

/* Closes the cracks between a plane's pieces, if they are under the body and narrower than
 * CRACK_PART times the width of its bearing feature. Call it for all planes before patch_spots. */
abut_status patch_close(patch_room *room, const patch_task *task, wall_plane *wall);

void patch_free(patch_room *room);

#endif
