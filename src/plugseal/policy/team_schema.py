"""The tables of a team in a policy file, as pydantic models; `schema.py` holds those of the gate."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from plugseal.limits import MAX_KEPT, MAX_PEOPLE, MAX_REVIEW_DAYS
from plugseal.model.capability import Capability
from plugseal.model.team_policy import ReceiptDemand, TrailDemand
from plugseal.policy.globs import MAX_GLOB_CHARACTERS

Words = Annotated[str, StringConstraints(min_length=1, max_length=400, pattern=r"^\S(?:.*\S)?$")]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=MAX_GLOB_CHARACTERS)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


def _below(path: str) -> str:
    if path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")) or "\\" in path:
        raise ValueError("a path below the policy's own folder, with `/` between its parts")
    return path


Below = Annotated[str, StringConstraints(min_length=1, max_length=400), AfterValidator(_below)]
"""A path below the policy's own folder."""


def _legible(text: str) -> str:
    if not any(character.isalnum() for character in text):
        raise ValueError("there is nothing in it that anybody can read")
    return text


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the known word that an unknown one may be meant for, ready for the end of a sentence; empty if none."""
    from difflib import get_close_matches

    near = get_close_matches(word[:100], sorted(known), n=1, cutoff=0.6)
    return f", did you mean `{near[0]}`?" if near else ""


def _capability(name: str) -> str:
    if name not in _NAMES:
        raise ValueError(f"no capability is called so{did_you_mean(name, _NAMES)}: `plugseal explain` knows them")
    return name


_NAMES = frozenset(capability.value for capability in Capability)
Name = Annotated[str, AfterValidator(_capability)]


def _not_all(globs: list[str]) -> list[str]:
    if any(not glob.strip("*") for glob in globs):
        raise ValueError("a glob for everything is written `true`")
    return globs


def _true(value: object) -> object:
    if value is not True:
        raise ValueError("`true` is written so, and nothing stands for it")  # 1 equals it
    return value


Yes = Annotated[Literal[True], BeforeValidator(_true)]
Objects = Annotated[list[Glob], Field(min_length=1), AfterValidator(_not_all)] | Yes
Capabilities = dict[Name, Objects]
_IN_NO_HOST = frozenset(" \t{}()|,;^$!\"'<>")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=False)


class DefaultsTable(_Strict):
    """What holds for all plugins."""

    fail_on: Literal["info", "low", "medium", "high"] = Field(
        "high", alias="fail-on", description="Lowest severity of a finding that fails."
    )
    capabilities: Literal["deny", "allow"] = Field(
        "deny", description="Whether a capability that `[allow]` does not name fails."
    )
    incomplete: Literal["deny"] = Field(
        "deny", description="What could not be judged never passes; this can be said and not be changed."
    )
    packages: Literal["exact", "versioned", "any"] = Field(
        "any", description="How surely packages that a command fetches must be pinned."
    )
    servers: Literal["deny", "allow"] | None = Field(
        None, description="Whether a server without a `[[server]]` fails; default `deny` where there is one."
    )
    commands: Annotated[list[Words], Field(min_length=1)] | None = Field(
        None, description="Programs that components may start, each in one simple command."
    )


class DenyTable(_Strict):
    """What is denied whatever else allows it."""

    system: Words | None = None
    name: Glob | None = None
    content: Digest | None = None
    capability: Name | None = None
    objects: Objects | None = None
    reason: Words

    @model_validator(mode="after")
    def _says_what(self) -> DenyTable:
        if not (self.name or self.content or self.capability or self.system):
            raise ValueError("say what is denied: `system`, `name`, `content` or `capability`")
        if self.objects is not None and self.capability is None:
            raise ValueError("`objects` needs a `capability`")
        globs = self.objects if self.capability == "net.outbound" and isinstance(self.objects, list) else []
        if any(set(glob) & _IN_NO_HOST for glob in globs):
            raise ValueError("no host is written so, and nothing would be denied: one glob for each host")
        return self


class PluginTable(_Strict):
    """One plugin that may do more."""

    system: Words
    name: Words
    content: Digest | None = None
    publisher: Digest | None = None
    allow: Capabilities = Field(default_factory=dict)
    launch: Annotated[list[Annotated[list[str], Field(min_length=1)]], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _is_bound(self) -> PluginTable:
        if not (self.content or self.publisher):
            raise ValueError("a name alone binds nothing: add `content` or `publisher`")
        return self


class ServerTable(_Strict):
    """One server that may be there."""

    owner: Words | None = None
    name: Glob
    command: Annotated[list[str], Field(min_length=1)] | None = None
    url: Words | None = None

    @model_validator(mode="after")
    def _is_bound(self) -> ServerTable:
        if self.command and self.url:
            raise ValueError("a server has a `command` or a `url`")
        if not (self.owner or self.command or self.url):
            raise ValueError("a name alone binds nothing: add `owner`, `command` or `url`")
        return self


class ExceptionTable(_Strict):
    """One exception with its owner, its reason and its end."""

    rule: Words | None = None
    capability: Name | None = None
    objects: Objects | None = None
    system: Words | None = None
    name: Words | None = None
    path: Glob | None = None
    owner: Annotated[Words, AfterValidator(_legible)]
    reason: Annotated[str, StringConstraints(min_length=10, max_length=400), AfterValidator(_legible)]
    until: date

    @model_validator(mode="after")
    def _is_narrow(self) -> ExceptionTable:
        if (self.rule is None) == (self.capability is None):
            raise ValueError("say what is excepted: a `rule` or a `capability`")
        if not (self.name or (self.path and self.path.strip("*/"))):
            raise ValueError("say where: `name` of the plugin, or a `path` that is not everything")
        if self.objects is not None and self.capability is None:
            raise ValueError("`objects` needs a `capability`")
        return self


class ReceiptsTable(_Strict):
    """What is asked of signed reviews."""

    required: Yes
    team: Below = "plugseal-trust"
    reviews: Below = "reviews"
    threshold: Annotated[int, Field(ge=1, le=MAX_PEOPLE)] = 1
    max_age_days: int | None = Field(None, alias="max-age-days", ge=1, le=MAX_REVIEW_DAYS)
    require_human: bool = Field(False, alias="require-human")
    scanner: Annotated[str, StringConstraints(pattern=r"^\d{1,4}\.\d{1,4}\.\d{1,4}$")] | None = None
    rules: Annotated[list[Digest], Field(min_length=1)] | None = None

    def demand(self, *, line: int = 0) -> ReceiptDemand:
        """Return what is asked, as plain data."""
        return ReceiptDemand(
            self.team,
            self.reviews,
            self.threshold,
            self.max_age_days or 0,
            self.require_human,
            self.scanner or "",
            tuple(self.rules or ()),
            line,
        )


class TrailTable(_Strict):
    """What is asked of the audit trail that the team commits."""

    exports: Below = Field(description="The folder with exports: `*.jsonl`, as `plugseal log export` writes them.")
    checkpoints: Below | None = Field(
        None, description="The file of checkpoints, `plugseal log checkpoint --key`; default `checkpoints` beside them."
    )
    team: Below = "plugseal-trust"
    keep: Annotated[int, Field(ge=1, le=MAX_KEPT)] = Field(
        1, description="How many of the newest entries must stand whole, if there ever were as many."
    )
    signed: bool = Field(
        True, description="Whether each trail must go on from a checkpoint that somebody of the team signed."
    )

    def demand(self, *, line: int = 0) -> TrailDemand:
        """Return what is asked, as plain data."""
        return TrailDemand(
            self.exports, self.checkpoints or f"{self.exports}/checkpoints", self.team, self.keep, self.signed, line
        )


class ExampleTable(_Strict):
    """What `policy test` asks: a capability of a plugin, and what the policy must say."""

    system: Words = "agent-plugins"
    name: Words
    content: Digest | None = None
    capability: Name
    object: Words | None = None
    expect: Literal["allow", "deny"]
