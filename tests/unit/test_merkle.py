"""RFC 6962: proofs that others made and broke, roots against a plain definition, ranges that forget their leaves."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugseal.encode.merkle import (
    EMPTY,
    CompactRange,
    empty_root,
    leaf_hash,
    merkle_root,
    node_hash,
)
from tests.merkle_proofs import is_consistent, is_included

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "merkle-proofs.json").read_text(encoding="utf-8")
)
LEAVES = [leaf_hash(bytes([number])) for number in range(200)]


def _bytes(text: str | None) -> bytes:
    return base64.b64decode(text or "")


@pytest.mark.parametrize("name", sorted(VECTORS["inclusion"]))
def test_a_proof_of_inclusion_is_judged_as_its_authors_do(name: str) -> None:
    case = VECTORS["inclusion"][name]
    proof = [_bytes(item) for item in case["proof"] or ()]
    holds = is_included(case["leafIdx"], case["treeSize"], _bytes(case["leafHash"]), proof, _bytes(case["root"]))
    assert holds is not case["wantErr"]


@pytest.mark.parametrize("name", sorted(VECTORS["consistency"]))
def test_a_proof_of_consistency_is_judged_as_its_authors_do(name: str) -> None:
    case = VECTORS["consistency"][name]
    proof = [_bytes(item) for item in case["proof"] or ()]
    holds = is_consistent(case["size1"], case["size2"], _bytes(case["root1"]), _bytes(case["root2"]), proof)
    assert holds is not case["wantErr"]


def test_all_vectors_are_there() -> None:
    assert (len(VECTORS["inclusion"]), len(VECTORS["consistency"])) == (98, 98)


def _plain_root(leaves: Sequence[bytes]) -> bytes:
    """Return the root as section 2.1 of the RFC defines it."""
    if len(leaves) < 2:
        return leaves[0] if leaves else empty_root()
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return node_hash(_plain_root(leaves[:left]), _plain_root(leaves[left:]))


@pytest.mark.parametrize("size", range(70))
def test_a_root_is_the_one_of_the_definition(size: int) -> None:
    assert merkle_root(LEAVES[:size]) == _plain_root(LEAVES[:size])


@given(st.lists(st.integers(0, 200), min_size=3, max_size=3).map(sorted))
def test_ranges_join_to_the_tree_over_all_their_leaves(cuts: list[int]) -> None:
    first, second, third = cuts
    right = CompactRange(second, second, ()).extend(LEAVES[second:third])
    middle = CompactRange(first, first, ()).extend(LEAVES[first:second])
    assert middle.join(right) == CompactRange(first, first, ()).extend(LEAVES[first:third])
    assert EMPTY.extend(LEAVES[:first]).join(middle).join(right).root() == _plain_root(LEAVES[:third])


def test_a_million_leaves_take_twenty_hashes() -> None:
    size = 1_000_000
    assert len(CompactRange(0, size, (b"\0" * 32,) * size.bit_count()).hashes) <= 20


@pytest.mark.parametrize(
    ("begin", "end", "hashes"),
    [
        pytest.param(2, 1, (), id="backwards"),
        pytest.param(-1, 0, (b"\0" * 32,), id="below zero"),
        pytest.param(0, 3, (b"\0" * 32,), id="too few hashes"),
        pytest.param(0, 1, (b"\0" * 31,), id="a short hash"),
    ],
)
def test_a_range_that_is_none_is_refused(begin: int, end: int, hashes: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match=r"range|hash"):
        CompactRange(begin, end, hashes)


def test_only_a_range_from_the_first_leaf_has_a_root() -> None:
    with pytest.raises(ValueError, match="first leaf"):
        CompactRange(1, 2, (LEAVES[1],)).root()
    with pytest.raises(ValueError, match="begins where"):
        EMPTY.join(CompactRange(1, 2, (LEAVES[1],)))
