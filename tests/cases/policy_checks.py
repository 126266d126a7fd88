"""Checks of policies: a case's policy in JSON becomes ours, and a repository is judged by it on the command line."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from plugseal.model.fingerprint import Owners, build_fingerprints
from plugseal.policy.commands import simple_words
from plugseal.verbs.scan import scan_path

Run = Callable[..., Any]
HEAD = 'schema = "plugseal.policy/1"\n'
_EXITS = {"ok": 0, "findings": 1, "incomplete": 4, "unreviewed": 1, "error": 4}
GIT = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "PATH": "/usr/bin:/bin",
}


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return what it says."""
    done = subprocess.run(["git", *words], cwd=folder, env=GIT, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip()


def exit_by_policy(case: Any, check: dict[str, Any], run: Run) -> None:
    """Judge `repo` by each policy of a case: an entry by name alone is refused, a pinned one holds for itself alone."""
    root = Path(case.root)
    named = _servers(root / "policy-by-name.json")
    refused = run("check", str(root / "repo"), "--policy", str(_write(root / "by-name.toml", named)))
    assert refused.code == 4, refused
    assert "by-name.toml:4: `server.0`: a name alone binds nothing" in refused.errors
    pinned = _servers(root / "policy-pinned.json")
    ran = run("check", str(root / "repo"), "--policy", str(_write(root / "pinned.toml", pinned)))
    assert ran.code == _EXITS[check["class"]], ran
    assert "the server `files` is not allowed" in ran.out


def _servers(path: Path) -> str:
    rows = json.loads(path.read_text("utf-8"))["mcp_servers"]["allow"]
    text = '[defaults]\ncapabilities = "allow"\n'
    for row in rows:
        text += f"[[server]]\nname = {json.dumps(row['name'])}\n"
        if "command" in row:
            text += f"command = {json.dumps([row['command'], *row['args']])}\n"
    return text


def _write(path: Path, text: str) -> Path:
    path.write_text(HEAD + text, "utf-8")
    return path


def policy_decisions(case: Any, check: dict[str, Any], run: Run) -> None:
    """Allow servers by their owners, and compare which are objected to; `project` is the folder's own configuration."""
    root = Path(case.root)
    asked = json.loads((root / "policy.json").read_text("utf-8"))["mcp_servers"]
    text = f'[defaults]\ncapabilities = "allow"\nservers = "{asked["default"]}"\n'
    text += "".join(f'[[server]]\nowner = {json.dumps(one)}\nname = "*"\n' for one in asked["allow_from_plugins"])
    policy = _write(root / "team.toml", text)
    ran = run("check", str(root / "repo"), "--policy", str(policy), "--format", "json")
    found = json.loads(ran.out)["plugins"]
    denied = {
        (one["name"] if one["system"] == "claude-code" else "project", objection["message"].split("`")[1])
        for one in found
        for objection in one["objections"]
        if objection["kind"] == "server"
    }
    assert ran.code == 1
    assert {tuple(word.split("/")) for word in check["deny"]} <= denied
    assert not {tuple(word.split("/")) for word in check["allow"]} & denied


def ci_fails(case: Any, check: dict[str, Any], run: Run) -> None:
    """Make a repository whose head loosens what its base asks, and judge the head by the base."""
    root = Path(case.root)
    repository = root / "repository"
    shutil.copytree(root / check["base"], repository)
    asked = json.loads((repository / "trust/policy.json").read_text("utf-8"))
    text = f'[defaults]\nfail-on = "{asked["fail_on"]}"\ncapabilities = "allow"\n[receipts]\nrequired = true\n'
    _write(repository / "trust/policy.json", text)
    assert run("key", "new", str(root / "alice")).code == 0
    (repository / "plugseal-trust").mkdir()
    line = f'alice namespaces="plugin-review@plugseal" {(root / "alice.pub").read_text("utf-8")}'
    (repository / "plugseal-trust/allowed_signers").write_text(line, "utf-8")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "base"]):
        git(repository, *words)
    base = git(repository, "rev-parse", "HEAD")
    shutil.copytree(root / check["head"], repository, dirs_exist_ok=True)
    _write(repository / "trust/policy.json", '[defaults]\nfail-on = "high"\ncapabilities = "allow"\n')
    case.ran = run("check", str(repository), "--base", base, "--policy", "trust/policy.json")
    assert case.ran.code == 1, case.ran
    assert "signed reviews are no longer required" in case.ran.out


