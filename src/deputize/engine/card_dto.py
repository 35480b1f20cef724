"""The card on the wire, whole or cut to what a stream should carry (APPR-1)."""

from collections.abc import Iterable
from dataclasses import dataclass

from deputize.core.event import ChangeDto, FieldChangeDto, FrictionDto, OutgoingDto, PreviewDto
from deputize.core.preview import Change, FieldChange, Outgoing, Preview


def to_dto(preview: Preview, limit: int | None) -> PreviewDto:
    """The card on the wire; beyond `limit` characters the rest is left out and it is `cut` (None gives it whole).

    A cut card names what must still be fetched before it can be approved; its friction is always whole.
    """
    room = _Room(limit)
    changes = [made for change in preview.changes if (made := room.change(change)) is not None]
    outgoing = [sent for item in preview.outgoing if (sent := room.outgoing(item)) is not None]
    return PreviewDto(
        title=preview.title,
        effect=preview.effect,
        changes=changes,
        outgoing=outgoing,
        friction=FrictionDto(confirm=preview.friction.confirm, destinations=list(preview.friction.destinations)),
        rows=preview.rows,
        hidden=list(preview.hidden),
        cut=room.cut,
    )


@dataclass(slots=True)
class _Room:
    left: int | None
    cut: bool = False

    def change(self, change: Change) -> ChangeDto | None:
        if not self.take(change.caption, change.label, change.url, change.id):
            return None
        return ChangeDto(
            op=change.op,
            kind=change.kind,
            caption=change.caption,
            id=change.id,
            label=change.label,
            url=change.url,
            fields=self.fields(change.fields),
        )

    def outgoing(self, item: Outgoing) -> OutgoingDto | None:
        if not self.take(item.channel, item.caption):
            return None
        return OutgoingDto(channel=item.channel, caption=item.caption, fields=self.fields(item.fields))

    def fields(self, fields: Iterable[FieldChange]) -> list[FieldChangeDto]:
        return [
            FieldChangeDto(
                name=field.name,
                caption=field.caption,
                before=self.piece(field.shown_before),
                after=self.piece(field.shown_after),
                marks=list(field.marks),
            )
            for field in fields
            if self.take(field.name, field.caption, *field.marks)
        ]

    def take(self, *texts: str | None) -> bool:
        """True while there is room; then everything that follows is left out."""
        if self.left is None:
            return True
        if self.left <= 0:
            self.cut = True
            return False
        self.left -= sum(len(text) for text in texts if text)
        return True

    def piece(self, text: str | None) -> str | None:
        if text is None or self.left is None:
            return text
        room = max(self.left, 0)
        self.left -= len(text)
        if len(text) <= room:
            return text
        self.cut = True
        return text[:room] + "…"
