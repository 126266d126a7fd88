"""Headers of a remote server: reviewed names, values from reviewed variables, nothing that changes the message itself.

A value is never shown: what is wrong with one is said by the name of its variable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from plugseal.errors import RefusedError
from plugseal.model.decision import Reason
from plugseal.patterns import lazy

_VARIABLE: Final = lazy(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_NAME: Final = lazy(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}")
_VALUE: Final = lazy(r"[\x20-\x7e\t]*")
_OURS: Final = frozenset(
    """
    host connection content-length content-type content-encoding transfer-encoding te trailer upgrade expect accept
    accept-encoding keep-alive mcp-session-id mcp-protocol-version last-event-id user-agent cookie
    """.split()
)
_OUR_PREFIX: Final = "proxy-"


def reviewed_headers(headers: Iterable[tuple[str, str]], variables: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a server with their values.

    Args:
        headers: reviewed (name, text), where `${NAME}` stands for a variable.
        variables: our environment.

    Raises:
        RefusedError: a variable is not set, or a header can't be sent.
    """
    built: dict[str, str] = {}
    for name, text in headers:
        if _NAME.fullmatch(name) is None or name.lower() in _OURS or name.lower().startswith(_OUR_PREFIX):
            raise _denied(f"its header `{name}` belongs to the message itself")
        if name.lower() in {known.lower() for known in built}:
            raise _denied(f"its header `{name}` stands there twice")
        value = _filled(name, text, variables).strip(" \t")
        if _VALUE.fullmatch(value) is None:
            raise _denied(f"the value of its header `{name}` holds what no header can")
        built[name] = value
    return built


def header_variables(headers: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the names of the variables that headers take their values from."""
    return frozenset(name for _, text in headers for name in _VARIABLE.findall(text))


def _filled(header: str, text: str, variables: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: _value(header, match[1], variables), text)


def _value(header: str, name: str, variables: Mapping[str, str]) -> str:
    found = variables.get(name)
    if not found:
        raise RefusedError(
            Reason.VARIABLE_MISSING.value,
            f"`{name}` is not set, from which the header `{header}` is made",
            hint=f"set `{name}`, then start again",
        )
    return found


def _denied(message: str) -> RefusedError:
    return RefusedError(Reason.POLICY_DENIES.value, message, hint="ask its author for a server without it")
