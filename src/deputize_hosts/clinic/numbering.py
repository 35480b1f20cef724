"""Gapless numbers: one counter row for each clinic, series and year, taken with the document's own commit."""

from uuid import UUID

from sqlalchemy import ForeignKey, String, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base


class Counter(Base):
    """`last` is the number that was given out last; the row is locked until the document commits."""

    __tablename__ = "number_counters"

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"), primary_key=True)
    series: Mapped[str] = mapped_column(String(12), primary_key=True)
    year: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    last: Mapped[int]


async def next_number(session: AsyncSession, clinic: UUID, series: str, year: int) -> int:
    """The next number, from 1; a rollback gives it back, so that none is ever missing."""
    own = (Counter.clinic_id == clinic, Counter.series == series, Counter.year == year)
    if await session.scalar(select(Counter.last).where(*own)) is None:
        try:
            async with session.begin_nested():
                session.add(Counter(clinic_id=clinic, series=series, year=year, last=0))
        except IntegrityError:
            pass  # somebody else opened the series in the meantime: their row is the one
    taken = await session.scalar(
        update(Counter)
        .where(*own)
        .values(last=Counter.last + 1)
        .returning(Counter.last)
        .execution_options(synchronize_session=False)
    )
    assert taken is not None  # the row was just made or found
    return taken
