"""What a host keeps with a queued message that uses a skill: its provenance, and neither its text nor a path.

Strict on the way in: a key more or less, a digest that is none or another version is refused. Whoever forges one gets
nothing by it: it is compared with what is trusted at dispatch.
"""

from __future__ import annotations

import json
from typing import Final

from plugseal.errors import UsageError
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

FORMAT: Final = "plugseal.codewhale-queued/1"
MAX_BYTES: Final = 16_384
_KEYS: Final = frozenset("format skill plugin workspace content capability incarnation generation digest".split())
_DIGEST: Final = lazy(r"[0-9a-f]{64}")
_INCARNATION: Final = lazy(r"[0-9a-f]{32}")
_MAX_NAME: Final = 512


class Queued(NamedTuple):
    """Where a queued skill came from."""

    skill: str
    """`<plugin>:<skill>`."""
    plugin: str
    """Our ID of the bundle."""
    workspace: str
    """Digest of the workspace's place."""
    content: str
    capability: str
    incarnation: str
    generation: int
    digest: str
    """SHA-256 of the skill's bytes."""


def render_queued(queued: Queued) -> bytes:
    """Return the provenance as one line of JSON; `parse_queued(render_queued(x)) == x`."""
    return json.dumps({"format": FORMAT, **queued._asdict()}, sort_keys=True).encode("ascii") + b"\n"


def parse_queued(data: bytes) -> Queued:
    """Return a provenance that a host kept.

    Raises:
        UsageError: it is none.
    """
    if len(data) > MAX_BYTES:
        raise _none("it is too large")
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise _none("it is no JSON") from error
    if not isinstance(value, dict) or value.keys() != _KEYS or value["format"] != FORMAT:
        raise _none(f"it is not of the format `{FORMAT}`")
    queued = Queued(**{key: value[key] for key in Queued._fields})
    digests = (queued.workspace, queued.content, queued.capability, queued.digest)
    is_sound = all(isinstance(digest, str) and _DIGEST.fullmatch(digest) for digest in digests)
    names = (queued.skill, queued.plugin)
    is_sound = is_sound and all(isinstance(name, str) and 0 < len(name) <= _MAX_NAME for name in names)
    is_sound = is_sound and isinstance(queued.incarnation, str) and bool(_INCARNATION.fullmatch(queued.incarnation))
    if not is_sound or type(queued.generation) is not int or not 0 < queued.generation < 2**53:
        raise _none("one of its values is none of its kind")
    return queued


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _none(why: str) -> UsageError:
    return UsageError(f"that is no queued skill: {why}", hint="queue it again with `plugseal codewhale skills queue`")
