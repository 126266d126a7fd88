"""How files and directories of a tree are opened: never through a link, never waiting, never handed to a program."""

from __future__ import annotations

import os
from typing import Final

HAS_DIR_FD: Final = os.open in os.supports_dir_fd and os.stat in os.supports_dir_fd and os.scandir in os.supports_fd
READ_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_NOINHERIT", 0)
)
DIRECTORY_FLAGS: Final = READ_FLAGS | getattr(os, "O_DIRECTORY", 0)
