"""Agent skills: a folder with `SKILL.md`, wherever it stands, unless a plugin already describes it as its own.

Which skills are taken is settled in `scan/discover.py`, which sees all systems; here every `SKILL.md` is a unit.
Another spelling (`skill.md`) is a fault: hosts on case-sensitive systems don't load it, others do.
"""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.systems.prose import SKILL_FILE, prose_components
from plugseal.systems.reading import PluginReader
from plugseal.systems.system import Listing
from plugseal.systems.units import folder_of, make_plugin


class AgentSkill:
    """Skills as agentskills.io describes them."""

    name = "agent-skill"

    def keeps(self, path: str) -> bool:
        """Keep every `SKILL.md`, in any case."""
        return path.rpartition("/")[2].lower() == "skill.md"

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every skill of the tree."""
        for path in listing.entries:
            root, _, file = path.rpartition("/")
            if not self.keeps(path):
                continue
            if file != SKILL_FILE and SKILL_FILE in listing.children.get(root, ()):
                continue
            real = listing.resolve(path)
            if real is not None and real != path and self.keeps(real):
                continue  # a link to a skill that is a unit where it really lies
            yield _describe(PluginReader(listing, root), file)


def _describe(reader: PluginReader, file: str) -> Plugin:
    if file != SKILL_FILE:
        reader.fault(file, f"is not spelled `{SKILL_FILE}`: not loaded on case-sensitive hosts")
    components = prose_components(reader, file, ComponentKind.SKILL, name=folder_of(reader))
    skill = next((c for c in components if c.kind is ComponentKind.SKILL), None)
    front = dict(skill.extra) if skill is not None else {}
    return make_plugin(
        "agent-skill",
        reader,
        manifest=file,
        name=skill.name if skill is not None else folder_of(reader),
        description=front.get("front.description", ""),
        components=components,
    )
