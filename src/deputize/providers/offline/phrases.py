"""The planner's own sentences, in Spanish and English."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from deputize.providers.offline.display_es import FIELDS
from deputize.providers.offline.lexicon import named_by, shown
from deputize.providers.offline.schema import Arg

_DAYS = {
    "es": ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo"),
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}
_MONTHS = {
    "es": ("enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
           "noviembre", "diciembre"),
    "en": ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December"),
}  # fmt: skip

_TEXTS: Mapping[str, Mapping[str, str]] = {
    "not_found": {
        "es": "No he encontrado {kind} para «{words}». Escríbelo de otra forma o dame otro dato.",
        "en": "I found no {kind} for “{words}”. Try another spelling or give me another detail.",
    },
    "several": {
        "es": "Hay varios resultados ({kind}) para «{words}». ¿Cuál es?",
        "en": "There are several matches ({kind}) for “{words}”. Which one is it?",
    },
    "which_day": {"es": "¿De qué día ({kind})?", "en": "Which day is it on ({kind})?"},
    "which": {"es": "¿Para quién o para qué ({kind})?", "en": "For whom or for what ({kind})?"},
    "which_of": {"es": "¿Cuál ({kind})?", "en": "Which one ({kind})?"},
    "what_hour": {"es": "¿A qué hora?", "en": "At what time?"},
    "what_day": {"es": "¿Para qué día?", "en": "For which day?"},
    "what_both": {"es": "¿Para qué día y a qué hora?", "en": "For which day, and at what time?"},
    "one_of": {"es": "¿Cuál de estas opciones ({what})?", "en": "Which of these ({what})?"},
    "how_much": {"es": "¿Qué cifra ({what})?", "en": "What figure ({what})?"},
    "what_text": {"es": "¿Qué pongo en «{what}»?", "en": "What shall I put for “{what}”?"},
    "address": {"es": "¿A qué dirección o número ({what})?", "en": "To which address or number ({what})?"},
    "taken": {
        "es": "{when} no está libre. Lo más cercano es:",
        "en": "{when} is not free. The nearest times are:",
    },
    "none_free": {"es": "No hay nada libre {when}. ¿Otro día?", "en": "Nothing is free {when}. Another day?"},
    "can_do": {"es": "Puedo ayudarte con cosas como:", "en": "I can help with things like:"},
    "unclear": {"es": "No estoy seguro de lo que necesitas.", "en": "I am not sure what you need."},
    "hello": {"es": "Hola.", "en": "Hello."},
    "thanks": {"es": "De nada.", "en": "You are welcome."},
    "me": {
        "es": "Soy el planificador incorporado, no un modelo de lenguaje: reconozco frases parecidas a los ejemplos y "
        "nunca cambio nada sin que lo apruebes.",
        "en": "I am the built-in planner, not a language model: I recognise sentences like the examples and never "
        "change anything without your approval.",
    },
    "dropped": {"es": "De acuerdo, lo dejo. No he hecho nada.", "en": "All right, I leave it. Nothing was done."},
    "rejected": {"es": "De acuerdo, no he hecho nada.", "en": "All right, I have not done anything."},
    "expired": {
        "es": "La propuesta caducó sin decisión; no he hecho nada. Pídemelo otra vez si aún lo quieres.",
        "en": "The proposal expired undecided; nothing was done. Ask again if you still want it.",
    },
    "stale": {
        "es": "Los datos cambiaron mientras tanto; no he hecho nada. Pídemelo otra vez.",
        "en": "The data changed in the meantime; nothing was done. Please ask again.",
    },
    "refused": {"es": "No se puede hacer.", "en": "That cannot be done."},
    "invalid": {
        "es": "Algún dato no es válido y no se ha hecho nada.",
        "en": "Some value is not valid; nothing was done.",
    },
    "blocked": {
        "es": "Se ha bloqueado por seguridad y no se ha hecho nada.",
        "en": "It was blocked for safety; nothing was done.",
    },
    "failed": {"es": "Ha fallado y no se ha hecho nada.", "en": "It failed; nothing was done."},
    "unknown_effect": {
        "es": "No se sabe si llegó a salir; una persona debe comprobarlo.",
        "en": "It is not known whether it went out; a person must check.",
    },
    "options": {"es": "Opciones:", "en": "Options:"},
    "edited": {"es": "Con tus cambios en: {fields}.", "en": "With your changes to: {fields}."},
    "reason": {"es": "Motivo:", "en": "Reason:"},
    "nothing": {"es": "No hay resultados", "en": "Nothing found"},
    "more": {"es": "Se muestran {shown} de {total}.", "en": "Showing {shown} of {total}."},
    "cut": {"es": "La lista está recortada: hay más.", "en": "The list is cut: there are more."},
    "result": {"es": "resultado", "en": "result"},
    "yes": {"es": "sí", "en": "yes"},
    "no": {"es": "no", "en": "no"},
    "when": {"es": "Cuándo", "en": "When"},
    "hour": {"es": "Hora", "en": "Time"},
    "approve_hint": {"es": "Hecho", "en": "Done"},
}

_DONE: Mapping[str, Mapping[str, str]] = {
    "@book": {"es": "Hecho, reservado", "en": "Done, booked"},
    "@cancel": {"es": "Hecho, cancelado", "en": "Done, cancelled"},
    "@delete": {"es": "Hecho, eliminado", "en": "Done, deleted"},
    "@move": {"es": "Hecho, cambiado de fecha u hora", "en": "Done, moved"},
    "@create": {"es": "Hecho, creado", "en": "Done, created"},
    "@update": {"es": "Hecho, actualizado", "en": "Done, updated"},
    "@mark": {"es": "Hecho, actualizado", "en": "Done, updated"},
    "@send": {"es": "Hecho, envío en curso", "en": "Done, on its way"},
    "@record": {"es": "Hecho, anotado", "en": "Done, recorded"},
}


def say(key: str, language: str, **words: Any) -> str:
    """The sentence `key` in `language` with its gaps filled."""
    return _TEXTS[key][language].format(**words)


def done(concepts: Sequence[str], language: str) -> str:
    """`Done, …` by what the user asked for."""
    return next((_DONE[c][language] for c in concepts if c in _DONE), say("approve_hint", language))


def kind_word(kind: str, language: str, many: bool = False) -> str:
    """What people call such records; the kind itself where the dictionary has no word."""
    concepts = (kind,) if kind[:1] == "#" else named_by(kind)
    found = next((shown(c, language) for c in concepts if c[0] == "#"), None)
    word = found or kind.replace("_", " ") or say("result", language)
    if not many or word.endswith("s"):
        return word
    if language == "es" and word.endswith(("ón", "orden")):
        return {"orden": "órdenes"}.get(word, word[:-2] + "ones")
    if language == "en" and word.endswith("y"):
        return word[:-1] + "ies"
    return word + ("s" if word[-1] in "aeiou" or language == "en" else "es")


def not_found(language: str, kind: str, words: str) -> str:
    return say("not_found", language, kind=kind_word(kind, language), words=words)


def several(language: str, kind: str, words: str, lines: Sequence[str]) -> str:
    return with_choices(say("several", language, kind=kind_word(kind, language), words=words), lines)


def with_choices(text: str, lines: Sequence[str]) -> str:
    """The text and the choices as a numbered list."""
    return "\n".join([text, "", *(f"{n}. {line}" for n, line in enumerate(lines, 1))]) if lines else text


def which_day(language: str, kind: str) -> str:
    return say("which_day", language, kind=kind_word(kind, language))


def which(language: str, kind: str, listed: bool = False) -> str:
    return say("which_of" if listed else "which", language, kind=kind_word(kind, language))


def caption(key: str, language: str) -> str:
    """A heading for a field: the dictionary's word for what it names, else the name with spaces."""
    plain = key.replace("_", " ")
    if language == "en":
        return plain[:1].upper() + plain[1:]
    if plain in FIELDS:
        return FIELDS[plain]
    concepts = [c for c in named_by(plain) if c[0] == "#" and c != "#agenda"]
    named = len(concepts) == 1 or (len(concepts) == 2 and concepts[1] == "#name")
    word = shown(concepts[0], language) if named else None
    text = word or plain
    return text[:1].upper() + text[1:]


