"""What a server says of its failures, without what nobody should read: addresses, logins, arguments and variables.

A server that fails may repeat what it was given. Values of reviewed variables, its arguments, queries of addresses and
credentials of known shapes are taken out of every error before anybody sees it; the rest stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from plugseal.model.secrets import mask_secrets
from plugseal.patterns import lazy
from plugseal.runtime.approved import Approved
from plugseal.runtime.remote.headers import header_variables

_QUERY: Final = lazy(r"([a-z][a-z0-9+.-]{0,30}://[^\s\"'<>?#]{0,2000})[?#][^\s\"'<>]*", re.IGNORECASE)
_LOGIN: Final = lazy(r"([a-z][a-z0-9+.-]{0,30}://)[^\s/\"'<>@]{1,1000}@", re.IGNORECASE)
_AUTHENTICATION: Final = lazy(r"(authorization[\"']?\s*[:=]\s*)\S[^\r\n]*|\b(bearer|basic)\s+\S+", re.IGNORECASE)
_HIDDEN: Final = "[hidden]"
_MIN_ARGUMENT: Final = 4
_MIN_VALUE: Final = 3
"""What is shorter hides nothing, and would be found in every other word."""
MAX_CHARACTERS: Final = 4000


class Hush:
    """What of one server's launch must not be repeated."""

    def __init__(self, component: Approved, variables: Mapping[str, str]) -> None:
        """Remember what a server is given.

        Args:
            component: as reviewed.
            variables: our environment.
        """
        sources = {source for _, source in component.environment if source} | header_variables(component.headers)
        given = [variables.get(name, "") for name in sources] + [value for _, value in component.literals]
        values = {value for value in given if len(value) >= _MIN_VALUE}
        words = {word for word in component.command[1:] if len(word) >= _MIN_ARGUMENT}
        self._hidden = sorted(values | words, key=len, reverse=True)

    def quiet(self, text: str) -> str:
        """Return a text without them, cut where it is long."""
        for value in self._hidden:
            text = text.replace(value, _HIDDEN)
        text = _QUERY.sub(rf"\1?{_HIDDEN}", _LOGIN.sub(rf"\1{_HIDDEN}@", text))
        text = _AUTHENTICATION.sub(lambda match: (match[1] or f"{match[2]} ") + _HIDDEN, text)
        return mask_secrets(text[:MAX_CHARACTERS])

    def quiet_answer(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer whose error, or whose result that says it failed, is quiet; any other as it is."""
        if "error" in answer:
            return {**answer, "error": self._quiet_value(answer["error"])}
        result = answer.get("result")
        if isinstance(result, dict) and result.get("isError") is True:
            return {**answer, "result": self._quiet_value(result)}
        return dict(answer)

    def _quiet_value(self, value: Any) -> Any:  # Any: JSON
        if isinstance(value, str):
            return self.quiet(value)
        if isinstance(value, dict):
            return {self.quiet(key): self._quiet_value(below) for key, below in value.items()}
        if isinstance(value, list):
            return [self._quiet_value(below) for below in value]
        return value
