"""Read playbooks and tasks of Ansible: the lines, programs and scripts that they run, and what they fetch.

A play runs on the hosts that it names, and on the machine of whoever starts it where that is `localhost`; what `pipe`
looks up runs there always.

See: https://docs.ansible.com/ansible/latest/collections/ansible/builtin/index.html
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.encode.values import Json
from plugseal.errors import DataError
from plugseal.lang.facts import Nested
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.sources import host_of
from plugseal.model.location import Span
from plugseal.patterns import lazy

PLAYBOOK: Final = "playbook"
_LISTS: Final = frozenset("tasks pre_tasks post_tasks handlers block rescue always".split())
_LINES: Final = frozenset(("shell", "raw"))
_FETCHES: Final = {"get_url": "url", "uri": "url", "git": "repo", "unarchive": "src", "apt_key": "url"}
_OURS: Final = ("", "ansible.builtin.", "ansible.legacy.")
_FREE: Final = ("cmd", "_raw_params")
_FILLED_IN: Final = lazy(r"\{\{[^{}]*\}\}|\{%[^{}]*%\}")
_PIPE: Final = lazy(
    r"\b(?:lookup|query|q)\([ ]?['\"](?:ansible\.builtin\.)?pipe['\"][ ]?,[ ]?(?:'([^'\n]*)'|\"([^\"\n]*)\")"
)
_MAX_SHOWN: Final = 200
_Path = tuple[str | int, ...]


def read_playbook(text: str, _path: str) -> Found:
    """Return what the tasks of a file run and fetch.

    Args:
        text: with LF line ends.
    """
    from plugseal.encode.yaml import index_yaml, parse_yaml

    found = Found(PLAYBOOK)
    for number, line in enumerate(text.split("\n"), 1):
        for looked_up in _PIPE.finditer(line) if "pipe" in line else ():
            span = Span(number, looked_up.start() + 1, number, looked_up.end() + 1)
            _line(looked_up[1] or looked_up[2] or "", span, found)
    try:
        value = parse_yaml(text.encode(), merges=True)
    except DataError as error:
        found.lack(f"not valid YAML: {error.message}" + (f" (line {error.line})" if error.line else ""))
        return found
    places = None
    for path, task in _tasks(value):
        for module, given in task.items():
            what = next((module[len(own) :] for own in _OURS if own and module.startswith(own)), module)
            if what in _LINES or what in ("command", "script", "become") or what in _FETCHES:
                places = places or index_yaml(text.encode(), merges=True)
                _module(what, given, task, places.nearest((*path, module)), found)
    return found


def _tasks(value: Json) -> Iterator[tuple[_Path, Mapping[str, Json]]]:
    """Yield every play and task, in blocks too."""
    waiting: list[tuple[_Path, Json]] = [((), value)]
    for path, listed in waiting:
        for at, one in enumerate(listed if isinstance(listed, list) else []):
            if isinstance(one, dict):
                yield (*path, at), one
                waiting.extend(((*path, at, key), one[key]) for key in one if key in _LISTS)


def _module(what: str, given: Json, task: Mapping[str, Json], span: Span, found: Found) -> None:
    """Take one module of a task with what it is given."""
    if what == "become":
        if given is True or given == "yes":
            found.fact(span, "privilege", "become", "command", sure=False)
        return
    if what in _FETCHES:
        address = given.get(_FETCHES[what]) if isinstance(given, dict) else None
        if isinstance(address, str) and "://" in address:
            found.fact(span, "net.outbound", host_of(address), "command")
        return
    line = _given(given, task)
    if what in _LINES:
        _line(line, span, found)
    elif what == "script" and line.split():
        found.fact(span, "process.exec", line.split()[0][:_MAX_SHOWN], "command")
    elif what == "command":
        words = given.get("argv") if isinstance(given, dict) else None
        texts = [word for word in words if isinstance(word, str)] if isinstance(words, list) else _split(line)
        if texts:
            found.run_words([_FILLED_IN.sub("$1", word) for word in texts], span, "command", "task")


def _given(given: Json, task: Mapping[str, Json]) -> str:
    """Return the free text that a module is given: alone, or as `cmd` of its table or of the task's `args`."""
    if isinstance(given, str):
        return given
    for table in (given, task.get("args")):
        texts = [table.get(key) for key in _FREE] if isinstance(table, dict) else []
        text = next((one for one in texts if isinstance(one, str)), None)
        if text is not None:
            return text
    return ""


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _line(line: str, span: Span, found: Found) -> None:
    if line.strip():
        found.nest(Nested("shell", _FILLED_IN.sub('"$1"', line), span, (), "command", "task"))
