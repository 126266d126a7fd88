"""GitHub Actions: the steps of workflows and actions, which run on a build server and not on a user's machine.

They matter to who reviews a change all the same: a step that runs code of a pull request has the repository's secrets.
Every `run` is a line for a shell of the step, every `uses` is code that is fetched, bound only by a full commit.

See: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component, ComponentKind, Package, Pinning, Plugin
from plugseal.patterns import lazy
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.servers import environment
from plugseal.systems.components.settings import granting
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, extras, kind_of, lookup
from plugseal.systems.reading.units import folder_of, folders_with, make_configuration
from plugseal.systems.system import Listing

_FOLDER: Final = ".github/workflows"
_SUFFIXES: Final = (".yml", ".yaml")
_ACTIONS: Final = ("action.yml", "action.yaml")
_OTHERS: Final = tuple(
    f".github/{name}{suffix}"
    for name in "dependabot FUNDING labeler labels release release-drafter stale auto_assign settings codecov".split()
    for suffix in (".yml", ".yaml")
)
"""Settings of bots and forms: they say what is proposed and shown, and run nothing."""
_FORMS: Final = (".github/ISSUE_TEMPLATE", ".github/DISCUSSION_TEMPLATE", ".github/codeql")
_WORKFLOW: Final = frozenset(
    {"name", "run-name", "description", "on", "permissions", "env", "defaults", "concurrency", "jobs"}
)
_JOB: Final = frozenset(
    "name permissions needs if runs-on environment concurrency outputs env defaults steps timeout-minutes strategy "
    "continue-on-error container services uses with secrets snapshot".split()
)
_STEP: Final = frozenset(
    "id if name uses run working-directory shell with env continue-on-error timeout-minutes".split()
)
_ACTION: Final = frozenset({"name", "author", "description", "inputs", "outputs", "runs", "branding"})
_RUNS: Final = frozenset(
    "using steps main pre post pre-if post-if image entrypoint args env pre-entrypoint post-entrypoint plugin".split()
)
_COMMIT: Final = lazy(r"@[0-9a-f]{40}\Z|@sha256:[0-9a-f]{64}\Z")
_GATE: Final = "none: the build server runs it on"
_RUNS_SCRIPTS: Final = lazy(r"actions/github-script(?:@|\Z)")
_SHELLS: Final = frozenset({"bash", "sh", "pwsh", "powershell", "cmd"})
_NOT_NAMED: Final = "unknown"
_Variables: TypeAlias = "tuple[tuple[tuple[str, str | None], ...], tuple[tuple[str, str], ...]]"
"""As `Component.environment` and `Component.literals`."""


class GithubActions:
    """Workflows and actions of GitHub."""

    name = "github-actions"

    def keeps(self, path: str) -> bool:
        """Keep workflows, actions, and the settings of the update bot."""
        return path.rpartition("/")[2] in _ACTIONS or _is_workflow(path) or path.endswith(_OTHERS) or _is_form(path)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield the workflows of every repository in the tree as one unit, and every action beside them."""
        roots = dict.fromkeys(folders_with(listing, _FOLDER))
        for name in (*_OTHERS, *_FORMS):
            roots.update(dict.fromkeys(folders_with(listing, name)))
        for root in roots:
            reader = PluginReader(listing, root)
            files = [f"{_FOLDER}/{name}" for name in reader.names(_FOLDER) if name.endswith(_SUFFIXES)]
            others = [name for name in _OTHERS if reader.exists(name)]
            for form in _FORMS:
                others += [f"{form}/{name}" for name in reader.names(form) if name.endswith(_SUFFIXES)]
            if files or others:
                yield make_configuration(
                    self.name,
                    reader,
                    manifest=(files or others)[0],
                    name="workflows",
                    covers=(_FOLDER, *others),
                    components=tuple(_workflows(reader, files, others)),
                )
        for name in _ACTIONS:
            for root in folders_with(listing, name):
                yield from _action(PluginReader(listing, root), name)


def _is_workflow(path: str) -> bool:
    folder, _, name = path.rpartition("/")
    return name.endswith(_SUFFIXES) and (folder == _FOLDER or folder.endswith(f"/{_FOLDER}"))


def _is_form(path: str) -> bool:
    folder = path.rpartition("/")[0]
    return path.endswith(_SUFFIXES) and any(folder == form or folder.endswith(f"/{form}") for form in _FORMS)


