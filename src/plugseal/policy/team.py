"""From a policy file to what CI asks: plain data in which every part knows its line."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from plugseal.encode.toml import index_toml
from plugseal.model.finding import Severity
from plugseal.model.team_policy import (
    Allowed,
    AllowedServer,
    Denied,
    Exempted,
    Objects,
    PinnedPlugin,
    ReceiptDemand,
    TeamPolicy,
)

if TYPE_CHECKING:
    from plugseal.encode.places import Places, Pointer
    from plugseal.policy.schema import PolicyFile

_DEFAULTS: Final = ("fail-on", "capabilities", "packages", "servers", "commands")


def parse_team_policy(data: bytes, *, name: str, origin: str) -> TeamPolicy:
    """Return what a policy asks of a repository.

    Args:
        data: all bytes of the file.
        name: of the file, as messages call it.
        origin: where it comes from, in a few words.

    Raises:
        CouldNotJudgeError: it is no policy; every fault is among the details, with its line.
    """
    from plugseal.policy.schema import read_policy_file

    return build_team_policy(read_policy_file(data, origin=name), data, name=name, origin=origin)


def build_team_policy(file: PolicyFile, data: bytes, *, name: str, origin: str) -> TeamPolicy:
    """Return what the tables of a policy ask of a repository.

    Args:
        file: the tables.
        data: the bytes that they were read from.
        name: of the file, as messages call it.
        origin: where it comes from, in a few words.
    """
    return _Compiler(file, index_toml(data)).policy(name, origin, sha256(data).hexdigest())


def tightened(policy: TeamPolicy) -> TeamPolicy:
    """Return a policy out of the judged tree itself: it may ask for more than the built-in one, never for less."""
    severities = [Severity(policy.fail_on), Severity.HIGH]
    return policy._replace(
        fail_on=min(severities, key=lambda one: one.rank).value,
        allow=tuple(one for one in policy.allow if one.capability != "unread"),
        exceptions=(),
    )


class _Compiler:
    def __init__(self, file: PolicyFile, places: Places) -> None:
        self._file = file
        self._places = places

    def policy(self, name: str, origin: str, digest: str) -> TeamPolicy:
        from plugseal.policy.team_schema import DefaultsTable

        file = self._file
        defaults = file.defaults or DefaultsTable.model_validate({})
        servers = defaults.servers or ("deny" if file.server else "allow")
        keys = [("receipts", ("receipts",)), ("server", ("server",))]
        lines = [(key, self._line(("defaults", key))) for key in _DEFAULTS]
        lines += [(key, self._line(pointer)) for key, pointer in keys]
        lines.append(("allow", self._line(("allow",))))
        return TeamPolicy(
            fail_on=defaults.fail_on,
            capabilities=defaults.capabilities,
            packages=defaults.packages,
            servers=servers,
            commands=None if defaults.commands is None else tuple(defaults.commands),
            allow=self._allowed(file.allow or {}, ("allow",)),
            deny=tuple(self._denied()),
            plugins=tuple(self._plugins()),
            allowed_servers=tuple(self._servers()),
            exceptions=tuple(self._exceptions()),
            receipts=self._receipts(),
            trail=None if file.trail is None else file.trail.demand(line=self._line(("trail",))),
            lines=tuple(lines),
            name=name,
            digest=digest,
            origin=origin,
        )

    def _line(self, pointer: Pointer) -> int:
        return self._places.nearest(pointer).line

    def _allowed(self, table: Mapping[Any, Any], pointer: Pointer) -> tuple[Allowed, ...]:
        rows = ((str(name), _objects(value), self._line((*pointer, name))) for name, value in table.items())
        return tuple(Allowed(*row) for row in rows)

    def _denied(self) -> list[Denied]:
        return [
            Denied(
                (one.system or "").casefold(),
                one.name or "",
                one.content or "",
                one.capability or "",
                _objects(one.objects),
                one.reason,
                self._line(("deny", number)),
            )
            for number, one in enumerate(self._file.deny or ())
        ]

    def _plugins(self) -> list[PinnedPlugin]:
        found = []
        for number, one in enumerate(self._file.plugin or ()):
            pointer = ("plugin", number)
            launch = None if one.launch is None else tuple(map(tuple, one.launch))
            allow = self._allowed(one.allow, (*pointer, "allow"))
            line = self._line(pointer)
            found.append(
                PinnedPlugin(one.system, one.name, one.content or "", one.publisher or "", allow, launch, line)
            )
        return found

    def _servers(self) -> list[AllowedServer]:
        return [
            AllowedServer(
                one.owner or "", one.name, tuple(one.command or ()), one.url or "", self._line(("server", number))
            )
            for number, one in enumerate(self._file.server or ())
        ]

    def _exceptions(self) -> list[Exempted]:
        return [
            Exempted(
                one.rule or "",
                one.capability or "",
                _objects(one.objects),
                one.system or "",
                one.name or "",
                one.path or "",
                one.owner,
                one.reason,
                one.until.isoformat(),
                self._line(("exception", number)),
            )
            for number, one in enumerate(self._file.exception or ())
        ]

    def _receipts(self) -> ReceiptDemand | None:
        one = self._file.receipts
        return None if one is None else one.demand(line=self._line(("receipts",)))


def _objects(value: Any) -> Objects:
    return None if value is None or value is True else tuple(value)
