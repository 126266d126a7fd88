"""Every command in the order of its help: one entry here and one module beside it."""

from __future__ import annotations

from typing import Final

from plugseal.cli.commands.options import ONLY, PLUGIN, SIGNING, SYSTEM
from plugseal.cli.commands.table_amber import AMBER_COMMANDS
from plugseal.cli.commands.table_amness import AMNESS_COMMANDS
from plugseal.cli.commands.table_codewhale import CODEWHALE_COMMANDS
from plugseal.cli.commands.table_coding import CODING_COMMANDS
from plugseal.cli.commands.table_lingtai import LINGTAI_COMMANDS
from plugseal.cli.commands.table_policy import POLICY_COMMANDS
from plugseal.cli.commands.table_receipts import RECEIPT_COMMANDS
from plugseal.cli.commands.table_rules import RULE_COMMANDS
from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_FORMATS: Final = _FORMAT._replace(choices=("text", "json", "sarif", "html", "markdown", "github"))

_NO_CACHE: Final = Option(("--no-cache",), "read every file again, and take nothing that an earlier scan kept")
_JOBS: Final = Option(
    ("--jobs",), "how many processes read the files [default: one, for a large tree one for each processor]", "NUMBER"
)
_KNOWN: Final = Argument("PLUGIN", "the ID, the path or the name of a recorded plugin")

