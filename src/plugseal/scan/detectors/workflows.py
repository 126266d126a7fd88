"""Workflows of GitHub that let a stranger's words, or a stranger's code, run with the rights of the repository.

An expression is put into a script before the shell sees it, so quoting does not help. Which parts of an event strangers
write is a closed list; which events give their words the repository's secrets and rights is another.

See: https://docs.github.com/en/actions/concepts/security/script-injections
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit

_SYSTEM: Final = "github-actions"
_EXPRESSION: Final = lazy(r"\$\{\{(.{1,2000}?)\}\}", re.DOTALL)
_ENVIRONMENT: Final = lazy(r"\benv\.(\w+)|\benv\[\s*'(\w+)'\s*\]")
_ANSWERS: Final = lazy(r"(?i)\b(?:contains|startsWith|endsWith|hashFiles)\s*\([^()]*\)")
"""Functions whose value is true, false or a hash, whatever they are given."""
_COMPARED: Final = lazy(r"(?<![\w.*\[\]'-])[\w.*\[\]'-]+\s*(?:==|!=|<=?|>=?)\s*(?:'[^']*'|[\w.*\[\]-]+)")
_TEXT: Final = lazy(r"'(?:[^']|'')*'")
_INDEX: Final = lazy(r"\[\s*'([\w-]+)'\s*\]|\[\s*(\d+|\*)\s*\]")
_STRANGERS: Final = lazy(
    r"(?i)\bgithub\.(?:head_ref|event\.(?:"
    r"(?:issue|pull_request|comment|review|review_comment|discussion)\.(?:title|body)"
    r"|pull_request\.head\.(?:ref|label|repo\.(?:default_branch|description|homepage|name|full_name))"
    r"|(?:head_commit|commits\.[\w*]+|workflow_run\.head_commit)\.(?:message|author\.(?:name|email)|committer\.(?:name|email))"
    r"|workflow_run\.(?:head_branch|display_title|head_repository\.(?:description|default_branch)"
    r"|pull_requests\.[\w*]+\.head\.ref)"
    r"|pages\.[\w*]+\.(?:page_name|title)|changes\.\w+\.from))\b"
)
_WHOLE: Final = lazy(
    r"(?i)\btoJSON\(\s*github(?:\.event(?:\.(?:issue|pull_request|comment|review|discussion|head_commit|commits|workflow_run))?)?\s*\)"
)
_PRIVILEGED: Final = frozenset(
    "pull_request_target issues issue_comment discussion discussion_comment workflow_run gollum fork watch "
    "workflow_call unknown".split()
)
"""Events that strangers cause and that run with the repository's rights; who calls a shared workflow is not known."""
_LIMITED: Final = frozenset({"pull_request", "pull_request_review", "pull_request_review_comment"})
"""Events that run without secrets where a fork causes them, and with them where a branch does."""
_CHECKED_OUT: Final = frozenset(
    {"pull_request_target", "workflow_run", "issue_comment", "issues", "discussion_comment"}
)
_HEAD: Final = lazy(
    r"(?i)\bgithub\.(?:head_ref|event\.(?:pull_request\.head\.(?:sha|ref|repo\.\w+)|pull_request\.merge_commit_sha"
    r"|workflow_run\.(?:head_sha|head_branch|head_repository\.\w+)))\b|refs/pull/\$?\{?"
)
_FETCHED: Final = lazy(r"\bgh\s+pr\s+checkout\b|\bgit\s+pull\b[^\n]{0,400}\bpull/[^\n]{0,120}/(?:head|merge)\b")
_BROUGHT: Final = lazy(r"\bgit\s+fetch\b[^\n]{0,400}\bpull/[^\n]{0,120}/(?:head|merge)\b")
_PUT: Final = lazy(r"\bgit\s+(?:checkout|switch|reset|merge|rebase|cherry-pick)(?![\w-])")
"""Puts what was fetched into the working folder; until then it is only looked at."""
_SCRIPT_ACTION: Final = lazy(r"\bactions/github-script@")
_CHECKOUT_ACTION: Final = lazy(r"\bactions/checkout(?:@|\Z)")


