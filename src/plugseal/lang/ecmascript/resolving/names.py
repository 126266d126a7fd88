"""Names that the language, its hosts and its tools give a meaning: globals, modules, helpers of compilers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from plugseal.lang.ecmascript.resolving.values import Values
from plugseal.lang.folded import HOLE, Text
from plugseal.patterns import lazy

if TYPE_CHECKING:
    from plugseal.lang.ecmascript.tables import ScriptTables

GLOBAL_THIS: Final = "globals.globalThis"
FUNCTION_MAKER: Final = "globals.Function"
REQUIRE: Final = "globals.require"
IMPORT: Final = "globals.import"
ENVIRONMENT: Final = "process.env"
WHOLE_ENVIRONMENT: Final = lazy(rb"process\.env\b(?!\s*(?:\?\.|\.(?!\.)|\[))")
META: Final = "import.meta"
_SCOPES: Final = frozenset("globalThis global window self top parent frames GLOBAL root".split())
_REQUIRES: Final = frozenset("require __non_webpack_require__ nodeRequire requireNative".split())
_FOLDED: Final = frozenset(
    "String Buffer Array Object Reflect JSON Number parseInt parseFloat Boolean decodeURIComponent decodeURI unescape"
    " encodeURIComponent escape atob btoa Proxy Promise URL Blob Uint8Array TextDecoder Request Symbol Math Date Set"
    " Map RegExp Error Image".split()
)
"""Globals whose results the reader folds, or whose constructor leads on."""
TAGGED: Final = {"axios": "axios", "jQuery": "jquery", "$": "jquery"}
"""Names that pages have from a script of its own tag, and the packages that they are."""
_HERE: Final = frozenset(("__dirname", "__filename"))
INTEROP: Final = frozenset(
    "__toESM __toCommonJS __importDefault __importStar _interopRequireDefault _interopRequireWildcard _interopDefault"
    " _interopDefaultLegacy _interopNamespace _interopNamespaceDefault interopRequireDefault interopDefault"
    " interopRequireWildcard _interopRequire __esModuleDefault getDefaultExportFromCjs _mergeNamespaces"
    " getAugmentedNamespace __reExport esm_default tryRequire await".split()
)
"""Helpers of compilers that give back the module they are given; and `await` before a bracket, which the parser takes
for the name of a function."""
_HOMES: Final = {
    "HOME": "~",
    "USERPROFILE": "%USERPROFILE%",
    "APPDATA": "%APPDATA%",
    "LOCALAPPDATA": "%LOCALAPPDATA%",
}
MODULE_GIVERS: Final = frozenset(
    "globals.require globals.import process.mainModule.require globals.module.require globals.require.main.require"
    " process.getBuiltinModule module._load globals.module.parent.require module.prototype.require"
    " module.Module().require globals.requirejs module.Module()._load module().require".split()
)
"""Functions that give back the module they are asked for."""
_NOT_GLOBAL: Final = frozenset("open origin name status length event close stop print find".split())
"""Members of the browser's scope that are everyday names elsewhere; meant only where the scope is named."""


def global_values(tables: ScriptTables, name: str, *, is_named: bool = False) -> Values:
    """Return what a name means in the global scope.

    Args:
        tables: what is known of globals.
        name: the name.
        is_named: whether the scope itself is named, as in `window.open`.
    """
    if name in _SCOPES:
        return (GLOBAL_THIS,) if name not in ("top", "parent", "frames", "root") or is_named else ()
    if name in _REQUIRES:
        return (REQUIRE,)
    if name in _HERE:
        return (Text(HOLE, whole=False),)
    if name == "undefined":
        return (Text(None),)
    if name in ("module", "exports"):
        return (f"globals.{name}",)
    if name in _FOLDED:
        return (f"globals.{name}",)
    if name in TAGGED:
        return (TAGGED[name],)
    if name in _NOT_GLOBAL and not is_named:
        return ()
    if f"globals.{name}" in tables.texts:
        return (f"globals.{name}",)
    known = tables.global_name(name)
    return (known,) if known is not None else ()


def variable_value(name: str) -> Text | None:
    """Return what a variable of the environment surely stands for: the home folder."""
    home = _HOMES.get(name)
    return Text(home) if home is not None else None


def module_values(tables: ScriptTables, specifier: str) -> Values:
    """Return what importing a specifier gives: another file of the tree, or a module by the name that tables know."""
    if specifier.startswith(("./", "../")) or specifier in (".", ".."):
        return (f"{specifier}#",)
    if not specifier or specifier.startswith(("/", "#", "data:", "file:", "http:", "https:")) or len(specifier) > 214:
        return ()
    module = tables.module_named(specifier)
    if module == "globals":
        return ()
    if tables.is_module(module):
        return (tables.canonical(module),)
    return (module,)
