"""The card: what was observed, worded by the server in the person's language (APPR-1, APPR-8)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any
from urllib.parse import quote

from deputize.core.actor import Actor
from deputize.core.channel import Channel
from deputize.core.digest import plain
from deputize.core.effect import Observed, RowImage
from deputize.core.entity import Entity
from deputize.core.marks import Destination, Target, leaves
from deputize.core.preview import Change, FieldChange, Friction, Outgoing, Preview
from deputize.core.tool import Args, Tool
from deputize.engine import wording
from deputize.engine.card_dto import to_dto
from deputize.engine.wiring import Wiring
from deputize.policy.cap import SECRET_KEYS
from deputize.policy.provenance import addresses_in, prose_of, same, unshown

_SHORTEST = 3
"""Characters from which a model's text is recognised inside a longer value."""
_WITHHELD = "•••"

__all__ = ["card", "to_dto"]

Marks = Mapping[str, tuple[str, ...]]


def card(w: Wiring, actor: Actor, tool: Tool, args: Args, observed: Observed, marks: Marks) -> Preview:
    """Word the card for `actor`. `marks` maps an argument's dotted path to what the caller found about its value
    (`untrusted`, `unproven`); it is put on every field in which that value stands.

    Names were loaded with the observation, in the same transaction; nothing is read here.
    """
    return _Card(w, actor, tool, args, observed, marks).preview()


