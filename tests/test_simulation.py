"""Simulations: input, output, callbacks and messages; other files test the physics."""

import copy
import math
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import abut
from abut.simulation import events
from children import run_child
from scenes_simulation import (
    GRAIN,
    STEEL,
    STEP,
    busy,
    floor,
    laws,
    plate,
    state,
)

pytestmark = pytest.mark.native


def empty(**options):
    return abut.Simulation(**({"step": STEP, "gravity": (0, 0, 0)} | options))


def resting(count=1, **options):
    """Spheres that lie on a floor, apart from each other."""
    sim = abut.Simulation(step=STEP, **options)
    laws(sim)
    sim.add_wall(floor(), STEEL)
    sim.add_spheres([[k, 0, 0.1] for k in range(count)], 0.1, GRAIN)
    return sim


@pytest.fixture(scope="module")
def gone_on():
    """A busy simulation after some steps, which nobody changes."""
    sim = busy()
    sim.run(steps=1500)
    assert len(sim.contacts) > 10 and len(sim.pairs) > 10
    return sim


# ---- making it -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"step": 0.0}, ValueError, "step is 0"),
        ({"step": -1e-3}, ValueError, "step is -0.001"),
        ({"step": math.nan}, ValueError, "step is nan"),
        ({"step": math.inf}, ValueError, "step is inf"),
        ({"step": "1"}, TypeError, "step is '1'"),
        ({"gravity": (0, 0)}, ValueError, r"gravity has shape \(2,\)"),
        ({"gravity": (0, math.nan, 0)}, ValueError, r"gravity\[1\] is nan"),
        ({"period": (1, None)}, ValueError, "period has 2 items"),
        ({"period": (1, -1, None)}, ValueError, r"period\[1\] is -1"),
        ({"resolution": "all"}, ValueError, "resolution is 'all', but must be 'hierarchy' or"),
        ({"workers": 0}, ValueError, "workers is 0"),
    ],
)
def test_wrong_arguments(options, error, message):
    with pytest.raises(error, match=message):
        empty(**options)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: abut.Simulation(dt=1e-5), r"Simulation has no argument 'dt': use step="),
        (lambda: abut.Simulation(1e-5, threads=2), r"no argument 'threads': use workers="),
        (lambda: abut.Simulation(1e-5, color=2), r"^Simulation.__init__\(\) got an unexpected"),
        (lambda: abut.Simulation(), r"^Simulation.__init__\(\) missing 1 required"),
        (lambda: empty().add_spheres(mass=2), r"^Simulation.add_spheres\(\) got an unexpected"),
        (lambda: empty().run(time=2), r"^Simulation.run\(\) got an unexpected"),
        (lambda: empty().stress(at=2), r"^Simulation.stress\(\) got an unexpected"),
    ],
)
def test_wrong_names_of_arguments(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_what_it_was_made_of():
    sim = abut.Simulation(1e-3, (1, 2, 3), (5, None, None), "sharing")
    assert sim.step == 1e-3 and sim.gravity.tolist() == [1, 2, 3]
    assert sim.period == (5, None, None) and sim.resolution == "sharing"
    assert not sim.gravity.flags.writeable
    assert (sim.time, sim.step_count, len(sim.ids), sim.materials, sim.walls) == (0, 0, 0, (), ())
    assert repr(sim) == "Simulation(0 spheres, 0 walls; 0 steps, time 0)"


def test_it_is_not_pickled():
    for call in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="cannot be pickled"):
            call(empty())


# ---- materials and laws --------------------------------------------------------------------------


def test_equal_materials_are_one():
    sim = empty()
    sim.set_law(abut.Material(1000, 1e6), abut.Material(), abut.Hertz())
    sim.add_spheres([[0, 0, 0]], 0.1, abut.Material(density=1000.0, young=1e6))
    assert sim.materials == (abut.Material(1000, 1e6), abut.Material())
    assert sim.material.tolist() == [0] and sim.material.dtype == np.intp


def test_a_law_that_replaces_one_of_an_equal_material_is_told():
    smooth, rough = abut.Material(), abut.Material()
    sim, (slides, sticks) = empty(), (abut.Hertz(friction=mu) for mu in (0.1, 0.9))
    sim.set_law(GRAIN, smooth, slides)
    with pytest.warns(abut.SimulationWarning, match="Give each object a name=") as told:
        sim.set_law(rough, GRAIN, sticks)
    assert len(told) == 1 and "set_law replaces Hertz(friction=0.1" in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.set_law(GRAIN, rough, slides)  # the same object again: it is meant
        sim.set_law(GRAIN, abut.Material(), slides)  # nothing is lost
        sim.set_law(GRAIN, abut.Material(name="other"), sticks)


def test_two_walls_with_names_have_laws_of_their_own():
    sim = empty()
    for k, friction in enumerate((0.0, 1.0)):
        material = abut.Material(name=f"wall {k}")
        sim.set_law(GRAIN, material, abut.Hertz(friction=friction))
        sim.add_wall(
            abut.Mesh(np.add([[0, -1, 0], [1, 1, 0], [0, 1, 0]], [4 * k, 0, 0]), [[0, 1, 2]]),
            material,
        )
        sim.add_spheres([[4 * k + 0.3, 0.4, 0.099]], 0.1, GRAIN, velocities=[[0.1, 0, 0]])
    sim.run(steps=1)
    assert sim.contacts.force[0, 0] == 0 > sim.contacts.force[1, 0]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (("glass", STEEL, abut.Hertz()), TypeError, "a is a str, but must be a Material"),
        ((GRAIN, None, abut.Hertz()), TypeError, "b is a NoneType"),
        (
            (GRAIN, STEEL, "hertz"),
            TypeError,
            "law is a str, but must be a Hertz, a Linear, a Luding or a law",
        ),
        ((STEEL, STEEL, abut.Hertz()), ValueError, "both are rigid"),
    ],
)
def test_wrong_law(given, error, message):
    sim = empty()
    with pytest.raises(error, match=message):
        sim.set_law(*given)
    assert sim.materials == ()


def test_law_missing_names_both_materials_and_the_sphere():
    sim = resting(3)
    sim.remove_spheres(sim.ids[:1])
    oak = abut.Material(density=700, young=1e7)
    sim.add_spheres([[1.0, 0, 0.3]], 0.101, oak)
    before = sim.centers
    with pytest.raises(ValueError, match="law") as told:
        sim.run(steps=5)
    assert str(GRAIN) in str(told.value) and str(oak) in str(told.value)
    assert str(told.value).startswith(("sphere 1 ", "sphere 3 "))
    assert sim.step_count == 0 and (sim.centers == before).all()
    sim.set_law(oak, GRAIN, abut.Hertz())
    sim.run(steps=5)
    assert sim.step_count == 5


