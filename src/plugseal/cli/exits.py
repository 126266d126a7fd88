"""Exit codes: what the process ends with. The numbers are a promise (`docs/reference/cli.md`)."""

from __future__ import annotations

from typing import Final

YES: Final = 0
NO: Final = 1
WRONG_COMMAND: Final = 2
NOTHING_TO_JUDGE: Final = 3
COULD_NOT_JUDGE: Final = 4
OUR_BUG: Final = 70
INTERRUPTED: Final = 130
READER_GONE: Final = 141
"""As for a program that SIGPIPE ends (128 + 13): a result that was not read to its end is no pass."""
