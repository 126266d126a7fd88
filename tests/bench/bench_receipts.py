"""Receipts: how long many take, how long one takes to start, and whether any changed bit is accepted.

Run: `python tests/bench/bench_receipts.py`. Budgets: 1,000 receipts at threshold 2 in 1 s of CPU, `receipt verify` in 4
times a bare interpreter's CPU, none of all single-bit changes accepted.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from plugseal.signing.keys import KeyKind
from plugseal.signing.reviews import Wanted, judge_reviews, verify_quorum
from tests import flips
from tests import reviewers as people
from tests.bench.processes import least

HERE = Path(__file__).resolve().parents[1]
RECEIPTS = 1000


def many(kind: KeyKind) -> float:
    """Return the CPU seconds of verifying the receipts of many plugins, two people each."""
    alice, bob = people.Reviewer("alice", kind), people.Reviewer("bob", kind)
    team = people.team_of_lines(alice.line(), bob.line(), threshold=2)
    files, wanted = [], []
    for number in range(RECEIPTS // 2):
        plugin = people.PLUGIN._replace(name=f"plugin-{number}")
        files += [reviewer.sign(plugin=plugin, sequence=1) for reviewer in (alice, bob)]
        wanted.append(Wanted(plugin.system, plugin.name, people.TOKEN))
    start = time.process_time()
    reviews = judge_reviews(files, team=team, now=people.NOW)
    for one in wanted:
        verify_quorum(reviews, team=team, wanted=one)
    return time.process_time() - start


def starts(folder: Path) -> None:
    """Print what one `receipt verify` costs."""
    alice = people.Reviewer("alice")
    key = alice.write(folder)
    receipt = folder / "one.dsse.json"
    receipt.write_bytes(alice.sign(created="2020-01-01T00:00:00Z", expires="2090-01-01T00:00:00Z")[1])
    words = [sys.executable, "-I", "-m", "plugseal", "receipt", "verify", str(receipt), "--key", f"{key}.pub"]
    cost = least({"bare": [sys.executable, "-I", "-c", "pass"], "verify": words}, rounds=25)
    ratio = cost["verify"].cpu_seconds / cost["bare"].cpu_seconds
    print(f"receipt verify, one          {ratio:6.2f} x bare (budget 4)")


def exhaustive() -> None:
    """Print how many single-bit changes are accepted."""
    for subject in flips.subjects():
        tried = accepted = 0
        for changed in flips.flipped(subject.data):
            tried += 1
            accepted += subject.accepts(changed)
        print(f"{subject.name:<28} {accepted} accepted of {tried:,} single-bit changes")


def fields() -> None:
    """Print how many changes of a single field are accepted, in the file and in what is signed."""
    for subject in flips.subjects():
        if subject.name.startswith("sshsig"):
            continue
        value = json.loads(subject.data)
        changes = [changed for changed in flips.changed_fields(value) if changed != value]
        accepted = sum(subject.accepts(json.dumps(changed).encode()) for changed in changes)
        print(f"{subject.name:<28} {accepted} accepted of {len(changes):,} single-field changes")


def main() -> None:
    """Print the figures."""
    for kind in (KeyKind.ED25519, KeyKind.P256):
        print(f"{RECEIPTS:,} receipts, {kind.value:<16} {many(kind):6.2f} s CPU at threshold 2 (budget 1)")
    with tempfile.TemporaryDirectory() as folder:
        starts(Path(folder))
    exhaustive()
    fields()


if __name__ == "__main__":
    main()
