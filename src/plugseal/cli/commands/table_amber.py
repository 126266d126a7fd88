"""The commands of amber's plugins as data: amber's own words, behind the gate."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_ID: Final = Argument("ID", "amber's ID of the plugin (the first that amber finds), a path, or our ID")
_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_WORKSPACE: Final = Option(
    ("--workspace",), "the workspace: paths in calls stay in it, its `.amber/plugins` counts; default here", "FOLDER"
)

AMBER_COMMANDS: Final = (
    Command(
        "amber list",
        "list the plugins that amber finds, in its order, with their state",
        "Looks where amber looks. A plugin is on once it was reviewed, trusted and switched on; of two with one ID the "
        "first counts. With --prompt it prints the text that tells a model about the tools of those that are on.",
        (),
        (Option(("--prompt",), "print the advertisement of the tools that are offered"), _WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "amber info",
        "show one plugin of amber's: who made it, what it says, its tools, settings and state",
        "Reads it and runs nothing.",
        (_ID,),
        (_WORKSPACE, _FORMAT, _OUTPUT),
    ),
    Command(
        "amber install",
        "install a plugin from a tar.gz by its path or an https address, and leave it off",
        "The archive is read in memory and refused for any irregular member and any breach of amber's documented "
        "rules. It is put where amber looks, over nothing that lies there. It is neither trusted nor on.",
        (Argument("SOURCE", "a `.tar.gz`, or an `https://` address of one"),),
        (Option(("--replace",), "take the place of an installed plugin, and keep its settings"),),
        (
            ("plugseal amber install ./hello.tar.gz", "from a file"),
            ("plugseal amber install https://example.com/hello.tar.gz", "over https, without proxies"),
        ),
    ),
    Command(
        "amber uninstall",
        "take back a plugin's trust, and remove it from your own folder",
        "What runs of it is ended. System-shipped plugins and those of a workspace stay where they are.",
        (_ID,),
        (),
    ),
    Command(
        "amber on",
        "switch a trusted plugin on",
        "As `plugseal enable`, and each of its tools must have a name that no other enabled plugin has. One that is "
        "not trusted as it is now is refused with 1, and the command that reviews it is named.",
        (_ID,),
        (_WORKSPACE,),
        (("plugseal amber on hello", "after its review"),),
    ),
    Command(
        "amber off",
        "switch a plugin off and keep its trust",
        "As `plugseal disable`: a host that runs it tells it to shut down.",
        (_ID,),
        (_WORKSPACE,),
    ),
    Command(
        "amber settings",
        "show or change the settings of a trusted plugin",
        "KEY prints one value, KEY=VALUE overrides the default by a value of the same type. They are given to the "
        "plugin at its next start.",
        (_ID, Argument("KEY", "a setting, or `KEY=VALUE` to change it", "")),
        (Option(("--default",), "go back to the default of KEY"), _WORKSPACE, _FORMAT, _OUTPUT),
        (
            ("plugseal amber settings hello", "what are they?"),
            ("plugseal amber settings hello greeting=Hi", "override one"),
        ),
    ),
    Command(
        "amber call",
        "call one tool of a plugin that is on by hand",
        "Starts it behind the gate, shakes hands, calls, and ends it. Prints the envelope as JSON; ends with 1 if it "
        "says that the call failed, with 126 where the gate refused, with 125 where plugseal itself failed.",
        (
            _ID,
            Argument("TOOL", "the name of the tool, as declared or as registered"),
            Argument("JSON", "its arguments, a JSON object", "{}"),
        ),
        (_WORKSPACE,),
        (('plugseal amber call hello greet \'{"name": "amber"}\'', "what would amber get?"),),
    ),
    Command(
        "amber serve",
        "offer the tools of all plugins that are on to an MCP client",
        "Speaks MCP on standard input and output. Each plugin is started behind the gate at the first call of one of "
        "its tools and kept until it is switched off, revoked, or this ends.",
        (),
        (_WORKSPACE,),
        (("plugseal amber serve --workspace ~/project", "what a client's configuration calls"),),
    ),
)
"""Where one stands in the order of help: after `unwrap`, with the other systems."""
