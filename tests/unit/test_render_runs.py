"""What runs, when, behind which gate: rows are folded, words are whole, nothing is cut without a word."""

from __future__ import annotations

import pytest

from plugseal.model.inventory import PluginReport
from plugseal.model.plugin import Component, ComponentKind, Package, Plugin
from plugseal.render.runs import render_runs, rows_of
from plugseal.render.text import plain


def hook(event: str, *words: str, shell: bool = True, **fields: object) -> Component:
    return Component(
        ComponentKind.HOOK,
        f"{event}.0",
        "hooks/hooks.json",
        command=words,
        shell=shell,  # a fact, nothing is started
        trigger=f"hook:{event}",
        gate="plugin enabled",
        **fields,  # type: ignore[arg-type]  # a test's own names
    )


def report(name: str, *components: Component, root: str = "", system: str = "claude-code") -> PluginReport:
    plugin = Plugin(system, name, "1", root or name, ".claude-plugin/plugin.json", components=components)
    return PluginReport(plugin, "", (), (), 1, 1, None, "")


def text(*reports: PluginReport, width: int = 80, everything: bool = False) -> list[str]:
    return [plain(line) for line in render_runs(reports, width=width, everything=everything)]


def test_the_same_command_for_several_triggers_is_one_row() -> None:
    lines = text(report("a", hook("Stop", "echo a"), hook("SessionStart", "echo a"), hook("Stop", "echo b")))

    assert lines == [
        "What runs, when, behind which gate",
        "  a  claude-code",
        "    hook:Stop, hook:SessionStart  gate: plugin enabled",
        '      shell "echo a"',
        "    hook:Stop  gate: plugin enabled",
        '      shell "echo b"',
    ]


def test_plugins_with_the_same_rows_are_one_block() -> None:
    lines = text(report("a", hook("Stop", "echo a")), report("b", hook("Stop", "echo a")), report("c"))

    assert lines[1:] == ["  a, b  claude-code", "    hook:Stop  gate: plugin enabled", '      shell "echo a"']


def test_a_long_command_breaks_between_its_words_and_loses_none() -> None:
    words = [f"--option-{number}=value" for number in range(12)]
    lines = text(report("a", hook("Stop", "node", *words, shell=False)))

    assert max(map(len, lines)) <= 80
    assert " ".join(line.strip() for line in lines[3:]) == " ".join(f'"{word}"' for word in ("node", *words))


def test_a_word_that_is_too_long_says_how_much_is_missing() -> None:
    component = hook("Stop", "x" * 2_000)

    assert "1,6" in text(report("a", component))[-1]
    assert "x" * 2_000 in text(report("a", component), everything=True)[-1]


def test_a_package_says_how_it_is_pinned() -> None:
    server = Component(
        ComponentKind.SERVER,
        "docs",
        ".mcp.json",
        command=("npx", "-y", "docs"),
        trigger="start",
        packages=(Package("docs", "npm", "floating"),),
    )

    assert text(report("a", server))[2:] == ["    start  gate: not known  not pinned", '      "npx" "-y" "docs"']


@pytest.mark.parametrize(
    ("pinnings", "told"),
    [
        (["exact", "exact", "floating"], "3 sources: 2 pinned exactly, 1 not pinned"),
        (["versioned"], "1 source, pinned loosely"),
    ],
    ids=["several ways", "one way"],
)
def test_sources_are_counted_by_what_binds_them(pinnings: list[str], told: str) -> None:
    sources = [
        Component(ComponentKind.SOURCE, f"s{at}", "m.json", trigger="install", packages=(Package("x", "git", pinning),))
        for at, pinning in enumerate(pinnings)
    ]

    assert text(report("a", *sources))[-1] == f"      fetches {told}"


def test_credentials_in_a_command_are_stars() -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    assert token not in "\n".join(text(report("a", hook("Stop", "curl", "-H", f"Authorization: {token}", shell=False))))


def test_hostile_text_is_escaped() -> None:
    lines = text(report("\x1b[2J", hook("\x1b[2J", "echo \x1b]0;x\x07\u202e")))

    assert not any(character < " " or character == "\u202e" for line in lines for character in line)


def test_many_plugins_and_rows_are_counted() -> None:
    reports = [report(f"p{at}", *(hook("Stop", f"echo {at} {row}") for row in range(30))) for at in range(40)]
    lines = text(*reports)

    assert lines[0].endswith("(all of them: `--verbose`, or `--format json`)")
    assert lines[-1] == "  and 16 plugins more"
    assert "    and 14 more" in lines
    assert len(text(*reports, everything=True)) == 1 + 40 * 32


def test_prose_and_settings_that_start_nothing_have_no_row() -> None:
    skill = Component(ComponentKind.SKILL, "s", "SKILL.md", trigger="prose")

    assert rows_of(report("a", skill).plugin) == ()
    assert text(report("a", skill)) == []


def test_what_has_trigger_and_gate_in_common_stands_together() -> None:
    lines = text(report("a", hook("Stop", "echo a"), hook("Start", "echo b"), hook("Stop", "echo c")))

    assert lines[2:] == [
        "    hook:Stop  gate: plugin enabled",
        '      shell "echo a"',
        '      shell "echo c"',
        "    hook:Start  gate: plugin enabled",
        '      shell "echo b"',
    ]


def test_what_runs_on_another_machine_is_counted_unless_all_is_asked_for() -> None:
    steps = [
        Component(ComponentKind.SCRIPT, f"s{at}", "ci.yml", command=(f"echo {at}",), shell=True, trigger="unknown")
        for at in range(3)
    ]

    assert text(report("a", *steps, system="github-actions"))[2:] == [
        "    elsewhere  gate: not the user's",
        "      3 commands on another machine (all of them: `--verbose`)",
    ]
    assert '      shell "echo 2"' in text(report("a", *steps, system="github-actions"), everything=True)


def test_a_hook_of_which_no_moment_is_known_runs_on_this_machine() -> None:
    hooks = Component(ComponentKind.HOOK, "hooks/h.sh", "plugin.toml", entry="hooks/h.sh", gate="trust of its hash")

    assert text(report("a", hooks, system="codewhale"))[2:] == [
        "    when is not known  gate: trust of its hash",
        "      file hooks/h.sh",
    ]
