"""Decide by content which reader a file belongs to, whether it is inert, or why nobody reads it.

Names help only to choose between readers of text; that a file is harmless is never concluded from its name.
`inert` means: no host, interpreter or agent runs or obeys such content (a picture that ends where it says it ends,
a data document that no known client reads as configuration).
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.documents import judge_document
from plugseal.lang.encodings import as_utf8
from plugseal.lang.media import judge_media
from plugseal.lang.surfaces import is_known_surface, is_setting, is_surface
from plugseal.lang.textkinds import (
    CHECKPOINT,
    LANGUAGES_BY_INTERPRETER,
    LANGUAGES_BY_NAME,
    LANGUAGES_BY_PATTERN,
    LANGUAGES_BY_SUFFIX,
    LANGUAGES_OF_YAML,
    LISTED,
    LUA_OF_NGINX,
    OF_TASKS,
    READABLE,
    TEMPLATES,
)
from plugseal.patterns import lazy
from plugseal.records import NamedTuple

READ: Final = "read"
INERT: Final = "inert"
UNREAD: Final = "unread"
CONFIGURATION: Final = "configuration that a client may run: no reader yet"
"""Why a data document is unread unless a system understands it."""

TOOL_DATA: Final = "data in a tool's folder, under a name that nothing known here reads"
"""Why a data document is unread that lies where tools keep theirs."""


class Verdict(NamedTuple):
    """What to do with a file."""

    action: str
    """`read` (by the reader named `language`), `inert` or `unread`."""
    language: str
    reason: str = ""
    """Why it is unread, in a few words."""
    is_native: bool = False
    """Holds machine or byte code: `code.native` beside `unread`."""


_NATIVE: Final = (
    (b"\x7fELF", "native code (ELF)"),
    (b"MZ", "native code (Windows)"),
    (b"\xfe\xed\xfa\xce", "native code (Mach-O)"),
    (b"\xfe\xed\xfa\xcf", "native code (Mach-O)"),
    (b"\xce\xfa\xed\xfe", "native code (Mach-O)"),
    (b"\xcf\xfa\xed\xfe", "native code (Mach-O)"),
    (b"\xca\xfe\xba\xbe", "byte code (Java or Mach-O)"),
    (b"\0asm", "WebAssembly"),
    (b"!<arch>\n", "native library archive"),
    (b"dex\n", "byte code (Android)"),
)
_ARCHIVES: Final = (
    (b"PK\x03\x04", "archive (zip)"),
    (b"PK\x05\x06", "archive (zip)"),
    (b"\x1f\x8b", "compressed (gzip)"),
    (b"BZh", "compressed (bzip2)"),
    (b"\xfd7zXZ\0", "compressed (xz)"),
    (b"(\xb5/\xfd", "compressed (zstd)"),
    (b"7z\xbc\xaf\x27\x1c", "archive (7z)"),
    (b"Rar!", "archive (rar)"),
)
_LFS_POINTER: Final = b"version https://git-lfs.github.com/spec/"
DATA_LANGUAGES: Final = frozenset({"json", "toml", "yaml"})


def classify(path: str, data: bytes) -> Verdict:
    """Return who reads a file.

    Args:
        path: path below the scanned root.
        data: all bytes of the file.
    """
    if not data:
        return Verdict(INERT, "empty")
    for magic, reason in _NATIVE:
        if data.startswith(magic) and not (magic == b"MZ" and _is_text(data)):
            return Verdict(UNREAD, "native", reason, is_native=True)
    suffix = _suffix(path)
    if _is_python_bytecode(suffix, data):
        return Verdict(UNREAD, "native", "byte code (Python)", is_native=True)
    for magic, reason in _ARCHIVES:
        if data.startswith(magic):
            return Verdict(UNREAD, "archive", reason)
    if data[257:262] == b"ustar":
        return Verdict(UNREAD, "archive", "archive (tar)")
    if data.startswith(_LFS_POINTER):
        return Verdict(UNREAD, "pointer", "Git LFS pointer: the real file is not here")
    media = judge_media(data)
    if media is not None:
        return Verdict(INERT, media.kind) if media.ends_where_it_says else Verdict(UNREAD, media.kind, media.reason)
    document = judge_document(data)
    if document is not None:
        return Verdict(UNREAD if document.reason else INERT, document.kind, document.reason)
    return _classify_text(path, suffix, data)


def language_of(path: str, data: bytes) -> str:
    """Return the language of a text by its first line, name and suffix alone; empty where these tell none."""
    return _language(path, _suffix(path), data)


def is_recipe(path: str) -> bool:
    """Say whether a file is read by itself as command lines, so that no manifest's description need say them again."""
    return _language(path, _suffix(path), b"") in _RECIPES


_RECIPES: Final = frozenset({"Dockerfile", "Makefile", "justfile", "unit or launcher", "time table"})


