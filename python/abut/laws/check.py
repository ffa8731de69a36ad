"""Trials of a law on two spheres, or a sphere and a wall, which show how it behaves."""

from __future__ import annotations

import itertools
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from ..base.warnings import SimulationWarning, warn
from .cohesion import DMT, JKR
from .evaluation import Answer, BuiltIn, Contacts, evaluate, history_count
from .law_table import Law, Own, no_law, pulling
from .plain import Frictional, Hertz
from .probes import only_pulls, try_law

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .materials import Material

# overlaps at which a law is examined, as fractions of R*
_DEEP, _SHALLOW = 0.01, 0.001

# number of steps in an oscillation with the stiffness at _DEEP; largest number in a collision
_STEPS_A_SWING, _MOST_STEPS = 400, 8_000

# number of overlaps along each side of a loop, and also while a contact is pressed to _DEEP
_POINTS = 200

# speed at which damping is negligible, divided by the speed of a collision that reaches _DEEP
_SLOW = 1e-6

# distance between touching surfaces in meters; Tabor's number needs it if a law has no distance
_ATOMS = 1.65e-10


@dataclass(frozen=True)
class LawCheck:
    """Results of `check_law`. Printed, they are a table.

    Attributes
    ----------
    law : str
    radius, mass : float
        R* and m* of the contact.
    speeds, restitution : (k,) ndarray of float64
        Speeds of head-on collisions. Their restitution is the speed after divided by the speed
        before: 0 if the two stay together.
    pull_off_force, pull_off_work : float
        The largest pull while the two are slowly separated from an overlap of 1 % of R*, and the
        work against the pull in this separation.
    gained : dict of str to float
        Energy that appears from nothing; lost energy is negative. For closed loops without damping
        it is relative to the work of pressing to 1 % of R*. ``"normal"`` is for pressing and
        releasing, ``"shear"`` for sliding to and fro, ``"both"`` for a loop of overlap and sliding,
        ``"rolling"`` for a loop of overlap and rolling. ``"collision"`` is the largest gain in a
        thousand oblique collisions with spin and damping, relative to the energy before.
    stiffness, shear_stiffness, damping_ratio : float
        Slopes of the normal and the tangential force, and fraction of critical normal damping, at
        an overlap of 1 % of R*.
    stable_step : float
        Longest stable step of the first sphere with only this contact, at an overlap of 1 % of R*:
        see `Simulation.stable_step`.
    reach, jump : float
        The gap up to which the law acts, and the force with which contacts begin there.
    cost : float or None
        Nanoseconds per contact that the law's function takes, in blocks of 64, without the time
        that all laws need. None for built-in laws.
    tabor : float or None
        Tabor's number in SI units, if the law has a work of adhesion. Below 1 `DMT` is suitable,
        far above 1 `JKR`.
    """

    law: str
    radius: float
    mass: float
    speeds: Doubles
    restitution: Doubles
    pull_off_force: float
    pull_off_work: float
    gained: dict[str, float]
    stiffness: float
    shear_stiffness: float
    damping_ratio: float
    stable_step: float
    reach: float
    jump: float
    cost: float | None
    tabor: float | None = None

    def __str__(self) -> str:
        pairs = zip(self.speeds, self.restitution, strict=True)
        speeds = ", ".join(f"{e:.3f} at {v:.2g}" for v, e in pairs)
        gained = ", ".join(f"{name} {part:.2g}" for name, part in self.gained.items())
        lines = [
            f"{self.law}, R* {self.radius:.3g}, m* {self.mass:.3g}",
            f"restitution       {speeds}",
            f"pull-off          force {self.pull_off_force:.3g}, work {self.pull_off_work:.3g}",
            f"gained            {gained}",
            f"stiffness         {self.stiffness:.3g}, across {self.shear_stiffness:.3g}, damping"
            f" ratio {self.damping_ratio:.3g}",
            f"stable step       {self.stable_step:.3g}",
            f"reach             {self.reach:.3g}, jump {self.jump:.3g}",
        ]
        if self.cost is not None:
            lines.append(f"cost              {self.cost:.1f} ns a contact")
        if self.tabor is not None:
            lines.append(f"Tabor's number    {self.tabor:.3g}")
        return "\n".join(lines)


