/* Projected Gauss-Seidel sweeps for the loads that contacts share (R. W. Cottle, J.-S. Pang, R. E.
 * Stone, "The Linear Complementarity Problem", section 5.3, with symmetric G). */
#include "relaxation.h"

static double force_left_over(abut_index count, const vec3 *normals, const double *forces,
                              const double *loads, abut_index contact)
{
    double rest = forces[contact];
    for (abut_index k = 0; k < count; k++) {
        if (k != contact && loads[k] > 0.0) {
            rest -= coupling(normals[contact], normals[k]) * loads[k];
        }
    }
    return rest > 0.0 ? rest : 0.0;
}

/* Gives by how much a load changed, at most. */
static double sweep(abut_index count, const vec3 *normals, const double *forces, double *loads)
{
    double most = 0.0;
    for (abut_index i = 0; i < count; i++) {
        const double load = force_left_over(count, normals, forces, loads, i);
        most = larger(most, fabs(load - loads[i]));
        loads[i] = load;
    }
    return most;
}

/* So many couplings are looked at in a second or so. */
#define MOST_COUPLINGS 1e9

abut_status relax_loads(abut_index count, const vec3 *normals, const double *forces, double *loads,
                        parallel_job *job)
{
    const double couplings = (double)count * (double)count;
    double change = INFINITY;
    abut_status status = ABUT_OK;
    for (int k = 0; !status && k < RELAXATION_SWEEPS && k * couplings <= MOST_COUPLINGS &&
                    change > SATISFIED_WITHIN;
         k++) {
        change = sweep(count, normals, forces, loads);
        status = job ? parallel_report(job, 1 + count * count / 8) : ABUT_OK;
    }
    return status;
}
