"""What a page of Markdown does not show beside comments: elements styled away, titles of links, texts of pictures.

A model that reads the source sees all of it. Elements count in every text; titles and texts of pictures only where they
speak to a model, since most name what a picture shows, and in instructions they are sentences like all else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.prose.blocks import CODE, COMMENT, FENCE, FRONT, Block
from plugseal.lang.prose.lines import Piece, Stretch
from plugseal.lang.prose.markup import HIDING_STYLE
from plugseal.patterns import lazy

_CLOSED: Final = frozenset((FENCE, CODE, FRONT, COMMENT))
"""Kinds of blocks in which a page shows everything, or nothing."""
_ELEMENT: Final = lazy(
    r"<(?P<name>span|div|p|font|small|sub|sup|i|b|a|td|li|em|strong|section)\b(?P<attributes>[^<>]{1,600})>"
    r"(?P<text>[^<]{4,2000})</(?P=name)[ \t]*>",
    needs=("</",),
)
_STYLE: Final = lazy(r"""style[ \t]*=[ \t]*(?:"([^"]{1,600})"|'([^']{1,600})')""")
_ATTRIBUTE: Final = lazy(r"""(?:^|[ \t])hidden(?:[ \t=]|$)|color[ \t]*=[ \t]*["']?(?:white|#fff(?:fff)?)\b""")
_TINY: Final = lazy(r"font-size[ \t]*:[ \t]*(?:0?\.\d{1,3}|[01](?:\.\d{1,3})?)(?:px|pt|em|rem|%)?[ \t]*(?:;|$)")
_ASIDE: Final = lazy(
    r"(?P<picture>!\[(?P<text>[^\]\n]{30,1000})\])"
    r"|\][ \t]{0,4}(?:\([^()\s]{0,400}|:[ \t]{0,8}\S{1,400})[ \t]{1,8}"
    r"(?:\"(?P<double>[^\"\n]{30,1000})\"|'(?P<single>[^'\n]{30,1000})')",
    needs=("]", "!["),
)
_SPEAKS_TO_MODELS: Final = lazy(
    r"(?i)\b(?:ignore|disregard|forget)\b.{0,30}\b(?:instructions?|rules|prompts?|guidelines)\b"
    r"|\byou are an? (?:ai|llm|language model|assistant|agent)\b"
    r"|\b(?:ai|llm|coding|autonomous) (?:agents?|assistants?|models?)\b|\blanguage models?\b"
    r"|\b(?:note|message|instructions?|attention)\b.{0,12}\b(?:ai|llms?|assistants?|agents?|claude|copilot|chatgpt|gemini)\b"
    r"|\b(?:do not|don't|never|without) tell(?:ing)? (?:the )?user\b"
)


def speaks_aside(text: str) -> bool:
    """Say whether a text may hold anything of the kind, at a glance."""
    return ("</" in text and ("style" in text or "hidden" in text or "color" in text)) or (
        ("](" in text or "]:" in text or "![" in text) and _SPEAKS_TO_MODELS.search(text) is not None
    )


def iterate_hidden_elements(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield what elements hold that no page shows, as comments."""
    for block in blocks:
        if block.kind in _CLOSED or "</" not in block.stretch.text:
            continue
        for match in _ELEMENT.finditer(block.stretch.text):
            if _hides(match["attributes"]):
                yield _comment(block, *match.span("text"))


def iterate_asides(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the titles of links and the texts of pictures that speak to a model, as comments."""
    for block in blocks:
        if block.kind in _CLOSED:
            continue
        for match in _ASIDE.finditer(block.stretch.text):
            group = "text" if match["picture"] else "double" if match["double"] else "single"
            if _SPEAKS_TO_MODELS.search(match[group]):
                yield _comment(block, *match.span(group))


def _hides(attributes: str) -> bool:
    """Say whether the attributes of an element keep its text from being seen."""
    attributes = attributes.lower()
    found = _STYLE.search(attributes)
    style = (found[1] or found[2]) if found is not None else ""
    if HIDING_STYLE.search(style) and "background" not in style:
        return True
    return _TINY.search(style) is not None or _ATTRIBUTE.search(_STYLE.sub("", attributes)) is not None


def _comment(block: Block, start: int, stop: int) -> Block:
    line, column = block.stretch.place(start)
    return Block(COMMENT, Stretch((Piece(line, column, block.stretch.text[start:stop].replace("\n", " ")),)))
