"""Materials: what they take, and that equal ones are one."""

import json
import pickle

import numpy as np
import pytest

import abut
from abut.base.values import from_dict


def test_equal_materials_are_one():
    assert abut.Material(1000, 1e7) == abut.Material(density=1000.0, young=1e7, poisson=0.2)
    assert len({abut.Material(1000, 1e7), abut.Material(np.float32(1000), 10_000_000)}) == 1
    assert abut.Material(1000, 1e7) != abut.Material(1000, 1e7, 0.3)


def test_shear_modulus():
    assert abut.Material(young=2.6e7, poisson=0.3).shear == pytest.approx(1e7)
    assert abut.Material().shear is None


def test_numbers_become_floats():
    material = abut.Material(np.int64(2500), np.float32(2.0), 0)
    assert repr(material) == "Material(density=2500.0, young=2.0, poisson=0.0)"
    assert all(type(v) is float for name, v in vars(material).items() if name != "name")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"density": 0}, "density is 0.0, but must be positive and finite"),
        ({"density": -1.0}, "density is -1.0"),
        ({"density": np.nan}, "density is nan"),
        ({"density": np.inf}, "density is inf"),
        ({"young": 0.0}, "young is 0.0"),
        ({"young": -1e7}, "young is -10000000.0"),
        ({"young": np.nan}, "young is nan"),
        ({"poisson": -1.0}, "poisson is -1.0, but must be above -1.0 and at most 0.5"),
        ({"poisson": 0.51}, "poisson is 0.51"),
        ({"poisson": np.nan}, "poisson is nan"),
        ({"young": [1.0, 2.0]}, r"young has shape \(2,\)"),
        ({"name": ""}, "name is empty"),
    ],
)
def test_what_is_no_material(arguments, message):
    with pytest.raises(ValueError, match=message):
        abut.Material(**arguments)


@pytest.mark.parametrize("name", ["density", "young", "poisson"])
@pytest.mark.parametrize("value", [True, "steel", 1j, object()])
def test_what_is_no_number(name, value):
    with pytest.raises(TypeError, match=name):
        abut.Material(**{name: value})


@pytest.mark.parametrize("cohesion", [None, abut.JKR(0.1), abut.DMT(0.1)])
def test_rubber_does_not_change_its_volume(cohesion, tmp_path):
    """With 1/2, E* = E / (2 (1 - 1/4)) and G* = E / 9 for two equal materials."""
    rubber = abut.Material(density=1000, young=9e6, poisson=0.5)
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(rubber, rubber, abut.Hertz(friction=0.5, cohesion=cohesion))
    sim.add_spheres([[0, 0, 0], [0.0199, 0, 0], [0.0399, 0, 0]], 0.01, rubber)
    sim.bond([[1, 2]], abut.Bond(young=9e6, poisson=0.5))
    assert 0 < sim.stable_step() < 1
    if cohesion is None:
        sim.run(steps=1)
        # R* = 0.005, overlap 1e-4
        assert sim.forces[0, 0] == pytest.approx(-4 / 3 * 6e6 * np.sqrt(0.005) * 1e-6)
    sim.save(tmp_path / "rubber.npz")
    other = abut.load_simulation(tmp_path / "rubber.npz")
    assert other.bonds.poisson.tolist() == [0.5]
    for one in (sim, other):
        one.run(steps=50)
    assert np.isfinite(sim.forces).all()
    assert sim.centers.tobytes() == other.centers.tobytes()


def test_none_is_no_ratio():
    with pytest.raises(TypeError, match="poisson is None"):
        abut.Material(poisson=None)


def test_a_name_tells_materials_apart():
    smooth, rough = abut.Material(name="smooth"), abut.Material(name="rough")
    assert smooth != rough and smooth != abut.Material()
    assert smooth == abut.Material(name="smooth")
    assert repr(smooth) == "Material(density=None, young=None, poisson=0.2, name='smooth')"
    assert "name" not in abut.Material().to_dict()  # which earlier versions read
    assert from_dict(json.loads(json.dumps(smooth.to_dict()))) == smooth
    with pytest.raises(TypeError, match="name is an int, but must be a string"):
        abut.Material(name=3)


def test_it_does_not_change():
    with pytest.raises(AttributeError):
        abut.Material(1000).density = 2.0


def test_copies():
    material = abut.Material(2500.0, 0.1 + 0.2, 0.3)
    assert pickle.loads(pickle.dumps(material)) == material
    assert from_dict(json.loads(json.dumps(material.to_dict()))) == material


@pytest.mark.parametrize(
    "stored", [{}, {"kind": "Steel"}, {"kind": "Material", "mass": 1.0}, {"kind": None}]
)
def test_what_was_not_stored(stored):
    with pytest.raises(ValueError, match=r"kind|Material"):
        from_dict(stored)
