"""Checks of the public cases about reviews, trust and the trail: each goes through the command line, as a person would.

A plugin is trusted with the token that its review prints, in a state folder of the case. What changes, changes at the
same place: trust belongs to a place.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

from plugseal.model.trust import Subject
from plugseal.trust.actor import current_actor
from plugseal.trust.event import Run
from plugseal.trust.paths import path_key
from plugseal.trust.store import Store

_STATUS = {"unchanged": "trusted", "changed": "changed", "added": "not reviewed"}


class Ran(Protocol):
    """How a command line ended and what it printed."""

    code: int
    out: str
    errors: str


RunCommand = Callable[..., Ran]


class Ceremony:
    """A state folder of a case, and commands that use it."""

    def __init__(self, root: Path, run: RunCommand) -> None:
        self.home = root.parent / f"{root.name}-state"
        self._run = run

    def run(self, *words: str) -> Ran:
        """Run a command line in this process."""
        with self._environment():
            return self._run(*words)

    @contextmanager
    def _environment(self) -> Iterator[None]:
        with mock.patch.dict(os.environ, {"PLUGSEAL_HOME": str(self.home)}):
            yield

    def listed(self, path: Path) -> list[dict[str, Any]]:
        """Return the plugins below a path with their trust."""
        return list(json.loads(self.run("list", str(path), "--format", "json").out)["plugins"])

    def trust(self, path: Path, system: str) -> None:
        """Trust and enable one plugin as it is now."""
        named = [str(path), "--system", system]
        token = self.run("review", *named, "--quiet").out.strip()
        done = self.run("trust", named[0], token, *named[1:])
        assert done.code == 0, done.errors
        assert self.run("enable", *named).code == 0

    def trust_all(self, path: Path) -> list[dict[str, Any]]:
        """Trust and enable every plugin below a path."""
        found = self.listed(path)
        for plugin in found:
            self.trust(Path(plugin["path"]), plugin["system"])
        assert {plugin["state"] for plugin in self.listed(path)} <= {"active"}
        return found


def gate_denies(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Trust one tree, put another in its place, and see that nothing of it is active or can be enabled."""
    assert "policy" not in check, "the gate under a policy is judged elsewhere"
    ceremony = Ceremony(root, run)
    place = root.parent / f"{root.name}-place"
    if check["receipt"] is not None:
        shutil.copytree(root / check["receipt"], place, symlinks=True)
        assert ceremony.trust_all(place)
        shutil.rmtree(place)
    tree = root / check["tree"]
    shutil.copytree(tree if tree.is_dir() else root, place, symlinks=True)
    found = [one for one in ceremony.listed(place) if not one["note"]]
    assert found
    for plugin in found:
        assert plugin["state"] not in ("active", "trusted"), plugin
        refused = ceremony.run("enable", plugin["path"], "--system", plugin["system"])
        assert refused.code == 1, refused
    shutil.rmtree(place)
    shutil.rmtree(ceremony.home, ignore_errors=True)


