"""The ceremony: trust exact bytes and capabilities, permit them to run, take either back.

Rules
- `trust` needs the whole token of what is on disk now. It copies first and records after, and it never enables.
- `enable` needs that what is on disk is what was trusted, and that the copy is sound.
- Taking back (`disable`, `revoke`, `forget`) needs nothing of the plugin: it may be gone, broken or changed.
- A clock that runs backwards stops what gives permission, never what takes it.
- Whatever fails leaves the record as it was.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import plugseal
from plugseal.encode.source import source_digest
from plugseal.errors import PlugsealError, RefusedTransitionError, StateError, UsageError
from plugseal.intake.read import is_archive, read_tree
from plugseal.intake.stage import Stager, is_stage
from plugseal.model.identity import STAGE, subject_id
from plugseal.model.look import Look
from plugseal.model.plugin import Component
from plugseal.model.secrets import mask_secrets
from plugseal.model.trust import Actor, Approval, Done, Standing, Subject, TrustStatus, status_of
from plugseal.runtime.hashed import stands_but_for_wraps
from plugseal.runtime.hosted import hosted_program
from plugseal.trust import transitions
from plugseal.trust.actor import current_actor
from plugseal.trust.files import open_below
from plugseal.trust.home import current_folder
from plugseal.trust.homes import register_home
from plugseal.trust.parts import parse_actor
from plugseal.trust.programs import Program, find_program, read_head, search_folders, shebang_names
from plugseal.trust.record import Record
from plugseal.trust.store import Store, subject_key
from plugseal.verbs.derive import derive
from plugseal.verbs.narrow import narrowed

MAX_NOTE_CHARACTERS = 500


def trust(look: Look, token: str, store: Store) -> Done:
    """Trust exactly what is on disk now, if the token is exactly its.

    Args:
        look: at the plugin.
        token: as the user gave it.
        store: where it is recorded.

    Raises:
        TokenError: the token is another.
        RefusedTransitionError: the clock runs backwards, no generation is left, or only `wrap` changed what is trusted.
        StageError: the copy can't be made, or the plugin changed meanwhile.
        StateError: it can't be recorded.
    """
    report = look.report
    usable = report.token is not None
    content, capability = (report.content_receipt, report.capability_receipt) if usable else (None, None)
    transitions.verify_token(token, content, capability)
    if content is None:
        raise AssertionError("a token without content")
    _verify_subject(look, store)
    files, source = _stage(look, content, store)
    store.put_document(look.document)
    now, by = now_utc(), current_actor()
    approval = Approval(
        content=content,
        capability=report.capability_receipt,
        at=now,
        by=by,
        rules=look.inventory.rules_digest,
        scanner=plugseal.__version__,
        unread=len(report.unread),
        unknown=look.unknown,
        source=source,
        only=look.only,
        interpreters=_interpreters(look, store.home / STAGE / content),
        derived=derive(look, store.home / STAGE / content, store),
    )

    def change(record: Record | None) -> Record:
        verify_clock(record, now)
        before = None if record is None else record.standing
        after = transitions.trust(before, approval, incarnation=os.urandom(16).hex())
        kept = record or Record(look.subject, after)
        return kept.after(after, action="trusted", at=now, by=by, note=_only_words(look.only))

    record = store.change(look.subject, change)
    _register(store)
    secret = str(store.home / "installation.key") if store.made_secret else ""
    return done_of(record, look.title, files=files, made_secret=secret)


def _verify_subject(look: Look, store: Store) -> None:
    """Refuse what `wrap` made of a trusted plugin: its servers would be the gate, and start themselves."""
    _verify_outside(store.home, look.subject)
    record = store.read(look.subject)
    known = None if record is None else record.standing.trust
    if record is None or known is None or known.content == look.report.content_receipt:
        return
    if is_but_wrapped(record, store):
        raise RefusedTransitionError(
            "it is what was trusted, but for a client's configuration in it that `wrap` wrote",
            hint="nothing is to be done for it; to trust it anew, put the file back first: `plugseal unwrap FILE`",
        )


def _only_words(only: Sequence[str]) -> str:
    """Return for the trail which components alone were trusted."""
    words = f"only {', '.join(only)}" if only else ""
    return words if len(words) <= MAX_NOTE_CHARACTERS else f"only {len(only):,} components"


def _register(store: Store) -> None:
    with suppress(StateError):
        # Without the default folder trust stands all the same; what starts from here says what it misses.
        register_home(store)


def enable(look: Look, store: Store) -> Done:
    """Permit a trusted plugin to run.

    Raises:
        RefusedTransitionError: it is not trusted as it is now, its copy is missing, or the clock runs backwards.
        StateError: it can't be recorded.
    """
    before = store.read(look.subject)
    look = as_trusted(look, before)
    report, now, by = look.report, now_utc(), current_actor()
    content = report.content_receipt if report.token is not None else None
    capability = report.capability_receipt
    known = None if before is None else before.standing.trust
    if before is not None and known is not None and content != known.content and is_but_wrapped(before, store):
        content, capability = known.content, known.capability

    def change(record: Record | None) -> Record:
        verify_clock(record, now)
        after = transitions.enable(
            None if record is None else record.standing,
            content=content,
            capability=capability,
            place=look.place,
        )
        if record is None or content is None:
            raise AssertionError("enabled without a record")
        if not is_stage(store.home / STAGE / content, content):
            raise RefusedTransitionError(
                "its staged copy is missing or damaged", hint=f"trust it again: `plugseal review {look.id}`"
            )
        return record.after(after, action="enabled", at=now, by=by)

    if status_of(None if before is None else before.standing, content, capability) is not TrustStatus.TRUSTED:
        # Without writing anything, and without making a state folder for a plugin that nobody trusts.
        change(before)
    return done_of(store.change(look.subject, change), look.title)


def is_but_wrapped(record: Record, store: Store) -> bool:
    """Say whether what lies there is what was trusted, but for configurations in it that `wrap` wrote."""
    try:
        return stands_but_for_wraps(store, record)
    except PlugsealError:
        return False  # nobody can tell: then it is another


def status_now(look: Look, record: Record | None, store: Store) -> TrustStatus:
    """Return how what lies there stands to what was trusted; what only `wrap` wrote makes no difference."""
    standing = None if record is None else record.standing
    report = look.report
    content = report.content_receipt if report.token is not None else None
    status = status_of(standing, content, report.capability_receipt)
    is_other = status in (TrustStatus.CAPABILITIES_CHANGED, TrustStatus.CONTENT_CHANGED)
    if record is not None and is_other and is_but_wrapped(record, store):
        return TrustStatus.TRUSTED
    return status


def as_trusted(look: Look, record: Record | None) -> Look:
    """Return a look at those components that were trusted, where that was not the whole plugin."""
    trust = None if record is None else record.standing.trust
    if trust is None or not trust.only:
        return look
    try:
        return narrowed(look, trust.only)
    except UsageError:
        # One of them is gone: nothing of what is there is what was trusted.
        return look


def disable(record: Record, store: Store) -> Done:
    """Take the permission to run.

    Raises:
        StateError: it can't be recorded.
    """
    return _take_back(record.subject, store, "disabled", transitions.disable)


def revoke(record: Record, store: Store, *, note: str = "") -> Done:
    """Take the trust.

    Args:
        record: of the plugin.
        store: where it is recorded.
        note: why; a credential in it is recorded as stars.

    Raises:
        UsageError: the note is too long.
        StateError: it can't be recorded.
    """
    if len(note) > MAX_NOTE_CHARACTERS:
        raise UsageError(f"the reason has {len(note):,} characters, {MAX_NOTE_CHARACTERS} are kept")
    return _take_back(record.subject, store, "revoked", transitions.revoke, mask_secrets(note))


def reload(record: Record, store: Store) -> Done:
    """Make everything that holds an older grant ask again.

    Raises:
        StateError: it can't be recorded.
    """
    return _take_back(record.subject, store, "reloaded", transitions.reload)


def forget(record: Record, store: Store) -> Done:
    """Forget a plugin but for its generation.

    Raises:
        StateError: it can't be recorded.
    """
    return _take_back(record.subject, store, "forgotten", transitions.forget)


def _take_back(
    subject: Subject, store: Store, action: str, step: Callable[[Standing], Standing], note: str = ""
) -> Done:
    by: Actor = current_actor()

    def change(record: Record | None) -> Record:
        if record is None:
            raise StateError("the record went away", hint="see `plugseal list`")
        # Time never stops anybody from taking back, and never runs backwards in a trail.
        at = max(now_utc(), _newest(record))
        return record.after(step(record.standing), action=action, at=at, by=by, note=note)

    return done_of(store.change(subject, change), subject.name)


def done_of(record: Record, title: str, *, files: int = 0, made_secret: str = "") -> Done:
    """Return what was done by the newest entry of a record."""
    entry = record.reviews.tail[-1]
    by = parse_actor(entry["by"])
    return Done(
        action=str(entry["action"]),
        id=subject_id(record.subject),
        title=title,
        standing=record.standing,
        at=str(entry["at"]),
        user=by.user,
        entry=record.reviews.size,
        files=files,
        made_secret=made_secret,
    )


def _stage(look: Look, content: str, store: Store) -> tuple[int, str]:
    """Copy the plugin, and return how many files there are and the digest of its source."""
    folder = open_below(store.home, STAGE, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    folder.close()
    plugin = look.plugin
    stager = Stager(store.home / STAGE, wants=None if plugin.covers is None else _Wanted(look))
    try:
        tree = read_tree(Path(look.subject.root), stager)
        stager.finish(look.tree, content)
    finally:
        stager.abandon()
    root = Path(look.subject.root)
    source = source_digest(tree, plugin.holds) if root.is_dir() or not is_archive(root) else ""
    return sum(1 for entry in look.tree.entries if entry.digest is not None), source


def _interpreters(look: Look, stage: Path) -> tuple[tuple[str, str, str], ...]:
    """Return the programs outside the plugin that its components start, as they are on this machine now."""
    root = look.subject.root
    search = search_folders(os.environ)
    outside = (root, os.path.dirname(root), current_folder())  # noqa: PTH120  # text
    started = [component for component in look.plugin.components if not component.shell]
    words = {component.command[0] if component.command else _first_word(component) for component in started}
    waiting = [*words, *(name for word in words for name in shebang_names(_head(stage, word)))]
    asked: set[str] = set()
    found: list[Program] = []
    while waiting:
        name = waiting.pop()
        if name in asked:
            continue
        asked.add(name)
        program = find_program(name, search=search, outside=outside)
        if program is not None:
            found.append(program)
            # One that is a script is started by another one, which is as outside.
            waiting.extend(shebang_names(read_head(program.path)))
    return tuple(sorted((one.name, one.path, one.digest) for one in found))


def _first_word(component: Component) -> str:
    return hosted_program(dict(component.extra)) or component.entry or ""


def _head(stage: Path, word: str) -> bytes:
    """Return the first bytes of a file of the copy that a command names, none where it names another."""
    word = re.sub(r"\A\$\{[^{}]*\}/", "", word)
    try:
        path = Path(os.path.realpath(stage / word))
        return read_head(path) if path.is_relative_to(os.path.realpath(stage)) else b""
    except (OSError, ValueError):
        return b""


class _Wanted:
    """Say which paths the unit covers, and the folders above them."""

    def __init__(self, look: Look) -> None:
        self._paths = {entry.path for entry in look.tree.entries}

    def __call__(self, path: str) -> bool:
        return path in self._paths


def _verify_outside(home: Path, subject: Subject) -> None:
    """Refuse to keep state inside what is being trusted: it would vouch for itself."""
    root = Path(subject.root)
    real = Path(os.path.realpath(home))
    if real == root or root in real.parents:
        raise StateError("the state folder lies inside the plugin", place=str(home), hint="unset `PLUGSEAL_HOME`")


def verify_clock(record: Record | None, now: str) -> None:
    """Refuse to give permission at a time before the newest entry.

    Raises:
        RefusedTransitionError: the clock runs backwards.
    """
    if record is not None and now < _newest(record):
        raise RefusedTransitionError(
            f"the clock runs backwards: it is {now}, the newest entry is of {_newest(record)}",
            hint="set the clock, then try again; if it was wrong then and is right now, move the files "
            f"`{subject_key(record.subject)}.*` out of `plugins` in the state folder, and review the plugin anew",
        )


def _newest(record: Record) -> str:
    return str(record.reviews.tail[-1]["at"]) if record.reviews.tail else ""


def now_utc() -> str:
    """Return the time as `YYYY-MM-DDThh:mm:ssZ`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
