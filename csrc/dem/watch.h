/* Events that spoil a simulation. Each is recorded when it first happens. */
#ifndef DEM_WATCH_H
#define DEM_WATCH_H

#include "state.h"

/* Begins a part of a step that may report events. */
void watch_begin(abut_simulation *s);

/* Call them at the beginning of a step and when it is completed. */
void watch_begin_step(abut_simulation *s);
void watch_end_step(abut_simulation *s);

/* The smallest ratio of overlap to the smaller radius for which watch_rows must be called. */
double watch_part(const abut_simulation *s);

/* Reports the rows that have become too deep in this step, or were placed too deep. Thread-safe. */
void watch_rows(abut_simulation *s, abut_interaction kind, abut_index begin, abut_index end);

/* Reports a sphere or body that moves by more than its radius in this step. Thread-safe. */
void watch_fast(abut_simulation *s, abut_partner kind, abut_index number);

/* End such a part and record the first event. */
void watch_keep_deep(abut_simulation *s, abut_interaction kind);
void watch_keep_fast(abut_simulation *s);

/* Forgets all events. Call it when numbers of spheres or bodies change. */
void watch_forget(abut_simulation *s);

#endif
