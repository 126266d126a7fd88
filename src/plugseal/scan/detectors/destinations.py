"""Where connections lead that no honest plugin needs: places where nobody can say who reads what arrives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.encode.urls import split_host
from plugseal.lang.facts import FileFacts
from plugseal.model.location import Span
from plugseal.model.plugin import Plugin
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector, ManifestHit
from plugseal.scan.detectors.endpoints import endpoints_of, is_metadata_service
from plugseal.scan.detectors.facts import first_places
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.values import UNKNOWN_WORD, searches

_DROP_SITE: Final = lazy(
    r"(?i)(?:^|\.)(?:"
    # what catches requests and look-ups
    r"webhook\.(?:site|cool)|requestbin\.(?:com|net)|pipedream\.net|requestcatcher\.com|requestinspector\.com|postb\.in"
    r"|ptsv[23]\.com|beeceptor\.com|hookbin\.com|httpdump\.(?:app|io)|webhook-test\.com|canarytokens\.(?:com|org)"
    r"|oast\.(?:fun|me|pro|live|site|online)|interact(?:sh)?\.(?:sh|com)|oastify\.com|burpcollaborator\.net|dnslog\.cn"
    r"|ceye\.io"
    # tunnels to somebody's own machine
    r"|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|serveo\.net|localhost\.run|lhr\.life|loca\.lt|bore\.pub"
    r"|tunnelto\.dev|pagekite\.me"
    # uploads without an account
    r"|transfer\.sh|file\.io|0x0\.st|bashupload\.com|temp\.sh|termbin\.com|tmpfiles\.org|gofile\.io|oshi\.at|catbox\.moe"
    r")(?::[0-9*]{1,5})?$"
)
"""Hosts, with what stands before them and a port behind."""
_URL: Final = lazy(r"\b(?:https?|wss?|ftp)://[^\s\"'<>`|;]{1,2000}")


def _look_for_drop_site(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield the first connection to each such host."""
    seen: set[str] = set()
    # What is only possibly a connection still names the host, and no other call is given such a one.
    connects = [fact for fact in facts.facts if fact.capability == "net.outbound"]
    ends = _known_ends(facts) if any(fact.object is None for fact in connects) else {}
    for fact in connects:
        host = fact.object if fact.object is not None else ends.get(fact.span, "")
        if host and host not in seen and searches(_DROP_SITE, host):
            seen.add(host)
            yield Hit(fact.span, "", host)


def _look_for_metadata_request(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield the first request to each address at which a cloud gives out credentials."""
    for host, span in first_places(facts, "net.outbound"):
        if is_metadata_service(host.partition(":")[0] if host.count(":") == 1 else host):
            yield Hit(span, "", host)


def _known_ends(facts: FileFacts) -> dict[Span, str]:
    """Return what is known of hosts that commands are given, as `*.oast.fun`: data may be what stands before it."""
    found: dict[Span, str] = {}
    for event in facts.events:
        for word in event.arguments if event.kind == "command" else ():
            if isinstance(word, str) and UNKNOWN_WORD in word:
                host = split_host(word) if "://" in word else word
                found.setdefault(event.span, f"*{host.rpartition(UNKNOWN_WORD)[2]}")
    return found


def _look_for_drop_site_told(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield the command lines of a text that name such a host in a URL."""
    for event in facts.events:
        if event.kind == "line":
            hosts = [split_host(match[0]) for match in _URL.finditer(event.name)]
            found = next((host for host in hosts if searches(_DROP_SITE, host)), "")
            if found:
                yield Hit(event.span, "", found)


def look_for_drop_endpoints(plugin: Plugin) -> Iterable[ManifestHit]:
    """Find remote components behind such a host."""
    for component, word, url in endpoints_of(plugin):
        host = split_host(url)
        if searches(_DROP_SITE, host):
            yield ManifestHit(component, word, "", host)


DROP_SITE: Final = CodeDetector(_look_for_drop_site)
DROP_SITE_TOLD: Final = CodeDetector(_look_for_drop_site_told)
METADATA_REQUEST: Final = CodeDetector(_look_for_metadata_request)
