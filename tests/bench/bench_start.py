"""Start-up: `plugseal --version` and a scan of one small plugin against a bare interpreter.

Run: `python tests/bench/bench_start.py`. Budgets: 2 and 12 times a bare interpreter's CPU.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.bench.processes import least

SERVER = '''"""A small server."""
import json
import os
import subprocess

import requests


def deploy(region):
    token = os.environ["DEPLOY_TOKEN"]
    answer = requests.get("https://api.example.invalid/v1", headers={"x": token})
    subprocess.run(["echo", region], check=True)
    return json.loads(answer.text)


if __name__ == "__main__":
    deploy("eu")
'''
MANIFEST = '{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "small"}\n'
SERVERS = (
    '{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",'
    ' "mcpServers": {"a": {"type": "stdio", "command": "python3", "args": ["server.py"]}}}\n'
)


def main() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("server.py", SERVER), ("plugin.json", MANIFEST), ("mcp.json", SERVERS)):
            (Path(folder) / name).write_text(text, encoding="utf-8")
        cost = least(
            {
                "bare": [sys.executable, "-I", "-c", "pass"],
                "version": [sys.executable, "-I", "-m", "plugseal", "--version"],
                "scan": [sys.executable, "-I", "-m", "plugseal", "scan", folder],
            },
            rounds=15,
        )
    bare = cost["bare"].cpu_seconds
    print(f"bare interpreter      {bare * 1000:6.1f} ms CPU")
    for name, budget in (("version", 2), ("scan", 12)):
        cpu = cost[name].cpu_seconds
        print(f"{name:<21} {cpu * 1000:6.1f} ms CPU  {cpu / bare:5.2f} x bare (budget {budget})")


if __name__ == "__main__":
    main()
