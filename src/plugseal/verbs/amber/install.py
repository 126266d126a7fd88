"""Put a plugin where amber looks, out of an archive, and take it away again.

Rules
- The archive is read in memory and refused as a whole for any member that a receipt would refuse (links, devices, names
  that lead out, sizes beyond the limits), and for any breach of amber's documented rules.
- It appears under its ID by one rename, whole or not at all, and over what lies there only where that is asked for.
- Nothing of it runs, and it is off: it was never reviewed there, and what was trusted at that place before is not now.
- Only what lies in the user's own folder is ever removed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from plugseal.encode.json import parse_json
from plugseal.errors import DataError, IntakeError, RefusedTransitionError, TreeRefusedError
from plugseal.intake.read import check_representable, read_tree
from plugseal.limits import MAX_DATA_BYTES
from plugseal.model.amber import AmberInstalled
from plugseal.model.tree import Entry, EntryKind
from plugseal.runtime.amber.manifest import SYSTEM
from plugseal.runtime.amber.settings import change_overrides, read_overrides
from plugseal.runtime.fetch_archive import fetch_archive
from plugseal.systems.homes import AMBER
from plugseal.trust.record import Record
from plugseal.trust.store import Store
from plugseal.verbs.amber.find import Found
from plugseal.verbs.amber.places import ID, STATE, amber_roots, is_on_in_amber, user_folder
from plugseal.verbs.known import known_records
from plugseal.verbs.select import describe_in
from plugseal.verbs.trust import disable, revoke

MANIFEST: Final = "manifest.json"
_SHIPPED: Final = "/share/amber/plugins"
"""What amber's own installation put there, be it below a home."""
_STAGING: Final = ".plugseal-"
_OLD: Final = "-"
"""What was there before, until it is removed; no ID is called so."""
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def install(source: str, store: Store, *, workspace: Path, replace: bool = False) -> AmberInstalled:
    """Install a plugin from a `tar.gz`, by its path or an https address; it is left off.

    Args:
        source: as typed.
        store: where trust in what lay there before is taken back.
        workspace: of the current folder.
        replace: whether it may take the place of an installed plugin, whose settings it keeps.

    Raises:
        IntakeError: it can't be fetched or read.
        TreeRefusedError: it is no plugin that may be installed, with every reason.
        RefusedTransitionError: something lies in its place.
        StateError: trust in what lay there before can't be taken back.
    """
    folder = _user_folder(workspace)
    with _archive(source) as archive:
        unpacked = _Unpacked()
        tree = read_tree(archive, unpacked)
        faults = check_representable(tree)
        if faults or tree.left_out:
            reasons = [f"{fault.path}: {fault.message}" for fault in faults]
            reasons += [f"{name}: does not belong into an archive" for name in tree.left_out]
            raise TreeRefusedError("the archive can't be installed", place=source, details=reasons)
    top = unpacked.top()
    plugin = _read_id(unpacked.files.get(f"{top}{MANIFEST}"), source)
    _verify_free(folder, plugin, workspace=workspace, replace=replace)
    folder.mkdir(parents=True, exist_ok=True)
    staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=folder))
    try:
        unpacked.write(staging / plugin, top)
        version = _verify_plugin(staging / plugin, plugin, source)
        had_trust = _take_trust(folder / plugin, store, keeps_settings=replace)
        _put(staging / plugin, folder / plugin, aside=staging / _OLD if replace else None)
    except OSError as error:
        raise IntakeError(f"it can't be installed: {error.strerror}", place=str(folder / plugin)) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return AmberInstalled(plugin, version, str(folder / plugin), len(unpacked.below(top)), had_trust)


def _put(new: Path, target: Path, *, aside: Path | None) -> None:
    """Give a folder its name; what has that name goes aside where that is allowed, and comes back if this fails."""
    is_moved = aside is not None and target.exists()
    if aside is not None and is_moved:
        target.rename(aside)
    try:
        # Onto a name that is free or an empty folder: a rename never goes over what holds something.
        new.rename(target)
    except OSError:
        if aside is not None and is_moved:
            aside.rename(target)
        raise


def uninstall(found: Found, store: Store, *, workspace: Path) -> AmberInstalled:
    """Remove a plugin from the user's own folder; first its trust is taken, which ends what runs.

    Raises:
        RefusedTransitionError: it lies elsewhere: system-shipped plugins and those of a workspace stay.
        IntakeError: it can't be removed.
        StateError: its trust can't be taken: nothing was removed.
    """
    path = Path(os.path.abspath(found.path))  # noqa: PTH100  # links are not followed: the name itself is removed
    folder = os.path.realpath(path.parent)
    place = next((root for root in amber_roots(workspace) if os.path.realpath(root.path) == folder), None)
    is_shipped = place is not None and (place.scope == "system" or place.path.endswith(_SHIPPED))
    if place is None or is_shipped or place.scope != "user" or path.is_symlink():
        what = "system-shipped" if is_shipped else "not in your own folder"
        raise RefusedTransitionError(
            f"`{path.name}` is {what} and can't be uninstalled",
            place=str(path),
            hint=f"take its permission with `plugseal amber off {path.name}`",
        )
    files = sum(1 for _, _, names in os.walk(path) for _ in names)
    had_trust = _take_trust(path, store)
    try:
        aside = Path(tempfile.mkdtemp(prefix=_STAGING, dir=path.parent))
        path.rename(aside / path.name)
        shutil.rmtree(aside)
    except OSError as error:
        raise IntakeError(f"it can't be removed: {error.strerror}", place=str(path)) from error
    return AmberInstalled(path.name, "", str(path), files, had_trust)


