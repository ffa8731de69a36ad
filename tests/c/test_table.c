/* Tables of interactions: rows follow their partners to new numbers, compared with a slow sort of
 * all rows. */
#include "interactions/table.h"

#include "check.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

enum { SPHERES = 9, IMAGES = 2, MOST_ROWS = SPHERES * SPHERES * IMAGES };

/* A spring, a rolling spring, and one more vector and number. */
static const table_extras EXTRAS = {.has_images = true, .layout = {{0, 3, 6, 9, 10, 12}}};

/* ---- pairs ---- */

/* Draws half of all pairs, at images 0 and 1 along x; each row has different numbers. */
static void draw_pairs(interaction_table *t)
{
    CHECK_INT(table_reserve(t, (table_size){MOST_ROWS, 0, SPHERES}, EXTRAS), ABUT_OK);
    for (abut_index k = 0; k < MOST_ROWS; k++) {
        const abut_index i = k / (SPHERES * IMAGES), j = k / IMAGES % SPHERES, row = t->count;
        if (i >= j || draw_number() < 0.5) {
            continue;
        }
        t->pair.i[row] = i, t->pair.j[row] = j;
        t->pair.overlap[row] = (double)row;
        memset(t->pair.image + 3 * row, 0, 3 * sizeof *t->pair.image);
        t->pair.image[3 * row] = k % IMAGES;
        for (int axis = 0; axis < 3; axis++) {
            t->pair.normal[3 * row + axis] = table_kept(t, row)[axis] = (double)(row + 1);
            t->moment[3 * row + axis] = 1.0;
            t->force[3 * row + axis] = (double)(row + 2);
        }
        for (int n = 3; n < history_numbers(&EXTRAS.layout); n++) {
            table_kept(t, row)[n] = 1.0;
        }
        t->count++;
    }
}

/* A pair by its new numbers, and its old row. */
typedef struct renamed {
    abut_index i, j, image, row;
    double sign;
} renamed;

static int compare(const void *a, const void *b)
{
    const renamed *p = a, *q = b;
    const abut_index own[] = {p->i, p->j, p->image}, other[] = {q->i, q->j, q->image};
    for (int k = 0; k < 3; k++) {
        if (own[k] != other[k]) {
            return own[k] < other[k] ? -1 : 1;
        }
    }
    return 0;
}

static abut_index rename_all(const interaction_table *t, const int32_t *target, renamed *to)
{
    abut_index count = 0;
    for (abut_index row = 0; row < t->count; row++) {
        const abut_index i = target[t->pair.i[row]], j = target[t->pair.j[row]];
        const abut_index image = t->pair.image[3 * row];
        if (i >= 0 && j >= 0) {
            to[count++] =
                i < j ? (renamed){i, j, image, row, 1.0} : (renamed){j, i, -image, row, -1.0};
        }
    }
    qsort(to, (size_t)count, sizeof *to, compare);
    return count;
}

static void check_pairs(const interaction_table *t, const renamed *expected, abut_index count)
{
    CHECK_INT(t->count, count);
    for (abut_index row = 0; row < count; row++) {
        const renamed *r = &expected[row];
        CHECK_INT(t->pair.i[row], r->i);
        CHECK_INT(t->pair.j[row], r->j);
        CHECK_INT(t->pair.image[3 * row], r->image);
        CHECK(t->pair.overlap[row] == (double)r->row);
        CHECK(t->pair.normal[3 * row + 1] == r->sign * (double)(r->row + 1));
        const double *kept = table_kept(t, row);
        CHECK(kept[2] == r->sign * (double)(r->row + 1));
        CHECK(t->moment[3 * row] == r->sign && kept[3] == r->sign && kept[8] == r->sign);
        CHECK(kept[9] == 1.0 && kept[11] == 1.0);
        CHECK(t->force[3 * row] == r->sign * (double)(r->row + 2));
        CHECK(t->pair.offsets[r->i] <= row && row < t->pair.offsets[r->i + 1]);
    }
}

/* Draws new numbers and removes some spheres; returns how many remain. */
static abut_index draw_numbers(int32_t target[SPHERES])
{
    int32_t kept = 0;
    for (int k = 0; k < SPHERES; k++) {
        const int at = draw_below(k + 1);
        target[k] = target[at];
        target[at] = k;
    }
    for (int k = 0; k < SPHERES; k++) {
        target[k] = target[k] < SPHERES - 2 ? target[k] : -1;
        kept += target[k] >= 0;
    }
    return kept;
}

