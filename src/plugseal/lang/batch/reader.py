"""Read one batch file: bytes in, facts out. Never raises, never runs anything, never looks at another file."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

from plugseal.lang.batch.judge import BatchJudge
from plugseal.lang.facts import PARTIAL_STATUS, Anchor, Context, EntryPoint, FileFacts, Nested, unread
from plugseal.lang.prose.lines import decode_prose
from plugseal.limits import MAX_SOURCE_BYTES, MIB
from plugseal.model.location import Span
from plugseal.patterns import lazy

LANGUAGE: Final = "batch"
_MAX_LINES: Final = 10_000
_ENDS: Final = lazy(r"(?i)\n[ \t]{0,40}@?(?:exit(?:[ \t]{1,8}/b)?(?:[ \t]{1,8}\w{1,12})?|goto[ \t]{1,8}:eof)\s{0,80}\Z")
"""A last line with which every run of a batch file ends."""
_LABEL: Final = lazy(r"(?m)^[ \t]*:")
_FOR_BOTH: Final = lazy(r":[ \t]{0,8}<<-?[ \t]{0,8}['\"]?([A-Za-z_]\w{0,63})['\"]?[ \t]*\r?\n")


class BatchReader:
    """The reader of batch files."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        if len(data) > MAX_SOURCE_BYTES:
            return unread(LANGUAGE, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        text, reason = decode_prose(data)
        if reason:
            return unread(LANGUAGE, reason)
        text, behind = _parted(text)
        judge = BatchJudge(text, context.path)
        judge.run()
        reason = "needs more steps than a file is given" if judge.is_cut else ""
        running = {""}
        return FileFacts(
            LANGUAGE,
            PARTIAL_STATUS if reason else "read",
            reason,
            judge.report.facts(running),
            judge.report.event_list(running),
            entries=(EntryPoint("<module>", "start", 1),),
            nested=(*judge.report.nested_list(running), *behind),
        )


def _parted(text: str) -> tuple[str, tuple[Nested, ...]]:
    """Part a file that is a script for both: `: << 'END'` is a label here, and hides all up to `END` from a shell.

    `END` means nothing to a batch file: it goes on behind it, unless it ends before and can't jump there.
    """
    first = _FOR_BOTH.match(text)
    last = None if first is None else re.compile(rf"(?m)^{first[1]}[ \t]*\r?$").search(text, first.end())
    if last is None:
        return text, ()
    line = text.count("\n", 0, last.end()) + 2
    rest = text[last.end() + 1 :]
    lines = rest.splitlines(keepends=True)[:_MAX_LINES]
    places = zip(accumulate(map(len, lines), initial=0), range(line, line + len(lines)), strict=False)
    anchors = tuple(Anchor(offset, number, 1) for offset, number in places)
    own = text[: last.start()]
    is_plain = "^\n" not in own.replace("\r", "") and own.count("(") == own.count(")")
    is_over = is_plain and _ENDS.search(own) is not None and _LABEL.search(rest) is None
    return own if is_over else text, (Nested("shell", rest, Span(line, 1, line + len(lines), 1), anchors, "start"),)
