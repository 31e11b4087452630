"""The tree of errors is the one its docstring draws, and every error carries its words."""

from __future__ import annotations

import re

import pytest

from ohara import errors
from ohara.errors import OharaError


def every_error() -> list[type[OharaError]]:
    found = [OharaError]
    for kind in found:
        found.extend(kind.__subclasses__())
    return [kind for kind in found if kind.__module__ == errors.__name__]


def drawn_tree() -> dict[str, str | None]:
    """Parent of each name in the docstring's drawing, by the depth at which it stands."""
    parents: dict[str, str | None] = {}
    line_of_descent: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if not (match := re.match(r" {4}([│├└─ ]*)([A-Z]\w+)  ", line)):
            continue
        depth, name = len(match[1]), match[2]
        line_of_descent = [(above, parent) for above, parent in line_of_descent if above < depth]
        parents[name] = line_of_descent[-1][1] if line_of_descent else None
        line_of_descent.append((depth, name))
    return parents


def test_the_drawing_is_the_tree() -> None:
    real = {
        kind.__name__: None if kind is OharaError else kind.__bases__[0].__name__ for kind in every_error()
    }
    assert drawn_tree() == real


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_an_error_carries_message_and_hint(kind: type[OharaError]) -> None:
    error = kind("the index is gone", hint="ohara index")
    assert (str(error), error.message, error.hint) == (
        "the index is gone",
        "the index is gone",
        "ohara index",
    )
    assert kind("alone").hint == ""
