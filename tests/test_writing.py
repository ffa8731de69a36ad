"""Files that are written: whole, or as they were where the disk is full or somebody interrupts."""

import errno
import io
import os
import stat
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import abut
from abut.cli import demo, main
from abut.io import writing

SQUARE = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
CENTERS, RADII = [[0.3, 0.3, 0.09], [0.45, 0.3, 0.08]], 0.1
BEFORE = b"what was there"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@contextmanager
def full(size):
    """Files are limited to `size` bytes; writing more is an error, as on a full disk."""
    resource = pytest.importorskip("resource")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def contacts():
    return abut.find_contacts(CENTERS, RADII, SQUARE)


def convex():
    shape = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
    return abut.find_convex_contacts(shape, [[0, 0], [0.75, 0]])


def falling():
    grain = abut.Material(density=1000, young=1e6)
    sim = abut.Simulation(step=1e-4)
    sim.set_law(grain, grain, abut.Hertz())
    sim.add_wall(SQUARE, grain)
    sim.add_spheres([[0.3, 0.3, 0.2], [0.7, 0.7, 0.3]], RADII, grain)
    return sim


def recorded(path):
    sim = falling()
    heights = sim.record(1e-4, lambda s: s.centers[:, 2])
    sim.run(steps=2)
    heights.save(path)


def found(path):
    """By the command: contacts of a file of spheres."""
    if not os.path.exists("square.stl"):
        SQUARE.save("square.stl")
        np.savez("spheres.npz", centers=CENTERS, radii=[RADII, RADII])
    told = io.StringIO()
    with redirect_stderr(told), redirect_stdout(told):
        status = main(["contacts", "square.stl", "spheres.npz", "-o", path])
    if status:
        raise OSError(errno.EFBIG, told.getvalue())


def drawn(path):
    demo._save(pytest.importorskip("matplotlib.figure").Figure(figsize=(1, 1)), path)


def listed(path):
    abut.write_frames("out_{step}.vtp", walls=False)(falling())


WRITERS = {
    "contacts.npz": lambda path: contacts().save(path),
    "contacts.csv": lambda path: contacts().save(path),
    "contacts.vtp": lambda path: contacts().save(path),
    "contacts.parquet": lambda path: contacts().save(path),
    "pairs.npz": lambda path: abut.find_pairs(CENTERS, RADII).save(path),
    "convex.npz": lambda path: convex().save(path),
    "convex.csv": lambda path: convex().save(path),
    "mesh.stl": SQUARE.save,
    "mesh.vtp": SQUARE.save,
    "mesh.vtu": SQUARE.save,
    "heights.csv": recorded,
    "state.npz": lambda path: falling().save(path),
    "0.vtp": lambda path: abut.write_frames("{step}.vtp", walls=False)(falling()),
    "0.npz": lambda path: abut.write_frames("{step}.npz")(falling()),
    "out.pvd": listed,
    "run.dump": lambda path: abut.write_dump(path)(falling()),
    "found.csv": found,
    "picture.png": drawn,
}


def write(name):
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    WRITERS[name](name)


def content_of(folder):
    return {path.name: path.read_bytes() for path in Path(folder).iterdir() if path.is_file()}


