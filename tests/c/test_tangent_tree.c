/* A sphere that contains a shell of facets: each facet is a contact, or one of thousands of other
 * contacts eliminates it. */
#include "abut.h"
#include "base/memory.h"
#include "base/vec3.h"

#include "check.h"
#include "failing.h"
#include "random.h"
#include "triangle_mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 20000, SOME = 1500, FEW = 300 };

/* Returns the point of facet `i` of `count` nearest to the origin; directions are evenly spread. */
static vec3 place(int i, int count, double distance)
{
    const double z = 1.0 - (2.0 * i + 1.0) / count, turn = 2.399963229728653 * i;
    const double wide = sqrt(1.0 - z * z);
    return vec3_scale((vec3){wide * cos(turn), wide * sin(turn), z}, distance);
}

/* Builds triangles through `places`, perpendicular to the direction from the origin. */
static abut_mesh *build_shell(int count, const vec3 *places)
{
    double *vertices = malloc(9 * (size_t)count * sizeof *vertices);
    double *noise = calloc((size_t)count, sizeof *noise);
    for (int i = 0; i < count; i++) {
        const vec3 way = places[i];
        const vec3 axis = fabs(way.z) < 0.7 ? (vec3){0.0, 0.0, 1.0} : (vec3){1.0, 0.0, 0.0};
        const vec3 u = vec3_cross(way, axis), v = vec3_cross(way, u);
        for (int k = 0; k < 3; k++) {
            const double angle = 2.0 * PI * k / 3.0, size = 1e-3;
            const vec3 aside =
                vec3_add(vec3_scale(u, size * cos(angle)), vec3_scale(v, size * sin(angle)));
            vec3_store(vertices + 9 * i + 3 * k, vec3_add(way, aside));
        }
    }
    abut_mesh *mesh = build_noisy_triangles(count, vertices, noise);
    free(vertices), free(noise);
    return mesh;
}

static int count_questions(void *count)
{
    ++*(int *)count;
    return 0;
}

/* Finds the number of contacts of a sphere around the origin. */
static abut_status find(const abut_mesh *mesh, double flat_angle, int *questions, abut_index *count)
{
    const double center[3] = {0.0, 0.0, 0.0}, radius = 5.0;
    abut_query query = abut_query_default();
    query.sphere_count = 1, query.workers = 1;
    query.centers = center, query.radii = &radius;
    query.flat_angle = flat_angle;
    query.interrupted = count_questions, query.interrupted_data = questions;
    abut_finder *finder = NULL;
    abut_contacts *contacts = NULL;
    abut_status status = abut_finder_build(&mesh, 1, &finder, NULL);
    status = status ? status : abut_contacts_find(finder, &query, &contacts, NULL);
    *count = status ? -1 : abut_contacts_count(contacts);
    abut_contacts_free(contacts), abut_finder_free(finder);
    return status;
}

/* All contacts are kept. Comparing each with all kept ones would be work of 2e8, 40 questions. */
static void check_work(void)
{
    static vec3 places[MANY];
    for (int i = 0; i < MANY; i++) {
        places[i] = place(i, MANY, 1.0);
    }
    abut_mesh *mesh = build_shell(MANY, places);
    abut_index count;
    int questions = 0;
    CHECK_INT(find(mesh, 0.0, &questions, &count), ABUT_OK);
    CHECK_INT(count, MANY);
    CHECK(questions < 4);
    abut_mesh_free(mesh);
}

static int compare_lengths(const void *a, const void *b)
{
    const double of_a = vec3_norm_sq(*(const vec3 *)a), of_b = vec3_norm_sq(*(const vec3 *)b);
    return (of_a > of_b) - (of_a < of_b);
}

/* Compares each contact with all contacts kept before: docs/method.md, sections 2 and 3. */
static abut_index count_by_loop(vec3 *places, int count, double flat_angle)
{
    vec3 kept[SOME];
    int kept_count = 0;
    qsort(places, (size_t)count, sizeof *places, compare_lengths);
    for (int i = 0; i < count; i++) {
        bool is_eliminated = false;
        for (int j = 0; j < kept_count && !is_eliminated; j++) {
            /* points are relative to the center; `in front` is towards the center */
            const vec3 apart = vec3_sub(kept[j], places[i]);
            const double in_front = vec3_dot(apart, kept[j]) / vec3_length(kept[j]);
            is_eliminated = in_front <= sin(0.5 * flat_angle) * vec3_length(apart);
        }
        if (!is_eliminated) {
            kept[kept_count++] = places[i];
        }
    }
    return kept_count;
}

/* The tree keeps the same contacts as a loop over all. The more the distances of facets differ, the
 * fewer contacts are kept. */
static void check_elimination(double rough, double flat_angle, abut_index least)
{
    static vec3 places[SOME];
    state = 1;
    for (int i = 0; i < SOME; i++) {
        places[i] = place(i, SOME, 1.0 + rough * draw_number());
    }
    abut_mesh *mesh = build_shell(SOME, places);
    abut_index count;
    int questions = 0;
    CHECK_INT(find(mesh, flat_angle, &questions, &count), ABUT_OK);
    CHECK_INT(count, count_by_loop(places, SOME, flat_angle));
    CHECK(count >= least && count < SOME);
    abut_mesh_free(mesh);
}

static void check_failures(void)
{
    vec3 places[FEW];
    for (int i = 0; i < FEW; i++) {
        places[i] = place(i, FEW, 1.0);
    }
    abut_mesh *mesh = build_shell(FEW, places);
    failures f = {0};
    while (fail_next(&f)) {
        abut_index count;
        int questions = 0;
        f.status = find(mesh, 0.0, &questions, &count);
    }
    CHECK(f.count > 10);
    abut_mesh_free(mesh);
}

void test_tangent_tree(void)
{
    check_work();
    check_elimination(1e-2, 0.0, 900);
    check_elimination(3e-2, 0.0, 200);
    check_elimination(1e-4, 0.1, 200);
    check_failures();
}
