"""Names of data files that some client or tool reads as configuration and may run something of.

Such a file is never inert data: a system or a format's reader understands it, or it is `unread`.
"""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_NAMES: Final = frozenset(
    """
    .aider.conf.yml .app.json .appveyor.yml .azure-pipelines.yml .babelrc .babelrc.json .c8rc.json .commitlintrc
    .commitlintrc.json .commitlintrc.yaml .commitlintrc.yml .continuerc.json .crush.json .devcontainer.json
    .devfile.yaml .drone.yml .eslintrc .eslintrc.json .eslintrc.yaml .eslintrc.yml .gitlab-ci.yaml .gitlab-ci.yml
    .gitpod.yml .huskyrc .huskyrc.json .huskyrc.yml .lefthook.yaml .lefthook.yml .lintstagedrc .lintstagedrc.json
    .lintstagedrc.yaml .lintstagedrc.yml .lsp.json .mcp.json .mise.toml .mocharc.json .mocharc.jsonc .mocharc.yaml
    .mocharc.yml .nycrc .nycrc.json .overcommit.yml .pre-commit-config.yaml .pre-commit-hooks.yaml .prettierrc
    .prettierrc.json .prettierrc.json5 .prettierrc.yaml .prettierrc.yml .releaserc .releaserc.json .releaserc.yaml
    .releaserc.yml .renovaterc .renovaterc.json .renovaterc.json5 .simple-git-hooks.json .stylelintrc
    .stylelintrc.json .stylelintrc.yaml .stylelintrc.yml .travis.yaml .travis.yml .woodpecker.yaml .woodpecker.yml
    .yarnrc.yml action.yaml action.yml app.json appveyor.yml azure-pipelines.yaml azure-pipelines.yml
    babel.config.json binding.gyp bitbucket-pipelines.yml buildspec.yaml buildspec.yml bun.lock bunfig.toml cargo.toml
    claude.json claude_desktop_config.json cline_mcp_settings.json cloudbuild.yaml cloudbuild.yml coding-plugin.json
    compose.override.yml compose.yaml compose.yml composer.json conductor.json copilot-setup-steps.yml crush.json
    deno.json deno.jsonc devbox.json devcontainer.json devfile.yaml docker-compose.override.yaml
    docker-compose.override.yml docker-compose.yaml docker-compose.yml environment.json extension.json fastmcp.json
    firebase.json firebender.json fly.toml gemini-extension.json hooks.json init.json jest.config.json jsr.json
    kilo.json kilo.jsonc launch.json lefthook.yaml lefthook.yml lerna.json librechat.yaml lsp.json manifest.json
    marketplace.json mcp.json mcp_config.json mcp_settings.json mise.local.toml mise.toml monitors.json netlify.toml
    nodemon.json now.json nx.json openclaw.json openclaw.plugin.json opencode.json opencode.jsonc package.json
    permissions.json pipfile pixi.toml plugin.json plugin.toml plugin.yaml plugin.yml pnpm-workspace.yaml poetry.toml
    project.json pyproject.toml qwen-extension.json railway.json railway.toml recipe.json recipe.yaml recipe.yml
    render.yaml renovate.json renovate.json5 rush.json server.json settings.json settings.local.json
    simple-git-hooks.json smithery.yaml smithery.yml taskfile.yaml taskfile.yml tasks.json tox.toml tui.json
    turbo.json turbo.jsonc uv.toml vercel.json worktrees.json wrangler.json wrangler.jsonc wrangler.toml
    """.split()
)

_SETTINGS: Final = frozenset(
    """
    .coveragerc .curlrc .flake8 .gitattributes .gitconfig .gitmodules .hgrc .npmrc .pylintrc .wgetrc .yarnrc alembic.ini
    .user.ini ansible.cfg mypy.ini php.ini pylintrc pytest.ini setup.cfg supervisord.conf tox.ini uwsgi.ini
    """.split()
)


def is_setting(path: str) -> bool:
    """Say whether a file of settings in sections, or of `key=value`, belongs to a tool that may run something of it."""
    *folders, name = path.lower().split("/")
    return name in _SETTINGS or any(folder.startswith(".") for folder in folders)


_SPEAKING: Final = lazy(r"(?:\A|[._-])mcp[._-]|mcp[_-]?servers?\.|\.code-workspace\Z|\.hook\Z")
"""Names that say whose they are though they are nobody's fixed name."""


def is_known_surface(path: str) -> bool:
    """Say whether the data file at `path` has a name that some client or tool reads."""
    name = path.rpartition("/")[2].lower()
    return name in _NAMES or _SPEAKING.search(name) is not None


def is_surface(path: str) -> bool:
    """Say whether the data file at `path` may be a client's or tool's configuration.

    Everything below a folder whose name begins with a dot counts: that is where clients keep theirs.
    """
    if is_known_surface(path):
        return True
    folders = path.split("/")[:-1]
    return any(folder.startswith(".") for folder in folders)
