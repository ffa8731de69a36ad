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
# # Grains bend a plate
#
# A wall may deform. `add_wall(mesh, deform=structure)` calls `structure` in
# each step with the forces of the grains on the vertices, and it returns
# the positions and velocities of the vertices. Here the structure is a
# plate of rubber, clamped at its rim. scikit-fem (`pip install
# "abut[structure]"`) provides the matrices. Grains are poured onto the
# plate. The energy that they give to the plate is conserved to second order
# of the step.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
import skfem
from scipy.sparse.linalg import splu
from skfem.helpers import dd, ddot, eye, trace

import abut
from abut.plot import plot_spheres

# %% [markdown]
# ## The plate
#
# Kirchhoff's plate is divided into squares by the element of Bogner, Fox
# and Schmit. Its unknowns at a node are the deflection, both slopes and the
# twist. With $K$ and $M$, and the forces $f_n$ at the beginning of a step,
# the velocities are updated by
#
# $$ \mathbf w^+ = \mathbf w^- + \Delta t
# \left( M + \tfrac{\Delta t^2}{4} K \right)^{-1}
# (\mathbf f_n - K \mathbf u_n), \qquad
# \mathbf u_{n+1} = \mathbf u_n + \Delta t\, \mathbf w^+ . $$
#
# These are central differences, as for the grains, and stable for any step
# (Newmark's method).

# %%
YOUNG, POISSON, DENSITY, THICK, SIDE, STEP = (
    3e8,
    0.4,
    1100.0,
    0.01,
    1.0,
    1e-4,
)
rigidity = YOUNG * THICK**3 / 12 / (1 - POISSON**2)
grid = skfem.MeshQuad.init_tensor(*[np.linspace(0, SIDE, 17)] * 2)
basis = skfem.Basis(grid, skfem.ElementQuadBFS())


@skfem.BilinearForm
def bending(u, v, _):
    moment = (1 - POISSON) * dd(u) + POISSON * eye(trace(dd(u)), 2)
    return rigidity * ddot(moment, dd(v))


@skfem.BilinearForm
def inertia(u, v, _):
    return DENSITY * THICK * u * v


K, M = bending.assemble(basis), inertia.assemble(basis)
nodes, free = basis.nodal_dofs[0], basis.complement_dofs(basis.get_dofs())
solve = splu((M + STEP**2 / 4 * K)[free][:, free].tocsc()).solve
u, w, balance = np.zeros(K.shape[0]), np.zeros(K.shape[0]), []
flat = np.column_stack([grid.p.T, np.zeros(len(nodes))])


def structure(time, forces):
    load, before = np.zeros_like(u), w.copy()
    load[nodes] = forces[:, 2]
    pull = load - K @ u
    w[free] += STEP * solve(pull[free])
    mean = (before + w) / 2
    balance.append(
        (
            time - STEP,
            (mean @ (M @ mean) + u @ (K @ u)) / 2,
            sim.energy.wall_work,
        )
    )
    u[:] += STEP * w
    return flat + u[nodes, None] * [0, 0, 1], w[nodes, None] * [0, 0, 1]


# %% [markdown]
# ## Grains on the plate
#
# Four half spaces keep the grains on the plate. Contacts use the velocities
# of the plate at its nodes, with the same nodal weights that carry the
# forces to them.

# %%
sim = abut.Simulation(step=STEP)
grain, frame = (
    abut.Material(density=1500, young=2e7, poisson=0.3),
    abut.Material(),
)
for other in grain, frame:
    sim.set_law(grain, other, abut.Hertz(friction=0.4, restitution=0.3))
plate = sim.add_wall(
    abut.Mesh(flat, grid.t.T, split="all"), frame, deform=structure
)
for place, normal in ((0, 1), (SIDE, -1)):
    sim.add_wall(abut.HalfSpace((place, 0, 0), (normal, 0, 0)), frame)
    sim.add_wall(abut.HalfSpace((0, place, 0), (0, normal, 0)), frame)
source = [[0.3, 0.3, 0.35], [0.7, 0.7, 0.6]]
pour = abut.Insertion(source, 0.035, rate=300, material=grain)
sim.add_insertion(pour, until=1.0)
sim.run(1.8)
print(
    f"{sim}: {plate.force[2]:.1f} N of {-9.81 * sim.masses.sum():.1f} N on "
    "the plate"
)

# %%
fig = plt.figure(figsize=(11, 4.5))
ax = fig.add_subplot(121, projection="3d")
sag = 1e3 * plate.mesh.vertices[plate.mesh.indices.reshape(-1, 3), 2].mean(
    axis=1
)
plate.mesh.plot(ax, scalars=sag, label="deflection (mm)", cmap="viridis")
near = sim.centers[:, 1] > SIDE / 2
plot_spheres(sim.centers[near], sim.radii[near], ax)
ax.set(zlim=(-0.1, 0.3), box_aspect=(1, 1, 0.4))
ax.view_init(25, -80)
time, energy, work = np.array(balance).T
right = fig.add_subplot(122)
right.plot(time, energy, label="energy of the plate")
right.plot(time, work, "--", label="work of the grains")
right.set(xlabel="time (s)", ylabel="J")
right.legend()

# %% [markdown]
# The front half is shown without its grains. The plate keeps vibrating,
# because nothing in it dissipates energy. Its energy equals the work of the
# grains at any time.

# %%
print(
    "energy and work differ by "
    f"{np.abs(energy - work).max() / energy.max():.1e} at most"
)