def _classify_text(path: str, suffix: str, data: bytes) -> Verdict:
    data = as_utf8(data)
    language = _language(path, suffix, data)
    if language == "yaml" and not is_known_surface(path):
        language = _of_yaml(path, data)
    if language == "configuration" and LUA_OF_NGINX.search(data):
        language = "nginx settings"
    if language in _LOOKED_INTO:
        verdict = _look_into(data, is_named=bool(language))
        if verdict is not None:
            return verdict
    if language == "configuration" and is_setting(path):
        return Verdict(UNREAD, language, CONFIGURATION)
    if language in READABLE:
        return Verdict(READ, language)
    if language in DATA_LANGUAGES:
        if is_surface(path):
            return Verdict(UNREAD, language, CONFIGURATION if is_known_surface(path) else TOOL_DATA)
        return Verdict(READ, language)
    if language:
        return Verdict(UNREAD, language, f"no reader for {language} yet")
    if b"\0" in data[:65536]:
        return Verdict(UNREAD, "binary", "unknown binary")
    return Verdict(UNREAD, "text", f"text of an unknown kind (.{suffix})" if suffix else "text of an unknown kind")


def _of_yaml(path: str, data: bytes) -> str:
    """Return whose document of YAML it is, by what it holds; `yaml` for all that only say something."""
    for first, second, language in LANGUAGES_OF_YAML:
        if first.search(data) and second.search(data):
            return language
    return "playbook" if OF_TASKS.search(path.lower()) and LISTED.search(data) else "yaml"


_LOOKED_INTO: Final = frozenset({"", "plain text", "requirements", "JSON lines"})
"""What names say of these is not believed before the text was looked at."""


def _look_into(data: bytes, *, is_named: bool) -> Verdict | None:
    """Return what a text is that claims to be only text, or nothing; None where it is none but text."""
    from plugseal.lang.sniff import (
        decoded_text,
        is_json,
        is_only_commands,
        markup_language,
        program_language,
    )  # most trees hold few such texts

    language = markup_language(data) or program_language(data)
    if language in READABLE:
        return Verdict(READ, language)
    if language:
        return Verdict(UNREAD, language, f"no reader for {language} yet")
    if data.startswith((b"-----BEGIN ", b"ssh-rsa ", b"ssh-ed25519 ")):
        return Verdict(READ, "plain text")
    if not is_named and is_json(data):
        return Verdict(INERT, "json")
    if not is_named and is_only_commands(data):
        return Verdict(READ, "shell")
    inner = decoded_text(data)
    if inner is None:
        return None
    verdict = classify("", inner)
    if verdict.action == INERT or (verdict.language in ("text", "binary") and not inner.startswith(b"#!")):
        return None
    what = verdict.reason or f"a program ({verdict.language})"
    return Verdict(UNREAD, "encoded", f"encoded text that holds {what}", is_native=verdict.is_native)


def _language(path: str, suffix: str, data: bytes) -> str:
    """Name the language of a text: by shebang first, since that is what runs it, then by name and suffix."""
    name = path.rpartition("/")[2]
    by_suffix = LANGUAGES_BY_SUFFIX.get(suffix, "")
    if by_suffix == "python":
        return by_suffix
    head = data[3:259] if data.startswith(b"\xef\xbb\xbf") else data[:256]
    if head.startswith(b"#!") and not head.startswith(b"#!["):
        interpreter = _interpreter(head)
        if interpreter:
            return interpreter
    lower = name.lower()
    if not suffix and path.split("/")[-2:-1] in ([".husky"], [".githooks"]):
        return "shell"  # Hooks that their tool gives to a shell, with or without a first line that says so.
    if lower.startswith(("dockerfile.", "containerfile.")) and by_suffix in ("", "plain text"):
        return "Dockerfile"
    small = path.lower()
    for shape, language in LANGUAGES_BY_PATTERN if lower.endswith(_SHAPED) else ():
        if shape.search(small):
            return language
    if lower.startswith(".env.") or lower.endswith(".env"):
        return "environment file"
    if suffix in TEMPLATES and "." in name.rpartition(".")[0].lstrip("."):
        return _language(path.rpartition(".")[0], _suffix(path.rpartition(".")[0]), data)
    named = LANGUAGES_BY_NAME.get(lower, "") or by_suffix
    return named or ("plain text" if _FOR_PEOPLE.match(name) or CHECKPOINT.match(head) else "")


_SHAPED: Final = (".txt", ".in", ".pip", ".cmake", ".yml", ".yaml", ".conf", ".rules")
"""Ends of names that a shape may claim."""
_FOR_PEOPLE: Final = lazy(r"(?:LICEN[CS]E|NOTICE|COPYING|THIRD[_-]PARTY)[A-Z0-9_.-]*\Z", re.IGNORECASE)
"""Names that legal texts have, with what they are about behind them."""


def _interpreter(head: bytes) -> str:
    words = head[2:].split(b"\n", 1)[0].decode("latin-1").split()
    while words:
        program = words[0].rpartition("/")[2].rpartition("\\")[2].lower()
        if program == "env" or words[0].startswith("-") or "=" in words[0]:
            words = words[1:]
            continue
        base = program.removesuffix(".exe").rstrip("0123456789.")
        return LANGUAGES_BY_INTERPRETER.get(base, "script" if base else "")
    return ""


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return suffix.lower() if dot and stem else ""


def _is_python_bytecode(suffix: str, data: bytes) -> bool:
    """Recognise `.pyc` by its magic: two version bytes, then CR LF, then flags."""
    return data[2:4] == b"\r\n" and len(data) >= 16 and (suffix in {"pyc", "pyo"} or data[4:8] in _PYC_FLAGS)


_PYC_FLAGS: Final = (b"\0\0\0\0", b"\1\0\0\0", b"\3\0\0\0")


def _is_text(data: bytes) -> bool:
    return b"\0" not in data[:4096]
