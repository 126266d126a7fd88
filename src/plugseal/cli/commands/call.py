"""`plugseal call`: one call of one tool by hand, behind the gate."""

from __future__ import annotations

import argparse
import json

from plugseal.cli.commands.serving import tell_by
from plugseal.cli.exits import NO, YES
from plugseal.cli.output import Result
from plugseal.shown import shown_json
from plugseal.verbs.call import call_tool
from plugseal.verbs.state import open_running_store


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; 1 if it is an error or the tool says that it failed.

    Raises:
        PlugsealError: as `call_tool`.
    """
    answer = call_tool(arguments.id, arguments.tool, arguments.json, open_running_store(), on_event=tell_by(arguments))
    result = answer.get("result")
    with Result() as stream:
        stream.write(shown_json(json.dumps(answer.get("error") if "error" in answer else result, indent=2)) + "\n")
    return NO if "error" in answer or (isinstance(result, dict) and result.get("isError") is True) else YES
