"""The tables of cmdlets and .NET members, loaded at first use; `tables/README` says what each key means."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from plugseal.lang.recorded import read_table
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_FOLDER: Final = Path(__file__).parent / "tables"
_OBJECT: Final = lazy(r"([a-z]+)(?::([\w,]+))?(?:@(\d+|\*))?\Z")


class Act(NamedTuple):
    """One capability of a cmdlet or member."""

    capability: str
    kind: str = ""
    """What the object is; empty for none."""
    parameters: tuple[str, ...] = ()
    position: int = -1
    literal: str | None = None
    when: str = ""
    value: str = ""
    is_needed: bool = False
    is_sure: bool = True


class Member(NamedTuple):
    """What a member of a type does."""

    type: str
    acts: tuple[Act, ...]
    returns: str
    is_alone: bool


class Cmdlets(NamedTuple):
    """The cmdlets of PowerShell."""

    acts: dict[str, tuple[Act, ...]]
    names: dict[str, str]
    """As they are written, by their small letters."""
    aliases: dict[str, str]
    switches: frozenset[str]


class Types(NamedTuple):
    """The types of .NET."""

    names: dict[str, str]
    members: dict[tuple[str, str], Member]
    alone: dict[str, Member]
    """Members whose name alone tells."""
    known: frozenset[str]


@cache
def cmdlets() -> Cmdlets:
    """Return the table of cmdlets."""
    document = read_table(_FOLDER, "cmdlets.toml")
    acts: dict[str, tuple[Act, ...]] = {}
    names: dict[str, str] = {}
    for group in document["cmdlet"]:
        made = tuple(parse_act(text) for text in group["acts"])
        for name in group["names"].split():
            names[name.lower()] = name
            acts[name.lower()] = tuple(dict.fromkeys((*acts.get(name.lower(), ()), *made)))
    aliases = {alias: name.lower() for alias, name in document["aliases"].items()}
    return Cmdlets(acts, names, aliases, frozenset(document["options"]["switches"].lower().split()))


_WITH_VALUES: Final = (
    "filter include exclude name value path literalpath encoding erroraction errorvariable outvariable warningaction "
    "informationaction credential method headers body contenttype count depth property destination argumentlist "
    "filepath windowstyle workingdirectory delimiter type itemtype target outfile infile uri proxy timeoutsec "
    "sessionvariable websession computername scriptblock pattern stream"
).split()
"""Parameters of many cmdlets that take a value, which an abbreviation may mean as well as a switch."""


@lru_cache(maxsize=1024)
def takes_no_value(parameter: str, cmdlet: str) -> bool:
    """Say whether a parameter is a switch, spelled out or cut short as PowerShell allows: `-useb`, `-rec`.

    Args:
        parameter: in small letters.
        cmdlet: its own parameters with values are known from what it does.
    """
    table = cmdlets()
    if parameter in table.switches:
        return True
    if len(parameter) < 2 or not any(switch.startswith(parameter) for switch in table.switches):
        return False
    own = (name for act in table.acts.get(cmdlet.lower(), ()) for name in (*act.parameters, act.when))
    return not any(name.startswith(parameter) for name in (*own, *_WITH_VALUES))


@cache
def types() -> Types:
    """Return the table of types."""
    document = read_table(_FOLDER, "types.toml")
    members: dict[tuple[str, str], Member] = {}
    alone: dict[str, Member] = {}
    for group in document["member"]:
        member = Member(
            group["type"],
            tuple(parse_act(text) for text in group["acts"]),
            group.get("returns", ""),
            group.get("alone", False),
        )
        for name in group["names"].split():
            members[group["type"], name] = member
            if member.is_alone:
                alone[name] = member
    return Types(document["types"], members, alone, frozenset(kind for kind, _ in members))


@lru_cache(maxsize=1024)
def parse_act(text: str) -> Act:
    """Return what one line of the tables says."""
    capability, *words = text.split(" ")
    act = Act(capability)
    for at, word in enumerate(words):
        if word.startswith("="):
            rest = [w for w in words[at:] if not w.startswith("when=") and w not in ("?", "need")]
            act = act._replace(literal=" ".join(rest)[1:])
        elif word.startswith("when="):
            name, _, value = word[5:].partition("~")
            act = act._replace(when=name.lower(), value=value.lower())
        elif word == "need":
            act = act._replace(is_needed=True)
        elif word == "?":
            act = act._replace(is_sure=False)
        elif act.literal is None and word:
            act = _with_object(act, word)
    return act


def _with_object(act: Act, word: str) -> Act:
    found = _OBJECT.match(word)
    if found is None:
        return act
    names = tuple((found[2] or "").lower().split(",")) if found[2] else ()
    place = found[3]
    if names and names[0].isdigit():
        return act._replace(kind=found[1], position=int(names[0]))
    position = -1 if place is None else 0 if place == "*" else int(place)
    return act._replace(kind=found[1], parameters=names, position=position)


def type_name(written: str) -> str:
    """Return a type as the tables name it: small letters, no `System.`, short names spelled out."""
    name = written.strip().strip("[]'\"").lower().replace(" ", "")
    name = name.removeprefix("system.")
    return types().names.get(name, name)
