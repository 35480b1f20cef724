"""Understands a sentence in its conversation: an answer, a follow-up, a new wish, or only small talk."""

import re
from dataclasses import dataclass, replace
from datetime import datetime

from deputize.providers.offline import records
from deputize.providers.offline.intent import Choice, choose
from deputize.providers.offline.moves import Ask, Goal, Say, Work
from deputize.providers.offline.phrases import say
from deputize.providers.offline.records import Record
from deputize.providers.offline.speech import Speech
from deputize.providers.offline.times import When, number
from deputize.providers.offline.words import digits, fold, squash, stem

_NO_TEXT = (
    "no|nada|dejalo|olvidalo|ninguno|ninguna|ningun|cancela|cancelar|never mind|nevermind|forget it|"
    "nothing|stop|none|cancel|dejalo estar|no gracias|no thanks|leave it|da igual|mejor no|para"
)
_NO = frozenset(_NO_TEXT.split("|"))
_HELLO_TEXT = "hola|hello|hi|hey|buenas|buenos dias|buenas tardes|good morning|good afternoon"
_HELLO = frozenset(_HELLO_TEXT.split("|"))
_THANKS_TEXT = "gracias|muchas gracias|thanks|thank you|vale gracias|ok gracias|perfecto gracias|ok|vale"
_THANKS = frozenset(_THANKS_TEXT.split("|"))
_ME = re.compile(
    r"\b(quien|que) eres\b|\beres (una?|el) (ia|robot|persona|maquina|modelo)|who are you|what are you"
    r"|are you (an? )?(ai|robot|bot|human|language model|real)|que (puedes|sabes) hacer|what can you do|^(ayuda|help)$"
)
_ORDINALS = {
    "primera": 1, "primero": 1, "primer": 1, "first": 1, "segunda": 2, "segundo": 2, "second": 2, "tercera": 3,
    "tercero": 3, "third": 3, "cuarta": 4, "cuarto": 4, "fourth": 4, "quinta": 5, "quinto": 5, "fifth": 5,
    "ultima": -1, "ultimo": -1, "last": -1,
}  # fmt: skip
_FOLLOWS = re.compile(r"^\W*(y|e|o|and|or|what about|how about|mejor|better|rather|entonces|then|instead)\b")


@dataclass(frozen=True, slots=True)
class State:
    """Where the conversation stands after a turn: the last goal, and the question it waits on."""

    goal: Goal | None = None
    ask: Ask | None = None


def understand(state: State, speech: Speech, work: Work) -> Goal | Say:
    """The goal that the sentence sets or goes on with, or the words to say where there is none."""
    bare = re.sub(r"[^\w ]", "", fold(speech.text)).strip()
    small = _small_talk(bare, state, work)
    if small is not None:
        return small
    choice = choose(speech, work.sentences)
    if state.goal is not None and state.ask is not None:
        if bare in _NO:
            return Say(say("dropped", work.language))
        if not _changes_subject(state.ask, speech, choice):
            return _answered(state.goal, state.ask, speech, work)
    if choice is not None and not (state.goal is not None and _elliptic(speech, choice)):
        return Goal(choice.tool, (speech,))
    if state.goal is not None and _follows(speech, state.goal):
        return _carried(state.goal, speech)
    if choice is not None:
        return Goal(choice.tool, (speech,))
    return Say(f"{say('unclear', work.language)} {can_do(work)}")


def _small_talk(bare: str, state: State, work: Work) -> Say | None:
    if _ME.search(bare):
        return Say(f"{say('me', work.language)}\n\n{can_do(work)}")
    if bare in _HELLO:
        return Say(f"{say('hello', work.language)} {can_do(work)}")
    if bare in _THANKS and state.ask is None:
        return Say(say("thanks", work.language))
    return None


def can_do(work: Work) -> str:
    """One declared sentence of each offered tool, as a list."""
    found = []
    for tool in work.tools:
        sentences = tool.examples.get(work.language) or next(iter(tool.examples.values()), ())
        if sentences:
            found.append(f"- {sentences[0]}")
    return "\n".join([say("can_do", work.language), "", *found[:8]])


def _changes_subject(ask: Ask, speech: Speech, choice: Choice | None) -> bool:
    """A whole new wish instead of an answer: it names an action and fits a tool well."""
    acts = any(c[0] == "@" for c in speech.concepts)
    if choice is None or (ask.among and picked(ask, speech) is not None):
        return False
    if ask.sort == "value" and ask.arg is not None and ask.arg.role in ("string", "text"):
        return acts and choice.score >= 0.8
    return (acts and choice.score >= 0.55) or choice.score >= 0.85


