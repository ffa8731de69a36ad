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
# # Performance
#
# This notebook shows how long a search takes, what the time depends on, and
# where the work is. The times come from a table that `benchmarks/walls.py`
# wrote on another machine. To measure yours, run that script ("The
# notebook's rows" in `benchmarks/README.md`). The counts of operations are
# made here, and are the same on each machine.

# %%
# %matplotlib inline
import csv
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import abut
from abut import examples

# %% [markdown]
# If there are several tables, the longest is read. Set `TABLE` to the path
# of another one. Of rows that were measured more than once, the newest
# counts.

# %%
TABLES = sorted(
    Path("..").glob("benchmarks/results/*.csv"),
    key=lambda path: path.stat().st_size,
)
TABLE = TABLES[-1] if TABLES else None


def read_rows(path):
    """The rows of a table, the newest first, with numbers as floats."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))[::-1]
    for row in rows:
        for name in ("spheres", "facets", "threads"):
            row[name] = int(row[name])
        for name in ("median_ns", "over_abut", "speed_up", "ns_a_touching"):
            row[name] = float(row[name] or "nan")
    return rows


ROWS = read_rows(TABLE) if TABLE else []
LEVELS = ("baseline", "v3", "v4")
BEST = max(
    (row["simd"] for row in ROWS if row["simd"] in LEVELS),
    key=LEVELS.index,
    default="",
)
print(
    f"{TABLE.name if TABLE else 'no table'}: {len(ROWS)} rows, instruction "
    f"level {BEST or '?'}"
)


def newest(**wanted):
    """The newest row with these columns, or None."""
    for row in ROWS:
        if all(row[name] == value for name, value in wanted.items()):
            return row
    return None


def abut_row(scene, threads=1, outputs="warm", simd=BEST):
    """Abut's row of a scene, of several that with a million spheres."""
    wanted = {
        "scene": scene,
        "threads": threads,
        "outputs": outputs,
        "simd": simd,
    }
    wanted["contestant"] = "abut"
    return newest(**wanted, spheres=1_000_000) or newest(**wanted)


def rival_row(name, scene, threads=1):
    """A rival's row of a scene with the most spheres, at most abut's."""
    own = abut_row(scene, threads)
    rows = [
        row
        for row in ROWS
        if (row["contestant"], row["scene"], row["threads"], row["simd"])
        == (name, scene, threads, BEST)
        and row["spheres"] <= (own["spheres"] if own else 0)
    ]
    return max(rows, key=lambda row: row["spheres"], default=None)


def tell_missing(found):
    """Print the scenes that the table does not have."""
    missing = [
        str(name) for name, is_there in found.items() if not is_there
    ]
    if missing:
        print("not in the table:", "; ".join(missing))


def show_missing(ax, found):
    """Write that the table has no such rows."""
    tell_missing(found)
    if not any(found.values()):
        ax.text(
            0.5,
            0.5,
            "not in the table",
            ha="center",
            transform=ax.transAxes,
            color="gray",
        )


# %% [markdown]
# ## Compared with other libraries
#
# All libraries were measured in turns, in one process, with one thread.
# Each line is a scene, and further left is faster. The other libraries
# return only the numbers of the facets that a sphere touches. abut returns
# the contacts that the hierarchy keeps: point, normal, overlap, type and
# nodal weights, sorted and in double precision. The number at the right is
# the time of the fastest other library divided by that of abut, in the same
# rounds.

# %%
SCENES = {
    "wall": "wall",
    "wall_rotated": "wall, turned by 40°",
    "unsorted": "wall, spheres unsorted",
    "ratio_10": "wall, radii 10:1",
    "ratio_100": "wall, radii 100:1",
    "small_facets": "wall, facets 1/4 sphere",
    "large_facets": "wall, facets 20 spheres",
    "fill": "box filled with spheres",
    "far": "far from all facets",
    "vessel": "vessel",
    "internal_mixer": "internal mixer",
    "hourglass": "hourglass",
    "casing": "casing",
    "drum": "drum",
    "slivers": "slivers",
    "mixer": "mixer of the demo",
}
RIVALS = {
    "embree": ("Embree", "tab:orange", "s"),
    "warp": ("Warp", "tab:green", "^"),
    "ckdtree": ("SciPy's cKDTree", "tab:gray", "D"),
    "trimesh": ("trimesh", "tab:brown", "v"),
    "coal": ("coal", "tab:pink", "P"),
}

