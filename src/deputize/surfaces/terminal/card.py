"""The server's card as lines of text; nothing in it is built from the model's words (APPR-1)."""

from collections.abc import Iterable, Iterator

from deputize.core.event import ChangeDto, FieldChangeDto, PreviewDto, ToolCallDto
from deputize.engine.wording import visible
from deputize.surfaces.terminal.words import Words

SIGNS = {"insert": "+", "update": "~", "delete": "-"}
MADE = "assigned"
"""The mark of a value that is made on saving; the value itself says so."""


def card_text(call: ToolCallDto, words: Words) -> str:
    """The whole preview with its marks in words. Each line begins with the card's edge, whatever a value holds, and
    control characters are written out: no value can draw a card of its own, or move the cursor."""
    if call.approval is None:
        return ""
    edged = "\n".join(f"│ {line}" for line in _preview(call.approval.preview, words))
    return f"┌ {_flat(call.approval.preview.title)}\n{edged}\n└\n"


def _preview(preview: PreviewDto, words: Words) -> Iterator[str]:
    for change in preview.changes:
        yield _head(change)
        yield from _fields(change.fields, words)
    for outgoing in preview.outgoing:
        yield f"→ {_flat(outgoing.caption)} ({words.outgoing})"
        yield from _fields(outgoing.fields, words)
    if preview.hidden:
        yield f"({words.hidden}: {'; '.join(map(_flat, preview.hidden))})"


def _head(change: ChangeDto) -> str:
    return " ".join([SIGNS[change.op], _flat(change.caption), *([_flat(change.label)] if change.label else [])])


def _fields(fields: Iterable[FieldChangeDto], words: Words) -> Iterator[str]:
    for one in fields:
        marks = [words.marks.get(mark, mark) for mark in one.marks if mark not in {MADE, "context"}]
        said = f"  [{', '.join(marks)}]" if marks else ""
        first, *more = visible(_value(one, words))[0].split("\n")
        yield f"    {_flat(one.caption)}: {first}{'' if more else said}"
        for number, line in enumerate(more, 1):
            yield f"      {line}{said if number == len(more) else ''}"


def _value(one: FieldChangeDto, words: Words) -> str:
    after = one.after if one.after is not None else words.nothing
    return after if one.before is None or "context" in one.marks else f"{one.before} → {after}"


def _flat(text: str) -> str:
    return " ".join(visible(text)[0].split())
