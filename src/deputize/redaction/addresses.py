"""Street addresses by their form, in English and Spanish: a word for a way, its name, a number.

Source: contract RED-4, "detected" (persons and addresses).
"""

import re
from collections.abc import Iterator

from deputize.redaction.fold import Folded
from deputize.redaction.matching import DIGIT
from deputize.redaction.spans import GUESS, Span

_WAYS_ES = (
    r"calle|c/|cl\.?|avenida|avda\.?|av\.|plaza|pza\.?|pl\.|paseo|rambla|ronda|camino|callejon|pasaje|travesia|via|vial"
    r"|carretera|ctra\.?|urbanizacion|urb\.|glorieta|alameda|po|cuesta|acceso|canada|pasadizo|poligono|barrio|carrer|rua"
    r"|avinguda|placa"
)
_PARTICLE = "(?i:de|del|la|las|los|el|y)"
_NAME = r"[A-Z][\w'.-]{1,24}"
_NUMBER = r"(?:(?i:n[ou]?\.?\s?|n[ou]m(?:ero|\.)?\s|km\.?\s?|parcela\s|portal\s|bloque\s)?\d{1,4}\b|(?i:s/n)\b)"
_DOOR = (
    r"(?:,?\s?(?i:\d{1,2}\s?[a-z]{0,2}|puerta|piso|apt\.?|esc\.?|bajo|izq?d?a?\.?|dcha?\.?|[a-d])\b\.?\s?\d{0,3}){0,4}"
    r"(?:,?\s\d{5}\b)?"
)
_SPANISH = re.compile(
    rf"(?<!\w)(?i:{_WAYS_ES})\s?(?:{_PARTICLE}\s){{0,3}}(?:\d{{1,2}} (?i:de) )?{_NAME}"
    rf"(?:\s(?:{_PARTICLE}|{_NAME})){{0,6}},?\s?{_NUMBER}{_DOOR}"
)
_NO_NAME = "(?:desde|hasta|sobre|entre|para|con|por|tiene|hay|cortada|cerrada|abierta|libre|numero|principal|que)"
_WRITTEN_SMALL = re.compile(
    rf"(?<!\w)(?:calle|c/|avenida|avda\.?|paseo de)\s?(?:(?:de|del|la|las|los|el)\s){{0,2}}"
    rf"(?!{_NO_NAME}\b)[a-z]{{3,24}}(?:\s(?!{_NO_NAME}\b)[a-z]{{2,24}}){{0,4}},?\s{_NUMBER}{_DOOR}"
)
"""A street in small letters: only behind a word that is always one."""
_AFTER_LABEL = re.compile(
    r"(?<!\w)(?i:domicilio|direccion|address|vive en|domiciliad[oa] en|lives (?:at|on))\s?:?\s{1,2}"
    rf"(?P<value>[A-Z0-9][\w'.-]{{1,24}}(?:\s(?:{_PARTICLE}|[A-Z][\w'.-]{{1,24}})){{0,5}},?\s{_NUMBER}{_DOOR})"
)
_GREAT = re.compile(rf"(?<!\w)(?i:gran via)(?:\s(?:{_PARTICLE}|{_NAME})){{0,5}},?\s{_NUMBER}{_DOOR}")
_SMALL_EN = re.compile(r"(?<![\w.,#])\d{1,5}[a-z]? (?:[a-z]{3,20} ){1,3}(?:street|avenue|road|lane|boulevard)\b")
_BEHIND = re.compile(rf"(?<!\w)(?:{_NAME} ){{1,3}}(?:Street|Avenue|Road|Lane|Boulevard|St\.|Rd\.|Ave\.),? \d{{1,5}}\b")
_WAYS_EN = (
    "street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq|way|terrace|circle|cir"
    "|trail|parkways?|pkwy|highway|hwy|alley|crescent|close|grove|hills?|row|walk|path|plaza|loop|pike|mews|gardens?"
    "|heights|ridges?|views?|crossing|crossroads?|run|pass|parks?|lodge|roads|streets|lakes?|islands?|springs?"
    "|mountains?|meadows?|forks?|forge|fort|ford|harbors?|isle|junctions?|keys?|knolls?|landing|locks?|manors?|mills?"
    "|mission|motorway|neck|orchard|oval|overpass|plains?|points?|ports?|prairie|ranch|rapids?|rest|river|route|rue"
    "|shoals?|shores?|skyway|squares|station|stream|summit|throughway|trace|track|tunnel|turnpike|underpass|unions?"
    "|valleys?|via|viaduct|villages?|vista|walks|wall|ways|wells?|extensions?|estates?|falls|ferry|fields?|flats?"
    "|freeway|gateway|glens?|greens?|groves|haven|hollow|inlet|bypass|camp|canyon|cape|causeway|centers?|circles"
    "|cliffs?|club|common|corners?|course|courts|coves?|creek|crest|curve|dale|dam|divide|drives"
)
_ENGLISH = re.compile(
    rf"(?<![\w.,#])\d{{1,6}}[A-Za-z]?,?\s(?:[NSEW]\.?\s)?"
    rf"(?:(?:[A-Z][\w'.-]{{0,24}}|\d{{1,3}}(?:st|nd|rd|th))\s){{1,4}}(?i:{_WAYS_EN})\b\.?(?:\s[NS][EW]\b)?"
    r"(?:,?\s(?i:suite|ste\.?|apt\.?|apartment|unit|floor|#)\s?\w{1,5})?"
)
_BOX = re.compile(
    r"(?<!\w)(?:P\.? ?O\.? ?Box|PSC|(?:Apartado|Apdo\.?)(?: de correos)?) \d{1,6}(?:,? Box \d{1,6})?", re.IGNORECASE
)


def find(text: Folded) -> list[Span]:
    """Street addresses in a text."""
    if DIGIT.search(text.shadow) is None and "s/n" not in text.shadow:
        return []
    return [Span(*text.span(start, end), "ADDRESS", None, GUESS) for start, end in _find(text.shadow)]


_LOOSE = (
    (("calle", "c/", "avenida", "avda", "paseo de"), _WRITTEN_SMALL),
    (("gran v",), _GREAT),
    (("street", "avenue", "road", "lane", "boulevard"), _SMALL_EN),
    (("street", "avenue", "road", "lane", "boulevard", "st.", "rd.", "ave."), _BEHIND),
    (("domicili", "direccion", "address", "vive en", "lives "), _AFTER_LABEL),
)
"""Forms that are looked for only where a text has one of their words."""


def _find(shadow: str) -> Iterator[tuple[int, int]]:
    for pattern in (_SPANISH, _ENGLISH, _BOX):
        for match in pattern.finditer(shadow):
            yield match.span()
    low = shadow.lower()
    for needed, pattern in _LOOSE:
        if any(word in low for word in needed):
            for match in pattern.finditer(shadow):
                yield match.span("value" if "value" in pattern.groupindex else 0)
