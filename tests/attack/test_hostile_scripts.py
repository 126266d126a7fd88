"""Scripts that were made to take long: each ends far below a file's limit, and says where it gave up."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from plugseal.lang.batch.reader import BatchReader
from plugseal.lang.facts import Context, Interest
from plugseal.lang.isolation import needs_worker
from plugseal.lang.powershell.reader import PowerShellReader
from plugseal.lang.shell.reader import read_shell

HANG_SECONDS = 10
"""Ten times what the slowest takes."""
SOURCES = {
    "substitutions inside substitutions": "$(a " * 5_000 + ")" * 5_000,
    "open substitutions": "$(" * 20_000,
    "open quotes": '"$(' * 5_000,
    "backquotes": "`a " * 10_000,
    "a text that doubles": "a=xxxxxxxx\n" + "a=$a$a\n" * 200 + "cmd $a\n",
    "a chain of variables": "a0=x\n" + "".join(f"a{n + 1}=$a{n}\n" for n in range(3_000)) + "cmd $a3000\n",
    "one variable set and used over and over": "if z; then a=1; fi\n" * 3_000 + "x $a\n" * 2_000,
    "alternatives": "for a in 1 2 3 4 5 6; do for b in 1 2 3 4 5 6; do\n" + "x $a$b$a\n" * 1_000 + "done; done\n",
    "a long pipe": "a" + " | a" * 10_000 + " | sh\n",
    "many here-documents": "".join(f"cat <<E{n} | sh\nx\nE{n}\n" for n in range(1_500)),
    "braces": "x " + "{a,b}" * 200 + "\n",
    "wildcards": "/" + "?*" * 30 + "\n",
    "an end cut off by wildcards": "a=" + "a" * 5_000 + "\nx ${a%%*a*a*a*a*b}\n",
    "wrappers": "xargs " * 5_000 + "rm\n",
    "many functions": "".join(f"f{n}() {{ f{n + 1}; echo $A_B; }}\n" for n in range(2_000)) + "f0\n",
    "much to decode": "echo " + "QUFB" * 40_000 + " | base64 -d | base64 -d | sh\n",
    "one long line": "x " + "a " * 100_000,
    "variables in the pattern of a branch that has no end": "case x in " + "$abcdefgh" * 40 + "\nesac (",
    "deep conditions": "if a; then " * 3_000,
}


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_hostile_script_is_read_or_unread_in_bounded_time(source: str) -> None:
    start = time.process_time()
    facts = read_shell(source.encode(), Context("x.sh", Interest()))
    assert facts.status in {"read", "partial", "unread"}
    assert (facts.reason == "") == (facts.status == "read")
    assert time.process_time() - start < HANG_SECONDS


_ITEMS = " ".join(map(str, range(16)))
BATCHES = {
    "loops in loops over a long command": "".join(f"for %%{name} in ({_ITEMS}) do " for name in "abcde")
    + "curl "
    + "x %%a " * 2_000,
    "a loop over and over": "for %%i in (a b) do " * 10_000,
    "brackets that are letters": "x " + "(a" * 60_000,
    "brackets behind blanks": "x " + " " * 50_000 + "( " * 50_000,
    "redirections of one command": "a " + ">b^\n" * 60_000,
    "a variable of a variable": "set a=" + "x" * 7_000 + "\nset b=%a%%a%\n" + "curl %b%\n" * 4_000,
    "a variable that makes one long": "set a=" + "x" * 15_000 + "\ncurl " + "%a%^\n" * 50_000,
    "letters replaced by many": "set a=" + "x" * 15_000 + "\n" + "curl %a:x=yyyyyyyyyyyyyyyyyyyyyyyy%\n" * 3_000,
}


@pytest.mark.parametrize("source", BATCHES.values(), ids=BATCHES)
def test_a_hostile_batch_file_ends(source: str) -> None:
    start = time.process_time()
    facts = BatchReader().read(source.encode(), Context("x.bat", Interest()))
    assert facts.status in {"read", "partial"}
    assert (facts.reason == "") == (facts.status == "read")
    assert time.process_time() - start < HANG_SECONDS


_LONG = '$x="' + "x" * 15_000 + '"\n'
_MADE = {
    "letters replaced": "iex ($x -replace 'x', 'yyyyyyyyyyyyyyyy')\n",
    "a list of letters": "iex (-join ($x.ToCharArray()))\n",
    "a text backwards": "iex ($x[-1..-4000] -join '')\n",
    "a text of texts": 'iex "$x$x$x$x"\n',
}


@pytest.mark.parametrize("line", _MADE.values(), ids=_MADE)
def test_much_made_of_a_long_text_of_powershell_leaves_it_partial(line: str) -> None:
    start = time.process_time()
    facts = PowerShellReader().read((_LONG + line * 3_000).encode(), Context("x.ps1", Interest()))
    assert facts.status == "partial"
    assert time.process_time() - start < HANG_SECONDS


@pytest.mark.parametrize(
    "piece",
    ["@{", "@{a=", "@{a=1;", "f @{", "@(", "&{", "$(", "(", "{", "if(1){", "switch(1){1{", '"$(', "[a(", "$x["],
)
def test_pieces_of_powershell_that_stand_deep_in_each_other_leave_it_partial(piece: str) -> None:
    facts = PowerShellReader().read((piece * 3_000).encode(), Context("x.ps1", Interest()))
    assert facts.status == "partial"


CUT_OFF = {
    "a variable in a here-document of Perl": ("Perl", "<<E\n$c"),
    "an array in one": ("Perl", 'print <<"E", 1;\n@c'),
    "an escape in one that is indented": ("Perl", "<<~E\n\\n"),
    "a command in one": ("Perl", "<<`E`\n$c"),
    "a here-document of Ruby": ("Ruby", "x = <<E\n#{c}"),
    "a here-document of PHP": ("PHP", '<?php x(<<<"E"\n{$c}'),
    "a long text of Lua": ("Lua", "x = [==[ ]=]"),
    "texts of Ruby that stay open": ("Ruby", "%q(" * 10_000),
    "ends of statements of Lua": ("Lua", "return " + ";" * 30_000),
}
_READ = """
import sys
from plugseal.lang.facts import Context, Interest
from plugseal.lang.scripts.reader import OtherScriptReader
print(OtherScriptReader(sys.argv[1]).read(sys.argv[2].encode(), Context("x", Interest())).status)
"""


@pytest.mark.parametrize(("language", "source"), CUT_OFF.values(), ids=CUT_OFF)
def test_a_text_that_is_cut_off_keeps_no_grammar_going(language: str, source: str) -> None:
    # In a process of its own: nothing in this one could end a loop inside a grammar.
    done = subprocess.run(
        [sys.executable, "-c", _READ, language, source], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() in {"read", "partial", "unread"}


@pytest.mark.parametrize(("text", "status"), [("ls\n\0cat\n", "partial"), ("\0l\0s\n" * 900, "unread")])
@pytest.mark.parametrize("coding", ["utf-8", "utf-16-le"])
def test_no_grammar_is_given_a_nul_that_an_encoding_hid(text: str, status: str, coding: str) -> None:
    data = (text if coding == "utf-8" else f"\ufeff{text}").encode(coding)
    found = read_shell(data, Context("a.sh", Interest()))

    assert found.status == status
    assert needs_worker(data, "a.sh")  # Whatever else a grammar makes of such a text.
