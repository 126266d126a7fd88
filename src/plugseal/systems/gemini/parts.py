"""Commands and policies of the Gemini CLI: TOML files, in an extension and in a working folder alike.

A command is a prompt; `!{line}` in it is given to a shell before the model sees the text, after the user was asked, and
`@{path}` puts a file into it. Braces inside a line have to be balanced: that is how its end is found.

See: https://geminicli.com/docs/cli/custom-commands
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from plugseal.model.plugin import Component, ComponentKind
from plugseal.systems.components.parts import prose_at
from plugseal.systems.components.prose import files_below
from plugseal.systems.components.settings import granting
from plugseal.systems.launching.launch import shell_entry
from plugseal.systems.reading.reader import Document, Path, PluginReader, compact, dotted, extras, lookup
from plugseal.systems.reading.texts import READS

_COMMAND: Final = frozenset({"prompt", "description"})
_POLICY: Final = frozenset({"rule", "safety_checker"})
_RULE: Final = frozenset(
    "toolName mcpName argsPattern commandPrefix commandRegex decision priority modes interactive denyMessage "
    "toolAnnotations subagent allowRedirection allow_redirection deny_message".split()
)
_ASKS: Final = "asks before the line runs"


def commands_at(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Describe the commands below a folder; `a/b.toml` is called `a:b`."""
    for file in sorted(files_below(reader, folder, lambda name: name.endswith(".toml"))):
        document = reader.toml(file)
        if document is not None:
            yield from _command(reader, document, file[len(folder) + 1 :].removesuffix(".toml").replace("/", ":"))


def agents_at(reader: PluginReader, folder: str) -> Iterator[Component]:
    """Describe the agents of a folder; a remote one stands at an address, which says what it is."""
    for component in prose_at(reader, (folder,), ComponentKind.AGENT, trigger="prose"):
        card = dict(component.extra).get("front.agent_card_url")
        address = json.loads(card) if card else None
        yield component._replace(transport="http", endpoint=address) if isinstance(address, str) else component


def _command(reader: PluginReader, document: Document, name: str) -> Iterator[Component]:
    reader.expect_keys(document, reader.table(document), _COMMAND)
    prompt = reader.text(document, ("prompt",), required=True)
    yield Component(
        kind=ComponentKind.COMMAND,
        name=name,
        file=document.file,
        span=document.locate(("prompt",)),
        trigger="command",
        extra=extras(reader.table(document), frozenset())
        + (((READS, compact(sorted(set(injections(prompt, "@{"))))),) if "@{" in prompt else ()),
        places=(("extra.prompt", document.locate_value(("prompt",))),),
    )
    for number, line in enumerate(injections(prompt, "!{")):
        yield Component(  # noqa: S604  # nosec B604  # a fact about the plugin, nothing is started
            kind=ComponentKind.COMMAND,
            name=f"{name}.{number}",
            file=document.file,
            span=document.locate_value(("prompt",)),
            transport="exec",
            command=(line,),
            shell=True,
            trigger="command",
            gate=_ASKS,
            entry=shell_entry(line, reader.is_launchable),
        )


def injections(prompt: str, opening: str) -> Iterator[str]:
    """Yield what stands between an opening such as `!{` and its balanced brace, in order; one without end is none."""
    at = prompt.find(opening)
    while at >= 0:
        end = _closing(prompt, at + len(opening))
        if end < 0:
            return
        text = prompt[at + len(opening) : end].strip()
        if text:
            yield text
        at = prompt.find(opening, end)


def _closing(text: str, start: int) -> int:
    """Return where the brace is closed that was opened before `start`, -1 where it is not."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return -1


def policies_at(reader: PluginReader, folder: str, *, may_allow: bool) -> Iterator[Component]:
    """Describe the policies of a folder.

    Args:
        reader: takes the faults.
        folder: relative to the root.
        may_allow: whether the host obeys rules that allow; those of an extension it ignores.
    """
    for name in reader.names(folder):
        document = reader.toml(f"{folder}/{name}") if name.endswith(".toml") else None
        if document is None:
            continue
        reader.expect_keys(document, reader.table(document), _POLICY)
        for path, rule in _tables(reader, document, "rule"):
            reader.expect_keys(document, rule, _RULE, at=path)
            yield _rule(document, path, rule, may_allow=may_allow)
        for path, checker in _tables(reader, document, "safety_checker"):
            yield Component(
                kind=ComponentKind.SETTING,
                name=dotted(path),
                file=document.file,
                span=document.locate(path),
                trigger="tool",
                extra=extras(checker, frozenset()),
            )


def _tables(reader: PluginReader, document: Document, key: str) -> Iterator[tuple[Path, Mapping[str, object]]]:
    value = lookup(document.value, (key,))
    for at, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, dict):
            yield (key, at), item
        else:
            reader.fault_at(document, (key, at), "must be a table")


def _rule(document: Document, path: Path, rule: Mapping[str, object], *, may_allow: bool) -> Component:
    """Return a rule of the policy engine: one that allows is a grant where the host obeys it."""
    what = {key: rule[key] for key in ("mcpName", "toolName", "commandPrefix", "commandRegex") if key in rule}
    words = " ".join(text if isinstance(text, str) else compact(text) for text in what.values()) or "*"
    if rule.get("decision") == "allow" and may_allow:
        return granting(document, path, dotted(path), (f"allow {words}",), trigger="tool")
    return Component(
        kind=ComponentKind.SETTING,
        name=dotted(path),
        file=document.file,
        span=document.locate(path),
        trigger="tool",
        gate="ignored: an extension can't allow" if rule.get("decision") == "allow" else "",
        extra=extras(rule, frozenset()),
    )
