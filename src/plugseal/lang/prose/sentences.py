"""Walk through the blocks of a text that a model obeys, and yield what each sentence tells to do or forbids.

Context counts: below a heading like "Anti-patterns" or "Red flags", in the list that a forbidding line leads, and in a
fence that is marked as a bad example, nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.prose.blocks import CODE, COMMENT, FENCE, FRONT, HEADING, ITEM, PARAGRAPH, ROW, Block
from plugseal.lang.prose.headings import is_silent_heading
from plugseal.lang.prose.standing import judge_sentence
from plugseal.lang.prose.wording import plain_words
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

MAX_SENTENCE_CHARACTERS: Final = 1_500
"""What is longer is judged in pieces, so that no pattern has much to search at once."""
_SENTENCE_END: Final = lazy(
    r"[.!?\u3002\uff01\uff1f]{1,8}[\"'`)\]*_\u201d\u2019\u300d]{0,8}(?=[ \t\n]|$)|[\u3002\uff01\uff1f]|"
    r"\n(?=[ \t]*(?:[-*+>]|\d+[.)])[ \t])|<br[ /]*>"
)
_DESCRIBED: Final = lazy(r"^[ \t]*(?:description|prompt|instructions?|when_to_use)[ \t]*:", re.MULTILINE)
_KEY: Final = lazy(r"\n(?=[A-Za-z_][\w.-]{0,40}[ \t]*:)")
"""Where the next key of front matter begins."""
_QUOTED_VALUE: Final = lazy(r"^([ \t]*[A-Za-z_][\w.-]{0,40}[ \t]*:[ \t]*)([\"'])(.*)\2[ \t]*$", re.MULTILINE)
"""A value in quotation marks of YAML, which are no quotation."""
_TITLE: Final = lazy(
    r"(\](?:\([^()\s]{0,400}|:[ \t]{0,8}\S{1,400})[ \t]{1,8})[\"']([^\"'\n]{1,600})[\"']", needs=("]",)
)
"""The title of a link, in marks that are no quotation: no page shows it, a model reads it."""
_CODE_SPAN: Final = lazy(r"(?<!`)(`{1,3})(?!`)[^`\n]{1,2000}\1(?!`)")
"""A command in the middle of a sentence: a dot in it ends nothing."""
_CELL_END: Final = lazy(r"(?<!\\)\|")
_SILENT_TITLE: Final = lazy(
    r"(?:[a-z0-9' -]{0,40}\b)?(?:anti-?patterns?|red flags?|what not to do|change ?log|licen[sc]e|hall of shame|"
    r"(?:dangerous|malicious|vulnerable|insecure|unsafe) (?:code )?patterns)"
    r"(?: (?:reference|list|guide|catalogu?e?|examples))?"
)
"""All that a text's title is, where nothing in it is told: a word among others would silence the whole text."""
_FORBIDDING_LEAD: Final = lazy(
    r"\b(?:never|do not|don't|must not|mustn't|should not|shouldn't|cannot|can't|avoid|forbidden|prohibited|refuse|"
    r"reject|block|deny|"
    r"red flags?|bad|wrong|incorrect|anti-?patterns?|instead of|look for|watch for|detect\w*|flag|check for|"
    r"scan for|suspicious|malicious|"
    r"dangerous|unsafe|attack\w*|injection|vulnerab\w*|examples? of|such as|disallowed|out of scope|intercept\w*)\b"
    r"|拦截|攔截|阻止|禁止|屏蔽|切勿|不要|不得|严禁|嚴禁|危险|危險|遮断|ブロック|차단|금지"
)
_ABOUT_TELLING: Final = lazy(
    r"\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|need not|needn't|avoid|no need to)\s+"
    r"(?:ever\s+)?(?:tell|inform|mention|show|ask|warn|alert|notif|reveal|disclos|report|wait|stop|worr|skip|forget|"
    r"hesitat|explain|say|display|interrupt|bother|let)\w*"
)
"""Forbids to speak, to ask or to wait, and not what stands beside it."""
_SPEAKER: Final = lazy(
    r"[\"'\u201c\u2018\u00ab\u201e\u300c]|\[(?![!]|[^\]\n]{1,200}\]\()|"
    r"(?:for example|example|e\.g\.|user|human|assistant|system|agent|model|input|output|prompt|attacker|q|a)"
    r"\b[^:\n]{0,24}:",
    re.IGNORECASE,
)
"""How somebody else's words begin: a quotation mark, a stage direction, who speaks."""
_SPOKEN_OF: Final = lazy(
    r"\b(?:such as|examples?|e\.g|phrases?|says?|said|saying|writes?|wrote|writing|reads?|quot\w*|"
    r"messages? (?:like|from)|prompts?|attack\w*|inject\w*|malicious|jailbreak\w*|suspicious|"
    r"user (?:asks|says|input)|respond|reply|answer|output)\b"
)
"""What is said before somebody else's words."""
_TO_BE_DONE: Final = lazy(
    r"\b(?:run|execute|type|paste|enter|install|do (?:this|the following)|start|set ?up|first|next|then|note|important|"
    r"required|prerequisites?|steps?|setup|installation|usage)\b"
)
_LISTING_HEAD: Final = lazy(
    r"\b(?:patterns?|threats?|attacks?|attack vectors?|severity|risks?|indicators?|signatures?|detects?|detection|"
    r"detected|vulnerabilit\w*|exploits?|injections?|payloads?|red flags?|anti-?patterns?|smells?|bad|wrong|malicious|"
    r"excuses?|rationali[sz]ations?|blocked|denied|forbidden|don'?ts?|do not|never|avoid)\b"
    "|[\u274c\u2717\u26d4\U0001f6ab]"
)
"""What stands above the columns of a table that lists what to look for, and what not to do."""
_RATINGS: Final = frozenset(("severity", "risk", "risks"))
"""Heads of columns that rate what stands beside them: threats as well as steps."""
_STEP_HEAD: Final = lazy(
    r"(?:#|no\.?|steps?|do|to do|what to do|instructions?|tasks?|actions?|procedures?|stages?|phases?)"
)
"""Heads of columns that tell what to do."""
_LEADING: Final = frozenset((PARAGRAPH, ITEM, HEADING))
_BAD_EXAMPLE: Final = lazy(
    r"\b(?:bad|wrong|incorrect|never|don'?t|do not|avoid|vulnerable|insecure|unsafe|malicious|dangerous|"
    r"anti-?pattern|not recommended|"
    r"attack\w*|exploit\w*|rejected|must not|should not|payload|injection)\b"
    "|[\u274c\u2717\u26d4\U0001f6ab]"
)


