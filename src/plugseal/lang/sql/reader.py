"""Read a file of SQL: what its statements do outside of their database. Never raises, never runs anything."""

from __future__ import annotations

from bisect import bisect_right

from plugseal.lang.facts import Context, FileFacts, Nested, unread
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.judging.paths import is_outside, is_secret
from plugseal.lang.prose.lines import decode_prose
from plugseal.lang.sql.acts import acts_of_sql
from plugseal.limits import MAX_SOURCE_BYTES, MIB
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span


class SqlReader:
    """The reader of SQL."""

    language = "SQL"

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > MAX_SOURCE_BYTES:
            return unread(self.language, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        text, reason = decode_prose(data)
        if reason:
            return unread(self.language, reason)
        starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
        facts: set[Fact] = set()
        nested: list[Nested] = []
        for act in acts_of_sql(text):
            line = bisect_right(starts, act.offset)
            span = Span(line, act.offset - starts[line - 1] + 1, line, act.offset - starts[line - 1] + 2)
            kind = "program" if act.kind == "line" else act.kind
            named = None if act.named is None else cut_object(kind, act.named)
            facts.add(Fact(span, act.capability, named, "direct", "code", "start"))
            if act.kind == "line" and act.named:
                nested.append(Nested("shell", act.named, span, (), "start", "SQL"))
            if act.kind == "path" and act.named is not None and is_outside(act.named):
                facts.add(Fact(span, "path.outside", named, "direct", "code", "start"))
            if act.capability == "fs.read" and act.named is not None and is_secret(act.named):
                facts.add(Fact(span, "credentials.read", named, "direct", "code", "start"))
        return FileFacts(self.language, "read", facts=tuple(sorted(facts, key=fact_order)), nested=tuple(nested))