def test_sharing_needs_laws_of_one_kind():
    sim = abut.Simulation(step=STEP, resolution="sharing")
    rubber = abut.Material(density=900, young=1e5)
    sim.set_law(GRAIN, STEEL, abut.Hertz())
    sim.set_law(rubber, STEEL, abut.Linear(1e3))
    sim.run(steps=1)
    sim.add_wall(floor(), STEEL)
    with pytest.raises(ValueError, match=r"laws of one kind.*Hertz of .* and Linear of"):
        sim.run(steps=1)
    sim.set_law(rubber, STEEL, abut.Hertz())
    sim.run(steps=1)


# ---- spheres -------------------------------------------------------------------------------------


def test_ids_last():
    sim = empty()
    assert sim.add_spheres(np.eye(3), 0.1, GRAIN).tolist() == [0, 1, 2]
    sim.remove_spheres([1])
    assert sim.add_spheres([[5, 5, 5]], 0.2, GRAIN).tolist() == [3]
    assert sim.ids.tolist() == [0, 2, 3]
    np.testing.assert_array_equal(sim.centers, [[1, 0, 0], [0, 0, 1], [5, 5, 5]])
    np.testing.assert_array_equal(sim.radii, [0.1, 0.1, 0.2])
    np.testing.assert_allclose(sim.masses, 4000 / 3 * np.pi * sim.radii**3)
    sim.remove_spheres(sim.ids)
    assert len(sim.ids) == len(sim.centers) == 0
    assert sim.add_spheres([], 0.1, GRAIN).tolist() == []
    assert sim.add_spheres([[0, 0, 0]], 0.1, GRAIN).tolist() == [4]


def test_returned_ids_are_the_callers():
    sim = empty()
    ids = sim.add_spheres(np.eye(3), 0.1, GRAIN)
    ids[:] = 7
    assert sim.ids.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("centers", "radii", "options", "error", "message"),
    [
        ([[0, 0], [1, 1]], 0.1, {}, ValueError, r"\(2, 2\), but a Simulation is three-dim"),
        ([0, 0, 0], 0.1, {}, ValueError, r"give one point as \[\[x, y, z\]\]"),
        ([[0, 0, math.nan]], 0.1, {}, ValueError, r"centers\[0, 2\] is nan|sphere 0"),
        ([[0, 0, 0], [9, 0, 0]], [1, 0], {}, ValueError, r"radii\[1\] is 0"),
        ([[0, 0, 0]], [1, 1], {}, ValueError, "radii has 2 entries, but there is 1 center"),
        ([[0, 0, 0]], 0.1, {"velocities": [[0, 0]]}, ValueError, r"must be \(1, 3\)"),
        (
            [[0, 0, 0]],
            0.1,
            {"velocities": (0, math.inf, 0)},
            ValueError,
            r"velocities\[0, 1\] is inf",
        ),
        ([[0, 0, 0]], 0.1, {"material": STEEL}, ValueError, "has no density"),
        ([[0, 0, 0]], 0.1, {"material": "glass"}, TypeError, "material is a str"),
    ],
)
def test_wrong_spheres(centers, radii, options, error, message):
    sim = empty()
    sim.add_spheres([[-9, -9, -9]], 0.1, GRAIN)
    with pytest.raises(error, match=message):
        sim.add_spheres(centers, radii, **({"material": GRAIN} | options))
    assert sim.ids.tolist() == [0] and len(sim.centers) == 1
    sim.run(steps=1)
    assert sim.add_spheres([[0, 0, 0]], 0.1, GRAIN).tolist() == [1]


@pytest.mark.parametrize("ids", [[3], [-1], [0, 7], [10**9]])
def test_spheres_that_there_are_not(ids):
    sim = empty()
    sim.add_spheres(np.eye(3), 0.1, GRAIN)
    with pytest.raises(ValueError, match=f"there is no sphere {ids[-1]}"):
        sim.remove_spheres(ids)
    with pytest.raises(TypeError, match="ids has dtype float64"):
        sim.remove_spheres([0.5])
    assert len(sim.ids) == 3


def test_masks_are_told_how_they_become_numbers():
    sim = empty()
    for remove, of in (
        (sim.remove_spheres, r"ids is a mask, .* give sim\.ids\[mask\]"),
        (sim.remove_clusters, r"numbers is a mask, .* give sim\.clusters\.numbers\[mask\]"),
        (sim.remove_bodies, r"numbers is a mask, .* give sim\.bodies\.numbers\[mask\]"),
    ):
        for mask in (np.array([True, False]), [True, False]):
            with pytest.raises(TypeError, match=of):
                remove(mask)
    with pytest.raises(ValueError, match=r"numbers has shape \(1, 1\)"):
        sim.remove_bodies([[3]])


# ---- names ----


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("velocity", "velocities"),
        ("angular_velocity", "angular_velocities"),
        ("centres", "centers"),
        ("Gravity", "gravity"),
        ("contact", "contacts"),
        ("dt", "step"),
    ],
)
def test_a_name_that_is_not_there_is_not_assigned(name, meant):
    sim = empty()
    with pytest.raises(AttributeError, match=f"no attribute '{name}': did you mean '{meant}'"):
        setattr(sim, name, 1)
    with pytest.raises(AttributeError, match="no attribute 'qqq'"):
        sim.qqq = 1
    with pytest.raises(AttributeError, match="step_count"):
        sim.step_count = 1
    assert not hasattr(sim, name)


def test_subclasses_have_names_of_their_own():
    class Mine(abut.Simulation):
        mass_flow = 0.0

        def __init__(self):
            super().__init__(step=STEP)
            self.mass_flow, self._own = 1.0, 2.0

        @property
        def limit(self):
            return self._own

        @limit.setter
        def limit(self, value):
            self._own = value

    mine = Mine()
    mine.limit = 3.0
    assert (mine.mass_flow, mine._own) == (1.0, 3.0)
    with pytest.raises(AttributeError, match="did you mean 'mass_flow'"):
        mine.massflow = 1


ASSIGNED = {
    "centers": [[5, 0, 0], [0, 5, 0]],
    "radii": [0.2, 0.3],
    "masses": [2.0, 3.0],
    "velocities": [[1, 2, 3], [4, 5, 6]],
    "angular_velocities": [[1, 0, 0], [0, 2, 0]],
    "material": [1, 0],
}