def what(arg: Arg, language: str) -> str:
    """What an argument is, for a question: the dictionary's word, else its description, else its name."""
    word = next((w for c in sorted(arg.about) if c[0] == "#" and (w := shown(c, language))), None)
    return (arg.described if language == "en" or not word else "") or word or arg.name.replace("_", " ")


def date_words(day: date, language: str, year: bool = False, weekday: bool = True) -> str:
    """`martes 1 de diciembre`, `Tuesday 1 December`."""
    name = f"{_DAYS[language][day.weekday()]} " if weekday else ""
    if language == "es":
        return f"{name}{day.day} de {_MONTHS['es'][day.month - 1]}" + (f" de {day.year}" if year else "")
    return f"{name}{day.day} {_MONTHS['en'][day.month - 1]}" + (f" {day.year}" if year else "")


def month_words(day: date, language: str) -> str:
    """`julio de 2026`, `July 2026`."""
    return f"{_MONTHS[language][day.month - 1]} {'de ' if language == 'es' else ''}{day.year}"


def moment_words(moment: datetime, language: str) -> str:
    """`martes 1 de diciembre a las 10:00`, `Tuesday 1 December at 10:00`."""
    at = "a las" if language == "es" else "at"
    return f"{date_words(moment.date(), language)} {at} {moment:%H:%M}"


def day(source: Any, work: Any) -> str:
    """The day that was said, for a sentence; empty where none was."""
    return date_words(source.day, work.language) if source is not None and source.day else ""
