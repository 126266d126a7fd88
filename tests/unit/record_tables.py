"""Record the package's tables: `python tests/unit/record_tables.py`, after any of them was changed."""

from __future__ import annotations

from pathlib import Path

import plugseal
from plugseal.lang.recorded import RECORD, render_record

FOLDERS = sorted((Path(plugseal.__file__).parent / "lang").glob("*/tables"))


def main() -> None:
    """Write the record of each folder."""
    for folder in FOLDERS:
        (folder / RECORD).write_bytes(render_record(folder))


if __name__ == "__main__":
    main()
