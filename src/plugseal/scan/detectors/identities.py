"""Names that make one thing look like another: mixed scripts, spaces at the edge, names that hosts fold into one.

Names are folded as the host folds them: those that build a tool's name from letters, digits and underscores make one
of `demo.read` and `demo/read`; amber, Amness, Codewhale and Coding register what stands there, and there a name can
only be taken by another plugin.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.model.plugin import ComponentKind, Plugin
from plugseal.names import normalize
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import ManifestHit
from plugseal.scan.detectors.hidden import find_hidden, hidden_reason
from plugseal.scan.detectors.tool_lists import recorded_lists
from plugseal.scan.detectors.tools_in_code import addressed_in
from plugseal.scan.matching.hit import Hit

_LOOK_ALIKES: Final = lazy(
    "[\u0370-\u03ff\u0400-\u052f\u0530-\u058f\u13a0-\u13ff\u1d00-\u1dbf\u2c60-\u2c7f\ua640-\ua69f\uab30-\uabbf]"
)
"""Letters of scripts that have twins of Latin letters."""
_LATIN: Final = lazy("[A-Za-z]")
_LETTER_FORMS: Final = lazy("[\u2100-\u214f\u2460-\u24ff\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f130-\U0001f189]")
_NOT_PLAIN: Final = lazy(r"[^a-z0-9]+")
_SHOWN_AS: Final = frozenset({"name", "displayName", "display_name", "title", "label", "front.name", "front.title"})
"""Keys under which manifests say how a thing is called on a screen."""
_AS_WRITTEN: Final = frozenset({"amber", "amness", "codewhale", "coding"})
"""Systems whose hosts register a name exactly as it is written."""


def look_for_confusable_names(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find names that look like another name on a screen."""
    for word, hit in _names(plugin):
        reason = confusable_reason(word)
        if reason:
            yield hit._replace(note=reason)
    for shown, hit in _shown_names(plugin):
        # A title may hold words of two languages; one word is of one.
        reason = next((reason for word in shown.split() if (reason := _mixed_reason(word))), "")
        if reason:
            yield hit._replace(note=reason)


def look_for_colliding_names(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find components of one kind whose names become one when a host replaces odd characters or knows no plugins."""
    if plugin.system not in _AS_WRITTEN:
        seen: dict[tuple[str, str], str] = {}
        for component in plugin.components:
            if component.kind in (ComponentKind.SCRIPT, ComponentKind.HOOK):
                continue  # People call the ones as they are written, and nobody calls the others by name.
            other = seen.setdefault((component.kind.value, _folded(component.name)), component.name)
            if other != component.name:
                yield ManifestHit(component, component.name, f"`{other}` becomes the same name")
    shared = _shared_tools(plugin)
    for component in plugin.components if shared else ():
        for other in shared.get(component.name, ())[:1]:
            yield ManifestHit(component, component.name, f"`{other}` has a tool of the same name")


def look_for_colliding_tools(file: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find tools in a recorded list that have one name, or names that clients fold into one."""
    for tools in recorded_lists(file, data, language):
        seen: dict[str, str] = {}
        for tool in tools:
            key = _folded(tool.name)
            if key in seen:
                same = "an earlier tool has the same name"
                yield Hit(tool.span, same if seen[key] == tool.name else f"`{seen[key]}` becomes the same name")
            seen.setdefault(key, tool.name)


def look_for_confusable_tools(file: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find tools in a recorded list whose names look like other names on a screen."""
    for tools in recorded_lists(file, data, language):
        for tool in tools:
            reason = confusable_reason(tool.name)
            if reason:
                yield Hit(tool.span, reason)


def look_for_hidden_tools(file: str, data: bytes, language: str) -> Iterable[Hit]:
    """Find names and texts of recorded tools that hold what nobody sees, written out or escaped; in code, escaped."""
    for said in addressed_in(data, language):
        hidden = next(find_hidden(said.text), None)
        if hidden is not None and hidden[1].encode("utf-8", "surrogatepass") not in data:
            at = said.text.count("\n", 0, hidden[0]), hidden[0] - (said.text.rfind("\n", 0, hidden[0]) + 1)
            yield Hit(said.place(at[0] + 1, at[1] + 1), hidden_reason(said.text), said.name or None)
    for tools in recorded_lists(file, data, language):
        for tool in tools:
            for text, span, is_name in ((tool.name, tool.span, True), *((*said, False) for said in tool.texts)):
                reason = hidden_reason(text, is_name=is_name)
                if reason:
                    yield Hit(span, reason, tool.name)


def _folded(name: str) -> str:
    return _NOT_PLAIN.sub("_", normalize("NFKC", name).lower())


def _shared_tools(plugin: Plugin) -> dict[str, list[str]]:
    """Return the tools that hosts would register under a name of another plugin's too, with those plugins."""
    found: dict[str, list[str]] = {}
    for verdict in plugin.hosts:
        if '"shared_tools"' in verdict.data:
            found.update(json.loads(verdict.data)["shared_tools"])
    return found


def confusable_reason(name: str) -> str:
    """Say why a name can be taken for another, empty where it can't."""
    if name != name.strip():
        return "begins or ends with a space"
    if name.isascii():
        return ""
    mixed = _mixed_reason(name)
    if mixed:
        return mixed
    found = _LETTER_FORMS.search(name)
    return f"U+{ord(found[0]):04X} looks like a plain character" if found else ""


def _mixed_reason(text: str) -> str:
    if not text.isascii() and _LATIN.search(text) and (found := _LOOK_ALIKES.search(text)):
        return f"mixes scripts: U+{ord(found[0]):04X} among Latin letters"
    return ""


def _names(plugin: Plugin) -> Iterator[tuple[str, ManifestHit]]:
    yield plugin.name, ManifestHit(word=plugin.name)
    for component in plugin.components:
        if component.name != plugin.name:
            yield component.name, ManifestHit(component, component.name)


def _shown_names(plugin: Plugin) -> Iterator[tuple[str, ManifestHit]]:
    """Yield the names under which hosts show a plugin and what it contributes, where they are not those it goes by."""
    for key, text in plugin.extra:
        shown = json.loads(text) if key in _SHOWN_AS and text[:1] == '"' and not text.isascii() else None
        if isinstance(shown, str) and shown != plugin.name:
            yield shown, ManifestHit(word=shown)
    for component in plugin.components:
        for key, text in component.extra:
            shown = json.loads(text) if key in _SHOWN_AS and text[:1] == '"' and not text.isascii() else None
            if isinstance(shown, str) and shown != component.name:
                yield shown, ManifestHit(component, shown)