def check_law(
    law: Law, a: Material, b: Material, *, radius: float, other_radius: float | None = None
) -> LawCheck:
    """Try a law on two spheres, or a sphere and a wall, before a simulation uses it.

    Parameters
    ----------
    law : Hertz, Linear, Luding, or a law of your own
    a, b : Material
        Materials of the sphere, which needs a density, and of its partner. If b has a density, the
        partner is a sphere, else a wall.
    radius : float
        Radius of the sphere.
    other_radius : float, optional
        Radius of the other sphere; by default the same.

    Returns
    -------
    LawCheck
        Restitution for several speeds, pull-off force and work, energy gained in closed loops and
        in oblique collisions, stiffness, stable step, reach and jump, and cost. Printed, it is a
        table.

    Raises
    ------
    ValueError, TypeError
        If an argument is wrong, or as for `Simulation.set_law`.

    Warns
    -----
    SimulationWarning
        If the law pulls at every overlap that is tried, and never pushes.

    Examples
    --------
    >>> import abut
    >>> glass = abut.Material(density=2500, young=1e7)
    >>> found = abut.laws.check_law(abut.Hertz(restitution=0.5), glass, glass, radius=1e-3)
    >>> found.restitution.round(2)
    array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
    """
    if not isinstance(law, Law):
        raise no_law(law)
    if a.density is None:
        raise ValueError("a has no density, but the sphere needs a mass: Material(density=...)")
    own = checks.positive(radius, "radius")
    mass = _mass(a.density, own)
    if b.density is None:
        like = lone(own, mass)
    else:
        other = own if other_radius is None else checks.positive(other_radius, "other_radius")
        like = _pair(own, mass, other, _mass(b.density, other))
    asked: Own | BuiltIn
    tabor = None
    if isinstance(law, Own):
        try_law(law)
        asked = law
    else:
        numbers = law.numbers(a, b)
        asked = BuiltIn(repr(law), numbers, like["radius"])
        tabor = _tabor(law, numbers["stiffness"], like["radius"])
    if only_pulls(asked, Contacts(1, 1e-6, is_new=1.0, **like)):
        warn(pulling(law), SimulationWarning)
    return check(asked, like, mass, tabor)


def _mass(density: float, radius: float) -> float:
    return density * 4.0 / 3.0 * math.pi * radius**3


def _pair(radius: float, mass: float, other: float, other_mass: float) -> dict[str, float]:
    inertia, other_inertia = 0.4 * mass * radius**2, 0.4 * other_mass * other**2
    return {
        "radius": radius * other / (radius + other),
        "mass": mass * other_mass / (mass + other_mass),
        "inertia": inertia * other_inertia / (inertia + other_inertia),
        "radius_i": radius,
        "radius_j": other,
    }


def _tabor(law: Frictional, stiffness: float, radius: float) -> float | None:
    cohesion = law.cohesion
    if not isinstance(cohesion, JKR | DMT) or not isinstance(law, Hertz):
        return None
    distance = (cohesion.distance or _ATOMS) if isinstance(cohesion, DMT) else _ATOMS
    pull: float = radius * cohesion.work_of_adhesion**2 / (stiffness**2 * distance**3)
    return pull ** (1.0 / 3.0)


class Driver:
    """Contacts under one law, which are evaluated together; each call of `step` moves partners."""

    def __init__(self, law: Any, like: Mapping[str, float], count: int, step: float) -> None:
        self.law = law
        self.contacts = Contacts(count, step, **like)
        self.contacts.set(is_new=1.0)
        self.history = np.zeros((history_count(law), count))

    def step(
        self, overlap: Any, parting: Any = 0.0, sliding: Any = 0.0, rolling: Any = 0.0
    ) -> Answer:
        """Move partners to these overlaps in one step. Sliding is along x, rolling about y."""
        self.contacts.set(overlap=overlap, parting=parting)
        self.contacts["sliding"][:, 0] = sliding
        self.contacts["rolling"][:, 1] = rolling
        answer = evaluate(self.law, self.contacts, self.history)
        self.history = answer.history
        self.contacts.set(is_new=0.0)
        return answer


def check(law: Any, like: Mapping[str, float], mass: float, tabor: float | None) -> LawCheck:
    """Results for a contact with the inputs `like`; `mass` is the mass of its first sphere."""
    radius = like["radius"]
    normal, shear, damping = slopes(law, like, _DEEP * radius)
    omega = math.sqrt(max(normal, 1e-300) / like["mass"])
    speeds = omega * _DEEP * radius * np.logspace(-3.0, 0.0, 7)
    force, work = _pull_off(law, like, omega)
    stiffest = max(normal, 3.5 * shear)
    ratio = math.sqrt(3.5) * damping
    stable = math.sqrt(2.0 * mass / stiffest) / (math.sqrt(1 + ratio**2) + ratio)
    return LawCheck(
        law=str(law), radius=radius, mass=like["mass"], speeds=speeds,
        restitution=_restitution(law, like, speeds, omega), pull_off_force=force,
        pull_off_work=work, gained=_gained(law, like, omega), stiffness=normal,
        shear_stiffness=shear, damping_ratio=damping, stable_step=stable, reach=law.reach,
        jump=_jump(law, like), cost=_cost(law, like), tabor=tabor,
    )  # fmt: skip