@pytest.mark.parametrize("name", ASSIGNED)
def test_columns_are_assigned_whole(name):
    sim = empty()
    sim.set_law(GRAIN, abut.Material(1.0), abut.Hertz())
    sim.add_spheres([[0, 0, 0], [1, 1, 1]], 0.1, GRAIN)
    before = getattr(sim, name)
    setattr(sim, name, ASSIGNED[name])
    np.testing.assert_array_equal(getattr(sim, name), ASSIGNED[name])
    assert getattr(sim, name).dtype == before.dtype
    with pytest.raises(ValueError, match="read-only"):
        getattr(sim, name)[:1] = 0
    with pytest.raises(
        ValueError,
        match=f"{name} has shape .*, but must be {before.shape}".replace("(", r"\(").replace(
            ")", r"\)"
        ),
    ):
        setattr(sim, name, ASSIGNED[name][:1])
    with pytest.raises(TypeError, match=name):
        setattr(sim, name, [["x"] * 3] * 2 if before.ndim == 2 else ["x"] * 2)
    np.testing.assert_array_equal(getattr(sim, name), ASSIGNED[name])


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("centers", [[0, math.nan, 0]], "nan"),
        ("radii", [-1.0], r"radii\[0\] is -1"),
        ("masses", [0.0], r"masses\[0\] is 0"),
        ("velocities", [[math.inf, 0, 0]], "inf"),
        ("material", [1], r"material\[0\] is 1, but there are 1 materials"),
    ],
)
def test_wrong_numbers_are_not_assigned(name, value, message):
    sim = empty()
    sim.add_spheres([[1, 2, 3]], 0.1, GRAIN)
    before = getattr(sim, name).copy()
    with pytest.raises(ValueError, match=message):
        setattr(sim, name, value)
    np.testing.assert_array_equal(getattr(sim, name), before)


@pytest.mark.parametrize("name", ["forces", "torques"])
def test_results_are_not_assigned(name):
    sim = resting()
    sim.run(steps=2)
    with pytest.raises(AttributeError, match=name):
        setattr(sim, name, getattr(sim, name))
    for other in ("ids", "time", "step_count", "contacts", "energy", "materials"):
        with pytest.raises(AttributeError):
            setattr(sim, other, None)


def test_an_array_is_of_its_moment():
    sim = resting()
    before = sim.centers
    kept = before.copy()
    sim.run(steps=10)
    assert (before == kept).all() and (sim.centers != kept).any()
    assert sim.centers is sim.centers


def test_centers_that_were_assigned_outside_of_a_period_are_where_they_were():
    sim = empty(period=(2.0, None, None))
    sim.add_spheres([[5.5, 0, 0]], 0.1, GRAIN, velocities=(1, 0, 0))
    sim.run(steps=1)
    assert math.isclose((sim.centers[0, 0] - 5.5 - STEP) % 2.0, 0.0, abs_tol=1e-12) or math.isclose(
        (sim.centers[0, 0] - 5.5 - STEP) % 2.0, 2.0, abs_tol=1e-12
    )


# ---- warnings ------------------------------------------------------------------------------------


def test_overlaps_across_a_period_and_with_walls_that_moved_are_told():
    sim = empty(period=(2.0, None, None))
    laws(sim)
    sim.add_spheres([[0.05, 0, 5], [1.95, 0, 5]], 0.1, GRAIN)
    with pytest.warns(abut.SimulationWarning, match="sphere 0 overlaps sphere 1 by 100.0% of the"):
        sim.run(steps=1)
    sim.remove_spheres([0, 1])
    sim.add_wall(plate(0.0), STEEL, motion=abut.Translating((0, 0, 1000.0)))
    sim.run(steps=10)
    sim.add_spheres([[0.5, 0.5, 1.0]], 0.1, GRAIN)
    with pytest.warns(abut.SimulationWarning, match="sphere 2 overlaps wall 0 by "):
        sim.run(steps=1)


def test_own_image_is_told_once():
    sim = abut.Simulation(step=STEP, gravity=(0, 0, 0), period=(None, 1.0, None))
    with pytest.warns(abut.SimulationWarning, match="sphere 1 is larger than a period"):
        sim.add_spheres([[0, 0, 0], [5, 0, 0]], [0.4, 0.51], GRAIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.add_spheres([[9, 0, 0]], 0.6, GRAIN)
        sim.set_law(GRAIN, GRAIN, abut.Hertz())
        sim.run(steps=3)
    assert len(sim.pairs) == 0 and (sim.velocities == 0).all()


def test_step_that_is_too_long_is_told_at_the_start_or_after_two_steps():
    sim = resting()
    sim.remove_spheres(sim.ids)
    sim.add_spheres([[0, 0, 5]], 1e-3, GRAIN)
    with pytest.warns(abut.SimulationWarning, match="times the longest stable one") as told:
        sim.run(steps=3)
    assert len(told) == 1 and told[0].filename == __file__


def test_step_that_contacts_make_too_long_is_told_after_two_steps():
    sim = abut.Simulation(step=0.1, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.Linear(100.0))
    around = 0.199 * np.concatenate([np.eye(3), -np.eye(3)])
    sim.add_spheres([[0, 0, 0], *around], 0.1, GRAIN)
    # the middle one swings between six that hardly move: 0.1 is sqrt(m / k)
    sim.masses = [1.0] + 6 * [1e6]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sim.run(steps=1)
    sim.velocities = 0 * sim.velocities
    assert math.isclose(sim.stable_step(), np.sqrt(2 / 600))
    fresh = abut.Simulation(step=0.1, gravity=(0, 0, 0))
    fresh.set_law(GRAIN, GRAIN, abut.Linear(100.0))
    fresh.add_spheres([[0, 0, 0], *around], 0.1, GRAIN)
    fresh.masses = [1.0] + 6 * [1e6]
    with pytest.warns(abut.SimulationWarning, match="1.7 times the longest stable one") as told:
        fresh.run(steps=2)
    assert len(told) == 1


def of_first_contacts(soft, mass):
    """The step of a sphere of radius 0.1: four contacts of Hertz' law that slide, pressed in by 1 %
    of the radius, between a rigid material and this one."""
    shear = 8 * soft.shear / (2 - soft.poisson) * np.sqrt(0.1 * 1e-3)
    normal = 2 * soft.young / (1 - soft.poisson**2) * np.sqrt(0.1 * 1e-3)
    return np.sqrt(2 * mass / (4 * max(normal, 3.5 * shear)))


def test_stable_step():
    sim = abut.Simulation(step=1e-9)
    assert sim.stable_step() == math.inf
    sim.add_spheres([[0, 0, 1]], 0.1, GRAIN)
    assert sim.stable_step() == math.inf
    sim.set_law(GRAIN, STEEL, abut.Hertz())
    assert math.isclose(sim.stable_step(), of_first_contacts(GRAIN, sim.masses[0]), rel_tol=1e-9)
    sim.set_law(GRAIN, STEEL, abut.Linear(1e7))
    assert math.isclose(sim.stable_step(), np.sqrt(2 * sim.masses[0] / 4e7))
    sim.add_wall(floor(), STEEL)
    sim.centers = [[0, 0, 0.099]]
    sim.run(steps=1)
    # 2/7 of the normal stiffness: 3.5 of that is as stiff
    assert math.isclose(sim.stable_step(), np.sqrt(2 * sim.masses[0] / 1e7), rel_tol=1e-9)


def test_stable_step_of_rigid_spheres_is_that_of_whom_they_meet():
    hard, soft = abut.Material(density=1000), abut.Material(young=1e6, poisson=0.3)
    sim = abut.Simulation(step=1e-9)
    sim.set_law(hard, soft, abut.Hertz())
    sim.add_spheres([[0, 0, 1]], 0.1, hard)
    assert math.isclose(sim.stable_step(), of_first_contacts(soft, sim.masses[0]), rel_tol=1e-9)


# ---- running -------------------------------------------------------------------------------------


def test_run_counts_steps():
    sim = empty(step=0.1)
    sim.run(0.3)
    assert sim.step_count == 3 and sim.time == 3 * 0.1
    sim.run(0.26)
    sim.run(steps=2)
    sim.run(0.0)
    sim.run(steps=np.int64(0))
    assert sim.step_count == 8


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (((), {}), TypeError, "either a duration or steps="),
        (((1.0,), {"steps": 3}), TypeError, "either a duration or steps="),
        (((-1.0,), {}), ValueError, "duration is -1"),
        (((math.nan,), {}), ValueError, "duration is nan"),
        (((math.inf,), {}), ValueError, "duration is inf"),
        (((1e-9,), {}), ValueError, "duration is 1e-09, shorter than half a step of"),
        (((1e300,), {}), ValueError, r"more than 2\^53 steps"),
        (((), {"steps": -1}), ValueError, "steps is -1"),
        (((), {"steps": 1.5}), TypeError, "steps is 1.5"),
    ],
)
def test_wrong_runs(given, error, message):
    sim = empty()
    with pytest.raises(error, match=message):
        sim.run(*given[0], **given[1])
    assert sim.step_count == 0


