"""Birth dates: a word for birth and a date beside it, in figures and in words, in English and Spanish.

Source: contract RED-4, "detected".
"""

import re

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?|ene|abr|ago|dic|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre"
    "|setiembre|octubre|noviembre|diciembre)"
)
_BIRTH = (
    r"born|b\.(?= ?\d)|birth(?:[ _]?day|[ _]?date)?|date[ _]of[ _]birth|d\.?o\.?b\.?|naci(?:do|da|o|miento)?"
    r"|cumple(?:anos)?|f(?:ec(?:ha)?)?[._]?\s?(?:de )?nac(?:imiento)?\.?|nac\.|f\.? ?n\.(?= ?:? ?\d)"
)
_COUNT = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|oh"
    "|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\\w+|veinte|veinti\\w+"
    "|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien|novecientos|mil)"
)
_NTH = (
    "(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    "|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|thirtieth)"
)
_YEAR = rf"(?:\d{{2,4}}|{_COUNT}(?:[ -](?:(?:and|y) )?{_COUNT}){{1,4}})"
_DAY = rf"(?:\d{{1,2}}(?:st|nd|rd|th|[oº.])?|{_NTH}|primero|{_COUNT}(?: y {_COUNT})?)"
_DATES = (
    r"\d{4} ?[-/.] ?\d{1,2} ?[-/.] ?\d{1,2}",
    r"\d{1,2} ?[-/. ] ?\d{1,2} ?[-/. ] ?\d{2,4}",
    r"(?:19|20)\d{6}",
    rf"{_DAY}(?: de | of | |[-/.]){_MONTH}\b\.?(?:,?(?: del?)?[ -/.]{{1,2}}{_YEAR})?",
    rf"{_MONTH}\.? (?:the )?{_DAY}(?:,? {_YEAR})?",
    r"(?:19|20)\d\d",
)
_HINTS = ("born", "birth", "nac", "cumple", "b.", "dob", "d.o", "f.n", "f. n")


def spoken_of(shadow: str) -> bool:
    """True where a text may speak of a birth; cheap to ask."""
    low = shadow.lower()
    return any(hint in low for hint in _HINTS)


BORN = re.compile(
    rf"(?<![^\W_])(?:{_BIRTH})(?![^\W_])[\w\s.:,()=\"'/-]{{0,24}}?(?<![^\W_])(?P<date>{'|'.join(_DATES)})(?![^\W_])",
    re.IGNORECASE,
)
"""Group `date` is what is personal."""
