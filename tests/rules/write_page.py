"""Write `docs/reference/rules.md` again: `python tests/rules/write_page.py`."""

from __future__ import annotations

from pathlib import Path

from plugseal.verbs.rules import render_rules_page

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "rules.md"

if __name__ == "__main__":
    PAGE.write_text(render_rules_page(), encoding="utf-8")
