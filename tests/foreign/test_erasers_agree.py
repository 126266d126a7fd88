"""Types are erased as Node's own eraser and TypeScript's own tree erase them."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from plugseal.lang.ecmascript.erasing.erase import erase_types
from tests.unit import test_types_erased as tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def _modules() -> Path | None:
    """Return where `tests/setup.sh` put the npm packages."""
    named = os.environ.get("PLUGSEAL_TEST_ERASERS")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(named) if named else cache / "plugseal-tests" / "erasers-2026.11"
    return folder / "node_modules" if (folder / "complete").exists() else None


pytestmark = pytest.mark.skipif(
    not shutil.which("node") or _modules() is None, reason="needs Node and npm's erasers: run tests/run"
)


MORE = """\
const a = async <T>(x: T): Promise<T> => { await x; return x as T; };
---
export const b = { m<T>(this: A, x: T): x is T { return true }, get n(): U { return 1 }, async *o(): V {} };
---
class C<T extends D = E> extends F.H<I> implements J<K> {
  static #x: L = 1;
  protected constructor(x?: M) { super() }
}
---
let { a, b: [c] = [], ...d }: N = e!, f = g as unknown as O;
---
function* h(this: P, ...[i, j]: [Q, R]): Generator<S> { yield* k as T; }
---
if (l) { type U = V } else { interface W {} }
switch (m) { case 1: type X = 1; n(); default: declare_() }
---
for await (const o of p as AsyncIterable<Y>) q<Z>(o!);
---
type A = { [K in keyof B]?: C[K] extends (infer D)[] ? D : never };
const r = s<`a${string}`>(t);
---
abstract class E { abstract f(): void; abstract g: T; private abstract h?: U; protected abstract get i(): V; j = 1 }
---
export abstract class F<T> { declare k: T; constructor(); constructor(x?: T) {} }
---
export default class<T> { l(): this is M { return true } }
---
const n = <const T,>(o: T) => o, p = (q: string | undefined) => (r: number): s => t;
---
a ? (b): c => d : (e): f => g;
a ? (b) : c;
a ? (b, c) : d => e;
---
x = y < z, w > (v);
f(a < b, c > (d));
f(a < b, c > d);
f(a<b>(c));
---
label: for (;;) { break label }
var type: type = type as type; type = 1;
---
import def, { type A, B as C } from 'a';
import * as ns from 'b';
import def2 from 'c';
---
import type from 'a';
import type, { x } from 'b';
import { type as as } from 'c';
---
export type { A } from 'a'
export type B<T> = T
export declare function c(): void
export declare class D {}
(e)
---
const f = function <T>(x: T): asserts x {};
new (class<T> { x!: T })<U>();
---
let u: unique symbol, v: typeof import('w'), x: new () => Y, z: abstract new () => A, b: (c: D) => E;
---
const o = { a: <T>(x: T) => x, b: (x as any) as T, 'c': x!, [d as string]: e };
---
try {} catch ({ message }: any) {}
while (x as boolean) y!;
do z; while (a!)
throw b as Error
---
class A { static { let x: T } 'quoted': T = 1; [computed]: U; 5: V; static async *gen<T>(): W {} set y(v: T) {} }
---
class A { private get = 1; private set: T = 2; static static: U; async: V; readonly readonly: W; declare declare: X }
---
a = b as any
;(c)
d = e!
;[f]
---
return_: { return_2((): void => {}) }
const g = async (x: T) => x, h = async x => x;
"""


FRAGMENTS = """\
a = 1
b
f()
let x: number = 1
let y: T
x as T
z = x satisfies T
z = <T>x
x!
type A = B
interface I {}
import type Q from 'q'
declare const d: T
function g(): void
(c)
[h].i()
`k`
+l
-m
/n/g.test(o)
(p as T).q
<T>r
let s = t<U>
const u = <T,>(v: T) => v
({}) as T
class E { abstract m(): T; n = 1; declare o: T; [p] = 1 }
if (a) b as T; else c!
do x as T; while (y!)
a ? b as T : c!
export type { X } from 'y'
() => x as T
x = y as T as U
namespace N { type O = 1 }
a = b as T | U
a = b as () => T
a = b as T[]
a = b as typeof c
a = b as keyof D
var v = w as new () => T
a /* c */ as T
++a
type\tB2 = 1
a = async <T>(x: T): Promise<T> => x
x?.y!.z
x!()
new F<T>
new F<T>()
f<T>(x)
label: x as T
switch (a) { case b as T: c!; default: type X = 1 }
try {} catch (e: any) {} finally {}
""".splitlines()
"""Statements whose ends matter to each other."""


def _normal(text: str) -> str:
    """Return a text without blanks of any kind and without semicolons, which each eraser places by its own lights."""
    return re.sub(r"[\s;\u00a0\u2002\ufeff]", "", text)


def _meaning(printed: str) -> str:
    return _normal(printed).replace(",}", "}")


def _sources() -> list[str]:
    texts = [case.values[0] for case in (*tables.ERASED, *tables.KEPT_APART)]
    files = [*ROOT.glob("fixtures/**/*.ts"), *ROOT.glob("fixtures/**/*.ts.inert"), *ROOT.glob("docs/**/*.ts")]
    return [*texts, *MORE.split("\n---\n"), *(path.read_text("utf-8") for path in sorted(files))]


def _following() -> list[str]:
    """Return texts of a few statements, with nothing but line ends between them; the same ones at each run."""
    chance = random.Random(7)
    return ["\n".join(chance.choices(FRAGMENTS, k=chance.randint(2, 4))) for _ in range(1500)]


def _compared(sources: list[str]) -> list[tuple[str, str | None, dict[str, Any]]]:
    erased = [erase_types(source.encode()) for source in sources]
    ours = [None if one.faults else one.data.decode() for one in erased]
    words = ["node", str(HERE / "erase_types.mjs"), str(_modules())]
    given = json.dumps(list(zip(sources, ours, strict=True)))
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return list(zip(sources, ours, json.loads(done.stdout), strict=True))


@pytest.fixture(scope="module")
def compared() -> list[tuple[str, str | None, dict[str, Any]]]:
    return _compared(_sources())


def test_what_we_erase_they_erase_the_same(compared: list[tuple[str, str | None, dict[str, Any]]]) -> None:
    seen = 0
    for source, ours, theirs in compared:
        if ours is None:
            continue
        for name in ("strip", "blank"):
            if theirs[name] is not None:
                seen += 1
                assert _normal(ours) == _normal(theirs[name]), f"{name}: {source}"
    assert seen > 150


def test_what_is_left_means_to_typescript_what_the_source_did(
    compared: list[tuple[str, str | None, dict[str, Any]]],
) -> None:
    wrong = [
        source
        for source, ours, theirs in compared
        if ours is not None and _meaning(theirs["ours"]) != _meaning(theirs["printed"])
    ]

    # Around what stood before a type TypeScript puts parentheses, or takes them away.
    assert [source for source in wrong if " as " not in source and "<" not in source] == []


def test_what_they_both_erase_we_erase_too(compared: list[tuple[str, str | None, dict[str, Any]]]) -> None:
    refused = [source for source, ours, theirs in compared if ours is None and theirs["strip"] and theirs["blank"]]

    assert refused == []


def test_statements_end_where_they_end_for_others() -> None:
    seen = 0
    for source, ours, theirs in _compared(_following()):
        if ours is not None and theirs["strip"] is not None and theirs["blank"] is not None:
            seen += 1
            assert _normal(ours) == _normal(theirs["strip"]), source
            bare = [re.sub(r"[()]", "", _meaning(theirs[name])) for name in ("ours", "printed")]
            assert bare[0] == bare[1], source
    assert seen > 1000


def test_what_they_refuse_we_refuse_too() -> None:
    refused = [case.values[0] for case in tables.REFUSED if "makes code" in case.values[3]]
    words = ["node", str(HERE / "erase_types.mjs"), str(_modules())]
    given = json.dumps([[source, None] for source in refused])
    done = subprocess.run(words, input=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    for source, theirs in zip(refused, json.loads(done.stdout), strict=True):
        # Decorators and `accessor` are JavaScript to come: others leave them, and Node then refuses the file.
        assert theirs["blank"] is None or "@" in source or "accessor" in source, source
