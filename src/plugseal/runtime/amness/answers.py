"""What the calls of a harness mean and what they give: one function for each method, JSON in and JSON out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from plugseal.errors import UsageError
from plugseal.runtime.amness.host import Host
from plugseal.runtime.amness.loaded import Loaded
from plugseal.runtime.amness.policy import Action
from plugseal.runtime.amness.selftest import run_selftest
from plugseal.runtime.amness.strategies import STRATEGIES
from plugseal.runtime.amness.texts import Made
from plugseal.runtime.amness.tools import schema_of
from plugseal.runtime.amness.variants import build_variant_system, find_variant, find_variants

Params = Mapping[str, Any]


def describe(plugin: Loaded) -> dict[str, object]:
    """Return what a loaded plugin contributes."""
    found = plugin.description
    return {
        "id": plugin.id,
        "name": plugin.name,
        "description": found.description,
        "file": plugin.file,
        "scope": plugin.scope,
        "failClosed": found.fail_closed,
        "hooks": found.names("hooks"),
        "tools": [item.name for item in found.tools],
        "commands": [item.name for item in found.commands],
        "gates": [item.name for item in found.gates],
        "cases": [item.name for item in found.cases],
        "variants": [f"{plugin.name}:{name}" for name in sorted(found.variants)],
        "metrics": found.names("metrics"),
        "graders": found.names("graders"),
        "functions": sorted(one for one in found.functions if "." not in one),
    }


def _hook(host: Host, params: Params) -> object:
    event = _text(params, "event")
    schema = params.get("schema")
    outcome = host.hook(event, _table(params, "payload"), schema=schema if isinstance(schema, dict) else None)
    return {
        "block": outcome.block,
        "by": outcome.by,
        "context": outcome.context,
        "args": outcome.args,
        "tools": None if outcome.tools is None else list(outcome.tools),
        "then": outcome.then,
        "text": outcome.text(event),
        "warnings": outcome.warnings,
    }


def _policy(host: Host, params: Params) -> object:
    own = params.get("own", "ask")
    try:
        action = Action(own)
    except ValueError as error:
        raise UsageError("`own` is none of `allow`, `ask`, `deny`") from error
    floor = params.get("floor", True) is not False  # Who does not say is taken to ask for safety's sake.
    verdict, warnings = host.decide(_text(params, "tool"), params.get("args"), action, floor=floor)
    return {
        "action": verdict.action.value,
        "reason": verdict.reason,
        "by": verdict.by,
        "text": verdict.text,
        "warnings": warnings,
    }


def _tools(host: Host, params: Params) -> object:
    del params
    offers = host.tools()
    tools = [
        {
            "name": name,
            "description": one.item.text("description"),
            "schema": schema_of(one.item),
            "readOnly": one.item.data.get("readOnly") is True,
            "risky": one.item.data.get("risky") is True,
            "plugin": one.plugin.name,
        }
        for name, one in offers.offered.items()
    ]
    return {"tools": tools, "warnings": list(offers.warnings)}


def _tool(host: Host, params: Params) -> object:
    result = host.call_tool(_text(params, "name"), _table(params, "args"))
    return {"text": result.text, "failed": result.failed}


def _commands(host: Host, params: Params) -> object:
    del params
    offers = host.commands()
    commands = [
        {
            "name": name,
            "help": f"{one.item.text('help')} (plugin {one.plugin.name})".lstrip(),
            "plugin": one.plugin.name,
        }
        for name, one in offers.offered.items()
    ]
    return {"commands": commands, "warnings": list(offers.warnings)}


def _command(host: Host, params: Params) -> object:
    result = host.run_command(_text(params, "name"), str(params.get("arg", "")))
    return {"text": result.text, "failed": result.failed}


def _finish(host: Host, params: Params) -> object:
    outcome = host.finish(_table(params, "ctx"))
    return {"rejected": outcome.rejected, "warnings": outcome.warnings}


def _system(host: Host, params: Params) -> object:
    return _made(host.system(_text(params, "base")))


def _context(host: Host, params: Params) -> object:
    messages = params.get("messages")
    if not isinstance(messages, list):
        raise UsageError("`messages` is no list")
    return _made(host.context(messages, _table(params, "info")))


def _route(host: Host, params: Params) -> object:
    known = params.get("known")
    return _made(host.route(_table(params, "info"), known=known if isinstance(known, list) else None))


def _status(host: Host, params: Params) -> object:
    return {"lines": host.status(running=params.get("running") is True)}


def _memory(host: Host, params: Params) -> object:
    args = params.get("args", [])
    found = host.memory(_text(params, "method"), args if isinstance(args, list) else [])
    return {"value": found.value, "failed": found.failed, "warnings": list(found.warnings)}


def _measure(host: Host, params: Params) -> object:
    found = host.measure(_table(params, "ctx"))
    return {"values": found.values, "warnings": list(found.warnings)}


def _grade(host: Host, params: Params) -> object:
    scores, warnings = host.grade(_table(params, "session"))
    return {"scores": [one._asdict() for one in scores], "warnings": warnings}


def _strategy(host: Host, params: Params) -> object:
    name = params.get("name")
    if isinstance(name, str):
        host.use_strategy(name)
    return {"strategy": host.strategy, "there_are": [*STRATEGIES, "off"]}


def _variants(host: Host, params: Params) -> object:
    del params
    return {"variants": [variant.plain() for variant in find_variants(host.plugins)]}


def _variant_system(host: Host, params: Params) -> object:
    variant = find_variant(host.plugins, _text(params, "name"))
    with host.loader.calling():
        return _made(build_variant_system(variant, _text(params, "base"), cwd=host.cwd))


def _policy_seen(host: Host, params: Params) -> object:
    del params
    calls = [
        {"tool": tool, "action": seen.action.value, "by": seen.by, "reason": seen.reason} for tool, seen in host.seen
    ]
    return {"calls": calls}


def _selftest(host: Host, params: Params) -> object:
    del params
    with host.loader.calling():
        return {"cases": [one._asdict() for one in run_selftest(host.plugins)]}


METHODS: Final[Mapping[str, Callable[[Host, Params], object]]] = {
    "hook": _hook,
    "after_text": lambda host, _: {"then": host.after_text()},
    "phase": lambda host, params: {"refusal": host.phase_refusal(_text(params, "tool"))},
    "policy": _policy,
    "policy_seen": _policy_seen,
    "tools": _tools,
    "tool": _tool,
    "commands": _commands,
    "command": _command,
    "finish": _finish,
    "system": _system,
    "context": _context,
    "route": _route,
    "status": _status,
    "memory": _memory,
    "measure": _measure,
    "grade": _grade,
    "strategy": _strategy,
    "variants": _variants,
    "variant_system": _variant_system,
    "selftest": _selftest,
}
"""By the method's name; `list`, `reload`, `prompts` and `prompt` are the server's own."""


def _made(found: Made) -> dict[str, object]:
    return {"value": found.value, "warnings": list(found.warnings)}


def _text(params: Params, key: str) -> str:
    value = params.get(key)
    if not isinstance(value, str):
        raise UsageError(f"`{key}` is no text")
    return value


def _table(params: Params, key: str) -> Mapping[str, Any]:
    value = params.get(key, {})
    if not isinstance(value, dict):
        raise UsageError(f"`{key}` is no object")
    return value
