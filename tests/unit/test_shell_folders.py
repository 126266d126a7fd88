"""The working folder of a script is followed where its words tell it, and only there."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.shell.reader import read_shell

_INSIDE = """
cd sub && cat ../x
cd sub && cd ../x
cd sub; cat ../x
cd a && cd b && cat ../../x
cd a/b; cat ../../x
cd a/../b; cat ../x
if true; then cd sub; cat ../x; fi
for i in 1 2; do cd sub; cat ../x; done
f() { cd sub; cat ../x; }; f
pushd sub; cat ../x; popd
pushd sub > /dev/null && cat ../x
cd sub; echo x > ../out
cd sub || exit 1; cat ../x
x=$(cd sub && cat ../x)
D=sub; cd $D; cat ../x
cd "$(dirname "$0")"; cat ../x
cd "$(dirname "$0")/.."; cat ../x
cd "${CLAUDE_PLUGIN_ROOT}/a"; cat ../x
cd sub && ../bin/tool
cd sub && { cat ../x; }; cat ../y
cd -P sub; cat ../x
builtin cd sub; cat ../x
{ cd sub; }; cat ../x
cd sub 2> /dev/null || exit; cat ../x
cd sub || { echo "no folder"; exit 1; }; cat ../x
die() { exit 1; }; cd sub || die; cat ../x
say() { echo x; }; cd sub; say; cat ../x
cd sub; /usr/bin/tool x; "$0/x" y; cat ../x
cd sub; "ls" ..
CDPATH= cd sub; cat ../x
unset CDPATH; cd sub && cat ../x
cd sub; time make; cat ../x
cd a/b & cd sub; cat ../x
""".strip().splitlines()
_OUTSIDE = """
cd sub && cd ../..
cd sub; cat ../../x
(cd sub && cat ../x); cat ../y
(cd sub; ls); cat ../y
cd a && cd b && cat ../../../x
cd $X && cat ../x
cd a$X && cat ../x
if true; then cd sub; fi; cat ../x
for i in 1 2; do cat ../x; cd ..; done
f() { cat ../x; }; cd sub; f
f() { cd ..; }; cd sub; f; cat ../x
pushd sub; cat ../x; popd; cat ../y
echo x > ../out; cd sub
cd sub | cat ../x
x=$(cd sub; ls); cat ../x
cd sub; cd -; cat ../x
cd sub; source env.sh; cat ../x
cd sub; eval "$LINE"; cat ../x
cd sub; cd; cat ../x
cd "$(dirname "$0")/../.."; cat ../x
cd sub; rm -rf ../../x
while read l; do (cd $l; cat ../x); done
cd sub; (cd ..; cat ../x)
cd sub; (cd b; cat ../../x); cat ../../y
case x in a) cd sub;; esac; cat ../x
cd sub; cat /etc/hosts
cd sub; cat ~/x
cd a/b; "cd" ..; "cd" ..; cat ../x
cd a/b; \\cd ../..; cat ../x
cd a/b; X=1 cd ../..; cat ../x
cd a/b; command -p cd ../..; cat ../x
D=cd; cd a/b; $D ../..; cat ../x
cd a/b; $D ../..; cat ../x
cd a/b; c''d ../..; cat ../x
cd a/b; time cd ../..; cat ../x
cd a/b; "eval" "cd ../.."; cat ../x
cd a/b & cat ../../x
cd a/b && ls & cat ../../x
cd a/b 2>/dev/null; cat ../../x
cd a/b || true; cat ../../x
cd a/b || echo no; cat ../../x
die() { echo no; }; cd a/b || die; cat ../x
! cd a/b; cat ../../x
if cd a/b; then echo; fi; cat ../../x
shopt -s autocd; cd a/b; ..; ..; cat ../x
cd a/b; trap 'cd ../..' DEBUG; cat ../x
alias k=cd; cd a/b; k ../..; cat ../x
CDPATH=/etc; cd ssh/x; cat ../shadow
f() { "cd" ../..; }; cd a/b; f; cat ../x
g() { cd ../..; }; f() { g; }; cd a/b; f; cat ../x
f() { eval "$1"; }; cd a/b; f "cd ../.."; cat ../x
cd a/b; cd .?; cd .?; cat ../x
ln -s / a; cd a/b; cat ../../x
pushd -n a/b; cat ../../x
cd a/b; (pushd ..); cd ../..; popd; cat ../x
""".strip().splitlines()


def _leads_out(line: str) -> bool:
    facts = read_shell(line.encode(), Context("scripts/deep/x.sh", Interest())).facts
    return any(fact.capability == "path.outside" for fact in facts)


@pytest.mark.parametrize("line", _INSIDE)
def test_a_path_that_stays_below_the_start_does_not_lead_out(line: str) -> None:
    assert not _leads_out(line)


@pytest.mark.parametrize("line", _OUTSIDE)
def test_a_path_that_may_lead_out_is_said_to(line: str) -> None:
    assert _leads_out(line)


_OWN_ROOT = 'D="$(cd "$(dirname "$0")" && pwd)"\n'


@pytest.mark.parametrize(
    ("line", "path"),
    [
        pytest.param('R="$(cd "$D/../.." && pwd)"', "a", id="upwards from the script's own folder"),
        pytest.param('R="$(cd -- "${D}/.." > /dev/null 2>&1 && pwd -P)"', "scripts/a", id="in silence"),
        pytest.param('R="$(cd "$D/../../.." && pwd)"', "../a", id="out of the tree"),
        pytest.param("R=$(cd /opt/x && pwd)", "/opt/x/a", id="to a folder by its full name"),
        pytest.param('R="$(cd "$D/.." || pwd)"', "*/a", id="what is printed only where it is not there"),
        pytest.param('R="$(cd "$1/.." && pwd)"', "*/a", id="from a folder that is not known"),
        pytest.param('R="$(cd "$D/.." && ls)"', "*/a", id="what is printed there is something else"),
    ],
)
def test_a_folder_that_a_script_finds_by_changing_to_it_is_known(line: str, path: str) -> None:
    script = f'{_OWN_ROOT}{line}\ncat "$R/a"\n'.encode()
    found = read_shell(script, Context("scripts/qa/x.sh", Interest()))

    assert path in {fact.object for fact in found.facts if fact.capability == "fs.read"}


def test_a_folder_above_the_script_is_named_from_the_root_in_other_code_too() -> None:
    script = f'{_OWN_ROOT}R="$(cd "$D/../.." && pwd)"\npython3 -c "open(\'$R/a.json\')"\n'.encode()
    found = read_shell(script, Context("scripts/qa/x.sh", Interest()))

    assert [nested.text for nested in found.nested] == ["open('./a.json')"]


def test_the_folder_of_the_folder_of_a_script_is_above_it() -> None:
    script = f'{_OWN_ROOT}cat "$(dirname "$D")/a" "$(dirname "$(dirname "$D")")/b"\n'.encode()
    found = read_shell(script, Context("scripts/qa/x.sh", Interest()))

    assert {fact.object for fact in found.facts if fact.capability == "fs.read"} == {"scripts/a", "b"}
