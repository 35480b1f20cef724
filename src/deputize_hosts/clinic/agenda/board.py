"""The day's board: columns of appointments and free time, as the page draws them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from deputize_hosts.clinic.agenda.models import Cabinet
from deputize_hosts.clinic.agenda.reading import Booking
from deputize_hosts.clinic.agenda.status import FREES_TIME, Status
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.clock import InZone, to_local
from deputize_hosts.clinic.schedules.hours import Range, subtract

SHORTEST = 15
"""Minutes; a shorter gap is not offered."""


@dataclass(frozen=True, slots=True)
class Block:
    """One thing in a column: an appointment, or free time if `booking` is None. Minutes of the local day."""

    start: int
    end: int
    booking: Booking | None = None
    lane: int = 0
    lanes: int = 1
    past: bool = False

    @property
    def clock(self) -> str:
        """`10:30`."""
        return f"{self.start // 60:02d}:{self.start % 60:02d}"

    @property
    def until(self) -> str:
        """`11:00`."""
        return f"{self.end // 60:02d}:{self.end % 60:02d}"


@dataclass(frozen=True, slots=True)
class Column:
    """A professional or a cabinet on that day; `open` are its hours."""

    id: UUID | None
    name: str
    detail: str
    open: tuple[Range, ...]
    blocks: tuple[Block, ...]
    booked: int


@dataclass(frozen=True, slots=True)
class Board:
    """The whole day from `first` to `last` minute; `ended` are cancelled and missed appointments."""

    columns: tuple[Column, ...]
    first: int
    last: int
    ended: tuple[Booking, ...] = ()
    hours: tuple[int, ...] = field(default=())


def minute_of(actor: InZone, on: date, moment: datetime) -> int:
    """Wall-clock minutes since midnight of the day, cut at its ends."""
    local = to_local(actor, moment)
    if local.date() != on:
        return 0 if local.date() < on else 1440
    return local.hour * 60 + local.minute


def _lanes(blocks: Sequence[Block]) -> list[Block]:
    """Side by side where they overlap (only appointments without a cabinet can)."""
    placed: list[Block] = []
    group: list[Block] = []
    ends: list[int] = []

    def close() -> None:
        placed.extend(Block(b.start, b.end, b.booking, b.lane, len(ends), b.past) for b in group)
        group.clear()
        ends.clear()

    for block in sorted(blocks, key=lambda b: (b.start, b.end)):
        if ends and block.start >= max(ends):
            close()
        lane = next((n for n, end in enumerate(ends) if end <= block.start), len(ends))
        ends[lane : lane + 1] = [block.end]
        group.append(Block(block.start, block.end, block.booking, lane, 1, block.past))
    close()
    return placed


def column(
    actor: InZone,
    on: date,
    now: datetime,
    owner: tuple[UUID | None, str, str],
    open_: Sequence[Range],
    bookings: Iterable[Booking],
    *,
    gaps: bool,
) -> Column:
    """One column; `gaps` adds the free time that is not past."""
    blocks = []
    for booking in bookings:
        start, end = (minute_of(actor, on, m) for m in (booking.appointment.starts_at, booking.appointment.ends_at))
        blocks.append(Block(start, end, booking, past=booking.appointment.ends_at <= now))
    free = []
    if gaps:
        local = to_local(actor, now)
        since = 0 if on > local.date() else 1440 if on < local.date() else local.hour * 60 + local.minute
        since = -(-since // 5) * 5
        for start, end in subtract(subtract(open_, [(0, since)]), [(b.start, b.end) for b in blocks]):
            if end - start >= SHORTEST:
                free.append(Block(start, end))
    everything = sorted([*_lanes(blocks), *free], key=lambda b: (b.start, b.lane))
    return Column(*owner, tuple(open_), tuple(everything), len(blocks))


def board(columns: Sequence[Column], ended: Sequence[Booking]) -> Board:
    """The columns with the span of hours that shows them all."""
    edges = [m for c in columns for a, b in c.open for m in (a, b)]
    edges += [m for c in columns for block in c.blocks for m in (block.start, block.end)]
    first, last = (min(edges) // 60 * 60, -(-max(edges) // 60) * 60) if edges else (9 * 60, 18 * 60)
    return Board(tuple(columns), first, last, tuple(ended), tuple(range(first // 60, last // 60)))


def split(bookings: Iterable[Booking]) -> tuple[list[Booking], list[Booking]]:
    """Those that take time, and those that have freed it."""
    taking: list[Booking] = []
    ended: list[Booking] = []
    for booking in bookings:
        (ended if Status(booking.appointment.status) in FREES_TIME else taking).append(booking)
    return taking, ended


def by_professional(
    people: Sequence[Membership], bookings: Sequence[Booking]
) -> list[tuple[Membership, list[Booking]]]:
    """Each professional with theirs; somebody who has left still shows while they have appointments."""
    gone = {b.professional.id: b.professional for b in bookings if b.professional.id not in {p.id for p in people}}
    return [(p, [b for b in bookings if b.professional.id == p.id]) for p in [*people, *gone.values()]]


def by_cabinet(rooms: Sequence[Cabinet], bookings: Sequence[Booking]) -> list[tuple[Cabinet | None, list[Booking]]]:
    """Each cabinet with its own, then those without one if there are any."""
    named: list[tuple[Cabinet | None, list[Booking]]] = [
        (room, [b for b in bookings if b.appointment.cabinet_id == room.id]) for room in rooms
    ]
    known = {room.id for room in rooms}
    rest = [b for b in bookings if b.appointment.cabinet_id not in known]
    return [*named, (None, rest)] if rest else named
