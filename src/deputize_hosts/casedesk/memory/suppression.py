"""Which facts the store refuses: those that would tell the desk to overlook or settle a finding (ADR-0102).

A word list is the first line, and it can be worked around by wording. The second is that nothing reads memories
but the search: neither the gate nor the list of discrepancies asks them, so that what slips through silences nothing.
"""

import re
import unicodedata

_SILENCE = (
    r"ignor\w*|suppress\w*|dismiss\w*|overlook\w*|disregard\w*|hide|hidden|mute\w*|silenc\w*|skip\w*|whitelist\w*"
    r"|waiv\w*|exempt\w*|omit\w*|pass(?:es|ed)? over|auto.?(?:approve|resolve|clear)\w*|oculta\w*|suprim\w*"
    r"|descart\w*|salta\w*|silencia\w*|exim\w*|exent\w*"
)
_NEVER = (
    r"(?:never|not|no longer|do not|don'?t|stop|without|nunca|no|ya no|deja de|sin)\W+(?:\w+\W+){0,3}?"
    r"(?:flag\w*|rais\w*|report\w*|escalat\w*|check\w*|show\w*|mention\w*|review\w*|verif\w*|ask\w*|investigat\w*"
    r"|marc\w*|avis\w*|inform\w*|escal\w*|comprueb\w*|comprob\w*|muestr\w*|mostr\w*|mencion\w*|revis\w*|pregunt\w*)"
)
_SETTLED = (
    r"false positives?|falsos? positivos?"
    r"|already (?:cleared|resolved|settled|approved)|ya (?:resuelt|aprobad|aclarad)\w*"
    r"|(?:treat|consider|regard|count|trata\w*|considera\w*|da\w*)\W+(?:\w+\W+){0,6}?"
    r"(?:resolved|cleared|closed|approved|verified|fine|ok|settled|resuelt\w*|cerrad\w*|aprobad\w*|verificad\w*|bien)"
    r"|always (?:approve|accept|clear|resolve)\w*|siempre (?:aprob|acept|resolv)\w*"
)
_FORBIDDEN = re.compile(rf"\b(?:{_SILENCE}|{_NEVER}|{_SETTLED})\b")


def suppresses(fact: str) -> bool:
    """True where the fact would have somebody overlook, hide or settle findings; accents and case do not matter."""
    folded = unicodedata.normalize("NFKD", fact)
    plain = "".join(c for c in folded if not unicodedata.combining(c) and unicodedata.category(c) != "Cf").casefold()
    return _FORBIDDEN.search(" ".join(plain.split())) is not None
