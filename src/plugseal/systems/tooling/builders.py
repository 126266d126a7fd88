"""Builders, packagers, generators and checkers of many languages: the keys of their files that run or load something.

As in `checkers.py`, which asks here for what it has no table of its own for.
"""

from __future__ import annotations

from typing import Final

from plugseal.systems.tooling.keys import Keys

_BUILT: Final = "a build"
_CALLED: Final = "the user calls it"
_EDITED: Final = "an editor's language server loads it, and asks first where it can"

_TSCONFIG: Final = Keys(
    """
    module: compilerOptions.plugins.*.name compilerOptions.plugins.*.transform ts-node.require ts-node.transpiler
    quiet: include exclude files compilerOptions.paths
    """,
    _EDITED,
    "open",
    "json",
)
_ANGULAR: Final = Keys(
    """
    module: projects.*.architect.*.builder projects.*.targets.*.builder cli.schematicCollections
    quiet: projects.*.architect.*.options projects.*.architect.*.configurations projects.*.targets.*.options schematics
    quiet: projects.*.schematics
    """,
    _CALLED,
    form="json",
)
_MDBOOK: Final = Keys("line: preprocessor.*.command output.*.command\nquiet: book build rust", _BUILT, form="toml")
_GORELEASER: Final = Keys(
    """
    line: before.hooks before.hooks.*.cmd after.hooks after.hooks.*.cmd builds.*.hooks.pre builds.*.hooks.post
    line: builds.*.hooks.pre.*.cmd builds.*.hooks.post.*.cmd publishers.*.cmd universal_binaries.*.hooks.pre
    line: universal_binaries.*.hooks.post archives.*.hooks.before archives.*.hooks.after
    words: signs.*.cmd docker_signs.*.cmd sboms.*.cmd
    quiet: nfpms brews snapcrafts homebrew_casks scoops aurs nix winget dockers kos changelog release
    """,
    "a release",
)
_TAURI: Final = Keys(
    """
    line: build.beforeDevCommand build.beforeBuildCommand build.beforeBundleCommand build.beforeDevCommand.script
    line: build.beforeBuildCommand.script build.beforeBundleCommand.script
    quiet: tauri plugins bundle app
    """,
    _BUILT,
    form="json",
)
_WAILS: Final = Keys(
    """
    line: frontend:install frontend:build frontend:dev frontend:dev:install frontend:dev:build frontend:dev:watcher
    line: preBuildHooks.* postBuildHooks.*
    """,
    _BUILT,
    form="json",
)
_AIR: Final = Keys(
    "line: build.cmd build.bin build.full_bin build.pre_cmd build.post_cmd build.entrypoint", _CALLED, form="toml"
)
_DUB: Final = Keys(
    "\n".join(
        f"line: {place}{when}{what}Commands"
        for place in ("", "configurations.*.", "buildTypes.*.", "subPackages.*.")
        for when in ("pre", "post")
        for what in ("Build", "Generate", "Run")
    ),
    "dub build",
    "install",
    "json",
)
_SHARD: Final = Keys(
    "line: scripts.*\nfetch: dependencies.*.git development_dependencies.*.git", "shards install", "install"
)
_XCODEGEN: Final = Keys(
    """
    line: preGenCommand postGenCommand options.preGenCommand options.postGenCommand targets.*.preBuildScripts.*.script
    line: targets.*.postBuildScripts.*.script targets.*.postCompileScripts.*.script targets.*.prebuildScripts.*.script
    line: targets.*.buildToolPlugins.*.script schemes.*.*.preActions.*.script schemes.*.*.postActions.*.script
    fetch: packages.*.url
    quiet: settings targets.*.settings
    """,
    "xcodegen, or a build",
    telling=frozenset({"targets", "packages", "options"}),
)
_BUF: Final = Keys(
    "words: plugins.*.local plugins.*.path\nfetch: plugins.*.remote\nquiet: plugins.*.plugin plugins.*.name",
    "buf generate",
)
_CODEGEN: Final = Keys(
    """
    module: require generates.*.plugins generates.*.preset generates.*.require
    line: hooks.* generates.*.hooks.*
    quiet: schema documents config generates.*.config
    """,
    "graphql-codegen",
)
_SQLC: Final = Keys(
    "words: plugins.*.process.cmd\nfetch: plugins.*.wasm.url\nquiet: sql packages overrides plugins.*.name",
    "sqlc generate",
)
_ELECTRON: Final = Keys(
    """
    module: afterPack afterSign beforePack beforeBuild afterAllArtifactBuild artifactBuildStarted artifactBuildCompleted
    module: afterExtract onNodeModuleFile appxManifestCreated msiProjectCreated win.sign win.signtoolOptions.sign
    quiet: publish nsis linux mac dmg win
    """,
    _BUILT,
    form="any",
)
_PARCEL: Final = Keys(
    "module: extends bundler namer runtimes resolvers transformers.* packagers.* optimizers.* compressors.* reporters "
    "validators.*",
    _BUILT,
    form="json",
)
_SWC: Final = Keys("module: jsc.experimental.plugins\nquiet: env module", _BUILT, form="json")
_MELOS: Final = Keys(
    """
    line: scripts.* scripts.*.run scripts.*.exec scripts.*.steps command.*.hooks.pre command.*.hooks.post
    quiet: scripts.*.packageFilters scripts.*.select-package ide
    """,
    _CALLED,
)
_MOON: Final = Keys(
    "line: tasks.*.command tasks.*.script\nenvironment: env tasks.*.env\nquiet: project toolchain fileGroups", _CALLED
)
_GOLANGCI: Final = Keys(
    """
    module: linters-settings.custom.*.path linters.settings.custom.*.path
    quiet: linters issues run formatters output
    """,
    _CALLED,
    form="any",
)
_PANTS: Final = Keys(
    "module: GLOBAL.backend_packages GLOBAL.plugins GLOBAL.pythonpath\nquiet: python source", _CALLED, form="toml"
)
_MARKDOWNLINT: Final = Keys(
    "module: customRules markdownItPlugins outputFormatters modulePaths\nquiet: config globs ignores",
    _CALLED,
    form="any",
)
_IONIC: Final = Keys("module: hooks.*\nquiet: integrations", _BUILT, form="json")
_RUBOCOP: Final = Keys("module: require plugins inherit_gem\nremote: inherit_from\nquiet: *.*", _CALLED)
_SNAPCRAFT: Final = Keys(
    """
    line: parts.*.override-pull parts.*.override-build parts.*.override-stage parts.*.override-prime parts.*.prepare
    line: parts.*.build parts.*.install
    fetch: parts.*.source
    quiet: parts.*.plugin apps hooks plugs slots parts.*.organize
    """,
    _BUILT,
    telling=frozenset({"parts", "apps"}),
)
TABLES: Final = {
    "checks.tsconfig": _TSCONFIG,
    "checks.angular": _ANGULAR,
    "checks.mdbook": _MDBOOK,
    "checks.goreleaser": _GORELEASER,
    "checks.tauri": _TAURI,
    "checks.wails": _WAILS,
    "checks.air": _AIR,
    "checks.dub": _DUB,
    "checks.shard": _SHARD,
    "checks.xcodegen": _XCODEGEN,
    "checks.buf": _BUF,
    "checks.codegen": _CODEGEN,
    "checks.sqlc": _SQLC,
    "checks.electron": _ELECTRON,
    "checks.parcel": _PARCEL,
    "checks.swc": _SWC,
    "checks.melos": _MELOS,
    "checks.moon": _MOON,
    "checks.golangci": _GOLANGCI,
    "checks.pants": _PANTS,
    "checks.markdownlint": _MARKDOWNLINT,
    "checks.ionic": _IONIC,
    "checks.rubocop": _RUBOCOP,
    "checks.snapcraft": _SNAPCRAFT,
}
"""What each does with its own file, by the kind of the file."""
