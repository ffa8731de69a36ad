"""Laws: their numbers between two materials, and what they take."""

import json
import pickle

import numpy as np
import pytest

import abut
from abut.base.values import from_dict

GLASS = abut.Material(2500, 6e10, 0.24)
RUBBER = abut.Material(1100, 1e7, 0.49)
RIGID = abut.Material()

NO_COHESION = [0]


def test_hertz_between_two_materials():
    kind, stiffness, shear, *rest = abut.Hertz(0.5, 0.4).numbers(GLASS, RUBBER).values()
    assert kind == 1
    assert 1 / stiffness == pytest.approx((1 - 0.24**2) / 6e10 + (1 - 0.49**2) / 1e7, rel=1e-14)
    of_both = (2 - 0.24) * 2 * 1.24 / 6e10 + (2 - 0.49) * 2 * 1.49 / 1e7
    assert 1 / shear == pytest.approx(of_both, rel=1e-14)
    assert rest == [0.5, 0.4, 0, 0.0, 0.3, 0.0] + NO_COHESION


def test_a_rigid_material_adds_no_compliance():
    _, stiffness, shear, *_ = abut.Hertz().numbers(GLASS, RIGID).values()
    assert stiffness == pytest.approx(6e10 / (1 - 0.24**2), rel=1e-14)
    assert shear == pytest.approx(GLASS.shear / (2 - 0.24), rel=1e-14)


@pytest.mark.parametrize("law", [abut.Hertz(0.3), abut.Linear(1e4)])
def test_the_order_of_materials_does_not_matter(law):
    assert law.numbers(GLASS, RUBBER) == law.numbers(RUBBER, GLASS)


def test_hertz_between_two_rigid_materials():
    with pytest.raises(ValueError, match="both are rigid; give one of them young="):
        abut.Hertz().numbers(RIGID, abut.Material(density=1000))


def test_linear():
    law = abut.Linear(7e3, friction=0.3, restitution=0.8)
    assert list(law.numbers(RIGID, RIGID).values()) == pytest.approx(
        [2, 7e3, 2e3, 0.3, 0.8, 0, 0.0, 0.3, 0.0, *NO_COHESION], rel=1e-15
    )
    assert abut.Linear(1e3, tangential=0.5).numbers(GLASS, RIGID)["shear"] == 500.0


@pytest.mark.parametrize(
    ("rolling", "numbers"),
    [
        (0.0, (0, 0.0, 0.3)),
        (0.01, (2, 0.01, 0.3)),
        (abut.laws.RollingC(0.01), (2, 0.01, 0.3)),
        (abut.laws.RollingC(0.01, damping=0.0), (2, 0.01, 0.0)),
        (abut.laws.RollingA(0.02), (1, 0.02, 0.0)),
        (abut.laws.RollingA(0), (0, 0.0, 0.0)),
    ],
)
def test_rolling(rolling, numbers):
    for law in (abut.Hertz(rolling=rolling), abut.Linear(1.0, rolling=rolling)):
        found = law.numbers(GLASS, GLASS)
        names = ("rolling", "rolling_friction", "rolling_damping")
        assert tuple(found.get(name, 0) for name in names) == numbers


