"""Every command in the order of its help: one entry here and one module beside it."""

from __future__ import annotations

from typing import Final

from plugseal.cli.commands.table_amber import AMBER_COMMANDS
from plugseal.cli.commands.table_amness import AMNESS_COMMANDS
from plugseal.cli.commands.table_codewhale import CODEWHALE_COMMANDS
from plugseal.cli.commands.table_coding import CODING_COMMANDS
from plugseal.cli.commands.table_lingtai import LINGTAI_COMMANDS
from plugseal.cli.commands.table_policy import POLICY_COMMANDS
from plugseal.cli.commands.table_rules import RULE_COMMANDS
from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_FORMATS: Final = _FORMAT._replace(choices=("text", "json", "sarif", "html", "markdown", "github"))

_NO_CACHE: Final = Option(("--no-cache",), "read every file again, whatever scans before found in it")
_JOBS: Final = Option(
    ("--jobs",), "how many processes look at the files; default one for each processor, for large trees", "NUMBER"
)

_PLUGIN: Final = Argument(
    "PLUGIN", "a directory, a file or an archive; or the ID or the name of a plugin below the current directory"
)
_KNOWN: Final = Argument("PLUGIN", "the ID, the path or the name of a recorded plugin")
_ONLY: Final = Option(("--only",), "components that are meant, as kind:name, with commas between; default all", "NAMES")
_SYSTEM: Final = Option(("--system",), "which plugin is meant, where several systems see one at a path", "NAME")

_KEY: Final = Option(("--key",), "the file of the private key that signs", "FILE")
_AGENT: Final = Option(("--agent",), "a key of ssh-agent: its comment, ID or fingerprint", "NAME")
_PASSPHRASES: Final = (
    Option(("--passphrase-fd",), "read the key's passphrase from an open descriptor", "NUMBER"),
    Option(("--passphrase-file",), "read the key's passphrase from a file that you alone can read", "FILE"),
)
_TEAM: Final = Option(("--team",), "the folder with `allowed_signers`; default `plugseal-trust`", "FOLDER")

