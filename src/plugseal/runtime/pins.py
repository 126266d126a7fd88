"""Hold a server to what it said of itself at its first start: a tool that drifted is denied, the server goes on.

Rules
- What is pinned is what the client was shown: the answers to its own lists, all pages and all fields, and the
  server's instructions. The first whole list of a kind is pinned; nothing is pinned again without an approval.
- A call passes if its tool is pinned and was not seen otherwise in this session. Once seen otherwise it stays denied
  until what was seen is approved, whatever later lists say: a model has read it.
- An announcement of changes changes nothing.
- What can't be pinned (no name, a name twice, too large) can't be called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final

from plugseal.model.pins import (
    INSTRUCTIONS,
    PROMPTS,
    TEMPLATES,
    TOOLS,
    Drift,
    Pinned,
    build_definition,
    compare_definitions,
    compare_snapshots,
    snapshot_digest,
)
from plugseal.model.trust import Subject
from plugseal.records import NamedTuple
from plugseal.runtime.frames import Frame
from plugseal.shown import shown
from plugseal.trust.pins import Pins, change_pins, read_pins
from plugseal.trust.store import Store

MAX_PINNED_BYTES: Final = 4 * 1024 * 1024
_LISTS: Final = {
    "tools/list": (TOOLS, "tools", "name"),
    "prompts/list": (PROMPTS, "prompts", "name"),
    "resources/templates/list": (TEMPLATES, "resourceTemplates", "uriTemplate"),
}
_CALLS: Final = {"tools/call": TOOLS, "prompts/get": PROMPTS}
_ANNOUNCED: Final = frozenset(f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources"))
_MAX_FIELDS: Final = 6
_MAX_VALUE: Final = 160
_MAX_COMPARED: Final = 256
"""Names that one that is not there is compared with: of tens of thousands it would take many seconds."""
Names = dict[str, str]


class Pinning(NamedTuple):
    """Whose pins they are."""

    store: Store
    subject: Subject
    token: str
    plugin: str
    """Its ID."""
    label: str
    """Of the component."""


class PinGuard:
    """Look at every message of one session on the way."""

    def __init__(
        self, about: Pinning, *, on_event: Callable[[str], None], record: Callable[[str, str, str], None]
    ) -> None:
        """Begin a session.

        Args:
            about: whose pins.
            on_event: told lines for the user.
            record: told (event, reason, detail) for the trail.

        Raises:
            StateError: what is pinned can't be believed.
        """
        self._about = about
        self._on_event = on_event
        self._record = record
        self._approved = self._read()
        self._asked: dict[str, tuple[str, str | None]] = {}
        self._pages: dict[str, Names] = {}
        self._next: dict[str, str | None] = {}
        self._whole: dict[str, Names] = {}
        self._otherwise: dict[str, Names] = {}
        """Of each kind what was seen and is not as approved."""
        self._twice: set[tuple[str, str]] = set()
        self._is_too_large = False
        self._announced: set[str] = set()
        """What was said of already."""

    def on_request(self, frame: Frame) -> str | None:
        """Return why a request is denied, None to let it pass."""
        params = frame.body.get("params")
        values: Mapping[str, Any] = params if isinstance(params, dict) else {}
        method = frame.method or ""
        if method in _LISTS and frame.id is not None:
            cursor = values.get("cursor")
            self._asked[frame.id] = method, cursor if isinstance(cursor, str) else None
        if method not in _CALLS:
            return None
        denied = self._deny(_CALLS[method], values.get("name"))
        if denied is not None:
            self._record("denied", "tool-drifted", f"{_CALLS[method][:-1]} {str(values.get('name'))[:80]}")
        return denied

    def on_response(self, frame: Frame, method: str) -> None:
        """Look at what a server says of itself."""
        result = frame.body.get("result")
        asked = self._asked.pop(frame.id or "", None)
        if not isinstance(result, dict):
            return
        if method == "initialize":
            text = result.get("instructions")
            self._finish(INSTRUCTIONS, {"": build_definition(text)} if isinstance(text, str) else {})
        elif asked is not None:
            self._take_page(asked[0], asked[1], result)

    def on_notification(self, frame: Frame) -> None:
        """Say that an announcement changes nothing: once for each list, since a server may repeat it without end."""
        method = frame.method
        if method in _ANNOUNCED and method not in self._announced:
            self._announced.add(method)
            self._on_event(f"{method}: what was approved stays what it was")

    def _take_page(self, method: str, cursor: str | None, result: Mapping[str, Any]) -> None:
        kind, key, name_key = _LISTS[method]
        if cursor is None or kind not in self._pages:
            self._pages[kind] = {}
            self._next[kind] = None
        follows = cursor == self._next[kind]
        rows = result.get(key)
        for row in rows if isinstance(rows, list) else ():
            name = row.get(name_key) if isinstance(row, dict) else None
            if isinstance(name, str):
                self._take_definition(kind, name, build_definition(row))
        after = result.get("nextCursor")
        if not follows:
            return
        self._next[kind] = after if isinstance(after, str) else None
        if self._next[kind] is None:
            self._finish(kind, self._pages.pop(kind))

    def _take_definition(self, kind: str, name: str, definition: str) -> None:
        page = self._pages[kind]
        if name in page:
            self._twice.add((kind, name))
        page[name] = definition
        if sum(map(len, page.values())) > MAX_PINNED_BYTES:
            self._is_too_large = True
            page.clear()
        approved = self._approved.get(kind)
        if approved is not None and approved.get(name) != definition:
            self._otherwise.setdefault(kind, {})[name] = definition

    def _finish(self, kind: str, found: Names) -> None:
        """Take the whole of a kind: pin it if nothing is, else keep what differs for a review."""
        if self._is_too_large:
            return
        self._whole[kind] = found
        if kind not in self._approved:
            self._approved = self._change(kind, found).approved
        if self._approved[kind] == found:
            return
        self._change(kind, found)
        drifts = [drift for drift in compare_snapshots(self._approved, {kind: found}) if drift.kind == kind]
        self._record("denied", "tool-drifted", f"{kind}: {len(drifts):,} not as approved")
        told = ", ".join(f"{drift.title} is {drift.what}" for drift in drifts)
        self._on_event(f"{kind} are not what was approved: {told}; see `plugseal show {self._about.plugin}`")

    def _change(self, kind: str, found: Names) -> Pinned:
        about = self._about
        was_new = []

        def change(pins: Pins) -> Pins:
            now = pins.get(about.label) or Pinned(about.label, {}, {})
            if kind not in now.approved:
                was_new.append(kind)
                now = now._replace(approved={**now.approved, kind: found})
            seen = {**now.approved, **now.seen, kind: found}
            return {**pins, about.label: now._replace(seen=seen if seen != now.approved else {})}

        pinned = change_pins(about.store, about.subject, about.token, change=change)[about.label]
        if was_new and found:
            self._record("pinned", "", f"{kind}: {len(found):,}, snapshot {snapshot_digest(pinned.approved)[:16]}")
        return pinned

    def _read(self) -> Mapping[str, Mapping[str, str]]:
        about = self._about
        pinned = read_pins(about.store, about.subject, about.token).get(about.label)
        return {} if pinned is None else pinned.approved

    def _deny(self, kind: str, name: object) -> str | None:
        if self._is_too_large:
            return f"its {kind} are larger than {MAX_PINNED_BYTES:,} bytes, which is more than can be pinned"
        if not isinstance(name, str):
            return "a call without a name"
        if (kind, name) in self._twice:
            return f"`{shown(name)}` stands twice in its list"
        if kind not in self._approved and self._pages.get(kind):
            # The client was content with some pages: what it saw is what is pinned.
            self._finish(kind, dict(self._pages[kind]))
        if kind not in self._approved:
            return f"nothing of its {kind} was shown yet: ask for the list first"
        drift = self._drift_of(kind, name)
        if drift is None:
            return None
        self._approved = self._read()  # it may have been approved meanwhile
        drift = self._drift_of(kind, name)
        if drift is None:
            return None
        listed = self._whole.get(kind)
        if drift.what == "new" and listed is not None and name not in listed:
            return f"its server lists no {shown(drift.title)}{_near(name, listed)}"
        return self._told(drift)

    def _drift_of(self, kind: str, name: str) -> Drift | None:
        approved = self._approved[kind].get(name)
        other = self._otherwise.get(kind, {}).get(name)
        if other is not None and other != approved:
            return compare_definitions(kind, name, approved, other)
        if approved is None:
            return Drift(kind, name, "new")
        if kind in self._whole and name not in self._whole[kind]:
            return Drift(kind, name, "gone")
        return None

    def _told(self, drift: Drift) -> str:
        rows = [
            f"{shown(field.path)}: {_value(field.before)} -> {_value(field.after)}"
            for field in drift.fields[:_MAX_FIELDS]
        ]
        if len(drift.fields) > _MAX_FIELDS:
            rows.append(f"and {len(drift.fields) - _MAX_FIELDS} more fields")
        what = {"changed": "is not what was approved", "new": "was never approved", "gone": "is gone from its list"}
        details = f" ({'; '.join(rows)})" if rows else ""
        # The digest that approves it is not told here: what denies must not hand out what permits.
        show = f"plugseal show {self._about.plugin}"
        return f"the {shown(drift.title)} {what[drift.what]}{details}; a person can see and approve it by `{show}`"


def _near(name: str, listed: Iterable[str]) -> str:
    """Return the name in a list that may be meant, or the first of those there are, ready for the end of a sentence."""
    from difflib import get_close_matches  # asked by nobody whose tools are there

    names = [one[:200] for one in islice(listed, _MAX_COMPARED)]
    near = get_close_matches(name[:200], names, n=1, cutoff=0.6)
    if near:
        return f", did you mean `{shown(near[0])}`?"
    return f"; it lists {', '.join(f'`{shown(one)}`' for one in names[:_MAX_FIELDS])}" if names else ""


def _value(text: str | None) -> str:
    return "nothing" if text is None else shown(text, limit=_MAX_VALUE)
