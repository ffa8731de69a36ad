"""Orders of accuracy: places are of first or second order in the step, as in docs/dem.md, and the
energy drift is always of second order."""

import importlib.util

import pytest

import scenes_orders as orders

FEW = {
    "Hertz", "Hertz, restitution 0.5", "linear, sticking, constant overlap", "JKR, during adhesion",
    "rolling A", "bond", "oscillating", "servo with mass", "cluster, free", "convex body, bounce",
    "a free wall",
}  # fmt: skip
ALL = [(group, name) for group, (scenes, _) in orders.GROUPS.items() for name in scenes]


def marks(name):
    return [] if name in FEW else [pytest.mark.ci]


@pytest.mark.parametrize(
    "group, name", [pytest.param(*one, marks=marks(one[1]), id=one[1]) for one in ALL]
)
def test_order(group, name):
    if name == "a user-defined law" and importlib.util.find_spec("numba") is None:
        pytest.skip("needs the extra law")
    scene, step = orders.GROUPS[group][0][name], orders.longest_step(name, group)
    changed, drifts = orders.halved(scene, step, 3)
    expected = orders.EXPECTED[name]
    # where contacts begin it swings
    assert max(orders.order(changed), orders.order(changed[1:])) > expected - 0.2
    assert orders.order(drifts) == pytest.approx(2, abs=0.1)
    assert drifts[-1] < 1e-4