@dataclass(frozen=True)
class _Card:
    w: Wiring
    actor: Actor
    tool: Tool
    args: Args
    observed: Observed
    marks: Marks

    @cached_property
    def spoken(self) -> str:
        return wording.language(self.actor.locale)

    @cached_property
    def arguments(self) -> Any:
        return self.args.model_dump(mode="json")

    @cached_property
    def prose(self) -> tuple[str, ...]:
        """The texts that the model wrote."""
        return tuple(text.strip() for text in prose_of(self.tool.args, self.arguments).values() if text.strip())

    @cached_property
    def found(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """(kind of destination or nothing, value, marks) for the arguments that the caller marked."""
        listed = []
        for leaf in leaves(self.tool.args, self.arguments):
            path = ".".join(map(str, leaf.path))
            if self.marks.get(path):
                mark = leaf.field.mark(Destination)
                listed.append((mark.kind if mark else "", str(leaf.value), self.marks[path]))
        return tuple(listed)

    @cached_property
    def entities(self) -> dict[str, Entity]:
        named: dict[str, Entity] = {}
        for entity in self.w.registry.entities.values():
            table = entity.model.__table__
            named[table.name] = named[table.fullname] = entity
        return named

    def preview(self) -> Preview:
        shown = [row for row in self.observed.rows if row.table not in self.tool.hidden]
        title = self.tool.title.get(self.spoken) or self.tool.title.get("en") or self.tool.name
        changes = (*(self.change(row) for row in shown), *(self.told(change) for change in self.observed.own))
        outgoing = tuple(self.outgoing())
        changes += tuple(self.rest(changes, outgoing))
        return Preview(
            tool=self.tool.name,
            title=title,
            effect=self.tool.effect,
            changes=changes,
            outgoing=outgoing,
            friction=self.friction(changes, title),
            rows=len(self.observed.rows) + len(self.observed.own),
            hidden=tuple(dict.fromkeys(self.reason(told) for told in self.tool.hidden.values())),
        )

    def reason(self, told: str | Mapping[str, str]) -> str:
        """Why a table is not shown, in the reader's language where the tool says it by language."""
        return told if isinstance(told, str) else told.get(self.spoken) or next(iter(told.values()))

    def change(self, row: RowImage) -> Change:
        entity = self.entities.get(row.table)
        label = self.observed.labels.get((entity.kind, row.id)) if entity else None
        url = None
        if entity and entity.url and not row.new_key and row.op != "delete":
            url = entity.url.replace("{id}", quote(row.id, safe=""))
        return Change(
            op=row.op,
            table=row.table,
            kind=entity.kind if entity else row.table,
            caption=entity.named(self.spoken) if entity else row.table.rpartition(".")[2].replace("_", " "),
            id=None if row.new_key else row.id,
            label=wording.visible(label)[0] if label else None,
            fields=tuple(self.fields(row, entity)),
            url=url,
        )

    def fields(self, row: RowImage, entity: Entity | None) -> Iterable[FieldChange]:
        """What changes, after what an approver must know of the record although it stays as it is."""
        if entity is not None and row.op == "update":
            yield from (self.kept(row, entity, name) for name in entity.context if self.stays(row, name))
        for name in row.after or row.before or {}:
            before, after = (row.before or {}).get(name), (row.after or {}).get(name)
            if name in row.key or (entity is not None and name == entity.tenant):
                continue
            if before == after and row.op == "update":
                continue
            assigned = row.op != "delete" and (name in row.assigned or (entity is not None and name in entity.volatile))
            if row.op != "update" and before is None and after is None and not assigned:
                continue
            yield self.field(row, entity, name, assigned)

    def stays(self, row: RowImage, name: str) -> bool:
        before, after = (row.before or {}).get(name), (row.after or {}).get(name)
        return before is not None and before == after

    def kept(self, row: RowImage, entity: Entity, name: str) -> FieldChange:
        """A column of the record's context, as it was and stays."""
        value = (row.before or {}).get(name)
        shown, odd = self.value(row, entity, name, value)
        marks = ["context", *(["personal"] if name in entity.personal else []), *(["invisible"] if odd else [])]
        return FieldChange(name, entity.caption(name, self.spoken), value, value, shown, shown, tuple(marks))

    def field(self, row: RowImage, entity: Entity | None, name: str, assigned: bool) -> FieldChange:
        before, after = (row.before or {}).get(name), (row.after or {}).get(name)
        marks: list[str] = []
        shown_before, odd_before = self.value(row, entity, name, before) if row.before is not None else (None, False)
        if assigned or self.is_new_key(row, name, after):
            shown_after: str | None = wording.word("assigned", self.spoken)
            label = None if assigned else self.reference(row, name, after)
            shown_after, odd = (wording.visible(label)[0], False) if label else (shown_after, False)
            after = None
            marks.append("assigned")
        else:
            shown_after, odd = self.value(row, entity, name, after) if row.after is not None else (None, False)
            marks += self.said_of(after)
        if entity is not None and name in entity.personal:
            marks.append("personal")
        if odd or odd_before:
            marks.append("invisible")
        caption = entity.caption(name, self.spoken) if entity else name.replace("_", " ")
        secret = name.lower() in SECRET_KEYS
        return FieldChange(
            name=name,
            caption=caption,
            before=None if secret else before,
            after=None if secret else after,
            shown_before=_WITHHELD if secret and shown_before is not None else shown_before,
            shown_after=_WITHHELD if secret and shown_after is not None else shown_after,
            marks=tuple(dict.fromkeys(marks)),
        )

    def value(self, row: RowImage, entity: Entity | None, name: str, value: Any) -> tuple[str, bool]:
        label = self.reference(row, name, value)
        if label is not None:
            return wording.visible(label)
        if entity is not None and isinstance(value, str | bool | int):
            said = entity.captions.get(f"{name}={str(value).lower() if isinstance(value, bool) else value}")
            if said:
                return said.get(self.spoken) or said.get("en") or str(value), False
        if entity is not None and name in entity.words and value is not None:
            image = row.after if (row.after or {}).get(name) == value else row.before
            return wording.visible(entity.words[name](value, image or {}, self.spoken))
        columns = entity.model.__table__.columns if entity else {}
        kind = columns[name].type if name in columns else None
        return wording.visible(wording.words(value, kind, self.actor))

    def reference(self, row: RowImage, name: str, value: Any) -> str | None:
        """The name of the record that the value points to; its bare id where it has none here."""
        entity = self.entities.get(row.references.get(name, ""))
        if entity is None or value is None:
            return None
        return self.observed.labels.get((entity.kind, str(value)))

    def is_new_key(self, row: RowImage, name: str, value: Any) -> bool:
        target = row.references.get(name)
        return any(
            other.new_key and other.table == target and other.id == str(value)
            for other in self.observed.rows
            if target is not None
        )

    def said_of(self, value: Any) -> list[str]:
        """Marks of a value that is written: who wrote it, where it was seen, what stands in it."""
        if not isinstance(value, str) or not value:
            return []
        marks = []
        if any(text == value or (len(text) >= _SHORTEST and text in value) for text in self.prose):
            marks.append("model_text")
            if addresses_in(value):
                marks.append("link")
        for kind, known, found in self.found:
            if value == known or (kind and same(kind, value, known)):
                marks += found
        return marks

    def told(self, change: Change) -> Change:
        """A change told by the tool's own preview: the host's words, made safe and marked."""
        return replace(
            change,
            caption=wording.visible(change.caption)[0],
            label=wording.visible(change.label)[0] if change.label else None,
            fields=tuple(self.told_field(field) for field in change.fields),
        )

    def told_field(self, field: FieldChange) -> FieldChange:
        before, odd_before = self._told_words(field.shown_before, field.before)
        after, odd = self._told_words(field.shown_after, field.after)
        marks = [*field.marks, *self.said_of(plain(field.after))]
        if odd or odd_before:
            marks.append("invisible")
        return replace(field, shown_before=before, shown_after=after, marks=tuple(dict.fromkeys(marks)))

    def _told_words(self, shown: str | None, value: Any) -> tuple[str | None, bool]:
        if shown is None and value is None:
            return None, False
        return wording.visible(shown if shown is not None else wording.words(plain(value), None, self.actor))

    def rest(self, changes: Sequence[Change], outgoing: Sequence[Outgoing]) -> Iterable[Change]:
        """What the model wrote that stands in nothing shown, as a text that goes to where the host does not show it."""
        fields = [*(one.fields for one in changes), *(one.fields for one in outgoing)]
        shown = [str(value) for one in chain(*fields) for value in (one.after, one.shown_after) if value is not None]
        missing = unshown(self.tool.args, self.args.model_dump(mode="json", exclude_unset=True), shown)
        if missing:
            said = tuple(self.given(path, text) for path, text in missing.items())
            yield Change("insert", "", "text", wording.word("given", self.spoken), None, None, said)

    def given(self, path: str, text: str) -> FieldChange:
        """An argument under the name that the records' columns of the same name have."""
        name = path.rpartition(".")[2]
        known = next((one for one in self.w.registry.entities.values() if name in one.captions), None)
        caption = known.caption(name, self.spoken) if known else name.replace("_", " ")
        shown, odd = wording.visible(text)
        marks = (*self.said_of(text), *(["invisible"] if odd else []))
        return FieldChange(name, caption, None, text, None, shown, tuple(dict.fromkeys(marks)))

    def outgoing(self) -> Iterable[Outgoing]:
        effects = (self.observed.effect or {}).get("outgoing", ())
        for queued, frozen in zip(self.observed.outgoing, effects, strict=True):
            channel = self.w.registry.channels[queued.channel]
            yield Outgoing(
                channel=channel.name,
                caption=_word(channel.title, self.spoken) or channel.name,
                fields=tuple(self.sent(channel, name, frozen["payload"].get(name)) for name in channel.show),
            )

    def sent(self, channel: Channel, name: str, value: Any) -> FieldChange:
        """A field of what leaves; keys and numbers that the write generates are not known yet."""
        told, assigned = wording.spelled(value, self.spoken)
        shown, odd = wording.visible(wording.words(told, None, self.actor))
        marks = self.said_of(told)
        if name == channel.destination:
            marks.append("personal")
        if assigned:
            marks.append("assigned")
        if odd:
            marks.append("invisible")
        caption = _word(channel.captions.get(name, {}), self.spoken) or name.replace("_", " ")
        return FieldChange(name, caption, None, told, None, shown, tuple(dict.fromkeys(marks)))

    def friction(self, changes: Sequence[Change], title: str) -> Friction:
        """Destructive and typed calls want the target's name in writing; unproven destinations are typed too."""
        unproven = tuple(path for path, found in self.marks.items() if "unproven" in found)
        if self.tool.effect != "destructive" and not self.tool.approve.typed:
            return Friction(None, unproven)
        return Friction(wording.typeable(self._main(changes) or title) or title, unproven)

    def _main(self, changes: Sequence[Change]) -> str | None:
        for leaf in leaves(self.tool.args, self.arguments):
            target = leaf.field.mark(Target)
            label = self.observed.labels.get((target.entity, str(leaf.value))) if target else None
            if label:
                return label
        for change in changes:
            entity = self.entities.get(change.table)
            if change.id is not None and entity is not None:
                return self.observed.labels.get((entity.kind, change.id)) or change.id
        return None


def _word(words: Mapping[str, str], spoken: str) -> str | None:
    return words.get(spoken) or words.get("en")
