"""The cases of the nine-code benchmark, and their published numbers."""

import json

import numpy as np
import pytest

import abut
from benchmark_modules import imported

GRAINS = {"impact": 150, "drum": 1000, "silo": 400}


@pytest.fixture(scope="module")
def nine():
    names = ("nine_codes", "nine_codes_scenes", "nine_codes_contestants")
    with imported(names) as modules:
        yield modules


@pytest.fixture(scope="module")
def scenes(nine):
    return nine["nine_codes_scenes"]


@pytest.fixture(scope="module")
def cases(scenes, tmp_path_factory):
    """Soft and small cases, that have settled for a hundredth of a second."""
    folder, settling = tmp_path_factory.mktemp("states"), scenes.SETTLING
    scenes.SETTLING = 0.01
    yield {name: scenes.make(name, count, 100.0, folder) for name, count in GRAINS.items()}
    scenes.SETTLING = settling


def short(case, steps=20):
    return case._replace(steps=steps, samples=2)


@pytest.mark.parametrize("name", GRAINS)
def test_cases_have_their_spheres_inside_and_apart(cases, name):
    case = cases[name]
    assert len(case.centers) == GRAINS[name] + (name == "impact")
    low, high = (f(case.mesh.vertices, axis=0) for f in (np.min, np.max))
    assert np.all(case.centers > low) and np.all(case.centers < high)
    pairs = abut.find_pairs(case.centers, case.radii)
    assert pairs.overlap.max(initial=0.0) < 0.1 * case.radii.min()
    assert case.materials[-1] == "steel" and case.kinds.max() < len(case.materials)
    assert not case.velocities[case.kinds < len(case.materials) - 1].any()


@pytest.mark.parametrize("name", GRAINS)
def test_abut_runs_each_case(nine, cases, name):
    case = short(cases[name])
    run = nine["nine_codes_contestants"].run_abut(case)
    assert run.centers.shape == run.velocities.shape == (3, *case.centers.shape)
    np.testing.assert_array_equal(run.centers[0], case.centers)
    duration = case.step * case.steps
    moved = np.linalg.norm(run.centers[1:] - run.centers[:-1], axis=2)
    assert moved.max() < 1.5 * duration * np.linalg.norm(run.velocities, axis=2).max()


def test_a_dump_is_read_by_numbers(nine, cases, tmp_path):
    """Spheres in any order; one that has left is missing from then on."""
    case = cases["silo"]._replace(samples=1)
    count = len(case.radii)
    text = ""
    for step, numbers in ((0, range(count, 0, -1)), (20, range(1, count))):
        rows = [f"{k} {k} {2 * k} {step} 0.002 {-k} 0 1" for k in numbers]
        text += f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n{len(rows)}\n"
        text += "ITEM: BOX BOUNDS ff ff ff\n" + "-100 100\n" * 3
        text += "ITEM: ATOMS id x y z radius vx vy vz\n" + "\n".join(rows) + "\n"
    (tmp_path / "out.dump").write_text(text)
    run = nine["nine_codes_contestants"].read_dump(case, tmp_path / "out.dump", 1.0)
    np.testing.assert_array_equal(run.centers[0, :, 0], np.arange(1, count + 1))
    np.testing.assert_array_equal(run.velocities[1, :-1, 0], -np.arange(1.0, count))
    assert np.isnan(run.centers[1, -1]).all()
    with pytest.raises(RuntimeError, match="wrote 2 of 3 samples"):
        nine["nine_codes_contestants"].read_dump(
            case._replace(samples=2), tmp_path / "out.dump", 1.0
        )


def test_differences_beside_spreads(nine):
    series = {"abut": {"q": [0, 3]}, "one": {"q": [1, 3]}, "other": {"q": [3, 5]}}
    compared = nine["nine_codes"].compared
    expected = (np.sqrt((2**2 + 1) / 2), 2.0, 0.5)
    assert compared(series, "q") == pytest.approx(expected)
    assert compared({"abut": {"q": [0]}}, "q") is None
    lines = nine["nine_codes"].table(series, {"abut": [2.0], "one": [3.0], "other": [5.0]})
    assert lines[2] == "| q | 3 | 3 | 5 | 1.6 | 2 | 50% |"
    assert lines[4] == "| that by abut's | 1.00 | 1.50 | 2.50 |  |  |  |"


def test_the_command(nine, scenes, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(scenes, "SETTLING", 0.01)
    few = ["--grains", "120", "--softness", "1e4", "--samples", "1", "--rounds", "2"]
    nine["nine_codes"].main([*few, "--codes", "abut", "--results", str(tmp_path)])
    kept = json.loads((tmp_path / "impact.json").read_text())
    assert kept["spheres"] == 121 and len(kept["times"]) == 2
    assert len(kept["ns"]["abut"]) == 2 and min(kept["ns"]["abut"]) > 0
    assert "depth of the ball, mm" in capsys.readouterr().out


def test_the_command_says_what_is_wrong(nine, tmp_path, capsys):
    few = ["--codes", "abut", "--results", str(tmp_path)]
    with pytest.raises(SystemExit) as left:
        nine["nine_codes"].main([*few, "--grains", "50"])
    assert left.value.code == "error: impact: 50 grains need a box narrower than the ball"
    for softness in ("0", "-1", "nan", "inf", "soft"):
        with pytest.raises(SystemExit):
            nine["nine_codes"].main([*few, f"--softness={softness}"])
        assert f"{softness!r} is no number above 0" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_code_that_fails_is_left_out(nine, cases, monkeypatch, capsys):
    def failing(case):
        raise RuntimeError("atoms are lost")

    known = nine["nine_codes"].CONTESTANTS
    monkeypatch.setitem(known, "yade", known["yade"]._replace(run=failing))
    series, times = nine["nine_codes"].run_all(short(cases["impact"]), ["yade", "abut"], 2)
    assert list(series) == list(times) == ["abut"] and len(times["abut"]) == 2
    assert capsys.readouterr().out.splitlines() == ["yade is left out of impact: atoms are lost"]


@pytest.mark.long
@pytest.mark.parametrize("name", GRAINS)
@pytest.mark.parametrize("code", ["yade", "liggghts", "lammps"])
def test_others_go_where_abut_goes(nine, scenes, cases, code, name):
    run, missing = nine["nine_codes_contestants"].CONTESTANTS[code]
    if missing():
        pytest.skip(missing())
    case = short(cases[name], 100)
    own, other = nine["nine_codes_contestants"].run_abut(case), run(case)
    moved = own.centers[-1] - own.centers[0]
    apart = other.centers[-1] - own.centers[-1]
    assert np.linalg.norm(apart) < 0.1 * np.linalg.norm(moved)