class Sentence(NamedTuple):
    """One sentence."""

    told: str
    forbidden: str
    raw: str
    """As written: for its code spans."""
    span: Span
    is_comment: bool


class Passage(NamedTuple):
    """One block with what its place says of it."""

    block: Block
    is_silent: bool
    """Whether it stands where nothing is told."""


def iterate_passages(blocks: list[Block]) -> Iterator[Passage]:
    """Yield the blocks with their standing."""
    silent_level, has_title = 0, False
    lead, before = "", ""
    outside = ""
    is_quoted = is_spoken = False
    listed = _listed_rows(blocks)
    for number, block in enumerate(blocks):
        if not block.is_quoted:
            outside, is_spoken = block.stretch.text if block.kind in _LEADING else "", False
        elif not is_quoted:
            is_spoken = _is_spoken_by_another(outside, block.stretch.text)
        is_quoted = block.is_quoted
        if block.kind == HEADING:
            level = int(block.info)
            if silent_level and level <= silent_level:
                silent_level = 0
            words = plain_words(block.stretch.text)
            is_title, has_title = level == 1 and not has_title, True
            is_silencing = bool(_SILENT_TITLE.fullmatch(words.strip())) if is_title else is_silent_heading(words)
            if not silent_level and is_silencing:
                silent_level = level
            lead = before = ""
            yield Passage(block, is_silent=True)
            continue
        if block.kind in (PARAGRAPH, ITEM):
            before = block.stretch.text
            if block.kind == PARAGRAPH:
                lead = _lead(before)
        is_silent = bool(silent_level) or is_spoken
        if block.kind in (ITEM, FENCE, CODE, ROW):
            is_silent = is_silent or bool(lead) or number in listed
        if block.kind in (FENCE, CODE):
            is_silent = is_silent or (bool(before) and _calls_bad(before))
            before = ""
        yield Passage(block, is_silent)


def _listed_rows(blocks: list[Block]) -> set[int]:
    """Return the numbers of the rows whose table's head says that they are what to look for or not to do."""
    found: set[int] = set()
    is_table = is_listing = False
    for number, block in enumerate(blocks):
        if block.kind == ROW and not is_table:
            is_listing = _is_listing_head(plain_words(block.stretch.text))
        is_table = block.kind == ROW
        if is_table and is_listing:
            found.add(number)
    return found


