"""What the text of a word may hold besides text, and what may be said of it."""

from __future__ import annotations

from typing import Final

RESOLVED: Final = 1
"""Came through a variable or a substitution."""
DISGUISED: Final = 2
"""Was written so that nobody reads it: escapes for letters, a slash cut from a variable."""
UNSURE: Final = 4
"""One of several values, or one that somebody else may set."""
CUT: Final = 8
"""Was cut, replaced or put together: ordinary in arguments, a disguise in a command's name."""
SPLIT: Final = "\x01"
"""Parts words that stand in one place: an array, `$IFS`."""
OWN: Final = "\x02"
"""Stands for the folder of the script itself."""
ROOT: Final = "\x03"
"""Stands for the root of the plugin."""
