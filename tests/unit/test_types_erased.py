"""Types are replaced by blanks: what is left stands where it stood, means the same, and what can't be is refused."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.erasing.erase import MAX_FAULTS, erase_types
from plugseal.limits import MAX_SOURCE_BYTES

ERASED = [
    pytest.param("let x: number = 1;", "let x         = 1;", id="an annotation"),
    pytest.param("let x!: T;", "let x    ;", id="definite assignment"),
    pytest.param("function f<T>(a: T, b?: U): V {}", "function f   (a   , b    )    {}", id="a function"),
    pytest.param("function f(this: A, b) {}", "function f(         b) {}", id="this as a parameter"),
    pytest.param("function f(this: A) {}", "function f(       ) {}", id="this alone"),
    pytest.param("f((...r: T[]) => r);", "f((...r     ) => r);", id="rest"),
    pytest.param("try {} catch (e: unknown) {}", "try {} catch (e         ) {}", id="catch"),
    pytest.param("x as T as U;", "x          ;", id="as"),
    pytest.param("x satisfies T;", "x            ;", id="satisfies"),
    pytest.param("x as const;", "x         ;", id="as const"),
    pytest.param("x!.y!()!;", "x .y () ;", id="not null"),
    pytest.param("f<T>(x); new F<T>(); a?.b<T>();", "f   (x); new F   (); a?.b   ();", id="generics"),
    pytest.param("const g = f<string>;", "const g = f        ;", id="an instantiation"),
    pytest.param("const f = <T,>(x: T) => x;", "const f =     (x   ) => x;", id="an arrow with generics"),
    pytest.param("(<any>x).y;", "(     x).y;", id="a type before a value"),
    pytest.param("type A = { b: c };\nx", "                  \nx", id="a type"),
    pytest.param("interface A { b(): void }\nx", "                         \nx", id="an interface"),
    pytest.param("export interface A {}\nexport type B = 1", "                     \n                 ", id="exported"),
    pytest.param("export default interface A {}", "                             ", id="exported by default"),
    pytest.param("declare const a: number, b: T;\nx", "                              \nx", id="declare"),
    pytest.param("declare global { var x: T }\nx", "                           \nx", id="declare global"),
    pytest.param("declare enum E { A }\nx", "                    \nx", id="declare enum"),
    pytest.param("declare module 'x' { const y: T }\nx", "                                 \nx", id="declare module"),
    pytest.param(
        "namespace N { export type T = 1 }\nx", "                                 \nx", id="a namespace of types"
    ),
    pytest.param("import type A from 'a';\nx", "                       \nx", id="import type"),
    pytest.param(
        "import { type A, B, type C as D } from 'a';", "import {         B,             } from 'a';", id="specifiers"
    ),
    pytest.param("export { type A, B };", "export {         B };", id="export specifiers"),
    pytest.param("export type { A } from 'a';\nx", "                           \nx", id="export type"),
    pytest.param("export type * from 'a';\nx", "                       \nx", id="export type all"),
    pytest.param("export type * as N from 'a';\nx", "                            \nx", id="export type all as"),
    pytest.param("import { type } from 'a'; type;", "import { type } from 'a'; type;", id="a name that is type"),
    pytest.param("abstract class A {}", "         class A {}", id="an abstract class"),
    pytest.param(
        "class A<T> extends B<T> implements C, D {}", "class A    extends B                    {}", id="a class"
    ),
    pytest.param(
        "class A { private static readonly x?: T = 1; }", "class A {         static          x     = 1; }", id="a field"
    ),
    pytest.param("class A { declare x: T; y; }", "class A {             ; y; }", id="a declared field"),
    pytest.param("class A { abstract x: T; y; }", "class A {              ; y; }", id="an abstract field"),
    pytest.param("class A { [key: string]: T; y; }", "class A {                 ; y; }", id="an index"),
    pytest.param("class A { f(): void; f(x?: T) {} }", "class A {          ; f(x    ) {} }", id="an overload"),
    pytest.param("class A { f?(): T { return 1 } }", "class A { f ()    { return 1 } }", id="an optional method"),
    pytest.param(
        "class A { override get x(): T { return 1 } }", "class A {          get x()    { return 1 } }", id="override"
    ),
    pytest.param("function f(): void;\nfunction f() {}", "                   \nfunction f() {}", id="overloads"),
    pytest.param(
        "export default function f(): void;\nexport default function f() {}",
        "                                  \nexport default function f() {}",
        id="default overloads",
    ),
    pytest.param("function f(x): x is T { return !0 }", "function f(x)         { return !0 }", id="a predicate"),
    pytest.param("function f(x): asserts x is T {}", "function f(x)                 {}", id="an assertion"),
    pytest.param("let x: 'é' = 1; let y: '😀' = 2", "let x      = 1; let y       = 2", id="columns of other scripts"),
    pytest.param("let x: /* a\nb */ T = 1", "let x      \n       = 1", id="lines stay"),
    pytest.param("const s = `a ${b as T} c`;", "const s = `a ${b     } c`;", id="inside a template"),
    pytest.param("for (const a of b as T[]) {}", "for (const a of b       ) {}", id="in a loop"),
    pytest.param("a as T && b;", "a      && b;", id="as before an operator"),
    pytest.param("\ufefflet x: T;", "\ufefflet x   ;", id="a byte order mark"),
    pytest.param("#!/usr/bin/env node\ntype A = 1\nx", "#!/usr/bin/env node\n          \nx", id="a script"),
    pytest.param("type A = B\n[c].d()", "          \n[c].d()", id="an alias before a list"),
    pytest.param("", "", id="nothing"),
]


@pytest.mark.parametrize(("source", "wanted"), ERASED)
def test_types_become_blanks(source: str, wanted: str) -> None:
    erased = erase_types(source.encode())

    assert erased.faults == ()
    assert erased.data.decode() == wanted
    assert erase_types(erased.data).data == erased.data


KEPT_APART = [
    pytest.param("a = 1\ntype B = 1\n(foo)()", "a = 1\n;         \n(foo)()", id="a type between"),
    pytest.param("a = {}\ninterface B {}\n[c].d()", "a = {}\n;             \n[c].d()", id="an interface between"),
    pytest.param("f()\nimport type A from 'a'\n(x)", "f()\n;                     \n(x)", id="an import between"),
    pytest.param("a = b as T\n(c)", "a = b ;   \n(c)", id="as at a line's end"),
    pytest.param("a = b satisfies T\n(c).d()", "a = b ;          \n(c).d()", id="satisfies at a line's end"),
    pytest.param("class A { x = 1\n private [y] = 2 }", "class A { x = 1\n ;       [y] = 2 }", id="a computed field"),
    pytest.param("class A { x = 1\n readonly *y() {} }", "class A { x = 1\n ;        *y() {} }", id="a generator"),
    pytest.param(
        "class A { x = 1\n declare y: T\n ['z'] = 2 }",
        "class A { x = 1\n ;           \n ['z'] = 2 }",
        id="a declared one",
    ),
    pytest.param("class A { get: string\n foo() {} }", "class A { get;       \n foo() {} }", id="a field called get"),
    pytest.param(
        "class A { static?: string\n foo() {} }", "class A { static;        \n foo() {} }", id="one called static"
    ),
    pytest.param("label: type A = 1", "label: ;         ", id="the body of a label"),
    pytest.param("const f = async <\nT\n>(x: T) => x", "const f = async (\n \n  x   ) => x", id="generics over lines"),
    pytest.param(
        "return_(() => { return <T,\n>(x: T) => x })", "return_(() => { return (  \n  x   ) => x })", id="after return"
    ),
    pytest.param("const f = (x):\n T => x", "const f = (x  \n ) => x", id="a result's type on the next line"),
]


@pytest.mark.parametrize(("source", "wanted"), KEPT_APART)
def test_statements_that_a_type_kept_apart_stay_apart(source: str, wanted: str) -> None:
    erased = erase_types(source.encode())

    assert (erased.data.decode(), erased.faults) == (wanted, ())


REFUSED = [
    pytest.param("enum E { A }", 1, 1, "`enum` makes code", id="enum"),
    pytest.param("const enum E { A }", 1, 1, "`enum` makes code", id="const enum"),
    pytest.param("x;\nexport enum E { A }", 2, 8, "`enum` makes code", id="an exported enum"),
    pytest.param("namespace N { const x = 1 }", 1, 1, "a namespace with values makes code", id="a namespace"),
    pytest.param("module N { f() }", 1, 1, "a namespace with values makes code", id="a module"),
    pytest.param("namespace N { namespace M { export let x } }", 1, 1, "a namespace with values", id="one inside"),
    pytest.param("class A { constructor(private x: T) {} }", 1, 23, "a parameter property makes code", id="property"),
    pytest.param("class A { constructor(readonly x) {} }", 1, 23, "a parameter property makes code", id="readonly one"),
    pytest.param("import a = require('a')", 1, 8, "`import … = require()` makes code", id="import require"),
    pytest.param("import a = b.c", 1, 1, "`import … =` makes code", id="an import of a name"),
    pytest.param("export import a = b.c", 1, 8, "`import … =` makes code", id="an exported one"),
    pytest.param("export = 1", 1, 1, "`export =` makes code", id="export ="),
    pytest.param("@d class A {}", 1, 1, "a decorator makes code", id="a decorator"),
    pytest.param("class A { @d x }", 1, 11, "a decorator makes code", id="a member's decorator"),
    pytest.param("class A { accessor x = 1 }", 1, 11, "`accessor` makes code", id="accessor"),
    pytest.param("a = b as T\n[c].d()", 2, 1, "is read differently", id="a type that would swallow code"),
    pytest.param("f<T>`x`", 1, 1, "is read differently", id="a template with type arguments"),
    pytest.param("a = b<T>\nc", 1, 5, "is read differently", id="type arguments at a line's end"),
    pytest.param("new F<T>\n-m", 1, 6, "is read differently", id="type arguments before a sign"),
    pytest.param("f<T>(x)\n-m\n+l", 1, 1, "is read differently", id="a call before a sign"),
    pytest.param("a = b as typeof c\n(d)", 1, 17, "is read differently", id="a type that would swallow a call"),
    pytest.param("a + b as T * c", 1, 1, "is read differently", id="a product that would change"),
    pytest.param("f(() => <T>{})", 1, 9, "a type before such a value", id="a type before an object"),
    pytest.param("<T>function () {}", 1, 1, "a type before such a value", id="a type before a function"),
    pytest.param("f(): {", 1, 1, "is no TypeScript that is known here", id="a syntax error"),
    pytest.param("const x = <div/>;", 1, 1, "is no TypeScript that is known here", id="JSX"),
]


@pytest.mark.parametrize(("source", "line", "column", "what"), REFUSED)
def test_what_makes_code_or_is_ambiguous_is_refused_with_its_place(
    source: str, line: int, column: int, what: str
) -> None:
    erased = erase_types(source.encode())

    assert erased.data == b""
    assert any(
        (fault.line, fault.column) == (line, column) and fault.what.startswith(what) for fault in erased.faults
    ), erased.faults


def test_every_fault_is_told_at_once_and_no_more_than_a_bound() -> None:
    assert len(erase_types(b"enum A {}\nenum B {}\n").faults) == 2
    assert len(erase_types(b"enum A {}\n" * 500).faults) == MAX_FAULTS


@pytest.mark.parametrize(
    ("data", "what"),
    [
        pytest.param(b"let x: \xff;", "is not UTF-8", id="other bytes"),
        pytest.param(b" " * (MAX_SOURCE_BYTES + 1), "is larger than", id="too large"),
        pytest.param(b"(" * 100_000, "", id="nested without end"),
        pytest.param(b"a<" * 50_000, "", id="open without end"),
    ],
)
def test_odd_bytes_are_refused_and_never_raise(data: bytes, what: str) -> None:
    erased = erase_types(data)

    assert erased.data == b""
    assert erased.faults[0].what.startswith(what)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("type A = B\n" * 20_000, id="many types"),
        pytest.param("class A {" + " private a = 1\n declare b: C\n" * 10_000 + "}", id="many members"),
        pytest.param("(a as B)\n;" * 20_000, id="many values"),
        pytest.param("namespace N { " * 1500 + "type A = 1" + " }" * 1500, id="namespaces in each other"),
        pytest.param("let x: " + "A<" * 3000 + "B" + ">" * 3000, id="types in each other"),
        pytest.param("x" + " as T" * 5000, id="a long chain"),
    ],
)
def test_much_of_one_kind_takes_work_by_its_size_alone(source: str) -> None:
    erased = erase_types(source.encode())

    assert erased.faults == ()
    assert len(erased.data) == len(source)


def test_plain_javascript_stays_as_it_is() -> None:
    source = "const type = 1, as = 2;\nclass A { static { } #x = a ? (b) : c => d; get x() { return this.#x } }\n"

    assert erase_types(source.encode()).data.decode() == source
