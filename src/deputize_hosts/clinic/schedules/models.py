"""Rows of weekly hours and exceptions, of the clinic (no professional) and of each professional."""

from datetime import date
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.clinic.rows import Base, Keyed, Stamped


class WeeklyHours(Keyed, Base):
    """One open range of one weekday (0 is Monday); minutes since local midnight, 0 to 1440."""

    __tablename__ = "weekly_hours"
    __table_args__ = (
        CheckConstraint("closes > opens AND opens >= 0 AND closes <= 1440", name="range"),
        CheckConstraint("weekday >= 0 AND weekday <= 6", name="weekday"),
        Index("ix_weekly_hours_owner", "clinic_id", "professional_id"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    professional_id: Mapped[UUID | None] = mapped_column(ForeignKey("memberships.id"))
    weekday: Mapped[int]
    opens: Mapped[int]
    closes: Mapped[int]


class Override(Keyed, Stamped, Base):
    """An exception from `first_day` to `last_day`, both included: closed, or with hours of its own."""

    __tablename__ = "schedule_overrides"
    __table_args__ = (
        CheckConstraint("last_day >= first_day", name="days"),
        Index("ix_schedule_overrides_owner", "clinic_id", "professional_id", "last_day"),
    )

    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    professional_id: Mapped[UUID | None] = mapped_column(ForeignKey("memberships.id"))
    first_day: Mapped[date]
    last_day: Mapped[date]
    closed: Mapped[bool] = mapped_column(default=True)
    reason: Mapped[str] = mapped_column(String(120), default="")


class OverrideHours(Keyed, Base):
    """One open range of an exception with hours of its own."""

    __tablename__ = "schedule_override_hours"
    __table_args__ = (CheckConstraint("closes > opens AND opens >= 0 AND closes <= 1440", name="range"),)

    override_id: Mapped[UUID] = mapped_column(ForeignKey("schedule_overrides.id", ondelete="CASCADE"), index=True)
    clinic_id: Mapped[UUID] = mapped_column(ForeignKey("clinics.id"))
    opens: Mapped[int]
    closes: Mapped[int]