measured = {scene: abut_row(scene) for scene in SCENES}
tell_missing(measured)
shown = [scene for scene, row in measured.items() if row]
figure, ax = plt.subplots(
    figsize=(9, 1.4 + 0.36 * max(len(shown), 3)), layout="constrained"
)
for place, scene in enumerate(shown):
    others = {name: rival_row(name, scene) for name in RIVALS}
    times = {name: row["median_ns"] for name, row in others.items() if row}
    for name, time_ns in times.items():
        _, color, marker = RIVALS[name]
        ax.plot(time_ns, place, marker, color=color, markersize=7)
    own = measured[scene]["median_ns"]
    ax.plot(own, place, "o", color="tab:blue", markersize=10)
    if times:
        fastest = min(times, key=lambda name: others[name]["over_abut"])
        ratio = others[fastest]["over_abut"]
        ax.plot(
            [own, times[fastest]],
            [place, place],
            color="tab:blue",
            zorder=0,
        )
        ax.text(
            1.02,
            place,
            f"{ratio:.1f}",
            va="center",
            transform=ax.get_yaxis_transform(),
        )
        print(
            f"{scene:15} {own:8.1f} ns a sphere, {fastest:8} {ratio:6.2f} "
            "times that"
        )
show_missing(ax, {"any scene": shown} if not shown else {"scenes": True})
for name, (title, color, marker) in {
    "abut": ("abut", "tab:blue", "o"),
    **RIVALS,
}.items():
    if name == "abut" or any(rival_row(name, scene) for scene in shown):
        ax.plot([], [], marker, color=color, label=title)
ax.set(
    xscale="log", xlabel="ns a sphere, one thread", yticks=range(len(shown))
)
ax.set_yticklabels([SCENES[scene] for scene in shown])
ax.invert_yaxis()
ax.grid(axis="x", color="0.9")
ax.text(1.02, 1.01, "fastest rival / abut", transform=ax.transAxes)
_ = ax.legend(
    loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False
)

# %% [markdown]
# Slow libraries searched only the first spheres of a scene; the times are
# still those of one sphere. `benchmarks/README.md` describes the scenes and
# the libraries. It includes libraries that find a single facet for each
# sphere, which are not shown here.
#
# ## What the time depends on
#
# * **Spheres.** With many spheres, the facets near a sphere are already in
#   the processor's caches, because its neighbors have just used them. With
#   few spheres on a large mesh, the time is that of reading facets from
#   memory, for each library. The mesh here is always the wall of 120,000
#   facets.
# * **Facets.** A sphere reads one cell of a grid, so facets elsewhere do
#   not matter until the mesh is larger than the caches. Here the radii
#   shrink with the facets, so that a sphere touches as many in each mesh.
# * **Radii.** Each octave of radii has its own bins, so small spheres do
#   not pay for large ones. Large spheres touch more facets; the time shown
#   is that of each touching facet.
# * **Threads.** Threads get the spheres in chunks of 1,024. Writing the
#   result is limited by the memory that the threads share.

# %%
FACETS = ("facets_1k", "facets_10k", "wall", "facets_1m")
RATIOS = {1: "wall", 10: "ratio_10", 100: "ratio_100"}
STYLES = {
    "abut": ("abut", "tab:blue", "o"),
    "embree": ("Embree", "tab:orange", "s"),
}


def draw(ax, points, contestant, label=None, **style):
    """A line through the points that the table has."""
    title, color, marker = STYLES[contestant]
    there = [(x, y) for x, y in points if np.isfinite(y)]
    if there:
        style = {"color": color, "marker": marker} | style
        ax.plot(
            *zip(*sorted(there), strict=True), label=label or title, **style
        )


def value(row, column):
    return row[column] if row else np.nan


def over_spheres(ax):
    for contestant in STYLES:
        alike = {
            "contestant": contestant,
            "scene": "wall",
            "threads": 1,
            "outputs": "warm",
        }
        alike["simd"] = BEST
        rows = {
            count: newest(**alike, spheres=count)
            for count in (10**k for k in (4, 5, 6, 7))
        }
        draw(
            ax,
            [
                (count, value(row, "median_ns"))
                for count, row in rows.items()
            ],
            contestant,
        )
        show_missing(
            ax,
            {
                f"{contestant} with {count:,} spheres": row
                for count, row in rows.items()
            },
        )
    ax.set(
        xscale="log",
        xlabel="spheres",
        ylabel="ns a sphere",
        title="spheres",
    )


