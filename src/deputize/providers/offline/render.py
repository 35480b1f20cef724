"""Shows plain data to people: short descriptions, tables, lists, refusals; times in local form, ids hidden."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from deputize.providers.offline import records
from deputize.providers.offline.amounts import priced
from deputize.providers.offline.display_es import REASONS, VALUES
from deputize.providers.offline.history import Answer
from deputize.providers.offline.lexicon import named_by, shown
from deputize.providers.offline.moves import Work
from deputize.providers.offline.phrases import caption, date_words, moment_words, month_words, say
from deputize.providers.offline.words import PLACEHOLDER

_HIDDEN = ("id", "uuid", "version", "etag", "truncated")
_CELL = 120


def visible(data: Mapping[str, Any], ids: Iterable[str] = ()) -> dict[str, Any]:
    """The fields that people should see: no ids, no versions, nothing empty."""
    hide = set(ids)
    return {
        key: value
        for key, value in data.items()
        if key not in hide
        and key not in _HIDDEN
        and not key.endswith(("_id", "_version"))
        and value not in (None, "", [], {})
        and not (isinstance(value, str) and records.UUID.fullmatch(value))
    }


def describe(data: Mapping[str, Any], ids: Iterable[str], work: Work) -> str:
    """One line: the record's own values in order, each once."""
    found: list[str] = []
    moments = 0
    for value in visible(priced(data, work.language), ids).values():
        if isinstance(value, dict | list):
            continue
        moments += isinstance(records.moment(value), datetime)
        if moments > 1 and isinstance(records.moment(value), datetime):
            continue
        text = words(value, work)
        if text and text not in found:
            found.append(text)
    return " · ".join(found[:6])


def words(value: Any, work: Work, hour_only: bool = False) -> str:
    """One value as text; values of the house's enumerations in the user's language where known."""
    language = work.language
    if isinstance(value, bool):
        return say("yes" if value else "no", language)
    moment = records.moment(value)
    if isinstance(moment, datetime):
        local = work.local(moment)
        return f"{local:%H:%M}" if hour_only else moment_words(local, language)
    if moment is not None:
        return date_words(moment, language, year=True, weekday=abs((moment - work.now.date()).days) < 60)
    if isinstance(value, str):
        return _translated(value, work)
    if isinstance(value, list):
        return ", ".join(words(v, work) for v in value if not isinstance(v, dict | list))
    return "" if value is None or isinstance(value, dict) else str(value)


def field_words(key: str, value: Any, work: Work, hour_only: bool = False) -> str:
    """A field's value as text; the first day of a month is a month where the field is called so."""
    day = records.moment(value) if key.endswith("month") else None
    if day is not None and not isinstance(day, datetime) and day.day == 1:
        return month_words(day, work.language)
    return words(value, work, hour_only)


def _translated(value: str, work: Work) -> str:
    text = " ".join(value.split())
    if not text.replace("_", "").isalpha() or not text.islower() or not text.isascii():
        return text if len(text) <= _CELL else text[: _CELL - 1] + "…"
    if work.language != "es":
        return text.replace("_", " ")
    if text.replace("_", " ") in VALUES:
        return VALUES[text.replace("_", " ")]
    known = next((shown(c, "es") for c in named_by(text) if c[0] == "="), None)
    return known or work.sentences.value_words.get(text) or text.replace("_", " ")


def table(rows: Sequence[Mapping[str, Any]], ids: Iterable[str], work: Work) -> str:
    """Rows as a Markdown table, or as a list where there is one column."""
    shown_rows = [visible(row, ids) for row in rows]
    keys = list(dict.fromkeys(k for row in shown_rows for k, v in row.items() if not isinstance(v, dict)))
    keys = [k for k in keys if not all(_nested(row.get(k)) for row in shown_rows)]
    keys = _without_copies(keys, shown_rows)
    moments = [k for k in keys if any(isinstance(records.moment(r.get(k)), datetime) for r in shown_rows)]
    one_day = same_day(shown_rows, work)
    if moments:
        keys = [moments[0], *(k for k in keys if k not in moments)]
    head = [_head(k, moments, one_day, work) for k in keys]
    lines = [[_cell(row, k, moments, one_day, work) for k in keys] for row in shown_rows]
    if len(keys) == 1:
        return "\n".join(f"- {line[0]}" for line in lines)
    rule = "|" + "---|" * len(keys)
    return "\n".join(["| " + " | ".join(head) + " |", rule, *("| " + " | ".join(line) + " |" for line in lines)])


