"""The commands of Amness's plugins as data: Amness's own words, behind the gate."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_WORKSPACE: Final = Option(("--workspace",), "the project's folder, whose `.amness` counts; default here", "FOLDER")
_NAMED: Final = Option(
    ("--plugin",), "plugin files that are loaded too, with commas between; each must be trusted all the same", "FILES"
)
_TRUST_PROJECT: Final = Option(
    ("--trust-project",), "load the project's plugins too, as far as they are trusted and enabled"
)
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_LOADED: Final = (_TRUST_PROJECT, _NAMED, _WORKSPACE)
_TRACES: Final = Argument("TRACES", "trace files (lines of JSON), or folders of them", many=True)

AMNESS_COMMANDS: Final = (
    Command(
        "amness list",
        "list the plugins of Amness that load, and the files that do not, with the reason",
        "Each trusted and enabled plugin is loaded in a process of its own, asked what it contributes, and ended. "
        "Plugins of the project are loaded with --trust-project alone; how many were skipped is said, with what each "
        "seems to touch.",
        (),
        (*_LOADED, _FORMAT, _OUTPUT),
        (("plugseal amness list --trust-project", "those of this project too"),),
    ),
    Command(
        "amness add",
        "copy a plugin file into the project's folder of plugins",
        "SOURCE is a `.ts` or `.js` file of at most 300 KB with a default export, or an https address of one. Nothing "
        "is written over, nothing is run, and nothing is trusted; what the file seems to touch is printed.",
        (Argument("SOURCE", "a file, or an `https://` address"),),
        (_WORKSPACE,),
        (
            ("plugseal amness add ./their-plugin.ts", "from a file"),
            ("plugseal amness add https://example.com/their-plugin.ts", "over https, without proxies"),
        ),
    ),
    Command(
        "amness new",
        "write a new plugin from a template into the project's folder of plugins",
        "The file is `.amness/plugins/NAME.ts`. Nothing is written over.",
        (Argument("NAME", "letters, digits, `.`, `_` and `-`, up to 40"),),
        (_WORKSPACE,),
    ),
    Command(
        "amness policy",
        "say what the policies of plugins say of tool calls that already happened",
        "Reads the tool calls of TRACES and runs none of them. At most 25 denied or asked calls are shown. The "
        "permission mode and rules of a host are not known here: it is what the policies say, not what would happen.",
        (_TRACES,),
        _LOADED,
        (("plugseal amness policy .amness/traces --trust-project", "by the project's own policies"),),
    ),
    Command(
        "amness grade",
        "score sessions that already happened by the graders of plugins",
        "Each session of TRACES is handed to each grader. A score is a number from 0 to 1; a grader may skip one.",
        (_TRACES,),
        (*_LOADED, _FORMAT, _OUTPUT),
    ),
    Command(
        "amness eval",
        "try the eval cases of plugins without a model",
        "The check of a case must fail at the start and pass once its solution is in place. Ends with 1 if one is not "
        "sound. Nothing else of an eval is run here: a model takes a harness.",
        (),
        (Option(("--selftest",), "the only thing that is done; must be given"), *_LOADED),
        (("plugseal amness eval --selftest --trust-project", "the project's own cases"),),
    ),
    Command(
        "amness call",
        "answer one request of a harness by hand",
        "METHOD is one of those that `plugseal amness serve` answers, for example tool, hook, policy or command; JSON "
        "holds its parameters. What a command says is printed; there is no agent that it could ask.",
        (Argument("METHOD", "for example `tool`"), Argument("JSON", "an object", "{}")),
        _LOADED,
        (("plugseal amness call status --trust-project", "the status lines of the project's plugins"),),
    ),
    Command(
        "amness serve",
        "serve a harness: every contribution of the plugins over lines of JSON",
        "Requests come on standard input, answers go to standard output. Each plugin runs in a process of its own, "
        "from what was reviewed, for as long as its permission lasts.",
        (),
        _LOADED,
    ),
)
"""Where one stands in the order of help: with the runtimes of the other systems."""
