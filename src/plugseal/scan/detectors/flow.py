"""What a file does in two steps: reads secrets and sends, takes the environment and sends it, ties a shell to a socket.

A step is told by names and places within one file, not by following data through a program: these are alarms about
combinations that honest plugins don't have, so the two steps in one file are enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from plugseal.lang.facts import Event, FileFacts, Interest
from plugseal.model.capability import SURE, Fact
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.detectors.facts import channels_of
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.notes import span_text
from plugseal.scan.matching.values import comes_from, is_within, searches

_ENVIRONMENT: Final = ("os.environ", "os.environb", "os.environ.copy", "os.environ.items", "process.env")
_PASSES_ON: Final = frozenset(
    """
    builtins.dict builtins.str builtins.repr builtins.list builtins.tuple builtins.bytes builtins.sorted builtins.print
    json.dumps pickle.dumps marshal.dumps yaml.dump yaml.safe_dump pprint.pformat urllib.parse.urlencode
    base64.b64encode base64.urlsafe_b64encode base64.b85encode base64.b32encode binascii.hexlify zlib.compress
    gzip.compress copy.copy copy.deepcopy urllib.parse.quote urllib.parse.quote_plus orjson.dumps ujson.dumps
    urllib.request.Request
    """.split()
)
"""Calls that give on what they are given, in another form."""
_STORES: Final = lazy(
    r"(?i)\.ssh(?:/|\\|$)|id_(?:rsa|dsa|ecdsa|ed25519)|\.aws[/\\]|\.git-credentials|netrc|\.pgpass|\.kube[/\\]"
    r"|\.gnupg|\.docker[/\\]config|\.config[/\\](?:gcloud|gh|op)(?:[/\\]|$)|\.azure|password-store|keychain|keyrings"
    r"|etc[/\\]shadow|Login Data|Cookies$|cookies\.sqlite|logins\.json|key[34]\.db|Local State|wallet\.dat|\.electrum"
    r"|\.bitcoin|\.ethereum|solana|User Data|firefox|/environ$|\.credentials\.json|\.codex[/\\]auth"
    r"|~[/\\]\.(?:npmrc|pypirc|yarnrc\.yml|vault-token|boto|s3cfg|databrickscfg|composer[/\\]auth\.json)$"
    r"|\.(?:cargo|gem)[/\\]credentials|rclone\.conf"
)
"""Stores of others' secrets; a plugin's own `.env` and its own variables are no part of it."""
_NO_SECRET: Final = lazy(r"\.ssh[/\\](?:known_hosts|authorized_keys|config)[\w.-]{0,40}$|\.pub$|azureProfile\.json$")
"""What stands beside keys and opens nothing."""
_OF_BROWSERS: Final = lazy(
    r"(?i)User Data|Login Data|Local State|Local Storage|Cookies$|logins\.json|key[34]\.db|firefox|wallet|\.electrum"
    r"|\.bitcoin|\.ethereum|solana|exodus"
)
_UPLOADS: Final = lazy(
    r"\b(?:curl|wget|xh|https?)(?:\.exe)?[\"'\s,\]].{0,400}?[\"'\s](?:--data(?:-binary|-raw|-urlencode)?|-d|-F|--form|-T"
    r"|--upload-file|--post-(?:file|data)|--body-file)[\"'=\s,]"
)
_LOOKS: Final = lazy(r"^(?:sudo )?(?:ls|stat|test|\[{1,2})(?= )[^|`$(\n]*$")
_LOGS_IN: Final = lazy(r"^(?:sudo )?(?:ssh|scp|sftp|autossh|mosh|ssh-add)(?= )")
_BY_NETRC: Final = lazy(
    r"^(?:sudo )?curl (?:[^|;&]{0,400} )?(?:-[a-zA-Z]{0,8}n[a-zA-Z]{0,8}|--netrc[a-z-]{0,9})(?: |$)"
)
"""The program reads the password that is kept for the very host which it asks."""
_KEY_GIVEN: Final = lazy(r"(?:-[iF][ ]?|IdentityFile[= ])[\"']?([^\s\"']{1,255})")
"""A key that a connection is made with."""
_OURSELVES: Final = lazy(r"^(?:localhost|127\.[0-9.]+|\[?::1\]?)(?::[0-9*]+)?$")


def _look_for_secret_then_send(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    done = channels_of(facts)
    fetches = {fact.span for fact in facts.facts if fact.capability == "code.fetched"}
    sends = [fact for fact in _of(facts, "net.outbound") if fact.channel in done or _uploads(fact, lines)]
    # To fetch a package or an image is a connection, and nothing is sent by it.
    sends = [fact for fact in sends if fact.object is not None or fact.span not in fetches]
    sends = [fact for fact in sends if not searches(_OURSELVES, fact.object or "")]
    if not sends:
        return
    where = ", ".join(sorted({fact.object for fact in sends if fact.object})[:2])
    seen: set[str] = set()
    for fact in (*_of(facts, "credentials.read"), *_asked_for(facts)):
        path = fact.object
        if path is None or path in seen or not searches(_STORES, path) or searches(_NO_SECRET, path):
            continue
        if not _is_only_used(path, span_text(fact.span, lines(fact.span.line))):
            seen.add(path)
            yield Hit(fact.span, f"the file also sends to {where}" if where else "the file also sends out", path)


def _uploads(fact: Fact, lines: Lines) -> bool:
    """Say whether a program is started that is told to send something along."""
    return fact.object is not None and searches(_UPLOADS, span_text(fact.span, lines(fact.span.line)))


def _asked_for(facts: FileFacts) -> list[Fact]:
    """Return the stores of browsers and wallets that are only asked for: who does so is going to read them."""
    read = {(fact.span, fact.object) for fact in _of(facts, "fs.read")}
    return [
        fact
        for fact in facts.facts
        if fact.capability == "credentials.read"
        and fact.resolution == "possible"
        and (fact.span, fact.object) in read
        and searches(_OF_BROWSERS, fact.object or "")
    ]


def _look_for_browser_store(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield the first reading of each store of a browser or a wallet."""
    seen: set[str] = set()
    for fact in _of(facts, "credentials.read"):
        path = fact.object
        if path is None or path in seen or not searches(_OF_BROWSERS, path):
            continue
        if not searches(_LOOKS, span_text(fact.span, lines(fact.span.line))):
            seen.add(path)
            yield Hit(fact.span, "", path)


