"""A triaxial test in YADE, on a packing that is given: run by YADE, with two files for arguments.

The first one has what `test_yade` packed, the second one gets strain and stresses. Stresses are
those that the cell's contacts have on the mean (`getStress`): the forces of its walls swing from
step to step, and `TriaxialStressController.stress` has those of one phase of the swing. YADE's
names are there where it runs a script.
"""

# ruff: noqa: F821

import os

import numpy as np

with np.load(os.environ["ABUT_YADE_START"]) as start:
    centers, radii, sides = start["centers"], start["radii"], start["sides"]
    young, density, friction, restitution = start["grain"].tolist()
    pressure, rate, step, strain = start["test"].tolist()

grain = FrictMat(young=young, poisson=0.2, density=density, frictionAngle=np.arctan(friction))
wall = FrictMat(young=1e6 * young, poisson=0.2, density=0, frictionAngle=0)
O.materials.append([grain, wall])
box = [Vector3(0, 0, 0), Vector3(*sides)]
O.bodies.append(aabbWalls(box, thickness=0, material=wall))
for center, radius in zip(centers, radii, strict=True):
    O.bodies.append(sphere(center, radius, material=grain))
cell = TriaxialStressController(
    thickness=0, internalCompaction=False, max_vel=0.1, stressMask=7,
    goal1=-pressure, goal2=-pressure, goal3=-pressure,
)  # fmt: skip
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
O.run(8000, True)
cell.stressMask, cell.goal3 = 3, -rate
height, rows = cell.depth, []
while not rows or rows[-1][0] < strain:
    O.run(50, True)
    stress = np.array(getStress(cell.width * cell.height * cell.depth)).reshape(3, 3)
    rows.append((np.log(height / cell.depth), *-np.diag(stress)))
np.save(os.environ["ABUT_YADE_END"], rows)
