"""Rows of credentials: the password's hash and the lockout, apart from the users so that no result can carry them."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from deputize_hosts.workorders.rows import Base


class Credential(Base):
    """How one user signs in. After too many failures in a row nothing is accepted until `locked_until`."""

    __tablename__ = "credentials"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    password_hash: Mapped[str] = mapped_column(String(255))
    failed_logins: Mapped[int] = mapped_column(default=0)
    locked_until: Mapped[datetime | None]
