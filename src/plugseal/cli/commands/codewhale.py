"""`plugseal codewhale …`: bundles by Codewhale's own words, their skills, and their servers by hand."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from plugseal.cli.commands.codewhale_bundles import BUNDLE_RUNS
from plugseal.cli.commands.codewhale_common import begin_to_use, print_lines
from plugseal.cli.commands.serving import end_on_signals, tell_by
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result, is_terminal
from plugseal.cli.settings import format_of
from plugseal.errors import UsageError
from plugseal.model.codewhale import ListedServer
from plugseal.render import codewhale as render
from plugseal.render.text import line
from plugseal.shown import shown, shown_json
from plugseal.verbs.codewhale import servers, skills
from plugseal.verbs.codewhale.serve import serve_bundles
from plugseal.verbs.codewhale.tools import legacy_tools
from plugseal.verbs.piped import read_soon

_MAX_CA_BYTES: Final = 16 * 1024 * 1024


def run_tools(arguments: argparse.Namespace) -> int:
    """Print the scripts of the older system."""
    found = legacy_tools()
    if format_of(arguments) == "json":
        return _write(arguments, render.render_tools_json(found))
    return print_lines(arguments, lambda width: render.render_tools(found, width=width))


def run_skills_list(arguments: argparse.Namespace) -> int:
    """Print the skills of now.

    Raises:
        PlugsealError: as `begin`.
    """
    found = skills.list_skills(skills.open_skills(begin_to_use(arguments), on_event=tell_by(arguments)))
    if format_of(arguments) == "json":
        return _write(arguments, render.render_skills_json(found))
    return print_lines(arguments, lambda width: render.render_skills(found, width=width))


def run_skills_load(arguments: argparse.Namespace) -> int:
    """Print a skill's text byte for byte into a file or a pipe; on a terminal it is escaped.

    Raises:
        PlugsealError: as `load_skill`.
    """
    catalogue = skills.open_skills(begin_to_use(arguments), on_event=tell_by(arguments))
    return _write_text(arguments, skills.load_skill(arguments.skill, catalogue))


def run_skills_inspect(arguments: argparse.Namespace) -> int:
    """Print which reviewed bundle a skill is of.

    Raises:
        PlugsealError: as `inspect_skill`.
    """
    catalogue = skills.open_skills(begin_to_use(arguments), on_event=tell_by(arguments))
    found = skills.inspect_skill(arguments.skill, catalogue)
    if format_of(arguments) == "json":
        return _write(arguments, render.render_inspected_json(found))
    return print_lines(arguments, lambda _: render.render_inspected(found))


def run_skills_queue(arguments: argparse.Namespace) -> int:
    """Print what a host keeps with a queued message.

    Raises:
        PlugsealError: as `queue_skill`.
    """
    catalogue = skills.open_skills(begin_to_use(arguments), on_event=tell_by(arguments))
    return _write(arguments, [skills.queue_skill(arguments.skill, catalogue)])


def run_skills_dispatch(arguments: argparse.Namespace) -> int:
    """Print the text of a queued skill.

    Raises:
        PlugsealError: as `dispatch_skill`.
    """
    catalogue = skills.open_skills(begin_to_use(arguments), on_event=tell_by(arguments))
    return _write_text(arguments, skills.dispatch_skill(Path(arguments.file), catalogue))


def run_mcp_list(arguments: argparse.Namespace) -> int:
    """Print the servers that may be asked now.

    Raises:
        PlugsealError: as `begin`.
    """
    with servers.open_pool(begin_to_use(arguments), on_event=tell_by(arguments)) as pool:
        found: tuple[ListedServer, ...] = servers.list_servers(pool)
    if format_of(arguments) == "json":
        return _write(arguments, render.render_servers_json(found))
    return print_lines(arguments, lambda width: render.render_servers(found, width=width))


def run_mcp_show(arguments: argparse.Namespace) -> int:
    """Print what a server has.

    Raises:
        PlugsealError: as `list_rows`.
    """
    start, tell, authorities = begin_to_use(arguments), tell_by(arguments), _authorities(arguments)
    with servers.open_pool(start, on_event=tell, authorities=authorities) as pool:
        rows = servers.list_rows(pool, arguments.server, arguments.kind)
    return _write(arguments, [shown_json(json.dumps(rows, indent=2)) + "\n"])


def run_call(arguments: argparse.Namespace) -> int:
    """Print the answer; 1 if it is an error or the tool says that it failed.

    Raises:
        PlugsealError: as `call_server`.
    """
    start, tell, authorities = begin_to_use(arguments), tell_by(arguments), _authorities(arguments)
    with servers.open_pool(start, on_event=tell, authorities=authorities) as pool:
        answer = servers.call_server(pool, arguments.server, arguments.tool, arguments.json)
    result = answer.get("result")
    with Result() as stream:
        stream.write(shown_json(json.dumps(answer.get("error") if "error" in answer else result, indent=2)) + "\n")
    return NO if "error" in answer or (isinstance(result, dict) and result.get("isError") is True) else YES


def run_serve(arguments: argparse.Namespace) -> int:
    """Serve a client until it goes away.

    Raises:
        PlugsealError: as `serve_bundles`.
    """
    end_on_signals()
    serve_bundles(begin_to_use(arguments), on_event=tell_by(arguments), authorities=_authorities(arguments))
    return YES


def _authorities(arguments: argparse.Namespace) -> str | None:
    if not arguments.ca:
        return None
    try:
        data = read_soon(Path(arguments.ca), max_bytes=_MAX_CA_BYTES)
        if len(data) > _MAX_CA_BYTES:
            raise UsageError(f"the certificates are more than {_MAX_CA_BYTES:,} bytes", place=arguments.ca)
        return data.decode("ascii")
    except (OSError, UnicodeError) as error:
        raise UsageError("the certificates can't be read", place=arguments.ca) from error


def _write_text(arguments: argparse.Namespace, text: str) -> int:
    """Write a plugin's text: as it is into a file or a pipe, escaped on a terminal."""
    if arguments.output is None and is_terminal(sys.stdout):
        return print_lines(arguments, lambda _: [line(shown(row)) for row in text.splitlines()])
    return _write(arguments, [text])


def _write(arguments: argparse.Namespace, parts: Iterable[str]) -> int:
    with Result(getattr(arguments, "output", None)) as stream:
        reconfigure = getattr(stream, "reconfigure", None)
        if stream is sys.stdout and reconfigure is not None:
            reconfigure(errors="backslashreplace")
        stream.writelines(parts)
    return YES


RUNS: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    **BUNDLE_RUNS,
    "codewhale tools": run_tools,
    "codewhale skills list": run_skills_list,
    "codewhale skills load": run_skills_load,
    "codewhale skills inspect": run_skills_inspect,
    "codewhale skills queue": run_skills_queue,
    "codewhale skills dispatch": run_skills_dispatch,
    "codewhale mcp list": run_mcp_list,
    "codewhale mcp show": run_mcp_show,
    "codewhale call": run_call,
    "codewhale serve": run_serve,
}
