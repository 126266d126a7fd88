"""Read what strace saw: programs started, sockets, files opened and changed, by which real path.

Made for `strace -f -y`: descriptors carry their paths. What this reader does not know as harmless it reports: a line
that it can't read is an error, never skipped.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

NETWORK = frozenset(
    "socket socketpair connect bind listen accept accept4 sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg shutdown"
    " getsockopt setsockopt getpeername getsockname".split()
)
EXEC = frozenset({"execve", "execveat"})
FORK = frozenset({"fork", "vfork", "clone", "clone3"})
ODD = frozenset(
    "io_uring_setup ptrace process_vm_readv process_vm_writev memfd_create bpf mount umount2 chroot pivot_root setns"
    " unshare open_by_handle_at uselib acct swapon".split()
)
"""Ways around what is watched here, which no scanner needs."""
CHANGE: Mapping[str, tuple[int, ...]] = {
    "creat": (0,), "mkdir": (0,), "rmdir": (0,), "unlink": (0,), "mknod": (0,), "chmod": (0,), "chown": (0,),
    "lchown": (0,), "truncate": (0,), "utime": (0,), "utimes": (0,), "setxattr": (0,),
    "lsetxattr": (0,), "removexattr": (0,), "lremovexattr": (0,), "rename": (0, 1), "link": (0, 1), "symlink": (1,),
    "ftruncate": (0,), "fchmod": (0,), "fchown": (0,), "fallocate": (0,), "fsetxattr": (0,), "fremovexattr": (0,),
    "mkdirat": (1,), "unlinkat": (1,), "mknodat": (1,), "fchmodat": (1,), "fchmodat2": (1,), "fchownat": (1,),
    "utimensat": (1,), "futimesat": (1,), "renameat": (1, 3), "renameat2": (1, 3), "linkat": (1, 3), "symlinkat": (2,),
}  # fmt: skip
"""Calls that change files, with the positions of the paths (or descriptors) that they change."""
OPEN: Mapping[str, int] = {"open": 0, "openat": 1, "openat2": 1}
WRITING = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)")
TRACED = ",".join(
    f"?{name}" for name in sorted({*NETWORK, *EXEC, *FORK, *ODD, *CHANGE, *OPEN, "chdir", "fchdir", "exit_group"})
)
"""With `?`, since not every kernel and every strace knows each of them."""

_WHOLE = re.compile(r"(\d+) +(\w+)\((.*)\) += (.*)", re.DOTALL)
_UNFINISHED = re.compile(r"(\d+) +(\w+)\((.*?),? *<unfinished \.\.\.>")
_RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>(.*)", re.DOTALL)
_NOISE = re.compile(r"\d+ +(?:\+\+\+|---) ")
_OWN_FOLDER = re.compile(r"\A/proc/(\d+)/")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{2}|.)", re.DOTALL)
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"v": b"\v", b"f": b"\f"}


class StraceError(Exception):
    """Say that a log could not be understood."""


class Call(NamedTuple):
    """One finished system call."""

    pid: int
    name: str
    arguments: tuple[str, ...]
    """As strace wrote them."""
    result: str
    cwd: str
    """The folder that the process was in."""


class Event(NamedTuple):
    """Something that a watcher cares about."""

    kind: str
    """`exec`, `socket`, `read`, `write` or `odd`."""
    path: str
    """Absolute and, where the call succeeded, as the kernel resolved it; the call's name for sockets and odd calls."""


def read_calls(log: str, cwd: str) -> Iterator[Call]:
    """Yield the calls of a log in the order in which they ended.

    Args:
        log: what `strace -f -y` wrote.
        cwd: the folder that the first process started in.

    Raises:
        StraceError: a line is not understood.
    """
    folders: dict[int, str] = {}
    pending: dict[int, tuple[str, str]] = {}
    for line in log.splitlines():
        if _NOISE.match(line):
            continue
        pid = int(line.split(" ", 1)[0]) if line[:1].isdigit() else 0
        if pid not in folders:
            parents = [parent for parent, (name, _) in pending.items() if name in FORK]
            folders[pid] = folders[parents[-1]] if parents else cwd
        unfinished, resumed = _UNFINISHED.match(line), _RESUMED.match(line)
        if unfinished is not None:
            pending[pid] = (unfinished[2], unfinished[3])
            continue
        if resumed is not None:
            name, begun = pending.pop(pid)
            line = f"{pid} {name}({begun}{', ' if begun and resumed[3][:1] not in ')' else ''}{resumed[3]}"
        whole = _WHOLE.match(line)
        if whole is None:
            raise StraceError(f"not understood: {line[:300]}")
        call = Call(pid, whole[2], tuple(_split(whole[3])), whole[4], folders[pid])
        _follow(call, folders)
        yield call