def test_lost_sphere_is_named_with_its_step():
    sim = empty(step=1.0)
    sim.add_spheres(np.eye(3) * 9, 0.1, GRAIN)
    sim.remove_spheres([0])
    sim.masses = [1.0, 1e-3]
    sim.add_force(lambda s: [[0, 0, 0], [1e75 * (s.step_count == 4), 0, 0]])
    with pytest.raises(FloatingPointError, match="sphere 2 is lost in step 4"):
        sim.run(steps=100)
    assert sim.step_count == 4 and np.isfinite(sim.centers).all()
    sim.remove_spheres([2])
    sim._forces.clear()
    sim.run(steps=10)
    assert sim.step_count == 14


def test_in_how_many_calls_it_runs_does_not_matter():
    whole, pieces, watched = busy(), busy(), busy()
    whole.run(steps=240)
    for count in (1, 2, 37, 200):
        pieces.run(steps=count)
    seen = []
    watched.every(7 * STEP, lambda s: seen.append(s.step_count))
    watched.record(3 * STEP, lambda s: s.energy.kinetic)
    watched.run(240 * STEP)
    assert state(whole) == state(pieces) == state(watched)
    assert seen == [*range(7, 241, 7)]


def run_code(code, **environment):
    """Run Python code in this folder."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    ended = run_child(command, environment=environment, cwd=__file__.rpartition("/")[0])
    assert ended.returncode == 0, ended.stderr
    return ended


# ---- calls on the way ----------------------------------------------------------------------------


def test_calls_come_in_the_order_of_registration():
    sim, seen = empty(step=0.1), []
    sim.every(0.2, lambda s: seen.append(("a", s.step_count)))
    sim.every(0.1, lambda s: seen.append(("b", s.step_count)))
    sim.every(0.29, lambda s: seen.append(("c", s.step_count)))
    sim.every(1e-9, lambda s: seen.append(("d", s.step_count)))
    sim.run(steps=3)
    expected = ["b1", "d1", "a2", "b2", "d2", "b3", "c3", "d3"]
    assert [f"{name}{step}" for name, step in seen] == expected


@pytest.mark.parametrize("interval", [0.0, -1.0, math.nan, math.inf])
def test_wrong_intervals(interval):
    with pytest.raises(ValueError, match=f"interval is {interval}"):
        empty().every(interval, print)
    with pytest.raises(ValueError, match=f"interval is {interval}"):
        empty().record(interval, len)


def test_what_cannot_be_called():
    sim = empty()
    for register in (sim.add_force, lambda c: sim.every(1, c), lambda c: sim.record(1, c)):
        with pytest.raises(TypeError, match="call is an int"):
            register(3)


def test_calls_may_change_everything():
    sim = abut.Simulation(step=0.005)
    sim.add_spheres([[0, 0, k + 0.5] for k in range(10)], 0.1, GRAIN)
    sim.every(0.1, lambda s: s.remove_spheres(s.ids[s.centers[:, 2] < 0]))
    sim.every(0.5, lambda s: s.add_spheres([[5, 5, 100 + s.time]], 0.1, GRAIN))
    sim.every(0.9, lambda s: setattr(s, "velocities", 0 * s.velocities))
    sim.run(1.0)
    # 4.9 m lower but for the stop, which leaves 4.0 m and a little
    assert sim.ids.tolist() == [4, 5, 6, 7, 8, 9, 10, 11]
    np.testing.assert_allclose(sim.centers[0, 2], 4.5 - 4.06, atol=0.05)


def test_error_of_a_call_comes_out_and_what_was_due_comes_next():
    sim, seen = empty(step=0.1), []

    def fail(sim):
        if sim.step_count == 2:
            raise ZeroDivisionError("mine")

    sim.every(0.1, lambda s: seen.append(("a", s.step_count)))
    sim.every(0.1, fail)
    sim.every(0.1, lambda s: seen.append(("b", s.step_count)))
    with pytest.raises(ZeroDivisionError, match="mine"):
        sim.run(steps=5)
    assert sim.step_count == 2 and seen[-1] == ("a", 2)
    sim.run(steps=1)
    assert seen[-3:] == [("b", 2), ("a", 3), ("b", 3)]


def test_a_call_cannot_run_it():
    sim = empty()
    sim.every(STEP, lambda s: s.run(steps=1))
    with pytest.raises(RuntimeError, match="is running already"):
        sim.run(steps=1)
    assert sim.step_count == 1


# ---- forces --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (
            np.zeros((3, 3)),
            ValueError,
            r"the force array of callable 1 .*\(3, 3\), but must be \(2, 3\)",
        ),
        (
            (np.zeros((2, 3)), np.zeros(3)),
            ValueError,
            r"the torque array of callable 1 .* shape \(3,\)",
        ),
        (None, TypeError, "the force array of callable 1 of add_force is None"),
        ([[0, 0, 0], [0, math.nan, 0]], ValueError, r"callable 1 of add_force\[1, 1\] is nan"),
        ((np.zeros((2, 3)), [[0, 0, math.inf]] * 2), ValueError, r"torque array .*\[0, 2\] is inf"),
    ],
)
def test_wrong_forces(returned, error, message):
    sim = empty()
    sim.add_spheres([[0, 0, 0], [1, 0, 0]], 0.1, GRAIN)
    wrong = []
    sim.add_force(lambda s: np.ones((2, 3)))
    sim.add_force(lambda s: returned if s.step_count == 3 and not wrong else np.ones((2, 3)))
    with pytest.raises(error, match=message):
        sim.run(steps=10)
    assert sim.step_count == 3
    wrong.append("no more")
    sim.run(steps=7)
    again = empty()
    again.add_spheres([[0, 0, 0], [1, 0, 0]], 0.1, GRAIN)
    again.add_force(lambda s: np.ones((2, 3)) + np.ones((2, 3)))
    again.run(steps=10)
    assert state(again) == state(sim)


def test_error_of_a_force_comes_out_unchanged():
    class Mine(Exception):
        pass

    raised = Mine("no wind")

    def wind(sim):
        if sim.step_count == 2:
            raise raised
        return np.zeros((1, 3))

    sim = resting()
    sim.add_force(wind)
    with pytest.raises(Mine) as told:
        sim.run(steps=5)
    assert told.value is raised and sim.step_count == 2


# ---- insertion -----------------------------------------------------------------------------------


def test_insertion_comes_in_time_and_ends():
    sim = empty(step=0.01)
    box = [[0, 0, 0], [1, 1, 1]]
    sim.run(steps=50)
    sim.add_insertion(abut.Insertion(box, 0.01, 30, GRAIN), until=1.5)
    counts = sim.record(0.1, lambda s: len(s.ids))
    sim.run(2.0)
    assert counts.values[:10].tolist() == [3, 6, 9, 12, 15, 18, 21, 24, 27, 30]
    assert (counts.values[10:] == 30).all()
    assert sim.ids.tolist() == [*range(30)] and len(sim.pairs) == 0


@pytest.mark.filterwarnings("error")
def test_insertion_overlaps_nothing():
    sim = empty(step=0.01, period=(1.0, None, None))
    sim.add_wall(plate(), STEEL)
    sim.add_spheres([[0.02, 0.5, 0.25]], 0.2, GRAIN)
    laws(sim, law=abut.Linear(0.01))
    sim.add_insertion(abut.Insertion([[0, 0, 0], [1, 1, 1]], (0.04, 0.06), 1000, GRAIN))
    rod = abut.Cluster([[0, 0, 0], [0.05, 0, 0]], 0.04)
    sim.add_insertion(abut.Insertion([[0, 0, 1.01], [1, 1, 2]], None, 400, GRAIN, cluster=rod))
    sim.every(0.01, lambda s: setattr(s, "velocities", 0 * s.velocities))
    sim.run(0.5)
    assert len(sim.ids) > 150 and len(sim.clusters.numbers) > 50
    sim.run(steps=1)
    found = abut.find_pairs(sim.centers, sim.radii, period=sim.period)
    clusters = sim.spheres.cluster
    assert ((clusters[found.i] == clusters[found.j]) & (clusters[found.i] >= 0)).all()
    assert len(sim.contacts) == len(sim.pairs) == 0


def full_feed():
    """A box that is full from step 5 on; insertions wait until its floor is removed."""
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    laws(sim)
    sim.add_insertion(abut.Insertion([[0, 0, 0], [0.2, 0.2, 0.2]], 0.09, 250, GRAIN))
    return sim


def test_insertion_that_waits_looks_seldom(monkeypatch):
    looks, look = [], events.touching

    def touching(sim, centers, radii):
        looks.append((sim.step_count, len(radii)))
        return look(sim, centers, radii)

    monkeypatch.setattr(events, "touching", touching)
    sim = full_feed()
    sim.run(steps=300)
    assert len(sim.ids) == 1
    # due in steps 4 and 8; from then on looks are ever farther apart, with as many places as steps
    assert [step for step, _ in looks] == [
        4,
        *(8 + w for w in (0, 1, 2, 4, 8, 16, 32, 64, 128, 192, 256)),
    ]
    assert [places for _, places in looks[:6]] == [1, 1, 1, 1, 4, 12]
    sim.remove_spheres(sim.ids)
    sim.run(steps=40)
    assert len(sim.ids) == 1 and looks[-1][0] == 8 + 320


@pytest.mark.parametrize(
    ("feed", "until", "error", "message"),
    [
        ("tap", None, TypeError, "feed is a str, but must be an Insertion"),
        (abut.Insertion([[0] * 3, [1] * 3], 0.1, 1, GRAIN), math.nan, ValueError, "until is nan"),
    ],
)
def test_wrong_insertion(feed, until, error, message):
    with pytest.raises(error, match=message):
        empty().add_insertion(feed, until)


# ---- clusters ------------------------------------------------------------------------------------


def test_clusters_are_where_they_were_put():
    sim = empty()
    bent = abut.Cluster([[0, 0, 0], [0.3, 0, 0], [0.3, 0.2, 0.1]], [0.1, 0.08, 0.12])
    turns = Rotation.random(2, rng=1)
    numbers = sim.add_clusters(bent, [[0, 0, 0], [5, 5, 5]], GRAIN, orientations=turns)
    assert numbers.tolist() == [0, 1] and sim.ids.tolist() == [*range(6)]
    expected = [
        place + turn.apply(bent.centers - bent.offset)
        for place, turn in zip([np.zeros(3), np.full(3, 5.0)], turns, strict=True)
    ]
    np.testing.assert_allclose(sim.centers, np.concatenate(expected), atol=1e-12)
    assert math.isclose(sim.masses.sum(), 2 * bent.mass_for(1000))
    found = Rotation.from_quat(sim.clusters.orientations)
    assert ((found * turns.inv()).magnitude() < 1e-12).all()


def test_clusters_are_assigned_whole():
    sim = empty()
    rod = abut.Cluster([[0, 0, 0], [0.3, 0, 0]], 0.1)
    sim.add_clusters(rod, [[0, 0, 0], [2, 2, 2]], GRAIN)
    new = {"positions": [[9, 0, 0], [0, 9, 0]], "velocities": [[1, 0, 0], [0, 1, 0]]}
    turns = Rotation.from_euler("z", [[90], [180]], degrees=True)
    sim.clusters.assign(**new, orientations=turns)
    np.testing.assert_allclose(sim.clusters.positions, new["positions"])
    np.testing.assert_allclose(sim.clusters.velocities, new["velocities"])
    np.testing.assert_allclose(sim.centers[0], [9, -0.15, 0], atol=1e-12)
    np.testing.assert_allclose(sim.centers[2], [0.15, 9, 0], atol=1e-12)
    with pytest.raises(ValueError, match="positions has shape"):
        sim.clusters.assign(velocities=np.zeros((2, 3)), positions=[[0, 0, 0]] * 3)
    np.testing.assert_allclose(sim.clusters.velocities, new["velocities"])


def test_clusters_go_whole():
    sim = empty()
    rod = abut.Cluster([[0, 0, 0], [0.3, 0, 0]], 0.1)
    sim.add_spheres([[8, 8, 8]], 0.1, GRAIN)
    sim.add_clusters(rod, [[0, 0, 0], [2, 2, 2], [4, 4, 4]], GRAIN)
    with pytest.raises(ValueError, match="sphere 4 is a member of cluster 1: use remove_clusters"):
        sim.remove_spheres([0, 4])
    sim.remove_clusters([1])
    assert sim.ids.tolist() == [0, 1, 2, 5, 6] and sim.clusters.numbers.tolist() == [0, 2]
    np.testing.assert_allclose(sim.clusters.positions, [[0, 0, 0], [4, 4, 4]])
    with pytest.raises(ValueError, match="there is no cluster 1"):
        sim.remove_clusters([1])
    assert sim.add_clusters(rod, [[6, 6, 6]], GRAIN).tolist() == [3]
    sim.remove_spheres([0])
    sim.run(steps=3)
    assert repr(sim).startswith("Simulation(6 spheres, 3 clusters, 0 walls;")


def test_clusters_and_type_a_do_not_go_together():
    rod = abut.Cluster([[0, 0, 0], [0.3, 0, 0]], 0.1)
    law = abut.Hertz(rolling=abut.laws.RollingA(0.01))
    sim = empty()
    sim.add_clusters(rod, [[0, 0, 0]], GRAIN)
    with pytest.raises(ValueError, match="clusters cannot have RollingA"):
        sim.set_law(GRAIN, STEEL, law)
    sim.set_law(GRAIN, STEEL, abut.Hertz(rolling=abut.laws.RollingA(0.0)))
    other = empty()
    other.set_law(STEEL, GRAIN, law)
    with pytest.raises(ValueError, match="clusters cannot have RollingA"):
        other.add_clusters(rod, [[0, 0, 0]], GRAIN)
    feed = abut.Insertion([[0] * 3, [1] * 3], None, 1, GRAIN, cluster=rod)
    with pytest.raises(ValueError, match="clusters cannot have RollingA"):
        other.add_insertion(feed)
    assert len(other.ids) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"positions": [[0, 0]]}, "three-dimensional"),
        ({"orientations": [[0, 0, 0, 0]]}, r"orientations\[0\] is .*must be a quaternion"),
        ({"orientations": [[0, 0, 1]]}, r"orientations has shape \(1, 3\)"),
        ({"orientations": [[0, 0, 0, math.nan]]}, "must be a quaternion"),
        ({"material": abut.Material()}, "density"),
        ({"angular_velocities": [[0, 0, math.nan]]}, "nan"),
    ],
)
def test_wrong_clusters(options, message):
    rod = abut.Cluster([[0, 0, 0], [0.3, 0, 0]], 0.1)
    sim = empty()
    with pytest.raises(ValueError, match=message):
        sim.add_clusters(
            **({"cluster": rod, "positions": [[0, 0, 0]], "material": GRAIN} | options)
        )
    with pytest.raises(TypeError, match="cluster is a list"):
        sim.add_clusters([rod], [[0, 0, 0]], GRAIN)
    assert len(sim.ids) == 0 and len(sim.clusters.numbers) == 0
    sim.run(steps=1)


# ---- walls ---------------------------------------------------------------------------------------


def test_walls_are_known_by_their_numbers():
    sim = empty()
    first, second = sim.add_wall(floor()), sim.add_wall(plate(), GRAIN)
    assert (first.number, second.number) == (0, 1) and sim.walls == (first, second)
    assert first == sim.walls[0] != second and len({first, sim.walls[0], second}) == 2
    assert first.material == abut.Material() and second.material == GRAIN
    assert len(second.mesh) == 1 and first.motion is None
    assert "stands still" in repr(first)
    assert first.force.tolist() == first.torque.tolist() == [0, 0, 0] and first.power == 0
    assert first.nodal_forces.shape == (4, 3)


def test_nodal_forces_of_an_untouched_wall_are_floats():
    sim = abut.Simulation(step=1e-3)
    wall = sim.add_wall(abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    sim.run(steps=1)
    assert wall.nodal_forces.dtype == np.float64 and not wall.nodal_forces.any()


def test_nodal_forces_are_those_of_the_wall(gone_on):
    for wall in gone_on.walls:
        assert np.linalg.norm(wall.force) > 1
        np.testing.assert_allclose(wall.nodal_forces.sum(axis=0), wall.force, rtol=1e-12)


def test_motion_begins_when_it_is_assigned():
    sim = empty(step=0.1)
    wall = sim.add_wall(plate(), motion=abut.Translating((1, 0, 0)))
    sim.run(1.0)
    np.testing.assert_allclose(wall.pose[:3, 3], [1, 0, 0], atol=1e-12)
    wall.motion = None
    sim.run(1.0)
    np.testing.assert_allclose(wall.pose[:3, 3], [1, 0, 0], atol=1e-12)
    quarter = abut.Rotating(axis=(0, 0, 1), rate=np.pi / 2)
    wall.motion = quarter
    assert wall.motion is quarter
    np.testing.assert_allclose(wall.pose[:3, 3], [1, 0, 0], atol=1e-12)
    sim.run(1.0)
    np.testing.assert_allclose(wall.pose[:3, 3], [0, 1, 0], atol=1e-12)
    np.testing.assert_allclose(wall.pose[:3, 0], [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize(
    ("motion", "message"),
    [("round", "motion is 'round'"), (np.eye(4), "is a pose"), (Rotation.identity(), "is a pose")],
)
def test_wrong_motion(motion, message):
    sim = empty()
    with pytest.raises(TypeError, match=message):
        sim.add_wall(plate(), motion=motion)
    assert sim.walls == ()
    wall = sim.add_wall(plate())
    with pytest.raises(TypeError, match=message):
        wall.motion = motion
    assert wall.motion is None


TURNING = abut.Rotating(axis=(0, 0, 1), origin=(0.5, 0.5, 0), rate=5.0)


def turning(time):
    return TURNING.pose(time), TURNING.twist(time)


@pytest.mark.parametrize(
    ("motion", "error", "message"),
    [
        (lambda t: np.eye(4), TypeError, "must return a pose"),
        (lambda t: (2 * np.eye(4), np.zeros(6)), ValueError, "not rigid"),
        (lambda t: (np.eye(4), [1, 0, 0, 0, 0, 0]), ValueError, "do not agree"),
        (lambda t: (np.eye(4), np.zeros(3)), ValueError, r"must be \(6,\)"),
        (lambda t: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_wrong_callables(motion, error, message):
    sim = empty()
    with pytest.raises(error, match=message):
        sim.add_wall(plate(), motion=motion)
    assert sim.walls == ()
    sim.run(steps=1)


def test_callable_that_fails_later_leaves_a_whole_step():
    broken = [True]

    def motion(time):
        if time > 50.5 * STEP and broken:
            raise OverflowError("gears")
        return turning(time)

    sim, expected = busy(motion=motion), busy(motion=turning)
    with pytest.raises(OverflowError, match="gears"):
        sim.run(steps=100)
    assert sim.step_count == 51
    broken.clear()
    sim.run(steps=49)
    expected.run(steps=100)
    assert state(sim) == state(expected)


# ---- tables --------------------------------------------------------------------------------------


def test_tables_have_forces_that_add_up(gone_on):
    contacts, pairs = gone_on.contacts, gone_on.pairs
    assert contacts.force.shape == (len(contacts), 3) and pairs.force.shape == (len(pairs), 3)
    total = contacts.sum(contacts.force) + pairs.sum(pairs.force)
    np.testing.assert_allclose(total, gone_on.forces, rtol=1e-9, atol=1e-9)
    assert gone_on.contacts is contacts
    for table in (contacts, pairs):
        assert not table.force.flags.writeable and not hasattr(table, "spring")
        assert len(table.offsets) == len(gone_on.ids) + 1


@pytest.mark.parametrize("kind", ["contacts", "pairs", "body_contacts", "body_pairs"])
def test_tables_are_read_only(gone_on, kind):
    """Columns are read-only, also those made on first access; copies are writable."""
    table = getattr(gone_on, kind)
    columns = table.to_dict()
    assert len(columns) >= 8 and not any(one.flags.writeable for one in columns.values())
    assert table.copy().image.flags.writeable and table[:0].image.flags.writeable


@pytest.mark.parametrize("kind", ["contacts", "pairs"])
def test_tables_carry_forces_along(gone_on, kind, tmp_path):
    table = getattr(gone_on, kind)
    table.save(tmp_path / "a.npz")
    loaded = getattr(abut, f"load_{kind}")(tmp_path / "a.npz")
    assert loaded == table and loaded.force.tobytes() == table.force.tobytes()
    joined = abut.concatenate([table, table])
    np.testing.assert_array_equal(joined.force, np.concatenate([table.force] * 2))
    table.save(tmp_path / "a.vtp")
    assert b'Name="force"' in (tmp_path / "a.vtp").read_bytes()


@pytest.mark.parametrize("kind", ["contacts", "pairs"])
def test_tables_of_a_search_have_no_forces(gone_on, kind):
    table = getattr(gone_on, kind)
    if kind == "contacts":
        finder = abut.ContactFinder(list(table.meshes))
        searched = finder.find(gone_on.centers, gone_on.radii)
    else:
        searched = abut.find_pairs(gone_on.centers, gone_on.radii)
    with pytest.raises(AttributeError, match="no 'force': only those of a Simulation"):
        _ = searched.force
    assert "force" not in searched.to_dict() and searched != table


def test_forces_of_some_tables_are_left_out_of_the_joined_one(gone_on):
    searched = abut.find_pairs(gone_on.centers, gone_on.radii)
    joined = abut.concatenate([gone_on.pairs, searched])
    assert "force" not in joined.to_dict() and len(joined) == len(gone_on.pairs) + len(searched)


def test_damaged_forces_of_a_file_are_told(gone_on, tmp_path):
    gone_on.pairs.save(tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    for force in (arrays["force"][1:], arrays["force"][:, :2], arrays["force"] * np.nan):
        np.savez(tmp_path / "b.npz", **arrays | {"force": force})
        with pytest.raises(ValueError, match="force"):
            abut.load_pairs(tmp_path / "b.npz")


def test_tables_before_the_first_step_are_empty():
    sim = resting(3)
    assert len(sim.contacts) == len(sim.pairs) == 0
    assert len(sim.contacts.offsets) == len(sim.pairs.offsets) == 4
    assert (sim.forces == 0).all()


def test_tables_follow_spheres_that_go():
    sim = resting(4)
    sim.run(steps=20)
    before = sim.contacts
    sim.remove_spheres([1, 2])
    assert sim.contacts.sphere.tolist() == [0, 1] and len(sim.contacts.offsets) == 3
    np.testing.assert_array_equal(sim.contacts.force, before.force[[0, 3]])
    sim.add_spheres([[7, 7, 7]], 0.1, GRAIN)
    assert sim.contacts.sphere.tolist() == [0, 1] and len(sim.contacts.offsets) == 4


def test_tables_match_those_of_a_search():
    sim = busy(insertion=False)
    sim.run(steps=1300)
    centers, poses = sim.centers, [wall.pose for wall in sim.walls]
    radii = sim.radii
    sim.run(steps=1)
    finder = abut.ContactFinder([wall.mesh for wall in sim.walls])
    searched = finder.find(centers, radii, poses=poses)
    assert len(searched) > 5 and len(sim.contacts) == len(searched)
    for name in searched.to_dict():
        np.testing.assert_array_equal(getattr(sim.contacts, name), getattr(searched, name))
    pairs = abut.find_pairs(centers, radii)
    clusters = sim.spheres.cluster
    pairs = pairs[(clusters[pairs.i] < 0) | (clusters[pairs.i] != clusters[pairs.j])]
    for name in pairs.to_dict():
        np.testing.assert_array_equal(getattr(sim.pairs, name), getattr(pairs, name))


def test_energy_is_told():
    sim = abut.Simulation(step=1e-3)
    sim.add_spheres([[0, 0, 2.0]], 0.1, GRAIN, velocities=(3, 0, 0), angular_velocities=(0, 5, 0))
    sim.run(steps=1)
    mass = sim.masses[0]
    energy = sim.energy
    assert energy._fields == (
        "kinetic", "rotational", "gravitational", "elastic", "dissipated", "wall_work",
    )  # fmt: skip
    assert math.isclose(energy.kinetic, mass * 4.5, rel_tol=1e-4)
    assert math.isclose(energy.rotational, 0.2 * mass * 0.01 * 25, rel_tol=1e-12)
    assert math.isclose(energy.gravitational, mass * 9.81 * 2, rel_tol=1e-12)
    assert energy[3:] == (0, 0, 0)


# ---- statistics and progress ---------------------------------------------------------------------


def test_statistics(gone_on):
    found = gone_on.statistics()
    assert (found.steps, found.spheres) == (1500, len(gone_on.ids))
    assert (found.contacts, found.pairs) == (len(gone_on.contacts), len(gone_on.pairs))
    assert 1500 * 152 <= found.sphere_steps <= 1500 * len(gone_on.ids)
    assert found.find_walls > 0 and found.move > 0 and found.bytes > 100 * found.spheres
    assert math.isclose(found.ns_per_sphere_step, 1e9 * found.seconds / found.sphere_steps)
    lines = repr(found).split("\n")
    assert len(lines) == 13 and lines[-2].split()[0] == "all"
    assert lines[-1].startswith("    neighbor lists: ") and found.lists_changed > 0
    assert repr(empty().statistics()).startswith("SimulationStatistics(0 steps; 0 spheres")


def test_rows_of_statistics_are_what_the_run_took():
    """Sleeping takes so long at least; the run takes longer than from the first call to the last,
    and no longer than it seems from outside."""
    sim, called = full_feed(), []

    def slow(s):
        called.append(time.perf_counter())
        time.sleep(2e-3)
        return np.zeros((len(s.ids), 3))

    sim.add_force(slow)
    sim.every(1e-3, slow)
    begin = time.perf_counter()
    sim.run(steps=10)
    found, outside = sim.statistics(), time.perf_counter() - begin
    assert found.calls >= 20 * 2e-3 and found.insertion > 0 and found.rest > 0
    assert called[-1] - called[0] <= found.seconds <= outside
    rows = [line.rsplit(maxsplit=2) for line in repr(found).split("\n")[2:-1]]
    assert [row[0].strip() for row in rows[-4:]] == [
        "insertion", "Python callables", "rest of run", "all",
    ]  # fmt: skip
    parts, whole = [float(row[1]) for row in rows[:-1]], float(rows[-1][1])
    assert math.isclose(sum(parts), whole, rel_tol=1e-3)
    time.sleep(0.01)
    assert sim.statistics() == found


def test_statistics_within_a_run_have_what_it_took_so_far():
    sim, told = empty(), []
    sim.every(STEP, lambda s: told.append(s.statistics().seconds))
    sim.run(steps=5)
    assert told == sorted(told) and told[0] > 0 and told[-1] < sim.statistics().seconds


@pytest.mark.parametrize("has_tqdm", [False, True])
def test_progress_is_told_on_standard_error(has_tqdm, capsys, monkeypatch):
    bars = []

    class Bar:
        def __init__(self, **options):
            self.n, self.total, self.texts = 0, options["total"], []
            bars.append((options, self))

        def set_postfix_str(self, text, refresh):
            self.texts.append(text)

        def update(self, n):
            self.n += n

        def close(self):
            self.texts.append("closed")

    module = type(sys)("tqdm")
    module.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", module if has_tqdm else None)
    sim, silent = busy(), busy()
    sim.run(steps=50, progress=True)
    silent.run(steps=50)
    assert state(sim) == state(silent)
    out, err = capsys.readouterr()
    assert out == ""
    if has_tqdm:
        ((options, bar),) = bars
        assert options["total"] == 50 and options["file"] is sys.stderr and err == ""
        assert bar.n == 50 and bar.texts[-1] == "closed"
        text = bar.texts[-2]
    else:
        text = err
        assert err.startswith("\r100% of 50 steps") and err.endswith("in 0:00\n")
    assert "spheres" in text and "contact" in text and "ns per sphere-step" in text


def test_progress_is_told_up_to_where_an_error_ends_it(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    sim = resting()
    sim.every(30 * STEP, lambda s: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sim.run(steps=60, progress=True)
    err = capsys.readouterr().err
    assert err.startswith("\r 50% of 60 steps: 1 sphere, 1 contact")
    assert err.endswith("ended early, after 0:00\n") and "left" not in err


# ---- interrupts, threads and memory --------------------------------------------------------------


@pytest.mark.cases(1)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child on this system")
def test_ctrl_c_ends_a_run_after_a_whole_step(workers):
    code = f"""
        import time
        from scenes_simulation import busy, state
        sim = busy(workers={workers})
        sim.run(steps=2)
        print("ready", flush=True)
        try:
            sim.run(steps=10**9)
        except KeyboardInterrupt:
            print("interrupted", time.time())
        done = sim.step_count
        sim.run(steps=300)
        whole = busy()
        whole.run(steps=done + 300)
        print(done > 2, state(whole) == state(sim))
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=__file__.rpartition("/")[0],
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    pressed = time.time()
    child.send_signal(signal.SIGINT)
    try:
        word, when, *rest = child.communicate(timeout=300)[0].split()
    finally:
        child.kill()
    assert word == "interrupted" and rest == ["True", "True"]
    # of a run that would take hours
    assert float(when) - pressed < 5.0


