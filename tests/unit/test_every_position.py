"""A command is read wherever a language lets an expression stand: no corner of a grammar is left out."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named
from plugseal.lang.shell.reader import read_shell

_SCRIPT = """
`${X}` | tag`a${X}b` | ({get a(){X}}) | ({set a(v){X}}) | ({[X]:1}) | ({[X](){}}) | ({*[X](){}}) | ({get [X](){}})
({async *[X](){}}) | class A{static{X}} | class A{static a=X} | class A{a=X} | class A{#a=X} | class A{[X](){}}
class A{get [X](){}} | class A{[X]=1} | class A extends (X){} | class A{constructor(){X}} | function f(a=X){}
({a=X})=>1 | ([a=X])=>1 | const {a=X}=b | const [a=X]=b | const {[X]:a}=b | a?.[X] | a?.(X) | new (X)() | new A(X)
new A(...X) | throw X | label: X | for(const a of X){} | for(const a in X){} | for(let i=X;;){} | for(;X;){}
for(;;X){}
while(X){} | do{}while(X) | switch(X){} | switch(1){case X:} | switch(1){default:X} | if(X){} | if(0);else X
try{X}catch{}
try{}catch{X} | try{}catch({a=X}){} | try{}finally{X} | with(a){X} | typeof X | void X | delete X | await X | !X
a=X | a+=X
a??=X | a\\=X | X,1 | 1,X | a?X:1 | a?1:X | [X] | [...X] | f(...X) | ({...X}) | async()=>{await X}
function*g(){yield X}
function*g(){yield*X} | async function*g(){for await(const a of X){}} | export default X | export const a=X
import(X)
@dec(X) class A{} | class A{@dec(X) m(){}} | a=>X | (async()=>X)() | !function(){X}() | a in X | a instanceof X
a**X | {X}
"""
_PYTHON = """
f"{X}" | f"{a!r:{X}}" | def f(a=X): pass | def f(*, a=X): pass | def f(a: X): pass | def f() -> X: pass | a: X = 1
lambda a=X: 1 | class A(X): pass | class A(metaclass=X): pass | class A: a = X | [X for a in b] | [1 for a in X]
[1 for a in b if X] | {X: 1} | {1: X} | {**X} | {X} | (X for a in b) | f(*X) | f(**X) | a[X] | a[X:1] | a[1:X:2] | X.b
not X | -X | X + 1 | 1 if X else 2 | X if 1 else 2 | a < X < b | X and 1 | raise X | raise a from X | assert X
assert a, X
del a[X] | with X: pass | with a, X: pass | for a in X: pass | while X: pass | if X: pass | a = X | a += X
a[X] = 1 | (a := X)
lambda: X | *a, b = X | a @ X | a ** X | async def q(): await X | def q(): yield X | def q(): yield from X
def q(): return X
"""
_SHELL = """
echo $(X) | echo "$(X)" | echo `X` | y="${x%a$(X)}" | y=${x##*$(X)} | y="${x^^$(X)}" | y="${x/$(X)/b}"
y="${x//a$(X)/b}"
y="${x/a/b$(X)}" | y="${x[$(X)]}" | y="${x[@]:$(X)}" | y="${x:-$(X)}" | y="${x-`X`}" | y="${x:?$(X)}" | y=$((1+$(X)))
((y=$(X))) | let y=$(X) | a[$(X)]=1 | [[ $x =~ a$(X) ]] | [[ $x == @(a\\$(X)) ]] | [[ a -eq $(X) ]] | [[ -v x[$(X)] ]]
case $x in a$(X)) ;; esac | case $(X) in a) ;; esac | echo {a,$(X)} | ls *.$(X) | for i in $(X); do :; done
for ((i=$(X);i<1;i++)); do :; done | select i in $(X); do :; done | while read x; do :; done < <(X) | cat <<< "$(X)"
cat > "$(X)" | x=$(X) ls | export x=$(X) | declare -a x=($(X)) | x+=($(X)) | test -f $(X) | [ -n "$(X)" ]
if X; then :; fi
coproc X | time X | ! X | { X; } | (X) | f() { X; }; f | function f { X; }; f | trap "X" EXIT | eval "X"
echo "${x:+"$(X)"}"
"""


def _lines(table: str) -> list[str]:
    return [part.strip().replace("\\", "|") for line in table.strip().split("\n") for part in line.split(" | ")]


@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("line", _lines(_SCRIPT))
def test_a_call_is_found_wherever_an_expression_stands_in_a_script(language: str, line: str) -> None:
    text = f'import {{execSync as x}} from "node:child_process";\n{line.replace("X", "x(1)").replace("|=", "||=")}\n'
    found = reader_named(language).read(text.encode(), Context("x.ts", Interest()))

    assert any(fact.capability == "process.shell" for fact in found.facts)


@pytest.mark.parametrize("line", _lines(_PYTHON))
def test_a_call_is_found_wherever_an_expression_stands_in_python(line: str) -> None:
    text = f"from os import system as x\n{line.replace('X', 'x(1)')}\n"
    found = reader_named("python").read(text.encode(), Context("x.py", Interest()))

    assert any(fact.capability == "process.shell" and fact.resolution != "possible" for fact in found.facts)


@pytest.mark.parametrize("line", _lines(_SHELL))
def test_a_command_is_found_wherever_a_substitution_stands(line: str) -> None:
    found = read_shell(line.replace("X", "rm c").encode() + b"\n", Context("x.sh", Interest()))

    assert "c" in _deleted(found) or "rm c" in [nested.text for nested in found.nested]


def _deleted(found: FileFacts) -> set[str | None]:
    return {fact.object for fact in found.facts if fact.capability == "fs.delete"}
