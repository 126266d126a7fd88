"""What a started program may use, and how long ending it may take."""

from __future__ import annotations

import resource
from typing import Final

from plugseal.records import NamedTuple

KIB: Final = 1024
MIB: Final = 1024 * KIB
TERMINATE_SECONDS: Final = 1.0
"""Between the polite signal and the other one."""
GONE_SECONDS: Final = 5.0
"""After the other one, until no descendant is left; then it is said how many are."""


class Limits(NamedTuple):
    """Bounds of one started program; 0 for none."""

    data_bytes: int = 4096 * MIB
    """Heap and private memory of each process (`RLIMIT_DATA`)."""
    file_bytes: int = 4096 * MIB
    """Size of a file it writes (`RLIMIT_FSIZE`)."""
    open_files: int = 4096
    """Descriptors of each process (`RLIMIT_NOFILE`)."""
    processes: int = 0
    """Processes of the whole account (`RLIMIT_NPROC`); the kernel does not hold root to it."""
    descendants: int = 512
    """Processes below the reaper, which counts them: more ends the run, for root as well."""
    cpu_seconds: int = 0
    """CPU of each process (`RLIMIT_CPU`)."""
    line_bytes: int = 16 * MIB
    """One line of its output."""
    error_bytes: int = 8 * MIB
    """All of its standard error that is shown; the rest is read and dropped."""


def apply_limits(limits: Limits) -> None:
    """Hold this process and all below it to the bounds that the kernel keeps; never loosens one."""
    for kind, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, limits.data_bytes or None),
        (resource.RLIMIT_FSIZE, limits.file_bytes or None),
        (resource.RLIMIT_NOFILE, limits.open_files or None),
        (resource.RLIMIT_NPROC, limits.processes or None),
        (resource.RLIMIT_CPU, limits.cpu_seconds or None),
    ):
        if value is None:
            continue
        hard = resource.getrlimit(kind)[1]
        wanted = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (wanted, wanted))
