"""Plain JSON and JSON schemas: what is declared, or carries a personal key name, becomes a token without being guessed.

Source: contract RED-4, "declared"; RED-2 for schemas.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from deputize.core.marks import Destination, Field, Path, Personal, Public, Target, Yields, fields
from deputize.redaction.tokens import is_name
from deputize.redaction.vault import Vault

KEYS = {
    "first_name": "NAME",
    "last_name": "NAME",
    "full_name": "NAME",
    "phone": "PHONE",
    "mobile": "PHONE",
    "email": "EMAIL",
    "dni": "ID",
    "nif": "ID",
}
"""Keys that are personal in any data, annotated or not (RED-4)."""
_NAME_KEYS = ("first_name", "last_name", "full_name")
_HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])")
_IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+|[A-Z][a-z0-9]*)*\Z")
SHORTEST_ID = 8
"""Characters from which the id of a record that belongs to a person is hidden (RED-4); shorter ones tell nobody."""
Texts = Callable[[str], str]


def _snake(key: str) -> str:
    return _HUMP.sub("_", key).lower()


@dataclass(frozen=True, slots=True)
class Structure:
    """Walks data beside the fields of its model; `text` redacts free text, `key` the names of unknown keys."""

    vault: Vault
    person_kinds: frozenset[str]
    owned_kinds: frozenset[str]
    fields: dict[Path, Field]
    text: Texts
    key: Texts

    @classmethod
    def of(
        cls,
        vault: Vault,
        kinds: tuple[frozenset[str], frozenset[str]],
        model: type[BaseModel] | None,
        text: Texts,
        key: Texts,
    ) -> "Structure":
        """The walker for data dumped from `model` (None: nothing is declared).

        `kinds` are the entity kinds whose records are persons, and those whose records belong to one.
        """
        declared = {field.path: field for field in fields(model)} if model is not None else {}
        return cls(vault, *kinds, declared, text, key)

    def redact(self, value: Any) -> Any:
        """The data with tokens; persons are learnt from the whole of it before any text is looked at."""
        self._learn(value, ())
        return self._walk(value, (), {})

    # --- learning -------------------------------------------------------------------------------------

    def _learn(self, value: Any, path: Path) -> None:
        if isinstance(value, list):
            for item in value:
                self._learn(item, (*path, "*"))
        elif isinstance(value, dict):
            self._learn_holder(value, path)
            for key, item in value.items():
                self._learn(item, self._step(path, key))

    def _learn_holder(self, holder: dict[str, Any], path: Path) -> None:
        people: dict[str, dict[str, str]] = {}
        for key, item in holder.items():
            kind, subject = self._personal(self._step(path, key), key, holder)
            if subject is None or kind is None or not isinstance(item, str) or not is_name(kind, subject):
                continue
            if item and item != subject.partition(":")[2]:
                people.setdefault(subject, {})[_snake(key)] = item
        for subject, names in people.items():
            whole = [names.pop(key) for key in ("full_name", "name", "display_name") if key in names]
            parts = [names.pop(key) for key in _NAME_KEYS if key in names]
            for name in whole or ([" ".join(parts)] if parts else []):
                self.vault.token_for("NAME", name, subject)
            for name in names.values():
                self.vault.token_for("NAME", name, subject)

    # --- walking --------------------------------------------------------------------------------------

    def _step(self, path: Path, key: str) -> Path:
        return (*path, key) if (*path, key) in self.fields or not self._is_mapping(path) else (*path, "*")

    def _is_mapping(self, path: Path) -> bool:
        return any(len(one) > len(path) and one[: len(path)] == path and one[len(path)] == "*" for one in self.fields)

    def _walk(self, value: Any, path: Path, holder: dict[str, Any], key: str = "") -> Any:
        if isinstance(value, dict):
            return self._walk_mapping(value, path)
        if isinstance(value, list):
            return [self._walk(item, (*path, "*"), holder, key) for item in value]
        if value is None or isinstance(value, bool):
            return value
        kind, subject = self._personal(path, key, holder)
        if kind is not None:
            plain = str(value)
            return self.vault.token_for(kind, plain, subject) if plain.strip() else value
        if not isinstance(value, str) or self._is_open(self.fields.get(path)):
            return value
        return self.text(value)

    def _walk_mapping(self, value: dict[str, Any], path: Path) -> dict[str, Any]:
        out: dict[str, Any] = {}
        mapping = self._is_mapping(path)
        for key, item in value.items():
            step = self._step(path, key)
            known = not mapping and any(one[: len(step)] == step for one in self.fields)
            name = key if known or _snake(key) in KEYS else self._key(key)
            out[name] = self._walk(item, step, value, key)
        return out

    def _key(self, key: str) -> str:
        return self.key(key) if _IDENTIFIER.match(key) else self.text(key)

    def _personal(self, path: Path, key: str, holder: dict[str, Any]) -> tuple[str | None, str | None]:
        """Kind and person of a personal value; (None, None) for any other."""
        field = self.fields.get(path)
        if field is not None:
            pinned = field.mark(Yields) or field.mark(Target)
            if pinned is not None:
                value = holder.get(path[-1]) if path else None
                if pinned.entity in self.person_kinds and isinstance(value, str) and value:
                    return pinned.entity, f"{pinned.entity}:{value}"
                if pinned.entity in self.person_kinds or self._owned(pinned.entity, value):
                    return pinned.entity, None
            personal = field.mark(Personal)
            if personal is not None:
                return personal.kind, self._beside(path, personal.of, holder)
            destination = field.mark(Destination)
            if destination is not None and destination.kind.upper() != "URL":
                return destination.kind.upper(), None
        kind = KEYS.get(_snake(key))
        return (kind, self._beside(path, None, holder)) if kind is not None else (None, None)

    def _owned(self, kind: str, value: Any) -> bool:
        """The id of a record that belongs to a person; a short one is left, since it stands in any text by chance."""
        return kind in self.owned_kinds and isinstance(value, str) and len(value) >= SHORTEST_ID

    def _beside(self, path: Path, of: str | None, holder: dict[str, Any]) -> str | None:
        """The person whose id stands in the same mapping: the field named by `of`, else the one yielded there."""
        for name in (of,) if of is not None else ("id",):
            field = self.fields.get((*path[:-1], name))
            mark = (field.mark(Yields) or field.mark(Target)) if field is not None else None
            value = holder.get(name)
            if not isinstance(value, str | int) or not str(value):
                continue
            if mark is not None and mark.entity in self.person_kinds:
                return f"{mark.entity}:{value}"
            if of is not None:
                return f"{mark.entity if mark is not None else 'person'}:{value}"
        return None

    @staticmethod
    def _is_open(field: Field | None) -> bool:
        """True for values that hold no free text: public words, ids of things, times, choices."""
        if field is None:
            return False
        if field.mark(Public) is not None or field.mark(Yields) is not None or field.mark(Target) is not None:
            return True
        return field.annotation is not str and field.annotation is not Any


_WORDS = frozenset({"title", "description", "default", "const", "examples", "enum", "$comment"})


def redact_schema(schema: Any, text: Texts, inside: bool = False) -> Any:
    """A JSON schema with its words redacted; names of properties and keywords stay."""
    if isinstance(schema, dict):
        return {
            key: redact_schema(item, text, True)
            if key in _WORDS and not (key in ("title", "description") and isinstance(item, dict))
            else redact_schema(item, text, inside)
            for key, item in schema.items()
        }
    if isinstance(schema, list):
        return [redact_schema(item, text, inside) for item in schema]
    return text(schema) if inside and isinstance(schema, str) else schema
