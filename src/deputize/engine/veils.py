"""What the engine asks of redaction: a veil that hides and shows, or none where redaction is off (RED-1)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from pydantic import BaseModel

from deputize.core import strict_json
from deputize.core.marks import Target, fields
from deputize.core.provider import ToolSchema
from deputize.core.tool import Tool
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import StreamRestorer, restore_arguments, restore_text
from deputize.redaction.structure import SHORTEST_ID
from deputize.redaction.vault import Vault

Source = Literal["user", "tool", "house"]


class Restorer(Protocol):
    """Restores a stream as it flows."""

    def feed(self, delta: str) -> str:
        """Text that may be shown now."""
        ...

    def finish(self) -> str:
        """What was held back."""
        ...


class Veil(Protocol):
    """What the engine asks of redaction."""

    on: bool
    withhold_prose: bool

    def hide(self, text: str, source: Source) -> str:
        """The text as it may go out."""
        ...

    def hide_data(self, value: Any, model: type[BaseModel] | None) -> Any:
        """Plain JSON as it may go out, by the marks of its model."""
        ...

    def read_in(self, text: str) -> list[str]:
        """What detectors read for a text."""
        ...

    def read_in_data(self, value: Any, model: type[BaseModel] | None) -> list[str]:
        """What detectors read for plain JSON."""
        ...

    def hide_schema(self, schema: ToolSchema) -> ToolSchema:
        """A tool's words as they may go out."""
        ...

    def hide_screen(self, screen: Mapping[str, Any]) -> Mapping[str, Any]:
        """The screen's records as they may go out."""
        ...

    def again(self, sent: str) -> str:
        """A text as it was sent or written by the model, unless it holds a value that is known by now (RED-8)."""
        ...

    def again_json(self, sent: str) -> str:
        """The same for JSON text."""
        ...

    def restore(self, value: Any, tool: Tool) -> Any:
        """Arguments with their tokens restored. Raises UnknownToken."""
        ...

    def show_data(self, value: Any) -> Any:
        """Plain JSON in clear for the screen; unknown placeholders stay as they are."""
        ...

    def stream(self) -> Restorer:
        """A restorer for one streamed answer."""
        ...


class _Open:
    """A restorer that has nothing to restore."""

    def feed(self, delta: str) -> str:
        return delta

    def finish(self) -> str:
        return ""


class NoVeil:
    """Redaction is off: everything goes out as it is; the surface shows a warning (RED-1)."""

    on = False
    withhold_prose = False

    def hide(self, text: str, source: Source) -> str:
        return text

    def hide_data(self, value: Any, model: type[BaseModel] | None) -> Any:
        return value

    def read_in(self, text: str) -> list[str]:
        return []

    def read_in_data(self, value: Any, model: type[BaseModel] | None) -> list[str]:
        return []

    def hide_schema(self, schema: ToolSchema) -> ToolSchema:
        return schema

    def hide_screen(self, screen: Mapping[str, Any]) -> Mapping[str, Any]:
        return screen

    def again(self, sent: str) -> str:
        return sent

    def again_json(self, sent: str) -> str:
        return sent

    def restore(self, value: Any, tool: Tool) -> Any:
        return value

    def show_data(self, value: Any) -> Any:
        return value

    def stream(self) -> Restorer:
        return _Open()


@dataclass(slots=True)
class FullVeil:
    """Redaction is on. `secret` is the conversation's sealed secret where it is not kept yet."""

    vault: Vault
    redactor: Redactor
    person_kinds: frozenset[str]
    withhold_prose: bool
    secret: bytes | None = None
    on: bool = True

    def hide(self, text: str, source: Source) -> str:
        return self.redactor.text(text, source)

    def hide_data(self, value: Any, model: type[BaseModel] | None) -> Any:
        return self.redactor.data(value, model)

    def read_in(self, text: str) -> list[str]:
        return self.redactor.read_in(text)

    def read_in_data(self, value: Any, model: type[BaseModel] | None) -> list[str]:
        return self.redactor.read_in_data(value, model)

    def hide_schema(self, schema: ToolSchema) -> ToolSchema:
        return replace(
            schema,
            description=self.redactor.text(schema.description, "house"),
            parameters=self.redactor.schema(dict(schema.parameters)),
        )

    def hide_screen(self, screen: Mapping[str, Any]) -> Mapping[str, Any]:
        shown = []
        for record in screen.get("entities", ()):
            if record["kind"] in self.person_kinds:
                token = self.vault.learn_person(
                    record["kind"], record["id"], {"full_name": record.get("label")}, {"full_name": "NAME"}
                )
                shown.append({"kind": record["kind"], "id": token, "label": token})
            else:
                label = self.redactor.text(str(record.get("label", "")), "tool")
                ident = str(record["id"])
                if record["kind"] in self.redactor.owned_kinds and len(ident) >= SHORTEST_ID:
                    ident = self.vault.token_for(record["kind"], ident)
                shown.append({"kind": record["kind"], "id": ident, "label": label})
        return {"screen": screen.get("screen", ""), "entities": shown}

    def again(self, sent: str) -> str:
        return sent if self.redactor.is_clean(sent) else self.redactor.text(sent, "house")

    def again_json(self, sent: str) -> str:
        if self.redactor.is_clean(sent):
            return sent
        try:
            value = strict_json.read(sent)
        except strict_json.NotStrict:
            return self.redactor.text(sent, "house")
        return json.dumps(self._again(value), ensure_ascii=False, separators=(",", ":"))

    def _again(self, value: Any) -> Any:
        """Tokens of this vault stay; only values that were learnt since are replaced."""
        if isinstance(value, str):
            return self.redactor.text(value, "house")
        if isinstance(value, list):
            return [self._again(entry) for entry in value]
        if isinstance(value, dict):
            return {self._again(name): self._again(entry) for name, entry in value.items()}
        return value

    def restore(self, value: Any, tool: Tool) -> Any:
        ids = [field.path for field in fields(tool.args) if field.mark(Target) is not None]
        return restore_arguments(self.vault, value, id_fields=ids)

    def show_data(self, value: Any) -> Any:
        if isinstance(value, str):
            return restore_text(self.vault, value)
        if isinstance(value, list):
            return [self.show_data(entry) for entry in value]
        if isinstance(value, dict):
            return {name: self.show_data(entry) for name, entry in value.items()}
        return value

    def stream(self) -> Restorer:
        return StreamRestorer(self.vault)