def turned_away(call):
    """What the call raises, at once or where it came between two runs of the library, again."""
    while True:
        try:
            call()
        except RuntimeError as error:
            return str(error)


def test_another_thread_is_turned_away():
    class Done(Exception):
        pass

    sim, begun, done, ended = resting(), threading.Event(), threading.Event(), []

    def watch(sim):
        begun.set()
        if done.is_set():
            raise Done

    def go_on():
        try:
            sim.run(steps=10**12)
        except Done:
            ended.append(sim.step_count)

    sim.every(50_000 * STEP, watch)
    other = threading.Thread(target=go_on)
    other.start()
    begun.wait()
    try:
        assert "is running already" in turned_away(lambda: sim.run(steps=1))
        calls = (
            lambda: sim.centers,
            lambda: sim.add_spheres([[0, 0, 9]], 0.1, GRAIN),
            lambda: sim.energy,
            lambda: sim.walls[0].force,
            lambda: sim._core.interactions(abut._core.SPHERE_WALL),
            lambda: sim.walls[0].pose,
        )
        for call in calls:
            assert "at work" in turned_away(call)
    finally:
        done.set()
        other.join()
    assert ended == [sim.step_count]
    sim.run(steps=1)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGALRM on this system")
def test_signal_handlers_cannot_call_it():
    told = {}

    def handler(number, frame):
        for name, call in (("run", lambda: sim.run(steps=1)), ("read", lambda: sim.centers)):
            try:
                call()
            except RuntimeError as error:
                told[name] = str(error)

    # so many that the library asks for signals between two looks at the step
    sim = resting(2000)
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        while len(told) < 2:
            sim.run(steps=200)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert "is running already" in told["run"] and "at work" in told["read"]


