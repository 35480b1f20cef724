"""Chooses the tool whose declared sentences are nearest to what the user said; below a threshold, none."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from deputize.core.provider import ToolSchema
from deputize.providers.offline.lexicon import is_function, named_by, near, nearest
from deputize.providers.offline.schema import args_of
from deputize.providers.offline.speech import Speech, head, overlaps, parse
from deputize.providers.offline.words import digits, stem, words

READ_FROM = 0.34
"""A read is offered from this score on; a wrong read does no harm."""
WRITE_FROM = 0.38
"""A write is proposed from this score on, and only if the action itself was named."""

_WEIGHTS = {
    "<day>": 0.35,
    "<hour>": 0.35,
    "<period>": 0.1,
    "<name>": 0.3,
    "<number>": 0.2,
    "<phone>": 1.0,
    "<mail>": 1.0,
    "<code>": 0.2,
    "<this>": 0.1,
    "#who": 0.6,
}
_WHO = frozenset({"<name>", "<this>", "<code>", "<number>", "<phone>", "<mail>"})

ASKING = frozenset({"@show", "@count", "@come"})
"""Actions that change nothing."""

_THEN = datetime(2026, 1, 5, 9)


@dataclass(frozen=True, slots=True)
class Choice:
    """A tool with its score, 0 to about 1."""

    tool: ToolSchema
    score: float


class _Offered:
    """Identity of a list of tools for the cache; schemas hold mappings and cannot be hashed."""

    __slots__ = ("tools",)

    def __init__(self, tools: tuple[ToolSchema, ...]) -> None:
        self.tools = tools

    def __hash__(self) -> int:
        return hash(tuple(tool.name for tool in self.tools))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Offered) and self.tools == other.tools


def sentences_of(tools: Sequence[ToolSchema]) -> "Sentences":
    """The sentences of these tools; taken apart once for each offer."""
    return _sentences(_Offered(tuple(tools)))


@lru_cache(maxsize=64)
def _sentences(offered: _Offered) -> "Sentences":
    return Sentences(offered.tools)


class Sentences:
    """The declared sentences of the offered tools, as features, with the weight of each feature."""

    def __init__(self, tools: Sequence[ToolSchema]) -> None:
        self.tools = tools
        self.vocabulary = vocabulary(tools)
        self.said: dict[str, list[frozenset[str]]] = {}
        self.described: dict[str, frozenset[str]] = {}
        for tool in tools:
            spoken = [(language, s) for language, sentences in tool.examples.items() for s in sentences]
            self.said[tool.name] = [features(parse(s, _THEN, language[:2], self.vocabulary)) for language, s in spoken]
            self.described[tool.name] = features(parse(tool.description, _THEN, "en", self.vocabulary))
        self.kinds = frozenset(c for t in tools for kind in t.targets.values() for c in named_by(kind) if c[0] == "#")
        df: dict[str, int] = {}
        for name, sentences in self.said.items():
            for feature in {f for s in sentences for f in s} | self.described[name]:
                df[feature] = df.get(feature, 0) + 1
        self.value_words = {v: w for t in tools for a in args_of(t) for w, v in reversed(a.synonyms)}
        self._df: Mapping[str, int] = df
        self._weights: dict[str, float] = {}

    def weight(self, feature: str) -> float:
        """Rare features weigh more; words that no tool knows weigh little."""
        if feature not in self._df:
            return self._weigh(feature)
        if feature not in self._weights:
            self._weights[feature] = self._weigh(feature)
        return self._weights[feature]

    def _weigh(self, feature: str) -> float:
        if feature in _WEIGHTS:
            return _WEIGHTS[feature]
        if feature not in self._df:
            return 0.9 if feature[0] == "@" else 0.55 if feature[0] in "#=" else 0.5
        base = math.log(1 + 2 * len(self.tools) / self._df[feature])
        return base * (1.25 if feature[0] == "@" else 1.0 if feature[0] in "#=" else 0.8)


def vocabulary(tools: Sequence[ToolSchema]) -> frozenset[str]:
    """Stems of all words that the tools declare in lower case: none of these is anybody's name."""
    declared = [s for t in tools for group in t.examples.values() for s in group]
    declared += [t.description for t in tools]
    declared += [re.sub("_", " ", " ".join((a.described, *a.choices))) for t in tools for a in args_of(t)]
    found = set()
    for text in declared:
        for word in words(text):
            if word.sort == "word" and (not word.capital or (word.first and not is_function(word.fold))):
                found.add(word.stem)
    capitals = {w.stem for text in declared for w in words(text) if w.capital and not w.first}
    return frozenset(found - capitals)


