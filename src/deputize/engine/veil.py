"""The veil over one conversation: what goes out is hidden, what comes back is shown; or none, where it is off."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.marks import Target, fields
from deputize.core.provider import ToolSchema
from deputize.core.tool import Tool
from deputize.core.toolset import Surface
from deputize.engine.wiring import Wiring
from deputize.redaction import seal
from deputize.redaction.known import Directory
from deputize.redaction.redactor import Redactor
from deputize.redaction.restore import StreamRestorer, restore_arguments, restore_text
from deputize.redaction.structure import SHORTEST_ID
from deputize.redaction.vault import Entry, Vault
from deputize.store import vaults
from deputize.store.session import Tx
from deputize.store.settings import TenantSettings
from deputize.store.vaults import SealedEntry

Source = Literal["user", "tool", "house"]


class Displaced(Exception):
    """Another process gave one of our new values another token first; what was redacted must be redacted anew."""


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

    def hide_schema(self, schema: ToolSchema) -> ToolSchema:
        """A tool's words as they may go out."""
        ...

    def hide_screen(self, screen: Mapping[str, Any]) -> Mapping[str, Any]:
        """The screen's records as they may go out."""
        ...

    def again(self, sent: str, clear: str) -> str:
        """A text as it was sent, unless it holds a value that was learnt since (RED-8)."""
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

    def hide_schema(self, schema: ToolSchema) -> ToolSchema:
        return schema

    def hide_screen(self, screen: Mapping[str, Any]) -> Mapping[str, Any]:
        return screen

    def again(self, sent: str, clear: str) -> str:
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

    def again(self, sent: str, clear: str) -> str:
        return sent if self.redactor.is_clean(sent) else self.redactor.text(clear or sent, "tool")

    def again_json(self, sent: str) -> str:
        if self.redactor.is_clean(sent):
            return sent
        try:
            value = json.loads(sent)
        except ValueError:
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


def _aad(tenant: str, conversation_id: str, what: str) -> bytes:
    return json.dumps([tenant, conversation_id, what]).encode()


def _key(w: Wiring, conversation_id: str) -> bytes:
    return seal.derive(w.secret_key, "vault", conversation_id.encode())


async def lift(
    w: Wiring,
    conn: AsyncConnection,
    tenant: str,
    conversation_id: str,
    surface: Surface,
    chosen: TenantSettings,
    run_id: str = "",
) -> Veil:
    """The conversation's veil as the record has it; mandatory surfaces have one whatever the tenant chose (RED-1).

    A run that is driven here keeps its veil from step to step; the directory is looked at each time.
    """
    if surface.redaction != "mandatory" and not chosen.redaction:
        return NoVeil()
    directory = await w.directories.of(conn, tenant)
    kept = w.hub.veils.get(run_id) if run_id in w.hub.tasks else None
    if isinstance(kept, FullVeil):
        kept.redactor.directory = directory
        return kept
    found = await _lifted(w, conn, tenant, conversation_id, directory)
    if run_id in w.hub.tasks:
        w.hub.veils[run_id] = found
    return found


async def _lifted(
    w: Wiring, conn: AsyncConnection, tenant: str, conversation_id: str, directory: Directory
) -> FullVeil:
    key = _key(w, conversation_id)
    sealed, rows = await vaults.load(conn, tenant, conversation_id)
    fresh: bytes | None = None
    if sealed is None:
        secret = secrets.token_bytes(32)
        fresh = seal.seal(key, secret, _aad(tenant, conversation_id, "secret"))
    else:
        secret = seal.open_(key, sealed, _aad(tenant, conversation_id, "secret"))
    entries = [_opened(key, tenant, conversation_id, row) for row in rows]
    kinds = {entity.kind for entity in w.registry.entities.values()}
    vault = Vault(secret, entries, kinds)
    redactor = Redactor(
        vault,
        directory=directory,
        detectors=w.detection.ready,
        person_kinds=w.registry.person_kinds,
        owned_kinds=w.registry.owned_kinds,
        public=w.public_words,
    )
    return FullVeil(vault, redactor, w.registry.person_kinds, withhold_prose=not w.detection.ready, secret=fresh)


async def keep(w: Wiring, tx: Tx, conversation_id: str, veil: Veil) -> None:
    """Persist what the vault learnt, before anything with a new token leaves. Raises Displaced."""
    if not isinstance(veil, FullVeil):
        return
    key = _key(w, conversation_id)
    if veil.secret is not None:
        await vaults.create(tx, tx.tenant, conversation_id, veil.secret, w.clock.now())
    fresh = [_sealed(key, tx.tenant, conversation_id, entry) for entry in veil.vault.new_entries()]
    standing = await vaults.add(tx, tx.tenant, conversation_id, fresh)
    displaced = veil.vault.adopt([_opened(key, tx.tenant, conversation_id, row) for row in standing])
    if displaced:
        raise Displaced
    written = veil.vault.new_entries()

    def kept() -> None:
        veil.secret = None
        veil.vault.adopt(written)

    tx.on_commit(kept)


def _sealed(key: bytes, tenant: str, conversation_id: str, entry: Entry) -> SealedEntry:
    body = json.dumps([entry.kind, entry.value, entry.subject, entry.alias_of, entry.form]).encode()
    return SealedEntry(
        lookup=entry.key,
        token=entry.token,
        alias=entry.alias_of is not None,
        sealed=seal.seal(key, body, _aad(tenant, conversation_id, entry.key)),
    )


def _opened(key: bytes, tenant: str, conversation_id: str, row: SealedEntry) -> Entry:
    kind, value, subject, alias_of, form = json.loads(
        seal.open_(key, row.sealed, _aad(tenant, conversation_id, row.lookup))
    )
    return Entry(row.token, kind, value, subject, alias_of, form, row.lookup)