COMMANDS: Final = (
    Command(
        "scan",
        "say what the plugins at a path can do, and report findings",
        "Reads every file below PATH once and runs none of them. Prints findings, what each plugin can do, and what "
        "could not be read.",
        (Argument("PATH", "a directory, a file, a .zip, .mcpb or .tar.gz", "."),),
        (
            _FORMATS,
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
            Option(
                ("--with",), "ask another scanner too, and show its opinion beside the findings", "NAME", ("bandit",)
            ),
            Option(("--explain",), "say once for each rule with findings what it is, why it matters and what to do"),
            Option(
                ("--user",), "scan your own plugins, in the folders where clients look for them, with those of PATH"
            ),
            _NO_CACHE,
            _JOBS,
        ),
        (
            ("plugseal scan", "scan the current directory"),
            ("plugseal scan ./clone --fail-on medium", "fail on medium findings too"),
            ("plugseal scan ./clone --format json -o scan.json", "keep everything for a program"),
            ("plugseal scan ./clone --format html -o scan.html", "one page to look at, without script"),
            ("plugseal scan ./clone --client codex", "what would Codex run of it?"),
            ("plugseal scan --user", "scan your own plugins, and see which hide which"),
        ),
    ),
    Command(
        "facts",
        "print each thing that code can do as a line of JSON",
        "Works on any source tree, plugin or not. One JSON object a line, in file order; nothing is judged.",
        (PLUGIN,),
        (_OUTPUT, _NO_CACHE, _JOBS),
        (("plugseal facts ./server.py", "what can this file do?"),),
    ),
    Command(
        "validate",
        "say whether plugins keep the rules of their systems, and what hosts refuse",
        "Looks at manifests and names: every fault at once with its place, and beside it what hosts and the format's "
        "own specification say. Code is not looked at. Ends with 1 if there is a fault or the specification "
        "does not load everything, with 4 if something could not "
        "be judged.",
        (PLUGIN._replace(default="."),),
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
        "it. A tree that can have no receipt (links, names that collide) is refused with every reason. With --quiet "
        "the content receipt stands alone.",
        (PLUGIN,),
        (
            _FORMAT,
            _OUTPUT,
            Option(("--manifest",), "print only the text whose SHA-256 is the content receipt"),
        ),
        (("plugseal hash ./plugin --manifest | sha256sum", "recompute the content receipt with another program"),),
    ),
    Command(
        "review",
        "show all that a person must see before they trust a plugin, and the token that trusts it",
        "Reads PLUGIN and shows what changed since it was trusted, what it starts, what it can do, what alarms, what "
        "could not be read, and at the end the exact command that trusts it. It shows; it does not judge.",
        (PLUGIN,),
        (_FORMAT._replace(choices=("text", "json", "html")), _OUTPUT, SYSTEM, ONLY),
        (
            ("plugseal review ./plugin", "read it before you trust it"),
            ("plugseal review ./plugin --format html -o review.html", "one page with pictures, to look at"),
            ("plugseal review .mcp.json --only server:docs", "one server of several"),
        ),
    ),
    Command(
        "trust",
        "trust a plugin by the token of its review: exactly this content, these capabilities",
        "TOKEN is the last word of a review: 129 characters, and exactly those of what is on disk now. The plugin is "
        "copied, and nothing of it runs: `enable` permits that.",
        (PLUGIN, Argument("TOKEN", "the whole token, as `plugseal review` prints it")),
        (SYSTEM, ONLY),
    ),
    Command(
        "enable",
        "permit a trusted plugin to run",
        "What is on disk must be what was trusted. A plugin that is not trusted is shown as by `review`, and refused.",
        (PLUGIN,),
        (SYSTEM,),
    ),
    Command(
        "disable",
        "take back a plugin's permission to run; its trust stays",
        "The plugin itself may be gone.",
        (_KNOWN,),
    ),
    Command(
        "revoke",
        "take back the trust in a plugin, and stop what runs of it",
        "The plugin itself may be gone or changed. What runs of it is stopped.",
        (_KNOWN,),
        (Option(("--reason",), "a few words for the trail", "TEXT"),),
    ),
    Command(
        "reload",
        "make what runs of a plugin ask for permission again",
        "Changes neither trust nor permission.",
        (_KNOWN,),
    ),
    Command(
        "forget",
        "forget what is recorded about a plugin",
        "Only its generation stays, so that no older permission ever fits again.",
        (_KNOWN,),
    ),
    Command(
        "recheck",
        "read a trusted plugin again with the rules and readers of today",
        "Newer readers may see more than those that the trust rests on. Ends with 1 if the plugin can do something "
        "that the trusted document does not hold: review it again.",
        (PLUGIN,),
        (SYSTEM,),
    ),
    Command(
        "stage gc",
        "remove staged copies that no trust needs",
        "A copy that is trusted stays. Nothing that runs from a copy is stopped.",
    ),
    Command(
        "list",
        "list the plugins below a path, and the recorded ones, with their trust",
        "Says of each plugin whether it is trusted as it is now, enabled, changed or not reviewed, and what to type.",
        (Argument("PATH", "where to look for plugins", "."),),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "show",
        "show what is recorded about a plugin",
        "Its trust, its permission, the newest entries of its trails. The plugin itself may be gone.",
        (_KNOWN,),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "diff",
        "say how two plugins, or a plugin and its trusted copy, differ",
        "With one PLUGIN: how it differs from what was trusted. With two: how the second differs from the first. What "
        "it can do comes first, then its components, then its files. Ends with 1 if anything differs but what `wrap` "
        "wrote.",
        (PLUGIN, Argument("OTHER", "another directory, file or archive", "")),
        (_FORMAT, _OUTPUT, SYSTEM),
    ),
    Command(
        "run",
        "start a trusted, enabled component: the command in a client's configuration",
        "Nothing starts unless exactly what was reviewed is there, trusted, enabled and not revoked. Ends with the "
        "component's own exit code, with 126 where the gate refused, with 125 where plugseal itself failed.",
        (
            Argument("ID", "the whole ID of the plugin, as `plugseal list` prints it"),
            Argument("COMPONENT", "kind:name; needed where the plugin has several", ""),
        ),
        (),
        (("plugseal run agent-plugins:docs@3f2a91c07d5e", "what a client's configuration calls"),),
    ),
    Command(
        "call",
        "call one tool of a trusted, enabled server by hand",
        "Starts it behind the gate, asks for its tools, calls one, and ends it. Prints the result as JSON; ends with 1 "
        "if the tool failed, with 126 where the gate refused, with 125 where plugseal itself failed.",
        (
            Argument("ID", "the whole ID of the plugin; with several servers `ID/server:name`"),
            Argument("TOOL", "the name of the tool"),
            Argument("JSON", "its arguments, a JSON object", "{}"),
        ),
        (),
        (('plugseal call agent-plugins:docs@3f2a91c07d5e search \'{"text": "gate"}\'', "what would a client get?"),),
    ),
    Command(
        "wrap",
        "make a client's configuration start its servers through the gate",
        "Rewrites the configurations of Claude Desktop and Code, Cursor, VS Code, Windsurf, Codex and Gemini: each "
        "server whose command is that of a trusted plugin is started by an absolute, isolated interpreter that runs "
        "`plugseal run ID`. The bytes of before are kept in the state folder. A server that nobody trusted stays as it "
        "is and is said; with --check nothing is written, and it ends with 1 if anything goes around the gate.",
        (Argument("FILES", "the configurations", many=True),),
        (Option(("--check",), "write nothing; 1 if a server does not go through the gate"),),
        (
            ("plugseal wrap .mcp.json ~/.codex/config.toml", "from now on through the gate"),
            ("plugseal wrap --check .mcp.json", "does anything go around it?"),
        ),
    ),
    Command(
        "unwrap",
        "put a client's configuration back as it was before `wrap`",
        "The very bytes of before, if the file is as `wrap` left it; else it is refused and both are left.",
        (Argument("FILES", "the configurations", many=True),),
        (),
    ),
    Command(
        "pins approve",
        "approve a server's tools as it describes them now",
        "SNAPSHOT is the digest that `plugseal show` prints under what is pinned: exactly what was seen is approved.",
        (_KNOWN, Argument("SNAPSHOT", "64 hex digits, as `plugseal show` prints them")),
    ),
    *AMBER_COMMANDS,
    *AMNESS_COMMANDS,
    *CODEWHALE_COMMANDS,
    *CODING_COMMANDS,
    *LINGTAI_COMMANDS,
    *POLICY_COMMANDS,
    Command(
        "log",
        "show the trails: what was decided about plugins, and what ran",
        "The latest 32 entries of each trail stand whole; that older ones are what they were is shown by their hashes.",
        (_KNOWN._replace(default=""),),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "log verify",
        "verify that no entry of the trails was cut, changed or put back",
        "Without PLUGIN all trails. PLUGIN may be a file made by `log export`. What was put back as a whole can only "
        "be told by a checkpoint that was kept elsewhere: `--since`. Ends with 4 if a trail is broken.",
        (_KNOWN._replace(default=""),),
        (
            _FORMAT,
            _OUTPUT,
            Option(("--since",), "checkpoints that were taken away earlier", "FILE"),
            Option(("--key",), "the public key that must have signed those checkpoints", "FILE"),
        ),
    ),
    Command(
        "log checkpoint",
        "print checkpoints of the trails, to be kept elsewhere",
        "Commit them, print them in CI, or give them to somebody: `log verify --since` then tells a whole history that "
        "was put back. With a key (Ed25519) each is a signed note, which programs for transparency logs read.",
        (_KNOWN._replace(default=""),),
        (_OUTPUT, *SIGNING),
    ),
    Command(
        "log export",
        "print the trails as lines of JSON",
        "A header with the root over all entries, then the entries that stand whole.",
        (_KNOWN._replace(default=""),),
        (_OUTPUT,),
    ),
    *RECEIPT_COMMANDS,
    *RULE_COMMANDS,
)
"""Options common to all commands stand in `parser.COMMON`."""