static void check_that_pairs_follow(void)
{
    interaction_table t = {.kind = ABUT_SPHERE_SPHERE}, to = {.kind = ABUT_SPHERE_SPHERE};
    int32_t target[SPHERES];
    renamed expected[MOST_ROWS];
    draw_pairs(&t);
    const renumbering by = {target, target, draw_numbers(target)};
    const abut_index count = rename_all(&t, target, expected);
    bool has_failed = true;
    for (long call = 1; has_failed; call++) {
        memory_fail_at(call);
        const abut_status status = table_renumber(&to, &t, &by, EXTRAS, 1);
        has_failed = memory_has_failed();
        memory_fail_at(0);
        CHECK_INT(status, has_failed ? ABUT_NO_MEMORY : ABUT_OK);
    }
    check_pairs(&to, expected, count);
    table_free(&to);
    table_free(&t);
}

/* ---- contacts ---- */

/* Fills a table: sphere k has k rows, and its n-th row has n nodes, all with different numbers. */
static void fill_contacts(interaction_table *t)
{
    CHECK_INT(table_reserve(t, (table_size){SPHERES * SPHERES, MOST_ROWS * SPHERES, SPHERES},
                            (table_extras){.layout = {{0, 3, 3, 3, 4, 6}}}),
              ABUT_OK);
    for (abut_index sphere = 0; sphere < SPHERES; sphere++) {
        for (abut_index n = 0; n < sphere; n++) {
            t->contact.sphere[t->count] = sphere;
            t->contact.facet[t->count] = n;
            for (abut_index node = 0; node < n; node++) {
                t->contact.node[t->entry_count++] = 100 * sphere + n;
            }
            for (int k = 0; k < 6; k++) {
                table_kept(t, t->count)[k] = (double)(k + 1);
            }
            t->contact.node_offsets[++t->count] = t->entry_count;
        }
    }
}

/* Reverses the spheres and removes the last one. New columns, for rolling and a vector, are zero.
 */
static void check_that_contacts_follow(void)
{
    interaction_table t = {.kind = ABUT_SPHERE_WALL}, to = {.kind = ABUT_SPHERE_WALL};
    int32_t target[SPHERES];
    fill_contacts(&t);
    for (int32_t k = 0; k < SPHERES; k++) {
        target[k] = SPHERES - 2 - k;
    }
    const renumbering by = {target, NULL, SPHERES - 1};
    CHECK_INT(table_renumber(&to, &t, &by, EXTRAS, 1), ABUT_OK);
    for (abut_index sphere = 0; sphere < SPHERES - 1; sphere++) {
        const abut_index old = SPHERES - 2 - sphere, first = to.contact.offsets[sphere];
        CHECK_INT(to.contact.offsets[sphere + 1] - first, old);
        for (abut_index row = first; row < first + old; row++) {
            const abut_index n = row - first, node = to.contact.node_offsets[row];
            CHECK_INT(to.contact.sphere[row], sphere);
            CHECK_INT(to.contact.facet[row], n);
            CHECK_INT(to.contact.mesh[row] + to.contact.image[3 * row], 0);
            CHECK_INT(to.contact.node_offsets[row + 1] - node, n);
            CHECK(n == 0 || to.contact.node[node] == 100 * old + n);
            const double *kept = table_kept(&to, row);
            CHECK(kept[0] == 1.0 && kept[2] == 3.0 && kept[9] == 4.0 && kept[11] == 6.0);
            CHECK(kept[3] == 0.0 && kept[6] == 0.0);
        }
    }
    CHECK_INT(to.contact.offsets[SPHERES - 1], to.count);
    table_free(&to);
    table_free(&t);
}

/* ---- memory ---- */

/* Columns keep their memory while it is large enough; a change of columns reserves it again. */
static void check_that_room_is_kept(void)
{
    interaction_table t = {.kind = ABUT_BODY_WALL};
    const table_extras without = {.layout = {{0, 3, 3, 3, 3, 3}}};
    CHECK_INT(table_reserve(&t, (table_size){40, 160, 8}, without), ABUT_OK);
    CHECK(t.body.mesh && t.power && t.row_match && !t.body.j && !t.body.offsets);
    CHECK(!t.body.image && !t.moment && !t.body.before);
    const double *spots = t.body.spot;
    memory_fail_at(1);
    CHECK_INT(table_reserve(&t, (table_size){39, 158, 8}, without), ABUT_OK);
    memory_fail_at(0);
    CHECK(t.body.spot == spots);
    CHECK_INT(table_reserve(&t, (table_size){39, 158, 8}, EXTRAS), ABUT_OK);
    CHECK(t.body.image && t.history && t.moment);
    CHECK_INT((uintptr_t)t.effects % MEMORY_LINE, 0);
    table_free(&t);
    CHECK_INT(t.kind, ABUT_BODY_WALL);
}

void test_table(void)
{
    const long live = memory_live_count();
    state = 7;
    for (int k = 0; k < 50; k++) {
        check_that_pairs_follow();
    }
    check_that_contacts_follow();
    check_that_room_is_kept();
    CHECK_INT(memory_live_count(), live);
}
