"""Every command in the order of its help: one entry here and one module beside it."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))

_PLUGIN: Final = Argument(
    "PLUGIN", "a directory, a file or an archive; or the ID or the name of a plugin below the current directory"
)

COMMANDS: Final = (
    Command(
        "scan",
        "say what the plugins at a path can do, and what alarms",
        "Reads every file below PATH once and runs none of them. Prints findings, what each plugin can do, and what "
        "could not be read.",
        (Argument("PATH", "a directory, a file, a .zip, .mcpb or .tar.gz", "."),),
        (
            _FORMAT,
            _OUTPUT,
            Option(
                ("--fail-on",),
                "lowest severity that ends with exit code 1",
                "SEVERITY",
                ("info", "low", "medium", "high", "never"),
                "high",
            ),
            Option(("--client",), "show only what one client would load and run, e.g. claude-code", "NAME"),
            Option(("--exit-zero",), "end with 0 in spite of findings, unread files or broken components"),
            Option(("--explain",), "say once for each rule that fired what it is, why it matters, what to do"),
            Option(("--user",), "scan the folders in which hosts look for your own plugins, with those of PATH"),
        ),
        (
            ("plugseal scan", "scan the current directory"),
            ("plugseal scan ./clone --fail-on medium", "fail on medium findings too"),
            ("plugseal scan ./clone --format json -o scan.json", "keep everything for a program"),
            ("plugseal scan ./clone --client codex", "what would Codex run of it?"),
            ("plugseal scan --user", "scan your own plugins, and see which hide which"),
        ),
    ),
    Command(
        "facts",
        "print each thing that code can do as a line of JSON",
        "Works on any source tree, plugin or not. One JSON object a line, in file order; nothing is judged.",
        (_PLUGIN,),
        (_OUTPUT,),
        (("plugseal facts ./server.py", "what can this file do?"),),
    ),
    Command(
        "validate",
        "say whether plugins keep the rules of their systems",
        "Looks at manifests and names: every fault at once with its place, and beside it what hosts and the format's "
        "own specification say. Code is not looked at. Ends with 1 if there is a fault or the specification "
        "does not load everything, with 4 if something could not "
        "be judged.",
        (_PLUGIN._replace(default="."),),
        (_FORMAT, _OUTPUT, Option(("--user",), "validate the plugins in the folders in which hosts look for your own")),
        (
            ("plugseal validate ./plugin", "every fault of this plugin"),
            ("plugseal validate amber:hello", "a plugin below here by its name"),
        ),
    ),
    Command(
        "hash",
        "print the receipts of a plugin, or of any tree",
        "Prints the content receipt of PLUGIN and, for each plugin exactly there, its capability receipt and token. "
        "For a Codewhale bundle its ID there and its own tokens are printed too, each with the versions that ask for "
        "it. A tree that can't be represented safely is refused with every reason. With --quiet the content receipt "
        "stands alone.",
        (_PLUGIN,),
        (
            _FORMAT,
            _OUTPUT,
            Option(("--manifest",), "print only the text whose SHA-256 is the content receipt"),
        ),
        (("plugseal hash ./plugin --manifest | sha256sum", "recompute the content receipt with another program"),),
    ),
    Command(
        "explain",
        "explain a rule, a capability, an error or a reason",
        "Says what ID is, why it matters and what to do about it.",
        (Argument("ID", "as printed by another command, e.g. subprocess-shell, net.outbound, symlink"),),
        (),
        (("plugseal explain process.shell", "what does this capability mean?"),),
    ),
    Command(
        "rules list",
        "list the rules",
        "Prints every rule with its severity and title.",
        (),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "rules test",
        "run the examples of rules as tests",
        "Runs the examples of every rule, or of the rule files given.",
        (Argument("FILE", "a rule file; all rules without one", "", many=True),),
        (),
    ),
    Command(
        "rules new",
        "write a first draft of a rule file",
        "Writes a rule file with an example that fires and one that is silent, to be filled in.",
        (Argument("FILE", "where to write, e.g. `rules/python/my-rule.toml`; folder and name are language and id"),),
        (),
    ),
)
"""Options common to all commands stand in `parser.COMMON`."""
