"""Skills as a model sees them: `<plugin>:<skill>`, out of memory, under an authority that is looked at at each release.

Rules
- The text is read once, when the catalogue is built: from the staged copy, by the very reading whose content receipt
  is what was trusted. Nothing is read at release; no path is part of anything that is handed out.
- A release looks at source, copy, receipt, workspace and generation first. What drifted releases nothing, and hides the
  skill from the list.
- What is queued keeps where it came from, and is looked at again when it is dispatched: an older generation, another
  workspace or another text gets nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from plugseal.errors import PlugsealError, RefusedError, UsageError
from plugseal.intake.stage import verify_stage
from plugseal.model.codewhale import InspectedSkill
from plugseal.model.decision import Reason
from plugseal.model.tree import Entry
from plugseal.runtime.codewhale.authority import Authority, refused
from plugseal.runtime.codewhale.host import Host
from plugseal.runtime.codewhale.names import skill_id
from plugseal.runtime.codewhale.queued import Queued
from plugseal.runtime.codewhale.registry import Entry as Listed
from plugseal.runtime.codewhale.registry import Registry
from plugseal.runtime.grant import Admission

MAX_SKILL_BYTES: Final = 1024 * 1024
_RELEASE: Final = "to release the skill `{name}`"


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill of a snapshot; texts are hostile."""

    name: str
    """`<plugin>:<skill>`."""
    description: str
    text: str
    """As it was when the catalogue was built; release it by `SkillCatalogue.load` alone."""
    digest: str
    """SHA-256 of its bytes."""
    authority: Authority


class SkillCatalogue:
    """The skills of one start."""

    def __init__(self, registry: Registry, host: Host, *, on_event: Callable[[str], None]) -> None:
        """Take the snapshot.

        Args:
            registry: of this start.
            host: of this start.
            on_event: told what of an active bundle can't be taken.
        """
        self._registry = registry
        self._host = host
        self._skills: dict[str, Skill] = {}
        for entry in registry.active():
            try:
                found = list(_snapshot(entry))
            except PlugsealError as error:
                on_event(f"skills of {entry.bundle.name} are left out: {error.message}")
                continue
            self._skills.update((skill.name, skill) for skill in found)

    def listed(self) -> tuple[Skill, ...]:
        """Return the skills whose authority holds now, by name."""
        holding: dict[str, bool] = {}
        for skill in self._skills.values():
            plugin = skill.authority.plugin
            if plugin not in holding:
                holding[plugin] = self._holds(skill)
        names = sorted(name for name, skill in self._skills.items() if holding[skill.authority.plugin])
        return tuple(self._skills[name] for name in names)

    def load(self, name: str) -> Skill:
        """Release a skill.

        Args:
            name: `<plugin>:<skill>`, whole.

        Raises:
            UsageError: there is none.
            RefusedError: its authority does not hold any more.
        """
        skill = self._find(name)
        label = f"skill:{name.partition(':')[2]}"
        self._host.verify(skill.authority, _RELEASE.format(name=name), label=label)
        return skill

    def inspect(self, name: str) -> InspectedSkill:
        """Return which reviewed bundle a skill is of.

        Raises:
            UsageError: there is none.
            RefusedError: its authority does not hold any more.
        """
        skill = self.load(name)
        authority = skill.authority
        return InspectedSkill(
            name=skill.name,
            description=skill.description,
            bundle=authority.bundle,
            version=authority.version,
            scope=authority.scope,
            plugin=authority.plugin,
            content=authority.content,
            capability=authority.capability,
            generation=authority.generation,
            reviewed_at=authority.reviewed_at,
            digest=skill.digest,
            characters=len(skill.text),
        )

    def queue(self, name: str) -> Queued:
        """Return where a skill came from, to be kept with a message that waits.

        Raises:
            UsageError: there is none.
            RefusedError: its authority does not hold any more.
        """
        skill = self.load(name)
        authority = skill.authority
        return Queued(
            skill=skill.name,
            plugin=authority.plugin,
            workspace=authority.workspace.digest,
            content=authority.content,
            capability=authority.capability,
            incarnation=authority.incarnation,
            generation=authority.generation,
            digest=skill.digest,
        )

    def dispatch(self, queued: Queued) -> Skill:
        """Release what was queued, if it is still exactly what it was then.

        Raises:
            RefusedError: it is of an older generation, another workspace, another review or another text.
        """
        try:
            self._verify_queued(queued)
        except RefusedError as error:
            self._host.note_refusal(queued.plugin, f"skill:{queued.skill.partition(':')[2]}", error)
            raise
        return self.load(queued.skill)

    def _verify_queued(self, queued: Queued) -> None:
        bundle = queued.skill.partition(":")[0]
        operation = _RELEASE.format(name=queued.skill)
        skill = self._skills.get(queued.skill)
        if queued.workspace != self._registry.workspace.digest:
            raise refused(bundle, operation, Reason.ANOTHER_PLACE, "it was queued in another workspace")
        if skill is None or skill.authority.plugin != queued.plugin:
            raise refused(bundle, operation, Reason.REVOKED_MEANWHILE)
        authority = skill.authority
        if authority.state != (queued.incarnation, queued.generation):
            raise refused(bundle, operation, Reason.REVOKED_MEANWHILE, "it was queued under an older authority")
        same = (authority.content, authority.capability, skill.digest)
        if same != (queued.content, queued.capability, queued.digest):
            raise refused(bundle, operation, Reason.CONTENT_DRIFTED)

    def _find(self, name: str) -> Skill:
        found = self._skills.get(name)
        if found is None:
            operation = _RELEASE.format(name=name)
            why = self._registry.refusal(lambda bundle: skill_id(bundle, ""), name, operation)
            if why is not None:
                raise why
            hint = "see those that are there with `plugseal codewhale skills list`"
            raise UsageError(f"no active bundle has a skill `{name}`", hint=hint)
        return found

    def _holds(self, skill: Skill) -> bool:
        try:
            self._host.verify(skill.authority, "to list the skills")
        except RefusedError:
            return False
        return True


