"""Code inside shell scripts goes to its own reader, with exact places where it stands there word for word."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest, Nested
from plugseal.lang.nested import Places
from plugseal.lang.shell.reader import read_shell
from plugseal.model.location import Span


def _nested(source: str) -> tuple[Nested, ...]:
    return read_shell(source.encode("utf-8"), Context("x.sh", Interest())).nested


@pytest.mark.parametrize(
    ("source", "language", "text", "how"),
    [
        pytest.param("sh -c 'rm x'\n", "shell", "rm x", "sh", id="a line"),
        pytest.param("\"$SHELL\" -c 'rm x'\n", "shell", "rm x", "sh", id="a line for the user's own shell"),
        pytest.param("$BASH -c 'rm x'\n", "shell", "rm x", "bash", id="a line for the shell that runs the script"),
        pytest.param("bash -lc 'rm x' _ y\n", "shell", "rm x", "bash", id="a line behind other letters"),
        pytest.param("sudo python3 -c 'import os'\n", "python", "import os", "python3", id="Python"),
        pytest.param("python3 - <<'E'\nimport os\nE\n", "python", "import os\n", "here-document", id="a here-document"),
        pytest.param("bash <<< 'rm x'\n", "shell", "rm x", "here-string", id="a here-string"),
        pytest.param("cat <<E | sh\nrm x\nE\n", "shell", "rm x\n", "pipe", id="a here-document through a pipe"),
        pytest.param("echo cm0geAo= | base64 -d | sh\n", "shell", "rm x\n", "pipe", id="decoded"),
        pytest.param("a='rm x'; eval \"$a\"\n", "shell", "rm x", "eval", id="a variable"),
        pytest.param("php -r 'f(1);'\n", "PHP code", "f(1);", "php", id="code of PHP"),
        pytest.param("parallel ::: 'rm x'\n", "shell", "rm x", "parallel", id="lines side by side"),
        pytest.param(
            "export PROMPT_COMMAND='rm x'\n", "shell", "rm x", "PROMPT_COMMAND", id="a variable that is a line"
        ),
        pytest.param("mapfile -C 'rm x' -c 1 a < f\n", "shell", "rm x", "mapfile -C", id="a call of mapfile"),
        pytest.param("env -S 'rm x'\n", "shell", "rm x", "env", id="words that env parts"),
        pytest.param("trap 'rm x' EXIT\n", "shell", "rm x", "trap", id="a trap"),
        pytest.param('bash -c "rm $1/x"\n', "shell", "rm ${_}/x", "bash", id="with a part that is not known"),
        pytest.param("su -c 'rm x'\n", "shell", "rm x", "su", id="as another user"),
        pytest.param("tar cf a b --checkpoint-action=exec='rm x'\n", "shell", "rm x", "tar", id="an option of tar"),
        pytest.param("awk '{ print | \"rm x\" }' f\n", "shell", "rm x", "system()", id="awk"),
    ],
)
def test_code_is_handed_on(source: str, language: str, text: str, how: str) -> None:
    assert (language, text, how) in {(one.language, one.text, one.how) for one in _nested(source)}


@pytest.mark.parametrize(
    ("source", "inside", "place"),
    [
        pytest.param("x; sh -c 'a\n  rm x'\n", Span(2, 3, 2, 7), Span(2, 3, 2, 7), id="over two lines"),
        pytest.param("sh -c 'a; rm x'\n", Span(1, 4, 1, 8), Span(1, 11, 1, 15), id="in quotes"),
        pytest.param("sh <<'E'\na\nrm x\nE\n", Span(2, 1, 2, 5), Span(3, 1, 3, 5), id="a here-document"),
        pytest.param("é; sh -c 'rm x'\n", Span(1, 1, 1, 5), Span(1, 11, 1, 15), id="behind other letters"),
    ],
)
def test_a_place_in_it_is_a_place_in_the_script(source: str, inside: Span, place: Span) -> None:
    (nested,) = _nested(source)
    assert Places(nested).span(inside) == place


def test_a_folded_text_has_no_exact_places() -> None:
    (nested,) = _nested('a=x; sh -c "rm $a"\n')
    assert nested.text == "rm x"
    assert nested.anchors == ()


@pytest.mark.parametrize(
    "source",
    ["bash run.sh\n", "python3 -m tool\n", 'sh "$1"\n', "node app.js -e\n", "jq -c . f\n", "grep -e 'rm x' f\n"],
)
def test_arguments_are_no_code(source: str) -> None:
    assert _nested(source) == ()
