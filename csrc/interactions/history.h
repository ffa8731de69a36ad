/* What a contact keeps from one step to the next: a row of numbers, whose layout follows from the
 * laws that there are. Code that carries rows reads the layout and
 * knows no law. */
#ifndef INTERACTIONS_HISTORY_H
#define INTERACTIONS_HISTORY_H

#include <stdbool.h>
#include <string.h>

#include "../abut/laws.h"

/* The parts of a row. Vectors, which turn as the contact does, go before numbers. */
typedef enum history_part {
    HISTORY_SPRING,  /* T */
    HISTORY_ROLL,    /* M; where some law is of type C */
    HISTORY_VECTORS, /* of laws that keep more: as many as any of them has, as of */
    HISTORY_SCALARS, /* numbers */
    HISTORY_END,     /* where there are such laws: see HISTORY_IDENTITY */
    HISTORY_PARTS
} history_part;

/* The end of a row: by which law the parts before are, or 0, and the energy that it stores. */
enum { HISTORY_IDENTITY, HISTORY_STORED, HISTORY_END_NUMBERS };

/* The most numbers of a row: one law may have vectors alone, another one scalars. */
enum { HISTORY_MOST = 6 + 2 * ABUT_LAW_HISTORY + HISTORY_END_NUMBERS };

/* Behind a row kernels read so many numbers. */
enum { HISTORY_PADDING = 8 };

/* Where each part begins, and behind the last one how many numbers a row has. */
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

/* Whether rows keep more than the spring of sliding: then contacts may have moments. */
static inline bool history_has_more(const history_layout *l)
{
    return history_numbers(l) > l->begins[HISTORY_ROLL];
}

/* What Luding's law keeps is one number: the largest overlap of all. */
enum { HISTORY_OF_LUDING = -1 };

/* 0 where a row is of another law. */
static inline double history_most(const history_layout *l, const double *kept)
{
    const int end = l->begins[HISTORY_END];
    const bool is_there =
        history_numbers(l) > end && kept[end + HISTORY_IDENTITY] == (double)HISTORY_OF_LUDING;
    return is_there ? kept[l->begins[HISTORY_SCALARS]] : 0.0;
}

static inline void history_set_most(const history_layout *l, double *kept, double most)
{
    kept[l->begins[HISTORY_SCALARS]] = most;
    kept[l->begins[HISTORY_END] + HISTORY_IDENTITY] = (double)HISTORY_OF_LUDING;
}

static inline bool history_is_same(const history_layout *a, const history_layout *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* What contacts that begin have kept: 0. */
extern const double history_nothing[HISTORY_MOST + HISTORY_PADDING];

/* Copy a row to another layout: 0 where the first one has less. from: NULL: it has nothing. */
void history_copy(const history_layout *to_layout, double *to, const history_layout *from_layout,
                  const double *from);

#endif
