# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Tumbling dice: how high a drum lifts grains that cannot roll
#
# A drum that turns slowly lifts its bed up to an angle at which grains go
# down as fast as they go up. A bed of spheres is steep only with rolling
# friction (Zhou et al., Phys. Rev. E 64 (2001) 021301). Dice need none,
# since they lie on their faces.
#
# Cubes and spheres of the same volume are compared here, with the same
# contact law. The angle is that of the center of mass, from the vertical.

# %%
import numpy as np

import abut
from abut.plot import render

HALF, DRUM, WIDTH, SIDES, RATE = 4e-3, 0.06, 0.04, 16, 3.0
APART = 2.1 * np.sqrt(3) * HALF
cube = abut.ConvexShape(
    [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
)
across = APART * (np.arange(7) - 3)
places = np.stack(
    np.meshgrid(across, across, WIDTH * np.array([0.25, 0.75])), -1
).reshape(-1, 3)
places = places[np.hypot(*places[:, :2].T) < DRUM - 0.55 * APART]


def drum_of(add):
    grain, wood = abut.Material(density=1200, young=1e6), abut.Material()
    options = {
        "gravity": (0, -9.81, 0),
        "period": (None, None, WIDTH),
        "workers": 1,
    }
    sim = abut.Simulation(step=3e-5, **options)
    for other in (grain, wood):
        law = abut.Linear(stiffness=1e3, friction=0.4, restitution=0.3)
        sim.set_law(grain, other, law)
    for angle in 2 * np.pi * np.arange(SIDES) / SIDES:
        out = np.array([np.cos(angle), np.sin(angle), 0])
        sim.add_wall(abut.HalfSpace(DRUM * out, -out), wood)
    add(sim, grain)
    sim.run(0.25)
    for wall in sim.walls:
        wall.motion = abut.Rotating((0, 0, 1), rate=RATE)
    sim.run(0.25)
    return sim


def add_dice(sim, grain):
    turns = np.random.default_rng(1).normal(size=(len(places), 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    sim.add_bodies(cube, places, grain, scales=HALF, orientations=turns)


def add_spheres(sim, grain):
    sim.add_spheres(places, (6 / np.pi) ** (1 / 3) * HALF, grain)


# %%
for name, add in {"spheres": add_spheres, "dice": add_dice}.items():
    sim = drum_of(add)
    middles = sim.record(
        5e-3,
        lambda s: np.vstack([s.centers, s.bodies.centers]).mean(axis=0),
    )
    sim.run(0.8)
    angles = np.degrees(
        np.arctan2(middles.values[:, 0], -middles.values[:, 1])
    )
    print(f"{name}: center of mass lifted by {angles.mean():.0f} degrees")
step = RATE * (sim.time - 0.25) + np.pi / SIDES
turn = np.eye(4)
turn[:2, :2] = [[np.cos(step), -np.sin(step)], [np.sin(step), np.cos(step)]]
turn[2, 3] = WIDTH / 2
around = abut.examples.cylinder(DRUM / np.cos(np.pi / SIDES), WIDTH, SIDES)
look = {"view": (0.15, 0.1, 1), "up": (0, 1, 0), "label": "speed in m/s"}
render(sim, "speed", walls=around.transformed(turn), **look)
