/* Cuts large facets into pieces. */
#include "pieces.h"

#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* Facets longer than WHOLE_REACHES reaches are cut into pieces of at most PIECE_REACHES reaches.
 * With shorter pieces, the additional entries would cost more than fewer candidates save. */
#define PIECE_REACHES 2.0
#define WHOLE_REACHES 3.0

/* The largest numbers of pieces for one facet and for a whole mesh. If a facet could have only
 * fewer than PIECES_AT_LEAST, no facet is cut. */
enum { PIECES_OF_FACET = 64, PIECES_OF_MESH = 1 << 18, PIECES_AT_LEAST = 4 };

static abut_index piece_limit(const abut_mesh *mesh)
{
    abut_index limit = PIECES_OF_MESH / mesh->view.facet_count;
    return limit < PIECES_OF_FACET ? limit : PIECES_OF_FACET;
}

/* The expected number of pieces of a facet. The area of a piece is about a quarter of its squared
 * length. Slivers are cut only across their length. */
static double expected_of_facet(const abut_mesh *mesh, abut_index facet, double extent,
                                double reach)
{
    double length = PIECE_REACHES * reach, limit = (double)piece_limit(mesh);
    double count = 4.0 * mesh->view.areas[facet] / (length * length) + 2.0 * extent / length;
    return count < limit ? count : limit;
}

double pieces_expected(const abut_mesh *mesh, double reach)
{
    abut_index facets = mesh->view.facet_count;
    if (piece_limit(mesh) < PIECES_AT_LEAST) {
        return 0.0;
    }
    double all = 0.0, large = 0.0, farthest = 0.0, count = 0.0;
    for (abut_index f = 0; f < facets; f++) {
        box bounds = mesh_box(mesh, f);
        double extent = box_extent(&bounds), area = mesh->view.areas[f];
        bool is_large = extent > WHOLE_REACHES * reach;
        farthest = larger(farthest, box_farthest(&bounds));
        all += area;
        large += is_large ? area : 0.0;
        count += is_large ? expected_of_facet(mesh, f, extent, reach) : 1.0;
    }
    return large > 0.5 * all && farthest < CUT_REACHES * reach ? count : 0.0;
}

static double extent_of(const triangle *t)
{
    box bounds = triangle_box(t);
    return box_extent(&bounds);
}

/* Halves a piece across its longest edge while it is too long, into at most `limit` pieces. */
static void cut(pieces *p, const triangle *piece, double length, abut_index limit)
{
    if (limit <= 1 || extent_of(piece) <= length) {
        p->items[p->count++] = *piece;
        return;
    }
    int edge = triangle_longest_edge(piece), next = (edge + 1) % 3;
    vec3 middle = vec3_scale(vec3_add(piece->corner[edge], piece->corner[next]), 0.5);
    triangle half = *piece;
    half.corner[next] = middle;
    cut(p, &half, length, limit / 2);
    half = *piece;
    half.corner[edge] = middle;
    cut(p, &half, length, limit - limit / 2);
}

/* Sets the `noise` of a facet's pieces to the largest extent among them (pieces.h). */
static void set_extent(pieces *p, abut_index first)
{
    double largest = 0.0;
    for (abut_index k = first; k < p->count; k++) {
        double extent = extent_of(&p->items[k]);
        largest = extent > largest ? extent : largest;
    }
    for (abut_index k = first; k < p->count; k++) {
        p->items[k].noise = largest;
    }
}

/* Cuts a facet into pieces, or takes its triangles as they are if it is small. */
static abut_status cut_facet(pieces *p, const abut_mesh *mesh, abut_index facet, double reach)
{
    abut_index begin = mesh->fans[facet], count = mesh->fans[facet + 1] - begin, first = p->count;
    abut_index limit = piece_limit(mesh), room = count > limit ? count : limit;
    if (memory_fit(&p->items, first + room, &p->capacity, sizeof *p->items)) {
        return ABUT_NO_MEMORY;
    }
    box bounds = mesh_box(mesh, facet);
    double length = box_extent(&bounds) > WHOLE_REACHES * reach ? PIECE_REACHES * reach : INFINITY;
    for (abut_index k = 0; k < count; k++) {
        cut(p, &mesh->triangles[begin + k], length, limit / count);
    }
    set_extent(p, first);
    return ABUT_OK;
}

abut_status pieces_build(pieces *p, const abut_mesh *mesh, double reach)
{
    abut_status status = ABUT_OK;
    for (abut_index f = 0; !status && f < mesh->view.facet_count; f++) {
        status = cut_facet(p, mesh, f, reach);
    }
    return status;
}
