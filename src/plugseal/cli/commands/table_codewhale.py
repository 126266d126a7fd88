"""The commands for Codewhale's bundles as data; the words are those of its own `/plugin`, `/skills` and `/mcp`."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_WORKSPACE: Final = Option(("--workspace",), "the workspace; default the current folder", "DIR")
_BUNDLE: Final = Argument("NAME", "the bundle's name, or its ID")
_SKILL: Final = Argument("SKILL", "`plugin:skill`, as `codewhale skills list` prints it")
_SERVER: Final = Argument("SERVER", "`plugin-…`, as `codewhale mcp list` prints it")
_AUTHORITIES: Final = Option(("--ca",), "certificates in PEM that alone are believed of remote servers", "FILE")

CODEWHALE_COMMANDS: Final = (
    Command(
        "codewhale list",
        "list Codewhale's bundles of the user and of a workspace, and what keeps each from contributing",
        "Reads `~/.codewhale/plugins` and `.codewhale/plugins` of the workspace and no other application's folders. "
        "Writes nothing, starts nothing, asks no network. An `overrides.json` of older versions is named and never "
        "taken for trust.",
        (),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale validate",
        "say what is wrong with a bundle",
        "Every diagnostic under Codewhale's own code. Ends with 1 if the bundle is refused or can't be enabled.",
        (_BUNDLE,),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale show",
        "show the review of a bundle, ending in the exact command that trusts it",
        "As `review`, with the bundle's state, its qualified skills and the names of its servers. Values of variables "
        "are never read.",
        (_BUNDLE,),
        (_WORKSPACE, _OUTPUT),
    ),
    Command(
        "codewhale trust",
        "trust exactly what is on disk now; nothing is enabled by it",
        "Copies the reviewed tree and records it. The token is ours, of the last line of `codewhale show`, and must be "
        "whole.",
        (_BUNDLE, Argument("TOKEN", "all 129 characters")),
        (_WORKSPACE,),
    ),
    Command(
        "codewhale enable",
        "permit a trusted bundle to contribute",
        "One that is not trusted as it is now is shown, and refused with 1: so the first `enable` opens the review.",
        (_BUNDLE,),
        (_WORKSPACE,),
    ),
    Command(
        "codewhale disable",
        "stop a bundle from contributing, and keep its trust",
        "Whatever it does at the moment is ended.",
        (_BUNDLE,),
        (_WORKSPACE,),
    ),
    Command(
        "codewhale revoke",
        "take back the trust in a bundle; whether it was enabled stays",
        "It stays inactive until it is reviewed again. Whatever it does at the moment is ended.",
        (_BUNDLE,),
        (Option(("--reason",), "why, for the trail", "TEXT"), _WORKSPACE),
    ),
    Command(
        "codewhale reload",
        "look at the bundles anew, and end what is permitted to those whose files changed",
        "Prints the list as it is then. A bundle whose files changed stays inactive until it is reviewed again.",
        (),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale tools",
        "list the scripts of Codewhale's older system of tools, which has nothing to do with bundles",
        "Those below `[tools].plugin_dir` of its `config.toml`. None is started, and none is trusted by anything here.",
        (),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale skills list",
        "list the skills that a model may ask for now",
        "Only as `plugin:skill`, out of a snapshot of the reviewed copy.",
        (),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale skills load",
        "print the text of a skill",
        "Source, copy, receipt, workspace and generation are looked at first; what drifted prints nothing.",
        (_SKILL,),
        (_WORKSPACE, _OUTPUT),
    ),
    Command(
        "codewhale skills inspect",
        "say which reviewed bundle a skill is of, without the place of it",
        "Receipts, generation and the day of the review.",
        (_SKILL,),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale skills queue",
        "print what a host keeps with a queued message that uses a skill",
        "One line of JSON: where the skill came from, neither its text nor a path.",
        (_SKILL,),
        (_WORKSPACE, _OUTPUT),
    ),
    Command(
        "codewhale skills dispatch",
        "print the text of a queued skill, if it is still exactly what it was when it was queued",
        "An older generation, another workspace, review or text is refused.",
        (Argument("FILE", "what `codewhale skills queue` printed"),),
        (_WORKSPACE, _OUTPUT),
    ),
    Command(
        "codewhale mcp list",
        "list the MCP servers that may be asked now",
        "Nothing is connected.",
        (),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "codewhale mcp show",
        "print what a server has, as JSON",
        "Connects to it under its reviewed authority.",
        (_SERVER,),
        (
            Option(("--kind",), "of what", "KIND", ("tools", "resources", "templates", "prompts"), "tools"),
            _AUTHORITIES,
            _WORKSPACE,
            _OUTPUT,
        ),
    ),
    Command(
        "codewhale call",
        "call one tool of a server by hand",
        "A program is started from the copy, a remote server is asked at its reviewed address alone. Ends with 1 if "
        "the answer is an error.",
        (_SERVER, Argument("TOOL", "its name"), Argument("JSON", "its arguments", "{}")),
        (_AUTHORITIES, _WORKSPACE),
        (('plugseal codewhale call plugin-5-notes-desk find \'{"text": "release"}\'', "one call"),),
    ),
    Command(
        "codewhale serve",
        "offer the skills and servers of active bundles to an MCP client on standard input and output",
        "Tools are called `plugin-….tool`; skills come by `load_skill`. Lines of ours go to standard error alone.",
        (),
        (_AUTHORITIES, _WORKSPACE),
    ),
)
"""Where one stands in the order of help: after the commands of every system."""
