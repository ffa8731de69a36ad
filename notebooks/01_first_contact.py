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
# # First contact
#
# `abut` answers one question: where do these spheres touch this mesh? This notebook starts with one
# sphere and one facet, and ends with a surface whose mesh should not matter, and does not.
#
# Pictures need the extra `plot`: `pip install 'abut[plot]'`.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut
from abut import examples

# %% [markdown]
# ## One sphere over one facet
#
# A mesh is vertices and facets; a facet names its corners counter-clockwise, as seen from its
# front. Lengths are in whatever unit you use, here meters.

# %%
mesh = abut.Mesh([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], [[0, 1, 2, 3]])
contacts = abut.find_contacts([[0.5, 1.0, 0.4]], 0.5, mesh)
contacts

# %% [markdown]
# One contact. Each column is an array with a row for each contact:

# %%
for name in ("sphere", "facet", "type", "feature", "point", "normal", "overlap"):
    print(f"{name:8}", getattr(contacts, name))

# %% [markdown]
# * `point` lies on the mesh: it is the facet's closest point to the sphere's center.
# * `normal` is a unit vector *from the mesh to the sphere's center*. The wall pushes the sphere
#   along `+normal`, the sphere pushes the wall along `-normal`.
# * `overlap` is radius minus distance, positive when they touch. DEM papers also call it
#   indentation. Here 0.5 - 0.4 = 0.1.
# * `type` says what the point lies on. 0 is `abut.FACET`: the facet's inside.
#
# The force that acts at the point has to reach the mesh's vertices. The contact's nodes and weights
# say how: the weights add up to 1 and the weighted vertices to the point, so that neither force nor
# moment is lost.

# %%
print("nodes  ", contacts.node)
print("weights", contacts.weight)
print("carried to", contacts.weight @ mesh.vertices[contacts.node], "= point", contacts.point[0])

# %% [markdown]
# ## Over an edge, over a vertex
#
# Beside the facet the closest point lies on an edge, and off its corner on a vertex. `feature` says
# which one: edge *k* runs from the facet's corner *k* to the next, vertex *k* is corner *k*.

# %%
centers = np.array([[0.5, 1.0, 0.4], [2.2, 1.0, 0.3], [-0.2, -0.2, 0.2]])
contacts = abut.find_contacts(centers, 0.5, mesh)
names = np.array(["FACET", "EDGE", "VERTEX"])
for row in range(len(contacts)):
    span = slice(*contacts.node_offsets[row : row + 2])
    print(
        f"sphere {contacts.sphere[row]} on {names[contacts.type[row]]} {contacts.feature[row]}:"
        f" overlap {contacts.overlap[row]:.3f}, normal {np.round(contacts.normal[row], 3)},"
        f" nodes {contacts.node[span]}, weights {contacts.weight[span]}"
    )

# %%
ax = contacts.plot(spheres=(centers, 0.5))
_ = ax.set_title("one contact of each type")
# %% [markdown]
# ## A plane of many facets
#
# Now a sphere over a plane that is meshed finely: it reaches many facets at once. The sphere stands
# on *one* plane, and should feel one contact, whatever the mesh. With `resolution="all"` every
# touching facet reports its own:

# %%
plane = examples.plane(cells=8)
center, radius = np.array([[0.45, 0.55, 0.12]]), 0.2
every = abut.find_contacts(center, radius, plane, resolution="all")
one = abut.find_contacts(center, radius, plane)
for name, count in zip(names, np.bincount(every.type, minlength=3), strict=True):
    print(f"all: {count} on {name}")
print("hierarchy:", len(one))

# %% [markdown]
# A force for every touching facet would push the sphere up far too hard. With a linear spring the
# push along z would be this many times the right one:

# %%
right = radius - center[0, 2]
for title, found in {"all": every, "hierarchy": one}.items():
    print(f"{title}: {(found.overlap * found.normal[:, 2]).sum() / right:.2f}")

# %% [markdown]
# The double hierarchy keeps the nearest contact. Another one stays only if its point stands *in
# front of* the tangent plane at each nearer point that is kept: then it belongs to another wall. On
# a plane no point does, so one is left.

# %%
figure = plt.figure(figsize=(11, 5), layout="constrained")
for place, (title, found) in enumerate({"all": every, "hierarchy": one}.items()):
    ax = figure.add_subplot(1, 2, place + 1, projection="3d")
    ax.view_init(elev=35, azim=-60)
    found.plot(ax=ax, spheres=(center, radius))
    ax.set_title(f'resolution="{title}": {len(found)}')

# %% [markdown]
# Move the sphere over the plane, across edges and vertices, and nothing changes: one contact
# everywhere, with the same overlap to within rounding.

# %%
rng = np.random.default_rng(1)
many = np.column_stack([rng.uniform(0.2, 0.8, (10_000, 2)), np.full(10_000, 0.12)])
contacts = abut.find_contacts(many, radius, plane)
print("contacts per sphere:", np.unique(contacts.counts))
print("largest error of the overlap:", np.abs(contacts.overlap - 0.08).max())

# %% [markdown]
# ## Two walls stay two
#
# Where the surface has a corner, the sphere does touch two walls, and both contacts stay.

# %%
corner = abut.Mesh(
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]], [[0, 1, 2, 3], [0, 3, 5, 4]]
)
contacts = abut.find_contacts([[0.25, 0.5, 0.28]], 0.3, corner)
print("normals\n", contacts.normal)
print("overlaps", contacts.overlap)

# %% [markdown]
# The table goes on from here: `contacts.to_pandas()`, `contacts.save("contacts.vtp")` for ParaView,
# `contacts.weight_matrix()` for forces on the mesh. For many queries on one mesh build
# `abut.ContactFinder(mesh)` once and call its `find`.
