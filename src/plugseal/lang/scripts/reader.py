"""Read one script of Ruby, Perl, PHP or Lua: bytes in, facts out. Never raises, never runs anything."""

from __future__ import annotations

import codecs

from plugseal.lang.facts import PARTIAL_STATUS, Context, EntryPoint, FileFacts, unread
from plugseal.lang.scripts.engine import Engine
from plugseal.lang.scripts.parse import parse_script
from plugseal.lang.shell.parsing.source import Source
from plugseal.limits import MAX_SOURCE_BYTES, MIB


class OtherScriptReader:
    """The reader of one of these languages."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        language = self.language
        if len(data) > MAX_SOURCE_BYTES:
            return unread(language, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        data = data.removeprefix(codecs.BOM_UTF8)
        if b"\0" in data[:65_536]:
            return unread(language, "holds NUL bytes")
        tree = parse_script(language, data)
        if tree is None:
            return unread(language, "takes too much work to parse")
        engine = Engine(language.removesuffix(" code"), Source(data), context.path)
        engine.run(tree.root_node)
        reason = ""
        if engine.errors:
            reason = f"holds syntax that is not understood (line {min(engine.errors)})"
        elif engine.is_cut:
            reason = "larger than is read"
        running = {""}
        facts = (fact._replace(channel="code") for fact in engine.report.facts(running))
        return FileFacts(
            language,
            PARTIAL_STATUS if reason else "read",
            reason,
            tuple(facts),
            engine.report.event_list(running),
            entries=(EntryPoint("<module>", "start", 1),),
            nested=engine.report.nested_list(running),
        )
