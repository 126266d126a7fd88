"""Read a file of SQL: what its statements do outside of their database. Never raises, never runs anything."""

from __future__ import annotations

from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.placed_acts import read_placed_acts
from plugseal.lang.sql.acts import placed_acts_of_sql
from plugseal.limits import MAX_SOURCE_BYTES, MIB


class SqlReader:
    """The reader of SQL."""

    language = "SQL"

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        del context
        if len(data) > MAX_SOURCE_BYTES:
            return unread(self.language, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        return read_placed_acts(self.language, data, placed_acts_of_sql)
