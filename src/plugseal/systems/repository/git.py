"""git's own folder beside the files: hooks and settings by which git runs programs in whoever works in the tree.

A clone brings none of it; a copied folder and an archive do. The root's `.git` is neither hashed nor staged, so that no
receipt speaks of it: it is looked at as a unit of its own, and is one only where something in it runs. A nested one is
looked at in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.git_settings import line_of, loaded_by
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.plugin import Component, ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.systems.launching.launch import inner, shell_entry
from plugseal.systems.reading.reader import PluginReader, compact
from plugseal.systems.reading.units import SETTINGS, make_plugin
from plugseal.systems.repository.git_config import Setting, parse_git_config
from plugseal.systems.surface import Surface
from plugseal.systems.system import Listing

FOLDER: Final = ".git"
CONFIG: Final = ".git/config"
_MODULES: Final = ".gitmodules"
_HOOKS: Final = ".git/hooks/"
_GATE: Final = "none: git runs it"
_FETCHED: Final = "git clone --recurse-submodules, or git submodule update; git of today refuses it"
_OPTION: Final = lazy(r"(?:[a-z+]+://)?-")
"""An address that git takes for an option of the program that it starts."""
_CALLED: Final = "when its alias is typed"
_DOCS: Final = "https://git-scm.com/docs/git-config"
_REDIRECTS: Final = lazy(r"http\.(?:.+\.)?proxy|url\..+\.(?:push)?insteadof", re.DOTALL)


class Git:
    """The folders of git."""

    name = "git"
    surfaces = (
        Surface(".git/hooks/*", "", "a program", "the git command of its name", _GATE, "https://git-scm.com/docs/githooks"),
        Surface(CONFIG, "core.fsmonitor, core.sshCommand, core.pager, filter.*, diff.*, merge.*, gpg.program, …",
                "a line for a shell", "git commands, `git status` among them", _GATE, _DOCS),
        Surface(CONFIG, "core.hooksPath", "hooks in another folder", "the git command of their names", _GATE, _DOCS),
        Surface(CONFIG, "credential.*.helper", "a line for a shell", "fetch and push", _GATE, _DOCS),
        Surface(CONFIG, "alias.*", "a line for a shell", "its name is typed", _CALLED, _DOCS),
        Surface(CONFIG, "include.path, includeIf.*.path", "further settings from anywhere", "every git command", _GATE,
                _DOCS),
    )  # fmt: skip

    def keeps(self, path: str) -> bool:
        """Keep the settings of every `.git` folder in the tree, and the lists of submodules."""
        return _is_config(path) or path.rpartition("/")[2] == _MODULES

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield each folder of git in which something runs."""
        roots = {path[: -len(CONFIG)].rstrip("/") for path in (*listing.kept, *listing.aside) if _is_config(path)}
        roots.update({""} if FOLDER in listing.aside else ())
        roots.update(path.partition(_HOOKS)[0].rstrip("/") for path in _hooks(listing))
        roots.update(path[: -len(_MODULES)].rstrip("/") for path in listing.kept if _is_list(path))
        for root in sorted(roots):
            components = (*_components(listing, root), *_elsewhere(listing, root), *_submodules(listing, root))
            if components:
                reader = PluginReader(listing, root)
                lists = {one.file for one in components if one.file == _MODULES}
                manifest = _MODULES if len(lists) == len({one.file for one in components}) else CONFIG
                plugin = make_plugin(self.name, reader, manifest=manifest, name=SETTINGS, components=components)
                started = {one.entry for one in components if one.entry is not None and not one.entry.startswith("../")}
                outside = sorted(file for file in started if not file.startswith(f"{FOLDER}/"))
                yield plugin._replace(covers=(FOLDER, *sorted(lists), *outside), read=(CONFIG, *sorted(lists)))


def is_pointer(data: bytes) -> bool:
    """Say whether a `.git` that is a file says where git's folder is, and nothing else.

    git takes all that follows for the path. What is anything else is no file of git's, and whoever loads all files of a
    folder loads this one too.
    """
    text = data.rstrip(b"\r\n")
    return text.startswith(b"gitdir: ") and b"\n" not in text and b"\r" not in text


def _is_config(path: str) -> bool:
    return path == CONFIG or path.endswith(f"/{CONFIG}")


def _is_list(path: str) -> bool:
    return path.rpartition("/")[2] == _MODULES


