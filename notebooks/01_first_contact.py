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
# `abut` finds where spheres touch a mesh. This notebook starts with one
# sphere and one facet. Then it shows a finely meshed plane, where the
# contacts do not depend on the mesh, and a corner of two walls.
#
# The pictures need the extra `plot`: `pip install 'abut[plot]'`.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np

import abut
from abut import examples

# %% [markdown]
# ## One sphere over one facet
#
# A mesh consists of vertices and facets. A facet lists its corners
# counter-clockwise, as seen from its front. All lengths have the same unit,
# here meters.

# %%
mesh = abut.Mesh(
    [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]], [[0, 1, 2, 3]]
)
contacts = abut.find_contacts([[0.5, 1.0, 0.4]], 0.5, mesh)
contacts

# %% [markdown]
# There is one contact. Each column of the table is an array with one row
# for each contact:

# %%
for name in ("sphere", "facet", "type", "feature"):
    print(f"{name:8}", getattr(contacts, name))
for name in ("point", "normal", "overlap"):
    print(f"{name:8}", getattr(contacts, name))

# %% [markdown]
# * `point` lies on the mesh: it is the point of the facet that is closest
#   to the sphere's center.
# * `normal` is a unit vector from the mesh to the sphere's center. The wall
#   pushes the sphere along `+normal`, and the sphere pushes the wall along
#   `-normal`.
# * `overlap` is the radius minus the distance. It is positive when sphere
#   and mesh touch. Here it is 0.5 - 0.4 = 0.1.
# * `type` is the kind of feature on which the point lies. 0 is
#   `abut.FACET`, the inside of the facet.
#
# A force that acts at the point can be distributed to the vertices of the
# mesh. The contact lists these vertices as `node`, with a `weight` for
# each. The weights add up to 1, and the weighted mean of the vertices is
# the point. So force and moment are conserved.

# %%
print("nodes  ", contacts.node)
print("weights", contacts.weight)
print("mean   ", contacts.weight @ mesh.vertices[contacts.node])
print("point  ", contacts.point[0])

# %% [markdown]
# ## Over an edge, over a vertex
#
# If the sphere is beside the facet, the closest point lies on an edge. If
# the sphere is beyond a corner, the closest point is a vertex. `feature` is
# the number of this edge or vertex within the facet. Vertex *k* is corner
# *k*, and edge *k* runs from corner *k* to the next corner.

# %%
centers = np.array([[0.5, 1.0, 0.4], [2.2, 1.0, 0.3], [-0.2, -0.2, 0.2]])
contacts = abut.find_contacts(centers, 0.5, mesh)
names = np.array(["FACET", "EDGE", "VERTEX"])
for row in range(len(contacts)):
    span = slice(*contacts.node_offsets[row : row + 2])
    name, feature = names[contacts.type[row]], contacts.feature[row]
    print(f"sphere {contacts.sphere[row]} on {name} {feature}:")
    print(f"    overlap {contacts.overlap[row]:.3f}")
    print(f"    normal {np.round(contacts.normal[row], 3)}")
    print(
        f"    nodes {contacts.node[span]}, weights {contacts.weight[span]}"
    )

# %%
ax = contacts.plot(spheres=(centers, 0.5))
_ = ax.set_title("one contact of each type")
# %% [markdown]
# ## A plane of many facets
#
# The next sphere lies on a finely meshed plane and touches many facets at
# once. There should be one contact for any mesh, since there is one plane.
# With `resolution="all"` each facet that the sphere touches has a contact:

# %%
plane = examples.plane(cells=8)
center, radius = np.array([[0.45, 0.55, 0.12]]), 0.2
every = abut.find_contacts(center, radius, plane, resolution="all")
one = abut.find_contacts(center, radius, plane)
counts = np.bincount(every.type, minlength=3)
for name, count in zip(names, counts, strict=True):
    print(f"all: {count} on {name}")
print("hierarchy:", len(one))

# %% [markdown]
# A force from each of these contacts would push the sphere up far too hard.
# With linear springs, the upward force would be the right force times these
# factors:

# %%
right = radius - center[0, 2]
for title, found in {"all": every, "hierarchy": one}.items():
    upward = (found.overlap * found.normal[:, 2]).sum()
    print(f"{title}: {upward / right:.2f}")

# %% [markdown]
# The default, `resolution="hierarchy"`, keeps the nearest contact. Then the
# search tests the other contacts in the order of their distance. The
# tangent plane of a contact goes through the contact's point, at a right
# angle to the normal. A contact belongs to another wall if its point lies
# in front of the tangent planes of all contacts kept so far. Only then is
# the contact kept. On a plane no point lies in front, so one contact
# remains.

# %%
figure = plt.figure(figsize=(11, 5), layout="constrained")
for place, found in enumerate((every, one)):
    ax = figure.add_subplot(1, 2, place + 1, projection="3d")
    ax.view_init(elev=35, azim=-60)
    found.plot(ax=ax, spheres=(center, radius))
    title = "hierarchy" if found is one else "all"
    ax.set_title(f'resolution="{title}": {len(found)}')

# %% [markdown]
# When the sphere moves over the plane, across edges and vertices, nothing
# changes. There is one contact everywhere, with the same overlap to within
# rounding.

# %%
rng = np.random.default_rng(1)
many = np.column_stack(
    [rng.uniform(0.2, 0.8, (10_000, 2)), np.full(10_000, 0.12)]
)
contacts = abut.find_contacts(many, radius, plane)
print("contacts per sphere:", np.unique(contacts.counts))
error = np.abs(contacts.overlap - 0.08).max()
print("largest error of the overlap:", error)

# %% [markdown]
# ## Two walls stay two
#
# In a corner the sphere really touches two walls, and both contacts are
# kept.

# %%
corner = abut.Mesh(
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [0, 1, 1]],
    [[0, 1, 2, 3], [0, 3, 5, 4]],
)
contacts = abut.find_contacts([[0.25, 0.5, 0.28]], 0.3, corner)
print("normals\n", contacts.normal)
print("overlaps", contacts.overlap)

# %% [markdown]
# ## Further steps
#
# * `contacts.to_pandas()` makes a DataFrame.
# * `contacts.save("contacts.vtp")` writes a file for ParaView.
# * `contacts.weight_matrix()` is a sparse matrix that distributes forces to
#   the vertices of the mesh.
# * `abut.ContactFinder(mesh)`, built once, is faster for many queries of
#   one mesh.