class _Unpacked:
    """Take the files of an archive."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._entries: dict[str, Entry] = {}

    def begin(self, entries: Sequence[Entry]) -> None:
        self._entries = {entry.path: entry for entry in entries}

    def visit(self, entry: Entry, data: bytes | None, reason: str) -> None:
        del reason
        if data is not None:
            self.files[entry.path] = data

    def aside(self, path: str, data: bytes | None, reason: str) -> None:
        del path, data, reason

    def top(self) -> str:
        """Return the one folder in which everything lies, with a slash; empty where the plugin lies at the root."""
        if MANIFEST in self._entries:
            return ""
        tops = {path.partition("/")[0] for path in self._entries}
        top = next(iter(tops)) if len(tops) == 1 else ""
        return f"{top}/" if top and f"{top}/{MANIFEST}" in self._entries else ""

    def below(self, top: str) -> list[Entry]:
        """Return the files below that folder."""
        is_file = EntryKind.FILE
        return [entry for entry in self._entries.values() if entry.kind is is_file and entry.path.startswith(top)]

    def write(self, target: Path, top: str) -> None:
        """Write everything below a folder of the archive into a new folder."""
        target.mkdir()
        for path, entry in sorted(self._entries.items()):
            name = path.removeprefix(top)
            if not path.startswith(top) or not name:
                continue
            if entry.kind is EntryKind.DIRECTORY:
                (target / name).mkdir(exist_ok=True)
            else:
                _write(target / name, self.files[path], executable=entry.executable)


def _write(path: Path, data: bytes, *, executable: bool) -> None:
    with os.fdopen(os.open(path, _NEW, 0o755 if executable else 0o644), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _archive(source: str) -> Iterator[Path]:
    """Yield the path of the archive: a file of the user's, or what was fetched, in a folder of its own."""
    scheme, mark, _ = source.partition("://")
    if not mark:
        path = Path(source)
        if not path.name.lower().endswith((".tar.gz", ".tgz")) or path.is_dir():
            raise IntakeError("not a tar.gz archive", place=source, hint="amber's plugins are installed from `tar.gz`")
        yield path
        return
    if scheme.lower() != "https":
        raise IntakeError(f"`{scheme}` is not https", hint="fetch it by other means, and install the file")
    data = fetch_archive(source)
    with tempfile.TemporaryDirectory(prefix="plugseal-") as folder:
        path = Path(folder) / "plugin.tar.gz"
        path.write_bytes(data)
        yield path


def _user_folder(workspace: Path) -> Path:
    found = user_folder(workspace)
    if found is None:
        raise IntakeError("this account has no home, so amber has no folder of yours", hint="create the account's home")
    return found


def _read_id(manifest: bytes | None, source: str) -> str:
    if manifest is None:
        raise TreeRefusedError(f"the archive holds no `{MANIFEST}`", place=source)
    try:
        value = parse_json(manifest, max_bytes=MAX_DATA_BYTES)
    except DataError as error:
        raise TreeRefusedError(f"its `{MANIFEST}` can't be read: {error.message}", place=source) from error
    plugin = value.get("id") if isinstance(value, dict) else None
    if not isinstance(plugin, str) or ID.match(plugin) is None:
        raise TreeRefusedError("its `id` is none: small letters, digits and `_`", place=source)
    return plugin


def _verify_free(folder: Path, plugin: str, *, workspace: Path, replace: bool) -> None:
    place = folder / plugin
    if os.path.lexists(place) and (not replace or place.is_symlink() or not place.is_dir()):
        raise RefusedTransitionError(
            f"`{plugin}` is installed already",
            place=str(place),
            hint=f"put this one in its place with `--replace`, or `plugseal amber uninstall {plugin}` first",
        )
    if is_on_in_amber(plugin, workspace) is not False:
        # It would be on the moment it is there, without anybody having read it.
        raise RefusedTransitionError(
            f"amber itself would switch `{plugin}` on at once",
            place=str(folder / STATE),
            hint=f"switch it off in amber, or take `{plugin}` out of that file",
        )


def _verify_plugin(path: Path, plugin: str, source: str) -> str:
    """Refuse a breach of amber's documented rules, all at once, and return the version."""
    plugins, tree = describe_in(path, f"{AMBER}/{plugin}")
    found = next((one for one in plugins if one.system == SYSTEM and not one.root), None)
    if found is None:
        raise TreeRefusedError("the archive holds no plugin of amber's", place=source)
    faults = [f"{fault.file}:{fault.line} {fault.field}: {fault.message}" for fault in found.faults]
    faults += [f"{fault.path}: {fault.message}" for fault in tree.faults]
    if faults:
        raise TreeRefusedError("the archive breaks amber's documented rules", place=source, details=faults)
    return found.version


def _take_trust(path: Path, store: Store, *, keeps_settings: bool = False) -> bool:
    """Take trust and permission from what is recorded at a place, and forget its settings."""
    root = os.path.realpath(path)
    records, broken = known_records(store)
    if broken:
        raise broken[0].error
    found = False
    for record in records:
        if (record.subject.system, record.subject.root) != (SYSTEM, root) or record.standing.forgotten:
            continue
        found = _take_from(record, store) or found
        if not keeps_settings and read_overrides(store, record.subject):
            change_overrides(store, record.subject, _nothing)
    return found


def _take_from(record: Record, store: Store) -> bool:
    had_trust = record.standing.trust is not None
    if record.standing.enabled:
        disable(record, store)
    if had_trust:
        revoke(record, store, note="what it was about was removed")
    return had_trust


def _nothing(before: dict[str, str]) -> dict[str, str]:
    del before
    return {}
