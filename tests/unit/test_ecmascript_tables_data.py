"""JavaScript's API tables as data: well-formed like Python's, and each name of Node's own modules decided.

A typing mistake in a table is silent: the name never matches anything. What Node's modules export stands in
`tests/vectors/node-exports.txt`; there every name of a module that can do something has a row or is listed as harmless.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit import test_tables_data as python

HERE = Path(__file__).resolve()
FOLDER = HERE.parents[2] / "src/plugseal/lang/ecmascript/tables"
FILES = sorted(FOLDER.glob("*.toml"))
EXPORTS = HERE.parents[1] / "vectors/node-exports.txt"


STEP = r"[A-Za-z_$][\w$-]*(?:\(\)|\[\d*\])*"
NAME = re.compile(rf"(?:(?:(?:\(\)|\[\d*\])+|{STEP})(?:\.{STEP})*(?:\.\*)?|\*|)")
"""A name relative to its module: it may begin with a call, of what the module itself is."""
TARGET = re.compile(r"(?:@[\w.-]+/)?[\w$.-]+(?:/[\w.-]+)*(?:\(\)|\[\d*\]|\.[\w$-]+)*")
"""A name with the module before it."""
TOP_KEYS = python.TOP_KEYS - {"import_of"} | {"texts", "exact", "passing", "handed"}
NAMELESS = {"_methods"}


def table(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = python.table(path)
    return found


def groups() -> list[tuple[str, dict[str, Any]]]:
    return [(table(path)["module"], group) for path in FILES for group in table(path).get("api", ())]


def full(module: str, name: str) -> str:
    if not name:
        return module
    return module + name if name[0] in "([" else f"{module}.{name}"


def test_there_are_tables_for_node_and_many_packages(capsys: pytest.CaptureFixture[str]) -> None:
    modules = {table(path)["module"] for path in FILES}
    own = modules & set(exports())
    names = sum(len(group["names"]) for _, group in groups())
    with capsys.disabled():
        print(f"\nJavaScript tables: {len(own)} of Node's modules, {len(modules - own)} others, {names} names")
    assert len(own) > 25
    assert len(modules - own) > 900


def test_a_file_is_named_after_its_module_and_has_only_known_keys() -> None:
    for path in FILES:
        data = table(path)
        assert data["module"] == ("" if path.stem in NAMELESS else path.name[: -len(".toml")].replace("+", "/"))
        assert set(data) <= TOP_KEYS, path.name
        assert len(data) > 1, f"{path.name} is empty"
        assert set(data.get("members", {})) <= {"plain"}, path.name


def test_a_file_may_have_its_name_on_every_platform() -> None:
    names = [path.name for path in FILES]
    assert all(re.fullmatch(r"[\w@.+-]+", name) for name in names)
    assert len({name.lower() for name in names}) == len(names)


def test_every_group_is_well_formed() -> None:
    faults = []
    for module, group in groups():
        place = f"{module}: {group.get('capability')} {group.get('names')}"
        conditions = (*group.get("when", {}), *group.get("unless", {}))
        checks = {
            "unknown key": set(group) <= python.API_KEYS,
            "unknown capability": group["capability"] in python.CAPABILITIES,
            "no names": bool(group["names"]),
            "a name twice": len(set(group["names"])) == len(group["names"]),
            "malformed name": all(NAME.fullmatch(name.lstrip(".")) for name in group["names"]),
            "malformed object": python.OBJECT.fullmatch(group.get("object", "")) is not None,
            "two positions": sum(part.isdigit() for part in group.get("object", "").split("|")) < 2,
            "unknown kind": group.get("kind", "text") in python.KINDS,
            "unknown use": group.get("use", "any") in {"any", "call", "reference"},
            "unknown resolution": group.get("resolution", "possible") == "possible",
            "malformed mode": "mode" not in group or python.PLACE.fullmatch(group["mode"]) is not None,
            "mode without fs.read": "mode" not in group or group["capability"] == "fs.read",
            "malformed condition": all(python.PLACE.fullmatch(key) for key in conditions),
            "given without an object": "given" not in group or bool(group.get("object")),
        }
        faults += [f"{fault}: {place}" for fault, good in checks.items() if not good]
    assert faults == []


def test_no_name_has_the_same_capability_twice_unless_conditions_or_objects_tell_them_apart() -> None:
    seen: set[tuple[str, str, str]] = set()
    faults = []
    for module, group in groups():
        difference = repr((group.get("when"), group.get("unless"), group.get("given"), group.get("object")))
        for name in group["names"]:
            key = (full(module, name), group["capability"], difference)
            faults += [key] if key in seen else []
            seen.add(key)
    assert faults == []


def test_import_evidence_names_known_capabilities() -> None:
    found = {table(path)["imports"] for path in FILES if "imports" in table(path)}
    assert found <= python.CAPABILITIES


def test_sections_are_well_formed() -> None:
    faults = []
    for path in FILES:
        data = table(path)
        places = {**data.get("callbacks", {}), **data.get("texts", {})}
        names = [*data.get("returns", {}), *data.get("same", {}), *data.get("members", {}).get("plain", ())]
        names += [*places, *data.get("entry", {}), *data.get("given", {}), *data.get("handed", {})]
        names += list(data.get("passing", {}))
        targets = [value for key in ("returns", "same", "given", "handed") for value in data.get(key, {}).values()]
        faults += [(path.name, name) for name in data.get("handed", {}) if name not in data.get("entry", {})]
        faults += [(path.name, name) for name, at in data.get("passing", {}).items() if at not in range(4)]
        faults += [(path.name, name) for name in data.get("given", {}) if name not in data.get("entry", {})]
        faults += [(path.name, text) for text in names if not NAME.fullmatch(text) or text.endswith("*")]
        faults += [(path.name, text) for text in targets if not TARGET.fullmatch(text)]
        faults += [(path.name, text) for text in places.values() if not python.PLACE.fullmatch(text)]
        faults += [(path.name, text) for text in data.get("entry", {}).values() if not python.TRIGGERS.fullmatch(text)]
    assert faults == []


def test_no_name_stands_behind_an_expression_that_is_known_under_another_type() -> None:
    """Such a name can never match: the engine replaces the beginning first."""
    replaced = {
        full(table(path)["module"], name)
        for path in FILES
        for section in ("returns", "same")
        for name, other in table(path).get(section, {}).items()
        if full(table(path)["module"], name) != other
    }
    faults = [
        (whole, part)
        for module, group in groups()
        for whole in (full(module, name) for name in group["names"])
        for part in beginnings(whole, module)
        if part in replaced
    ]
    assert faults == []


def beginnings(name: str, module: str) -> list[str]:
    """Return the expressions that `name` is a member, a call or an item of, and itself where it ends in no star."""
    cuts = [match.start() for match in re.finditer(r"\.|\(|\[", name) if match.start() >= len(module)]
    return [name[:cut] for cut in cuts] + ([] if name.endswith("*") else [name])


def test_what_returns_and_other_spellings_lead_to_has_a_table_that_says_something() -> None:
    modules = {table(path)["module"]: table(path) for path in FILES}
    faults = []
    for path in FILES:
        for section in ("returns", "same", "given"):
            for name, target in table(path).get(section, {}).items():
                module = module_of(target, modules)
                rest = target[len(module) :].lstrip(".") if module else ""
                if module is None or not is_known(modules[module], rest):
                    faults.append((path.name, name, target))
    assert faults == []


def module_of(target: str, modules: dict[str, dict[str, Any]]) -> str | None:
    """Return the longest module that a qualified name begins with."""
    cuts = [match.start() for match in re.finditer(r"\.|\(|\[", target)] + [len(target)]
    return next((target[:cut] for cut in reversed(cuts) if target[:cut] in modules), None)


def is_known(data: dict[str, Any], name: str) -> bool:
    """Say whether a table knows a name or anything below it."""
    names = names_of(data)
    stems = (f"{name}.", f"{name}(", f"{name}[")
    below_a_star = any(name.startswith(known[:-1]) for known in names if known.endswith("*"))
    return not name or below_a_star or any(known == name or known.startswith(stems) for known in names)


def names_of(data: dict[str, Any]) -> list[str]:
    """Return all names that one table knows."""
    names = [known for group in data.get("api", ()) for known in group["names"]]
    for section in ("returns", "same", "entry", "callbacks", "texts"):
        names += list(data.get(section, {}))
    return names + data.get("members", {}).get("plain", [])


def test_methods_of_unknown_receivers_are_few_possible_and_telling() -> None:
    found = table(FOLDER / "_methods.toml")["api"]
    for group in found:
        assert group.get("resolution") == "possible"
        assert all(name.startswith(".") and "." not in name[1:] for name in group["names"])
        assert not python.TOO_COMMON & {name[1:] for name in group["names"]}
    assert sum(len(group["names"]) for group in found) < 90


def exports() -> dict[str, tuple[set[str], set[str]]]:
    """Return, by module of Node, the names it exports that a table must know, and those that are harmless."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for line in EXPORTS.read_text(encoding="utf-8").splitlines():
        head, _, names = line.partition(": ")
        module, _, kind = head.partition(" ")
        if names and module not in ("#", "none"):
            found.setdefault(module, (set(), set()))[kind == "harmless"].update(names.split())
    return found


def first_names(module: str) -> set[str]:
    """Return the first parts of all names of one module's table."""
    names = names_of(table(FOLDER / f"{module.replace('/', '+')}.toml"))
    return {re.split(r"[.(\[]", name)[0] for name in names} - {""}


@pytest.mark.parametrize("module", sorted(exports()))
def test_every_name_that_node_exports_is_known_or_harmless(module: str) -> None:
    able, harmless = exports()[module]
    known = first_names(module)
    assert able - known == set(), "stands in no table"
    assert known - able - harmless == set(), "no such name"


def test_what_no_table_knows_of_node_is_listed() -> None:
    line = next(line for line in EXPORTS.read_text(encoding="utf-8").splitlines() if line.startswith("none: "))
    modules = {table(path)["module"] for path in FILES}
    assert set(line.split()[1:]) & modules == set()
    assert set(exports()) <= modules
