"""The rules of agentskills.io for the front matter of one `SKILL.md`, each fault apart and all at once.

Scalars that YAML reads as numbers, dates or booleans count as text inside `metadata` alone, as the reference
validator reads them; a number as `name` is no name. Keys that the specification does not know are allowed: it does
not say that the set is closed, and clients have their own. Nothing here says what a skill may do.

See: https://agentskills.io/specification
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plugseal.patterns import lazy
from plugseal.records import NamedTuple
from plugseal.systems.reading.reader import kind_of

MAX_NAME_CHARACTERS = 64
MAX_DESCRIPTION_CHARACTERS = 1024
MAX_COMPATIBILITY_CHARACTERS = 500
FIELDS = frozenset({"name", "description", "license", "compatibility", "metadata", "allowed-tools"})
_NAME = lazy(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")


class SkillProblem(NamedTuple):
    """A rule that a skill breaks."""

    field: str
    """Dotted, e.g. `metadata.author`."""
    why: str
    """Reads well behind the field; hostile text inside is for `shown()`."""


def check_skill(front: Mapping[str, object], folder: str) -> tuple[SkillProblem, ...]:
    """Return every rule of the specification that a skill breaks.

    Args:
        front: its front matter, empty where there is none.
        folder: the name of the folder that holds it.
    """
    return (
        *_name(front.get("name"), folder),
        *_bounded(front, "description", MAX_DESCRIPTION_CHARACTERS, required=True),
        *_bounded(front, "compatibility", MAX_COMPATIBILITY_CHARACTERS),
        *_texts(front),
        *_metadata(front),
    )


def unknown_fields(front: Mapping[str, object]) -> tuple[str, ...]:
    """Return the keys that the specification does not know, sorted."""
    return tuple(sorted(str(key) for key in front if key not in FIELDS))


def _name(value: object, folder: str) -> Iterator[SkillProblem]:
    if not isinstance(value, str):
        yield SkillProblem("name", "is missing" if value is None else f"must be text, not {kind_of(value)}")
        return
    if len(value) > MAX_NAME_CHARACTERS:
        yield SkillProblem("name", f"is longer than {MAX_NAME_CHARACTERS} characters")
    if not _NAME.match(value):
        yield SkillProblem("name", "must be lower-case letters and digits, with single hyphens between them")
    if value != folder:
        yield SkillProblem("name", f"is not that of its folder `{folder}`")


def _bounded(front: Mapping[str, object], key: str, most: int, *, required: bool = False) -> Iterator[SkillProblem]:
    if key not in front:
        if required:
            yield SkillProblem(key, "is missing")
        return
    value = front[key]
    if not isinstance(value, str):
        yield SkillProblem(key, f"must be text, not {kind_of(value)}")
    elif not value.strip():
        yield SkillProblem(key, "must not be blank")
    elif len(value) > most:
        yield SkillProblem(key, f"is longer than {most:,} characters")


def _texts(front: Mapping[str, object]) -> Iterator[SkillProblem]:
    for key in ("license", "allowed-tools"):
        if key in front and not isinstance(front[key], str):
            yield SkillProblem(key, f"must be text, not {kind_of(front[key])}")


def _metadata(front: Mapping[str, object]) -> Iterator[SkillProblem]:
    if "metadata" not in front:
        return
    value = front["metadata"]
    if not isinstance(value, dict):
        yield SkillProblem("metadata", f"must be a table, not {kind_of(value)}")
        return
    for key, part in value.items():
        if isinstance(part, (dict, list)):
            yield SkillProblem(f"metadata.{key}", f"must be text, not {kind_of(part)}")
