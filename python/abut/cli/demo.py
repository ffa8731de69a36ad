"""The command ``abut demo``: a rotary mixer, or example files for the other commands."""

from __future__ import annotations

import os
import sys
import time

import numpy as np

import abut

from ..base.extras import import_extra
from ..base.threads import thread_count
from ..io import writing
from ..plot import plot_spheres
from ..results.contacts import TYPE_NAMES
from .options import add_command
from .printing import print_table

# The number of frames that `--simulate` writes.
FRAME_COUNT = 20

DESCRIPTION = """\
Make a rotary mixer with a bed of 29,559 spheres, find the contacts and print them by type.
Writes abut-demo.vtp (contacts) and abut-demo-mesh.vtp to the current directory, for ParaView.

With --simulate, run the mixer instead, and print how long each part of a step takes. This writes 20
frames to the folder abut-demo, and abut-demo.pvd and abut-demo-walls.pvd to play them in ParaView.

With --files, only write two small example files: step.stl, a floor that ends in a step, and
spheres.csv. Use them to try the other commands:

    abut contacts step.stl spheres.csv -o contacts.csv"""


def add(commands):
    """Add the command to the parser."""
    add_command(commands, "demo", _run, DESCRIPTION, ("--plot", ("--files", "--simulate")))


def _run(arguments):
    if arguments.files:
        print("written:", ", ".join(_write_files(arguments)))
        return
    # The figure is made first, so that a missing package is an error before the work is done.
    figure = _figure() if arguments.plot else None
    written = _simulate(arguments.simulate, figure) if arguments.simulate else _find(figure)
    if figure:
        written.append(_save(figure, arguments.plot))
    print("written:", ", ".join(written))


def _save(figure, name):
    """Write a picture in the format of the name's ending (default: png); return the full name."""
    ending = os.path.splitext(name)[1][1:]
    name = name if ending else f"{name.rstrip('.')}.png"
    with writing.opened(name) as file:
        figure.savefig(file, dpi=150, format=ending or "png")
    return name


def _write_files(arguments):
    """Write example files of a mesh and spheres; return their names."""
    if arguments.plot:
        raise ValueError("--files draws nothing: leave out --plot")
    centers, radii, mesh = abut.examples.step()
    mesh.save("step.stl")
    rows = np.column_stack([centers, radii])
    with writing.opened("spheres.csv", "w", encoding="ascii") as file:
        np.savetxt(file, rows, "%.15g", ",", header="x,y,z,radius", comments="")
    return ["step.stl", "spheres.csv"]


def _find(figure):
    """Find the contacts in the mixer, print counts and times; return the written files' names."""
    centers, radii, mesh = abut.examples.mixer()
    finder = abut.ContactFinder(mesh)
    contacts = finder.find(centers, radii)
    # the shortest time: in slower runs, other processes may have used the cores
    seconds = min(_timed(finder, centers, radii) for _ in range(20))
    print_table(_demo_rows(contacts, mesh, seconds))
    contacts.save("abut-demo.vtp")
    mesh.save("abut-demo-mesh.vtp")
    if figure:
        contacts.plot(ax=figure.add_subplot(projection="3d"), spheres=None)
    return ["abut-demo.vtp", "abut-demo-mesh.vtp"]


def _simulate(seconds, figure):
    """Simulate the mixer, print the times of its parts; return the written files' names."""
    simulation = abut.examples.mixer_simulation()
    simulation.every(seconds / FRAME_COUNT, abut.write_frames("abut-demo/{step:08d}.vtp"))
    simulation.run(seconds, progress=sys.stderr.isatty())
    print_table(_simulation_rows(simulation))
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
        # The scale ends below the speeds of the few spheres that a blade has just hit.
        limits=(0.0, float(np.quantile(speeds, 0.999))),
    )  # fmt: skip


def _demo_rows(contacts, mesh, seconds):
    by_type = np.bincount(contacts.type, minlength=len(TYPE_NAMES))
    rows: list[tuple[str, object]] = [
        ("spheres", len(contacts.counts)),
        ("facets", len(mesh)),
        ("contacts", len(contacts)),
    ]
    rows += [
        (f"  on {name.upper()}", count) for name, count in zip(TYPE_NAMES, by_type, strict=True)
    ]
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


def _figure():
    """Make a matplotlib figure that needs no display."""
    figure = import_extra("matplotlib.figure", "plot")
    return figure.Figure(figsize=(10, 7), layout="constrained")
