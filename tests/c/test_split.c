/* Splitting a polygon with very many corners can be ended. The triangles are compared with an
 * obvious way to find them in tests/test_split.py. */
#include "abut.h"
#include "base/memory.h"
#include "base/parallel.h"

#include "check.h"

enum { CORNERS = 120000 };

static double vertices[3 * CORNERS];
static abut_index indices[CORNERS];
static const abut_index offsets[] = {0, CORNERS};

typedef struct clock {
    int asked, limit;
} clock;

static int count_questions(void *data)
{
    clock *c = data;
    return ++c->asked == c->limit;
}

/* Corners of two rows of which one is a straight line, each in the way of all others there. */
static void make_comb(void)
{
    const int half = CORNERS / 2;
    for (int i = 0; i < CORNERS; i++) {
        const int x = i < half ? i : CORNERS - 1 - i;
        vertices[3 * i] = x;
        vertices[3 * i + 1] = i < half ? 0.0 : (x % 2 ? 2.0 : 20.0);
        vertices[3 * i + 2] = 0.0;
        indices[i] = i;
    }
}

static abut_status build(clock *c, abut_mesh **mesh)
{
    const abut_mesh_input input = {.vertex_count = CORNERS,
                                   .facet_count = 1,
                                   .index_count = CORNERS,
                                   .vertices = vertices,
                                   .indices = indices,
                                   .offsets = offsets,
                                   .split = 1,
                                   .interrupted = count_questions,
                                   .interrupted_data = c};
    return abut_mesh_build(&input, mesh, NULL);
}

static void check_end(void)
{
    clock c = {0, 3};
    abut_mesh *mesh = NULL;
    make_comb();
    CHECK_INT(build(&c, &mesh), ABUT_INTERRUPTED);
    CHECK_INT(c.asked, 3);
    CHECK(mesh == NULL);
}

void test_split(void)
{
    check_end();
    CHECK_INT(memory_live_count(), 0);
}
