"""The planner's vocabulary: what is wanted, what was asked back, and the next move."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from deputize.core.provider import ToolSchema
from deputize.providers.offline.history import Answer, Made, Turn
from deputize.providers.offline.intent import Sentences
from deputize.providers.offline.names import Name
from deputize.providers.offline.records import Record
from deputize.providers.offline.schema import Arg, typed
from deputize.providers.offline.speech import Span, Speech
from deputize.providers.offline.times import When


@dataclass(frozen=True, slots=True)
class Ask:
    """A question that ends a turn. `sort` is `target`, `day` (of a record sought), `when` or `value`.

    `among` are the records to pick from, `times` the moments offered.
    """

    sort: str
    arg: Arg | None = None
    among: tuple[Record, ...] = ()
    times: tuple[datetime, ...] = ()


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing the user wants done: the tool, the sentences that say how, the answers given to questions.

    `answers` pairs each question with the sentence that answered it; `bound` holds settled arguments.
    """

    tool: ToolSchema
    said: tuple[Speech, ...]
    answers: tuple[tuple[Ask, Speech], ...] = ()
    bound: Mapping[str, Any] = field(default_factory=dict)

    @property
    def first(self) -> Speech:
        return self.said[0]


@dataclass(frozen=True, slots=True)
class Say:
    """Answer with `text`; `ask` is set where it is a question that the goal waits for."""

    text: str
    ask: Ask | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """Ask for one tool call."""

    tool: str
    args: Mapping[str, Any]


Move = Say | Call


class Next(Exception):
    """Carries the next move out of the depth of the planning; not an error."""

    def __init__(self, move: Move) -> None:
        super().__init__()
        self.move = move


@dataclass(frozen=True, slots=True)
class Work:
    """What one step is planned from: the tools, the clock, the screen, and the turns up to now."""

    sentences: Sentences
    now: datetime
    zone: Any
    language: str
    screen: Sequence[Mapping[str, Any]]
    turn: Turn
    before: tuple[Turn, ...]

    @property
    def tools(self) -> Sequence[ToolSchema]:
        return self.sentences.tools

    def tool(self, name: str) -> ToolSchema | None:
        return next((t for t in self.tools if t.name == name), None)

    def made(self, tool: ToolSchema, args: Mapping[str, Any]) -> Made | None:
        """The newest call of this turn with these arguments."""
        return next((c for c in reversed(self.turn.calls) if c.tool == tool.name and dict(c.args) == dict(args)), None)

    def read(self, tool: ToolSchema, args: Mapping[str, Any]) -> Answer:
        """The answer of that read in this turn; raises Next with the call if it has not been made."""
        args = typed(tool, args)
        made = self.made(tool, args)
        if made is None:
            same = [c for c in self.turn.calls if c.tool == tool.name]
            if len(same) < 3:
                raise Next(Call(tool.name, args))
            made = same[-1]
        return made.answer or Answer("failed")

    def local(self, moment: datetime | date) -> datetime:
        """Naive local time of a moment from a result."""
        if not isinstance(moment, datetime):
            return datetime(moment.year, moment.month, moment.day)
        return moment.astimezone(self.zone).replace(tzinfo=None) if moment.tzinfo else moment


@dataclass(slots=True)
class Filled:
    """The arguments so far; `used` are the places of the first sentence that some argument took."""

    args: dict[str, Any] = field(default_factory=dict)
    used: list[Span] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    """Names that no argument took."""
    when: When | None = None
    """The time as said, for narrowing a read's rows."""
