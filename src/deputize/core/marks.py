"""The annotations by which arguments and results say what they mean, and the walk that finds them.

Source: contract TOOL-1, TOOL-7, RED-4. They are put into `Annotated[...]`; unmarked arguments are values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

M = TypeVar("M")


@dataclass(frozen=True, slots=True)
class Target:
    """The argument names an object of this entity kind."""

    entity: str


@dataclass(frozen=True, slots=True)
class Destination:
    """The argument is where something goes: `email`, `phone`, `iban`, `url` or `account`."""

    kind: str


@dataclass(frozen=True, slots=True)
class Text:
    """The argument is prose that a person will read."""


@dataclass(frozen=True, slots=True)
class Yields:
    """The result field is the id of an object of this entity kind; seeing it pins it (TOOL-6)."""

    entity: str


@dataclass(frozen=True, slots=True)
class Version:
    """The result field is the version of the object whose `Yields` id stands in the same model."""


@dataclass(frozen=True, slots=True)
class Trusted:
    """Nobody outside the tenant can write this field (TOOL-7)."""


@dataclass(frozen=True, slots=True)
class Personal:
    """The field holds a personal value of this kind; `of` names the id field of the person beside it."""

    kind: str
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Prose:
    """The field holds free text that may name anybody; withheld where detection is off (RED-6)."""


@dataclass(frozen=True, slots=True)
class Public:
    """The text field is a word of the house (status, catalogue, cabinet, staff): never redacted (RED-5)."""


Mark = Target | Destination | Text | Yields | Version | Trusted | Personal | Prose | Public
MARKS = (Target, Destination, Text, Yields, Version, Trusted, Personal, Prose, Public)

Path = tuple[str, ...]
"""Names of fields from the root; `*` stands for the items of a list or the values of a mapping."""


@dataclass(frozen=True, slots=True)
class Field:
    """One leaf of a model: where it is, what it holds and how it is marked."""

    path: Path
    annotation: Any
    marks: tuple[Mark, ...]
    required: bool

    def mark(self, kind: type[M]) -> M | None:
        """The first mark of that kind, if the field carries one."""
        return next((m for m in self.marks if isinstance(m, kind)), None)


@dataclass(frozen=True, slots=True)
class Leaf:
    """One value found in plain data, with the field that declares it and its exact path."""

    field: Field
    path: tuple[str | int, ...]
    value: Any
    holder: dict[str, Any]
    """The mapping in which the value stands, so that neighbours (ids, versions) can be looked up."""


def _unwrap(annotation: Any) -> tuple[Any, tuple[Mark, ...]]:
    """Strip Annotated and Optional; gather the marks met on the way."""
    marks: tuple[Mark, ...] = ()
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            inner, *meta = get_args(annotation)
            marks += tuple(m for m in meta if isinstance(m, MARKS))
            annotation = inner
        elif origin in (Union, UnionType):
            rest = [a for a in get_args(annotation) if a is not type(None)]
            if len(rest) != 1:
                return annotation, marks
            annotation = rest[0]
        else:
            return annotation, marks


def _walk(
    annotation: Any, path: Path, marks: tuple[Mark, ...], required: bool, seen: tuple[type, ...]
) -> Iterator[Field]:
    inner, more = _unwrap(annotation)
    marks += more
    origin, args = get_origin(inner), get_args(inner)
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        if inner in seen:
            raise RecursiveModel(f"{inner.__name__} contains itself at {'.'.join(path) or 'the root'}")
        for name, field in inner.model_fields.items():
            own = tuple(m for m in field.metadata if isinstance(m, MARKS))
            yield from _walk(field.annotation, (*path, name), own, field.is_required(), (*seen, inner))
    elif origin in (list, tuple, set, frozenset) and args:
        yield from _walk(args[0], (*path, "*"), marks, required, seen)
    elif origin is dict and len(args) == 2:
        yield from _walk(args[1], (*path, "*"), marks, required, seen)
    else:
        yield Field(path, inner, marks, required)


MOST_FIELDS = 1000
"""Leaves that a model may have, nested ones included; a few models within each other soon have millions."""


class RecursiveModel(TypeError):
    """A model that contains itself, or unfolds without end, cannot be exported to every wire (TOOL-16)."""


@lru_cache(maxsize=1024)
def fields(model: type[BaseModel]) -> tuple[Field, ...]:
    """All leaves of a model in order, nested models and lists included. Raises RecursiveModel."""
    found = tuple(islice(_walk(model, (), (), True, ()), MOST_FIELDS + 1))
    if len(found) > MOST_FIELDS:
        raise RecursiveModel(f"{model.__name__} unfolds into more than {MOST_FIELDS} fields")
    return found


def leaves(model: type[BaseModel], data: Any) -> Iterator[Leaf]:
    """Each value in plain `data` (as dumped from `model`) with the field that declares it."""
    for field in fields(model):
        yield from _find(field, field.path, data, (), {})


def _find(field: Field, rest: Path, data: Any, path: tuple[str | int, ...], holder: dict[str, Any]) -> Iterator[Leaf]:
    if not rest:
        if data is not None:
            yield Leaf(field, path, data, holder)
        return
    head, tail = rest[0], rest[1:]
    if head == "*":
        items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
        for key, value in items:
            yield from _find(field, tail, value, (*path, key), holder)
    elif isinstance(data, dict) and head in data:
        yield from _find(field, tail, data[head], (*path, head), data)
