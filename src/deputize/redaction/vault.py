"""The vault of one conversation: which token stands for which value, and which values stand for one person.

Source: contract RED-3. It lives in memory; rows that another process wrote are adopted, and the row in the
database is the truth. A person (`subject` = "patient:ID") has one token under all names and under the id.
"""

import hmac
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from deputize.redaction import canonical
from deputize.redaction.fold import Folded, fold
from deputize.redaction.known import Directory, Hit
from deputize.redaction.matching import Word
from deputize.redaction.tokens import KINDS, is_name, kind_word, propose

Form = Literal["value", "id", "name"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of a vault: a token and one value that it stands for.

    `form` `value` is a value of its own, `id` the identity of a person (its `value` is the host's id), `name`
    a name of that person: such a row repeats the person's token and says so in `alias_of`. `key` is a keyed
    hash of the canonical value and tells nothing; it is unique in a conversation, as is the token among rows
    without `alias_of`.
    """

    token: str
    kind: str
    value: str
    subject: str | None = None
    alias_of: str | None = None
    form: Form = "value"
    key: str = ""


class Vault:
    """Tokens of one conversation under its secret; not safe for use by several threads at once."""

    def __init__(self, secret: bytes, entries: Iterable[Entry] = (), kinds: Collection[str] = ()) -> None:
        if len(secret) < 16:
            raise ValueError("a vault needs a secret of at least 16 bytes")
        self._secret = secret
        self._kinds = frozenset(kind_word(kind) for kind in kinds) | KINDS
        self.version = 0
        """Grows whenever a value is learnt; a redacted text made at another version is looked at again (RED-8)."""
        self._rows: dict[str, Entry] = {}
        self._fresh: set[str] = set()
        self._clear()
        self.adopt(entries)

    # --- asking ---------------------------------------------------------------------------------------

    @property
    def kinds(self) -> frozenset[str]:
        """The words that may stand before a token's underscore in this conversation."""
        return self._kinds

    def __len__(self) -> int:
        return len(self._mains)

    def value_of(self, token: str) -> Entry | None:
        """The row that says what a token shows: a person's fullest name, else the id, else the value."""
        return self._names.get(token) or self._mains.get(token)

    def id_of(self, token: str) -> str | None:
        """The host's id of the person behind a token; None for values that are no known person."""
        main = self._mains.get(token)
        return main.value if main is not None and main.form == "id" else None

    def token_of(self, subject: str) -> str | None:
        """The token of a person who is in this vault already."""
        row = self._rows.get(self._key("subject " + subject))
        return row.token if row is not None else None

    def find(self, text: Folded | str, found: list[Word] | None = None) -> list[tuple[Hit, str | None]]:
        """Values of the vault that stand in a text, with their token; None where a name may mean two persons.

        `found` are the words of the text where they have been cut already.
        """
        shadow = fold(text) if isinstance(text, str) else text
        return [
            (hit, self._token(hit, shadow.text[hit.start : hit.end])) for hit in self._index.find_folded(shadow, found)
        ]

    def new_entries(self) -> list[Entry]:
        """Rows that are not persisted yet, in the order in which they were learnt."""
        return [row for key, row in self._rows.items() if key in self._fresh]

    # --- learning -------------------------------------------------------------------------------------

    def token_for(self, kind: str, value: str, subject: str | None = None) -> str:
        """The token of a value; the same for every spelling, and for all names and the id of one person.

        `subject` is `entity:id`. With it a value that is a name, or the id itself, gets the person's token;
        any other kind has a token of its own. Without it the value stands for itself.
        """
        if subject is not None and is_name(kind, subject):
            token = self._person(subject)
            if value != subject.partition(":")[2]:
                key = self._key("name " + subject + " " + canonical.canonical("NAME", value))
                self._learn(key, token, "NAME", value, subject, "name")
            return token
        text = canonical.canonical(kind, value)
        key = self._key(text)
        held = self._rows.get(key)
        return held.token if held is not None else self._mint(text, key, kind, value, subject, "value")

    def learn_person(
        self,
        kind_entity: str,
        id: str,  # noqa: A002  # the host's word
        columns: Mapping[str, str | None],
        kinds: Mapping[str, str],
    ) -> str:
        """Learn a record of a person: its id, its name (parts in the order of `columns`) and its other values.

        `kinds` maps a column to its kind; columns without one are not personal. Returns the person's token.
        """
        subject = f"{kind_entity}:{id}"
        token = self._person(subject)
        held = [(column, kinds[column], value) for column, value in columns.items() if value and column in kinds]
        names = {column: value for column, kind, value in held if is_name(kind)}
        whole = [value for column, value in names.items() if column in ("full_name", "name", "display_name")]
        for name in whole or ([" ".join(names.values())] if names else []):
            self.token_for("NAME", name, subject)
        for _, kind, value in held:
            if not is_name(kind):
                self.token_for(kind, value, subject)
        return token

    def adopt(self, entries: Iterable[Entry]) -> bool:
        """Merge rows from the database; they win over proposals of this process.

        True where a token that this vault had handed out is no longer the value's token: what was redacted
        with it and not yet sent must be redacted again.
        """
        displaced = False
        for entry in entries:
            key = entry.key or self._entry_key(entry)
            row = entry if entry.key else _keyed(entry, key)
            mine = self._rows.get(key)
            if mine is not None and mine.token == row.token:
                self._fresh.discard(key)
                self._rows[key] = row
                continue
            displaced |= mine is not None
            self._evict(key)
            rival = self._mains.get(row.token)
            if rival is not None and row.alias_of is None and rival.key != key:
                displaced = True
                self._evict(rival.key)
            self._put(row)
        return displaced

    # --- inside ---------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self._mains: dict[str, Entry] = {}
        self._names: dict[str, Entry] = {}
        self._letters: dict[str, str] = {}
        self._index = Directory()

    def _key(self, text: str) -> str:
        return hmac.digest(self._secret, b"key\0" + text.encode(), "sha256").hex()[:32]

    def _entry_key(self, entry: Entry) -> str:
        if entry.form == "id":
            return self._key(f"subject {entry.subject}")
        if entry.form == "name":
            return self._key(f"name {entry.subject} " + canonical.canonical("NAME", entry.value))
        return self._key(canonical.canonical(entry.kind, entry.value))

    def _person(self, subject: str) -> str:
        entity, _, identity = subject.partition(":")
        if not entity or not identity:
            raise ValueError("a subject is written entity:id")
        text = "subject " + subject
        return self.token_of(subject) or self._mint(text, self._key(text), entity, identity, subject, "id")

    def _mint(self, text: str, key: str, kind: str, value: str, subject: str | None, form: Form) -> str:
        word = kind_word(kind, subject)
        attempt = 0
        while (token := propose(self._secret, word, text, attempt))[-6:] in self._letters:
            attempt += 1
        self._learn(key, token, kind, value, subject, form)
        return token

    def _learn(self, key: str, token: str, kind: str, value: str, subject: str | None, form: Form) -> None:
        if key in self._rows:
            return
        alias = token if form == "name" else None
        self._fresh.add(key)
        self._put(Entry(token, kind.upper(), value, subject, alias, form, key))

    def _put(self, row: Entry) -> None:
        self._rows[row.key] = row
        self.version += 1
        self._show(row)

    def _show(self, row: Entry) -> None:
        if row.form == "name":
            shown = self._names.get(row.token)
            if shown is None or _fullness(row) > _fullness(shown):
                self._names[row.token] = row
            self._index.extend(row.token, "", (("NAME", row.value),))
            return
        self._mains[row.token] = row
        self._letters[row.token[-6:]] = row.token
        self._kinds |= {row.token.rpartition("_")[0]}
        kind = "ID" if row.form == "id" else row.kind
        if is_name(row.kind, row.subject) and row.form == "value":
            self._index.guessed.add(row.token)
        self._index.extend(row.token, "", ((kind, row.value),))

    def _evict(self, key: str) -> None:
        """Forget a row of our own proposal, and the names that hang on its token."""
        gone = self._rows.pop(key, None)
        if gone is None:
            return
        self._fresh.discard(key)
        if gone.alias_of is None:
            for other in [k for k, row in self._rows.items() if row.alias_of == gone.token and k in self._fresh]:
                del self._rows[other]
                self._fresh.discard(other)
        self._clear()
        for row in self._rows.values():
            self._show(row)

    def _token(self, hit: Hit, value: str) -> str | None:
        """A value of its own keeps its token; else the one owner has it, and where two are possible nobody."""
        if hit.kind == "NAME" and len(hit.owners) != 1:
            own = self._rows.get(self._key(canonical.canonical("NAME", value)))
            return own.token if own is not None else None
        return hit.owners[0] if len(hit.owners) == 1 else None


def _keyed(entry: Entry, key: str) -> Entry:
    return Entry(entry.token, entry.kind, entry.value, entry.subject, entry.alias_of, entry.form, key)


def _fullness(row: Entry) -> tuple[int, int, str]:
    """Order of names by how much they say, so that every process shows the same one."""
    return len(canonical.words(row.value)), len(row.value), row.value
