"""Whatever members an archive has, it is installed whole and below its own folder, or refused and leaves nothing."""

from __future__ import annotations

import io
import json
import os
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.errors import PlugsealError
from plugseal.trust.store import Store
from plugseal.verbs.amber.install import install

MANIFEST = {
    "id": "fake",
    "name": "Fake",
    "version": "1.0.0",
    "protocol_version": 1,
    "description": "Behaves as asked.",
    "main": "run.py",
}
KINDS = [tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE]
NAMES = st.lists(
    st.sampled_from(["..", ".", "a", "b", "run.py", "", ".git", "é", "A", "x" * 90]), min_size=1, max_size=4
)
MEMBERS = st.tuples(
    NAMES.map("/".join),
    st.sampled_from(KINDS),
    st.sampled_from([0o644, 0o755, 0o4755, 0o000, 0o1777]),
    st.sampled_from(["/etc", "..", "run.py", "../../x"]),
)


def _archive(path: Path, members: list[tuple[str, bytes, int, str]], top: str) -> None:
    with tarfile.open(path, "w:gz") as archive:
        whole = [("manifest.json", tarfile.REGTYPE, 0o644, ""), ("run.py", tarfile.REGTYPE, 0o755, "")]
        for name, kind, mode, target in [*((top + n, k, m, t) for n, k, m, t in whole), *members]:
            data = json.dumps(MANIFEST).encode() if name == f"{top}manifest.json" else b"x"
            info = tarfile.TarInfo(name)
            info.type, info.mode, info.linkname = kind, mode, target
            info.size = len(data) if kind == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(data) if kind == tarfile.REGTYPE else None)


def _everything(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*")}


@settings(max_examples=150, deadline=None)
@given(st.lists(MEMBERS, max_size=4), st.sampled_from(["", "fake/", "./"]))
def test_an_archive_is_installed_whole_or_leaves_nothing(members: list[tuple[str, bytes, int, str]], top: str) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        root = Path(folder).resolve()
        patch.setenv("XDG_CONFIG_HOME", str(root / "config"))
        patch.setattr("plugseal.verbs.user.home_of_user", lambda: str(root / "home"))
        _archive(root / "x.tar.gz", members, top)
        before = _everything(root)
        try:
            done = install(str(root / "x.tar.gz"), Store(root / "state"), workspace=root)
        except PlugsealError:
            assert _everything(root) - before <= {"config", "config/amber", "config/amber/plugins"}
            return
        place = "config/amber/plugins/fake"
        new = _everything(root) - before - {"config", "config/amber", "config/amber/plugins"}
        assert new
        assert all(path == place or path.startswith(f"{place}/") for path in new)
        assert done.path == str(root / place)
        for path in (root / place).rglob("*"):
            assert not path.is_symlink()
            assert path.stat().st_nlink == 1 or path.is_dir()
            assert not path.stat().st_mode & 0o7022 or path.is_dir()
        assert os.access(root / place / "run.py", os.X_OK)