@pytest.mark.ci
@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="ASan keeps what is freed")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_flat(request):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    steps = 100_000 if request.config.getoption("--long") else 10_000
    sim = busy(insertion=False)
    sim.every(10 * STEP, lambda s: (s.contacts, s.pairs, s.centers, s.clusters))
    sim.run(steps=steps // 2)
    first = resident()
    sim.run(steps=steps)
    assert resident() - first < 4 * 2**20


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="ASan")
@pytest.mark.skipif(sys.platform != "linux", reason="no limit of the address space on this system")
def test_no_memory_leaves_a_simulation_that_goes_on():
    code = """
        import resource
        import numpy as np
        from scenes_simulation import GRAIN, busy, state
        sim, whole = busy(), busy()
        sim.run(steps=50)
        centers = np.random.default_rng(1).uniform(10, 1e4, (2_000_000, 3))
        radii = np.full(len(centers), 0.01)
        columns = sim.spheres._columns(centers, radii, GRAIN, sim.materials.index(GRAIN))
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**26, -1))
        try:
            sim.spheres._put(columns)
        except MemoryError:
            print("MemoryError", len(sim.ids) == len(sim.radii))
        sim.run(steps=50)
        whole.run(steps=100)
        print(state(sim) == state(whole))
    """
    assert run_code(code).stdout.split() == ["MemoryError", "True", "True"]


def test_the_walls_finder_outlives_everybody_else():
    sim = resting()
    sim._core.note(sim._core.known._replace(finder=None))
    np.random.default_rng(1).random(10**6)
    sim.run(steps=5)
    assert len(sim.contacts) == 1
