"""The meeting point of runs and their readers within one process; the record remains the truth."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from deputize.engine.agenda import Agenda
from deputize.engine.mailbox import Mailbox

T = TypeVar("T")


@dataclass(slots=True)
class Channelled:
    """One thing shown: an event, its durable id (None for text), and nothing else."""

    event: Any
    seq: int | None


@dataclass(slots=True)
class Topic:
    """A live run in this process: its readers, and the text of the message under way."""

    readers: set[Mailbox[Channelled]] = field(default_factory=set)
    message_id: str = ""
    text: str = ""
    written: int = 0
    """Characters of `text` that stand in the record."""


class Hub:
    """Readers subscribe to a run by id; the driver publishes after the record is written (RUN-7)."""

    def __init__(self) -> None:
        self.topics: dict[str, Topic] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        """The task that drives each live run of this process."""
        self.streams: dict[str, asyncio.Task[None]] = {}
        """The model stream under way in each; the only thing that a cancellation cuts."""
        self.veils: dict[str, Any] = {}
        """The veil of each run driven here; nobody else adds to its vault meanwhile."""
        self.said: dict[str, Any] = {}
        """What each conversation had said before the run that is driven here."""
        self.held: set[str] = set()
        """Outbox rows that this process is working on; their leases are renewed, no others."""
        self.agenda = Agenda()
        """What the worker of this process saw to be due."""
        self.passes: set[str] = set()
        """Runs of automations that this process is making."""
        self.deeds: set[asyncio.Task[Any]] = set()
        """Decisions and queries of readers under way; whoever asked may go, what was begun is finished (RUN-9)."""

    def driven(self) -> set[str]:
        """Runs under way here, of people and of automations; their leases are renewed, no others."""
        return {*self.tasks, *self.passes}

    async def finished(self, deed: Coroutine[Any, Any, T]) -> T:
        """See `deed` through in a task of its own, even where the caller is cancelled meanwhile."""
        task = asyncio.create_task(deed)
        self.deeds.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self.deeds.discard(task)
        if not task.cancelled():
            task.exception()  # its caller has it, or has gone

    def topic(self, run_id: str) -> Topic:
        """The run's topic, made at first use."""
        return self.topics.setdefault(run_id, Topic())

    def release(self, run_id: str) -> None:
        """The run is no longer driven here; its topic goes unless somebody still reads it."""
        self.tasks.pop(run_id, None)
        self.veils.pop(run_id, None)
        self.said.pop(run_id, None)
        topic = self.topics.get(run_id)
        if topic is not None and not topic.readers:
            del self.topics[run_id]

    def interrupt(self, run_id: str) -> None:
        """Cut the run's model stream, if one is under way; nothing else is ever cut (RUN-9)."""
        stream = self.streams.get(run_id)
        if stream is not None:
            stream.cancel()

    def subscribe(self, run_id: str) -> Mailbox[Channelled]:
        """A queue that receives everything published from now on."""
        queue: Mailbox[Channelled] = Mailbox()
        self.topic(run_id).readers.add(queue)
        return queue

    def unsubscribe(self, run_id: str, queue: Mailbox[Channelled]) -> None:
        """Forget the reader; the topic goes with its last reader when nobody drives the run."""
        topic = self.topics.get(run_id)
        if topic is None:
            return
        topic.readers.discard(queue)
        if not topic.readers and run_id not in self.tasks:
            del self.topics[run_id]

    def read_here(self, run_id: str) -> bool:
        """Whether somebody reads the run in this process."""
        topic = self.topics.get(run_id)
        return topic is not None and bool(topic.readers)

    def publish(self, run_id: str, event: Any, seq: int | None) -> None:
        """Hand the event to every reader of the run in this process."""
        topic = self.topics.get(run_id)
        for queue in topic.readers if topic else ():
            queue.put(Channelled(event, seq))
