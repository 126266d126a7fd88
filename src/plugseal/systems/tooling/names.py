"""Which files are a tool's, by their names; the kind says which reader describes one. Data and look-ups alone."""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_KINDS: Final[dict[str, str]] = {
    "package.json": "node.package",
    ".npmrc": "node.npmrc",
    ".yarnrc.yml": "node.yarnrc",
    "pnpm-workspace.yaml": "node.pnpm",
    ".pnpmfile.cjs": "node.pnpmfile",
    ".pnpmfile.mjs": "node.pnpmfile",
    "pnpmfile.js": "node.pnpmfile",
    "bunfig.toml": "node.bun",
    "binding.gyp": "node.gyp",
    "pyproject.toml": "python.project",
    "setup.py": "python.setup",
    "setup.cfg": "python.cfg",
    "pytest.ini": "python.cfg",
    "tox.ini": "python.cfg",
    ".flake8": "python.cfg",
    ".coveragerc": "python.cfg",
    ".pylintrc": "python.cfg",
    "pylintrc": "python.cfg",
    "mypy.ini": "python.cfg",
    "cargo.toml": "tasks.cargo",
    "conftest.py": "python.conftest",
    "sitecustomize.py": "python.start",
    "usercustomize.py": "python.start",
    "devcontainer.json": "container.dev",
    ".devcontainer.json": "container.dev",
    "docker-compose.yml": "container.compose",
    "docker-compose.yaml": "container.compose",
    "docker-compose.override.yml": "container.compose",
    "docker-compose.override.yaml": "container.compose",
    "compose.yml": "container.compose",
    "compose.yaml": "container.compose",
    ".envrc": "tasks.envrc",
    "makefile": "tasks.make",
    "gnumakefile": "tasks.make",
    "justfile": "tasks.just",
    ".justfile": "tasks.just",
    "taskfile.yml": "tasks.taskfile",
    "taskfile.yaml": "tasks.taskfile",
    "mise.toml": "tasks.mise",
    ".mise.toml": "tasks.mise",
    "mise.local.toml": "tasks.mise",
    ".tool-versions": "tasks.versions",
    "gradlew": "tasks.wrapper",
    "mvnw": "tasks.wrapper",
    ".pre-commit-config.yaml": "git.precommit",
    ".pre-commit-hooks.yaml": "git.provided",
    "lefthook.yml": "git.lefthook",
    "lefthook.yaml": "git.lefthook",
    ".lefthook.yml": "git.lefthook",
    ".lefthook.yaml": "git.lefthook",
}
_LISTED: Final = """
ci.gitlab: .gitlab-ci.yml .gitlab-ci.yaml
ci.travis: .travis.yml .travis.yaml
ci.azure: azure-pipelines.yml azure-pipelines.yaml .azure-pipelines.yml
ci.bitbucket: bitbucket-pipelines.yml
ci.drone: .drone.yml .woodpecker.yml .woodpecker.yaml
ci.appveyor: appveyor.yml .appveyor.yml
ci.cloudbuild: cloudbuild.yaml cloudbuild.yml
ci.codebuild: buildspec.yml buildspec.yaml
ci.gitpod: .gitpod.yml
ci.devfile: devfile.yaml .devfile.yaml
ci.replit: .replit
ci.netlify: netlify.toml
ci.vercel: vercel.json now.json
ci.wrangler: wrangler.toml
ci.wrangler-json: wrangler.json wrangler.jsonc
ci.fly: fly.toml
ci.render: render.yaml
ci.railway: railway.json
ci.railway-toml: railway.toml
ci.app: app.json
ci.firebase: firebase.json
ci.procfile: procfile procfile.dev
checks.eslint: .eslintrc .eslintrc.json .eslintrc.yml .eslintrc.yaml
checks.stylelint: .stylelintrc .stylelintrc.json .stylelintrc.yml .stylelintrc.yaml
checks.prettier: .prettierrc .prettierrc.json .prettierrc.yml .prettierrc.yaml .prettierrc.json5
checks.babel: .babelrc .babelrc.json babel.config.json
checks.commitlint: .commitlintrc .commitlintrc.json .commitlintrc.yml .commitlintrc.yaml
checks.staged: .lintstagedrc .lintstagedrc.json .lintstagedrc.yml .lintstagedrc.yaml
checks.husky: .huskyrc .huskyrc.json .huskyrc.yml
checks.githooks: .simple-git-hooks.json simple-git-hooks.json
checks.mocha: .mocharc.json .mocharc.jsonc .mocharc.yml .mocharc.yaml
checks.nyc: .nycrc .nycrc.json .c8rc.json
checks.jest: jest.config.json
checks.nodemon: nodemon.json
checks.release: .releaserc .releaserc.json .releaserc.yml .releaserc.yaml
checks.renovate: renovate.json renovate.json5 .renovaterc .renovaterc.json .renovaterc.json5
checks.nx: nx.json
checks.nxproject: project.json
checks.turbo: turbo.json turbo.jsonc
checks.lerna: lerna.json
checks.deno: deno.json deno.jsonc
checks.composer: composer.json
checks.devbox: devbox.json
checks.pixi: pixi.toml
checks.uv: uv.toml
checks.poetry: poetry.toml
checks.pipfile: pipfile
checks.tox: tox.toml
checks.overcommit: .overcommit.yml
ci.cirrus: .cirrus.yml .cirrus.yaml
ci.codemagic: codemagic.yaml
ci.bitrise: bitrise.yml
ci.readthedocs: .readthedocs.yaml .readthedocs.yml readthedocs.yml
ci.appengine: app.yaml app.yml
ci.appspec: appspec.yml appspec.yaml
ci.serverless: serverless.yml serverless.yaml
ci.pulumi: pulumi.yaml
ci.helmfile: helmfile.yaml helmfile.yml
ci.cloudinit: cloud-init.yaml cloud-init.yml cloud-config.yaml cloud-config.yml user-data.yaml user-data.yml
ci.devspace: devspace.yaml
ci.okteto: okteto.yml okteto.yaml
ci.processes: process-compose.yaml process-compose.yml
ci.mprocs: mprocs.yaml
ci.tmuxinator: .tmuxinator.yml .tmuxinator.yaml
ci.pm2: ecosystem.json ecosystem.config.json pm2.json ecosystem.yml ecosystem.yaml
checks.tsconfig: tsconfig.json tsconfig.base.json tsconfig.build.json jsconfig.json
checks.angular: angular.json
checks.mdbook: book.toml
checks.goreleaser: .goreleaser.yml .goreleaser.yaml goreleaser.yml goreleaser.yaml
checks.tauri: tauri.conf.json tauri.conf.json5
checks.wails: wails.json
checks.air: .air.toml
checks.dub: dub.json
checks.shard: shard.yml
checks.xcodegen: project.yml
checks.buf: buf.gen.yaml
checks.codegen: codegen.yml codegen.yaml
checks.sqlc: sqlc.yaml sqlc.yml
checks.electron: electron-builder.yml electron-builder.yaml electron-builder.json electron-builder.json5
checks.parcel: .parcelrc
checks.swc: .swcrc
checks.melos: melos.yaml
checks.moon: moon.yml
checks.golangci: .golangci.yml .golangci.yaml .golangci.json
checks.pants: pants.toml
checks.markdownlint: .markdownlint-cli2.jsonc .markdownlint-cli2.yaml
checks.ionic: ionic.config.json
checks.rubocop: .rubocop.yml
checks.snapcraft: snapcraft.yaml
editors.start: .exrc .nvimrc .nvim.lua .vimrc _vimrc .lvimrc .dir-locals.el .dir-locals-2.el .gdbinit .lldbinit
editors.start: .rprofile .irbrc .pryrc .iex.exs .ghci .octaverc .pdbrc .pdbrc.py vagrantfile tiltfile
"""
_KINDS.update(
    (name, line.partition(": ")[0]) for line in _LISTED.split("\n") for name in line.partition(": ")[2].split()
)
_PLACES: Final = {
    ".config/nextest.toml": "checks.nextest",
    ".cargo/config.toml": "checks.cargo",
    ".mise/config.toml": "tasks.mise",
    ".mise/config.local.toml": "tasks.mise",
    "mise/config.toml": "tasks.mise",
    "mise/config.local.toml": "tasks.mise",
    ".config/mise.toml": "tasks.mise",
    ".config/mise.local.toml": "tasks.mise",
    "plugin/plugin.yaml": "checks.pluginkit",
    ".circleci/config.yml": "ci.circle",
    ".circleci/config.yaml": "ci.circle",
    ".buildkite/pipeline.yml": "ci.buildkite",
    ".buildkite/pipeline.yaml": "ci.buildkite",
    ".gcp/*.yml": "ci.cloudbuild",
    ".gcp/*.yaml": "ci.cloudbuild",
    ".woodpecker/*.yml": "ci.drone",
    ".woodpecker/*.yaml": "ci.drone",
    ".changeset/config.json": "checks.changeset",
    ".github/release-please.yml": "checks.releaseplease",
    ".github/release-please-config.json": "checks.releaseplease-json",
    ".github/.release-please-manifest.json": "checks.releaseplease-json",
    ".helix/languages.toml": "editors.helix",
    ".helix/config.toml": "editors.helix",
    ".fleet/run.json": "editors.fleet",
    "runconfigurations/*.xml": "editors.jetbrains",
    ".run/*.xml": "editors.jetbrains",
    ".idea/watchertasks.xml": "editors.jetbrains",
    ".idea/startup.xml": "editors.jetbrains",
    ".idea/workspace.xml": "editors.jetbrains",
}
"""Files in a tool's own folder, all of a suffix where `*` stands."""
NAMES: Final = frozenset({*_KINDS, "plugin.yaml"})
"""Names of files, in lower case, that a tool looks for."""
SUFFIXES: Final = (".pth", ".sublime-project", ".sublime-build")
_KINDS_BY_SUFFIX: Final = {
    "pth": "python.pth",
    "sublime-project": "editors.sublime",
    "sublime-build": "editors.sublime-build",
}
FOLDERS: Final = (
    ".husky",
    ".githooks",
    ".devcontainer",
    ".circleci",
    ".buildkite",
    ".gcp",
    ".woodpecker",
    ".changeset",
    ".helix",
    ".fleet",
    ".idea/runConfigurations",
    ".idea",
    ".run",
    ".github",
    ".config",
    ".cargo",
    ".mise",
)
"""Folders of a tool's own, below the folder that it works in."""
OTHER_FOLDERS: Final = ("mise",)
"""Folders in which a tool's files lie among others."""
PREFIXES: Final = ("mise.", ".mise.", "docker-compose.", "docker-compose-", "compose.", "compose-")
"""Beginnings of names that go on with that of an environment: `mise.ci.toml`, `compose.dev.yaml`."""
_COMPOSE: Final = lazy(r"(?:docker-)?compose[.-][a-z0-9][a-z0-9._-]{0,60}\.ya?ml")
_WITHOUT_UNIT: Final = frozenset(
    {"python.conftest", "python.start", "python.pth", "python.cfg", "node.npmrc", "tasks.versions"}
)
"""Kinds that make no unit of their folder: they belong to the one above."""
_COMMON_NAMES: Final = frozenset({"checks.xcodegen", "checks.codegen", "checks.moon", "ci.appengine", "ci.pm2"})
"""Kinds whose files have a name that many tools use."""
_INERT_HOOKS: Final = (".md", ".txt", ".gitignore", ".json")


