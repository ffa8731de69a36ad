/* Sorts lists of second spheres. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "kernels.h"

/* Lists of up to SORTED_NUMBERS numbers are sorted without branches, lists of up to SHORT_LIST
 * numbers by insertion, longer ones by heapsort. */
enum { SHORT_LIST = 24 };

static void sort_short(int32_t *list, abut_index count)
{
    for (abut_index k = 1; k < count; k++) {
        const int32_t value = list[k];
        abut_index at = k;
        for (; at > 0 && list[at - 1] > value; at--) {
            list[at] = list[at - 1];
        }
        list[at] = value;
    }
}

static void sift_down(int32_t *heap, abut_index at, abut_index count)
{
    const int32_t value = heap[at];
    for (abut_index child = 2 * at + 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= value) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

/* Heapsort works in place, so it needs no memory and cannot fail. */
static void sort_long(int32_t *list, abut_index count)
{
    for (abut_index k = count / 2; k > 0; k--) {
        sift_down(list, k - 1, count);
    }
    for (abut_index last = count - 1; last > 0; last--) {
        const int32_t largest = list[0];
        list[0] = list[last];
        sift_down(list, 0, last);
        list[last] = largest;
    }
}

static void sort_list(int32_t *list, abut_index count)
{
    if (count <= SHORT_LIST) {
        sort_short(list, count);
    } else {
        sort_long(list, count);
    }
}

void KERNEL(lists_sort)(const int32_t *from, const abut_index *ends, abut_index list_count,
                        abut_index begin, int32_t *to)
{
    abut_index first = 0;
    const abut_index last = list_count > 0 ? ends[list_count - 1] - begin : 0;
    for (abut_index i = 0; i < list_count; i++) {
        const abut_index end = ends[i] - begin, count = end - first;
        if (count <= SORTED_NUMBERS && first + SORTED_NUMBERS <= last) {
            numbers_sort(from + first, (int32_t)count, to + first);
        } else {
            memcpy(to + first, from + first, (size_t)count * sizeof *to);
            sort_list(to + first, count);
        }
        first = end;
    }
}
