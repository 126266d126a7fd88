"""A review as JSON: `plugseal.review/1`, described in `docs/reference/json.md`."""

from __future__ import annotations

from collections.abc import Iterator

import plugseal
from plugseal.model.change import Change
from plugseal.model.review import Review
from plugseal.model.secrets import mask_secrets
from plugseal.model.trust import Standing
from plugseal.render.json import Json, encode, finding_json, plugin_json, reached_json

REVIEW_FORMAT = "plugseal.review/1"


def render_review_json(review: Review) -> Iterator[str]:
    """Yield the document, ended by a newline."""
    look = review.look
    document: dict[str, Json] = {
        "format": REVIEW_FORMAT,
        "plugseal": plugseal.__version__,
        "path": look.path,
        "id": look.id,
        "root": look.subject.root,
        "scope": look.subject.scope,
        "status": review.status.value,
        "recorded": None if review.standing is None else standing_json(review.standing),
        "changed": None if review.change is None else change_json(review.change),
        "change_unknown": review.change_unknown or None,
        "plugin": plugin_json(look.report),
        "can": [
            {
                "capability": ability.capability,
                "object": None if ability.object is None else mask_secrets(ability.object),
                "triggers": ability.triggers,
                "channels": ability.channels,
                "places": [{"file": file, "line": line} for file, line in ability.places],
                "declared": ability.declared,
                "reached": None if ability.reached is None else reached_json(ability.reached[0]),
            }
            for ability in review.abilities
        ],
        "findings": [finding_json(finding) for finding in look.findings],
        "left_out": look.inventory.left_out,
        "rules": {"count": look.inventory.rules, "digest": look.inventory.rules_digest},
        "unknown_objects": look.unknown,
        "host_tokens": [
            {"host": host.host, "id": host.id, **token._asdict()} for host in review.hosts for token in host.tokens
        ],
        "token": look.report.token,
    }
    yield "{\n" + ",\n".join(f'  "{key}": {encode(value)}' for key, value in document.items()) + "\n}\n"


def standing_json(standing: Standing) -> Json:
    """Return what is recorded about trust; no credential is ever part of it."""
    trust = standing.trust
    return {
        "incarnation": standing.incarnation,
        "generation": standing.generation,
        "enabled": standing.enabled,
        "forgotten": standing.forgotten,
        "trust": None
        if trust is None
        else {
            "content_receipt": trust.content,
            "capability_receipt": trust.capability,
            "at": trust.at,
            "by": {
                "user": trust.by.user,
                "uid": trust.by.uid,
                "terminal": trust.by.terminal,
                "parents": trust.by.parents,
            },
            "rules": trust.rules,
            "scanner": trust.scanner,
            "unread": trust.unread,
            "unknown_objects": trust.unknown,
            "only": trust.only,
            "interpreters": [
                {"name": name, "path": path, "sha256": digest} for name, path, digest in trust.interpreters
            ],
        },
    }


def change_json(change: Change) -> Json:
    """Return how two states of a plugin differ, values without credentials."""
    return {
        "comes_to": change.comes_to,
        "capabilities": {
            "added": [_masked_row(row._asdict()) for row in change.capabilities_added],
            "removed": [_masked_row(row._asdict()) for row in change.capabilities_removed],
        },
        "components": {
            "added": [{"kind": kind, "name": name} for kind, name in change.components_added],
            "removed": [{"kind": kind, "name": name} for kind, name in change.components_removed],
            "changed": [
                {
                    "kind": one.kind,
                    "name": one.name,
                    "fields": [
                        {"field": field, "before": mask_secrets(before), "after": mask_secrets(after)}
                        for field, before, after in one.fields
                    ],
                }
                for one in change.components_changed
            ],
            "unchanged": [{"kind": kind, "name": name} for kind, name in change.components_same],
        },
        "about": [
            {"field": field, "before": mask_secrets(before), "after": mask_secrets(after)}
            for field, before, after in change.about
        ],
        "files": {
            "added": change.files_added,
            "removed": change.files_removed,
            "changed": [
                {"file": one.path, "what": one.what, "added": one.added, "removed": one.removed}
                for one in change.files_changed
            ],
        },
    }


def _masked_row(row: dict[str, str | None]) -> Json:
    return {key: value if value is None else mask_secrets(value) for key, value in row.items()}
