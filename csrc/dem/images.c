/* Images of grains: how many periods were subtracted from their positions. Counting them anew moves
 * no grain. Bonds refer to unwrapped centers, so their shifts change with the images. */
#include "energy.h"
#include "rigid_set.h"

/* Adds, with sign 1 or -1, the images of a bond's spheres to its shift. */
static void move_shift(const store *spheres, const int32_t rows[2], int32_t sign, int32_t shift[3])
{
    const int32_t *images_i = spheres->images + 3 * (abut_index)spheres->places[rows[0]],
                  *images_j = spheres->images + 3 * (abut_index)spheres->places[rows[1]];
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] += sign * (images_j[axis] - images_i[axis]);
    }
}

/* With sign 1, shifts become those between wrapped centers; with sign -1, between unwrapped ones
 * again. */
static void move_shifts(abut_simulation *s, int32_t sign)
{
    bond_set *b = &s->bonds;
    for (abut_index k = 0; k < b->count; k++) {
        move_shift(&s->store, b->bonds[k].rows, sign, b->bonds[k].shift);
    }
    for (abut_index k = 0; k < b->rest_count; k++) {
        move_shift(&s->store, b->rests[k].rows, sign, b->rests[k].shift);
    }
}

static void clear_rigids(abut_simulation *s, rigid_set *set)
{
    for (abut_index k = 0; k < set->count; k++) {
        memset(set->bodies[k].rigid.images, 0, sizeof set->bodies[k].rigid.images);
    }
    if (set == &s->clusters) {
        for (abut_index place = 0; place < s->store.count; place++) {
            if (simulation_is_member(s, place)) {
                memset(s->store.images + 3 * place, 0, 3 * sizeof *s->store.images);
            }
        }
    }
}

/* Gravitational energies: at the beginning of the last step, and now. */
typedef struct heights {
    double last, now;
} heights;

static heights heights_of(const abut_simulation *s)
{
    return (heights){abut_simulation_energy(s).gravitational,
                     energy_of_gravity(s, vec3_load(s->next.gravity))};
}

/* Clears images, and keeps the gravitational energy. images: those of spheres, or NULL. */
static void clear(abut_simulation *s, rigid_set *set, int32_t *images)
{
    const heights before = heights_of(s);
    move_shifts(s, 1);
    clear_rigids(s, set);
    if (images) {
        memset(images, 0, 3 * (size_t)s->store.count * sizeof *images);
    }
    move_shifts(s, -1);
    if (s->step_count > 0) {
        const heights after = heights_of(s);
        s->last.lift += before.last - after.last;
        s->next.lift += before.now - after.now;
    }
}

void abut_simulation_clear_images(abut_simulation *s)
{
    clear(s, &s->clusters, s->store.images);
}

void abut_simulation_clear_rigid_images(abut_simulation *s, abut_rigid_kind kind)
{
    clear(s, kind == ABUT_CLUSTERS ? &s->clusters : &s->solids, NULL);
}