def over_facets(ax):
    found = {scene: abut_row(scene) for scene in FACETS}
    show_missing(ax, found)
    draw(
        ax,
        [
            (row["facets"], row["median_ns"])
            for row in found.values()
            if row
        ],
        "abut",
    )
    rows = [rival_row("embree", scene) for scene in FACETS]
    draw(
        ax,
        [(row["facets"], row["median_ns"]) for row in rows if row],
        "embree",
    )
    ax.set(
        xscale="log", xlabel="facets", ylabel="ns a sphere", title="facets"
    )


def over_radius_ratio(ax):
    found = {scene: abut_row(scene) for scene in RATIOS.values()}
    show_missing(ax, found)
    draw(
        ax,
        [
            (r, value(found[scene], "ns_a_touching"))
            for r, scene in RATIOS.items()
        ],
        "abut",
    )
    rows = [
        (ratio, rival_row("embree", scene))
        for ratio, scene in RATIOS.items()
    ]
    draw(
        ax,
        [(ratio, value(row, "ns_a_touching")) for ratio, row in rows],
        "embree",
    )
    ax.set(
        xscale="log",
        xlabel="largest radius / smallest",
        ylabel="ns a touching facet",
    )
    ax.set(
        title="radii",
        xticks=list(RATIOS),
        xticklabels=[f"{ratio}:1" for ratio in RATIOS],
    )


def over_threads(ax):
    threads = sorted({row["threads"] for row in ROWS}) or [1]
    ax.plot(
        [1, threads[-1]], [1, threads[-1]], "--", color="0.7", label="ideal"
    )
    found = {}
    for scene, marker in (("wall", "o"), ("unsorted", "v"), ("fill", "s")):
        found[scene] = [
            (t, row) for t in threads[1:] if (row := abut_row(scene, t))
        ]
        points = [
            (1, 1.0),
            *((t, row["speed_up"]) for t, row in found[scene]),
        ]
        if found[scene]:
            draw(ax, points, "abut", label=scene, marker=marker, color=None)
    show_missing(
        ax, {f"{scene} with threads": rows for scene, rows in found.items()}
    )
    ax.set(
        xlabel="threads",
        ylabel="times as fast as with one",
        title="threads",
        xticks=threads,
    )


figure, axes = plt.subplots(2, 2, figsize=(10, 7), layout="constrained")
for ax, panel in zip(
    axes.flat,
    (over_spheres, over_facets, over_radius_ratio, over_threads),
    strict=True,
):
    panel(ax)
    ax.set_ylim(bottom=0)
    ax.grid(color="0.9")
    if ax.lines:
        ax.legend(frameon=False)

# %% [markdown]
# ## The work for an answer
#
# `finder.statistics()` returns the counts of the last query. *Candidates*
# are all facets of a sphere's cell. A fast comparison of boxes selects the
# facets for *tests*, which compute the closest point exactly; a
# quadrilateral takes two tests. Some of these facets are *touching*, and
# the hierarchy keeps some of them as *contacts*. Where all facets near a
# sphere lie in one plane, only those under its center are tested.

# %%
centers, radii, mesh = examples.mixer()
finder = abut.ContactFinder(mesh)
finder.find(centers, radii)
mixer = finder.statistics()
print("mixer:", mixer)

rng = np.random.default_rng(5)
rough = abut.ContactFinder(examples.rough_plane(cells=60, height=0.005))
places = np.column_stack(
    [rng.uniform(0.05, 0.95, (20_000, 2)), rng.uniform(0.01, 0.015, 20_000)]
)
rough.find(places, 0.015)
plane = rough.statistics()
print("rough plane:", plane)

# %% [markdown]
# M. Santasusana, J. Irazábal, E. Oñate and J. M. Carbonell (2016) published
# the same counts for a mixer of about 30,000 spheres and 2,500 facets. The
# mixer in `abut.examples` is modeled on theirs. They find (section 6.2.4)
# that "the number of Potential Neighbours to be treated is large compared
# to the FE with actual contact, a ratio of 30:1". Their potential neighbors
# are facets whose bounding box meets that of the sphere (section 3.1, step
# f). Each goes through the Fast Intersection Test, so they correspond to
# the tests here.

