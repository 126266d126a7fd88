"""The languages that are read, by name. To add one: a room in this folder, a line here, its name in `textkinds`."""

from __future__ import annotations

from collections.abc import Callable

from plugseal.lang.facts import Reader


def _python() -> Reader:
    from plugseal.lang.python.reader import PythonReader

    return PythonReader()


def _newer_python() -> Reader:
    from plugseal.lang.python.cst.reader import NewerPythonReader

    return NewerPythonReader()


def _markdown() -> Reader:
    from plugseal.lang.prose.reader import MarkdownReader

    return MarkdownReader()


def _instructions() -> Reader:
    from plugseal.lang.prose.reader import InstructionsReader

    return InstructionsReader()


def _mdx() -> Reader:
    from plugseal.lang.prose.reader import MdxReader

    return MdxReader()


def _markup(language: str) -> Callable[[], Reader]:
    def load() -> Reader:
        from plugseal.lang.prose.markup import MarkupReader

        return MarkupReader(language)

    return load


def _plain(language: str, name: str = "PlainReader") -> Callable[[], Reader]:
    def load() -> Reader:
        from plugseal.lang.prose import plain

        reader: Reader = getattr(plain, name)(language)
        return reader

    return load


def _notebook() -> Reader:
    from plugseal.lang.prose.notebook import NotebookReader

    return NotebookReader()


def _shell() -> Reader:
    from plugseal.lang.shell.reader import ShellReader

    return ShellReader()


def _javascript() -> Reader:
    from plugseal.lang.ecmascript.reader import ScriptReader

    return ScriptReader("javascript")


def _typescript() -> Reader:
    from plugseal.lang.ecmascript.reader import ScriptReader

    return ScriptReader("typescript")


def _recipe(language: str) -> Callable[[], Reader]:
    def load() -> Reader:
        from plugseal.lang.recipes.reader import RecipeReader

        return RecipeReader(language)

    return load


def _powershell() -> Reader:
    from plugseal.lang.powershell.reader import PowerShellReader

    return PowerShellReader()


def _sql() -> Reader:
    from plugseal.lang.sql.reader import SqlReader

    return SqlReader()


def _applescript() -> Reader:
    from plugseal.lang.applescript.reader import AppleScriptReader

    return AppleScriptReader()


def _small(language: str) -> Callable[[], Reader]:
    def load() -> Reader:
        from plugseal.lang.programs.reader import SmallProgramReader

        return SmallProgramReader(language)

    return load


def _batch() -> Reader:
    from plugseal.lang.batch.reader import BatchReader

    return BatchReader()


def _other_script(language: str) -> Callable[[], Reader]:
    def load() -> Reader:
        from plugseal.lang.scripts.reader import OtherScriptReader

        return OtherScriptReader(language)

    return load


_LOADERS = {
    "python": _python,
    "python-newer": _newer_python,
    "shell": _shell,
    "PowerShell": _powershell,
    "batch": _batch,
    "SQL": _sql,
    "AppleScript": _applescript,
    "awk": _small("awk"),
    "sed": _small("sed"),
    **{name: _other_script(name) for name in ("Ruby", "Perl", "PHP", "PHP code", "Lua")},
    "javascript": _javascript,
    "typescript": _typescript,
    **{name: _recipe(name) for name in ("Dockerfile", "Makefile", "justfile", "unit or launcher", "time table")},
    **{name: _recipe(name) for name in ("requirements", "CMake", "gyp", "Meson", "Meson wrap", "lock file")},
    **{name: _recipe(name) for name in ("go.mod", "pip settings", "conda environment", "git submodules")},
    **{name: _recipe(name) for name in ("Kubernetes", "playbook", "builder's wrapper")},
    **{name: _recipe(name) for name in ("tmux settings", "udev rules", "nginx settings")},
    "Markdown": _markdown,
    "instructions": _instructions,
    "MDX": _mdx,
    "HTML": _markup("HTML"),
    "SVG": _markup("SVG"),
    "XML": _markup("XML"),
    "component": _markup("component"),
    "notebook": _notebook,
    "plain text": _plain("plain text"),
    "configuration": _plain("configuration"),
    "environment file": _plain("environment file", "EnvironmentReader"),
    "TeX": _plain("TeX", "TexReader"),
    "JSON lines": _plain("JSON lines", "JsonLinesReader"),
}
IN_WORKERS = frozenset({"Ruby", "Perl", "PHP", "PHP code", "Lua"})
"""Languages whose parser may not end, or may end our own process: they are read in limited workers only."""
_SECOND = {"python": ("python-newer", ("not valid Python 3", "holds code that may be of another Python"))}
"""Who else may understand a file, and how the first reader's reason begins when it is worth asking."""
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


def second_reader(language: str, reason: str) -> str:
    """Return the reader to ask when one has refused a file for a reason, empty for none."""
    second, beginnings = _SECOND.get(language, ("", ()))
    return second if reason.startswith(beginnings) else ""
