"""Which package a command line fetches and runs: npx, uvx, docker run and their kind.

A package that is fetched at start is code that no receipt of the tree covers. The name is returned as written, with
its version; `pinning.py` says how surely it is the same code tomorrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from plugseal.model.plugin import Package
from plugseal.patterns import lazy
from plugseal.systems.launching.launch import assumed, base_name, inline_shell, shell_commands, unwrapped
from plugseal.systems.launching.pinning import build_package
from plugseal.systems.launching.words import ROOT_NAMES

_DOCKER_SWITCHES = frozenset(
    "-i -t -d -it -ti -dit -P --rm --init --privileged --read-only --interactive --tty --detach --quiet -q --help "
    "--no-healthcheck --oom-kill-disable --publish-all --sig-proxy --disable-content-trust".split()
)
"""Options of `docker run` without a value; all others take one."""
_VALUE_OPTIONS = frozenset(
    "-p --package --from --with --spec --python --index-url --index --extra-index-url --registry --cache --prefix "
    "-c --call --directory --project --env-file --with-requirements --with-editable --pip-args --userconfig "
    "--constraints --refresh-package -i --default-index --find-links --allow-import --lock --config -r "
    "--requirement".split()
)
_PACKAGE_OPTIONS = frozenset({"-p", "--package", "--from", "--spec", "--with", "--with-requirements"})
_SIMPLE = frozenset({"npx", "bunx", "pnpx", "uvx"})
_PREFIXED: dict[str, tuple[tuple[str, ...], ...]] = {
    "npm": (("exec",), ("x",), ("install",), ("i",), ("add",), ("ci",), ("create",), ("init",)),
    "pnpm": (("dlx",), ("create",), ("add",), ("install",), ("i",)),
    "yarn": (("dlx",), ("create",), ("add",), ("install",)),
    "bun": (("x",), ("create",), ("add",), ("install",), ("i",)),
    "uv": (("tool", "run"), ("tool", "install"), ("x",), ("pip", "install"), ("add",)),
    "pipx": (("run",), ("install",), ("runpip",)),
    "pip": (("install",),),
    "pip3": (("install",),),
    "gem": (("install",), ("exec",)),
    "cargo": (("install",),),
    "go": (("run",), ("install",)),
    "brew": (("install",),),
    "apt-get": (("install",),),
    "apt": (("install",),),
    "dotnet": (("tool", "run"), ("tool", "exec"), ("tool", "install")),
    "nix": (("run",), ("shell",), ("develop",)),
    "conda": (("install",), ("run",)),
    "deno": (("run",), ("install",)),
    "docker": (("run",), ("container", "run")),
    "podman": (("run",), ("container", "run")),
    "nerdctl": (("run",),),
}
_ROOTED = lazy(r"\$\{?(?:" + "|".join(sorted(ROOT_NAMES)) + r")\b")
"""A path below the plugin's own folder; any other variable may be the name of a package."""
_FETCHED_PREFIXES = ("http://", "https://", "npm:", "jsr:", "github:", "git+", "git:")


_SOURCES: dict[str, str] = {
    **dict.fromkeys("npx bunx pnpx npm pnpm yarn bun".split(), "npm"),
    **dict.fromkeys("uvx uv pipx pip pip3 python conda".split(), "pypi"),
    **dict.fromkeys("docker podman nerdctl".split(), "image"),
    **{name: name for name in "gem cargo go brew dotnet nix deno".split()},
    **dict.fromkeys(("apt", "apt-get"), "apt"),
}
"""Where a program takes packages from."""


def packages_of(command: Sequence[str], *, shell: bool) -> tuple[Package, ...]:
    """Return the packages that a component's command fetches and runs, each once.

    Args:
        command: the argument vector, or one shell line.
        shell: whether it is a shell line.
    """
    if not command:
        return ()
    found = _by_line(command[0]) if shell else _fetched(command)
    return tuple(dict.fromkeys(build_package(name, source) for source, name in found))


def fetched_packages(argv: Sequence[str]) -> tuple[str | None, ...]:
    """Return the packages, images or URLs that a command fetches and runs, as written.

    Returns:
        Empty where it fetches nothing that we know of; None in it for a package that is not said.
    """
    return tuple(name for _, name in _fetched(argv))


def fetched_by_line(line: str) -> tuple[str | None, ...]:
    """Return what the simple commands of a shell line fetch and run; a download piped to an interpreter counts."""
    return tuple(name for _, name in _by_line(line))


