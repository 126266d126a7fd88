"""The languages that are read, by name. To add one: a file in this folder and one line here."""

from __future__ import annotations

from plugseal.lang.facts import Reader


def _python() -> Reader:
    from plugseal.lang.python.reader import PythonReader

    return PythonReader()


_LOADERS = {"python": _python}
_loaded: dict[str, Reader] = {}


def reader_named(language: str) -> Reader:
    """Return a language's reader, loading it at its first use.

    Raises:
        KeyError: no such reader; `classify` never names one.
    """
    reader = _loaded.get(language)
    if reader is None:
        reader = _loaded[language] = _LOADERS[language]()
    return reader
