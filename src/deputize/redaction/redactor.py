"""The one redactor that everything bound for a provider passes: texts, plain JSON and schemas.

Source: contract RED-2 to RED-6, RED-8.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any, Literal

from pydantic import BaseModel

from deputize.core.errors import DetectionFailed
from deputize.redaction import addresses, patterns
from deputize.redaction.canonical import compact
from deputize.redaction.entities import REMEMBERED, EntityDetector, asked_in
from deputize.redaction.escapes import plain, unescaped
from deputize.redaction.fold import Folded, fold, joins
from deputize.redaction.known import Directory, Hit
from deputize.redaction.matching import Word, words
from deputize.redaction.names import NameLists
from deputize.redaction.public import PublicWords
from deputize.redaction.repair import repaired
from deputize.redaction.restore import find_tokens
from deputize.redaction.spans import KNOWN, PATTERN, Span, settle
from deputize.redaction.structure import Structure, redact_schema
from deputize.redaction.tokens import shaped
from deputize.redaction.vault import Vault

_EDGES = " \t\r\n,;"
_LITTLE = 2
"""Characters beside a known name that belong to it (the `O'` of O'Brien)."""
_VAULT = KNOWN + 1
"""Rank of what the conversation knows; the `subject` of such a span is its token."""
_CLAIM = re.compile(r"([A-Za-z]+).*?([A-Za-z]{6})s?\Z", re.DOTALL)

Source = Literal["user", "tool", "house"]
"""Who wrote a text: a person at the desk, a tool's result (anybody), or the house (prompts, schemas, labels)."""


class Redactor:
    """Turns real values into tokens of one vault.

    `directory` are the records of the tenant, `detectors` entity models, `languages` the languages they are
    asked for, `public` words and phrases of the house (catalogue, cabinets, staff), `person_kinds` the entity
    kinds whose records are persons, `owned_kinds` those whose records belong to one: ids of both are personal.
    """

    def __init__(
        self,
        vault: Vault,
        directory: Directory | None = None,
        detectors: Sequence[EntityDetector] = (),
        languages: Sequence[str] = ("en", "es"),
        public: Collection[str] = (),
        person_kinds: frozenset[str] = frozenset(),
        owned_kinds: frozenset[str] = frozenset(),
    ) -> None:
        self.vault = vault
        self.person_kinds = person_kinds
        self.owned_kinds = owned_kinds
        self.directory = directory
        """May be replaced by a newer one of the same tenant."""
        self._detectors = tuple(detectors)
        self._languages = tuple(languages)
        self._public = PublicWords(public)
        self._names = NameLists()
        self._clean: dict[str, tuple[int, Directory | None]] = {}

    def text(self, s: str, source: Source = "user") -> str:
        """The text with every value found replaced by its token.

        What a person or a tool wrote is escaped first where it looks like a token. A text of the house keeps
        the tokens of this vault and is matched against known values and forms only, not against guesses.
        Raises DetectionFailed if a detector fails: then the text may not be sent (RED-6).
        """
        if not s or s.isspace():
            return s
        folded = fold(s)
        if source != "house":
            escaped = self._escaped(s, folded)
            if escaped != s:
                s, folded = escaped, fold(escaped)
        while True:
            before = self.vault.version
            out, at = [], 0
            for span in self._spans(s, folded, source):
                token = self._token(s[span.start : span.end], span)
                out += [s[at : span.start], *_set_off(s, span, token)]
                at = span.end
            text = "".join([*out, s[at:]])
            if self.vault.version == before or self._holds_nothing(text):
                return text

    def spans(self, s: str, source: Source = "user") -> list[Span]:
        """What would be replaced in a text (which is not escaped here): disjoint spans in order.

        Raises DetectionFailed.
        """
        return self._spans(s, fold(s), source)

    def _spans(self, s: str, folded: Folded, source: Source) -> list[Span]:
        seen = unescaped(folded)
        found = words(seen.shadow)
        sure, lone = self._known(seen, found)
        sure += patterns.find(seen)
        if source != "house":
            lone += self._guessed(s, seen, found)
        spans = self._public.spared(seen, sure + repaired(seen, lone, sure))
        if not spans:
            return []
        tokens = [(one.start, one.end) for one in find_tokens(self.vault, folded)]
        settled = (_stripped(s, one) for one in settle(one for one in spans if not _inside(one, tokens)))
        return _apart([one for one in settled if _says(s[one.start : one.end])])

    def data(self, value: Any, model: type[BaseModel] | None = None) -> Any:
        """Plain JSON (as dumped from `model`) redacted by the marks of its model and by the RED-4 key names."""
        kinds = (self.person_kinds, self.owned_kinds)
        walker = Structure.of(self.vault, kinds, model, self._tool_text, self._house_text)
        return walker.redact(value)

    def read_in(self, s: str) -> list[str]:
        """What the detectors are asked to read for a text that a person or a tool wrote (none where there are none)."""
        if not self._detectors or not s or s.isspace():
            return []
        return [self._escaped(s, fold(s))]

    def read_in_data(self, value: Any, model: type[BaseModel] | None = None) -> list[str]:
        """What the detectors are asked to read for plain JSON."""
        found: list[str] = []
        if self._detectors:
            kinds = (self.person_kinds, self.owned_kinds)

            def noted(s: str) -> str:
                found.extend(self.read_in(s))
                return s

            Structure.of(self.vault, kinds, model, noted, str).redact(value)
        return found

    def schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A JSON schema whose words (titles, descriptions, enums, defaults, examples) hold no known value."""
        return {key: item for key, item in redact_schema(schema, self._house_text).items()}

    def _holds_nothing(self, s: str) -> bool:
        """True where no value of the vault stands in a text: it learnt some while the text was redacted."""
        folded = fold(s)
        found = [hit for hit, _ in self.vault.find(unescaped(folded))]
        if not found:
            return True
        tokens = [(one.start, one.end) for one in find_tokens(self.vault, folded)]
        hits = [Span(hit.start, hit.end, hit.kind, None, KNOWN) for hit in found if not _inside(hit, tokens)]
        return not self._public.spared(folded, hits)

    def is_clean(self, s: str) -> bool:
        """True where no value that is known now, or shows itself by its form, stands in a text (RED-8).

        The text went out before, or a model wrote it, who may name somebody whom nobody had named yet.
        """
        version, directory = self._clean.get(s, (-1, None))
        if version == self.vault.version and directory is self.directory:
            return True
        clean = self._is_clean(fold(s))
        if clean:
            self._clean[s] = (self.vault.version, self.directory)
            while len(self._clean) > REMEMBERED:
                self._clean.pop(next(iter(self._clean)))
        return clean

    def _is_clean(self, folded: Folded) -> bool:
        seen = unescaped(folded)
        found = words(seen.shadow)
        sure, lone = self._known(seen, found)
        spans = sure + lone + patterns.find(seen)
        if not spans:
            return True
        tokens = [(one.start, one.end) for one in find_tokens(self.vault, folded)]
        return not self._public.spared(seen, [one for one in spans if not _inside(one, tokens)])

    # --- inside ---------------------------------------------------------------------------------------

    def _tool_text(self, s: str) -> str:
        return self.text(s, "tool")

    def _house_text(self, s: str) -> str:
        return self.text(s, "house")

    def _escaped(self, s: str, folded: Folded) -> str:
        """Token-shaped input with a colon for its joint: still readable, but never restored."""
        claims = [folded.tight(start, end) for start, end in shaped(folded.shadow, self.vault.kinds)]
        claims += [(one.start, one.end) for one in find_tokens(self.vault, folded)]
        if not claims:
            return s
        out, at = [], 0
        for start, end in _disjoint(claims):
            claim = _CLAIM.match(fold(s[start:end]).shadow)
            out += [s[at:start], f"{claim[1]}:{claim[2]}" if claim is not None else s[start:end]]
            at = end
        return "".join([*out, s[at:]])

    def _known(self, folded: Folded, found: list[Word]) -> tuple[list[Span], list[Span]]:
        """Spans of known values: those that are certain, and lone words of names, which may be part of another."""
        sure: list[Span] = []
        lone: list[Span] = []
        for hit, token in self.vault.find(folded, found):
            (lone if hit.lone else sure).append(Span(hit.start, hit.end, hit.kind, token, _VAULT))
        if self.directory is not None:
            for hit in self.directory.find_folded(folded, found):
                subject = hit.owners[0] if len(hit.owners) == 1 else None
                (lone if hit.lone else sure).append(Span(hit.start, hit.end, hit.kind, subject, KNOWN))
        return sure, lone

    def _guessed(self, s: str, folded: Folded, found: list[Word]) -> list[Span]:
        spans = addresses.find(folded) + self._names.find(folded, found)
        for detector in self._detectors:
            for language in asked_in(detector, self._languages):
                try:
                    spans += detector.find(s, language)
                except Exception:
                    raise DetectionFailed from None
        return spans

    def _token(self, value: str, span: Span) -> str:
        value = plain(value)
        if span.subject is None:
            return self.vault.token_for(span.kind, value)
        if span.rank == _VAULT:
            return span.subject
        if span.kind == "ID" and compact(value) == compact(span.subject.partition(":")[2]):
            return self.vault.token_for(span.subject.partition(":")[0], span.subject.partition(":")[2], span.subject)
        return self.vault.token_for(span.kind, value, span.subject)


def _disjoint(claims: list[tuple[int, int]]) -> list[tuple[int, int]]:
    ordered = sorted(set(claims))
    return [own for before, own in zip([(0, 0), *ordered], ordered, strict=False) if own[0] >= before[1]]


def _stripped(s: str, span: Span) -> Span:
    """The span without blanks and commas at its ends, which say nothing and would be restored twice."""
    piece = s[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip(_EDGES))
    return span.moved(start, max(start, span.start + len(piece.rstrip(_EDGES))))


def _apart(spans: list[Span]) -> list[Span]:
    """Spans that touch become one: two tokens without a gap could not be told apart again."""
    kept: list[Span] = []
    for span in spans:
        last = kept[-1] if kept else None
        if last is not None and last.end == span.start:
            first, other = (last, span) if last.rank >= span.rank else (span, last)
            little = first.subject is not None and other.end - other.start <= _LITTLE
            whole = first if little else Span(0, 0, first.kind, None, PATTERN)
            kept[-1] = whole.moved(last.start, span.end)
        else:
            kept.append(span)
    return kept


def _says(piece: str) -> bool:
    """True where a letter or figure is in it, in whatever dress (a circled one is none before it is folded)."""
    return any(char.isalnum() for char in piece) or any(char.isalnum() for char in fold(piece).shadow)


def _set_off(s: str, span: Span, token: str) -> list[str]:
    """The token with blanks where letters touch it (`tel612345678`): inside a word it would never be restored."""
    before = " " if span.start and joins(s[span.start - 1]) else ""
    return [before, token, " " if joins(s[span.end : span.end + 1]) else ""]


def _inside(span: Span | Hit, tokens: list[tuple[int, int]]) -> bool:
    return any(start <= span.start and span.end <= end for start, end in tokens)
