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


def typed(kind: Any, found: Json, where: str, kinds: Kinds | None = None) -> Any:
    """``found`` as a value of the type ``kind``.

    Parameters
    ----------
    kind
        A dataclass, ``int``, ``float``, ``str``, ``bool``, ``None``, ``list[...]``, ``dict[str, ...]``, a
        union of these, or ``Any``.
    found
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
        return found
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return _one_of(get_args(kind), found, where, kinds)
    if origin is list:
        if not isinstance(found, list):
            raise ValueError(f"{where}: expected a list, got {shown(found)}")
        (inner,) = get_args(kind)
        return [typed(inner, item, f"{where}[{place}]", kinds) for place, item in enumerate(found)]
    if origin is dict:
        _object(found, where)
        inner = get_args(kind)[1]
        return {key: typed(inner, item, f"{where}.{key}", kinds) for key, item in found.items()}
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, found, where, kinds or {})
    return _plain(kind, found, where)


def shown(found: Json) -> str:
    """A value for a message, cut short."""
    text = repr(found)
    return text if len(text) <= 60 else text[:57] + "..."


def _object(found: Json, where: str) -> None:
    if not isinstance(found, dict):
        raise ValueError(f"{where}: expected an object, got {shown(found)}")


def _one_of(options: tuple[Any, ...], found: Json, where: str, kinds: Kinds | None) -> Any:
    if found is None and NoneType in options:
        return None
    rest = [option for option in options if option is not NoneType]
    if len(rest) == 1:
        return typed(rest[0], found, where, kinds)
    for option in rest:
        try:
            return typed(option, found, where, kinds)
        except ValueError:
            continue
    raise ValueError(f"{where}: {shown(found)} is of none of the types that it may have")


def _plain(kind: Any, found: Json, where: str) -> Any:
    right = type(found) is kind
    if kind is float and type(found) is int:
        # JSON has one kind of number; one that float64 does not hold is no value of a metric.
        right = abs(found) < 2**1023
        found = float(found) if right else found
    if not right or (kind is float and not isfinite(found)):
        raise ValueError(f"{where}: expected {_CALLED.get(kind, kind)}, got {shown(found)}")
    return found


def _dataclass(kind: type, found: Json, where: str, kinds: Kinds) -> Any:
    _object(found, where)
    if kind in kinds:
        variants = kinds[kind]
        name = found.get(KIND)
        if not isinstance(name, str) or name not in variants:
            raise ValueError(f"{where}.{KIND}: expected one of {', '.join(variants)}, got {shown(name)}")
        kind, found = variants[name], {key: value for key, value in found.items() if key != KIND}
    declared = {item.name: item for item in fields(kind)}
    missing = [
        name
        for name, item in declared.items()
        if name not in found and item.default is MISSING and item.default_factory is MISSING
    ]
    if missing:
        raise ValueError(f"{where} lacks {', '.join(sorted(missing))}")
    if unknown := sorted(found.keys() - declared.keys()):
        raise ValueError(f"{where} has {', '.join(unknown)}, which the schema does not")
    hints = get_type_hints(kind)
    return kind(**{key: typed(hints[key], value, f"{where}.{key}", kinds) for key, value in found.items()})
