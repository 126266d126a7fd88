"""Objects of `pathlib`, as far as their text is known."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product
from typing import Final

from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.paths import join_paths
from plugseal.lang.judging.telling import MAX_COMBINED
from plugseal.lang.python.resolving.values import Made

PATH_TYPE: Final = "pathlib.Path()"


def path_text(value: Made) -> Text | None:
    """Return the text of a path object, as far as it is known."""
    return value.text


def joined_paths(parts: Iterable[Iterable[Text | None]]) -> list[Text]:
    """Return each way to join one of every part, as `os.path.join` does, at most `MAX_COMBINED`."""
    return [join_paths(list(one)) for one in islice(product(*parts), MAX_COMBINED)]


def renamed(path: Text | None, method: str, given: Text | None) -> Text:
    """Return a path whose last name `with_name`, `with_suffix` or `with_stem` replaced, as far as that is known."""
    if path is None or not isinstance(path.value, str):
        return Text(HOLE, whole=False)
    folder, slash, name = path.value.rpartition("/")
    if name.startswith("~") and not slash:
        return Text(HOLE, whole=False)  # Beside the home folder; what follows `~` would be a user's name.
    new = given.value if given is not None and given.whole and isinstance(given.value, str) else None
    stem, dot, suffix = name.rpartition(".")
    if not stem:
        stem, dot, suffix = name, "", ""
    if new is None or (method != "with_name" and HOLE in name):
        new = HOLE
    elif method == "with_suffix":
        new = stem + new
    elif method == "with_stem":
        new += dot + suffix
    if not (folder + new).strip(f"/{HOLE}"):
        return Text(HOLE, whole=False)
    return Text(folder + slash + new, whole=path.whole and HOLE not in new)
