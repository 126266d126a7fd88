"""Read one shell script: bytes in, facts out. Never raises, never runs anything, never looks at another file."""

from __future__ import annotations

import posixpath
from typing import Final

from plugseal.lang.facts import PARTIAL_STATUS, Context, EntryPoint, FileFacts, unread
from plugseal.lang.shell.judging.judge import Judge
from plugseal.lang.shell.judging.outcomes import exports_of
from plugseal.lang.shell.judging.report import Report
from plugseal.lang.shell.judging.surround import judge_surroundings
from plugseal.lang.shell.parsing.case_patterns import parse_patterns
from plugseal.lang.shell.parsing.decode import decode_script
from plugseal.lang.shell.parsing.joined import collect_apart
from plugseal.lang.shell.parsing.parse import parse_shell
from plugseal.lang.shell.parsing.script import Script
from plugseal.lang.shell.parsing.source import Source
from plugseal.lang.shell.words.words import Folder
from plugseal.limits import MAX_SOURCE_BYTES, MIB
from plugseal.patterns import lazy

_COPROC: Final = lazy(rb"\bcoproc[ \t]+(?:[A-Za-z_]\w{0,63}[ \t]+)?(?=[({])")
_CLOSED: Final = lazy(rb"\)([ \t]{0,8})[ \t](?=\})")
"""A group that ends behind a shell of its own without a `;`, of which the grammar knows nothing: `{ (cd a) }`."""
LANGUAGE: Final = "shell"


class ShellReader:
    """The reader of shell scripts."""

    language = LANGUAGE

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        return read_shell(data, context)


def read_shell(data: bytes, context: Context) -> FileFacts:
    """Return the facts of one script."""
    if len(data) > MAX_SOURCE_BYTES:
        return unread(LANGUAGE, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
    text, reason = decode_script(data)
    if text is None:
        return unread(LANGUAGE, reason)
    # The grammar has no `<>`; what stands there is told by the text, so to it another sign does as well.
    plain = text.replace(b"<>", b"> ")
    if b"coproc" in plain:  # Nor has it `coproc NAME { … }`.
        plain = _COPROC.sub(lambda found: b" " * len(found[0]), plain)
    tree = parse_shell(plain)
    if tree is None:
        return unread(LANGUAGE, "takes too much work to parse")
    if tree.root_node.has_error:
        tree = parse_patterns(plain, tree)
    if tree.root_node.has_error:
        closed = _CLOSED.sub(rb")\1;", plain)
        again = parse_shell(closed) if closed != plain else None
        if again is not None and not again.root_node.has_error:
            plain, tree = closed, again
    source = Source(text)
    script, is_apart = collect_apart(plain, tree, source)
    report = Report(context.path)
    folder = Folder(script, posixpath.basename(context.path))
    judge = Judge(script, folder, report)
    judge.run()
    judge_surroundings(judge)
    running = judge.running()
    facts = report.facts(running)
    reason = reason or _reason(script, folder, context.path) or ("" if is_apart else "lines are not told apart")
    return FileFacts(
        LANGUAGE,
        PARTIAL_STATUS if reason else "read",
        reason,
        facts,
        report.event_list(running),
        exports=exports_of(script.functions, (fact.object for fact in facts if fact.capability == "code.import")),
        entries=(EntryPoint("<module>", "start", 1),),
        nested=report.nested_list(running),
    )


def _reason(script: Script, folder: Folder, path: str) -> str:
    """Say why some facts may be missing, empty where none are."""
    if path.endswith(".fish") or script.source.data[:64].split(b"\n")[0].endswith(b"fish"):
        return "fish: read as far as it is like other shells"
    if script.is_cut:
        return "larger than is read"
    if script.root.has_error:
        # A here-string behind another redirection is an error to the grammar alone.
        lines = [node.start_point[0] + 1 for node in script.errors if script.source.of(node).strip() != "<<"]
        if lines or not script.errors:
            return "holds syntax that is not understood" + (f" (line {min(lines)})" if lines else "")
    return "needs more steps than a file is given" if folder.fuel < 0 else ""
