/* Lemke's method with lexicographic pivoting (R. W. Cottle, J.-S. Pang, R. E. Stone, "The Linear
 * Complementarity Problem", section 4.4 and 4.9).
 *
 * w = G f - F is written as w - G f - e z = -F with an artificial variable z that is large enough
 * to make all w positive. From there on the variable enters whose complement has just left, until z
 * itself leaves. Ties are broken by the rows of the basis' inverse, so no basis comes twice; and
 * since G is strictly copositive there is no ray to run off on. */
#include "lemke.h"

#include <math.h>
#include <stdbool.h>

#include "../base/memory.h"
#include "../mesh/tolerance.h"

/* Rounding could undo what the lexicographic order promises. The method takes about two pivots a
 * contact; far beyond that it stops where it is. */
enum { PIVOTS_AT_LEAST = 200, PIVOTS_EACH = 20 };

/* Each makes what the tableau has lost to rounding smaller by some digits. */
enum { REFINEMENTS = 3 };

void lemke_free(lemke *l)
{
    memory_free(l->matrix);
    memory_free(l->basis);
    *l = (lemke){0};
}

abut_status lemke_reserve(lemke *l, abut_index count)
{
    /* one block: the matrix, force, solution, the tableau */
    abut_index numbers = count * count + 2 * count + count * (2 * count + 2);
    double *block = memory_grow(l->matrix, numbers, &l->number_capacity, sizeof *block);
    if (!block) {
        return ABUT_NO_MEMORY;
    }
    l->matrix = block;
    abut_index *basis = memory_grow(l->basis, count, &l->basis_capacity, sizeof *basis);
    if (!basis) {
        return ABUT_NO_MEMORY;
    }
    l->basis = basis;
    l->count = count;
    l->force = l->matrix + count * count;
    l->solution = l->force + count;
    l->tableau = l->solution + count;
    return ABUT_OK;
}

/* ---- the tableau's columns ---- */

static abut_index column_count(const lemke *l)
{
    return 2 * l->count + 2;
}

static double *row_of(const lemke *l, abut_index row)
{
    return l->tableau + row * column_count(l);
}

static abut_index column_of_w(abut_index i)
{
    return 1 + i;
}

static abut_index column_of_f(const lemke *l, abut_index i)
{
    return 1 + l->count + i;
}

static abut_index artificial_column(const lemke *l)
{
    return 2 * l->count + 1;
}

static abut_index complement_of(const lemke *l, abut_index column)
{
    return column <= l->count ? column + l->count : column - l->count;
}

/* ---- pivots ---- */

static void fill_tableau(lemke *l)
{
    for (abut_index i = 0; i < l->count; i++) {
        double *row = row_of(l, i);
        row[0] = -l->force[i];
        for (abut_index k = 0; k < l->count; k++) {
            row[column_of_w(k)] = i == k ? 1.0 : 0.0;
            row[column_of_f(l, k)] = -l->matrix[i * l->count + k];
        }
        row[artificial_column(l)] = -1.0;
    }
}

static void subtract_row(double *from, const double *row, double factor, abut_index count)
{
    for (abut_index k = 0; k < count; k++) {
        from[k] -= factor * row[k];
    }
}

/* Make the column a unit vector, by Gauss-Jordan elimination. */
static void eliminate(lemke *l, abut_index row, abut_index column)
{
    abut_index columns = column_count(l);
    double *pivot_row = row_of(l, row), pivot = pivot_row[column];
    for (abut_index k = 0; k < columns; k++) {
        pivot_row[k] /= pivot;
    }
    for (abut_index i = 0; i < l->count; i++) {
        double *other = row_of(l, i);
        if (i != row && other[column] != 0.0) {
            subtract_row(other, pivot_row, other[column], columns);
            other[column] = 0.0;
        }
    }
}

/* Of the rows from `first` on the one with the largest number in the column comes first. */
static void bring_up_largest(lemke *l, abut_index first, abut_index column)
{
    abut_index largest = first;
    for (abut_index i = first + 1; i < l->count; i++) {
        if (fabs(row_of(l, i)[column]) > fabs(row_of(l, largest)[column])) {
            largest = i;
        }
    }
    double *a = row_of(l, first), *b = row_of(l, largest);
    for (abut_index k = 0; a != b && k < column_count(l); k++) {
        double number = a[k];
        a[k] = b[k], b[k] = number;
    }
}

/* The column enters the basis in this row; returns the one that leaves. The tableau is made afresh:
 * rounding that adds up from pivot to pivot ends in sets that come again, where contacts are nearly
 * coplanar. */
