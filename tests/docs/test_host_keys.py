"""Every key under `hosts` of a plugin stands on a reference page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path

ROOT = Path(__file__).parents[2]
PAGES = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs" / "reference").glob("*.md")))


@pytest.mark.parametrize("folder", ["sample", "amber", "agent-plugins", "codewhale", "coding"])
def test_what_hosts_say_is_documented(folder: str) -> None:
    plugins = [report.plugin for report in scan_path(ROOT / "fixtures" / folder).plugins]
    keys = {(host.host, key) for plugin in plugins for host in plugin.hosts for key in json.loads(host.data)}
    missing = sorted((host, key) for host, key in keys if not re.search(rf"`[^`\n]*\b{re.escape(key)}\b", PAGES))
    assert keys
    assert missing == []
