"""What `trust` makes of typed files, what the record says of it, and what a record of before says."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import StageError, StateError
from plugseal.model.trust import Approval
from plugseal.trust.record import parse_record, render_record
from plugseal.verbs.stages import collect_stages

TYPED = 'const word: string = "x";\nexport default { name: "p", status: (): string => word };\n'


def _trust_of(world: Any) -> Approval:
    (record,) = world.store.records()
    approval = record.standing.trust
    assert isinstance(approval, Approval)
    return approval


def test_types_that_cannot_be_erased_refuse_the_trust_with_every_place(world: Any) -> None:
    text = 'enum A { B }\nexport default { name: "p" };\nclass C { constructor(private x: A) {} }\n'
    with pytest.raises(StageError) as refused:
        world.trust("p.ts", text)

    assert refused.value.message == "types can't be erased"
    assert list(refused.value.details) == [
        "p.ts:1:1: `enum` makes code",
        "p.ts:3:23: a parameter property makes code",
    ]
    assert list(world.store.records()) == []
    assert [path for path in (world.store.home / "derived").iterdir() if path.name.startswith(".staging")] == []


def test_a_helper_whose_types_cannot_be_erased_is_told_by_its_path(world: Any) -> None:
    world.write("lib/kinds.ts", "export enum Kind { A }\n")
    world.write("p.ts", 'import { Kind } from "./lib/kinds.ts";\nexport default { name: "p", status: () => Kind.A };\n')
    with pytest.raises(StageError) as refused:
        world.trust_folder("p")

    assert list(refused.value.details) == ["lib/kinds.ts:1:8: `enum` makes code"]


def test_the_record_says_what_was_made_and_the_copy_stays_as_it_was(world: Any) -> None:
    world.trust("p.ts", TYPED)
    trust = _trust_of(world)
    stage, derived = (
        world.store.home / kind / name for kind, name in (("stage", trust.content), ("derived", trust.derived))
    )

    assert (stage / "p.ts").read_text() == TYPED
    assert (derived / "p.ts").read_text() == TYPED.replace(": string", " " * 8)
    assert (derived.stat().st_mode & 0o777, (derived / "p.ts").stat().st_mode & 0o777) == (0o500, 0o400)
    assert "node" in {name for name, _, _ in trust.interpreters} or shutil.which("node") is None


def test_trusting_again_makes_nothing_new(world: Any) -> None:
    world.trust("p.ts", TYPED)
    first = _trust_of(world).derived
    world.trust("p.ts", TYPED)

    assert _trust_of(world).derived == first
    assert sorted(path.name for path in (world.store.home / "derived").iterdir() if path.is_dir()) == [first]


def test_other_systems_and_plain_scripts_need_nothing_made(world: Any) -> None:
    world.trust("p.js", 'export default { name: "p" };')

    assert _trust_of(world).derived == ""
    assert not (world.store.home / "derived").exists()


def test_a_record_of_before_reads_and_writes_the_same_bytes(world: Any) -> None:
    world.trust("p.ts", TYPED)
    (record,) = world.store.records()
    secret = world.store.secret()
    standing = record.standing
    assert standing.trust is not None
    before = record._replace(standing=standing._replace(trust=standing.trust._replace(derived="")))
    data = render_record(before, secret)

    assert b'"derived"' not in data
    assert b'"derived"' in render_record(record, secret)
    assert parse_record(data, secret) == before
    assert parse_record(render_record(record, secret), secret) == record


@pytest.mark.parametrize("value", ['""', '"x"', "null", "5"])
def test_a_record_with_another_value_there_is_refused(world: Any, value: str) -> None:
    world.trust("p.ts", TYPED)
    (record,) = world.store.records()
    secret = world.store.secret()
    digest = f'"{record.standing.trust.derived}"'
    data = render_record(record, secret).replace(digest.encode(), value.encode())

    with pytest.raises(StateError):
        parse_record(data, secret)


def test_what_no_trust_needs_is_removed(world: Any) -> None:
    world.trust("p.ts", TYPED)
    first = _trust_of(world).derived
    world.trust("p.ts", TYPED + "\n")
    second = _trust_of(world).derived

    assert first != second
    assert collect_stages(world.store) == 2
    assert sorted(path.name for path in (Path(world.store.home) / "derived").iterdir() if path.is_dir()) == [second]
