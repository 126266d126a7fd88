"""Rules that rest on facts alone: what the readers' tables know already needs no second list of names here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.facts import Event, FileFacts, Interest
from plugseal.lang.naming import is_of_a_test
from plugseal.model.capability import SURE, Fact
from plugseal.model.location import Span
from plugseal.patterns import lazy
from plugseal.scan.detectors.detector import CodeDetector
from plugseal.scan.matching.hit import Hit, Lines
from plugseal.scan.matching.notes import argument_function, callee_text, span_text
from plugseal.scan.matching.values import compiled, searches

_CLIENT_SETTINGS: Final = lazy(
    r"(?i)(?:^|[/\\~])(?:(?:\.claude[/\\]settings(?:\.local|[^/\\*]*\*[^/\\]*)?\.json|\.claude\.json|claude_desktop_config\.json|\.mcp\.json"
    r"|\.cursor[/\\](?:mcp|hooks|settings|permissions)(?:[^/\\*]*\*[^/\\]*)?\.json|\.codex[/\\](?:config\.toml|hooks\.json)"
    r"|\.gemini[/\\]settings\.json|\.vscode[/\\](?:settings|tasks|mcp)\.json|\.windsurf[/\\][^/\\]*\.json"
    r"|(?:windsurf(?:-next)?|antigravity|\.codeium)[/\\]mcp_config\.json)\*?$|\.continue[/\\]config\.[a-z]+|\.plugseal(?:[/\\]|$)|\.local[/\\]state[/\\]plugseal)"
)
"""The files themselves: a copy beside them (`settings.json.bak`), and what a plugin keeps there under a name of its own
(`settings.docs.json`), is read by no client. `*` is what is not known of a name."""
_OBEYED_EVERYWHERE: Final = lazy(
    r"(?i)^~[/\\](?:\.claude[/\\]CLAUDE\.md|\.codex[/\\]AGENTS\.md|\.gemini[/\\]GEMINI\.md|\.config[/\\]opencode[/\\]AGENTS\.md"
    r"|\.codeium[/\\]windsurf[/\\]memories[/\\]global_rules\.md"
    r"|\.(?:openclaw|clawdbot|moltbot)[/\\](?:workspace[/\\])?(?:AGENTS|SOUL|IDENTITY|HEARTBEAT|TOOLS|USER|MEMORY)\.md)$"
)
"""What a client tells its model in every session of the user, whatever it works on."""
_TEMPORARY: Final = lazy(r"^(?:/private)?/(?:var/)?tmp/|^/var/folders/|/\.?te?mp(?:[-_][\w-]{1,40})?/")
"""No client looks there, nor in a folder of such a name: tests of installers write such files."""
_BY_HAND: Final = lazy(
    r"^(?:sudo )?(?:vim?|nvim|nano|pico|micro|emacs|code|cursor|subl|open|xdg-open|gedit|notepad(?:\.exe)?)"
    r"(?: -(?:w|nw|t|-wait)){0,3} [^-+\s]\S*$"
)
"""An editor that a person types into."""
_OTHERS_KIND: Final = lazy(r"(?i)\.claude[/\\]settings|\.mcp\.json$|^(?!.*(?:site|dist)-packages).*\.pth$")
"""A client's settings have a rule of their own; `.pth` is also what weights of models are called."""
_WHOLE_HOME: Final = lazy(
    r"^(?:[/~]|\$HOME|[A-Za-z]:[/\\]?|/(?:root|etc|usr|var|bin|lib|boot)|/(?:home|Users)(?:/[^/]{1,64})?"
    r"|~/(?:Documents|Desktop))/?\*?$"
)
_HOMES: Final = lazy(r"^/(?:home|Users)/")
_TAKES_ONE: Final = lazy(r"(?i)^[\w.$\s]*(?:move|rename|renames|replace|unlink|remove)(?:Sync)?\s*\(")
"""What takes one file or moves it: in code, the `*` of a path is a name that is not known, and no list of all names."""
_REMOVES_FILES: Final = lazy(r"^[\w.$\s]*\brm(?:Sync)?\s*\([^{}]{1,200}\{[^{}.\[\\]{0,80}\}\s*\)$")
"""Node's `rm` takes no folder where `recursive` is none of its options, and those are all written there, letter by
letter."""
_MAKES_FOLDER: Final = lazy(
    r"(?i)^(?:await\s+)?[\w.$]*(?:mkdirs?|makedirs|mkdirp|ensure_?dir)(?:Sync)?\s*\(|\.mkdir\s*\([^()]{0,120}\)$"
    r"|^(?:sudo\s+)?(?:mkdir|touch|install\s+(?:-\w{1,8}\s+(?:[0-7]{3,4}\s+)?){0,4}-d)\s"
)
"""What makes a folder or an empty file, in which there is nothing yet that could be run."""
_PINNED: Final = lazy(
    r"^https://(?:deno\.land/(?:std|x/[\w-]{1,80})|(?:esm\.sh|cdn\.skypack\.dev|unpkg\.com|cdn\.jsdelivr\.net/npm)/(?:@[\w.-]{1,80}/)?[\w.-]{1,80}"
    r"|jsr\.io/@[\w-]{1,40}/[\w-]{1,80})(?:@|/)v?[0-9]+\.[0-9]+\.[0-9]+(?:[-+][\w.]{1,40})?(?:/|$)"
)
"""An exact version of a package from a registry of modules: a dependency as others have theirs in a manifest."""
_COPY_BESIDE: Final = lazy(
    r"(?i)[^/\\]\.(?:bak|backup|orig|old|disabled|sample)(?:[.*~][^/\\]{0,40})?$|\.ssh[/\\](?:config|rc|authorized_keys)\.[^/\\]+$"
)
"""What no scheduler, no launcher and no tool that looks for a name runs."""
_REACHES: Final = lazy(
    r"getattr|__dict__|\bvars\s*\(|globals\s*\(|locals\s*\(|__import__|import_module|attrgetter|methodcaller"
    r"|__getattribute__|__builtins__|Reflect\s*\.|\[\s*[\"'(\w]"
)
_PIECES: Final = lazy(
    r"[\"']\s*\+\s*[\"']|[\"'][ \t]+[rbfu]{0,2}[\"']|\.join\s*\(|\[\s*::|reversed\s*\(|\bchr\s*\(|fromhex|decode\s*\("
    r"|format\s*\(|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\.replace\s*\(|translate\s*\(|\bf[\"'][^\"'\n]{0,200}\{|%\s*[(\"']"
    r"|\.swapcase|\.lower\s*\(|\.upper\s*\(|fromCharCode|\batob\s*\(|\.reverse\s*\(|`[^`\n]{0,200}\$\{"
)
"""How a text is put together: concatenation, reversal, escapes, codes of characters."""
_BUILT: Final = frozenset(
    """
    os.system os.popen os.execv os.execve os.execvp os.execl os.spawnv os.spawnl os.posix_spawn subprocess.run
    subprocess.Popen subprocess.call subprocess.check_call subprocess.check_output subprocess.getoutput
    subprocess.getstatusoutput builtins.eval builtins.exec builtins.compile builtins.__import__ pty.spawn pickle.loads
    marshal.loads ctypes.CDLL socket.socket socket.create_connection requests.get requests.post urllib.request.urlopen
    shutil.rmtree os.remove os.unlink
    child_process.exec child_process.execSync child_process.execFile child_process.execFileSync child_process.spawn
    child_process.spawnSync child_process.fork globals.eval globals.Function vm.runInNewContext vm.runInThisContext
    fs.writeFileSync fs.readFileSync fs.writeFile fs.unlinkSync fs.rmSync fs.appendFileSync globals.fetch http.request
    https.request https.get net.connect
    """.split()
)
"""Calls that nobody reaches by a name in pieces without wanting to hide them."""


