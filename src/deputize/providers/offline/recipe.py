"""Several wishes in one message (a playbook): each sentence that reaches a tool of its own is one of them."""

import re

from deputize.providers.offline.intent import choose
from deputize.providers.offline.moves import Goal, Work
from deputize.providers.offline.speech import parse

MOST = 5
"""Wishes that one message may hold; a longer one is understood as a whole."""

_ENDS = re.compile(r"(?<=[?!;])\s+|\n+|(?<=\.)\s+(?=[^\W\d_a-z]|[¿¡])")
_TITLE = re.compile(r"\b(?:dra?|d|dña|sra?|srta|mrs?|ms|prof|tel|n[uú]m|art|p[aá]g|st)\.$", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


def wishes(text: str) -> list[str]:
    """The sentences of a message, without the marks of a list."""
    parts: list[str] = []
    for part in (_BULLET.sub("", part).strip() for part in _ENDS.split(text)):
        if parts and _TITLE.search(parts[-1]):
            parts[-1] += f" {part}"
        elif part:
            parts.append(part)
    return parts


def _untitled(part: str) -> str:
    """A sentence without the title before it (`Daily briefing: …`)."""
    title, colon, rest = part.partition(": ")
    if not colon or not rest or len(title.split()) > 4:
        return part
    return re.sub(r"[^\W\d_]", lambda letter: letter[0].upper(), rest, count=1)


def recipe(work: Work) -> list[Goal]:
    """The goals of a message with several wishes, in order; empty where it is one wish.

    Sentences that reach no tool only explain. A change may only come last, after everything that is asked first.
    """
    parts = wishes(work.turn.text)
    if not 2 <= len(parts) <= 2 * MOST:
        return []
    found: list[Goal] = []
    for part in parts:
        speech = parse(_untitled(part), work.now, work.language, work.sentences.vocabulary)
        choice = choose(speech, work.sentences)
        if choice is not None:
            found.append(Goal(choice.tool, (speech,)))
    reads = [goal for goal in found if goal.tool.effect == "read"]
    if not 2 <= len(found) <= MOST or reads != found[: len(reads)] or len(found) - len(reads) > 1:
        return []
    return found