def component_status(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Trust one state of a tree, go on to another, and ask for the state of each component."""
    ceremony = Ceremony(root, run)
    place = root.parent / f"{root.name}-place"
    shutil.copytree(root / check["a"], place)
    ceremony.trust_all(place)
    shutil.rmtree(place)
    shutil.copytree(root / check["b"], place)
    states: dict[str, str] = {}
    for plugin in ceremony.listed(place):
        for component in plugin["components"]:
            states[_item(component["kind"], component["name"])] = component["state"]
    for word, state in _STATUS.items():
        for item in check[word]:
            assert states.get(item) == state, f"{item} is {states.get(item)}, not {state}"


def _item(kind: str, name: str) -> str:
    return (
        f"mcp:{name}"
        if kind == "server"
        else f"{kind}:{name.partition('.')[0]}"
        if kind == "hook"
        else f"{kind}:{name}"
    )


def diff_lists(root: Path, check: dict[str, Any], run: RunCommand, *, side: str) -> None:
    """Compare two trees, and find each item among what was added or removed, in JSON and in text."""
    ceremony = Ceremony(root, run)
    words = ("diff", str(root / "before"), str(root / "after"))
    change = json.loads(ceremony.run(*words, "--format", "json").out)["change"]
    lines = ceremony.run(*words).out.splitlines()
    sign = "+" if side == "added" else "-"
    found = {_item(one["kind"], one["name"]) for one in change["components"][side]}
    for row in change["capabilities"][side]:
        found |= {f"{word}:{row['object']}" for word in _CAPABLE.get(row["capability"], ())}
    for item in check["items"]:
        assert item in found, f"{item} is not among {sorted(found)}"
        assert any(line.strip().startswith(sign) and item.partition(":")[2] in line for line in lines), item


_CAPABLE = {"net.outbound": ("host",), "env.read": ("env",), "grant": ("grant",), "process.exec": ("program",)}


def approve_then_status(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Approve each of several items alone, and see that no other is approved with it."""
    for approved in check["items"]:
        ceremony = Ceremony(root, run)
        places = {item: _find(root, item) for item in check["items"]}
        subjects = {item: ceremony.listed(place) for item, place in places.items()}
        assert all(subjects.values()), subjects
        ceremony.trust(Path(subjects[approved][0]["path"]), subjects[approved][0]["system"])
        for item, place in places.items():
            states = {
                plugin["state"] for plugin in ceremony.listed(place) if Path(plugin["path"]).is_relative_to(place)
            }
            assert states == ({"active"} if item == approved else {"not reviewed"}), (approved, item, states)
        assert len({one[0]["id"] for one in subjects.values()}) == len(subjects)
        shutil.rmtree(ceremony.home)


def _find(root: Path, item: str) -> Path:
    wanted = item.rstrip("/")
    (found,) = [path for path in root.rglob(wanted) if path.is_dir() == item.endswith("/")]
    return found


def path_key_table(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Compare the keys of the paths of a table."""
    del run
    table = json.loads((root / check["file"]).read_text("utf-8"))
    for first, second in table["same"]:
        assert path_key(first) == path_key(second), (first, second)
    for first, second in table["different"]:
        assert path_key(first) != path_key(second), (first, second)


_ROUNDS = """
import sys
from plugseal.verbs.look import look
from plugseal.verbs.select import select
from plugseal.verbs.state import open_store
from plugseal.verbs.trust import enable, trust
found = look(select(sys.argv[1]))
for _ in range(int(sys.argv[2])):
    trust(found, found.report.token, open_store())
    enable(found, open_store())
"""


def concurrency(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Let writers approve at the same moment, each its own plugin and all of them one besides."""
    ceremony = Ceremony(root, run)
    plugins = [root / f"p{number}" for number in range(check["writers"])]
    environment = {**os.environ, "PLUGSEAL_HOME": str(ceremony.home)}
    rounds = [str(check["rounds"])]
    children = [
        subprocess.Popen([sys.executable, "-c", _ROUNDS, str(place), *rounds], env=environment) for place in plugins
    ]
    assert [child.wait(600) for child in children] == [0] * len(children)
    states = {Path(one["path"]).name: one["state"] for one in ceremony.listed(root)}
    lost = [place.name for place in plugins if states.get(place.name) != "active"]
    assert len(lost) <= check["lost_max"], lost
    for place in plugins:
        shown = json.loads(ceremony.run("show", str(place), "--format", "json").out)
        assert shown["recorded"]["generation"] == shown["reviews"]["size"] == 2 * check["rounds"]


def file_mode(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Compare the mode of every file of the state."""
    assert check["which"] == "state"
    home = Ceremony(root, run).home
    files = [path for path in home.rglob("*") if path.is_file() and "stage" not in path.relative_to(home).parts]
    assert files
    assert {f"{stat.S_IMODE(path.stat().st_mode):04o}" for path in files} == {check["mode"]}


_APPENDS = """
import sys
from pathlib import Path
from plugseal.model.trust import Subject
from plugseal.trust.event import Run
from plugseal.trust.store import Store
from plugseal.trust.actor import current_actor
subject, by = Subject(*sys.argv[4:]), current_actor()
for number in range(int(sys.argv[3])):
    run = Run("2027-01-12T09:14:03Z", "started", by, f"writer {sys.argv[2]}", None, None, 1, 1, "", f"{number}")
    print(Store(Path(sys.argv[1])).append_run(subject, run))
"""


def log_concurrency(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Let writers append to one trail at the same moment: no number twice, none missing, nothing broken."""
    ceremony = Ceremony(root, run)
    (plugin,) = ceremony.trust_all(root)
    path = Path(plugin["path"])
    shown = json.loads(ceremony.run("show", str(path), "--format", "json").out)
    subject = [shown["subject"][key] for key in Subject._fields]
    each = str(check["events_each"])
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _APPENDS, str(ceremony.home), str(number), each, *subject], stdout=subprocess.PIPE
        )
        for number in range(check["writers"])
    ]
    numbers = [int(line) for writer in writers for line in writer.communicate(timeout=600)[0].split()]
    total = check["writers"] * check["events_each"]
    assert sorted(numbers) == list(range(1, total + 1))
    assert ceremony.run("log", "verify").code == 0
    assert json.loads(ceremony.run("show", str(path), "--format", "json").out)["runs"]["size"] == total


