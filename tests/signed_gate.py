"""A world for tests of signed reviews at the gate: a trusted plugin, a team's repository beside it, a pinned policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from plugseal.errors import RefusedError
from plugseal.model.identity import subject_id
from plugseal.model.statement import Reviewed
from plugseal.runtime.gate import Gate, Grant
from plugseal.runtime.policies import load_policy
from plugseal.verbs.policies.pin import PinWish, pin
from tests import gated
from tests import reviewers as people

POLICY = 'schema = "plugseal.policy/1"\n[gate]\nrequire-signatures = 2\n'
NOWHERE = Path("/nonexistent/policy.toml")
SAMPLE = Reviewed("agent-plugins", "sample", "1.0.0")


class Team:
    """A trusted plugin, a team beside it with its repository, and a policy that asks for two people."""

    def __init__(self, root: Path, policy: str = POLICY) -> None:
        self.world = gated.World(root / "world").trust()
        self.store = self.world.store
        self.repository = root / "repository"
        self.trust = self.repository / "plugseal-trust"
        self.reviews = self.repository / "reviews"
        for folder in (self.repository, self.trust, self.reviews):
            folder.mkdir(mode=0o755)
        self.alice, self.bob = people.Reviewer("alice"), people.Reviewer("bob")
        self.write_team(self.alice.line(), self.bob.line())
        self.policy = self.repository / "plugseal.toml"
        self.policy.write_text(policy)

    @property
    def token(self) -> str:
        (record,) = self.store.records()
        return str(record.standing.trust.token)

    def write_team(self, *lines: str, **files: str) -> None:
        """Write who may sign, and other files of the team by their names."""
        (self.trust / "allowed_signers").write_text("".join(lines))
        for name, text in files.items():
            (self.trust / name.replace("_toml", ".toml")).write_text(text)

    def pin(self, **wish: Any) -> Team:
        """Pin the policy as it stands now."""
        pin(self.policy, self.store, PinWish(**wish))
        return self

    def sign(self, who: Any, **changes: Any) -> Path:
        """Sign what is trusted now, and write the receipt where it belongs."""
        content, capability = self.token.split(".")
        files = [("/".join(path.parts[-2:]), path.read_bytes()) for path in sorted(self.reviews.glob("*/*.dsse.json"))]
        said = {"plugin": SAMPLE, "content": content, "capability": capability, **changes}
        file, data = who.sign([(f"reviews/{name}", data) for name, data in files], **said)
        path = self.repository / file
        path.parent.mkdir(mode=0o755, exist_ok=True)
        path.write_bytes(data)
        path.chmod(0o644)
        return path

    def ask(self) -> Grant:
        """Ask the gate under what is pinned."""
        policy = load_policy(self.store, system=NOWHERE)
        return Gate(self.store, name=subject_id, policy=policy).authorize(self.world.id)

    def refused(self) -> RefusedError:
        """Ask the gate, and return its refusal."""
        with pytest.raises(RefusedError) as found:
            self.ask()
        return found.value
