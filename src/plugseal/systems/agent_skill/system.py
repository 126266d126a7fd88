"""Agent skills: a folder with `SKILL.md`, wherever it stands, unless a plugin already describes it as its own.

Which skills are taken is settled in `scan/discover.py`, which sees all systems; here every `SKILL.md` is a unit.
`conforms` says what agentskills.io says of it. A rule of prose that it breaks (a name of another folder, a long
description) is no fault of ours: the hosts that are known load it all the same, and a fault would refuse its token. A
fault is what leaves open what a host reads: a front matter that can't be read, or another spelling (`skill.md`), which
hosts on case-sensitive systems don't load and others do.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import SKILL_FILE, Component, ComponentKind, Plugin
from plugseal.model.verdict import Conformance, Reported
from plugseal.systems.agent_skill.rules import check_skill, unknown_fields
from plugseal.systems.claude.prose import with_commands
from plugseal.systems.components.prose import prose_components
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folder_of, make_plugin
from plugseal.systems.system import Listing

_OF_CODEX = "agents/openai.yaml"


_NAMED = frozenset({"front.name", "front.description"})
"""What a skill's front matter says; a page about skills that is called `skill.md` has other keys."""


class AgentSkill:
    """Skills as agentskills.io describes them."""

    name = "agent-skill"

    def keeps(self, path: str) -> bool:
        """Keep every `SKILL.md`, in any case."""
        return path.rpartition("/")[2].lower() == "skill.md" or path.endswith(_OF_CODEX)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every skill of the tree."""
        for path in listing.entries:
            root, _, file = path.rpartition("/")
            if file.lower() != "skill.md":
                continue
            if file != SKILL_FILE and _belongs_to_skill(listing, root):
                continue
            real = listing.resolve(path)
            if real is not None and real != path and real.rpartition("/")[2].lower() == "skill.md":
                continue  # a link to a skill that is a unit where it really lies
            yield _describe(PluginReader(listing, root), file)


def _belongs_to_skill(listing: Listing, folder: str) -> bool:
    """Say whether a folder is or lies in one with a `SKILL.md`: that name in other letters is then a text of it."""
    while True:
        if SKILL_FILE in listing.children.get(folder, ()):
            return True
        if not folder:
            return False
        folder = folder.rpartition("/")[0]


def _describe(reader: PluginReader, file: str) -> Plugin:
    described = prose_components(reader, file, ComponentKind.SKILL, name=folder_of(reader))
    # Claude Code runs the commands inside a skill wherever it found it; no other host is known to.
    components = tuple(with_commands(reader, described))
    if reader.is_file(_OF_CODEX):
        components += _asked_by_codex(reader)
    skill = next((c for c in components if c.kind is ComponentKind.SKILL), None)
    front = dict(skill.extra) if skill is not None else {}
    is_page = any(key.startswith("front.") for key in front) and front.keys().isdisjoint(_NAMED)
    if file != SKILL_FILE and not is_page:
        reader.fault(file, f"is not spelled `{SKILL_FILE}`: not loaded on case-sensitive hosts")
    plugin = make_plugin(
        "agent-skill",
        reader,
        manifest=file,
        name=skill.name if skill is not None else folder_of(reader),
        description=front.get("front.description", ""),
        components=components,
    )
    return plugin._replace(conforms=_conformance(reader, file))


def _asked_by_codex(reader: PluginReader) -> tuple[Component, ...]:
    """Return the servers that a skill asks Codex to add."""
    from plugseal.systems.codex.rules import skill_dependency  # few skills have such a file

    return tuple(skill_dependency(reader, _OF_CODEX))


def _conformance(reader: PluginReader, file: str) -> Conformance:
    """Return what agentskills.io says of a skill.

    The folder of the scanned root has no name that belongs to the tree: whether the skill's is that one is not asked.
    """
    document = reader.front_matter(file)
    if document is None or not isinstance(document.value, dict):
        return Conformance("; ".join(sorted({f.message for f in reader.faults if f.file == file})), (("skills", ()),))
    front = document.value
    folder = reader.root.rpartition("/")[2] or front.get("name")
    broken = [f"`{field}` {why}" for field, why in check_skill(front, folder if isinstance(folder, str) else "")]
    if file != SKILL_FILE:
        broken.insert(0, f"`{file}` is not spelled `{SKILL_FILE}`")
    names = () if broken or not isinstance(front.get("name"), str) else (front["name"],)
    reported = tuple(Reported(key, "is no field of the specification") for key in unknown_fields(front))
    return Conformance("; ".join(broken) or None, (("skills", names),), (), reported)
