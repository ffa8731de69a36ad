"""A triaxial test in YADE, on a packing that is given: run by YADE, with two files for arguments.

The first one has what `test_yade` packed, in walls or in a periodic cell; the second one gets
strain and stresses. Stresses are those that the contacts have on the mean (`getStress`): the forces
of walls swing from step to step, and `TriaxialStressController.stress` has those of one phase of
the swing. YADE's names are there where it runs a script. At ten times the pressure YADE is unstable
with the step of `test_yade`, and stable with half of it.
"""

# ruff: noqa: F821

import os

import numpy as np

with np.load(os.environ["ABUT_YADE_START"]) as start:
    centers, radii, sides = start["centers"], start["radii"], start["sides"]
    young, density, friction, restitution = start["grain"].tolist()
    pressure, rate, step, strain = start["test"].tolist()
    periodic = start["periodic"].item()

grain = FrictMat(young=young, poisson=0.2, density=density, frictionAngle=np.arctan(friction))
O.materials.append(grain)
if periodic:
    O.periodic = True
    O.cell.setBox(*sides)
    # `mass` is an inertia in Pa s^2: strain rates change by step (goal - stress) / mass
    cell = PeriTriaxController(
        dynCell=True, mass=0.1, globUpdate=1, maxStrainRate=(10, 10, rate),
        stressMask=7, goal=(-pressure, -pressure, -pressure),
    )  # fmt: skip
else:
    wall = FrictMat(young=1e6 * young, poisson=0.2, density=0, frictionAngle=0)
    O.materials.append(wall)
    box = [Vector3(0, 0, 0), Vector3(*sides)]
    O.bodies.append(aabbWalls(box, thickness=0, material=wall))
    cell = TriaxialStressController(
        thickness=0, internalCompaction=False, max_vel=0.1, stressMask=7,
        goal1=-pressure, goal2=-pressure, goal3=-pressure,
    )  # fmt: skip
for center, radius in zip(centers, radii, strict=True):
    O.bodies.append(sphere(center, radius, material=grain))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Box_Aabb()]),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Box_Sphere_ScGeom()],
        [Ip2_FrictMat_FrictMat_MindlinPhys(en=restitution)],
        [Law2_ScGeom_MindlinPhys_Mindlin()],
    ),
    cell,
    NewtonIntegrator(damping=0),
]
O.dt = step


def lengths():
    return np.array(O.cell.size if periodic else (cell.width, cell.height, cell.depth))


O.run(8000, True)
cell.stressMask = 3
if periodic:
    cell.goal = (-pressure, -pressure, -10 * strain)  # at the largest rate
else:
    cell.goal3 = -rate
height, rows = lengths()[2], []
while not rows or rows[-1][0] < strain:
    O.run(50, True)
    stress = np.array(getStress(lengths().prod())).reshape(3, 3)
    rows.append((np.log(height / lengths()[2]), *-np.diag(stress)))
np.save(os.environ["ABUT_YADE_END"], rows)
