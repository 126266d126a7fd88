"""The inside of a worker process: limit yourself, then read one file after another until the pipe closes.

Rules
- The kernel sets the bounds, not our code: a parser stuck in C, or one that overflows its stack, is ended by a signal,
  and the parent tells from the signal what happened.
- The time limits are timers of this process. So a worker whose parent is gone ends too.
- A worker never writes a file, starts a program, shows text or runs what it reads.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NoReturn, TypeAlias

from plugseal.lang.facts import Context, Interest, Reader
from plugseal.lang.reading import read_surely
from plugseal.limits import (
    WORKER_CPU_SECONDS,
    WORKER_MEMORY_BYTES,
    WORKER_RETIRE_BYTES,
    WORKER_STACK_BYTES,
    WORKER_WALL_SECONDS,
)
from plugseal.scan.workers import wire

try:
    import resource
except ImportError:  # Windows: the parent's watch over the wall clock is the only limit there.
    resource = None  # type: ignore[assignment]  # `resource is None` is asked below

FindReader: TypeAlias = Callable[[str], Reader]
"""Takes a reader's name; `plugseal.lang.registry.reader_named` in all but tests."""

EXIT_MEMORY: Final = 71
EXIT_PROTOCOL: Final = 72
_MAX_OPEN_FILES: Final = 64


def serve(find: FindReader, requests: int, replies: int, *, context: Context | None = None) -> NoReturn:
    """Answer requests until end of file, then end the process; return under no circumstances.

    Args:
        find: how to get a reader by its name.
        requests: descriptor to read frames from.
        replies: descriptor to write frames to.
        context: what the parent has sent before, if this process is a fork.
    """
    status = EXIT_PROTOCOL
    try:
        requests, replies = _above_standard(requests), _above_standard(replies)
        close_others(requests, replies)
        limit_process()
        _answer_all(find, requests, replies, context or Context("", Interest()))
        status = 0
    except MemoryError:
        status = EXIT_MEMORY
    except BrokenPipeError:
        status = 0
    finally:
        # No handler, buffer or finaliser of the parent's copy may run here.
        os._exit(status)


def serve_spawned(find: FindReader) -> NoReturn:
    """Serve a parent that holds the other ends of standard input and output."""
    serve(find, os.dup(0), os.dup(1))


def _above_standard(descriptor: int) -> int:
    """Return a copy that is not one of the three standard ones, which a parent without them may have given us."""
    while descriptor < 3:
        descriptor = os.dup(descriptor)
    return descriptor


def close_others(*kept: int) -> None:
    """Close every descriptor but these, and let standard input, output and errors lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(nowhere, standard)
    for descriptor in _open_descriptors():
        if descriptor > 2 and descriptor not in kept:
            try:
                os.close(descriptor)
            except OSError:
                # The listing's own descriptor is closed already.
                continue


def _open_descriptors() -> list[int]:
    """Return what may be open; asked for, since the highest possible number can be a billion."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            return [int(name) for name in os.listdir(folder)]  # noqa: PTH208  # pathlib is not loaded here
        except (OSError, ValueError):
            continue
    return list(range(3, 4096))


def limit_process() -> None:
    """Give up all that a parser does not need: memory, descriptors, files, processes, core dumps, signal handlers."""
    # One file's garbage fits into its memory, and looking for it in a growing tree takes a third of the time.
    gc.disable()
    gc.freeze()
    sys.dont_write_bytecode = True
    for number in signal.valid_signals():
        if signal.getsignal(number) not in (signal.SIG_DFL, None):
            signal.signal(number, signal.SIG_DFL)
    if resource is None:
        return
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_FSIZE, 0)
    _limit(resource.RLIMIT_NOFILE, _MAX_OPEN_FILES)
    # A fixed stack: how deep a native parser gets must not depend on the shell's `ulimit`.
    _limit(resource.RLIMIT_STACK, WORKER_STACK_BYTES, is_final=False)
    if hasattr(resource, "RLIMIT_NPROC"):
        _limit(resource.RLIMIT_NPROC, 0)
    if hasattr(resource, "RLIMIT_AS"):
        _limit(resource.RLIMIT_AS, _mapped_bytes() + WORKER_MEMORY_BYTES + WORKER_RETIRE_BYTES)


def _limit_file() -> None:
    """Give each file the same memory, whatever the ones before it, and the parent of this fork, have left behind."""
    if hasattr(resource, "RLIMIT_AS"):
        _limit(resource.RLIMIT_AS, _mapped_bytes() + WORKER_MEMORY_BYTES, is_final=False)


def _limit(kind: int, amount: int, *, is_final: bool = True) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        amount = min(amount, hard)
    try:
        resource.setrlimit(kind, (amount, amount if is_final else hard))
    except (ValueError, OSError):
        # Some systems refuse some of these; the others, and the parent's watch, still hold.
        return


def _mapped_bytes() -> int:
    """Return what this process has mapped already."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  # pathlib is not loaded here
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _answer_all(find: FindReader, requests: int, replies: int, context: Context) -> None:
    at_first = _used_bytes()  # a fork of a large program has that program's pages
    while head := read_exactly(requests, wire.REQUEST.size):
        kind, header_bytes, data_bytes = wire.REQUEST.unpack(head)
        header = read_exactly(requests, header_bytes)
        data = read_exactly(requests, data_bytes)
        if kind == wire.KIND_CONTEXT:
            context = wire.parse_context(data)
            continue
        name, path = wire.parse_header(header)
        _limit_file()
        _start_timers(WORKER_CPU_SECONDS, WORKER_WALL_SECONDS)
        reply = wire.render_facts(read_surely(find(name), data, context._replace(path=path)))
        _start_timers(0, 0)
        is_last = _used_bytes() - at_first > WORKER_RETIRE_BYTES
        write_all(replies, wire.REPLY.pack(wire.RETIRES if is_last else wire.STAYS, len(reply)))
        write_all(replies, reply)
        if is_last:
            return
        gc.collect()
        gc.freeze()


def _start_timers(cpu_seconds: float, wall_seconds: float) -> None:
    """Let the kernel end this process, by the default action of two signals; 0 stops the timers."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
        signal.setitimer(signal.ITIMER_REAL, wall_seconds)


def _used_bytes() -> int:
    """Return the highest resident size so far."""
    # Not `ru_maxrss`, which outlives `exec`: it begins with what the process had that started this one.
    with suppress(OSError, IndexError, ValueError), open("/proc/self/status", "rb") as status:  # noqa: PTH123
        return int(status.read().partition(b"VmHWM:")[2].split()[0]) * 1024
    if resource is None:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def read_exactly(descriptor: int, length: int) -> bytes:
    """Return `length` bytes, or nothing where the pipe was closed before the first."""
    data = bytearray()
    while len(data) < length:
        chunk = os.read(descriptor, min(length - len(data), 1 << 20))
        if not chunk:
            if data:
                raise BrokenPipeError
            return b""
        data += chunk
    return bytes(data)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
