"""The API tables as data: well-formed, closed vocabulary, and no name of the standard library that does not exist.

A typing mistake in a table is silent: the name never matches anything. So every name of a standard module is looked up
in the running interpreter, and a name that only other versions or platforms have must stand in a list below.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tomli

from plugseal.model.capability import Capability

FOLDER = Path(__file__).resolve().parents[2] / "src/plugseal/lang/python/tables"
FILES = sorted(FOLDER.glob("*.toml"))
NAMELESS = {"_methods", "_same"}

TOP_KEYS = {"module", "imports", "import_of", "api", "returns", "same", "members", "callbacks"}
TOP_KEYS |= {"entry", "given", "registers"}
API_KEYS = {"capability", "names", "object", "kind", "use", "resolution", "when", "unless", "mode"}
API_KEYS |= {"given", "reads_on", "looks", "base", "set_to"}
KINDS = {"sql", "program", "path", "prefix", "folder", "host", "address", "variable", "package", "text"}
CAPABILITIES = {capability.value for capability in Capability}
TRIGGERS = re.compile(r"import|start|tool|install|open|command|prose|unknown|hook:[a-z]+")
STEP = r"[A-Za-z_]\w*(?:\(\)|\[\d*\])*"
NAME = re.compile(rf"(?:{STEP}(?:\.{STEP})*(?:\.\*)?|\*|)")
ARGUMENT = r"(?:\d+|[A-Za-z_]\w*)"
OBJECT = re.compile(rf"@name|=.+|(?:self:)?{ARGUMENT}(?:\|{ARGUMENT})*(?:\|=.+)?|")
PLACE = re.compile(rf"{ARGUMENT}(?:\|{ARGUMENT})*")
TOO_COMMON = {"get", "run", "open", "send", "exec", "eval", "connect", "read", "write", "post", "delete", "call"}

REMOVED_MODULES = frozenset(
    "aifc anydbm asynchat asyncore audioop binhex bsddb cgi cgitb commands crypt dbhash distutils dl dumbdbm gdbm"
    " ihooks imghdr imp imputil lib2to3 mailcap msilib new nis nntplib ossaudiodev pipes popen2 rexec smtpd"
    " sndhdr spwd sunau telnetlib thread uu xdrlib".split()
)
"""Python 2's and those removed since 3.10; present on some of the supported versions, looked up where they are."""

ELSEWHERE_MODULES = frozenset(
    "_pyrepl antigravity _bootsubprocess compression _dbm _gdbm _interpreters interpreters msilib msvcrt _overlapped"
    " _scproxy test _testcapi _testinternalcapi _tkinter tkinter _uuid _winapi winreg _wmi _xxsubinterpreters".split()
)
"""Of other platforms, of newer versions, left out by some distributions, or better not imported."""

ELSEWHERE = frozenset(
    """
    builtins.execfile builtins.file builtins.reload
    os.startfile os.popen2 os.popen3 os.popen4 os.listdrives os.listmounts os.listvolumes os.lchmod os.chflags
    os.lchflags os.tempnam os.tmpnam os.tmpfile os.setns os.unshare os.add_dll_directory os.path.walk
    os.path.isjunction os.path.isdevdrive os.reload_environ os._spawnvef os.DirEntry().is_junction
    os.environ.iteritems os.environ.iterkeys os.environ.itervalues os.path.os
    _ctypes.FreeLibrary _ctypes.LoadLibrary ctypes.DllGetClassObject ctypes.OleDLL ctypes.WinDLL ctypes.oledll
    ctypes.oledll.LoadLibrary ctypes.windll ctypes.windll.LoadLibrary ctypes.WINFUNCTYPE ctypes.PyObj_FromPtr
    ctypes.util._dlopen
    asyncio.EventLoop asyncio.ProactorEventLoop asyncio.windows_events.ProactorEventLoop
    concurrent.futures.InterpreterPoolExecutor concurrent.interpreters.create().call
    concurrent.interpreters.create().exec
    dbm.gnu.open dbm.ndbm.open dbm.sqlite3.open
    ftplib.FTP().auth ftplib.FTP().ccc ftplib.FTP().prot_p
    http.server.HTTPSServer http.server.ThreadingHTTPSServer
    imaplib.IMAP4().idle importlib.machinery.AppleFrameworkLoader multiprocessing.popen_spawn_win32.Popen
    pathlib.Path().copy pathlib.Path().copy_into pathlib.Path().move pathlib.Path().move_into
    pathlib.Path().is_junction pathlib.Path().walk pathlib._local.Path
    platform.android_ver platform.dist platform.ios_ver platform.linux_distribution platform.popen
    plistlib.readPlist plistlib.writePlist pydoc.get_pager pydoc.pipe_pager pydoc.tempfile_pager
    smtpd.MailmanProxy socketserver.ForkingUnixDatagramServer socketserver.ForkingUnixStreamServer
    sqlite3.Connection().enable_load_extension sqlite3.Connection().load_extension
    subprocess._posixsubprocess subprocess._winapi sunau.openfp sys.getwindowsversion sys.remote_exec
    tarfile.TarFile.zstopen tarfile.extractall urllib.FancyURLopener urllib.URLopener urllib.urlopen
    urllib.urlretrieve wave.openfp webbrowser.MacOSXOSAScript
    asyncio.AbstractEventLoop().sock_sendto contextlib.chdir subprocess._fork_exec zipfile.ZipFile().mkdir
    configparser.SafeConfigParser().read importlib.find_loader importlib.util.module_for_loader io.OpenWrapper
    pathlib.Path().link_to pkgutil.ImpImporter pkgutil.ImpLoader typing.ForwardRef().evaluate
    typing.evaluate_forward_ref
    """.split()
)
"""Names that only some versions, builds or platforms have, Python 2's and Windows' among them; methods of a subclass
that a table treats as its base; and `tarfile.extractall`, which mistaken code calls."""

