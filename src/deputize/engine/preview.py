"""The one watched run of a tool's handler: the same for the dry run and for the execution (APPR-1, APPR-4)."""

from collections.abc import Mapping
from datetime import datetime

from deputize.core.actor import Actor
from deputize.core.effect import Observed
from deputize.core.tool import Args, Tool
from deputize.engine.wiring import Wiring
from deputize.store.session import Tx


async def observe(
    w: Wiring, tx: Tx, actor: Actor, tool: Tool, args: Args, *, now: datetime, key: str, versions: Mapping[str, str]
) -> Observed:
    """Run the handler once inside a savepoint of `tx`; the caller commits or rolls back the transaction."""
    raise NotImplementedError
