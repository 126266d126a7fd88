"""The door through which a reader is called, here and in workers: whatever it does, one file is all that is lost."""

from __future__ import annotations

from plugseal.lang.facts import Context, FileFacts, Reader, unread


def read_surely(reader: Reader, data: bytes, context: Context) -> FileFacts:
    """Return what a reader says of a file; one that fails leaves the file unread, with the reason.

    Args:
        reader: of the file's language.
        data: all bytes of the file.
        context: what the reader may know besides.

    Raises:
        MemoryError: there is none left, which is no matter of one file.
    """
    try:
        return reader.read(data, context)
    except MemoryError:
        raise
    except Exception as error:
        # A reader promises not to raise; if it does all the same, its file is unread and nothing else is lost.
        return unread(reader.language, f"the reader failed ({type(error).__name__})")
