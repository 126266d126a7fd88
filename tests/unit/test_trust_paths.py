"""Spellings of one path are one key; other paths are others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.trust.paths import path_key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("C:/Tools/app", "c:/Tools/app", id="the drive in another case"),
        pytest.param("C:\\Tools\\app", "C:/Tools/app", id="other slashes"),
        pytest.param("C:\\Tools/app\\", "C:/Tools/app", id="both slashes and one at the end"),
        pytest.param("\\\\?\\D:\\desk\\x", "D:\\desk\\x", id="the prefix for long names"),
        pytest.param("\\\\.\\D:\\desk\\x", "D:\\desk\\x", id="the prefix for devices"),
        pytest.param("\\\\?\\UNC\\srv\\share\\x", "\\\\srv\\share\\x", id="a share with the prefix for long names"),
        pytest.param("//Srv/share/x", "\\\\srv\\share\\x", id="a server in another case"),
        pytest.param("/home/u/x/", "/home/u/x", id="a slash at the end"),
        pytest.param("/home/u/./x", "/home/u/x", id="a dot"),
        pytest.param("/home//u/x", "/home/u/x", id="two slashes"),
        pytest.param("/home/u/y/../x", "/home/u/x", id="up and down"),
        pytest.param("/../home/u/x", "/home/u/x", id="above the root"),
        pytest.param("C:\\..\\Tools", "C:\\Tools", id="above the root of a drive"),
        pytest.param("\\\\wsl$\\Ubuntu\\home\\u", "\\\\wsl.localhost\\Ubuntu\\home\\u", id="both names of WSL"),
        pytest.param("//wsl$/Ubuntu/home/u", "\\\\WSL.LOCALHOST\\Ubuntu\\home\\u", id="WSL with other slashes"),
        pytest.param("/c/Tools/app", "C:\\Tools\\app", id="as MSYS writes it"),
        pytest.param("/mnt/c/Tools/app", "C:\\Tools\\app", id="as WSL writes it"),
        pytest.param("/c", "C:\\", id="the root of a drive"),
    ],
)
def test_spellings_of_one_path_are_one_key(first: str, second: str) -> None:
    assert path_key(first) == path_key(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("/home/u/Repo", "/home/u/repo", id="case on POSIX"),
        pytest.param("C:\\Tools\\App", "C:\\Tools\\app", id="case on Windows: folders may tell it apart"),
        pytest.param("\\\\wsl$\\Ubuntu\\home\\u\\Repo", "\\\\wsl$\\Ubuntu\\home\\u\\repo", id="case within WSL"),
        pytest.param("\\\\wsl$\\Ubuntu\\home\\u", "\\\\wsl$\\Debian\\home\\u", id="two systems of WSL"),
        pytest.param("\\\\wsl$\\Ubuntu\\home\\u", "/home/u", id="within WSL and without"),
        pytest.param("/srv/plugin", "/srv/plugin-evil", id="a longer name"),
        pytest.param("C:\\Tools\\app", "D:\\Tools\\app", id="another drive"),
        pytest.param("C:Tools", "C:\\Tools", id="relative to a drive"),
        pytest.param("/home/u/x", "/home/u/x/sub", id="a folder within"),
        pytest.param("/mnt/cd/x", "C:\\d\\x", id="a mount of two letters"),
        pytest.param("/home/u/a\\b", "/home/u/a/b", id="a backslash in a name on POSIX"),
        pytest.param("/home/u/ x", "/home/u/x", id="a space"),
        pytest.param("x/y", "/x/y", id="relative and absolute"),
    ],
)
def test_other_paths_have_other_keys(first: str, second: str) -> None:
    assert path_key(first) != path_key(second)


@given(st.text(alphabet="/\\.:?cC$ab wsl", max_size=40))
def test_a_key_is_its_own_key(path: str) -> None:
    assert path_key(path_key(path)) == path_key(path)
