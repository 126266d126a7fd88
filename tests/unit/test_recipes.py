"""Build files, makefiles, units and time tables: which lines they give to which reader, where these stand, and when."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.recipes.reader import RecipeReader
from plugseal.model.capability import Fact
from plugseal.model.location import Span


def _read(language: str, text: str, path: str = "x") -> FileFacts:
    return RecipeReader(language).read(text.encode(), Context(path, Interest()))


def _runs(language: str, text: str, path: str = "x") -> list[tuple[str, str, str]]:
    return [(one.language, one.text, one.trigger) for one in _read(language, text, path).nested]


def _can(facts: FileFacts) -> set[tuple[str, str | None]]:
    return {(fact.capability, fact.object) for fact in facts.facts}


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        pytest.param("RUN a b", [("shell", "a b", "install")], id="a line"),
        pytest.param("run a", [("shell", "a", "install")], id="in lower case"),
        pytest.param("RUN a \\\n  b", [("shell", "a   b", "install")], id="continued"),
        pytest.param("RUN a \\\n# no\n\n  b", [("shell", "a   b", "install")], id="a comment between its lines"),
        pytest.param("# escape=`\nRUN a `\n b", [("shell", "a  b", "install")], id="another escape character"),
        pytest.param("# RUN a", [], id="a comment"),
        pytest.param("RUN --mount=type=cache,target=/x --network=none a", [("shell", "a", "install")], id="flags"),
        pytest.param('RUN ["a", "b c"]', [("shell", "a 'b c'", "install")], id="a list of words"),
        pytest.param(
            "RUN <<E\na\nb\nE\nRUN c", [("shell", "a\nb\n", "install"), ("shell", "c", "install")], id="a here-document"
        ),
        pytest.param(
            "RUN <<E\n#!/usr/bin/env python3\na\nE",
            [("python", "#!/usr/bin/env python3\na\n", "install")],
            id="with an interpreter",
        ),
        pytest.param("RUN python3 <<E\na\nE", [("shell", "python3 <<E\na\nE", "install")], id="fed to a program"),
        pytest.param("RUN cat <<<E", [("shell", "cat <<<E", "install")], id="a here-string is none"),
        pytest.param("CMD a", [("shell", "a", "start")], id="CMD"),
        pytest.param('ENTRYPOINT ["a"]', [("shell", "a", "start")], id="ENTRYPOINT"),
        pytest.param(
            'CMD ["serve", "-x"]\nENTRYPOINT ["a"]',
            [("shell", "a serve -x", "start"), ("shell", "a", "start")],
            id="CMD gives words to the ENTRYPOINT",
        ),
        pytest.param(
            'ENTRYPOINT ["/docker-entrypoint.sh"]\nCMD ["b", "c"]',
            [("shell", "/docker-entrypoint.sh", "start"), ("shell", "b c", "start")],
            id="an ENTRYPOINT that starts what it is given",
        ),
        pytest.param(
            'FROM scratch\nENTRYPOINT ["a"]\nFROM scratch\nCMD ["b"]',
            [("shell", "a", "start"), ("shell", "b", "start")],
            id="the ENTRYPOINT of another stage",
        ),
        pytest.param("HEALTHCHECK --interval=5s CMD a", [("shell", "a", "start")], id="HEALTHCHECK"),
        pytest.param("HEALTHCHECK NONE", [], id="no HEALTHCHECK"),
        pytest.param("ONBUILD RUN a", [("shell", "a", "install")], id="ONBUILD"),
        pytest.param('SHELL ["pwsh", "-c"]\nRUN a', [("PowerShell", "a", "install")], id="another shell"),
        pytest.param("COPY <<E /x\nrm -rf /\nE", [], id="a document that is copied is not run"),
        pytest.param('LABEL a="RUN b"', [], id="words that look like an instruction"),
    ],
)
def test_a_build_file_gives_these_lines_to_a_reader(text: str, runs: list[tuple[str, str, str]]) -> None:
    assert [
        (language, line.strip() if "\n" not in line else line, when)
        for language, line, when in _runs("Dockerfile", text)
    ] == runs


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        pytest.param("FROM a:1", ("code.fetched", "a:1"), id="an image"),
        pytest.param("FROM --platform=linux/amd64 a:1 AS b", ("code.fetched", "a:1"), id="for a platform"),
        pytest.param("FROM ${BASE}", ("code.fetched", None), id="an image that is not known"),
        pytest.param("ADD https://a.invalid/x /y", ("net.outbound", "a.invalid"), id="a file from elsewhere"),
        pytest.param("ADD git@b.invalid:x/y /z", ("net.outbound", "b.invalid"), id="a repository"),
        pytest.param("ENV A=1 B=2", ("env.write", "B"), id="a variable"),
        pytest.param("ENV A some words", ("env.write", "A"), id="in the older form"),
    ],
)
def test_a_build_file_says_what_it_fetches_and_sets(text: str, fact: tuple[str, str | None]) -> None:
    assert fact in _can(_read("Dockerfile", text))


def test_a_stage_of_the_same_file_and_nothing_at_all_are_not_fetched() -> None:
    assert _can(_read("Dockerfile", "FROM a AS b\nFROM b\nFROM scratch")) == {("code.fetched", "a")}


def test_what_a_build_file_runs_by_an_unknown_shell_is_not_passed_over() -> None:
    facts = _read("Dockerfile", 'SHELL ["odd"]\nRUN a')
    assert (facts.status, facts.reason) == ("partial", "runs its lines by a shell that is not known")
    assert _read("Dockerfile", "FROM a\n%$").reason == "holds a line that is no instruction (line 2)"
    assert _read("Dockerfile", "FROM a\n" + "ONBUILD " * 5_000 + "RUN a").reason.startswith("holds `ONBUILD ONBUILD`")


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        pytest.param("a:\n\tb c", [("shell", "b c", "command")], id="a recipe"),
        pytest.param("a:\n\t@-+b", [("shell", "b", "command")], id="marks before it"),
        pytest.param("a: ; b", [("shell", "b", "command")], id="behind a semicolon"),
        pytest.param("X = y\na:\n\tb $(X) ${X}", [("shell", "b y y", "command")], id="a variable"),
        pytest.param("X = $(Y)\nY = z\na:\n\tb $(X)", [("shell", "b z", "command")], id="a variable of variables"),
        pytest.param("X = y\nX = z\na:\n\tb $(X)", [("shell", "b $1", "command")], id="a variable with two values"),
        pytest.param("X = $(X)\na:\n\t$(X)", [("shell", "$1", "command")], id="a variable of itself"),
        pytest.param("a:\n\tb $(X)", [("shell", "b ${X}", "command")], id="from the environment"),
        pytest.param("a:\n\tb $@ $< $(wildcard *)", [("shell", "b $1 $1 $1", "command")], id="what only make knows"),
        pytest.param("a:\n\tb $$HOME", [("shell", "b $HOME", "command")], id="a variable of the shell"),
        pytest.param("a:\n\tb \\\n\t  c", [("shell", "b \\\n  c", "command")], id="continued"),
        pytest.param("V := $(shell b)", [("shell", "b", "import")], id="run when it is read"),
        pytest.param("V != b", [("shell", "b", "import")], id="run when it is assigned"),
        pytest.param("SHELL = /usr/bin/python3\na:\n\tb", [("python", "b", "command")], id="read by another program"),
        pytest.param("define X\nb\nendef", [("shell", "b", "command")], id="a canned recipe"),
        pytest.param("# a:\n#\tb", [], id="a comment"),
        pytest.param("ifeq (a,b)\nendif\ninclude x", [], id="directives"),
    ],
)
def test_a_makefile_gives_these_lines_to_a_reader(text: str, runs: list[tuple[str, str, str]]) -> None:
    assert [(language, line.strip(), when) for language, line, when in _runs("Makefile", text)] == runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        pytest.param("a:\n    b", [("shell", "b", "command")], id="a recipe"),
        pytest.param("a b c='d': e\n  @f {{b}}", [("shell", "f $1", "command")], id="arguments and expressions"),
        pytest.param(
            "a:\n  #!/usr/bin/env node\n  b",
            [("javascript", "#!/usr/bin/env node\nb\n", "command")],
            id="in another language",
        ),
        pytest.param("v := `b`", [("shell", "b", "import")], id="run when it is read"),
        pytest.param("# a:\n#   b", [], id="a comment"),
        pytest.param('set shell := ["python3", "-c"]\na:\n  b', [("python", "b", "command")], id="another shell"),
    ],
)
def test_a_justfile_gives_these_lines_to_a_reader(text: str, runs: list[tuple[str, str, str]]) -> None:
    assert [
        (language, line if line.startswith("#!") else line.strip(), when)
        for language, line, when in _runs("justfile", text)
    ] == runs


@pytest.mark.parametrize(
    ("text", "path", "runs"),
    [
        pytest.param("[Service]\nExecStart=-/bin/a b", "x.service", [("shell", "/bin/a b", "start")], id="a service"),
        pytest.param("[Service]\nExecStart=a \\\n b", "x.service", [("shell", "a \\\n b", "start")], id="continued"),
        pytest.param("[Service]\nexecstartpre=!a %i", "x.service", [("shell", 'a "$1"', "start")], id="specifiers"),
        pytest.param("[Desktop Entry]\nExec=a %U", "x.desktop", [("shell", 'a "$1"', "open")], id="a launcher"),
        pytest.param("[Service]\n#ExecStart=a\n;Exec=b\nDescription=Exec=c", "x.service", [], id="comments and words"),
    ],
)
def test_a_unit_gives_these_lines_to_a_reader(text: str, path: str, runs: list[tuple[str, str, str]]) -> None:
    assert _runs("unit or launcher", text, path) == runs


def test_a_unit_that_can_be_installed_may_persist() -> None:
    assert ("persistence", "x.timer") in _can(_read("unit or launcher", "[Timer]\nOnCalendar=daily", "a/x.timer"))
    assert _can(_read("unit or launcher", "[Unit]\nDescription=x", "a/x.service")) == set()


@pytest.mark.parametrize(
    ("text", "path", "runs"),
    [
        pytest.param("*/5 * * * * a b", "crontab", [("shell", "a b", "start")], id="by the minute"),
        pytest.param("@reboot a", "crontab", [("shell", "a", "start")], id="at each start"),
        pytest.param("0 1 * * mon root a", "etc/cron.d/x", [("shell", "a", "start")], id="with a user"),
        pytest.param("# 0 1 * * * a\nMAILTO=b", "crontab", [], id="comments and settings"),
    ],
)
def test_a_time_table_gives_these_lines_to_a_reader(text: str, path: str, runs: list[tuple[str, str, str]]) -> None:
    assert [(language, line.strip(), when) for language, line, when in _runs("time table", text, path)] == runs


def test_places_are_exact_behind_what_was_put_in() -> None:
    (nested,) = _read("Makefile", "U = https://a.invalid\nall:\n\t@curl $(U) | sh").nested
    assert nested.text == "curl https://a.invalid | sh"
    assert nested.span == Span(3, 3, 3, 17)
    last = nested.anchors[-1]
    assert (nested.text[last.offset :], last.line, last.column) == (" | sh", 3, 12)


@pytest.mark.parametrize("language", ["Dockerfile", "Makefile", "justfile", "unit or launcher", "time table"])
@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\xff\xfe\x00", id="no text"),
        pytest.param(b"\0" * 100, id="NUL bytes"),
        pytest.param(b"$(" * 50_000, id="brackets that never close"),
        pytest.param(b"RUN <<E\n" * 10_000, id="documents that never end"),
        pytest.param(b"a:\n\tb \\\n" * 20_000, id="lines that never end"),
        pytest.param(b"X = $(Y)\nY = $(X)\na:\n\t$(X)\n", id="a circle"),
        pytest.param(
            b"".join(b"V%d = $(V%d)$(V%d)\n" % (n, n + 1, n + 1) for n in range(60)) + b"a:\n\t$(V0)\n", id="a bomb"
        ),
        pytest.param("\ufeffRUN a\r\nFROM b".encode(), id="a mark and other line ends"),
    ],
)
def test_no_bytes_are_too_odd(language: str, data: bytes) -> None:
    facts = RecipeReader(language).read(data, Context("x", Interest()))
    assert facts.status in ("read", "partial", "unread")
    assert all(isinstance(fact, Fact) for fact in facts.facts)