def _answered(goal: Goal, ask: Ask, speech: Speech, work: Work) -> Goal:
    if ask.sort == "target" and ask.arg is not None and ask.among:
        record = picked(ask, speech)
        if record is not None:
            return replace(goal, bound={**goal.bound, ask.arg.name: record.id})
        if speech.whens and not speech.names:
            ask = Ask("day", ask.arg)
    elif ask.sort == "target" and speech.whens and not speech.names:
        ask = Ask("day", ask.arg)
    if ask.sort == "when" and ask.times and not any(w.at for w in speech.whens):
        moment = _offered(ask, speech)
        if moment is not None:
            speech = replace(speech, whens=(When(0, 0, day=moment.date(), at=moment.time()),))
    if ask.arg is not None and ask.arg.role == "enum":
        position = ordinal(speech)
        if position is not None and 0 < position <= len(ask.arg.choices):
            return replace(goal, bound={**goal.bound, ask.arg.name: ask.arg.choices[position - 1]})
    extra = (*goal.said, speech) if ask.sort == "when" and speech.minutes else goal.said
    return replace(goal, said=extra, answers=(*goal.answers, (ask, speech)))


def _offered(ask: Ask, speech: Speech) -> datetime | None:
    position = ordinal(speech)
    if position is None and re.search(r"\b(si|vale|ok|yes|sure|esa|ese|that one)\b", fold(speech.text)):
        position = 1
    if position is None or not -1 <= position <= len(ask.times) or position == 0:
        return None
    return ask.times[position - 1 if position > 0 else -1]


def ordinal(speech: Speech) -> int | None:
    """The place in a list that the sentence names: `la segunda`, `the last one`, `2`."""
    for word in speech.words:
        if word.fold in _ORDINALS:
            return _ORDINALS[word.fold]
    only = [w for w in speech.words if w.fold not in ("la", "el", "the", "number", "numero", "one", "opcion", "option")]
    if len(only) == 1 and only[0].sort in ("number", "word") and len(only[0].text) <= 6:
        return number(only[0].fold)
    return None


def picked(ask: Ask, speech: Speech) -> Record | None:
    """The one record among those offered that the answer means, or None."""
    position = ordinal(speech)
    if position is not None and position <= len(ask.among) and position != 0:
        return ask.among[position - 1 if position > 0 else -1]
    hours = {w.at for w in speech.whens if w.at}
    if hours:
        fit = [r for r in ask.among if any(_hour(v) in hours for v in records.strings(r.data))]
        if len(fit) == 1:
            return fit[0]
    scores = [(_score(r, speech), r) for r in ask.among]
    best = max((s for s, _ in scores), default=0)
    fit = [r for s, r in scores if s == best]
    return fit[0] if best and len(fit) == 1 else None


def _hour(value: str) -> object:
    moment = records.moment(value)
    return moment.time().replace(tzinfo=None) if isinstance(moment, datetime) else None


def _score(record: Record, speech: Speech) -> int:
    """How many of the answer's words, numbers, days and placeholders the record holds."""
    hay = [*records.strings(record.data), record.id]
    have = {stem(w) for v in hay for w in squash(v).split()}
    days = {w.day.isoformat() for w in speech.whens if w.day}
    score = sum(any(v.startswith(day) for v in hay) for day in days)
    for word in speech.words:
        if word.sort == "word" and len(word.fold) > 2:
            score += word.stem in have
        elif word.sort == "token":
            score += 2 * any(word.text in v for v in hay)
        elif word.sort == "number" and len(digits(word.text)) >= 2:
            score += 2 * any(digits(word.text) in digits(v) for v in hay)
    return score


def _elliptic(speech: Speech, choice: Choice) -> bool:
    """`¿y el viernes?`: no action, no thing, only another time or name."""
    named = {c for c in speech.concepts if c[0] in "@#" and c not in ("#date", "#agenda")}
    return bool(_FOLLOWS.match(fold(speech.text))) and not named


def _follows(speech: Speech, goal: Goal) -> bool:
    """The sentence can only be a change to what was asked before."""
    if not (speech.whens or any(n.rank <= 6 for n in speech.names)) or len(speech.words) > 9:
        return False
    leads = bool(_FOLLOWS.match(fold(speech.text)))
    return leads or (goal.tool.effect == "read" and not any(c[0] == "@" for c in speech.concepts))


def _carried(goal: Goal, speech: Speech) -> Goal:
    """The former goal with the new sentence's time put over the old one; new names replace the old."""
    bound = {} if speech.names else goal.bound
    ask = Ask("when")
    return replace(
        goal, said=(*goal.said, replace(speech, whens=())), bound=bound, answers=(*goal.answers, (ask, speech))
    )
