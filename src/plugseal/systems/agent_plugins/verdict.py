"""What the Agent Plugins specification says of one package: rejected, loaded, skipped, reported.

It is the specification's verdict alone: what a host does and what we think stand elsewhere. The narrowest boundary
holds (4.1, 6.2, 7.1, 7.2.2, 11.3): a bad manifest costs the plugin, a bad `mcp.json` its servers, a bad server or
skill itself. Of a rejected plugin nothing is discovered.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from plugseal.model.plugin import SKILL_FILE
from plugseal.model.tree import EntryKind
from plugseal.model.verdict import Conformance, Reported, Skipped
from plugseal.records import NamedTuple
from plugseal.systems.agent_plugins.names import MANIFEST, SERVERS, SKILLS
from plugseal.systems.agent_plugins.paths import is_inside
from plugseal.systems.agent_plugins.rules import (
    Problem,
    check_configuration,
    check_manifest,
    check_server,
    reported_fields,
)
from plugseal.systems.agent_skill.rules import check_skill
from plugseal.systems.reading.reader import Document, PluginReader, dotted


class Package(NamedTuple):
    """One package as it was read, each document once."""

    reader: PluginReader
    manifest: Document | None
    """None where it could not be read."""
    servers: Document | None
    """None where it is absent or could not be read."""


def judge(package: Package) -> Conformance:
    """Return the specification's verdict on a package."""
    rejected, reported = _manifest(package)
    if rejected is not None:
        return Conformance(rejected, (("mcpServers", ()), ("skills", ())), (), reported)
    skills, no_skills = _skills(package.reader)
    servers, no_servers = _servers(package)
    loaded = (("mcpServers", tuple(sorted(servers))), ("skills", tuple(sorted(skills))))
    return Conformance(None, loaded, tuple(sorted([*no_skills, *no_servers])), reported)


def problems(package: Package) -> Iterable[tuple[Document, Problem]]:
    """Yield everything that the manifest and `mcp.json` break, with the document that it stands in."""
    if package.manifest is not None:
        for problem in check_manifest(package.reader.table(package.manifest)):
            yield package.manifest, problem
        for field, why in reported_fields(package.reader.table(package.manifest)):
            if field == "extensions":
                yield package.manifest, Problem((field,), why)
    if package.servers is not None:
        for problem in check_configuration(package.reader.table(package.servers)):
            yield package.servers, problem
        for name, found in _server_problems(package.reader, package.servers):
            for problem in found:
                yield package.servers, Problem(("mcpServers", name, *problem.path), problem.why)


def _manifest(package: Package) -> tuple[str | None, tuple[Reported, ...]]:
    if package.manifest is None:
        return _why_unread(package.reader, MANIFEST), ()
    table = package.reader.table(package.manifest)
    return _sentence(check_manifest(table)), reported_fields(table)


def _servers(package: Package) -> tuple[list[str], list[Skipped]]:
    if package.servers is None:
        absent = not package.reader.exists(SERVERS)
        return [], [] if absent else [Skipped(SERVERS, _why_unread(package.reader, SERVERS))]
    why = _sentence(check_configuration(package.reader.table(package.servers)))
    if why is not None:
        return [], [Skipped(SERVERS, why)]
    loaded, skipped = [], []
    for name, found in _server_problems(package.reader, package.servers):
        why = _sentence(found)
        if why is None:
            loaded.append(name)
        else:
            skipped.append(Skipped(f"{SERVERS}#{name}", why))
    return loaded, skipped


def _server_problems(reader: PluginReader, document: Document) -> Iterable[tuple[str, list[Problem]]]:
    inside = partial(is_inside, reader.listing, reader.root)
    table = reader.declared(document, ("mcpServers",))
    return [(name, list(check_server(server, inside))) for name, server in table.items()]


def _skills(reader: PluginReader) -> tuple[list[str], list[Skipped]]:
    if not reader.exists(SKILLS):
        return [], []
    if not reader.is_directory(SKILLS):
        leads_away = reader.real(SKILLS) is None
        return [], [Skipped(SKILLS, "leads out of the plugin or nowhere" if leads_away else "is no directory")]
    loaded, skipped = [], []
    for name in reader.names(SKILLS):
        folder = f"{SKILLS}/{name}"
        why = _skill_fault(reader, folder, name)
        if why:
            skipped.append(Skipped(folder, why))
        elif why is None:
            loaded.append(name)
    return loaded, skipped


def _skill_fault(reader: PluginReader, folder: str, name: str) -> str | None:
    """Return why a folder's skill is skipped, None if it loads, nothing where there is no skill."""
    if not reader.is_directory(folder):
        return "leads out of the plugin or nowhere" if _is_lost(reader, folder) else ""
    if SKILL_FILE not in reader.names(folder):
        return ""
    file = f"{folder}/{SKILL_FILE}"
    if _is_lost(reader, file):
        return f"its `{SKILL_FILE}` leads out of the plugin or nowhere"
    if not reader.is_file(file):
        return ""
    document = reader.front_matter(file)
    if document is None:
        return _why_unread(reader, file)
    front = document.value if isinstance(document.value, dict) else {}
    found = check_skill(front, name)
    return "; ".join(f"`{field}` {why}" for field, why in found) or None


def _is_lost(reader: PluginReader, file: str) -> bool:
    """Say whether a link stands there that leads out of the plugin, nowhere, or in a circle."""
    return (reader.exists(file) and reader.real(file) is None) or _is_dangling(reader, file)


def _is_dangling(reader: PluginReader, file: str) -> bool:
    parent, _, name = file.rpartition("/")
    real = reader.real(parent)
    entry = reader.listing.entries.get(f"{real}/{name}" if real else name) if real is not None else None
    return entry is not None and entry.kind is EntryKind.SYMLINK and reader.real(file) is None


def _why_unread(reader: PluginReader, file: str) -> str:
    found = [fault.message for fault in reader.faults if fault.file == file]
    return f"`{file}`: {found[0]}" if found else f"`{file}` could not be read"


def _sentence(found: Iterable[Problem]) -> str | None:
    """Return all problems as one text, None if there are none."""
    said = [f"`{dotted(problem.path)}` {problem.why}" if problem.path else problem.why for problem in found]
    return "; ".join(said) or None
