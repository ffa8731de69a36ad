"""Coordinates from text: values, and the noise that their digits leave."""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io.digits import Coordinates, count_digits

FORMATS = ["%.6f", "%.3f", "%g", "%.9g", "%.17g", "%e", "%.10E", "%.0f", "%+.4f", "%r"]


def coordinates(*lines):
    found = Coordinates("file, line ")
    for number, line in enumerate(lines, 1):
        found.add(line.encode().split(), number)
    return found.finish()


def truth(word):
    """Decimals as written, significant digits and exponent of a number, by its characters."""
    mantissa, _, exponent = word.lower().partition("e")
    digits = mantissa.lstrip("+-").replace(".", "")
    return len(mantissa.partition(".")[2]), len(digits.lstrip("0")), int(exponent or 0)


@given(st.lists(st.tuples(st.floats(-1e12, 1e12), st.sampled_from(FORMATS)), min_size=1))
def test_digits_are_counted_as_they_are_written(numbers):
    words = [form % number for number, form in numbers]
    found = np.transpose(count_digits([word.encode() for word in words]))
    assert found.tolist() == [list(truth(word)) for word in words]


@given(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=30), st.integers(6, 16))
def test_the_unit_is_the_last_digit_that_was_written(numbers, digits):
    words = [f"{number:.{digits}e}" for number in numbers[: len(numbers) // 3 * 3]]
    vertices, units = coordinates(*(" ".join(words[i : i + 3]) for i in range(0, len(words), 3)))
    significant = max(truth(word)[1] for word in words)
    if significant < 5 or significant >= 17:
        assert units is None
        return
    for word, value, unit in zip(words, vertices.ravel(), units.ravel(), strict=True):
        assert value == float(word)
        last_digit = float(Decimal(1).scaleb(Decimal(word).adjusted() - digits)) if value else 0.0
        assert unit >= last_digit * (1 - 1e-9)


def test_decimals_bound_the_unit_from_below():
    # 9 significant digits of the largest, but all have only 6 decimals
    _, units = coordinates("143.125417 0.001234 -12.5")
    np.testing.assert_allclose(units, [[1e-6, 1e-6, 1e-6]])


def test_float32_numbers_that_are_written_out_keep_the_noise_of_float32():
    values = np.float32([143.12541, -0.012345679, 17.3]).astype(float)
    _, units = coordinates(" ".join(f"{value:.9g}" for value in values))
    np.testing.assert_array_equal(units[0], np.spacing(np.abs(values).astype(np.float32)))
    # and nine digits of numbers that are not float32 do not
    _, units = coordinates("143.125412 -0.0123456712 17.3456789")
    np.testing.assert_allclose(units, [[1e-6, 1e-10, 1e-7]])


@pytest.mark.parametrize(
    "line",
    [
        "0 1 -1",  # a box by hand
        "1.0 0.0 -1.0",
        "0.25 1 12.5",
        "1e3 2.5e-2 0",
        "0.125 0.250 0.375",  # a thousandth of the size is no rounding
        "12345 0 100",
        "0.1234567890123456789 0 1",  # more than float64 holds
        "0 0 0",
    ],
)
def test_short_numbers_are_exact(line):
    assert coordinates(line)[1] is None


def test_trailing_zeros_tell_that_numbers_were_rounded():
    _, units = coordinates("1.250 0.333 2.000")
    np.testing.assert_allclose(units, [[1e-3, 1e-3, 1e-3]])
    _, units = coordinates("1.250e+00 3.333e-01 2.000e-05")
    np.testing.assert_allclose(units, [[1e-3, 1e-4, 1e-8]])


def test_a_tilted_plane_in_six_digits_is_one_plane(tmp_path):
    rng = np.random.default_rng(5)
    count = 12
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(count), np.arange(count)))
    flat = np.stack([x, y, 0.0 * x], axis=1) + 0.3 * rng.random((count**2, 3)) * [1, 1, 0]
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    vertices = flat @ turn.T
    corner = (x + count * y).reshape(count, count)[:-1, :-1].ravel()
    facets = np.stack([corner, corner + 1, corner + count + 1, corner + count], axis=1)
    triangles = np.concatenate([facets[:, :3], facets[:, [0, 2, 3]]])
    path = tmp_path / "plane.obj"
    lines = ["v {:.6g} {:.6g} {:.6g}".format(*vertex) for vertex in vertices]
    path.write_text("\n".join(lines + ["f {} {} {}".format(*(t + 1)) for t in triangles]))
    centers = flat[rng.integers(0, len(flat), 500)] * 0.8 + [1, 1, 0.2]
    contacts = abut.find_contacts(centers @ turn.T, 0.25, abut.read_mesh(path))
    assert (contacts.counts == 1).all()
    rounded = abut.find_contacts(
        centers @ turn.T, 0.25, abut.read_mesh(path, noise=0.0)
    )  # the noise is what makes it one
    assert (rounded.counts > 1).any()


@pytest.mark.parametrize("word", ["abc", "1.0.0", "nan", "-inf", "1e999", "--1", "0x10"])
def test_the_first_word_that_is_no_finite_number_is_named(word):
    with pytest.raises(ValueError, match="file, line 2: "):
        coordinates("0 0 0", f"1 {word} 2", "also bad here")
