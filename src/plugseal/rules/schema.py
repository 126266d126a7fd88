"""What a rule file may hold, as pydantic models: the only place of this part that knows pydantic.

Every fault of every file is reported at once, as `file:line: what`. The scan path never imports this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationError,
)

from plugseal.encode.places import Places
from plugseal.encode.toml import index_toml
from plugseal.errors import DataError
from plugseal.model.capability import Capability
from plugseal.model.finding import Confidence, Severity
from plugseal.rules.check import check_meaning
from plugseal.rules.files import RuleFile, parse_rule
from plugseal.rules.grammar import check_pattern
from plugseal.rules.vocabulary import CODE, FILE, GROUPS, MANIFEST, PROSE, SHELL


def _pattern(value: str) -> str:
    if fault := check_pattern(value):
        raise ValueError(fault)
    return value


Line = Annotated[str, StringConstraints(pattern=r"^[^\n]+$", strip_whitespace=False, min_length=1, max_length=300)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Text = Annotated[str, StringConstraints(min_length=20, max_length=2_000)]
Pattern = Annotated[str, StringConstraints(min_length=1), AfterValidator(_pattern)]
Scalar = bool | int | float | str
Names = Annotated[list[Words], Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ValueTable(_Strict):
    """The long form of a value test."""

    literal: bool | None = None
    absent: Literal[True] | None = None
    matches: Pattern | None = None
    one_of: Annotated[list[Scalar], Field(min_length=1)] | None = None
    origin: Names | None = None


class NameTable(_Strict):
    """The long form of a name test."""

    matches: Pattern


def _shape(value: object) -> str:
    if isinstance(value, (dict, BaseModel)):
        return "table"
    return "list" if isinstance(value, list) else "value"


ValueField = Annotated[
    Annotated[Scalar, Tag("value")]
    | Annotated[list[Scalar], Field(min_length=1), Tag("list")]
    | Annotated[ValueTable, Tag("table")],
    Discriminator(_shape),
]
NameField = Annotated[
    Annotated[Words, Tag("value")] | Annotated[Names, Tag("list")] | Annotated[NameTable, Tag("table")],
    Discriminator(_shape),
]
PatternField = Annotated[
    Annotated[Pattern, Tag("value")] | Annotated[list[Pattern], Field(min_length=1), Tag("list")],
    Discriminator(_shape),
]
Position = Annotated[str, StringConstraints(pattern=r"^(?:any|[0-9]{1,2}(?:\|[A-Za-z_]+)*)$")]


class CodeTable(_Strict):
    """A table of `[[match]]` or `[[unless]]` over code."""

    call: NameField | None = None
    attribute: NameField | None = None
    imports: Annotated[NameField | None, Field(alias="import")] = None
    string: PatternField | None = None
    trigger: NameField | None = None
    resolution: NameField | None = None
    argument: dict[Position, ValueField] | None = None
    keyword: dict[Words, ValueField] | None = None
    origin: Names | None = None


class ShellTable(_Strict):
    """A table over shell."""

    command: NameField | None = None
    pipe: NameField | None = None
    redirect: NameField | None = None
    trigger: NameField | None = None
    argument: dict[Position, ValueField] | ValueField | None = None


class ProseTable(_Strict):
    """A table over prose."""

    text: PatternField | None = None
    forbids: PatternField | None = None
    line: PatternField | None = None
    comment: PatternField | None = None
    also: PatternField | None = None


class ManifestTable(_Strict):
    """A table over one component of a plugin."""

    command: NameField | None = None
    path: NameField | None = None
    host: NameField | None = None
    env: NameField | None = None
    kind: NameField | None = None
    trigger: NameField | None = None
    argument: dict[Position, ValueField] | list[Scalar] | str | ValueTable | None = None


class FileTable(_Strict):
    """A table over one entry of the tree."""

    path: NameField | None = None
    kind: NameField | None = None
    fault: NameField | None = None


class ExampleTable(_Strict):
    """Source text with its expectations."""

    name: Line
    code: str
    file: Line = ""
    more: dict[Words, str] = Field(default_factory=dict)


class RuleTable(_Strict):
    """The parts that every rule has."""

    format: Literal[1]
    id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)+$|^[a-z]+$", max_length=48)]
    title: Annotated[Line, StringConstraints(max_length=72)]
    capability: Literal[tuple(c.value for c in Capability)] | None = None  # type: ignore[valid-type]  # made from the enum
    severity: Literal[tuple(s.value for s in Severity)]  # type: ignore[valid-type]  # made from the enum
    when_unstarted: Literal["info", "low", "medium"] | None = None
    confidence: Literal[tuple(c.value for c in Confidence)]  # type: ignore[valid-type]  # made from the enum
    languages: Annotated[list[Literal[tuple(GROUPS)]], Field(min_length=1)]  # type: ignore[valid-type]  # made from the table
    since: Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+$")]
    what: Text
    why: Text
    remedy: Annotated[Line, StringConstraints(max_length=200)]
    references: list[Annotated[str, StringConstraints(pattern=r"^https://\S+$")]] = Field(default_factory=list)
    note: Annotated[str, StringConstraints(max_length=80)] = ""
    detector: str = ""
    example: Annotated[list[ExampleTable], Field(min_length=2)]


class CodeRule(RuleTable):
    """A rule over code."""

    match: list[CodeTable] = Field(default_factory=list)
    unless: list[CodeTable] = Field(default_factory=list)


class ShellRule(RuleTable):
    """A rule over shell."""

    match: list[ShellTable] = Field(default_factory=list)
    unless: list[ShellTable] = Field(default_factory=list)


class ProseRule(RuleTable):
    """A rule over prose."""

    match: list[ProseTable] = Field(default_factory=list)
    unless: list[ProseTable] = Field(default_factory=list)


class ManifestRule(RuleTable):
    """A rule over manifests."""

    match: list[ManifestTable] = Field(default_factory=list)
    unless: list[ManifestTable] = Field(default_factory=list)


class FileRule(RuleTable):
    """A rule over the entries of a tree."""

    match: list[FileTable] = Field(default_factory=list)
    unless: list[FileTable] = Field(default_factory=list)


_UNION_TAGS = frozenset({"value", "list", "table", "[key]"})
"""What pydantic puts into a fault's place besides the document's own keys."""
_MODELS: dict[str, type[RuleTable]] = {
    CODE: CodeRule,
    SHELL: ShellRule,
    PROSE: ProseRule,
    MANIFEST: ManifestRule,
    FILE: FileRule,
}


def check_rules(files: Sequence[RuleFile]) -> tuple[list[dict[str, Any]], list[str]]:
    """Validate a whole set.

    Returns:
        The documents of the sound files, and every fault as `file:line: what`.
    """
    documents: list[dict[str, Any]] = []
    faults: list[str] = []
    for file in files:
        document, found = _check_file(file)
        faults += found
        if document is not None and not found:
            documents.append(document)
    seen: dict[str, str] = {}
    for file in files:
        name = file.path.rpartition("/")[2]
        if name in seen:
            faults.append(f"{file.path}:1: the id is taken by {seen[name]}")
        seen[name] = file.path
    return documents, faults


def _check_file(file: RuleFile) -> tuple[dict[str, Any] | None, list[str]]:
    """Validate one file: its form, and what it means as far as the form allows to say."""
    try:
        document = parse_rule(file)
    except DataError as error:
        return None, [f"{file.path}:{error.line}: {error.message}"]
    faults: list[str] = []
    try:
        _model_of(document).model_validate(document)
    except ValidationError as error:
        places = index_toml(file.data)
        faults = [_fault_line(file.path, places, fault) for fault in error.errors()]
    return document, faults + check_meaning(file, document)


def _model_of(document: dict[str, Any]) -> type[RuleTable]:
    languages = document.get("languages")
    first = languages[0] if isinstance(languages, list) and languages else None
    return _MODELS[GROUPS.get(first, CODE) if isinstance(first, str) else CODE]


def _fault_line(path: str, places: Places, fault: Any) -> str:
    """Say one of pydantic's faults in our words, at the line of the key."""
    place = [part for part in fault["loc"] if part not in _UNION_TAGS]
    key = ".".join(str(part) for part in place)
    message = {"extra_forbidden": "unknown key", "missing": "missing"}.get(fault["type"], fault["msg"])
    message = message.removeprefix("Value error, ")
    line = max(1, places.nearest(place).line)
    return f"{path}:{line}: `{key}`: {message[:1].lower()}{message[1:]}"