def _is_only_used(path: str, command: str) -> bool:
    """Say whether a command looks whether a store is there, or is the store's own program, which logs in by a key."""
    if searches(_LOOKS, command) or (path == "netrc" and searches(_BY_NETRC, command)):
        return True
    if not searches(_LOGS_IN, command):
        return False
    name = path.rpartition("/")[2]
    keys = [found[1] for found in _KEY_GIVEN.finditer(command)]
    return bool(name) and any(key.endswith(name) for key in keys) and name not in _KEY_GIVEN.sub("", command)


def _look_for_environment_sent(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    for event, host in _environment_sent(facts):
        yield Hit(event.span, "the whole environment is sent", host)


def _look_for_environment_near_network(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield the first reading of the whole environment in a file that sends, and gives it to no program."""
    done = channels_of(facts)
    sends = [fact for fact in _of(facts, "net.outbound") if fact.channel in done]
    written = {fact.span.line for fact in _of(facts, "env.write")}
    bulk = [fact for fact in _of(facts, "env.bulk") if fact.span.line not in written]
    starts = any(fact.capability in ("process.exec", "process.shell") for fact in facts.facts if fact.channel in done)
    if bulk and sends and not starts and not any(_environment_sent(facts)):
        yield Hit(min(fact.span for fact in bulk), "the file also sends out")


def _environment_sent(facts: FileFacts) -> Iterator[tuple[Event, str | None]]:
    """Yield every call that sends the whole environment, with the host."""
    bulk = [fact.span for fact in _of(facts, "env.bulk")]
    if not bulk:
        return
    done = channels_of(facts)
    sends = {fact.span: fact.object for fact in _of(facts, "net.outbound") if fact.channel in done}
    derived = _derived(facts.events)
    for event in facts.events:
        if event.kind == "call" and event.span in sends and _takes(event, derived, bulk):
            yield event, sends[event.span]


def _derived(events: Iterable[Event]) -> tuple[str, ...]:
    """Return the names whose values hold the whole environment: what was made of it, and of that again."""
    calls = [event for event in events if event.kind == "call" and event.name in _PASSES_ON]
    names = set(_ENVIRONMENT)
    for _ in range(6):
        made = {event.name.removeprefix("builtins.") for event in calls if _given(event, tuple(names))}
        if made <= names:
            break
        names |= made
    return tuple(sorted(names))


def _takes(event: Event, derived: tuple[str, ...], bulk: Iterable[Span]) -> bool:
    return _given(event, derived) or any(is_within(span, event.span) for span in bulk)


def _given(event: Event, names: tuple[str, ...]) -> bool:
    values = (*event.arguments, *(value for _, value in event.keywords))
    return any(comes_from(value, names) for value in values)


def _look_for_reverse_shell(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    done = channels_of(facts)
    connects = [fact for fact in _of(facts, "net.outbound") if fact.channel in done]
    if not any(event.name.startswith(("socket.", "net.", "tls.")) for event in facts.events if event.kind == "call"):
        return
    if not connects:
        return
    spawns = [event for event in facts.events if event.kind == "call" and event.name in _SPAWNS]
    for event in facts.events:
        if event.kind != "call":
            continue
        if event.name == "os.dup2" and spawns and _is_tied(event):
            yield Hit(event.span, "standard streams are tied to a socket")
        elif (
            event.name in _SPAWNS
            and any(key in ("stdin", "stdout") and comes_from(value, _SOCKETS) for key, value in event.keywords)
        ) or (event.name in _PIPES and any(comes_from(value, _STREAMS) for value in event.arguments)):
            yield Hit(event.span, "a program's streams are a socket")


def _is_tied(event: Event) -> bool:
    """Say whether a standard stream, or any that a loop counts, becomes a socket's."""
    if len(event.arguments) < 2:
        return False
    return event.arguments[1] in (0, 1, 2) or comes_from(event.arguments[0], _SOCKETS)


_SOCKETS: Final = ("socket.socket", "socket.create_connection", "socket.socket().fileno", "socket.socket().makefile")
_PIPES: Final = frozenset(
    ("net.Socket().pipe", "net.connect().pipe", "net.createConnection().pipe", "tls.connect().pipe")
)
_STREAMS: Final = ("child_process.ChildProcess().stdin", "child_process.spawn().stdin", "child_process.exec().stdin")
_SPAWNS: Final = frozenset(
    """
    pty.spawn subprocess.run subprocess.Popen subprocess.call subprocess.check_call os.system os.execl os.execv
    os.execve os.execlp os.execvp os.execvpe os.spawnl os.spawnv os.posix_spawn os.popen
    """.split()
)


def _of(facts: FileFacts, capability: str) -> list[Fact]:
    """Return the sure facts of one capability."""
    return [fact for fact in facts.facts if fact.capability == capability and fact.resolution in SURE]


OUTBOUND: Final = frozenset(
    [
        *(
            f"{module}.{verb}"
            for module in ("requests", "httpx")
            for verb in "get post put patch delete request".split()
        ),
        *(f"requests.Session().{verb}" for verb in "get post put patch request".split()),
        *(
            f"httpx.{client}().{v}"
            for client in ("Client", "AsyncClient")
            for v in "get post put patch request".split()
        ),
        *(f"aiohttp.ClientSession().{verb}" for verb in "get post put patch request".split()),
        *("urllib.request.urlopen", "urllib.request.Request", "urllib.request.urlretrieve", "urllib3.request"),
        *("urllib3.PoolManager().request", "urllib3.PoolManager().urlopen", "http.client.HTTPConnection().request"),
        *("http.client.HTTPSConnection().request", "socket.socket().send", "socket.socket().sendall"),
        *(
            "socket.socket().sendto",
            "smtplib.SMTP().sendmail",
            "smtplib.SMTP().send_message",
            "ftplib.FTP().storbinary",
        ),
        *("websocket.WebSocket().send", "xmlrpc.client.ServerProxy"),
        *(
            "globals.fetch",
            "globals.navigator.sendBeacon",
            "globals.WebSocket().send",
            "undici.request",
            "undici.fetch",
        ),
        *("http.request", "https.request", "http.get", "https.get", "http.request().write", "http.request().end"),
        *("https.request().write", "https.request().end", "net.Socket().write", "net.connect().write", "node-fetch"),
        *(f"axios.{verb}" for verb in "get post put patch request".split()),
        *(f"got.{verb}" for verb in "get post put patch".split()),
        *("axios", "got", "request.post", "superagent.post", "needle.post", "ky.post", "dns.lookup", "dns.resolve"),
    ]
)
"""Calls that send what they are given."""

BROWSER_STORE: Final = CodeDetector(_look_for_browser_store)
SECRET_THEN_SEND: Final = CodeDetector(_look_for_secret_then_send)
ENVIRONMENT_SENT: Final = CodeDetector(_look_for_environment_sent, Interest(calls=_PASSES_ON | OUTBOUND))
ENVIRONMENT_NEAR_NETWORK: Final = CodeDetector(_look_for_environment_near_network, ENVIRONMENT_SENT.interest)
REVERSE_SHELL: Final = CodeDetector(
    _look_for_reverse_shell,
    Interest(
        calls=_SPAWNS
        | _PIPES
        | {"os.dup2", "socket.socket().connect", "socket.create_connection", "socket.socket"}
        | {"net.connect", "net.createConnection", "net.Socket().connect", "tls.connect", "net.Socket"}
    ),
)
