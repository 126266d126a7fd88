"""What Codewhale 0.9.10 would say of an Agent Plugins package, which it prefers to its own manifest.

It turns `plugin.json` and `mcp.json` into what a `plugin.toml` would say and judges that by the same rules. So it is
stricter than the specification nearly everywhere: unknown fields, literal variables, one bad server refuse the whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from plugseal.encode.codewhale import MANIFESTS
from plugseal.model.tree import EntryKind
from plugseal.model.verdict import HostVerdict
from plugseal.patterns import lazy
from plugseal.systems.codewhale.check import Check
from plugseal.systems.codewhale.manifest import LEGACY_VERSION, build_inventory, check_manifest
from plugseal.systems.codewhale.paths import Measures, check_bundle
from plugseal.systems.codewhale.verdict import NEW, Evidence, build_verdict
from plugseal.systems.reading.reader import Document, Path, PluginReader, kind_of
from plugseal.systems.reading.texts import trim
from plugseal.systems.system import Listing

_MANIFEST: Final = MANIFESTS[0]
_SERVERS: Final = "mcp.json"
_NAMESPACE: Final = "net.codewhale"
_NAME: Final = lazy(r"(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?")
_PLAIN: Final = ("description", "homepage", "repository", "license", "keywords")
_FIELDS: Final = frozenset({"$schema", "name", "version", "author", "extensions", *_PLAIN})
_AUTHOR: Final = frozenset({"name", "email", "url"})
_SURFACES: Final = ("skills", "commands", "agents", "hooks", "lsp", "native", "capabilities", "when")
_LAUNCH: Final = ("command", "args", "env", "cwd", "url", "headers")
_SERVER: Final = frozenset({"type", "extensions", *_LAUNCH})
_OPTIONS: Final = frozenset(
    "env_headers bearer_token_env_var connect_timeout execute_timeout read_timeout enabled required enabled_tools "
    "disabled_tools scopes oauth oauth_resource disabled".split()
)
_TYPES: Final = ("stdio", "streamable-http", "sse")
_RESERVED: Final = ("PLUGIN_ROOT", "PLUGIN_DATA")


def package_verdict(listing: Listing, root: str, measures: Measures) -> HostVerdict:
    """Return what Codewhale 0.9.10 would do with a package.

    Args:
        listing: the tree.
        root: the package's.
        measures: what lies below it.
    """
    reader = PluginReader(listing, root)
    check_bundle(reader, _MANIFEST, measures)
    document = reader.json(_MANIFEST)
    value = _converted(Check(reader, document)) if document is not None else {}
    servers = _servers(reader)
    if servers:
        value["mcp_servers"] = servers
    check = Check(reader, _placeless(_MANIFEST, value))
    if document is not None:
        check_manifest(check)
    hashes = listing.bundle_hashes
    path = reader.path(_MANIFEST)
    content = {_MANIFEST: hashes[path]} if path in hashes else {}
    evidence = Evidence(tuple(reader.faults), (), build_inventory(check), content, (_MANIFEST,), manifest=_MANIFEST)
    return build_verdict(NEW, evidence)


def _placeless(file: str, value: object) -> Document:
    """Return a document of what Codewhale makes of the package: nothing in it stands anywhere."""
    from plugseal.encode.json import index_json

    return Document(file, value, b"{}", index_json)


def _converted(check: Check) -> dict[str, object]:
    """Return what a `plugin.toml` would say, with faults for what Codewhale refuses on the way there."""
    table = check.table((), _FIELDS)
    schema, name = table.get("$schema"), table.get("name")
    if not isinstance(schema, str) or not trim(schema):
        check.fault(("$schema",), "must be text")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        check.fault(("name",), "must be a name of the Agent Plugins specification")
    version = table.get("version")
    about = {key: table[key] for key in _PLAIN if table.get(key) is not None}
    # The name was judged by the specification's rule, which allows dots: what stands here must only pass the other.
    about |= {"name": "package", "version": LEGACY_VERSION if version is None else version}
    author = _author(check)
    if author:
        about["author"] = author
    extensions = check.free_table(("extensions",))
    own = check.table(("extensions", _NAMESPACE), frozenset({"display_name", *_SURFACES})) if extensions else {}
    if own.get("display_name") is not None:
        about["display_name"] = own["display_name"]
    value: dict[str, object] = {"schema_version": 1, "plugin": about}
    value |= {key: own[key] for key in _SURFACES if own.get(key) is not None}
    if "skills" not in value and check.reader.is_directory("skills"):
        value["skills"] = {"path": "skills"}
    return value


def _author(check: Check) -> str:
    author = check.table(("author",), _AUTHOR)
    if check.value(("author",)) is None:
        return ""
    name = author.get("name")
    if not isinstance(name, str) or not trim(name):
        check.fault(("author", "name"), "must be text")
        return ""
    parts = [trim(name)]
    for key, form in (("email", " <{}>"), ("url", " ({})")):
        text = author.get(key)
        if text is not None and not isinstance(text, str):
            check.fault(("author", key), f"must be text, not {kind_of(text)}")
        elif text and trim(text):
            parts.append(form.format(trim(text)))
    return "".join(parts)


def _servers(reader: PluginReader) -> dict[str, object]:
    entry = reader.listing.entries.get(reader.path(_SERVERS))
    if entry is None:
        return {}
    if entry.kind is not EntryKind.FILE:
        reader.fault(_SERVERS, "must be a regular file")
        return {}
    document = reader.json(_SERVERS)
    if document is None:
        return {}
    check = Check(reader, document)
    table = check.table((), frozenset({"$schema", "mcpServers"}))
    schema = table.get("$schema")
    if schema is not None and not isinstance(schema, str):
        check.fault(("$schema",), f"must be text, not {kind_of(schema)}")
    if table.get("mcpServers") is None:
        check.fault(("mcpServers",), "is missing")
    return {name: _server(check, ("mcpServers", name)) for name in check.free_table(("mcpServers",))}


def _server(check: Check, path: Path) -> Mapping[str, object]:
    spec = check.table(path, _SERVER)
    declared = spec.get("type")
    kind = declared.lower() if isinstance(declared, str) else ""
    if declared is not None and kind not in _TYPES:
        check.fault((*path, "type"), "must be stdio, streamable-http or sse")
    needed = "command" if kind == "stdio" else "url" if kind else ""
    if needed and spec.get(needed) is None:
        check.fault((*path, needed), "is missing")
    for name in check.free_table((*path, "env")):
        if name in _RESERVED:
            check.fault((*path, "env", name), "is the host's own")
    extensions = check.free_table((*path, "extensions"))
    own = check.table((*path, "extensions", _NAMESPACE), _OPTIONS) if extensions else {}
    value = {key: spec[key] for key in _LAUNCH if spec.get(key) is not None}
    value |= {key: option for key, option in own.items() if key != "disabled"}
    return value | {"transport": "sse"} if kind == "sse" else value
