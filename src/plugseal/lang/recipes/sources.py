"""Where dependencies come from: places instead of a registry, other registries, packages under other names.

Text only: nothing is looked up. What comes from the usual registry under its own name is nobody's news; what comes from
elsewhere is code that no receipt of the tree covers, and its build or install scripts run when it is installed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from plugseal.lang.judging.paths import climbs_out, is_autostart, is_outside, is_secret
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.recipes.found import Found
    from plugseal.model.location import Span

USUAL_REGISTRIES: Final = frozenset(
    """
    registry.npmjs.org registry.npmjs.com registry.yarnpkg.com npm.jsr.io jsr.io pypi.org files.pythonhosted.org
    upload.pypi.org test.pypi.org pypi.python.org repo.packagist.org packagist.org rubygems.org index.rubygems.org
    crates.io index.crates.io static.crates.io proxy.golang.org sum.golang.org repo.maven.apache.org
    repo1.maven.org plugins.gradle.org services.gradle.org conda.anaconda.org repo.anaconda.com
    """.split()
)
"""Where package managers get packages from if nobody says otherwise."""
_HOST: Final = lazy(r"[a-z][a-z0-9+.-]*://(?:[^/?#\\\s]*@)?(\[[0-9a-f:]+\]|[^/:?#\\\s]+)", re.I)
_ALIAS: Final = lazy(r"(?:npm|jsr|workspace):(@?[^@\s]+)")
_WORD_PARTS: Final = lazy(r"[^a-z0-9]+")
_REMOTE: Final = lazy(r"(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!/)(.+)")
_SHORT: Final = {
    "github": "https://github.com/",
    "gh": "https://github.com/",
    "gitlab": "https://gitlab.com/",
    "gl": "https://gitlab.com/",
    "bitbucket": "https://bitbucket.org/",
    "bb": "https://bitbucket.org/",
    "gist": "https://gist.github.com/",
}
_PATH_OF_REPOSITORY: Final = lazy(r"[\w-][\w.-]*/[\w.-]+(?:#.*)?")
_VARIABLE: Final = lazy(r"\$\{?([A-Za-z_]\w*)")
_ROOTED: Final = lazy(r"[/~\\$%]|[A-Za-z]:")
_ENDS: Final = lazy(r"(?:\.git|\.zip|\.tar(?:\.\w+)?|\.tgz|\.whl)\Z")
_MAX_SHOWN: Final = 256


def source_address(source: str) -> str | None:
    """Return the address that a dependency comes from, with what tools spell in short written out.

    Returns:
        None where it names no place: the registry knows it.
    """
    short, _, rest = source.partition(":")
    if short in _SHORT and not rest.startswith("/"):
        return _SHORT[short] + rest
    remote = _REMOTE.fullmatch(source)
    if remote is not None and "://" not in source:
        return f"ssh://{remote[1]}/{remote[2]}"
    if "://" in source:
        return source
    is_repository = _PATH_OF_REPOSITORY.fullmatch(source) is not None and not source.startswith(".")
    return _SHORT["github"] + source if is_repository else None


def host_of(address: str) -> str | None:
    """Return the host of an address in lower case, None where it has none or a variable says it."""
    match = _HOST.match(address)
    return None if match is None or set(match[1]) & set("${}%") else match[1].lower().rstrip(".").strip("[]")


def is_usual(address: str) -> bool:
    """Say whether an address is that of a registry that everybody uses."""
    return host_of(address) in USUAL_REGISTRIES


def disguised_package(name: str, source: str) -> bool:
    """Say whether a dependency is another package than the name under which code asks for it.

    Args:
        name: under which it is asked for.
        source: where it comes from, as written: `npm:other@1`.
    """
    alias = _ALIAS.match(source)
    return alias is not None and not names_agree(name, alias[1])


def aliased(source: str) -> str | None:
    """Return the package of the registry that stands behind another name, None where it has its own."""
    return source.partition(":")[2] if _ALIAS.match(source) else None


def names_agree(name: str, real: str) -> bool:
    """Say whether one name is the other with something added: `string-width-cjs` for `string-width`."""
    one, other = (_WORD_PARTS.sub("", text.rpartition("/")[2].lower()) for text in (name, real))
    return not one or not other or one in other or other in one


def add_source(found: Found, span: Span, address: str, *, name: str = "", runs: bool = True) -> None:
    """Add what taking code from a place means.

    Args:
        found: takes the facts.
        span: where it is said.
        address: of the archive or the repository, as written.
        name: under which it is asked for, where that is said too.
        runs: whether an install runs something of it, as builds and install scripts do.
    """
    found.fact(span, "net.outbound", host_of(address), "install")
    found.fact(span, "code.fetched", address[:_MAX_SHOWN], "install")
    if runs:
        found.fact(span, "autorun", address[:_MAX_SHOWN], "install")
    add_variables(found, span, address)
    last = _last_part(address.partition("#")[0].partition("?")[0])
    if name and last and not names_agree(name, last):
        found.fact(span, "code.obfuscated", name[:_MAX_SHOWN], "install", sure=False)


def _last_part(address: str) -> str:
    """Return the last part of an address, without its version and the end that archives and repositories have."""
    last = address.rstrip("/").rpartition("/")[2]
    return _ENDS.sub("", last.partition("@")[0])


def add_registry(found: Found, span: Span, address: str) -> None:
    """Add what taking packages from a registry means: nothing more than the connection where it is a usual one."""
    if is_usual(address):
        found.fact(span, "net.outbound", host_of(address), "install")
        return
    add_source(found, span, address)


def add_file(found: Found, span: Span, path: str, *, folders: int, capability: str = "fs.read") -> bool:
    """Add what naming a file of this machine means: something only where it lies outside.

    Args:
        found: takes the facts.
        span: where it is said.
        path: as written, relative to the file that says it.
        folders: how many folders below the scanned root that file lies; the folder right above it may be the
            project's, any further one is not.
        capability: what is done with it.

    Returns:
        Whether it lies outside.
    """
    plain = path.removeprefix("file://").removeprefix("file:")
    if not (is_outside(plain) if _ROOTED.match(plain) else climbs_out(plain, min(folders, 1))):
        return False
    found.fact(span, "path.outside", plain[:_MAX_SHOWN], "install")
    found.fact(span, capability, plain[:_MAX_SHOWN], "install")
    if capability == "fs.read" and is_secret(plain):
        found.fact(span, "credentials.read", plain[:_MAX_SHOWN], "install")
    if capability == "fs.write" and is_autostart(plain):
        found.fact(span, "persistence", plain[:_MAX_SHOWN], "install")
    return True


def add_variables(found: Found, span: Span, text: str) -> None:
    """Add the environment variables that a text takes in."""
    for name in _VARIABLE.findall(text):
        found.fact(span, "env.read", name, "install")
