"""Programs for tests of the trust store: many writers at once, and writers that are killed.

Run as `python trust_writers.py transitions|runs HOME COUNT`: each acknowledged number goes to standard output.
"""

from __future__ import annotations

import sys
from pathlib import Path

from plugseal.model.trust import Actor, Approval, Subject
from plugseal.trust import transitions
from plugseal.trust.event import Run
from plugseal.trust.record import Record
from plugseal.trust.store import Store

SUBJECT = Subject("amber", "word_count", "workspace", "/srv/w/plugins/word-count")
BY = Actor("dana", 1000, None, ("bash",))
AT = "2027-01-12T09:14:03Z"
APPROVAL = Approval("a" * 64, "b" * 64, AT, BY, "c" * 64, "0.1.0", 0, 0)
RUN = Run(AT, "started", BY, "server docs", None, None, 1, 1, "", "")


def step(record: Record | None) -> Record:
    """Return the record after one more transition."""
    if record is None:
        standing = transitions.trust(None, APPROVAL, incarnation="0" * 32)
        return Record(SUBJECT, standing).after(standing, action="trusted", at=AT, by=BY)
    return record.after(transitions.reload(record.standing), action="reloaded", at=AT, by=BY)


def main(what: str, home: str, count: str) -> None:
    """Make so many transitions or runs, and say the number of each once it is stored."""
    store = Store(Path(home))
    for _ in range(int(count)):
        if what == "transitions":
            number = store.change(SUBJECT, step).standing.generation
        else:
            number = store.append_run(SUBJECT, RUN)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
