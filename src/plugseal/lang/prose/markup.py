"""HTML, SVG, XML and the components of Vue, Svelte and Astro: what a browser or a build would run of them.

A scanner of tags, not a parser: it never builds a tree, so that no page is too deep, and it finds a script wherever a
browser might. Scripts, handlers of events and `javascript:` addresses are read by the readers of their languages; a
script from elsewhere is fetched code. Comments and elements that are not shown are kept for the rules of prose.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Anchor, Context, Event, FileFacts, Nested, unread
from plugseal.lang.prose.events import events_of_text
from plugseal.lang.prose.lines import decode_prose
from plugseal.lang.prose.xml_runs import iterate_runs
from plugseal.lang.textkinds import READABLE
from plugseal.limits import MAX_SOURCE_BYTES
from plugseal.model.capability import Fact, fact_order
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_NAME: Final = lazy(r"<(?P<name>[A-Za-z][\w:.-]{0,60})")
_TAG_MARK: Final = lazy("[\"'>]")
_QUOTED: Final = lazy("\"[^\"]*\"|'[^']*'")
_HIDDEN_WORD: Final = lazy(r"(?:^|\s)hidden(?:\s|=|$)", re.IGNORECASE)
_ATTRIBUTE: Final = lazy(
    r"(?P<name>[\w:@.#-]{1,80})\s*=\s*(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|"
    r"(?P<bare>[^\s\"'<>`]+))"
)
_COMMENT: Final = lazy(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_RAW: Final = lazy(r"</script\s*>", re.IGNORECASE)
_CODE_TYPES: Final = frozenset(
    "module text/javascript application/javascript text/ecmascript application/ecmascript application/x-javascript"
    " text/jsx text/babel text/typescript".split()
)
_URL_ATTRIBUTES: Final = frozenset("href src xlink:href action formaction data poster to".split())
_FETCHES: Final = {
    "script": "src",
    "link": "href",
    "iframe": "src",
    "object": "data",
    "embed": "src",
    "image": "href",
    "img": "src",
    "use": "href",
}
_REMOTE: Final = lazy(r"(?:https?:)?//(?P<host>[^/?#\s:\"']{1,253})", re.IGNORECASE)
HIDING_STYLE: Final = lazy(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|em|pt|%)?\s*(?:;|$)|"
    r"opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|"
    r"(?<![-\w])color\s*:\s*(?:white|#fff(?:fff)?|transparent|rgba?\(\s*255\s*,\s*255\s*,\s*255[^)]{0,40}\))|"
    r"text-indent\s*:\s*-\d{3}|left\s*:\s*-\d{4}",
    re.IGNORECASE,
)
_RUNS_PROGRAMS: Final = {
    "exec": "process.exec",
    "usingtask": "code.native",
    "java": "process.exec",
}
"""Elements of build files (Ant, MSBuild) that start something."""
_ENTITY: Final = lazy(
    r"<!ENTITY\s+(?:%\s+)?[\w.-]+\s+(?:SYSTEM|"
    r"PUBLIC\s+[\"'][^\"']*[\"'])\s+[\"'](?P<address>[^\"']{1,2000})",
    re.IGNORECASE,
)
_EXTERNAL: Final = lazy(
    r"<Relationship\s[^<>]{0,400}/(?:attachedTemplate|oleObject|frame|"
    r"subDocument)\"[^<>]{0,400}Target=\"(?P<target>[^\"<>]{1,2000})\""
    r"[^<>]{0,400}TargetMode=\"External\""
)
_DDE: Final = lazy(r"<ddeLink[\s>]|>\s*DDE(?:AUTO)?\s")
_KEY: Final = lazy(r"<key>\s*(?P<name>ProgramArguments|Program|RunAtLoad|KeepAlive|StartInterval)\s*</key>")
_FRONT: Final = lazy(r"\A---[ \t]*\n(.*?)^---[ \t]*$", re.DOTALL | re.MULTILINE)
_COMPONENTS: Final = (".vue", ".svelte", ".astro")
_INNER_TAG: Final = lazy(r"<[^<>]{0,2000}>")
_MAX_NESTED: Final = 2_000
_MAX_HIDDEN: Final = 200
"""Elements of one page that are not shown and are looked into."""
_MAX_HIDDEN_CHARACTERS: Final = 20_000


class _Tag(NamedTuple):
    """One opening tag and where it stands in the text."""

    name: str
    start: int
    inside: int
    """Where its attributes begin."""
    end: int
    text: str

    @property
    def attributes(self) -> str:
        return self.text[self.inside : self.end - 1]


class MarkupReader:
    """The reader of markup."""

    def __init__(self, language: str) -> None:
        self.language = language

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        if len(data) > MAX_SOURCE_BYTES:
            return unread(self.language, f"larger than {MAX_SOURCE_BYTES:,} bytes")
        text, reason = decode_prose(data)
        if reason:
            return unread(self.language, f"{self.language}: {reason}")
        page = _Page(text, context.path.lower(), is_xml=self.language == "XML")
        page.look()
        missing = sorted({nested.language for nested in page.nested} - READABLE)
        status = (
            ("partial", f"holds {missing[0]} inside, for which there is no reader yet") if missing else ("read", "")
        )
        return FileFacts(
            self.language,
            *status,
            facts=tuple(sorted(set(page.facts), key=fact_order)),
            events=tuple(sorted(page.events, key=lambda event: event.span)),
            nested=tuple(nested for nested in page.nested if nested.language in READABLE)[:_MAX_NESTED],
        )


class _Page:
    """One text on its way to facts."""

    def __init__(self, text: str, path: str, *, is_xml: bool) -> None:
        self._text = text
        self._is_component = path.endswith(_COMPONENTS)
        self._is_xml = is_xml
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._hidden = 0
        self._has_quotes = True
        self.facts: list[Fact] = []
        self.events: list[Event] = []
        self.nested: list[Nested] = []

    def look(self) -> None:
        """Go through the text once."""
        text, at = self._text, 0
        if self._is_component and (front := _FRONT.match(text)) is not None:
            self._nest("typescript", front.start(1), front[1], "front matter", "start")
            at = front.end()
        while (start := text.find("<", at)) >= 0:
            if text.startswith("<!--", start):
                at = self._comment(start)
                continue
            name = _NAME.match(text, start)
            if name is None:
                at = start + 1
                continue
            stop = self._end_of_tag(name.end())
            if stop < 0:
                break
            at = self._tag(_Tag(name["name"], start, name.end(), stop, text))
        if self._is_xml:
            self._look_for_entities()
            self._look_for_office()

    def _end_of_tag(self, at: int) -> int:
        """Return where a tag ends whose attributes begin at `at`, -1 where no tag ends any more.

        Quoted `>` are no ends. Once quotes lead to the end of the text they are no longer looked at: what follows is
        no page, and looking again for each tag would never end.
        """
        text, start = self._text, at
        while self._has_quotes and (mark := _TAG_MARK.search(text, at)) is not None:
            if mark[0] == ">":
                return mark.end()
            close = text.find(mark[0], mark.end())
            if close < 0:
                break
            at = close + 1
        self._has_quotes = False
        return text.find(">", start) + 1 or -1

    def _comment(self, start: int) -> int:
        match = _COMMENT.match(self._text, start)
        if match is None:
            return start + 4
        self._hide(match[1], match.start(1), match.end(1))
        return match.end()

    def _tag(self, tag: _Tag) -> int:
        """Take one tag; return where to go on, which for a script is behind its end."""
        name = tag.name.lower().rpartition(":")[2]
        attributes = dict(self._attributes(tag))
        if self._is_xml and _RUNS_PROGRAMS.get(name):
            self._add(
                tag.start, tag.end, _RUNS_PROGRAMS[name], attributes.get("executable") or attributes.get("command")
            )
        self._look_at_addresses(tag, name, attributes)
        if name == "script":
            return self._script(tag, attributes)
        style = attributes.get("style", "")
        is_hidden = HIDING_STYLE.search(style) or _HIDDEN_WORD.search(_QUOTED.sub("", tag.attributes))
        if is_hidden and self._hidden < _MAX_HIDDEN:
            self._hidden += 1
            end = self._text.find(f"</{tag.name}", tag.end, tag.end + _MAX_HIDDEN_CHARACTERS)
            if end > 0:
                self._hide(_INNER_TAG.sub(" ", self._text[tag.end : end]), tag.end, end)
        return tag.end

    def _attributes(self, tag: _Tag) -> Iterator[tuple[str, str]]:
        """Yield the attributes with their values, and nest the code of those that hold some."""
        start = tag.inside
        for match in _ATTRIBUTE.finditer(tag.attributes):
            group = next(group for group in ("double", "single", "bare") if match[group] is not None)
            name, value = match["name"].lower(), match[group]
            place = start + match.start(group)
            if name.startswith("on") and len(name) > 2 and not self._is_component:
                self._nest("javascript", place, value, name, "open")
            elif name in _URL_ATTRIBUTES and _scheme(value) == "javascript":
                self._nest("javascript", place, html.unescape(value).partition(":")[2], f"{name} address", "open")
            elif name == "srcdoc":
                self._nest("HTML", place, html.unescape(value), "srcdoc", "open")
            yield name, value

    def _look_at_addresses(self, tag: _Tag, name: str, attributes: dict[str, str]) -> None:
        address = (
            attributes.get(_FETCHES.get(name, ""), "") or attributes.get("xlink:href", "") if name in _FETCHES else ""
        )
        remote = _REMOTE.match(address)
        if remote is not None:
            host = remote["host"].rpartition("@")[2].lower()
            self._add(tag.start, tag.end, "net.outbound", host)
            if name == "script":
                self._add(tag.start, tag.end, "code.fetched", address)
        elif name == "script" and _scheme(address) == "data":
            self._add(tag.start, tag.end, "code.obfuscated", None)

    def _script(self, tag: _Tag, attributes: dict[str, str]) -> int:
        if tag.attributes.rstrip().endswith("/"):
            return tag.end
        end = _RAW.search(self._text, tag.end)
        stop = end.start() if end is not None else len(self._text)
        kind = attributes.get("type", "").strip().lower()
        if not kind or kind in _CODE_TYPES:
            language = "typescript" if attributes.get("lang") in ("ts", "tsx") or "typescript" in kind else "javascript"
            body = self._text[tag.end : stop]
            if body.strip():
                self._nest(language, tag.end, body, "script", "open")
        return end.end() if end is not None else len(self._text)

    def _look_for_entities(self) -> None:
        for match in _ENTITY.finditer(self._text):
            remote = _REMOTE.match(match["address"])
            capability = "net.outbound" if remote else "path.outside"
            self._add(
                match.start(), match.end(), capability, remote["host"] if remote else match["address"], "possible"
            )
        for run in iterate_runs(self._text):
            span = self._span(run.start, run.end)
            self.nested.append(Nested("shell", run.line, span, (), "install", run.how))
        for match in _KEY.finditer(self._text):
            capability = "process.exec" if match["name"].startswith("Program") else "persistence"
            self._add(match.start(), match.end(), capability, None, "possible")

    def _look_for_office(self) -> None:
        """Look for what an office application would fetch or run: templates and objects from elsewhere, DDE fields."""
        for match in _EXTERNAL.finditer(self._text):
            remote = _REMOTE.match(match["target"])
            self._add(match.start(), match.end(), "code.fetched", remote["host"] if remote else match["target"])
        for match in _DDE.finditer(self._text):
            self._add(match.start(), match.end(), "process.exec", None, "possible")

    def _hide(self, text: str, start: int, end: int) -> None:
        span = self._span(start, end)
        for event in events_of_text(text[:65_536], is_hidden=True):
            if event.kind == "comment":
                self.events.append(event._replace(span=span))

    def _nest(self, language: str, start: int, text: str, how: str, trigger: str) -> None:
        if not text.strip():
            return
        offset, anchors = 0, []
        if self._text.startswith(text, start):
            for line in text.split("\n"):
                anchors.append(Anchor(offset, *self._place(start + offset)))
                offset += len(line) + 1
        self.nested.append(Nested(language, text, self._span(start, start + len(text)), tuple(anchors), trigger, how))

    def _add(self, start: int, end: int, capability: str, name: str | None, resolution: str = "direct") -> None:
        self.facts.append(Fact(self._span(start, end), capability, name, resolution, "code", "open"))

    def _span(self, start: int, end: int) -> Span:
        return Span(*self._place(start), *self._place(min(end, len(self._text))))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


def _scheme(address: str) -> str:
    """Return the scheme of an address as a browser sees it: blanks, controls and references aside."""
    plain = re.sub(r"[\x00-\x20]+", "", html.unescape(address[:2000]))
    return plain.partition(":")[0].lower() if ":" in plain else ""
