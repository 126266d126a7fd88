"""What was read side by side before the gate was loaded: taken for the very copy and source, and for nothing else."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.intake import plain, stage
from plugseal.intake.pair import Pair
from plugseal.model.identity import subject_id
from plugseal.model.policy import GatePolicy
from plugseal.runtime import hashed, shares
from plugseal.runtime.background import Background
from plugseal.runtime.gate import Gate
from plugseal.runtime.prefetch import Prefetch
from plugseal.runtime.reaper import descendants
from plugseal.trust.wraps import Wrap
from plugseal.verbs.trust import disable, revoke
from tests import gated

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
_HANG_SECONDS = 60


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir("/usr")
    found = gated.World(tmp_path / "world", lib__word_dot_py="WORD = 1\n").trust()
    monkeypatch.setenv("PLUGSEAL_HOME", str(found.store.home))
    before = descendants()
    yield found
    end = time.monotonic() + _HANG_SECONDS
    while descendants() != before and time.monotonic() < end:
        time.sleep(0.001)  # who helped one that was killed ends right after it
    assert descendants() == before


def _authorize(world: Any, begun: Prefetch, policy: GatePolicy = GatePolicy()) -> str:  # noqa: B008  # a constant tuple
    """Return why the gate refuses, empty where it does not."""
    with closing(begun):
        try:
            Gate(world.store, name=subject_id, policy=policy, begun=begun).authorize(world.id)
        except RefusedError as error:
            return error.reason
    return ""


def _digests(world: Any, begun: Prefetch) -> tuple[str, str] | None:
    return begun.digests(str(world.stage), str(world.source))


def _record(world: Any) -> Any:
    (record,) = world.store.records()
    return record


def test_what_was_read_is_what_was_trusted(world: Any) -> None:
    approval = _record(world).standing.trust
    with closing(Prefetch(world.id)) as begun:
        assert _digests(world, begun) == (approval.content, approval.source)


@pytest.mark.parametrize(("processors", "helpers"), [(1, 1), (2, 1), (3, 1), (4, 2), (64, 3)])
def test_more_processors_read_more_at_a_time(
    world: Any, processors: int, helpers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Background] = []

    def noted(work: Callable[[], bytes]) -> Background:
        made.append(Background(work))
        return made[-1]

    monkeypatch.setattr(shares, "Background", noted)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)))
    approval = _record(world).standing.trust
    with closing(Pair(str(world.stage), str(world.source))) as pair:
        assert shares.read_both(pair) == (approval.content, approval.source)
    assert len(made) == helpers
    made[0].close()  # takes the ends of all


def test_what_was_read_is_read_no_more(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def again(*_: object) -> None:
        raise AssertionError("it was read again")

    for module, name in ((stage, "verify_stage"), (plain, "read_plain"), (hashed, "_read")):
        monkeypatch.setattr(module, name, again)
    assert _authorize(world, Prefetch(world.id)) == ""


@pytest.mark.parametrize("name", ["server.py", "lib/word.py", "lib/more.py"])
def test_a_source_that_is_another_is_refused(world: Any, name: str) -> None:
    world.write(name, "WORD = 2\n")
    assert _authorize(world, Prefetch(world.id)) == "content-drifted"


@pytest.mark.parametrize("both", [False, True], ids=["the copy", "both"])
def test_a_copy_that_is_another_is_refused(world: Any, both: bool) -> None:
    file = world.stage / "lib" / "word.py"
    file.chmod(0o600)
    file.write_text("WORD = 2\n")
    file.chmod(0o400)
    if both:
        world.write("lib/word.py", "WORD = 2\n")
    assert _authorize(world, Prefetch(world.id)) == "stage-damaged"


def test_a_source_that_was_restored_meanwhile_is_none_that_drifted(world: Any) -> None:
    world.write("lib/word.py", "WORD = 2\n")
    begun = Prefetch(world.id)
    assert _digests(world, begun) is None
    world.write("lib/word.py", "WORD = 1\n")
    assert _authorize(world, begun) == ""


def test_a_source_with_more_in_it_may_be_started_where_it_does_not_count(world: Any) -> None:
    world.write("lib/more.py", "")
    assert _authorize(world, Prefetch(world.id), GatePolicy(source_must_match=False)) == ""


def test_what_was_read_for_another_approval_does_not_count(world: Any) -> None:
    begun = Prefetch(world.id)
    before = str(world.stage)
    assert begun.digests(before, str(world.source)) is not None
    world.write("lib/word.py", "WORD = 2\n")
    world.trust()
    assert str(world.stage) != before
    assert _digests(world, begun) is None
    assert _authorize(world, begun) == ""


@pytest.mark.parametrize("take", [revoke, disable])
def test_what_was_taken_back_meanwhile_stays_refused(world: Any, take: Callable[..., object]) -> None:
    begun = Prefetch(world.id)
    assert _digests(world, begun) is not None
    take(_record(world), world.store)
    assert _authorize(world, begun) in ("not-trusted", "not-enabled")


def test_it_is_used_once(world: Any) -> None:
    with closing(Prefetch(world.id)) as begun:
        gate = Gate(world.store, name=subject_id, begun=begun)
        gate.authorize(world.id)
        world.write("lib/word.py", "WORD = 2\n")
        with pytest.raises(RefusedError, match="content-drifted"):
            gate.authorize(world.id)


def _hard_link(world: Any) -> None:
    os.link(world.source / "server.py", world.source.parent / "again")


def _git(world: Any) -> None:
    (world.source / ".git").mkdir()


@pytest.mark.parametrize("change", [_hard_link, _git])
def test_what_does_not_count_in_a_source_does_not_count(world: Any, change: Callable[[Any], None]) -> None:
    change(world)
    assert _authorize(world, Prefetch(world.id)) == ""


def test_a_source_with_links_is_read_by_itself(world: Any) -> None:
    (world.source / "link.py").symlink_to("lib/word.py")
    world.trust()
    begun = Prefetch(world.id)
    assert _digests(world, begun) is None
    assert begun.is_in_vain()
    assert _authorize(world, begun) == ""


def test_a_source_with_wrapped_configurations_is_read_by_itself(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []
    original = plain.read_plain

    def noted(path: Path) -> object:
        read.append(path)
        return original(path)

    wraps = {f"{world.source}/mcp.json": Wrap("0" * 64, "1" * 64), "/elsewhere": Wrap("0" * 64, "1" * 64)}
    monkeypatch.setattr(hashed, "read_wraps", lambda _: wraps)
    monkeypatch.setattr(plain, "read_plain", noted)
    assert _authorize(world, Prefetch(world.id)) == ""
    assert read == [world.source]
    wraps.pop(f"{world.source}/mcp.json")
    assert _authorize(world, Prefetch(world.id)) == ""
    assert len(read) == 1


@pytest.mark.parametrize("plugin", ["agent-plugins:other@000000000000", "", "no ID", "agent-plugins:\ud800@0"])
def test_there_is_nothing_to_read_of_what_is_not_recorded(world: Any, plugin: str) -> None:
    with closing(Prefetch(plugin)) as begun:
        assert _digests(world, begun) is None


def test_there_is_nothing_to_read_of_what_is_not_enabled(world: Any) -> None:
    disable(_record(world), world.store)
    with closing(Prefetch(world.id)) as begun:
        assert begun._waited() == b"nothing"


@pytest.mark.parametrize("content", ["../../etc", "0" * 63, "G" * 64, "0" * 65, 7, None, ["0" * 64]])
def test_a_record_that_was_forged_leads_nowhere(world: Any, content: object) -> None:
    (file,) = world.store.folder.glob("*.json")
    value = json.loads(file.read_bytes())
    value["standing"]["trust"]["content"] = content
    file.write_text(json.dumps(value))
    assert shares.read_guess(world.id) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "7", '{"subject": 7}', '{"subject": ["agent-plugins"]}', "[" * 100_000]
)
def test_a_record_that_is_none_leads_nowhere(world: Any, text: str) -> None:
    (file,) = world.store.folder.glob("*.json")
    file.write_text('"agent-plugins"' if text == "7" else text)
    assert shares.read_guess(world.id) is None


def test_a_record_that_is_a_link_or_a_pipe_is_not_waited_for(world: Any) -> None:
    (file,) = world.store.folder.glob("*.json")
    file.rename(world.source.parent / "moved")
    file.symlink_to(world.source.parent / "moved")
    assert shares.read_guess(world.id) is None
    file.unlink()
    os.mkfifo(file)
    assert shares.read_guess(world.id) is None


def test_one_that_was_killed_is_made_up_for(world: Any) -> None:
    with closing(Prefetch(world.id)) as begun:
        assert begun._other._started is not None
        os.kill(begun._other._started[0], signal.SIGKILL)
        assert _digests(world, begun) is not None


def test_with_other_threads_it_is_read_here(world: Any) -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        with closing(Prefetch(world.id)) as begun:
            assert not begun.is_in_vain()
            assert _digests(world, begun) is not None
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("what", ["killed", "cut", "silent"])
def test_shares_that_nobody_told_of_are_read_here(world: Any, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the other process take all shares and tell nothing of them, or half."""

    def told(pair: Pair, tickets: int) -> bytes:
        original = tell(pair, tickets)
        if what == "killed" and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return original[:-1] if what == "cut" else b"[[], [], 0]\n"

    class Waited(Background):
        def __init__(self, work: Callable[[], bytes]) -> None:
            super().__init__(work)
            while not self.is_done():
                continue

    here, tell = os.getpid(), shares._told
    monkeypatch.setattr(shares, "_told", told)
    monkeypatch.setattr(shares, "Background", Waited)
    approval = _record(world).standing.trust
    with closing(Pair(str(world.stage), str(world.source))) as pair:
        assert shares.read_both(pair) == (approval.content, approval.source)
    Waited(lambda: b"").close()  # takes the end of the other one, too


