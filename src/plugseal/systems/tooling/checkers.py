"""Settings of linters, formatters, bundlers, release tools and task tools: the modules that they load, what they run.

Such a tool runs when somebody calls it, when an editor opens a file, or from a hook; what its settings name runs inside
it. Settings that are code themselves (`eslint.config.js`) are read as code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.model.plugin import Component
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.tooling.builders import TABLES as BUILDERS
from plugseal.systems.tooling.keys import Keys, keyed_components

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_CALLED: Final = "the user calls it, or an editor does"
_INSTALLED: Final = "an install"
_BOT: Final = "none: a bot runs it, where its owner allows such commands"

_ESLINT: Final = Keys(
    """
    module: extends plugins parser processor overrides.*.extends overrides.*.plugins overrides.*.parser
    module: overrides.*.processor settings.import/resolver settings.import/parsers
    quiet: rules overrides.*.rules globals env parserOptions overrides.*.parserOptions
    """,
    _CALLED,
    form="any",
)
_STYLELINT: Final = Keys(
    "module: extends plugins processors customSyntax overrides.*.extends overrides.*.customSyntax\nquiet: rules",
    _CALLED,
    form="any",
)
_PRETTIER: Final = Keys(
    "module: plugins overrides.*.options.plugins overrides.*.options.parser\nquiet: overrides.*.files",
    _CALLED,
    form="any",
)
_BABEL: Final = Keys(
    """
    module: presets plugins extends env.*.presets env.*.plugins overrides.*.presets overrides.*.plugins
    module: parserOpts.plugins
    """,
    _CALLED,
    form="any",
)
_COMMITLINT: Final = Keys(
    "module: extends plugins parserPreset formatter\nquiet: rules prompt", "a commit", "hook:commit-msg", "any"
)
_STAGED: Final = Keys("line: *", "once the hook is put in place", "hook:pre-commit", "any")
_HUSKY: Final = Keys("line: hooks.*", "once the hook is put in place", "hook:pre-commit", "any")
_GIT_HOOKS: Final = Keys("line: *", "once the hook is put in place", "hook:pre-commit", "any")
_MOCHA: Final = Keys("module: require import loader node-option\nquiet: spec file", "a test run", form="any")
_NYC: Final = Keys("module: require extends reporter\nquiet: instrument", "a test run", form="any")
_JEST: Final = Keys(
    """
    module: preset setupFiles setupFilesAfterEnv globalSetup globalTeardown testEnvironment runner testRunner resolver
    module: reporters transform.* snapshotSerializers watchPlugins dependencyExtractor haste.hasteImplModulePath
    module: projects.*.preset projects.*.setupFiles projects.*.setupFilesAfterEnv projects.*.transform.* filter
    module: projects.*.runner
    """,
    "a test run",
    form="json",
)
_NODEMON: Final = Keys(
    "line: exec events.* execMap.*\nenvironment: env\nquiet: script", "the user calls it", form="json"
)
_RELEASE: Final = Keys(
    """
    module: plugins extends
    line: plugins.*.*.verifyConditionsCmd plugins.*.*.analyzeCommitsCmd plugins.*.*.verifyReleaseCmd
    line: plugins.*.*.generateNotesCmd plugins.*.*.prepareCmd plugins.*.*.addChannelCmd plugins.*.*.publishCmd
    line: plugins.*.*.successCmd plugins.*.*.failCmd
    """,
    "a release",
    form="any",
)
_CHANGESET: Final = Keys("module: changelog commit", "changeset version", form="json")
_RELEASE_PLEASE: Final = Keys("quiet: plugins packages", "none: a bot runs it", "unknown")
_RENOVATE: Final = Keys(
    """
    line: postUpgradeTasks.commands packageRules.*.postUpgradeTasks.commands allowedPostUpgradeCommands allowedCommands
    line: *.postUpgradeTasks.commands
    fetch: extends packageRules.*.extends
    registry: registryUrls packageRules.*.registryUrls
    endpoint: customDatasources.*.defaultRegistryUrlTemplate
    quiet: postUpdateOptions customManagers hostRules.*.matchHost
    """,
    _BOT,
    "unknown",
    "json",
)
_NX: Final = Keys(
    """
    module: plugins.* plugins.*.plugin tasksRunnerOptions.*.runner targetDefaults.*.executor
    line: targetDefaults.*.options.command targetDefaults.*.options.commands targetDefaults.*.command
    line: targetDefaults.*.options.commands.*.command release.version.preVersionCommand
    endpoint: nxCloudUrl
    quiet: generators namedInputs
    """,
    "the user calls it",
    form="json",
)
_NX_PROJECT: Final = Keys(
    """
    module: targets.*.executor
    line: targets.*.command targets.*.options.command targets.*.options.commands targets.*.options.commands.*.command
    line: targets.*.configurations.*.command targets.*.configurations.*.commands
    quiet: generators namedInputs tags
    """,
    "the user calls it",
    form="json",
    telling=frozenset({"targets"}),
)
_TURBO: Final = Keys("quiet: tasks pipeline globalEnv extends remoteCache", "the user calls it", form="json")
_LERNA: Final = Keys("quiet: command npmClient packages", "the user calls it", form="json")
_DENO: Final = Keys(
    """
    line: tasks.* tasks.*.command
    fetch: imports
    module: lint.plugins
    quiet: exports compilerOptions fmt scopes lint.rules
    """,
    "the user calls it",
    form="json",
)
_COMPOSER: Final = Keys(
    """
    line: scripts.*
    fetch: repositories.*.url
    quiet: autoload extra config require require-dev scripts-descriptions autoload-dev
    """,
    _INSTALLED,
    "install",
    "json",
)
_DEVBOX: Final = Keys(
    """
    line: shell.init_hook shell.scripts.*
    fetch: packages include
    environment: env
    """,
    "devbox shell",
    "open",
    "json",
)
_PIXI: Final = Keys(
    """
    line: tasks.* tasks.*.cmd feature.*.tasks.* feature.*.tasks.*.cmd target.*.tasks.* target.*.tasks.*.cmd
    module: activation.scripts target.*.activation.scripts feature.*.activation.scripts
    registry: pypi-options.index-url pypi-options.extra-index-urls
    environment: activation.env
    """,
    "pixi run, or shell",
    form="toml",
)
_UV: Final = Keys(
    """
    registry: index.*.url index-url extra-index-url find-links pip.index-url pip.extra-index-url pip.find-links
    endpoint: publish-url check-url
    registry: python-install-mirror pypy-install-mirror
    quiet: pip
    """,
    _INSTALLED,
    "install",
    "toml",
)
_POETRY: Final = Keys("registry: repositories.*.url\nquiet: virtualenvs installer", _INSTALLED, "install", "toml")
_PIPFILE: Final = Keys(
    "line: scripts.*\nregistry: source.*.url\nquiet: packages dev-packages requires", "the user calls it", form="toml"
)
_TOX: Final = Keys(
    """
    words: env_run_base.commands.* env_run_base.commands_pre.* env_run_base.commands_post.* env.*.commands.*
    words: env.*.commands_pre.* env.*.commands_post.*
    module: requires
    """,
    "a test run",
    form="toml",
)
_NEXTEST: Final = Keys(
    """
    run: scripts.setup.*.command scripts.wrapper.*.command script.*.command
    quiet: profile.*.scripts profile.*.run-wrapper experimental profile.*.archive
    """,
    "a test run",
    form="toml",
)
_CARGO: Final = Keys(
    """
    words: build.rustc-wrapper build.rustc-workspace-wrapper build.rustc build.rustdoc target.*.runner target.*.linker
    words: doc.browser credential-alias.* registry.credential-provider registry.global-credential-providers
    words: registries.*.credential-provider net.ssh
    registry: source.*.registry registries.*.index source.*.git
    endpoint: http.proxy
    environment: env
    quiet: alias source.*.replace-with target.*.rustflags
    """,
    "a build",
    "install",
    "toml",
)
_OVERCOMMIT: Final = Keys(
    "words: *.*.command *.*.required_executable\nline: *.*.install_command\nquiet: plugin_directory gemfile",
    "once the hook is put in place",
    "hook:pre-commit",
)
_PLUGIN_KIT: Final = Keys("quiet: targets author keywords", "none: the author's generator reads it")
TABLES: Final = {
    "checks.nextest": _NEXTEST,
    "checks.cargo": _CARGO,
    "checks.pluginkit": _PLUGIN_KIT,
    "checks.eslint": _ESLINT,
    "checks.stylelint": _STYLELINT,
    "checks.prettier": _PRETTIER,
    "checks.babel": _BABEL,
    "checks.commitlint": _COMMITLINT,
    "checks.staged": _STAGED,
    "checks.husky": _HUSKY,
    "checks.githooks": _GIT_HOOKS,
    "checks.mocha": _MOCHA,
    "checks.nyc": _NYC,
    "checks.jest": _JEST,
    "checks.nodemon": _NODEMON,
    "checks.release": _RELEASE,
    "checks.changeset": _CHANGESET,
    "checks.releaseplease": _RELEASE_PLEASE,
    "checks.releaseplease-json": _RELEASE_PLEASE._replace(form="json"),
    "checks.renovate": _RENOVATE,
    "checks.nx": _NX,
    "checks.nxproject": _NX_PROJECT,
    "checks.turbo": _TURBO,
    "checks.lerna": _LERNA,
    "checks.deno": _DENO,
    "checks.composer": _COMPOSER,
    "checks.devbox": _DEVBOX,
    "checks.pixi": _PIXI,
    "checks.uv": _UV,
    "checks.poetry": _POETRY,
    "checks.pipfile": _PIPFILE,
    "checks.tox": _TOX,
    "checks.overcommit": _OVERCOMMIT,
    **BUILDERS,
}
"""What each tool does with its own file, by the kind of the file."""
_COMPOSER_EVENTS: Final = ("-cmd", "-install", "-update", "-dump", "-create")


def _by_keys(kind: str) -> Reader:
    def read(reader: PluginReader, file: str) -> Iterator[Component]:
        for component in keyed_components(reader, file, TABLES[kind]):
            yield _of_composer(component) if kind == "checks.composer" else component

    return read


def _of_composer(component: Component) -> Component:
    """Return a script of Composer with the trigger of its event; one of another name runs when it is called."""
    event = component.name.split(".")[1] if component.name.startswith("scripts.") else ""
    if not event or any(part in event for part in _COMPOSER_EVENTS):
        return component
    return component._replace(trigger="command", gate="the user calls it")


def _changeset(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the modules of a release: of a list the first is the module, the rest its options."""
    seen: set[str] = set()
    for component in keyed_components(reader, file, TABLES["checks.changeset"]):
        key = component.name.partition(" ")[0]
        if key not in seen:
            yield component
        seen.add(key)


READERS: Final[dict[str, Reader]] = {**{kind: _by_keys(kind) for kind in TABLES}, "checks.changeset": _changeset}
