/* Many convex bodies, queries of them, and their columns, for tests. */
#ifndef ABUT_CONVEX_SCENES_H
#define ABUT_CONVEX_SCENES_H

#include "bodies.h"
#include "check.h"
#include "periods.h"

#include <stdbool.h>

enum { SHAPES = 4, MOST_BODIES = 400 };

typedef struct convex_scene {
    abut_shape *shapes[SHAPES];
    int dimension, count;
    abut_index numbers[MOST_BODIES];
    double scales[MOST_BODIES], positions[3 * MOST_BODIES], orientations[4 * MOST_BODIES];
    double period[3];
    abut_convex_finder *finder;
} convex_scene;

static inline abut_shape *rounded_shape(int count, double radius)
{
    double p[3 * MOST_POINTS];
    abut_index indices[3 * 4 * MOST_POINTS];
    abut_shape *shape = NULL;
    for (int k = 0; k < count; k++) {
        vec3_store(p + 3 * k, draw_unit());
    }
    const int triangles = find_hull(p, count, indices);
    build_shape(p, count, indices, triangles, radius, &shape, NULL);
    return shape;
}

static inline void make_shapes(convex_scene *s)
{
    if (s->dimension == 2) {
        s->shapes[0] = polygon_shape(3, 1.0, 0.0);
        s->shapes[1] = polygon_shape(4, 1.0, 0.5);
        s->shapes[2] = polygon_shape(9, 0.8, 0.1);
        abut_shape_build_point(2, 0.7, &s->shapes[3], NULL);
        return;
    }
    s->shapes[0] = box_shape(0.7, 0.5, 0.4);
    s->shapes[1] = random_shape(10, (vec3){1.0, 0.8, 0.6});
    s->shapes[2] = rounded_shape(6, 0.1);
    abut_shape_build_point(3, 0.7, &s->shapes[3], NULL);
}

/* Places bodies of all shapes at random in a box. */
static inline void start_bodies(convex_scene *s, int dimension, int count, double side)
{
    state = 7;
    *s = (convex_scene){.dimension = dimension, .count = count};
    make_shapes(s);
    for (int i = 0; i < count; i++) {
        s->numbers[i] = i % SHAPES;
        s->scales[i] = draw_between(0.5, 1.5);
        for (int axis = 0; axis < dimension; axis++) {
            s->positions[dimension * i + axis] = side * draw_number();
        }
        for (int k = 0; k < 4; k++) { /* quaternions may have any length */
            s->orientations[4 * i + k] = draw_between(-1.0, 1.0);
        }
    }
}

static inline abut_convex_input input_of(const convex_scene *s)
{
    return (abut_convex_input){.shapes = (const abut_shape *const *)s->shapes,
                               .shape_count = SHAPES,
                               .body_count = s->count,
                               .shape = s->numbers,
                               .scales = s->scales,
                               .options = abut_convex_options_default()};
}

static inline void build_finder(convex_scene *s)
{
    const abut_convex_input input = input_of(s);
    CHECK_INT(abut_convex_finder_build(&input, &s->finder, NULL), ABUT_OK);
}

static inline void end_bodies(convex_scene *s)
{
    abut_convex_finder_free(s->finder);
    for (int k = 0; k < SHAPES; k++) {
        abut_shape_free(s->shapes[k]);
    }
}

static inline abut_convex_query query_of(const convex_scene *s)
{
    abut_convex_query query = abut_convex_query_default();
    query.positions = s->positions;
    query.orientations = s->orientations;
    return query;
}

/* ---- columns ---- */

enum { COLUMNS = 19 };

/* All columns except those of walls, as arrays with the byte count of each. */
typedef struct convex_table {
    abut_convex_columns columns;
    void *arrays[COLUMNS];
    size_t bytes[COLUMNS];
    abut_index rows, spots;
} convex_table;

static inline void *add_array(convex_table *t, int k, abut_index count, size_t size)
{
    t->bytes[k] = (size_t)count * size;
    return t->arrays[k] = calloc(t->bytes[k] + 1, 1);
}

static inline void add_row_arrays(convex_table *t, abut_index m, int d)
{
    abut_convex_columns *c = &t->columns;
    c->i = add_array(t, 0, m, sizeof *c->i);
    c->j = add_array(t, 1, m, sizeof *c->j);
    c->status = add_array(t, 2, m, 1);
    c->type = add_array(t, 3, 2 * m, 1);
    c->feature = add_array(t, 4, 2 * m, sizeof *c->feature);
    c->normal = add_array(t, 5, d * m, sizeof(double));
    c->overlap = add_array(t, 6, m, sizeof(double));
    c->error = add_array(t, 7, m, sizeof(double));
    c->link = add_array(t, 8, 2 * d * m, sizeof(double));
    c->point = add_array(t, 9, d * m, sizeof(double));
    c->iterations = add_array(t, 10, m, sizeof *c->iterations);
    c->state = add_array(t, 11, ABUT_CONVEX_STATE * m, sizeof(double));
    c->image = add_array(t, 12, d * m, sizeof *c->image);
}

static inline convex_table make_table(abut_index m, abut_index k, int d, abut_index bodies)
{
    convex_table t = {.rows = m, .spots = k};
    abut_convex_columns *c = &t.columns;
    add_row_arrays(&t, m, d);
    c->offsets = add_array(&t, 13, bodies + 1, sizeof *c->offsets);
    c->spot = add_array(&t, 14, d * k, sizeof(double));
    c->spot_overlap = add_array(&t, 15, k, sizeof(double));
    c->spot_type = add_array(&t, 16, 2 * k, 1);
    c->spot_feature = add_array(&t, 17, 2 * k, sizeof *c->spot_feature);
    c->spot_offsets = add_array(&t, 18, m + 1, sizeof *c->spot_offsets);
    return t;
}

static inline void free_table(convex_table *t)
{
    for (int k = 0; k < COLUMNS; k++) {
        free(t->arrays[k]);
    }
}

/* Runs a query and returns its columns. */
static inline convex_table find_table(const convex_scene *s, const abut_convex_query *query)
{
    abut_convex_contacts *contacts = NULL;
    CHECK_INT(abut_convex_find(s->finder, query, &contacts, NULL), ABUT_OK);
    convex_table t = make_table(abut_convex_contacts_count(contacts),
                                abut_convex_contacts_spot_count(contacts), s->dimension, s->count);
    abut_convex_contacts_write(contacts, &t.columns);
    abut_convex_contacts_free(contacts);
    return t;
}

static inline bool is_same_table(const convex_table *a, const convex_table *b)
{
    bool is_same = true;
    for (int k = 0; k < COLUMNS; k++) {
        is_same = is_same && a->bytes[k] == b->bytes[k] &&
                  memcmp(a->arrays[k], b->arrays[k], a->bytes[k]) == 0;
    }
    return is_same;
}

/* Returns the rows of a table as the previous step of a query. */
static inline abut_convex_before before_of(const convex_table *t)
{
    return (abut_convex_before){.row_count = t->rows,
                                .i = t->columns.i,
                                .j = t->columns.j,
                                .image = t->columns.image,
                                .state = t->columns.state};
}

#endif
