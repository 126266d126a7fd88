"""What plugseal takes out of its own process before it works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import plugseal
from plugseal.environment import drop_openssl_variables, drop_relative_paths


def test_every_openssl_variable_is_removed_and_named() -> None:
    environment = {
        "OPENSSL_CONF": "x",
        "OPENSSL_MODULES": "y",
        "OPENSSL_ENGINES": "z",
        "PATH": "/bin",
        "openssl_conf": "",
    }

    removed = drop_openssl_variables(environment)

    assert removed == ("OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES", "openssl_conf")
    assert environment == {"PATH": "/bin"}


def test_the_process_itself_is_cleaned_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENSSL_CONF", "/nowhere/openssl.cnf")

    drop_openssl_variables()

    assert "OPENSSL_CONF" not in os.environ


@pytest.mark.parametrize("path", ["", ".", "lib", "./x", "../x"])
def test_an_import_path_that_follows_the_current_folder_is_removed(path: str) -> None:
    paths = ["/usr/lib/python3", path]

    drop_relative_paths(paths)

    assert paths == ["/usr/lib/python3"]


def test_the_current_folder_is_removed_however_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    paths = [str(tmp_path), f"{tmp_path}/", f"{tmp_path}/sub", "/usr/lib/python3"]

    drop_relative_paths(paths)

    assert paths == [f"{tmp_path}/sub", "/usr/lib/python3"]


def test_the_folder_that_plugseal_was_loaded_from_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(Path(plugseal.__file__).parent.parent)
    monkeypatch.chdir(own)
    paths = [own]

    drop_relative_paths(paths)

    assert paths == [own]


def test_a_current_folder_that_is_gone_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    paths = ["", "/usr/lib/python3"]

    drop_relative_paths(paths)

    assert paths == ["/usr/lib/python3"]