class _Keeper:
    """Keep the bytes of a few files of a tree while it is read."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._wanted = frozenset(wanted)
        self.kept: dict[str, bytes] = {}

    def begin(self, entries: Sequence[Entry]) -> None:
        del entries

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        del reason
        if data is not None and entry.path in self._wanted and len(data) <= MAX_SKILL_BYTES:
            self.kept[entry.path] = data


def _snapshot(entry: Listed) -> Iterator[Skill]:
    """Yield the skills of an active bundle, read once from its copy.

    Raises:
        StageError: the copy is not what was trusted.
    """
    admission, authority = entry.admission, entry.authority
    if admission is None or authority is None:
        return
    broken = {file for file, _ in admission.document.faults}
    reviewed = {
        component.file: component
        for component in admission.document.components
        if component.kind == "skill" and component.file not in broken
    }
    data = _read(admission, reviewed)
    for file, component in reviewed.items():
        text = _text(data.get(file))
        if text is not None:
            yield Skill(
                name=skill_id(authority.bundle, component.name),
                description=_description(dict(component.extra)),
                text=text,
                digest=sha256(data[file]).hexdigest(),
                authority=authority,
            )


def _read(admission: Admission, wanted: Iterable[str]) -> Mapping[str, bytes]:
    keeper = _Keeper(wanted)
    verify_stage(admission.stage, admission.approval.content, keeper)
    return keeper.kept


def _text(data: bytes | None) -> str | None:
    try:
        return None if data is None else data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _description(extra: Mapping[str, str]) -> str:
    try:
        found = json.loads(extra.get("front.description", '""'))
    except (ValueError, RecursionError):
        return ""
    return found if isinstance(found, str) else ""
