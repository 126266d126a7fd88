"""The page of capabilities, made from the closed list and the counts of the tables, so that it can't differ from them."""

from __future__ import annotations

from collections.abc import Iterable

from plugseal.model.capability import Capability, Channel, Resolution

_HEAD = """# Capabilities

<!-- made by `python tests/docs/write_capabilities.py`; a test compares -->

A capability is something that a plugin *can do*: a fact with evidence, not an accusation.
The list is closed.
Each fact has an object where one can be known (a host, path, program, variable or package), and none (`null`, shown as `?`) where it can't.

| capability | the plugin |
|---|---|
"""

_TAIL = """
## Evidence

Every fact says where it was seen (file, line, column), and three more things.

**Resolution**: how surely it was established.

- `{direct}`: the name stands there as it was imported.
- `{resolved}`: through an alias, a folded string, a reflective call or another file of the plugin.
- `{possible}`: it may be so: a function that is mentioned and not called, a value of a shell's variable that is one of several, an
  import alone, what another machine or a container runs.
  Of the values that code itself gives (`a if x else b`, the default of a variable), each is told as surely as the call.

**Channel**: what it was seen in: {channels}.
`nested` is code inside a string that something runs; `import` is an import alone, which is weak evidence and never a finding by itself.

**Trigger**: when it happens: `import` (as soon as the module is loaded), `start` (when the file is run), `tool` (when the agent calls a tool), `hook:<event>`, `install`, `open`, `command`, `prose`, or `unknown`.

## What is no capability

Comments, docstrings, annotations, strings that nothing runs, names that only look alike (`re.compile`, `model.eval()`), and names that the file defines itself.
What can't be resolved on a sensitive module is `code.reflective`, never silence; a file that no reader understood is `unread`, never harmless.
"""


_KNOWN = """
## What is known

Which names can do what is data: tables that the readers look into once a name is resolved.
A name that no table holds has no fact, unless it is computed on a sensitive module, imported from elsewhere, or unread.

| language | tables | names with what they can do |
|---|---:|---:|
"""


def render_capabilities_page(known: Iterable[tuple[str, str, int]]) -> str:
    """Return the Markdown of `docs/concepts/capabilities.md`.

    Args:
        known: of each language its name, how many modules or programs its tables hold, and how many names.
    """
    rows = "".join(f"| `{capability.value}` | {capability.meaning} |\n" for capability in Capability)
    channels = " ".join(f"`{channel.value}`" for channel in Channel)
    tail = _TAIL.format(
        direct=Resolution.DIRECT.value,
        resolved=Resolution.RESOLVED.value,
        possible=Resolution.POSSIBLE.value,
        channels=channels,
    )
    counts = "".join(f"| {language} | {groups or '-'} | {names:,} |\n" for language, groups, names in known)
    return _HEAD + rows + _KNOWN + counts + tail
