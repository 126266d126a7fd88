"""A host of Amness plugins: everything that the documented loop asks of them, at one place, for one working folder.

It holds what the rules need between calls: the turn's tools, the gates' counts, the status lines. It decides nothing of
the loop itself: a harness calls it at the documented moments and does as it says.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Protocol

from plugseal.errors import SupervisorError, UsageError
from plugseal.runtime.amness.description import EVENTS
from plugseal.runtime.amness.gates import GateOutcome, Gates
from plugseal.runtime.amness.hooks import HookOutcome, build_payload, run_hooks
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.loading import Loader
from plugseal.runtime.amness.measures import Measured, Score, grade, measure
from plugseal.runtime.amness.memory import METHODS, Remembered, call_memory, find_memory
from plugseal.runtime.amness.policy import Action, Opinion, Verdict, ask_policies, judge
from plugseal.runtime.amness.protocol import Asked
from plugseal.runtime.amness.reviewed import reviewed_for
from plugseal.runtime.amness.schemas import check_value
from plugseal.runtime.amness.strategies import Turn, add_strategy, find_strategy
from plugseal.runtime.amness.texts import Made, StatusLines, build_messages, build_system, choose_model
from plugseal.runtime.amness.tools import Offers, Result, call_tool, find_commands, find_tools, run_command

MAX_SEEN: Final = 25


class Chat(Protocol):
    """What a command may do in the chat of a harness; each may raise `SupervisorError` to refuse it."""

    def say(self, plugin: str, text: str) -> None:
        """Print a line in the chat; the agent does not see it."""
        ...

    def ask(self, plugin: str, text: str) -> object:
        """Send a message to the agent, as if the user had typed it."""
        ...


class Host:
    """Call the plugins of one working folder; use as a context manager."""

    def __init__(self, loader: Loader, *, cwd: Path, chat: Chat, project_commands: Sequence[str] = ()) -> None:
        """Take over loaded plugins.

        Args:
            loader: holds their processes; more may be loaded later.
            cwd: the working folder.
            chat: where commands say and ask.
            project_commands: names of the project's own commands, which win.
        """
        self.loader = loader
        self.cwd = str(cwd)
        self._chat = chat
        self._commands = tuple(project_commands)
        self._gates = Gates()
        self._status = StatusLines()
        self._turn = Turn()
        self.seen: deque[tuple[str, Verdict]] = deque(maxlen=MAX_SEEN)
        """The latest calls that were decided about, with what became of them."""
        self.strategy = "off"
        """Name of the strategy of Amness itself that is used."""

    def __enter__(self) -> Host:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End all processes."""
        self.loader.close()

    @property
    def plugins(self) -> tuple[Loaded, ...]:
        """Return the loaded plugins, in load order."""
        return self.loader.plugins

    def hook(self, event: str, payload: Mapping[str, Any], *, schema: Mapping[str, Any] | None = None) -> HookOutcome:
        """Run the hooks of one event; of `PreModel` the turn's limits are kept.

        Args:
            event: one of the eight.
            payload: its own fields.
            schema: of the tool that is called, where the host knows it: new arguments must fit it.

        Raises:
            UsageError: there is no such event.
            RefusedError: a plugin's permission was taken.
        """
        if event not in EVENTS:
            raise UsageError(f"there is no event `{event}`", hint=f"one of {', '.join(EVENTS)}")
        with self.loader.calling():
            outcome = run_hooks(self.plugins, event, payload, cwd=self.cwd)
        if event == "PreModel":
            self._begin_turn(outcome, payload)
        if event == "PreToolUse":
            self._verify_args(outcome, str(payload.get("tool", "")), schema)
        return outcome

    def use_strategy(self, name: str) -> None:
        """Choose one of the strategies that Amness brings; `off` for none.

        Raises:
            UsageError: there is none of that name.
        """
        find_strategy(name)
        self.strategy = name or "off"

    def phase_refusal(self, tool: str) -> str:
        """Return what a call of a tool gets that the present turn does not allow; empty where it does."""
        return self._turn.refusal(tool)

    def after_text(self) -> str:
        """Return the message that follows an answer without a tool call; empty where that ends the run."""
        return self._turn.after_text()

    def tools(self) -> Offers:
        """Return the tools of all plugins."""
        return find_tools(self.plugins)

    def call_tool(self, name: str, args: Mapping[str, Any]) -> Result:
        """Call a plugin's tool, if the turn allows it.

        Raises:
            UsageError: no plugin has it.
            RefusedError: its plugin's permission was taken.
        """
        offered = self.tools().offered.get(name)
        if offered is None:
            raise UsageError(f"no loaded plugin has the tool `{name}`", hint="see what is loaded with `list`")
        refusal = self.phase_refusal(name)
        if refusal:
            return Result(refusal, failed=True)
        with self.loader.calling():
            return call_tool(offered, args, cwd=self.cwd)

    def commands(self) -> Offers:
        """Return the slash commands of all plugins."""
        return find_commands(self.plugins, self._commands)

    def run_command(self, name: str, arg: str = "") -> Result:
        """Run a slash command.

        Raises:
            UsageError: no plugin has it.
            RefusedError: its plugin's permission was taken.
        """
        offered = self.commands().offered.get(name.removeprefix("/"))
        if offered is None:
            raise UsageError(f"no loaded plugin has the command `/{name}`", hint="see what is loaded with `list`")
        with self.loader.calling():
            return run_command(offered, arg, cwd=self.cwd, asked=self._asked)

    def finish(self, ctx: Mapping[str, Any]) -> GateOutcome:
        """Say whether the agent may finish: first the hooks of `Stop`, and where none blocks, the gates.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        stopped = self.hook("Stop", {"summary": ctx.get("summary", "")})
        if stopped.block is not None:
            return GateOutcome(stopped.text("Stop"), stopped.warnings)
        with self.loader.calling():
            outcome = self._gates.check(self.plugins, ctx, cwd=self.cwd, asked=self._asked)
        outcome.warnings[:0] = stopped.warnings
        return outcome

    def policy(self, tool: str, args: object) -> Opinion:
        """Ask all policies about one call.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return ask_policies(self.plugins, tool, args, cwd=self.cwd)

    def decide(self, tool: str, args: object, own: Action, *, floor: bool) -> tuple[Verdict, list[str]]:
        """Return what becomes of a call by the policies and the host's own rules, and warnings.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        opinion = self.policy(tool, args)
        verdict = judge(opinion, own, floor=floor)
        self.seen.append((tool, verdict))
        return verdict, opinion.warnings

    def system(self, base: str) -> Made:
        """Return the system prompt after every plugin.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return build_system(self.plugins, base, cwd=self.cwd)

    def context(self, messages: Sequence[Any], info: Mapping[str, Any]) -> Made:
        """Return the message list after every plugin.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return build_messages(self.plugins, messages, info)

    def route(self, info: Mapping[str, Any], *, known: Sequence[str] | None = None) -> Made:
        """Return the model for a request; None for the default one.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return choose_model(self.plugins, info, known=known)

    def status(self, *, running: bool = False) -> list[str]:
        """Return the status lines.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return self._status.lines(self.plugins, cwd=self.cwd, running=running)

    def memory(self, method: str, args: Sequence[object]) -> Remembered:
        """Call a method of the memory that is used.

        Raises:
            UsageError: there is no such method, or no plugin provides a memory.
            RefusedError: its plugin's permission was taken.
        """
        if method not in METHODS:
            raise UsageError(f"a memory has no method `{method}`", hint=f"one of {', '.join(METHODS)}")
        plugin = find_memory(self.plugins)
        if plugin is None:
            raise UsageError("no loaded plugin provides a memory", hint="the host's own is used")
        with self.loader.calling():
            return call_memory(plugin, method, args)

    def measure(self, ctx: Mapping[str, Any]) -> Measured:
        """Return the metrics of one run.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return measure(self.plugins, ctx)

    def grade(self, session: Mapping[str, Any]) -> tuple[list[Score], list[str]]:
        """Return the scores of one session, and warnings.

        Raises:
            RefusedError: a plugin's permission was taken.
        """
        with self.loader.calling():
            return grade(self.plugins, session)

    def _begin_turn(self, outcome: HookOutcome, payload: Mapping[str, Any]) -> None:
        strategy = find_strategy(self.strategy)
        if strategy is not None:
            reading = payload.get("reading")
            names = [name for name in reading if isinstance(name, str)] if isinstance(reading, list) else []
            names += [name for name, one in self.tools().offered.items() if one.item.data.get("readOnly") is True]
            add_strategy(outcome, strategy(build_payload("PreModel", payload, cwd=self.cwd), names))
        self._turn.begin(outcome)

    def _verify_args(self, outcome: HookOutcome, tool: str, schema: Mapping[str, Any] | None) -> None:
        """Block a call whose new arguments don't fit the tool's schema."""
        if outcome.args is None or outcome.block is not None:
            return
        own = self.tools().offered.get(tool)
        known = schema if own is None else own.item.data.get("schema")
        fault = check_value(outcome.args, known) if isinstance(known, Mapping) else ""
        if fault:
            outcome.block, outcome.args = f"a hook's new arguments don't fit the schema of {tool}: {fault}", None

    def _asked(self, plugin: Loaded, part: str) -> Asked:
        """Return who answers what one part of a plugin asks for."""
        reviewed = reviewed_for(plugin.reviewed, part)

        def answer(method: str, params: Mapping[str, Any]) -> object:
            refusal = reviewed.refusal(method, params)
            if refusal:
                raise SupervisorError(refusal)
            text = str(params.get("text", ""))
            if method == "say":
                self._chat.say(plugin.name, text)
            elif method == "ask":
                return self._chat.ask(plugin.name, text)
            return None

        return answer