def lone(radius: float, mass: float) -> dict[str, float]:
    """Inputs of a law for the contact of a sphere with a wall."""
    inertia = 0.4 * mass * radius**2
    return {
        "radius": radius, "mass": mass, "inertia": inertia, "radius_i": radius,
        "radius_j": math.inf,
    }  # fmt: skip


def slopes(law: Any, like: Mapping[str, float], overlap: float) -> tuple[float, float, float]:
    """Normal and tangential stiffness and damping ratio of a contact that was pressed to an overlap
    without sliding."""
    small = 1e-6 * overlap

    def push(more: float = 0.0, parting: float = 0.0) -> float:
        driver = Driver(law, like, 1, 1.0)
        for part in (0.25, 0.5, 0.75, 1.0):
            driver.step(part * overlap)
        return float(driver.step(overlap + more, parting).push[0])

    normal = max(abs(push(small) - push()), abs(push() - push(-small))) / small
    speed = 1e-3 * overlap * math.sqrt(max(normal, 1e-300) / like["mass"])
    damping = abs(push(0.0, speed) - push(0.0, -speed)) / (2.0 * speed)
    ratio = damping / (2.0 * math.sqrt(normal * like["mass"])) if normal > 0.0 else 0.0
    return normal, _shear_slope(law, like, overlap), ratio


def _shear_slope(law: Any, like: Mapping[str, float], overlap: float) -> float:
    """Tangential stiffness, from time steps of 1 and 2 with the same sliding velocity.

    A damper exerts the same force in both steps, so the forces differ by that of the spring.
    """
    way, forces = 1e-6 * overlap, []
    for step in (1.0, 2.0):
        driver = Driver(law, like, 1, step)
        driver.step(overlap)
        forces.append(float(driver.step(overlap, 0.0, way).tangent[0, 0]))
    return abs(forces[1] - forces[0]) / way


def _restitution(law: Any, like: Mapping[str, float], speeds: Doubles, omega: float) -> Doubles:
    step = 2.0 * math.pi / omega / _STEPS_A_SWING
    driver = Driver(law, like, len(speeds), step)
    overlap, parting = np.full(len(speeds), _begins(law)), -speeds
    overlap += 0.5 * step * speeds
    ended = np.zeros(len(speeds), bool)
    for _ in range(_MOST_STEPS):
        push = driver.step(overlap, parting).push
        parting = np.where(ended, parting, parting + step / like["mass"] * push)
        overlap = np.where(ended, overlap, overlap - step * parting)
        ended |= (overlap < -law.reach) & (parting > 0.0)
        if ended.all():
            break
    return np.where(ended, parting / speeds, 0.0)


def _work(law: Any, like: Mapping[str, float], omega: float, ways: Doubles) -> Doubles:
    """The work of a contact on its partners, summed along a path of (overlap, tangential
    displacement, rolled length)."""
    radius = like["radius"]
    step = float(np.abs(np.diff(ways, axis=0)).max()) / (_SLOW * omega * _DEEP * radius)
    driver = Driver(law, like, 1, step)
    driver.step(ways[0, 0])
    before = driver.step(ways[0, 0])
    work = [0.0]
    for old, new in itertools.pairwise(ways):
        apart, across, rolled = old[0] - new[0], new[1] - old[1], (new[2] - old[2]) / radius
        now = driver.step(new[0], apart / step, across / step, rolled / step)
        push = 0.5 * float(before.push[0] + now.push[0])
        tangent = 0.5 * float(before.tangent[0, 0] + now.tangent[0, 0])
        moment = 0.5 * float(before.moment[0, 1] + now.moment[0, 1])
        work.append(work[-1] + push * apart + tangent * across + moment * rolled)
        before = now
    return np.array(work)


def _way(*corners: tuple[float, float, float]) -> Doubles:
    """Points along straight lines between corners of a path."""
    sides = [np.linspace(a, b, _POINTS, endpoint=False) for a, b in itertools.pairwise(corners)]
    return np.concatenate([*sides, [corners[-1]]])


