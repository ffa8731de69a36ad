"""Collisions of two in YADE: run by YADE, for `collisions.by_yade`. YADE's names are there where it
runs a script."""

# ruff: noqa: F821

import os

import numpy as np

with np.load(os.environ["ABUT_YADE_START"]) as start:
    given = dict(start)
is_wall, stuff, radii = given["is_wall"], given["stuff"], given["radii"]
grains = [
    O.materials.append(FrictMat(young=young, poisson=poisson, density=density, frictionAngle=0))
    for young, poisson, density in given["stuffs"]
]
pairs = given["matches"][:, :2].astype(int).tolist()


def matched(values):
    """A number for each pair of materials."""
    return MatchMaker(
        matches=[(a, b, value) for (a, b), value in zip(pairs, values.tolist(), strict=True)]
    )


normal, tangential, damping, friction = given["matches"][:, 2:].T
friction = matched(np.arctan(friction))
if given["is_hertz"]:
    # abut's damping ratio of Hertz' law has a factor of sqrt(5/6)
    damping = np.sqrt(5 / 6) * damping
    physics = Ip2_FrictMat_FrictMat_MindlinPhys(
        frictAngle=friction, betan=matched(damping), betas=matched(damping)
    )
    law = Law2_ScGeom_MindlinPhys_Mindlin()
else:
    physics = Ip2_FrictMat_FrictMat_FrictPhys(
        frictAngle=friction, kn=matched(normal), ks=matched(tangential)
    )
    # the other arms are of pairs of spheres alone
    law = Law2_ScGeom_FrictPhys_CundallStrack(sphericalBodies=False)
ids = {}
for k, grain in enumerate(grains):
    plane = wall(0.0, axis=2, material=grain)
    # planes of all materials lie at the same height, each for its own spheres
    plane.mask = 2 << k
    O.bodies.append(plane)
for n in range(len(radii)):
    for side in (0, 1) if not is_wall[n] else (0,):
        ball = sphere(given["centers"][n, side], radii[n, side], material=grains[stuff[n, side]])
        ball.mask = 2 << int(stuff[n, 0]) if is_wall[n] else 1
        ball.state.vel = given["velocities"][n, side]
        ball.state.angVel = given["spins"][n, side]
        ids[n, side] = O.bodies.append(ball)
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Wall_Aabb()], verletDist=1e-3),
    InteractionLoop(
        [Ig2_Sphere_Sphere_ScGeom(), Ig2_Wall_Sphere_ScGeom()],
        [physics],
        [law],
    ),
    NewtonIntegrator(damping=0),
]
O.dt = float(given["step"])
O.run(int(given["steps"]), True)
for name, key in (("pos", "centers"), ("vel", "velocities"), ("angVel", "spins")):
    for (n, side), number in ids.items():
        given[key][n, side] = getattr(O.bodies[number].state, name)
np.savez(os.environ["ABUT_YADE_END"], **{k: given[k] for k in ("centers", "velocities", "spins")})
