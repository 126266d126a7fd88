"""Whatever stands in place of any value of any fixture's documents, describing them ends in data or faults."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plugseal.encode.json5 import build_json
from plugseal.errors import DataError
from plugseal.scan.discover import manifest_facts
from tests.described import described
from tests.materialise import materialise

_TESTS = Path(__file__).resolve().parents[1]
_FIXTURES = sorted(
    path for path in (_TESTS.parent / "fixtures").glob("*/*") if path.is_dir() and path.parent.name != "sample"
)
_VALUES: tuple[object, ...] = (None, 1, "x", ["a", None], [{}], {"a": {}})


def _places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield above
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _places(value[key], (*above, key))


def _with(document: Any, place: tuple[Any, ...], value: object) -> Any:
    if not place:
        return value
    changed = copy.deepcopy(document)
    holder = changed
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = value
    return changed


def _documents(files: dict[str, str]) -> Iterator[tuple[str, Any]]:
    for path, text in files.items():
        if path.endswith((".json", ".hook", ".code-workspace")):
            try:
                yield path, json.loads(build_json(text.encode()))
            except (DataError, ValueError):  # a fixture that is broken on purpose
                continue


@pytest.mark.parametrize("fixture", [pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in _FIXTURES])
def test_no_value_in_any_place_is_too_odd(fixture: Path, tmp_path: Path) -> None:
    root = materialise(fixture, tmp_path / "tree")
    paths = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    files = {path.relative_to(root).as_posix(): path.read_bytes().decode("utf-8", "replace") for path in paths}
    for path, document in _documents(files):
        for place in _places(document):
            for value in _VALUES:
                for plugin in described({**files, path: json.dumps(_with(document, place, value))}):
                    list(manifest_facts(plugin))
