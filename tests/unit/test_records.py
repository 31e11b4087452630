"""A dataclass of `ohara.records` behaves as the library's does."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from abc import ABC, abstractmethod
from dataclasses import FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from typing import Generic, TypeVar

import msgspec
import pytest

from ohara import records

T = TypeVar("T")


@records.dataclass(frozen=True, slots=True)
class Ours:
    """One of everything that a field can be."""

    name: str
    lines: int = 1
    tags: dict[str, int] = field(default_factory=dict)
    told: str = field(default="", compare=False, repr=False)
    key: str = field(default="k", kw_only=True)
    fixed: int = field(default=7, init=False)

    def doubled(self) -> Ours:
        return replace(self, lines=2 * self.lines)


@dataclasses.dataclass(frozen=True, slots=True)
class Theirs:
    """The same, made by the library."""

    name: str
    lines: int = 1
    tags: dict[str, int] = field(default_factory=dict)
    told: str = field(default="", compare=False, repr=False)
    key: str = field(default="k", kw_only=True)
    fixed: int = field(default=7, init=False)


@records.dataclass(slots=True)
class Counter:
    """One that changes, and sets a field by itself."""

    start: int
    seen: int = field(init=False)

    def __post_init__(self) -> None:
        self.seen = self.start


@records.dataclass(frozen=True, slots=True)
class Base(ABC):
    where: str = ""

    @property
    @abstractmethod
    def shown(self) -> str:
        return self.where


@records.dataclass(frozen=True, slots=True)
class Derived(Base):
    kept: int = 0

    @property
    def shown(self) -> str:
        return f"{super().shown} {self.kept}"


@records.dataclass(frozen=True, slots=True)
class Box(Generic[T]):
    held: T


@records.dataclass(frozen=True, slots=True, eq=False)
class Alone:
    value: int = 0


ARGUMENTS = [
    (("a",), {}),
    (("a", 3), {"key": "q"}),
    (("a",), {"tags": {"x": 1}, "told": "aside"}),
]


@pytest.mark.parametrize(("given", "named"), ARGUMENTS)
def test_values_text_and_conversions_are_those_of_the_library(
    given: tuple[str, ...], named: dict[str, str]
) -> None:
    ours, theirs = Ours(*given, **named), Theirs(*given, **named)  # type: ignore[arg-type]
    assert asdict(ours) == asdict(theirs)
    assert repr(ours) == repr(theirs).replace("Theirs", "Ours")
    assert msgspec.json.encode(ours) == msgspec.json.encode(theirs)
    assert asdict(replace(ours, lines=9)) == asdict(replace(theirs, lines=9))
    sent = pickle.loads(pickle.dumps(ours))  # noqa: S301 - our own
    for copied in (sent, copy.copy(ours), copy.deepcopy(ours)):
        assert copied == ours
        assert copied is not ours
    assert msgspec.convert({"name": "a", "lines": 4}, Ours) == Ours("a", 4)


def test_it_is_declared_as_the_library_declares_it() -> None:
    assert is_dataclass(Ours)
    for ours, theirs in zip(fields(Ours), fields(Theirs), strict=True):
        assert repr(ours) == repr(theirs)
    for name in ("__match_args__", "__slots__"):
        assert getattr(Ours, name) == getattr(Theirs, name)
    assert (Ours.__qualname__, Ours.__module__, Ours.__doc__) == (
        "Ours", __name__, "One of everything that a field can be.",
    )  # fmt: skip
    assert not hasattr(Ours("a"), "__dict__")


def test_equality_and_hash_go_by_what_is_compared() -> None:
    one, other = Ours("a", told="x", tags={}), Ours("a", told="y", tags={})
    assert one == other
    assert one != Ours("b")
    assert one != Theirs("a")  # type: ignore[comparison-overlap]
    assert hash(Box("a")) == hash(Box("a"))
    assert len({Box(1), Box(1), Box(2)}) == 2
    nan = float("nan")
    assert Box(nan) == Box(nan)  # as tuples are: the same object is equal
    assert Alone() != Alone()
    with pytest.raises(TypeError, match="unhashable"):
        hash(Counter(1))


def test_what_is_frozen_stays_as_it_is_and_what_is_not_changes() -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'lines'"):
        Ours("a").lines = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del Ours("a").name
    counter = Counter(3)
    counter.seen += 1
    assert (counter.start, counter.seen) == (3, 4)
    assert Ours("a", 2).doubled().lines == 4


def test_classes_derived_from_others_have_the_fields_of_both() -> None:
    assert Derived("here", 2).shown == "here 2"
    assert [each.name for each in fields(Derived)] == ["where", "kept"]
    assert replace(Derived("here"), where="there") == Derived("there")
    with pytest.raises(TypeError, match="abstract"):
        Base()  # type: ignore[abstract]
    assert Box[int](3).held == 3


@pytest.mark.parametrize("attempt", [1, 2])  # the constructor is another after the first instance
def test_wrong_arguments_are_refused_as_ever(attempt: int) -> None:
    del attempt
    for given, named, why in (
        ((), {}, "missing 1 required positional argument: 'name'"),
        (("a",), {"colour": 1}, "unexpected keyword argument 'colour'"),
        (("a", 1, {}, "", "k"), {}, "positional arguments"),
    ):
        with pytest.raises(TypeError, match=why):
            Ours(*given, **named)  # type: ignore[arg-type]


def test_a_class_without_slots_is_refused() -> None:
    with pytest.raises(TypeError, match="slots"):
        records.dataclass(frozen=True, slots=False)


def test_a_copy_with_other_values_is_the_librarys() -> None:
    for one, changes in ((Derived("here", 3), {"kept": 4}), (Box("a"), {"held": "b"}), (Alone(1), {})):
        copied = records.replace(one, **changes)
        assert type(copied) is type(one)
        assert copied is not one
        assert asdict(copied) == asdict(replace(one, **changes))
        with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
            records.replace(one, nothing=1)  # type: ignore[call-arg]
    with pytest.raises(FrozenInstanceError):
        records.replace(Derived(), kept=1).kept = 2  # type: ignore[misc]


def test_what_a_constructor_does_is_done_for_a_copy_as_well() -> None:
    assert records.replace(Counter(1), start=5).seen == 5
    assert records.replace(Ours("a"), name="b").fixed == 7
    with pytest.raises(ValueError, match="init=False"):
        records.replace(Ours("a"), fixed=8)
