"""The next move, as a pure function of the request: folds the turns into a goal and takes it one step further."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from deputize.core.provider import ModelRequest
from deputize.providers.offline import targets
from deputize.providers.offline.answer import answered
from deputize.providers.offline.fill import fill
from deputize.providers.offline.goals import State, understand
from deputize.providers.offline.history import Made, Turn, turns
from deputize.providers.offline.intent import sentences_of
from deputize.providers.offline.moves import Call, Filled, Goal, Move, Next, Say, Work
from deputize.providers.offline.phrases import say
from deputize.providers.offline.recipe import recipe
from deputize.providers.offline.schema import typed
from deputize.providers.offline.speech import language_of, parse

_READ_FIRST = re.compile(r"read.?first", re.IGNORECASE)
_MOST_CALLS = 7


def plan(request: ModelRequest) -> Move:
    """What to do next: one call or the closing words. Same request, same move."""
    sentences = sentences_of(request.tools)
    zone = _zone(request.situation.time_zone)
    now = _now(request.situation.now, zone)
    spoken = turns(request.messages)
    language = "es" if request.situation.locale.lower().startswith("es") else "en"
    state = State()
    move: Move = Say("")
    for at, turn in enumerate(spoken):
        language = language_of(turn.text, language)
        work = Work(sentences, now, zone, language, _screen(request.situation.screen), turn, spoken[:at])
        state, move = _turn(state, turn, work)
    return move


def _zone(name: str) -> Any:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return UTC


def _now(text: str, zone: Any) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return moment.astimezone(zone).replace(tzinfo=None) if moment.tzinfo else moment


def _screen(screen: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    entities = screen.get("entities", ())
    return tuple(e for e in entities if isinstance(e, Mapping)) if isinstance(entities, list | tuple) else ()


def _turn(state: State, turn: Turn, work: Work) -> tuple[State, Move]:
    if state.ask is None and (goals := recipe(work)):
        return _one_by_one(goals, work)
    speech = parse(turn.text, work.now, work.language, work.sentences.vocabulary)
    goal = understand(state, speech, work)
    if isinstance(goal, Say):
        return State(), goal
    move = advance(work, goal)
    return State(goal, move.ask if isinstance(move, Say) else None), move


def _one_by_one(goals: Sequence[Goal], work: Work) -> tuple[State, Move]:
    """Each wish in turn, its answer under its own sentence; a question ends the message there."""
    told: list[str] = []
    state = State()
    for goal in goals:
        move = advance(work, goal)
        if not isinstance(move, Say):
            return State(goal), move
        told.append(f"### {goal.first.text.strip()}\n\n{move.text}")
        state = State(goal, move.ask)
        if move.ask is not None:
            break
    return state, Say("\n\n".join(told), state.ask)


def advance(work: Work, goal: Goal) -> Move:
    """One step towards the goal, given the calls already made in this turn."""
    try:
        return _step(work, goal)
    except Next as step:
        if isinstance(step.move, Call) and len(work.turn.calls) >= _MOST_CALLS:
            return Say(say("failed", work.language))
        return step.move


def _step(work: Work, goal: Goal) -> Move:
    own = [c for c in work.turn.calls if c.tool == goal.tool.name]
    if goal.tool.effect != "read" and own:
        return _after_write(work, goal, own)
    filled = fill(work, goal)
    args = typed(goal.tool, filled.args)
    made = work.made(goal.tool, args)
    if made is None and len(own) >= 3:
        made = own[-1]
    if made is None:
        return Call(goal.tool.name, args)
    if made.answer is None:
        return Say("")
    return _read_answer(work, goal, made, filled)


def _read_answer(work: Work, goal: Goal, made: Made, filled: Filled) -> Say:
    assert made.answer is not None  # asked by the caller
    narrowing = [n for n in filled.names if n.rank <= 5]
    return answered(goal, made.answer, work, narrowing, filled.when)


def _after_write(work: Work, goal: Goal, own: list[Made]) -> Move:
    """The write was made: read its target again and repeat it where that was all that lacked, else close."""
    last = own[-1]
    if last.answer is None:
        return Say("")
    if not last.answer.ok and _READ_FIRST.search(last.answer.code) and len(own) == 1:
        return _read_first(work, goal, last)
    return answered(goal, last.answer, work)


def _read_first(work: Work, goal: Goal, last: Made) -> Move:
    for arg in targets.needs(goal):
        if arg.name in last.args:
            targets.refreshed(work, goal, arg, str(last.args[arg.name]))
    return Call(last.tool, last.args)
