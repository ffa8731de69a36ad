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
# # Spheres of all sizes
#
# `abut.find_pairs` finds the spheres that touch each other. For spheres of
# one size, a grid of cells is enough: spheres that touch are in the same
# cell or in adjacent ones. If sizes differ, cells that are large enough for
# the largest spheres hold many small ones. A *hierarchical grid* has
# several levels with cells of different sizes. This notebook draws the
# levels, computes how many there should be, and compares this with counts.
#
# The method and the model of its work are those of D. Krijgsman, V. Ogarko
# and S. Luding, "Optimal parameters for a hierarchical grid data structure
# for contact detection in arbitrarily polydisperse particle systems",
# Computational Particle Mechanics 1 (2014),
# [doi:10.1007/s40571-014-0020-9](https://doi.org/10.1007/s40571-014-0020-9).

# %%
# %matplotlib inline
import time
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import EllipseCollection, LineCollection

import abut

# %% [markdown]
# ## A power law of sizes
#
# The radii have the distribution of the paper: a density proportional to
# r^alpha, from the smallest radius to ω times that. With alpha = 0 all
# radii are equally frequent. With -2 each range of radii has the same area,
# and with -3 the same volume, so small spheres dominate in number.


# %%
def draw_radii(rng, alpha, ratio, count):
    """Radii from 1 to `ratio`, with the density r**alpha, alpha not -1."""
    power = 1 + alpha
    return (1 + rng.random(count) * (ratio**power - 1.0)) ** (1 / power)


def law(alpha, ratio, count=2000):
    """The distribution as radii and their probabilities, for the model."""
    edges = float(ratio) ** (np.arange(count + 1) / count)
    middles = np.sqrt(edges[1:] * edges[:-1])
    probability = middles ** (alpha + 1)
    # both ends have no weight, but set the range of sizes
    radii = np.concatenate([[1], middles, [ratio]])
    return radii, np.concatenate(
        [[0], probability / probability.sum(), [0]]
    )


# %% [markdown]
# The example has disks with alpha = -3 and ω = 20 in a square that is
# periodic in both directions. They cover 40 % of it. The positions are
# random, so many disks overlap.

# %%
rng = np.random.default_rng(7)
radii = draw_radii(rng, -3, 20, 1500)
side = np.sqrt(np.pi * (radii**2).sum() / 0.4)
centers = rng.uniform(0, side, (len(radii), 2))
finder = abut.PairFinder(radii, levels=4, period=(side, side))
pairs = finder.find(centers)
print(pairs)
print("sizes of the levels:", finder.statistics().sizes.round(2))

# %% [markdown]
# A sphere belongs to the first level whose cells are at least as large as
# its diameter. Each picture shows the cells and disks of one level. The
# number of disks in a cell is about the same on all levels.


# %%
def draw_disks(ax, shown, color, **style):
    across = 2 * radii[shown]
    ax.add_collection(
        EllipseCollection(
            across,
            across,
            np.zeros(len(across)),
            units="x",
            offsets=centers[shown],
            offset_transform=ax.transData,
            facecolors=color,
            edgecolors="k",
            **style,
        )
    )


def draw_cells(ax, lengths):
    for length, line in zip(lengths, (ax.axvline, ax.axhline), strict=True):
        for place in np.arange(round(side / length) + 1) * length:
            line(place, color="0.85", linewidth=0.7, zorder=0)


grid = finder.statistics()
level = np.searchsorted(grid.sizes, 2 * radii)
colors = plt.cm.viridis(np.linspace(0.95, 0.15, len(grid.sizes)))
figure, axes = plt.subplots(
    1, len(grid.sizes), figsize=(13, 3.6), layout="constrained"
)
for h, ax in enumerate(axes):
    ax.set(
        xlim=(0, side), ylim=(0, side), aspect="equal", xticks=[], yticks=[]
    )
    draw_cells(ax, grid.lengths[h])
    draw_disks(ax, level == h, colors[h], linewidths=0.3)
    ax.set_title(
        f"level {h + 1}: {grid.level_spheres[h]} "
        f"disks,\n{grid.spheres_per_cell[h]:.1f} in a cell"
    )

# %% [markdown]
# The next picture shows all levels and the pairs that touch, as lines from
# center to center. `pairs.image` is the periodic image of the second disk
# of a pair. Pairs across the border are not drawn.

