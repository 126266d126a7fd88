"""Lines of plain text are read as the YAML library reads them, value and places; whatever is more is left to it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plugseal.encode.places import Node
from plugseal.encode.yaml_compose import Composer
from plugseal.encode.yaml_lines import compose_lines
from plugseal.errors import DataError

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if hasattr(yaml, "CSafeLoader") else [])]
_key = st.text("abcyYnNoeETF09_- <~.:", min_size=1, max_size=6)
_value = st.text("abTrueNl09 .,;:#()[]{}'\"/+=<>&%!?$@|*~_-\\\t\u00e9", max_size=14)
_line = st.builds(
    lambda key, mark, value, end: f"{key}{mark}{value}{end}",
    _key,
    st.sampled_from([": ", ":", ":  "]),
    _value,
    st.sampled_from(["\n", "\n", "\n", " \n", "\r\n", "\n\n"]),
)
_text = st.builds(
    lambda start, lines: start + "".join(lines), st.sampled_from(["", "---\n", "--- \n"]), st.lists(_line, max_size=4)
)


def places(node: Node | None) -> object:
    """Return a node as plain data."""
    if node is None:
        return None
    below = None if node.children is None else {key: places(one) for key, one in node.children.items()}
    return node.start, node.end, node.key_start, node.key_end, below


@pytest.mark.parametrize("loader", LOADERS)
@given(_text)
@settings(max_examples=1500, deadline=None)
@example("name: a\n")
@example("---\nname: my-skill\ndescription: Do it (well), as http://example.invalid/x says: no\n")
@example("a: b  c \n")
@example("a: x:\n")
@example("a: x: y\n")
@example("a: null\nb: True\n")
@example("a: b\n---\n")
@example("a: b\n...\n")
@example("a: b #c\n")
@example("a: b#c\n")
@example("a: " + "word " * 1000 + "end\n")
@example("a: b\na: c\n")
@example("a: b\n c: d\n")
@example("a: b")
def test_what_is_read_so_is_what_the_library_reads(loader: object, text: str) -> None:
    found = compose_lines(text)
    if found is None:
        return
    value, node = Composer(text, yaml.parse(text, Loader=loader)).document()  # type: ignore[arg-type]  # either of two
    assert (found[0], places(found[1])) == (value, places(node))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("name: my-skill\ndescription: Makes charts, when asked.\n", id="two lines"),
        pytest.param("---\nname: x\n", id="behind a start"),
        pytest.param("homepage: https://example.invalid/a?b=c\n", id="an address"),
    ],
)
def test_usual_front_matter_is_read_so(text: str) -> None:
    assert compose_lines(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---\n",
        "a:\n",
        "a: 1\n",
        "a: yes\nb: Null\n",
        "a: 'b'\n",
        "a: [b]\n",
        "a: b # c\n",
        "a: b\na: c\n",
        "a: b\n\n",
        "- a\n",
        "a: b ",
    ],
)
def test_anything_else_is_left_to_the_library(text: str) -> None:
    assert compose_lines(text) is None


@given(_text)
def test_no_text_is_refused_for_being_simple(text: str) -> None:
    try:
        Composer(text, yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except (DataError, yaml.YAMLError):
        assert compose_lines(text) is None