def kind_of_file(path: str) -> str | None:
    """Return the kind of a tool's file, None for every other."""
    *folders, name = path.split("/")
    kind = _KINDS.get(name.lower())
    if kind is not None:
        if folders[-1:] == [".opencode"]:
            return None  # The client itself installs that one.
        if kind in _COMMON_NAMES and folders[-1:] and folders[-1].startswith("."):
            return None  # Another tool's file, in that tool's own folder.
        return None if kind == "container.dev" and not _is_dev(folders, name) else kind
    if name.endswith(SUFFIXES):
        return _KINDS_BY_SUFFIX[name.rpartition(".")[2]]
    if _COMPOSE.fullmatch(name.lower()):
        return "container.compose"
    if name.endswith(".toml") and (name.startswith(PREFIXES) or folders[-2:] == ["mise", "conf.d"]):
        return "tasks.mise"
    if folders and (folders[-1].startswith(".") or folders[-1] in ("runConfigurations", "plugin", "mise")):
        placed = _placed(folders[-1].lower(), name.lower())
        if placed is not None:
            return placed
    if folders and folders[-1] in (".husky", ".githooks") and not name.endswith(_INERT_HOOKS):
        return "git.hook"
    return None


def _placed(folder: str, name: str) -> str | None:
    """Return the kind of a file in a tool's own folder."""
    return _PLACES.get(f"{folder}/{name}") or _PLACES.get(f"{folder}/*.{name.rpartition('.')[2]}")


def _is_dev(folders: list[str], name: str) -> bool:
    """Say whether a container's file stands where editors look: in `.devcontainer`, one folder below, or beside it."""
    return name.startswith(".") or ".devcontainer" in folders[-2:]


def is_anchor(path: str) -> bool:
    """Say whether a file makes its folder a unit of its own."""
    kind = kind_of_file(path) or ""
    return kind not in _WITHOUT_UNIT and not kind.startswith(("checks", "editors"))