# %%
STAGES = ("candidates", "tests", "touching", "contacts")
COLORS = ("0.8", "tab:cyan", "tab:blue", "tab:purple")
figure, axes = plt.subplots(
    1, 2, figsize=(11, 3), layout="constrained", sharey=True
)
for ax, (title, found) in zip(
    axes, {"mixer": mixer, "rough plane": plane}.items(), strict=True
):
    parts = [getattr(found, stage) / found.touching for stage in STAGES]
    bars = ax.barh(STAGES, parts, color=COLORS)
    ax.bar_label(bars, [f"{part:.3g}" for part in parts], padding=4)
    ax.set(
        xscale="log",
        xlim=(0.1, 2000),
        title=f"{title}, {found.spheres:,} spheres",
    )
    ax.set_xlabel("for each touching facet")
axes[0].plot(30, "tests", "D", color="tab:red")
axes[0].text(37, 1, "30 in the paper", color="tab:red", va="center")
axes[0].invert_yaxis()
print(
    f"mixer: {mixer.tests_per_touching:.1f} tests for a touching facet; "
    "the paper's take 30"
)

# %% [markdown]
# A candidate costs little: up to 32 boxes are compared at once, in 16-bit
# numbers. Most spheres in the mixer touch nothing. Those near a wall are
# compared with all facets of their cell. On the rough plane each sphere
# touches several facets of one surface.
#
# Bins are built at the first query that needs them, for the meshes and for
# one octave of radii. Their size depends on the facets alone:

# %%
for title, found in {"mixer": mixer, "rough plane": plane}.items():
    print(
        f"{title:12} {found.entries_per_facet:4.1f} entries and "
        f"{found.bytes / found.facets:5.0f}"
        f" bytes a facet; {found.occupied} of {found.cells} cells have "
        "entries"
    )

# %% [markdown]
# ## The memory of results
#
# A contact is a row of numbers. The contacts of a million spheres take more
# than a hundred megabytes:

# %%
contacts = rough.find(places, 0.015)
size = sum(column.nbytes for column in contacts.to_dict().values())
print(f"{size / len(contacts):.0f} bytes a contact, all columns together")

# %% [markdown]
# The operating system provides memory as pages of zeros. The first write to
# a page takes longer than finding the contacts that are written there. So a
# finder reuses the memory of results that were dropped. The same search
# with results in three kinds of memory:
#
# * *warm*: the last result is dropped before the query;
# * *swapped*: `contacts = finder.find(...)` in a loop, which drops the last
#   result after the query;
# * *cold*: each result is kept, and the next one needs new pages.

# %%
OUTPUTS = {"warm": "tab:blue", "swapped": "tab:cyan", "cold": "0.6"}


def draw_bars(ax, scenes, kinds, row_of):
    """A group of bars for each scene, one of each kind."""
    width = 0.8 / len(kinds)
    for k, (kind, color) in enumerate(kinds.items()):
        heights = [
            value(row_of(scene, kind), "median_ns") for scene in scenes
        ]
        places = np.arange(len(scenes)) + (k - (len(kinds) - 1) / 2) * width
        bars = ax.bar(places, heights, width, color=color)
        bars.set_label(kind)
        ax.bar_label(
            bars,
            [f"{h:.0f}" if h == h else "" for h in heights],
            padding=2,
            fontsize=9,
        )
    ax.set(
        xticks=range(len(scenes)),
        xticklabels=scenes,
        ylabel="ns a sphere, one thread",
    )
    ax.margins(y=0.1)
    ax.legend(frameon=False)


memory_scenes = ("wall", "unsorted", "fill", "far")
figure, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
draw_bars(
    ax,
    memory_scenes,
    OUTPUTS,
    lambda scene, outputs: abut_row(scene, outputs=outputs),
)
show_missing(
    ax,
    {
        f"{scene} {outputs}": abut_row(scene, outputs=outputs)
        for scene in memory_scenes
        for outputs in OUTPUTS
    },
)

# %% [markdown]
# ## Instruction levels
#
# The vector code is compiled three times: for any x86-64 processor
# (`baseline`), for AVX2 (`v3`) and for AVX-512 (`v4`). On import, abut
# selects the best one for the machine. `ABUT_SIMD=baseline` in the
# environment selects another. The results are the same to the bit.