def features(speech: Speech) -> frozenset[str]:
    """Concepts, remaining content words, and marks for a day, an hour, a name."""
    end = head(speech)
    found = _concepts(speech, end)
    taken = [(w.start, w.end) for w in speech.whens] + [n.span for n in speech.named] + [(end, len(speech.text))]
    taken += [(n.start, n.end) for n in speech.names if n.rank <= 6]
    found |= {"<period>" for w in speech.whens if w.day and w.last and w.last != w.day}
    found |= {"<day>" for w in speech.whens if w.day or w.part} | {"<hour>" for w in speech.whens if w.at}
    found |= {"<name>" for n in speech.names if n.rank <= 6} | {
        "<phone>" if len(digits(n.value)) >= 7 else "<number>" for n in speech.numbers
    }
    found |= {"<this>"} if speech.points else set()
    found |= {"<code>" for w in speech.words if w.sort == "code" and w.start < end}
    found |= {"<mail>" for _ in speech.mails}
    for word in speech.words:
        if word.sort == "word" and not is_function(word.fold) and not overlaps((word.start, word.end), taken):
            found.add(stem(word.fold))
    return frozenset(found)


def _concepts(speech: Speech, end: int) -> set[str]:
    """The concepts of the wish; of several actions only the first counts, weak ones (`show`, `put`) aside."""
    found: set[str] = set()
    acted = False
    for named in speech.named:
        if named.span[0] >= end:
            continue
        actions = {c for c in named.concepts if c[0] == "@"}
        found |= set(named.concepts) - actions if acted else set(named.concepts)
        acted = acted or bool(actions - ASKING - {"@put"})
    return found


def rank(speech: Speech, sentences: Sentences) -> list[Choice]:
    """All tools, the nearest first; ties keep the declared order."""
    said = features(speech)
    found = [Choice(tool, _score(said, tool, sentences)) for tool in sentences.tools]
    return sorted(found, key=lambda c: -c.score)


def choose(speech: Speech, sentences: Sentences) -> Choice | None:
    """The tool that is meant, or None where nothing is near enough; never a write whose action was not named."""
    ranked = rank(speech, sentences)
    if _asks_whether(speech):
        ranked = [choice for choice in ranked if choice.tool.effect == "read"]
    for choice in ranked:
        if choice.tool.effect == "read":
            if choice.score >= READ_FROM and _only_asks(speech, sentences.said[choice.tool.name]):
                return choice
            break
        if choice.score < WRITE_FROM:
            break
        if listed := _listed(speech, ranked):
            return listed
        if _acts(speech, choice.tool, sentences.said[choice.tool.name]):
            return _exact(speech, ranked, sentences) or choice
    return _reader(speech, ranked)


def _asks_whether(speech: Speech) -> bool:
    """A question that names no action (`is order 1042 urgent?`) asks how things stand, and changes nothing."""
    return speech.text.rstrip().endswith("?") and not any(concept[0] == "@" for concept in speech.concepts)


def _exact(speech: Speech, ranked: Sequence[Choice], sentences: Sentences) -> Choice | None:
    """The nearest write one of whose sentences holds the very action that was said; `put` and `change` say little."""
    acts = {f for f in _concepts(speech, head(speech)) if f[0] == "@"} - ASKING - {"@put", "@update"}
    writes = (c for c in ranked if c.tool.effect != "read" and c.score >= WRITE_FROM)
    return next((c for c in writes if any(acts & said for said in sentences.said[c.tool.name])), None)


def _listed(speech: Speech, ranked: Sequence[Choice]) -> Choice | None:
    """A thing and one of its values, no action and nobody named (`hygiene recalls`): the read that takes the value."""
    if any(c[0] == "@" for c in speech.concepts) or speech.names or speech.points or speech.numbers:
        return None
    values = {c for c in speech.concepts if c[0] == "="}
    reads = (c for c in ranked if c.tool.effect == "read" and c.score >= READ_FROM and values & _values(c.tool))
    return next(reads, None) if values and "#" in {c[0] for c in speech.concepts} else None


def _only_asks(speech: Speech, sentences: Sequence[Collection[str]]) -> bool:
    """No change was asked for, so that a read may answer: who wants something deleted gets no list instead."""
    acts = {c for c in speech.concepts if c[0] == "@"}
    if not acts or acts & ASKING:
        return True
    return any(near(a, b) for a in acts for s in sentences for b in s if b[0] == "@")


def _reader(speech: Speech, ranked: Sequence[Choice]) -> Choice | None:
    """A noun and a name without an action (`María's phone`): the read that takes what the nearest write takes."""
    best = ranked[0] if ranked else None
    if best is None or best.score < WRITE_FROM or not speech.names or speech.names[0].rank > 5:
        return None
    kinds = {a.kind for a in args_of(best.tool) if a.role == "target" and a.required}
    for choice in ranked:
        needed = {a.kind for a in args_of(choice.tool) if a.role == "target" and a.required}
        if choice.tool.effect == "read" and needed and needed <= kinds:
            return choice
    return None


