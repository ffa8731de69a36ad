"""Safe writing, used by all writers: a file is either written whole or left as it was."""

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

# The number of letters of a file's name that its temporary file's name repeats: file systems limit
# the length of names.
_NAME_LETTERS = 48

# The errors if a folder does not allow new files; its existing files may still be writable.
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def opened(path: _Pathlike, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Open a file for writing, as `open` does; an old file is replaced only when all is written.

    The block writes to a temporary file in the same folder, which replaces the old file when the
    block ends. If the block fails, the old file remains. Owner, permissions and symbolic links are
    kept, hard links are not. Pipes and devices are written directly, and so is a file in a folder
    where this process must not create files.
    """
    place = Path(os.path.realpath(path))
    # The name begins with a dot, so that programs that read all files of a folder skip this file.
    part = place.with_name(f".{place.name[:_NAME_LETTERS]}.{secrets.token_hex(4)}.part")
    with _errors_naming(path):
        try:
            old = _old(path)
            is_beside = _begin(part, path, old)
            with open(part if is_beside else path, mode, **options) as file:
                yield file
            if is_beside:
                _put(part, place, old)
        finally:
            # The temporary file no longer exists if `_put` has moved it.
            with suppress(OSError):
                part.unlink()


@contextmanager
def _errors_naming(path: _Pathlike) -> Iterator[None]:
    """Name the file as the caller does in errors of the system, such as a full disk."""
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
    """Create the empty temporary file; return False if `path` must be written directly."""
    if old is not None:
        if not stat.S_ISREG(old.st_mode) or _is_open_here(path):
            return False
        # This raises for a read-only file, which must not be replaced even if the folder allows it.
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
    """Return whether `path` is a link to a file that this process has open, as /dev/stdout is."""
    name = os.fspath(path)
    while os.path.islink(name):
        folder = os.path.dirname(name)
        if os.path.realpath(folder).startswith("/proc/"):
            return True
        name = os.path.join(folder, os.readlink(name))
    return False


def _put(part: Path, place: Path, old: os.stat_result | None) -> None:
    """Move the written file to its place."""
    try:
        if old is not None:
            _give(part, old)
        os.replace(part, place)
    except OSError as error:
        if old is None or error.errno not in (*_FORBIDDEN, errno.EBUSY):
            raise
        # Files of other users and mounted files cannot be replaced, but they may be writable.
        with open(part, "rb") as made, open(place, "wb") as file:
            shutil.copyfileobj(made, file)


def _give(part: Path, old: os.stat_result) -> None:
    """Set a file's owner, group and permissions to those of the old file."""
    made = os.stat(part)
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, stat.S_IMODE(old.st_mode))


# ---- files that grow -----------------------------------------------------------------------------


def append(path: _Pathlike, data: bytes) -> None:
    """Append to a file, or create it. If this fails, an existing file remains as it was."""
    if os.path.isfile(path):
        replace_end(path, os.path.getsize(path), data)
        return
    with open(path, "ab") as file:
        file.write(data)


def replace_end(path: _Pathlike, begin: int, data: bytes) -> None:
    """Replace all bytes of a file from `begin` on. If this fails, the file remains as it was."""
    # There is no buffer: after an error, closing the file would write the rest of it.
    with _errors_naming(path), open(path, "rb+", buffering=0) as file:
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
