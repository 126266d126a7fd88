"""Names of data files that some client or tool reads as configuration and may run something of.

Such a file is never inert data: a system or a format's reader understands it, or it is `unread`.
"""

from __future__ import annotations

import re
from typing import Final

_NAMES: Final = frozenset(
    """
    .app.json .devcontainer.json .eslintrc.json .lefthook.yaml .lefthook.yml .lsp.json .mcp.json .mise.toml
    .pre-commit-config.yaml .pre-commit-hooks.yaml .yarnrc.yml action.yaml action.yml app.json azure-pipelines.yml
    binding.gyp bun.lock bunfig.toml cargo.toml claude.json claude_desktop_config.json cline_mcp_settings.json
    coding-plugin.json compose.override.yml compose.yaml compose.yml composer.json copilot-setup-steps.yml crush.json
    deno.json deno.jsonc devbox.json devcontainer.json docker-compose.override.yaml docker-compose.override.yml
    docker-compose.yaml docker-compose.yml environment.json extension.json fastmcp.json gemini-extension.json
    hooks.json init.json jsr.json launch.json lefthook.yaml lefthook.yml lerna.json librechat.yaml lsp.json
    manifest.json marketplace.json mcp.json mcp_config.json mcp_settings.json mise.local.toml mise.toml monitors.json
    netlify.toml nx.json openclaw.plugin.json opencode.json opencode.jsonc package.json permissions.json pipfile
    pixi.toml plugin.json plugin.toml plugin.yaml plugin.yml pnpm-workspace.yaml poetry.toml project.json
    pyproject.toml recipe.yaml recipe.yml rush.json server.json settings.json settings.local.json
    smithery.yaml smithery.yml taskfile.yaml taskfile.yml tasks.json tox.toml turbo.json uv.toml vercel.json
    worktrees.json wrangler.toml
    """.split()
)

_SETTINGS: Final = frozenset(
    """
    .coveragerc .curlrc .flake8 .gitattributes .gitconfig .gitmodules .hgrc .npmrc .pylintrc .wgetrc .yarnrc alembic.ini
    mypy.ini php.ini pylintrc pytest.ini setup.cfg supervisord.conf tox.ini uwsgi.ini
    """.split()
)


def is_setting(path: str) -> bool:
    """Say whether a file of settings in sections, or of `key=value`, belongs to a tool that may run something of it."""
    *folders, name = path.lower().split("/")
    return name in _SETTINGS or any(folder.startswith(".") for folder in folders)


_SPEAKING: Final = re.compile(r"(?:\A|[._-])mcp[._-]|mcp[_-]?servers?\.|\.code-workspace\Z|\.hook\Z")
"""Names that say whose they are though they are nobody's fixed name."""


def is_surface(path: str) -> bool:
    """Say whether the data file at `path` may be a client's or tool's configuration.

    Everything below a folder whose name begins with a dot counts: that is where clients keep theirs.
    """
    *folders, name = path.lower().split("/")
    if name in _NAMES or _SPEAKING.search(name):
        return True
    return any(folder.startswith(".") for folder in folders)
