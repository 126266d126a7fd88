"""No single bit of a receipt, a bundle or an SSH signature is free (all of them: `tests/bench/bench_receipts.py`)."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _load(name: str) -> ModuleType:
    """Import a helper of all tests by its path: test folders are no packages."""
    module_name = f"plugseal_tests_{name}"
    if module_name not in sys.modules:
        path = Path(__file__).resolve().parents[1] / f"{name}.py"
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    return sys.modules[module_name]


flips = _load("flips")


@pytest.mark.parametrize("subject", list(flips.subjects()), ids=lambda subject: subject.name)
def test_no_bit_is_free(subject: Any) -> None:
    assert subject.accepts(subject.data)
    # 29 is prime to 8, so that every bit of a byte is met, and every part of the data.
    accepted = [changed for changed in flips.flipped(subject.data, step=29) if subject.accepts(changed)]
    accepted += [changed for changed in flips.flipped(subject.data[-80:], step=1) if subject.accepts(changed)]

    assert accepted == []


@pytest.mark.parametrize(
    "subject", [one for one in flips.subjects() if not one.name.startswith("sshsig")], ids=lambda subject: subject.name
)
def test_no_field_is_free(subject: Any) -> None:
    value = json.loads(subject.data)
    changes = [changed for changed in flips.changed_fields(value) if changed != value]

    assert len(changes) > 100
    assert [changed for changed in changes if subject.accepts(json.dumps(changed).encode())] == []
