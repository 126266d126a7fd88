"""Let the stdio servers of a client's configuration go through the gate, and put the configuration back.

A server is wrapped if its command is, word by word, that of a component that is trusted. One that nobody trusted is
left as it is and said. The bytes of before are kept in the state folder, and come back unchanged.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugseal.disk import disk_hint
from plugseal.encode.launchers import Launcher, find_launchers, find_remote, replace_launchers
from plugseal.errors import CouldNotJudgeError, DataError, IntakeError, RefusedError, StateError
from plugseal.model.identity import subject_id
from plugseal.patterns import lazy
from plugseal.runtime.approved import Approved, parse_document
from plugseal.runtime.environment import find_wrapper
from plugseal.signing.files import read_regular
from plugseal.trust.files import open_below
from plugseal.trust.home import VARIABLE, default_home
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.trust.wraps import Wrap, change_wraps, read_wraps
from plugseal.verbs.known import known_records

MAX_CONFIG_BYTES: Final = 16 * 1024 * 1024
_ORIGINALS: Final = "wrapped"
_ROOT: Final = lazy(r"\$\{(?:CLAUDE_|CURSOR_|CODEX_)?PLUGIN_ROOT\}|\$\{workspaceFolder\}|\$\{extensionPath\}")
_PART: Final = (
    "what is trusted is this file itself, and wrapped it would be another one: "
    "review and trust the folder that it lies in, then wrap it"
)
_GATED: Final = ("-I", "-m", "plugseal", "run")


@dataclass
class Wrapped:
    """What was found and done in one configuration."""

    path: str
    """As the user named it; hostile text."""
    before: bytes = b""
    after: bytes = b""
    gated: list[str] = field(default_factory=list)
    """Servers that went through the gate already."""
    wrapped: list[tuple[str, str]] = field(default_factory=list)
    """(server, ID) of those that go through it now; hostile text."""
    around: list[tuple[str, str]] = field(default_factory=list)
    """(server, why) of those that go around it; hostile text."""
    homeless: list[str] = field(default_factory=list)
    """Servers behind the gate of a state folder that nobody tells their client of; hostile text."""
    remote: tuple[str, ...] = ()
    """Servers that the client asks by itself, and that nothing is started for; hostile text."""


def wrap_all(paths: Sequence[Path], store: Store, *, check: bool = False) -> Iterator[Wrapped]:
    """Wrap several configurations: none is written before all were found good.

    Raises:
        PlugsealError: as `wrap`; what was yielded before is done.
    """
    if len(paths) > 1 and not check:
        for path in paths:
            wrap(path, store, check=True)
    for path in paths:
        yield wrap(path, store, check=check)


def wrap(path: Path, store: Store, *, check: bool = False) -> Wrapped:
    """Wrap the servers of one configuration.

    Args:
        path: of the configuration.
        store: what was trusted.
        check: write nothing.

    Raises:
        IntakeError: it can't be read or written.
        CouldNotJudgeError: it is no configuration that can be changed without doubt.
        StateError: what was there before can't be kept: nothing was written.
    """
    real, data = _read(path)
    toml = real.suffix.lower() == ".toml"
    done = Wrapped(str(path), data, data)
    known = [(record, one) for record in known_records(store)[0] for one in _components(record, store)]
    commands: dict[tuple[str, ...], tuple[str, ...]] = {}
    launchers = _launchers(real, data, toml)
    done.remote = find_remote(data, toml=toml)
    for launcher in launchers:
        why = _why_around(launcher, store)
        if why:
            done.around.append((launcher.name, why))
            continue
        is_told = VARIABLE in dict(launcher.environment) or _is_default(store)
        if is_gated(launcher):
            done.gated.append(launcher.name)
            done.homeless += [] if is_told else [launcher.name]
            continue
        found = next(((record, one) for record, one in known if _is_same(launcher, real, record, one)), None)
        if found is None:
            done.around.append((launcher.name, "nobody trusted what it starts"))
            continue
        if str(real) == found[0].subject.root:
            # Inside a plugin's folder a wrapped configuration is known to the gate; here it is the whole plugin.
            done.around.append((launcher.name, _PART))
            continue
        plugin = subject_id(found[0].subject)
        commands[launcher.pointer] = (sys.executable, *_GATED, plugin, found[1].label)
        done.wrapped.append((launcher.name, plugin))
        done.homeless += [] if is_told else [launcher.name]
    if commands:
        done.after = _replaced(path, data, commands, toml)
    if commands and not check:
        _verify_replaceable(path, real)
        _keep(store, real, data, done.after)
        _write(real, done.after, before=data)
    return done


def _replaced(path: Path, data: bytes, commands: dict[tuple[str, ...], tuple[str, ...]], toml: bool) -> bytes:
    try:
        return replace_launchers(data, commands, toml=toml)
    except DataError as error:
        raise CouldNotJudgeError(error.message, place=str(path), hint="change it by hand") from error


def unwrap(path: Path, store: Store) -> Wrapped:
    """Put a configuration back, byte by byte.

    Raises:
        IntakeError: it can't be read or written.
        StateError: it was never wrapped, or what was there before can't be believed.
        CouldNotJudgeError: it was changed since it was wrapped.
    """
    real, data = _read(path)
    known = read_wraps(store).get(str(real))
    if known is None:
        raise StateError("it was never wrapped here", place=str(path), hint="see it with `plugseal wrap --check FILE`")
    found = sha256(data).hexdigest()
    if found == known.before != known.after:
        # What was kept was not written any more: the disk was full, or somebody else was faster.
        _drop(store, real)
        return Wrapped(str(path), data, data)
    if found != known.after:
        raise CouldNotJudgeError(
            "it was changed since it was wrapped, so nothing is put back",
            place=str(path),
            hint=f"what was there before is {store.home / _ORIGINALS / known.before}",
        )
    folder = open_below(store.home, _ORIGINALS)
    original = None
    if folder is not None:
        with folder:
            original = folder.read(known.before)
    if original is None or sha256(original).hexdigest() != known.before:
        raise StateError("what was there before is not what was kept", place=str(store.home / _ORIGINALS))
    _verify_replaceable(path, real)
    _write(real, original, before=data)
    _drop(store, real)
    return Wrapped(str(path), data, original)


def _drop(store: Store, real: Path) -> None:
    change_wraps(store, lambda wraps: {key: value for key, value in wraps.items() if key != str(real)})


def _is_default(store: Store) -> bool:
    try:
        return store.home == default_home()
    except StateError:
        return False


def _why_around(launcher: Launcher, store: Store) -> str:
    """Return why a server goes around the gate whatever its command is, empty where that decides."""
    if not launcher.is_clear:
        return "it has no name with a command that is a text, and arguments that are texts"
    values = dict(launcher.environment)
    name = find_wrapper(dict.fromkeys(values, ""))
    if name:
        # What loads code into whatever is started does so before the gate can refuse.
        return f"its environment sets `{name}`"
    if values.get(VARIABLE, str(store.home)) != str(store.home):
        return f"its environment sets `{VARIABLE}` to another state folder than this"
    return ""


def is_gated(launcher: Launcher) -> bool:
    """Say whether a server is started by this very interpreter, isolated, that runs the gate with an ID.

    Another one is anybody's: `/proc/self/cwd/python` lies in the workspace, and a link to ours loads what is beside it.
    """
    words = launcher.words
    return words[0] == sys.executable and words[1:5] == _GATED and len(words) in (6, 7)


def _launchers(real: Path, data: bytes, toml: bool) -> tuple[Launcher, ...]:
    try:
        return find_launchers(data, toml=toml)
    except DataError as error:
        raise CouldNotJudgeError(error.message, place=str(real), hint="is it a client's configuration?") from error


def _components(record: Record, store: Store) -> list[Approved]:
    trust = record.standing.trust
    if trust is None:
        return []
    try:
        components = parse_document(store.document(trust.capability)).components
    except (StateError, RefusedError):
        return []
    return [one for one in components if one.kind == "server" and one.command and not one.shell]


def _is_same(launcher: Launcher, config: Path, record: Record, component: Approved) -> bool:
    """Say whether a client would start exactly what was reviewed."""
    root = Path(record.subject.root)
    root = root if root.is_dir() else root.parent
    base = config.parent / launcher.cwd if launcher.cwd else config.parent
    base = base.parent if not launcher.cwd and base.name in (".vscode", ".cursor", ".gemini", ".codex") else base
    reviewed = [_settled(word, root / (component.cwd or ""), root) for word in component.command]
    started = [_settled(word, base, base) for word in launcher.words]
    for name, path, _ in record.standing.trust.interpreters if record.standing.trust else ():
        if reviewed[0] == name and os.path.realpath(started[0]) == path:
            started[0] = name
    return reviewed == started


def _settled(word: str, folder: Path, root: Path) -> str:
    """Return a word as it is meant: a path that is there as that path, anything else as it is."""
    word = _ROOT.sub(lambda _: str(root), word)
    if word.startswith("-") or not word:
        return word
    path = folder / word
    return os.path.realpath(path) if os.path.lexists(path) else word


def _read(path: Path) -> tuple[Path, bytes]:
    try:
        real = Path(os.path.realpath(path, strict=True))
        data = read_regular(real, max_bytes=MAX_CONFIG_BYTES)
    except OSError as error:
        raise IntakeError(f"it can't be read: {(error.strerror or '').lower()}", place=str(path)) from error
    if len(data) > MAX_CONFIG_BYTES:
        raise IntakeError(f"it is larger than {MAX_CONFIG_BYTES:,} bytes", place=str(path))
    return real, data


def _keep(store: Store, real: Path, before: bytes, after: bytes) -> None:
    """Keep what was there before; of a file that was wrapped already the bytes of before the first time."""
    digests = Wrap(sha256(before).hexdigest(), sha256(after).hexdigest())
    known = read_wraps(store).get(str(real))
    if known is not None and known.after == digests.before:
        digests = Wrap(known.before, digests.after)
    folder = open_below(store.home, _ORIGINALS, create=True)
    if folder is None:
        raise StateError("the state folder went away", place=str(store.home))
    with folder, folder.locked("originals"):
        if digests.before == sha256(before).hexdigest():
            folder.write(digests.before, before)
    change_wraps(store, lambda wraps: {**wraps, str(real): digests})


def _verify_replaceable(path: Path, real: Path) -> None:
    """Refuse a file whose place another one must not take: closed to writing, or with a name that would keep the old.

    Raises:
        IntakeError: it is such a file.
    """
    try:
        links = real.stat().st_nlink
    except OSError as error:
        raise IntakeError(f"it can't be read: {(error.strerror or '').lower()}", place=str(path)) from error
    if not os.access(real, os.W_OK):
        hint = f"open it to writing, e.g. `chmod u+w`, or change its source: it is {real}"
        raise IntakeError("it can't be written: it is closed to writing", place=str(path), hint=hint)
    if links > 1:
        hint = f"see them with `find -samefile {real}`; make it a file of its own, or a symbolic link"
        raise IntakeError("it has another name, which would keep what was there before", place=str(path), hint=hint)


def _write(real: Path, data: bytes, *, before: bytes) -> None:
    """Replace a configuration as a whole, by one of the same owner and mode, unless somebody changed it meanwhile."""
    temporary = real.with_name(f".{real.name}.{os.urandom(8).hex()}")
    try:
        _write_beside(real, temporary, data)
        if read_regular(real, max_bytes=MAX_CONFIG_BYTES) != before:
            # Clients write their configurations while they run: what they wrote is not lost.
            raise IntakeError("somebody changed it meanwhile", place=str(real), hint="nothing was written: try again")
        temporary.replace(real)
    except OSError as error:
        why = (error.strerror or "").lower()
        raise IntakeError(f"it can't be written: {why}", place=str(real), hint=disk_hint(str(real), error)) from error
    finally:
        with suppress(OSError):  # mostly it is the configuration now; a disk that became read-only keeps it
            temporary.unlink()


def _write_beside(real: Path, temporary: Path, data: bytes) -> None:
    status = real.stat()
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
            # Root may wrap what is somebody else's: that person's client must still be able to read it.
            os.fchown(descriptor, status.st_uid, status.st_gid)
        os.fchmod(descriptor, status.st_mode & 0o777)
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
