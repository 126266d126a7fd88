"""Names of data files that some client or tool reads as configuration and may run something of.

Such a file is never inert data: a system or a format's reader understands it, or it is `unread`.
"""

from __future__ import annotations

from typing import Final

_NAMES: Final = frozenset(
    """
    .app.json .devcontainer.json .eslintrc.json .lsp.json .mcp.json .pre-commit-config.yaml .pre-commit-hooks.yaml
    .yarnrc.yml action.yaml action.yml app.json azure-pipelines.yml bun.lock bunfig.toml cargo.toml claude.json
    claude_desktop_config.json compose.yaml compose.yml coding-plugin.json composer.json deno.json deno.jsonc
    devcontainer.json docker-compose.yaml docker-compose.yml environment.json extension.json gemini-extension.json
    hooks.json init.json jsr.json launch.json lerna.json lefthook.yml lsp.json manifest.json marketplace.json mcp.json
    mcp_config.json mcp_settings.json mise.toml monitors.json netlify.toml nx.json openclaw.plugin.json opencode.json
    opencode.jsonc package.json pixi.toml plugin.json plugin.toml plugin.yaml plugin.yml pnpm-workspace.yaml
    project.json pyproject.toml rush.json server.json settings.json settings.local.json smithery.yaml taskfile.yml
    tasks.json tox.toml turbo.json uv.toml vercel.json wrangler.toml
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


def is_surface(path: str) -> bool:
    """Say whether the data file at `path` may be a client's or tool's configuration.

    Everything below a folder whose name begins with a dot counts: that is where clients keep theirs.
    """
    *folders, name = path.lower().split("/")
    if name in _NAMES:
        return True
    return any(folder.startswith(".") for folder in folders)