def _fetched(argv: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yield (source, package) of a command."""
    argv = [assumed(word) for word in argv]
    line = inline_shell(argv)
    if line is not None:
        yield from _by_line(line)
        return
    words = unwrapped(argv)
    if words:
        name = base_name(words[0])
        source = _SOURCES.get("python" if name.startswith("python") else name, "")
        yield from ((source, package) for package in _packages(name, words))


def _packages(name: str, words: tuple[str, ...]) -> tuple[str | None, ...]:
    if name in ("uv", "uvx"):
        words = _without_python(words)
    if name in ("npx", "npm") and _is_local(words):
        return ()
    if name in _SIMPLE:
        return _named(words[1:])
    if name == "uv" and words[1:2] == ("run",):
        return tuple(value for option, value in _options(words[2:]) if option in ("--with", "--from"))
    if name.startswith("python") and words[1:4] == ("-m", "pip", "install"):
        return _named(words[4:])
    for prefix in _PREFIXED.get(name, ()):
        if words[1 : 1 + len(prefix)] == prefix:
            return _by_name(name, words[1 + len(prefix) :])
    return ()


def _is_local(words: tuple[str, ...]) -> bool:
    """Say whether npm runs what is installed already, and asks nobody: `npx --no -- commitlint`."""
    options = takewhile(lambda word: word.startswith("-") or word in ("exec", "x"), words[1:])
    return any(word in ("--no", "--no-install", "--no-yes") for word in options)


def _without_python(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of uv without `-p 3.13`, which names an interpreter; for npx it names a package."""
    if "-p" not in words:
        return words
    at = words.index("-p")
    return words[:at] + words[at + 2 :]


def _by_line(line: str) -> Iterator[tuple[str, str | None]]:
    """Yield (source, package) of a shell line."""
    commands = shell_commands(line)
    for words in commands:
        yield from _fetched(words)
    for left, right in pairwise(commands):
        downloads = base_name((unwrapped(left) or ("",))[0]) in _DOWNLOADERS
        runs = base_name((unwrapped(right) or ("",))[0]) in _RUNNERS
        if downloads and runs and "|" in line:
            yield "url", next((word for word in left if "://" in word), None)


def passed_variables(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the variables that `docker run -e NAME` hands on from the environment."""
    words = unwrapped(argv)
    if not words or base_name(words[0]) not in ("docker", "podman", "nerdctl"):
        return ()
    pairs = pairwise(words)
    named = [value for option, value in pairs if option in ("-e", "--env")]
    named += [word.partition("=")[2] for word in words if word.startswith("--env=")]
    return tuple(sorted({name for name in named if name.isidentifier()}))


def on_this_machine(argv: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command that name things of this machine: of `docker run`, those up to the image.

    What follows it is for the program inside; of `--mount type=bind,src=/x,dst=/y` only `/x` is here.
    """
    words = tuple(argv)
    rest = next((rest for rest in _container_runs(words)), None)
    if rest is None:
        return words
    image = _image_at(rest)
    kept = words if image is None else words[: len(words) - len(rest) + image + 1]
    return tuple(_mounted(word) for word in kept)


def _container_runs(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield what follows `docker run`, where that is what a command is."""
    name = base_name(words[0]) if words else ""
    for prefix in _PREFIXED[name] if name in ("docker", "podman", "nerdctl") else ():
        if words[1 : 1 + len(prefix)] == prefix:
            yield words[1 + len(prefix) :]


def _mounted(word: str) -> str:
    """Return the folder of this machine that a mount names, any other word as it is."""
    fields = word.removeprefix("--mount=").split(",")
    named = dict(field.partition("=")[::2] for field in fields)
    if named.keys().isdisjoint(("dst", "target", "destination")):
        return word
    return named.get("src", named.get("source", word))


_DOWNLOADERS = frozenset("curl wget fetch iwr irm".split())
_RUNNERS = frozenset("sh bash zsh dash ksh python python3 node perl ruby php iex pwsh powershell".split())


def _by_name(name: str, rest: tuple[str, ...]) -> tuple[str | None, ...]:
    if name in ("docker", "podman", "nerdctl"):
        return (_image(rest),)
    if name in ("go", "deno"):
        found = _named(rest)
        return tuple(word for word in found if word and ("@" in word or word.startswith(_FETCHED_PREFIXES)))
    return _named(rest)


def _named(words: Sequence[str]) -> tuple[str | None, ...]:
    """Return the packages named by options, or else by the first plain word; local paths are none."""
    options = [value for option, value in _options(words) if option in _PACKAGE_OPTIONS]
    if options:
        return tuple(options)
    plain = next(_plain(words), None)
    if plain is not None and (plain.startswith((".", "/", "~")) or _ROOTED.match(plain)):
        return ()
    return (plain,)


def _options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    skip = False
    for index, word in enumerate(words):
        if skip:
            skip = False
        elif word == "--" or not word.startswith("-"):
            return
        elif "=" in word:
            option, _, value = word.partition("=")
            yield option, value
        elif word in _VALUE_OPTIONS and index + 1 < len(words):
            skip = True
            yield word, words[index + 1]


def _plain(words: Sequence[str]) -> Iterator[str]:
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _VALUE_OPTIONS:
            skip = True
        elif not word.startswith("-"):
            yield word


def _image(words: Sequence[str]) -> str | None:
    at = _image_at(words)
    return None if at is None else words[at]


def _image_at(words: Sequence[str]) -> int | None:
    skip = False
    for at, word in enumerate(words):
        if skip:
            skip = False
        elif not word.startswith("-"):
            return at
        elif word not in _DOCKER_SWITCHES and "=" not in word:
            skip = True
    return None
