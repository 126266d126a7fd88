"""Dependencies of Python projects of which no registry knows anything: places in `pyproject.toml` and `setup.cfg`.

A requirement with an address, and the tables by which uv, Poetry, PDM and Pipenv take a package from a repository, an
archive or a folder. What stands there is built at install.

See: https://packaging.python.org/en/latest/specifications/dependency-specifiers/
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from plugseal.lang.recipes.sources import source_address
from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.launching.launch import outward_path
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, lookup
from plugseal.systems.tooling.parts import Entry, folder_of_file

_DIRECT: Final = lazy(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\]\s*)?@\s*(\S+)|\s*((?:git|hg|svn|bzr)\+\S+)")
_LISTS: Final[tuple[Path, ...]] = (
    ("build-system", "requires"),
    ("project", "dependencies"),
    ("tool", "uv", "dev-dependencies"),
    ("tool", "uv", "constraint-dependencies"),
    ("tool", "uv", "override-dependencies"),
    ("tool", "setuptools", "dynamic", "dependencies"),
)
_GROUPS: Final[tuple[Path, ...]] = (
    ("project", "optional-dependencies"),
    ("dependency-groups",),
    ("tool", "pdm", "dev-dependencies"),
)
_TABLES: Final[tuple[Path, ...]] = (
    ("tool", "uv", "sources"),
    ("tool", "poetry", "dependencies"),
    ("tool", "poetry", "dev-dependencies"),
    ("tool", "pixi", "pypi-dependencies"),
)
_PLACES: Final = ("git", "url", "path", "hg", "svn")
_GATE: Final = "pip install, or a build"
_OF_CFG: Final = frozenset(("install_requires", "setup_requires", "tests_require", "dependency_links"))


def project_sources(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Yield the dependencies of a `pyproject.toml` that come from a place."""
    lists = list(_LISTS)
    for group in _GROUPS:
        lists += [(*group, name) for name in reader.table(document, group)]
    for path in lists:
        listed = lookup(document.value, path)
        for at, line in enumerate(listed[:MAX_DECLARED] if isinstance(listed, list) else []):
            direct = _DIRECT.match(line) if isinstance(line, str) else None
            if direct is not None:
                yield from _source(document, (*path, at), direct[1] or direct[3], direct[2] or direct[3])
    tables = list(_TABLES)
    tables += [
        ("tool", "poetry", "group", name, "dependencies")
        for name in reader.table(document, ("tool", "poetry", "group"))
    ]
    for path in tables:
        for name, spec in reader.table(document, path).items():
            for number, one in enumerate(spec if isinstance(spec, list) else [spec]):
                place: Path = (*path, name, number) if isinstance(spec, list) else (*path, name)
                for key in _PLACES:
                    address = one.get(key) if isinstance(one, dict) else None
                    if isinstance(address, str):
                        yield from _source(document, (*place, key), name, address)


def _source(document: Document, path: Path, name: str, address: str) -> Iterator[Component]:
    span = document.locate_value(path)
    component = source_component(document.file, name, address, span)
    if component is not None:
        yield component


def source_component(file: str, name: str, address: str, span: Span) -> Component | None:
    """Return a dependency that comes from a place, None for a folder of the project itself.

    Args:
        file: that names it, relative to the unit's root.
        name: of the package.
        address: as written.
        span: where it stands.
    """
    is_far = ("://" in address or address.startswith("git@")) and not address.startswith("file:")
    url = source_address(address) if is_far else None
    if url is None:
        outside = outward_path(address, folder_of_file(file))
        if outside is None:
            return None
    return Component(
        kind=ComponentKind.SOURCE,
        name=name,
        file=file,
        span=span,
        endpoint=url,
        trigger="install",
        gate=_GATE,
        extra=(("source", compact(address)),),
        places=(("autorun", span), ("endpoint", span), ("extra.source", span)),
    )


def cfg_sources(file: str, entry: Entry) -> Iterator[Component]:
    """Yield the dependencies of one entry of a `setup.cfg` that come from a place."""
    if entry.key not in _OF_CFG and not entry.section.startswith("options.extras_require"):
        return
    for number, line in enumerate(entry.value.split("\n")):
        direct = _DIRECT.match(line)
        is_link = entry.key == "dependency_links" and "://" in line
        if direct is None and not is_link:
            continue
        name, address = (direct[1] or direct[3], direct[2] or direct[3]) if direct is not None else (line, line)
        at = entry.line + number
        component = source_component(file, name.strip(), address.strip(), Span(at, 1, at, 1))
        if component is not None:
            yield component
