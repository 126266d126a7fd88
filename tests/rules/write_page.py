"""Write what pages say of the rules again: `docs/reference/rules.md`, and their number and digest in the guides."""

from __future__ import annotations

import re
from pathlib import Path

from plugseal.rules.load import load_rules
from plugseal.verbs.rules import render_rules_page

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "reference" / "rules.md"
TOLD = re.compile(r"\b\d+ rules\b(, [0-9a-f]{8}\b)?")
"""How scans and reviews that a guide shows say by how many rules, and which."""


def told_anew(text: str) -> str:
    """Return a page with the number and digest of the rules as they are."""
    rules = load_rules()
    number = f"{len(rules.rules)} rules"
    return TOLD.sub(lambda found: f"{number}, {rules.digest[:8]}" if found[1] else number, text)


if __name__ == "__main__":
    PAGE.write_text(render_rules_page(), encoding="utf-8")
    for guide in sorted((DOCS / "guide").glob("*.md")):
        guide.write_text(told_anew(guide.read_text(encoding="utf-8")), encoding="utf-8")
