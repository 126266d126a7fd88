"""Named tuples of `plugseal.records` are what `typing.NamedTuple` makes."""

from __future__ import annotations

import pickle
from typing import NamedTuple as StandardTuple
from typing import get_type_hints

import pytest

from plugseal.records import NamedTuple


class Ours(NamedTuple):
    """A place."""

    file: str
    line: int = 1
    names: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """Both in one."""
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return self.where


class Standard(StandardTuple):
    """A place."""

    file: str
    line: int = 1
    names: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """Both in one."""
        return f"{self.file}:{self.line}"

    def __str__(self) -> str:
        return self.where


def test_a_class_has_what_the_standard_one_has() -> None:
    only_there = {"__orig_bases__", "__static_attributes__", "__firstlineno__"}
    assert set(dir(Ours)) - only_there == set(dir(Standard)) - only_there
    for name in ("_fields", "_field_defaults", "__doc__", "__module__", "__slots__", "__bases__"):
        assert getattr(Ours, name) == getattr(Standard, name), name
    assert get_type_hints(Ours) == get_type_hints(Standard)
    assert Ours.__qualname__ == "Ours"


def test_a_value_behaves_as_the_standard_one_does() -> None:
    ours, standard = Ours("a.py", 3), Standard("a.py", 3)
    assert tuple(ours) == tuple(standard)
    assert (ours.where, str(ours)) == (standard.where, str(standard))
    assert repr(ours).replace("Ours", "Standard") == repr(standard)
    assert ours._asdict() == standard._asdict()
    assert ours._replace(line=4) == ("a.py", 4, ())
    assert hash(ours) == hash(standard)
    assert isinstance(ours, tuple)
    assert not hasattr(ours, "__dict__")


def test_a_value_crosses_a_pipe() -> None:
    assert pickle.loads(pickle.dumps(Ours("a.py"))) == Ours("a.py")


def test_wrong_fields_are_refused() -> None:
    with pytest.raises(TypeError):
        Ours()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Ours("a", 1, (), 4)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        Ours("a").line = 2  # type: ignore[misc]


def test_a_field_without_a_default_follows_none_that_has_one() -> None:
    with pytest.raises(TypeError, match="follows one that has one"):

        class Wrong(NamedTuple):
            """Not a tuple that one can make."""

            line: int = 1
            file: str  # type: ignore[misc]