# %%
figure, ax = plt.subplots(figsize=(9, 7), layout="constrained")
ax.set(xlim=(0, side), ylim=(0, side), aspect="equal", xticks=[], yticks=[])
for h in range(len(grid.sizes))[::-1]:
    draw_disks(ax, level == h, colors[h], linewidths=0.3, alpha=0.6)
    label = f"level {h + 1}: diameters to {grid.sizes[h]:.1f}"
    ax.plot(
        [],
        [],
        "o",
        color=colors[h],
        alpha=0.6,
        markersize=4 + 3 * h,
        label=label,
    )
inside = (pairs.image == 0).all(axis=1)
ends = np.stack(
    [centers[pairs.i[inside]], centers[pairs.j[inside]]], axis=1
)
lines = LineCollection(
    ends, colors="tab:red", linewidths=0.8, label="a pair that touches"
)
ax.add_collection(lines)
ax.set_title(
    f"{len(radii):,} disks, and {len(ends)} pairs that touch inside the "
    "square"
)
_ = ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)

# %% [markdown]
# ## The expected work
#
# A search tests pairs, and it reads cells to find them. The model of the
# paper counts both: T = T_cd + K T_ca. Here K is the cost of reading a
# cell, in pair tests. The positions are assumed to be random. On its own
# level a sphere is tested against half of the spheres in 27 cells (9 in the
# plane). In addition it reads all cells in reach, on the levels below its
# own (*top-down*) or on those above (*bottom-up*). `docs/method.md`,
# section 7, has the formulas.
#
# The paper has one example with all numbers: disks, alpha = -3, ω = 20, 40
# % filled, K = 0.2.

# %%
r, p = law(-3, 20)
plane = {"dimension": 2, "volume_fraction": 0.4, "probability": p}
best = abut.grid.cell_sizes(r, family="optimal", levels=5, **plane)
several = abut.grid.expected_work(r, best, **plane)
single = abut.grid.expected_work(r, [40], **plane)
print("five levels:", best.round(1))
print(several)
print(single)
print(
    f"a single level is {single.total / several.total:.1f} times as much "
    "work; the paper says 35"
)

# %% [markdown]
# ## Four families of cell sizes
#
# The paper compares four ways to choose the sizes of the cells:
#
# * *linear*,
# * *exponential*,
# * *constant*: cells of all levels hold the same number of spheres,
# * *optimal*.
#
# The plots show the work of each family against the ratio ω of the radii.
# Each family has its best number of levels, up to 12. The spheres are in
# space, 60 % filled.

# %%
FAMILIES = {
    "linear": ("tab:orange", "s"),
    "exponential": ("tab:green", "^"),
    "constant": ("tab:blue", "o"),
    "optimal": ("tab:red", "x"),
}
RATIOS = np.array([1.5, 2, 3, 5, 10, 20, 50, 100])
ALPHAS = (0, -2, -3)
SEARCHES = ("top-down", "bottom-up")


def least_work(family, alpha, ratio, search):
    """The least work with sizes of a family, as `abut.grid.Work`."""
    radii, probability = law(alpha, ratio)
    options = {"probability": probability, "search": search}
    return abut.grid.expected_work(
        radii,
        abut.grid.cell_sizes(radii, family=family, **options),
        **options,
    )


WORKS = {
    (family, alpha, search): [
        least_work(family, alpha, ratio, search) for ratio in RATIOS
    ]
    for family in FAMILIES
    for alpha in ALPHAS
    for search in SEARCHES
}


def single_level(alpha, ratio):
    radii, probability = law(alpha, ratio)
    return abut.grid.expected_work(
        radii, [2 * ratio], probability=probability
    ).total


figure, axes = plt.subplots(
    2, 3, figsize=(12, 7), layout="constrained", sharex=True, sharey="row"
)
for row, search in zip(axes, SEARCHES, strict=True):
    for ax, alpha in zip(row, ALPHAS, strict=True):
        singles = [single_level(alpha, ratio) for ratio in RATIOS]
        ax.plot(RATIOS, singles, "--", color="0.6", label="single level")
        for family, (color, marker) in FAMILIES.items():
            totals = [work.total for work in WORKS[family, alpha, search]]
            ax.plot(
                RATIOS,
                totals,
                marker=marker,
                color=color,
                label=family,
                markersize=5,
            )
        ax.set(
            xscale="log",
            ylim=(0, 75),
            title=f"{search}, $\\alpha$ = {alpha}",
        )
        ax.grid(color="0.92")
    row[0].set_ylabel("work a sphere, in pair tests")
