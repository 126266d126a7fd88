"""Skills of Codewhale's bundles: list, load, inspect, queue and dispatch, all under the authority that was reviewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from plugseal.errors import UsageError
from plugseal.model.codewhale import InspectedSkill, ListedSkill
from plugseal.runtime.codewhale.queued import MAX_BYTES, parse_queued, render_queued
from plugseal.runtime.codewhale.skills import SkillCatalogue
from plugseal.verbs.codewhale.start import Start
from plugseal.verbs.piped import read_soon

OnEvent = Callable[[str], None]


def open_skills(start: Start, *, on_event: OnEvent) -> SkillCatalogue:
    """Return the skills of a start, read once.

    Args:
        start: with its registry.
        on_event: told what of an active bundle can't be taken.
    """
    return SkillCatalogue(start.registry, start.host, on_event=on_event)


def list_skills(skills: SkillCatalogue) -> tuple[ListedSkill, ...]:
    """Return the skills that a model may ask for now."""
    return tuple(ListedSkill(skill.name, skill.description) for skill in skills.listed())


def load_skill(name: str, skills: SkillCatalogue) -> str:
    """Return the text of a skill.

    Raises:
        UsageError: there is none.
        RefusedError: its authority does not hold any more.
    """
    return skills.load(name).text


def inspect_skill(name: str, skills: SkillCatalogue) -> InspectedSkill:
    """Return which reviewed bundle a skill is of.

    Raises:
        UsageError: there is none.
        RefusedError: its authority does not hold any more.
    """
    return skills.inspect(name)


def queue_skill(name: str, skills: SkillCatalogue) -> str:
    """Return what a host keeps with a message that waits: one line of JSON.

    Raises:
        UsageError: there is none.
        RefusedError: its authority does not hold any more.
    """
    return render_queued(skills.queue(name)).decode("ascii")


def dispatch_skill(file: Path, skills: SkillCatalogue) -> str:
    """Return the text of a skill that was queued, if it is still what it was.

    Raises:
        UsageError: the file holds no queued skill.
        RefusedError: it is of an older authority.
    """
    try:
        data = read_soon(file, max_bytes=MAX_BYTES)
    except OSError as error:
        raise UsageError(f"the file can't be read: {(error.strerror or 'error').lower()}") from error
    return skills.dispatch(parse_queued(data)).text
