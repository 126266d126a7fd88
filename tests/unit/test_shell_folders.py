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
