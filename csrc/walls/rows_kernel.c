/* Normals, overlaps and tilts of contacts. */
#include "../base/lanes_kernel.h"
#include "../base/simd.h"
#include "../mesh/tolerance.h"
#include "kernels.h"

/* Loads records of contacts side by side. */
LANES_INLINE void load_contacts(const contact *items, lanes columns[CONTACT_DOUBLES])
{
    const double *rows[LANES];
    for (int k = 0; k < LANES; k++) {
        rows[k] = &items[k].offset.x;
    }
    lanes_transpose_all(rows, CONTACT_DOUBLES, columns);
}

/* The angle by which noise may tilt a contact's normal, like a bump (docs/method.md, section 3). */
LANES_INLINE lanes tilt_of(lanes normal_noise, lanes distance, double flat_angle)
{
    const lanes half_turn = lanes_set(PI);
    lanes noise = lanes_set(TILT_FROM_NORMAL_NOISE) * lanes_sqrt(normal_noise / distance);
    /* at distance 0 this may be no number, and half a turn is right: any direction is as good */
    return lanes_larger(lanes_smaller(noise, half_turn), lanes_set(flat_angle));
}

/* Measures as many contacts as there are lanes. */
LANES_INLINE bool measure(const contact *items, const measures *to)
{
    lanes columns[CONTACT_DOUBLES], normal[3];
    load_contacts(items, columns);
    lanes distance = columns[CONTACT_DISTANCE], inv_distance = lanes_set(1.0) / distance;
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = columns[CONTACT_OFFSET + axis] * inv_distance;
    }
    lanes_store_points(to->normal, normal);
    lanes_store(to->overlap, columns[CONTACT_OVERLAP]);
    lanes_store(to->tilt, tilt_of(columns[CONTACT_NOISE], distance, to->flat_angle));
    return mask_bits(lanes_less(distance, lanes_set(AT_CENTER))) == 0;
}

/* Measures fewer contacts than there are lanes, without reading or writing beyond them. */
static bool measure_rest(const contact *items, abut_index count, const measures *to)
{
    contact all[LANES];
    double normal[3 * LANES], overlap[LANES], tilt[LANES];
    const measures first = {normal, overlap, tilt, to->flat_angle};
    for (abut_index k = 0; k < LANES; k++) {
        all[k] = items[k < count ? k : 0];
    }
    bool is_complete = measure(all, &first);
    const size_t size = (size_t)count * sizeof(double);
    memcpy(to->normal, normal, 3 * size);
    memcpy(to->overlap, overlap, size);
    memcpy(to->tilt, tilt, size);
    return is_complete;
}

bool KERNEL(rows_measure)(const contact *items, abut_index count, const measures *to)
{
    bool is_complete = true;
    for (abut_index i = 0; i < count; i += LANES) {
        const measures from_i = {to->normal + 3 * i, to->overlap + i, to->tilt + i, to->flat_angle};
        is_complete &= i + LANES <= count ? measure(items + i, &from_i)
                                          : measure_rest(items + i, count - i, &from_i);
    }
    return is_complete;
}
