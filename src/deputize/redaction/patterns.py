"""Values that show themselves by their form: mail, phones, national numbers, accounts, cards, labelled numbers, births.

Source: contract RED-4, "detected". Check digits are asked where there are any; where a form is common in
harmless numbers, a word that names it must stand before it.
"""

import re
from collections.abc import Iterator

import phonenumbers
from stdnum import iban, luhn
from stdnum.es import ccc, cif, dni, nie

from deputize.redaction.births import BORN, spoken_of
from deputize.redaction.canonical import REGIONS
from deputize.redaction.fold import Folded
from deputize.redaction.matching import DIGIT, EMAIL, PHONE, PHONE_LINES
from deputize.redaction.spans import PATTERN, Span

_QUOTED = re.compile(r"\"[^\"@\n]{1,64}\"@(?:[\w\-]{1,63}\.){1,8}[^\W\d_]{2,24}")
_AT = re.compile(r"[(\[{] ?(?:at|arroba) ?[)\]}]", re.IGNORECASE)
_DISGUISED = re.compile(
    rf"\w[\w.+\-]{{0,63}} ?{_AT.pattern} ?\w[\w\-]{{0,62}}"
    r"(?: ?(?:\.|[(\[{] ?(?:dot|punto) ?[)\]}]) ?[\w\-]{2,63}){1,8}",
    re.IGNORECASE,
)
_DIGITS = "zero|oh|one|two|three|four|five|six|seven|eight|nine|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve"
_SPELT = re.compile(rf"(?<!\w)(?:{_DIGITS})(?:[ ,.\-]{{1,2}}(?:{_DIGITS})){{6,14}}(?!\w)", re.IGNORECASE)
_CUE_PHONE = re.compile(
    r"(?:phone|tel|telephone|cell|mobile|fax|call|text|sms|whatsapp|number is|reach|desk|office|home|work|registered"
    r"|messages? to|telefono|tfno|tlf|movil|llam\w+|contacto?|at)[\w\s.:;,'()/-]{0,24}\Z",
    re.IGNORECASE,
)
_CUE_BEHIND = re.compile(r"[ -](?:office|fax|mobile|cell|home|desk|movil|oficina)\b", re.IGNORECASE)
_CUE_SHORT = re.compile(
    r"(?<!\w)(?:phone|tel|telephone|telefono|tfno|tlf|movil|mobile|cell|fax|whatsapp)(?: (?:is|es|number|numero))?"
    r"\W{0,3}\Z",
    re.IGNORECASE,
)
"""What makes even seven figures in a row a phone."""
_EXTENSION = re.compile(r",? ?(?:ext(?:ension|\.)?|extn\.?|x|int\.|interno|anexo) ?\d{1,6}(?!\w)", re.IGNORECASE)
_NO_DIGIT, _NO_WORD = re.compile(r"\D"), re.compile(r"[\W_]")
_AMERICAN = re.compile(r"\(?[2-9]\d\d\)?[ .\-]?\d{3}[ .\-]\d{4}\Z")
_GROUPED = re.compile(r"\d[ ().\-/]+\d")
_NATIONAL = re.compile(
    r"(?:\(?0\d{1,4}\)?(?:[ .\-/]\d{2,4}){2,4}|[6-9]\d\d([ .-])\d{3}\1\d{3}|[6-9]\d\d([ .-])\d\d\2\d\d\2\d\d)\Z"
)
_NOT_PHONE = re.compile(
    r"(?:order|ticket|case|alert|page|ref|id|code|#|orden|caso|alerta|pagina|codigo|n[ou]m)\W{0,3}\Z", re.I
)
_DATE_LIKE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d.*)?\Z")
_IBAN = re.compile(r"(?<![^\W_])[A-Za-z]{2}[ -]?\d{2}(?:[\s.-]{0,2}[A-Za-z0-9]){11,30}(?![^\W_])", re.ASCII)
_CCC = re.compile(r"(?<![^\W_])\d{4}[ -]?\d{4}[ -]?\d\d[ -]?\d{2}[ -]?\d{4}[ -]?\d{4}(?![^\W_])")
_CARD = re.compile(r"(?<![^\W_])(?<!\d\.)\d(?:[\s./_-]{0,2}\d){11,18}(?![^\W_])(?!\.\d)")
_GROUPS = re.compile(r"\d+")
_CUE_CARD = re.compile(r"(?:card|cards|credit|debit|visa|mastercard|cc|tarjeta)\b[^\n]{0,24}\Z", re.IGNORECASE)
_SSN = re.compile(r"(?<![^\W_])(?<!-)(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![^\W_])(?!-)")
_DNI = re.compile(
    r"(?<![^\W_])(?:ES[- ]?)?(?P<value>(?:[XYZxyz][- ]?)?\d{1,2}(?:\.?\d{3}\.?\d{2,3}[- ]?[A-Za-z]"
    r"|([ -])\d{3}\2\d{3}\2?[A-Z]))(?![^\W_])"
)
_CIF = re.compile(r"(?<![^\W_])[A-HJ-NP-SUVWa-hj-np-suvw][- ]?\d{7}[0-9A-Ja-j](?![^\W_])")
_IP = re.compile(r"(?<![\w.:-])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w-]|\.\w)")
_IP6 = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{1,4}:){1,7}(?::?[0-9A-Fa-f]{1,4}:?){0,6}[0-9A-Fa-f]{1,4}(?![\w:])")
_LABELS = (
    r"n\.?h\.?c|nass|nuss|n\.?s\.?s|cipa|nuhsa|cip|ss|ssn"
    r"|social(?: security)?(?: number)?|d\.?n\.?i|n\.?i\.?[ef]|passport|pasaporte"
    r"|licen[sc]e(?: number)?|licencia|carnet|tax id|medical record|mrn|historia(?: clinica)?|n[ou]\.? ?historia"
    r"|n\.? ?(?:o\.? ?)?col(?:egiado)?|numero de (?:afiliacion|colegiado|historia|la seguridad social)"
    r"|seguridad social|episodio|expediente|member(?:ship)? (?:id|number)|policy(?: number)?|poliza"
    r"|account(?: number)?|cuenta|afiliad[oa]|asegurad[oa]|permiso de conducir|carnet? de conducir"
)
_LABELLED = re.compile(
    rf"(?<![^\W_])(?:{_LABELS})(?![A-Za-z])\.?(?:[ _](?:is|es|no\.?|n[ou]mero|number|num))?[\"']?"
    r"\s{0,3}[:#=]?\s{0,3}[\"']?"
    r"(?P<value>(?=[A-Za-z]{0,6}[ \-/]?\d)(?:[A-Za-z]{1,6}[ \-/]?)?\d[A-Za-z0-9]*"
    r"(?:[ ./-][A-Za-z]?\d[A-Za-z0-9]*){0,5}(?:-[A-Za-z])?)(?![^\W_])",
    re.IGNORECASE,
)


