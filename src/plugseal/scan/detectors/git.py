"""What git itself would run of a folder that was not cloned: settings with programs in them, and hooks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit

_ORDINARY: Final = lazy(
    r"git-lfs (?:clean|smudge|filter-process)(?: -- %f| --skip -- %f| --skip)?|git-lfs smudge --skip -- %f"
    r"|(?:/usr)?(?:/bin/)?(?:less|more|cat|delta|bat|diff-so-fancy|vi|vim|nvim|nano|emacs|gpg2?)(?: -[A-Za-z]+)*"
    r"|code --wait|ssh|(?:/usr(?:/local)?/bin/|/opt/homebrew/bin/)?gh auth git-credential|osxkeychain|manager(?:-core)?"
)
"""What people put there themselves."""


def look_for_git_programs(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find settings by which git runs a program of its own accord, or takes settings and hooks from elsewhere."""
    for component in plugin.components if plugin.system == "git" else ():
        if component.kind is not ComponentKind.SETTING or component.trigger == "command":
            continue
        if component.command and not _ORDINARY.fullmatch(" ".join(component.command)):
            yield ManifestHit(component, component.command[0], f"git runs it: `{component.name}`", component.command[0])
        elif "loads" in dict(component.extra):
            yield ManifestHit(component, "", f"`{component.name}`: hooks or settings from elsewhere", component.name)


def look_for_git_hooks(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find hooks in git's own folder."""
    for component in plugin.components if plugin.system == "git" else ():
        if component.kind is ComponentKind.HOOK:
            yield ManifestHit(component, "", f"git runs it at `{component.name}`", component.name)
