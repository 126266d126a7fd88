"""The conversion's frame: which function makes which node, and where things stand."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from plugseal.lang.python.cst.places import Node, Place, Places

Maker: TypeAlias = Callable[[Node, "Convert"], Any]
"""Takes a node of libcst and makes the one of `ast` (a list of them for a line of statements)."""


class ConversionError(Exception):
    """Something that no Python accepts, or that libcst knows and this conversion does not."""


def kind(node: Node) -> str:
    """Return the name of a libcst node's class."""
    return type(node).__name__


class Convert:
    """Make nodes of `ast` out of libcst's, each with its place."""

    def __init__(self, places: Places, makers: Mapping[str, Maker]) -> None:
        self.places = places
        self._makers = makers

    def node(self, node: Node) -> Any:
        """Return what stands for one node.

        Raises:
            ConversionError: a kind of node that nobody makes.
        """
        maker = self._makers.get(kind(node))
        if maker is None:
            raise ConversionError(f"unknown syntax: {kind(node)}")
        return maker(node, self)

    def expression(self, node: Node) -> ast.expr:
        """Return an expression.

        Raises:
            ConversionError: as `node`.
        """
        made: ast.expr = self.node(node)
        return made

    def optional(self, node: Node | None) -> ast.expr | None:
        """Return an expression, or None for none.

        Raises:
            ConversionError: as `node`.
        """
        return None if node is None else self.expression(node)

    def all(self, nodes: Iterable[Node]) -> list[Any]:
        """Return what stands for each node.

        Raises:
            ConversionError: as `node`.
        """
        return [self.node(node) for node in nodes]

    def body(self, suite: Node | None) -> list[ast.stmt]:
        """Return the statements of a block, of a line, or of an `else` or `finally` with its block.

        Raises:
            ConversionError: as `node`.
        """
        if suite is None:
            return []
        if kind(suite) in ("Else", "Finally"):
            suite = suite.body
        if kind(suite) == "SimpleStatementSuite":
            return self.all(suite.body)
        statements: list[ast.stmt] = []
        for statement in suite.body:
            if kind(statement) == "SimpleStatementLine":
                statements.extend(self.all(statement.body))
            else:
                statements.append(self.node(statement))
        return statements

    def arguments(self, nodes: Iterable[Node]) -> tuple[list[ast.expr], list[ast.keyword]]:
        """Return the positional and the keyword arguments of a call or a class.

        Raises:
            ConversionError: as `node`.
        """
        positional: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for node in nodes:
            value = self.expression(node.value)
            fields = Place(self.places.inner(node).start, self.places.outer(node.value).end).fields()
            if node.keyword is not None:
                keywords.append(ast.keyword(arg=identifier(node.keyword.value), value=value, **fields))
            elif node.star == "**":
                keywords.append(ast.keyword(arg=None, value=value, **fields))
            elif node.star == "*":
                positional.append(ast.Starred(value=value, ctx=ast.Load(), **fields))
            else:
                positional.append(value)
        return positional, keywords

    def target(self, node: Node, context: type[ast.expr_context] = ast.Store) -> Any:
        """Return an expression that is assigned to or deleted.

        Raises:
            ConversionError: as `node`.
        """
        made = self.expression(node)
        waiting: list[ast.expr] = [made]
        while waiting:
            part = waiting.pop()
            if isinstance(part, (ast.Tuple, ast.List)):
                waiting.extend(part.elts)
            if isinstance(part, ast.Starred):
                waiting.append(part.value)
            if isinstance(part, (ast.Name, ast.Attribute, ast.Subscript, ast.Starred, ast.Tuple, ast.List)):
                part.ctx = context()
        return made


def identifier(name: str) -> str:
    """Return a name as Python means it: `ast` normalises what is not ASCII, libcst does not."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)
