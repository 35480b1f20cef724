"""The clinic at size: the day's page and the patient search with 50,000 patients and 500,000 appointments.

`python bench/clinic/run.py` (with `--short` a tenth of it) on SQLite and PostgreSQL; the anchor is a one-row read.
"""

import argparse
import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from bench.databases import both, database, p99
from deputize import Actor, Context, Tool
from deputize_hosts.clinic.agenda import service as agenda
from deputize_hosts.clinic.agenda.models import Appointment
from deputize_hosts.clinic.auth.models import Membership
from deputize_hosts.clinic.auth.service import Member
from deputize_hosts.clinic.main import TOOLSETS
from deputize_hosts.clinic.migrations.upgrade import upgrade
from deputize_hosts.clinic.patient_timeline.models import TimelineEvent
from deputize_hosts.clinic.patients import service as patients
from deputize_hosts.clinic.patients.fields import fold
from deputize_hosts.clinic.patients.models import Patient, PatientWords
from deputize_hosts.clinic.schedules import service as schedules
from deputize_hosts.clinic.seed.people import MARIAS, MEN, SURNAMES, WOMEN
from deputize_hosts.clinic.seed.plant import plant
from tests.hosts.clinic.people import member

NOW = datetime(2026, 3, 4, 8, 0, tzinfo=UTC)
DAY = date(2026, 3, 5)
BATCH = 5_000
SEARCHES = ("maria", "garcia lopez", "lopez garcia maria", "600 12", "nobodyatall")
CAP = 4_000
"""Characters that one document of a result may have (RUN-12); a list shows ten."""


async def crowd(engine: AsyncEngine, people: int, visits: int) -> Member:
    """The seeded clinic with so many patients and appointments more, over eight years around today."""
    await upgrade(engine)
    async with AsyncSession(engine) as session, session.begin():
        await plant(session, NOW)
    async with AsyncSession(engine) as session:
        desk = await member(session, "receptionist@demo.clinic")
        clinic = UUID(desk.tenant)
        staff = list(await session.scalars(select(Membership.id).where(Membership.clinic_id == clinic)))
    random, ids = Random(7), [UUID(int=n + 1) for n in range(people)]
    async with engine.begin() as connection:
        for start in range(0, people, BATCH):
            rows = [_person(random, own, clinic) for own in ids[start : start + BATCH]]
            await connection.execute(insert(Patient), rows)
            words = [{"patient_id": r["id"], "clinic_id": clinic, "folded": _folded(r)} for r in rows]
            await connection.execute(insert(PatientWords), words)
        for start in range(0, visits, BATCH):
            made = [_visit(random, n, clinic, staff, ids) for n in range(start, min(start + BATCH, visits))]
            await connection.execute(insert(Appointment), made)
    async with engine.connect() as connection:
        await connection.execute(text("ANALYZE"))
        await connection.commit()
    return desk


def _person(random: Random, own: UUID, clinic: UUID) -> dict[str, Any]:
    first = random.choice((*WOMEN, *MEN, *MARIAS))
    last = f"{random.choice(SURNAMES)} {random.choice(SURNAMES)}"
    mail = f"{fold(first).split()[0]}.{own.int}@example.com"
    return {
        "id": own,
        "clinic_id": clinic,
        "first_name": first,
        "last_name": last,
        "phone": f"+346{own.int:08d}",
        "email": mail,
        "status": "active",
    }


def _folded(row: dict[str, Any]) -> str:
    return fold(f"{row['first_name']} {row['last_name']} {row['phone']} {row['email']}")


def _visit(random: Random, n: int, clinic: UUID, staff: list[UUID], people: list[UUID]) -> dict[str, Any]:
    day = NOW.date() + timedelta(days=random.randrange(-7 * 365, 365))
    start = datetime(day.year, day.month, day.day, 8, tzinfo=UTC) + timedelta(minutes=5 * random.randrange(132))
    return {
        "id": UUID(int=(1 << 64) + n),
        "clinic_id": clinic,
        "patient_id": random.choice(people),
        "professional_id": random.choice(staff),
        "starts_at": start,
        "ends_at": start + timedelta(minutes=30),
        "treatment": "checkup",
        "status": "completed" if start < NOW else "scheduled",
    }


