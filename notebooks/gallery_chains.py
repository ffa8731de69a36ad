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
# # Force chains of a LAMMPS dump
#
# LAMMPS compressed 1,600 disks with friction 0.5 in a periodic box, and
# wrote two files: `dump custom` has the disks, `dump local` their contacts
# with the normal forces. `abut` reads both into the table that its own
# simulations have. The picture has a line for each contact, as wide as its
# force.
#
# Normal forces above the mean decay exponentially, as
# $P(f) \propto e^{-\beta f}$ with $f = N / \langle N \rangle$. For disks
# with friction, $\beta$ is 1.4 (Radjai, Jean, Moreau and Roux, Phys. Rev.
# Lett. 77 (1996) 274, from memory). Here the mean of $f - 1$ over the
# contacts with $f > 1$ is the estimate of $1 / \beta$. Those disks were
# rigid. These overlap by 0.14 % of a diameter; denser packings of the same
# run, which overlap by 0.6 and 2 %, had 1.6 and 1.9.

# %%
# %matplotlib inline
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

import abut

frame = abut.read_frames("data/disks.dump.gz")[0]
names = {
    "i": "c_ids[1]",
    "j": "c_ids[2]",
    "force": ("c_acts[1]", "c_acts[2]", "c_acts[3]"),
}
pairs = abut.read_pairs("data/contacts.dump.gz", frame, columns=names)
normal = np.sum(pairs.force * pairs.normal, axis=1)
pairs, normal = pairs[normal > 0], normal[normal > 0]
f = normal / normal.mean()
strong = f > 1
beta = 1 / np.mean(f[strong] - 1)
error = beta / np.sqrt(strong.sum())

# %%
arm_i, arm_j = pairs.arms(frame.centers)
start = frame.centers[pairs.i]
lines = np.stack([start, start + arm_i - arm_j], axis=1)[:, :, :2]

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 4.5), layout="constrained"
)
left.add_collection(LineCollection(lines, linewidths=f, colors="black"))
left.set(aspect="equal", xticks=[], yticks=[])
left.autoscale_view()
edges = np.linspace(0, 5, 21)
counts, _ = np.histogram(f, edges)
middles = (edges[1:] + edges[:-1]) / 2
density = counts / counts.sum() / np.diff(edges)
right.semilogy(middles[counts > 0], density[counts > 0], "ko")
high = np.array([1, 5])
decay = strong.mean() * 1.4 * np.exp(1.4 * (1 - high))
right.semilogy(high, decay, label="Radjai et al. (1996)")
right.set(xlabel="normal force / mean", ylabel="probability density")
right.legend()
print(f"{strong.mean():.0%} of {len(f)} contacts are above the mean force,")
print(f"and bear {f[strong].sum() / f.sum():.0%} of it")
print(f"beta = {beta:.2f} +- {error:.2f}, in the literature 1.4")
