/* What a query asks is checked, and how its reaches are distributed. */
#include "finder.h"

#include "../mesh/tolerance.h"
#include "kernels.h"

/* Larger exponents of a contact law than this are slips; powers of overlaps must not vanish. */
#define EXPONENT_LIMIT 10.0

/* So many radii tell how they are distributed. */
enum { RADIUS_SAMPLE = 2048 };

abut_query abut_query_default(void)
{
    return (abut_query){
        .resolution = ABUT_HIERARCHY, .exponent = 1.5, .weights = ABUT_WACHSPRESS, .workers = 1};
}

abut_status query_report(abut_error *error, abut_status status, abut_index index, abut_index detail,
                         double value)
{
    *error = (abut_error){.status = status, .index = index, .detail = detail, .value = value};
    return status;
}

abut_status query_find_bad_sphere(const abut_query *query, abut_error *error)
{
    for (abut_index i = 0; i < 3 * query->sphere_count; i++) {
        double x = query->centers[i];
        if (!isfinite(x)) {
            return query_report(error, ABUT_CENTER_NOT_FINITE, i / 3, i % 3, x);
        }
        if (fabs(x) > ABUT_COORDINATE_LIMIT) {
            return query_report(error, ABUT_CENTER_TOO_FAR, i / 3, i % 3, x);
        }
    }
    for (abut_index i = 0; i < query->sphere_count; i++) {
        double radius = query->radii[i];
        if (!(radius > 0.0 && radius <= ABUT_COORDINATE_LIMIT)) {
            return query_report(error, ABUT_BAD_RADIUS, i, 0, radius);
        }
    }
    return query_report(error, ABUT_INPUT_CHANGED, 0, 0, 0.0);
}

/* Eq. 28 is for quads, and triangles have but one choice. */
static abut_status check_weights(const abut_finder *finder, abut_index number,
                                 const abut_query *query, abut_error *error)
{
    const abut_mesh *mesh = finder->meshes[number].mesh;
    for (abut_index f = 0; query->weights == ABUT_ZHONG && f < mesh->view.facet_count; f++) {
        if (mesh_polygon(mesh, f).count > 4) {
            abut_index corners = mesh_polygon(mesh, f).count;
            return query_report(error, ABUT_BAD_WEIGHTS, f, corners, (double)number);
        }
    }
    return ABUT_OK;
}

static abut_status check_period(const abut_query *query, abut_error *error)
{
    for (int axis = 0; query->period && axis < 3; axis++) {
        double period = query->period[axis];
        if (!(period >= 0.0 && period <= ABUT_COORDINATE_LIMIT)) {
            return query_report(error, ABUT_BAD_PERIOD, axis, 0, period);
        }
    }
    return ABUT_OK;
}

static abut_status check_numbers(const abut_query *query, abut_error *error)
{
    if (!(query->gap >= 0.0 && query->gap <= ABUT_COORDINATE_LIMIT)) {
        return query_report(error, ABUT_BAD_GAP, 0, 0, query->gap);
    }
    if (!(query->flat_angle >= 0.0 && query->flat_angle < 0.5 * PI)) {
        return query_report(error, ABUT_BAD_FLAT_ANGLE, 0, 0, query->flat_angle);
    }
    if (!(query->exponent > 0.0 && query->exponent <= EXPONENT_LIMIT)) {
        return query_report(error, ABUT_BAD_EXPONENT, 0, 0, query->exponent);
    }
    return check_period(query, error);
}

abut_status query_check(const abut_finder *finder, const abut_query *query, abut_error *error)
{
    abut_status status = check_numbers(query, error);
    for (abut_index k = 0; !status && k < finder->mesh_count; k++) {
        status = check_weights(finder, k, query, error);
    }
    return status;
}

/* The last takes the rest: a reach, too, that has been changed since the smallest was found, and
 * may be less, or no number. */
static int64_t octave_of(const reach_profile *profile, double reach)
{
    const int64_t octave = (int64_t)ilogb(reach) - profile->first_octave;
    return (uint64_t)octave < REACH_OCTAVES ? octave : REACH_OCTAVES - 1;
}

bool query_profile(const abut_query *query, reach_profile *profile)
{
    double smallest, largest;
    *profile = (reach_profile){.sphere_count = query->sphere_count};
    if (query->sphere_count == 0) {
        return true;
    }
    if (!kernels_take()->query_radii(query->sphere_count, query->radii, &smallest, &largest)) {
        return false;
    }
    profile->smallest = smallest + query->gap;
    profile->largest = largest + query->gap;
    profile->first_octave = ilogb(profile->smallest);
    abut_index step = query->sphere_count / RADIUS_SAMPLE + 1;
    for (abut_index i = 0; i < query->sphere_count; i += step) {
        profile->counts[octave_of(profile, query->radii[i] + query->gap)]++;
    }
    return true;
}
