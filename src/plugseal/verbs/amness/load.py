"""Plugins of Amness behind the gate: load them for one working folder, and do with them what Amness's own words say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from plugseal.errors import NothingToJudgeError, SupervisorError, UsageError
from plugseal.model.identity import subject_id
from plugseal.runtime.amness.answers import METHODS, describe
from plugseal.runtime.amness.host import Chat, Host
from plugseal.runtime.amness.loading import Loader, Skipped
from plugseal.runtime.amness.measures import Score
from plugseal.runtime.amness.policy import Action
from plugseal.runtime.amness.prompts import find_prompts, read_prompt
from plugseal.runtime.amness.selftest import Tried, run_selftest
from plugseal.runtime.amness.server import Server, Wire
from plugseal.runtime.amness.traces import read_traces
from plugseal.runtime.limits import Limits
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.actor import current_actor
from plugseal.trust.store import Store
from plugseal.verbs.amness.find import NOT_ASKED_FOR, find_amness, project_commands, scan_line_of
from plugseal.verbs.arguments import parse_arguments
from plugseal.verbs.user import home_of_user

OnEvent = Callable[[str], None]
"""Called with a line of ours for the user; hostile text inside."""
MAX_LISTED: Final = 25
"""Denied or asked calls that a replay shows."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which plugins are meant, and where."""

    workspace: Path
    store: Store
    named: tuple[Path, ...] = ()
    """Files that the user named."""
    trust_project: bool = False
    """Whether plugins of the project are loaded too, as far as they are trusted."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What loads, and what does not."""

    plugins: tuple[Mapping[str, Any], ...]
    skipped: tuple[Skipped, ...]
    lines: Mapping[str, str]
    """What each skipped file seems to touch, by `scope/name`; hostile text."""
    warnings: tuple[str, ...]

    @property
    def untold(self) -> int:
        """Return how many plugin files of the project were passed over for want of `--trust-project`."""
        return sum(1 for one in self.skipped if one.reason == NOT_ASKED_FOR)

    def plain(self) -> dict[str, object]:
        """Return it as a harness gets it."""
        skipped = [{**one._asdict(), "touches": self.lines.get(f"{one.scope}/{one.file}", "")} for one in self.skipped]
        return {"plugins": list(self.plugins), "skipped": skipped, "warnings": list(self.warnings)}


@dataclass
class Replay:
    """What the policies say of calls that already happened."""

    traces: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("deny", "ask", "allow", "none"), 0))
    shown: list[tuple[str, str, Any, str]] = field(default_factory=list)
    """(action, tool, arguments, reason) of denied and asked calls; hostile text."""
    warnings: list[str] = field(default_factory=list)


