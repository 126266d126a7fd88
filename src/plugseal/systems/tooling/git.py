"""Git hooks that a repository brings: folders of hooks, lefthook and pre-commit.

None of them runs before somebody puts them in place (`core.hooksPath`, `husky`, `lefthook install`, `pre-commit
install`), which an install script may do unasked. pre-commit fetches the repositories that its hooks stand in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.model.plugin import Component, ComponentKind, Package, Pinning
from plugseal.patterns import lazy
from plugseal.systems.components.parts import line_component
from plugseal.systems.reading.reader import Document, PluginReader, compact, lookup
from plugseal.systems.tooling.parts import run_file

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_GATE: Final = "once the hook is put in place"
_COMMIT: Final = lazy(r"[0-9a-f]{40}\Z")
_PRE_COMMIT: Final = frozenset(
    "repos default_language_version default_stages default_install_hook_types files exclude fail_fast ci "
    "minimum_pre_commit_version".split()
)
_LEFTHOOK: Final = frozenset(
    "$schema min_version assert_lefthook_installed colors extends no_tty rc skip_output output source_dir "
    "source_dir_local remotes templates skip_lfs lefthook glob_matcher no_auto_install".split()
)


def _hook(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe a file of a folder of hooks; those below a folder with `_` in its name are the tool's own."""
    if "/_/" in file or not reader.is_file(file):
        return
    event = file.rpartition("/")[2]
    yield run_file(file, name=file, trigger=f"hook:{event}", gate=_GATE)


def _pre_commit(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.merged_yaml(file)
    if document is None:
        return
    reader.expect_keys(document, reader.table(document), _PRE_COMMIT)
    repos = lookup(document.value, ("repos",))
    for at, repo in enumerate(repos if isinstance(repos, list) else []):
        if not isinstance(repo, dict):
            reader.fault_at(document, ("repos", at), "must be a table")
            continue
        place = str(repo.get("repo", ""))
        hooks = repo.get("hooks")
        if place in ("local", "meta"):
            for index, hook in enumerate(hooks if isinstance(hooks, list) else []):
                if isinstance(hook, dict) and isinstance(hook.get("entry"), str):
                    path = ("repos", at, "hooks", index, "entry")
                    yield line_component(
                        reader,
                        document,
                        path,
                        kind=ComponentKind.SCRIPT,
                        name=str(hook.get("id", index)),
                        trigger="hook:pre-commit",
                        gate=_GATE,
                    )
            continue
        yield _repository(document, at, place, repo)


def _repository(document: Document, at: int, place: str, repo: dict[str, object]) -> Component:
    """Return a repository that pre-commit fetches and whose hooks it runs."""
    revision = str(repo.get("rev", ""))
    is_exact = _COMMIT.match(revision) is not None
    pinning = Pinning.EXACT if is_exact else Pinning.VERSIONED if revision else Pinning.FLOATING
    span = document.locate_value(("repos", at, "repo"))
    return Component(
        kind=ComponentKind.SOURCE,
        name=place,
        file=document.file,
        span=document.locate(("repos", at)),
        endpoint=place or None,
        trigger="hook:pre-commit",
        gate=_GATE,
        extra=(("hooks", compact(repo.get("hooks"))), ("rev", compact(revision))),
        places=(("endpoint", span), ("extra.source", span)),
        packages=(Package(f"{place}@{revision}", "git", pinning.value, revision if is_exact else ""),),
    )


def _provided(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the hooks that a repository offers to others: they run where another repository asks for them."""
    document = reader.merged_yaml(file, lists=True)
    if document is None:
        return
    hooks = document.value
    for at, hook in enumerate(hooks if isinstance(hooks, list) else []):
        if isinstance(hook, dict) and isinstance(hook.get("entry"), str):
            yield line_component(
                reader,
                document,
                (at, "entry"),
                kind=ComponentKind.SCRIPT,
                name=str(hook.get("id", at)),
                trigger="command",
                gate="pre-commit of another repository that asks for it",
            )


def _lefthook(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.merged_yaml(file)
    if document is None:
        return
    for event, value in reader.table(document).items():
        if event in _LEFTHOOK:
            continue
        for key in ("commands", "scripts"):
            for name, spec in reader.table(document, (event, key)).items() if isinstance(value, dict) else ():
                path = (event, key, name, "run")
                if isinstance(spec, dict) and isinstance(spec.get("run"), str):
                    yield _job(reader, document, path, f"{event} {name}", event)
        jobs = value.get("jobs") if isinstance(value, dict) else None
        for at, job in enumerate(jobs if isinstance(jobs, list) else []):
            if isinstance(job, dict) and isinstance(job.get("run"), str):
                name = f"{event} {job.get('name', at)}"
                yield _job(reader, document, (event, "jobs", at, "run"), name, event)
    remotes = lookup(document.value, ("remotes",))
    for at, remote in enumerate(remotes if isinstance(remotes, list) else []):
        url = remote.get("git_url") if isinstance(remote, dict) else None
        yield Component(
            kind=ComponentKind.SOURCE,
            name=f"remote {at}",
            file=file,
            span=document.locate(("remotes", at)),
            endpoint=url if isinstance(url, str) else None,
            trigger="hook:pre-commit",
            gate=_GATE,
            extra=(("remote", compact(remote)),),
        )


def _job(reader: PluginReader, document: Document, path: tuple[str | int, ...], name: str, event: str) -> Component:
    return line_component(
        reader, document, path, kind=ComponentKind.SCRIPT, name=name, trigger=f"hook:{event}", gate=_GATE
    )


READERS: Final[dict[str, Reader]] = {
    "git.hook": _hook,
    "git.precommit": _pre_commit,
    "git.provided": _provided,
    "git.lefthook": _lefthook,
}
