"""Brings real values back: into a stream as it flows, into a text, into the arguments of a call.

Source: contract RED-7, TOOL-13. Only tokens of this vault are restored, in any spelling a model gives them;
nothing is matched by likeness and a cut token is never completed.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from deputize.core.errors import UnknownToken
from deputize.core.marks import Path
from deputize.redaction.fold import Folded, fold, joins
from deputize.redaction.tokens import HOLD, hinted, shaped, spelt, unfinished
from deputize.redaction.vault import Vault

_WRAPPING = " \t\n\"'`*_<>[](){}“”‘’«»"


@dataclass(frozen=True, slots=True)
class Found:
    """A token of the vault as it stands in a text: where, and which."""

    start: int
    end: int
    token: str


def find_tokens(vault: Vault, text: Folded | str, before: str = "") -> Iterator[Found]:
    """Tokens that this vault issued, in any accepted spelling; `before` is the character ahead of the text."""
    shadow = fold(text) if isinstance(text, str) else text
    pattern, at = spelt(vault.kinds), 0
    while match := pattern.search(shadow.shadow, at):
        at = match.start() + 1
        found = _whole(vault, shadow, match.start(), match.end("letters"), match.end(), before)
        if found is None:
            continue
        token = f"{match['kind'].upper()}_{match['letters'].lower()}"
        if vault.value_of(token) is not None:
            yield Found(*found, token)
            at = match.end() if found[1] == shadow.tight(match.start(), match.end())[1] else match.end("letters")


def _whole(vault: Vault, text: Folded, begin: int, letters: int, plural: int, before: str) -> tuple[int, int] | None:
    """Original offsets if the match is no part of a longer word; a plural `s` belongs to it (and is dropped)."""
    start, end = text.tight(begin, letters)
    ahead = text.text[start - 1] if start else before
    if joins(ahead) or end - start > HOLD:
        return None
    if not joins(text.text[end : end + 1]):
        return start, end
    last = text.tight(begin, plural)[1]
    if plural > letters and last == end + 1 and not joins(text.text[last : last + 1]):
        return start, last
    return None


class StreamRestorer:
    """Restores a stream piece by piece; the pieces together equal the restored whole, however it was cut."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._held = ""
        self._before = ""
        self.restored: list[str] = []
        """Tokens met so far, in order."""

    @property
    def held(self) -> str:
        """The tail that was not shown yet."""
        return self._held

    def feed(self, delta: str) -> str:
        """The text that may be shown now: all but a tail that can still become a token (at most 20 characters)."""
        if not self._held and delta.isascii() and hinted(self._vault.kinds).search(delta) is None:
            self._before = delta[-1:] or self._before
            return delta
        self._held += delta
        text = fold(self._held)
        keep = self._tail(text)
        return self._emit(text, keep)

    def finish(self) -> str:
        """The rest; a token that was cut stays as it is."""
        return self._emit(fold(self._held), len(self._held))

    def _emit(self, text: Folded, upto: int) -> str:
        out, at, raw = [], 0, text.text
        for found in find_tokens(self._vault, text, self._before):
            if found.start >= upto:
                break
            out += [raw[at : found.start], _shown(self._vault, found.token)]
            self.restored.append(found.token)
            at = found.end
        out.append(raw[at : max(at, upto)])
        upto = max(at, upto)
        self._before = raw[upto - 1] if upto else self._before
        self._held = raw[upto:]
        return "".join(out)

    def _tail(self, text: Folded) -> int:
        """Original offset at which the undecided tail begins (the length of the text if there is none)."""
        raw, shadow = text.text, text.shadow
        pattern, size = unfinished(self._vault.kinds), len(shadow)
        at = max(0, size - HOLD - 1)
        while match := pattern.search(shadow, at):
            start = text.tight(match.start(), match.start() + 1)[0]
            ahead = raw[start - 1] if start else self._before
            if not joins(ahead) and len(raw) - start <= HOLD and not self._settled(text, match.start()):
                return start
            at = match.start() + 1
        return len(raw)

    def _settled(self, text: Folded, begin: int) -> bool:
        """True where invisible characters after the last letter already end what could have been a token."""
        if text.starts is None or spelt(self._vault.kinds).fullmatch(text.shadow, begin) is None:
            return False
        return text.tight(begin, len(text.shadow))[1] < len(text.text)


def _shown(vault: Vault, token: str) -> str:
    entry = vault.value_of(token)
    return token if entry is None else entry.value


def restore_text(vault: Vault, text: str) -> str:
    """The text with every token of this vault replaced by its value; unknown placeholders stay visible."""
    stream = StreamRestorer(vault)
    return stream.feed(text) + stream.finish()


def restore_arguments(vault: Vault, value: Any, id_fields: Collection[Path] = (), keep: Collection[Path] = ()) -> Any:
    """Plain JSON with its tokens restored, ready for validation.

    At `id_fields` (paths of field names, `*` for items of lists and values of mappings) and under the keys
    `id`, `ids`, `…_id` and `…Id` a person's token becomes the host's id, anywhere else the person's name. Paths in
    `keep` stay as they are (egress, TOOL-13). Raises UnknownToken for a placeholder that this vault never issued,
    wherever it stands.
    """
    return _Arguments(vault, frozenset(id_fields), frozenset(keep)).walk(value, ())


@dataclass(frozen=True, slots=True)
class _Arguments:
    vault: Vault
    id_fields: frozenset[Path]
    keep: frozenset[Path]

    def walk(self, value: Any, path: Path) -> Any:
        if isinstance(value, dict):
            return {self.text(key, False, False): self.walk(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.walk(item, (*path, "*")) for item in value]
        if isinstance(value, str):
            return self.text(value, self._is_id(path), any(_covers(one, path) for one in self.keep))
        return value

    def _is_id(self, path: Path) -> bool:
        names = [part for part in path if part != "*"]
        if names and (names[-1] in ("id", "ids") or names[-1].endswith(("_id", "_ids", "Id", "Ids"))):
            return True
        return any(_covers(one, path) for one in self.id_fields)

    def text(self, value: str, identity: bool, keep: bool) -> str:
        shadow = fold(value)
        found = list(find_tokens(self.vault, shadow))
        _refuse_unknown(self.vault, shadow, found)
        if keep or not found:
            return value
        bare = value.strip(_WRAPPING)
        if len(found) == 1 and value[found[0].start : found[0].end] in (bare, bare + "s"):
            return self._value(found[0].token, identity)
        out, at = [], 0
        for one in found:
            out += [value[at : one.start], self._value(one.token, identity)]
            at = one.end
        return "".join([*out, value[at:]])

    def _value(self, token: str, identity: bool) -> str:
        own = self.vault.id_of(token) if identity else None
        return own if own is not None else _shown(self.vault, token)


def _covers(pattern: Path, path: Path) -> bool:
    return len(pattern) == len(path) and all(one in ("*", part) for one, part in zip(pattern, path, strict=True))


def _refuse_unknown(vault: Vault, text: Folded, found: list[Found]) -> None:
    for start, end in shaped(text.shadow, vault.kinds):
        begin, stop = text.tight(start, end)
        if not any(one.start <= begin and stop <= one.end for one in found):
            raise UnknownToken
