"""The patterns by which Spanish and English name days, hours and lengths of time, as regular expressions."""

from collections.abc import Mapping

WEEKDAYS: Mapping[str, int] = {
    "lunes": 0, "martes": 1, "miercoles": 2, "jueves": 3, "viernes": 4, "sabado": 5, "sabados": 5, "domingo": 6,
    "monday": 0, "tuesday": 1, "wednesday": 2, "thursday": 3, "friday": 4, "saturday": 5, "sunday": 6,
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip

MONTHS: Mapping[str, int] = {
    "enero": 1, "febrero": 2, "marzo": 3, "abril": 4, "mayo": 5, "junio": 6, "julio": 7, "agosto": 8, "septiembre": 9,
    "setiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12,
    "january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7, "august": 8, "september": 9,
    "october": 10, "november": 11, "december": 12, "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7,
    "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip

NUMBERS: Mapping[str, int] = {
    "un": 1, "una": 1, "uno": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8,
    "nueve": 9, "diez": 10, "once": 11, "doce": 12, "quince": 15, "veinte": 20, "treinta": 30, "cuarenta": 40,
    "cuarenta y cinco": 45, "cincuenta": 50, "sesenta": 60, "noventa": 90,
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40,
    "forty-five": 45, "forty five": 45, "fifty": 50, "sixty": 60, "ninety": 90,
}  # fmt: skip

_NUM = r"(?:\d{1,3}|" + "|".join(sorted(map(str, NUMBERS), key=len, reverse=True)) + r")"
_DAY_ES = r"lunes|martes|miercoles|jueves|viernes|sabados?|domingo"
_DAY_EN = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs)?|fri"
_MON_ES = r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre"
_MON_EN = (
    r"january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec"
)
_HOUR_ES = r"(?:\d{1,2}|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce)"
_HOUR_EN = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"

_EDGES = "antes de |despues de |desde |hasta |a partir de |before |after |from |until |till "
_HALF = r"am|pm|a\.m\.|p\.m\."

SHARED = (
    ("iso", r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?:t(?P<H>\d{2}):(?P<M>\d{2})(?::\d{2})?)?"),
    ("slashed", r"(?P<d>\d{1,2})[/](?P<m>\d{1,2})(?:[/](?P<y>\d{4}|\d{2}))?"),
    (
        "clock",
        rf"(?P<edge>{_EDGES})?(?:a las? |las? |at )?(?P<H>\d{{1,2}})[:.](?P<M>[0-5]\d)(?![.,]?\d)"
        rf"(?: ?(?P<ap>{_HALF})| ?h(?:oras|rs)?\b|\b(?! ?(?:€|euro|eur|%)))",
    ),
)

ES = (
    ("day+2", r"pasado manana"),
    ("day-2", r"antes de ayer|anteayer|antier"),
    ("period", r"(?:por|de|en|a) la (?P<p>manana|tarde|noche)|(?P<p2>mediodia)|a (?P<p3>primera|ultima) hora"),
    ("today_period", r"esta (?P<p>manana|tarde|noche)"),
    ("day0", r"hoy(?: mismo)?"),
    ("day-1", r"ayer"),
    ("month_day", rf"(?:dia )?(?P<d>\d{{1,2}}|primero) de (?P<m>{_MON_ES})(?: (?:de|del) (?P<y>\d{{4}}))?"),
    ("weekday", rf"(?P<pre>proximo |este |pasado )?(?P<w>{_DAY_ES})\b"
                r"(?P<post> que viene| proximo| siguiente| pasado| de la (?:semana que viene|proxima semana))?"
                rf"(?:,? (?:dia )?(?P<d>\d{{1,2}})(?: de (?P<m>{_MON_ES}))?(?! ?(?:h\b|:|de la)))?"),
    ("week+1", r"(?:la )?semana que viene|(?:la )?(?:proxima|siguiente) semana"),
    ("week-1", r"(?:la )?semana pasada"),
    ("week0", r"esta semana|(?:la )?semana actual"),
    ("month+1", r"(?:el )?mes que viene|(?:el )?(?:proximo|siguiente) mes"),
    ("month-1", r"(?:el )?mes pasado|(?:el )?ultimo mes"),
    ("month0", r"este mes|(?:el )?mes actual"),
    ("year0", r"este ano"),
    ("year-1", r"(?:el )?ano pasado"),
    ("in", rf"(?:dentro de|en|de aqui a) (?P<n>{_NUM}) (?P<u>dias?|semanas?|meses|mes|anos?|horas?)"),
    ("ago", rf"hace (?P<n>{_NUM}) (?P<u>dias?|semanas?|meses|mes|anos?)"),
    ("hour", rf"(?P<edge>{_EDGES})?(?:a|sobre|hacia)? ?las? (?P<H>{_HOUR_ES})\b(?![/%])"
             r"(?::(?P<M>\d{2})| y (?P<half>media|cuarto|diez|veinte|cinco)| (?P<less>menos cuarto|menos diez))?"
             r"(?: ?h(?:oras)?\b)?"),
    ("hour", r"(?P<H>\d{1,2}) ?h(?:oras?)?(?P<M>[0-5]\d)?\b"),
    ("month_only", rf"(?:en|de) (?P<m>{_MON_ES})(?: (?:de|del) (?P<y>\d{{4}}))?"),
    ("day_of", r"(?:el )?dia (?P<d>\d{1,2})\b"),
    ("day+1", r"manana"),
)  # fmt: skip

EN = (
    ("day+2", r"(?:the )?day after tomorrow"),
    ("day-2", r"(?:the )?day before yesterday"),
    ("day+1", r"tomorrow"),
    ("today_period", r"this (?P<p>morning|afternoon|evening)|(?P<p2>tonight)"),
    ("day0", r"today"),
    ("day-1", r"yesterday"),
    ("month_day", rf"(?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_MON_EN})\b(?:,? (?P<y>\d{{4}}))?"),
    ("month_day", rf"(?P<m>{_MON_EN})\.? (?:the )?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? (?P<y>\d{{4}}))?"),
    ("weekday", rf"(?P<pre>next |this |last |coming )?(?P<w>{_DAY_EN})\b(?P<post> next week)?"
                r"(?: (?:the )?(?P<d>\d{1,2})(?:st|nd|rd|th))?"),
    ("week+1", r"next week"),
    ("week-1", r"last week"),
    ("week0", r"this week"),
    ("month+1", r"next month"),
    ("month-1", r"last month"),
    ("month0", r"this month"),
    ("year0", r"this year"),
    ("year-1", r"last year"),
    ("in", rf"(?:in|within) (?P<n>{_NUM}) (?P<u>days?|weeks?|months?|years?|hours?)"
           rf"|(?P<n2>{_NUM}) (?P<u2>days?|weeks?|months?) from now"),
    ("ago", rf"(?P<n>{_NUM}) (?P<u>days?|weeks?|months?|years?) ago"),
    ("half", rf"(?P<edge>{_EDGES})?(?:at )?(?P<rel>half past|quarter past|quarter to) (?P<H>{_HOUR_EN})\b"
             rf" ?(?P<ap>{_HALF})?"),
    ("hour", rf"(?P<edge>{_EDGES})?(?:at )?(?P<H>{_HOUR_EN})(?:[:.](?P<M>\d{{2}}))? ?(?P<ap>{_HALF})(?![a-z])"),
    ("hour", rf"(?P<edge>{_EDGES})?at (?P<H>{_HOUR_EN})(?:[:.](?P<M>\d{{2}}))?\b(?: ?o'?clock)?"),
    ("hour", rf"(?P<H>{_HOUR_EN}) o'?clock"),
    ("noon", r"(?:at )?(?:noon|midday)"),
    ("period", r"(?:in the |on the )?(?P<p>morning|afternoon|evening|night)s?"),
    ("month_only", rf"in (?P<m>{_MON_EN})\b(?: (?P<y>\d{{4}}))?"),
    ("day_of", r"(?:on )?the (?P<d>\d{1,2})(?:st|nd|rd|th)"),
)  # fmt: skip

DURATION = (
    rf"(?P<n>{_NUM}|media|half)(?: |-)?(?:an? |de )?(?P<u>minutos?|minutes?|mins?|min|horas?|hours?|hrs?|hora)\b"
    r"(?P<half> y media| and a half)?"
)

PERIODS: Mapping[str, tuple[int, int]] = {
    "manana": (0, 14), "morning": (0, 12), "tarde": (14, 21), "afternoon": (12, 18), "evening": (17, 23),
    "noche": (20, 24), "night": (20, 24), "tonight": (17, 24), "mediodia": (12, 15), "primera": (0, 10),
    "ultima": (17, 21),
}  # fmt: skip
"""Hours from and to (exclusive) that a name of a part of the day covers."""

BEFORE_FROM = r"(?:\bdel?|\bdesde|\bfrom|\bof|\bthe)\s*(?:el |the )?$"
BEFORE_TO = r"(?:\bal?|\bpara|\bhasta|\bto|\buntil|\btill|\bfor)\s*(?:el |the )?$"