for ax in axes[1]:
    ax.set(
        xlabel="ω, largest radius / smallest",
        xticks=[2, 5, 10, 20, 50, 100],
    )
    ax.set_xticklabels([2, 5, 10, 20, 50, 100])
handles, labels = axes[0, 0].get_legend_handles_labels()
_ = figure.legend(
    handles, labels, loc="outside upper center", ncols=5, frameon=False
)

# %% [markdown]
# * The work with a single level grows out of the picture. With good sizes
#   the work hardly grows with ω. Top-down, with many small spheres, it even
#   decreases.
# * With many small spheres, bottom-up is two or three times as much work as
#   top-down, because the small spheres read the other levels.
# * *Constant* is close to the optimum and needs no optimizer. So it is the
#   default:

# %%
print("work of the constant family over that of the optimum, top-down")
for alpha in ALPHAS:
    near = zip(
        WORKS["constant", alpha, "top-down"],
        WORKS["optimal", alpha, "top-down"],
        strict=True,
    )
    print(
        f"alpha = {alpha:2}:",
        *[f"{one.total / best.total:.3f}" for one, best in near],
    )

# %% [markdown]
# The next plots show the best number of levels, and the work with other
# numbers. *Exponential* needs exactly the right number. *Linear* needs very
# many levels.

# %%
figure, (left, right) = plt.subplots(
    1, 2, figsize=(12, 4), layout="constrained"
)
radii_100, probability_100 = law(-3, 100)
for family, (color, marker) in FAMILIES.items():
    counts = [len(work.sizes) for work in WORKS[family, -3, "top-down"]]
    left.plot(RATIOS, counts, marker=marker, color=color, label=family)
    works = []
    for levels in range(1, 16):
        sizes = abut.grid.cell_sizes(
            radii_100,
            family=family,
            levels=levels,
            probability=probability_100,
        )
        works.append(
            abut.grid.expected_work(
                radii_100, sizes, probability=probability_100
            ).total
        )
    right.plot(
        range(1, 16), works, marker=marker, color=color, label=family
    )
left.set(
    xscale="log",
    xlabel="ω",
    ylabel="levels",
    title="best number of levels, $\\alpha$ = -3",
)
left.set(
    xticks=[2, 5, 10, 20, 50, 100], xticklabels=[2, 5, 10, 20, 50, 100]
)
right.set(
    ylim=(0, 60),
    xlabel="levels",
    ylabel="work a sphere",
    title="$\\alpha$ = -3, ω = 100",
)
left.legend(frameon=False)
for ax in (left, right):
    ax.grid(color="0.92")

# %% [markdown]
# ## Predicted and counted
#
# `finder.statistics()` counts the pair tests and cell accesses of the last
# query, which the model predicts. Random spheres in a periodic box match
# the assumptions of the model, so that only noise remains. The model gets
# the level sizes that the finder chose, and the lengths of its cells: a
# whole number of cells fits into the box.


# %%
def random_box(alpha, ratio, count=20_000, fraction=0.6):
    """Random centers and radii in a periodic cube, and its side."""
    rng = np.random.default_rng(11)
    radii = draw_radii(rng, alpha, ratio, count)
    side = np.cbrt(4 / 3 * np.pi * (radii**3).sum() / fraction)
    return rng.uniform(0, side, (count, 3)), radii, side


def predict_and_count(alpha, ratio, search):
    """The predicted `abut.grid.Work`, and the counts of each level."""
    centers, radii, side = random_box(alpha, ratio)
    finder = abut.PairFinder(
        radii, levels=4, search=search, period=(side,) * 3
    )
    finder.find(centers)
    found = finder.statistics()
    work = abut.grid.expected_work(
        radii, found.sizes, search=search, lengths=found.lengths
    )
    return (
        work,
        found.pair_tests / len(radii),
        found.cell_accesses / len(radii),
    )


