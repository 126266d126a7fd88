"""A policy file that is read once: what it asks of a repository, and what it asks of the gate."""

from __future__ import annotations

from plugseal.model.policy import GatePolicy
from plugseal.model.team_policy import TeamPolicy
from plugseal.records import NamedTuple


class WholePolicy(NamedTuple):
    """Both sides of one file."""

    team: TeamPolicy
    """Of CI; its `digest` is that of the file."""
    gate: GatePolicy


def parse_whole_policy(data: bytes, *, name: str, origin: str) -> WholePolicy:
    """Return all that a policy asks.

    Args:
        data: all bytes of the file.
        name: of the file, as messages call it.
        origin: where it comes from, in a few words.

    Raises:
        CouldNotJudgeError: it is no policy; every fault is among the details, with its line.
    """
    from plugseal.policy.schema import build_gate_policy, read_policy_file
    from plugseal.policy.team import build_team_policy

    file = read_policy_file(data, origin=name)
    return WholePolicy(build_team_policy(file, data, name=name, origin=origin), build_gate_policy(file, origin=name))
