"""Read a file of awk or of sed: what its program starts, reads, writes and connects to. Never raises, runs nothing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Final

from plugseal.lang.facts import Context, EntryPoint, FileFacts, Nested, unread
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.judging.paths import is_outside, is_secret
from plugseal.lang.programs.acts import Act
from plugseal.lang.programs.awk import placed_acts_of_awk
from plugseal.lang.programs.sed import placed_acts_of_sed
from plugseal.lang.prose.lines import decode_prose
from plugseal.limits import KIB
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span

_ACTS: Final[dict[str, Callable[[str], Iterator[tuple[int, Act]]]]] = {
    "awk": placed_acts_of_awk,
    "sed": placed_acts_of_sed,
}
_MAX_BYTES: Final = 64 * KIB
"""Of a program: what looks into one stops after some thousand commands, and a longer one would be read in part."""


class SmallProgramReader:
    """The reader of programs of which a few words tell all that leaves the text they work on."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > _MAX_BYTES:
            return unread(self.language, f"larger than {_MAX_BYTES // KIB} KiB")
        text, reason = decode_prose(data)
        if reason:
            return unread(self.language, reason)
        starts = [0, *(at + 1 for at, character in enumerate(text) if character == "\n")]
        facts: set[Fact] = set()
        nested: list[Nested] = []
        for offset, act in _ACTS[self.language](text):
            line = bisect_right(starts, offset)
            span = Span(line, offset - starts[line - 1] + 1, line, offset - starts[line - 1] + 2)
            facts.update(_facts(act, span))
            if act.kind == "line" and act.named:
                nested.append(Nested("shell", act.named, span, (), "start", self.language))
        return FileFacts(
            self.language,
            "read",
            facts=tuple(sorted(facts, key=fact_order)),
            entries=(EntryPoint("<module>", "start", 1),),
            nested=tuple(nested),
        )


def _facts(act: Act, span: Span) -> Iterator[Fact]:
    """Yield what an act means, and where it leaves the tree or reads a secret."""
    is_text = act.kind in ("path", "line")
    named = cut_object("program" if act.kind == "line" else act.kind, act.named) if act.named is not None else None
    resolution = "direct" if act.is_sure else "possible"
    yield Fact(span, act.capability, named, resolution, "code", "start")
    if not is_text or act.kind != "path" or act.named is None:
        return
    if is_outside(act.named):
        yield Fact(span, "path.outside", named, resolution, "code", "start")
    if act.capability == "fs.read" and is_secret(act.named):
        yield Fact(span, "credentials.read", named, resolution, "code", "start")
