"""What `validate` says of plugins. Pure data."""

from __future__ import annotations

from plugseal.model.plugin import Plugin
from plugseal.records import NamedTuple


class Validated(NamedTuple):
    """One plugin and whether it keeps the rules."""

    plugin: Plugin
    id: str
    not_judged: str
    """Why it could not be judged in full though no fault was found; empty where it was."""

    @property
    def keeps_rules(self) -> bool:
        """Say that everything was judged and there is no fault."""
        return not self.plugin.faults and not self.not_judged

    @property
    def conforms(self) -> bool:
        """Say that it keeps the rules, and that the format's specification, if it has one, loads all of it."""
        verdict = self.plugin.conforms
        return self.keeps_rules and (verdict is None or (verdict.rejected is None and not verdict.skipped))


class Validation(NamedTuple):
    """The judgement on everything at one path."""

    path: str
    """As given."""
    plugins: tuple[Validated, ...]

    @property
    def faults(self) -> int:
        """Count the faults of all plugins."""
        return sum(len(one.plugin.faults) for one in self.plugins)
