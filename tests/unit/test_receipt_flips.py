"""No single bit of a receipt, a bundle or an SSH signature is free (all of them: `tests/bench/bench_receipts.py`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import flips


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