def test_closing_ends_what_is_under_way(world: Any) -> None:
    begun = Prefetch(world.id)
    begun.close()
    begun.close()
    assert _digests(world, begun) is not None, "it is read here"


class _Many:
    """Stands for a pair of very many shares, each of which is one block that says its number."""

    def __len__(self) -> int:
        return 30_000

    def read(self, number: int) -> list[tuple[str, int, int, int, bytes, bytes]]:
        return [(f"{number:05}", 1, 0, 0, b"", b"")]


def test_shares_that_a_small_pipe_does_not_hold_are_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    made = os.pipe

    def small() -> tuple[int, int]:
        reading, writing = made()
        fcntl.fcntl(writing, 1031, 4096)  # F_SETPIPE_SZ: one page
        return reading, writing

    seen: list[str] = []
    monkeypatch.setattr(os, "pipe", small)
    monkeypatch.setattr(shares, "_helpers", lambda: 0)
    monkeypatch.setattr(shares, "build_digests", lambda blocks: seen.extend(block[0] for block in blocks))

    def give_up(*_: object) -> None:
        raise TimeoutError("it waits for somebody to read")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(_HANG_SECONDS)
    try:
        shares.read_both(_Many())  # type: ignore[arg-type]  # what is asked of a pair
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert sorted(seen) == [f"{number:05}" for number in range(30_000)]
