/* Events that spoil a simulation, each noticed the first time that it happens. */
#ifndef DEM_WATCH_H
#define DEM_WATCH_H

#include "state.h"

/* Begin a part of a step in which somebody may be told. */
void watch_begin(abut_simulation *s);

/* To be called where a step begins, and where it is done. */
void watch_begin_step(abut_simulation *s);
void watch_end_step(abut_simulation *s);

/* An overlap beyond this part of the smaller radius needs a call of watch_rows. */
double watch_part(const abut_simulation *s);

/* Tell the first of these rows whose overlap has grown beyond that in this step. Threads may call
 * it at once. */
void watch_rows(abut_simulation *s, abut_interaction who, abut_index begin, abut_index end);

/* Tell who moves by more than its radius in this step. Threads may call it at once. */
void watch_fast(abut_simulation *s, abut_partner kind, abut_index number);

/* End such a part: keep who was told. */
void watch_keep_deep(abut_simulation *s, abut_interaction who);
void watch_keep_fast(abut_simulation *s);

/* To be called where the numbers of spheres or bodies change. */
void watch_forget(abut_simulation *s);

#endif