def find(text: Folded) -> list[Span]:
    """Everything in a text that has the form of a personal value; spans may overlap."""
    shadow = text.shadow
    found: list[tuple[int, int, str]] = []
    if "@" in shadow:
        found += [(*match.span(), "EMAIL") for match in EMAIL.finditer(shadow)]
        found += [(*match.span(), "EMAIL") for match in _QUOTED.finditer(shadow)]
    if _AT.search(shadow) is not None:
        found += [(*match.span(), "EMAIL") for match in _DISGUISED.finditer(shadow)]
    found += [(*match.span(), "PHONE") for match in _SPELT.finditer(shadow)]
    if spoken_of(shadow):
        found += [(*match.span("date"), "DATE") for match in BORN.finditer(shadow)]
    if DIGIT.search(shadow) is not None:
        for search in (_ibans, _cards, _people, _labelled, _phones, _addresses):
            found += search(shadow)
    return [Span(*text.span(start, end), kind, None, PATTERN) for start, end, kind in found]


def _ibans(shadow: str) -> Iterator[tuple[int, int, str]]:
    for match in _CCC.finditer(shadow):
        if ccc.is_valid(_NO_DIGIT.sub("", match.group())):
            yield *match.span(), "ACCOUNT"
    for match in _IBAN.finditer(shadow):
        start, piece = match.start(), match.group()
        if sum(char.isdigit() for char in piece) < _FEWEST:
            continue
        for end in range(len(piece), 14, -1):
            if end < len(piece) and piece[end].isalnum() and piece[end - 1].isalnum():
                continue
            compact = _NO_WORD.sub("", piece[:end]).upper()
            if iban.is_valid(compact) or _national_length(compact):
                yield start, start + end, "IBAN"
                break


