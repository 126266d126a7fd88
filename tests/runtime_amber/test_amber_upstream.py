"""What amber's own tests demand of a host of its plugins, restated; and amber's two sample plugins as they are.

The samples are not in this repository: `PLUGSEAL_TEST_AMBER` names a checkout of `jtrefon/amber`, out of which they are
compiled. Without it stand-ins of ours take their places: a native program that reports facts of the host, and a plugin
whose browser is not there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from plugseal.errors import RefusedTransitionError
from plugseal.runtime.amber.advertise import advertisement
from plugseal.verbs.amber.find import find_amber
from plugseal.verbs.amber.install import install
from plugseal.verbs.amber.plugins import inform, list_amber, switch_off, switch_on

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_SAMPLES = os.environ.get("PLUGSEAL_TEST_AMBER", "")


@pytest.fixture
def folder(world: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's folder of plugins."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(world.root / "xdg"))
    monkeypatch.setattr("plugseal.verbs.user.home_of_user", lambda: str(world.root / "home"))
    made: Path = world.root / "xdg" / "amber" / "plugins"
    return made


def _find(world: Any, plugin: str) -> Any:
    return find_amber(plugin, world.store, workspace=world.workspace)


def test_a_valid_plugin_is_off_and_one_of_protocol_99_is_incompatible_with_an_error(
    world: Any, folder: Path, amber: ModuleType
) -> None:
    amber.write_plugin(folder / "fake", amber.manifest(), amber.script())
    amber.write_plugin(folder / "badproto", amber.manifest("badproto", protocol_version=99, main="nope"), "")
    states = {one.id: one.state for one in list_amber(world.store, world.workspace)}
    assert states["fake"] == "off: not trusted"
    assert states["badproto"].startswith("incompatible: ")
    info = inform(_find(world, "badproto"), world.store)
    assert info.state == "incompatible: it speaks protocol version 99, this host speaks 1"
    assert inform(_find(world, "fake"), world.store).version == "1.0.0"
    with pytest.raises(RefusedTransitionError):
        switch_on(_find(world, "badproto"), world.store, workspace=world.workspace)


def test_switching_on_registers_tools_that_run_and_switching_off_takes_them(
    world: Any, folder: Path, amber: ModuleType
) -> None:
    world.trust(amber.write_plugin(folder / "fake", amber.manifest(), amber.script()), enabled=False)
    switched = switch_on(_find(world, "fake"), world.store, workspace=world.workspace)
    assert "plugin_fake_echo" in [tool.name for tool in switched.tools]
    with world.host() as host:
        echo = host.call("plugin_fake_echo", {"text": "hello"})
        assert (echo.ok, echo.output) == (True, "echo:hello")
        fail = host.call("plugin_fake_fail", {})
        assert not fail.ok
        assert "ERROR" in fail.output
        switch_off(_find(world, "fake"), world.store)
        host.look()
        assert host.offered.tools == {}
    assert inform(_find(world, "fake"), world.store).state == "off"


def test_that_a_plugin_is_on_survives_the_host(world: Any, folder: Path, amber: ModuleType) -> None:
    world.trust(amber.write_plugin(folder / "fake", amber.manifest(), amber.script()))
    for _ in range(2):
        with world.host() as host:
            assert "plugin_fake_echo" in host.offered.tools
    assert [one.state for one in list_amber(world.store, world.workspace)] == ["on"]


def test_an_archive_of_everything_in_a_folder_is_staged(world: Any, folder: Path, amber: ModuleType) -> None:
    source = amber.write_plugin(world.root / "src", amber.manifest(), amber.script())
    with tarfile.open(world.root / "fake.tar.gz", "w:gz") as archive:
        archive.add(source, ".")
    assert install(str(world.root / "fake.tar.gz"), world.store, workspace=world.workspace).id == "fake"
    assert (folder / "fake" / "manifest.json").exists()
    assert _find(world, "fake").path == folder / "fake"


def test_the_advertisement_lists_the_tools_of_what_is_on(world: Any, folder: Path, amber: ModuleType) -> None:
    world.trust(amber.write_plugin(folder / "fake", amber.manifest(), amber.script()))
    with world.host() as host:
        text = advertisement(host.offered)
    assert "## Plugins" in text
    assert "- `plugin_fake_echo`: Does echo." in text


FACTS = r"""
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[65536], first[256] = "";
    long number = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (strstr(line, "\"shutdown\"")) break;
        number++;
        if (strstr(line, "\"initialize\"")) {
            printf("{\"id\": %ld, \"result\": {\"protocol_version\": 1, \"ok\": true}}\n", number);
        } else {
            long kb = 0;
            FILE *file = fopen("/proc/meminfo", "r");
            if (file && fgets(first, sizeof first, file)) sscanf(first, "MemTotal: %ld kB", &kb);
            if (file) fclose(file);
            printf("{\"id\": %ld, \"result\": {\"ok\": true, \"output\": \"memory total %ld MB\", \"meta\": {}}}\n",
                   number, kb / 1024);
        }
        fflush(stdout);
    }
    return 0;
}
"""


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_a_native_plugin_reports_facts_of_the_host(world: Any, folder: Path, amber: ModuleType) -> None:
    path = amber.write_plugin(folder / "facts", amber.manifest("facts", main="facts", tools=[{"name": "mem"}]), "")
    (world.root / "facts.c").write_text(FACTS)
    subprocess.run(["cc", "-O1", "-o", str(path / "facts"), str(world.root / "facts.c")], check=True, timeout=60)
    world.trust(path)
    with world.host() as host:
        first, second = (host.call("plugin_facts_mem", {}) for _ in range(2))
    assert first.output == second.output
    assert first.output.endswith(" MB")


def test_a_plugin_whose_partner_is_not_there_answers_and_does_not_crash(
    world: Any, folder: Path, amber: ModuleType
) -> None:
    body = """try:
            __import__('socket').create_connection(('127.0.0.1', 9), timeout=2)
        except OSError as error:
            say({"id": number, "result": {"ok": False, "output": "ERROR: cannot reach the browser: " + str(error)}})"""
    path = amber.write_plugin(
        folder / "browser", amber.manifest("browser", tools=[{"name": "tabs"}]), amber.script(tools=body)
    )
    world.trust(path)
    with world.host() as host:
        answer = host.call("plugin_browser_tabs", {})
    assert not answer.ok
    assert "cannot reach the browser" in answer.output


def _compile(plugin: str, target: Path) -> Path:
    """Compile a sample of amber's and put it beside its manifest."""
    root = Path(_SAMPLES)
    source = root / "tools" / "plugins" / plugin
    target.mkdir(parents=True)
    shutil.copy(source / "manifest.json", target)
    files = [str(file) for file in sorted(source.glob("*.cpp")) if not file.name.endswith("_test.cpp")]
    include = [f"-I{root}/include", f"-I{source}"]
    subprocess.run(
        ["c++", "-std=c++20", "-O0", *include, "-o", str(target / f"{plugin}-plugin"), *files], check=True, timeout=300
    )
    return target


