"""Read one file that holds command lines: bytes in, facts out. Never raises, never runs anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from plugseal.lang.facts import Context, FileFacts, unread
from plugseal.lang.prose.lines import decode_prose
from plugseal.lang.recipes.found import Found
from plugseal.limits import MAX_SOURCE_BYTES, MIB

_Read: TypeAlias = Callable[[str, str], Found]


class RecipeReader:
    """The reader of build files, makefiles, units and time tables."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._read = _LOADERS[language]()

    def read(self, data: bytes, context: Context) -> FileFacts:
        """Return the facts of one file; never raise on any bytes, never run them."""
        if len(data) > MAX_SOURCE_BYTES:
            return unread(self.language, f"larger than {MAX_SOURCE_BYTES // MIB} MiB")
        text, reason = decode_prose(data)
        if reason:
            return unread(self.language, reason)
        return self._read(text, context.path).build()


def _dockerfile() -> _Read:
    from plugseal.lang.recipes.dockerfile import read_dockerfile

    return lambda text, _: read_dockerfile(text)


def _makefile() -> _Read:
    from plugseal.lang.recipes.makefile import read_makefile

    return read_makefile


def _justfile() -> _Read:
    from plugseal.lang.recipes.makefile import read_justfile

    return lambda text, _: read_justfile(text)


def _unit() -> _Read:
    from plugseal.lang.recipes.units import read_unit

    return read_unit


def _time_table() -> _Read:
    from plugseal.lang.recipes.units import read_time_table

    return read_time_table


def _requirements() -> _Read:
    from plugseal.lang.recipes.requirements import read_requirements

    return read_requirements


def _cmake() -> _Read:
    from plugseal.lang.recipes.cmake import read_cmake

    return read_cmake


def _gyp() -> _Read:
    from plugseal.lang.recipes.gyp import read_gyp

    return read_gyp


def _meson() -> _Read:
    from plugseal.lang.recipes.meson import read_meson

    return read_meson


def _wrap() -> _Read:
    from plugseal.lang.recipes.meson import read_wrap

    return read_wrap


def _lock() -> _Read:
    from plugseal.lang.recipes.locks import read_lock

    return read_lock


def _go_mod() -> _Read:
    from plugseal.lang.recipes.lists import read_go_mod

    return read_go_mod


def _pip_settings() -> _Read:
    from plugseal.lang.recipes.lists import read_pip_settings

    return read_pip_settings


def _conda() -> _Read:
    from plugseal.lang.recipes.lists import read_conda

    return read_conda


def _submodules() -> _Read:
    from plugseal.lang.recipes.lists import read_submodules

    return read_submodules


def _objects() -> _Read:
    from plugseal.lang.recipes.objects import read_objects

    return read_objects


def _wrapper() -> _Read:
    from plugseal.lang.recipes.lists import read_wrapper

    return read_wrapper


def _playbook() -> _Read:
    from plugseal.lang.recipes.playbooks import read_playbook

    return read_playbook


def _tmux() -> _Read:
    from plugseal.lang.recipes.settings import read_tmux

    return read_tmux


def _udev() -> _Read:
    from plugseal.lang.recipes.settings import read_udev

    return read_udev


def _nginx() -> _Read:
    from plugseal.lang.recipes.settings import read_nginx

    return read_nginx


_LOADERS: Final[dict[str, Callable[[], _Read]]] = {
    "Dockerfile": _dockerfile,
    "Makefile": _makefile,
    "justfile": _justfile,
    "unit or launcher": _unit,
    "time table": _time_table,
    "requirements": _requirements,
    "CMake": _cmake,
    "gyp": _gyp,
    "Meson": _meson,
    "Meson wrap": _wrap,
    "lock file": _lock,
    "go.mod": _go_mod,
    "pip settings": _pip_settings,
    "conda environment": _conda,
    "git submodules": _submodules,
    "Kubernetes": _objects,
    "playbook": _playbook,
    "builder's wrapper": _wrapper,
    "tmux settings": _tmux,
    "udev rules": _udev,
    "nginx settings": _nginx,
}
RECIPES: Final = tuple(_LOADERS)
"""The languages that are read here."""