def events_of(calls: Iterable[Call]) -> Iterator[Event]:
    """Yield what the calls did; the first call that starts a program is the watched program itself, and is left out.

    What a watched process reads of `/proc` about itself or another watched one stands below `/proc/self`.
    """
    is_first = True
    own: set[str] = set()
    for call in calls:
        own.add(str(call.pid))
        if call.name in EXEC:
            if not is_first:
                yield Event("exec", _path(call, 0 if call.name == "execve" else 1))
            is_first = False
        elif call.name in NETWORK:
            yield Event("socket", call.name)
        elif call.name in ODD:
            yield Event("odd", call.name)
        elif call.name in OPEN:
            position = OPEN[call.name]
            flags = call.arguments[position + 1] if len(call.arguments) > position + 1 else "O_RDWR"
            path = _opened(call.result) or _path(call, position)
            yield Event("write" if WRITING.search(flags) else "read", _OWN_FOLDER.sub(lambda m: _own(m, own), path))
        for position in CHANGE.get(call.name, ()):
            yield Event("write", _path(call, position))


def watch(argv: Sequence[str], *, cwd: Path, environment: Mapping[str, str], log: Path) -> tuple[int, str, list[Event]]:
    """Run a program under strace and return its exit code, its output and what it did.

    Args:
        argv: the program by absolute path, and its arguments.
        cwd: where it runs.
        environment: all variables of its environment.
        log: a file to write to, outside of everything that is watched.
    """
    command = ["strace", "-f", "-y", "-s", "8192", "-o", str(log), "-e", f"trace={TRACED}", "--", *argv]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=dict(environment),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
        check=False,
    )
    text = log.read_text(encoding="utf-8", errors="surrogateescape")
    return done.returncode, done.stdout + done.stderr, list(events_of(read_calls(text, os.path.realpath(cwd))))


def _own(match: re.Match[str], pids: set[str]) -> str:
    return "/proc/self/" if match[1] in pids else match[0]


def _follow(call: Call, folders: dict[int, str]) -> None:
    """Keep track of the folders that processes are in."""
    if call.result.startswith(("-1 ", "?")):
        return
    if call.name == "chdir":
        folders[call.pid] = _path(call, 0)
    elif call.name == "fchdir":
        folders[call.pid] = _annotation(call.arguments[0]) or call.cwd
    elif call.name in FORK:
        folders.setdefault(int(call.result.split()[0]), call.cwd)


def _path(call: Call, position: int) -> str:
    """Return an argument as an absolute path, by the descriptor before it where there is one."""
    argument = call.arguments[position]
    if not argument.startswith('"'):
        return _annotation(argument) or argument
    path = os.fsdecode(_unquoted(argument))
    base = call.cwd
    if position > 0 and not call.arguments[position - 1].startswith('"'):
        base = _annotation(call.arguments[position - 1]) or call.cwd
    return posixpath.normpath(posixpath.join(base, path))


def _opened(result: str) -> str:
    """Return the path that the kernel gave a new descriptor."""
    return _annotation(result) if result[:1].isdigit() else ""


def _annotation(text: str) -> str:
    """Return the path in `3</a/path>`."""
    start, end = text.find("<"), text.rfind(">")
    return os.fsdecode(_unescaped(os.fsencode(text[start + 1 : end]))) if 0 <= start < end else ""


def _split(arguments: str) -> Iterator[str]:
    """Yield the arguments of a call: commas inside strings, brackets and descriptors do not count."""
    depth = start = at = 0
    while at < len(arguments):
        character = arguments[at]
        if character == '"':
            at = _string_end(arguments, at)
            continue
        if character in "[{(<":
            depth += 1
        elif character in "]})>" and arguments[at - 1 : at + 1] not in ("=>", "->"):
            depth -= 1
        elif character == "," and depth == 0:
            yield arguments[start:at].strip()
            start = at + 1
        at += 1
    if arguments[start:].strip():
        yield arguments[start:].strip()


def _string_end(text: str, at: int) -> int:
    at += 1
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return at + 1


def _unquoted(argument: str) -> bytes:
    return _unescaped(os.fsencode(argument[1 : argument.rindex('"')]))


def _unescaped(text: bytes) -> bytes:
    def decode(match: re.Match[bytes]) -> bytes:
        code = match[1]
        if code[:1] in b"01234567":
            return bytes([int(code, 8) & 0xFF])
        if code[:1] == b"x" and len(code) == 3:
            return bytes([int(code[1:], 16)])
        return _LETTERS.get(code, code)

    return _ESCAPE.sub(decode, text)
