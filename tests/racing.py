"""A thread that writes into arrays while they are searched: python tests/racing.py KIND SECONDS.

Prints how many calls returned, and how many of them raised ValueError. Anything else ends it.
"""

import sys
import threading
import time

import numpy as np

import abut
from abut import _core

BAD_NUMBERS = [0.0, -1.0, np.nan, np.inf, -np.inf, 5e-324, 1e3, 1e70, 1e300]
BAD_INDICES = [-(2**63), -1, 0, 1, 7, 2**31, 2**40, 2**62, 2**63 - 1]

# entries that are wrong at once: all results stay small
SPOILED = 16


def spoil(array, good, rng):
    bad = BAD_INDICES if array.dtype.kind == "i" else BAD_NUMBERS
    flat = array.reshape(-1)
    for value in rng.permutation(np.array(bad, array.dtype)):
        flat[rng.integers(len(flat), size=SPOILED)] = value
        if rng.random() < 0.5:
            flat[:] = good.reshape(-1)
    flat[:] = good.reshape(-1)


def race(arrays, calls, seconds):
    """Call one after the other while a thread spoils the arrays and repairs them."""
    stop, rng = threading.Event(), np.random.default_rng(1)
    goods = [array.copy() for array in arrays]

    def write():
        while not stop.is_set():
            for array, good in zip(arrays, goods, strict=True):
                spoil(array, good, rng)

    writer = threading.Thread(target=write)
    sys.setswitchinterval(1e-5)
    writer.start()
    done = errors = 0
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            for call in calls:
                try:
                    call()
                except ValueError:
                    errors += 1
                done += 1
    finally:
        stop.set()
        writer.join()
    return done, errors


# ---- scenes --------------------------------------------------------------------------------------


def ground(cells, size=1.0):
    """Wavy triangles."""
    x, y = np.meshgrid(np.linspace(0, size, cells + 1), np.linspace(0, size, cells + 1))
    z = 0.02 * np.sin(20 * x) * np.cos(15 * y)
    corner = np.arange((cells + 1) * cells).reshape(cells, -1)[:, :-1].ravel()
    right, up = corner + 1, corner + cells + 1
    facets = np.r_[np.c_[corner, right, up + 1], np.c_[corner, up + 1, up]]
    return abut.Mesh(np.c_[x.ravel(), y.ravel(), z.ravel()], facets)


def spheres(count, height=0.1, size=1.0):
    rng = np.random.default_rng(2)
    centers = rng.random((count, 3)) * [size, size, height]
    return centers, 0.03 * size * 2.0 ** rng.uniform(-3, 0, count)


def contact_calls(centers, radii):
    finder, turned = abut.ContactFinder([ground(8)]), np.eye(4)
    turned[:3, :3] = [[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1]]
    settings = [
        {},
        {"gap": 0.05, "workers": 2},
        {"resolution": "all"},
        {"resolution": "sharing"},
        {"period": (1.0, 1.0, None)},
        {"poses": turned, "resolution": "sharing", "exponent": 1.0, "keep_zero": True},
    ]
    return [lambda given=given: finder.find(centers, radii, **given) for given in settings]


def far_calls(centers, radii):
    """Calls in which most spheres are skipped before they are copied."""
    finder = abut.ContactFinder([ground(8)])
    return [lambda: finder.find(centers, radii), lambda: finder.find(centers, radii, workers=2)]


def sorted_calls(centers, radii):
    """Calls with enough facets and spheres for a search by place."""
    finder = abut.ContactFinder(ground(96))
    return [lambda: finder.find(centers, radii), lambda: finder.find(centers, radii, workers=2)]


def contacts(part):
    def make():
        given = spheres(700)
        return [given[part]], contact_calls(*given)

    return make


def far(part):
    def make():
        given = spheres(20_000, height=20.0)
        return [given[part]], far_calls(*given)

    return make


def unsorted(part):
    def make():
        given = spheres(6000)
        given[1][:] *= 0.1
        return [given[part]], sorted_calls(*given)

    return make


PERIODS = [None, (1.0, 1.0, None), (0.15, None, None)]


