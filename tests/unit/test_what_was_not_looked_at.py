"""What was not even looked at is never silent: it is unread for the tree and for each plugin that may have lost it."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from plugseal.cli.main import main
from plugseal.model.tree import Fault, Tree
from plugseal.rules.rule import RuleSet
from plugseal.scan.inventory import build_inventory
from plugseal.scan.scanner import Scanner
from plugseal.scan.workers.on_demand import WorkersOnDemand
from plugseal.verbs.scan import scan_path

MANIFEST = b'{"id": "a", "name": "a", "version": "1.0.0", "protocol_version": 1, "main": "run", "description": "d"}'


def archive(*members: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, data in members:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755
            tar.addfile(entry, io.BytesIO(data))
    return packed.getvalue()


@pytest.fixture
def cut_archive(tmp_path: Path) -> Path:
    """Write an archive that ends inside its last member; its first plugin is whole."""
    filler = bytes(range(256)) * 400
    whole = archive(("p/manifest.json", MANIFEST), ("p/run", b"#!/bin/sh\n"), ("p/late.py", filler))
    path = tmp_path / "cut.tar.gz"
    path.write_bytes(whole[: len(whole) * 2 // 3])
    return path


def test_an_archive_that_ends_too_early_is_unread_and_so_is_each_plugin_in_it(cut_archive: Path) -> None:
    inventory = scan_path(cut_archive)
    (report,) = inventory.plugins
    assert "." in {unread.file for unread in inventory.unread}
    assert ("unread", ".") in {(row.capability, row.object) for row in report.capabilities}
    assert report.unread
    assert report.content_receipt is None
    assert any(file == "." and fact.capability == "unread" for file, fact in inventory.facts)


@pytest.mark.parametrize("command", ["scan", "validate"])
def test_no_command_calls_it_a_pass(cut_archive: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(cut_archive)]) == 4
    assert "ends too early" in capsys.readouterr().out


def test_a_damaged_archive_without_a_plugin_could_not_be_judged(tmp_path: Path) -> None:
    path = tmp_path / "half.tar.gz"
    whole = archive(("a.py", b"x = 1\n" * 50_000))
    path.write_bytes(whole[: len(whole) // 2])
    assert main(["scan", "-q", str(path)]) == 4


def test_a_hard_link_in_an_archive_is_unread_though_all_else_was_read(tmp_path: Path) -> None:
    path = tmp_path / "p.tar.gz"
    with tarfile.open(path, mode="w:gz") as tar:
        for name, data in (("manifest.json", MANIFEST), ("run", b"#!/bin/sh\ntrue\n")):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o755
            tar.addfile(entry, io.BytesIO(data))
        link = tarfile.TarInfo("copy")
        link.type, link.linkname = tarfile.LNKTYPE, "../../etc/hostname"
        tar.addfile(link)
    inventory = scan_path(path)
    assert "copy" in {unread.file for unread in inventory.unread}
    assert main(["scan", str(path)]) == 4


def test_a_locked_folder_is_unread_with_its_reason() -> None:
    with WorkersOnDemand() as workers:
        scanner = Scanner(RuleSet((), ""), workers)
        scanner.begin(())
        tree = Tree("t", (), (Fault("p/lib", "unreadable", "it could not be read: permission denied"),), ())
        inventory = build_inventory(scanner, tree, "t")
    assert [(unread.file, unread.reason) for unread in inventory.unread] == [
        ("p/lib", "it could not be read: permission denied")
    ]
    assert not inventory.is_complete


def test_a_broken_manifest_is_not_said_to_have_no_reader(tmp_path: Path) -> None:
    (tmp_path / "coding-plugin.json").write_text('{"id": "a"}', encoding="utf-8")
    (unread,) = scan_path(tmp_path).unread
    assert (unread.file, unread.reason) == (
        "coding-plugin.json",
        "manifest that was not understood in full: see what is broken",
    )


def test_a_scan_names_the_git_folder_that_it_leaves_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    (tmp_path / ".git" / "hooks").mkdir(parents=True)
    assert scan_path(tmp_path).left_out == (".git",)
    main(["scan", str(tmp_path)])
    assert "Left out (no receipt covers it; its hooks and settings are looked at)\n  .git\n" in capsys.readouterr().out
    main(["scan", "--format", "json", str(tmp_path)])
    assert json.loads(capsys.readouterr().out)["left_out"] == [".git"]
