"""Files of build servers, hosting platforms and cloud workspaces: what these run of a repository, on their machines.

None of it runs on the machine of who cloned it, but it runs with the repository's secrets, and a cloud workspace with
those of who opened it. What a step fetches is bound only by a digest.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from plugseal.limits import MAX_DECLARED
from plugseal.model.plugin import Component
from plugseal.patterns import lazy
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.tooling.keys import Keys, keyed_components
from plugseal.systems.tooling.parts import shell_script, text_of
from plugseal.systems.tooling.platforms import TABLES as PLATFORMS

if TYPE_CHECKING:
    from plugseal.systems.tooling.parts import Reader

_PUSHED: Final = "none: the build server runs it on a push"
_DEPLOYED: Final = "none: the platform runs it when it deploys"
_OPENED: Final = "none: a cloud workspace runs it when it is opened"
_PROCESS: Final = lazy(r"([A-Za-z0-9_-]{1,100}):[ \t]*(\S.*)")

GITLAB: Final = Keys(
    """
    line: before_script script after_script default.before_script default.after_script
    line: *.before_script *.script *.after_script *.hooks.pre_get_sources_script default.hooks.pre_get_sources_script
    image: image image.name services default.image default.image.name default.services *.image *.image.name
    image: *.services services.*.name *.services.*.name default.services.*.name
    fetch: include include.* include.*.remote include.remote *.trigger.project include.*.project include.*.component
    fetch: include.*.template include.template include.*.local include.local
    environment: variables *.variables
    quiet: stages workflow pages.publish *.rules *.only *.except *.needs *.artifacts *.cache *.environment
    quiet: image.entrypoint *.image.entrypoint *.services.*.entrypoint *.services.*.command spec
    """,
    _PUSHED,
    "unknown",
)
_CIRCLE: Final = Keys(
    """
    line: jobs.*.steps.*.run jobs.*.steps.*.run.command commands.*.steps.*.run commands.*.steps.*.run.command
    line: jobs.*.steps.*.when.steps.*.run jobs.*.steps.*.when.steps.*.run.command
    line: jobs.*.steps.*.unless.steps.*.run jobs.*.steps.*.unless.steps.*.run.command
    line: commands.*.steps.*.when.steps.*.run commands.*.steps.*.when.steps.*.run.command
    line: commands.*.steps.*.unless.steps.*.run commands.*.steps.*.unless.steps.*.run.command
    image: jobs.*.docker.*.image executors.*.docker.*.image jobs.*.machine.image
    fetch: orbs
    environment: jobs.*.environment executors.*.environment jobs.*.steps.*.run.environment
    quiet: workflows parameters commands.*.parameters jobs.*.parameters jobs.*.shell jobs.*.steps.*.run.shell
    quiet: executors.*.shell
    """,
    _PUSHED,
    "unknown",
)
_TRAVIS: Final = Keys(
    """
    line: before_install install before_script script after_script after_success after_failure before_deploy
    line: after_deploy before_cache deploy.script deploy.*.script jobs.include.*.script jobs.include.*.install
    line: jobs.include.*.before_install jobs.include.*.before_script jobs.include.*.after_success
    line: jobs.include.*.after_script jobs.include.*.after_failure jobs.include.*.before_deploy
    fetch: import import.*.source
    quiet: notifications addons env jobs.include.*.env matrix
    """,
    _PUSHED,
    "unknown",
)
_AZURE_STEPS: Final = "script bash pwsh powershell"
_AZURE_PLACES: Final = (
    "steps.* jobs.*.steps.* stages.*.jobs.*.steps.* jobs.*.strategy.runOnce.deploy.steps.* "
    "stages.*.jobs.*.strategy.runOnce.deploy.steps.*"
).split()
_AZURE: Final = Keys(
    "\n".join(
        [
            *(f"line: {place}.{step}" for place in _AZURE_PLACES for step in _AZURE_STEPS.split()),
            *(f"fetch: {place}.task" for place in _AZURE_PLACES),
            *(f"line: {place}.inputs.script" for place in _AZURE_PLACES),
            *(f"quiet: {place}.inputs.command" for place in _AZURE_PLACES),
            "fetch: resources.repositories.*.name extends.template",
            "quiet: trigger pr schedules variables parameters",
        ]
    ),
    _PUSHED,
    "unknown",
)
_BITBUCKET: Final = Keys(
    """
    line: pipelines.default.*.step.script pipelines.default.*.step.after-script
    line: pipelines.default.*.parallel.*.step.script pipelines.default.*.parallel.steps.*.step.script
    line: pipelines.*.*.*.step.script pipelines.*.*.*.step.after-script pipelines.*.*.*.parallel.*.step.script
    line: pipelines.*.*.*.parallel.steps.*.step.script definitions.steps.*.step.script
    image: image image.name pipelines.*.*.*.step.image pipelines.default.*.step.image definitions.services.*.image
    quiet: options clone
    """,
    _PUSHED,
    "unknown",
)
_DRONE: Final = Keys(
    """
    line: steps.*.commands pipeline.*.commands steps.*.command pipeline.*.command
    image: steps.*.image pipeline.*.image services.*.image clone.*.image
    environment: steps.*.environment pipeline.*.environment environment
    quiet: trigger when steps.*.when steps.*.entrypoint
    """,
    _PUSHED,
    "unknown",
)
_APPVEYOR_STEPS: Final = (
    "init install before_build build_script after_build before_test test_script after_test before_package "
    "before_deploy deploy_script after_deploy on_success on_failure on_finish"
)
_APPVEYOR: Final = Keys(
    "\n".join(f"line: {step} {step}.*.ps {step}.*.pwsh {step}.*.cmd {step}.*.sh" for step in _APPVEYOR_STEPS.split()),
    _PUSHED,
    "unknown",
)
_BUILDKITE: Final = Keys(
    """
    line: steps.*.command steps.*.commands steps.*.steps.*.command steps.*.steps.*.commands
    module: steps.*.plugins plugins
    environment: env steps.*.env
    """,
    _PUSHED,
    "unknown",
)
_CLOUD_BUILD: Final = Keys(
    """
    image: steps.*.name
    words: steps.*.entrypoint
    line: steps.*.script
    quiet: substitutions options artifacts images steps.*.args
    """,
    _PUSHED,
    "unknown",
    telling=frozenset({"steps"}),
)
_CODE_BUILD: Final = Keys(
    "line: phases.*.commands phases.*.finally\nenvironment: env.variables\nquiet: env.shell batch",
    _PUSHED,
    "unknown",
)
_GITPOD: Final = Keys(
    """
    line: tasks.*.before tasks.*.init tasks.*.prebuild tasks.*.command
    image: image
    environment: tasks.*.env
    fetch: additionalRepositories.*.url
    quiet: ports github jetbrains image.file image.context vscode
    """,
    _OPENED,
    "open",
)
_DEVFILE: Final = Keys(
    """
    line: commands.*.exec.commandLine
    image: components.*.container.image
    words: components.*.container.command components.*.container.args
    fetch: parent.uri projects.*.git.remotes starterProjects.*.git.remotes components.*.plugin.uri
    quiet: events metadata commands.*.composite
    quiet: attributes
    """,
    _OPENED,
    "open",
)
_REPLIT: Final = Keys(
    """
    run: run compile onBoot build test deployment.run deployment.build
    line: workflows.workflow.*.tasks.*.args
    words: interpreter.command debugger.*.start languages.*.languageServer.start packager.*.command
    environment: env
    quiet: entrypoint hidden modules nix ports packager languages.*.pattern
    """,
    _OPENED,
    "open",
    "toml",
)
_NETLIFY: Final = Keys(
    """
    line: build.command build.ignore context.*.command context.*.ignore dev.command
    module: plugins.*.package context.*.plugins.*.package
    environment: build.environment context.*.environment
    quiet: redirects headers functions edge_functions template
    """,
    _DEPLOYED,
    "unknown",
    "toml",
)
_VERCEL: Final = Keys(
    """
    line: buildCommand installCommand devCommand ignoreCommand
    fetch: builds.*.use functions.*.runtime
    environment: env build.env
    quiet: rewrites redirects headers routes crons regions git images
    """,
    _DEPLOYED,
    "unknown",
    "json",
)
_WRANGLER_ROLES: Final = """
    line: build.command env.*.build.command
    quiet: vars env.*.vars rules kv_namespaces d1_databases r2_buckets durable_objects migrations routes triggers
    """
_WRANGLER: Final = Keys(_WRANGLER_ROLES, "wrangler deploy, or dev", "command", "toml")
_FLY: Final = Keys(
    """
    line: deploy.release_command processes.*
    words: experimental.cmd experimental.entrypoint experimental.exec services.*.script_checks.*.command
    image: build.image
    environment: env
    """,
    _DEPLOYED,
    "unknown",
    "toml",
)
_RENDER: Final = Keys(
    """
    line: services.*.buildCommand services.*.startCommand services.*.preDeployCommand services.*.dockerCommand
    image: services.*.image.url
    quiet: services.*.runtime services.*.envVars
    """,
    _DEPLOYED,
    "unknown",
)
_RAILWAY_ROLES: Final = """
    line: build.buildCommand deploy.startCommand deploy.preDeployCommand environments.*.build.buildCommand
    line: environments.*.deploy.startCommand environments.*.deploy.preDeployCommand
    """
_RAILWAY: Final = Keys(_RAILWAY_ROLES, _DEPLOYED, "unknown", "json")
_APP: Final = Keys(
    """
    line: scripts.postdeploy scripts.pr-predestroy environments.*.scripts.*
    fetch: buildpacks.*.url environments.*.buildpacks.*.url
    module: expo.plugins
    endpoint: expo.updates.url
    quiet: env formation addons
    """,
    _DEPLOYED,
    "unknown",
    "json",
    frozenset({"buildpacks", "formation", "addons", "expo", "scripts"}),
)
_FIREBASE_PARTS: Final = "hosting functions database firestore storage".split()
_FIREBASE: Final = Keys(
    "\n".join(
        f"line: {part}.predeploy {part}.postdeploy {part}.*.predeploy {part}.*.postdeploy" for part in _FIREBASE_PARTS
    )
    + "\nquiet: emulators functions.runtime functions.*.runtime",
    "firebase deploy",
    "command",
    "json",
)

_TABLES: Final = {
    "ci.gitlab": GITLAB,
    "ci.circle": _CIRCLE,
    "ci.travis": _TRAVIS,
    "ci.azure": _AZURE,
    "ci.bitbucket": _BITBUCKET,
    "ci.drone": _DRONE,
    "ci.appveyor": _APPVEYOR,
    "ci.buildkite": _BUILDKITE,
    "ci.cloudbuild": _CLOUD_BUILD,
    "ci.codebuild": _CODE_BUILD,
    "ci.gitpod": _GITPOD,
    "ci.devfile": _DEVFILE,
    "ci.replit": _REPLIT,
    "ci.netlify": _NETLIFY,
    "ci.vercel": _VERCEL,
    "ci.wrangler": _WRANGLER,
    "ci.wrangler-json": _WRANGLER._replace(form="json"),
    "ci.fly": _FLY,
    "ci.render": _RENDER,
    "ci.railway": _RAILWAY,
    "ci.railway-toml": _RAILWAY._replace(form="toml"),
    "ci.app": _APP,
    "ci.firebase": _FIREBASE,
    **PLATFORMS,
}


def _procfile(reader: PluginReader, file: str) -> Iterator[Component]:
    """Describe the processes that a platform, or a runner such as foreman, starts."""
    for number, line in enumerate(text_of(reader, file).splitlines()[:MAX_DECLARED], start=1):
        process = _PROCESS.fullmatch(line.strip())
        if process is not None:
            yield shell_script(
                reader, file, process[2], name=process[1], trigger="unknown", gate=_DEPLOYED, number=number
            )
    reader.parsed.append(file)


def _by_keys(kind: str) -> Reader:
    return lambda reader, file: keyed_components(reader, file, _TABLES[kind])


READERS: Final[dict[str, Reader]] = {**{kind: _by_keys(kind) for kind in _TABLES}, "ci.procfile": _procfile}
