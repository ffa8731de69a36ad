/* Large facets in pieces. */
#include "pieces.h"

/* The corners of a piece. */
typedef struct piece {
    vec3 corner[3];
} piece;

static box box_of(const piece *p)
{
    box bounds = box_empty();
    for (int i = 0; i < 3; i++) {
        box_include_point(&bounds, p->corner[i]);
    }
    return bounds;
}

static double length_sq(const piece *p, int edge)
{
    return vec3_norm_sq(vec3_sub(p->corner[(edge + 1) % 3], p->corner[edge]));
}

static int longest_edge(const piece *p)
{
    int longest = length_sq(p, 1) > length_sq(p, 0) ? 1 : 0;
    return length_sq(p, 2) > length_sq(p, longest) ? 2 : longest;
}

/* Halve a piece across its longest edge as long as it is too long and may be more than one. */
static int32_t cut(const piece *whole, double length, int32_t limit, box *pieces)
{
    pieces[0] = box_of(whole);
    if (limit == 1 || box_extent(&pieces[0]) <= length) {
        return 1;
    }
    int edge = longest_edge(whole), next = (edge + 1) % 3;
    vec3 middle = vec3_scale(vec3_add(whole->corner[edge], whole->corner[next]), 0.5);
    piece first = *whole, second = *whole;
    first.corner[next] = middle;
    second.corner[edge] = middle;
    int32_t count = cut(&first, length, limit / 2, pieces);
    return count + cut(&second, length, limit - limit / 2, pieces + count);
}

int32_t facet_pieces(const abut_mesh *mesh, abut_index facet, double length, int32_t limit,
                     box *pieces)
{
    int32_t begin = mesh->fans[facet], triangles = mesh->fans[facet + 1] - begin, count = 0;
    if (triangles > limit) {
        pieces[0] = mesh_box(mesh, facet);
        return 1;
    }
    for (int32_t k = 0; k < triangles; k++) {
        const triangle *t = &mesh->triangles[begin + k];
        piece whole = {{t->corner[0], t->corner[1], t->corner[2]}};
        count += cut(&whole, length, limit / triangles, pieces + count);
    }
    return count;
}
