"""Named tuples that are quick to define: what `typing.NamedTuple` makes, without compiling each annotation.

Rules: a class is written as for `typing.NamedTuple`, and type checkers see that one; annotations stay the texts that
`from __future__ import annotations` makes of them. The standard one compiles every annotation on its own: for a
hundred classes a tenth of a small scan (decision 2). Never more than a tuple with names: no inheritance, no generics.
"""

from __future__ import annotations

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
    from typing import NamedTuple as NamedTuple
else:
    _NOT_COPIED = frozenset({"__annotations__", "__dict__", "__module__", "__qualname__", "__slots__"})

    class _Definition(type):
        """Makes a named tuple of a class body."""

        def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> type:
            if not bases:
                return super().__new__(cls, name, bases, body)
            annotations = body.get("__annotations__", {})
            defaults = [body[field] for field in annotations if field in body]
            made = namedtuple(name, annotations, defaults=defaults, module=body["__module__"])
            if any(field not in body for field in made._field_defaults):
                raise TypeError(f"{name}: a field without a default follows one that has one")
            made.__annotations__ = annotations
            made.__qualname__ = body["__qualname__"]
            for key, value in body.items():
                if key not in _NOT_COPIED and key not in annotations:
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_Definition):
        """The base that a named tuple's class names."""
