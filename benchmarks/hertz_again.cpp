/* Hertz' law with Mindlin's friction as a user law; it stores the tangential spring and the
 * overlap. */
#include <abut_law.h>
#include <cmath>

/* Positions of the law's parameters. */
enum { ELASTIC, SHEAR, NORMAL_DAMPING, SHEAR_DAMPING, FRICTION };

struct vector {
    double x, y, z;
};

static vector load(const double *columns, int64_t k)
{
    return vector{columns[k], columns[ABUT_LAW_ROWS + k], columns[2 * ABUT_LAW_ROWS + k]};
}

static void store(double *columns, int64_t k, vector v)
{
    columns[k] = v.x, columns[ABUT_LAW_ROWS + k] = v.y, columns[2 * ABUT_LAW_ROWS + k] = v.z;
}

/* a v - b w */
static vector less(double a, vector v, double b, vector w)
{
    return vector{a * v.x - b * w.x, a * v.y - b * w.y, a * v.z - b * w.z};
}

static vector cut(vector v, double limit)
{
    const double length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    const double part = length > limit ? limit / length : 1.0;
    return vector{v.x * part, v.y * part, v.z * part};
}

extern "C" void hertz_again(const abut_law_block *b)
{
    const double *p = b->parameters;
#pragma GCC ivdep /* columns do not overlap in memory */
    for (int64_t k = 0; k < b->count; k++) {
        const double overlap = b->overlap[k] > 0.0 ? b->overlap[k] : 0.0;
        const double measure = std::sqrt(b->radius[k] * overlap),
                     root = std::sqrt(measure * b->mass[k]);
        const double force =
            p[ELASTIC] * measure * overlap - p[NORMAL_DAMPING] * root * b->parting[k];
        const double push = force > 0.0 ? force : 0.0, limit = p[FRICTION] * push;
        const double old = b->history_in[3 * ABUT_LAW_ROWS + k];
        const double part = overlap < old ? std::sqrt(overlap / old) : 1.0;
        const double stiffness = p[SHEAR] * measure;
        const vector sliding = load(b->sliding, k);
        const vector grown = less(part, load(b->history_in, k), stiffness * b->step, sliding);
        const vector spring = cut(grown, limit);
        store(b->tangent, k, cut(less(1.0, spring, p[SHEAR_DAMPING] * root, sliding), limit));
        const double square = spring.x * spring.x + spring.y * spring.y + spring.z * spring.z;
        b->push[k] = push;
        b->stored[k] = 0.4 * p[ELASTIC] * measure * overlap * overlap +
                       (stiffness > 0.0 ? 0.5 * square / stiffness : 0.0);
        store(b->history_out, k, spring);
        b->history_out[3 * ABUT_LAW_ROWS + k] = overlap;
    }
}
