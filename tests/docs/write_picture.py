"""Draw `docs/pictures/scan.svg` again: `python tests/docs/write_picture.py`.

The picture is what a terminal shows of a scan of the sample repository, drawn by rich from the very bytes.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "pictures" / "scan.svg"
COMMAND = "plugseal scan fixtures/sample/agent-tools"
_COLUMNS = 100
_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<title>What `plugseal scan` shows of the sample repository</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""


def render_picture() -> str:
    """Return the picture as SVG text."""
    ran = subprocess.run(
        [sys.executable, "-I", "-m", "plugseal", *COMMAND.split()[1:], "--exit-zero", "--color", "always"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "COLUMNS": str(_COLUMNS), "XDG_CACHE_HOME": os.devnull, "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(f"$ {COMMAND}\n\n{ran.stdout}"), end="")
    return console.export_svg(title="plugseal", theme=MONOKAI, code_format=_FORMAT, unique_id="scan")


if __name__ == "__main__":
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(render_picture(), encoding="utf-8")