async def timed(
    engine: AsyncEngine, times: int, deed: Callable[[AsyncSession, int], Awaitable[Any]]
) -> dict[str, float]:
    """Milliseconds: median and 99th percentile, each in a session of its own."""
    taken = []
    for n in range(times):
        async with AsyncSession(engine.execution_options(deputize_begin="DEFERRED")) as session:
            begun = time.perf_counter()
            await deed(session, n)
            taken.append((time.perf_counter() - begun) * 1000)
    return {"p50": sorted(taken)[len(taken) // 2], "p99": p99(taken)}


async def figures(engine: AsyncEngine, desk: Member, times: int) -> dict[str, dict[str, float]]:
    """Every measured deed by name."""
    whom = UUID(int=17)

    async def anchor(session: AsyncSession, n: int) -> None:
        await session.get(Patient, UUID(int=n + 1))

    async def day(session: AsyncSession, n: int) -> None:
        await agenda.of_day(session, desk, DAY + timedelta(days=n % 5))

    async def gaps(session: AsyncSession, n: int) -> None:
        people = [one.id for one in await agenda.professionals(session, desk)]
        await schedules.gaps(session, desk, DAY, DAY + timedelta(days=6), people, now=NOW)

    async def own(session: AsyncSession, n: int) -> None:
        await agenda.of_patient(session, desk, whom)

    found: dict[str, dict[str, float]] = {"one row by key (anchor)": await timed(engine, times, anchor)}
    found["day view"] = await timed(engine, times, day)
    found["free slots of a week"] = await timed(engine, times, gaps)
    found["one patient's appointments"] = await timed(engine, times, own)
    for words in SEARCHES:

        async def search(session: AsyncSession, n: int, words: str = words) -> None:
            await patients.search(session, desk, words, size=10)

        found[f"search “{words}”"] = await timed(engine, times, search)
    return found


async def sizes(engine: AsyncEngine, desk: Member) -> dict[str, int]:
    """The longest document, in characters, of the results that grow with the clinic (RUN-12)."""
    tools: dict[str, Tool] = {tool.name: tool for toolset in TOOLSETS for tool in toolset.tools}
    actor = Actor(desk.id, desk.tenant, role=desk.role, grants=desk.grants, locale="es", time_zone=desk.time_zone)
    asked: dict[str, dict[str, Any]] = {
        "get_day_overview": {"day": DAY.isoformat()},
        "search_patients": {"query": "maria"},
        "find_free_slots": {"day": DAY.isoformat(), "days": 7},
        "list_due_recalls": {},
        "scheduling_report": {},
        "get_patient_timeline": {"patient": str(UUID(int=17))},
    }
    found = {}
    async with AsyncSession(engine) as session:
        session.add_all(
            TimelineEvent(
                clinic_id=UUID(desk.tenant),
                patient_id=UUID(int=17),
                category="appointment",
                what="appointment_checked_in",
                detail="x" * 60,
            )
            for _ in range(200)
        )
        await session.flush()
        for name, args in asked.items():
            tool = tools[name]
            result = await tool.handler(Context(session, actor, NOW), tool.args.model_validate_json(json.dumps(args)))
            plain = result.model_dump(mode="json")
            lists = [value for value in plain.values() if isinstance(value, list)]
            assert max(map(len, lists), default=0) <= 10, name
            assert any(lists), f"{name} found nothing to measure"
            found[name] = max(len(json.dumps(row)) for rows in lists for row in rows)
            assert found[name] <= CAP, name
    return found


async def measured(people: int, visits: int, times: int) -> dict[str, Any]:
    """Both databases."""
    found: dict[str, Any] = {"patients": people, "appointments": visits}
    async with both() as kinds:
        for kind, name in zip(kinds, ("sqlite", "postgresql"), strict=True):
            async with database(kind) as engine:
                desk = await crowd(engine, people, visits)
                found[name] = {"ms": await figures(engine, desk, times), "characters": await sizes(engine, desk)}
    return found


def shown(found: dict[str, Any]) -> str:
    """A table of milliseconds, with the ratio of each median to the anchor's of the same database."""
    lines = [f"{found['patients']:,} patients, {found['appointments']:,} appointments; ms p50 / p99 (× anchor)"]
    names = list(found["sqlite"]["ms"])
    for name in names:
        cells = []
        for kind in ("sqlite", "postgresql"):
            ms = found[kind]["ms"]
            ratio = ms[name]["p50"] / ms[names[0]]["p50"]
            cells.append(f"{ms[name]['p50']:8.1f} / {ms[name]['p99']:8.1f} (× {ratio:5.1f})")
        lines.append(f"{name:32} sqlite {cells[0]}   postgresql {cells[1]}")
    for name, size in found["postgresql"]["characters"].items():
        lines.append(f"{name:32} longest document {size} characters of {CAP}")
    return "\n".join(lines)


def main() -> None:
    """Measure, print, and keep the figures where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true", help="a tenth of the rows")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    part = 10 if chosen.short else 1
    found = asyncio.run(measured(50_000 // part, 500_000 // part, 20 if chosen.short else 60))
    print(shown(found))
    if chosen.json:
        chosen.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