COMMANDS: Final = (
    Command(
        "scan",
        "say what the plugins at a path can do, and what alarms",
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
            Option(("--with",), "ask another scanner too, and show what it says beside the scan", "NAME", ("bandit",)),
            Option(("--explain",), "say once for each rule that fired what it is, why it matters, what to do"),
            Option(("--user",), "scan the folders in which hosts look for your own plugins, with those of PATH"),
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
        (_PLUGIN,),
        (_OUTPUT, _NO_CACHE, _JOBS),
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
        "review",
        "show everything that a person must see before they trust a plugin",
        "Reads PLUGIN and shows what changed since it was trusted, what it starts, what it can do, what alarms, what "
        "could not be read, and at the end the exact command that trusts it. It shows; it does not judge.",
        (_PLUGIN,),
        (_FORMAT._replace(choices=("text", "json", "html")), _OUTPUT, _SYSTEM, _ONLY),
        (
            ("plugseal review ./plugin", "read it before you trust it"),
            ("plugseal review ./plugin --format html -o review.html", "one page with pictures, to look at"),
            ("plugseal review .mcp.json --only server:docs", "one server of several"),
        ),
    ),
    Command(
        "trust",
        "trust exactly the content and the capabilities of a token",
        "TOKEN is the last word of a review: 129 characters, and exactly those of what is on disk now. The plugin is "
        "copied, and nothing of it runs: `enable` permits that.",
        (_PLUGIN, Argument("TOKEN", "the whole token, as `plugseal review` prints it")),
        (_SYSTEM, _ONLY),
    ),
    Command(
        "enable",
        "permit a trusted plugin to run",
        "What is on disk must be what was trusted. A plugin that is not trusted is shown as by `review`, and refused.",
        (_PLUGIN,),
        (_SYSTEM,),
    ),
    Command(
        "disable",
        "take a plugin's permission to run, and keep its trust",
        "The plugin itself may be gone.",
        (_KNOWN,),
    ),
    Command(
        "revoke",
        "take the trust in a plugin",
        "The plugin itself may be gone or changed. What runs is stopped.",
        (_KNOWN,),
        (Option(("--reason",), "a few words for the trail", "TEXT"),),
    ),
    Command(
        "reload",
        "make everything that holds an older permission of a plugin ask again",
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
        "read what is trusted again with the rules and readers of today",
        "Newer readers may see more than those of the day of trust. Ends with 1 if the plugin can do something that "
        "the trusted document does not hold: review it again.",
        (_PLUGIN,),
        (_SYSTEM,),
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
        "it can do comes first, then its components, then its files. Ends with 1 if anything differs.",
        (_PLUGIN, Argument("OTHER", "another directory, file or archive", "")),
        (_FORMAT, _OUTPUT, _SYSTEM),
    ),
    Command(
        "run",
        "start a trusted, enabled component behind the gate, as an MCP client's command",
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
        "let every stdio server of a client's configuration go through the gate",
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
        "approve what a server says of its tools now",
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
        (_OUTPUT, _KEY, _AGENT, *_PASSPHRASES),
    ),
    Command(
        "log export",
        "print the trails as lines of JSON",
        "A header with the root over all entries, then the entries that stand whole.",
        (_KNOWN._replace(default=""),),
        (_OUTPUT,),
    ),
    Command(
        "receipt sign",
        "sign what you reviewed, for the others of your team",
        "Signs a receipt over the token of PLUGIN as it is on disk now and writes it below `reviews`. PLUGIN may be a "
        "receipt that is to be revoked. The key is named, never made and never guessed. A key of an agent or a "
        "security key makes an SSH signature, a key file DSSE's own.",
        (_PLUGIN,),
        (
            _KEY,
            _AGENT,
            *_PASSPHRASES,
            Option(("--decision",), "what you say of it", "WORD", ("trust", "reject", "revoke"), "trust"),
            Option(("--reviewer",), "who you are, as the team lists you; default as your key is listed", "NAME"),
            Option(("--audience",), "the team that it is for; default as its `team.toml` says", "NAME"),
            Option(("--days",), "for how many days it holds", "NUMBER", default="365"),
            Option(("--policy",), "the policy that you judged by, bound by its digest", "FILE"),
            Option(("--dsse",), "make DSSE's own signature, also by an agent"),
            Option(("--sshsig",), "make an SSH signature, also by a key file"),
            _TEAM,
            Option(("--reviews",), "where receipts lie; default `reviews`", "FOLDER"),
            _SYSTEM,
            _ONLY,
        ),
        (
            ("plugseal receipt sign ./plugin --key alice.key", "sign by a key file"),
            ("plugseal receipt sign ./plugin --agent alice@example.org", "sign by a key of ssh-agent"),
            ("plugseal receipt sign reviews/…/….dsse.json --decision revoke --key alice.key", "take a trust back"),
        ),
    ),
    Command(
        "receipt verify",
        "verify receipts, and the plugins that they are about",
        "RECEIPTS is one receipt, a folder of them, or a repository that has `reviews`. Prints each step in its order. "
        "With PLUGIN its content and capabilities are compared with what was signed. Ends with 1 if anything does not "
        "hold.",
        (
            Argument("RECEIPTS", "a receipt, the folder `reviews`, or a repository that holds it"),
            _PLUGIN._replace(default=""),
        ),
        (
            Option(("--key",), "the one public key whose signature counts", "FILE"),
            _TEAM,
            Option(("--threshold",), "how many people it takes; default as `team.toml` says", "NUMBER"),
            Option(("--pin",), "the SHA-256 that the team's folder must have, kept elsewhere", "SHA256"),
            Option(("--since",), "an older state of the folder, of which nothing may be gone", "FOLDER"),
            _FORMAT,
            _OUTPUT,
            _SYSTEM,
            _ONLY,
        ),
        (
            ("plugseal receipt verify . --team ../trust", "every plugin of this repository, by the team"),
            ("plugseal receipt verify reviews/…/….dsse.json ./plugin --key alice.pub", "one receipt, by one key"),
        ),
    ),
    Command(
        "receipt show",
        "show what a receipt says, without asking whether it holds",
        "Opens no key and verifies nothing.",
        (Argument("RECEIPT", "a receipt"),),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "receipt export",
        "print a receipt in the form of another tool",
        "`sigstore` is a bundle for cosign and the Sigstore clients, `sshsig` a signature for `ssh-keygen -Y verify` "
        "over the statement, `statement` the signed statement, `pae` the bytes that DSSE signs.",
        (Argument("RECEIPT", "a receipt"),),
        (
            Option(("--as",), "the form", "FORM", ("sigstore", "sshsig", "statement", "pae"), "sigstore"),
            _KEY,
            _AGENT,
            *_PASSPHRASES,
            _OUTPUT,
        ),
        (("plugseal receipt export reviews/…/….dsse.json --as statement", "what ssh-keygen verifies"),),
    ),
    Command(
        "key new",
        "make a key that signs reviews",
        "Writes NAME.key, readable by you alone, and NAME.pub. Without a passphrase the key is not encrypted. A key in "
        "ssh-agent or on a security key is safer: any of those can sign as well.",
        (Argument("NAME", "of the files; the key is called so too"),),
        (
            Option(("--type",), "what it signs by", "TYPE", ("ed25519", "p256"), "ed25519"),
            Option(("--comment",), "whose key it is, as the team will list it; default NAME", "NAME"),
            *_PASSPHRASES,
        ),
    ),
    Command(
        "key list",
        "list the keys of ssh-agent, and those that a team allows",
        "A key of the team is shown with what keeps it from counting.",
        (),
        (_TEAM, _FORMAT, _OUTPUT),
    ),
    Command(
        "key show",
        "show a public key, with the line that lets it sign",
        "The line is for `allowed_signers`, which git and ssh-keygen read too.",
        (Argument("KEY", "the file of a public key"),),
        (Option(("--pem",), "print the key as OpenSSL and others read it"), _FORMAT, _OUTPUT),
    ),
    *RULE_COMMANDS,
)
"""Options common to all commands stand in `parser.COMMON`."""
