"""The launch data of what was reviewed: read from the stored capability document, never from a manifest again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.policy.denied import explained
from plugseal.records import NamedTuple

_SCHEMA: Final = "urn:plugseal:capabilities:v1"


class Approved(NamedTuple):
    """One component with its launch data, as reviewed."""

    kind: str
    name: str
    transport: str
    command: tuple[str, ...]
    shell: bool
    cwd: str | None
    environment: tuple[tuple[str, str | None], ...]
    """(destination, source variable); source None for a literal."""
    literals: tuple[tuple[str, str], ...]
    endpoint: str | None
    headers: tuple[tuple[str, str], ...]
    entry: str | None
    trigger: str
    extra: tuple[tuple[str, str], ...]
    file: str = ""
    """Where it is declared, relative to the plugin's root; of a skill the file itself."""

    @property
    def label(self) -> str:
        """Return `kind:name`."""
        return f"{self.kind}:{self.name}"


class Document(NamedTuple):
    """Everything of a reviewed document that the gate needs."""

    system: str
    name: str
    version: str
    components: tuple[Approved, ...]
    covers: tuple[str, ...] | None
    variables: frozenset[str]
    """Names of the variables that it was reviewed to read."""
    capabilities: frozenset[tuple[str, str | None]]
    """(capability, object) of everything that it was reviewed to do."""
    abilities: frozenset[tuple[str, str | None]] = frozenset()
    """The same without imports that its own known uses explain: what a policy may deny."""
    extra: tuple[tuple[str, str], ...] = ()
    """What the manifest says beside its components, as the system describes it."""
    faults: tuple[tuple[str, str], ...] = ()
    """(file, field) of what its system would not accept."""


def parse_document(data: bytes) -> Document:
    """Return what a reviewed document says; its digest was checked already.

    Raises:
        RefusedError: it is of another version of plugseal.
    """
    try:
        found = json.loads(data)
        if found["schema"] != _SCHEMA:
            raise _damaged(f"its document has the schema `{found['schema']}`")
        rows = {(str(row[0]), _text(row[1])) for row in found["capabilities"]}
        return Document(
            system=str(found["system"]),
            name=_text(found["name"]) or "",
            version=_text(found["version"]) or "",
            components=tuple(_component(item) for item in found["components"]),
            covers=None if "covers" not in found else tuple(_text(path) or "" for path in found["covers"]),
            variables=frozenset(name for what, name in rows if what == "env.read" and name),
            capabilities=frozenset(rows),
            abilities=explained((str(row[0]), _text(row[1]), str(row[2])) for row in found["capabilities"]),
            extra=_pairs(found.get("extra", ())),
            faults=_pairs(found.get("faults", ())),
        )
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise _damaged("its document can't be read") from error


def _damaged(message: str) -> RefusedError:
    return RefusedError(Reason.DOCUMENT_DAMAGED.value, message, hint=Reason.DOCUMENT_DAMAGED.hint)


def _component(item: dict[str, Any]) -> Approved:  # Any: JSON, turned into ours here
    return Approved(
        kind=str(item["kind"]),
        name=_text(item["name"]) or "",
        transport=_text(item["transport"]) or "",
        command=tuple(_word(word) for word in item["command"]),
        shell=item["shell"] is True,  # nosec B604  # a field
        cwd=_text(item["cwd"]),
        environment=tuple((_word(name), _text(source)) for name, source in item["environment"]),
        literals=tuple((_word(name), _word(value)) for name, value in item["literals"]),
        endpoint=_text(item["endpoint"]),
        headers=tuple((_word(name), _word(value)) for name, value in item["headers"]),
        entry=_text(item["entry"]),
        trigger=_text(item["trigger"]) or "",
        extra=_pairs(item["extra"]),
        file=_text(item.get("file")) or "",
    )


def _pairs(rows: Iterable[tuple[object, object]]) -> tuple[tuple[str, str], ...]:
    return tuple((_word(first), _word(second)) for first, second in rows)


def _word(value: object) -> str:
    text = _text(value)
    if text is None:
        raise ValueError("no text")
    return text


def _text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, dict) and set(value) == {"bytes"}:
        return bytes.fromhex(str(value["bytes"])).decode("utf-8", "surrogateescape")
    raise ValueError("no text")
