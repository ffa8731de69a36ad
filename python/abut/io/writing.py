"""Files that are whole, or as they were before: what all writers open."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO

_Pathlike = str | os.PathLike[str]

# The temporary file's name keeps so much of the file's, since file systems refuse longer names.
_NAME_LETTERS = 48

# errors of folders that refuse new files, but may let the files be written that they have
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def opened(path: _Pathlike, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file to write it, as `open` does; what was there goes only when all is written.

    What is written is in a file beside until the block ends, and then takes the place of the one
    before; where the block fails, that one stays. Who owns it, who may read it, and links to it
    stay, but for hard links. Pipes and devices are written as they are, and so is a file that this
    process may write in a folder that it may not.
    """
    place = Path(os.path.realpath(path))
    # the dot hides it from those that read all files of a folder
    part = place.with_name(f".{place.name[:_NAME_LETTERS]}.{secrets.token_hex(4)}.part")
    with _told(path):
        try:
            old = _old(path)
            is_beside = _begin(part, path, old)
            with open(part if is_beside else path, mode, **options) as file:
                yield file
            if is_beside:
                _put(part, place, old)
        finally:
            # it is gone if it has become the file itself
            with suppress(OSError):
                part.unlink()


@contextmanager
def _told(path: _Pathlike) -> Iterator[None]:
    """What the system refuses, such as room on a disk, is told with the file's own name."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error


def _old(path: _Pathlike) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _begin(part: Path, path: _Pathlike, old: os.stat_result | None) -> bool:
    """Make an empty file beside, for those who may read the old one; False where none can be."""
    if old is not None:
        if not stat.S_ISREG(old.st_mode) or _is_open_here(path):
            return False
        # a folder may let a file be replaced that its rights forbid to write: that is an error
        os.close(os.open(path, os.O_WRONLY))
    rights = 0o666 if old is None else stat.S_IMODE(old.st_mode) | stat.S_IRUSR | stat.S_IWUSR
    try:
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights))
    except OSError as error:
        if error.errno not in _FORBIDDEN:
            raise
        return False
    return True


def _is_open_here(path: _Pathlike) -> bool:
    """Whether the name stands for what this process has open, as /dev/stdout does."""
    name = os.fspath(path)
    while os.path.islink(name):
        folder = os.path.dirname(name)
        if os.path.realpath(folder).startswith("/proc/"):
            return True
        name = os.path.join(folder, os.readlink(name))
    return False


def _put(part: Path, place: Path, old: os.stat_result | None) -> None:
    """Put what is written in its place."""
    try:
        if old is not None:
            _give(part, old)
        os.replace(part, place)
    except OSError as error:
        if old is None or error.errno not in (*_FORBIDDEN, errno.EBUSY):
            raise
        # files of others, and mounted ones, cannot be replaced, but they can be written
        with open(part, "rb") as made, open(place, "wb") as file:
            shutil.copyfileobj(made, file)


def _give(part: Path, old: os.stat_result) -> None:
    """Let a file belong to those to whom the old one does, with the same rights."""
    made = os.stat(part)
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, stat.S_IMODE(old.st_mode))


# ---- files that grow -----------------------------------------------------------------------------


def append(path: _Pathlike, data: bytes) -> None:
    """Write at the end of a file, or a new one; where that fails, it ends where it did."""
    if os.path.isfile(path):
        replace_end(path, os.path.getsize(path), data)
        return
    with open(path, "ab") as file:
        file.write(data)


def replace_end(path: _Pathlike, begin: int, data: bytes) -> None:
    """Write what a file has from a byte on; where that fails, the file is as it was."""
    # unbuffered: after an error, closing the file would write the rest of a buffer
    with _told(path), open(path, "rb+", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(begin)
        before = file.read(len(data))
        try:
            _write_at(file, begin, data)
            file.truncate(begin + len(data))
        except BaseException:
            _write_at(file, begin, before)
            file.truncate(size)
            raise


def _write_at(file: BinaryIO, begin: int, data: bytes) -> None:
    file.seek(begin)
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
