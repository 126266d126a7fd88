"""What all parts of one start share: the records, who acts, and the variables as they were before a workspace spoke.

The gate of a bundle always looks at the source, whatever a policy says: Codewhale promises that a changed source ends
its authority. A policy that was pinned meanwhile counts at the next look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Actor, Subject
from plugseal.runtime.codewhale.authority import Authority, verify_authority
from plugseal.runtime.gate import Gate
from plugseal.runtime.grant import Admission
from plugseal.runtime.policies import load_policy
from plugseal.runtime.supervise import Supervisor
from plugseal.trust.store import Store


@dataclass(frozen=True, slots=True)
class Host:
    """One start."""

    store: Store
    name: Callable[[Subject], str]
    """From a subject to its ID."""
    by: Actor
    variables: Mapping[str, str]
    """Taken before anything of a workspace was read."""
    policy: GatePolicy | None = None
    """What a harness asks of the gate; by default what this machine and this user pinned."""

    def gate(self) -> Gate:
        """Return the gate as the policy of now has it.

        Raises:
            RefusedError: a policy is there and can't be believed.
        """
        return Gate(self.store, name=self.name, policy=self._policy())

    def supervisor(self) -> Supervisor:
        """Return who starts things.

        Raises:
            RefusedError: a policy is there and can't be believed.
        """
        return Supervisor(self.store, name=self.name, by=self.by, policy=self._policy(), environment=self.variables)

    def verify(self, authority: Authority, operation: str) -> Admission:
        """Return the admission that an authority still stands for.

        Raises:
            RefusedError: it does not hold any more.
        """
        return verify_authority(authority, self.gate(), operation=operation)

    def _policy(self) -> GatePolicy:
        policy = load_policy(self.store) if self.policy is None else self.policy
        return policy._replace(source_must_match=True)
