"""Write `docs/concepts/capabilities.md` again: `python tests/docs/write_capabilities.py`."""

from __future__ import annotations

from pathlib import Path

from plugseal.lang.known import count_known
from plugseal.render.capabilities_page import render_capabilities_page

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "capabilities.md"

if __name__ == "__main__":
    PAGE.write_text(render_capabilities_page(count_known()), encoding="utf-8")
