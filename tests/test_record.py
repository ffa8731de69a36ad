"""Values that a simulation writes down, and their tables."""

import pickle

import numpy as np
import pytest

import abut


def recorded(value, steps=4):
    sim = abut.Simulation(step=0.5)
    record = sim.record(1.0, value)
    sim.run(steps=steps)
    return record


def test_values_are_copies():
    array = np.zeros(3)

    def value(sim):
        array[0] += 1
        return array

    record = recorded(value)
    assert record.times.tolist() == [1.0, 2.0]
    assert record.values.tolist() == [[1, 0, 0], [2, 0, 0]]
    record.values[:] = 9
    assert record.values[0, 0] == 1 and len(record) == 2


def test_a_record_that_is_empty(tmp_path):
    record = recorded(lambda s: 1.0, steps=1)
    assert len(record.times) == len(record.values) == len(record) == 0
    assert repr(record) == "Record(no values yet)"
    record.save(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "time,value\n"


@pytest.mark.parametrize(
    ("value", "head", "row"),
    [
        (lambda s: s.step_count, "time,value", "2.0,4"),
        (lambda s: [s.time / 3, 7], "time,value_0,value_1", f"2.0,{2 / 3!r},7.0"),
        (
            lambda s: np.eye(2, dtype=int),
            "time,value_0_0,value_0_1,value_1_0,value_1_1",
            "2.0,1,0,0,1",
        ),
    ],
)
def test_table(tmp_path, value, head, row):
    record = recorded(value)
    record.save(tmp_path / "a.CSV")
    lines = (tmp_path / "a.CSV").read_text().split("\n")
    assert lines[0] == head and lines[2] == row and lines[3:] == [""]
    assert repr(record) == "Record(2 values, times 1 to 2)"


def test_values_of_different_shapes(tmp_path):
    record = recorded(lambda s: np.zeros(s.step_count))
    assert [value.tolist() for value in record.values] == [[0, 0], [0, 0, 0, 0]]
    record.values[0][:] = 9
    assert record.values[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"different shapes, such as \(2,\) and \(4,\)"):
        record.save(tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


def test_a_copy_belongs_to_no_simulation():
    record = pickle.loads(pickle.dumps(recorded(lambda s: s.step_count)))
    record.remove()
    assert record.values.tolist() == [2, 4]


def test_a_callable_without_a_value():
    with pytest.raises(TypeError, match="the callable of record returned None, but must return a"):
        recorded(lambda s: None)


def test_other_endings(tmp_path):
    with pytest.raises(ValueError, match=r"a\.txt must end in \.csv"):
        recorded(lambda s: 1).save(tmp_path / "a.txt")
