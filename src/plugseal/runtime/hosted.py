"""Modules that a host of ours loads: a plugin's file that is no program by itself, given to an interpreter.

The host is a script of ours beside this file.

Which interpreter and which host stands in the reviewed document (`behind_gate`), as words with two placeholders: the
folder of our hosts, and the folder of the plugin's code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from plugseal.runtime.derived import code_folder
from plugseal.runtime.grant import Grant

KEY: Final = "behind_gate"
"""Name of the words among a component's launch data."""
_HOSTS: Final = "${PLUGSEAL}/"
_CODE: Final = "${PLUGIN_ROOT}/"


def hosted_words(grant: Grant) -> tuple[str, ...]:
    """Return the argument vector of a module that a host of ours loads; empty where none does."""
    words = dict(grant.component.extra).get(KEY)
    if words is None:
        return ()
    return tuple(_filled(str(word), str(code_folder(grant))) for word in json.loads(words))


def hosted_program(extra: dict[str, str]) -> str | None:
    """Return the name of the interpreter that loads a module, None where it is no such module."""
    return str(json.loads(extra[KEY])[0]) if KEY in extra else None


def _filled(word: str, code: str) -> str:
    if word.startswith(_HOSTS):
        return str(Path(__file__).parent / word[len(_HOSTS) :])
    if word.startswith(_CODE):
        return f"{code}/{word[len(_CODE) :]}"
    return word
