"""Files as bytes: read whole, replaced whole."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
from collections.abc import Iterator

from prepare_fix.errors import SourceError

_DESCRIPTOR = re.compile(r"/dev/(stdout|stderr|fd/\d+)|/proc/(self|\d+)/fd/\d+")


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
    Mode, owner and extended attributes are kept; a symlink stays and its target is replaced. A file that is already
    what it should become is left alone: another run was faster.

    Raises:
        SourceError: of kind ``refused`` where the file must not be replaced, ``io`` where it could not be.
    """
    target = os.path.realpath(path)
    try:
        status = os.stat(target)
        if _is_to_do(target, before, after):
            _refuse(target, status)
            with uninterrupted():
                _replace(target, status, after, before)
    except OSError as error:
        raise _io_error(error) from error


def read_regular_file(path: str) -> bytes:
    """Return the bytes of the file at ``path``, which may be anything by now.

    Raises:
        SourceError: of kind ``io``, also where reading would wait for another program, as with a named pipe.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SourceError("io", "it is no regular file")
    except OSError as error:
        raise _io_error(error) from error
    return read_file(path)


def check_replaceable(path: str) -> None:
    """Look whether ``replace_file`` would replace the file at ``path``.

    Raises:
        SourceError: of kind ``refused`` where it must not be replaced, ``io`` where it is not there.
    """
    target = os.path.realpath(path)
    try:
        _refuse(target, os.stat(target))
    except OSError as error:
        raise _io_error(error) from error


def write_file(path: str, content: bytes) -> None:
    """Write a whole file of our own, new or in the place of an old one; what is no regular file is written into, and
    so is what is open already, such as ``/dev/stdout``: a log that it leads to is not ours.

    Raises:
        SourceError: of kind ``io``.
    """
    target = os.path.realpath(path)
    try:
        status = os.stat(target) if os.path.exists(target) else None
        if _DESCRIPTOR.fullmatch(os.path.abspath(path)):
            with open(path, "ab") as file:
                file.write(content)
        elif status is None or stat.S_ISREG(status.st_mode):
            with uninterrupted():
                _replace(target, status, content, None)
        else:
            with open(target, "wb") as file:
                file.write(content)
    except OSError as error:
        raise _io_error(error) from error


def _io_error(error: OSError) -> SourceError:
    return SourceError("io", error.strerror or str(error))


def _is_to_do(target: str, before: bytes, after: bytes) -> bool:
    """Return whether the file still is ``before``, not ``after`` by now; raise where somebody else wrote into it."""
    now = read_regular_file(target)
    if now not in (before, after):
        raise SourceError("refused", "the file changed since it was read")
    return now == before


def _refuse(target: str, status: os.stat_result) -> None:
    """Raise where replacing would break what the owner of the file arranged."""
    if status.st_nlink > 1:
        raise SourceError("refused", f"the file has {status.st_nlink} hard links, and replacing it would part them")
    # The mode is looked at as well, since os.access lets a privileged user write everything.
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        raise SourceError("refused", "no permission to write the file")


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let signals that end the program wait for a moment: half a replacement would leave litter."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    waiting = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    old = signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def _replace(target: str, status: os.stat_result | None, after: bytes, before: bytes | None) -> None:
    """Put ``after`` into the place of ``before``; of anything at all where that is ``None``."""
    import tempfile

    descriptor, temporary = tempfile.mkstemp(prefix=".prepare-fix.", suffix=".tmp", dir=os.path.dirname(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(after)
            file.flush()
            os.fsync(file.fileno())
        if status is not None:
            _copy_attributes(target, status, temporary)
        else:
            os.umask(mask := os.umask(0o77))
            os.chmod(temporary, 0o666 & ~mask)
        # Asked once more: bringing the new file to the disk takes a while, in which others may write.
        if before is None or _is_to_do(target, before, after):
            os.replace(temporary, target)
        else:
            os.unlink(temporary)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _copy_attributes(target: str, status: os.stat_result, temporary: str) -> None:
    """Give the new file the owner, the mode and the extended attributes (such as access lists) of the old one."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, status.st_uid, status.st_gid)
        got = os.stat(temporary)
        # Only a privileged user may give files away.
        if (got.st_uid, got.st_gid) != (status.st_uid, status.st_gid):
            raise SourceError("refused", "the file belongs to somebody else, and replacing it would change that")
    if hasattr(os, "listxattr"):
        # Not every file system has them, and some belong to the system.
        for attribute in os.listxattr(target):
            with contextlib.suppress(OSError):
                os.setxattr(temporary, attribute, os.getxattr(target, attribute))
    os.chmod(temporary, stat.S_IMODE(status.st_mode))