def pairs(part):
    def make():
        given = *spheres(600, height=1.0), np.full(600, 0.01)
        centers, radii, gaps = given

        def find(period):
            abut.find_pairs(centers, radii, period=period, workers=2)
            abut.find_pairs(centers[:, :2].copy(), radii, period=period and period[:2])

        def build():
            core = _core.PairFinder(3, radii, 0.0, gaps, None, 0, _core.TOP_DOWN, None, 2, None)
            core.find(centers, None, None, None, 2)

        calls = [lambda period=period: find(period) for period in PERIODS]
        return [given[part]], [*calls, build]

    return make


def others(part):
    def make():
        centers, radii = spheres(300, height=1.0)
        given = *spheres(500, height=1.0), np.full(500, 0.01)
        plain = [abut.PairFinder(radii, period=period) for period in PERIODS]
        fixed = abut.PairFinder(radii, levels=[0.02, 0.06, 0.2])
        calls = [
            lambda finder=finder, end=end: finder.find(centers, others=given[:end], workers=2)
            for finder in [*plain, fixed]
            for end in (2, 3)
        ]
        return [given[part]], calls

    return make


def match(name):
    def make():
        finder, (centers, radii) = abut.ContactFinder(ground(8)), spheres(3000)
        found = finder.find(centers, radii, resolution="all")
        lifted = np.eye(4)
        lifted[2, 3] = 0.001
        again = finder.find(centers, radii, poses=lifted)
        column = getattr(found, name)
        column.flags.writeable = True
        calls = [
            lambda: found.match(again),
            lambda: again.match(found, workers=2),
            lambda: again.carry(found.normal, found),
        ]
        return [column], calls

    return make


def pair_match(name):
    """A column of pairs, with several images of the same spheres, or the rows that go on."""

    def make():
        large = abut.find_pairs(spheres(20, height=1.0)[0], 0.7, period=(1.0, 1.0, 1.0))
        rows = large.match(large)
        column = rows if name == "match" else getattr(large, name)
        column.flags.writeable = True
        tangent = np.ones(large.normal.shape)
        few = large[::2]
        calls = [
            lambda: large.match(few, workers=2),
            lambda: few.match(large),
            lambda: large.carry(tangent, large, rows, workers=2),
        ]
        return [column], calls

    return make


def mesh(name):
    def make():
        of = ground(8)
        given = {
            "vertices": of.vertices.copy(),
            "indices": of.indices.copy(),
            "offsets": of.offsets.copy(),
            "units": np.full((len(of.vertices), 3), 1e-6),
            "noise": np.full(len(of), 1e-6),
        }
        noises = ("units", "noise")
        left_out = [other for other in noises if other != name] if name in noises else noises
        arguments = {key: None if key in left_out else value for key, value in given.items()}
        arguments |= {"normal_noise": None, "numbers": None}

        def build():
            made = _core.Mesh(**arguments, split=True, drop_zero_area=True)
            abut._core.Finder((made,)).find(
                np.zeros((1, 3)), np.ones(1), 0.0, 0.0, 0, 1.5, False, 0, None, None, None, 1
            )

        return [given[name]], [build]

    return make


def share(part):
    def make():
        rng = np.random.default_rng(3)
        normals = rng.normal(size=(300, 3))
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        given = normals, np.sort(rng.random(300))[::-1].copy()
        return [given[part]], [lambda: _core.share(*given, 1.5)]

    return make


KINDS = {
    **{f"contacts-{name}": contacts(k) for k, name in enumerate(["centers", "radii"])},
    **{f"far-{name}": far(k) for k, name in enumerate(["centers", "radii"])},
    **{f"unsorted-{name}": unsorted(k) for k, name in enumerate(["centers", "radii"])},
    **{f"pairs-{name}": pairs(k) for k, name in enumerate(["centers", "radii", "gaps"])},
    **{f"others-{name}": others(k) for k, name in enumerate(["centers", "radii", "gaps"])},
    **{f"match-{name}": match(name) for name in ("offsets", "node_offsets", "node", "mesh")},
    **{f"match-{name}": match(name) for name in ("point", "normal", "_tilt")},
    **{
        f"pair-match-{name}": pair_match(name)
        for name in ("offsets", "i", "j", "normal", "image", "match")
    },
    **{f"mesh-{name}": mesh(name) for name in ("vertices", "indices", "offsets", "units", "noise")},
    **{f"share-{name}": share(k) for k, name in enumerate(["normals", "overlaps"])},
}


if __name__ == "__main__":
    np.seterr(all="ignore")
    print(*race(*KINDS[sys.argv[1]](), float(sys.argv[2])))
