"""Workers whose code is loaded once a file needs one: most scans never do, and they are the short ones."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from plugseal.lang.facts import Context, FileFacts

if TYPE_CHECKING:
    from plugseal.scan.workers.worker import Workers


class WorkersOnDemand:
    """Stand for `Workers` and start nothing before the first `read`; use as a context manager."""

    def __init__(self) -> None:
        self._workers: Workers | None = None
        self.count = 0
        """How many files were read."""

    def __enter__(self) -> WorkersOnDemand:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._workers is not None:
            self._workers.close()

    def read(self, reader_name: str, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file, as `Workers.read` does."""
        self.count += 1
        if self._workers is None:
            from plugseal.scan.workers.worker import Workers

            self._workers = Workers()
        return self._workers.read(reader_name, data, context)
