"""A committed trail is no older than what was signed of it, and that of one plugin alone."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from plugseal.encode.note import render_signature
from plugseal.errors import PlugsealError
from plugseal.model.team_policy import TrailDemand
from plugseal.signing.keys import KeyKind
from plugseal.signing.private import make_key
from plugseal.signing.signers import Entry
from plugseal.signing.team import team_of
from plugseal.trust.checkpoint import Checkpoint, render_checkpoints
from plugseal.trust.export import parse_exports, render_export
from plugseal.trust.trail import Trail
from plugseal.verbs.policies.trail import judge_trail

DEMAND = TrailDemand("audit", "audit/checkpoints", "plugseal-trust", 1, True, 1)
KEY = make_key(KeyKind.ED25519)
TEAM = team_of((Entry(("dana",), KEY.public, ("plugin-review@plugseal",), None, None, False, 1),))
SECRET = bytes(32)


def _trail(count: int, *, word: str = "enabled") -> Trail:
    trail = Trail()
    for _ in range(count):
        trail = trail.append({"action": word})
    return trail


def _signed(trail: Trail, *, key: str = "a" * 64) -> str:
    text = render_checkpoints([Checkpoint("0" * 16, key, "reviews", trail.size, trail.root())])
    return f"{text}\n{render_signature('dana', KEY.public.raw, KEY.sign_dsse(text.encode()))}"


def _judged(folder: Path, exports: dict[str, Trail], *notes: str, before: dict[str, bytes] | None = None) -> list[str]:
    (folder / "audit").mkdir()
    for plugin, trail in exports.items():
        lines = "".join(render_export("reviews", trail, SECRET, id=plugin))
        (folder / "audit" / f"{plugin}.jsonl").write_text(lines)
    (folder / "audit" / "checkpoints").write_text("\n".join(notes))
    verdict = judge_trail(folder, DEMAND, TEAM, before=before, now=0)
    return [one.message for one in verdict.objections]


def test_a_trail_that_goes_on_from_all_that_was_signed_passes(tmp_path: Path) -> None:
    assert _judged(tmp_path, {"a": _trail(5)}, _signed(_trail(2)), _signed(_trail(4)), _signed(_trail(2))) == []


def test_an_export_from_before_the_newest_signed_checkpoint_is_named(tmp_path: Path) -> None:
    (message,) = _judged(tmp_path, {"a": _trail(3)}, _signed(_trail(2)), _signed(_trail(4)))
    assert "does not go on from the newest checkpoint" in message


def test_two_histories_that_were_both_signed_are_named(tmp_path: Path) -> None:
    other = _trail(2).append({"action": "revoked"}).append({"action": "trusted"})
    (message,) = _judged(tmp_path, {"a": _trail(4)}, _signed(_trail(2)), _signed(_trail(4)), _signed(other))
    assert "does not go on from the newest checkpoint" in message


def test_a_trail_under_the_name_of_another_plugin_is_named(tmp_path: Path) -> None:
    (message,) = _judged(tmp_path, {"a": _trail(3), "b": _trail(3)}, _signed(_trail(3)))
    assert "the trail `reviews` of `b` is that of `a` under another name" in message


def test_trails_of_two_plugins_that_were_each_signed_pass(tmp_path: Path) -> None:
    exports = {"a": _trail(3), "b": _trail(2, word="trusted")}
    notes = (_signed(exports["a"]), _signed(exports["b"], key="b" * 64))
    assert _judged(tmp_path, exports, *notes) == []


def test_two_trails_that_began_with_the_same_entries_are_told_apart(tmp_path: Path) -> None:
    begun = _trail(1)
    exports = {"a": begun.append({"action": "revoked"}), "b": begun.append({"action": "trusted"})}
    notes = [_signed(trail, key=key * 64) for key in "ab" for trail in (begun, exports[key])]
    assert _judged(tmp_path, exports, *notes) == []


def test_what_lies_in_a_folder_below_is_no_trail_of_the_base(tmp_path: Path) -> None:
    lines = "".join(render_export("reviews", _trail(2), SECRET, id="a")).encode()
    assert _judged(tmp_path, {"b": _trail(3)}, _signed(_trail(3)), before={"audit/below/a.jsonl": lines}) == []
    (tmp_path / "again").mkdir()
    (gone,) = _judged(tmp_path / "again", {"b": _trail(3)}, _signed(_trail(3)), before={"audit/a.jsonl": lines})
    assert "the trail `reviews` of `a` is gone" in gone


def test_two_trails_with_the_same_entries_pass(tmp_path: Path) -> None:
    exports = {"a": _trail(2), "b": _trail(2)}
    assert _judged(tmp_path, exports, *(_signed(exports[key], key=key * 64) for key in "ab")) == []


@pytest.mark.parametrize("seed", range(40))
def test_whatever_was_done_to_an_export_it_is_refused_with_our_error_or_read(seed: int) -> None:
    found = random.Random(seed)
    data = bytearray("".join(render_export("reviews", _trail(40), SECRET, id="a")).encode())
    for _ in range(found.randrange(1, 4)):
        at = found.randrange(len(data))
        data[at : at + found.randrange(3)] = found.choice(
            [b"", b"\n", b"[" * 2000, b"\xff", b"null", b'{"a":1}', b"1e9"]
        )
    try:
        parse_exports(bytes(data), None)
    except PlugsealError:
        return
