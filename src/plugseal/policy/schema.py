"""What a policy file may hold, as pydantic models: the only place of this part that knows pydantic.

Unknown keys are errors, an empty policy is invalid, and every fault is reported at once. The gate never imports this
where a policy was compiled before.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from plugseal.encode.toml import index_toml, parse_toml
from plugseal.errors import CouldNotJudgeError, DataError
from plugseal.limits import MAX_PEOPLE, MAX_REVIEW_DAYS
from plugseal.model.policy import LEVEL, DemandedReviews, DeniedAbility, GatePolicy
from plugseal.policy.team_schema import (
    Capabilities,
    DefaultsTable,
    DenyTable,
    ExampleTable,
    ExceptionTable,
    PluginTable,
    ReceiptsTable,
    ServerTable,
    TrailTable,
    did_you_mean,
)

_HEX = "[0-9a-f]"
_ID = rf"[a-z][a-z0-9-]*:[^\s@]+@{_HEX}{{12}}"
_TOKEN = rf"{_HEX}{{64}}\.{_HEX}{{64}}"
Exact = Annotated[str, StringConstraints(pattern=rf"^(?:{_ID}|{_TOKEN})$", max_length=400)]
Authorized = Annotated[str, StringConstraints(pattern=rf"^(?:{_ID}|{_TOKEN})/[^\r\n]+$", max_length=800)]
Denied = Annotated[str, StringConstraints(pattern=rf"^(?:{_ID}|{_TOKEN}|[a-z][a-z0-9-]*:[^\s@]+)$", max_length=400)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GateTable(_Strict):
    """What is asked of the gate."""

    level: Annotated[int, Field(ge=1, le=4)] = LEVEL
    source: Literal["must-match", "may-change"] = "must-match"
    fetched_code: Annotated[Literal["deny", "allow"], Field(alias="fetched-code")] = "deny"
    signatures: Annotated[int, Field(alias="require-signatures", ge=0, le=MAX_PEOPLE)] = 0
    max_age_days: int | None = Field(None, alias="max-age-days", ge=1, le=MAX_REVIEW_DAYS)
    deny: list[Denied] = []
    allow: list[Exact] | None = None
    authorize: list[Authorized] | None = None


class PolicyFile(_Strict):
    """A whole policy: what is asked of the gate, and what CI asks of a repository."""

    schema_: Annotated[Literal["plugseal.policy/1"], Field(alias="schema")]
    gate: GateTable | None = None
    defaults: DefaultsTable | None = None
    allow: Capabilities | None = None
    deny: Annotated[list[DenyTable], Field(min_length=1)] | None = None
    plugin: Annotated[list[PluginTable], Field(min_length=1)] | None = None
    server: Annotated[list[ServerTable], Field(min_length=1)] | None = None
    exception: Annotated[list[ExceptionTable], Field(min_length=1)] | None = None
    receipts: ReceiptsTable | None = None
    trail: TrailTable | None = None
    example: Annotated[list[ExampleTable], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> PolicyFile:
        said = self.model_fields_set - {"schema_", "example", "exception"}
        if not any(getattr(self, name) is not None for name in said):
            raise ValueError("the policy is empty: it would let everything pass")
        if self.receipts is None and any(one.publisher for one in self.plugin or ()):
            raise ValueError("a `publisher` is known by receipts alone: add `[receipts]`")
        if self.receipts is not None and self.trail is not None and self.receipts.team != self.trail.team:
            # A signed change of the rules binds one folder of keys: another one could be filled after the signing.
            raise ValueError("`[receipts]` and `[trail]` name two teams: one team signs both")
        return self


def read_policy_file(data: bytes, *, origin: str) -> PolicyFile:
    """Return a whole policy in its tables.

    Args:
        data: all bytes of the file.
        origin: where it comes from, for messages.

    Raises:
        CouldNotJudgeError: it is no policy; every fault is among the details, with its line.
    """
    try:
        document = parse_toml(data)
    except DataError as error:
        raise CouldNotJudgeError(error.message, place=f"{origin}:{error.line}", hint=_HINT) from error
    try:
        return PolicyFile.model_validate(document)
    except ValidationError as error:
        places = index_toml(data)
        rows = []
        for fault in error.errors():
            loc = [part for part in fault["loc"] if not (isinstance(part, str) and part in _TAGS)]
            message = _told(fault["type"], fault["msg"], loc)
            key = ".".join(map(str, loc))
            line = max(1, places.nearest(loc).line)
            rows.append(f"{origin}:{line}: {f'`{key}`: ' if key else ''}{message[:1].lower()}{message[1:]}")
        raise CouldNotJudgeError("that is no policy", place=origin, details=rows, hint=_HINT) from error


def _told(kind: str, message: str, loc: list[str | int]) -> str:
    """Return what is wrong in plain words, with the key that may be meant."""
    if kind == "missing":
        return "missing"
    if kind == "extra_forbidden":
        return f"unknown key{_near(loc)}"
    if kind == "string_pattern_mismatch" and loc[:1] == ["gate"]:
        return _PATTERNS.get(str(loc[1]), message)
    return message.removeprefix("Value error, ")


def _near(loc: list[str | int]) -> str:
    """Return the known key of a table that an unknown one may be meant for."""
    table = PolicyFile if len(loc) == 1 else _TABLES.get(str(loc[0]))
    if table is None:
        return ""
    known = {field.alias or name for name, field in table.model_fields.items()}
    return did_you_mean(str(loc[-1]).casefold().replace("_", "-"), known)


_TABLES: dict[str, type[BaseModel]] = {
    "gate": GateTable,
    "defaults": DefaultsTable,
    "deny": DenyTable,
    "plugin": PluginTable,
    "server": ServerTable,
    "exception": ExceptionTable,
    "receipts": ReceiptsTable,
    "trail": TrailTable,
    "example": ExampleTable,
}
_PATTERNS = {
    "allow": "an ID as `plugseal list` prints it, or a token; a name alone is none",
    "deny": "an ID, a token, or `system:name`",
    "authorize": "`ID/TOOL` or `TOKEN/TOOL`",
}
_TAGS = frozenset({"[key]", "function-after[_not_all(), list[constrained-str]]", "literal[True]"})
"""What pydantic puts into a fault's place besides the document's own keys."""


def parse_policy(data: bytes, *, origin: str) -> GatePolicy:
    """Return what a policy asks of the gate.

    Args:
        data: all bytes of the file.
        origin: where it comes from, for messages.

    Raises:
        CouldNotJudgeError: it is no policy; every fault is among the details.
    """
    return build_gate_policy(read_policy_file(data, origin=origin), origin=origin)


def build_gate_policy(file: PolicyFile, *, origin: str) -> GatePolicy:
    """Return what the tables of a policy ask of the gate."""
    gate = file.gate or GateTable.model_validate({})
    return GatePolicy(
        source_must_match=gate.source == "must-match",
        level=gate.level,
        fetches_code=gate.fetched_code == "allow",
        signatures=gate.signatures,
        max_age_days=gate.max_age_days or 0,
        deny=tuple(gate.deny),
        allow=None if gate.allow is None else tuple(gate.allow),
        authorize=None if gate.authorize is None else tuple(gate.authorize),
        denied=tuple(map(_denied, file.deny or ())),
        origin=origin,
        reviews=_reviews(file, gate, origin),
    )


def _reviews(file: PolicyFile, gate: GateTable, origin: str) -> tuple[DemandedReviews, ...]:
    """Return what the gate asks of signed reviews: what CI asks of them, by as many people as the gate wants."""
    if not gate.signatures:
        return ()
    demand = (file.receipts or ReceiptsTable.model_validate({"required": True})).demand()
    return (DemandedReviews(demand._replace(threshold=max(demand.threshold, gate.signatures)), origin),)


def _denied(one: DenyTable) -> DeniedAbility:
    objects = None if one.objects is None or one.objects is True else tuple(one.objects)
    name = (one.name or "").casefold()
    return DeniedAbility(
        (one.system or "").casefold(), name, one.content or "", one.capability or "", objects, one.reason
    )


_HINT = "the page `docs/reference/policy.md` lists every key"


def render_schema() -> str:
    """Return the published JSON Schema of policy files."""
    import json

    schema = PolicyFile.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "plugseal.policy/1"}
    return json.dumps({**schema, **head}, indent=2, sort_keys=True, ensure_ascii=True) + "\n"
