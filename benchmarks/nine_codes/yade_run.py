"""A case of nine_codes_scenes.py as a script for YADE.

Environment variables name two files. YADE defines its own names before it runs a script.
"""

# ruff: noqa: F821

import os
import time

import numpy as np

with np.load(os.environ["ABUT_YADE_START"]) as file:
    given = {name: file[name] for name in file}

materials = [
    FrictMat(young=float(young), poisson=float(poisson), density=float(density))
    for (density, _, poisson), young in zip(given["materials"], given["young"], strict=True)
]
numbers = [O.materials.append(material) for material in materials]
facets = [facet(list(map(Vector3, one)), material=materials[-1]) for one in given["corners"]]
walls = O.bodies.append(facets)
spheres = []
for center, radius, kind in zip(given["centers"], given["radii"], given["kinds"], strict=True):
    spheres.append(O.bodies.append(sphere(Vector3(center), radius, material=materials[kind])))
for number, velocity in zip(spheres, given["velocities"], strict=True):
    O.bodies[number].state.vel = Vector3(velocity)


def matched(table):
    """YADE's MatchMaker for a table with one number per pair of materials."""
    pairs = [(i, j) for i in range(len(numbers)) for j in range(i, len(numbers))]
    return MatchMaker(matches=tuple((numbers[i], numbers[j], float(table[i, j])) for i, j in pairs))


O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Facet_Aabb()]),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Facet_Sphere_ScGeom(hertzian=True)],
        [
            Ip2_FrictMat_FrictMat_MindlinPhys(
                en=matched(given["restitution"]),
                frictAngle=matched(np.arctan(given["friction"])),
            )
        ],
        [Law2_ScGeom_MindlinPhys_Mindlin()],
    ),
    NewtonIntegrator(damping=0, gravity=Vector3(0, 0, -float(given["gravity"]))),
]
if given["rate"]:
    O.engines = [
        *O.engines,
        RotationEngine(
            rotateAroundZero=True, zeroPoint=Vector3(0, 0, 0), rotationAxis=Vector3(0, 1, 0),
            angularVelocity=float(given["rate"]), ids=walls,
        ),
    ]  # fmt: skip
O.dt = float(given["step"])


def told():
    states = [O.bodies[number].state for number in spheres]
    return np.array([state.pos for state in states]), np.array([state.vel for state in states])


samples, seconds = [told()], 0.0
for _ in range(int(given["samples"])):
    before = time.process_time()
    O.run(int(given["steps"]), True)
    seconds += time.process_time() - before
    samples.append(told())
centers, velocities = map(np.array, zip(*samples, strict=True))
np.savez(os.environ["ABUT_YADE_END"], centers=centers, velocities=velocities, seconds=seconds)
