"""A scan as text: whole outputs, read before they were accepted, and the laws that hold for any of them.

To accept changed output after reading it: `PLUGSEAL_ACCEPT=1 python -m pytest tests/unit/test_render_scan.py`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from plugseal.model.capability import Capability
from plugseal.model.explanation import Explanation
from plugseal.model.finding import Confidence, Finding, Severity
from plugseal.model.inventory import Capable, Inventory, PluginReport, Unread
from plugseal.model.location import WHOLE_FILE, Span
from plugseal.model.plugin import Fault, Plugin
from plugseal.model.tree import Fault as TreeFault
from plugseal.render.sections import render_plugins
from plugseal.render.terminal import MAX_PER_RULE, count_line, render_scan
from plugseal.render.text import join_plain, plain
from plugseal.shown import shown

GOLDEN = Path(__file__).parent.parent / "golden"


def finding(**changes: object) -> Finding:
    shell = Finding(
        rule="subprocess-shell",
        title="command line handed to a shell",
        severity=Severity.HIGH,
        confidence=Confidence.HIGH,
        file="plugins/deploy-helper/server.py",
        span=Span(41, 5, 41, 40),
        capability="process.shell",
        object=None,
        note="`command` is not a literal",
        remedy='pass a list of words: `subprocess.run(["ls", path])`',
        source=("    subprocess.run(command, shell=True)",),
    )
    return shell._replace(**changes)  # type: ignore[arg-type]  # a test's own names


UNPINNED = finding(
    rule="unpinned-server",
    title="MCP server fetched by name at start",
    severity=Severity.MEDIUM,
    file="plugins/docs/mcp.json",
    span=Span(4, 38, 4, 51),
    capability="code.fetched",
    note="no exact version",
    remedy="name a version: `docs-server@1.4.0`",
    source=('    "command": "npx", "args": ["-y", "docs-server"]',),
)


def report(name: str, system: str, *capabilities: str, root: str = "", faults: tuple[Fault, ...] = ()) -> PluginReport:
    return PluginReport(
        plugin=Plugin(system, name, "0.3.1", root or f"plugins/{name}", "plugin.json", faults=faults),
        id=f"{system}:{name}@3f2a91c07d5e",
        capabilities=tuple(Capable(name, None, "code", "tool") for name in capabilities),
        unread=(),
        files=14,
        bytes=61_204,
        content_receipt="9f" * 32,
        capability_receipt="41" * 32,
    )


def inventory(**changes: object) -> Inventory:
    empty = Inventory("./agent-tools", (), (), (), (), (), 41, 58, "c0" * 32)
    return empty._replace(**changes)  # type: ignore[arg-type]  # a test's own names


PLUGINS = (
    report("deploy-helper", "agent-plugins", "autorun", "env.read", "net.outbound", "process.shell"),
    report("docs", "mcp-config", "code.fetched", "net.outbound", "unread"),
    report("style-guide", "agent-skill"),
)
HOSTILE = "\x1b[2J\u202egnp.exe\u200b##[error]\n::stop-commands::x"
FILES = [f"vendor/{number:04}.node" for number in range(2000)]

CASES = {
    "clone": inventory(
        plugins=PLUGINS, findings=(finding(), UNPINNED), unread=(Unread("plugins/docs/parser.node", "native code"),)
    ),
    "clean": inventory(plugins=PLUGINS[2:]),
    "nothing": inventory(files_read=0),
    "unread": inventory(
        plugins=PLUGINS[2:], unread=(Unread("a.ts", "no reader yet"), Unread("日本.so", "native code"))
    ),
    "much-unread": inventory(
        plugins=PLUGINS[2:],
        unread=(*tuple(Unread(file, "native code") for file in FILES), Unread("x.ts", "no reader for TypeScript yet")),
    ),
    "broken-and-refused": inventory(
        plugins=(
            report(
                "docs",
                "mcp-config",
                faults=(
                    Fault("mcp.json", "neither `command` nor `url`", 4, "servers.docs"),
                    Fault("x.json", "no JSON"),
                ),
            ),
        ),
        faults=(
            TreeFault(
                "plugins/docs/link", "symlink", "a symbolic link: what it shows is decided elsewhere: ../../etc/passwd"
            ),
            TreeFault(
                "plugins/docs/mcp.json", "broken-manifest", "line 4: `servers.docs`: neither `command` nor `url`"
            ),
            TreeFault("plugins/docs/second", "hard-link", "the file has further names, possibly outside the tree"),
        ),
    ),
    "much-refused": inventory(
        plugins=PLUGINS[2:],
        faults=tuple(TreeFault(f"{number}/link", "symlink", "a symbolic link") for number in range(40)),
    ),
    "everything": inventory(
        plugins=(
            report("日本語プラグイン", "agent-skill", *(capability.value for capability in Capability)),
            report("twin", "amber", root="a/twin"),
            report("twin", "amber", root="b/twin"),
        )
    ),
    "long-names": inventory(
        plugins=(
            report("short", "amber", "net.outbound", "process.exec"),
            report(".mcp.json", "mcp-config", "code.fetched", root="src/one-server/skills/investigation/mcp/.mcp.json"),
            report(".mcp.json", "mcp-config", *("code.fetched", "unread") * 9, root="src/two/.mcp.json"),
        )
    ),
    "much-broken": inventory(
        plugins=tuple(
            report(f"p{number}", "codex", faults=(Fault("plugin.json", "`skills`: names nothing", 5),) * number)
            for number in range(1, 41)
        )
    ),
    "hostile": inventory(
        root=HOSTILE,
        plugins=(report(HOSTILE, "amber", root=HOSTILE, faults=(Fault(HOSTILE, HOSTILE, 1, HOSTILE),)),),
        findings=(
            finding(file=HOSTILE, note=HOSTILE, object=HOSTILE, source=(HOSTILE + " run()",), span=Span(1, 30, 1, 35)),
            finding(file=HOSTILE, note=HOSTILE, span=WHOLE_FILE, source=()),
        ),
        unread=(Unread(HOSTILE, HOSTILE),),
        faults=(TreeFault(HOSTILE, "symlink", HOSTILE),),
    ),
    "snippets": inventory(
        plugins=PLUGINS[:1],
        findings=(
            finding(span=Span(7, 1, 7, 1), source=("",), note="the caret of an empty span is one wide"),
            finding(span=Span(7, 1, 7, 1), source=("  a, b",), note="a finding about a line"),
            finding(span=Span(8, 40, 8, 44), source=("#!/bin/sh",), note="a column past the end stays at the end"),
            finding(span=Span(9, 5, 9, 9), source=("日本語 run()",), note="wide characters take two columns"),
            finding(span=Span(10, 2, 10, 5), source=("\trun()",), note="a tab is four spaces"),
            finding(
                span=Span(98, 5, 100, 6),
                source=("    subprocess.run(", "        command,", "    )"),
                note="three lines, number of three digits",
            ),
            finding(
                span=Span(60, 13, 92, 3),
                source=("    found = subprocess.run(", "        command,", "        shell=True,"),
                note="longer than what is kept of it",
            ),
            finding(span=Span(1, 3001, 1, 3004), source=("x" * 3000 + "run" + "y" * 4000,), note="a minified file"),
            finding(span=Span(2, 1, 2, 6001), source=("z" * 6000,), note="one wide span"),
            finding(span=WHOLE_FILE, source=(), note="the whole file"),
        ),
    ),
    "thousands": inventory(
        plugins=PLUGINS[:1],
        findings=(
            *(finding(file=f"{n // 10:03}.py", span=Span(n, 1, n, 4), source=("run()",)) for n in range(1, 5001)),
            UNPINNED,
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_whole_text_of_a_scan_is_the_accepted_one(name: str) -> None:
    text = join_plain(render_scan(CASES[name]))
    path = GOLDEN / f"scan-{name}.txt"
    if os.environ.get("PLUGSEAL_ACCEPT"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("everything", [False, True], ids=["cut", "everything"])
def test_no_line_holds_anything_that_acts_on_a_screen(name: str, everything: bool) -> None:
    for line in render_scan(CASES[name], everything=everything):
        text = plain(line)
        assert text.isprintable(), text
        assert "##[" not in text
        assert not text.lstrip().startswith("::")


@pytest.mark.parametrize("name", CASES)
def test_no_line_ends_in_a_space(name: str) -> None:
    assert [line for line in map(plain, render_scan(CASES[name])) if line != line.rstrip()] == []


def test_the_count_is_the_last_line_but_for_next() -> None:
    lines = [plain(line) for line in render_scan(CASES["clone"])]
    assert lines[-2] == "3 plugins, 2 findings: 0 info, 0 low, 1 medium, 1 high; 1 file not read"
    assert lines[-1].startswith("next: `")


def test_the_worst_findings_stand_first() -> None:
    low = finding(rule="a", severity=Severity.LOW, file="a")
    high = finding(rule="z", file="z")
    text = join_plain(render_scan(inventory(findings=(low, high))))
    assert text.index("high[z]") < text.index("low[a]")


def test_many_findings_of_one_rule_are_cut_and_counted_and_the_others_are_all_there() -> None:
    text = join_plain(render_scan(CASES["thousands"]))
    assert text.count("high[subprocess-shell]: command") == MAX_PER_RULE[Severity.HIGH]
    assert "high[subprocess-shell]: 4,980 more; 501 files in all" in text
    assert text.count("medium[unpinned-server]: MCP") == 1


def test_everything_leaves_nothing_out() -> None:
    assert join_plain(render_scan(CASES["thousands"], everything=True)).count("high[subprocess-shell]: command") == 5000
    text = join_plain(render_scan(CASES["much-unread"], everything=True))
    assert all(file in text for file in FILES)


def test_much_that_is_not_read_is_grouped_by_reason_with_its_number() -> None:
    text = join_plain(render_scan(CASES["much-unread"]))
    assert "native code: 2,000 files" in text
    assert "and 1,997 more" in text


def test_rules_are_explained_once_after_the_findings() -> None:
    page = Explanation("subprocess-shell", "rule", "a title", "what it is", "why it matters", "what to do")
    text = join_plain(render_scan(CASES["clone"], [page]))
    assert text.index("Why\n  Why it matters") < text.index("\nPlugins\n")
    assert text.index("medium[unpinned-server]") < text.index("subprocess-shell (rule): a title")


NEXT = {
    "the plugin with the worst finding is reviewed": (
        CASES["clone"],
        "plugseal review ./agent-tools/plugins/deploy-helper",
    ),
    "a finding in no plugin is explained": (
        inventory(plugins=(report("x", "amber", root="y"),), findings=(finding(file="z/a.py"),)),
        "plugseal explain subprocess-shell",
    ),
    "a finding belongs to the innermost plugin": (
        inventory(
            root="r",
            plugins=(report("x", "amber", root="y"), report("z", "amber", root="y/z")),
            findings=(finding(file="y/z/a.py"),),
        ),
        "plugseal review r/y/z",
    ),
    "two systems at one path are told apart": (
        inventory(root="r", plugins=(report("x", "amber", root="y"), report("x", "coding", root="y"))),
        "plugseal review r/y --system amber",
    ),
    "two plugins of one system at one path: an ID holds where the scan was of the current folder": (
        inventory(root=".", plugins=(report("x", "amber", root="y"), report("z", "amber", root="y"))),
        "plugseal review amber:x@3f2a91c07d5e",
    ),
    "what is broken is explained": (CASES["broken-and-refused"], "plugseal explain broken-manifest"),
    "a refusal is explained": (CASES["much-refused"], "plugseal explain symlink"),
    "what is not read is explained": (CASES["unread"], "plugseal explain unread"),
    "a clean plugin is reviewed where it is": (CASES["clean"], "plugseal review ./agent-tools/plugins/style-guide"),
    "a path with a space is quoted": (
        inventory(root="a b", plugins=(report("x", "amber", root="c'd"),)),
        """plugseal review 'a b/c'"'"'d'""",
    ),
    "a path that looks like an option is none": (
        inventory(root="-rf", plugins=(report("x", "amber", root="y"),)),
        "plugseal review ./-rf/y",
    ),
    "the root of the file system": (
        inventory(root="/", plugins=(report("x", "amber", root="y"),)),
        "plugseal review /y",
    ),
}


@pytest.mark.parametrize(("found", "command"), NEXT.values(), ids=NEXT)
def test_next_is_a_command_that_can_be_pasted(found: Inventory, command: str) -> None:
    *_, last = render_scan(found)
    assert plain(last) == f"next: `{command}`"


def test_no_command_is_offered_for_a_path_that_can_not_be_pasted_as_it_is_shown() -> None:
    hostile = inventory(root="x\n\x1b[2J", plugins=(report("x", "amber", root="y"),))
    *_, last = render_scan(hostile)
    assert plain(last) == "1 plugin, no findings; 41 files read, 0 not read, 58 rules"


def configuration(name: str) -> PluginReport:
    found = report(name, "tooling", root="")
    return found._replace(plugin=found.plugin._replace(covers=("package.json",)))


COUNTS = {
    "plugins and configurations": (
        inventory(plugins=(report("a", "amber"), configuration("b"), configuration("c"))),
        "1 plugin and 2 configurations, no findings; 41 files read, 0 not read, 58 rules",
    ),
    "a configuration alone": (
        inventory(plugins=(configuration("b"),)),
        "1 configuration, no findings; 41 files read, 0 not read, 58 rules",
    ),
    "clean": (CASES["clean"], "1 plugin, no findings; 41 files read, 0 not read, 58 rules"),
    "nothing": (CASES["nothing"], "no plugins, no findings; 0 files read, 0 not read, 58 rules"),
    "unread": (CASES["unread"], "1 plugin, no findings; 41 files read, 2 not read, 58 rules"),
    "broken": (
        CASES["broken-and-refused"],
        "1 plugin, no findings; 41 files read, 0 not read, 58 rules; 1 plugin broken; 2 paths prevent a receipt",
    ),
    "thousands": (
        CASES["thousands"],
        "1 plugin, 5,001 findings: 0 info, 0 low, 1 medium, 5,000 high; 0 files not read",
    ),
}


@pytest.mark.parametrize(("found", "text"), COUNTS.values(), ids=COUNTS)
def test_the_count_line_says_what_the_result_rests_on(found: Inventory, text: str) -> None:
    assert plain(count_line(found)) == text


LONG = ("autorun", "code.dynamic", "env.read", "fs.read", "fs.write", "net.outbound", "process.exec", "process.shell")
SAME = {
    "long capabilities of another client of the folder": (report("x", "codex", *LONG), "x  codex  as for amber"),
    "other capabilities": (report("x", "codex", *LONG[:-1]), "x  codex  process.exec, net.outbound"),
    "another folder": (report("x", "codex", *LONG, root="other"), "x  codex  process.exec, process.shell"),
    "the same system": (report("x", "amber", *LONG), "x (plugins/x)  amber  process.exec, process.shell"),
    "few": (report("y", "codex", "env.read"), "y  codex  env.read"),
}


@pytest.mark.parametrize(("second", "row"), SAME.values(), ids=SAME)
def test_what_several_clients_make_of_one_folder_is_said_once(second: PluginReport, row: str) -> None:
    first = report("x", "amber", *LONG) if second.plugin.name == "x" else report("y", "amber", "env.read")
    text = join_plain(render_plugins((first, second), width=200))
    assert re.sub(r" {2,}", "  ", text.splitlines()[2]).strip().startswith(row)


def test_a_hostile_name_is_shown_as_escapes_and_not_lost() -> None:
    text = join_plain(render_scan(CASES["hostile"]))
    assert shown(HOSTILE, limit=60) in text
