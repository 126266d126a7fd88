"""Read one batch file: bytes in, facts out. Never raises, never runs anything, never looks at another file."""

from __future__ import annotations

from typing import Final

from plugseal.lang.batch.judge import BatchJudge
from plugseal.lang.facts import PARTIAL_STATUS, Context, EntryPoint, FileFacts, unread
from plugseal.lang.prose.lines import decode_prose
from plugseal.limits import MAX_SOURCE_BYTES, MIB

LANGUAGE: Final = "batch"


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
            nested=judge.report.nested_list(running),
        )
