"""Index of the persons and values a tenant (or a conversation) has, which finds them in any text.

Source: contract RED-4, "known". Names match whatever case, accents and order, never inside words; phones,
mail addresses and numbers in canonical form; other values word by word.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import islice

from deputize.redaction import canonical, runon
from deputize.redaction.evidence import stands_alone
from deputize.redaction.fold import Folded, fold
from deputize.redaction.lexicon import PARTICLES, listed
from deputize.redaction.matching import Word, emails, joined, numbers, phones, words

_SHORTEST = 4
"""Other values with fewer letters and digits would be found everywhere."""


@dataclass(frozen=True, slots=True)
class DirectoryRow:
    """What the tenant knows of one record: its entity kind, its id and its (kind, value) pairs."""

    entity: str
    id: str
    values: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Person:
    subject: str
    names: tuple[tuple[str, ...], ...] = ()
    """One tuple of index words for each name that this record bears."""
    codes: tuple[int, ...] = ()
    phrases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Kind and words of each other value."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A find with everybody it may mean (at most two are looked for): one owner is certain, two are not."""

    start: int
    end: int
    kind: str
    owners: tuple[str, ...]
    lone: bool = False
    """A single word of a longer name: a first name or a surname without the rest."""


@dataclass(slots=True)
class Directory:
    """All records that carry personal values; it never leaves the process. Subjects are `entity:id`."""

    _people: list[_Person | None] = field(default_factory=list)
    _slots: dict[str, int] = field(default_factory=dict)
    _words: dict[str, int | list[int]] = field(default_factory=dict)
    _codes: dict[int, int | list[int]] = field(default_factory=dict)
    _phrases: dict[str, list[int]] = field(default_factory=dict)
    _interned: dict[str, str] = field(default_factory=dict)
    guessed: set[str] = field(default_factory=set)
    """Owners whose names were guessed from text: a lone word of theirs must be a name in its own right."""

    @classmethod
    def build(cls, rows: Iterable[DirectoryRow]) -> "Directory":
        """An index over all rows of a tenant."""
        index = cls()
        index.update(rows)
        return index

    def __len__(self) -> int:
        return len(self._slots)

    def update(self, rows: Iterable[DirectoryRow]) -> None:
        """Learn new rows and replace changed ones (same entity and id)."""
        for row in rows:
            subject = f"{row.entity}:{row.id}"
            self._forget(subject)
            self._learn(subject, row.id, row.values)

    def extend(self, subject: str, identity: str, values: tuple[tuple[str, str], ...]) -> None:
        """Add values to a record without forgetting those it has; `identity` may be empty."""
        slot = self._slots.get(subject)
        if slot is None:
            self._learn(subject, identity, values)
            return
        person = self._people[slot]
        assert person is not None  # a record that was forgotten has no slot
        self._index(slot, person, identity, values)

    def remove(self, entity: str, identity: str) -> None:
        """Forget a record that the tenant no longer has."""
        self._forget(f"{entity}:{identity}")

    def find(self, text: str) -> list[Hit]:
        """Every known value in a text, in order of their start; a hit never begins or ends inside a word."""
        return self.find_folded(fold(text))

    def find_folded(self, text: Folded, found: list[Word] | None = None) -> list[Hit]:
        """The same on a shadow that was made before; offsets are those of the original text."""
        hits: list[Hit] = []
        if self._codes:
            self._find_codes(text, hits)
        if self._words or self._phrases:
            stream = words(text.shadow) if found is None else found
            if self._words:
                self._find_names(text, stream, hits)
            if self._phrases:
                self._find_phrases(text, stream, hits)
        return sorted(hits, key=lambda hit: (hit.start, -hit.end))

    # --- learning -------------------------------------------------------------------------------------

    def _learn(self, subject: str, identity: str, values: tuple[tuple[str, str], ...]) -> None:
        slot = len(self._people)
        person = _Person(subject)
        self._people.append(person)
        self._slots[subject] = slot
        self._index(slot, person, identity, values)

    def _index(self, slot: int, person: _Person, identity: str, values: tuple[tuple[str, str], ...]) -> None:
        names: list[str] = []
        for kind, value in values:
            match canonical.group(kind, person.subject):
                case "name":
                    names.append(value)
                case "phrase":
                    self._add_phrase(slot, person, kind.upper(), canonical.words(value))
                case group:
                    self._add_code(slot, person, kind, group, value)
        if identity and len(identity) > 3 and any(char.isdigit() for char in identity):
            self._add_code(slot, person, "ID", "number", identity)
        if names:
            for spelling in canonical.spellings(" ".join(names)):
                self._add_name(slot, person, spelling)

    def _add_name(self, slot: int, person: _Person, name: str) -> None:
        parts = tuple(
            dict.fromkeys(
                self._interned.setdefault(word, word)
                for word in canonical.words(name)
                if word not in PARTICLES and (len(word) > 1 or not word.isascii())
            )
        )
        if not parts or parts in person.names:
            return
        person.names = (*person.names, parts)
        for word in parts:
            _post(self._words, word, slot)

    def _add_phrase(self, slot: int, person: _Person, kind: str, parts: tuple[str, ...]) -> None:
        if len("".join(parts)) < _SHORTEST or (kind, parts) in person.phrases:
            return
        person.phrases = (*person.phrases, (kind, parts))
        self._phrases.setdefault(parts[0], []).append(slot)

    def _add_code(self, slot: int, person: _Person, kind: str, group: str, value: str) -> None:
        code = hash((group, canonical.canonical(kind, value)))
        if code not in person.codes:
            person.codes = (*person.codes, code)
            _post(self._codes, code, slot)

    def _forget(self, subject: str) -> None:
        slot = self._slots.pop(subject, None)
        person = self._people[slot] if slot is not None else None
        if slot is None or person is None:
            return
        self._people[slot] = None
        for word in {word for name in person.names for word in name}:
            _unpost(self._words, word, slot)
        for code in person.codes:
            _unpost(self._codes, code, slot)
        for _, phrase in person.phrases:
            left = [one for one in self._phrases.get(phrase[0], ()) if one != slot]
            if left:
                self._phrases[phrase[0]] = left
            else:
                self._phrases.pop(phrase[0], None)

    # --- finding --------------------------------------------------------------------------------------

    def _owners(self, slots: Iterable[int]) -> tuple[str, ...]:
        people = (self._people[slot] for slot in islice(slots, 2))
        return tuple(person.subject for person in people if person is not None)

    def _find_codes(self, text: Folded, hits: list[Hit]) -> None:
        shadow = text.shadow
        for kind, group, found in (
            ("EMAIL", "email", emails(shadow)),
            ("PHONE", "phone", phones(shadow)),
            ("ID", "number", numbers(shadow)),
        ):
            for start, end, key in found:
                slots = self._codes.get(hash((group, f"{group} {key}")))
                if slots is not None:
                    owners = self._owners((slots,) if isinstance(slots, int) else slots)
                    hits.append(Hit(*text.span(start, end), kind, owners))

    def _find_names(self, text: Folded, stream: list[Word], hits: list[Hit]) -> None:
        index = self._words
        at, count = 0, len(stream)
        while at < count:
            start, _, word = stream[at]
            first = index.get(word)
            if first is None:
                if len(word) >= runon.SHORTEST:
                    self._find_written_together(text, stream[at], hits)
                at += 1
                continue
            last, slots, used = at, (first,) if isinstance(first, int) else first, [word]
            ahead = at + 1
            while ahead < count and joined(text.shadow, stream[ahead - 1][1], stream[ahead][0]):
                other = stream[ahead][2]
                if other in PARTICLES or (len(other) == 1 and other.isascii()):
                    ahead += 1
                    continue
                narrowed = self._bearing(slots, [*used, other]) if other in index else []
                if not narrowed:
                    break
                slots, last = narrowed, ahead
                used.append(other)
                ahead += 1
            if len(used) > 1 or (stands_alone(text.shadow, stream, at) and self._borne(slots, text, stream[at])):
                lone = len(used) == 1
                hits.append(Hit(*text.span(start, stream[last][1]), "NAME", self._owners(slots), lone))
                at = last
            at += 1

    def _find_written_together(self, text: Folded, found: Word, hits: list[Hit]) -> None:
        for start, end, slots, lone in runon.read(text.shadow, found, self._words, self._bearing_all):
            hits.append(Hit(*text.span(start, end), "NAME", self._owners(slots), lone))

    def _bearing_all(self, wanted: list[str]) -> list[int]:
        """Those records of which one name bears all the words; the first may be an initial."""
        initial, names = (wanted[0], wanted[1:]) if len(wanted[0]) == 1 else ("", wanted)
        held = self._words[names[0]]
        slots = [held] if isinstance(held, int) else held
        for count in range(2, len(names) + 1):
            slots = self._bearing(slots, names[:count])
        return [slot for slot in slots if not initial or self._begins(slot, initial, names[0])]

    def _begins(self, slot: int, initial: str, surname: str) -> bool:
        person = self._people[slot]
        names = person.names if person is not None else ()
        return any(surname in name and any(word[0] == initial and word != surname for word in name) for name in names)

    def _bearing(self, slots: Collection[int], wanted: list[str]) -> list[int]:
        """Those records of which one name bears all the words (each as often as it was used)."""
        other = self._words[wanted[-1]]
        pool: Collection[int] = (other,) if isinstance(other, int) else other
        if len(pool) > len(slots):
            pool = slots
        bearing = []
        need = set(wanted)
        if len(need) < len(wanted):
            return []
        for slot in pool:
            person = self._people[slot]
            if person is not None and any(need.issubset(name) for name in person.names):
                bearing.append(slot)
        return bearing

    def _borne(self, slots: Iterable[int], text: Folded, found: Word) -> bool:
        """A lone word out of a guessed name must look like a name itself: the guess may have been too long."""
        start, _, word = found
        if not self.guessed or word in listed() or text.shadow[start].isupper():
            return True
        people = [person for person in (self._people[slot] for slot in slots) if person is not None]
        return any(person.subject not in self.guessed or (word,) in person.names for person in people)

    def _find_phrases(self, text: Folded, stream: list[Word], hits: list[Hit]) -> None:
        for at, (start, _, word) in enumerate(stream):
            for slot in self._phrases.get(word, ()):
                person = self._people[slot]
                assert person is not None  # a record that was forgotten is in no posting
                for kind, phrase in person.phrases:
                    part = stream[at : at + len(phrase)]
                    if tuple(one[2] for one in part) == phrase:
                        hits.append(Hit(*text.span(start, part[-1][1]), kind, (person.subject,)))


def _post(postings: dict[str, int | list[int]] | dict[int, int | list[int]], key: str | int, slot: int) -> None:
    table: dict[str | int, int | list[int]] = postings  # type: ignore[assignment]  # both are used by key alone
    held = table.get(key)
    if held is None:
        table[key] = slot
    elif isinstance(held, int):
        if held != slot:
            table[key] = [held, slot]
    elif held[-1] != slot:
        held.append(slot)


def _unpost(postings: dict[str, int | list[int]] | dict[int, int | list[int]], key: str | int, slot: int) -> None:
    table: dict[str | int, int | list[int]] = postings  # type: ignore[assignment]  # both are used by key alone
    held = table.get(key)
    if isinstance(held, list):
        held[:] = [one for one in held if one != slot]
        if not held:
            del table[key]
    else:
        table.pop(key, None)
