"""What `wrap` and `unwrap` did to a configuration, as text."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from plugseal.model.secrets import mask_lines, mask_secrets
from plugseal.render.text import GAP, Line, Piece, backticked, line
from plugseal.shown import shown, shown_path

_STYLES = {"+": "good", "-": "high"}


def render_wrapped(
    path: str,
    *,
    wrapped: Sequence[tuple[str, str]],
    gated: Sequence[str],
    around: Sequence[tuple[str, str]],
    remote: Sequence[str] = (),
    homeless: Sequence[str] = (),
    before: bytes,
    after: bytes,
) -> Iterator[Line]:
    """Yield each server of a configuration with how it is started, then what changes in the text.

    Args:
        path: of the configuration; hostile text.
        wrapped: (server, ID) of those that go through the gate now.
        gated: those that did already.
        around: (server, why) of those that go around it; hostile text.
        remote: those that the client asks by itself; hostile text.
        homeless: those whose gate has its state where only a variable of this shell says; hostile text.
        before: all bytes of the configuration.
        after: all bytes that it has or would have.
    """
    yield line(Piece(shown_path(path), "path"))
    for name, plugin in wrapped:
        yield line(GAP, Piece("wrapped", "good"), f"  {shown(name)}  {shown(plugin)}")
    for name in gated:
        yield line(GAP, Piece("gated", "good"), f"    {shown(name)}")
    for name, why in around:
        yield line(GAP, Piece("direct", "high"), f"   {shown(name)}  {shown(why)}")
    for name in remote:
        yield line(
            GAP, Piece("remote", "medium"), f"   {shown(name)}  its client asks it by itself, and nothing is started"
        )
    if not (wrapped or gated or around or remote or before != after):
        yield line(GAP, Piece("no server", "medium"), "  under a key by which a client that is known names its own")
    yield from _difference(before, after)
    if homeless:
        names = ", ".join(map(shown, homeless))
        told = f"no client knows the `PLUGSEAL_HOME` of this shell: set it in the `env` of {names}, or nothing starts"
        yield line(Piece("note: ", "medium"), *backticked(told))
    if around:
        yield line(
            "next: ", *backticked("`plugseal review FOLDER` of the plugin that such a server starts, then trust it")
        )


def _difference(before: bytes, after: bytes) -> Iterator[Line]:
    old, new = (data.decode("utf-8", "backslashreplace").splitlines() for data in (before, after))
    for row in mask_lines(list(difflib.unified_diff(old, new, n=0, lineterm=""))[2:]):
        if not row.startswith("@@"):
            yield line(GAP, Piece(shown(mask_secrets(row)), _STYLES.get(row[:1], "path")))
