"""The default export of scripts, read without running them: what is told, and what is only said to be unknown."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.exporting.exports import read_default_export
from plugseal.lang.ecmascript.exporting.static import Kind, Static
from plugseal.lang.ecmascript.parsing.literals import unescape


def exported(code: str, suffix: str = ".ts") -> Static:
    """Return the default export of a script that has one."""
    value = read_default_export(code.encode(), suffix, identities=("definePlugin", "defineTool")).value
    assert value is not None
    return value


SPELLINGS = [
    pytest.param('export default { name: "a" };', id="an object"),
    pytest.param("export default { 'name': 'a' };", id="keys and values in other quotes"),
    pytest.param("export default { name: `a` };", id="a template without values"),
    pytest.param('export default { ["name"]: "a" };', id="a key in brackets"),
    pytest.param('export default { ["na" + "me"]: "" + "a" };', id="texts put together"),
    pytest.param('export default { name: `${""}a${``}` };', id="a template with texts that are known"),
    pytest.param('const x = "a"; export default { name: `${x}` };', id="a template with a constant"),
    pytest.param('export default { n\\u0061me: "\\x61" };', id="escapes"),
    pytest.param('export default ({ name: "a" });', id="parentheses"),
    pytest.param('export default { name: "a" } as Plugin;', id="a cast"),
    pytest.param('export default { name: "a" } satisfies Plugin;', id="a check of types"),
    pytest.param('const p = { name: "a" }; export default p;', id="a constant"),
    pytest.param('const p: Plugin = { name: "a" };\nexport { p as default };', id="a constant under another name"),
    pytest.param('export const p = { name: "a" }; export default p;', id="a constant that is exported too"),
    pytest.param('const name = "a"; export default { name };', id="a name alone"),
    pytest.param('import { definePlugin } from "amness"; export default definePlugin({ name: "a" });', id="a wrapper"),
    pytest.param('export default Object.freeze({ name: "a" });', id="frozen"),
    pytest.param('/* c */ export /* d */ default { /* e */ name: "a", // f\n };', id="comments between"),
    pytest.param('\ufeffexport default { name: "a" };', id="a byte order mark"),
    pytest.param('#!/usr/bin/env node\nexport default { name: "a" };', id="a first line for the shell"),
    pytest.param('export default { name: "b", name: "a" };', id="a key twice, of which the last counts"),
    pytest.param('const u = "//"; export default { name: "a" }; const v = "/*";', id="texts that look like comments"),
    pytest.param('const r = /[/*]/; export default { name: "a" };', id="an expression that looks like a comment"),
]


@pytest.mark.parametrize("code", SPELLINGS)
def test_a_name_is_read_however_it_is_spelled(code: str) -> None:
    value = exported(code)
    name = value.get("name")
    assert name is not None
    assert (value.kind, value.whole, name.kind, name.text) == (Kind.OBJECT, True, Kind.TEXT, "a")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("export default make();", id="a call"),
        pytest.param('export default definePlugin({ name: "a" });', id="a wrapper that is not imported"),
        pytest.param(
            'function definePlugin(p) { return evil; } export default definePlugin({ name: "a" });',
            id="a wrapper of the file's own",
        ),
        pytest.param(
            'import { other as definePlugin } from "x"; export default definePlugin({ name: "a" });',
            id="a wrapper by another name",
        ),
        pytest.param('let p = { name: "a" }; export default p;', id="a variable"),
        pytest.param("export default q;", id="a name of nowhere"),
        pytest.param("export default cond ? {} : {};", id="a choice"),
        pytest.param("export default class { name = 'a' }", id="a class"),
        pytest.param("export default await import('./x.js');", id="another file"),
        pytest.param("const a = b; const b = a; export default a;", id="names in a circle"),
    ],
)
def test_what_code_puts_together_is_unknown(code: str) -> None:
    assert exported(code).kind is Kind.UNKNOWN


@pytest.mark.parametrize(
    "code",
    [
        pytest.param('export default { name: "a", ...more };', id="a spread"),
        pytest.param('export default { name: "a", [key]: 1 };', id="a computed key"),
        pytest.param('export default { name: "a", __proto__: base };', id="a prototype"),
        pytest.param('const p = { name: "a" }; p.policy = f; export default p;', id="a field added later"),
        pytest.param('const p = { name: "a" }; Object.assign(p, q); export default p;', id="an object given away"),
    ],
)
def test_an_object_that_other_code_reaches_is_not_whole(code: str) -> None:
    value = exported(code)
    assert value.kind is Kind.OBJECT
    assert not value.whole


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("export default { f() {} };", id="a method"),
        pytest.param("export default { async f() {} };", id="an async method"),
        pytest.param("export default { *f() {} };", id="a generator"),
        pytest.param("export default { f: () => 1 };", id="an arrow"),
        pytest.param("export default { f: async (x) => { await x; } };", id="an async arrow"),
        pytest.param("export default { f: function () {} };", id="a function"),
        pytest.param("function f() {}\nexport default { f };", id="a function by its name"),
        pytest.param("const f = () => 1;\nexport default { f, g: f, h: f };", id="a function in several places"),
    ],
)
def test_functions_are_known_as_such(code: str) -> None:
    value = exported(code, ".js").get("f")
    assert value is not None
    assert value.kind is Kind.FUNCTION


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("export default { get f() { return 1; } };", id="a getter"),
        pytest.param("function f() {}\nf = g;\nexport default { f };", id="a function that is replaced"),
        pytest.param("function f() {}\n({ x: f } = y);\nexport default { f };", id="one replaced by a pattern"),
        pytest.param("import { f } from './x.js';\nexport default { f };", id="an import"),
        pytest.param("export default { f: `a${b}` };", id="a template with values"),
    ],
)
def test_what_can_be_anything_is_unknown(code: str) -> None:
    value = exported(code, ".js").get("f")
    assert value is not None
    assert value.kind is Kind.UNKNOWN


def test_texts_of_functions_are_kept() -> None:
    value = exported('export default { policy: (c) => c.tool === "sh" ? "allow" : `d` };').get("policy")
    assert value is not None
    assert value.strings == ("sh", "allow", "d")


def test_places_count_characters_and_begin_at_one() -> None:
    value = exported('export default {\n  "ä😀": "x" };').get("ä😀")
    assert value is not None
    assert value.span == (2, 9, 2, 12)


@pytest.mark.parametrize(
    ("code", "reason", "is_certain"),
    [
        pytest.param("const a = 1;", "has no default export", True, id="none"),
        pytest.param("// export default {}", "has no default export", True, id="in a comment alone"),
        pytest.param("export const a = module.exports;", "has no default export", True, id="a named one alone"),
        pytest.param(
            'export * from "./x.js";', "has no default export", True, id="all but the default of another file"
        ),
        pytest.param("export default {}; export default {};", "has more than one default export", True, id="two"),
        pytest.param("", "has no default export", True, id="empty"),
        pytest.param("module.exports = {};", "exports by `module.exports`", False, id="of the older kind"),
        pytest.param("exports.default = {};", "exports by `module.exports`", False, id="of the older kind, by a field"),
        pytest.param("export default {", "has a syntax error, or newer syntax than is known here", False, id="cut"),
    ],
)
def test_a_script_without_one_default_export_says_so(code: str, reason: str, is_certain: bool) -> None:
    assert read_default_export(code.encode(), ".js") == (None, reason, is_certain)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param('export { default } from "./x.js";', id="as it is called there"),
        pytest.param('export { a as default } from "./x.js"; const a = {};', id="under another name"),
        pytest.param('export { a as "default" } from "./x.js";', id="in quotes"),
    ],
)
def test_the_default_export_of_another_file_is_unknown(code: str) -> None:
    assert exported(code, ".js").kind is Kind.UNKNOWN


@pytest.mark.parametrize(
    ("code", "kinds"),
    [
        pytest.param("() => ({ a() {}, b: 1 })", [Kind.FUNCTION, Kind.NUMBER], id="an arrow"),
        pytest.param('function () { return { a: "x" }; }', [Kind.TEXT], id="a function"),
        pytest.param("() => { /* why */ return { a: true }; }", [Kind.BOOLEAN], id="a comment before it"),
        pytest.param("() => ({ a: top })", [Kind.UNKNOWN], id="a name that may be its own"),
        pytest.param("async () => ({ a: 1 })", None, id="a promise"),
        pytest.param("() => { more(); return { a: 1 }; }", None, id="more than a return"),
        pytest.param("() => { if (x) return { a: 1 }; }", None, id="a return that may not come"),
        pytest.param("() => { return; }", None, id="a return of nothing"),
        pytest.param("function* () { return { a: 1 }; }", None, id="a generator"),
    ],
)
def test_what_a_function_plainly_returns_is_told(code: str, kinds: list[Kind] | None) -> None:
    value = exported(f"const top = 1; export default {{ m: {code} }};").get("m")
    assert value is not None
    assert [part.kind for made in value.result for _, part in made.fields] == (kinds or [])
    assert bool(value.result) == (kinds is not None)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"export default " + b"{a:" * 60_000 + b"1" + b"}" * 60_000, id="objects"),
        pytest.param(b"export default " + b"[" * 100_000 + b"]" * 100_000, id="lists"),
        pytest.param(b"export default " + b"(" * 100_000 + b")" * 100_000, id="parentheses"),
        pytest.param(b"export default " + b"{[" * 50_000 + b"]:1}" * 50_000, id="computed keys"),
        pytest.param(b"export default " + b"+".join([b'"a"'] * 60_000), id="texts put together"),
        pytest.param(b"export default " + b"`${" * 60_000 + b"}`" * 60_000, id="templates"),
        pytest.param(b"a<" * 140_000, id="angles"),
        pytest.param(b"\xff\xfe\x00" * 90_000, id="no text at all"),
    ],
)
def test_hostile_nesting_ends_as_a_result(data: bytes) -> None:
    for suffix in (".ts", ".js", ".tsx"):
        read_default_export(data, suffix)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        pytest.param("plain", "plain", id="none"),
        pytest.param(r"\x41\u0042\u{43}", "ABC", id="by number"),
        pytest.param(r"\n\t\0\\\'\q", "\n\t\0\\'q", id="by letter"),
        pytest.param("a\\\nb", "ab", id="a line that goes on"),
        pytest.param(r"\ud83d\ude00", "\U0001f600", id="halves of a character"),
        pytest.param(r"\ud83d", "\ud83d", id="half a character"),
        pytest.param(r"\u{110000}", "\ufffd", id="beyond Unicode"),
        pytest.param(r"\101", "A", id="octal"),
    ],
)
def test_escapes_are_read_as_the_language_does(text: str, meant: str) -> None:
    assert unescape(text) == meant