@pytest.mark.skipif(not _SAMPLES, reason="PLUGSEAL_TEST_AMBER names no checkout of amber")
def test_ambers_own_samples_run_unchanged(world: Any, folder: Path) -> None:
    for plugin in ("sysinfo", "cdp"):
        made = _compile(plugin, world.root / plugin)
        with tarfile.open(world.root / f"{plugin}.tar.gz", "w:gz") as archive:
            archive.add(made, ".")
        install(str(world.root / f"{plugin}.tar.gz"), world.store, workspace=world.workspace)
        world.trust(folder / plugin, enabled=False)
        switch_on(_find(world, plugin), world.store, workspace=world.workspace)
    with world.host() as host:
        assert "MB" in host.call("plugin_sysinfo_mem", {}).output
        assert "load" in host.call("plugin_sysinfo_cpu", {}).output
        assert host.call("plugin_sysinfo_net", {}).output
        targets = host.call("plugin_cdp_list_targets", {})
        # A browser may be there: then it lists its tabs, each with two bars.
        assert targets.output.startswith("ERROR: cannot reach CDP endpoint") or " | " in targets.output
    assert {one.state for one in list_amber(world.store, world.workspace)} == {"on"}


@pytest.mark.skipif(not _SAMPLES, reason="PLUGSEAL_TEST_AMBER names no checkout of amber")
def test_ambers_own_fake_plugin_behaves_as_its_tests_say(world: Any, folder: Path) -> None:
    source = Path(_SAMPLES) / "tests" / "plugins"
    (folder / "fake").mkdir(parents=True)
    shutil.copy(source / "fake_manifest.json", folder / "fake" / "manifest.json")
    shutil.copy(source / "fake_plugin.py", folder / "fake" / "fake_plugin.py")
    (folder / "fake" / "fake_plugin.py").chmod(0o755)
    world.trust(folder / "fake")
    with world.host() as host:
        assert host.call("plugin_fake_echo", {"text": "hello"}).output == "echo:hello"
        assert host.call("plugin_fake_fail", {}).output == "ERROR: nope"
        assert "- `plugin_fake_echo`: Echo text back." in advertisement(host.offered)
