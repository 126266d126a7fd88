"""Apply a table's rules to one call or one mention. Used on resolved code and, by the linker, on events alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from plugseal.lang.facts import UNKNOWN, Ref, Unknown, Value
from plugseal.lang.folded import HOLE
from plugseal.lang.judging.objects import is_in_memory
from plugseal.lang.judging.report import Report
from plugseal.lang.judging.table_rule import Condition, Place, Rule
from plugseal.lang.judging.telling import most_telling
from plugseal.model.location import Span
from plugseal.records import NamedTuple

_MAX_OBJECTS: Final = 4
_COMPUTED: Final = "?"
"""As a condition: a text of which only a part is known."""


def _yes(_position: int, _keywords: tuple[str, ...]) -> bool:
    return True


class Call(NamedTuple):
    """One call of a known name, as far as rules look at it."""

    span: Span
    resolution: str
    trigger: str
    values: Callable[[int, tuple[str, ...], Value], tuple[Value, ...]]
    """The values that an argument may have, by position and keywords; the last one where it is certainly not given."""
    of_receiver: Callable[[int, tuple[str, ...]], tuple[Value, ...]]
    """The same for the call that made the receiver."""
    is_certain: Callable[[int, tuple[str, ...]], bool] = _yes
    """Whether an argument can have no other value than those."""
    is_open: bool = False
    """Whether it may have more arguments than are known."""


def apply_rules(rules: tuple[Rule, ...], call: Call, report: Report) -> None:
    """Report what rules say of a call."""
    for rule in rules:
        if rule.use == "reference":
            continue
        sure = _sure(rule, call)
        if sure is None:
            continue
        resolution = call.resolution if sure and not rule.possible else "possible"
        for capability, certain in _capabilities(rule, call):
            for value in _objects(rule, call):
                if rule.kind == "path" and capability.startswith("fs.") and is_in_memory(value):
                    if rule.reads_on:
                        report.add(call.span, capability, None, "possible", call.trigger)
                    continue
                final = resolution if certain else "possible"
                is_turned = report.add_ruled(call.span, rule, capability, value, final, call.trigger)
                if rule.set_to is not None and isinstance(value, str):
                    for given in call.values(*rule.set_to, UNKNOWN)[:_MAX_OBJECTS]:
                        report.add_loaded(call.span, value, given, final, call.trigger)
                if is_turned and rule.object is not None and not call.is_certain(*rule.object):
                    report.add(call.span, capability, None, "possible", call.trigger)


def read_rules(rules: tuple[Rule, ...], span: Span, resolution: str, trigger: str, report: Report) -> None:
    """Report what rules say of a name that is mentioned, not called."""
    for rule in rules:
        if rule.use == "call" or rule.when:
            continue
        final = resolution if rule.use == "reference" and not rule.possible else "possible"
        for capability in ("fs.read", "fs.write") if rule.mode is not None else (rule.capability,):
            report.add(span, capability, rule.literal if rule.use == "reference" else None, final, trigger)


def _sure(rule: Rule, call: Call) -> bool | None:
    """Say whether a rule's conditions hold for certain; None where they do not hold."""
    sure = True
    if rule.is_needed and rule.object is not None and not call.is_open:
        given = call.values(rule.object.position, rule.object.keywords, None)
        if given == (None,):
            return None
    for condition in rule.when:
        held = _holds(condition, call)
        if held is False:
            return None
        sure = sure and held is True
    for condition in rule.unless:
        held = _holds(condition, call)
        if held is True:
            return None
        sure = sure and held is False
    return sure


def _holds(condition: Condition, call: Call) -> bool | None:
    """Say whether an argument has a value; None where it can't be told."""
    values = call.values(condition.place.position, condition.place.keywords, None)
    answers = {_equals(value, condition.value) for value in values}
    if len(answers) != 1:
        return None
    is_mask = isinstance(condition.value, str) and condition.value.startswith("&")
    if not is_mask and not call.is_certain(*condition.place):
        return None
    return answers.pop()


def _equals(value: Value, wanted: object) -> bool | None:
    if isinstance(wanted, str) and wanted.startswith("&"):
        return isinstance(value, int) and value & int(wanted[1:]) != 0
    if wanted == _COMPUTED:
        return isinstance(value, str) and HOLE in value
    if isinstance(value, Unknown):
        return None
    if isinstance(wanted, bool):
        return bool(value) is wanted
    return (value.name if isinstance(value, Ref) else value) == wanted


def _capabilities(rule: Rule, call: Call) -> list[tuple[str, bool]]:
    """Return the capabilities of a rule, each with whether it is certain; a file's mode decides between two."""
    if rule.mode is None:
        return [(rule.capability, True)]
    found: dict[tuple[str, bool], None] = {}
    for mode in call.values(rule.mode.position, rule.mode.keywords, "r"):
        if not isinstance(mode, str) or HOLE in mode:
            found[("fs.read", False)] = found[("fs.write", False)] = None
            continue
        writes = any(letter in mode for letter in "wax+")
        if writes:
            found[("fs.write", True)] = None
        if not writes or "r" in mode or "+" in mode:
            found[("fs.read", True)] = None
    if not call.is_certain(*rule.mode):
        for capability in ("fs.read", "fs.write"):
            if (capability, True) not in found:
                found[(capability, False)] = None
    return list(found)


def _objects(rule: Rule, call: Call) -> tuple[Value, ...]:
    if rule.object is None:
        return (UNKNOWN,)
    if rule.of_receiver:
        return tuple(_cut(call.of_receiver(rule.object.position, rule.object.keywords)))
    values = call.values(rule.object.position, rule.object.keywords, UNKNOWN)
    if len(values) > _MAX_OBJECTS:
        # The rest is there, and must not be silent.
        return (*(value for value in _cut(values) if value is not UNKNOWN), UNKNOWN)
    if rule.base is not None:
        return tuple(_cut(tuple(dict.fromkeys(one for value in values for one in _based(value, rule.base, call)))))
    if rule.capability == "code.import" and UNKNOWN not in values and not call.is_certain(*rule.object):
        return (*values, UNKNOWN)
    return values


def _cut(values: tuple[Value, ...]) -> Sequence[Value]:
    return values if len(values) <= _MAX_OBJECTS else most_telling(values, _MAX_OBJECTS, _itself)


def _itself(value: Value) -> object:
    """Return what a value is ranked by: words as the line that they make."""
    if isinstance(value, tuple) and not isinstance(value, (Ref, Unknown)):
        return " ".join(word for word in value if isinstance(word, str))
    return value


def _based(value: Value, base: Place, call: Call) -> tuple[Value, ...]:
    """Return an address as it is, or the one that a relative address is of."""
    if not isinstance(value, str) or value.startswith((HOLE, "//")) or "://" in value:
        return (value,)
    return call.of_receiver(base.position, base.keywords)