def _gained(law: Any, like: Mapping[str, float], omega: float) -> dict[str, float]:
    """Energy gained in the second pass of each loop, when the contact history has settled."""
    d, e, s = _DEEP * like["radius"], 0.5 * _DEEP * like["radius"], 0.02 * _DEEP * like["radius"]
    out, pressed = (e, 0.0, 0.0), (d, 0.0, 0.0)
    loops = {
        "normal": [out, pressed, out],
        "shear": [pressed, (d, s, 0.0), (d, -s, 0.0), pressed],
        "both": [out, pressed, (d, s, 0.0), (e, s, 0.0), out],
        "rolling": [out, pressed, (d, 0.0, s), (e, 0.0, s), out],
    }
    pressing = abs(_work(law, like, omega, _way((0.0, 0.0, 0.0), pressed))[-1]) or 1.0
    found = {}
    for name, corners in loops.items():
        work = _work(law, like, omega, _way(*corners, *corners[1:]))
        found[name] = float(work[-1] - work[len(work) // 2]) / pressing
    return found | {"collision": _collided(law, like, omega)}


def _collided(law: Any, like: Mapping[str, float], omega: float) -> float:
    """The largest relative energy gain of oblique collisions with spin and damping."""
    mass, inertia, radius = (like[name] for name in ("mass", "inertia", "radius"))
    speed = omega * _DEEP * radius
    slips = np.concatenate([-np.logspace(-1.0, 1.0, 16), np.logspace(-1.0, 1.0, 16)])
    across, turning = (part.ravel() * speed for part in np.meshgrid(slips, slips))
    spin, parting = turning / radius, np.full(across.shape, -speed)

    def energy() -> Doubles:
        return mass * (parting**2 + across**2) + inertia * spin**2

    before = energy()
    step = 2.0 * math.pi / omega / _STEPS_A_SWING
    driver, overlap = Driver(law, like, len(spin), step), np.full(across.shape, _begins(law))
    overlap += 0.5 * step * speed
    ended = np.zeros(len(spin), bool)
    for _ in range(_MOST_STEPS):
        answer = driver.step(overlap, parting, across - radius * spin, spin)
        length = np.where(ended, 0.0, step)
        parting = parting + length / mass * answer.push
        across = across + length / mass * answer.tangent[:, 0]
        spin = spin + length / inertia * (answer.moment[:, 1] - radius * answer.tangent[:, 0])
        overlap = overlap - length * parting
        ended |= (overlap < -law.reach) & (parting > 0.0)
        if ended.all():
            break
    return float(np.max(np.where(ended, energy() / before, 1.0)) - 1.0)


def _pull_off(law: Any, like: Mapping[str, float], omega: float) -> tuple[float, float]:
    """The largest pull from an overlap of 1 % of R* to the law's reach, and the work of pulls."""
    radius = like["radius"]
    driver = Driver(law, like, 1, _DEEP / _SHALLOW / (_SLOW * omega))
    for overlap in np.linspace(0.0, _DEEP * radius, _POINTS):
        driver.step(overlap)
    near = min(_SHALLOW * radius, law.reach) if law.reach else 0.0
    out = np.concatenate([
        np.linspace(_DEEP, 0.0, 5 * _POINTS) * radius,
        np.linspace(0.0, -near, 5 * _POINTS)[1:] if near else [],
        np.linspace(-near, -law.reach, 5 * _POINTS)[1:] if law.reach > near else [],
    ])  # fmt: skip
    push = np.array([driver.step(overlap).push[0] for overlap in out])
    pulls = np.minimum(push, 0.0)
    return abs(float(pulls.min())), abs(float(np.trapezoid(pulls, out)))


def _begins(law: Any) -> float:
    """The overlap at which contacts begin. Some built-in laws pull beyond touch, but only after the
    two have touched."""
    return getattr(law, "begins", -float(law.reach)) + 0.0


def _jump(law: Any, like: Mapping[str, float]) -> float:
    start = _begins(law) * (1.0 - 1e-9)
    return float(Driver(law, like, 1, 1e-9).step(start).push[0])


def _cost(law: Any, like: Mapping[str, float]) -> float | None:
    if isinstance(law, BuiltIn):
        return None
    contacts = Contacts(64, 1e-9, **like)
    contacts.set(overlap=np.linspace(0.0, _DEEP, 64) * like["radius"])
    history = np.zeros((history_count(law), 64))

    def seconds(repeats: int) -> float:
        begin = time.perf_counter()
        evaluate(law, contacts, history, repeats)
        return time.perf_counter() - begin

    # the difference of 1001 and 1 repeats is without the time that Python needs for a call
    best: Callable[[int], float] = lambda n: min(seconds(n) for _ in range(5))  # noqa: E731
    return max(best(1001) - best(1), 0.0) / 1000 / 64 * 1e9