UNKNOWABLE = ("ctypes.CDLL().", "builtins.get_ipython().", "builtins.__loader__.")
"""Beginnings of names whose members come from outside Python, or depend on the module in which they are written."""


@cache
def table(path: Path) -> dict[str, Any]:
    return tomli.loads(path.read_text(encoding="utf-8"))


def groups() -> list[tuple[str, dict[str, Any]]]:
    return [(path.stem, group) for path in FILES for group in table(path).get("api", ())]


def full(module: str, name: str) -> str:
    return f"{module}.{name}" if module and name else module or name


def test_there_are_tables_for_the_standard_library_and_many_packages(capsys: pytest.CaptureFixture[str]) -> None:
    standard = [path for path in FILES if path.stem in sys.stdlib_module_names or path.stem in REMOVED_MODULES]
    names = sum(len(group["names"]) for _, group in groups())
    with capsys.disabled():
        print(f"\npython tables: {len(standard)} standard modules, {len(FILES) - len(standard)} others, {names} names")
    assert len(standard) > 100
    assert len(FILES) - len(standard) > 170


def test_a_table_names_its_own_module_and_has_only_known_keys() -> None:
    for path in FILES:
        data = table(path)
        assert data["module"] == ("" if path.stem in NAMELESS else path.stem)
        assert set(data) <= TOP_KEYS, path.stem
        assert len(data) > 1, f"{path.stem} is empty"
        assert set(data.get("members", {})) <= {"plain"}, path.stem


def test_every_group_is_well_formed() -> None:
    faults = []
    for module, group in groups():
        place = f"{module}: {group.get('capability')} {group.get('names')}"
        checks = {
            "unknown key": set(group) <= API_KEYS,
            "unknown capability": group["capability"] in CAPABILITIES,
            "no names": bool(group["names"]),
            "malformed name": all(NAME.fullmatch(name.removeprefix("*.").lstrip(".")) for name in group["names"]),
            "malformed object": OBJECT.fullmatch(group.get("object", "")) is not None,
            "unknown kind": group.get("kind", "text") in KINDS,
            "unknown use": group.get("use", "any") in {"any", "call", "reference"},
            "unknown resolution": group.get("resolution", "possible") == "possible",
            "malformed mode": "mode" not in group or PLACE.fullmatch(group["mode"]) is not None,
            "mode without fs.read": "mode" not in group or group["capability"] == "fs.read",
            "malformed condition": all(
                PLACE.fullmatch(key) for key in (*group.get("when", {}), *group.get("unless", {}))
            ),
        }
        faults += [f"{fault}: {place}" for fault, good in checks.items() if not good]
    assert faults == []


def test_no_name_has_the_same_capability_twice_unless_conditions_tell_them_apart() -> None:
    seen: set[tuple[str, str, str]] = set()
    faults = []
    for module, group in groups():
        condition = repr((group.get("when"), group.get("unless")))
        for name in group["names"]:
            key = (full(module, name), group["capability"], condition)
            faults += [key] if key in seen else []
            seen.add(key)
    assert faults == []


def test_import_evidence_names_known_capabilities() -> None:
    for path in FILES:
        data = table(path)
        found = {data["imports"]} if "imports" in data else set()
        found |= set(data.get("import_of", {}).values())
        assert found <= CAPABILITIES, path.stem
        assert all(module.startswith(f"{path.stem}.") for module in data.get("import_of", {})), path.stem


