"""Files as bytes: read whole, replaced whole."""

from __future__ import annotations

import contextlib
import os
import stat

from prepare_fix.errors import SourceError


def read_file(path: str) -> bytes:
    """Return the bytes of the regular file at ``path``.

    Raises:
        SourceError: of kind ``io``; the message is the reason for people.
    """
    try:
        # Unbuffered, as a file is read once and whole: no copy through a buffer.
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError as error:
        raise _io_error(error) from error


def replace_file(path: str, before: bytes, after: bytes) -> None:
    """Put ``after`` into the place of ``before``, the bytes that were read from ``path``.

    The new file is complete on the disk before it takes the name of the old one, so that a crash leaves either.
    Mode and, where the system allows, owner are kept; a symlink stays and its target is replaced.

    Raises:
        SourceError: of kind ``refused`` where the file must not be replaced, ``io`` where it could not be.
    """
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
        _refuse(target, status, before)
        _replace(target, status, after)
    except OSError as error:
        raise _io_error(error) from error


def _io_error(error: OSError) -> SourceError:
    return SourceError("io", error.strerror or str(error))


def _refuse(target: str, status: os.stat_result, before: bytes) -> None:
    """Raise where replacing would break what the owner of the file arranged, or lose what somebody wrote."""
    if status.st_nlink > 1:
        raise SourceError("refused", f"the file has {status.st_nlink} hard links, and replacing it would part them")
    # The mode is looked at as well, since os.access lets a privileged user write everything.
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        raise SourceError("refused", "no permission to write the file")
    if read_file(target) != before:
        raise SourceError("refused", "the file changed since it was read")


def _replace(target: str, status: os.stat_result, after: bytes) -> None:
    import tempfile

    folder, name = os.path.split(target)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name[:64]}.", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            # Only a privileged user may give files away; for others the file is theirs anyway.
            with contextlib.suppress(OSError):
                os.chown(temporary, status.st_uid, status.st_gid)
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
