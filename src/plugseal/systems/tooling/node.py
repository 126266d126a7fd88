"""Files of Node's package managers: scripts of `package.json`, and settings that run, fetch or redirect something.

`npm install` runs `preinstall`, `install`, `postinstall` of every package and `prepare` of the one in the folder; all
other scripts run when somebody calls them. A `binding.gyp` without an `install` script makes npm run node-gyp.

See: https://docs.npmjs.com/cli/using-npm/scripts
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from plugseal.lang.recipes.sources import disguised_package, source_address
from plugseal.limits import MAX_DECLARED
from plugseal.model.location import Span
from plugseal.model.plugin import Component, ComponentKind
from plugseal.patterns import lazy
from plugseal.systems.components.parts import line_component
from plugseal.systems.components.settings import GRANT, setting_components
from plugseal.systems.launching.launch import outward_path
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, kind_of, lookup
from plugseal.systems.tooling.embedded import package_tools
from plugseal.systems.tooling.parts import entries_in, folder_of_file, registry_setting, run_file, text_of

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

INSTALL: Final = frozenset(
    "preinstall install postinstall preprepare prepare postprepare prepublish dependencies prepack postpack".split()
)
"""Scripts that `npm install` runs by itself, of the package itself or of one that comes from a repository."""
_LIFE: Final = {
    "prepublishOnly": "publish",
    "publish": "publish",
    "postpublish": "publish",
    "preversion": "version",
    "version": "version",
    "postversion": "version",
    "preuninstall": "uninstall",
    "uninstall": "uninstall",
    "postuninstall": "uninstall",
}
"""Scripts that another command of npm runs by itself."""
_CALLABLE: Final = frozenset("test start stop restart env".split())
"""Scripts that can be called though nobody wrote them, so that what stands before and after them runs."""
_INSTALL_GATE: Final = "npm install; scripts may be switched off"
_COMMAND_GATE: Final = "the user calls it"
_AROUND_GATE: Final = "the user calls what it goes with"
_QUIET: Final = frozenset(
    "$schema name displayName version description keywords homepage bugs license licenses author contributors "
    "maintainers funding files exports main browser module types typings typesVersions unpkg jsdelivr bin man "
    "directories repository config dependencies devDependencies peerDependencies peerDependenciesMeta "
    "bundleDependencies bundledDependencies optionalDependencies overrides resolutions engines os cpu libc "
    "private publishConfig workspaces type imports sideEffects packageManager devEngines pnpm browserslist volta "
    "engineStrict preferGlobal scripts gypfile style sass source esnext jsnext:main react-native publisher "
    "icon categories badges galleryBanner preview qna pricing readme title productName dependenciesMeta "
    "installConfig stableVersion tags copyright deprecated readmeFilename customElements mcpName mcp homepage_url "
    "contributes activationEvents extensionKind capabilities l10n enabledApiProposals api extensionPack "
    "extensionDependencies gitHead typesPublisherContentHash typeScriptVersion".split()
)
_TOOLS: Final = frozenset(
    "eslintConfig eslintIgnore prettier babel jest mocha ava nyc c8 tap tsd xo standard stylelint postcss commitlint "
    "release semantic-release release-it changelog standard-version np size-limit bundlesize tsup unbuild rollup "
    "lint-staged husky simple-git-hooks pre-commit wireit nx turbo ts-node nodemonConfig knip oclif pkg build forge "
    "electron cypress remarkConfig syncpack madge typedoc typedocOptions auto madge prisma jspm jsr tsx vitest "
    "alias targets @parcel/resolver-default depcheck exports-field cspell openclaw pi n8n gulp ember "
    "typeCoverage antora metro expo trustedDependencies catalog catalogs patchedDependencies stackblitz napi "
    "svelte vetur web-types gitHooks yargs config-schema".split()
)
"""Settings of tools; those that git or an install calls are described, and those of `embedded`."""
_STAGED: Final = "lint-staged"
_HOOKS: Final = ("husky", "gitHooks", "simple-git-hooks", "pre-commit", _STAGED)
_DEPENDENCIES: Final = ("dependencies", "devDependencies", "optionalDependencies", "overrides", "resolutions")
_ELSEWHERE: Final = lazy(r"(?:git(?:\+\w+)?:|git@|https?:|github:|gitlab:|bitbucket:|gist:|[\w.-]+/[\w.-]+(?:#|\Z))")
"""A version that names a place: a repository or an archive."""
_BESIDE: Final = lazy(r"(?:file|link|portal):|\.{1,2}/|/|~/")
"""A version that names a folder or an archive of this machine."""
_YARN: Final = """
skip: plugins
quiet: $schema nodeLinker enableTelemetry enableGlobalCache cacheFolder compressionLevel defaultSemverRangePrefix
quiet: packageExtensions.** logFilters pnpMode pnpFallbackMode pnpIgnorePatterns supportedArchitectures.** nmMode
quiet: nmHoistingLimits nmSelfReferences enableProgressBars enableColors enableHyperlinks enableMessageNames
quiet: changesetBaseRefs changesetIgnorePatterns constraintsPath immutablePatterns lockfileFilename preferInteractive
quiet: checksumBehavior approvedGitRepositories npmMinimalAgeGate npmPreapprovedPackages enableImmutableInstalls
quiet: enableInlineBuilds enableConstraintsChecks enableTransparentWorkspaces virtualFolder globalFolder httpTimeout
quiet: networkConcurrency cloneConcurrency taskPoolConcurrency taskPoolMode winLinkType tsEnableAutoTypes catalog.**
quiet: catalogs.** npmPublishAccess npmPublishRegistry npmAuditExcludePackages npmAuditIgnoreAdvisories initScope
quiet: initFields.** enableOfflineMode enableMirror enableLocal pnpShebang pnpEnableEsmLoader pnpUnpluggedFolder
quiet: npmPublishProvenance npmScopes.*.npmPublishRegistry npmScopes.*.npmAlwaysAuth npmAlwaysAuth httpRetry
program: yarnPath
grant: enableScripts unsafeHttpWhitelist
deny: enableStrictSsl enableHardenedMode enableNetwork
endpoint: npmRegistryServer npmScopes.*.npmRegistryServer npmAuditRegistry httpProxy httpsProxy
path: injectEnvironmentFiles httpsCaFilePath httpsCertFilePath httpsKeyFilePath networkSettings.** npmRegistries.**
prose: npmAuthToken npmAuthIdent npmScopes.*.npmAuthToken npmScopes.*.npmAuthIdent
"""
_PNPM: Final = """
quiet: packages catalog.** catalogs.** overrides.** packageExtensions.** peerDependencyRules.**
quiet: ignoredBuiltDependencies
quiet: neverBuiltDependencies allowedDeprecatedVersions.** linkWorkspacePackages sharedWorkspaceLockfile hoist
quiet: nodeLinker
quiet: shamefullyHoist publicHoistPattern hoistPattern autoInstallPeers strictPeerDependencies minimumReleaseAge
quiet: minimumReleaseAgeExclude saveWorkspaceProtocol savePrefix preferWorkspacePackages dedupePeerDependents
quiet: resolutionMode engineStrict useNodeVersion nodeVersion updateConfig.** supportedArchitectures.** catalogMode
quiet: packageManagerStrict packageManagerStrictVersion managePackageManagerVersions injectWorkspacePackages
quiet: ignoreScripts strictDepBuilds blockExoticSubdeps trustPolicy trustPolicyExclude cleanupUnusedCatalogs
quiet: disallowWorkspaceCycles includeWorkspaceRoot recursiveInstall ignoredOptionalDependencies verifyDepsBeforeRun
grant: onlyBuiltDependencies dangerouslyAllowAllBuilds allowBuilds.**
grant: enablePrePostScripts
path: patchedDependencies.** configDependencies.**
program: scriptShell pnpmfile globalPnpmfile
endpoint: registry registries.**
"""
_NPMRC: Final = {
    "registry": "endpoint",
    "proxy": "endpoint",
    "https-proxy": "endpoint",
    "noproxy": "quiet",
    "script-shell": "program",
    "shell": "program",
    "git": "program",
    "editor": "program",
    "viewer": "program",
    "node-gyp": "program",
    "python": "program",
    "onload-script": "program",
    "init-module": "program",
    "node-options": "options",
    "globalconfig": "path",
    "userconfig": "path",
    "prefix": "path",
    "cafile": "path",
    "pnpmfile": "program",
}
"""Settings of npm and pnpm that run or redirect; all others do neither."""

_SCHEME: Final = lazy(r"(?:file|link|portal):")
_MAX_DEPTH: Final = 6
_GRANTING: Final = (("strict-ssl", "false"), ("ignore-scripts", "false"), ("unsafe-perm", "true"))


def _package(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.json(file)
    if document is None:
        return
    table = reader.table(document)
    named = {key: value for key, value in table.items() if not key.startswith("//")}
    reader.expect_keys(document, named, _QUIET | _TOOLS)
    base = folder_of_file(file)
    scripts = reader.declared(document, ("scripts",))
    for name, line in scripts.items():
        if not isinstance(line, str):
            reader.fault_at(document, ("scripts", name), f"must be text, not {kind_of(line)}")
            continue
        trigger, gate = _when(name, scripts)
        yield line_component(
            reader,
            document,
            ("scripts", name),
            kind=ComponentKind.SCRIPT,
            name=_named(base, name),
            trigger=trigger,
            gate=gate,
            base=base,
        )
    yield from _git_hooks(reader, document, base)
    yield from package_tools(reader, document)
    yield from _elsewhere(reader, document)


def _when(name: str, scripts: Mapping[str, object]) -> tuple[str, str]:
    """Return when a script runs, and behind which gate: at install, around another, or when somebody calls it."""
    if name in INSTALL:
        return "install", _INSTALL_GATE
    if name in _LIFE:
        return f"hook:{_LIFE[name]}", _AROUND_GATE
    for before in ("pre", "post"):
        inner = name.removeprefix(before)
        if inner != name and (inner in scripts or inner in _CALLABLE):
            return f"hook:{inner}", _AROUND_GATE
    return "command", _COMMAND_GATE


def _named(base: str, name: str) -> str:
    return f"{base}: {name}" if base else name


def _git_hooks(reader: PluginReader, document: Document, base: str) -> Iterator[Component]:
    """Describe git hooks that a package has a tool of its install put in place."""
    for tool in _HOOKS:
        table = reader.table(document).get(tool)
        place = (tool, "hooks") if isinstance(table, dict) and isinstance(table.get("hooks"), dict) else (tool,)
        for name, value in reader.table(document, place).items() if isinstance(table, dict) else ():
            for path in _places_of_lines(value):
                yield line_component(
                    reader,
                    document,
                    (*place, name, *path),
                    kind=ComponentKind.SCRIPT,
                    name=_named(base, f"{tool} {name}"),
                    trigger="hook:pre-commit" if tool == _STAGED else f"hook:{name}",
                    gate="once the hook is put in place",
                    base=base,
                )


def _places_of_lines(value: object) -> list[tuple[int, ...]]:
    """Return where lines stand in what one hook runs: it is a line itself, or a list of lines."""
    if isinstance(value, list):
        return [(number,) for number, line in enumerate(value) if isinstance(line, str)]
    return [()] if isinstance(value, str) else []


def _elsewhere(reader: PluginReader, document: Document) -> Iterator[Component]:
    """Describe dependencies of which the registry vouches for nothing: places, folders outside, other names."""
    base = folder_of_file(document.file)
    for path, version in _dependencies(reader, document):
        name = str(path[-1])
        is_beside = _BESIDE.match(version) is not None and outward_path(_SCHEME.sub("", version), base) is not None
        if not is_beside and not _ELSEWHERE.match(version) and not disguised_package(name, version):
            continue
        place = document.locate_value(path)
        yield Component(
            kind=ComponentKind.SOURCE,
            name=name,
            file=document.file,
            span=document.locate(path),
            endpoint=None if is_beside else source_address(version),
            trigger="install",
            gate=_INSTALL_GATE,
            extra=(("source", compact(version)),),
            places=(("autorun", place), ("endpoint", place), ("extra.source", place)),
        )


def _dependencies(reader: PluginReader, document: Document) -> Iterator[tuple[Path, str]]:
    """Yield (path, version as written) of each dependency, and of each that stands for one of a dependency's own."""
    waiting: list[Path] = [(key,) for key in _DEPENDENCIES]
    waiting += [("pnpm", key) for key in ("overrides", "packageExtensions") if reader.table(document).get("pnpm")]
    for count, path in enumerate(waiting):
        for name, version in reader.table(document, path).items() if count < MAX_DECLARED else ():
            if isinstance(version, str):
                yield (*path, name), version
            elif isinstance(version, dict) and len(path) < _MAX_DEPTH:
                waiting.append((*path, name))


