"""Files of a base revision, read from a hostile clone: by one `git cat-file`, and every object is hashed again here.

The revision is a full object ID, or a name below `refs/` that is resolved once and told. git is started by its absolute
path with an environment of ours: no configuration but the clone's own, no replaced objects, nothing is fetched, no
protocol is allowed. An object whose bytes are not those of its ID ends everything, so neither a replacement, nor a
graft, nor a changed object file can put another policy in. What is missing, a link, or too large is an error (exit 4):
the head's own policy is never taken instead.
"""

from __future__ import annotations

import hashlib
import os
import re
import select
import subprocess  # nosec B404  # git alone, by absolute path
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from plugseal.errors import CouldNotJudgeError, UsageError
from plugseal.limits import MAX_COMMITTED_BYTES
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

PROGRAMS: Final = ("/usr/bin/git", "/usr/local/bin/git", "/opt/homebrew/bin/git", "/bin/git")
MAX_OBJECT_BYTES: Final = MAX_COMMITTED_BYTES
"""One object: whatever a change may commit is read of the base that it becomes."""
MAX_OBJECTS: Final = 200_000
ANSWER_SECONDS: Final = 60.0
"""For git's first word about one object; a hang guard."""
MAX_PACK_BYTES: Final = 4 * MAX_COMMITTED_BYTES
"""All objects that are read of one revision together."""
_ID: Final = lazy(r"\A(?:[0-9a-f]{40}|[0-9a-f]{64})\Z", re.ASCII)
_REF: Final = lazy(r"\Arefs/[A-Za-z0-9][A-Za-z0-9._/+-]{0,200}\Z", re.ASCII)
_FILE_MODES: Final = frozenset({b"100644", b"100755"})
_ENVIRONMENT: Final = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_ATTR_NOSYSTEM": "1",
}
_HINT: Final = "fetch the base in full, and name it by its object ID"
_PLAIN: Final = "put a plain file there on the base branch: neither links nor submodules are followed"
_SMALLER: Final = "commit it in smaller parts: `plugseal log export ID` writes one plugin's trails"


class Entry(NamedTuple):
    """One entry of a folder in git."""

    mode: bytes
    name: bytes
    id: str


