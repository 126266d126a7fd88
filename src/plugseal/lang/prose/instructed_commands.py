"""Commands that sentences tell to run: in code spans, bare where they can be nothing else, and in orders to agents.

Documentation tells nobody anything, but for a sentence that names whom it orders about: "an agent must first run …".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Nested
from plugseal.lang.prose.blocks import parse_blocks
from plugseal.lang.prose.fences import SHELL, programs_of, without_foreign_command, without_placeholders
from plugseal.lang.prose.sentences import Sentence, iterate_passages, iterate_sentences
from plugseal.lang.prose.wording import plain_words, without_invisible
from plugseal.model.capability import Fact
from plugseal.patterns import lazy

TOLD: Final = "told"
"""How a command in a sentence is run: by whoever obeys."""
_SPAN: Final = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]{1,2000}?)\1(?!`)")
_TELLS_TO_RUN: Final = re.compile(
    r"\b(?:run|execute|type(?![ -](?:hint|annot|check|safe|defin|param|alias|error|system|infer|stub|guard|strict))|"
    r"paste|enter|invoke|call|start|launch|install|use|do|then|with|via|by|command|commands|"
    r"first|add\b[^`\n]{0,60}\bcron(?:tab)?|"
    r"ejecuta|ex\u00e9cute[rz]?|f\u00fchre|esegui|execut[ae]|rode|uruchom|voer|jalankan|k\u00f6r|"
    r"\u0437\u0430\u043f\u0443\u0441\u0442\u0438\w*|\u0432\u044b\u043f\u043e\u043b\u043d\u0438\w*)\b"
    r"|\u8fd0\u884c|\u904b\u884c|\u6267\u884c|\u57f7\u884c|\u5b9f\u884c|\uc2e4\ud589"
)
_REMOVES: Final = re.compile(r"`(?:sudo[ ])?rm[ ]-")
_DELETES: Final = re.compile(
    r"\b(?:delete|remove|erase|wipe|elimina|borra|supprime[rz]?|efface[rz]?|l\u00f6sche|cancella|apag(?:a|ue)|"
    r"\u0443\u0434\u0430\u043b\u0438\w*)\b|\u5220\u9664|\u522a\u9664|\u524a\u9664|\uc0ad\uc81c"
)
"""Tells to delete, which a command beside it does."""
_OPTION: Final = re.compile(r"-{1,2}[A-Za-z]")
"""What begins as an option does: words for a program that is named elsewhere."""
_ARGUMENTS: Final = re.compile(r"(?:^|[ ])-{1,2}[A-Za-z]|[/$\"'|]|\w\.\w")
_BARE: Final = re.compile(
    r"\b(?:curl|wget|iwr|irm)[ ][^|`]{1,300}\|[ ]?(?:sudo[ ])?(?:ba|z|da)?(?:sh|iex|python3?)\b.{0,80}"
)
_SCRIPT: Final = lazy(
    r"\b(?:run|execute)[ :]+((?:sudo[ ])?(?:(?:ba|z|da|k)?sh|source|python[\d.]*|node|bun|deno|perl|ruby|php|"
    r"pwsh|powershell)[ ](?:-\w+[ ]){0,3}(?:(?:[\w.~$-]*/)+[\w.-]*\w|"
    r"[\w-]+\.(?:sh|bash|zsh|py|[cm]?[jt]s|pl|rb|php|ps1)))(?![\w/-])"
)
"""A file given to an interpreter, without marks around it."""
_COMMAND_SPAN: Final = re.compile(r"\(?[ ]?(?:[A-Z_]+=\S+[ ])*[a-z0-9_./~$-]+(?:\.exe)?(?:[ ].+)?\Z")
_OWN_SCRIPT: Final = re.compile(
    r"(?:\./|(?:[\w.@~$-]+/){1,12})[\w.-]*\.(?:sh|bash|zsh|py|[cm]?js|ts|pl|rb|php|ps1|bat|cmd|exe|bin|run)\Z|"
    r"\./(?:[\w.-]+/){0,12}[\w.-]*\w\Z"
)
_ORDERED: Final = re.compile(
    r"(?:^|[ \n(*_])(?:run|running|execute|executing|invoke|launch|start)[ ](?:the[ ])?"
    r"(?:(?:helper|setup|install|installer|bootstrap|bundled|provided|included)[ ])?(?:script[ ]|file[ ]|command[ ])?"
    r"(?:at[ ])?\Z",
    re.IGNORECASE,
)
"""What stands right before a file that is named alone and is to be run."""
_MADE_BY: Final = re.compile(
    r"\b(?:created|generated|produced|written|made|built|emitted|populated|rendered|printed|returned|logged|maintained)"
    r"[ ]by[ ](?:`[^`\n]{1,80}`(?:,|,? and|,? or)[ ])?\Z",
    re.IGNORECASE,
)
"""What stands right before a command that is only said to have made something."""
_PRINTED_FOR: Final = re.compile(
    r"\b(?:run|execute|source|start|launch|open|load|install|follow)[ ](?:the|a|an|any|every|each|all|whatever)\b"
    r"[ \w-]{0,40}\b(?:printed|returned|emitted|rendered|logged)[ ]by[ ]\Z",
    re.IGNORECASE,
)
"""What asks for something that a command prints, so that the command has to run first."""
_THEY_RUN: Final = re.compile(
    r"\b(?:machines?|people|developers?|customers?|pipelines?|laptops?|(?:end[ -])?users?)[ ](?:that|who|which)[ ]"
    r"(?:already[ ]|still[ ])?(?:run|execute|use|install[ ](?:it[ ])?(?:with|by))[ ]\Z"
    r"|\busers? (?:sees?|gets?|finds?)[ ](?:right[ ])?after[ ](?:running|they run)[ ]\Z",
    re.IGNORECASE,
)
"""What stands right before a command that others run, of whom a sentence speaks."""
_STATEMENT: Final = re.compile(
    r"import[ ](?:[^\n]{1,300}[ ]from[ ]?[\"']|[{*\"'])|from[ ][\w.]+[ ]import\b"
    r"|export[ ](?:(?:default|const|function|class|async|interface|enum)\b|[{*])|(?:const|var)[ ][\w{\[]"
)
"""What begins as a command does, `import` or `export`, and is a statement of another language."""

_ORDER: Final = lazy(
    r"\b(?:agents?|assistants?|(?:language )?models?|llms?|ais?|copilot|claude|chatgpt|codex|gemini|cursor)\b"
    r"[^.\n]{0,60}\b(?:must|shall|should|(?:has|have|needs?|(?:is|are) (?:required|expected|instructed)) to|"
    r"always|first)\b"
    r"[^.\n]{0,60}\b(?:run|execute|type|paste|invoke|install|fetch|download|start|use)\b",
    re.IGNORECASE,
)


def read_orders(text: str) -> tuple[list[Fact], list[Nested]]:
    """Return what a text that nobody has to obey orders agents to run, by name.

    Args:
        text: of the whole file.
    """
    facts: list[Fact] = []
    nested: list[Nested] = []
    if _ORDER.search(text) is None:
        return facts, nested
    for passage in iterate_passages(parse_blocks(text)):
        for sentence in iterate_sentences(passage):
            if _ORDER.search(sentence.told) is None:
                continue
            for line in told_lines(sentence):
                if is_command(line):
                    nested.append(told_text(line, sentence))
                    facts.extend(
                        Fact(sentence.span, "instr.exec", name, "direct", "prose", "prose")
                        for name in programs_of(line)
                    )
    return facts, nested


def told_text(line: str, sentence: Sentence) -> Nested:
    """Return a command that a sentence tells to run, as a text for a shell."""
    return Nested(SHELL, line, sentence.span, (), "prose", TOLD)


def told_lines(sentence: Sentence) -> Iterator[str]:
    """Yield the commands that a sentence tells to run: those in code spans, and downloads that stand in it bare."""
    if not sentence.told:
        return
    if not _TELLS_TO_RUN.search(sentence.told) and not _tells_to_delete(sentence):
        return
    if "`" not in sentence.raw:
        bare = _BARE.search(sentence.told)
        script = _SCRIPT.search(sentence.told) if bare is None else None
        if bare is not None:
            yield bare[0]
        elif script is not None:
            yield script[1]
        return
    for match in _SPAN.finditer(sentence.raw):
        shown = without_invisible(match[2].strip())
        line = without_foreign_command(without_placeholders(shown))
        is_command_line = (
            _COMMAND_SPAN.match(line)
            if " " in line
            else _OWN_SCRIPT.match(line) and _ORDERED.search(sentence.raw, max(0, match.start() - 80), match.start())
        )
        if is_command_line and plain_words(shown[:60]) in sentence.told and not _is_said_of(sentence, match, line):
            yield line


def _tells_to_delete(sentence: Sentence) -> bool:
    return _REMOVES.search(sentence.raw) is not None and _DELETES.search(sentence.told) is not None


def _is_said_of(sentence: Sentence, span: re.Match[str], line: str) -> bool:
    """Say whether a sentence tells what a command does elsewhere (`made by …`); never of one that fetches or pipes."""
    before = max(0, span.start() - 160), span.start()
    if _THEY_RUN.search(sentence.raw, *before) is not None:
        return True
    if "|" in line or "://" in line:
        return False
    return _MADE_BY.search(sentence.raw, *before) is not None and _PRINTED_FOR.search(sentence.raw, *before) is None


def is_command(line: str) -> bool:
    """Say whether a code span is a command line: a known program, or a word with options, paths or values behind it."""
    rest = line.partition(" ")[2]
    if _STATEMENT.match(line) or _OPTION.match(line):
        return False
    if not rest:
        return _OWN_SCRIPT.match(line) is not None
    line = line.lstrip("( ")
    if _REDIRECTED.match(rest):
        return True
    return SHELL_LINE.match(line) is not None or (_ARGUMENTS.search(rest) is not None and rest[0] not in "=:<>+*?&|")


def starts_program(line: str) -> bool:
    """Say whether a line of PowerShell or of a batch file begins with a cmdlet or with a program."""
    return SHELL_LINE.match(line) is not None or _CMDLET.match(line) is not None


_REDIRECTED: Final = re.compile(r">{1,2}[ ]?[~$./][\w.~${}-]*/[^\s]*\Z")
"""What a program prints goes into a file: no comparison names a folder."""
_CMDLET: Final = re.compile(r"(?:[A-Z][a-z]{2,15}-[A-Z][A-Za-z]{2,40}|iex|choco|winget|scoop|reg|schtasks)(?=[ ]|\Z)")
SHELL_LINE: Final = re.compile(
    r"\#|(?:\$ )?(?:sudo |env )?(?:curl|wget|bash|sh|zsh|python3?|node|npx|npm|pnpm|yarn|bun|bunx|uvx?|pipx?|pip3|"
    r"git|docker|go|cargo|brew|composer|php|deno|dotnet|poetry|mvn|gradle|ruby|perl|"
    r"apt(?:-get)?|chmod|chown|rm|cp|mv|mkdir|cat|tar|unzip|ssh|scp|nc|eval|source|make|gh|kubectl|terraform|aws|"
    r"gcloud|powershell|pwsh|iwr|irm)(?: |\Z)"
)
"""A line that begins with a program, whatever stands behind it."""
