"""Paths and programs that a policy names are meant in all their spellings; an allowance holds for what is reached."""

from __future__ import annotations

import pytest

from plugseal.policy.globs import may_match
from plugseal.policy.objects import is_allowed_object, is_denied_object, normal_path

_TOP = "root"


@pytest.mark.parametrize(
    ("capability", "denied", "found"),
    [
        pytest.param("fs.read", "/etc/passwd", "/etc/./passwd", id="a dot"),
        pytest.param("fs.read", "/etc/passwd", "//etc//passwd", id="doubled slashes"),
        pytest.param("fs.read", "/etc/passwd", "/var/../etc/passwd", id="up and down"),
        pytest.param("fs.read", "/etc/passwd", "/../etc/passwd", id="above the root"),
        pytest.param("fs.read", "/etc/passwd", "file:///etc/passwd", id="an address"),
        pytest.param("fs.read", "/etc/passwd", "FILE://localhost/etc/passwd", id="an address of this machine"),
        pytest.param("fs.read", "/etc/passwd", "/ETC/Passwd", id="another case"),
        pytest.param("fs.read", "/etc/passwd", f"/proc/self/{_TOP}/etc/passwd", id="the root of this process"),
        pytest.param("fs.read", "/etc/passwd", f"/proc/1/{_TOP}//etc/./passwd", id="the root of another"),
        pytest.param("fs.read", "/etc/passwd", f"/proc/self/task/1/{_TOP}/etc/passwd", id="the root of a thread"),
        pytest.param("fs.read", "/etc/passwd", f"/proc/*/{_TOP}/proc/1/{_TOP}/etc/passwd", id="roots of roots"),
        pytest.param("fs.read", "/etc/passwd", "/etc/*", id="a name that nobody knows"),
        pytest.param("fs.read", "/etc/passwd", "*/passwd", id="a folder that nobody knows"),
        pytest.param("fs.read", "~/.ssh/**", "$HOME/.ssh/id_rsa", id="the home by its variable"),
        pytest.param("fs.read", "~/.ssh/*", "${HOME}/.ssh/./id_rsa", id="the home in braces"),
        pytest.param("fs.read", "~/.ssh/*", "%USERPROFILE%\\.ssh\\id_rsa", id="the home on Windows"),
        pytest.param("fs.read", "$HOME/.ssh/*", "~/.ssh/id_rsa", id="the home by its variable in the policy"),
        pytest.param("fs.write", "data/x.txt", "data\\x.txt", id="backward slashes"),
        pytest.param("fs.write", "./data/x", "data/x", id="a dot in the policy"),
        pytest.param("fs.delete", "/data/x", "/data/x/", id="a slash at the end"),
        pytest.param("process.exec", "curl", "/usr/bin/curl", id="a program by its path"),
        pytest.param("process.exec", "curl", "../bin/curl", id="a program elsewhere"),
        pytest.param("process.exec", "curl", "CURL.EXE", id="a program on Windows"),
        pytest.param("process.exec", "curl.exe", "curl", id="its name without the ending"),
        pytest.param("process.exec", "/usr/bin/curl", "curl", id="a program that is looked up"),
        pytest.param("process.exec", "**/curl", "curl", id="a program in any folder"),
        pytest.param("process.shell", "cur*", "/opt/x/curl", id="a pattern"),
        pytest.param("env.read", "API_TOKEN", "api_token", id="a variable on Windows"),
    ],
)
def test_a_denial_is_not_escaped_by_spelling(capability: str, denied: str, found: str) -> None:
    assert is_denied_object((denied,), capability, found)


@pytest.mark.parametrize(
    ("capability", "denied", "found"),
    [
        pytest.param("fs.read", "/etc/passwd", "/etc/passwd/x", id="below it"),
        pytest.param("fs.read", "/etc/passwd", "etc/passwd", id="a relative path"),
        pytest.param("fs.read", "/etc/passwd", f"/srv/self/{_TOP}/etc/passwd", id="a folder that is called root"),
        pytest.param("fs.read", "/etc/passwd", f"proc/self/{_TOP}/etc/passwd", id="a folder of the plugin"),
        pytest.param("fs.read", "/etc/passwd", "/tmp/*", id="what nobody knows elsewhere"),
        pytest.param("fs.read", "/etc/*", "/etc/ssl/x", id="further below than the glob"),
        pytest.param("fs.read", "../x", "x", id="beside the folder"),
        pytest.param("process.exec", "curl", "curlie", id="a longer name"),
        pytest.param("process.exec", "/usr/bin/curl", "/opt/curl", id="the program of another folder"),
        pytest.param("code.fetched", "left-pad", "right-pad", id="another package"),
    ],
)
def test_another_object_is_not_denied(capability: str, denied: str, found: str) -> None:
    assert not is_denied_object((denied,), capability, found)


@pytest.mark.parametrize(
    ("allowed", "found", "is_allowed"),
    [
        pytest.param("/data/**", "/data/x/y", True, id="below"),
        pytest.param("/data/**", "/data/../etc/passwd", False, id="out and away"),
        pytest.param("/data/**", "/data/x/../y", True, id="out and back"),
        pytest.param("/data/**", "/data/*/../../etc", False, id="over what nobody knows"),
        pytest.param("data/**", "data\\..\\..\\etc\\passwd", False, id="out on Windows"),
        pytest.param("../shared/x", "../shared/x", True, id="its very text"),
        pytest.param("/data/*", "/data/*", True, id="a name that nobody knows"),
        pytest.param("/data", "/DATA", False, id="another case"),
    ],
)
def test_an_allowance_holds_for_what_is_reached(allowed: str, found: str, is_allowed: bool) -> None:
    assert is_allowed_object((allowed,), "fs.read", found) is is_allowed


@pytest.mark.parametrize(
    ("glob", "text", "fits"),
    [
        pytest.param("/etc/passwd", "*", True, id="anything"),
        pytest.param("/etc/pass??", "/etc/*", True, id="question marks"),
        pytest.param("*.txt", "a*", True, id="beginning and end"),
        pytest.param("*.txt", "*.md", False, id="two ends"),
        pytest.param("a*c", "a/b*c", False, id="a star that knows no slash"),
        pytest.param("a**c", "a/b*c", True, id="two stars that do"),
        pytest.param("", "*", True, id="nothing"),
        pytest.param("ab", "a*b*c", False, id="more than there is"),
        pytest.param("*a" * 60 + "b", "*" + "a" * 200 + "c", False, id="nothing is slow"),
        pytest.param("x", "*a" * 100, True, id="hardly anything is known"),
    ],
)
def test_what_is_known_in_part_fits_what_it_could_be(glob: str, text: str, fits: bool) -> None:
    assert may_match(glob, text) is fits


@pytest.mark.parametrize(
    ("text", "path"),
    [("", ""), ("/", "/"), ("./", ""), ("a/..", ""), ("../../a", "../../a"), ("*/../a", "*/../a"), ("~/a/", "~/a")],
)
def test_a_path_is_written_in_one_way(text: str, path: str) -> None:
    assert normal_path(text) == path
