"""What all parts of one start share: the records, who acts, and the variables as they were before a workspace spoke.

The gate of a bundle always looks at the source, whatever a policy says: Codewhale promises that a changed source ends
its authority. A policy that was pinned meanwhile counts at the next look.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from plugseal.errors import RefusedError, StateError
from plugseal.model.policy import GatePolicy
from plugseal.model.trust import Actor, Subject
from plugseal.runtime.codewhale.authority import Authority, verify_authority
from plugseal.runtime.gate import Gate
from plugseal.runtime.grant import Admission
from plugseal.runtime.policies import load_policy
from plugseal.runtime.runs import RunTrail
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

    def verify(self, authority: Authority, operation: str, *, label: str = "") -> Admission:
        """Return the admission that an authority still stands for.

        Args:
            authority: as it was when the registry was built.
            operation: what is about to happen, for the message.
            label: `kind:name` of what is asked for: a refusal stands in the trail; empty where only a list is made.

        Raises:
            RefusedError: it does not hold any more.
        """
        gate = self.gate()
        try:
            return verify_authority(authority, gate, operation=operation)
        except RefusedError as error:
            self.note_refusal(authority.plugin, label, error)
            raise

    def note_refusal(self, plugin: str, label: str, error: RefusedError) -> None:
        """Write a refusal into the trail of a plugin; what can't be written is refused all the same."""
        record = self.gate().record_of(plugin) if label else None
        if record is not None:
            with suppress(StateError):
                RunTrail(self.store, self.by).note(record, "refused", label=label, reason=error.reason)

    def _policy(self) -> GatePolicy:
        policy = load_policy(self.store) if self.policy is None else self.policy
        return policy._replace(source_must_match=True)
