"""The walls of `abut.lammps` in NumPy, as a callback of Python: slow, obvious, the truth.

What a step does is that of `reference_dem`, whose simulation is told where LAMMPS' spheres are.
What contacts keep from step to step lies with the atoms, or, to see that this matters, in a
dictionary of each process.
"""

import numpy as np

import abut
import reference_dem as dem

KEYS, STATES = 6, 14


class Spheres(dem.Simulation):
    """LAMMPS' spheres of one process, in one step."""

    # LAMMPS has its own
    time = 0.0

    @property
    def span(self):
        """Over which springs grow: 0 where LAMMPS calls twice for a step."""
        return self.step


class Walls:
    """The face of `abut.lammps.Walls` as far as tests need it."""

    def __init__(
        self, lmp, meshes, law, grain, wall=None, *, motion=None, group="all", slots=8,
        resolution="hierarchy", name="abut", start=0.0, is_lasting=True,
    ):  # fmt: skip
        is_list = isinstance(meshes, list)
        meshes, motions = (x if is_list else [x] for x in (meshes, motion))
        motions = [None] * len(meshes) if motions is None else motions
        walls = wall if isinstance(wall, list) else [wall] * len(meshes)
        self.lmp, self.name, self.slots, self.is_single = lmp, name, slots, not is_list
        self.bit = 1 << lmp.available_ids("group").index(group)
        self.spheres = spheres = Spheres(lmp.extract_global("dt"), resolution=resolution)
        spheres.finder = abut.ContactFinder(meshes)
        for k, (mesh, material, moves) in enumerate(zip(meshes, walls, motions, strict=True)):
            spheres.laws[0, k + 1] = dem.constants(law, grain, material or abut.Material())
            spheres.walls.append(dem.Wall(spheres, mesh, k + 1, moves))
            spheres.walls[-1].started = start
        self.memory = None if is_lasting else {}
        self.last_step, self.error = None, None
        if not lmp.has_id("fix", f"{name}_history"):
            lmp.command(
                f"fix {name}_history all property/atom i_{name}_count i2_{name}_keys {KEYS * slots}"
                f" d2_{name}_states {STATES * slots} ghost no"
            )
        lmp.command(f"fix {name} {group} external pf/callback 1 1")
        lmp.set_fix_external_callback(name, self.touch, None)

    def run(self, steps, every=None, call=None):
        interval, done = every or steps, 0
        while done < steps:
            count = min(interval, steps - done)
            self.lmp.command(f"run {count} pre {'no' if done else 'yes'} post no")
            done += count
            if self.error is not None:
                raise self.error
            if call is not None:
                call(self.lmp.extract_global("ntimestep"))

    # ---- a step ----

    def touch(self, _, step, count, ids, places, forces):
        forces[:] = 0.0
        try:
            here = np.flatnonzero(self.atom("mask")[:count] & self.bit)
            force, torque = self.forces(step, here)
            forces[here] = force
            self.atom("torque")[here] += torque
        except Exception as error:
            self.error = error
            self.lmp.force_timeout()

    def forces(self, step, here):
        spheres, lmp = self.spheres, self.lmp
        length = lmp.extract_global("dt")
        goes_on = self.last_step is not None and step != self.last_step
        self.last_step = step
        spheres.step = length if goes_on else 0.0
        steps = step - lmp.extract_global("atimestep")
        spheres.time = lmp.extract_global("atime") + steps * length
        self.read_spheres(here)
        spheres.contacts = self.read_contacts(here)
        force, torque, brake, _ = spheres.touch_walls()
        if goes_on:
            self.write_contacts(here, spheres.contacts)
        return force, torque + self.braking(here, torque, brake, length)

    def braking(self, here, torque, brake, step):
        """Rolling of type A as a torque: as much as stops the spin that there would be."""
        spheres = self.spheres
        inertias = dem.column(spheres.inertias)
        whole = self.atom("torque")[here] + torque
        spins = spheres.angular_velocities + step * whole / inertias
        lost = dem.ratio(brake * step, spheres.inertias * dem.length(spins))
        return inertias * spins * (dem.column(np.maximum(0, 1 - lost)) - 1) / step

    # ---- LAMMPS' arrays ----

    def atom(self, name):
        return self.lmp.numpy.extract_atom(name)

    def read_spheres(self, here):
        spheres, lmp = self.spheres, self.lmp
        spheres.ids = self.atom("id")[here].astype(np.intp)
        spheres.centers, spheres.velocities = self.atom("x")[here], self.atom("v")[here]
        spheres.angular_velocities = self.atom("omega")[here]
        spheres.radii, spheres.masses = self.atom("radius")[here], self.atom("rmass")[here]
        spheres.inertias = 0.4 * spheres.masses * spheres.radii**2
        spheres.material = np.zeros(len(here), np.intp)
        spheres.cluster = np.full(len(here), -1)
        low, high = lmp.extract_global("boxlo"), lmp.extract_global("boxhi")
        once = lmp.extract_global("periodicity")
        lengths = [b - a if x else None for a, b, x in zip(low, high, once, strict=True)]
        spheres.period = tuple(lengths) if any(once) else None

    def rows(self, here):
        """Keys and states of the contacts of each sphere."""
        if self.memory is not None:
            return [self.memory.get(number, ([], [])) for number in self.spheres.ids.tolist()]
        counts = self.atom(f"i_{self.name}_count")[here]
        keys = self.atom(f"i2_{self.name}_keys")[here].reshape(len(here), -1, KEYS)
        states = self.atom(f"d2_{self.name}_states")[here].reshape(len(here), -1, STATES)
        return [(keys[k][:count], states[k][:count]) for k, count in enumerate(counts)]

    def read_contacts(self, here):
        """Those of the step before, in the frames of the meshes, as if these had not moved."""
        rows = self.rows(here)
        counts = [len(keys) for keys, _ in rows]
        keys = np.array([key for one, _ in rows for key in one], np.intp).reshape(-1, KEYS)
        states = np.array([state for _, one in rows for state in one]).reshape(-1, STATES)
        table = self.table(np.repeat(np.arange(len(here)), counts), counts, keys, states)
        zero = np.zeros(len(keys))
        spring, roll = states[:, :3], states[:, 3:6]
        response = dem.Response(spring, spring, zero, zero, spring, roll)
        return dem.Forced(table, self.spheres.ids, response)

    def table(self, sphere, counts, keys, states):
        meshes = self.spheres.finder.meshes
        mesh, facet, kind, image = keys[:, 0], keys[:, 1], keys[:, 2], keys[:, 3:]
        nodes = [nodes_of(meshes[m], f, k % 4, k // 4) for m, f, k in keys[:, :3].tolist()]
        lengths = np.array([one or 0.0 for one in self.spheres.period or (None,) * 3])
        columns = {
            "sphere": sphere, "facet": facet, "type": (kind % 4).astype(np.uint8),
            "feature": kind // 4, "point": states[:, 6:9] + image * lengths,
            "normal": states[:, 9:12].copy(), "overlap": states[:, 12].copy(),
            "share": np.ones(len(keys)), "mesh": mesh, "image": image,
            "node": np.array([n for one in nodes for n in one], np.intp),
            "weight": np.zeros(sum(map(len, nodes))),
            "offsets": np.cumsum([0, *counts]), "_tilt": states[:, 13].copy(),
            "node_offsets": np.cumsum([0, *map(len, nodes)]),
        }  # fmt: skip
        columns = {name: np.ascontiguousarray(column) for name, column in columns.items()}
        poses = np.tile(np.eye(4), (len(meshes), 1, 1))
        settings = {"meshes": meshes, "poses": poses, "period": self.spheres.period}
        return abut.Contacts._build(columns, settings | {"flat_angle": 0.0})

    def write_contacts(self, here, forced):
        table = forced.table
        lengths = np.array([one or 0.0 for one in self.spheres.period or (None,) * 3])
        turns, origins = table.poses[table.mesh, :3, :3], table.poses[table.mesh, :3, 3]

        def at_rest(vectors):
            return np.einsum("kba,kb->ka", turns, vectors)

        point = at_rest(table.point - table.image * lengths - origins)
        vectors = at_rest(forced.spring), at_rest(forced.roll), point, at_rest(table.normal)
        states = np.column_stack([*vectors, table.overlap, table._tilt])
        kind = 4 * table.feature + table.type
        keys = np.column_stack([table.mesh, table.facet, kind, table.image])
        for k, row in enumerate(here):
            own = slice(table.offsets[k], table.offsets[k + 1])
            self.write_rows(row, self.spheres.ids[k], keys[own], states[own])

    def write_rows(self, row, number, keys, states):
        if len(keys) > self.slots:
            raise ValueError(f"sphere {number} has {len(keys)} contacts in {self.slots} slots")
        if self.memory is not None:
            self.memory[int(number)] = keys, states
            return
        self.atom(f"i_{self.name}_count")[row] = len(keys)
        self.atom(f"i2_{self.name}_keys")[row, : keys.size] = keys.ravel()
        self.atom(f"d2_{self.name}_states")[row, : states.size] = states.ravel()


def nodes_of(mesh, facet, kind, feature):
    corners = mesh.indices[mesh.offsets[facet] : mesh.offsets[facet + 1]].tolist()
    if kind == abut.FACET:
        return corners
    if kind == abut.VERTEX:
        return [corners[feature]]
    return [corners[feature], corners[(feature + 1) % len(corners)]]