def _workflows(reader: PluginReader, files: Iterable[str], others: Iterable[str]) -> Iterator[Component]:
    for file in others:
        reader.yaml(file, lists=True)
    for file in files:
        document = reader.yaml(file)
        if document is None:
            continue
        table = reader.table(document)
        reader.expect_keys(document, table, _WORKFLOW)
        events = _events(table.get("on"))
        gate = f"{_GATE} {', '.join(events)}"
        stem = file.rpartition("/")[2].rpartition(".")[0]
        yield from _granted(document, ("permissions",), stem, gate)
        for name, job in reader.declared(document, ("jobs",)).items():
            path: Path = ("jobs", name)
            if not isinstance(job, dict):
                reader.fault_at(document, path, f"must be a table, not {kind_of(job)}")
                continue
            reader.expect_keys(document, job, _JOB, at=path)
            yield from _granted(document, (*path, "permissions"), f"{stem} {name}", gate)
            if isinstance(job.get("uses"), str):
                called = _use(document, (*path, "uses"), str(job["uses"]), f"{stem} {name}", gate, job)
                yield _placed(called, events, name)
            around = _variables(reader, document, ("env",), (*path, "env"))
            folder = _folder(document, path) or _folder(document, ())
            for step in _steps(reader, document, (*path, "steps"), f"{stem} {name}", gate, around):
                yield _placed(step._replace(cwd=step.cwd or folder) if step.shell else step, events, name)


def _folder(document: Document, path: Path) -> str | None:
    """Return the folder in which a workflow or a job lets its lines begin."""
    value = lookup(document.value, (*path, "defaults", "run", "working-directory"))
    return value if isinstance(value, str) else None


def _placed(step: Component, events: list[str], job: str) -> Component:
    """Return a step with what starts it and the job that it is of."""
    return step._replace(extra=tuple(sorted((*step.extra, ("job", compact(job)), ("on", compact(events))))))


def _variables(reader: PluginReader, document: Document, *paths: Path) -> _Variables:
    """Return the environment of tables that go over each other, the last one first."""
    sources: dict[str, str | None] = {}
    literals: dict[str, str] = {}
    for path in paths:
        found = environment(reader, document, path) if isinstance(lookup(document.value, path), dict) else ((), ())
        for name, source in found[0]:
            sources[name] = source
            literals.pop(name, None)
        literals.update(found[1])
    return tuple(sorted(sources.items(), key=lambda pair: pair[0])), tuple(sorted(literals.items()))


def _events(value: object) -> list[str]:
    """Return the events that start a workflow."""
    if isinstance(value, str):
        return [value]
    names = list(value) if isinstance(value, (list, dict)) else []
    return [str(name) for name in names] or [_NOT_NAMED]


def _granted(document: Document, path: Path, name: str, gate: str) -> Iterator[Component]:
    """Yield what a workflow or job lets its steps do beyond reading."""
    value = lookup(document.value, path)
    words = [f"{key} = {right}" for key, right in value.items() if right == "write"] if isinstance(value, dict) else []
    if value == "write-all":
        words = ["write-all"]
    if words:
        yield granting(document, path, f"{name} permissions", words, trigger="unknown", gate=gate)


def _steps(
    reader: PluginReader, document: Document, path: Path, name: str, gate: str, around: _Variables = ((), ())
) -> Iterator[Component]:
    listed = lookup(document.value, path)
    for at, step in enumerate(listed[:MAX_DECLARED] if isinstance(listed, list) else []):
        place = (*path, at)
        if not isinstance(step, dict):
            reader.fault_at(document, place, f"must be a table, not {kind_of(step)}")
            continue
        reader.expect_keys(document, step, _STEP, at=place)
        called = f"{name}.{step.get('id', at)}"
        if isinstance(step.get("uses"), str):
            yield _use(document, (*place, "uses"), str(step["uses"]), called, gate, step)
            yield from _script(document, place, called, gate, step)
        if isinstance(step.get("run"), str):
            yield _with_around(_run(reader, document, place, called, gate, step), around)


def _script(document: Document, path: Path, name: str, gate: str, step: Mapping[str, object]) -> Iterator[Component]:
    """Yield the JavaScript that a step hands to the action that runs it."""
    code = lookup(step, ("with", "script"))
    if isinstance(code, str) and _RUNS_SCRIPTS.match(str(step["uses"])) is not None:
        place = document.locate_value((*path, "with", "script"))
        yield Component(
            kind=ComponentKind.SCRIPT,
            name=f"{name} script",
            file=document.file,
            span=document.locate((*path, "with", "script")),
            transport="exec",
            command=("node", "-e", code),
            trigger="unknown",
            gate=gate,
            places=(("command.2", place),),
        )


