"""JSON as a typed value: every field of a dataclass is checked against its annotation, nothing is converted.

What a record or a configuration read from a file holds is known to be of its type once it has been here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

Json = Any
Kinds = Mapping[type, Mapping[str, type]]

KIND = "kind"  # the key that says which of a type's variants an object is

_CALLED = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: "null"}


def typed(kind: Any, given: Json, where: str, kinds: Kinds | None = None) -> Any:
    """``given`` as a value of the type ``kind``.

    Parameters
    ----------
    kind
        A dataclass, ``int``, ``float``, ``str``, ``bool``, ``None``, ``list[...]``, ``dict[str, ...]``, a
        union of these, or ``Any``.
    given
        What ``json.loads`` gives.
    where
        What messages call it; its parts are told apart by dots.
    kinds
        For a dataclass that has variants, the variants by the names that an object's key ``kind`` has.

    Raises
    ------
    ValueError
        Where it is of another type, a number is not finite, or an object lacks a field that has no default or
        has one that its type does not.

    """
    if kind is Any:
        return given
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _one_of(get_args(kind), given, where, kinds)
    if origin is list:
        if not isinstance(given, list):
            raise ValueError(f"{where}: expected a list, got {shown(given)}")
        (inner,) = get_args(kind)
        return [typed(inner, item, f"{where}[{place}]", kinds) for place, item in enumerate(given)]
    if origin is dict:
        _object(given, where)
        inner = get_args(kind)[1]
        return {key: typed(inner, item, f"{where}.{key}", kinds) for key, item in given.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, given, where, kinds or {})
    return _plain(kind, given, where)


def shown(value: Json) -> str:
    """A value for a message, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _object(given: Json, where: str) -> None:
    if not isinstance(given, dict):
        raise ValueError(f"{where}: expected an object, got {shown(given)}")


def _one_of(options: tuple[Any, ...], given: Json, where: str, kinds: Kinds | None) -> Any:
    if given is None and NoneType in options:
        return None
    rest = [option for option in options if option is not NoneType]
    if len(rest) == 1:
        return typed(rest[0], given, where, kinds)
    for option in rest:
        try:
            return typed(option, given, where, kinds)
        except ValueError:
            continue
    raise ValueError(f"{where}: {shown(given)} is of none of the types that it may have")


def _plain(kind: Any, given: Json, where: str) -> Any:
    right = type(given) is kind
    if kind is float and type(given) is int:
        # JSON has one kind of number; one that float64 does not hold is not a value of a metric.
        right = abs(given) < 2**1023
        given = float(given) if right else given
    if not right or (kind is float and not isfinite(given)):
        raise ValueError(f"{where}: expected {_CALLED.get(kind, kind)}, got {shown(given)}")
    return given


def _dataclass(kind: type, given: Json, where: str, kinds: Kinds) -> Any:
    _object(given, where)
    if kind in kinds:
        variants = kinds[kind]
        name = given.get(KIND)
        if not isinstance(name, str) or name not in variants:
            raise ValueError(f"{where}.{KIND}: expected one of {', '.join(variants)}, got {shown(name)}")
        kind, given = variants[name], {key: value for key, value in given.items() if key != KIND}
    declared = {item.name: item for item in fields(kind)}
    missing = [
        name
        for name, item in declared.items()
        if name not in given and item.default is MISSING and item.default_factory is MISSING
    ]
    if missing:
        raise ValueError(f"{where} lacks {', '.join(sorted(missing))}")
    if unknown := sorted(given.keys() - declared.keys()):
        raise ValueError(f"{where} has {', '.join(unknown)}, which the schema does not")
    hints = get_type_hints(kind)
    return kind(**{key: typed(hints[key], value, f"{where}.{key}", kinds) for key, value in given.items()})
