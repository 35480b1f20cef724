"""What a host's exception becomes: a refusal that the model may explain, or a failure that only the log explains."""

import logging

from deputize.core.errors import DeputizeError, Unavailable
from deputize.core.logs import told
from deputize.core.tool import Refuse
from deputize.engine.wiring import Wiring
from deputize.store.outage import is_outage

log = logging.getLogger("deputize.tools")


def as_refusal(w: Wiring, error: BaseException) -> Refuse | None:
    """The host's own mapping of its errors, asked from the most special class to the most general."""
    for kind in type(error).__mro__:
        translate = w.registry.refusals.get(kind)
        if translate is not None:
            answer = translate(error)
            return answer if isinstance(answer, Refuse) else None
    return None


def as_answer(error: Exception) -> DeputizeError:
    """What a caller is told of an error that nobody expected: to come back where something is only away (API-3)."""
    away = "A service that is needed cannot be reached; try again later."
    return Unavailable(away) if is_outage(error) else DeputizeError()


def log_failure(what: str, error: BaseException) -> None:
    """Log class and frames; the message is left out, since it may quote values or statements."""
    log.error("%s failed: %s", what, told(error))


def log_alarm(what: str, why: str) -> None:
    """Log what somebody must look into; `why` is our own words, never a value."""
    log.error("%s: %s", what, why)
