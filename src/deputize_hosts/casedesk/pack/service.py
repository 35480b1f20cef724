"""The host's own part of a case's pack: its rows as plain tables, beside the chain's entries and the transcript."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from deputize_hosts.casedesk.caller import Caller, require
from deputize_hosts.casedesk.cases import service as cases
from deputize_hosts.casedesk.cases.service import Case
from deputize_hosts.casedesk.conflicts import service as conflicts
from deputize_hosts.casedesk.trail import service as trail

EXPORT = "pack.export"
Records = Mapping[str, Sequence[Mapping[str, str]]]
"""Tables by their title: each row maps a column's caption to its text."""
MOST_EVENTS = 10_000


@dataclass(frozen=True, slots=True)
class CasePack:
    """A case, every id that stands for it (its own first), and the host's tables about it."""

    case: Case
    ids: tuple[str, ...]
    records: Records

    @property
    def title(self) -> str:
        """What the pack is called."""
        return f"{self.case.reference} · {self.case.company_name}"


async def records_of(session: AsyncSession, actor: Caller, case_id: UUID) -> CasePack:
    """The case, its discrepancies, every decision about them, and the provenance. Raises NotFound, NotAllowed."""
    require(actor, EXPORT)
    case = await cases.get(session, actor, case_id)
    found = await conflicts.of_case(session, actor, case_id)
    decisions = await conflicts.resolutions_of(session, actor, case_id)
    names = await conflicts.officers_of(session, actor, decisions)
    events = await trail.of_case(session, actor, case_id, MOST_EVENTS)
    fields = {row.id: row.field for row in found}
    tables = {
        "Case": [
            {
                "reference": case.reference,
                "company": case.company_name,
                "registration": case.registration_number,
                "country": case.country,
                "status": case.status,
                "id": str(case.id),
            }
        ],
        "Discrepancies": [
            {
                "field": row.field,
                "severity": row.severity,
                "status": row.status,
                "feeds the gate": "yes" if conflicts.feeds_gate(row) else "no",
                "values": "; ".join(f"{one['value']} ({one['source']})" for one in row.conflicting),
                "id": str(row.id),
            }
            for row in found
        ],
        "Resolutions": [
            {
                "at": one.at.isoformat(),
                "field": fields.get(one.discrepancy_id, ""),
                "decision": one.type,
                "rationale": one.rationale,
                "officer": names.get(one.officer_id, ""),
                "via": one.via,
                "id": str(one.id),
            }
            for one in decisions
        ],
        "Signal events": [
            {
                "at": event.at.isoformat(),
                "kind": event.kind,
                "record": f"{event.subject_kind}:{event.subject_id}",
                "who": event.actor_name,
                "via": event.via,
                "call": event.call,
                "id": str(event.id),
            }
            for event in reversed(events)
        ],
    }
    papers = await cases.evidence_of(session, actor, case_id)
    ids = (case.id, *(row.id for row in found), *(paper.id for paper in papers))
    return CasePack(case, tuple(map(str, ids)), tables)
