"""Compare builds of the library, or one build with different environments, in pairs of runs.

    pip install --no-deps --target /tmp/before .
    python benchmarks/builds.py --build before=/tmp/before --build now=/tmp/now --scene wall,fill
    python benchmarks/builds.py --build on=/tmp/now --build off=/tmp/now,ABUT_SIMD=baseline

Each build runs in a process of its own, and the builds search in turns, round by round. A figure is
a build's time divided by the first build's time in the same round: the median over all rounds.
Times are processor time on one thread, which other programs hardly change.
"""

import argparse
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FOLDER = Path(__file__).parent

# A mesh with fewer facets than spheres builds its finest bins after this many spheres.
WARM_SPHERES = 2_000_000


# ---- the process of a build: it reads commands and writes figures --------------------------------


class Searcher:
    """A scene of walls.py: `first` is a small search by a new finder, `search` finds everything."""

    def __init__(self, scene):
        import abut

        self.abut, self.scene = abut, scene
        facets = scene.facets if scene.polygons is None else scene.polygons
        self.mesh = abut.Mesh(scene.vertices, facets)
        self.finder = abut.ContactFinder(self.mesh)
        step = scene.spheres_a_call or max(len(scene.radii), 1)
        self.calls = [
            (scene.centers[b : b + step], scene.radii[b : b + step])
            for b in range(0, len(scene.radii), step)
        ]
        self.kept = None

    def search(self):
        self.kept = None
        self.kept = [self.finder.find(*spheres, workers=1) for spheres in self.calls]

    def warm(self):
        """Search until no further search builds bins."""
        searched = 0
        while searched == 0 or (searched < WARM_SPHERES and self.scene.call is None):
            self.search()
            searched += len(self.scene.radii)
        for _ in range(self.scene.call or 0):
            self.search()

    def first(self):
        some = self.scene.centers[:1000], self.scene.radii[:1000]
        self.abut.ContactFinder(self.mesh).find(*some, workers=1)


class PairSearcher:
    """A scene of pairs.py."""

    def __init__(self, scene):
        import abut

        self.scene = scene
        self.finder = abut.PairFinder(scene.radii)
        self.kept = None

    def search(self):
        self.kept = None
        self.kept = self.finder.find(self.scene.centers, workers=1)

    def warm(self):
        self.search()

    def first(self):
        self.search()


def serve():
    """Read scenes as files and commands as lines; answer each line with the seconds it took."""
    searcher = None
    for line in sys.stdin:
        command, *path = line.split()
        begin = time.process_time()
        if command == "scene":
            scene = pickle.loads(Path(path[0]).read_bytes())
            searcher = (Searcher if hasattr(scene, "facets") else PairSearcher)(scene)
            searcher.warm()
        else:
            getattr(searcher, command)()
        print(time.process_time() - begin, flush=True)


# ---- comparing builds ----------------------------------------------------------------------------


class Build:
    """A process that searches with one build."""

    def __init__(self, text):
        self.name, _, rest = text.partition("=")
        path, *settings = rest.split(",")
        environment = os.environ | dict(setting.split("=", 1) for setting in settings)
        environment["PYTHONPATH"] = os.pathsep.join([path, str(FOLDER)])
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def make_scene(name, spheres):
    import pair_scenes
    import scenes

    return (scenes if name in scenes.SCENES else pair_scenes).make(name, spheres)


def compare(builds, name, options):
    """The times of each build in all rounds, for first and later searches."""
    scene = make_scene(name, options.spheres)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.pickle"
        path.write_bytes(pickle.dumps(scene))
        for build in builds:
            build.ask(f"scene {path}")
    times = {}
    for _ in range(options.repeats):
        for command in options.commands.split(","):
            for build in builds:
                times.setdefault((command, build.name), []).append(build.ask(command))
    return times


def quotient(times, base):
    return statistics.median(a / b for a, b in zip(times, base, strict=True))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="append", help="NAME=PATH[,VARIABLE=VALUE...]")
    parser.add_argument("--scene", default="wall")
    parser.add_argument("--spheres", type=int)
    parser.add_argument("--repeats", type=int, default=11)
    parser.add_argument("--commands", default="search", help="search, first, or both")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.serve:
        serve()
        return
    builds = [Build(text) for text in options.build]
    for name in options.scene.split(","):
        times = compare(builds, name, options)
        for command in options.commands.split(","):
            base = times[command, builds[0].name]
            figures = [f"{builds[0].name} {1e3 * min(base):.2f} ms"]
            for build in builds[1:]:
                figures.append(f"{build.name} {quotient(times[command, build.name], base):.3f}")
            print(f"{name:16} {command:6}", *figures, sep="  ", flush=True)


if __name__ == "__main__":
    main()
