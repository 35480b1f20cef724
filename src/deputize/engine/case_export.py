"""The pack of one case for a regulator: its entries with proofs, its transcript, the host's rows, a page to read."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.actor import Actor
from deputize.core.approval import Approval
from deputize.core.chain import Draft
from deputize.core.clock import iso
from deputize.core.errors import Invalid, Unavailable
from deputize.engine import access, auditing
from deputize.engine.card_dto import to_dto
from deputize.engine.case_page import Told, render
from deputize.engine.naming import names_of
from deputize.engine.wiring import Wiring
from deputize.store import approvals, audit_read, calls, conversations
from deputize.store.about import runs_about
from deputize.store.export import Selection, write_pack

MOST_RUNS = 500
PAGE, RECORDS = "case.html", "records.json"
PEOPLE = ("owner", "decided_by")


@dataclass(frozen=True, slots=True)
class CaseFile:
    """What belongs to a case: payload fields of entries with the ids that they may hold, the case's own id first;
    further runs; and the host's own tables (title → rows of caption → text)."""

    title: str
    fields: Mapping[str, Sequence[str]]
    runs: frozenset[str] = frozenset()
    records: Mapping[str, Sequence[Mapping[str, str]]] = field(default_factory=dict)

    @property
    def ids(self) -> frozenset[str]:
        """Every id that stands for the case."""
        return frozenset(ident for ids in self.fields.values() for ident in ids)


async def export_case(w: Wiring, actor: Actor, case: CaseFile, path: Path) -> int:
    """Write the pack to `path`; the number of entries in it.

    The export is an entry of the case itself, which holds the hashes of transcript and host's rows; the pack's
    checkpoint stands above it. Raises Forbidden, Invalid for a case without an id or of more than 500 runs,
    Unavailable where the deployment has no key or the chain is not what was signed.
    """
    access.require(w, actor, "supervise")
    files = auditing.files_of(w)
    if not case.ids:
        raise Invalid("A case needs an id.", field="fields")
    async with w.db.read() as conn:
        about = await runs_about(conn, actor.tenant, case.ids, MOST_RUNS + 1)
        runs = [*about, *sorted(case.runs.difference(about))]
        if len(runs) > MOST_RUNS:
            raise Invalid("The case has too many conversations for one pack.", field="runs", maximum=MOST_RUNS)
        said = [part for run in runs for part in await transcript(conn, actor.tenant, run)]
    records = json.dumps({name: list(rows) for name, rows in case.records.items()}, ensure_ascii=False, indent=1)
    await _note(w, actor, case, runs, said, records)
    _, fault = await auditing.sign(w, actor.tenant, files)
    if fault is not None:
        raise Unavailable("The chain is not the one that was signed; nothing was exported.", fault=fault)
    notes = auditing.notes_of(files, actor.tenant)
    chosen = Selection(runs=frozenset(runs), fields={name: frozenset(ids) for name, ids in case.fields.items()})
    async with w.db.read() as conn:
        entries = await _entries(conn, actor.tenant, chosen)
    names = await names_of(w, actor, _people(entries))
    told = Told(case.title, iso(w.clock.now()), entries, said, case.records, names, files.trusted(actor.tenant).vkey())
    async with w.db.read() as conn:
        return await write_pack(
            conn,
            actor.tenant,
            path,
            w.clock.now(),
            notes=notes,
            selection=chosen,
            transcript=said,
            extra={PAGE: render(told), RECORDS: records},
        )


async def _note(
    w: Wiring, actor: Actor, case: CaseFile, runs: Sequence[str], said: Sequence[Any], records: str
) -> None:
    """The entry names the case in each payload field, so that it stands in the very selection that it made."""
    lines = "".join(json.dumps(item, sort_keys=True) + "\n" for item in said)
    payload = {
        "runs": len(runs),
        "transcript_sha256": hashlib.sha256(lines.encode()).hexdigest(),
        "records_sha256": hashlib.sha256(records.encode()).hexdigest(),
        **{name: ids[0] for name, ids in case.fields.items() if ids},
    }
    async with w.db.write(actor.tenant, "case-exported") as tx:
        tx.note(Draft("case_exported", actor.id, payload))


async def _entries(conn: AsyncConnection, tenant: str, chosen: Selection) -> list[dict[str, Any]]:
    """The case's entries as plain data, in order; an erased payload is None."""
    found = []
    async for batch in audit_read.stream(conn, tenant):
        for row in batch:
            header = json.loads(row.header)
            if chosen.holds(header, row.payload):
                found.append({**header, "said": json.loads(row.payload) if row.payload else None})
    return found


def _people(entries: Iterable[Mapping[str, Any]]) -> set[str]:
    people = {str(entry["actor"]) for entry in entries}
    for entry in entries:
        people |= {str(entry["said"][name]) for name in PEOPLE if entry["said"] and entry["said"].get(name)}
    return people


async def transcript(conn: AsyncConnection, tenant: str, run: str) -> list[dict[str, Any]]:
    """What is retained of a run: messages in clear, then its calls with what was shown before each decision."""
    messages = [
        {"type": "message", "run": run, "at": iso(row["created_at"]), "role": row["role"], "text": row["clear"]}
        for row in await conversations.of_run(conn, tenant, run)
        if row["clear"]
    ]
    made = [
        {
            "type": "call",
            "run": run,
            "id": call.id,
            "at": iso(call.created_at) if call.created_at else None,
            "tool": call.tool,
            "arguments": call.arguments,
            "outcome": call.outcome.value if call.outcome else None,
            "code": call.code,
            "result": call.result,
            "shown": [_shown(one) for one in await approvals.of_call(conn, tenant, call.id)],
        }
        for call in await calls.of_run(conn, tenant, run)
    ]
    return [*messages, *made]


def _shown(approval: Approval) -> dict[str, Any]:
    return {
        "approval": approval.id,
        "status": approval.status.value,
        "digest": approval.digest,
        "decided_by": approval.decided_by,
        "decided_at": iso(approval.decided_at) if approval.decided_at else None,
        "preview": to_dto(approval.preview, None).model_dump(by_alias=True, mode="json"),
    }
