"""`dataclass` as in dataclasses, for classes that take hardly any time to define, and `replace` for those.

The library compiles the source of six methods for each class when its module is imported, which takes half
a millisecond: for the two hundred classes of a search in a new process, a sixth of its time. Here methods are
closures, and the constructor is compiled for the first instance, which most classes never have.

What is made are dataclasses: `replace`, `fields` and `asdict` take them, and pickle and msgspec do. It knows
what ohara uses: frozen, eq and fields, always with slots; no order, and no field that only a constructor has.
"""

from __future__ import annotations

import dataclasses
from dataclasses import _FIELD, MISSING, Field, FrozenInstanceError, field  # type: ignore[attr-defined]
from inspect import get_annotations  # which dataclasses has loaded
from itertools import repeat
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from dataclasses import dataclass, replace  # types are checked by the library's

    Fields = Mapping[str, Field[object]]
else:

    def dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type[T]], type[T]]:
        """The decorator that makes a class a dataclass, with these of the library's options."""
        if not slots:
            raise TypeError("a record has slots")
        return lambda cls: _made(cls, frozen=frozen, eq=eq)

    def replace(one: T, /, **changes: object) -> T:
        """A copy of a record with other values: the library's calls the constructor, for 10 µs and not 3."""
        cls = type(one)
        if cls not in _COPIED:
            _COPIED[cls] = _copied(cls)
        names, values = _COPIED[cls]
        if names is None or not changes.keys() <= names.keys():
            return dataclasses.replace(one, **changes)  # which knows what to do, and what to say
        copy = object.__new__(cls)
        given = dict(zip(names, values(one), strict=True)) | changes
        any(map(_set, repeat(copy), given, given.values()))  # each gives None: a loop without the interpreter
        return copy


__all__ = ["dataclass", "replace"]

_COPIED: dict[type, tuple[dict[str, None] | None, Callable[[object], tuple[object, ...]]]] = {}

_FIELDS = "__dataclass_fields__"
_PLAIN = (str, int, float, tuple, dict, Field)  # what a class declares that is no method
_OF_INSTANCES = frozenset({"__dict__", "__weakref__"})  # what a class without slots has in its namespace
_set = object.__setattr__


def _made(cls: type[T], *, frozen: bool, eq: bool) -> type[T]:
    inherited: dict[str, Field[object]] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get(_FIELDS, {})
    own = _own_fields(cls)
    fields = inherited | own
    methods: dict[str, object] = {"__repr__": _repr}
    if eq:
        methods |= _comparing(fields, hashes=frozen)
    if frozen:
        methods |= _FROZEN
    namespace = methods | {
        name: value
        for name, value in vars(cls).items()
        if name not in own and name not in _OF_INSTANCES and not (name == "__hash__" and value is None)
    }
    namespace |= {
        "__qualname__": cls.__qualname__,
        "__slots__": tuple(name for name in own if name not in inherited),
        _FIELDS: fields,
        "__match_args__": tuple(name for name, each in fields.items() if each.init and not each.kw_only),
    }
    made: type[T] = type(cls)(cls.__name__, cls.__bases__, namespace)  # type: ignore[misc]
    if "__init__" not in vars(made):
        made.__init__ = _first_init(made, frozen=frozen)  # type: ignore[method-assign]
    _tell_super(made, vars(cls).values())
    return made


def _tell_super(made: type, declared: Iterable[object]) -> None:
    """Have `super()` find the class that was made: methods share a cell that holds the one they stood in."""
    for each in declared:
        if each is None or isinstance(each, _PLAIN):
            continue
        function: Any = getattr(
            each, "fget", getattr(each, "__func__", each)
        )  # of a property, of a class method
        names: tuple[str, ...] = getattr(getattr(function, "__code__", None), "co_freevars", ())
        if "__class__" in names:
            function.__closure__[names.index("__class__")].cell_contents = made
            return


