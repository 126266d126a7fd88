"""What is told of Codewhale's bundles, skills and servers: pure data, all texts of it hostile."""

from __future__ import annotations

from plugseal.records import NamedTuple


class Diagnostic(NamedTuple):
    """Something to say about a bundle or a discovery root."""

    severity: str
    """`error` or `warning`."""
    code: str
    """As Codewhale names it."""
    message: str
    path: str = ""
    """Relative to the bundle, or the root itself."""


class Bundle(NamedTuple):
    """One folder in which Codewhale finds a bundle."""

    name: str
    version: str
    folder: str
    """Its name in the discovery root."""
    scope: str
    """`user` or `workspace`."""
    root: str
    """Canonical path."""
    id: str
    """Ours."""
    host_id: str = ""
    """As Codewhale would print it; empty where it can't be told."""
    counts: tuple[tuple[str, int], ...] = ()
    """What its manifest declares, by kind."""
    diagnostics: tuple[Diagnostic, ...] = ()
    inactive: tuple[str, ...] = ()
    """Surfaces that it declares and that aren't started yet: they keep it from being enabled."""

    @property
    def is_valid(self) -> bool:
        """Say whether nothing is wrong with it that refuses it as a whole."""
        return not any(found.severity == "error" for found in self.diagnostics)


class ListedBundle(NamedTuple):
    """One bundle of a registry, as it is shown."""

    bundle: Bundle
    label: str
    """`active disabled enabled-untrusted content-changed unstaged inapplicable unsupported inactive shadowed invalid
    state-invalid`."""
    why: str
    """What keeps it from contributing; empty where it contributes."""


class ListedBundles(NamedTuple):
    """The bundles of one workspace, as they are shown."""

    bundles: tuple[ListedBundle, ...]
    diagnostics: tuple[Diagnostic, ...]
    """About the discovery roots."""
    legacy: tuple[str, ...] = ()
    """Files of older versions that are there and never taken for trust."""


class ListedSkill(NamedTuple):
    """One skill that a model may ask for."""

    name: str
    """`<plugin>:<skill>`."""
    description: str


class InspectedSkill(NamedTuple):
    """What is told of a skill: the reviewed bundle, and no place of it."""

    name: str
    description: str
    bundle: str
    version: str
    scope: str
    plugin: str
    """Our ID of the bundle."""
    content: str
    capability: str
    generation: int
    reviewed_at: str
    digest: str
    """SHA-256 of the skill's bytes."""
    characters: int


class ListedServer(NamedTuple):
    """One server that may be asked, as it is shown: no address beyond its origin and path, no value of a variable."""

    id: str
    bundle: str
    transport: str
    """`stdio`, `http` or `sse`."""
    origin: str
    """Of a remote one; empty for a program."""


class LegacyTool(NamedTuple):
    """One script of the older system of tools, which bundles have nothing to do with."""

    name: str
    description: str
    file: str
    """Its name in the folder."""


class LegacyTools(NamedTuple):
    """The older system's folder, as it is shown."""

    folder: str
    tools: tuple[LegacyTool, ...]
    why: str = ""
    """Why none can be told; empty where they could."""
