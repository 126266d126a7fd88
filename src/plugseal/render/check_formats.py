"""What a policy says of a repository, for programs: JSON, SARIF, Markdown with what changed first, annotations."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import plugseal
from plugseal.model.checked import Checked, Objection, Verdict
from plugseal.render.check import count_of_check, why_it_passes
from plugseal.render.github import Annotation, render_annotations
from plugseal.render.json import Json, encode, finding_json
from plugseal.render.markdown import cut, finding_block, table
from plugseal.render.markdown_text import code, code_path, words
from plugseal.render.sarif import SCHEMA, message_text, relative_uri
from plugseal.render.text import plain

FORMAT: Final = "plugseal.check/1"
_MAX_RESULTS: Final = 25_000


def render_check_json(checked: Checked) -> Iterator[str]:
    """Yield the document `plugseal.check/1`, its last piece ended by a newline."""
    hidden = checked.hidden
    document: dict[str, Json] = {
        "format": FORMAT,
        "plugseal": plugseal.__version__,
        "root": checked.inventory.root,
        "policy": checked.policy,
        "passes": not checked.failed and not checked.is_open,
        "complete": not checked.is_open,
        "governance": [_objection(one) for one in checked.governance],
        "plugins": [_verdict(one) for one in checked.verdicts],
        "findings": [finding_json(one) for one in checked.findings],
        "notes": checked.notes,
        "baseline": None if hidden is None else {"hidden": hidden.number, "dead": hidden.dead},
    }
    yield encode(document) + "\n"


def _verdict(verdict: Verdict) -> Json:
    return {
        "id": verdict.id or None,
        "name": verdict.name,
        "system": verdict.system,
        "root": verdict.root,
        "verdict": verdict.word,
        "objections": [_objection(one) for one in verdict.objections],
        "excepted": [one._asdict() for one in verdict.excepted],
    }


def _objection(one: Objection) -> Json:
    return {"kind": one.kind, "message": one.message, "policy_line": one.line, "file": one.file, "line": one.at}


def render_check_markdown(checked: Checked) -> Iterator[str]:
    """Yield Markdown: what the change loosens first, then what fails, then the rest."""
    yield "### plugseal check\n\n"
    yield f"**{words(plain(count_of_check(checked)))}**\n"
    yield f"\nPolicy: {code(checked.policy, limit=400)}\n"
    if checked.governance:
        yield "\n#### The change loosens what it is judged by\n\n"
        rows = (f"- {code(one.message, limit=400)} in {code_path(one.file)}\n" for one in checked.governance)
        yield from cut(rows, 8_000, "change")
    failing = [(verdict, one) for verdict in checked.verdicts for one in verdict.objections]
    rows_of_failing = (
        (
            code(verdict.name, limit=60),
            code(one.message, limit=400),
            code_path(_where(verdict, one)),
            _line(checked, one),
        )
        for verdict, one in failing
    )
    yield from table(("Fails", "Why", "Where", "Asked in"), rows_of_failing, "objection")
    rest = (
        (code(one.name, limit=60), one.word, code(why_it_passes(one))) for one in checked.verdicts if not one.objections
    )
    yield from table(("Plugin", "Verdict", "Why"), rest, "plugin")
    yield from cut(map(finding_block, checked.findings), 16_000, "finding")
    for note in checked.notes[:50]:
        yield f"\n{code(note, limit=400)}\n"


def _where(verdict: Verdict, one: Objection) -> str:
    place = one.file or verdict.root
    return f"{place}:{one.at}" if one.file and one.at else place


def _line(checked: Checked, one: Objection) -> str:
    return code_path(f"{checked.file}:{one.line}") if one.line else "the default"


def render_check_github(checked: Checked, *, base: str = "") -> Iterator[str]:
    """Yield annotations and the count.

    Args:
        checked: the judgement.
        base: what leads from the repository's root to the judged one.
    """
    prefix = f"{base}/" if base else ""
    rows = [Annotation("error", "governance", one.message, prefix + one.file, one.at) for one in checked.governance]
    rows += [
        Annotation("error", f"{verdict.name}: {one.kind}", one.message, prefix + (one.file or verdict.root), one.at)
        for verdict in checked.verdicts
        for one in verdict.objections
    ]
    rows += [
        Annotation("warning", verdict.name, why_it_passes(verdict), prefix + verdict.root)
        for verdict in checked.verdicts
        if verdict.word == "open"
    ]
    yield from render_annotations(rows)
    yield plain(count_of_check(checked)) + "\n"


def render_check_sarif(checked: Checked, *, base: str = "") -> Iterator[str]:
    """Yield SARIF: one result for each objection.

    Args:
        checked: the judgement.
        base: what leads from the repository's root to the judged one.
    """
    prefix = f"{base}/" if base else ""
    rows = [("governance", one, one.file) for one in checked.governance]
    rows += [(v.name, one, one.file or v.root) for v in checked.verdicts for one in v.objections]
    kinds = sorted({one.kind for _, one, _ in rows})
    rules: list[Json] = [
        {"id": f"plugseal/policy-{kind}", "shortDescription": {"text": f"the policy: {kind}"}, "help": {"text": _HELP}}
        for kind in kinds
    ]
    results = [_result(name, one, prefix + file, kinds) for name, one, file in rows[:_MAX_RESULTS]]
    run: dict[str, Json] = {
        "tool": {"driver": {"name": "plugseal", "semanticVersion": plugseal.__version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "automationDetails": {"id": "plugseal/check/"},
        "invocations": [{"executionSuccessful": True, "properties": {"complete": not checked.is_open}}],
        "results": results,
    }
    yield encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


_HELP: Final = (
    "Change the plugin, have it reviewed, or except it in the policy with an owner, a reason and an end date."
)


def _result(name: str, one: Objection, file: str, kinds: list[str]) -> Json:
    mark = sha256("\0".join((name, one.kind, one.message)).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    where: dict[str, Json] = {"uri": relative_uri(file or "."), "uriBaseId": "%SRCROOT%"}
    place: Json = {"artifactLocation": where, "region": {"startLine": one.at or 1}}
    return {
        "ruleId": f"plugseal/policy-{one.kind}",
        "ruleIndex": kinds.index(one.kind),
        "level": "error",
        "message": {"text": f"{message_text(name)}: {message_text(one.message)}"},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"plugseal/v1": mark},
    }