def _submodules(listing: Listing, root: str) -> Iterator[Component]:
    """Yield what a list of submodules has git run: a helper for an address, a line for an update, an option.

    git of today refuses each of them; older ones did not.
    """
    data = listing.kept.get(f"{root}/{_MODULES}" if root else _MODULES)
    for setting in parse_git_config(data) if data is not None else ():
        last, value = setting.name.rpartition(".")[2], setting.value.strip()
        line = value.removeprefix("!") if last == "update" and value.startswith("!") else ""
        helper = value.startswith("ext::") and last == "url"
        if line or helper or (last in ("url", "path") and _OPTION.match(value)):
            span = Span(setting.line, setting.column, setting.line, setting.end_column)
            words = value.removeprefix("ext::").replace("% ", " ").split() if helper else ["git", "clone", value]
            yield Component(  # nosec B604  # a fact about the tree, nothing is started
                kind=ComponentKind.SETTING,
                name=setting.name,
                file=_MODULES,
                span=span,
                transport="exec",
                command=(line,) if line else tuple(words),
                shell=bool(line),
                trigger="install",
                gate=_FETCHED,
                extra=(("value", compact(value)),),
                places=(("command.0", span), ("extra.value", span)),
            )


def _elsewhere(listing: Listing, root: str) -> Iterator[Component]:
    """Yield a `.git` that is a file and makes a folder of the tree itself git's: nobody would look there for it."""
    data = listing.aside.get(FOLDER) if not root else None
    text = data.decode("utf-8", "replace").strip() if data is not None else ""
    target = inner(text.removeprefix("gitdir:").strip()) if text.startswith("gitdir:") else None
    if target and listing.is_directory(target):
        value = compact(target)
        yield Component(
            kind=ComponentKind.SETTING,
            name="gitdir",
            file=FOLDER,
            trigger="hook:git",
            gate=_GATE,
            extra=(("loads", value), ("value", value)),
        )


def _hooks(listing: Listing) -> Iterator[str]:
    """Yield the hooks that git would run: samples are none."""
    for path in (*listing.aside, *listing.entries):
        before, found, name = path.rpartition(_HOOKS)
        is_at_start = not before or before.endswith("/")
        if found and is_at_start and "/" not in name and not name.endswith(".sample"):
            yield path


def _components(listing: Listing, root: str) -> Iterator[Component]:
    prefix = f"{root}/" if root else ""
    for path in _hooks(listing):
        if path.startswith(prefix + _HOOKS):
            file = path[len(prefix) :]
            name = file[len(_HOOKS) :]
            yield Component(
                kind=ComponentKind.HOOK,
                name=name,
                file=file,
                span=WHOLE_FILE,
                transport="exec",
                trigger=f"hook:{name}",
                gate=_GATE,
                entry=file,
            )
    path = prefix + CONFIG
    data = listing.aside.get(path, listing.kept.get(path))
    reader = PluginReader(listing, root)
    for setting in parse_git_config(data) if data is not None else ():
        component = _setting(reader, setting)
        if component is not None:
            yield component


def _setting(reader: PluginReader, setting: Setting) -> Component | None:
    """Return what a setting makes git run, load or reach, None where it does nothing of it."""
    span = Span(setting.line, setting.column, setting.line, setting.end_column)
    common = Component(
        kind=ComponentKind.SETTING,
        name=setting.name,
        file=CONFIG,
        span=span,
        trigger="hook:git",
        gate=_GATE,
        extra=(("value", compact(setting.value)),),
        places=(("command.0", span), ("extra.value", span)),
    )
    if line := line_of(setting.name, setting.value):
        is_alias = setting.name.startswith("alias.")
        return common._replace(  # noqa: S604  # nosec B604  # a fact about the tree, nothing is started
            transport="exec",
            command=(line,),
            shell=True,
            trigger="command" if is_alias else "hook:git",
            gate=_CALLED if is_alias else _GATE,
            entry=shell_entry(line, reader.is_launchable),
        )
    if loaded := loaded_by(setting.name, setting.value):
        return common._replace(extra=(*common.extra, ("loads", compact(loaded))))
    if setting.name.startswith("remote.") and setting.value.startswith("ext::"):
        return common._replace(transport="exec", command=tuple(setting.value[len("ext::") :].split()))
    if _REDIRECTS.fullmatch(setting.name):
        address = setting.name if "insteadof" in setting.name else setting.value
        return common._replace(endpoint=address.removeprefix("url.").rpartition(".")[0] or address)
    return None
