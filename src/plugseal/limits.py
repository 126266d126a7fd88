"""Every bound of plugseal, each with its unit in its name.

A file over a limit is `unread`, a tree over a limit is refused; nothing is silently cut.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 1024
MIB: Final = 1024 * KIB

# Trees (reference: plugin-tree-manifest/v1)
MAX_TREE_ENTRIES: Final = 65_536
"""Strict receipts refuse a larger plugin."""
MAX_TREE_BYTES: Final = 4 * 1024 * MIB
MAX_TREE_DEPTH: Final = 64
MAX_PATH_BYTES: Final = 1024
MAX_NAME_BYTES: Final = 255
MAX_SCAN_ENTRIES: Final = 2_000_000
"""`scan` goes on past the strict limits, but not past this."""
MAX_SCAN_DEPTH: Final = 512
MAX_SCAN_PATH_CHARACTERS: Final = 256 * MIB
"""All paths of a listing together: deep and wide at once would take more memory than either."""

# Archives
MAX_ARCHIVE_BYTES: Final = 256 * MIB
MAX_ARCHIVE_MEMBERS: Final = 65_536
MAX_ARCHIVE_UNPACKED_BYTES: Final = 512 * MIB
MAX_ARCHIVE_RATIO: Final = 200
"""Unpacked bytes for each packed byte, counted once more than 1 MiB was unpacked."""
MAX_INSIDE_BYTES: Final = 64 * MIB
"""Unpacked bytes of one archive inside a tree; more leave it `unread`."""
MAX_INSIDE_TOTAL_BYTES: Final = 256 * MIB
"""Unpacked bytes of all archives inside a tree together."""
MAX_INSIDE_FILES: Final = 65_536
MAX_INSIDE_DEPTH: Final = 3
"""Archives inside archives inside a tree."""

# Files
MAX_READ_BYTES: Final = 64 * MIB
"""Files above are hashed, but not handed to a reader: `unread`."""
MAX_SOURCE_BYTES: Final = 8 * MIB
"""Source files above are `unread`."""
MAX_INLINE_SOURCE_BYTES: Final = 256 * KIB
"""Source files above are parsed in a limited worker."""
MAX_SECOND_SOURCE_BYTES: Final = MIB
"""Source files above are not given to the second parser, which is ten times slower than the first."""
MAX_NESTING: Final = 6
"""Texts inside texts inside a file; deeper ones make it `partial`."""
MAX_NESTED_TEXTS: Final = 4096
"""Texts of other languages in one file, at all depths; more make it `partial`."""
MAX_NESTED_CHARACTERS: Final = 8 * MIB
"""All nested texts of one file together."""
MAX_GIT_FILE_BYTES: Final = MIB
"""One settings file or hook of the root's `.git`."""
MAX_GIT_HOOKS: Final = 256
MAX_PROSE_EVENTS: Final = 20_000
"""Sentences and command lines of one text that rules are asked about; more make it `partial`."""
MAX_KEPT_BYTES: Final = 64 * MIB
"""All manifests of one tree together."""

MAX_WAITING_SOURCE_BYTES: Final = 16 * MIB
"""Compressed texts of files whose names wait for other files; findings beyond have no source lines."""

# Data documents
MAX_DATA_BYTES: Final = 4 * MIB
MAX_DATA_DEPTH: Final = 64
MAX_DATA_NODES: Final = 200_000
MAX_KEY_BYTES: Final = 4 * KIB
MAX_NUMBER_DIGITS: Final = 4300
"""Python's own limit for integers, fixed here since a user can move that one."""
MAX_TOML_KEY_PARTS: Final = 64
MAX_YAML_ALIASES: Final = 64

# Manifests of plugins
MAX_DECLARED: Final = 4096
"""Servers, hooks or tools in one table of a manifest; more are a fault, and none of them is described."""
MAX_BOUND_FILES: Final = 5000
"""Files that one unit of a client's configuration covers because its programs load them; with more it is unbound."""
MAX_BOUND_LOOKS: Final = 500_000
"""Places at which these are looked for, for one unit."""
MAX_BOUND_LOOKS_IN_TREE: Final = 4_000_000
"""The same for all units of a tree together; those that come after it are unbound."""
MAX_ARGUMENTS: Final = 4096
"""Words of one command; more are a fault."""
MAX_LINE_CHARACTERS: Final = 64 * KIB
"""One word or shell line of a command; a longer one is a fault and is not looked at."""

# Workers
WORKER_MEMORY_BYTES: Final = 1536 * MIB
"""Address space for one file, on top of what its worker has in use."""
WORKER_RETIRE_BYTES: Final = 384 * MIB
"""A worker whose resident size ever grew by this is replaced, so that no file depends on the ones before it."""
WORKER_STACK_BYTES: Final = 64 * MIB
WORKER_CPU_SECONDS: Final = 4
"""For one file."""
MAX_WORKER_REPLY_BYTES: Final = 64 * MIB
WORKER_WALL_SECONDS: Final = 15
"""A stuck worker is killed after this; CPU is the limit that normally bites."""
TOOK_TOO_LONG: Final = f"took more than {WORKER_WALL_SECONDS} s"
"""What is said of a file that the clock stopped, with all texts inside it."""

# Signed reviews
MAX_KEPT: Final = 32
"""Entries of a trail that stand whole; older ones are folded."""
MAX_COMMITTED_BYTES: Final = 64 * MIB
"""One file that a team commits to be judged by: an export of trails, a list of accepted findings."""
MAX_PEOPLE: Final = 100
"""Who may be asked to sign one review."""
MAX_ROTATION_DAYS: Final = 90
"""How long a signature under a change of rules that was not merged may lie about."""
MAX_REVIEW_DAYS: Final = 3_660
"""How old a review may be allowed to be."""

# Text on a screen
MAX_SHOWN_CHARACTERS: Final = 200

# Cache
MAX_CACHE_BYTES: Final = 256 * MIB
"""The file in which scans keep what they found; what was not used for longest goes first."""
MAX_CACHE_ENTRY_BYTES: Final = 32 * MIB
"""What is kept of one file, or of one tree, unpacked; more is not kept."""
MAX_CACHE_WAITING_BYTES: Final = 8 * MIB
"""What is new is written once it is as much, packed."""