def test_sections_are_well_formed() -> None:
    faults = []
    for path in FILES:
        data = table(path)
        expressions = [*data.get("returns", {}), *data.get("returns", {}).values(), *data.get("same", {})]
        expressions += [*data.get("same", {}).values(), *data.get("members", {}).get("plain", ())]
        expressions += [*data.get("callbacks", {}), *data.get("entry", {})]
        expressions += [*data.get("given", {}), *data.get("given", {}).values()]
        faults += [(path.stem, name) for name in data.get("given", {}) if name not in data.get("entry", {})]
        faults += [(path.stem, text) for text in expressions if not NAME.fullmatch(text) or text.endswith("*")]
        faults += [(path.stem, text) for text in data.get("callbacks", {}).values() if not PLACE.fullmatch(text)]
        triggers = [*data.get("entry", {}).values(), *data.get("registers", {}).values()]
        faults += [(path.stem, text) for text in triggers if not TRIGGERS.fullmatch(text)]
    assert faults == []


def test_no_name_stands_behind_an_expression_that_is_known_under_another_type() -> None:
    """Such a name can never match: the engine replaces the beginning first."""
    replaced: dict[str, str] = {}
    for path in FILES:
        data = table(path)
        for name, other in (*data.get("returns", {}).items(), *data.get("same", {}).items()):
            if full(data["module"], name) != other:
                replaced[full(data["module"], name)] = other
    faults = []
    for module, group in groups():
        for name in group["names"]:
            whole = full(module, name)
            faults += [(whole, part) for part in beginnings(whole) if part in replaced]
    assert faults == []


def beginnings(name: str) -> list[str]:
    """Return the expressions that `name` is a member, a call or an item of, and itself without its last dot-star."""
    cuts = [match.start() for match in re.finditer(r"\.|\(|\[", name)]
    return [name[:cut] for cut in cuts] + ([] if name.endswith("*") else [name])


def test_what_returns_and_other_spellings_lead_to_exists() -> None:
    known = {path.stem for path in FILES} | set(sys.stdlib_module_names) | REMOVED_MODULES | {"None"}
    targets = [
        (path.stem, target)
        for path in FILES
        for section in ("returns", "same")
        for target in table(path).get(section, {}).values()
    ]
    assert [pair for pair in targets if re.split(r"[.(\[]", pair[1])[0] not in known] == []


def test_methods_of_unknown_receivers_are_few_possible_and_telling() -> None:
    for group in table(FOLDER / "_methods.toml")["api"]:
        assert group.get("resolution") == "possible"
        assert all(name.startswith(".") and "." not in name[1:] for name in group["names"])
        assert not TOO_COMMON & {name[1:] for name in group["names"]}
    assert sum(len(group["names"]) for group in table(FOLDER / "_methods.toml")["api"]) < 90


def standard_names() -> list[str]:
    tables = {path.stem: table(path) for path in FILES}
    modules = [m for m in tables if m in sys.stdlib_module_names and m not in ELSEWHERE_MODULES]
    names = []
    for module in modules:
        data = tables[module]
        for name in [n for g in data.get("api", ()) for n in g["names"]] + list(data.get("same", {})):
            names.append(full(module, name.removesuffix(".*")))
    return sorted(name for name in set(names) - ELSEWHERE if not name.startswith(UNKNOWABLE))


@pytest.mark.filterwarnings("ignore")
def test_names_of_standard_modules_exist() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        missing = [name for name in standard_names() if not exists(name)]
    assert missing == []


def exists(name: str) -> bool:
    """Look a name up; what a class makes is looked up in the class, what a function gives is not known."""
    parts = re.findall(r"[A-Za-z_]\w*|\(\)|\[\d*\]", name)
    value, rest = import_longest(parts)
    for part in rest:
        if part == "()":
            if not inspect.isclass(value):
                return callable(value)
        elif part.startswith("["):
            return True
        else:
            found = look_up(value, part)
            if found is None:
                return False
            value = found[0]
    return True


def look_up(value: object, part: str) -> tuple[object] | None:
    """Return the member in a tuple, or None; the annotations and slots of a class count as members of its results."""
    try:
        return (getattr(value, part),)
    except AttributeError:
        return None


def import_longest(parts: list[str]) -> tuple[object, list[str]]:
    value: object = importlib.import_module(parts[0])
    for count in range(2, len(parts) + 1):
        if not parts[count - 1].isidentifier():
            return value, parts[count - 1 :]
        try:
            value = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            return value, parts[count - 1 :]
    return value, []
