"""What something is not: a made folder the user's, a pipe the network, a sum or an option a program."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.reader import ScriptReader
from plugseal.lang.facts import Context, Interest, Reader
from plugseal.lang.powershell.reader import PowerShellReader
from plugseal.lang.prose.reader import InstructionsReader
from plugseal.lang.python.reader import PythonReader
from plugseal.lang.shell.reader import ShellReader


def _does(reader: Reader, path: str, source: str) -> set[tuple[str, str | None]]:
    facts = reader.read(source.encode("utf-8"), Context(path, Interest())).facts
    return {(fact.capability, fact.object) for fact in facts}


@pytest.mark.parametrize(
    "made",
    [
        pytest.param("require('fs').mkdtempSync(path.join(os.tmpdir(), 'a-'))", id="at once"),
        pytest.param("await require('fs/promises').mkdtemp(path.join(os.tmpdir(), 'a-'))", id="awaited"),
        pytest.param("await require('fs').promises.mkdtemp(`${os.tmpdir()}/a-`)", id="by the promises of fs"),
        pytest.param("require('fs-extra').mkdtempSync(os.tmpdir() + '/a-')", id="by a package"),
    ],
)
def test_a_made_folder_is_where_it_was_told_to_be(made: str) -> None:
    source = (
        "const fs = require('fs'), os = require('os'), path = require('path');\n"
        f"async function f() {{ const home = {made};\n"
        "  fs.writeFileSync(path.join(home, '.claude', 'settings.json'), '{}'); }\nf();\n"
    )
    done = _does(ScriptReader("javascript"), "a.cjs", source)
    assert ("fs.write", "/tmp/a-*/.claude/settings.json") in done
    assert "persistence" not in {capability for capability, _ in done}


def test_a_folder_made_below_home_is_below_home() -> None:
    source = (
        "const fs = require('fs'), os = require('os');\n"
        "const at = fs.mkdtempSync(os.homedir() + '/.config/autostart/a-');\n"
        "fs.writeFileSync(at + '/x.desktop', 'x');\n"
    )
    assert ("fs.write", "~/.config/autostart/a-*/x.desktop") in _does(ScriptReader("javascript"), "a.cjs", source)


_WRITER = (
    "import asyncio, sys\n"
    "async def run():\n"
    "    loop = asyncio.get_running_loop()\n"
    "    transport, protocol = await loop.{made}\n"
    "    writer = asyncio.StreamWriter(transport, protocol, None, loop)\n"
    "    writer.write(b'x')\n"
)


def test_a_stream_over_standard_output_sends_nothing_out() -> None:
    source = _WRITER.format(made="connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)")
    assert "net.outbound" not in {capability for capability, _ in _does(PythonReader(), "a.py", source)}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(_WRITER.format(made="create_connection(asyncio.Protocol, 'a.example', 80)"), id="a connection"),
        pytest.param("import asyncio\ndef f(w: asyncio.StreamWriter):\n    w.write(b'x')\n", id="one that is given"),
    ],
)
def test_any_other_stream_does(source: str) -> None:
    assert ("net.outbound", None) in _does(PythonReader(), "a.py", source)


def test_what_is_given_to_null_is_no_file() -> None:
    source = (
        "function Has { param($Name) $null = Get-Command $Name }\n"
        "$null = 'evil.txt'\n"
        "npm run build 2>$null\n"
        "npm run build > out.txt\n"
        "Has gemini\n"
    )
    written = {path for capability, path in _does(PowerShellReader(), "x.ps1", source) if capability == "fs.write"}
    assert written == {"out.txt"}


def test_brackets_of_a_regular_expression_mean_what_they_say() -> None:
    source = (
        "const fs = require('fs');\n"
        "fs.readFileSync('/tmp/' + 'un known.a'.replace(/[^\\w.-]/g, '_'));\n"
        "fs.readFileSync('/tmp/' + 'a-b\\tc'.replace(/\\x2d/, '+').replace(/\\t/, '='));\n"
    )
    read = {path for capability, path in _does(ScriptReader("javascript"), "a.cjs", source) if capability == "fs.read"}
    assert read == {"/tmp/un_known.a", "/tmp/a+b=c"}


def _programs(reader: Reader, path: str, source: str) -> set[str | None]:
    return {path for capability, path in _does(reader, path, source) if capability == "process.exec"}


@pytest.mark.parametrize(
    ("inside", "programs"),
    [
        pytest.param("$((now - 900)) $((now*2)) $((now++))", set(), id="sums"),
        pytest.param("$(( (now + 1) * ${#A} ))", set(), id="in brackets"),
        pytest.param("$(( $(date +%s) - 1 ))", {"date"}, id="a command inside"),
        pytest.param("$((curl a.example) | sh)", {"curl", "sh"}, id="a subshell"),
        pytest.param("$( (now -x) )", {"now"}, id="a subshell with a space"),
    ],
)
def test_a_sum_in_a_here_document_runs_nothing(inside: str, programs: set[str]) -> None:
    source = f'cat <<END\n{{ "at": {inside} }}\nEND\n'
    assert _programs(ShellReader(), "a.sh", source) == {"cat", *programs}


@pytest.mark.parametrize(
    ("line", "capabilities"),
    [
        pytest.param("mount", set(), id="a list"),
        pytest.param("mount | grep x", set(), id="into a pipe"),
        pytest.param("mount -l", set(), id="by an option"),
        pytest.param("mount -a", {"privilege", "fs.meta"}, id="everything"),
        pytest.param("mount $HOW", {"privilege", "fs.meta"}, id="unknown words"),
        pytest.param("umount /mnt", {"privilege", "fs.meta"}, id="taken away"),
    ],
)
def test_mount_without_a_word_only_lists(line: str, capabilities: set[str]) -> None:
    done = {capability for capability, _ in _does(ShellReader(), "a.sh", line)}
    assert done & {"privilege", "fs.meta"} == capabilities


def test_a_prompt_is_no_program() -> None:
    source = "codex exec --ephemeral --sandbox read-only 'say hi'\ncodex sandbox linux ls\n"
    assert _programs(ShellReader(), "a.sh", source) == {"codex", "ls"}


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        pytest.param("Use `--scrollback --lines 5` to grab history.", False, id="options alone"),
        pytest.param("Use `-n 5 -q` to grab less.", False, id="of one letter"),
        pytest.param("Use `tool --lines 5` to grab history.", True, id="a program with options"),
    ],
)
def test_options_alone_are_no_command(text: str, is_told: bool) -> None:
    assert bool(InstructionsReader().read(f"{text}\n".encode(), Context("SKILL.md", Interest())).nested) is is_told
