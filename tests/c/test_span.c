#include "base/span.h"

#include "check.h"

static void check_spans(void)
{
    const abut_index offsets[] = {0, 2, 2, 5};
    const row_span first = span_at(offsets, 0, 5), none = span_at(offsets, 1, 5);
    CHECK(first.first == 0 && first.count == 2 && none.first == 2 && none.count == 0);
    CHECK_INT(span_at(offsets, 2, 5).count, 3);
    CHECK_INT(span_at(offsets, 2, 4).count, 0);
    const abut_index wrong[] = {-1, 2, 1};
    CHECK(span_at(wrong, 0, 5).count == 0 && span_at(wrong, 1, 5).count == 0);
}

static void check_what_is_wrong(void)
{
    CHECK_INT(span_find_wrong((const abut_index[]){0, 2, 2, 5}, 3, 5), -1);
    CHECK_INT(span_find_wrong((const abut_index[]){1, 2, 2, 5}, 3, 5), 0);
    CHECK_INT(span_find_wrong((const abut_index[]){0, 2, 1, 5}, 3, 5), 1);
    CHECK_INT(span_find_wrong((const abut_index[]){0, 6, 6, 6}, 3, 5), 0);
    CHECK_INT(span_find_wrong((const abut_index[]){0, 2, 2, 4}, 3, 5), 2);
    CHECK_INT(span_find_wrong(NULL, 3, 5), 0);
    CHECK_INT(span_find_wrong(NULL, 0, 5), 0);
    CHECK_INT(span_find_wrong(NULL, 0, 0), -1);
}

void test_span(void)
{
    check_spans();
    check_what_is_wrong();
}