figure, axes = plt.subplots(
    1, 2, figsize=(12, 4.2), layout="constrained", sharey=True
)
for ax, name in zip(axes, ("pair tests", "cell accesses"), strict=True):
    ax.axhspan(0.95, 1.05, color="0.92", zorder=0)
    ax.set(
        xscale="log",
        xlabel=f"{name} predicted, a sphere",
        ylim=(0.88, 1.12),
    )
for alpha, ratio in ((0, 3), (-2, 10), (-3, 10), (-3, 30)):
    for search, marker in zip(SEARCHES, "ov", strict=True):
        work, tests, accesses = predict_and_count(alpha, ratio, search)
        label = f"alpha = {alpha}, ω = {ratio}, {search}"
        print(
            f"{label:30} pair tests {tests.sum():6.2f}, predicted "
            f"{work.pair_tests:6.2f};"
            f" cell accesses {accesses.sum():6.2f}, predicted "
            f"{work.cell_accesses:6.2f}"
        )
        for ax, counted, matrix in (
            (axes[0], tests, work.pair_tests_by_level),
            (axes[1], accesses, work.cell_accesses_by_level),
        ):
            total, levels = matrix.sum(), matrix.sum(axis=1)
            (line,) = ax.plot(
                total,
                counted.sum() / total,
                marker,
                markersize=9,
                label=label,
            )
            ax.plot(
                levels,
                counted / levels,
                marker,
                markersize=4,
                color=line.get_color(),
            )
axes[0].set_ylabel("counted / predicted")
_ = axes[1].legend(
    frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1, 1)
)

# %% [markdown]
# Large symbols are sums over all levels, and small ones single levels.
# Levels with little work have the most noise. The band is 5 % wide to each
# side.
#
# ## Time
#
# A smaller number of tests matters only if it saves time. The same spheres,
# with alpha = -3 in a half-filled box, are searched with `levels="auto"`
# and with one level. The times are measured here, on one thread.
# `benchmarks/pairs.py` measures more, with other libraries.


# %%
def shortest_times(calls, repeats=5):
    """The shortest time of each call in nanoseconds, measured in turns."""
    times = np.empty((repeats, len(calls)))
    for turn in times:
        for k, call in enumerate(calls):
            begin = time.perf_counter_ns()
            call()
            turn[k] = time.perf_counter_ns() - begin
    return times.min(axis=0)


def times_of(ratio, choices, count=50_000):
    """Nanoseconds a sphere to build a finder and search, by choice."""
    centers, radii, _ = random_box(-3, ratio, count, 0.5)
    calls = [
        partial(abut.find_pairs, centers, radii, levels=levels, workers=1)
        for levels in choices
    ]
    return shortest_times(calls) / count


MEASURED = (1, 2, 5, 10, 20, 50, 100)
found = [
    times_of(ratio, ("auto", 1) if ratio <= 20 else ("auto",))
    for ratio in MEASURED
]
auto = [times[0] for times in found]
one = [times[1] for times in found if len(times) > 1]
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(MEASURED[:5], one, "s--", color="0.6", label="one level")
ax.plot(MEASURED, auto, "o-", color="tab:blue", label="levels='auto'")
ax.set(
    xscale="log",
    yscale="log",
    xlabel="ω, largest radius / smallest",
    ylabel="ns a sphere",
)
ax.set(xticks=MEASURED, xticklabels=MEASURED)
ax.grid(color="0.92")
ax.legend(frameon=False)
for ratio, slow, fast in zip(MEASURED, one, auto, strict=False):
    print(
        f"ω = {ratio:2}: {fast:6.0f} ns a sphere; one level takes "
        f"{slow / fast:6.1f} times that"
    )

# %% [markdown]
# The vector code of the finder makes several tests in the time of one. So a
# cell access costs more than 0.2 tests: the finder assumes 7. It therefore
# chooses fewer levels than `cell_sizes` does by default. The argument
# `overhead` of `cell_sizes` sets the same cost. The remaining difference
# comes from the finder's sorting of radii into 64 bins an octave.

# %%
_, radii_20, _ = random_box(-3, 20)
chosen = abut.PairFinder(radii_20).sizes
print("the finder's:", chosen.round(2))
for overhead in (0.2, 1, 2, 4, 7):
    print(
        f"overhead {overhead}:",
        abut.grid.cell_sizes(radii_20, overhead=overhead).round(2),
    )
