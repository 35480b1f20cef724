"""The readable page of a case's pack: timeline, the host's rows, shown against executed, transcript; no script."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from deputize.engine.wording import visible

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .5rem; border-bottom: 1px solid #8886; }
th { font-weight: 600; } td { overflow-wrap: anywhere; }
code { font-size: .85em; overflow-wrap: anywhere; } .soft { opacity: .75; } .good { color: #1a7f37; }
.bad { color: #c62828; } blockquote { margin: .3rem 0; padding: .4rem .8rem; border-left: 4px solid #8888; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: inherit; }
@media (prefers-color-scheme: dark) { .good { color: #7ee2a0; } .bad { color: #ff9b9b; } }
@media print { body { max-width: none; margin: 0; } }
"""
EXECUTED = "tool_executed"


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that the page tells; `entries` are headers with their payload under `said`, `names` people by id."""

    title: str
    made: str
    entries: Sequence[Mapping[str, Any]]
    transcript: Sequence[Mapping[str, Any]]
    records: Mapping[str, Sequence[Mapping[str, str]]]
    names: Mapping[str, str]
    vkey: str


def render(told: Told) -> str:
    """One HTML page without script and without anything that it loads; every value is escaped."""
    parts = [
        f"<h1>{_e(told.title)}</h1>",
        f"<p class=soft>Case pack, made {_e(told.made)}. This page is for reading; what proves anything are the files "
        "beside it. Verify the whole pack without the database:</p>",
        f"<p><code>deputize audit verify &lt;this pack&gt;.zip --trust {_e(told.vkey)}</code></p>",
        "<p class=soft>Take the verifier key from the institution by another way than this pack. Records and "
        "transcript are bound to the chain by their hashes in the entry <code>case_exported</code>.</p>",
        _records(told),
        _shown_against_executed(told),
        _transcript(told),
        _timeline(told),
    ]
    head = f"<meta charset=utf-8><meta name=viewport content='width=device-width'><title>{_e(told.title)}</title>"
    return f"<!doctype html><html lang=en><head>{head}<style>{STYLE}</style></head><body>{''.join(parts)}</body></html>"


def _e(value: Any) -> str:
    """Escaped, with invisible and bidirectional characters made visible (APPR-1)."""
    return escape(visible(str(value))[0], quote=True)


def _who(told: Told, ident: Any) -> str:
    return _e(told.names.get(str(ident), str(ident or "—")))


def _records(told: Told) -> str:
    out = []
    for title, rows in told.records.items():
        captions = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th scope=col>{_e(name)}</th>" for name in captions)
        body = "".join(
            "<tr>" + "".join(f"<td>{_e(row.get(name, ''))}</td>" for name in captions) + "</tr>" for row in rows
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if rows else "<p>None.</p>"
        out.append(f"<h2>{_e(title)}</h2>{table}")
    return "".join(out)


def _shown_against_executed(told: Told) -> str:
    """Each staged call: the card that the person saw, who decided, and what the chain says was executed."""
    done = {
        entry["said"]["call"]: entry
        for entry in told.entries
        if entry["said"] and entry["kind"] == EXECUTED and "digest_executed" in entry["said"]
    }
    out = ["<h2>Shown against executed</h2>"]
    staged = [part for part in told.transcript if part["type"] == "call" and part["shown"]]
    for call in staged:
        out.append(f"<h3>{_e(call['tool'])} <span class=soft>{_e(call['at'])} · {_e(call['outcome'])}</span></h3>")
        for shown in call["shown"]:
            out.append(_card(told, shown, done.get(call["id"])))
    return "".join(out) if staged else "".join([*out, "<p>Nothing was staged.</p>"])


def _card(told: Told, shown: Mapping[str, Any], executed: Mapping[str, Any] | None) -> str:
    rows = []
    for change in shown["preview"]["changes"]:
        for field in change["fields"]:
            place = f"{change['op']} {change['caption']}"
            values = (place, field["caption"], field["before"] or "—", field["after"] or "—", ", ".join(field["marks"]))
            rows.append("<tr>" + "".join(f"<td>{_e(value)}</td>" for value in values) + "</tr>")
    head = "".join(f"<th scope=col>{name}</th>" for name in ("Row", "Field", "Before", "After", "Marks"))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    decided = f"{_e(shown['status'])} by {_who(told, shown['decided_by'])} {_e(shown['decided_at'] or '')}"
    return f"<p>Shown: <code>{_e(shown['digest'])}</code><br>Decision: {decided}</p>{table}{_executed(shown, executed)}"


def _executed(shown: Mapping[str, Any], executed: Mapping[str, Any] | None) -> str:
    if executed is None or executed["said"]["approval"] != shown["approval"]:
        return "<p>Executed: nothing.</p>"
    said = executed["said"]
    same = said["digest_executed"] == shown["digest"]
    word = "<b class=good>the same effect</b>" if same else "<b class=bad>a different effect</b>"
    rows = ", ".join(_e(row) for row in said.get("rows", ()))
    number = executed["seq"]
    return f"<p>Executed (entry {number}): <code>{_e(said['digest_executed'])}</code>, {word}. Rows: {rows}</p>"


def _transcript(told: Told) -> str:
    out = ["<h2>Transcript</h2>"]
    for part in told.transcript:
        if part["type"] == "message":
            out.append(
                f"<p class=soft>{_e(part['role'])} · {_e(part['at'])} · run <code>{_e(part['run'])}</code></p>"
                f"<blockquote><pre>{_e(part['text'])}</pre></blockquote>"
            )
        else:
            asked = json.dumps(part["arguments"], ensure_ascii=False)
            out.append(f"<p>→ <code>{_e(part['tool'])}</code> {_e(asked)} · {_e(part['outcome'])}</p>")
    return "".join(out) if told.transcript else "".join([*out, "<p>Nothing is retained.</p>"])


def _timeline(told: Told) -> str:
    rows = "".join(_line(told, entry) for entry in told.entries)
    head = "".join(f"<th scope=col>{name}</th>" for name in ("Entry", "Time (UTC)", "Kind", "Who", "What"))
    return f"<h2>Timeline</h2><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _line(told: Told, entry: Mapping[str, Any]) -> str:
    at = datetime.fromtimestamp(entry["at"] / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%S")
    what = "(erased)" if entry["said"] is None else "; ".join(_facts(entry["said"]))
    cells = (entry["seq"], at, entry["kind"], None, what)
    shown = [_who(told, entry["actor"]) if cell is None else _e(cell) for cell in cells]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in shown) + "</tr>"


def _facts(said: Mapping[str, Any]) -> Iterable[str]:
    for name, value in said.items():
        if isinstance(value, Mapping):
            yield from (f"{key}: {_short(item)}" for key, item in value.items() if item not in (None, "", [], {}))
        elif value not in (None, "", [], {}):
            yield f"{name}: {_short(value)}"


def _short(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 160 else f"{text[:160]}…"
