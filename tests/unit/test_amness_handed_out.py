"""Plugin files outside `.amness/plugins` are plugins only where they are handed out and say their name."""

from __future__ import annotations

import pytest

from plugseal.model.plugin import Plugin
from plugseal.model.tree import Entry, EntryKind
from plugseal.scan.discover import build_listing, discover


def _describe(path: str, code: str) -> list[Plugin]:
    parts = path.split("/")
    folders = ["/".join(parts[:end]) for end in range(1, len(parts))]
    entries = [Entry(folder, EntryKind.DIRECTORY, 0, False, None) for folder in folders]
    entries.append(Entry(path, EntryKind.FILE, len(code), False, "0" * 64))
    return list(discover(build_listing(entries, {path: code.encode()})))


def test_a_file_that_is_handed_out_is_a_plugin_that_no_host_loads_from_there() -> None:
    (plugin,) = _describe("amness/plugins/p.ts", 'export default { name: "p", hooks: { Stop() {} } };')
    assert (plugin.system, plugin.name, plugin.faults) == ("amness", "p", ())
    (host,) = plugin.hosts
    assert not host.loads
    assert host.summary == "not loaded from here: `amness plugin add` would copy it"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        pytest.param(
            'const p = { name: "p" }; export { p as default };',
            "holds no `export default`, without which `amness plugin add` refuses it",
            id="no mark",
        ),
    ],
)
def test_what_plugin_add_refuses_would_not_be_copied(code: str, why: str) -> None:
    (plugin,) = _describe("amness/plugins/p.ts", code)
    assert plugin.hosts[0].summary == f"not loaded from here: `amness plugin add` refuses it: {why}"


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("amness/plugins/p.ts", "export default make();", id="an export made by code"),
        pytest.param("amness/plugins/p.ts", "export default { hooks: {} };", id="no name"),
        pytest.param("amness/plugins/p.ts", "export const name = 'p';", id="no default export"),
        pytest.param("plugins/p.ts", 'export default { name: "p" };', id="another folder"),
        pytest.param("xamness/plugins/p.ts", 'export default { name: "p" };', id="another name of the folder"),
        pytest.param("amness/src/p.ts", 'export default { name: "p" };', id="not among plugins"),
    ],
)
def test_other_files_are_none(path: str, code: str) -> None:
    assert _describe(path, code) == []
