"""Write `docs/reference/policy.schema.json` out of the tables that policies are read by."""

from __future__ import annotations

from pathlib import Path

from plugseal.policy.schema import render_schema

if __name__ == "__main__":
    path = Path(__file__).parents[2] / "docs/reference/policy.schema.json"
    path.write_text(render_schema(), encoding="utf-8")
