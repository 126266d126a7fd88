"""The commands for agents of lingtai and their Agent Plugins as data; the words are those of its own manual."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_AGENT: Final = Argument("AGENT", "the folder of the agent, in which its `init.json` lies", ".")
_CHECK: Final = Option(("--check",), "write nothing; 1 if the registry would be another one")
_PLUGINS: Final = Option(("--plugins",), "plugins whose servers are started, with commas between; default all", "NAMES")
_ENVELOPE: Final = (
    Option(("--input",), "the call's `input`, which must be the empty object", "JSON", default="{}"),
    Option(("--reasoning",), "why it is called, as the tool asks for it", "TEXT", default="asked for by hand"),
    _OUTPUT,
)

LINGTAI_COMMANDS: Final = (
    Command(
        "lingtai list",
        "list the plugins of an agent, and what keeps each registered server from being started",
        "Registered is not running: a server starts only if `init.json` has a matching entry under `mcp`, and exactly "
        "these bytes are trusted and enabled.",
        (_AGENT,),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "lingtai refresh",
        "register the plugins that an agent declares, and prune what it does not declare any more",
        "Writes records with `source` `plugin:<name>` to `mcp_registry.jsonl`: stale ones go first, missing ones are "
        "appended, those of anybody else stay byte for byte. To uninstall a plugin take it out of `manifest.plugins` "
        "and refresh. Starts nothing and trusts nothing.",
        (_AGENT,),
        (_CHECK, _FORMAT, _OUTPUT),
        (("plugseal lingtai refresh ./agent --check", "what would change?"),),
    ),
    Command(
        "lingtai prune",
        "take the records of plugins that an agent does not declare any more out of its registry",
        "As `refresh`, and appends nothing.",
        (_AGENT,),
        (_CHECK, _FORMAT, _OUTPUT),
    ),
    Command(
        "lingtai render",
        "print the section `<registered_plugin>` for an agent's prompt",
        "Both tiers, each plugin stamped `registered` or `discovered`. Words of plugins are one line each and can "
        "close no element. Prints nothing where there is no plugin.",
        (_AGENT,),
        (_OUTPUT,),
    ),
    Command(
        "lingtai info",
        "print the last registration of an agent, and what is there now, as the tool `plugin` answers",
        "Registers nothing. Ends with 1 if the call is refused, e.g. for an `input` that is not empty.",
        (_AGENT,),
        (Option(("--summarize",), "names and counts in the place of rows"), *_ENVELOPE),
    ),
    Command(
        "lingtai settings",
        "print the one setting of the tool `plugin`, its paths redacted",
        "Reads the snapshot of the last registration and nothing else; ends with 1 where there is none.",
        (_AGENT,),
        _ENVELOPE,
    ),
    Command(
        "lingtai manual",
        "print the manual that the tool `plugin` answers",
        "How plugins are declared, reviewed and activated.",
        (_AGENT,),
        _ENVELOPE,
    ),
    Command(
        "lingtai call",
        "call one tool of an agent's activated servers by hand, or the tool `plugin`",
        "Starts every activated server behind the gate, calls one tool, and ends them. Two servers with a tool of the "
        "same name fail before any call: `duplicate MCP tool name`. Ends with 1 if the tool failed, with 126 where the "
        "gate refused, with 125 where plugseal itself failed.",
        (
            _AGENT._replace(default=None),
            Argument("TOOL", "the name of the tool"),
            Argument("JSON", "its arguments, a JSON object", "{}"),
        ),
        (_PLUGINS,),
        (('plugseal lingtai call ./agent hello \'{"name": "Dana"}\'', "what would the agent get?"),),
    ),
    Command(
        "lingtai serve",
        "offer the tools of an agent's activated servers to an MCP client, all in one",
        "A client's command: speaks MCP on standard input and output. Each server runs behind the gate; one that is "
        "refused is said on standard error, and the others are offered, with the tool `plugin`. Two servers with a "
        "tool of the same name: nothing is offered, and it ends with 125.",
        (_AGENT,),
        (_PLUGINS,),
    ),
)