_FEWEST = 10
"""Figures that the shortest account number has at least."""
_LENGTHS = {
    "ES": 24,
    "DE": 22,
    "FR": 27,
    "GB": 22,
    "IT": 27,
    "PT": 25,
    "NL": 18,
    "BE": 16,
    "IE": 22,
    "AT": 20,
    "CH": 21,
    "PL": 28,
}


def _national_length(compact: str) -> bool:
    """A mistyped account is personal all the same: country and length suffice."""
    return _LENGTHS.get(compact[:2]) == len(compact) and sum(char.isdigit() for char in compact) > 10


def _cards(shadow: str) -> Iterator[tuple[int, int, str]]:
    for match in _CARD.finditer(shadow):
        piece = match.group()
        digits = _NO_DIGIT.sub("", piece)
        checked = luhn.is_valid(digits) and digits[0] in "23456" and len(digits) >= 13 and _grouped_as_card(piece)
        if checked or _CUE_CARD.search(shadow, max(0, match.start() - 40), match.start()):
            yield *match.span(), "CARD"


def _grouped_as_card(piece: str) -> bool:
    """Figures in one row or in groups of at least four, on two lines at most; numbers of teeth are none."""
    groups = [len(group) for group in _GROUPS.findall(piece)]
    return piece.count("\n") < 2 and all(size > 3 for size in groups[:-1])


def _people(shadow: str) -> Iterator[tuple[int, int, str]]:
    for match in _SSN.finditer(shadow):
        yield *match.span(), "ID"
    for match in _DNI.finditer(shadow):
        plain = _NO_WORD.sub("", match["value"])
        if dni.is_valid(plain) or nie.is_valid(plain):
            yield *match.span(), "ID"
    for match in _CIF.finditer(shadow):
        if cif.is_valid(match.group()):
            yield *match.span(), "ID"


def _labelled(shadow: str) -> Iterator[tuple[int, int, str]]:
    for match in _LABELLED.finditer(shadow):
        yield *match.span("value"), "ID"


def _addresses(shadow: str) -> Iterator[tuple[int, int, str]]:
    if "." in shadow:
        for match in _IP.finditer(shadow):
            yield *match.span(), "IP"
    if ":" in shadow:
        for match in _IP6.finditer(shadow):
            if match.group().count(":") >= 4 or ("::" in match.group() and re.search("[A-Fa-f]", match.group())):
                yield *match.span(), "IP"


def _phones(shadow: str) -> Iterator[tuple[int, int, str]]:
    if "\n" in shadow:
        for match in PHONE_LINES.finditer(shadow):
            if match.group()[0] in "+0" or _CUE_SHORT.search(shadow, max(0, match.start() - 24), match.start()):
                yield *match.span(), "PHONE"
    for match in PHONE.finditer(shadow):
        piece = match.group()
        if _DATE_LIKE.match(piece) or _NOT_PHONE.search(shadow, max(0, match.start() - 12), match.start()):
            continue
        if _is_phone(piece, shadow, match.start(), match.end()):
            extension = _EXTENSION.match(shadow, match.end())
            yield match.start(), extension.end() if extension else match.end(), "PHONE"


def _is_phone(piece: str, shadow: str, start: int, end: int) -> bool:
    digits = _NO_DIGIT.sub("", piece)
    if piece.startswith(("+", "00")):
        return 8 <= len(digits.removeprefix("00")) <= 15
    if _NATIONAL.match(piece) or _AMERICAN.match(piece):
        return True
    for region in REGIONS:
        try:
            number = phonenumbers.parse(digits, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_valid_number_for_region(number, region):
            return True
    grouped = _GROUPED.search(piece) is not None
    cued = _CUE_PHONE.search(shadow, max(0, start - 40), start) or _CUE_BEHIND.match(shadow, end)
    short = not grouped and len(digits) < 9
    cued = _CUE_SHORT.search(shadow, max(0, start - 30), start) if short else cued
    return 7 <= len(digits) <= 15 and cued is not None
