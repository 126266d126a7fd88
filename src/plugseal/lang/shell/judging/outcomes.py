"""What a command means by its words alone, wherever it stands: worked out once for each list of words.

Scripts say the same few things over and over. What depends on the command's place as well (code that it is given, what
feeds it, what the shell's own commands do to the shell) is named here and left to the judge.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from plugseal.lang.facts import READS
from plugseal.lang.folded import HOLE
from plugseal.lang.interpreters import FETCHERS, LINE_READERS, RUNS, language_of
from plugseal.lang.programs.memo import tell
from plugseal.lang.programs.tables import programs
from plugseal.lang.shell.judging.builtins import is_idle
from plugseal.lang.shell.judging.fed_lines import ESCAPES
from plugseal.lang.shell.judging.outcome import Outcome, Place
from plugseal.lang.shell.judging.report import Report
from plugseal.lang.shell.parsing.names import BUILTINS, QUIET
from plugseal.lang.shell.words.marks import CUT, DISGUISED, RESOLVED, UNSURE
from plugseal.model.location import WHOLE_FILE
from plugseal.model.variables import loading
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugseal.lang.programs import Act, Started

_MAX_REMEMBERED: Final = 256
"""Characters of a command; longer ones are hardly said twice, and are not kept."""
_ASSIGNED_WORD: Final = lazy(r"([A-Za-z_]\w*)\+?=([\s\S]*)\Z")
_KEEPS_RUNNING: Final = frozenset(("nohup", "setsid", "disown", "daemonize"))
_ENVIRONMENT_WRAPPERS: Final = frozenset(("env", "sudo", "doas"))
_new: Final = tuple.__new__
_RUNS_WORDS: Final = frozenset(("command", "builtin", "exec", "time", "noglob", "nocorrect"))


def outcome(texts: tuple[str, ...], flags: tuple[int, ...], place: Place) -> Outcome:
    """Return what a list of words means.

    Args:
        texts: the words; the first is a program.
        flags: of each word; empty where none has any.
        place: what it depends on besides.
    """
    is_short = sum(map(len, texts)) <= _MAX_REMEMBERED
    return _remembered(texts, flags, place) if is_short else _outcome(texts, flags, place)


def resolution(flags: int, *, is_sure: bool = True) -> str:
    """Return how surely something is established that a word with these flags says."""
    if not is_sure or flags & UNSURE:
        return "possible"
    return "resolved" if flags & (RESOLVED | DISGUISED | CUT) else "direct"


def is_program(name: str) -> bool:
    """Say whether a name is a well-known program's."""
    known = programs()
    return name in known.rules or name in QUIET or name in known.wraps or name in known.takings


def exports_of(functions: Iterable[str], reads: Iterable[str | None]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what a script gives others, for `FileFacts.exports`.

    Args:
        functions: their names; those of well-known programs are left out.
        reads: the files that it reads into itself, None for one whose name can't be told.
    """
    found: dict[str, tuple[str, ...]] = {
        name: () for name in functions if not is_program(name) and name not in BUILTINS
    }
    files = tuple(sorted({name or "*" for name in reads}))
    return tuple(sorted({**found, READS: files}.items()))


def _outcome(texts: tuple[str, ...], flags: tuple[int, ...], place: Place) -> Outcome:
    told = tell(texts)
    report = Report(place.path)
    report.depth = place.depth
    builtins = []
    for one, acts in zip(told.started, told.acts, strict=True):
        mine = flags[one.at : one.at + len(one.words)] if flags else ()
        if _add_started(report, one, acts, mine, place):
            builtins.append(one)
    last = told.started[-1]
    if flags and any(some & DISGUISED for some in flags):
        report.add(WHOLE_FILE, "code.obfuscated", last.name or None, "resolved", "")
    if len(told.started) > 1 and any(one.name in _KEEPS_RUNNING for one in told.started[:-1]):
        report.add(WHOLE_FILE, "persistence", None, "possible", "")
    return _new(
        Outcome,
        (
            told,
            tuple([fact[1:4] for fact in report.found]),
            tuple([(kind, name, words, how) for kind, name, _, words, how, _ in report.events]),
            tuple([nested for nested, _ in report.nested]) if report.nested else (),
            tuple(builtins),
            last.name in RUNS or last.name in LINE_READERS or last.name in ESCAPES or bool(language_of(last.name)),
            last.name in FETCHERS,
        ),
    )


_remembered = lru_cache(maxsize=4096)(_outcome)


def _add_started(report: Report, one: Started, acts: Sequence[Act], flags: tuple[int, ...], place: Place) -> bool:
    """Add what one program that is started means; say whether it is the shell's own and its judge has to look at it."""
    own = flags[0] if flags else 0
    how = resolution(own, is_sure=not one.is_elsewhere)
    is_own_name = "/" not in one.words[0]
    if is_own_name and one.name in BUILTINS:
        if own & (RESOLVED | DISGUISED) and one.at == 0 and one.name not in _RUNS_WORDS:
            report.add_program(WHOLE_FILE, one.words[0], how, "")
        report.event("command", one.name, WHOLE_FILE, one.words[1:], how, "")
        return not is_idle(one.name, one.words)
    if place.is_joined and how == "direct" and is_own_name and not is_program(one.name):
        how = "possible"  # It may be a function of the file that was read into this one.
    report.add_program(WHOLE_FILE, one.words[0], how, "")
    if one.name:
        report.event("command", one.name, WHOLE_FILE, one.words[1:], how, "")
        for act in acts:
            _add_act(report, act, one, flags)
        if one.name in _ENVIRONMENT_WRAPPERS:
            _add_settings(report, one.words, flags)
    return False


def _add_settings(report: Report, words: Sequence[str], flags: tuple[int, ...]) -> None:
    """Add the variables that `env` and its like set."""
    for at, word in enumerate(words[1:], 1):
        found = _ASSIGNED_WORD.match(word)
        if found:
            report.add_variable(WHOLE_FILE, found[1], found[2], resolution(flags[at] if flags else 0), "")
        elif not word.startswith("-"):
            return


def _add_act(report: Report, act: Act, one: Started, flags: tuple[int, ...]) -> None:
    own = flags[0] if flags else 0
    if act.named and flags:
        for word, more in zip(one.words[1:], flags[1:], strict=False):
            if more and act.named in word:
                own |= more
    how = resolution(own, is_sure=act.is_sure and not one.is_elsewhere)
    if act.kind == "path" and act.named is not None:
        report.add_path(WHOLE_FILE, act.capability, act.named, how, "")
    elif act.kind == "host":
        report.add_host(WHOLE_FILE, act.capability, act.named, how, "")
    else:
        named = act.named if act.named and HOLE not in act.named else None
        report.add(WHOLE_FILE, act.capability, report.plain(named)[:256] if named else None, how, "")
        loads = loading(named, HOLE) if named and act.capability == "env.write" else None
        if loads is not None:
            report.add(WHOLE_FILE, loads.capability, named, "possible", "")
