"""Arithmetic that gives the same bits on every machine.

NumPy's matrix products, powers, angles and roots, and those of `math`, use libraries that choose
their code by the processor. The functions here consist of +, -, *, / and square roots, which IEEE
754 rounds exactly, in a fixed order. NumPy's sums have the same order on every processor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Doubles

# pi / 2 in three parts; multiples of the first two are exact (Cody and Waite)
_QUARTER = tuple(
    map(float.fromhex, ("0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"))
)

# Number of terms after which the rest of a series is below 2^-53: for sine and cosine up to pi / 4,
# and for the arc tangent up to tan(pi / 16).
_TURN_TERMS, _ARC_TERMS = 9, 13

# ln 2 in two parts; multiples of the first one by exponents of doubles are exact
_LN2 = tuple(map(float.fromhex, ("0x1.62e42fefap-1", "0x1.cf79abc9e3b3ap-40")))

# Number of terms after which the rest of a series is below 2^-53: for the logarithm of 1 / sqrt(2)
# to sqrt(2), and for powers of e from -ln(2) / 2 to ln(2) / 2.
_LOG_TERMS, _POWER_TERMS = 11, 15

# Largest number of rounds of Jacobi's method. It converges quadratically, and no matrix that was
# tried took more than 5. Only a 3 x 3 matrix that is not finite reaches this number.
_ROUNDS = 30

# An entry off the diagonal counts as 0 if it is less than this fraction of the geometric mean of
# the two diagonal entries in its row and column.
_DIAGONAL = 2.0**-53


def lengths(vectors: Doubles) -> Doubles:
    """The lengths of vectors (..., n)."""
    return np.sqrt(dots(vectors, vectors))


def unit_and_length(vector: Sequence[float]) -> tuple[tuple[float, float, float], float]:
    """The direction of a vector of three numbers, which are not all 0, and its length."""
    # divide by the largest entry first, because squares may overflow
    largest = max(map(abs, vector))
    x, y, z = (entry / largest for entry in vector)
    length = math.sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length), largest * length


def dots(a: Doubles, b: Doubles) -> Doubles:
    """The scalar products of vectors (..., n)."""
    return (a * b).sum(axis=-1)


def matrix_product(a: Doubles, b: Doubles) -> Doubles:
    """The product of two matrices, (m, n) and (n, k)."""
    return sum((a[:, j, None] * b[j] for j in range(1, len(b))), a[:, 0, None] * b[0])


def sine_cosine(angles: ArrayLike) -> tuple[Any, Any]:
    """Sines and cosines of angles, with an error of about one unit in the last place."""
    rest = np.asarray(angles, np.float64)
    turns = np.rint(rest / (0.5 * math.pi))
    for part in _QUARTER:
        rest = rest - turns * part
    square = rest * rest
    sine = cosine = np.ones(())
    # x (1 - x^2 / (2 * 3) (1 - x^2 / (4 * 5) (1 - ...))), and the same form for the cosine
    for k in range(2 * _TURN_TERMS, 0, -2):
        sine = 1.0 - square * sine / (k * (k + 1))
        cosine = 1.0 - square * cosine / (k * (k - 1))
    sine = rest * sine
    quarter = turns % 4
    is_odd = quarter % 2 == 1
    return (
        np.where(is_odd, cosine, sine) * np.where(quarter >= 2, -1.0, 1.0),
        np.where(is_odd, sine, cosine) * np.where((quarter == 1) | (quarter == 2), -1.0, 1.0),
    )


def arc_tangent(y: Doubles, x: Doubles) -> Doubles:
    """Angles from -pi to pi of points (x, y), with an error of some units in the last place."""
    high, low = np.maximum(abs(x), abs(y)), np.minimum(abs(x), abs(y))
    ratio = np.divide(low, high, out=np.zeros(np.shape(low)), where=high > 0)
    # halve the angle twice; the ratio is the tangent of the angle
    for _ in range(2):
        ratio = ratio / (1.0 + np.sqrt(1.0 + ratio * ratio))
    square = ratio * ratio
    series = np.zeros(())
    for k in range(_ARC_TERMS, 0, -1):
        series = 1.0 / (2 * k - 1) - square * series
    angle = 4.0 * (ratio * series)
    angle = np.where(abs(y) > abs(x), 0.5 * math.pi - angle, angle)
    angle = np.where(x < 0, math.pi - angle, angle)
    return np.copysign(angle, y)


def arc_cosine(cosines: Doubles) -> Doubles:
    """The angles from 0 to pi with these cosines; exactly 0 for 1, and pi for -1."""
    # twice the angle of the half-angle formula, where 1 - c and 1 + c are exact near the ends
    return 2.0 * arc_tangent(np.sqrt(1.0 - cosines), np.sqrt(1.0 + cosines))


def logarithm(x: ArrayLike) -> Any:
    """Natural logarithms of positive, finite numbers, with an error of some units in the last
    place."""
    fraction, exponent = np.frexp(np.asarray(x, np.float64))
    is_low = fraction < math.sqrt(0.5)
    fraction = np.where(is_low, 2.0 * fraction, fraction)
    exponent = exponent - is_low
    # ln x = 2 artanh(r) with r = (x - 1) / (x + 1)
    ratio = (fraction - 1.0) / (fraction + 1.0)
    square = ratio * ratio
    series = np.zeros(())
    for k in range(_LOG_TERMS, 0, -1):
        series = 1.0 / (2 * k - 1) + square * series
    return exponent * _LN2[0] + (exponent * _LN2[1] + 2.0 * (ratio * series))


def power_of_e(x: ArrayLike) -> Any:
    """e to the power of numbers from -700 to 700, with an error of some units in the last place."""
    numbers = np.asarray(x, np.float64)
    exponent = np.rint(numbers / (_LN2[0] + _LN2[1]))
    rest = (numbers - exponent * _LN2[0]) - exponent * _LN2[1]
    series = np.ones(())
    for k in range(_POWER_TERMS, 0, -1):
        series = 1.0 + rest * series / k
    return np.ldexp(series, exponent.astype(np.intc))


# ---- symmetric matrices --------------------------------------------------------------------------


def principal_axes(tensor: Doubles) -> tuple[Doubles, Doubles]:
    """Moments of a symmetric tensor (3, 3), smallest first, and its axes as right-handed columns.

    The largest entry of each of the first two axes is positive. Jacobi's rotations keep the digits
    of small moments (Golub and Van Loan, Matrix Computations, section 8.5).
    """
    matrix, axes = tensor.tolist(), np.eye(3).tolist()
    for _ in range(_ROUNDS):
        if not sum(_turn_away(matrix, axes, p, q) for p, q in ((0, 1), (0, 2), (1, 2))):
            break
    moments = np.array([matrix[k][k] for k in range(3)])
    order = np.argsort(moments, kind="stable")
    return moments[order], _right_handed(np.array(axes)[:, order])


def _turn_away(matrix: list[list[float]], axes: list[list[float]], p: int, q: int) -> bool:
    """Rotate the axes p and q so that their common entry becomes 0. False if it was 0 already."""
    entry = matrix[p][q]
    if abs(entry) <= _DIAGONAL * math.sqrt(abs(matrix[p][p])) * math.sqrt(abs(matrix[q][q])):
        return False
    # the smaller root of t^2 + 2 t cot 2 a = 1, t = tan a
    cotangent = (matrix[q][q] - matrix[p][p]) / (2.0 * entry)
    tangent = math.copysign(1.0, cotangent) / (
        abs(cotangent) + math.sqrt(1.0 + cotangent * cotangent)
    )
    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
    sine = tangent * cosine
    matrix[p][p] -= tangent * entry
    matrix[q][q] += tangent * entry
    matrix[p][q] = matrix[q][p] = 0.0
    r = 3 - p - q
    of_p, of_q = matrix[r][p], matrix[r][q]
    matrix[r][p] = matrix[p][r] = cosine * of_p - sine * of_q
    matrix[r][q] = matrix[q][r] = sine * of_p + cosine * of_q
    for row in axes:
        row[p], row[q] = cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]
    return True


def _right_handed(axes: Doubles) -> Doubles:
    """Right-handed axes, as columns; the largest entry of each of the first two is positive."""
    largest = np.abs(axes).argmax(axis=0)
    axes = axes * np.sign(axes[largest, range(3)])
    axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    return axes