def _nested(value: Any) -> bool:
    return value is None or (isinstance(value, list) and any(isinstance(v, dict) for v in value))


def _without_copies(keys: list[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    kept: list[str] = []
    for key in keys:
        if not any(all(row.get(key) == row.get(k) for row in rows) for k in kept):
            kept.append(key)
    return kept


def same_day(rows: Sequence[Mapping[str, Any]], work: Work) -> bool:
    """All moments of all rows lie on one local day."""
    moments = [records.moment(v) for row in rows for v in row.values()]
    return len({work.local(m).date() for m in moments if isinstance(m, datetime)}) == 1


def _head(key: str, moments: Sequence[str], one_day: bool, work: Work) -> str:
    if moments and key == moments[0]:
        return say("hour" if one_day else "when", work.language)
    return caption(key, work.language)


def _cell(row: Mapping[str, Any], key: str, moments: Sequence[str], one_day: bool, work: Work) -> str:
    text = field_words(key, row.get(key), work, hour_only=one_day)
    if moments and key == moments[0] and len(moments) > 1:
        end = records.moment(row.get(moments[1]))
        if isinstance(end, datetime) and text:
            text = f"{text}–{work.local(end):%H:%M}"
    return text.replace("|", "\\|") or "–"


def fields(data: Mapping[str, Any], ids: Iterable[str], work: Work) -> str:
    """Scalar fields of one record as a list with captions."""
    lines = []
    people: set[str] = set()
    for key, value in visible(data, ids).items():
        if isinstance(value, str) and PLACEHOLDER.fullmatch(value):
            if value in people:
                continue
            people.add(value)
        if isinstance(value, dict):
            counts = [f"{words(k, work)} {words(v, work)}" for k, v in value.items() if not isinstance(v, dict | list)]
            lines += [f"- **{caption(key, work.language)}:** {', '.join(counts)}"] if counts else []
            continue
        if _nested(value):
            continue
        lines.append(f"- **{caption(_whole(key, data), work.language)}:** {field_words(key, value, work)}")
    return "\n".join(lines)


def _whole(key: str, data: Mapping[str, Any]) -> str:
    """A part of a name behind a placeholder is the whole name: two such parts are one field."""
    value = data[key]
    twice = isinstance(value, str) and PLACEHOLDER.fullmatch(value) and list(data.values()).count(value) > 1
    return "name" if twice and key.endswith("name") else key


def refusal(answer: Answer, work: Work) -> str:
    """What went wrong, the host's own words, and what would be possible instead."""
    language = work.language
    known = ("rejected", "expired", "stale", "refused", "invalid", "blocked", "unknown_effect")
    text = say(answer.outcome if answer.outcome in known else "failed", language)
    why = REASONS.get(answer.code, answer.message) if language == "es" else answer.message
    if why and answer.outcome not in ("rejected", "expired"):
        text += f" {_sentence(why)}"
    if answer.reason:
        text += f" {say('reason', language)} {_sentence(answer.reason)}"
    lines = list(alternatives(answer.alternatives, work))
    return "\n".join([text, "", say("options", language), *lines]) if lines else text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."


def alternatives(data: Any, work: Work) -> list[str]:
    """Alternatives of any shape as list items."""
    if isinstance(data, dict):
        if not any(isinstance(v, dict | list) for v in data.values()):
            line = describe(data, (), work)
            return [f"- {line}"] if line else []
        listed = any(isinstance(v, list) and v for v in data.values())
        return [
            line
            for value in data.values()
            if not listed or not isinstance(value, dict)
            for line in alternatives(value, work)
        ]
    if isinstance(data, list):
        return [line for item in data for line in alternatives(item, work)]
    text = words(data, work)
    return [f"- {text}"] if text else []
