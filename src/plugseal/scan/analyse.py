"""Read one source file where it is safe to: here, in a limited worker, or by the second parser in one."""

from __future__ import annotations

from plugseal.lang.facts import PARTIAL_STATUS, UNREAD_STATUS, Context, FileFacts
from plugseal.lang.isolation import needs_worker
from plugseal.lang.reading import read_surely
from plugseal.lang.registry import IN_WORKERS, reader_named, second_reader
from plugseal.scan.workers.on_demand import WorkersOnDemand


def analyse(language: str, data: bytes, context: Context, *, workers: WorkersOnDemand) -> FileFacts:
    """Return the facts of one file; never raise over any bytes.

    Args:
        language: as `classify` names it.
        data: all bytes of the file.
        context: what the reader may know besides.
        workers: where large, odd and newer files, and those of some languages, are read.
    """
    if language in IN_WORKERS or needs_worker(data, context.path):
        facts = workers.read(language, data, context)
    else:
        facts = read_surely(reader_named(language), data, context)
    second = second_reader(language, facts.reason) if facts.reason else ""
    if not second:
        return facts
    more = workers.read(second, data, context)
    if more.status == UNREAD_STATUS and facts.status != UNREAD_STATUS:
        return facts._replace(status=PARTIAL_STATUS, reason=more.reason)
    return more
