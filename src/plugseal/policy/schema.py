"""What a policy file may hold, as pydantic models: the only place of this part that knows pydantic.

Unknown keys are errors, an empty policy is invalid, and every fault is reported at once. The gate never imports this
where a policy was compiled before.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from plugseal.encode.toml import parse_toml
from plugseal.errors import CouldNotJudgeError
from plugseal.model.policy import LEVEL, GatePolicy

_HEX = "[0-9a-f]"
_ID = rf"[a-z][a-z0-9-]*:[^\s@]+@{_HEX}{{12}}"
_TOKEN = rf"{_HEX}{{64}}\.{_HEX}{{64}}"
Exact = Annotated[str, StringConstraints(pattern=rf"^(?:{_ID}|{_TOKEN})$", max_length=400)]
Denied = Annotated[str, StringConstraints(pattern=rf"^(?:{_ID}|{_TOKEN}|[a-z][a-z0-9-]*:[^\s@]+)$", max_length=400)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GateTable(_Strict):
    """What is asked of the gate."""

    level: Annotated[int, Field(ge=1, le=4)] = LEVEL
    source: Literal["must-match", "may-change"] = "must-match"
    fetched_code: Annotated[Literal["deny", "allow"], Field(alias="fetched-code")] = "deny"
    signatures: Annotated[int, Field(ge=0, le=100)] = 0
    max_age_days: Annotated[int, Field(alias="max-age-days", ge=1, le=3660)] | None = None
    deny: list[Denied] = []
    allow: list[Exact] | None = None


class PolicyFile(_Strict):
    """A whole policy."""

    schema_: Annotated[Literal["plugseal.policy/1"], Field(alias="schema")]
    gate: GateTable


def parse_policy(data: bytes, *, origin: str) -> GatePolicy:
    """Return what a policy asks of the gate.

    Args:
        data: all bytes of the file.
        origin: where it comes from, for messages.

    Raises:
        CouldNotJudgeError: it is no policy; every fault is among the details.
    """
    try:
        gate = PolicyFile.model_validate(parse_toml(data)).gate
    except ValidationError as error:
        rows = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg'].lower()}" for fault in error.errors()]
        raise CouldNotJudgeError("that is no policy", place=origin, details=rows, hint=_HINT) from error
    return GatePolicy(
        source_must_match=gate.source == "must-match",
        level=gate.level,
        fetches_code=gate.fetched_code == "allow",
        signatures=gate.signatures,
        max_age_days=gate.max_age_days or 0,
        deny=tuple(gate.deny),
        allow=None if gate.allow is None else tuple(gate.allow),
        origin=origin,
    )


_HINT = "the page `docs/reference/policy.md` lists every key"
