"""What the facts of a script say: objects, places, triggers, texts inside, exports; and what makes a file partial."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.reader import NOT_UNDERSTOOD, read_script
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.model.capability import Fact


def _read(source: str | bytes, path: str = "x.js", interest: Interest | None = None) -> FileFacts:
    data = source.encode("utf-8") if isinstance(source, str) else source
    language = "typescript" if path.endswith((".ts", ".tsx")) else "javascript"
    return read_script(data, Context(path, interest or Interest()), language=language)


def _one(source: str, capability: str) -> Fact:
    found = [fact for fact in _read(source).facts if fact.capability == capability and fact.channel != "import"]
    assert len(found) == 1, found
    return found[0]


_OBJECTS: dict[str, tuple[str, str, str | None]] = {
    "a program": ("require('child_process').spawn('git', ['log'])", "process.exec", "git"),
    "a program in an array": ("Bun.spawn(['git', 'log'])", "process.exec", "git"),
    "the first word of a line": ("require('child_process').exec('git log')", "process.shell", "git"),
    "the host of an address": ("fetch('https://API.example.invalid/v1?x')", "net.outbound", "api.example.invalid"),
    "a host among options": ("require('http').get({ host: 'a.invalid' })", "net.outbound", "a.invalid"),
    "a host that the path does not hide": ("fetch(`https://a.invalid/${x}`)", "net.outbound", "a.invalid"),
    "a host that is not known": ("fetch(`https://${x}/y`)", "net.outbound", None),
    "a path": ("require('fs').readFileSync('a/b')", "fs.read", "a/b"),
    "a path that is known in part": ("require('fs').readFileSync(`a/${x}/b`)", "fs.read", "a/*/b"),
    "a path beside the file": ("require('fs').readFileSync(__dirname + '/b')", "fs.read", "*/b"),
    "the home folder": (
        "const p = require('path'); require('fs').rmSync(p.join(process.env.HOME, 'x'))",
        "fs.delete",
        "~/x",
    ),
    "a variable": ("f(process.env.TOKEN)", "env.read", "TOKEN"),
    "a variable by its folded name": ("f(process.env['TO' + 'KEN'])", "env.read", "TOKEN"),
    "a variable that is not known": ("f(process.env[x])", "env.read", None),
    "a module that is not known": ("require(x)", "code.import", None),
    "an addon": ("require('./build/x.node')", "code.native", "./build/x.node"),
    "every address, where none is named": ("require('express')().listen(3000)", "net.listen", "::"),
    "every address, where a function stands in its place": (
        "require('express')().listen(3000, () => {})",
        "net.listen",
        "::",
    ),
    "an address before a function": ("require('express')().listen(1, '127.0.0.1', f)", "net.listen", "127.0.0.1"),
    "an address that is not known": ("require('express')().listen(3000, where)", "net.listen", None),
    "the module that is reached into": ("require('child_process')[x]()", "code.reflective", "child_process"),
}


@pytest.mark.parametrize(("source", "capability", "expected"), _OBJECTS.values(), ids=_OBJECTS)
def test_the_object_of_a_fact(source: str, capability: str, expected: str | None) -> None:
    assert _one(source, capability).object == expected


def test_places_count_code_points_and_lines_as_people_do() -> None:
    fact = _one("let a = 'ä😀';\r\nlet b = 'ü'; eval(x)\r\n", "code.dynamic")
    assert tuple(fact.span) == (2, 14, 2, 21)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("eval('1')", "direct", id="as it is named"),
        pytest.param("const e = eval; e('1')", "resolved", id="under another name"),
        pytest.param("give(eval)", "possible", id="given away"),
        pytest.param("[1].map(eval)", "direct", id="given to what surely calls it"),
        pytest.param("let f = g; if (x) f = eval; else f = fetch; f('1')", "possible", id="one of two"),
    ],
)
def test_how_surely_a_fact_is_known(source: str, expected: str) -> None:
    assert _one(source, "code.dynamic").resolution == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("eval('1')", "import", id="at the top"),
        pytest.param("(() => eval('1'))()", "import", id="in a function that is called where it stands"),
        pytest.param("class A { static { eval('1') } }", "import", id="when a class is defined"),
        pytest.param("function f() { eval('1') }", "unknown", id="in a function"),
        pytest.param("addTool({ name: 'a', execute: async () => eval('1') })", "tool", id="in a tool's object"),
        pytest.param("server.registerTool('a', {}, async () => eval('1'))", "tool", id="in a tool"),
        pytest.param(
            "server.tool('a', async () => { [1].map(() => eval('1')) })", "tool", id="inside a tool's function"
        ),
    ],
)
def test_when_a_fact_happens(source: str, expected: str) -> None:
    assert _one(source, "code.dynamic").trigger == expected


def test_code_in_a_literal_is_handed_on_with_its_exact_place() -> None:
    (nested,) = _read("x();\neval('1 + 1')").nested
    assert (nested.language, nested.text, nested.trigger, nested.how) == ("javascript", "1 + 1", "import", "eval")
    assert [tuple(anchor) for anchor in nested.anchors] == [(0, 2, 7)]


def test_code_with_escapes_is_handed_on_without_an_exact_place() -> None:
    (nested,) = _read("eval('1 \\x2b 1')").nested
    assert (nested.text, nested.anchors) == ("1 + 1", ())


def test_code_in_a_constant_stands_where_the_constant_does() -> None:
    (nested,) = _read("const code = `a()\nb()`;\neval(code)").nested
    assert [tuple(anchor) for anchor in nested.anchors] == [(0, 1, 15), (4, 2, 1)]


def test_a_line_for_a_shell_is_handed_on() -> None:
    (nested,) = _read("require('child_process').execSync('ls -l')").nested
    assert (nested.language, nested.text) == ("shell", "ls -l")
    assert nested.anchors


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("export { exec as run } from 'child_process'", {"run": ("child_process.exec",)}, id="passed on"),
        pytest.param("export * from './a.js'", {"*": ("./a.js#",)}, id="everything of another file"),
        pytest.param("export const run = require('fs').rm", {"run": ("fs.rm",)}, id="a constant"),
        pytest.param("exports.run = fetch", {"run": ("globals.fetch",)}, id="a property of exports"),
        pytest.param("module.exports = { run: eval }", {"run": ("globals.eval",)}, id="an object"),
        pytest.param("export default fetch", {"default": ("globals.fetch",)}, id="the default"),
        pytest.param("export const a = 1; export function f() {}", {}, id="of no interest"),
    ],
)
def test_what_a_file_exports(source: str, expected: dict[str, tuple[str, ...]]) -> None:
    assert dict(_read(source).exports) == expected


def test_names_of_other_files_wait_for_the_linker() -> None:
    facts = _read("import { run } from './util.js'; import all from '../lib'; run('ls'); all.go(1)", "a/x.ts")
    assert [event.name for event in facts.pending] == ["./util.js#run", "../lib#default.go"]


def test_rules_see_calls_reads_imports_and_texts() -> None:
    import re

    interest = Interest(
        calls=frozenset({"child_process.exec"}),
        imports=frozenset({"child_process"}),
        attributes=frozenset({"https.globalAgent"}),
        strings=re.compile("ghp_"),
    )
    source = (
        "import cp from 'child_process'; import https from 'https';\n"
        "cp.exec('a', { b: 1 }); f(https.globalAgent); g('ghp_1')"
    )
    events = [(event.kind, event.name, event.keywords) for event in _read(source, interest=interest).events]
    assert events == [
        ("import", "child_process", ()),
        ("call", "child_process.exec", (("b", 1),)),
        ("attribute", "https.globalAgent", ()),
        ("string", "ghp_1", ()),
    ]


def test_syntax_that_is_not_understood_makes_a_file_partial_and_keeps_its_facts() -> None:
    facts = _read("eval('1');\nlet = = ;;; @@ {{{\n")
    assert (facts.status, facts.reason) == ("partial", NOT_UNDERSTOOD)
    assert {fact.capability for fact in facts.facts} == {"code.dynamic"}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        pytest.param("x.js", "const f = (a: string): void => { eval(a) }", id="types in a script"),
        pytest.param("x.ts", "const c = <a href='x'>{eval(x)}</a>", id="markup in a typed script"),
        pytest.param("x.js", "#!/usr/bin/env node\neval(x)", id="a first line for the system"),
        pytest.param("x.js", "\ufeffeval(x)", id="a mark"),
        pytest.param("x.ts", "await load<typeof import('./a')>();\neval(x)", id="the type of a module"),
        pytest.param("x.tsx", "load<\n  typeof import('./a')\n>('./a');\neval(x)", id="such a type over lines"),
    ],
)
def test_what_another_grammar_understands_is_read(path: str, source: str) -> None:
    facts = _read(source, path)
    assert facts.status == "read"
    assert "code.dynamic" in {fact.capability for fact in facts.facts}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param('export type * from "./a";\nfetch("https://a.invalid");\n', id="all types of another file"),
        pytest.param("export type * as t from './a';\nfetch('https://a.invalid');\n", id="under a name"),
        pytest.param(
            'declare module "a" {\n    global {\n        interface B { c: string }\n        var d: B;\n    }\n}\n'
            "fetch('https://a.invalid');\n",
            id="declarations for all modules",
        ),
    ],
)
def test_declarations_that_the_grammar_does_not_know_leave_nothing_unread(source: str) -> None:
    facts = _read(source, "a.ts")
    assert facts.status == "read"
    assert [fact.object for fact in facts.facts if fact.channel == "code"] == ["a.invalid"]


@pytest.mark.parametrize(
    ("source", "hides"),
    [
        pytest.param("import { join } from 'path'; spawn(join('/opt', 'x'))", False, id="a path that is joined"),
        pytest.param("import { join } from 'path'; const p = join('/opt', 'x'); spawn(p)", False, id="by a name"),
        pytest.param("import * as path from 'path'; spawn(path.join('/opt', 'x'))", False, id="by the module"),
        pytest.param("function join(a, b) { return a + b } spawn(join('cu', 'rl'))", True, id="a function of its own"),
        pytest.param("spawn(['cu', 'rl'].join(''))", True, id="pieces of a word"),
        pytest.param("const u = 'http://a.invalid/x'; fetch(u.replace('/x', ''))", False, id="an address cut short"),
        pytest.param("fetch('hxxp://a.invalid'.replace('xx', 'tt'))", True, id="an address made up"),
    ],
)
def test_what_is_put_together_hides_only_what_the_file_does_not_show(source: str, hides: bool) -> None:
    found = _read(f"import {{ spawn }} from 'child_process';\n{source};\n", "a.ts").facts
    assert ("code.obfuscated" in {fact.capability for fact in found}) is hides


def test_a_step_back_in_a_joined_path_is_taken() -> None:
    source = "import { join } from 'path'; import fs from 'fs'; fs.mkdirSync(join(process.env.HOME, 'a', 'b.rc', '..'))"
    assert {fact.object for fact in _read(source, "a.ts").facts if fact.capability == "fs.write"} == {"~/a"}


def test_a_name_that_begins_with_a_tilde_is_a_bundlers_and_no_path_at_home() -> None:
    facts = _read("import { a } from '~/utils/a.js'; import b from '/opt/b.js';", "a.ts").facts
    assert {fact.object for fact in facts} == {"/opt/b.js"}


def test_a_type_that_is_passed_over_moves_no_place_and_loads_nothing() -> None:
    facts = _read("load<\n  typeof import('./a')\n>(); eval(x)", "x.ts").facts
    assert [(fact.capability, *fact.span[:2]) for fact in facts] == [("code.dynamic", 3, 6)]


def test_a_comparison_of_a_script_is_no_type() -> None:
    assert _read("f(a<typeof import(x)>(1))", "x.js").facts[0].capability == "code.import"


def test_a_script_in_utf_16_is_read() -> None:
    assert "code.dynamic" in {fact.capability for fact in _read("eval(x)".encode("utf-16")).facts}


def test_facts_are_the_same_whatever_was_read_before() -> None:
    first = _read("require('axios').get('https://a.invalid')")
    _read("import { S3Client } from '@aws-sdk/client-s3'; new S3Client().send(1); require('fs').rm('x')")
    assert _read("require('axios').get('https://a.invalid')") == first


_DEEP: dict[str, str] = {
    "parentheses": "x = " + "(" * 5_000 + "1" + ")" * 5_000,
    "calls": "f" + "()" * 5_000 + ".g()",
    "a chain of promises": "import('child_process')" + ".then((x) => x)" * 300 + ".then((cp) => cp.exec('ls'))",
    "bound again and again": "const f = eval" + ".bind(null)" * 3_000 + "; f('1')",
    "names of names": "".join(f"let a{n} = a{n + 1};" for n in range(3_000)) + "let a3000 = process; f(a0.env.X)",
    "functions in functions": "function f() {" * 3_000 + "}" * 3_000,
    "objects in objects": "x = " + "{ a: " * 3_000 + "1" + "}" * 3_000,
    "an object spread into itself": "let s = {}; s = { ...s, ...s, a: 1 }; s = { ...s, ...s, b: s }; f(s.x.y)",
    "a text that doubles": "let a = 'xxxxxxxx'; " + "a = a + a; " * 200 + "require(a)",
}


@pytest.mark.parametrize("source", _DEEP.values(), ids=_DEEP)
def test_depth_is_no_error(source: str) -> None:
    assert _read(source).status in ("read", "partial", "unread")
