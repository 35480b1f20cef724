"""The entity model: loaded beside the start, so that nobody waits for it; detection is on once it is there (RED-6)."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from deputize.redaction.entities import EntityDetector

log = logging.getLogger("deputize.redaction")


@dataclass(slots=True)
class Detection:
    """The detectors that are ready; `load` makes the one that takes its time, or raises ImportError."""

    ready: tuple[EntityDetector, ...] = ()
    load: Callable[[], EntityDetector] | None = None
    failed: bool = field(default=False)

    @classmethod
    def of(cls, detectors: Sequence[EntityDetector]) -> "Detection":
        """Detectors that need no loading."""
        return cls(tuple(detectors))

    async def start(self) -> None:
        """Load in a thread; where that fails, tools that return prose stay withheld, and the log says why."""
        if self.load is None or self.ready:
            return
        try:
            self.ready = (await asyncio.to_thread(self.load),)
        except ImportError:
            log.info("the entity model is not installed: tools that return prose are withheld")
        except Exception:
            self.failed = True
            log.exception("the entity model could not be loaded: tools that return prose are withheld")
