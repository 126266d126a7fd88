"""Small data documents that cost a parser much: each ends in a value or in our error, in bounded time and memory.

Every bomb runs in a process of its own, this file run as a script, under the kernel's limits: far above what is usual,
far below what the same documents cost elsewhere (1.6 GB for a dotted key, 30 s for aliases).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

MIB = 1024 * 1024
FULL = 4 * MIB
"""The largest document that is parsed at all."""
CPU_SECONDS = 30
MEMORY_BYTES = 900 * MIB
PEAK_MIB = 450


def _laughs(levels: int, width: int) -> bytes:
    lines = [b"a0: &a0 [" + b",".join([b"x"] * width) + b"]"]
    lines += [b"a%d: &a%d [" % (i, i) + b",".join([b"*a%d" % (i - 1)] * width) + b"]" for i in range(1, levels)]
    return b"\n".join(lines)


def _fill(head: bytes, piece: bytes, tail: bytes = b"") -> bytes:
    return head + piece * ((FULL - len(head) - len(tail)) // len(piece)) + tail


def _numbered(form: bytes, count: int) -> bytes:
    return b"".join(form % number for number in range(count))


BOMBS: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "json arrays without an end": ("json", lambda: _fill(b"", b"["), "nests deeper"),
    "json objects without an end": ("json", lambda: _fill(b"", b'{"a":'), "nests deeper"),
    "json deep and closed": ("json", lambda: b"[" * 100_000 + b"]" * 100_000, "nests deeper"),
    "json many values": ("json", lambda: _fill(b"[", b"1,", b"1]"), "too many values"),
    "json as many values as allowed": ("json", lambda: b"[" + b"1," * 199_998 + b"1]", "ok"),
    "json many keys": ("json", lambda: b"{" + _numbered(b'"%d":1,', 190_000) + b'"x":1}', "ok"),
    "json escaped quotes": ("json", lambda: _fill(b'"', b'\\"'), "without an end"),
    "json backslashes": ("json", lambda: _fill(b'"', b"\\"), "unknown escape"),
    "json surrogate pairs": ("json", lambda: _fill(b'"', b"\\ud83d\\ude00", b'"'), "ok"),
    "json quotes": ("json", lambda: _fill(b"", b'"'), "after the end"),
    "json digits": ("json", lambda: _fill(b"[", b"1"), "too large"),
    "json digits behind a point": ("json", lambda: _fill(b"[0.", b"1", b"]"), "too large"),
    "json line ends": ("json", lambda: _fill(b"", b"\r\n", b"x"), "expected a value"),
    "json commas": ("json", lambda: _fill(b"[", b","), "expected a value"),
    "json a long string": ("json", lambda: _fill(b'["', b"a", b'"]'), "ok"),
    "json a long key": ("json", lambda: _fill(b'{"', b"a", b'": 1}'), "a key of more than"),
    "jsonc comments that never end": ("jsonc", lambda: _fill(b"[1,", b"/*"), "expected a value"),
    "jsonc comments": ("jsonc", lambda: _fill(b"", b"/**/", b"1"), "ok"),
    "jsonc line comments": ("jsonc", lambda: _fill(b"", b"//\n", b"1"), "ok"),
    "jsonc commas": ("jsonc", lambda: _fill(b"[", b", "), "expected a value"),
    "jsonc escaped quotes": ("jsonc", lambda: _fill(b'"', b'\\"'), "without an end"),
    "jsonc stars": ("jsonc", lambda: _fill(b"/*", b"*"), "comments"),
    "toml dotted key of 40 kB": ("toml", lambda: b"a." * 20_000 + b"b = 1", "more than 64 parts"),
    "toml dotted table of 40 kB": ("toml", lambda: b"[" + b"a." * 20_000 + b"b]", "more than 64 parts"),
    "toml dotted key of quoted parts": ("toml", lambda: b'"a" . ' * 20_000 + b"b = 1", "more than 64 parts"),
    "toml dotted key in an inline table": ("toml", lambda: b"a = {" + b"a." * 20_000 + b"b = 1}", "more than 64 parts"),
    "toml dotted key behind a string like a comment": (
        "toml",
        lambda: b"x = '''\n# ''' # '''\n" + b"a." * 20_000 + b"b = 1",
        "more than 64 parts",
    ),
    "toml dotted key behind a quote in a comment": (
        "toml",
        lambda: b"# \"\"\" '''\n" + b"a." * 20_000 + b"b = 1",
        "more than 64 parts",
    ),
    "toml many long dotted keys": (
        "toml",
        lambda: _numbered(b"k%d." + b"a." * 60 + b"b = 1\n", 30_000),
        "too many values",
    ),
    "toml many long tables": ("toml", lambda: _numbered(b"[k%d." + b"a." * 60 + b"b]\n", 30_000), "too many values"),
    "toml deep arrays": ("toml", lambda: _fill(b"a = ", b"["), "nests deeper"),
    "toml deep inline tables": ("toml", lambda: _fill(b"a = ", b"{a="), "nests deeper"),
    "toml many tables": ("toml", lambda: _numbered(b"[k%d]\n", 190_000), "ok"),
    "toml many items of an array of tables": ("toml", lambda: b"[[a]]\n" * 190_000, "ok"),
    "toml many array items": ("toml", lambda: b"a = [" + b"1," * 190_000 + b"]", "ok"),
    "toml too many array items": ("toml", lambda: _fill(b"a = [", b"1,", b"]"), "too many values"),
    "toml comments": ("toml", lambda: _fill(b"", b"#\n"), "ok"),
    "toml line ends": ("toml", lambda: _fill(b"", b"\r\n"), "ok"),
    "toml line ends in an array": ("toml", lambda: _fill(b"a = [", b"\n"), "expected a value"),
    "toml escapes": ("toml", lambda: _fill(b'a = "', b"\\n", b'"'), "ok"),
    "toml escapes in a long string": ("toml", lambda: _fill(b'a = """', b'""\\n', b'"""'), "ok"),
    "toml apostrophes in a long string": ("toml", lambda: _fill(b"a = '''", b"''x", b"'''"), "ok"),
    "toml keys with escapes": ("toml", lambda: _numbered(b'"\\u0061%d" = 1\n', 90_000), "ok"),
    "toml digits": ("toml", lambda: _fill(b"a = ", b"1"), "too large"),
    "toml hexadecimal digits": ("toml", lambda: _fill(b"a = 0x", b"f"), "too large"),
    "yaml a billion laughs": ("yaml", lambda: _laughs(9, 9), "too many values"),
    "yaml wide laughs": ("yaml", lambda: _laughs(4, 64), "aliases"),
    "yaml many aliases": ("yaml", lambda: b"a: &a x\nb: [" + b"*a," * 100_000 + b"]", "aliases"),
    "yaml many anchors": ("yaml", lambda: _numbered(b"- &a%d x\n", 190_000), "ok"),
    "yaml merge keys": ("yaml", lambda: b"a: &a {x: 1}\nb:\n  <<: [" + b"*a," * 60 + b"]", "merge keys"),
    "yaml deep flow lists": ("yaml", lambda: _fill(b"", b"["), "nest"),
    "yaml deep flow maps": ("yaml", lambda: _fill(b"", b"{a: "), "nest"),
    "yaml deep blocks": ("yaml", lambda: _fill(b"", b"- "), "nests deeper"),
    "yaml deep block maps": ("yaml", lambda: b"".join(b" " * i + b"a:\n" for i in range(2_000)), "nests deeper"),
    "yaml deep complex keys": ("yaml", lambda: _fill(b"", b"? "), "no plain text"),
    "yaml many items": ("yaml", lambda: b"- x\n" * 190_000, "ok"),
    "yaml too many items": ("yaml", lambda: _fill(b"", b"- x\n"), "too many values"),
    "yaml many keys": ("yaml", lambda: _numbered(b"k%d: 1\n", 190_000), "ok"),
    "yaml many documents": ("yaml", lambda: _fill(b"", b"---\n"), "more than one document"),
    "yaml a long plain scalar": ("yaml", lambda: _fill(b"", b"a\n"), "ok"),
    "yaml quotes": ("yaml", lambda: _fill(b"'", b"''"), "not valid YAML"),
    "yaml escapes": ("yaml", lambda: _fill(b'"', b"\\n", b'"'), "ok"),
    "yaml line ends in a flow list": ("yaml", lambda: _fill(b"[", b"\n"), "not valid YAML"),
    "yaml spaces before line ends": (
        "yaml",
        lambda: b"a: |\n" + b"".join(b" " * i + b"\n" for i in range(2_800)),
        "ok",
    ),
    "yaml a long tag": ("yaml", lambda: _fill(b"", b"!"), "tag"),
    "yaml a long anchor": ("yaml", lambda: _fill(b"&", b"a"), "ok"),
    "yaml digits": ("yaml", lambda: _fill(b"a: ", b"1"), "too large"),
    "front matter of dashes": ("frontmatter", lambda: _fill(b"---\n", b"--- x\n"), "no end"),
    "front matter of laughs": ("frontmatter", lambda: b"---\n" + _laughs(9, 9) + b"\n---\n", "too many values"),
}


def pytest_generate_tests(metafunc: object) -> None:
    metafunc.parametrize("name", BOMBS, ids=list(BOMBS))  # type: ignore[attr-defined]


def test_a_bomb_ends_in_bounded_time_and_memory(name: str) -> None:
    expected = BOMBS[name][2]

    done = subprocess.run(
        [sys.executable, "-I", __file__, name], capture_output=True, text=True, timeout=10 * CPU_SECONDS, check=False
    )

    assert done.returncode == 0, f"killed or crashed: {done.returncode}\n{done.stderr[-500:]}"
    peak, _, outcome = done.stdout.partition(" ")
    assert expected in outcome
    assert int(peak) < PEAK_MIB, f"{peak} MiB"


def _explode(name: str) -> None:
    """Parse one bomb under limits and print the peak of memory in MiB and what became of it."""
    import resource

    from plugseal.encode import json, toml, yaml
    from plugseal.errors import DataError

    syntax, build, _ = BOMBS[name]
    parsers: dict[str, Callable[[bytes], object]] = {
        "json": json.parse_json,
        "jsonc": lambda data: json.parse_json(data, comments=True),
        "toml": toml.parse_toml,
        "yaml": yaml.parse_yaml,
        "frontmatter": yaml.parse_frontmatter,
    }
    data = build()
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        parsers[syntax](data)
        outcome = "ok"
    except DataError as error:
        outcome = error.message[:200]
    # Not `ru_maxrss`, which begins with what the process had that forked this one.
    peak = int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) // 1024
    sys.stdout.write(f"{peak} {outcome}")


if __name__ == "__main__":
    _explode(sys.argv[1])
