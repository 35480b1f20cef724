"""The shape of placeholders: how one is spelt, recognised in what a model made of it, and proposed from a hash.

Source: contract RED-3, RED-7. A token is `KIND_` and three syllables; no syllable ends in a consonant and
`s` is not among the letters, so a plural `s` can always be told from the token.
"""

import hmac
import re
from collections.abc import Collection
from functools import lru_cache

CONSONANTS = "bdfgklmnprtvz"
VOWELS = "aeiou"
HOLD = 20
"""The longest spelling of a token that is recognised, in characters; a stream never holds back more."""

KINDS = frozenset(
    {"PERSON", "PATIENT", "CUSTOMER", "PHONE", "EMAIL", "ID", "ADDRESS", "DATE", "IBAN", "CARD", "ACCOUNT", "IP"}
)
"""Kinds whose tokens are recognised as such even where a vault has not issued one yet."""

_RUDE = re.compile(
    "puta|puto|pute|pedo|peda|kaka|kaga|kago|pipi|popo|pito|teta|kulo|kula|mamad|polla|foda|fode|nazi|nigo|niga|nege"
    "|negro|penil|zora|marika|mariko|bobo|boba|tonto|tonta|memo|lelo|lela|gili|idiot|loko|feto|gordo|gorda|tarado"
    "|tarada|retar|rape|rapo|vagi|anal|puki|fuk|dik|kok|tit|bite|fago|fage|dike|dago|paki|kike|lepra|mata|mato|muere"
    "|tumor|bomba|pube|ebol|vomi|libido|porno|erot|lolit|gozo|guro|kanker|morib|muda|mudo|zorr|ladro|golfo|golfa"
)


def rude(letters: str) -> bool:
    """True where six letters hold a stem that nobody should read beside a person's name."""
    return _RUDE.search(letters) is not None


def kind_word(kind: str, subject: str | None = None) -> str:
    """The word before the underscore: the entity for a person the host knows, PERSON for any other name."""
    if subject is not None and is_name(kind, subject):
        kind = subject.partition(":")[0]
    elif is_name(kind):
        kind = "PERSON"
    return _word(kind)


@lru_cache(maxsize=1024)
def _word(kind: str) -> str:
    letters = re.sub("[^A-Z]", "", kind.upper())[:12]
    return letters if len(letters) > 1 else "VALUE"


_NAMES = frozenset(
    {"NAME", "PERSON", "FIRST_NAME", "LAST_NAME", "FULL_NAME", "GIVEN_NAME", "SURNAME", "NICKNAME", "HANDLE"}
)


def is_name(kind: str, subject: str | None = None) -> bool:
    """True for kinds that name a person; the entity of the subject itself counts (its id is that person)."""
    upper = kind.upper()
    return upper in _NAMES or (subject is not None and upper == subject.partition(":")[0].upper())


def propose(secret: bytes, word: str, key: str, attempt: int) -> str:
    """The token that a keyed hash proposes for a value; another attempt proposes another. Never rude."""
    salt = 0
    while True:
        message = f"{word}\0{key}\0{attempt}\0{salt}".encode()
        number = int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big")
        letters = ""
        for _ in range(3):
            number, syllable = divmod(number, len(CONSONANTS) * len(VOWELS))
            letters += CONSONANTS[syllable // len(VOWELS)] + VOWELS[syllable % len(VOWELS)]
        if not rude(letters):
            return f"{word}_{letters}"
        salt += 1


_C, _V = f"[{CONSONANTS}]", f"[{VOWELS}]"
_LETTERS = f"(?:{_C}{_V}){{3}}"
_JOINTS = ("_", "\\_", "\\\\_", "-", "\\-", "&#95;", "&#x5f;", "&lowbar;", "%5f", "%20", "&nbsp;", "&#160;")
_SEPARATORS = tuple(
    sorted(
        {before + joint + after for joint in _JOINTS for before in ("", " ") for after in ("", " ")} | {" "},
        key=lambda one: (-len(one), one),
    )
)
_SEPARATOR = "(?:" + "|".join(re.escape(one) for one in _SEPARATORS) + ")"
_STARTED = "(?:" + "|".join(sorted({re.escape(one[:n]) for one in _SEPARATORS for n in range(1, len(one))})) + ")"


@lru_cache(maxsize=256)
def spelt(kinds: frozenset[str]) -> re.Pattern[str]:
    """Finds tokens of these kinds in any accepted spelling: groups kind, letters, plural."""
    words = "|".join(sorted(kinds, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?P<kind>{words}){_SEPARATOR}(?P<letters>{_LETTERS})(?P<plural>s?)", re.IGNORECASE | re.ASCII)


@lru_cache(maxsize=256)
def unfinished(kinds: frozenset[str]) -> re.Pattern[str]:
    """Finds a tail of a text that is, or with more text can become, a token of these kinds."""
    tail = "".join(f"(?:{atom}" for atom in (_C, _V, _C, _V, _C, _V, "s")) + ")?" * 7
    words = []
    for kind in sorted(kinds):
        whole = f"(?:{_STARTED}|{_SEPARATOR}{tail})?"
        words.append(kind[0] + "".join(f"(?:{letter}" for letter in kind[1:]) + whole + ")?" * (len(kind) - 1))
    return re.compile(rf"(?:{'|'.join(words)})\Z", re.IGNORECASE | re.ASCII)


@lru_cache(maxsize=256)
def hinted(kinds: frozenset[str]) -> re.Pattern[str]:
    """Finds where a plain ASCII text may begin a token: the first two letters of a kind, or one at its end."""
    starts = "|".join(sorted({kind[:2] for kind in kinds} | {kind[0] + r"\Z" for kind in kinds}))
    return re.compile(rf"(?<![A-Za-z0-9])(?:{starts})", re.IGNORECASE | re.ASCII)


_UNDERSCORE = r"(?:\\{0,2}_|%5[fF]|&#95;|&#[xX]5[fF];|&lowbar;)"
_STRICT = re.compile(rf"(?<![A-Za-z0-9])[A-Z]{{2,12}}{_UNDERSCORE}{_LETTERS}s?(?![A-Za-z0-9])")


@lru_cache(maxsize=256)
def _claimed(kinds: frozenset[str]) -> re.Pattern[str]:
    words = "|".join(sorted(kinds))
    return re.compile(
        rf"(?<![A-Za-z0-9])(?:(?:{words})\\?_[a-z]{{6}}(?![A-Za-z0-9_])"
        rf"|(?i:(?:{words}){_UNDERSCORE}{_LETTERS}s?)(?![A-Za-z0-9]))"
    )


def shaped(shadow: str, kinds: Collection[str]) -> list[tuple[int, int]]:
    """Spans that claim to be tokens, issued or not: strict spelling of any kind, or a known kind in any case.

    The underscore may be escaped in any way that is undone in an issued one.
    """
    if "_" not in shadow and "%" not in shadow and "&" not in shadow:
        return []
    spans = {match.span() for pattern in (_STRICT, _claimed(frozenset(kinds))) for match in pattern.finditer(shadow)}
    return sorted(spans)
