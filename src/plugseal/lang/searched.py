"""What a command line only looks for or refuses: patterns of searching programs and of tests, which nobody runs."""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_QUOTED: Final = r"(?:\"(?:[^\"`$\n\\]|\\[^\n]|\$(?![\w({])){0,400}\"|'[^'\n]{0,400}')"
"""A text in quotes in which nothing is run."""
_PATTERNS: Final = lazy(
    # `grep -Eq 'curl.*sh'`, `rg -e "rm -rf"`.
    rf"(?P<program>\b(?:[efz]?grep|rg|ag|ack)(?:[ \t]{{1,4}}-[\w-]{{1,40}}){{0,8}})[ \t]{{1,4}}{_QUOTED}"
    # `[[ $line =~ rm\ -rf ]]`, `[ "$line" = "rm -rf /" ]`.
    rf"|(?P<sign>(?:=~|[!=]?=)[ \t]{{1,4}})(?:{_QUOTED}|\([^\n()`;&]{{0,100}}\)|\\[^\n=]|\$(?!\()"
    r"|[^\n`$;&|\\\"'(=]){1,300}?(?=[ \t]\]{1,2})"
    # `case $line in *"rm -rf"*)`.
    r"|\*\"[^\"`$\n]{1,200}\"\*"
    # `deny "no rm -rf /"`, and nothing more.
    r"|(?P<refusal>(?:^|(?<=[;&|){])|(?<=\bthen )|(?<=\belse ))[ \t]{0,16}(?:deny|block|reject|forbid|refuse)\w{0,12})"
    rf"[ \t]{{1,4}}{_QUOTED}"
    r"(?=[ \t]{0,8}(?:$|[;&}]))",
)


def without_searched(line: str) -> str:
    """Return a command line without the patterns in it; what it runs stays."""
    return _PATTERNS.sub(lambda found: f"{found['program'] or found['sign'] or found['refusal'] or ''} ''", line)
