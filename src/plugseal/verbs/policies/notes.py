"""What is to be said of a policy itself beside its verdicts: what ended, what does nothing, and what may be a slip."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from plugseal.model.team_policy import Exempted, TeamPolicy
from plugseal.rules.load import load_rules
from plugseal.systems.registry import all_systems


def build_notes(policy: TeamPolicy, used: Collection[int], *, today: str, unheard: str) -> list[str]:
    """Return a line for each thing that whoever wrote the policy should know; nothing of it fails.

    Args:
        policy: as it is judged by.
        used: the lines of the exceptions that excepted something.
        today: `YYYY-MM-DD`, in UTC.
        unheard: what of it doesn't count here, empty where all of it does.
    """
    ended = [one for one in policy.exceptions if one.until < today]
    notes = [f"an exception of {one.owner} ended on {one.until}: {policy.name}:{one.line}" for one in ended]
    if unheard:
        notes.append(f"{unheard} in {policy.name} don't count here: judge by `--policy FILE` or `--base`")
    idle = [one for one in policy.exceptions if one.until >= today and one.line not in used]
    notes += [f"an exception excepts nothing: {policy.name}:{one.line}{_slip(one)}" for one in idle]
    named = [one for one in policy.deny if one.system]
    notes += [
        f"a denial denies nothing: {policy.name}:{one.line}{slip}" for one in named if (slip := _odd_system(one.system))
    ]
    return notes


def _slip(one: Exempted) -> str:
    """Return what may be wrong with an exception that excepts nothing; empty where its words are known."""
    if one.rule:
        known = [rule.id for rule in load_rules().rules]
        if one.rule not in known:
            return f", no rule is called `{one.rule}`{_near(one.rule, known)}"
    return _odd_system(one.system) if one.system else ""


def _odd_system(name: str) -> str:
    known = [system.name for system in all_systems()]
    return "" if name in known else f", no system is called `{name}`{_near(name, known)}"


def _near(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word[:100], sorted(known), n=1, cutoff=0.6)
    return f", did you mean `{near[0]}`?" if near else ""
