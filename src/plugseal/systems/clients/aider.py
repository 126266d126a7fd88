"""Aider: `.aider.conf.yml` at the root of a repository, or wherever it is started.

It lints what it edited by a line of its configuration unless that is switched off, tests likewise where `auto-test` is
on, and asks for none of it. Files that `read` names are always before the model; those of `load` hold its own commands.

See: https://github.com/Aider-AI/aider/blob/main/aider/args.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.components.folders import FolderClient, Layout, Settings
from plugseal.systems.components.parts import line_component
from plugseal.systems.reading.reader import Document, Path, PluginReader, lookup
from plugseal.systems.system import System

_FILE: Final = ".aider.conf.yml"
_ROLES: Final = """
skip: lint-cmd test-cmd notifications-command set-env
program: editor
endpoint: openai-api-base analytics-posthog-host
reads: read file load message-file model-settings-file model-metadata-file env-file config
prose: message commit-prompt
grant: yes-always yes auto-accept-architect auto-test
deny: verify-ssl show-model-warnings
path: aiderignore input-history-file chat-history-file llm-history-file analytics-log
quiet: model openai-api-key anthropic-api-key openai-api-type openai-api-version openai-api-deployment-id
quiet: openai-organization-id api-key list-models models alias reasoning-effort thinking-tokens timeout edit-format
quiet: chat-mode architect weak-model editor-model editor-edit-format check-model-accepts-settings dry-run vim
quiet: max-chat-history-tokens cache-prompts cache-keepalive-pings map-tokens map-refresh map-multiplier-no-files
quiet: restore-chat-history dark-mode light-mode pretty stream user-input-color tool-output-color tool-error-color
quiet: tool-warning-color assistant-output-color completion-menu-color completion-menu-bg-color show-diffs git
quiet: completion-menu-current-color completion-menu-current-bg-color code-theme gitignore add-gitignore-files
quiet: subtree-only auto-commits dirty-commits attribute-author attribute-committer attribute-commit-message-author
quiet: attribute-commit-message-committer attribute-co-authored-by git-commit-verify commit skip-sanity-check-repo
quiet: watch-files lint auto-lint test analytics analytics-disable analytics-posthog-project-api-key
quiet: just-check-update check-update show-release-notes install-main-branch upgrade gui browser copy-paste
quiet: show-repo-map show-prompts voice-format voice-language voice-input-device disable-playwright chat-language
quiet: commit-language verbose encoding line-endings suggest-shell-commands fancy-input multiline notifications
quiet: detect-urls
"""
_FOR_LANGUAGE: Final = lazy(r"[A-Za-z0-9+#_-]{1,40}:[ \t]+")
"""In front of a line that lints files of one language."""


def aider() -> System:
    """Return the system of `.aider.conf.yml`."""
    layout = Layout(folder=".aider", settings=(Settings(_FILE, _ROLES),), gate="none")
    return FolderClient("aider", layout, _more)


def _more(reader: PluginReader, folder: str) -> Iterator[Component]:
    del folder
    document = reader.yaml(_FILE) if reader.exists(_FILE) else None
    if document is None:
        return
    tests_itself = lookup(document.value, ("auto-test",)) is True
    for key, trigger in (
        ("lint-cmd", "hook:edit" if lookup(document.value, ("auto-lint",)) is not False else "command"),
        ("test-cmd", "hook:edit" if tests_itself else "command"),
        ("notifications-command", "hook:notification"),
    ):
        for path in _texts(document, (key,)):
            kind = ComponentKind.SCRIPT if trigger == "command" else ComponentKind.HOOK
            line = line_component(reader, document, path, kind=kind, name=key, trigger=trigger)
            language = _FOR_LANGUAGE.match(line.command[0])
            yield line._replace(command=(line.command[0][language.end() :],)) if language else line
    yield from _variables(document, ("set-env",))


def _texts(document: Document, path: Path) -> Iterator[Path]:
    """Yield where texts stand: the value of a key, or items of its list."""
    value = lookup(document.value, path)
    if isinstance(value, str):
        yield path
    elif isinstance(value, list):
        yield from ((*path, at) for at, item in enumerate(value) if isinstance(item, str))


def _variables(document: Document, path: Path) -> Iterator[Component]:
    """Describe the variables that Aider sets for itself and all that it starts: `NAME=value` each."""
    pairs = [(*str(lookup(document.value, place)).partition("=")[::2], place) for place in _texts(document, path)]
    if pairs:
        yield Component(
            kind=ComponentKind.SETTING,
            name="set-env",
            file=document.file,
            span=document.locate(path),
            environment=tuple(sorted((name.strip(), None) for name, _, _ in pairs)),
            literals=tuple(sorted((name.strip(), value) for name, value, _ in pairs)),
            trigger="start",
            places=tuple((f"env.{name.strip()}", document.locate_value(place)) for name, _, place in pairs),
        )