def look_for_templates(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find what strangers write put into scripts that run with the repository's rights."""
    return _templates(plugin, _PRIVILEGED)


def look_for_limited_templates(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find what strangers write put into scripts of events that give a fork no rights."""
    return (hit for hit in _templates(plugin, _LIMITED) if hit.component and not _events(hit.component) & _PRIVILEGED)


def look_for_untrusted_checkout(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find jobs that fetch the code of a stranger's change and go on with the repository's rights."""
    if plugin.system != _SYSTEM:
        return
    steps = sorted(plugin.components, key=lambda one: (one.file, one.span))
    for number, step in enumerate(steps):
        event = next(iter(sorted(_events(step) & _CHECKED_OUT)), None)
        fetched = _fetched(step, steps[number:]) if event is not None else ""
        if fetched and any(_runs(later, step) for later in steps[number:]):
            yield ManifestHit(step, fetched, f"on {event}: code of a change that anybody may propose")


def _templates(plugin: Plugin, wanted: frozenset[str]) -> Iterator[ManifestHit]:
    if plugin.system != _SYSTEM:
        return
    for step in plugin.components:
        if not _events(step) & wanted:
            continue
        variables = dict(step.literals)
        for expression in _EXPRESSION.findall(_script(step)):
            found = _stranger(expression, variables)
            if found:
                yield ManifestHit(step, "${{" + expression + "}}", f"`{found}` is put into the script", None)
                break


def _stranger(expression: str, variables: dict[str, str]) -> str:
    """Return the part of an expression that a stranger writes, empty where its value holds none."""
    plain = _INDEX.sub(lambda match: f".{match[1] or match[2]}", expression)
    whole = _WHOLE.search(plain)
    if whole is not None:
        return whole[0]
    left = _ANSWERS.sub("true", _COMPARED.sub("true", plain))
    left = _TEXT.sub("''", left)
    found = _STRANGERS.search(left)
    if found is not None:
        return found[0]
    for name in (first or second for first, second in _ENVIRONMENT.findall(expression)):
        for inner in _EXPRESSION.findall(variables.get(name, "")):
            behind = _stranger(inner, {})
            if behind:
                return f"env.{name}, which is {behind}"
    return ""


def _script(step: Component) -> str:
    """Return the text of a step that a shell or an interpreter runs."""
    if step.kind is ComponentKind.SCRIPT and step.command:
        return step.command[-1]
    if step.kind is ComponentKind.SOURCE and _SCRIPT_ACTION.search(step.name):
        return str(_with(step).get("script", ""))
    return ""


def _fetched(step: Component, later: Iterable[Component]) -> str:
    """Return the words by which a step fetches what a stranger proposes, empty for every other step.

    Args:
        step: to look at.
        later: this step and those after it.
    """
    if step.kind is ComponentKind.SOURCE and _CHECKOUT_ACTION.search(step.name):
        given = (str(_with(step).get(key, "")) for key in ("ref", "repository"))
        return next((text for text in given if _HEAD.search(_INDEX.sub(r".\1", text))), "")
    text = _script(step)
    found = _FETCHED.search(text)
    if found is None and any(_is_of(one, step) and _PUT.search(_script(one)) for one in later):
        found = _BROUGHT.search(text)
    return found[0] if found else ""


def _is_of(later: Component, step: Component) -> bool:
    """Say whether two steps are of one job."""
    return later.file == step.file and _extra(later, "job") == _extra(step, "job")


def _runs(later: Component, step: Component) -> bool:
    """Say whether a later step of the same job runs something that may be of the code that was fetched."""
    if not _is_of(later, step):
        return False
    if later is step:
        return later.kind is ComponentKind.SCRIPT and "\n" in _script(later).strip()
    local = later.kind is ComponentKind.SOURCE and " ./" in later.name
    return local or (later.kind is ComponentKind.SCRIPT and bool(later.command))


def _events(step: Component) -> frozenset[str]:
    return frozenset(map(str, _extra(step, "on") or ()))


def _with(step: Component) -> dict[str, Any]:
    given = _extra(step, "with")
    return given if isinstance(given, dict) else {}


def _extra(step: Component, key: str) -> Any:
    """Return a value of a component's further data, None without."""
    return next((json.loads(text) for name, text in step.extra if name == key), None)
