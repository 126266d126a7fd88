"""The page of formats: every place where a client of the known systems runs, reads or grants something."""

from __future__ import annotations

from collections.abc import Iterator

from plugseal.systems.registry import all_systems
from plugseal.systems.surface import Surface
from plugseal.systems.surface_rows import known_surfaces

_HEAD = """# Formats

<!-- made by `python -m plugseal.verbs.formats`; a test compares -->

What can make a host run something, by client: the file, the key, what happens, when, and what the host asks for before.
`none` means that nothing is asked, `?` that nobody has said.
`plugseal scan` shows the same of a tree, with the exact commands; `--client NAME` shows one client's part.
What makes a plugin of each system, and what is a fault, stands in [systems](systems.md).
"""


def render_formats_page() -> str:
    """Return the Markdown of `docs/reference/formats.md`."""
    parts = [_HEAD]
    for system in sorted(all_systems(), key=lambda one: one.name):
        surfaces: tuple[Surface, ...] = getattr(system, "surfaces", ()) or known_surfaces(system.name)
        if surfaces:
            parts.append(
                f"\n## {system.name}\n\n| file | key | runs | when | gate | source |\n|---|---|---|---|---|---|\n"
            )
            parts.extend(_rows(surfaces))
    return "".join(parts)


def _rows(surfaces: tuple[Surface, ...]) -> Iterator[str]:
    for surface in surfaces:
        key = f"`{surface.key}`" if surface.key else "all of it"
        source = f"[source]({surface.source})" if "://" in surface.source else _own(surface.source)
        cells = (f"`{surface.file}`", key, surface.runs, surface.trigger, surface.gate, source)
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |\n"


def _own(page: str) -> str:
    return f"[ours]({page.rpartition('/')[2]})" if page.endswith(".md") else "not known"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`!`command`, ```! blocks`", "`` !`command` ``, ```` ```! ```` blocks")


if __name__ == "__main__":
    print(render_formats_page(), end="")
