"""Words and phrases of the house (catalogue, cabinets, staff) that stay readable to the model (RED-5)."""

from collections.abc import Collection, Iterable

from deputize.redaction import canonical
from deputize.redaction.fold import Folded
from deputize.redaction.matching import words
from deputize.redaction.spans import Span

_SPARED = frozenset({"NAME", "PERSON", "ADDRESS"})


class PublicWords:
    """Phrases that no name may be found inside of; numbers and addresses of mail are never spared."""

    def __init__(self, phrases: Collection[str]) -> None:
        self._first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in phrases:
            parts = canonical.words(phrase)
            if parts:
                self._first.setdefault(parts[0], []).append(parts)

    def spared(self, text: Folded, spans: Iterable[Span]) -> list[Span]:
        """The spans without those names that lie wholly inside a public phrase."""
        spans = list(spans)
        if not self._first or not spans:
            return spans
        stream = words(text.shadow)
        open_ = [
            text.span(start, stream[at + len(parts) - 1][1])
            for at, (start, _, word) in enumerate(stream)
            for parts in self._first.get(word, ())
            if tuple(one[2] for one in stream[at : at + len(parts)]) == parts
        ]
        return [
            span
            for span in spans
            if span.kind not in _SPARED or not any(start <= span.start and span.end <= end for start, end in open_)
        ]
