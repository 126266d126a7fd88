"""Explain one identifier: a rule, a capability, an error or a reason of refusal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plugseal import errors
from plugseal.errors import PlugsealError, UsageError
from plugseal.intake.faults import FAULTS
from plugseal.model.capability import Capability
from plugseal.model.decision import Reason
from plugseal.model.explanation import Explanation
from plugseal.rules.load import load_rules
from plugseal.rules.rule import Rule
from plugseal.verbs.meanings import MEANINGS
from plugseal.verbs.reasons import BROKEN_MANIFEST, ERRORS, REFUSALS
from plugseal.verbs.receipts.reasons import RECEIPT_REASONS


def explain(identifier: str) -> Explanation:
    """Return what is known of one identifier, as any output of plugseal spells it.

    Raises:
        UsageError: if nothing has that identifier; the hint names the nearest.
        RuleError: if the rules are not sound.
    """
    word = _bare(identifier)
    found = _capability(word) or _reason(word) or _gate_reason(word) or _receipt_reason(word) or _error(word)
    if found:
        return found
    rule = load_rules().by_id(word)
    if rule:
        return explain_rule(rule)
    near = _nearest(word, known_identifiers())
    raise UsageError(
        f"nothing is called `{identifier}`",
        hint=f"did you mean `{near}`?" if near else "rules are listed by `plugseal rules list`",
    )


def _bare(identifier: str) -> str:
    """Take an identifier out of what is easily copied with it: `high[subprocess-shell]`, case, spaces."""
    word = identifier.strip().strip("`").lower()
    if word.endswith("]") and "[" in word:
        word = word[word.rindex("[") + 1 : -1]
    return word.removeprefix("plugseal/")


def known_identifiers() -> tuple[str, ...]:
    """Return everything that can be explained, sorted."""
    rules = (rule.id for rule in load_rules().rules)
    reasons = (reason.value for reason in Reason)
    return tuple(sorted({*MEANINGS, *REFUSALS, *ERRORS, *RECEIPT_REASONS, *reasons, *rules}))


def explain_rules(identifiers: Iterable[str]) -> tuple[Explanation, ...]:
    """Return the pages of some rules, each once, sorted by id.

    Raises:
        RuleError: if the rules are not sound.
    """
    wanted = frozenset(identifiers)
    return tuple(explain_rule(rule) for rule in load_rules().rules if rule.id in wanted) if wanted else ()


def explain_rule(rule: Rule) -> Explanation:
    """Return the page of a rule."""
    facts = [("severity", rule.severity.value), ("confidence", rule.confidence.value)]
    if rule.capability:
        facts.append(("capability", rule.capability))
    facts += [("languages", ", ".join(rule.languages)), ("since", rule.since)]
    what, why, remedy = rule.what.strip(), rule.why.strip(), rule.remedy.strip()
    return Explanation(rule.id, "rule", rule.title, what, why, remedy, tuple(facts), tuple(rule.references))


def _capability(word: str) -> Explanation | None:
    if word not in MEANINGS:
        return None
    what, why, remedy = MEANINGS[word]
    return Explanation(word, "capability", Capability(word).meaning, what, why, remedy)


def _reason(word: str) -> Explanation | None:
    if word not in REFUSALS:
        return None
    title = FAULTS.get(word, BROKEN_MANIFEST)
    why, remedy = REFUSALS[word]
    return Explanation(word, "reason", title, "", why, remedy)


def _gate_reason(word: str) -> Explanation | None:
    reason = next((reason for reason in Reason if reason.value == word), None)
    if reason is None:
        return None
    remedy = reason.hint.replace("{plugin}", "PLUGIN")
    why = "The gate starts nothing that it can't hold against what was reviewed."
    return Explanation(word, "reason", reason.meaning, "", why, f"{remedy[0].upper()}{remedy[1:]}.")


def _receipt_reason(word: str) -> Explanation | None:
    if word not in RECEIPT_REASONS:
        return None
    title, why, remedy = RECEIPT_REASONS[word]
    return Explanation(word, "reason", title, "", why, remedy)


def _error(word: str) -> Explanation | None:
    if word not in ERRORS:
        return None
    title, why, remedy = ERRORS[word]
    kind = next(kind for kind in error_kinds() if kind.code == word)
    return Explanation(word, "error", title, "", why, remedy, (("exit code", str(kind.exit_code)),))


def error_kinds() -> Iterator[type[PlugsealError]]:
    """Yield every error of ours."""
    for value in vars(errors).values():
        if isinstance(value, type) and issubclass(value, PlugsealError):
            yield value


def _nearest(word: str, known: tuple[str, ...]) -> str | None:
    from difflib import get_close_matches

    near = get_close_matches(word[:100], known, n=1, cutoff=0.6)
    return near[0] if near else None
