"""Read small lists by which tools fetch something: go.mod, pip's settings, conda's environments, wrappers, submodules.

Each says nothing where it names the usual registry, and what it takes from elsewhere otherwise.
"""

from __future__ import annotations

from typing import Final

from plugseal.errors import DataError
from plugseal.lang.recipes.found import Found
from plugseal.lang.recipes.mapped import Mapped
from plugseal.lang.recipes.requirements import take_requirement
from plugseal.lang.recipes.sources import add_file, add_registry, add_source, host_of, names_agree, source_address
from plugseal.model.location import Span
from plugseal.patterns import lazy

GO: Final = "go.mod"
PIP: Final = "pip settings"
CONDA: Final = "conda environment"
MODULES: Final = "git submodules"
WRAPPER: Final = "builder's wrapper"
_REPLACE: Final = lazy(r"\s*(?:replace\s+)?([^\s]+)(?:\s+v\S+)?\s+=>\s+(\S+)")
_ENTRY: Final = lazy(r"\s*([\w.-]+)\s*[=:]\s*(.*)")
_WRAPPED: Final = lazy(r"(?:distribution|wrapper)Url[ \t]{0,8}[=:][ \t]{0,8}(\S+)")
_PIP_INDEXES: Final = frozenset(("index-url", "extra-index-url", "index", "find-links"))


def read_go_mod(text: str, path: str) -> Found:
    """Return which modules stand for others.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    found = Found(GO)
    for number, line in enumerate(text.split("\n"), 1):
        replaced = _REPLACE.match(line.partition("//")[0])
        if replaced is None:
            continue
        span = Span(number, 1, number, len(line) + 1)
        module, by = replaced[1], replaced[2]
        if by.startswith((".", "/", "~")) or by[1:2] == ":":
            if add_file(found, span, by, folders=path.count("/")):
                found.fact(span, "code.fetched", by[:256], "install", sure=False)
            continue
        found.fact(span, "net.outbound", by.partition("/")[0].lower(), "install")
        found.fact(span, "code.fetched", by[:256], "install")
        if not names_agree(module, by):
            found.fact(span, "code.obfuscated", module[:256], "install", sure=False)
    return found


def read_pip_settings(text: str, path: str) -> Found:
    """Return which registries pip takes packages from.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    found = Found(PIP)
    key = ""
    for number, line in enumerate(text.split("\n"), 1):
        entry = _ENTRY.match(line) if not line[:1].isspace() else None
        value = line.strip()
        if entry is not None:
            key, value = entry[1].lower().replace("_", "-"), entry[2]
        if not value or value.startswith(("#", ";", "[")):
            continue
        span = Span(number, 1, number, len(line) + 1)
        for word in value.split():
            if key in _PIP_INDEXES and "://" in word and not word.startswith("file:"):
                add_registry(found, span, word)
            elif key in ("find-links", "constraint", "requirement"):
                add_file(found, span, word, folders=path.count("/"))
            elif key == "trusted-host":
                found.fact(span, "net.outbound", word.partition(":")[0].lower(), "install")
    return found


def read_conda(text: str, path: str) -> Found:
    """Return where an environment of conda takes packages from; any other document says nothing.

    Args:
        text: with LF line ends.
        path: of the file, below the scanned root.
    """
    from plugseal.encode.yaml import parse_yaml

    found = Found(CONDA)
    try:
        document = parse_yaml(text.encode())
    except DataError as error:
        found.lack(f"not valid YAML: {error.message}" + (f" (line {error.line})" if error.line else ""))
        return found
    listed = document.get("dependencies") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(listed, list):
        return found
    channels = document.get("channels")
    for channel in channels if isinstance(channels, list) else []:
        if isinstance(channel, str) and host_of(channel) is not None:
            add_registry(found, _place(text, channel), channel)
    for one in listed:
        lines = one.get("pip") if isinstance(one, dict) else None
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, str):
                take_requirement(line, _place(text, line), found, path.count("/"))
    return found


def read_wrapper(text: str, _path: str) -> Found:
    """Return where `gradlew` and `mvnw` fetch the builder that they start.

    Args:
        text: with LF line ends.
    """
    found = Found(WRAPPER)
    for number, line in enumerate(text.split("\n"), 1):
        entry = _WRAPPED.match(line, len(line) - len(line.lstrip()))
        if entry is not None:
            span = Span(number, entry.start(1) + 1, number, entry.end(1) + 1)
            add_registry(found, span, entry[1].replace("\\", ""))
    return found


def _place(text: str, value: str) -> Span:
    at = text.find(value)
    number = text.count("\n", 0, at) + 1 if at >= 0 else 1
    return Span(number, 1, number, 1)


def read_submodules(text: str, _path: str) -> Found:
    """Return which repositories git fetches into a working folder, and lines that it runs for it.

    Args:
        text: with LF line ends.
    """
    found = Found(MODULES)
    for number, line in enumerate(text.split("\n"), 1):
        entry = _ENTRY.match(line)
        if entry is None or line.lstrip().startswith(("#", ";", "[")):
            continue
        span = Span(number, 1, number, len(line) + 1)
        key, value = entry[1].lower(), entry[2].strip().strip('"')
        if key == "url" and ("://" in value or value.startswith("git@")):
            add_source(found, span, source_address(value) or value, runs=False)
        elif key == "url":
            add_file(found, span, value, folders=1)
        elif key == "update" and value.startswith("!"):
            command = Mapped()
            command.add(value[1:], number, line.find("!") + 2)
            found.run(command, "install", "submodule update")
            found.fact(span, "process.shell", next(iter(value[1:].split()), None), "install")
    return found