def _autostart(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield writes to a place that something runs from later."""
    writes = {(fact.span, fact.object) for fact in facts.facts if fact.capability in ("fs.write", "fs.meta")}
    seen: set[str] = set()
    for fact in facts.facts:
        path, span = fact.object, fact.span
        if fact.capability != "persistence" or fact.resolution not in SURE or path is None or path in seen:
            continue
        if (span, path) not in writes or searches(_OTHERS_KIND, path) or searches(_COPY_BESIDE, path):
            continue
        if not searches(_MAKES_FOLDER, span_text(span, lines(span.line))):
            seen.add(path)
            yield Hit(span, f"`{path}` is run later", path)


def _scheduled(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield calls of schedulers, service managers and the registry."""
    others = {fact.span for fact in facts.facts if fact.capability in ("fs.write", "fs.meta") or _keeps(fact)}
    for fact in facts.facts:
        if fact.capability == "persistence" and fact.channel != "import" and fact.span not in others:
            yield Hit(fact.span, "", fact.object)


def _keeps(fact: Fact) -> bool:
    """Say whether a program is started in which others go on running: nothing is started again."""
    return fact.capability == "process.exec" and fact.object in ("tmux", "screen")


def _client_settings(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield writes to an agent client's own settings."""
    seen: set[str] = set()
    for fact in facts.facts:
        path, span = fact.object, fact.span
        if fact.capability != "fs.write" or fact.resolution not in SURE or path is None or path in seen:
            continue
        is_temporary = ".." not in path and searches(_TEMPORARY, path)
        is_told = searches(_OBEYED_EVERYWHERE, path)
        if (
            not (is_told or searches(_CLIENT_SETTINGS, path))
            or is_temporary
            or searches(_BY_HAND, span_text(span, lines(span.line)))
        ):
            continue
        seen.add(path)
        yield Hit(span, f"`{path}` {'is obeyed in every session' if is_told else 'decides what the client runs'}", path)


def is_in_a_test(detector: str, named: str | None, file: str) -> bool:
    """Say whether a test writes settings below a folder that it is given: one that it made, as a rule."""
    return detector == "client-settings" and (named or "").startswith("*/") and is_of_a_test(file)


def _home_deleted(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield the deletion of a whole home folder, disk or system folder."""
    for path, span in first_places(facts, "fs.delete"):
        if searches(_WHOLE_HOME, path) and not (path.endswith("/*") and _is_one_name(facts, path, span, lines)):
            yield Hit(span, f"all of `{path}`", path)


def _is_one_name(facts: FileFacts, path: str, span: Span, lines: Lines) -> bool:
    """Say whether the `*` of a path is one name that is not known, and not one after the other of all names there."""
    text = span_text(span, lines(span.line))
    if searches(_TAKES_ONE, text) or (searches(_REMOVES_FILES, text) and "recursive" not in text):
        return True
    folder = path[:-2] or "/"
    is_listed = any(f.capability == "fs.read" and f.object in (folder, folder + "/") for f in facts.facts)
    return bool(text) and not is_listed and "*" not in text and not searches(_HOMES, path)


def _built_name(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield mentions of sensitive functions whose name stands nowhere, only pieces of it."""
    for event in facts.events:
        if event.name not in _BUILT or event.resolution == "direct":
            continue
        source = lines(event.span.line)
        text = callee_text(event, source) if event.kind == "call" else span_text(event.span, source)
        if text and _is_built(event, text):
            yield Hit(event.span, f"this is `{event.name.removeprefix('builtins.')}`", event.name)


def _is_built(event: Event, text: str) -> bool:
    name = re.escape(event.name.rpartition(".")[2])
    if searches(compiled(rf"(?i)(?<![A-Za-z0-9_]){name}(?![A-Za-z0-9_])"), text):
        return False
    return searches(_REACHES, text) and searches(_PIECES, text)


_OWN: Final = frozenset({"code", "shell"})
_NESTED: Final = frozenset({"nested"})


def channels_of(facts: FileFacts) -> frozenset[str]:
    """Return the channels of what the text itself does, and none of what it starts does.

    Of a line that a hook, a build or another file runs, all that it does has the channel `nested`.
    """
    return _OWN if any(fact.channel in _OWN for fact in facts.facts) else _NESTED


def first_places(facts: FileFacts, capability: str) -> Iterator[tuple[str, Span]]:
    """Yield (object, place) of the sure facts of one capability, each object at its first place."""
    seen: set[str] = set()
    for fact in facts.facts:
        wanted = fact.capability == capability and fact.resolution in SURE
        if wanted and fact.object is not None and fact.object not in seen:
            seen.add(fact.object)
            yield fact.object, fact.span


def _acts_on_import(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield programs and connections started by the mere import of a file that has entry points of its own."""
    if all(entry.trigger in _NOBODY_LISTS for entry in facts.entries):
        return
    for fact in facts.facts:
        starts = fact.capability in ("process.exec", "process.shell", "net.outbound")
        is_early = starts and fact.trigger == "import" and fact.channel == "code" and fact.resolution in SURE
        if is_early and not (fact.capability == "net.outbound" and _is_client(fact.span, lines)):
            if "".join(lines(fact.span.line)[:1])[fact.span.column - 1 :].startswith(_ONLY_DESCRIBED):
                continue
            yield Hit(fact.span, "runs when the file is imported", fact.object)


_NOBODY_LISTS: Final = frozenset(
    ("import", "hook:request", "hook:connection", "hook:exit", "hook:signal", "hook:input")
)
"""What a program that runs by itself waits for: a server that a test makes, a key, its own end; no host lists that."""


def _is_client(span: Span, lines: Lines) -> bool:
    """Say whether an expression only makes an object that connects when it is used: `OpenAI()`, `new Stripe(key)`."""
    text = span_text(span._replace(end_line=span.line), lines(span.line)) if span.end_line == span.line else ""
    text = text or "".join(lines(span.line)[:1])[span.column - 1 :]
    return searches(_CLIENT, text) and not searches(_CONNECTS, text.partition("(")[0])


_ONLY_DESCRIBED: Final = ("StdioServerParameters(", "mcp.StdioServerParameters(")
"""What says how a program would be started, and starts none."""
_CLIENT: Final = lazy(
    r"^(?:new\s+[\w$.]|(?:[\w$]+\.)*[A-Z]\w*\(|boto3\.(?:client|resource)\(|axios\.create\("
    r"|require\([^()]{1,80}\)(?:\.\w+)?\()"
)
_CONNECTS: Final = lazy(r"(?i)socket|eventsource|smtp|ftp|imap|pop3|telnet|nntp|rtcpeer|xmlhttp")
"""Classes whose constructor opens the connection."""


def _remote_import(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield modules that are loaded from an address instead of a file."""
    for fact in facts.facts:
        is_sure = fact.capability == "code.import" and fact.resolution in SURE
        if not is_sure or fact.object is None or searches(_PINNED, fact.object):
            continue
        if fact.object.startswith(("http:", "https:", "data:")):
            yield Hit(fact.span, "", fact.object)


def _loading_variables(facts: FileFacts, _: Lines) -> Iterator[Hit]:
    """Yield variables that are set and make programs load code which are started later, or the one that is given it."""
    loads = {(fact.span, fact.object) for fact in facts.facts if fact.capability in ("code.native", "code.dynamic")}
    for fact in facts.facts:
        is_sure = fact.capability == "env.write" and fact.object in _LOADING and fact.resolution in SURE
        if is_sure and (fact.span, fact.object) in loads:
            yield Hit(fact.span, f"`{fact.object}` is read by programs that are started later", fact.object)


_LOADING: Final = frozenset(
    """
    LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH BASH_ENV PROMPT_COMMAND PYTHONSTARTUP PYTHONBREAKPOINT
    NODE_OPTIONS BUN_OPTIONS PERL5OPT PERL5DB RUBYOPT LUA_INIT JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS
    GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF LESSOPEN OPENSSL_CONF DOTNET_STARTUP_HOOKS
    """.split()
)
"""Those of all variables that load code which hardly any honest program sets."""


def _packed_code(facts: FileFacts, lines: Lines) -> Iterator[Hit]:
    """Yield code that is unpacked from a text of the file, or written in escapes, and run."""
    runs = {event.span: event for event in facts.events if event.kind == "call" and event.name in _RUNS}
    hidden = {
        fact.span
        for fact in facts.facts
        if fact.capability == "code.obfuscated" and fact.resolution in SURE and fact.span in runs
    }
    hidden.update(span for span, event in runs.items() if _is_hidden(event, lines(span.line)))
    for span in hidden:
        yield Hit(span, _what_runs(runs.get(span)))


def _is_hidden(event: Event, source: tuple[str, ...]) -> bool:
    """Say whether a known text does not stand in the call: it is escaped, or a function of the file gives it."""
    if not event.arguments or not isinstance(event.arguments[0], str):
        return False
    if searches(_ESCAPED, span_text(event.span, source)):
        return True
    return event.name in _CODE and argument_function(event, source) not in _GIVES_AS_IT_IS


def _what_runs(event: Event | None) -> str:
    """Show the beginning of the code that was hidden, where it is known."""
    if event is None or not event.arguments or not isinstance(event.arguments[0], str):
        return ""
    text = " ".join(event.arguments[0].split())
    return f"it runs `{text}`" if len(text) <= _MAX_SHOWN else f"it runs `{text[:_MAX_SHOWN]}…`"


_MAX_SHOWN: Final = 60
_CODE: Final = frozenset({"builtins.exec", "builtins.eval"})
_GIVES_AS_IT_IS: Final = frozenset({"", "str", "bytes", "memoryview", "dedent", "cleandoc", "repr", "compile"})
_RUNS: Final = frozenset(
    """
    builtins.exec builtins.eval builtins.compile os.system os.popen subprocess.run subprocess.Popen subprocess.call
    subprocess.check_call subprocess.check_output subprocess.getoutput subprocess.getstatusoutput
    globals.eval globals.Function vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script
    child_process.exec child_process.execSync
    """.split()
)
_ESCAPED: Final = lazy(r"(?:\\x[2-7][0-9a-fA-F]|\\u00[2-7][0-9a-fA-F]|\\[0-7]{3}){3}")
"""Three visible characters in a row that are written as escapes."""

ACTS_ON_IMPORT: Final = CodeDetector(_acts_on_import)
AUTOSTART: Final = CodeDetector(_autostart)
SCHEDULED: Final = CodeDetector(_scheduled)
CLIENT_SETTINGS: Final = CodeDetector(_client_settings)
HOME_DELETED: Final = CodeDetector(_home_deleted)
REMOTE_IMPORT: Final = CodeDetector(_remote_import)
LOADING_VARIABLES: Final = CodeDetector(_loading_variables)
PACKED_CODE: Final = CodeDetector(_packed_code, Interest(calls=_RUNS))
BUILT_NAME: Final = CodeDetector(_built_name, Interest(calls=_BUILT, attributes=_BUILT))