def _is_listing_head(words: str) -> bool:
    """Say whether a table's head says that its rows are what to look for, and does not only rate what is to be done."""
    found = set(_LISTING_HEAD.findall(words))
    is_rated = found <= _RATINGS and any(_STEP_HEAD.fullmatch(cell.strip()) for cell in words.split("|"))
    return bool(found) and not is_rated


def _is_spoken_by_another(before: str, quoted: str) -> bool:
    """Say whether a quotation holds somebody else's words: what leads to it, or how it begins, says so.

    A quotation that stands by itself is how authors mark a note, and a model obeys notes like all else.
    """
    if _SPEAKER.match(quoted.lstrip(" \t*_")):
        return True
    last = plain_words(before[-600:])[-200:]
    leads = before.rstrip(" \t\n*_`").endswith((":", "\uff1a"))
    return (leads and _TO_BE_DONE.search(last) is None) or _SPOKEN_OF.search(last) is not None


def _lead(text: str) -> str:
    """Return the last sentence of a paragraph if it leads what follows and forbids it."""
    if not text.rstrip(" \t\n*_`").endswith((":", "\uff1a")):
        return ""
    last = _ABOUT_TELLING.sub("", re.split(r"[.!?] ", plain_words(text[-600:]))[-1])
    stop = max(last.rfind(mark) for mark in ".!?")
    return last if _FORBIDDING_LEAD.search(last, stop + 1) else ""


def _calls_bad(text: str) -> bool:
    """Say whether the text right before some code calls it a bad example: a short one, or one that leads to it."""
    words = _ABOUT_TELLING.sub("", plain_words(text[-600:]))
    return (words.endswith(":") or len(words) < 100) and _BAD_EXAMPLE.search(words[-160:]) is not None


def iterate_sentences(passage: Passage) -> Iterator[Sentence]:
    """Yield the sentences of a passage that says something."""
    block = passage.block
    if passage.is_silent or block.kind in (FENCE, CODE, HEADING):
        return
    if block.kind == FRONT and not _DESCRIBED.search(block.stretch.text):
        return
    stretch = block.stretch
    if block.kind == ROW and _BAD_EXAMPLE.search(_ABOUT_TELLING.sub("", plain_words(stretch.text))):
        return
    text = stretch.text if block.kind != FRONT else _QUOTED_VALUE.sub(_without_marks, stretch.text)
    if "](" in text or "]:" in text:
        text = _TITLE.sub(lambda match: f"{match[1]} {match[2]} ", text)
    for start, stop in _parts(text, _ends(block)):
        sentence = read_sentence(text[start:stop], stretch.span(start, stop), is_comment=block.kind == COMMENT)
        if sentence is not None:
            yield sentence


def read_sentence(raw: str, span: Span, *, is_comment: bool = False) -> Sentence | None:
    """Return what one sentence says, None where it tells and forbids nothing."""
    words = plain_words(raw)
    if len(words) < 5:
        return None
    told = judge_sentence(words)
    if not told.told and not told.forbidden:
        return None
    return Sentence(told.told, told.forbidden, raw, span, is_comment)


def _without_marks(match: re.Match[str]) -> str:
    """Return a key and its value with blanks in the place of the marks around it."""
    return f"{match[1]} {match[3]} ".ljust(len(match[0]))


def _ends(block: Block) -> Iterator[int]:
    """Yield where the sentences of a block end: not within a command, and in front matter at each key as well."""
    text = block.stretch.text
    if block.kind == ROW:
        yield from (match.end() for match in _CELL_END.finditer(text))
        return
    spans = [match.span() for match in _CODE_SPAN.finditer(text)] if "`" in text else []
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    if block.kind == FRONT:
        ends = sorted({*ends, *(match.end() for match in _KEY.finditer(text))})
    at = 0
    for end in ends:
        while at < len(spans) and spans[at][1] < end:
            at += 1
        if at == len(spans) or not spans[at][0] < end < spans[at][1]:
            yield end


def _parts(text: str, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text between ends, without the blanks around them."""
    at = 0
    for end in ends:
        yield from _trimmed(text, at, end)
        at = end
    yield from _trimmed(text, at, len(text))


def _trimmed(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Yield a part without its blanks; one that is longer than any sentence in pieces."""
    for at in range(start, stop, MAX_SENTENCE_CHARACTERS):
        part = text[at : min(stop, at + MAX_SENTENCE_CHARACTERS)]
        left, right = len(part) - len(part.lstrip()), len(part.rstrip())
        if left < right:
            yield at + left, at + right
