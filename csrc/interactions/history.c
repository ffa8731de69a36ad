/* Rows of the contact history. */
#include "history.h"

const double history_nothing[HISTORY_MOST + HISTORY_PADDING];

void history_copy(const history_layout *to_layout, double *to, const history_layout *from_layout,
                  const double *from)
{
    memset(to, 0, (size_t)history_numbers(to_layout) * sizeof *to);
    for (int k = 0; from && k < HISTORY_PARTS; k++) {
        const int own = history_part_numbers(to_layout, (history_part)k);
        const int other = history_part_numbers(from_layout, (history_part)k);
        memcpy(to + to_layout->begins[k], from + from_layout->begins[k],
               (size_t)(own < other ? own : other) * sizeof *to);
    }
}
