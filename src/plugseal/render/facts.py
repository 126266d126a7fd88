"""Facts as lines of JSON, one object a line, fast enough for hundreds of thousands.

Everything beyond ASCII is escaped, so no line holds a plugin's text as it is; what is not Unicode stands as in
`render.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from json.encoder import encode_basestring_ascii

from plugseal.model.capability import Fact
from plugseal.render.json import unicode_text
from plugseal.render.masked import masked_object
from plugseal.shown import shown_json


def render_facts(facts: Iterable[tuple[str, Fact]]) -> Iterator[str]:
    """Yield one line for each (file, fact), ended by a newline.

    The strings are encoded by the standard library's own encoder; only the frame around them is written here, which
    is several times faster than encoding a dictionary for each fact.
    """
    last, head = None, ""
    for file, fact in facts:
        if file != last:
            last, head = file, f'{{"file":{quoted(file)},"line":'
        (line, column, end_line, _), capability, object_, resolution, channel, trigger = fact
        yield (
            f'{head}{line},"end_line":{end_line},"column":{column},"capability":"{capability}",'
            f'"object":{"null" if object_ is None else quoted(masked_object(object_))},"resolution":"{resolution}",'
            f'"channel":"{channel}","trigger":{quoted(trigger)}}}\n'
        )


@lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    """Return a JSON string in ASCII, without lone surrogates."""
    if text.isascii():
        return shown_json(encode_basestring_ascii(text))
    return shown_json(encode_basestring_ascii(unicode_text(text)))
