"""Checkpoints on schedule: every so many entries, and at least once a minute while there is something new (AUD-4)."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from deputize.core.checkpoint import BadNote
from deputize.engine.failures import log_alarm, log_failure
from deputize.engine.wiring import Wiring
from deputize.store import audit_read
from deputize.store.checkpoints import EVERY_ENTRIES, EVERY_SECONDS, ForkRefused


@dataclass(slots=True)
class Schedule:
    """When this process last looked after each tenant's chain, whether there was anything to sign or not."""

    seen: dict[str, datetime] = field(default_factory=dict)


async def checkpoint_due(w: Wiring, schedule: Schedule) -> int:
    """Sign what is due; the number of checkpoints signed. Nothing where the deployment has no key.

    A chain that does not continue what was signed is never signed over: that is said as an error in the log,
    once a minute, and the other tenants' chains go on.
    """
    if w.checkpoints is None:
        return 0
    signed, now = 0, w.clock.now()
    async with w.db.read() as conn:
        for tenant in await audit_read.tenants(conn):
            last = schedule.seen.get(tenant)
            due = last is None or now - last >= timedelta(seconds=EVERY_SECONDS)
            try:
                note = await w.checkpoints.write(conn, tenant, at_least=1 if due else EVERY_ENTRIES)
            except (ForkRefused, BadNote) as fault:
                if due:
                    log_alarm("a chain was not signed", str(fault))
                note = None
            except OSError as error:
                log_failure("signing a checkpoint", error)
                note = None
            if due or note is not None:
                schedule.seen[tenant] = now
            signed += note is not None
    return signed
