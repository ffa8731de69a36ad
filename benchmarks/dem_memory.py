"""Memory of a simulation of the scene `box`, in a process of its own (Linux).

    python benchmarks/dem_memory.py 1000000

Prints bytes per sphere as JSON:

- `bytes_resident`: the peak memory of the process during steps, less its memory with the walls
  only,
- `bytes_counted`: the library's own count of its state and both tables of contacts,
- `bytes_beside`: the difference.
"""

import json
import re
import sys
from pathlib import Path

import dem_scenes
import rounds

STEPS = 3


def resident(name):
    """VmRSS, the memory now, or VmHWM, the peak since the last reset of the mark, in bytes."""
    return 1024 * int(re.search(rf"{name}:\s*(\d+) kB", Path("/proc/self/status").read_text())[1])


def reset_mark():
    Path("/proc/self/clear_refs").write_text("5")


def measure(sphere_count):
    scene = dem_scenes.make("box", sphere_count, 0, None)
    columns = ("centers", "radii", "velocities", "spins")
    sim = dem_scenes.simulation(scene._replace(**{c: getattr(scene, c)[:0] for c in columns}))
    rounds.give_memory_back()
    before = resident("VmRSS")
    dem_scenes.add_spheres(sim, scene)
    rounds.give_memory_back()
    reset_mark()
    with dem_scenes.quietly():
        sim.run(steps=STEPS)
    held, counted = resident("VmHWM") - before, sim.statistics().bytes
    count = len(scene.radii)
    return {
        "bytes_resident": round(held / count, 1),
        "bytes_counted": round(counted / count, 1),
        "bytes_beside": round((held - counted) / count, 1),
    }


def main():
    print(json.dumps(measure(int(sys.argv[1]))))


if __name__ == "__main__":
    main()