static abut_index exchange(lemke *l, abut_index row, abut_index column)
{
    abut_index leaving = l->basis[row];
    l->basis[row] = column;
    fill_tableau(l);
    for (abut_index i = 0; i < l->count; i++) {
        bring_up_largest(l, i, l->basis[i]);
        eliminate(l, i, l->basis[i]);
    }
    return leaving;
}

/* The row that the artificial variable enters: the largest force, of equal ones the last, which is
 * the smallest of the rows (-F, unit vector) in lexicographic order. */
static abut_index first_row(const lemke *l)
{
    abut_index first = 0;
    for (abut_index i = 1; i < l->count; i++) {
        if (l->force[i] >= l->force[first]) {
            first = i;
        }
    }
    return first;
}

/* Whether row a blocks the entering column before row b does. */
static bool blocks_before(const lemke *l, abut_index a, abut_index b, abut_index column)
{
    const double *row_a = row_of(l, a), *row_b = row_of(l, b);
    for (abut_index k = 0; k <= l->count; k++) {
        double ratio_a = row_a[k] / row_a[column], ratio_b = row_b[k] / row_b[column];
        if (ratio_a != ratio_b) {
            return ratio_a < ratio_b;
        }
        /* of several that reach zero at once the artificial one is the one to be rid of */
        if (l->basis[a] == artificial_column(l) || l->basis[b] == artificial_column(l)) {
            return l->basis[a] == artificial_column(l);
        }
    }
    return false;
}

/* The row that reaches zero first when the column enters, or -1. */
static abut_index blocking_row(const lemke *l, abut_index column)
{
    double largest = 0.0;
    for (abut_index i = 0; i < l->count; i++) {
        largest = fmax(largest, fabs(row_of(l, i)[column]));
    }
    abut_index first = -1;
    for (abut_index i = 0; i < l->count; i++) {
        if (row_of(l, i)[column] > LEMKE_ZERO * largest &&
            (first < 0 || blocks_before(l, i, first, column))) {
            first = i;
        }
    }
    return first;
}

static abut_status pivot_until_solved(lemke *l, parallel_job *job)
{
    for (abut_index i = 0; i < l->count; i++) {
        l->basis[i] = column_of_w(i);
    }
    abut_index leaving = exchange(l, first_row(l), artificial_column(l));
    abut_index pivots_left = PIVOTS_AT_LEAST + PIVOTS_EACH * l->count;
    while (leaving != artificial_column(l) && pivots_left-- > 0) {
        abut_index entering = complement_of(l, leaving);
        abut_index row = blocking_row(l, entering);
        if (row < 0) {
            break; /* a ray, which only rounding can bring about */
        }
        leaving = exchange(l, row, entering);
        abut_index work = 1 + l->count * l->count * l->count / 8;
        abut_status status = job ? parallel_report(job, work) : ABUT_OK;
        if (status) {
            return status;
        }
    }
    return ABUT_OK;
}

/* ---- the solution ---- */

/* What row i of G f - w - e z = F is off by. */
static double defect(const lemke *l, abut_index i)
{
    double sum = l->force[i];
    for (abut_index row = 0; row < l->count; row++) {
        abut_index column = l->basis[row];
        if (column == column_of_w(i)) {
            sum += row_of(l, row)[0];
        } else if (column == artificial_column(l)) {
            sum -= row_of(l, row)[0];
        } else if (column > l->count) {
            sum -= l->matrix[i * l->count + column - column_of_f(l, 0)] * row_of(l, row)[0];
        }
    }
    return sum;
}

/* The tableau holds the inverse of the basis: what its pivots have lost can be won back. */
static void refine(lemke *l)
{
    double *defects = l->solution; /* not yet in use */
    for (abut_index i = 0; i < l->count; i++) {
        defects[i] = defect(l, i);
    }
    for (abut_index row = 0; row < l->count; row++) {
        double *numbers = row_of(l, row);
        for (abut_index i = 0; i < l->count; i++) {
            numbers[0] -= numbers[column_of_w(i)] * defects[i];
        }
    }
}

static void read_solution(lemke *l)
{
    for (abut_index i = 0; i < l->count; i++) {
        l->solution[i] = 0.0;
    }
    for (abut_index row = 0; row < l->count; row++) {
        abut_index column = l->basis[row];
        if (column > l->count && column != artificial_column(l)) {
            l->solution[column - column_of_f(l, 0)] = fmax(row_of(l, row)[0], 0.0);
        }
    }
}

abut_status lemke_solve(lemke *l, parallel_job *job)
{
    fill_tableau(l);
    abut_status status = pivot_until_solved(l, job);
    if (status) {
        return status;
    }
    for (int i = 0; i < REFINEMENTS; i++) {
        refine(l);
    }
    read_solution(l);
    return ABUT_OK;
}
