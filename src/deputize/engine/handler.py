"""The one place where a tool's handler is called: `async` with a Context, `def` with a SyncContext."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from deputize.core.actor import Actor
from deputize.core.tool import Args, Context, SyncContext, Tool


async def call_handler(
    session: AsyncSession,
    tool: Tool,
    args: Args,
    *,
    actor: Actor,
    now: datetime,
    key: str,
    versions: Mapping[str, str],
) -> Any:
    """Run the handler and return its result as plain data, made while the transaction is still open."""
    if tool.is_async:
        ctx = Context(session=session, actor=actor, now=now, key=key, versions=versions)
        result = await tool.handler(ctx, args)
    else:
        result = await session.run_sync(
            lambda sync: tool.handler(SyncContext(session=sync, actor=actor, now=now, key=key, versions=versions), args)
        )
    return tool.result.model_validate(result).model_dump(mode="json")
