/* Every allocation of a call fails once, in turn:
 *
 *     failures f = {0};
 *     while (fail_next(&f)) {
 *         f.status = call();
 *     }
 *
 * It has to say so each time, and leak nothing; the last time nothing fails. */
#ifndef ABUT_FAILING_H
#define ABUT_FAILING_H

#include "abut.h"
#include "base/memory.h"

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

#endif
