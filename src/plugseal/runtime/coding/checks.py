"""What the contract says of progress and results: each fault as text, in the order in which it is looked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.texts import trim
from plugseal.runtime.coding.contract import (
    Content,
    ContentType,
    OnProgress,
    OutcomeStatus,
    ProgressNotification,
    Result,
)
from plugseal.runtime.coding.exact import check_json
from plugseal.runtime.coding.execution import build_end

PROGRESS_INVALID: Final = "plugin_progress_invalid"
RESULT_INVALID: Final = "plugin_result_invalid"
_STATUSES: Final = frozenset(status.value for status in OutcomeStatus)


def check_progress(call_id: str, progress: ProgressNotification) -> str:
    """Return what is wrong with a progress notification, empty if nothing is.

    Args:
        call_id: of the call that it came for.
        progress: as it came.
    """
    if progress.call_id != call_id:
        return "its `callId` is that of another call"
    return _check_contents(progress.content) or _check_data(progress.data)


def check_result(call_id: str, result: Result) -> str:
    """Return what is wrong with a result, empty if nothing is.

    Args:
        call_id: of the call that it came for.
        result: as it came.
    """
    if result.call_id != call_id:
        return "its `callId` is that of another call"
    outcome = result.outcome
    if outcome.status not in _STATUSES:
        return "its `outcome.status` is none of `success`, `failed`, `cancelled` and `timeout`"
    has_code = bool(trim(outcome.error_code))
    if result.is_success and outcome.error_code:
        return "it succeeded and has an `outcome.errorCode`"
    if not result.is_success and not has_code:
        return f"it has the status `{outcome.status}` and no `outcome.errorCode`"
    return _check_contents(result.content) or _check_data(outcome.data)


def _check_contents(contents: Iterable[Content]) -> str:
    return next((fault for number, one in enumerate(contents) if (fault := _check_content(number, one))), "")


def _check_content(number: int, content: Content) -> str:
    if content.type == ContentType.TEXT.value:
        return ""
    if content.type != ContentType.IMAGE.value:
        return f"`content.{number}.type` is neither `text` nor `image`"
    if not content.data:
        return f"`content.{number}` is an image without `data`"
    if not trim(content.mime_type):
        return f"`content.{number}` is an image without `mimeType`"
    return ""


def _check_data(data: object) -> str:
    fault = check_json(data)
    return f"its `data` is no JSON: {fault}" if fault else ""


class Hearing:
    """Listen to one call: pass its progress on while it is right, and judge its end once."""

    def __init__(self, call_id: str, on_progress: OnProgress) -> None:
        """Begin.

        Args:
            call_id: of the call.
            on_progress: told what is right, before the call's end.
        """
        self._call_id = call_id
        self._on_progress = on_progress
        self._fault = ""
        self._is_over = False

    def hear(self, progress: ProgressNotification) -> None:
        """Take a notification; one that comes after the end is late and does not exist."""
        if self._is_over or self._fault:
            return
        self._fault = check_progress(self._call_id, progress)
        if not self._fault:
            self._on_progress(progress)

    def judge(self, result: Result) -> Result:
        """Return a result if it is right, as all its progress was; else one that says what is wrong."""
        self._is_over = True
        if self._fault:
            return build_end(self._call_id, OutcomeStatus.FAILED, PROGRESS_INVALID, f"its progress: {self._fault}")
        fault = check_result(self._call_id, result)
        if fault:
            return build_end(self._call_id, OutcomeStatus.FAILED, RESULT_INVALID, f"its result: {fault}")
        return result

    def end(self) -> None:
        """Hear nothing more."""
        self._is_over = True
