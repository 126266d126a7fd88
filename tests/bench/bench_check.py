"""What a policy costs beside the scan that it judges: receipts of a hundred plugins, the decision alone, SARIF.

Run: `python tests/bench/bench_check.py`. Budgets: a check of 100 plugins with 1,000 receipts 2 times its scan, the
decision 50 ms, SARIF of 10,000 findings 2 s in memory that hardly grows with them. CPU seconds of one process.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from plugseal.model.factlog import FactLog
from plugseal.model.finding import Confidence, Finding, Severity
from plugseal.model.inventory import Inventory
from plugseal.model.location import Span
from plugseal.model.statement import Reviewed
from plugseal.policy.decide import decide
from plugseal.policy.team import parse_team_policy
from plugseal.render.sarif import render_sarif
from plugseal.rules.load import load_rules
from plugseal.verbs.explain import explain_rules
from plugseal.verbs.policies.check import check_path
from plugseal.verbs.scan import scan_with
from tests import reviewers
from tests.bench.bench_start import SERVER

PLUGINS, REVIEWERS, FILES = 100, 10, 5
POLICY = (
    'schema = "plugseal.policy/1"\n[defaults]\ncapabilities = "allow"\n[receipts]\nrequired = true\nthreshold = 2\n'
)
NARROW = b'schema="plugseal.policy/1"\n[allow]\n"net.outbound"=["*.example.invalid"]\n"env.read"=["A*","DEPLOY_*"]\n'
_SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"


def seconds(work: Callable[[], object]) -> float:
    """Return what one run of some work takes of the processor."""
    start = time.process_time()
    work()
    return time.process_time() - start


def make_repository(root: Path) -> None:
    """Write plugins that are reviewed by ten people each, the policy and the team."""
    for number in range(PLUGINS):
        folder = root / "plugins" / f"p{number}"
        folder.mkdir(parents=True)
        manifest = {"$schema": _SCHEMA, "name": f"p{number}", "version": "1.0.0", "description": "One of many."}
        (folder / "plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
        for module in range(FILES):
            text = SERVER.replace("deploy", f"deploy_{number}_{module}")
            (folder / f"m{module}.py").write_text(text, encoding="utf-8")
    inventory, _ = scan_with(load_rules(), root, asks_hosts=False)
    people = [reviewers.Reviewer(f"r{number}") for number in range(REVIEWERS)]
    for report in inventory.plugins:
        about = Reviewed(report.plugin.system, report.plugin.name, report.plugin.version)
        for person in people:
            file, data = person.sign(
                (), plugin=about, content=report.content_receipt, capability=report.capability_receipt
            )
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_bytes(data)
    (root / "plugseal-trust").mkdir()
    (root / "plugseal-trust" / "allowed_signers").write_text("".join(person.line() for person in people))
    (root / "plugseal.toml").write_text(POLICY)


def check(root: Path) -> None:
    """Print a check against its scan, and the decision alone."""
    rules = load_rules()
    scans, checks = [], []
    for _ in range(3):
        scans.append(seconds(lambda: scan_with(rules, root, asks_hosts=False)))
        checks.append(seconds(lambda: check_path(root, policy=str(root / "plugseal.toml"), now=reviewers.NOW)))
    ratio = min(checks) / min(scans)
    receipts = sum(1 for _ in (root / "reviews").rglob("*.dsse.json"))
    print(f"check, {PLUGINS} plugins, {receipts:,} receipts   {min(checks):5.2f} s  {ratio:5.2f} x its scan (budget 2)")
    inventory, _ = scan_with(rules, root, asks_hosts=False)
    policy = parse_team_policy(NARROW, name="p", origin="bench")
    took = min(seconds(lambda: decide(policy, inventory, reviewed={}, today="2027-01-01")) for _ in range(5))
    print(f"the decision alone               {took * 1000:8.1f} ms (budget 50)")


def sarif(count: int) -> tuple[float, float]:
    """Return (CPU seconds, peak MiB on top of the findings) of writing findings as SARIF."""
    findings = tuple(
        Finding(
            "subprocess-shell",
            "command line handed to a shell",
            Severity.HIGH,
            Confidence.HIGH,
            f"plugins/p{number % 100}/f{number}.py",
            Span(3, 5, 3, 20),
            "process.shell",
            None,
            "`command` is not a literal",
            "pass a list of words",
            ("    run(command, shell=True)",),
        )
        for number in range(count)
    )
    inventory = Inventory("x", (), findings, FactLog(), (), (), 1, 1, "0" * 64)
    rules = explain_rules(["subprocess-shell"])

    def write() -> None:
        for _ in render_sarif(inventory, rules):
            pass

    took = seconds(write)
    tracemalloc.start()
    write()
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    return took, peak


def main() -> None:
    """Print all figures."""
    with tempfile.TemporaryDirectory() as folder:
        make_repository(Path(folder))
        check(Path(folder))
    small, large = sarif(2_500), sarif(10_000)
    print(f"SARIF of 10,000 findings         {large[0]:8.2f} s (budget 2)")
    print(f"its memory at 2,500 and 10,000   {small[1]:8.1f} and {large[1]:.1f} MiB")


if __name__ == "__main__":
    main()