@pytest.mark.parametrize("make", [abut.Hertz, lambda **numbers: abut.Linear(1.0, **numbers)])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"friction": -0.1}, "friction is -0.1, but must be 0 or positive, and finite"),
        ({"friction": np.nan}, "friction is nan"),
        ({"friction": np.inf}, "friction is inf"),
        ({"restitution": 0}, "restitution is 0.0, but must be above 0 and at most 1"),
        ({"restitution": 1.01}, "restitution is 1.01"),
        ({"restitution": np.nan}, "restitution is nan"),
        ({"rolling": -0.1}, "rolling is -0.1"),
        ({"rolling": np.nan}, "rolling is nan"),
        ({"curvature": 0}, "curvature is 0.0, but must be positive"),
        ({"curvature": -1e-3}, "curvature is -0.001"),
        ({"curvature": np.nan}, "curvature is nan"),
    ],
)
def test_what_is_no_law(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        make(**arguments)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: abut.Linear(0), "stiffness is 0.0"),
        (lambda: abut.Linear(np.nan), "stiffness is nan"),
        (lambda: abut.Linear(1.0, tangential=-1), "tangential is -1.0"),
        (lambda: abut.laws.RollingA(-1.0), "coefficient is -1.0"),
        (lambda: abut.laws.RollingC(np.inf), "coefficient is inf"),
        (lambda: abut.laws.RollingC(0.1, -0.3), "damping is -0.3"),
    ],
)
def test_what_is_no_spring(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("name", ["friction", "restitution", "rolling"])
@pytest.mark.parametrize("value", [True, "high", None, abut.laws.RollingC])
def test_what_is_no_number(name, value):
    with pytest.raises(TypeError, match=name):
        abut.Hertz(**{name: value})


@pytest.mark.parametrize("value", [True, "flat", abut.laws.RollingC])
def test_what_is_no_curvature(value):
    with pytest.raises(TypeError, match="curvature"):
        abut.Linear(1.0, curvature=value)


def test_curvature():
    assert abut.Hertz(curvature=1e-3).numbers(GLASS, GLASS)["curvature"] == 1e-3
    assert abut.Linear(1.0, rolling=0.1, curvature=2).numbers(GLASS, GLASS)["curvature"] == 2.0
    assert abut.Hertz().curvature is None


def test_earlier_versions_read_laws_without_curvature():
    """Files without curvature do not contain fields that earlier versions cannot read."""
    assert "curvature" not in abut.Hertz(0.1).to_dict()
    assert abut.Hertz(0.1, curvature=0.5).to_dict()["curvature"] == 0.5


COHESIONS = [
    abut.laws.JKR(0.05),
    abut.laws.DMT(1 / 3),
    abut.laws.DMT(0.02, distance=4e-10),
    abut.laws.LiquidBridge(1e-12, 0.072),
    abut.laws.LiquidBridge(1e-12, surface_tension=0.072, contact_angle=0.35),
]


def test_numbers_of_cohesion():
    names = ("cohesion", "adhesion", "distance", "volume", "surface_tension", "contact_angle")
    wanted = [
        (1, 0.05, 0, 0, 0, 0),
        (2, 1 / 3, 0, 0, 0, 0),
        (2, 0.02, 4e-10, 0, 0, 0),
        (3, 0, 0, 1e-12, 0.072, 0),
        (3, 0, 0, 1e-12, 0.072, 0.35),
    ]
    for cohesion, numbers in zip(COHESIONS, wanted, strict=True):
        found = abut.Hertz(cohesion=cohesion).numbers(GLASS, RIGID)
        assert tuple(found.get(name, 0) for name in names) == numbers
    assert abut.Hertz().cohesion is None
    assert "cohesion" not in abut.Hertz(0.1).to_dict()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: abut.laws.JKR(0), "work_of_adhesion is 0.0, but must be positive and finite"),
        (lambda: abut.laws.JKR(np.nan), "work_of_adhesion is nan"),
        (lambda: abut.laws.DMT(-0.1), "work_of_adhesion is -0.1"),
        (lambda: abut.laws.DMT(0.1, 0), "distance is 0.0, but must be positive"),
        (lambda: abut.laws.DMT(0.1, np.inf), "distance is inf"),
        (lambda: abut.laws.LiquidBridge(0, 0.07), "volume is 0.0"),
        (lambda: abut.laws.LiquidBridge(1e-12, 0), "surface_tension is 0.0"),
        (lambda: abut.laws.LiquidBridge(1e-12, 0.07, -0.1), "contact_angle is -0.1"),
        (
            lambda: abut.laws.LiquidBridge(1e-12, 0.07, 20),
            r"contact_angle is 20.0, but must be at most 50 degrees, 0.8727",
        ),
        (
            lambda: abut.Linear(1e3, cohesion=abut.laws.JKR(0.1)),
            "Linear cannot have JKR, which needs Hertz' stiffness: use Hertz with JKR, or",
        ),
    ],
)
def test_what_is_no_cohesion(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("value", [0.05, True, "JKR", abut.laws.JKR, abut.laws.RollingC(0.1)])
@pytest.mark.parametrize("make", [abut.Hertz, lambda **numbers: abut.Linear(1.0, **numbers)])
def test_what_is_of_no_cohesive_type(make, value):
    with pytest.raises(TypeError, match="but must be a JKR, a DMT or a LiquidBridge"):
        make(cohesion=value)


def test_cohesion_is_a_keyword():
    with pytest.raises(TypeError):
        abut.Hertz(0.1, 0.9, 0.0, abut.laws.JKR(0.05))


@pytest.mark.parametrize(
    "law",
    [
        *(abut.Hertz(0.1, cohesion=cohesion) for cohesion in COHESIONS),
        abut.Linear(2.0, cohesion=COHESIONS[-1], curvature=1 / 3),
        abut.Hertz(0.1, 0.9, abut.laws.RollingA(0.3)),
        abut.Hertz(rolling=0.001),
        abut.Linear(1 / 3, 0.1 + 0.2, rolling=abut.laws.RollingC(0.1, 0.2)),
        abut.Linear(2.0, curvature=1 / 3),
    ],
)
def test_copies(law):
    assert pickle.loads(pickle.dumps(law)) == law
    assert from_dict(json.loads(json.dumps(law.to_dict()))) == law
    assert eval(repr(law), vars(abut.laws)) == law
    assert hash(from_dict(law.to_dict())) == hash(law)


def test_laws_that_differ():
    assert abut.Hertz(0.1) != abut.Hertz(0.2)
    assert abut.Hertz(rolling=abut.laws.RollingA(0.1)) != abut.Hertz(
        rolling=abut.laws.RollingC(0.1)
    )