class Base:
    """One revision of a repository; use as a context manager."""

    def __init__(self, repository: Path, revision: str) -> None:
        """Check what may be asked before anything is started.

        Raises:
            UsageError: the revision is neither an object ID nor a name below `refs/`.
            CouldNotJudgeError: there is no repository, or git is not installed.
        """
        is_ref = _REF.match(revision) is not None and ".." not in revision and "//" not in revision
        if not is_ref and not _ID.match(revision):
            raise UsageError(
                f"`{revision}` is neither a full object ID nor a name below `refs/`",
                hint="give its ID, as `git rev-parse main` prints it; "
                "in GitHub Actions: `--base ${{ github.event.pull_request.base.sha }}`",
            )
        if not (repository / ".git").exists():
            raise CouldNotJudgeError("no git repository is there", place=str(repository), hint=_HINT)
        self._folder = repository / ".git"
        self._revision = revision
        self._process: subprocess.Popen[bytes] | None = None
        self._count = self._bytes = 0
        self._tree = ""
        self.id = ""
        """The object ID of the revision, once entered."""

    def __enter__(self) -> Base:
        program = next((path for path in PROGRAMS if Path(path).is_file()), None)
        if program is None:
            raise CouldNotJudgeError("git is not installed", hint=" or ".join(PROGRAMS))
        folder = os.path.realpath(self._folder)
        words = [program, f"--git-dir={folder}", "-c", "protocol.allow=never", "-c", "core.hooksPath=/dev/null"]
        self._process = subprocess.Popen(  # noqa: S603  # nosec B603  # an absolute program, words of ours and a path behind an option
            [*words, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            cwd="/",
            close_fds=True,
        )
        try:
            self._open()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def read(self, path: str, *, max_bytes: int = MAX_OBJECT_BYTES) -> bytes | None:
        """Return the bytes of a regular file, None where nothing is there.

        Raises:
            CouldNotJudgeError: it is a link or a folder, too large, missing from the clone, or not what its ID says.
        """
        entry = self._entry(path)
        if entry is None:
            return None
        if entry.mode not in _FILE_MODES:
            raise self._refused("is no regular file in the base revision", path, hint=_PLAIN)
        data = self._object(entry.id, "blob", path)
        if len(data) > max_bytes:
            raise self._refused(f"is larger than {max_bytes:,} bytes in the base revision", path, hint=_SMALLER)
        return data

    def files(self, folder: str) -> Iterator[tuple[str, bytes]]:
        """Yield (path, bytes) of all files below a folder, in order; none where it is not there.

        Raises:
            CouldNotJudgeError: as `read`.
        """
        entry = self._entry(folder)
        if entry is not None and entry.mode != b"40000":
            raise self._refused("is no folder in the base revision", folder)
        if entry is not None:
            yield from self._below(folder, entry.id, depth=0)

    def _below(self, folder: str, tree: str, *, depth: int) -> Iterator[tuple[str, bytes]]:
        if depth > 8:
            raise self._refused("is nested too deep", folder)
        for entry in self._entries(tree):
            path = f"{folder}/{entry.name.decode('utf-8', 'surrogateescape')}"
            if entry.mode == b"40000":
                yield from self._below(path, entry.id, depth=depth + 1)
            elif entry.mode in _FILE_MODES:
                yield path, self._object(entry.id, "blob", path)
            else:
                raise self._refused("is no regular file in the base revision", path, hint=_PLAIN)

    def _open(self) -> None:
        wanted = f"{self._revision}^{{commit}}"
        found, kind, data = self._ask(wanted, self._revision)
        if kind != "commit":
            raise self._refused("is no commit", self._revision)
        first = data.partition(b"\n")[0]
        if not re.fullmatch(rb"tree (?:[0-9a-f]{40}|[0-9a-f]{64})", first):
            raise self._refused("is no commit", self._revision)
        self.id, self._tree = found, first[5:].decode("ascii")
        if _ID.match(self._revision) and found != self._revision:
            raise self._refused("is no commit: give the commit's own ID", self._revision)

    def _entry(self, path: str) -> Entry | None:
        tree, found = self._tree, None
        parts = path.encode("utf-8", "surrogateescape").split(b"/")
        for number, part in enumerate(parts):
            found = next((entry for entry in self._entries(tree) if entry.name == part), None)
            if found is None:
                return None
            if number + 1 < len(parts):
                if found.mode != b"40000":
                    raise self._refused("lies below what is no folder in the base revision", path)
                tree = found.id
        return found

    def _entries(self, tree: str) -> list[Entry]:
        data = self._object(tree, "tree")
        size, at, found = len(tree) // 2, 0, []
        while at < len(data):
            space, end = data.find(b" ", at), data.find(b"\0", at)
            if not at < space < end or end + 1 + size > len(data):
                raise self._refused("holds a damaged folder", tree)
            found.append(Entry(data[at:space], data[space + 1 : end], data[end + 1 : end + 1 + size].hex()))
            at = end + 1 + size
        return found

    def _object(self, name: str, kind: str, path: str = "") -> bytes:
        found, is_kind, data = self._ask(name, path or name)
        if found != name or is_kind != kind:
            raise self._refused("is another object than its ID says", name)
        return data

    def _ask(self, name: str, path: str) -> tuple[str, str, bytes]:
        """Return ID, kind and bytes of one object, which messages call by its path; the bytes are those of the ID."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise self._refused("is not open", name)
        self._count += 1
        if self._count > MAX_OBJECTS:
            raise self._refused(f"is behind {MAX_OBJECTS:,} other objects of the base revision", path, hint=_SMALLER)
        try:
            process.stdin.write(name.encode("ascii") + b"\n")
            process.stdin.flush()
            if not select.select([process.stdout], [], [], ANSWER_SECONDS)[0]:
                # A pipe in the place of a file of the clone: git waits for whoever writes into it.
                raise self._refused("is not told by git: it does not answer", name)
            head = process.stdout.readline(1_024)
        except OSError as error:
            raise self._refused("can't be read by git", name) from error
        fits = re.fullmatch(rb"([0-9a-f]{40}|[0-9a-f]{64}) (blob|tree|commit|tag) ([0-9]{1,12})\n", head)
        if fits is None:
            raise self._refused("is not in this clone", name)
        data = self._body(process.stdout, int(fits[3]), path)
        found, kind = fits[1].decode("ascii"), fits[2].decode("ascii")
        hashed = hashlib.sha1 if len(found) == 40 else hashlib.sha256  # names of git's objects
        if hashed(f"{kind} {len(data)}\0".encode("ascii") + data).hexdigest() != found:
            raise self._refused("is another object than its ID says", name)
        return found, kind, data

    def _body(self, stream: IO[bytes], size: int, path: str) -> bytes:
        self._bytes += size
        if size > MAX_OBJECT_BYTES:
            raise self._refused(f"is larger than {MAX_OBJECT_BYTES:,} bytes in the base revision", path, hint=_SMALLER)
        if self._bytes > MAX_PACK_BYTES:
            raise self._refused(f"and all before it are more than {MAX_PACK_BYTES:,} bytes", path, hint=_SMALLER)
        data = stream.read(size + 1)
        if len(data) != size + 1 or data[-1:] != b"\n":
            raise self._refused("can't be read by git", path)
        return data[:-1]

    def _refused(self, why: str, what: str, *, hint: str = _HINT) -> CouldNotJudgeError:
        return CouldNotJudgeError(f"`{what}` {why}", place=str(self._folder), hint=hint)

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue
        process.kill()
        process.wait()
