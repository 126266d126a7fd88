"""The report of a file of Python: what every report has, and how code inside its strings is parsed."""

from __future__ import annotations

import ast
from collections.abc import Callable

from plugseal.lang.facts import Interest
from plugseal.lang.judging.report import Report


class PythonReport(Report):
    """The facts and events of one file of Python, as they come."""

    __slots__ = ("other_inside", "parse")

    def __init__(self, interest: Interest, parse: Callable[[str], ast.Module | str]) -> None:
        super().__init__(interest)
        self.parse = parse
        """How code inside strings is parsed."""
        self.other_inside = False
        """Whether code inside a string was refused that another Python may accept."""
