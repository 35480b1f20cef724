"""Which facts the store refuses: those that would tell the desk to overlook or settle a finding (ADR-0102).

Three nets, all of words: what speaks of findings or of their outcome at all belongs to the case and not to the
memory; then verbs of silencing; then verdicts on somebody. Wording gets around any list, so the second line is that
nothing reads memories but the search: neither the gate nor the list of discrepancies asks them, and what slips
through silences nothing.
"""

import re
import unicodedata

_ABOUT_FINDINGS = (
    r"discrepanc\w*|findings?|mismatch\w*|variances?|red flags?|flagg\w*|alerts?|screening"
    r"|(?:sanctions?|pep) hits?|severit\w*"
    r"|the gate|ubo fields?|in every conflict|when (?:the )?sources (?:conflict|differ)|risk (?:level|rating)s?"
    r"|discrepancia\w*|hallazgo\w*|divergencia\w*|alerta\w*|cribado\w*|gravedad\w*"
    r"|la puerta de aprobacion|nivel de riesgo|cuando las fuentes (?:difieren|discrepan)"
)
_SILENCE = (
    r"ignor\w*|suppress\w*|dismiss\w*|overlook\w*|disregard\w*|hide|hidden|mute\w*|silenc\w*|skip\w*|whitelist\w*"
    r"|waiv\w*|exempt\w*|exclud\w*|omit\w*|pass(?:es|ed)? over|leave out|blind eye|bypass\w*|fast.?track\w*|downgrad\w*"
    r"|disabl\w*|turn off|auto.?(?:approve|resolve|clear)\w*|oculta\w*|suprim\w*|descart\w*|salta\w*|silencia\w*"
    r"|exim\w*|exent\w*|exclu[iy]\w*|pasa\w* por alto|caso omiso|haz la vista gorda|desactiv\w*|sin importancia"
)
_NEVER = (
    r"(?:never|not|no longer|do not|don'?t|no need|stop|without|nunca|no|ya no|deja de|sin)\W+(?:\w+\W+){0,3}?"
    r"(?:flag\w*|rais\w*|report\w*|escalat\w*|check\w*|show\w*|mention\w*|review\w*|verif\w*|ask\w*|investigat\w*"
    r"|examin\w*|bother\w*|worry|matters?|relevant|problems?|marc\w*|avis\w*|inform\w*|escal\w*|comprueb\w*|comprob\w*"
    r"|muestr\w*|mostr\w*|mencion\w*|revis\w*|pregunt\w*|examin\w*|import\w*|hace falta|problema\w*)"
)
_SETTLED = (
    r"false positives?|falsos? positivos?|known (?:error|issue)s?|error(?:es)? conocidos?|irrelevan\w*"
    r"|(?:already|was|were|been|is|are|ya|fue|fueron|esta|estan|es|son)\W+(?:\w+\W+){0,1}?"
    r"(?:cleared|resolved|settled|approved|clean|trusted|harmless|fine|resuelt\w*|aprobad\w*|aclarad\w*|limpi[oa]s?|inofensiv\w*"
    r"|de (?:toda )?confianza)"
    r"|(?:treat|consider|regard|count|trata\w*|considera\w*|da\w*)\W+(?:\w+\W+){0,6}?"
    r"(?:resolved|cleared|closed|approved|verified|fine|ok|settled|resuelt\w*|cerrad\w*|aprobad\w*|verificad\w*|bien|buen[oa]s?)"
    r"|(?:always|siempre|accept|prefer|trust|acepta\w*|prefiere\w*|fiate)\W+(?:\w+\W+){0,2}?"
    r"(?:approve|accept|clear|resolve|version|declar\w*|statement|aprob\w*|acept\w*|resolv\w*|resuelv\w*)\w*"
)
_FORBIDDEN = re.compile(rf"\b(?:{_ABOUT_FINDINGS}|{_SILENCE}|{_NEVER}|{_SETTLED})\b")
_LETTERS_APART = re.compile(r"\b(?:\w ){3,}\w\b")
_DIGITS_FOR_LETTERS = str.maketrans("013457", "oieast")


def suppresses(fact: str) -> bool:
    """True where the fact would have somebody overlook, hide or settle findings; accents and case do not matter."""
    folded = unicodedata.normalize("NFKD", fact)
    plain = "".join(c for c in folded if not unicodedata.combining(c) and unicodedata.category(c) != "Cf").casefold()
    plain = " ".join(plain.split())
    joined = _LETTERS_APART.sub(lambda found: found[0].replace(" ", ""), plain)
    return any(_FORBIDDEN.search(text) for text in (plain, joined, plain.translate(_DIGITS_FOR_LETTERS)))
