/* Events of which a simulation warns. Each is recorded when it first happens. */
#ifndef DEM_WATCH_H
#define DEM_WATCH_H

#include "state.h"

/* Begins a part of a step in which events may be reported. */
void watch_begin(abut_simulation *s);

/* Begins to watch a step. Call it at the beginning of the step. */
void watch_begin_step(abut_simulation *s);
/* Ends the watch of a step. Call it when the step is completed. */
void watch_end_step(abut_simulation *s);

/* The smallest ratio of overlap to the smaller radius for which watch_rows must be called. */
double watch_part(const abut_simulation *s);

/* Reports rows if their overlap became or was placed too deep in this step. Thread-safe. */
void watch_rows(abut_simulation *s, abut_interaction kind, abut_index begin, abut_index end);

/* Reports a sphere or body that moves by more than its radius in this step. Thread-safe. */
void watch_fast(abut_simulation *s, abut_partner kind, abut_index number);

/* Ends a part of a step that has reported overlaps, and records the first event. */
void watch_keep_deep(abut_simulation *s, abut_interaction kind);
/* Ends a part of a step that has reported fast grains, and records the first. */
void watch_keep_fast(abut_simulation *s);

/* Clears all recorded events. Call it when the number of spheres or bodies changes. */
void watch_forget(abut_simulation *s);

#endif