def _acts(speech: Speech, tool: ToolSchema, sentences: Sequence[Collection[str]]) -> bool:
    """The user named an action of one of these sentences, one near to it, a value or an address to be set."""
    wanted = {f for s in sentences for f in s if f[0] in "@="} | _values(tool)
    acts = {f for f in speech.concepts if f[0] == "@"}
    if acts and acts <= ASKING:
        return False
    if not acts and features(speech) in sentences:
        return True  # a declared sentence that states what shall be (`order 1042 is due on Friday`)
    if not (acts or speech.names or speech.numbers or speech.points):
        return False
    given = {"email"} if speech.mails else set()
    given |= {"phone"} if any(len(digits(n.value)) >= 7 for n in speech.numbers) else set()
    if given & {a.kind for a in args_of(tool)} and speech.names:
        return True
    named = {f for f in speech.concepts if f[0] in "@="}
    if any(near(a, b) >= 0.4 for a in named for b in wanted):
        return True
    content = {w.stem for w in speech.words if w.sort == "word" and not is_function(w.fold)}
    return any(sum(f in content for f in s if f[0] not in "<#") >= 1 for s in sentences) and not any(
        f[0] == "@" for f in speech.concepts
    )


def _values(tool: ToolSchema) -> frozenset[str]:
    """The concepts of the values that the tool's enumerations admit."""
    return frozenset().union(*(_concepts_of_choices(a.choices) for a in args_of(tool) if a.choices))


@lru_cache(maxsize=512)
def _concepts_of_choices(choices: tuple[str, ...]) -> frozenset[str]:
    return frozenset(c for v in choices for c in named_by(v) if c[0] == "=")


def _score(said: frozenset[str], tool: ToolSchema, sentences: Sentences) -> float:
    best = max((_alike(said, other, sentences) for other in sentences.said[tool.name]), default=0.0)
    union = frozenset(f for s in sentences.said[tool.name] for f in s)
    covered = _covered(said, union, sentences)
    described = _covered(said, sentences.described[tool.name], sentences)
    if tool.effect == "read" and any(f in _values(tool) for f in said):
        covered += 0.4
    things = said & sentences.kinds
    strange = things and not any(nearest(f, union | sentences.described[tool.name]) for f in things)
    sets = tool.effect != "read" and not said & ASKING and not strange
    valued = 0.35 if sets and any(f in _values(tool) for f in said) else 0.0
    return 0.66 * best + 0.2 * covered + 0.08 * described + valued + _shape(said, tool)


def _alike(said: frozenset[str], other: frozenset[str], sentences: Sentences) -> float:
    score = 0.6 * _covered(said, other, sentences) + 0.4 * _covered(other, said, sentences)
    mine, theirs = {f for f in said if f[0] == "@"}, {f for f in other if f[0] == "@"}
    strange = mine and theirs and not any(nearest(a, theirs) for a in mine)
    return score * (0.6 if strange else 1.0)


def _covered(one: frozenset[str], other: frozenset[str], sentences: Sentences) -> float:
    total = sum(sentences.weight(f) for f in one)
    if not total:
        return 0.0
    return sum(sentences.weight(f) * nearest(f, other) for f in one) / total


def _shape(said: frozenset[str], tool: ToolSchema) -> float:
    """A little for a tool that can use the day, hour or name given, a little less for one that cannot."""
    args = args_of(tool)
    roles = {a.role for a in args}
    timed = bool(roles & {"datetime", "date", "time"})
    score = 0.0
    if "<hour>" in said:
        score += 0.05 if "datetime" in roles or "time" in roles else -0.02
    if "<day>" in said:
        score += 0.03 if timed else -0.06 if any(a.kind for a in args) else -0.1
    if "<period>" in said and tool.effect == "read":
        days = sum(a.role in ("date", "datetime") for a in args) + any(a.days for a in args)
        score += 0.1 if days > 1 else -0.1 if days == 1 else 0.0
    asked = not any(f[0] == "=" for f in said) and said & {
        "#phone",
        "#email",
        "#address",
        "#birth",
        "#file",
        "#history",
    }
    if "<name>" in said and asked and tool.effect == "read" and any(a.role == "target" and a.required for a in args):
        score += 0.1
    if tool.effect == "read" and not said & _WHO and any(a.role == "target" and a.required for a in args):
        score -= 0.08
    if "<code>" in said and tool.effect != "read":
        score += 0.06 if any(a.role == "target" and a.required for a in args) else -0.2
    if "<name>" in said and not (roles & {"target", "string"}):
        score -= 0.04
    return score
