"""What loading a module means: by `require`, `import()`, an import statement, or one of the other ways in.

A file of the tree is no fact: it is read itself. A module that tables know is weak evidence by itself. A name that is
not known, an address, a text in place of a file, and native code are facts.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote_to_bytes

from plugseal.lang.ecmascript.collecting.scope import node_of
from plugseal.lang.ecmascript.judging.disguise import is_disguised, is_nowhere
from plugseal.lang.ecmascript.resolving.arguments import argument_values
from plugseal.lang.ecmascript.resolving.encodings import decode_base64
from plugseal.lang.ecmascript.resolving.names import MODULE_GIVERS
from plugseal.lang.ecmascript.resolving.values import Arguments, Made
from plugseal.lang.folded import HOLE, Text
from plugseal.lang.judging.objects import cut_object
from plugseal.lang.judging.paths import is_outside

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.collecting.scope import Scope
    from plugseal.lang.ecmascript.judging.subject import Subject
    from plugseal.lang.ecmascript.parsing.parse import Node

LOADERS: Final = MODULE_GIVERS | {"globals.require.resolve", "globals.importScripts"}
_UNUSUAL: Final = frozenset(("module._load", "process.mainModule.require"))
"""Ways in that nobody takes by accident."""
_WORKERS: Final = frozenset(("globals.Worker", "globals.SharedWorker", "worker_threads.Worker"))
_MAX_DATA: Final = 1 << 20


def report_load(subject: Subject, name: str, node: Node, arguments: Arguments, scope: Scope) -> None:
    """Report a call of something that loads modules.

    Args:
        subject: of the file.
        name: what is called.
        node: the call.
        arguments: its arguments.
        scope: where it stands.
    """
    report, span, trigger = subject.judge.report, subject.places.span(node), scope.trigger
    if not arguments.positional and not arguments.rest:
        return
    values = argument_values(subject.resolver, arguments, 0)
    known = [value for value in values if isinstance(value, Text) and isinstance(value.value, str)]
    made = [value.text for value in values if isinstance(value, Made) and value.text is not None]
    for text in [*known, *made]:
        if isinstance(text.value, str) and (text.whole or _names_scheme(text.value)):
            report_specifier(subject, text.value, node, scope, resolution="resolved")
        elif isinstance(text.value, str):
            inside = text.value.startswith(("./", "../"))
            report.add(span, "code.import", None, "possible" if inside else "resolved", trigger)
    if not known and not made:
        report.add(span, "code.import", None, "resolved", trigger)
    if name in _UNUSUAL:
        report.add(
            span, "code.import", cut_object("package", str(known[0].value)) if known else None, "direct", trigger
        )
    first = node_of(arguments.positional[0][0]) if arguments.positional else None
    if first is not None and known:
        where = arguments.positional[0][1]
        names = [str(text.value) for text in known if text.whole]
        is_known = any(subject.judge.tables.is_module(subject.judge.tables.module_named(one)) for one in names)
        files = [one for one in names if one.startswith(".") and is_nowhere(subject.resolver, one)]
        if (is_known or files) and is_disguised(subject.resolver, first, where):
            report.add(span, "code.obfuscated", None, "resolved", trigger)
            for file in files:
                report.add(span, "code.import", cut_object("path", file), "resolved", trigger)


def _names_scheme(text: str) -> bool:
    return text.startswith(("data:", "http://", "https://"))


def report_specifier(subject: Subject, specifier: str, node: Node, scope: Scope, *, resolution: str) -> None:
    """Report what a known specifier leads to, beyond the tree's own files."""
    report, span, trigger = subject.judge.report, subject.places.span(node), scope.trigger
    if specifier.startswith("data:"):
        report.add(span, "code.dynamic", None, resolution, trigger)
        report.add(span, "code.import", "data:", resolution, trigger)
        _note_data(subject, specifier, node, scope)
    elif specifier.startswith(("http://", "https://")):
        host = cut_object("host", specifier)
        report.add(span, "code.import", specifier[:256] if HOLE not in specifier else host, resolution, trigger)
        report.add(span, "code.fetched", host, resolution, trigger)
        report.add(span, "net.outbound", host, resolution, trigger)
    elif specifier.endswith((".node", ".wasm")):
        report.add(span, "code.native", cut_object("path", specifier), resolution, trigger)
    elif specifier.startswith(("/", "file:")) or specifier[1:3] in (":\\", ":/"):
        path = specifier.removeprefix("file://")
        report.add(span, "code.import", cut_object("path", path), resolution, trigger)
        if is_outside(path):
            report.add(span, "path.outside", cut_object("path", path), resolution, trigger)
    else:
        _note_evidence(subject, specifier, node, scope)