def gate_denies(case: Any, check: dict[str, Any], run: Run) -> None:
    """Trust and enable a plugin, then pin a policy that denies what it reaches: the gate starts it no more."""
    root, tree = Path(case.root), Path(case.root) / check["tree"]
    home = root.parent / f"{root.name}-state"
    asked = json.loads((root / check["policy"]).read_text("utf-8"))
    hosts = json.dumps(asked["deny_hosts"])
    text = f'[[deny]]\ncapability = "net.outbound"\nobjects = {hosts}\nreason = "it is denied now"\n'
    policy = _write(root / "tight.toml", text)
    with mock.patch.dict(os.environ, {"PLUGSEAL_HOME": str(home)}):
        token = run("review", str(tree), "--quiet").out.strip()
        assert run("trust", str(tree), token).code == 0
        assert run("enable", str(tree)).code == 0
        (found,) = json.loads(run("list", str(tree), "--format", "json").out)["plugins"]
        before = run("run", found["id"])
        assert run("policy", "pin", str(policy)).code == 0
        after = run("run", found["id"])
    assert "policy-denies" not in before.errors, before
    assert after.code == 126, after
    assert "policy-denies" in after.errors
    assert "old.example.invalid" in after.errors


def mentions(case: Any, check: dict[str, Any], run: Run) -> None:
    """Find a path in what the judgement of a change said."""
    assert check["path"] in case.ran.out


def fingerprints(case: Any, check: dict[str, Any], run: Run) -> None:
    """Compare the identities of what is found in two trees."""
    before, after = (_identities(case.tree(check[side])) for side in ("a", "b"))
    assert (len(after - before), len(before - after)) == (check["new"], check["gone"])


def _identities(path: Path) -> set[object]:
    """Return what findings are called for ever, and facts by what they say, equal ones numbered."""
    inventory = scan_path(path)
    owners = Owners(inventory.plugins)
    facts = Counter((owners.of(file), one.capability, one.object, one.channel) for file, one in inventory.facts)
    return {*build_fingerprints(inventory), *((said, at) for said, count in facts.items() for at in range(count))}


def command_table(case: Any, check: dict[str, Any], run: Run) -> None:
    """Judge each line of a table by a policy that allows one word."""
    for row in json.loads((Path(case.main_tree) / check["file"]).read_text("utf-8")):
        words = simple_words(row["command"])
        assert (words is not None and words[0] == "echo") is row["allow"], row


def no_sockets(case: Any, check: dict[str, Any], run: Run) -> None:
    """Do each thing while nobody may open a socket."""
    with _refused(socket, "socket"):
        _during(case, check, run)


def no_child_processes(case: Any, check: dict[str, Any], run: Run) -> None:
    """Do each thing while no program may be started but workers of ours."""
    with _refused(subprocess, "Popen"):
        _during(case, check, run)


def _during(case: Any, check: dict[str, Any], run: Run) -> None:
    tree = Path(case.main_tree)
    policy = _write(Path(case.root) / "team.toml", '[defaults]\ncapabilities = "allow"\n')
    ways: dict[str, list[str]] = {
        "scan": ["scan", str(tree), "--no-cache"],
        "review": ["review", str(tree / "SKILL.md" if (tree / "SKILL.md").exists() else tree)],
        "diff": ["diff", str(tree), str(tree)],
        "policy": ["check", str(tree), "--policy", str(policy)],
        "gate": ["run", "agent-skill:offline@000000000000"],
    }
    for name in check["during"]:
        assert run(*ways[name]).code != 70, name


@contextmanager
def _refused(module: Any, name: str) -> Iterator[None]:
    kept = getattr(module, name)

    def refuse(*words: Any, **more: Any) -> None:
        if module is subprocess and "plugseal" in str(words[:1]):
            return kept(*words, **more)
        raise AssertionError(f"{name} was asked for: {words}")

    setattr(module, name, refuse)
    try:
        yield
    finally:
        setattr(module, name, kept)


BY_CASE: dict[str, dict[str, Callable[[Any, dict[str, Any], Run], None]]] = {
    "PO01": {"exit": exit_by_policy},
    "PO05": {"gate_denies": gate_denies},
    "PO07": {"mentions": mentions},
}
"""Words that mean something else in one case."""
CHECKS: dict[str, Callable[[Any, dict[str, Any], Run], None]] = {
    "policy_decisions": policy_decisions,
    "ci_fails": ci_fails,
    "fingerprints": fingerprints,
    "command_table": command_table,
    "no_sockets": no_sockets,
    "no_child_processes": no_child_processes,
}


def find_check(case: Any, word: str) -> Callable[[Any, dict[str, Any], Run], None] | None:
    """Return the check of a word in a case, None where it is no word of policies."""
    name = Path(case.root).name.partition("-")[0]
    return BY_CASE.get(name, {}).get(word) or CHECKS.get(word)