def _own_fields(cls: type) -> dict[str, Field[object]]:
    """The fields that a class declares itself."""
    declared = vars(cls)
    found: dict[str, Field[object]] = {}
    for name, kind in get_annotations(cls).items():
        given = declared.get(name, MISSING)
        each: Field[object] = given if isinstance(given, Field) else field(default=given)
        each.name, each.type, each._field_type = name, kind, _FIELD  # type: ignore[attr-defined]  # noqa: SLF001
        if each.kw_only is MISSING:
            each.kw_only = False
        found[name] = each
    return found


# -- methods -------------------------------------------------------------------------------------


def _comparing(fields: Fields, *, hashes: bool) -> dict[str, object]:
    """Equality by values, and with it the hash."""
    values = _values_of([name for name, each in fields.items() if each.compare])

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        return values(self) == values(other) if self.__class__ is other.__class__ else NotImplemented

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if hashes else None}


def _copied(cls: type) -> tuple[dict[str, None] | None, Callable[[object], tuple[object, ...]]]:
    """The names of fields, and what gives their values; no names where the constructor does more."""
    fields = getattr(cls, _FIELDS)
    is_plain = not hasattr(cls, "__post_init__") and all(each.init for each in fields.values())
    return dict.fromkeys(fields) if is_plain else None, _values_of(list(fields))


def _values_of(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple([getattr(one, name) for name in names])


def _repr(self: object) -> str:
    shown = [each for each in getattr(self, _FIELDS).values() if each.repr]
    values = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in shown)
    return f"{self.__class__.__qualname__}({values})"


def _refuse(self: object, name: str, *value: object) -> None:
    del self
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _state(self: object) -> list[object]:
    return [getattr(self, name) for name in getattr(self, _FIELDS)]


def _restore(self: object, state: list[object]) -> None:
    for name, value in zip(getattr(self, _FIELDS), state, strict=True):
        _set(self, name, value)


_FROZEN = {
    "__setattr__": _refuse,
    "__delattr__": _refuse,
    "__getstate__": _state,
    "__setstate__": _restore,
}


def _first_init(cls: type, *, frozen: bool) -> Callable[..., None]:
    """A constructor that puts the compiled one in its own place."""

    def __init__(self: object, /, *args: object, **kwargs: object) -> None:  # noqa: N807
        compiled = _compiled_init(getattr(cls, _FIELDS), calls=hasattr(cls, "__post_init__"), frozen=frozen)
        compiled.__qualname__ = f"{cls.__qualname__}.__init__"
        cls.__init__ = compiled  # type: ignore[misc]
        compiled(self, *args, **kwargs)

    return __init__


def _compiled_init(fields: Fields, *, calls: bool, frozen: bool) -> Callable[..., None]:
    """A function that sets each field to its argument, its default or what its factory makes."""
    known: dict[str, object] = {"_set": _set, "_absent": MISSING}
    positional: list[str] = []
    by_name: list[str] = []
    body: list[str] = []
    for name, each in fields.items():
        value, default = name, ""
        if each.default is not MISSING:
            known[f"_default_{name}"] = each.default
            default = f"=_default_{name}"
        elif each.default_factory is not MISSING:
            known[f"_make_{name}"] = each.default_factory
            default = "=_absent"
            value = f"_make_{name}() if {name} is _absent else {name}" if each.init else f"_make_{name}()"
        if each.init:
            (by_name if each.kw_only else positional).append(name + default)
        elif each.default is not MISSING:
            value = f"_default_{name}"
        elif each.default_factory is MISSING:
            continue  # who is constructed sets it
        body.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if calls:
        body.append("self.__post_init__()")
    arguments = ", ".join(["self", *positional, *(["*", *by_name] if by_name else [])])
    source = f"def __init__({arguments}):\n " + "\n ".join(body or ["pass"])
    exec(source, known)  # noqa: S102 - the names are those of fields
    return known["__init__"]  # type: ignore[return-value]
