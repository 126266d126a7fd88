r"""Codewhale's own receipts, byte for byte: content, files, capabilities, plugin ID, token.

The content hash is one SHA-256 over the manifest and then the whole tree, depth first, children by the bytes of their
names; every part of variable length has its length before it:

    "codewhale-plugin-content-v2" NUL manifest-name NUL u64 manifest
    directory: MODE "D" NUL path child* "E" NUL       file: MODE "F" NUL path u64 bytes

The capability hash covers counts, roots and hosts alone, so that `node server.js` and `sh -c …` have the same one: it
is here to speak with Codewhale, never to be trusted. Windows writes other records, so such receipts don't travel.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Final

from plugseal.limits import MIB
from plugseal.records import NamedTuple

MANIFESTS: Final = ("plugin.json", "kimi.plugin.json", "plugin.toml")
"""The manifests of a bundle, the first that is there is read; 0.9.1 to 0.9.3 knew the last alone."""
MAX_BUNDLE_FILES: Final = 4096
MAX_BUNDLE_BYTES: Final = 64 * MIB
"""Codewhale refuses a bundle of more files or bytes; it doesn't count directories."""

_CONTENT: Final = b"codewhale-plugin-content-v2\0"
_FILE: Final = b"codewhale-plugin-file-bytes-v1\0"
_ID: Final = b"codewhale-plugin-id-v2\0"
_PATH: Final = b"codewhale-os-path-v1\0"


class BundleFile(NamedTuple):
    """One file of a bundle."""

    executable: bool
    data: bytes


class Policy(NamedTuple):
    """Which surfaces a range of versions starts, as its capability hash says."""

    versions: str
    version: int
    """0 where the stream has no policy."""
    supported: tuple[str, ...] = ()
    inactive: tuple[str, ...] = ()


SURFACES: Final = (
    "skills",
    "mcp-stdio",
    "mcp-remote",
    "commands",
    "agents",
    "hooks",
    "lsp",
    "native",
    "filesystem-roots",
    "lifecycle-mutation",
)
"""Everything that a bundle can declare, in Codewhale's order."""
POLICIES: Final[Mapping[str, Policy]] = {
    "v1": Policy("0.9.1-0.9.7", 0),
    "v2": Policy("0.9.8-0.9.9", 2, SURFACES[:3], SURFACES[3:]),
    "v3": Policy("0.9.10", 3, SURFACES[:6], SURFACES[6:]),
}
"""Capability hash streams by name."""


class BundleInventory(NamedTuple):
    """What Codewhale counts in a bundle; paths of components, not what lies below them."""

    skills: int = 0
    mcp_servers: int = 0
    stdio_mcp_servers: int = 0
    remote_mcp_servers: int = 0
    commands: int = 0
    agents: int = 0
    hooks: int = 0
    lsp: int = 0
    native: int = 0
    filesystem_roots: tuple[str, ...] = ()
    """As declared."""
    network_hosts: tuple[str, ...] = ()
    """Declared hosts and those of endpoints, in lower case."""
    lifecycle_mutation: bool = False

    def declared(self) -> tuple[str, ...]:
        """Return the surfaces that the bundle declares, in Codewhale's order."""
        counts = (
            self.skills,
            self.stdio_mcp_servers,
            self.remote_mcp_servers,
            self.commands,
            self.agents,
            self.hooks,
            self.lsp,
            self.native,
            self.filesystem_roots,
            self.lifecycle_mutation,
        )
        return tuple(surface for surface, count in zip(SURFACES, counts, strict=True) if count)

    def as_json(self) -> dict[str, object]:
        """Return the fields under the names that Codewhale's state file has."""
        values = self._asdict().items()
        return {key: sorted(set(value)) if isinstance(value, tuple) else value for key, value in values}


