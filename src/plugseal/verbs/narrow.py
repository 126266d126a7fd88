"""Narrow a look at a plugin to some of its components: the same content, a capability document over just these.

What the plugin's code can do stays in the document, since nothing tells which component will reach it; what the other
components start, contact and are granted leaves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plugseal.errors import UsageError
from plugseal.model.inventory import Capable, capable_order
from plugseal.model.look import Look
from plugseal.model.plugin import Component, Plugin
from plugseal.scan.claims import manifest_facts
from plugseal.scan.document import build_document, capability_receipt, document_bytes
from plugseal.scan.reports import relative


def narrowed(look: Look, only: Sequence[str]) -> Look:
    """Return a look at some components of a plugin.

    Args:
        look: at the whole plugin.
        only: `kind:name` of each; none for the whole plugin.

    Raises:
        UsageError: the plugin has no such component.
    """
    names = tuple(sorted(set(only)))
    if not names or names == look.only:
        return look
    plugin = look.plugin
    _verify_known(plugin, names)
    kept = plugin._replace(components=tuple(one for one in plugin.components if component_name(one) in names))
    theirs = set(_rows(kept))
    others = set(_rows(plugin)) - theirs
    rows = sorted({row for row in look.report.capabilities if row not in others} | theirs, key=capable_order)
    document = build_document(kept, rows, look.links, only=names)
    report = look.report._replace(
        plugin=kept, capabilities=tuple(rows), capability_receipt=capability_receipt(document)
    )
    return look._replace(report=report, document=document_bytes(document), only=names)


def component_name(component: Component) -> str:
    """Return how a component is named on a command line: `server:docs`."""
    return f"{component.kind.value}:{component.name}"


def _verify_known(plugin: Plugin, names: Iterable[str]) -> None:
    known = [component_name(component) for component in plugin.components]
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name[:200], known, n=1, cutoff=0.5)
            hint = f"did you mean `{near[0]}`?" if near else "one of those above"
            raise UsageError(f"the plugin has no component `{name}`", details=known[:20], hint=hint)


def _rows(plugin: Plugin) -> list[Capable]:
    found = []
    for path, fact in manifest_facts(plugin):
        thing = relative(path, plugin.root) if fact.object == path else fact.object
        found.append(Capable(fact.capability, thing, fact.channel, fact.trigger))
    return found
