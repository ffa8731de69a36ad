/* Makes every allocation of a call fail once:
 *
 *     failures f = {0};
 *     while (fail_next(&f)) {
 *         f.status = call();
 *     }
 *
 * The call must return an error each time and leak nothing; in the last round nothing fails.
 *
 * Interrupts a call at each of its questions whether to end, or at some of very many questions. A
 * call asks at each report of its work:
 *
 *     interruptions i = {0};
 *     while (interrupt_next(&i)) {
 *         i.status = call(interrupt_now, &i);
 *     } */
#ifndef ABUT_FAILING_H
#define ABUT_FAILING_H

#include "abut.h"
#include "base/memory.h"
#include "base/parallel.h"

#include "check.h"

#include <stdbool.h>

typedef struct failures {
    long count; /* number of calls, of which all but the last have failed */
    long live;  /* number of live arrays before the first call */
    abut_status status;
} failures;

static inline bool fail_next(failures *f)
{
    if (f->count == 0) {
        f->live = memory_live_count();
    } else {
        const bool has_failed = memory_has_failed();
        CHECK_INT(f->status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
        CHECK_INT(memory_live_count(), f->live);
        if (!has_failed) {
            memory_fail_at(0);
            return false;
        }
    }
    memory_fail_at(++f->count);
    return true;
}

typedef struct interruptions {
    long count; /* number of calls, of which all but the last were interrupted */
    long place; /* number of the question that is answered with yes, from 0 on */
    long asked;
    abut_status status;
} interruptions;

/* Answers yes from `place` on; a call that asks again has ignored the first yes. */
static inline int interrupt_now(void *data)
{
    interruptions *i = data;
    return i->asked++ >= i->place;
}

static inline bool interrupt_next(interruptions *i)
{
    if (i->count++ == 0) {
        parallel_ask_always(true);
    } else {
        const bool is_interrupted = i->asked > i->place;
        CHECK_INT(i->status, is_interrupted ? ABUT_INTERRUPTED : ABUT_OK);
        CHECK(i->asked <= i->place + 1);
        if (!is_interrupted) {
            parallel_ask_always(false);
            return false;
        }
        i->place += 1 + i->place / 8;
    }
    i->asked = 0;
    return true;
}

#endif
