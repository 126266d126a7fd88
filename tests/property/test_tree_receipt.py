"""The content receipt: anything that counts changes it, nothing else does."""

from __future__ import annotations

import gzip
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugseal.encode.treehash import build_manifest, content_receipt
from plugseal.intake.read import read_tree, verify_representable

Model = dict[str, tuple[bytes, bool] | None]
"""Path to bytes and executable bit of a file, or None for a directory."""

# Small alphabets, so that neighbours in the order of bytes (`-`, `.`, `/`, `0`) meet often.
_part = st.text(alphabet="ab-.0é日", min_size=1, max_size=4).filter(lambda name: not name.endswith("."))
_path = st.lists(_part, min_size=1, max_size=3).map("/".join)
_content = st.tuples(st.binary(max_size=40), st.booleans())


@st.composite
def models(draw: st.DrawFn) -> Model:
    model: Model = {}
    for path in draw(st.lists(_path, max_size=7)):
        parents = [path.rsplit("/", n)[0] for n in range(1, path.count("/") + 1)]
        if path in model or any(model.get(parent) for parent in parents):
            continue
        model.update(dict.fromkeys(parents))
        model[path] = draw(st.none() | _content)
    return model


@contextmanager
def on_disk(model: Model, *, seed: int = 0) -> Iterator[Path]:
    """Write the tree in an order, with times and further modes, drawn from `seed`."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name) / f"tree-{seed}"
        root.mkdir()
        paths = list(model)
        dice.shuffle(paths)
        for path in paths:
            write(root / path, model[path], dice)
        yield root


def write(path: Path, content: tuple[bytes, bool] | None, dice: random.Random) -> None:
    if content is None:
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content[0])
    path.chmod(dice.choice([0o700, 0o755, 0o610, 0o441]) if content[1] else dice.choice([0o600, 0o644, 0o440]))
    os.utime(path, (dice.randrange(2**31), dice.randrange(2**31)))


def receipt_of(model: Model, *, seed: int = 0) -> str:
    with on_disk(model, seed=seed) as root:
        return content_receipt(verify_representable(read_tree(root)))


@given(models(), st.integers(1, 1000))
@settings(max_examples=40, deadline=None)
def test_order_of_creation_times_further_modes_and_place_never_change_it(model: Model, seed: int) -> None:
    assert receipt_of(model) == receipt_of(model, seed=seed)


def flip_a_byte(model: Model, path: str, dice: random.Random) -> None:
    content = model[path]
    assert content is not None
    data = bytearray(content[0] or b"\0")
    data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    model[path] = (bytes(data), content[1])


def append_a_byte(model: Model, path: str, dice: random.Random) -> None:
    content = model[path]
    assert content is not None
    model[path] = (content[0] + b"\0", content[1])


def change_the_executable_bit(model: Model, path: str, dice: random.Random) -> None:
    content = model[path]
    assert content is not None
    model[path] = (content[0], not content[1])


def remove(model: Model, path: str, dice: random.Random) -> None:
    del model[path]


def rename(model: Model, path: str, dice: random.Random) -> None:
    model[path + "x"] = model.pop(path)


def move_to_the_root(model: Model, path: str, dice: random.Random) -> None:
    model["moved-" + path.rpartition("/")[2]] = model.pop(path)


def add_an_empty_file(model: Model, path: str, dice: random.Random) -> None:
    model[path + "x"] = (b"", False)


def add_a_hidden_file(model: Model, path: str, dice: random.Random) -> None:
    model[".DS_Store"] = (b"junk", False)


def add_an_empty_directory(model: Model, path: str, dice: random.Random) -> None:
    model[path + "x"] = None


def replace_by_a_directory(model: Model, path: str, dice: random.Random) -> None:
    model[path] = None


def change_line_endings(model: Model, path: str, dice: random.Random) -> None:
    content = model[path]
    assert content is not None
    model[path] = (content[0].replace(b"\n", b"\r\n") + b"\r", content[1])


@pytest.mark.parametrize(
    "change",
    [
        flip_a_byte, append_a_byte, change_the_executable_bit, remove, rename, move_to_the_root, add_an_empty_file,
        add_a_hidden_file, add_an_empty_directory, replace_by_a_directory, change_line_endings,
    ],
)  # fmt: skip
@given(models(), _content, st.integers(0, 2**32))
@settings(max_examples=15, deadline=None)
def test_any_change_that_counts_changes_it(
    change: Callable[[Model, str, random.Random], None],
    model: Model,
    content: tuple[bytes, bool],
    seed: int,
) -> None:
    dice = random.Random(seed)
    model = {"z-file": content, **model}
    files = [path for path, kept in model.items() if kept is not None]
    changed = dict(model)
    change(changed, dice.choice(files), dice)
    assert receipt_of(model) != receipt_of(changed)


@given(models(), models())
@settings(max_examples=40, deadline=None)
def test_two_trees_have_one_receipt_only_if_they_are_one(one: Model, other: Model) -> None:
    assert (receipt_of(one) == receipt_of(other)) == (one == other)


@given(models())
@settings(max_examples=30, deadline=None)
def test_the_manifest_alone_tells_the_whole_tree(model: Model) -> None:
    with on_disk(model) as root:
        lines = build_manifest(read_tree(root)).decode().split("\n")
    told = {line.split(" ", 4)[4]: line.split(" ", 4)[:3] for line in lines[1:-2]}
    assert told == {
        path: ["d", "-", "-"] if content is None else ["f", "x" if content[1] else "-", str(len(content[0]))]
        for path, content in model.items()
    }
    assert list(told) == sorted(told, key=str.encode)


_HASH = """
import sys
from pathlib import Path
from plugseal.encode.treehash import content_receipt
from plugseal.intake.read import read_tree
print(content_receipt(read_tree(Path(sys.argv[1]))))
"""


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "0"},
        {"PYTHONHASHSEED": "1"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "latin-1"},
        {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
        {"LC_ALL": "tr_TR.ISO-8859-9", "PYTHONUTF8": "0"},
        {"TZ": "Pacific/Kiritimati"},
    ],
    ids=lambda e: " ".join(f"{k}={v}" for k, v in e.items()),
)
def test_hash_seed_and_locale_never_change_it(environment: dict[str, str]) -> None:
    model: Model = {"b/日本/é": (b"1", True), "C": None, "a-b": (b"2", False), "a/b": (b"3", False), "a": None}
    model |= {"b": None, "b/日本": None, "İ": (b"4", False)}
    with on_disk(model) as root:
        expected = content_receipt(read_tree(root))
        # `env -i` so that nothing of this test's own environment helps.
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "PYTHONPATH")}
        done = subprocess.run(
            [sys.executable, "-c", _HASH, root], env=kept | environment, capture_output=True, text=True, check=True
        )
    assert done.stdout.strip() == expected


def test_names_that_are_not_utf_8_are_told_apart_in_any_locale() -> None:
    script = (
        "import sys; from pathlib import Path; from plugseal.intake.read import read_tree;"
        "t = read_tree(Path(sys.argv[1])); print(ascii([e.path for e in t.entries]), [f.code for f in t.faults])"
    )
    with tempfile.TemporaryDirectory() as name:
        Path(os.fsdecode(os.fsencode(name) + b"/\xe9")).write_bytes(b"")
        Path(os.fsdecode(os.fsencode(name) + b"/\xc3\xa9")).write_bytes(b"")
        for environment in ({"LC_ALL": "C.UTF-8"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
            done = subprocess.run(
                [sys.executable, "-c", script, name], env=os.environ | environment, capture_output=True, text=True
            )
            assert done.stdout.strip() == r"['\xe9', '\udce9'] ['not-utf-8']", done.stderr


def as_tar(root: Path) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(root, ".")
    return buffer.getvalue()


def as_zip(root: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            archive.write(path, path.relative_to(root))
    return buffer.getvalue()


_PACKERS = {".tar": as_tar, ".tar.gz": lambda root: gzip.compress(as_tar(root)), ".zip": as_zip}


@given(models(), st.sampled_from(sorted(_PACKERS)))
@settings(max_examples=40, deadline=None)
def test_packing_never_changes_it(model: Model, suffix: str) -> None:
    with on_disk(model) as root:
        shutil.copystat(__file__, root)  # A tar tells the root's own mode too.
        packed = root.with_name(f"packed{suffix}")
        # Dates before 1980 have no place in a zip.
        for path in root.rglob("*"):
            os.utime(path, (10**9, 10**9))
        packed.write_bytes(_PACKERS[suffix](root))
        assert content_receipt(read_tree(packed)) == content_receipt(read_tree(root))
