/* Every allocation of a call fails once, in turn:
 *
 *     failures f = {0};
 *     while (fail_next(&f)) {
 *         f.status = call();
 *     }
 *
 * It has to say so each time, and leak nothing; the last time nothing fails.
 *
 * Likewise a call is interrupted at its questions whether it is to end, which it asks at each
 * report of its work; of very many at some only:
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
    long count; /* calls, of which all but the last one have failed */
    long live;  /* arrays before the first one */
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
    long count; /* calls, of which all but the last one were interrupted */
    long place; /* the number of the question that is answered with yes, from 0 on */
    long asked;
    abut_status status;
} interruptions;

/* Answers yes from the place on: whoever asks again after that has not ended. */
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