def bundle_content_hash(
    manifest: str, files: Mapping[bytes, BundleFile], directories: Iterable[bytes], *, windows: bool = False
) -> str:
    """Return Codewhale's content hash of a bundle, 64 hexadecimal digits.

    Args:
        manifest: its name, one of `MANIFESTS`; it must be among the files.
        files: by path relative to the bundle as the bytes of its name, `/` between parts.
        directories: all below the bundle's root, empty ones too, which count.
        windows: whether to write the records of Codewhale on Windows.
    """
    children: dict[bytes, set[bytes]] = {b"": set()}
    for path in (*directories, *files):
        _adopt(children, path)
    data = files[manifest.encode("utf-8")].data
    stream = hashlib.sha256(_CONTENT + manifest.encode("utf-8") + b"\0" + _u64(len(data)) + data)
    stream.update(_mode(False, windows) + b"D\0" + os_path_record(b"bundle-relative-directory", b"", windows=windows))
    # Names in reverse, so that the first is on top; a directory leaves its end (None) below its children.
    waiting: list[bytes | None] = [None, *_children(children, b"")]
    while waiting:
        here = waiting.pop()
        if here is None:
            stream.update(b"E\0")
        elif here in files:
            file = files[here]
            place = os_path_record(b"bundle-relative-file", here, windows=windows)
            stream.update(_mode(file.executable, windows) + b"F\0" + place + _u64(len(file.data)))
            stream.update(file.data)
        else:
            place = os_path_record(b"bundle-relative-directory", here, windows=windows)
            stream.update(_mode(False, windows) + b"D\0" + place)
            waiting += [None, *_children(children, here)]
    return stream.hexdigest()


def bundle_file_hash(data: bytes) -> str:
    """Return the hash by which Codewhale binds one file of a bundle."""
    return hashlib.sha256(_FILE + data).hexdigest()


def bundle_capability_hash(inventory: BundleInventory, stream: str) -> str:
    """Return Codewhale's capability hash of an inventory, 64 hexadecimal digits.

    Args:
        inventory: what the bundle declares.
        stream: `v1`, `v2` or `v3`.
    """
    policy = POLICIES[stream]
    parts = [f"codewhale-plugin-capabilities-{stream}"]
    if policy.version:
        parts += ["policy-version", str(policy.version)]
        parts += [word for surface in policy.supported for word in ("supported", surface)]
        parts += [word for surface in policy.inactive for word in ("inactive", surface)]
    parts += [word for pair in sorted(_pairs(inventory).items()) for word in pair]
    text = "".join(part + "\0" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def bundle_plugin_id(scope: str, name: str, root: bytes, *, windows: bool = False) -> str:
    """Return the ID under which Codewhale keeps its trust; a bundle that moves has another one.

    Args:
        scope: `builtin`, `user` or `workspace`.
        name: of the plugin.
        root: the bundle's canonical path as the system's bytes.
        windows: whether `root` is a path of Windows, as UTF-8.
    """
    place = os_path_record(b"canonical-plugin-root", root, windows=windows)
    digest = hashlib.sha256(_ID + scope.encode("ascii") + b"\0" + place).hexdigest()
    return f"{scope}/{digest[:12]}/{name}"


def os_path_record(domain: bytes, path: bytes, *, windows: bool = False) -> bytes:
    """Return a path as Codewhale frames it: the system's own bytes, never text that may lose some.

    Args:
        domain: what the path is of.
        path: bytes on Unix; on Windows WTF-8, that is UTF-8 in which a lone surrogate may stand.
        windows: which of both it is.
    """
    head = _PATH + _u64(len(domain)) + domain
    if not windows:
        return head + b"unix-bytes\0" + _u64(len(path)) + path
    units = path.decode("utf-8", "surrogatepass").encode("utf-16-le", "surrogatepass")
    return head + b"windows-utf16le\0" + _u64(len(units) // 2) + units


def _pairs(inventory: BundleInventory) -> dict[str, str]:
    return {
        "agents": str(inventory.agents),
        "commands": str(inventory.commands),
        "filesystem": "\n".join(sorted(set(inventory.filesystem_roots))),
        "hooks": str(inventory.hooks),
        "lifecycle": "true" if inventory.lifecycle_mutation else "false",
        "lsp": str(inventory.lsp),
        "mcp": str(inventory.mcp_servers),
        "mcp-remote": str(inventory.remote_mcp_servers),
        "mcp-stdio": str(inventory.stdio_mcp_servers),
        "native": str(inventory.native),
        "network": "\n".join(sorted(set(inventory.network_hosts))),
        "skills": str(inventory.skills),
    }


def _adopt(children: dict[bytes, set[bytes]], path: bytes) -> None:
    """Enter a path below its parent, and the parent below its own, so that none is lost where none was listed."""
    while path:
        parent, _, name = path.rpartition(b"/")
        is_known = parent in children
        children.setdefault(parent, set()).add(name)
        if is_known:
            return
        path = parent


def _children(children: Mapping[bytes, set[bytes]], path: bytes) -> Iterable[bytes]:
    prefix = path + b"/" if path else b""
    return (prefix + name for name in sorted(children.get(path, ()), reverse=True))


def _mode(executable: bool, windows: bool) -> bytes:
    return b"portable-mode\0" if windows else b"unix-executable\0" + bytes([executable])


def _u64(number: int) -> bytes:
    return number.to_bytes(8, "little")
