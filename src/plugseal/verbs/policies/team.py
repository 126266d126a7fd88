"""Write a first policy out of what is there, explain one, and run its examples."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from plugseal.errors import CouldNotJudgeError, IntakeError, UsageError
from plugseal.model.checked import Checked
from plugseal.model.inventory import Capable
from plugseal.model.plugin import Plugin
from plugseal.policy.decide import abilities, decide_one
from plugseal.policy.team import build_team_policy
from plugseal.records import NamedTuple
from plugseal.signing.folder import read_file
from plugseal.verbs.policies.check import check_path
from plugseal.verbs.policies.rules import MAX_POLICY_BYTES
from plugseal.verbs.scan import scan_path


class Tried(NamedTuple):
    """One example of a policy and what became of it."""

    line: int
    said: str
    """What was asked, in a few words; hostile text."""
    expected: str
    found: str


def draft_policy(path: Path) -> str:
    """Return a policy that allows exactly what is there now.

    Raises:
        PlugsealError: as `scan_path`.
    """
    inventory = scan_path(path, asks_hosts=False)
    found: dict[str, set[str | None]] = {}
    for report in inventory.plugins:
        for capability, one in abilities(report):
            found.setdefault(capability, set()).add(one)
    lines = ['schema = "plugseal.policy/1"', "", "[defaults]", 'fail-on = "high"', ""]
    lines += ["# What the plugins can do now: read each line, and take away what they need not.", "[allow]"]
    lines += [f"{_key(name)} = {_objects(objects)}" for name, objects in sorted(found.items())]
    if not found:
        lines = lines[:4]
    return "\n".join(lines) + "\n"


def explain_policy(path: Path, policy: str) -> Checked:
    """Return what a policy says of a repository or of one plugin.

    Raises:
        PlugsealError: as `check_path`.
    """
    return check_path(path, policy=policy)


def try_examples(path: Path) -> tuple[Tried, ...]:
    """Return what became of each example of a policy.

    Raises:
        CouldNotJudgeError: it can't be read, or is no policy.
        UsageError: it has no examples.
    """
    try:
        data = read_file(path, max_bytes=MAX_POLICY_BYTES)
    except IntakeError as error:
        raise CouldNotJudgeError(f"the policy {error.message}", place=error.place) from error
    from plugseal.policy.schema import read_policy_file

    file = read_policy_file(data, origin=str(path))
    policy = build_team_policy(file, data, name=str(path), origin="named")
    examples = file.example or ()
    if not examples:
        raise UsageError("the policy has no examples", hint="add an `[[example]]` with name, capability and expect")
    found = []
    for number, one in enumerate(examples, 1):
        plugin = Plugin(one.system, one.name, "", one.name, "plugin.json")
        row = Capable(one.capability, one.object, "code", "unknown")
        said = "deny" if decide_one(policy, plugin, row, content=one.content) else "allow"
        what = f"{one.system}:{one.name} {one.capability} {one.object or '?'}"
        found.append(Tried(number, what, one.expect, said))
    return tuple(found)


def _key(name: str) -> str:
    return f'"{name}"'


def _objects(objects: Iterable[str | None]) -> str:
    """Return a list of literal globs, or `true` where an object is unknown or can't be written as a glob."""
    known = sorted(one for one in objects if one is not None)
    if None in set(objects) or len(known) > 40 or any(_is_odd(one) for one in known):
        return "true  # some objects are not known, or too many"
    return "[" + ", ".join(f'"{one}"' for one in known) + "]"


def _is_odd(text: str) -> bool:
    plain = text.isascii() and text.isprintable() and 0 < len(text) <= 400
    return not plain or any(character in text for character in '"\\*?')
