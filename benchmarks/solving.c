/* Times the contact of one pair of bodies alone, without tables: see convex.py.
 *
 *     abut_solving FILE ROUNDS [START CONTESTANT]
 *
 * The file is a sequence of doubles:
 * - the numbers of shapes, bodies, pairs and steps;
 * - for each shape the numbers of vertices, facets and indices, then its vertices, indices and
 *   offsets;
 * - for each body its shape and its scale;
 * - for each pair its two bodies;
 * - for each step and pair the pose of B in A's frame: a rotation, 3 x 3 by rows, and a shift.
 *
 * A line is printed for each round, start and contestant, with the nanoseconds per pair. */
#include "abut.h"
#include "base/memory.h"
#include "convex/solve.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SHAPES = 16, SPOTS = 4096 };

/* The numbers of the file, read in order. */
typedef struct numbers {
    double *all;
    size_t next, count;
} numbers;

typedef struct stream {
    abut_shape *shapes[SHAPES];
    abut_index pair_count, step_count;
    convex_pair *pairs; /* all pairs of a step, step by step */
    double *states;     /* ABUT_CONVEX_STATE numbers for each pair */
} stream;

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static numbers read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        fail("the file cannot be read");
    }
    const long size = ftell(file);
    numbers n = {.count = (size_t)size / sizeof(double)};
    n.all = memory_alloc((abut_index)n.count, sizeof(double));
    rewind(file);
    if (!n.all || fread(n.all, sizeof(double), n.count, file) != n.count) {
        fail("the file cannot be read");
    }
    fclose(file);
    return n;
}

static const double *take(numbers *n, abut_index count)
{
    const double *taken = n->all + n->next;
    n->next += (size_t)count;
    if (n->next > n->count) {
        fail("the file is too short");
    }
    return taken;
}

static abut_index take_count(numbers *n)
{
    return (abut_index)*take(n, 1);
}

static abut_index *take_indices(numbers *n, abut_index count)
{
    abut_index *indices = memory_alloc(count, sizeof *indices);
    const double *values = take(n, count);
    for (abut_index k = 0; indices && k < count; k++) {
        indices[k] = (abut_index)values[k];
    }
    return indices;
}

static abut_shape *take_shape(numbers *n)
{
    abut_shape_input input = {.dimension = 3};
    input.vertex_count = take_count(n);
    input.facet_count = take_count(n);
    input.index_count = take_count(n);
    input.vertices = take(n, 3 * input.vertex_count);
    abut_index *indices = take_indices(n, input.index_count);
    abut_index *offsets = take_indices(n, input.facet_count + 1);
    input.indices = indices, input.offsets = offsets;
    abut_shape *shape = NULL;
    if (abut_shape_build(&input, &shape, NULL)) {
        fail("a shape is not convex");
    }
    memory_free(indices);
    memory_free(offsets);
    return shape;
}

static convex_pair make_pair(const convex_body *a, const convex_body *b, const double *place)
{
    convex_pair pair = {.a = *a, .b = *b};
    for (int row = 0; row < 3; row++) {
        pair.rows[row] = (vec3){place[3 * row], place[3 * row + 1], place[3 * row + 2]};
    }
    pair.shift = (vec3){place[9], place[10], place[11]};
    pair.size = a->scale * a->shape->reach + b->scale * b->shape->reach;
    pair.tolerance = 1e-11 * pair.size;
    return pair;
}