@dataclass
class Grades:
    """What graders say of sessions that already happened."""

    sessions: list[tuple[str, list[Score]]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


class _NoChat:
    """A chat where there is none: what is said is told, and nobody can be asked."""

    def __init__(self, on_event: OnEvent) -> None:
        self._on_event = on_event

    def say(self, plugin: str, text: str) -> None:
        self._on_event(f"{plugin}: {text}")

    def ask(self, plugin: str, text: str) -> object:
        del plugin, text
        raise SupervisorError("there is no agent to ask here")


class _Opened:
    """A host with what was skipped when its plugins were loaded."""

    def __init__(self, request: Request, chat: Chat, on_event: OnEvent) -> None:
        supervisor = Supervisor(request.store, name=subject_id, by=current_actor())
        self._request = request
        loader = Loader(supervisor, cwd=request.workspace, tell=on_event, limits=Limits())
        commands = project_commands(request.workspace)
        self.host = Host(loader, cwd=request.workspace, chat=chat, project_commands=commands)

    def load(self) -> Listing:
        """Load everything anew, and return what became of it.

        Raises:
            SupervisorError: a plugin is being called.
        """
        if self.host.loader.is_busy:
            raise SupervisorError("a plugin is being called", hint="reload once it has answered")
        request = self._request
        self.host.loader.close()
        found = find_amness(request.workspace, request.store, named=request.named, trust_project=request.trust_project)
        skipped, warnings = self.host.loader.load(found.candidates)
        everything = (*found.skipped, *skipped)
        keys = {f"{one.scope}/{one.file}" for one in everything}
        lines = {key: scan_line_of(path) for key, path in found.files.items() if key in keys}
        return Listing(tuple(map(describe, self.host.plugins)), everything, lines, tuple(warnings))


@contextmanager
def opened(request: Request, *, on_event: OnEvent, chat: Chat | None = None) -> Iterator[tuple[Host, Listing]]:
    """Yield a host with its plugins loaded, and what loads and what does not; ends all of them at the end.

    Raises:
        StateError: the state folder can't be used.
    """
    found = _Opened(request, chat or _NoChat(on_event), on_event)
    with found.host:
        yield found.host, found.load()


def list_amness(request: Request, *, on_event: OnEvent) -> Listing:
    """Return what loads and what does not; everything that was started is ended again.

    Raises:
        StateError: the state folder can't be used.
    """
    with opened(request, on_event=on_event) as (_, listing):
        return listing


def call_amness(request: Request, method: str, params: str, *, on_event: OnEvent) -> object:
    """Answer one request of a harness, by hand.

    Args:
        request: which plugins are meant.
        method: one of `answers.METHODS`.
        params: a JSON object.
        on_event: told what plugins print and say.

    Raises:
        UsageError: there is no such method, or its parameters are none.
        RefusedError: a plugin's permission was taken.
    """
    if method not in METHODS:
        raise UsageError(f"there is no method `{method}`", hint=f"one of {', '.join(sorted(METHODS))}")
    values = parse_arguments(params)
    with opened(request, on_event=on_event) as (host, listing):
        for one in listing.skipped:
            on_event(f"{one.file}: not loaded: {one.reason}")
        return METHODS[method](host, values)


def replay_policy(request: Request, traces: Sequence[str], *, on_event: OnEvent) -> tuple[Replay, Listing]:
    """Ask the policies about the tool calls of sessions that already happened; none is run.

    Raises:
        IntakeError: a trace can't be read.
        NothingToJudgeError: no loaded plugin has a policy, or there is no trace.
        RefusedError: a plugin's permission was taken meanwhile.
    """
    replay = Replay()
    with opened(request, on_event=on_event) as (host, listing):
        _verify_any(listing, "policy" if any(plugin.has("policy") for plugin in host.plugins) else "", "a policy")
        for trace in read_traces([Path(path) for path in traces]):
            replay.traces += 1
            for call in trace.calls:
                opinion = host.policy(call.tool, call.args)
                replay.warnings += opinion.warnings
                replay.counts["none" if opinion.action is None else opinion.action.value] += 1
                if opinion.action in (Action.DENY, Action.ASK) and len(replay.shown) < MAX_LISTED:
                    replay.shown.append((opinion.action.value, call.tool, call.args, opinion.reason))
    if not replay.traces:
        raise NothingToJudgeError("no trace is there", hint="name trace files, or a folder of them")
    return replay, listing


def grade_sessions(request: Request, traces: Sequence[str], *, on_event: OnEvent) -> tuple[Grades, Listing]:
    """Score sessions that already happened.

    Raises:
        IntakeError: a trace can't be read.
        NothingToJudgeError: no loaded plugin has a grader, or there is no trace.
        RefusedError: a plugin's permission was taken meanwhile.
    """
    grades = Grades()
    with opened(request, on_event=on_event) as (host, listing):
        graders = [name for plugin in host.plugins for name in plugin.description.names("graders")]
        _verify_any(listing, "".join(graders), "a grader")
        for trace in read_traces([Path(path) for path in traces]):
            scores, warnings = host.grade(trace.session())
            grades.sessions.append((trace.file, scores))
            grades.warnings += warnings
    if not grades.sessions:
        raise NothingToJudgeError("no trace is there", hint="name trace files, or a folder of them")
    return grades, listing


def selftest(request: Request, *, on_event: OnEvent) -> tuple[list[Tried], Listing]:
    """Try the cases of evals without a model.

    Raises:
        NothingToJudgeError: no loaded plugin has a case.
        RefusedError: a plugin's permission was taken meanwhile.
    """
    with opened(request, on_event=on_event) as (host, listing), host.loader.calling():
        tried = list(run_selftest(host.plugins))
    _verify_any(listing, "".join(one.case for one in tried), "a case of an eval")
    return tried, listing


def serve(request: Request, *, reading: int, writing: int, on_event: OnEvent) -> None:
    """Serve a harness until it closes its side.

    Args:
        request: which plugins are meant.
        reading: descriptor of the harness's lines.
        writing: descriptor for ours.
        on_event: told what plugins print.

    Raises:
        StateError: the state folder can't be used.
        SupervisorError: the harness went away, or sent a line that is too long.
    """
    roots = [request.workspace, Path(home_of_user() or "/nowhere")]

    def prompt(params: Mapping[str, Any]) -> object:
        name, base = params.get("id", ""), params.get("base", "")
        if not isinstance(name, str) or not isinstance(base, str):
            raise UsageError("`id` and `base` are texts")
        return {"value": read_prompt(name, base, roots)}

    listing: list[Listing] = []
    server = Server(
        Wire(reading, writing),
        {
            "list": lambda _: listing[-1].plain(),
            "reload": lambda _: _reloaded(found, listing),
            "prompts": lambda _: {"prompts": sorted(find_prompts(roots))},
            "prompt": prompt,
        },
    )
    found = _Opened(request, server, on_event)
    with found.host:
        listing.append(found.load())
        if listing[-1].untold:
            server.tell(f"{listing[-1].untold} plugin files of the project were skipped: {NOT_ASKED_FOR}")
        server.run(found.host)


def _reloaded(found: _Opened, listing: list[Listing]) -> object:
    listing.append(found.load())
    return listing[-1].plain()


def _verify_any(listing: Listing, there: str, what: str) -> None:
    if there:
        return
    details = [f"{one.file}: {one.reason}" for one in listing.skipped]
    raise NothingToJudgeError(f"no loaded plugin has {what}", details=details, hint="see `plugseal amness list`")
