/* The contacts of convex bodies in a step, with what their spots exert and carry to the next one.
 */
#ifndef DEM_SPOT_TABLES_H
#define DEM_SPOT_TABLES_H

#include "tables.h"

enum { SPOT_COLUMNS = 19 };

typedef struct spot_table {
    abut_index count, spot_count;
    abut_convex_columns columns;
    springs springs; /* of spots; effects tell forces alone */
    double *power;   /* of each spot's force and moment, on the wall */
    abut_index *row_match;
    memory_block blocks[SPOT_COLUMNS], offset_block, power_block, match_block;
} spot_table;

/* Room for so many rows and spots, whose contents are anything but for images, which are 0.
 * ABUT_OK or ABUT_NO_MEMORY. */
abut_status spot_table_reserve(spot_table *t, abut_meeting meeting, abut_index rows,
                               abut_index spots, table_kind kind);
void spot_table_free(spot_table *t);
abut_index spot_table_bytes(const spot_table *t);

/* Copy columns that both have. */
void spot_table_copy(const abut_convex_columns *to, const abut_convex_columns *from,
                     abut_index rows, abut_index spots);

/* Keep the rows whose i, and j, have other numbers than -1 now, by these; NULL: they stay. */
void spot_table_renumber(spot_table *t, const int32_t *new_i, const int32_t *new_j);

#endif
