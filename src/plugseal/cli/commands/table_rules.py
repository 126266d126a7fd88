"""The commands that explain, and those about rules, as data."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))

RULE_COMMANDS: Final = (
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
"""The last ones in the order of help."""