def _npmrc(reader: PluginReader, file: str) -> Iterator[Component]:
    for entry in entries_in(text_of(reader, file), colons=False):
        key = entry.key.strip().lower()
        common = Component(
            kind=ComponentKind.SETTING,
            name=entry.key,
            file=file,
            span=Span(entry.line, 1, entry.line, 1),
            trigger="install",
        )
        role = _NPMRC.get("registry" if key.endswith(":registry") else key, "")
        if role == "endpoint" and key.endswith("registry"):
            yield registry_setting(common, entry.value)
        elif role == "endpoint":
            yield common._replace(transport="http", endpoint=entry.value)
        elif role == "program":
            local = entry.value.removeprefix("./")
            yield common._replace(
                transport="exec", command=(entry.value,), entry=local if reader.is_file(local) else None
            )
        elif role == "options":
            literals = (("NODE_OPTIONS", entry.value.strip("\"'")),)
            yield common._replace(environment=(("NODE_OPTIONS", None),), literals=literals)
        elif role == "path" or key.endswith((":_authtoken", ":_auth", ":_password")):
            yield common._replace(headers=((entry.key, entry.value),))
        elif (key, entry.value.lower()) in _GRANTING:
            yield common._replace(extra=((GRANT, compact([f"{entry.key} = {entry.value}"])),))
    reader.parsed.append(file)