def _note_evidence(subject: Subject, specifier: str, node: Node, scope: Scope, names: tuple[str, ...] = ()) -> None:
    """Report what importing a module suggests: weak evidence, none where what is taken out of it can do nothing."""
    tables, report = subject.judge.tables, subject.judge.report
    if specifier.startswith("."):
        _note_climb(subject, specifier, node, scope)
        return
    module = tables.module_named(specifier)
    capability = tables.imported(module) if tables.is_module(module) else None
    if capability is not None and _can(subject, module, names, capability):
        channel, report.channel = report.channel, "import"
        report.add(subject.places.span(node), capability, None, "possible", scope.trigger)
        report.channel = channel


def _note_climb(subject: Subject, specifier: str, node: Node, scope: Scope) -> None:
    """Report a module by a path that climbs: whether it leaves the plugin is told where the plugin's root is known."""
    if HOLE not in specifier and posixpath.normpath(specifier).startswith(".."):
        path = cut_object("path", specifier)
        subject.judge.report.add(subject.places.span(node), "code.unbound", path, "direct", scope.trigger)


def _can(subject: Subject, module: str, names: tuple[str, ...], capability: str) -> bool:
    tables = subject.judge.tables
    if not names:
        return True
    return any(name == "default" or tables.can(tables.canonical(f"{module}.{name}"), capability) for name in names)


def report_import(subject: Subject, module: str, names: tuple[str, ...], node: Node, scope: Scope) -> None:
    """Report an import statement."""
    if module.startswith((".", "#")) and not module.endswith((".node", ".wasm")):
        _note_climb(subject, module, node, scope)
        return
    if "/" in module or ":" in module or module.endswith((".node", ".wasm")):
        tables = subject.judge.tables
        if not tables.is_module(tables.module_named(module)):
            report_specifier(subject, module, node, scope, resolution="direct")
            return
    _note_evidence(subject, module, node, scope, names)


def _note_data(subject: Subject, specifier: str, node: Node, scope: Scope) -> None:
    """Hand on the code inside a `data:` address."""
    code = data_text(specifier)
    if code and HOLE not in code:
        subject.judge.report.add_nested("javascript", code, subject.places, node, scope.trigger, "data: module")


def data_text(address: str) -> str:
    """Return the text inside a `data:` address; empty where it holds none that is code."""
    head, comma, body = address.partition(",")
    if not comma or len(body) > _MAX_DATA or not ("javascript" in head or "ecmascript" in head):
        return ""
    data = (
        decode_base64(unquote_to_bytes(body).decode("latin-1")) if head.endswith(";base64") else unquote_to_bytes(body)
    )
    return data.decode("utf-8", "replace") if data is not None else ""


def report_worker(subject: Subject, name: str, node: Node, arguments: Arguments, scope: Scope) -> None:
    """Report a worker whose program is no file: code in a `data:` address or a blob."""
    if name not in _WORKERS:
        return
    report, span = subject.judge.report, subject.places.span(node)
    for value in argument_values(subject.resolver, arguments, 0):
        text = value.text if isinstance(value, Made) else value
        written = text.value if isinstance(text, Text) else None
        made_of = value.name if isinstance(value, Made) else ""
        if isinstance(written, str) and written.startswith("data:"):
            report.add(span, "code.dynamic", None, "resolved", scope.trigger)
            _note_data(subject, written, node, scope)
        elif "createObjectURL" in made_of or (isinstance(written, str) and written.startswith("blob:")):
            report.add(span, "code.dynamic", None, "resolved", scope.trigger)
