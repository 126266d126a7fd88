"""What containers, generators and the modules of a bundle hold, and the addresses that clients are made with."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.reader import read_script
from plugseal.lang.facts import Context, Interest

_HEAD = 'const cp = require("child_process"); const fs = require("fs"); const path = require("path");\n'
_BUNDLE = """(() => {
  var e = {
    317(e) { "use strict"; e.exports = require("child_process"); },
    896: function (e) { e.exports = require("fs"); },
    12: (e, t, r) => { e.exports = { go: r(317).execSync }; },
    40: (e, t, r) => { BODY },
  }, t = {};
  function r(n) { var s = t[n] = { exports: {} }; e[n](s, s.exports, r); return s.exports; }
  TOP
})();
"""


def _bundle(body: str = "", top: str = "r(40);") -> str:
    return _BUNDLE.replace("BODY", body).replace("TOP", top)


_TOLD = {
    "a function in a map": ('new Map([["sh", cp.exec]]).get("sh")("ls -l")', "process.shell", "ls"),
    "a text in a map": (
        'const m = new Map([["a", "eslint"], ["b", "tsc"]]);\ncp.spawn(m.get("b"))',
        "process.exec",
        "tsc",
    ),
    "any text of a map": ('const m = new Map([["a", "eslint"]]);\ncp.spawn(m.get(name))', "process.exec", "eslint"),
    "pairs of a map": (
        'const m = new Map([["a", "eslint"]]);\nfor (const [key, bin] of m) cp.spawn(bin)',
        "process.exec",
        "eslint",
    ),
    "each value of a map": ('new Map([["a", "tsc"]]).forEach((bin) => cp.spawn(bin))', "process.exec", "tsc"),
    "values of a map": ('for (const b of new Map([["a", "tsc"]]).values()) cp.spawn(b)', "process.exec", "tsc"),
    "each of a set": ('new Set(["tsc"]).forEach((bin) => cp.spawn(bin))', "process.exec", "tsc"),
    "a set that is spread": ('cp.spawn([...new Set(["tsc"])][0])', "process.exec", "tsc"),
    "values of an object": ('Object.values({ a: { b: "tsc" } }).map((one) => cp.spawn(one.b))', "process.exec", "tsc"),
    "keys of an object": ("Object.keys({ tsc: 1 }).forEach((one) => cp.spawn(one))", "process.exec", "tsc"),
    "entries of an object": ('Object.entries({ a: "tsc" }).map(([, one]) => cp.spawn(one))', "process.exec", "tsc"),
    "an object of entries": ('const o = Object.fromEntries([["a", "tsc"]]);\ncp.spawn(o.a)', "process.exec", "tsc"),
    "all that a module has": ("for (const f of Object.values(cp)) f(line)", "code.reflective", "child_process"),
    "a generator": ('function* all() { yield "tsc"; }\nfor (const one of all()) cp.spawn(one)', "process.exec", "tsc"),
    "a generator's method": (
        'class A { *all() { yield "tsc"; } }\nfor (const one of new A().all()) cp.spawn(one)',
        "process.exec",
        "tsc",
    ),
    "a generator of another": (
        'function* a() { yield "tsc"; }\nfunction* b() { yield* a(); }\nfor (const one of b()) cp.spawn(one)',
        "process.exec",
        "tsc",
    ),
    "the next of an iterator": ('cp.spawn(["tsc"].values().next().value)', "process.exec", "tsc"),
    "a list that grows": ('const l = ["ls"];\nl.push(argv);\nfor (const one of l) cp.exec(one)', "process.shell", None),
    "a queue": ('const q = ["ls"];\nq.push(line);\ncp.exec(q.shift())', "process.shell", None),
    "a page of a browser": (
        'const b = await require("puppeteer").launch();\n(await b.pages())[0].goto("https://a.example.invalid")',
        "net.outbound",
        "a.example.invalid",
    ),
    "a module of a bundle": (_bundle('r(317).exec("ls -l");'), "process.shell", "ls"),
    "a module of a bundle under a name": (_bundle('const n = r(896);\nn.unlinkSync("/opt/x");'), "fs.delete", "/opt/x"),
    "a helper of a bundle": (_bundle('const n = r(317), o = r.n(n);\no().exec("ls -l");'), "process.shell", "ls"),
    "a bundle's own module": (_bundle('r(12).go("ls -l");'), "process.shell", "ls"),
    "a bundle's beginning": (_bundle(top='r(317).exec("ls -l");'), "process.shell", "ls"),
    "a path of two": (
        (
            'const dir = process.env.A_DIR ?? path.join(require("os").homedir(), ".ssh");\n'
            'fs.readFileSync(path.join(dir, "id_rsa"))'
        ),
        "credentials.read",
        "~/.ssh/id_rsa",
    ),
    "a text of three": (
        "for (const one of ['a', 'b', 'c']) fs.unlinkSync(`/opt/${one}`)",
        "fs.delete",
        "/opt/c",
    ),
    "a client's address": (
        'const c = require("axios").create({ baseURL: "https://a.example.invalid" });\nc.get("/v1")',
        "net.outbound",
        "a.example.invalid",
    ),
    "a client's address, typed": (
        'const k = require("ky").create({ prefixUrl: "https://a.example.invalid" });\nk.get("x")',
        "net.outbound",
        "a.example.invalid",
    ),
    "an address of its own": (
        'const c = require("got").extend({ headers: {} });\nc.get("https://a.example.invalid/x")',
        "net.outbound",
        "a.example.invalid",
    ),
}
_SILENT = {
    "a map of one's own functions": 'const m = new Map([["exec", (x) => x]]);\nm.get("exec")("ls");',
    "names of a module": "Object.keys(cp).length;",
    "a bundle's own exec": _bundle(top="")
    .replace('e.exports = require("child_process")', "e.exports = { exec(x) {} }")
    .replace('e.exports = require("fs")', "e.exports = {}"),
    "a number that asks for no module": "const f = (a, b, r) => { r(317).exec('ls'); };",
}


def _facts(text: str) -> set[tuple[str, str | None]]:
    found = read_script((_HEAD + text + "\n").encode(), Context("a.js", Interest()), language="javascript")
    return {(fact.capability, fact.object) for fact in found.facts if fact.channel != "import"}


@pytest.mark.parametrize(("text", "capability", "named"), _TOLD.values(), ids=_TOLD.keys())
def test_what_it_does_is_told(text: str, capability: str, named: str | None) -> None:
    assert (capability, named) in _facts(text)


@pytest.mark.parametrize("text", _SILENT.values(), ids=_SILENT.keys())
def test_what_does_nothing_is_silent(text: str) -> None:
    assert _facts(text) == set()


def test_an_address_under_a_base_is_no_host_of_its_own() -> None:
    told = _facts('const k = require("ky").create({ prefixUrl: "https://a.example.invalid" });\nk.get("x")')
    assert ("net.outbound", "x") not in told


def test_of_too_many_texts_none_stands_for_the_others() -> None:
    names = ", ".join(f"'{letter}'" for letter in "abcdefghijkl")
    told = _facts(f"for (const one of [{names}]) fs.unlinkSync(path.join(one, 'x', one, 'y'))")
    assert ("fs.delete", "a/x/a/y") not in told
    assert any(capability == "fs.delete" for capability, _ in told)