def log_tamper_detected(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Tamper with an exported trail in every way of the case; each is seen, and said in words of its own."""
    ceremony = Ceremony(root, run)
    plugin = root.parent / f"{root.name}-plugin"
    plugin.mkdir()
    (plugin / "SKILL.md").write_text("---\nname: a\ndescription: Neutral.\n---\n\nSay hello.\n")
    for _ in range(4):
        ceremony.trust_all(plugin)
    (listed,) = ceremony.listed(plugin)
    subject = Subject(**json.loads(ceremony.run("show", listed["id"], "--format", "json").out)["subject"])
    for number in range(9):
        event = Run("2027-01-12T09:14:03Z", "started", current_actor(), "skill a", None, None, 1, 1, "", f"{number}")
        Store(ceremony.home).append_run(subject, event)
    log = root.parent / f"{root.name}.log"
    exported = ceremony.run("log", "export", listed["id"]).out
    reviews = exported[: exported.index('"trail":"runs"')].rpartition("\n")[0] + "\n"
    for text in (reviews, exported[len(reviews) :]):
        said = {}
        log.write_text(text, "utf-8")
        assert ceremony.run("log", "verify", str(log)).code == 0
        for kind in check["kinds"]:
            log.write_text(text, "utf-8")
            subprocess.run([sys.executable, str(root / "tamper.py"), str(log), kind], check=True)
            judged = ceremony.run("log", "verify", str(log))
            assert judged.code == 4, kind
            said[kind] = judged.out.splitlines()[0].partition(str(log))[2]
        assert len(set(said.values())) == len(said), said


def outputs_lack_all(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Put a tree through every command that prints, and find no secret in anything that was printed or stored."""
    ceremony = Ceremony(root, run)
    secrets = json.loads((root / check["file"]).read_text("utf-8"))
    tree = root / "tree"
    printed: list[str] = []

    def ran(*words: str) -> Ran:
        result = ceremony.run(*words)
        printed.extend((result.out, result.errors))
        return result

    for form in ("text", "json", "sarif"):
        ran("scan", str(tree), "--format", form)
    for verb in ("scan", "facts", "hash", "validate", "list"):
        ran(verb, str(tree))
        ran(verb, str(tree), "--verbose")
    for plugin in ceremony.listed(tree):
        _go_through(plugin, ran, note=" ".join(secrets))
    for path in ceremony.home.rglob("*"):
        if path.is_file() and not path.is_relative_to(ceremony.home / "stage"):
            assert path.is_relative_to(ceremony.home / "documents") or not _told(path.read_text("utf-8"), secrets), path
    told = {secret for text in printed for secret in _told(text, secrets)}
    assert not told, told


def _go_through(plugin: dict[str, Any], ran: Callable[..., Ran], *, note: str) -> None:
    """Do everything with one plugin that prints or records."""
    place = [plugin["path"], "--system", plugin["system"]]
    token = ran("review", *place, "--quiet").out.strip()
    ran("review", *place)
    ran("review", *place, "--format", "json")
    for component in plugin["components"]:
        ran("review", *place, "--only", f"{component['kind']}:{component['name']}")
    ran("enable", *place)
    ran("trust", plugin["path"], note, *place[1:])
    ran("trust", plugin["path"], token, *place[1:])
    for verb in ("enable", "recheck", "diff"):
        ran(verb, *place)
    file = (
        next(path for path in Path(plugin["path"]).rglob("*") if path.is_file())
        if Path(plugin["path"]).is_dir()
        else Path(plugin["path"])
    )
    kept = file.read_bytes()
    file.write_bytes(kept.replace(b'"--token"', b'"--secret"').replace(b"echo", b"echoes"))
    for verb in ("review", "diff", "enable", "recheck"):
        ran(verb, *place)
        ran(verb, *place, "--format", "json")
    file.write_bytes(kept)
    for words in (("show",), ("show", "--format", "json"), ("log",), ("log", "--format", "json"), ("log", "export")):
        ran(
            *words[:1],
            *([words[1]] if words[1:] == ("export",) else []),
            plugin["path"],
            *([] if words[1:] == ("export",) else words[1:]),
        )
    ran("revoke", plugin["path"], "--reason", " ".join(f"--password={word}" for word in note.split()))
    ran("log")


def _told(text: str, secrets: Iterable[str]) -> list[str]:
    return [secret for secret in secrets if secret in text]


def truncation_is_announced(root: Path, check: dict[str, Any], run: RunCommand) -> None:
    """Find the end of every long text, or words that say how much was cut."""
    del check
    ceremony = Ceremony(root, run)
    for plugin in ceremony.listed(root / "tree"):
        place = [plugin["path"], "--system", plugin["system"]]
        out = ceremony.run("review", *place).out
        for component in plugin["components"]:
            assert component["name"] in out, component
        end = {"long": "far.example.invalid", "many": "last"}.get(plugin["name"])
        assert end is None or end in out or " more)" in out, plugin["name"]


def checks_by(run: RunCommand) -> dict[str, Callable[[Any, dict[str, Any]], None]]:
    """Return the checks by their words; each goes through the whole ceremony in a state folder of its case."""
    return {word: partial(_check, check_of, run) for word, check_of in _CHECKS.items()}


def _check(check_of: Callable[..., None], run: RunCommand, case: Any, check: dict[str, Any]) -> None:
    check_of(case.root, check, run)


_CHECKS: dict[str, Callable[[Path, dict[str, Any], RunCommand], None]] = {
    "gate_denies": gate_denies,
    "component_status": component_status,
    "diff_lists_added": partial(diff_lists, side="added"),
    "diff_lists_removed": partial(diff_lists, side="removed"),
    "approve_then_status": approve_then_status,
    "path_key_table": path_key_table,
    "concurrency": concurrency,
    "file_mode": file_mode,
    "log_concurrency": log_concurrency,
    "log_tamper_detected": log_tamper_detected,
    "outputs_lack_all": outputs_lack_all,
    "truncation_is_announced": truncation_is_announced,
}