# ---- a full disk ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_stays_where_the_disk_is_full(name):
    """At several sizes: where one byte is missing, it may be in a buffer until the end."""
    write(name)
    size = Path(name).stat().st_size
    for room in (0, size // 2, size - 1):
        Path(name).write_bytes(BEFORE)
        others = set(content_of("."))
        with full(room), pytest.raises(OSError, match=name.split(".")[0]) as told:
            write(name)
        assert told.value.errno == errno.EFBIG
        assert Path(name).read_bytes() == BEFORE
        assert set(content_of(".")) <= others
    write(name)
    assert Path(name).stat().st_size == size


@pytest.mark.parametrize("name", ["mesh.stl", "mesh.vtp"])
def test_a_full_disk_is_told_wherever_it_ends(name):
    """Errors are also reported for arrays smaller than the system's buffers."""
    SQUARE.save(name)
    whole = Path(name).read_bytes()
    for room in range(0, len(whole), 17):
        with full(room), pytest.raises(OSError, match=name):
            SQUARE.save(name)
        assert content_of(".") == {name: whole}


def test_a_dump_grows_by_whole_frames():
    sim, write = falling(), abut.write_dump("run.dump")
    write(sim)
    sim.run(steps=5)
    one = Path("run.dump").read_bytes()
    for room in range(len(one), 2 * len(one) - 20, 40):
        with full(room), pytest.raises(OSError, match=r"run\.dump"):
            write(sim)
        assert content_of(".") == {"run.dump": one}
    write(sim)
    assert [frame.step for frame in abut.read_frames("run.dump")] == [0, 5]
    assert Path("run.dump").read_bytes().startswith(one)


def test_a_dump_that_goes_on_keeps_its_frames_until_the_next_is_written():
    sim, write = falling(), abut.write_dump("run.dump")
    sim.every(1e-3, write)
    sim.run(4e-3)
    before = Path("run.dump").read_bytes()
    again = falling()
    again.run(35 * again.step)
    with full(before.index(b"TIMESTEP\n40") + 100), pytest.raises(OSError):
        abut.write_dump("run.dump", append=True)(again)
    assert content_of(".") == {"run.dump": before}
    abut.write_dump("run.dump", append=True)(again)
    assert [frame.step for frame in abut.read_frames("run.dump")] == [10, 20, 30, 35]


def test_a_list_grows_by_whole_entries():
    sim, write = falling(), abut.write_frames("out/{step}.vtp", walls=False)
    write(sim)
    before = Path("out.pvd").read_bytes()
    sim.run(steps=5)
    # files of a frame go by: only the list is too long
    with full(len(before) + 20), pytest.MonkeyPatch.context() as patch:
        patch.setitem(write._parts, "", lambda sim, path: path.touch())
        with pytest.raises(OSError, match=r"out\.pvd"):
            write(sim)
    assert Path("out.pvd").read_bytes() == before
    write(sim)
    assert [entry.path.name for entry in abut.io.pvd.read(Path("out.pvd"))] == ["0.vtp", "5.vtp"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_whatever_ends_the_writing_leaves_the_file_before(error):
    Path("a.csv").write_bytes(BEFORE)
    with pytest.raises(error), writing.opened("a.csv") as file:
        file.write(b"half of")
        file.flush()
        raise error
    assert content_of(".") == {"a.csv": BEFORE}


def test_who_reads_a_folder_passes_over_what_is_being_written():
    abut.write_frames("out/{step}.vtp", walls=False)(falling())
    with writing.opened("out/5.vtp") as file:
        file.write(b"half of")
        file.flush()
        assert len(os.listdir("out")) == 2
        assert len(abut.read_frames("out")) == len(abut.read_frames("out/*")) == 1


# ---- as a plain write would ----------------------------------------------------------------------


needs_rights = pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")


def rights(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@needs_rights
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o666])
def test_rights_stay(mode):
    Path("a.csv").touch()
    os.chmod("a.csv", mode)
    with writing.opened("a.csv"):
        # a partial file must not be readable by more users than the final file
        (part,) = set(os.listdir()) - {"a.csv"}
        assert not rights(part) & ~(mode | 0o600)
    contacts().save("a.csv")
    assert rights("a.csv") == mode


@needs_rights
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_rights_of_any(mask):
    before = os.umask(mask)
    try:
        contacts().save("a.csv")
    finally:
        os.umask(before)
    assert rights("a.csv") == 0o666 & ~mask


@needs_rights
@pytest.mark.parametrize("is_there", [True, False])
def test_links_stay_and_lead_to_the_file(is_there):
    Path("folder").mkdir()
    if is_there:
        Path("folder/a.csv").touch()
    os.symlink("folder/a.csv", "link.csv")
    os.symlink("link.csv", "other.csv")
    contacts().save("other.csv")
    assert os.readlink("other.csv") == "link.csv" and os.readlink("link.csv") == "folder/a.csv"
    assert Path("folder/a.csv").stat().st_size > 0 and os.listdir("folder") == ["a.csv"]


@needs_rights
def test_a_file_that_nobody_may_write_stays():
    Path("a.csv").write_bytes(BEFORE)
    os.chmod("a.csv", 0o444)
    if os.access("a.csv", os.W_OK):
        pytest.skip("root may write everything")
    with pytest.raises(PermissionError, match=r"a\.csv"):
        contacts().save("a.csv")
    assert content_of(".") == {"a.csv": BEFORE}


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS])
def test_a_folder_that_takes_no_new_files(monkeypatch, code):
    Path("a.csv").write_bytes(BEFORE)
    number, plain = os.stat("a.csv").st_ino, os.open

    def opened(path, flags, *rest, **more):
        if flags & os.O_CREAT:
            raise OSError(code, os.strerror(code), path)
        return plain(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", opened)
    contacts().save("a.csv")
    assert os.stat("a.csv").st_ino == number
    assert Path("a.csv").read_text().startswith("sphere,")


@pytest.mark.parametrize("code", [errno.EBUSY, errno.EPERM])
def test_files_that_do_not_give_way_take_the_content(monkeypatch, code):
    """Such as mounted ones, or those of others in a folder of all."""

    def replace(part, place):
        raise OSError(code, os.strerror(code), part, None, place)

    Path("a.csv").write_bytes(BEFORE)
    number = os.stat("a.csv").st_ino
    monkeypatch.setattr(os, "replace", replace)
    contacts().save("a.csv")
    assert os.stat("a.csv").st_ino == number and list(content_of(".")) == ["a.csv"]
    assert Path("a.csv").read_text().startswith("sphere,")
    with pytest.raises(OSError, match=r"'b\.csv'$"):
        contacts().save("b.csv")
    assert list(content_of(".")) == ["a.csv"]


@needs_rights
def test_pipes_are_written_as_they_are():
    os.mkfifo("pipe.csv")
    texts = []
    reader = threading.Thread(target=lambda: texts.append(Path("pipe.csv").read_text()))
    reader.start()
    contacts().save("pipe.csv")
    reader.join()
    contacts().save("plain.csv")
    assert texts == [Path("plain.csv").read_text()]
    assert stat.S_ISFIFO(os.stat("pipe.csv").st_mode)


def test_what_is_open_here_is_written_as_it_is():
    """As /dev/stdout where a shell has led it into a file."""
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("files that are open have no names")
    sim = falling()
    with open("out.dump", "ab") as file:
        os.symlink(f"/proc/self/fd/{file.fileno()}", "stdout")
        write = abut.write_dump("stdout")
        write(sim)
        sim.run(steps=3)
        write(sim)
        assert os.fstat(file.fileno()).st_nlink == 1
    assert [frame.step for frame in abut.read_frames("out.dump")] == [0, 3]