# %%
KINDS = dict(zip(LEVELS, ("0.6", "tab:cyan", "tab:blue"), strict=True))
if BEST:  # a machine has those up to its best
    KINDS = {
        level: KINDS[level] for level in LEVELS[: LEVELS.index(BEST) + 1]
    }
level_scenes = ("wall", "fill")
found = {
    (s, level): abut_row(s, simd=level)
    for s in level_scenes
    for level in KINDS
}
tell_missing(
    {
        f"{scene} at level {level}": row
        for (scene, level), row in found.items()
    }
)
# a bar is drawn only if there are others to compare with
whole = [
    scene
    for scene in level_scenes
    if all(found[scene, level] for level in KINDS)
]
figure, ax = plt.subplots(figsize=(8, 3.5), layout="constrained")
draw_bars(ax, whole, KINDS, lambda scene, level: found[scene, level])
show_missing(ax, {"any scene at all levels": whole})
abut.show_config()

# %% [markdown]
# ## How to make queries fast
#
# **Build a finder once.** `find_contacts` builds the bins in each call. A
# new `ContactFinder` builds them at its first query. Meshes that move keep
# their bins: use `poses`.


# %%
def shortest_ms(call, repeats=30):
    """Shortest time of a call on this machine."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - begin))
    return min(times)


few = centers[:1000], radii[:1000]
anew = shortest_ms(lambda: abut.find_contacts(*few, mesh, workers=1))
again = shortest_ms(lambda: finder.find(*few, workers=1))
print(
    f"1,000 spheres: {anew:.2f} ms with find_contacts, {again:.3f} ms with "
    "a finder"
)

# %% [markdown]
# **Search all spheres in one call.** The overhead of a call is the search
# time of dozens of spheres.

# %%
one = shortest_ms(lambda: finder.find(centers[:1], radii[:1], workers=1))
print(
    f"a sphere: {1e3 * one:.1f} us in a call of its own, {1e3 * again:.0f} "
    "ns in one of 1,000"
)

# %% [markdown]
# **Drop the last result before the next query**, with `del contacts` or a
# loop that overwrites it. A column that you keep, as in
# `history.append(contacts.overlap)`, keeps its memory, and the next result
# needs new pages. For small results this does not matter.
#
# **Pass arrays in the right format**: `centers` as contiguous float64 (n,
# 3), `radii` as float64 (n,) or one number. Other arrays are converted at
# each call.
#
# **Sort spheres only where that is cheap.** The search is faster if
# neighbors in space are neighbors in memory. The order of the facets does
# not matter. For the million spheres of the wall:

# %%
found = {scene: abut_row(scene) for scene in ("wall", "unsorted")}
tell_missing(found)
slower = value(found["unsorted"], "median_ns") / value(
    found["wall"], "median_ns"
)
print(
    f"unsorted spheres take {slower:.2f} times as long as those along a "
    "space-filling curve"
)

# %% [markdown]
# **Let abut choose the number of threads**, or set a maximum: with
# `workers=` for one query, with `abut.set_num_threads` or
# `ABUT_NUM_THREADS` for all. The default, and `workers=-1`, is one for each
# core of the process, unless `OMP_NUM_THREADS` is set. A query uses about
# one thread for each tenth of a millisecond of work. A shorter query runs
# on one thread, and so does one with 1,024 spheres or fewer. A process that
# is forked after a query with several threads uses one. The result is the
# same to the bit for any number of threads.
#
# **Set `OMP_WAIT_POLICY=passive` where other programs keep the cores
# busy.** OpenMP's threads actively wait for some milliseconds after a
# query, so that the next one starts at once. On busy cores this wastes
# time, and queries may take ten times as long with two threads as with one.
# With the setting, made before Python starts, threads sleep instead: two
# threads then take about as long as one on busy cores. Short queries gain a
# little less on free cores. `benchmarks/threads.py` measures both.
#
# **Request only what you need.** `gap` enlarges the spheres, which finds
# more facets. `resolution="sharing"` solves a small problem for each sphere
# with several contacts. Columns that are the same for all contacts
# (`share`, `mesh`, `image` of a single mesh) are made when you first read
# them.