static stream read_stream(const char *path)
{
    numbers n = read_all(path);
    stream s = {.pairs = NULL};
    const abut_index shape_count = take_count(&n), body_count = take_count(&n);
    s.pair_count = take_count(&n), s.step_count = take_count(&n);
    for (abut_index k = 0; k < shape_count && k < SHAPES; k++) {
        s.shapes[k] = take_shape(&n);
    }
    const double *bodies = take(&n, 2 * body_count), *ends = take(&n, 2 * s.pair_count);
    convex_body *made = memory_alloc(body_count, sizeof *made);
    s.pairs = memory_alloc(s.pair_count * s.step_count, sizeof *s.pairs);
    s.states = memory_alloc(s.pair_count, ABUT_CONVEX_STATE * sizeof *s.states);
    if (!made || !s.pairs || !s.states) {
        fail("no memory");
    }
    for (abut_index k = 0; k < body_count; k++) {
        made[k] = (convex_body){s.shapes[(int)bodies[2 * k]], bodies[2 * k + 1]};
    }
    for (abut_index k = 0; k < s.pair_count * s.step_count; k++) {
        const double *of = ends + 2 * (k % s.pair_count);
        s.pairs[k] = make_pair(&made[(size_t)of[0]], &made[(size_t)of[1]], take(&n, 12));
    }
    memory_free(made);
    memory_free(n.all);
    return s;
}

/* Solves one pair as a query does: reads its state of the last step and stores its new state. */
static void ask(const convex_pair *pair, bool is_warm, const solve_task *task, double *state)
{
    static convex_spot spots[SPOTS], room[SPOTS];
    convex_link before;
    solved result;
    const bool has_before = is_warm && link_unpack(state, pair, &before);
    solve_pair(pair, has_before ? &before : NULL, task, &result, spots, room);
    link_pack(&result.core, state);
}

static void ask_all(const stream *s, abut_index step, bool is_warm, const solve_task *task)
{
    for (abut_index k = 0; k < s->pair_count; k++) {
        ask(&s->pairs[step * s->pair_count + k], is_warm, task, s->states + ABUT_CONVEX_STATE * k);
    }
}

/* A contestant, with its name in convex.py. */
typedef struct way {
    const char *name;
    abut_convex_method method;
    bool wants_spots;
} way;

static const way WAYS[] = {{"slm", ABUT_SHORTEST_LINK, false},
                           {"slm-spots", ABUT_SHORTEST_LINK, true},
                           {"fcp", ABUT_FAST_COMMON_PLANE, false},
                           {"cp", ABUT_COMMON_PLANE, false},
                           {"fds", ABUT_DIRECT_SEARCH, false}};

static void measure(const stream *s, bool is_warm, const way *w)
{
    solve_task task = {.options = abut_convex_options_default(), .wants_spots = w->wants_spots};
    task.options.method = w->method;
    ask_all(s, 0, false, &task);
    const clock_t begin = clock();
    for (abut_index step = 1; step < s->step_count; step++) {
        ask_all(s, step, is_warm, &task);
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%s %s %.3f\n", is_warm ? "warm" : "cold", w->name,
           1e9 * seconds / (double)((s->step_count - 1) * s->pair_count));
}

/* Whether this start and contestant are to be measured; without names all are. */
static bool is_wanted(char **names, bool is_warm, const way *w)
{
    return !names ||
           (strcmp(names[0], is_warm ? "warm" : "cold") == 0 && strcmp(names[1], w->name) == 0);
}

static void measure_all(const stream *s, char **names)
{
    for (size_t k = 0; k < sizeof WAYS / sizeof *WAYS; k++) {
        for (int is_warm = 1; is_warm >= 0; is_warm--) {
            if (is_wanted(names, is_warm, &WAYS[k])) {
                measure(s, is_warm, &WAYS[k]);
            }
        }
    }
}

int main(int count, char **arguments)
{
    if (count != 3 && count != 5) {
        fail("usage: abut_solving FILE ROUNDS [START CONTESTANT]");
    }
    stream s = read_stream(arguments[1]);
    for (int round = 0; round < atoi(arguments[2]); round++) {
        measure_all(&s, count == 5 ? arguments + 3 : NULL);
    }
    for (int k = 0; k < SHAPES; k++) {
        abut_shape_free(s.shapes[k]);
    }
    memory_free(s.pairs);
    memory_free(s.states);
    return 0;
}
