"""The commands of Coding's plugins as data."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_ID: Final = Argument("PLUGIN", "the ID of the plugin, or the path or the name of a recorded one")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))
_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_AUTHORIZE: Final = Option(
    ("--authorize",), "tools that may be called, with commas between; no other is, but by the pinned policy", "TOOLS"
)
_TIMEOUT: Final = Option(
    ("--timeout",), "how long a call may be silent, progress counts; then it is cancelled; default 60", "SECONDS"
)

CODING_COMMANDS: Final = (
    Command(
        "coding list",
        "list the recorded plugins of Coding's with their tools",
        "Starts nothing: the tools are those of the reviewed manifest.",
        (),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "coding load",
        "start a trusted, enabled plugin of Coding's, and say what it tells of itself and its tools",
        "Behind the gate. One breach of the contract fails the whole load. A tool that is not what was reviewed, or "
        "what was pinned at the first start, is shown as denied.",
        (_ID,),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "coding call",
        "call one tool of a plugin of Coding's by hand",
        "Prints the result as JSON and the progress on standard error. The contract does not tell what a tool "
        "accesses, so each call must be authorized. Ctrl-C cancels the call; a plugin that does not stop then is "
        "killed. Ends with 1 if the tool did not succeed, with 126 where the gate refused or nobody authorized it.",
        (_ID, Argument("TOOL", "the name of the tool"), Argument("JSON", "its arguments, a JSON object", "{}")),
        (_AUTHORIZE, _TIMEOUT),
        (
            (
                'plugseal coding call coding:notes@3f2a91c07d5e write \'{"text": "hello"}\' --authorize write',
                "one call of one tool",
            ),
        ),
    ),
    Command(
        "coding serve",
        "offer the tools of enabled plugins of Coding's to an MCP client",
        "Over standard input and output. Without IDs all enabled plugins are offered; of two with one tool the later "
        "one contributes none. A call of a tool that nobody authorized is answered with an error that says so.",
        (Argument("IDS", "plugins; default all that are enabled", "", many=True),),
        (_AUTHORIZE, _TIMEOUT),
        (("plugseal coding serve --authorize count_lines", "what a client's configuration calls"),),
    ),
)
