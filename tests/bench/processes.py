"""Measure whole processes: CPU seconds and peak memory of a command and the children it waited for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

ANSWERS = (0, 1, 4)
"""Exit codes of a command that did its work: yes, no, could not judge everything."""


class Cost(NamedTuple):
    """What one run cost."""

    cpu_seconds: float
    peak_mib: float


def run(argv: Sequence[str], *, cwd: str | None = None, env: dict[str, str] | None = None) -> Cost:
    """Run a command with its output thrown away.

    Raises:
        RuntimeError: it ended with a code that no answer of plugseal has: what is measured must work.
    """
    child = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=cwd, env=env)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in ANSWERS:
        raise RuntimeError(f"{argv} ended with {child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def least(commands: dict[str, Sequence[str]], *, rounds: int, cwd: str | None = None) -> dict[str, Cost]:
    """Run all commands in turn, `rounds` times, and return the least cost of each, free of the machine's noise."""
    best: dict[str, Cost] = {}
    for _ in range(rounds):
        for name, argv in commands.items():
            cost = run(argv, cwd=cwd)
            known = best.get(name, cost)
            best[name] = Cost(min(known.cpu_seconds, cost.cpu_seconds), min(known.peak_mib, cost.peak_mib))
    return best