def _with_around(step: Component, around: _Variables) -> Component:
    """Return a step with the variables that its job and its workflow set, under its own."""
    own = {name for name, _ in step.environment}
    sources = [pair for pair in around[0] if pair[0] not in own]
    literals = [pair for pair in around[1] if pair[0] not in own]
    if not sources:
        return step
    return step._replace(
        environment=tuple(sorted((*step.environment, *sources), key=lambda pair: pair[0])),
        literals=tuple(sorted((*step.literals, *literals))),
    )


def _run(
    reader: PluginReader, document: Document, path: Path, name: str, gate: str, step: Mapping[str, object]
) -> Component:
    """Return the line of a step; for a shell that is none, the program that is given the text as a file."""
    sources, literals = environment(reader, document, (*path, "env"))
    line = line_component(
        reader, document, (*path, "run"), kind=ComponentKind.SCRIPT, name=name, trigger="unknown", gate=gate
    )
    folder, shell = step.get("working-directory"), step.get("shell")
    component = line._replace(
        cwd=folder if isinstance(folder, str) else None,
        environment=sources,
        literals=literals,
        extra=extras(step, frozenset({"run", "env", "uses", "working-directory"})),
    )
    if not isinstance(shell, str) or shell.split(" ", 1)[0] in _SHELLS:
        return component
    flag = "-c" if shell.startswith("python") else "-e" if shell.startswith("node") else ""
    words = (shell.split(" ", 1)[0], flag, line.command[0]) if flag else (*shell.split(), line.command[0])
    last = f"command.{len(words) - 1}"
    places = tuple((last if part == "command.0" else part, place) for part, place in component.places)
    return component._replace(command=words, shell=False, entry=None, places=places)


def _use(document: Document, path: Path, what: str, name: str, gate: str, table: Mapping[str, object]) -> Component:
    """Return an action or workflow that is fetched, or one of the repository itself."""
    span = document.locate_value(path)
    component = Component(
        kind=ComponentKind.SOURCE,
        name=f"{name} {what}",
        file=document.file,
        span=span,
        trigger="unknown",
        gate=gate,
        extra=extras(table, frozenset({"run", "steps"})),
        places=(("extra.source", span),),
    )
    if what.startswith("./"):
        return component
    is_exact = _COMMIT.search(what) is not None
    source = "image" if what.startswith("docker://") else "github"
    pinning = Pinning.EXACT if is_exact else Pinning.VERSIONED if "@" in what else Pinning.FLOATING
    digest = what.rpartition("@")[2] if is_exact else ""
    return component._replace(packages=(Package(what, source, pinning.value, digest),))


def _action(reader: PluginReader, file: str) -> Iterator[Plugin]:
    """Yield an action: its steps, or the file that the runner starts; other documents of that name are none."""
    document = reader.yaml(file)
    if document is None or not isinstance(lookup(document.value, ("runs",)), dict):
        return
    reader.expect_keys(document, reader.table(document), _ACTION)
    runs = reader.table(document, ("runs",))
    reader.expect_keys(document, runs, _RUNS, at=("runs",))
    steps = _steps(reader, document, ("runs", "steps"), "runs", _GATE)
    found = [_placed(step, [_NOT_NAMED], "runs") for step in steps]
    for key in ("pre", "main", "post"):
        script = runs.get(key)
        if isinstance(script, str):
            found.append(
                Component(
                    kind=ComponentKind.SCRIPT,
                    name=key,
                    file=file,
                    span=document.locate(("runs", key)),
                    transport="exec",
                    command=("node", script),
                    trigger="unknown",
                    gate=_GATE,
                    entry=script if reader.is_file(script) else None,
                )
            )
    image = runs.get("image")
    if isinstance(image, str):
        found.append(
            Component(
                kind=ComponentKind.SOURCE,
                name=image,
                file=file,
                span=document.locate(("runs", "image")),
                trigger="unknown",
                gate=_GATE,
                extra=(("runs", compact(runs)),),
            )
        )
    yield make_configuration(
        "github-actions",
        reader,
        manifest=file,
        name=reader.text(document, ("name",)) or folder_of(reader),
        description=reader.text(document, ("description",)),
        covers=(),
        components=found,
    )
