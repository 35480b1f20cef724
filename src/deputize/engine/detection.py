"""The entity model: loaded beside the start and asked beside the loop; detection is on once it is there (RED-6)."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from deputize.core.errors import DetectionFailed
from deputize.core.logs import told
from deputize.redaction.entities import EntityDetector, Remembering

log = logging.getLogger("deputize.redaction")

PATIENCE = 20.0
"""Seconds that one reading may take; what is not read by then is not sent (RED-6)."""


@dataclass(slots=True)
class Detection:
    """The detectors that are ready; `load` makes the one that takes its time, or raises ImportError."""

    ready: tuple[Remembering, ...] = ()
    load: Callable[[], EntityDetector] | None = None
    failed: bool = field(default=False)
    patience: float = PATIENCE

    @classmethod
    def of(cls, detectors: Sequence[EntityDetector]) -> "Detection":
        """Detectors that need no loading."""
        return cls(tuple(Remembering(one) for one in detectors))

    async def start(self) -> None:
        """Load in a thread; where that fails, tools that return prose stay withheld, and the log says why."""
        if self.load is None or self.ready:
            return
        try:
            self.ready = (Remembering(await asyncio.to_thread(self.load)),)
        except ImportError:
            log.info("the entity model is not installed: tools that return prose are withheld")
        except Exception as error:
            self.failed = True
            log.error("the entity model could not be loaded, tools that return prose are withheld: %s", told(error))

    async def read(self, texts: Sequence[str]) -> None:
        """Have texts read in a thread, so that nobody else waits; what was found is remembered for the redactor.

        Raises DetectionFailed where a detector raises or takes longer than `patience` seconds for all of them.
        """
        unread = [(one, text) for one in self.ready for text in texts if not one.knows(text)]
        if not unread:
            return
        try:
            async with asyncio.timeout(self.patience):
                await asyncio.to_thread(_read, unread)
        except TimeoutError:
            raise DetectionFailed from None


def _read(unread: Sequence[tuple[Remembering, str]]) -> None:
    for detector, text in unread:
        detector.find(text, "en")
