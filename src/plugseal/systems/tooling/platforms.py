"""Further build servers, hosting platforms and tools that start several processes: the keys that run something.

As in `ci.py`, which asks here for what it has no table of its own for.
"""

from __future__ import annotations

from typing import Final

from plugseal.systems.tooling.keys import Keys

_PUSHED: Final = "none: the build server runs it on a push"
_DEPLOYED: Final = "none: the platform runs it when it deploys"
_CALLED: Final = "the user calls it"
_BOOTED: Final = "none: a new machine runs it when it is first started"

_CIRRUS: Final = Keys(
    """
    line: script *_script *.script *.*_script
    image: container.image *.container.image docker_builder.image
    environment: env *.env
    quiet: only_if *.only_if
    """,
    _PUSHED,
    "unknown",
)
_CODEMAGIC: Final = Keys(
    """
    line: workflows.*.scripts workflows.*.scripts.*.script workflows.*.publishing.scripts
    line: workflows.*.publishing.scripts.*.script definitions.scripts.*.script
    quiet: workflows.*.environment workflows.*.triggering workflows.*.publishing.email
    """,
    _PUSHED,
    "unknown",
)
_BITRISE: Final = Keys(
    """
    line: workflows.*.steps.*.*.inputs.*.content step_bundles.*.steps.*.*.inputs.*.content
    quiet: workflows.*.before_run workflows.*.after_run workflows.*.envs app trigger_map meta
    """,
    _PUSHED,
    "unknown",
)
_READ_THE_DOCS: Final = Keys(
    "line: build.commands build.jobs.*\nquiet: python sphinx mkdocs conda build.os build.tools", _PUSHED, "unknown"
)
_APP_ENGINE: Final = Keys(
    "line: entrypoint entrypoint.shell\nenvironment: env_variables\nquiet: handlers",
    _DEPLOYED,
    "unknown",
    telling=frozenset({"runtime", "entrypoint"}),
)
_APP_SPEC: Final = Keys("words: hooks.*.*.location", _DEPLOYED, "unknown", telling=frozenset({"hooks", "files"}))
_SERVERLESS: Final = Keys(
    """
    module: plugins plugins.modules plugins.localPath
    line: custom.scripts.hooks.* custom.scripts.commands.* custom.scriptHooks.* custom.scriptable.hooks.*
    quiet: provider functions resources package custom.webpack custom.esbuild custom.prune
    """,
    "serverless deploy",
    telling=frozenset({"service", "provider", "functions", "plugins"}),
)
_PULUMI: Final = Keys(
    """
    module: plugins.providers.*.path plugins.languages.*.path plugins.analyzers.*.path
    quiet: runtime config template
    """,
    "pulumi up",
    telling=frozenset({"runtime", "plugins"}),
)
_HELMFILE: Final = Keys(
    """
    words: hooks.*.command releases.*.hooks.*.command
    remote: helmfiles.*.path
    quiet: repositories environments releases.*.values releases.*.chart
    """,
    "helmfile apply",
    telling=frozenset({"hooks", "releases", "repositories", "helmfiles"}),
)
_CLOUD_INIT: Final = Keys(
    """
    run: runcmd.* bootcmd.*
    fetch: apt.sources.*.source yum_repos.*.baseurl
    quiet: write_files packages ssh_authorized_keys disk_setup chpasswd
    """,
    _BOOTED,
    "start",
    telling=frozenset({"runcmd", "bootcmd", "write_files", "packages", "users"}),
)
_DEVSPACE: Final = Keys(
    """
    line: hooks.*.command commands.*.command commands.* dev.*.command pipelines.*.run pipelines.* functions.*
    fetch: dependencies.*.git imports.*.git
    quiet: images deployments dev vars
    """,
    _CALLED,
)
_OKTETO: Final = Keys(
    """
    line: deploy deploy.*.command deploy.commands.*.command deploy.commands destroy destroy.commands.*.command
    line: test.*.commands test.*.commands.*.command dev.*.command
    quiet: build dev
    """,
    _CALLED,
)
_PROCESSES: Final = Keys(
    "line: processes.*.command processes.*.shutdown.command processes.*.*_probe.exec.command shell.shell_command\n"
    "environment: environment",
    _CALLED,
    telling=frozenset({"processes"}),
)
_MPROCS: Final = Keys("line: procs.*.shell\nwords: procs.*.cmd", _CALLED, telling=frozenset({"procs"}))
_TMUXINATOR: Final = Keys(
    """
    line: pre pre_window on_project_start on_project_first_start on_project_restart on_project_exit on_project_stop
    line: windows.*.* windows.*.*.panes windows.*.*.panes.* windows.*.*.pre startup_command tmux_command
    quiet: root name socket_name
    """,
    _CALLED,
)
_PM2: Final = Keys(
    """
    words: apps.*.script apps.script apps.*.interpreter
    line: deploy.*.pre-deploy deploy.*.post-deploy deploy.*.pre-setup deploy.*.post-setup deploy.*.pre-deploy-local
    environment: apps.*.env apps.*.env_production apps.*.env_development
    """,
    "pm2 start",
    form="any",
    telling=frozenset({"apps", "deploy"}),
)
TABLES: Final = {
    "ci.cirrus": _CIRRUS,
    "ci.codemagic": _CODEMAGIC,
    "ci.bitrise": _BITRISE,
    "ci.readthedocs": _READ_THE_DOCS,
    "ci.appengine": _APP_ENGINE,
    "ci.appspec": _APP_SPEC,
    "ci.serverless": _SERVERLESS,
    "ci.pulumi": _PULUMI,
    "ci.helmfile": _HELMFILE,
    "ci.cloudinit": _CLOUD_INIT,
    "ci.devspace": _DEVSPACE,
    "ci.okteto": _OKTETO,
    "ci.processes": _PROCESSES,
    "ci.mprocs": _MPROCS,
    "ci.tmuxinator": _TMUXINATOR,
    "ci.pm2": _PM2,
}
"""What each does with its own file, by the kind of the file."""
