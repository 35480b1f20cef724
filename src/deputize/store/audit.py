"""The one writer of the chain: appends entries as the last statements of a transaction (AUD-1)."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.chain import Draft


async def append(conn: AsyncConnection, tenant: str, drafts: Sequence[Draft], now: datetime) -> None:
    """Link `drafts` to the tenant's chain: lock the head row, insert, move the head."""
    raise NotImplementedError
