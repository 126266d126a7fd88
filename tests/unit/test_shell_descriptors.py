"""What a shell runs that it reads from a descriptor, from others that write to it, and from a file outside."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell


def _facts(script: str) -> set[tuple[str, str | None]]:
    return {(fact.capability, fact.object) for fact in read_shell(script.encode(), Context("x.sh", Interest())).facts}


def _nested(script: str) -> list[str]:
    return [one.text for one in read_shell(script.encode(), Context("x.sh", Interest())).nested]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("cat a | tee >(sh)", id="a pipe that is written to it"),
        pytest.param("cat a > >(bash -s)", id="a redirection to it"),
        pytest.param("exec 3<a\nbash /dev/fd/3", id="a descriptor by its path"),
        pytest.param("bash /dev/fd/3 3<a", id="a descriptor of its own"),
        pytest.param("exec 3<a\nsh <&3", id="a descriptor for its input"),
    ],
)
def test_a_shell_runs_what_it_is_given(script: str) -> None:
    assert ("code.dynamic", None) in _facts(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("echo 'rm a' | tee >(sh)", id="through tee"),
        pytest.param("exec 5<<<'rm a'\nsh <&5", id="through a descriptor"),
        pytest.param("echo 'rm a' | parallel", id="lines for parallel"),
    ],
)
def test_a_line_that_is_known_is_read(script: str) -> None:
    assert [text.strip() for text in _nested(script)] == ["rm a"]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("ls | tee >(wc -l) >(grep a)", id="programs that read data"),
        pytest.param("exec 3<a\nwhile read -r l <&3; do :; done", id="lines that are read"),
        pytest.param("exec 2>&1\nexec <&-", id="descriptors that are moved and closed"),
    ],
)
def test_data_is_no_code(script: str) -> None:
    assert "code.dynamic" not in {capability for capability, _ in _facts(script)}


def test_a_download_that_is_written_to_a_shell_is_fetched_code() -> None:
    assert "code.fetched" in {capability for capability, _ in _facts("curl https://a.example | tee >(sh)")}


@pytest.mark.parametrize(
    ("script", "outside"),
    [
        pytest.param("bash /opt/x.sh", "/opt/x.sh", id="a shell"),
        pytest.param("python3 ~/x.py a", "~/x.py", id="another interpreter"),
        pytest.param("bash -x /opt/x.sh", "/opt/x.sh", id="behind an option"),
        pytest.param("bash ./x.sh", None, id="beside it"),
        pytest.param("awk '/a/{print}'", None, id="a program of awk"),
        pytest.param("sed '/a/d'", None, id="a program of sed"),
        pytest.param("python3 -m http.server /opt", None, id="a module"),
    ],
)
def test_a_script_that_lies_outside_is_said_so(script: str, outside: str | None) -> None:
    assert {found for capability, found in _facts(script) if capability == "path.outside"} == ({outside} - {None})


@pytest.mark.parametrize("script", ["f() { (cat a) }\nf", "{ (cat a)\t}"])
def test_a_group_may_end_right_behind_a_shell_of_its_own(script: str) -> None:
    found = read_shell(script.encode(), Context("x.sh", Interest()))
    assert found.status == "read"
    assert ("fs.read", "a") in {(fact.capability, fact.object) for fact in found.facts}


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param("echo /opt/x | xargs cat", ("fs.read", "/opt/x"), id="behind its own"),
        pytest.param("printf '%s\\n' a b | xargs -I{} rm /opt/{}", ("fs.delete", "/opt/b"), id="each in its place"),
        pytest.param("echo curl https://a.example | xargs env", ("net.outbound", "a.example"), id="a program"),
    ],
)
def test_xargs_hands_on_what_it_reads(script: str, expected: tuple[str, str]) -> None:
    assert expected in _facts(script)


def test_words_that_nobody_knows_are_not_handed_on() -> None:
    assert ("fs.delete", None) in _facts("find . | xargs rm")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        pytest.param('rm -rf "${Z:-}/"', ("fs.delete", "/"), id="nothing before a slash"),
        pytest.param("get() { curl https://a.example; }\nget | sh", ("code.fetched", "a.example"), id="a function"),
        pytest.param(
            'retry() { local n=$1; shift; for i in 1 2; do "$@"; done; }\nretry 3 rm /opt/x',
            ("fs.delete", "/opt/x"),
            id="what a function leaves out before its loop",
        ),
        pytest.param("echo a >>/etc/pam.d/sshd", ("persistence", "/etc/pam.d/sshd"), id="a login"),
        pytest.param("cp a /etc/udev/rules.d/", ("persistence", "/etc/udev/rules.d/"), id="a device that is found"),
        pytest.param("iptables -F", ("privilege", None), id="a wall that is torn down"),
    ],
)
def test_what_stands_in_combinations_is_said(script: str, expected: tuple[str, str | None]) -> None:
    assert expected in _facts(script)


@pytest.mark.parametrize(
    ("script", "unwanted"),
    [
        pytest.param('rm -rf "${Z:-}/x"', ("fs.delete", "/x"), id="a folder of something"),
        pytest.param("iptables -L -n", ("privilege", None), id="a list of rules"),
        pytest.param("cat /etc/pam.d/sshd", ("persistence", "/etc/pam.d/sshd"), id="a file that is read"),
    ],
)
def test_what_is_only_like_it_is_not_said(script: str, unwanted: tuple[str, str | None]) -> None:
    assert unwanted not in _facts(script)
