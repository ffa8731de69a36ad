/* The contact history: a row of numbers, which a contact keeps from step to step. The laws in use
 * determine its layout. Code that copies rows uses the layout and depends on no law. */
#ifndef INTERACTIONS_HISTORY_H
#define INTERACTIONS_HISTORY_H

#include <stdbool.h>
#include <string.h>

#include "../abut/laws.h"

/* The parts of a row. Vectors, which rotate with the contact, come before scalars. */
typedef enum history_part {
    HISTORY_SPRING,  /* the tangential spring T */
    HISTORY_ROLL,    /* the rolling spring M, if some law has rolling of type C */
    HISTORY_VECTORS, /* vectors of user laws, as many as the law with the most vectors has */
    HISTORY_SCALARS, /* scalars of user laws, or the largest overlap, as many as the law with the
                        most scalars has */
    HISTORY_END,     /* the end of a row (see HISTORY_IDENTITY), if a law has vectors or scalars */
    HISTORY_PARTS
} history_part;

/* The numbers at the end of a row: the identity of the law that wrote vectors and scalars (0:
 * none), and the stored energy. */
enum { HISTORY_IDENTITY, HISTORY_STORED, HISTORY_END_NUMBERS };

/* The largest length of a row: one law may have only vectors, another one only scalars. */
enum { HISTORY_MOST = 6 + 2 * ABUT_LAW_HISTORY + HISTORY_END_NUMBERS };

/* Kernels may read this many numbers behind the last row. */
enum { HISTORY_PADDING = 8 };

/* The position at which each part begins; the last element is the length of a row. */
typedef struct history_layout {
    int begins[HISTORY_PARTS + 1];
} history_layout;

static inline history_layout history_lay_out(bool has_rolls, bool keeps_more, int vectors,
                                             int scalars)
{
    const int roll = 3, more = has_rolls ? 6 : 3, scalar = more + 3 * vectors;
    const int end = scalar + scalars, numbers = keeps_more ? end + HISTORY_END_NUMBERS : end;
    return (history_layout){{0, roll, more, scalar, end, numbers}};
}

static inline int history_numbers(const history_layout *l)
{
    return l->begins[HISTORY_PARTS];
}

static inline int history_part_numbers(const history_layout *l, history_part part)
{
    return l->begins[part + 1] - l->begins[part];
}

/* Whether rows have more than the tangential spring. Only then may contacts have moments. */
static inline bool history_has_more(const history_layout *l)
{
    return history_numbers(l) > l->begins[HISTORY_ROLL];
}

/* The identity of built-in laws that store a scalar: the largest overlap. */
enum { HISTORY_OF_BUILT_IN = -1 };

/* The largest overlap in a row of the history; 0 if another law wrote the row. */
static inline double history_most(const history_layout *l, const double *kept)
{
    const int end = l->begins[HISTORY_END];
    const bool is_there =
        history_numbers(l) > end && kept[end + HISTORY_IDENTITY] == (double)HISTORY_OF_BUILT_IN;
    return is_there ? kept[l->begins[HISTORY_SCALARS]] : 0.0;
}

static inline void history_set_most(const history_layout *l, double *kept, double most)
{
    kept[l->begins[HISTORY_SCALARS]] = most;
    kept[l->begins[HISTORY_END] + HISTORY_IDENTITY] = (double)HISTORY_OF_BUILT_IN;
}

static inline bool history_is_same(const history_layout *a, const history_layout *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* The history of new contacts: zeros. */
extern const double history_nothing[HISTORY_MOST + HISTORY_PADDING];

/* Copies a row to another layout. Numbers that `from` (NULL: no row) does not have become 0. */
void history_copy(const history_layout *to_layout, double *to, const history_layout *from_layout,
                  const double *from);

#endif