def _yarnrc(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.yaml(file)
    if document is None:
        return
    yield from setting_components(reader, document, _YARN, trigger="install")
    plugins = reader.table(document).get("plugins")
    for at, plugin in enumerate(plugins if isinstance(plugins, list) else []):
        path = plugin.get("path") if isinstance(plugin, dict) else plugin
        yield Component(
            kind=ComponentKind.MODULE,
            name=str(path),
            file=file,
            span=document.locate(("plugins", at)),
            transport="in-process",
            trigger="install",
            entry=_local(reader, file, path) if isinstance(path, str) else None,
            extra=(("plugin", compact(plugin)),),
            places=(("autorun", document.locate(("plugins", at))),),
        )


def _pnpmfile(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the module that pnpm loads at each install, where the lock file is made."""
    del reader
    yield run_file(file, name=file, trigger="install", gate="pnpm install", transport="in-process")


def _pnpm(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.yaml(file)
    if document is not None:
        yield from setting_components(reader, document, _PNPM, trigger="install")


def _bun(reader: PluginReader, file: str) -> Iterator[Component]:
    document = reader.toml(file)
    if document is None:
        return
    roles = """
skip: preload
quiet: install.** telemetry smol logLevel define.** loader.** jsx jsxFactory jsxFragment jsxImportSource
quiet: serve.static.**
quiet: test.** run.silent run.bun debug.** console.**
grant: install.ignoreScripts=false
endpoint: install.registry install.registry.url install.scopes.*.url
program: run.shell
"""
    yield from setting_components(reader, document, roles, trigger="install")
    for path in (("preload",), ("test", "preload"), ("serve", "static", "plugins")):
        value = lookup(document.value, path)
        for module in [value] if isinstance(value, str) else value if isinstance(value, list) else []:
            place = document.locate(path)
            yield Component(
                kind=ComponentKind.MODULE,
                name=f"{'.'.join(path)} {module}",
                file=file,
                span=place,
                transport="in-process",
                trigger="start" if len(path) == 1 else "command",
                gate="bun runs anything in the folder" if len(path) == 1 else "",
                entry=_local(reader, file, str(module)),
                places=(("autorun", place),),
            )


def _gyp(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe a build that npm runs by itself; the file is a Python expression, which nobody evaluates here."""
    del reader
    yield run_file(file, name="node-gyp rebuild", trigger="install", gate=_INSTALL_GATE)


def _local(reader: PluginReader, file: str, module: str) -> str | None:
    """Return the plugin's file that a setting names from its own folder."""
    base = folder_of_file(file)
    local = f"{base}/{module.removeprefix('./')}" if base else module.removeprefix("./")
    return local if reader.is_file(local) else None


READERS: Final[dict[str, Reader]] = {
    "node.package": _package,
    "node.npmrc": _npmrc,
    "node.yarnrc": _yarnrc,
    "node.pnpm": _pnpm,
    "node.pnpmfile": _pnpmfile,
    "node.bun": _bun,
    "node.gyp": _gyp,
}
