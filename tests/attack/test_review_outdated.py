"""A receipt under other rules: what was reviewed holds, what is new is `review-outdated`, launch data must be equal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from plugseal.encode.plain import render_signed_json
from plugseal.model.look import Look
from plugseal.model.statement import Reviewed
from plugseal.verbs.look import look
from plugseal.verbs.outdated import compare_documents
from plugseal.verbs.receipts.folder import write_receipt
from plugseal.verbs.receipts.verify import verify_receipt
from plugseal.verbs.select import Selection
from tests import reviewers as people

SAMPLE = Path(__file__).parents[2] / "fixtures" / "sample" / "agent-tools" / "plugins" / "deploy-helper"
Change = Callable[[dict[str, Any]], object]


ALICE = people.Reviewer("alice")
TEAM = people.team_of_lines(ALICE.line())


@pytest.fixture(scope="module")
def today() -> Look:
    return look(Selection(SAMPLE))


def reviewed(today: Look, change: Change) -> dict[str, Any]:
    """Return the document of a review on another day."""
    document: dict[str, Any] = json.loads(today.document)
    change(document)
    return document


def signed(today: Look, document: dict[str, Any], folder: Path) -> Path:
    """Sign a review whose scan saw this document, and write it with the document beside it."""
    data = render_signed_json(document)
    capability = hashlib.sha256(data).hexdigest()
    plugin = Reviewed(today.plugin.system, today.plugin.name, today.plugin.version)
    changes = {"plugin": plugin, "content": today.report.content_receipt, "capability": capability}
    file, receipt = ALICE.sign(**changes)
    token, name = file.split("/")[1:]
    return write_receipt(folder / token, name, receipt, data)


HOLD: dict[str, Change] = {
    "the same": lambda document: None,
    "an older scanner saw more": lambda document: document["capabilities"].append(
        ["persistence", None, "code", "tool"]
    ),
}
OUTDATED: dict[str, Change] = {
    "an older scanner saw less": lambda document: document["capabilities"].pop(),
    "an object that was known is unknown now": lambda document: document["capabilities"].__setitem__(
        0, [document["capabilities"][0][0], "*", *document["capabilities"][0][2:]]
    ),
    "another launch command": lambda document: document["components"][0].update(command=["other"]),
    "another version": lambda document: document.update(version="9"),
    "another permission": lambda document: document["permissions"].append("all"),
    "a field that is gone": lambda document: document.pop("links"),
    "a field that is new": lambda document: document.update(more=1),
}


@pytest.mark.parametrize("change", HOLD.values(), ids=HOLD)
def test_facts_within_the_reviewed_document_hold(today: Look, tmp_path: Path, change: Change) -> None:
    path = signed(today, reviewed(today, change), tmp_path)
    assert verify_receipt(path, team=TEAM, look=today, now=people.NOW).holds


@pytest.mark.parametrize("change", OUTDATED.values(), ids=OUTDATED)
def test_anything_else_is_outdated(today: Look, tmp_path: Path, change: Change) -> None:
    path = signed(today, reviewed(today, change), tmp_path)
    found = verify_receipt(path, team=TEAM, look=today, now=people.NOW)
    assert found.reason == "review-outdated"
    assert found.steps[-1].verdict == "no"


def test_a_missing_document_is_no_reviewed_one(today: Look, tmp_path: Path) -> None:
    path = signed(today, reviewed(today, HOLD["an older scanner saw more"]), tmp_path)
    (path.parent / "capabilities.json").unlink()
    assert verify_receipt(path, team=TEAM, look=today, now=people.NOW).reason == "review-outdated"


def test_a_widened_document_is_not_the_one_that_was_signed(today: Look, tmp_path: Path) -> None:
    path = signed(today, reviewed(today, OUTDATED["an older scanner saw less"]), tmp_path)
    (path.parent / "capabilities.json").write_bytes(today.document)
    assert verify_receipt(path, team=TEAM, look=today, now=people.NOW).reason == "document-changed"


def test_the_same_bytes_under_another_name_are_another_plugin(today: Look, tmp_path: Path) -> None:
    path = signed(today, reviewed(today, HOLD["the same"]), tmp_path)
    report = today.report._replace(plugin=today.plugin._replace(name="other"))
    assert verify_receipt(path, team=TEAM, look=today._replace(report=report), now=people.NOW).reason == "other-plugin"


def test_what_is_new_is_named() -> None:
    old = {"capabilities": [["fs.read", "/a", "code", "tool"]]}
    new = {"capabilities": [["fs.read", "/a", "code", "tool"], ["fs.read", None, "code", "tool"]]}
    assert compare_documents(old, json.dumps(new).encode()) == ["new: fs.read ? code tool"]
